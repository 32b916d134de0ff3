//===- StartingValues.cpp - Data that results start from ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StartingValues.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace fusion;

static Value emptyOf(OpBuilder &builder, Location loc, Value tensor) {
  return tensor::EmptyOp::create(builder, loc,
                                 tensor::getMixedSizes(builder, loc, tensor),
                                 getElementTypeOrSelf(tensor.getType()));
}

/// Returns whether a tensor is a reshaped fill, which will become a fill of
/// that shape (`fuse-fold-reshapes`).
static bool isReshapedFill(Value tensor) {
  Operation *definer = tensor.getDefiningOp();
  bool isReshaped = false;
  for (;
       isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(definer);
       isReshaped = true)
    definer = definer->getOperand(0).getDefiningOp();
  return isReshaped && isa_and_nonnull<linalg::FillOp>(definer);
}

static bool holdsData(Value tensor) {
  return !tensor.getDefiningOp<tensor::EmptyOp>() && !isReshapedFill(tensor);
}

namespace {

/// Lets contractions start from zero; an accumulator that carries data is added
/// afterwards.
struct AddAccumulatorAfterwards : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isContractionBody(op) || accumulatesFromZero(op) ||
        op->getNumResults() != 1 || isReshapedFill(op.getDpsInits()[0]))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!isa<FloatType>(type.getElementType()))
      return failure();
    combineAfterwards(op, arith::AtomicRMWKind::addf,
                      rewriter.getZeroAttr(type.getElementType()), rewriter);
    return success();
  }

  /// Lets a reduction start from `identity`, and combines its former init with
  /// its result.
  static void combineAfterwards(linalg::LinalgOp op, arith::AtomicRMWKind kind,
                                TypedAttr identity, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value init = op.getDpsInitOperand(0)->get();
    Value empty = emptyOf(rewriter, loc, init);
    Value number = arith::ConstantOp::create(rewriter, loc, identity);
    Value filled =
        linalg::FillOp::create(rewriter, loc, number, empty).getResult(0);
    Operation *reduction = rewriter.clone(*op);
    reduction->setOperand(op.getDpsInitOperand(0)->getOperandNumber(), filled);
    SmallVector<AffineMap> maps(
        3, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto combined = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type},
        ValueRange{reduction->getResult(0), init}, ValueRange{empty}, maps,
        iterators, [&](OpBuilder &b, Location l, ValueRange arguments) {
          Value result =
              arith::getReductionOp(kind, b, l, arguments[0], arguments[1]);
          linalg::YieldOp::create(b, l, result);
        });
    rewriter.replaceOp(op, combined.getResults());
  }
};

/// Lets other reductions start from their identity; an init that carries data
/// is combined afterwards.
struct CombineStartAfterwards : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        matchCombination(op) || !holdsData(op.getDpsInits()[0]))
      return failure();
    std::optional<ReductionBody> body = matchCombiner(op);
    TypedAttr identity =
        body ? reductionIdentity(rewriter, op.getLoc(), *body) : TypedAttr();
    if (!identity)
      return failure();
    AddAccumulatorAfterwards::combineAfterwards(op, body->kind, identity,
                                                rewriter);
    return success();
  }
};

/// Lets an element-wise operator read its init's elements through an operand of
/// its own.
struct ReadStart : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || isa<linalg::FillOp>(op) ||
        op.getNumLoops() != op.getNumParallelLoops() ||
        llvm::none_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) { return isReadAsData(op, init); }))
      return failure();
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return failure();
      generic = *made;
    }
    rewriter.modifyOpInPlace(generic, [&] {
      for (unsigned number = 0; number < generic.getOutputs().size(); ++number)
        if (OpOperand &init = *generic.getDpsInitOperand(number);
            isReadAsData(generic, init))
          readAsInput(generic, init, rewriter);
    });
    return success();
  }

private:
  static bool isReadAsData(linalg::LinalgOp op, OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init) &&
           op.getMatchingIndexingMap(&init).isPermutation() &&
           holdsData(init.get());
  }

  static void readAsInput(linalg::GenericOp op, OpOperand &init,
                          PatternRewriter &rewriter) {
    BlockArgument old = op.getMatchingBlockArgument(&init);
    Value tensor = init.get();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    init.set(emptyOf(rewriter, op.getLoc(), tensor));
    auto fill = tensor.getDefiningOp<linalg::FillOp>();
    if (fill && fill.getInputs()[0].getType() == old.getType()) {
      old.replaceAllUsesWith(fill.getInputs()[0]);
      return;
    }
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned position = op.getInputs().size();
    maps.insert(maps.begin() + position, op.getMatchingIndexingMap(&init));
    BlockArgument element =
        op.getBody()->insertArgument(position, old.getType(), op.getLoc());
    old.replaceAllUsesWith(element);
    op.getInputsMutable().append(tensor);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }
};

} // namespace

void fusion::populateStartingValuePatterns(RewritePatternSet &patterns) {
  patterns.add<AddAccumulatorAfterwards, CombineStartAfterwards, ReadStart>(
      patterns.getContext());
}
