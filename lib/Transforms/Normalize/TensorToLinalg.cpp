//===- TensorToLinalg.cpp - fuse-tensor-to-linalg -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fusion {
#define GEN_PASS_DEF_FUSETENSORTOLINALG
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

/// An element-wise linalg.generic.
Value buildElementwise(
    OpBuilder &builder, Location loc, ValueRange inputs, Value init,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{init.getType()}, inputs, ValueRange{init},
             maps, iterators,
             [&](OpBuilder &b, Location l, ValueRange arguments) {
               linalg::YieldOp::create(b, l, body(b, l, arguments));
             })
      .getResult(0);
}

struct Splat : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), op.getType(),
                                          op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

struct Bitcast : OpRewritePattern<tensor::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getSource().getType()))
      return failure();
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getSource()),
        type.getElementType());
    Value result = buildElementwise(
        rewriter, loc, op.getSource(), empty,
        [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
          return arith::BitcastOp::create(b, l, type.getElementType(),
                                          arguments[0]);
        });
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Selects an element by its position in memory.
struct FromElements : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (op.getElements().empty())
      return failure(); // folds to a constant
    Location loc = op.getLoc();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, loc, {}, empty,
                [&](OpBuilder &b, Location l, ValueRange) -> Value {
                  Value position = arith::ConstantIndexOp::create(b, l, 0);
                  for (auto [d, size] : llvm::enumerate(type.getShape())) {
                    Value extent = arith::ConstantIndexOp::create(b, l, size);
                    position = arith::AddIOp::create(
                        b, l, arith::MulIOp::create(b, l, position, extent),
                        linalg::IndexOp::create(b, l, d));
                  }
                  Value chosen = op.getElements().front();
                  for (auto [i, element] :
                       llvm::drop_begin(llvm::enumerate(op.getElements()))) {
                    Value number = arith::ConstantIndexOp::create(b, l, i);
                    Value isIt = arith::CmpIOp::create(
                        b, l, arith::CmpIPredicate::eq, position, number);
                    chosen =
                        arith::SelectOp::create(b, l, isIt, element, chosen);
                  }
                  return chosen;
                }));
    return success();
  }
};

/// A reshape between static shapes, by way of one dimension.
struct Reshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape())
      return failure();
    auto together = [](int64_t rank) {
      SmallVector<ReassociationIndices> groups;
      if (rank > 0)
        groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      return groups;
    };
    Value value = op.getSource();
    auto flat =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    if (from.getRank() == 0)
      value = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), flat, value,
                                            ArrayRef<ReassociationIndices>());
    else if (from.getRank() > 1)
      value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), flat,
                                              value, together(from.getRank()));
    if (to.getRank() == 0)
      value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), to, value,
                                              ArrayRef<ReassociationIndices>());
    else if (to.getRank() > 1)
      value = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to, value,
                                            together(to.getRank()));
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct TensorToLinalg : fusion::impl::FuseTensorToLinalgBase<TensorToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Bitcast, FromElements, Reshape, Splat>(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
