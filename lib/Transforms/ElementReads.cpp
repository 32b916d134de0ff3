//===- ElementReads.cpp - Elements that operators read by index -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementReads.h"
#include "fusion/Analysis/GroupAxes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fusion;

/// The points of an operator whose sizes are known.
static int64_t pointsOf(linalg::LinalgOp op) {
  int64_t points = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    points *= extent;
  return points;
}

/// The operator that computes a tensor point by point.
static linalg::LinalgOp pointwiseMaker(Value tensor) {
  auto maker = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!maker || isa<linalg::FillOp>(maker) || !maker.hasPureTensorSemantics() ||
      maker->getNumResults() != 1 || maker.hasDynamicShape() ||
      !isPointwise(maker))
    return {};
  return maker;
}

/// Whether values of a product come in through element-wise operators alone.
static bool followsProduct(linalg::LinalgOp op) {
  SmallVector<linalg::LinalgOp> pending = {op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    linalg::LinalgOp next = pending.pop_back_val();
    for (Value input : next.getDpsInputs()) {
      auto maker = input.getDefiningOp<linalg::LinalgOp>();
      if (!maker || !seen.insert(maker).second)
        continue;
      if (isContraction(maker))
        return true;
      if (isElementwise(maker))
        pending.push_back(maker);
    }
  }
  return false;
}

/// Whether an element only matters where a condition holds: that of a padding,
/// or of a piece of a concatenation.
static bool isGuarded(tensor::ExtractOp extract) {
  return llvm::any_of(extract.getIndices(), [](Value index) {
    return index.getDefiningOp<arith::SelectOp>();
  });
}

namespace {

struct ComputeWhereRead : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    bool changed = false;
    for (auto extract :
         llvm::make_early_inc_range(op.getBody()->getOps<tensor::ExtractOp>()))
      if (linalg::LinalgOp maker = pointwiseMaker(extract.getTensor());
          maker && isLittle(maker)) {
        rewriter.setInsertionPoint(extract);
        rewriter.replaceOp(extract, computeAt(rewriter, extract.getLoc(), maker,
                                              extract.getIndices()));
        changed = true;
      }
    return success(changed);
  }

private:
  /// Whether all reads by index together are of no more elements than there
  /// are.
  static bool isLittle(linalg::LinalgOp maker) {
    int64_t left = pointsOf(maker);
    bool isReadByMaps = false;
    for (Operation *user : maker->getResult(0).getUsers()) {
      auto extract = dyn_cast<tensor::ExtractOp>(user);
      if (!extract) {
        isReadByMaps = true;
        continue;
      }
      auto reader = extract->getParentOfType<linalg::LinalgOp>();
      // What is put side by side is stored where it belongs instead.
      if (!reader || reader.hasDynamicShape() || isGuarded(extract))
        return false;
      left -= pointsOf(reader);
      if (left < 0)
        return false;
    }
    // What a product's kernel computes behind it at no cost would move to
    // another one.
    return isReadByMaps || !followsProduct(maker);
  }

  /// The element of what `maker` makes at a place.
  static Value computeAt(OpBuilder &b, Location loc, linalg::LinalgOp maker,
                         ValueRange place) {
    AffineMap made = maker.getMatchingIndexingMap(maker.getDpsInitOperand(0));
    SmallVector<Value> loops(maker.getNumLoops());
    for (auto [d, index] : llvm::enumerate(place))
      loops[made.getDimPosition(d)] = index;
    IRMapping mapping;
    for (OpOperand *operand : maker.getDpsInputOperands()) {
      BlockArgument element = maker.getMatchingBlockArgument(operand);
      if (element.use_empty())
        continue;
      if (!isa<RankedTensorType>(operand->get().getType())) {
        mapping.map(element, operand->get());
        continue;
      }
      SmallVector<Value> indices;
      AffineMap map = maker.getMatchingIndexingMap(operand);
      for (unsigned d = 0; d < map.getNumResults(); ++d)
        indices.push_back(loops[map.getDimPosition(d)]);
      mapping.map(element,
                  tensor::ExtractOp::create(b, loc, operand->get(), indices));
    }
    for (Operation &inner : maker.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), loops[index.getDim()]);
      else
        b.clone(inner, mapping);
    }
    return mapping.lookupOrDefault(
        maker.getBlock()->getTerminator()->getOperand(0));
  }
};

struct ReadOwnPlace : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape())
      return failure();
    bool changed = false;
    for (auto extract :
         llvm::make_early_inc_range(op.getBody()->getOps<tensor::ExtractOp>()))
      if (AffineMap map = ownPlace(op, extract)) {
        append(op, extract, map, rewriter);
        changed = true;
      }
    return success(changed);
  }

private:
  /// The loops that index an element, each of them one dimension in full.
  static AffineMap ownPlace(linalg::GenericOp op, tensor::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    llvm::SmallBitVector seen(op.getNumLoops());
    SmallVector<AffineExpr> exprs;
    for (auto [index, size] :
         llvm::zip_equal(extract.getIndices(), type.getShape())) {
      auto loop = index.getDefiningOp<linalg::IndexOp>();
      if (!loop || ranges[loop.getDim()] != size || seen[loop.getDim()])
        return {};
      seen.set(loop.getDim());
      exprs.push_back(getAffineDimExpr(loop.getDim(), extract.getContext()));
    }
    return AffineMap::get(op.getNumLoops(), 0, exprs, extract.getContext());
  }

  static void append(linalg::GenericOp op, tensor::ExtractOp extract,
                     AffineMap map, PatternRewriter &rewriter) {
    Value tensor = extract.getTensor();
    rewriter.modifyOpInPlace(op, [&] {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      unsigned position = op.getInputs().size();
      maps.insert(maps.begin() + position, map);
      BlockArgument element = op.getBody()->insertArgument(
          position, extract.getType(), extract.getLoc());
      op.getInputsMutable().append(tensor);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      rewriter.replaceOp(extract, element);
    });
  }
};

/// A reduction along a concatenation of computed values would read them at
/// other places than their own.
struct ReducePieces : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getResultType().hasStaticShape() ||
        op.getResultType().getNumElements() == 0 ||
        llvm::any_of(op.getInputs().getTypes(),
                     [](Type type) {
                       return !cast<RankedTensorType>(type).hasStaticShape();
                     }) ||
        llvm::none_of(op.getInputs(), [](Value piece) {
          return piece.getDefiningOp<linalg::LinalgOp>();
        }))
      return failure();
    bool changed = false;
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    for (Operation *user : users)
      if (auto reduction = dyn_cast<linalg::LinalgOp>(user))
        changed |= split(reduction, op, rewriter);
    if (changed && op->use_empty())
      rewriter.eraseOp(op);
    return success(changed);
  }

private:
  /// The loop that goes along the concatenation, if it is one that is reduced.
  static std::optional<unsigned> findLoop(linalg::LinalgOp op,
                                          tensor::ConcatOp concat) {
    std::optional<unsigned> loop;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (operand->get() != concat.getResult())
        continue;
      unsigned own =
          op.getMatchingIndexingMap(operand).getDimPosition(concat.getDim());
      if (loop.value_or(own) != own)
        return std::nullopt;
      loop = own;
    }
    if (!loop ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::reduction)
      return std::nullopt;
    return loop;
  }

  static bool split(linalg::LinalgOp op, tensor::ConcatOp concat,
                    PatternRewriter &rewriter) {
    // A product of matrices is tiled along the whole of it.
    std::optional<ReductionBody> body = matchReduction(op);
    if (!body || op.hasDynamicShape() || op->getNumResults() != 1 ||
        !op.getBlock()->getOps<linalg::IndexOp>().empty())
      return false;
    std::optional<unsigned> loop = findLoop(op, concat);
    if (!loop)
      return false;
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    // One piece starts from the constant, the others from what changes nothing.
    Value start = op.getDpsInits()[0];
    SmallVector<Value> parts;
    int64_t begin = 0;
    for (Value piece : concat.getInputs()) {
      int64_t size =
          cast<RankedTensorType>(piece.getType()).getDimSize(concat.getDim());
      if (size == 0)
        continue;
      SmallVector<Value> operands;
      for (OpOperand *operand : op.getDpsInputOperands())
        operands.push_back(
            operand->get() == concat.getResult()
                ? piece
                : cut(op, *operand, *loop, begin, size, rewriter));
      operands.push_back(start);
      parts.push_back(
          clone(rewriter, op, TypeRange(type), operands)->getResult(0));
      begin += size;
      if (parts.size() == 1)
        start = linalg::FillOp::create(
                    rewriter, loc,
                    arith::ConstantOp::create(
                        rewriter, loc, reductionIdentity(rewriter, loc, *body))
                        .getResult(),
                    empty)
                    .getResult(0);
    }
    SmallVector<AffineMap> maps(
        parts.size() + 1, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    auto whole = linalg::GenericOp::create(
        rewriter, loc, TypeRange{type}, parts, ValueRange{empty}, maps,
        iterators, [&](OpBuilder &b, Location l, ValueRange arguments) {
          Value value = arguments[0];
          for (Value part : arguments.drop_front().drop_back())
            value = arith::getReductionOp(body->kind, b, l, value, part);
          linalg::YieldOp::create(b, l, value);
        });
    rewriter.replaceOp(op, whole.getResults());
    return true;
  }

  /// What a piece is combined with of another operand.
  static Value cut(linalg::LinalgOp op, OpOperand &operand, unsigned loop,
                   int64_t begin, int64_t size, PatternRewriter &rewriter) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || !map.isFunctionOfDim(loop))
      return operand.get();
    SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)),
        strides(type.getRank(), rewriter.getIndexAttr(1)), sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      bool isCut = map.getDimPosition(d) == loop;
      sizes.push_back(rewriter.getIndexAttr(isCut ? size : type.getDimSize(d)));
      if (isCut)
        offsets[d] = rewriter.getIndexAttr(begin);
    }
    return tensor::ExtractSliceOp::create(rewriter, op.getLoc(), operand.get(),
                                          offsets, sizes, strides);
  }
};

} // namespace

void fusion::populateElementReadPatterns(RewritePatternSet &patterns) {
  patterns.add<ComputeWhereRead, ReadOwnPlace>(patterns.getContext());
  // Before the concatenation becomes an operator of its own.
  patterns.add<ReducePieces>(patterns.getContext(), /*benefit=*/2);
}
