//===- UnitIndices.cpp - Operands of one element along a dimension -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitIndices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace {

struct DropUnitIndices : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    bool isChanged = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap &map = maps[operand->getOperandNumber()];
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      auto isUnit = [&](unsigned dimension) {
        auto constant = dyn_cast<AffineConstantExpr>(map.getResult(dimension));
        return constant && constant.getValue() == 0 &&
               type.getDimSize(dimension) == 1;
      };
      // The remaining dimensions, each with the unit dimensions after it. Unit
      // dimensions at the front are in the first group.
      SmallVector<ReassociationIndices> groups;
      SmallVector<AffineExpr> retained;
      ReassociationIndices front;
      for (unsigned dimension = 0; dimension < map.getNumResults();
           ++dimension) {
        if (!isUnit(dimension)) {
          retained.push_back(map.getResult(dimension));
          groups.emplace_back(std::exchange(front, {})).push_back(dimension);
        } else {
          (groups.empty() ? front : groups.back()).push_back(dimension);
        }
      }
      if (retained.size() == map.getNumResults())
        continue;
      Value view = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                                   operand->get(), groups);
      rewriter.modifyOpInPlace(op, [&] { operand->set(view); });
      map = AffineMap::get(map.getNumDims(), 0, retained, op.getContext());
      isChanged = true;
    }
    if (!isChanged)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

} // namespace

void fusion::populateUnitIndexPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnitIndices>(patterns.getContext());
}
