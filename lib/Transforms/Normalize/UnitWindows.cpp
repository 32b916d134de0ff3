//===- UnitWindows.cpp - Convolutions with one place of the filter --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitWindows.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusion;

namespace {

/// A convolution's loop over one place of the filter is none.
struct DropUnitWindow : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isConvolution(op) || op->getNumResults() != 1)
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned filter = maps[0].isProjectedPermutation() ? 0 : 1;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    llvm::SmallBitVector dropped(op.getNumLoops());
    auto kinds = op.getIteratorTypesArray();
    for (AffineExpr expr : maps[filter].getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      // One that is summed with others; of its own it indexes a channel.
      bool isSummed =
          llvm::any_of(maps[1 - filter].getResults(), [&](AffineExpr index) {
            return !isa<AffineDimExpr>(index) && index.isFunctionOfDim(loop);
          });
      dropped[loop] = ranges[loop] == 1 && isSummed &&
                      kinds[loop] == utils::IteratorType::reduction;
    }
    // A contraction has an axis to sum over.
    if (dropped.none() || dropped.count() == op.getNumReductionLoops())
      return failure();
    // Dropped dimensions go with a neighbour.
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    bool isOpen = false;
    for (auto [d, expr] : llvm::enumerate(maps[filter].getResults())) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (groups.empty() || (isOpen && !dropped[loop])) {
        groups.emplace_back();
        isOpen = false;
      }
      groups.back().push_back(d);
      if (!dropped[loop]) {
        shape.push_back(ranges[loop]);
        isOpen = true;
      }
    }
    Location loc = op.getLoc();
    SmallVector<Value> inputs(op.getDpsInputs());
    inputs[filter] = tensor::CollapseShapeOp::create(
        rewriter, loc,
        RankedTensorType::get(shape,
                              getElementTypeOrSelf(inputs[filter].getType())),
        inputs[filter], groups);
    MLIRContext *context = rewriter.getContext();
    SmallVector<AffineExpr> dims;
    SmallVector<utils::IteratorType> left;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (dropped[loop]) {
        dims.push_back(getAffineConstantExpr(0, context));
        continue;
      }
      dims.push_back(getAffineDimExpr(left.size(), context));
      left.push_back(kinds[loop]);
    }
    for (auto [number, map] : llvm::enumerate(maps)) {
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : map.getResults()) {
        AffineExpr own = expr.replaceDims(dims);
        if (number != filter || !isa<AffineConstantExpr>(own))
          exprs.push_back(own);
      }
      map = AffineMap::get(left.size(), 0, exprs, context);
    }
    auto contraction =
        linalg::GenericOp::create(rewriter, loc, op->getResultTypes(), inputs,
                                  op.getDpsInits(), maps, left);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&contraction.getRegion(), mapping);
    rewriter.replaceOp(op, contraction.getResults());
    return success();
  }
};

} // namespace

void fusion::populateUnitWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnitWindow>(patterns.getContext());
}
