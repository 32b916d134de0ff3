//===- StitchIndices.cpp - Places that operators read and write -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchIndices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace fusion;

/// Sizes of tensors have at most 48 bits: sums of these do not wrap.
static std::optional<int64_t> readConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 48)
    return std::nullopt;
  return constant.getSExtValue();
}

std::optional<LoopLinear> fusion::readLinear(Value index) {
  LoopLinear result;
  if (std::optional<int64_t> constant = readConstant(index)) {
    result.constant = *constant;
    return result;
  }
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto loop = dyn_cast<linalg::IndexOp>(op)) {
    result.terms.push_back({static_cast<unsigned>(loop.getDim()), 1});
    return result;
  }
  // Slices of stride one.
  if (isa<arith::FloorDivSIOp, arith::DivSIOp>(op) &&
      readConstant(op->getOperand(1)) == 1)
    return readLinear(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LoopLinear> a = readLinear(op->getOperand(0)),
                            b = readLinear(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (!a->terms.empty())
      std::swap(a, b);
    if (!a->terms.empty())
      return std::nullopt;
    int64_t factor = a->constant;
    if (llvm::MulOverflow(b->constant, factor, b->constant))
      return std::nullopt;
    for (auto &term : b->terms)
      if (llvm::MulOverflow(term.second, factor, term.second))
        return std::nullopt;
    return b;
  }
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  a->constant += sign * b->constant;
  for (auto [loop, coefficient] : b->terms) {
    auto *known = llvm::find_if(
        a->terms, [&, loop = loop](auto &term) { return term.first == loop; });
    if (known == a->terms.end())
      a->terms.push_back({loop, sign * coefficient});
    else
      known->second += sign * coefficient;
  }
  llvm::erase_if(a->terms, [](auto &term) { return term.second == 0; });
  return a;
}

std::optional<ElementRead> fusion::readPlace(tensor::ExtractOp extract) {
  ElementRead read;
  for (Value index : extract.getIndices()) {
    // `select inside, index, 0` keeps a guarded access inside of its tensor.
    auto select = index.getDefiningOp<arith::SelectOp>();
    if (select && readConstant(select.getFalseValue()) == 0 &&
        (!read.guard || read.guard == select.getCondition())) {
      read.guard = select.getCondition();
      index = select.getTrueValue();
    }
    std::optional<LoopLinear> linear = readLinear(index);
    if (!linear)
      return std::nullopt;
    read.indices.push_back(*linear);
  }
  if (!read.guard)
    return read;
  for (OpOperand &use : extract->getUses()) {
    auto select = dyn_cast<arith::SelectOp>(use.getOwner());
    if (!select || select.getCondition() != read.guard ||
        use.getOperandNumber() != 1)
      return std::nullopt;
  }
  return read;
}

/// Intersects a box with a conjunction of bounds of loops.
static bool intersect(LoopBox &box, Value condition) {
  APInt known;
  if (matchPattern(condition, m_ConstantInt(&known))) {
    if (known.isZero())
      box.assign(box.size(), {0, 0});
    return true;
  }
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return intersect(box, both.getLhs()) && intersect(box, both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  std::optional<LoopLinear> a = readLinear(compare.getLhs()),
                            b = readLinear(compare.getRhs());
  if (a && b && compare.getPredicate() == arith::CmpIPredicate::eq &&
      a->terms == b->terms && a->constant == b->constant)
    return true;
  if (!a || !b || a->terms.size() != 1 || a->terms.front().second != 1 ||
      !b->terms.empty())
    return false;
  auto &range = box[a->terms.front().first];
  int64_t bound = b->constant - a->constant;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    range.second = std::min(range.second, bound);
    return true;
  case arith::CmpIPredicate::sle:
    range.second = std::min(range.second, bound + 1);
    return true;
  case arith::CmpIPredicate::sge:
    range.first = std::max(range.first, bound);
    return true;
  case arith::CmpIPredicate::sgt:
    range.first = std::max(range.first, bound + 1);
    return true;
  default:
    return false;
  }
}

static bool isEmpty(const LoopBox &box) {
  return llvm::any_of(box,
                      [](auto &range) { return range.first >= range.second; });
}

/// Returns a box without a part of it, or nullopt if the rest is no box.
static std::optional<LoopBox> without(const LoopBox &box, const LoopBox &part) {
  if (isEmpty(part))
    return box;
  LoopBox rest = box;
  bool isCut = false;
  for (auto [range, cut] : llvm::zip_equal(rest, part)) {
    if (range == cut)
      continue;
    if (isCut || (cut.first != range.first && cut.second != range.second))
      return std::nullopt;
    isCut = true;
    range = cut.first == range.first ? std::make_pair(cut.second, range.second)
                                     : std::make_pair(range.first, cut.first);
  }
  if (!isCut)
    rest.assign(rest.size(), {0, 0});
  return rest;
}

namespace {

class PlacementReader {
public:
  explicit PlacementReader(llvm::function_ref<bool(Value)> isInside)
      : isInside(isInside) {}

  SmallVector<PlacedPart> parts;

  /// Collects the parts that the points of `box` of `op` read, with `guards`
  /// known to hold. Returns false if they read anything else.
  bool read(linalg::LinalgOp op, Value scalar, const LoopBox &box,
            SmallVector<Value> guards) {
    if (isEmpty(box))
      return true;
    if (auto select = scalar.getDefiningOp<arith::SelectOp>()) {
      LoopBox holds = box;
      if (!intersect(holds, select.getCondition()))
        return false;
      std::optional<LoopBox> rest = without(box, holds);
      SmallVector<Value> inside = guards;
      inside.push_back(select.getCondition());
      return rest && read(op, select.getTrueValue(), holds, inside) &&
             read(op, select.getFalseValue(), *rest, guards);
    }
    PlacedPart part;
    part.box = box;
    auto note = [&](Value source, ArrayRef<LoopLinear> indices) {
      part.source = source;
      llvm::SmallBitVector isTaken(box.size());
      for (const LoopLinear &index : indices)
        if (!index.terms.empty()) {
          auto [loop, factor] = index.terms.front();
          if (index.terms.size() != 1 || factor != 1 || isTaken[loop])
            return false;
          isTaken.set(loop);
        }
      for (const LoopLinear &index : indices) {
        if (!index.terms.empty()) {
          part.loops.push_back(index.terms.front().first);
          part.offsets.push_back(index.constant);
          continue;
        }
        // The number of the only iteration of a loop is a constant.
        unsigned loop = 0;
        while (loop < box.size() &&
               (isTaken[loop] || box[loop].second - box[loop].first != 1))
          ++loop;
        if (loop == box.size())
          return false;
        isTaken.set(loop);
        part.loops.push_back(loop);
        part.offsets.push_back(index.constant - box[loop].first);
      }
      return part.loops.size() == box.size();
    };
    if (auto extract = scalar.getDefiningOp<tensor::ExtractOp>()) {
      std::optional<ElementRead> place = readPlace(extract);
      if (!place ||
          (place->guard && !llvm::is_contained(guards, place->guard)) ||
          !note(extract.getTensor(), place->indices))
        return false;
    } else if (auto argument = dyn_cast<BlockArgument>(scalar)) {
      if (argument.getOwner() != op.getBlock())
        return false;
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (op.isDpsInit(&operand) || !map.isPermutation())
        return false;
      SmallVector<LoopLinear> indices;
      for (AffineExpr expr : map.getResults())
        indices.push_back({{{cast<AffineDimExpr>(expr).getPosition(), 1}}, 0});
      if (!note(operand.get(), indices))
        return false;
    } else {
      return false;
    }
    return add(part);
  }

private:
  bool add(PlacedPart part) {
    if (!isInside(part.source))
      return false;
    auto inner = part.source.getDefiningOp<linalg::LinalgOp>();
    // A placement within a placement: its points are points of the outer one.
    if (!isPlacement(inner)) {
      parts.push_back(std::move(part));
      return true;
    }
    for (auto [loop, offset] : llvm::zip_equal(part.loops, part.offsets))
      if (offset != 0)
        return false;
    LoopBox box;
    for (unsigned loop : part.loops)
      box.push_back(part.box[loop]);
    // Loops of the inner operator are dimensions of its result.
    if (!inner.getMatchingIndexingMap(inner.getDpsInitOperand(0)).isIdentity())
      return false;
    size_t first = parts.size();
    if (!read(inner, inner.getBlock()->getTerminator()->getOperand(0), box, {}))
      return false;
    for (PlacedPart &nested : llvm::MutableArrayRef(parts).drop_front(first)) {
      LoopBox outer(nested.box.size());
      for (auto [d, range] : llvm::enumerate(nested.box))
        outer[part.loops[d]] = range;
      nested.box = outer;
      for (unsigned &loop : nested.loops)
        loop = part.loops[loop];
    }
    return true;
  }

  static bool isPlacement(linalg::LinalgOp op) {
    return op && op.getNumLoops() == op.getNumParallelLoops() &&
           op.getNumDpsInits() == 1 &&
           isa_and_nonnull<arith::SelectOp>(
               op.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
  }

  llvm::function_ref<bool(Value)> isInside;
};

} // namespace

std::optional<SmallVector<PlacedPart>>
fusion::readPlacement(linalg::LinalgOp op,
                      llvm::function_ref<bool(Value)> isInside) {
  Operation *yield = op.getBlock()->getTerminator();
  if (yield->getNumOperands() != 1 ||
      !yield->getOperand(0).getDefiningOp<arith::SelectOp>() ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  LoopBox whole;
  for (int64_t extent : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    whole.push_back({0, extent});
  }
  PlacementReader reader(isInside);
  if (!reader.read(op, yield->getOperand(0), whole, {}))
    return std::nullopt;
  return std::move(reader.parts);
}
