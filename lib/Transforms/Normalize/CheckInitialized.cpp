//===- CheckInitialized.cpp - fuse-check-initialized ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/UninitializedReads.h"
#include "fusion/Transforms/Passes.h"

namespace fusion {
#define GEN_PASS_DEF_FUSECHECKINITIALIZED
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct CheckInitialized
    : fusion::impl::FuseCheckInitializedBase<CheckInitialized> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (OpOperand *operand = findUninitializedRead(op))
        mlir::emitWarning(op->getLoc()) << describeUninitializedRead(*operand);
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
