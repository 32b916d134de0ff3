//===- WindowInlining.cpp - Contractions computed at a window's places ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Normalize/WindowInlining.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusion;

/// Returns the value of an expression for these values of its dimensions.
static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> values) {
  SmallVector<AffineExpr> constants;
  for (int64_t value : values)
    constants.push_back(getAffineConstantExpr(value, expr.getContext()));
  return cast<AffineConstantExpr>(expr.replaceDims(constants)).getValue();
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// Collects the operators from the contraction to the value that is read.
bool WindowInlining::collectMakers(Value value, std::string &reason) {
  auto maker = value.getDefiningOp<linalg::LinalgOp>();
  if (!maker || maker->getBlock() != convolution->getBlock() ||
      maker->getNumResults() != 1)
    return false;
  if (isContraction(maker)) {
    makers.push_back(maker);
    return true;
  }
  if (!isElementwise(maker))
    return false;
  // The one input that a contraction computes.
  bool hasContraction = false;
  for (Value input : maker.getDpsInputs()) {
    WindowInlining other;
    other.convolution = convolution;
    std::string ignored;
    if (!other.collectMakers(input, ignored))
      continue;
    if (hasContraction) {
      reason = "two contractions compute what it reads";
      makers.clear();
      return true;
    }
    hasContraction = true;
    makers = other.makers;
  }
  if (hasContraction)
    makers.push_back(maker);
  return hasContraction;
}

void WindowInlining::describePlaces(OpOperand &window, ArrayRef<int64_t> low,
                                    ArrayRef<int64_t> shape) {
  AffineMap map = convolution.getMatchingIndexingMap(&window);
  SmallVector<AffineMap> all = convolution.getIndexingMapsArray();
  SmallVector<int64_t> ranges = convolution.getStaticLoopRanges();
  // The result's loops in their order in the result, then the filter's.
  for (AffineMap plain : {all[2], all[1 - windowOperand]})
    for (AffineExpr expr : plain.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (map.isFunctionOfDim(loop) && !llvm::is_contained(places, loop)) {
        places.push_back(loop);
        extents.push_back(ranges[loop]);
      }
    }
  SmallVector<AffineExpr> dims(convolution.getNumLoops(),
                               getAffineConstantExpr(0, map.getContext()));
  for (auto [d, loop] : llvm::enumerate(places))
    dims[loop] = getAffineDimExpr(d, map.getContext());
  for (AffineExpr expr : map.getResults())
    indices.push_back(expr.replaceDims(dims));
  lows.assign(low.begin(), low.end());
  lows.resize(indices.size(), 0);
  sizes.assign(shape.begin(), shape.end());
}

/// Returns whether every index is a sum of multiples of loops.
static bool isSumOfLoops(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    return expr.isPureAffine() &&
           !expr.walk([](AffineExpr part) {
                  return part.getKind() == AffineExprKind::Mod ||
                                 part.getKind() == AffineExprKind::FloorDiv
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                })
                .wasInterrupted();
  });
}

bool WindowInlining::planProduct(std::string &reason) {
  linalg::LinalgOp contraction = producer();
  if (contraction.hasDynamicShape() || !accumulatesFromZero(contraction) ||
      !llvm::all_of(contraction.getIndexingMapsArray(), isSumOfLoops)) {
    reason =
        "the contraction before it has sizes that are not known, or adds to "
        "other values";
    return false;
  }
  MLIRContext *context = contraction.getContext();
  AffineMap made =
      contraction.getMatchingIndexingMap(contraction.getDpsInitOperand(0));
  SmallVector<int64_t> ranges = contraction.getStaticLoopRanges();
  // The loops of the contraction over the new loops, the offsets to subtract
  // from them, and the iterations, of the places first.
  SmallVector<AffineExpr> loops(contraction.getNumLoops());
  SmallVector<int64_t> shifts(contraction.getNumLoops(), 0), all = extents;
  for (auto [d, expr] : llvm::enumerate(made.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    loops[loop] = indices[d];
    shifts[loop] = lows[d];
  }
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (!loops[loop]) {
      loops[loop] = getAffineDimExpr(all.size(), context);
      all.push_back(ranges[loop]);
    }
  SmallVector<int64_t> last;
  for (int64_t extent : all)
    last.push_back(extent - 1);
  for (OpOperand *operand : contraction.getDpsInputOperands()) {
    Read &read = reads.emplace_back();
    std::optional<Padding> padding = matchPadding(operand->get());
    read.source = padding ? padding->source : operand->get();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(read.source.getType()).getShape();
    SmallVector<AffineExpr> exprs;
    for (auto [d, expr] : llvm::enumerate(
             contraction.getMatchingIndexingMap(operand).getResults())) {
      exprs.push_back(expr.replaceDims(loops));
      int64_t low = evaluate(expr, shifts) + (padding ? padding->low[d] : 0);
      int64_t size = std::max(evaluate(exprs.back(), last) + 1, low + shape[d]);
      read.low.push_back(low);
      read.shape.push_back(size);
      read.isPadded |= size != shape[d];
    }
    read.map = AffineMap::get(all.size(), 0, exprs, context);
  }
  if (reads[0].map.isProjectedPermutation() ==
      reads[1].map.isProjectedPermutation()) {
    reason =
        "both operands of the contraction before it would be read through the "
        "window";
    return false;
  }
  for (const Read &read : reads)
    if (read.map.isProjectedPermutation() && read.isPadded) {
      reason = "its padding surrounds what the filter of the contraction "
               "before it indexes";
      return false;
    }
  return true;
}

bool WindowInlining::planEpilogue(std::string &reason) {
  MLIRContext *context = convolution.getContext();
  AffineMap identity =
      AffineMap::getMultiDimIdentityMap(places.size(), context);
  Value arriving = producer()->getResult(0);
  for (linalg::LinalgOp op : ArrayRef(makers).drop_front()) {
    SmallVector<AffineMap> &own = maps.emplace_back();
    bool isPlain =
        op.getBlock()->getOps<linalg::IndexOp>().empty() &&
        op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (operand->get() == arriving) {
        isPlain &= map.isIdentity();
        own.push_back(identity);
        continue;
      }
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : map.getResults()) {
        unsigned d = cast<AffineDimExpr>(expr).getPosition();
        isPlain &= isa<AffineDimExpr>(indices[d]) && lows[d] == 0 &&
                   evaluateSize(d) == sizes[d];
        exprs.push_back(indices[d]);
      }
      own.push_back(AffineMap::get(places.size(), 0, exprs, context));
    }
    if (!isPlain) {
      reason =
          "operators between the contractions compute with indices or read "
          "other values at the window's places";
      return false;
    }
    own.push_back(identity);
    arriving = op->getResult(0);
  }
  return true;
}

std::optional<WindowInlining> WindowInlining::find(linalg::LinalgOp convolution,
                                                   std::string &reason) {
  if (!isConvolution(convolution))
    return std::nullopt;
  WindowInlining found;
  found.convolution = convolution;
  SmallVector<AffineMap> all = convolution.getIndexingMapsArray();
  found.windowOperand = all[0].isProjectedPermutation() ? 1 : 0;
  OpOperand &window = convolution->getOpOperand(found.windowOperand);
  std::optional<Padding> padding = matchPadding(window.get());
  Value read = padding ? padding->source : window.get();
  if (!found.collectMakers(read, reason))
    return std::nullopt;
  if (found.makers.empty())
    return std::nullopt;
  bool isShared = padding && !window.get().hasOneUse();
  for (linalg::LinalgOp op : found.makers)
    isShared |= !op->getResult(0).hasOneUse();
  if (isShared) {
    reason = "others read what it reads";
    return std::nullopt;
  }
  if (!isSumOfLoops(all[found.windowOperand])) {
    reason = "its window is more than sums of loops";
    return std::nullopt;
  }
  found.describePlaces(
      window, padding ? ArrayRef<int64_t>(padding->low) : ArrayRef<int64_t>(),
      cast<RankedTensorType>(read.getType()).getShape());
  if (!found.planProduct(reason) || !found.planEpilogue(reason))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

int64_t WindowInlining::evaluateSize(unsigned d) const {
  SmallVector<int64_t> last;
  for (int64_t extent : extents)
    last.push_back(extent - 1);
  return evaluate(indices[d], last) + 1;
}

Value WindowInlining::makeEmpty(RewriterBase &rewriter, Location loc,
                                Type element) {
  auto empty = tensor::EmptyOp::create(rewriter, loc, extents, element);
  built.push_back(empty);
  return empty;
}

/// Pads a value with zeros, in the form that matchPadding recognises.
Value WindowInlining::pad(RewriterBase &rewriter, Location loc,
                          const Read &read) {
  auto source = cast<RankedTensorType>(read.source.getType());
  auto empty = tensor::EmptyOp::create(rewriter, loc, read.shape,
                                       source.getElementType());
  SmallVector<utils::IteratorType> kinds(source.getRank(),
                                         utils::IteratorType::parallel);
  auto padded = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, ValueRange{},
      ValueRange{empty},
      ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(source.getRank())},
      kinds, [&](OpBuilder &b, Location l, ValueRange) {
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, l, value);
        };
        Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
        SmallVector<Value> index;
        for (int64_t d = 0; d < source.getRank(); ++d) {
          Value at = linalg::IndexOp::create(b, l, d);
          at = arith::SubIOp::create(b, l, at, constant(read.low[d]));
          index.push_back(at);
          for (auto [predicate, bound] :
               {std::pair(arith::CmpIPredicate::sge, int64_t(0)),
                std::pair(arith::CmpIPredicate::slt, source.getDimSize(d))})
            inside = arith::AndIOp::create(
                b, l, inside,
                arith::CmpIOp::create(b, l, predicate, at, constant(bound)));
        }
        for (Value &at : index)
          at = arith::SelectOp::create(b, l, inside, at, constant(0));
        Value element = tensor::ExtractOp::create(b, l, read.source, index);
        Value zero = arith::ConstantOp::create(
            b, l, b.getZeroAttr(source.getElementType()));
        linalg::YieldOp::create(
            b, l,
            arith::SelectOp::create(b, l, inside, element, zero).getResult());
      });
  built.append({empty, padded});
  return padded.getResult(0);
}

/// Sets elements outside of the value that was read to zero, whatever the
/// operators compute from zeros.
Value WindowInlining::maskOutside(RewriterBase &rewriter, Location loc,
                                  Value value) {
  SmallVector<unsigned> bounded;
  for (unsigned d = 0; d < indices.size(); ++d)
    if (lows[d] > 0 || evaluateSize(d) > lows[d] + sizes[d])
      bounded.push_back(d);
  if (bounded.empty())
    return value;
  Type element = getElementTypeOrSelf(value.getType());
  Value empty = makeEmpty(rewriter, loc, element);
  AffineMap identity = rewriter.getMultiDimIdentityMap(places.size());
  SmallVector<utils::IteratorType> kinds(places.size(),
                                         utils::IteratorType::parallel);
  auto masked = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, ValueRange{value},
      ValueRange{empty}, ArrayRef<AffineMap>{identity, identity}, kinds,
      [&](OpBuilder &b, Location l, ValueRange arguments) {
        Value inside;
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, l, value);
        };
        auto emit = [&](auto &&self, AffineExpr expr) -> Value {
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            return linalg::IndexOp::create(b, l, dim.getPosition());
          if (auto number = dyn_cast<AffineConstantExpr>(expr))
            return constant(number.getValue());
          auto binary = cast<AffineBinaryOpExpr>(expr);
          Value lhs = self(self, binary.getLHS()),
                rhs = self(self, binary.getRHS());
          if (binary.getKind() == AffineExprKind::Add)
            return arith::AddIOp::create(b, l, lhs, rhs);
          return arith::MulIOp::create(b, l, lhs, rhs);
        };
        auto require = [&](arith::CmpIPredicate predicate, Value at,
                           int64_t bound) {
          Value holds =
              arith::CmpIOp::create(b, l, predicate, at, constant(bound));
          inside = inside
                       ? arith::AndIOp::create(b, l, inside, holds).getResult()
                       : holds;
        };
        for (unsigned d : bounded) {
          Value at = emit(emit, indices[d]);
          if (lows[d] > 0)
            require(arith::CmpIPredicate::sge, at, lows[d]);
          if (evaluateSize(d) > lows[d] + sizes[d])
            require(arith::CmpIPredicate::slt, at, lows[d] + sizes[d]);
        }
        Value zero = arith::ConstantOp::create(b, l, b.getZeroAttr(element));
        linalg::YieldOp::create(
            b, l,
            arith::SelectOp::create(b, l, inside, arguments[0], zero)
                .getResult());
      });
  built.push_back(masked);
  return masked.getResult(0);
}

WindowInlining::Operators WindowInlining::build(RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(convolution);
  Operators operators;
  auto copy = [&](linalg::LinalgOp op, ValueRange inputs, Value start,
                  ArrayRef<AffineMap> indexing,
                  ArrayRef<utils::IteratorType> kinds) {
    auto made = linalg::GenericOp::create(
        rewriter, op.getLoc(), start.getType(), inputs, start, indexing, kinds);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&made.getRegion(), mapping);
    built.push_back(made);
    operators.push_back(cast<linalg::LinalgOp>(made.getOperation()));
    return made.getResult(0);
  };
  linalg::LinalgOp contraction = producer();
  Location loc = contraction.getLoc();
  SmallVector<utils::IteratorType> kinds(places.size(),
                                         utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> indexing;
  for (const Read &read : reads) {
    inputs.push_back(read.isPadded ? pad(rewriter, loc, read) : read.source);
    indexing.push_back(read.map);
  }
  unsigned loops = indexing.front().getNumDims();
  SmallVector<AffineExpr> own;
  for (unsigned d = 0; d < places.size(); ++d)
    own.push_back(rewriter.getAffineDimExpr(d));
  indexing.push_back(AffineMap::get(loops, 0, own, rewriter.getContext()));
  SmallVector<utils::IteratorType> ofProduct = kinds;
  ofProduct.resize(loops, utils::IteratorType::reduction);
  auto fill =
      contraction.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  Value start = makeEmpty(
      rewriter, loc, getElementTypeOrSelf(contraction->getResult(0).getType()));
  auto filled = linalg::FillOp::create(rewriter, loc, fill.getInputs(), start);
  built.push_back(filled);
  Value arriving = contraction->getResult(0), value;
  value = copy(contraction, inputs, filled.getResult(0), indexing, ofProduct);
  for (auto [number, op] : llvm::enumerate(ArrayRef(makers).drop_front())) {
    linalg::LinalgOp epilogueOp = op;
    SmallVector<Value> operands;
    for (Value input : epilogueOp.getDpsInputs())
      operands.push_back(input == arriving ? value : input);
    Value empty =
        makeEmpty(rewriter, epilogueOp.getLoc(),
                  getElementTypeOrSelf(epilogueOp->getResult(0).getType()));
    arriving = epilogueOp->getResult(0);
    value = copy(epilogueOp, operands, empty, maps[number], kinds);
  }
  Value masked = maskOutside(rewriter, loc, value);
  if (masked != value)
    operators.push_back(masked.getDefiningOp<linalg::LinalgOp>());
  SmallVector<Value> operands(convolution.getDpsInputs());
  operands[windowOperand] = masked;
  SmallVector<AffineMap> all = convolution.getIndexingMapsArray();
  SmallVector<AffineExpr> plain;
  for (unsigned loop : places)
    plain.push_back(rewriter.getAffineDimExpr(loop));
  all[windowOperand] = AffineMap::get(convolution.getNumLoops(), 0, plain,
                                      rewriter.getContext());
  copy(convolution, operands, convolution.getDpsInits()[0], all,
       convolution.getIteratorTypesArray());
  return operators;
}

void WindowInlining::discard(RewriterBase &rewriter) {
  for (Operation *op : llvm::reverse(built))
    rewriter.eraseOp(op);
  built.clear();
}
