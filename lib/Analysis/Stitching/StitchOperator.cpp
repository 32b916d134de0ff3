//===- StitchOperator.cpp - An operator of stitched groups ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchOperator.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"

using namespace mlir;
using namespace fusion;

SmallVector<unsigned, 4> fusion::loopsOf(AffineMap map) {
  SmallVector<unsigned, 4> loops;
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

static std::string whyNotStitched(linalg::LinalgOp op, bool isReduction,
                                  ArrayRef<int64_t> extents) {
  StringRef name = op->getName().getStringRef();
  if (!isReduction && !isPointwise(op))
    return (name + " is neither element-wise nor a reduction by one operation")
        .str();
  for (Operation &inner : op.getBlock()->without_terminator())
    if (inner.getNumResults() != 1)
      return (inner.getName().getStringRef() +
              " has several results, which tiles have not")
          .str();
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    if (ShapedType::isDynamic(extent))
      return ("loop " + Twine(loop) + " of " + name + " has a dynamic size")
          .str();
    if (extent < 1)
      return "an operator has no points";
  }
  return "";
}

StitchOperator::StitchOperator(linalg::LinalgOp op)
    : work(countScalarWork(op)), hasPolynomials(evaluatesPolynomials(op)),
      // A contraction is a sum of products like any other here.
      reduction(matchCombination(op)), extents(op.getStaticLoopRanges()) {
  whyNot = whyNotStitched(op, reduction.has_value(), extents);
  if (!whyNot.empty())
    return;
  for (utils::IteratorType kind : op.getIteratorTypesArray())
    isReduced.push_back(kind == utils::IteratorType::reduction);
  resultLoops = loopsOf(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  for (OpOperand *operand : op.getDpsInputOperands()) {
    bool isTensor = isa<RankedTensorType>(operand->get().getType());
    Input &input = inputs.emplace_back(Input{operand, isTensor, {}});
    if (isTensor)
      input.loops = loopsOf(op.getMatchingIndexingMap(operand));
  }
}
