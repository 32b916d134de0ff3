//===- ClearFastMath.cpp - clear-fast-math ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Normalize/ClearFastMath.h"
#include "fusion/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fusion {
#define GEN_PASS_DEF_CLEARFASTMATH
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;

void fusion::clearFastMath(Operation *root) {
  auto none = arith::FastMathFlagsAttr::get(root->getContext(),
                                            arith::FastMathFlags::none);
  root->walk([&](arith::ArithFastMathInterface op) {
    // Optional on the conversions, with a default elsewhere.
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      op->removeAttr(op.getFastMathAttrName());
    else
      op->setAttr(op.getFastMathAttrName(), none);
  });
}

namespace {

struct ClearFastMath : fusion::impl::ClearFastMathBase<ClearFastMath> {
  void runOnOperation() override { fusion::clearFastMath(getOperation()); }
};

} // namespace
