//===- Windows.cpp - Operands read through a window -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace fusion;

using Digit = TensorWindow::Digit;

int64_t TensorWindow::Index::last() const {
  int64_t index = first;
  for (const Digit &digit : digits)
    index += digit.coefficient * (digit.count - 1);
  return index;
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

namespace {

/// An index of the body plus a constant.
struct Shifted {
  unsigned dim;
  int64_t by;
};

} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

static std::optional<Shifted> shiftedIndex(Value value) {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return Shifted{static_cast<unsigned>(index.getDim()), 0};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Shifted> index = shiftedIndex(op->getOperand(0));
  std::optional<int64_t> by = constantOf(op->getOperand(1));
  if (!index || !by)
    return std::nullopt;
  index->by += isa<arith::AddIOp>(op) ? *by : -*by;
  return index;
}

/// Collects the conditions that a boolean joins by `and`.
static void collectConditions(Value value, SmallVectorImpl<Value> &conditions) {
  if (auto both = value.getDefiningOp<arith::AndIOp>()) {
    collectConditions(both.getLhs(), conditions);
    collectConditions(both.getRhs(), conditions);
  } else if (!matchPattern(value, m_One())) {
    conditions.push_back(value);
  }
}

std::optional<Padding> fusion::matchPadding(linalg::LinalgOp op) {
  if (!op || !isa<linalg::GenericOp>(op) || op.getNumDpsInputs() != 0 ||
      op->getNumResults() != 1 || op.hasDynamicShape() ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getIndexingMapsArray().front().isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return std::nullopt;
  auto choice = op.getBlock()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!choice || !(matchPattern(choice.getFalseValue(), m_PosZeroFloat()) ||
                   matchPattern(choice.getFalseValue(), m_Zero())))
    return std::nullopt;
  auto read = choice.getTrueValue().getDefiningOp<tensor::ExtractOp>();
  if (!read || read->getBlock() != op.getBlock())
    return std::nullopt;
  auto source = dyn_cast<RankedTensorType>(read.getTensor().getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (!source || !source.hasStaticShape() ||
      source.getRank() != result.getRank() ||
      read.getTensor().getParentBlock() == op.getBlock())
    return std::nullopt;
  Padding padding;
  padding.source = read.getTensor();
  // The index is replaced, by 0, only where nothing is read.
  for (auto [d, index] : llvm::enumerate(read.getIndices())) {
    Value place = index;
    if (auto safe = index.getDefiningOp<arith::SelectOp>();
        safe && safe.getCondition() == choice.getCondition())
      place = safe.getTrueValue();
    std::optional<Shifted> shifted = shiftedIndex(place);
    // The index of a dimension of one element is known.
    if (result.getDimSize(d) == 1 && matchPattern(place, m_Zero()))
      shifted = Shifted{static_cast<unsigned>(d), 0};
    if (!shifted || shifted->dim != d || shifted->by > 0)
      return std::nullopt;
    padding.low.push_back(-shifted->by);
  }
  // The conditions are that all indices are inside, no more and no less.
  SmallVector<bool> isAbove(source.getRank(), false),
      isBelow(source.getRank(), false);
  SmallVector<Value> conditions;
  collectConditions(choice.getCondition(), conditions);
  for (Value condition : conditions) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    std::optional<Shifted> shifted;
    std::optional<int64_t> bound;
    if (compare) {
      shifted = shiftedIndex(compare.getLhs());
      bound = constantOf(compare.getRhs());
    }
    if (!shifted || !bound)
      return std::nullopt;
    // In terms of the index of the source.
    *bound -= shifted->by + padding.low[shifted->dim];
    if (compare.getPredicate() == arith::CmpIPredicate::sge && *bound == 0)
      isAbove[shifted->dim] = true;
    else if (compare.getPredicate() == arith::CmpIPredicate::slt &&
             *bound == source.getDimSize(shifted->dim))
      isBelow[shifted->dim] = true;
    else
      return std::nullopt;
  }
  for (int64_t d = 0; d < source.getRank(); ++d)
    if ((!isAbove[d] && padding.low[d] > 0) ||
        (!isBelow[d] &&
         result.getDimSize(d) - padding.low[d] > source.getDimSize(d)))
      return std::nullopt;
  return padding;
}

std::optional<Padding> fusion::matchPadding(Value value) {
  return matchPadding(value.getDefiningOp<linalg::LinalgOp>());
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// Adds the digits of a sum. Returns false if the expression is no such sum.
static bool collectDigits(AffineExpr expr, int64_t coefficient,
                          ArrayRef<int64_t> extents,
                          SmallVectorImpl<Digit> &digits) {
  auto constantPart = [](AffineExpr part) -> std::optional<int64_t> {
    if (auto constant = dyn_cast<AffineConstantExpr>(part))
      return constant.getValue();
    return std::nullopt;
  };
  if (std::optional<int64_t> constant = constantPart(expr))
    return *constant == 0;
  Digit digit{0};
  digit.coefficient = coefficient;
  AffineExpr rest = expr;
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(rest)) {
    std::optional<int64_t> right = constantPart(binary.getRHS());
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return collectDigits(binary.getLHS(), coefficient, extents, digits) &&
             collectDigits(binary.getRHS(), coefficient, extents, digits);
    case AffineExprKind::Mul:
      return right && *right > 0 &&
             collectDigits(binary.getLHS(), coefficient * *right, extents,
                           digits);
    case AffineExprKind::Mod:
      if (!right || *right <= 0)
        return false;
      digit.period = *right;
      rest = binary.getLHS();
      break;
    case AffineExprKind::FloorDiv:
      break;
    default:
      return false;
    }
  }
  if (auto quotient = dyn_cast<AffineBinaryOpExpr>(rest)) {
    std::optional<int64_t> right = constantPart(quotient.getRHS());
    if (quotient.getKind() != AffineExprKind::FloorDiv || !right || *right <= 0)
      return false;
    digit.divisor = *right;
    rest = quotient.getLHS();
  }
  auto loop = dyn_cast<AffineDimExpr>(rest);
  if (!loop)
    return false;
  digit.axis = loop.getPosition();
  int64_t extent = extents[digit.axis];
  // Digits of a number are independent of each other where each has all of its
  // values as often.
  if (ShapedType::isDynamic(extent) || extent % digit.divisor != 0)
    return false;
  digit.count = extent / digit.divisor;
  if (digit.period) {
    if (digit.count % digit.period != 0)
      return false;
    digit.count = digit.period;
  }
  digits.push_back(digit);
  return true;
}

std::optional<SmallVector<SmallVector<Digit, 2>>>
fusion::matchDigits(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<SmallVector<Digit, 2>> result;
  if (map.getNumSymbols() != 0)
    return std::nullopt;
  for (AffineExpr expr : map.getResults())
    if (!collectDigits(expr, 1, extents, result.emplace_back()))
      return std::nullopt;
  SmallVector<Digit> all;
  for (const auto &digits : result)
    llvm::append_range(all, digits);
  for (unsigned a = 0; a < all.size(); ++a)
    for (unsigned b = a + 1; b < all.size(); ++b) {
      auto end = [](const Digit &digit) { return digit.divisor * digit.count; };
      if (all[a].axis == all[b].axis && all[a].divisor < end(all[b]) &&
          all[b].divisor < end(all[a]) && all[a].count > 1 && all[b].count > 1)
        return std::nullopt;
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

std::optional<ContractionLoops>
fusion::inferContractionLoops(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ContractionLoops loops;
  auto kinds = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool inFirst = maps[0].isFunctionOfDim(loop),
         inSecond = maps[1].isFunctionOfDim(loop),
         inResult = maps[2].isFunctionOfDim(loop);
    if (inResult != (kinds[loop] == utils::IteratorType::parallel))
      return std::nullopt;
    if (inResult)
      (inFirst && inSecond ? loops.batch
       : inFirst           ? loops.m
       : inSecond          ? loops.n
                           : loops.repeated)
          .push_back(loop);
    else if (inFirst && inSecond)
      loops.k.push_back(loop);
    else
      return std::nullopt;
  }
  return loops;
}

/// Whether the body adds the product of its two inputs, which it may extend, to
/// the accumulator.
static bool multipliesAndAdds(linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  auto inputOf = [&](Value value) -> std::optional<unsigned> {
    while (Operation *extension = value.getDefiningOp()) {
      if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(extension))
        return std::nullopt;
      value = extension->getOperand(0);
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() != &block)
      return std::nullopt;
    return argument.getArgNumber();
  };
  Operation *sum = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  for (unsigned side : {0u, 1u}) {
    Operation *product = sum->getOperand(side).getDefiningOp();
    if (sum->getOperand(1 - side) != block.getArgument(2) ||
        !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
      continue;
    std::optional<unsigned> a = inputOf(product->getOperand(0)),
                            c = inputOf(product->getOperand(1));
    if (a && c && *a + *c == 1)
      return true;
  }
  return false;
}

/// Whether a convolution is a matrix multiplication: rows of its input, columns
/// of its filter. With groups, a single channel of the result in each group is
/// no column.
static bool isOfMatrices(linalg::LinalgOp op, const ContractionLoops &loops) {
  if (loops.m.empty() || loops.n.empty() || !loops.repeated.empty())
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto count = [&](ArrayRef<unsigned> list) {
    int64_t points = 1;
    for (unsigned loop : list)
      points *= ranges[loop];
    return points;
  };
  bool isFilterFirst =
      op.getIndexingMapsArray().front().isProjectedPermutation();
  return count(loops.batch) == 1 ||
         count(isFilterFirst ? loops.m : loops.n) > 1;
}

bool fusion::isConvolution(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.hasDynamicShape() || !op.hasPureTensorSemantics())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[2].isProjectedPermutation() ||
      maps[0].isProjectedPermutation() == maps[1].isProjectedPermutation())
    return false;
  AffineMap window = maps[maps[0].isProjectedPermutation() ? 1 : 0];
  std::optional<ContractionLoops> loops = inferContractionLoops(op);
  return loops && !loops->k.empty() && isOfMatrices(op, *loops) &&
         matchDigits(window, op.getStaticLoopRanges()) && multipliesAndAdds(op);
}

std::optional<std::string> fusion::whyNoContraction(linalg::LinalgOp op) {
  if (isConvolution(op) || op.getNumReductionLoops() == 0)
    return std::nullopt;
  bool isNamed = isa<linalg::ConvolutionOpInterface>(op.getOperation()),
       multiplies = !op.getBlock()->getOps<arith::MulFOp>().empty() ||
                    !op.getBlock()->getOps<arith::MulIOp>().empty();
  bool hasWindow = llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return !map.isProjectedPermutation();
  });
  if (!(isNamed || hasWindow) || !multiplies)
    return std::nullopt;
  if (op.getNumDpsInputs() != 2 || !multipliesAndAdds(op))
    return "the convolution computes more than sums of products";
  if (op.hasDynamicShape())
    return "sizes of the convolution are known at run time only";
  std::optional<ContractionLoops> loops = inferContractionLoops(op);
  if (loops && !isOfMatrices(op, *loops))
    return "no loop of the convolution is in the filter and the result alone, "
           "so that it is no matmul";
  return "the convolution's window is no sum of loops";
}

bool fusion::readsThroughWindow(OpOperand &operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return !op.getMatchingIndexingMap(&operand).isProjectedPermutation() ||
         (!op.hasDynamicShape() && matchPadding(operand.get()));
}

TensorWindow fusion::describeWindow(OpOperand &operand, ArrayRef<unsigned> axes,
                                    ArrayRef<int64_t> extents) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto indices = *matchDigits(op.getMatchingIndexingMap(&operand), ranges);
  std::optional<Padding> padding = matchPadding(operand.get());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(
          (padding ? padding->source : operand.get()).getType())
          .getShape();
  TensorWindow window;
  window.moved = window.touched = 1;
  // Values of the axes' digits that the window does not have.
  llvm::SmallDenseMap<unsigned, int64_t> rest;
  for (auto [d, digits] : llvm::enumerate(indices)) {
    TensorWindow::Index &index = window.indices.emplace_back();
    index.first = padding ? -padding->low[d] : 0;
    index.size = shape[d];
    // By index, how many combinations of digits have it.
    SmallVector<int64_t> counts{1};
    for (Digit digit : digits) {
      unsigned loop = digit.axis;
      digit.axis = axes[loop];
      rest.try_emplace(digit.axis, ranges[loop]).first->second /= digit.count;
      SmallVector<int64_t> next(
          counts.size() + digit.coefficient * (digit.count - 1), 0);
      for (auto [at, count] : llvm::enumerate(counts))
        for (int64_t value = 0; value < digit.count; ++value)
          next[at + digit.coefficient * value] += count;
      counts = std::move(next);
      index.digits.push_back(digit);
    }
    int64_t moved = 0, touched = 0;
    for (auto [at, count] : llvm::enumerate(counts)) {
      int64_t place = index.first + static_cast<int64_t>(at);
      if (place < 0 || place >= index.size)
        continue;
      moved += count;
      touched += count != 0;
    }
    window.moved *= moved;
    window.touched *= touched;
  }
  for (auto [axis, count] : rest)
    window.moved *= count;
  return window;
}

WindowAxes fusion::orderWindowAxes(const TensorWindow &window,
                                   unsigned elementBytes) {
  WindowAxes result;
  // Side by side lie elements along the last digit of an axis, where it indexes
  // the last dimension in steps of one.
  const Digit *run = nullptr;
  for (const Digit &digit : window.indices.back().digits)
    if (digit.divisor == 1 && digit.coefficient == 1 &&
        (!run || digit.count > run->count))
      run = &digit;
  auto add = [&](unsigned axis) {
    if (!llvm::is_contained(result.axes, axis) && (!run || axis != run->axis))
      result.axes.push_back(axis);
  };
  // Everything else moves the place by multiples of these.
  int64_t step = run ? run->count : 1, stride = 1;
  for (const TensorWindow::Index &index : llvm::reverse(window.indices)) {
    for (const Digit &digit : index.digits)
      if (&digit != run && digit.count > 1)
        step = std::gcd(step, digit.coefficient * stride);
    step = std::gcd(step, std::abs(index.first) * stride);
    stride *= index.size;
    step = std::gcd(step, stride);
  }
  for (const TensorWindow::Index &index : window.indices)
    for (const Digit &digit : index.digits)
      add(digit.axis);
  if (!run)
    return result;
  result.axes.push_back(run->axis);
  uint64_t bytes = step * elementBytes;
  result.alignment = std::min<uint64_t>(16, bytes & -bytes);
  return result;
}
