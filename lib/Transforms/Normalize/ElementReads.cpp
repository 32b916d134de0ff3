//===- ElementReads.cpp - Elements that operators read by index -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementReads.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fusion;

/// Returns the number of points of an operator with static sizes.
static int64_t pointsOf(linalg::LinalgOp op) {
  int64_t points = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    points *= extent;
  return points;
}

/// Returns the element-wise operator that computes a tensor, or null.
static linalg::LinalgOp pointwiseMaker(Value tensor) {
  auto maker = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!maker || isa<linalg::FillOp>(maker) || !maker.hasPureTensorSemantics() ||
      maker->getNumResults() != 1 || maker.hasDynamicShape() ||
      !isPointwise(maker))
    return {};
  return maker;
}

/// Returns whether an operator computes on a contraction's values through
/// element-wise operators alone.
static bool followsContraction(linalg::LinalgOp op) {
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

/// Returns the condition under which an element matters, or null: the one of a
/// padding, or of a piece of a concatenation. Where it does not hold, the index
/// is zero.
static Value guardOf(tensor::ExtractOp extract) {
  Value guard;
  for (Value index : extract.getIndices())
    if (auto select = index.getDefiningOp<arith::SelectOp>())
      guard = select.getCondition();
  return guard;
}

/// Returns whether the element that is read matters only if `guard` holds.
static bool isGuarded(tensor::ExtractOp extract, Value guard) {
  return llvm::all_of(extract.getIndices(),
                      [&](Value index) {
                        auto select = index.getDefiningOp<arith::SelectOp>();
                        return !select ||
                               (select.getCondition() == guard &&
                                matchPattern(select.getFalseValue(), m_Zero()));
                      }) &&
         llvm::all_of(extract->getUses(), [&](OpOperand &use) {
           auto select = dyn_cast<arith::SelectOp>(use.getOwner());
           return select && select.getCondition() == guard &&
                  use.getOperandNumber() == 1;
         });
}

/// Returns whether only unused operators read an operator's values.
static bool isUnused(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    Operation *reader = isa<linalg::LinalgOp>(user)
                            ? user
                            : user->getParentOfType<linalg::LinalgOp>();
    return reader && isUnused(reader);
  });
}

/// Returns whether element-wise operators or reductions read an operator that
/// concatenates or pads. Otherwise it stays: for a function's results alone it
/// is stored where it belongs, and contractions read a padding themselves.
static bool isComputedWith(linalg::LinalgOp op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    if (!reader)
      reader = user->getParentOfType<linalg::LinalgOp>();
    return reader && !isContractionBody(reader) &&
           !linalg::isaConvolutionOpInterface(reader);
  });
}

/// Returns whether the elements that a body reads by index have no guard, or
/// matter only where their guard holds.
static bool hasKnownGuards(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->getOps<tensor::ExtractOp>(),
                      [](tensor::ExtractOp extract) {
                        Value guard = guardOf(extract);
                        return !guard || isGuarded(extract, guard);
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
        rewriter.replaceOp(extract, computeAt(rewriter, extract, maker));
        changed = true;
      }
    return success(changed);
  }

private:
  /// Returns whether all reads by index together read at most as many elements
  /// as there are.
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
      if (!reader || reader.hasDynamicShape())
        return false;
      // Its values are computed elsewhere, and it will be erased.
      if (isUnused(reader))
        continue;
      Value guard = guardOf(extract);
      if (guard && !(isGuarded(extract, guard) && isComputedWith(reader) &&
                     hasKnownGuards(maker)))
        return false;
      // Where its condition holds, each element is read once.
      left -= guard ? pointsOf(maker) : pointsOf(reader);
      if (left < 0)
        return false;
    }
    // The epilogue of a contraction, which costs nothing there, would move to
    // another kernel.
    return isReadByMaps || !followsContraction(maker);
  }

  /// Reads an element; where it matters only under a guard, under that guard.
  static Value read(OpBuilder &b, Location loc, Value tensor,
                    SmallVector<Value> indices, Value guard) {
    if (!guard)
      return tensor::ExtractOp::create(b, loc, tensor, indices);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (Value &index : indices)
      index = arith::SelectOp::create(b, loc, guard, index, zero);
    Value element = tensor::ExtractOp::create(b, loc, tensor, indices);
    Value nothing =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(element.getType()));
    return arith::SelectOp::create(b, loc, guard, element, nothing);
  }

  /// Computes the element of `maker`'s result that `extract` reads.
  static Value computeAt(OpBuilder &b, tensor::ExtractOp extract,
                         linalg::LinalgOp maker) {
    Location loc = extract.getLoc();
    Value guard = guardOf(extract);
    AffineMap made = maker.getMatchingIndexingMap(maker.getDpsInitOperand(0));
    SmallVector<Value> loops(maker.getNumLoops());
    for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
      auto select = index.getDefiningOp<arith::SelectOp>();
      loops[made.getDimPosition(d)] =
          guard && select ? select.getTrueValue() : index;
    }
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
      mapping.map(element, read(b, loc, operand->get(), indices, guard));
    }
    for (Operation &inner : maker.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        mapping.map(index.getResult(), loops[index.getDim()]);
      } else if (auto own = dyn_cast<tensor::ExtractOp>(inner)) {
        // An element that matters under two conditions is read under both.
        Value both = guard, under = guard ? guardOf(own) : Value();
        if (under)
          both = arith::AndIOp::create(b, loc, guard,
                                       mapping.lookupOrDefault(under));
        SmallVector<Value> indices;
        for (Value index : own.getIndices()) {
          auto select = index.getDefiningOp<arith::SelectOp>();
          indices.push_back(mapping.lookupOrDefault(
              under && select ? select.getTrueValue() : index));
        }
        mapping.map(own.getResult(),
                    read(b, loc, own.getTensor(), indices, both));
      } else {
        b.clone(inner, mapping);
      }
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
  /// Returns a map of the loops that index an element, each of them one
  /// dimension in full.
  static AffineMap ownPlace(linalg::GenericOp op, tensor::ExtractOp extract) {
    auto type = cast<RankedTensorType>(extract.getTensor().getType());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    llvm::SmallBitVector seen(op.getNumLoops());
    SmallVector<AffineExpr> exprs;
    Value guard = guardOf(extract);
    if (guard && !isGuarded(extract, guard))
      return {};
    for (auto [constIndex, size] :
         llvm::zip_equal(extract.getIndices(), type.getShape())) {
      Value index = constIndex;
      // Where the guard does not hold, any element will do.
      if (auto select = index.getDefiningOp<arith::SelectOp>())
        index = select.getTrueValue();
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

/// Splits a reduction along a concatenation of computed values, which would
/// read them at other places than their own.
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
  /// Returns the reduced loop along the concatenation, if any.
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
    // A contraction is tiled along the whole concatenation.
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
    // One piece starts from the constant, the others from the identity.
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

  /// Slices another operand to the elements that a piece is combined with.
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
