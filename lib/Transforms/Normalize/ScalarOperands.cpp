//===- ScalarOperands.cpp - Scalars that operators use --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {

/// A scalar that a body takes from around its operator becomes an operand, so
/// that both ways of writing it are one. Constants stay in the body.
struct CapturedScalars : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    captured.remove_if([](Value value) {
      return !value.getType().isIntOrIndexOrFloat() ||
             matchPattern(value, m_Constant());
    });
    if (captured.empty())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand *operand : op.getDpsInputOperands())
        if (captured.remove(operand->get()))
          replaceAllUsesInRegionWith(operand->get(),
                                     op.getMatchingBlockArgument(operand),
                                     op.getRegion());
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      AffineMap scalar = AffineMap::get(op.getNumLoops(), 0, op.getContext());
      unsigned position = op.getInputs().size();
      maps.insert(maps.begin() + position, captured.size(), scalar);
      for (auto [offset, value] : llvm::enumerate(captured)) {
        BlockArgument argument = op.getBlock()->insertArgument(
            position + offset, value.getType(), value.getLoc());
        replaceAllUsesInRegionWith(value, argument, op.getRegion());
      }
      op.getInputsMutable().append(captured.getArrayRef());
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// Whether the host cannot compute a scalar: plans have expressions over
/// integers only.
bool isForDevice(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return false;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return llvm::all_of(op->getOperandTypes(), isScalar) &&
         (isa<FloatType>(value.getType()) ||
          llvm::any_of(op->getOperandTypes(), llvm::IsaPred<FloatType>) ||
          llvm::any_of(op->getOperands(), isForDevice));
}

/// A scalar that the host cannot compute is computed for every point.
struct SinkScalars : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isForDevice(operand->get()))
        continue;
      Operation *definer = operand->get().getDefiningOp();
      unsigned position = operand->getOperandNumber();
      BlockArgument argument = op.getMatchingBlockArgument(operand);
      rewriter.setInsertionPointToStart(op.getBlock());
      Value computed = rewriter.clone(*definer)->getResult(0);
      rewriter.replaceAllUsesWith(argument, computed);
      rewriter.modifyOpInPlace(op, [&] {
        SmallVector<AffineMap> maps = op.getIndexingMapsArray();
        maps.erase(maps.begin() + position);
        op.getInputsMutable().erase(position);
        op.getBlock()->eraseArgument(position);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};

/// A fill with such a scalar is an operator of its own.
struct GeneralizeFill : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isForDevice(op.getInputs()[0]))
      return failure();
    return failure(failed(linalg::generalizeNamedOp(
        rewriter, cast<linalg::LinalgOp>(op.getOperation()))));
  }
};

/// The body of a linalg.map or linalg.reduce may take scalars from around it,
/// too.
template <typename OpTy> struct GeneralizeCapturing : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (llvm::all_of(captured, [](Value value) {
          return matchPattern(value, m_Constant());
        }))
      return failure();
    return failure(failed(linalg::generalizeNamedOp(
        rewriter, cast<linalg::LinalgOp>(op.getOperation()))));
  }
};

} // namespace

void fusion::populateScalarOperandPatterns(RewritePatternSet &patterns) {
  patterns
      .add<CapturedScalars, GeneralizeCapturing<linalg::MapOp>,
           GeneralizeCapturing<linalg::ReduceOp>, GeneralizeFill, SinkScalars>(
          patterns.getContext());
}
