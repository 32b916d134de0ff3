//===- FoldedScales.cpp - Instructions that folding saves -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedScales.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

bool fusion::isFolded(math::ExpOp exponential) {
  auto module = exponential->getParentOfType<ModuleOp>();
  auto how =
      module ? module->getAttrOfType<StringAttr>(fuse::kExponentialsAttrName)
             : StringAttr();
  return exponential->hasAttr(fuse::kFlushAttrName) &&
         (!how || how.getValue() != "difference") &&
         exponential.getOperand().getDefiningOp<arith::SubFOp>();
}

namespace {

/// What reads the elements of a scaled tensor.
struct Readers {
  bool hasExponential = false;

  /// Returns whether maxima and folded exponentials are all that reads a value
  /// of the body of `op`.
  bool areFolding(linalg::LinalgOp op, Value value);
};

} // namespace

bool Readers::areFolding(linalg::LinalgOp op, Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(user))
      return op.getNumReductionLoops() > 0;
    if (isa<arith::SelectOp>(user))
      return areFolding(op, user->getResult(0));
    if (auto difference = dyn_cast<arith::SubFOp>(user)) {
      hasExponential = true;
      return difference.getLhs() == value &&
             llvm::all_of(difference->getUsers(), [](Operation *reader) {
               auto exponential = dyn_cast<math::ExpOp>(reader);
               return exponential && isFolded(exponential);
             });
    }
    if (!isa<linalg::YieldOp>(user) || op->getNumResults() != 1)
      return false;
    return llvm::all_of(op->getResult(0).getUses(), [&](OpOperand &use) {
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      return reader && reader.isDpsInput(&use) &&
             areFolding(reader, reader.getMatchingBlockArgument(&use));
    });
  });
}

bool fusion::isFoldedScale(arith::MulFOp product) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(product->getParentOp());
  if (!op || !product.getType().isF32())
    return false;
  APFloat factor(0.0f);
  bool isScaled = llvm::any_of(product->getOperands(), [&](Value operand) {
    return matchPattern(operand, m_ConstantFloat(&factor)) &&
           factor.isNormal() && !factor.isNegative();
  });
  Readers readers;
  return isScaled && readers.areFolding(op, product) && readers.hasExponential;
}
