//===- ChainCoordinates.cpp - Which tiles a block works on ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps the number of a block to the tiles that it computes, the ranges of its
// loops, and views of its tensors.
//
//===----------------------------------------------------------------------===//

#include "ChainCoordinates.h"
#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

ChainCoordinates::ChainCoordinates(const GroupAxes &axes, Schedule &schedule,
                                   KernelBuilder &kernel, const Location &loc)
    : axes(axes), model(axes.model), schedule(schedule), kernel(kernel),
      b(kernel.builder()), loc(loc), shortened(shortenedLoop(model, schedule)) {
}

int64_t ChainCoordinates::trips(unsigned axis) const {
  return tripCount(model.axes[axis], schedule.tiles[axis]);
}

std::pair<Value, Value> ChainCoordinates::emitBlockSwizzle(Value number,
                                                           int64_t rows,
                                                           int64_t columns) {
  int64_t width = schedule.blockSwizzle;
  Value perColumn = kernel.constant(width * rows);
  Value column = arith::DivUIOp::create(b, loc, number, perColumn);
  Value within = arith::RemUIOp::create(b, loc, number, perColumn);
  Value first = arith::MulIOp::create(b, loc, column, kernel.constant(width));
  Value wide = kernel.constant(width);
  if (columns % width != 0) {
    Value rest = arith::SubIOp::create(b, loc, kernel.constant(columns), first);
    wide = arith::MinUIOp::create(b, loc, wide, rest);
  }
  Value row = arith::DivUIOp::create(b, loc, within, wide);
  Value inside = arith::RemUIOp::create(b, loc, within, wide);
  return {row, arith::AddIOp::create(b, loc, first, inside)};
}

std::optional<std::pair<unsigned, bool>> ChainCoordinates::lengthAxis() const {
  if (!shortened || shortened->others.size() != 1 ||
      !schedule.isBlockAxis(shortened->others.front()))
    return std::nullopt;
  std::vector<UnmaskedTiles> visited =
      listUnmaskedTiles(model, schedule, *shortened);
  bool grows = visited.front().iterations < visited.back().iterations;
  return std::make_pair(shortened->others.front(), grows);
}

void ChainCoordinates::setBlock(llvm::function_ref<Value()> number) {
  origins.assign(model.axes.size(), kernel.constant(0));
  inductions = origins;
  std::optional<unsigned> split = schedule.splitAxis();
  if (schedule.blocks.empty() && !split)
    return;
  Value rest = number();
  auto takeDigit = [&](int64_t count, bool isSlowest) {
    if (isSlowest)
      return rest;
    Value radix = kernel.constant(count);
    Value digit = arith::RemUIOp::create(b, loc, rest, radix);
    rest = arith::DivUIOp::create(b, loc, rest, radix);
    return digit;
  };
  auto setTile = [&](unsigned axis, Value number) {
    origins[axis] = arith::MulIOp::create(
        b, loc, number, kernel.constant(schedule.tiles[axis]));
  };
  SmallVector<unsigned> digits(schedule.blocks.begin(), schedule.blocks.end());
  bool isPartSlowest = split && !schedule.splitInCluster;
  if (schedule.splitInCluster)
    splitNumber = takeDigit(schedule.splitOf(*split), digits.empty());
  std::optional<std::pair<unsigned, bool>> lengths;
  if (schedule.persistent && schedule.blockSwizzle == 1)
    lengths = lengthAxis();
  Value inCluster;
  if (lengths) {
    if (schedule.cluster > 1 && digits.back() == lengths->first)
      inCluster = takeDigit(schedule.cluster, /*isSlowest=*/false);
    llvm::erase(digits, lengths->first);
    digits.insert(digits.begin(), lengths->first);
  }
  if (schedule.blockSwizzle > 1) {
    unsigned fast = digits.pop_back_val(), slow = digits.pop_back_val();
    Value number =
        takeDigit(trips(slow) * trips(fast), digits.empty() && !isPartSlowest);
    auto [row, column] = emitBlockSwizzle(number, trips(slow), trips(fast));
    setTile(slow, row);
    setTile(fast, column);
  }
  while (!digits.empty()) {
    unsigned axis = digits.pop_back_val();
    bool isOfLengths = lengths && lengths->first == axis;
    Value digit = takeDigit(
        isOfLengths && inCluster ? trips(axis) / schedule.cluster : trips(axis),
        digits.empty() && !isPartSlowest);
    if (isOfLengths && inCluster)
      digit = arith::AddIOp::create(
          b, loc, inCluster,
          arith::MulIOp::create(b, loc, digit,
                                kernel.constant(schedule.cluster)));
    if (isOfLengths && lengths->second)
      digit = arith::SubIOp::create(b, loc, kernel.constant(trips(axis) - 1),
                                    digit);
    setTile(axis, digit);
  }
  if (!split)
    return;
  if (isPartSlowest)
    splitNumber = rest;
  int64_t length =
      sequentialTrips(model, schedule, *split) * schedule.tiles[*split];
  origins[*split] =
      arith::MulIOp::create(b, loc, splitNumber, kernel.constant(length));
}

Value ChainCoordinates::emitPointer(unsigned tensor) {
  auto *result = llvm::find(axes.resultTensors, tensor);
  return result != axes.resultTensors.end()
             ? kernel.resultPointer(result - axes.resultTensors.begin())
             : kernel.argument(axes.values[tensor]);
}

Value ChainCoordinates::emitView(unsigned tensor, ArrayRef<unsigned> tileAxes) {
  const GroupTensor &info = model.tensors[tensor];
  Value pointer = emitPointer(tensor);
  if (info.window)
    return emitWindow(tensor, pointer, tileAxes);
  SmallVector<int64_t> strides(info.axes.size(), 1);
  for (unsigned d = info.axes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * model.axes[info.axes[d]].extent;

  Value offset = kernel.constant(0);
  if (splitNumber && !schedule.splitInCluster &&
      llvm::is_contained(axes.resultTensors, tensor)) {
    // The split is the slowest dimension.
    int64_t elements = 1;
    for (unsigned axis : info.axes)
      elements *= model.axes[axis].extent;
    offset =
        arith::MulIOp::create(b, loc, splitNumber, kernel.constant(elements));
  }
  for (auto [axis, stride] : llvm::zip_equal(info.axes, strides)) {
    if (llvm::is_contained(tileAxes, axis) || trips(axis) == 1)
      continue;
    Value step =
        arith::MulIOp::create(b, loc, origins[axis], kernel.constant(stride));
    offset = arith::AddIOp::create(b, loc, offset, step);
  }
  SmallVector<Value> sizeValues, strideValues;
  int64_t unit = -1;
  for (auto [d, axis] : llvm::enumerate(tileAxes)) {
    int64_t stride = strides[llvm::find(info.axes, axis) - info.axes.begin()];
    if (axis == info.axes.back())
      unit = d;
    sizeValues.push_back(kernel.constant(model.axes[axis].extent));
    strideValues.push_back(kernel.constant(stride));
  }
  auto elementType = cast<tile::PtrType>(pointer.getType()).getElementType();
  int64_t alignment =
      unit >= 0 ? info.alignment : std::min<int64_t>(16, info.elementBytes);
  auto type = tile::ViewType::get(b.getContext(), tileAxes.size(), elementType,
                                  unit, alignment);
  return tile::ViewOp::create(b, loc, type, pointer, offset, sizeValues,
                              strideValues);
}

Value ChainCoordinates::emitWindow(unsigned tensor, Value pointer,
                                   ArrayRef<unsigned> tileAxes) {
  const GroupTensor &info = model.tensors[tensor];
  SmallVector<unsigned> fixed;
  SmallVector<Value> symbols, sizes;
  for (unsigned axis : info.axes)
    if (!llvm::is_contained(tileAxes, axis)) {
      fixed.push_back(axis);
      symbols.push_back(origins[axis]);
    }
  for (unsigned axis : tileAxes)
    sizes.push_back(kernel.constant(model.axes[axis].extent));
  auto indexOf = [&](unsigned axis) {
    auto *at = llvm::find(tileAxes, axis);
    return at != tileAxes.end()
               ? b.getAffineDimExpr(at - tileAxes.begin())
               : b.getAffineSymbolExpr(llvm::find(fixed, axis) - fixed.begin());
  };
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape, bounded;
  for (auto [d, index] : llvm::enumerate(info.window->indices)) {
    AffineExpr sum = b.getAffineConstantExpr(index.first);
    for (const TensorWindow::Digit &digit : index.digits) {
      if (digit.count == 1)
        continue;
      AffineExpr value = indexOf(digit.axis);
      if (digit.divisor != 1)
        value = value.floorDiv(digit.divisor);
      if (digit.period != 0 &&
          digit.divisor * digit.period != model.axes[digit.axis].extent)
        value = value % digit.period;
      sum = sum + value * digit.coefficient;
    }
    exprs.push_back(sum);
    shape.push_back(index.size);
    if (index.leaves())
      bounded.push_back(d);
  }
  auto elementType = cast<tile::PtrType>(pointer.getType()).getElementType();
  auto *unitAt = llvm::find(tileAxes, info.axes.back());
  bool isDense = info.alignment != 0 && unitAt != tileAxes.end();
  auto type = tile::ViewType::get(
      b.getContext(), tileAxes.size(), elementType,
      isDense ? unitAt - tileAxes.begin() : -1,
      isDense ? info.alignment : std::min<int64_t>(16, info.elementBytes));
  return tile::WindowOp::create(
      b, loc, type, pointer, symbols, sizes,
      AffineMap::get(tileAxes.size(), fixed.size(), exprs, b.getContext()),
      shape, bounded);
}

Value ChainCoordinates::emitBoxView(unsigned tensor,
                                    ArrayRef<unsigned> tileAxes) {
  const GroupTensor &info = model.tensors[tensor];
  SmallVector<Value> symbols, sizes;
  SmallVector<AffineExpr> exprs;
  SmallVector<int64_t> shape;
  for (unsigned axis : info.axes) {
    auto *inTile = llvm::find(tileAxes, axis);
    int64_t extent = model.axes[axis].extent;
    if (inTile == tileAxes.end() && extent == 1)
      continue;
    shape.push_back(extent);
    if (inTile != tileAxes.end()) {
      exprs.push_back(b.getAffineDimExpr(inTile - tileAxes.begin()));
      continue;
    }
    exprs.push_back(b.getAffineSymbolExpr(symbols.size()));
    symbols.push_back(origins[axis]);
  }
  for (unsigned axis : tileAxes)
    sizes.push_back(kernel.constant(model.axes[axis].extent));
  Value pointer = emitPointer(tensor);
  auto type = tile::ViewType::get(
      b.getContext(), tileAxes.size(),
      cast<tile::PtrType>(pointer.getType()).getElementType(),
      llvm::find(tileAxes, info.axes.back()) - tileAxes.begin(),
      info.alignment);
  return tile::WindowOp::create(
      b, loc, type, pointer, symbols, sizes,
      AffineMap::get(tileAxes.size(), symbols.size(), exprs, b.getContext()),
      shape, /*bounded=*/ArrayRef<int64_t>());
}

SmallVector<Value>
ChainCoordinates::originsOf(ArrayRef<unsigned> tileAxes) const {
  SmallVector<Value> result;
  for (unsigned axis : tileAxes)
    result.push_back(origins[axis]);
  return result;
}

bool ChainCoordinates::tilesLieInside(unsigned axis) const {
  int64_t tile = sharedTile && sharedTile->first == axis ? sharedTile->second
                                                         : schedule.tiles[axis];
  return !model.axes[axis].isDynamic && model.axes[axis].extent % tile == 0 &&
         !hasEmptySplits(model, schedule, axis);
}

DenseBoolArrayAttr
ChainCoordinates::inBounds(ArrayRef<unsigned> tileAxes) const {
  SmallVector<bool> flags;
  for (unsigned axis : tileAxes)
    flags.push_back(tilesLieInside(axis));
  return b.getDenseBoolArrayAttr(flags);
}

RankedTensorType ChainCoordinates::tileType(ArrayRef<unsigned> tileAxes,
                                            Type elementType) const {
  SmallVector<int64_t> shape;
  for (unsigned axis : tileAxes)
    shape.push_back(schedule.tiles[axis]);
  return RankedTensorType::get(shape, elementType);
}

namespace {

/// Index values of the program, for the current block.
struct ProgramNumbers {
  using Value = mlir::Value;
  OpBuilder &b;
  Location loc;
  const GroupModel &model;
  const Schedule &schedule;
  ArrayRef<mlir::Value> origins;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value first(unsigned axis) {
    int64_t range = rangeOfCluster(schedule, axis);
    if (range == schedule.tiles[axis])
      return origins[axis];
    return b.createOrFold<arith::SubIOp>(
        loc, origins[axis],
        b.createOrFold<arith::RemUIOp>(loc, origins[axis], constant(range)));
  }
  Value last(unsigned axis) {
    int64_t extent = model.axes[axis].extent,
            tile = rangeOfCluster(schedule, axis);
    if (tile >= extent)
      return constant(extent - 1);
    Value end = add(first(axis), constant(tile));
    if (extent % tile != 0)
      end = min(end, constant(extent));
    return add(end, constant(-1));
  }
  Value add(Value a, Value c) {
    return b.createOrFold<arith::AddIOp>(loc, a, c);
  }
  Value scale(Value a, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(loc, a, constant(factor));
  }
  Value floorDiv(Value a, int64_t divisor) {
    if (divisor == 1)
      return a;
    // Division truncates towards zero: subtract one if the remainder is
    // negative.
    Value by = constant(divisor);
    Value left = b.createOrFold<arith::RemSIOp>(loc, a, by);
    return add(b.createOrFold<arith::DivSIOp>(loc, a, by),
               b.createOrFold<arith::ShRSIOp>(loc, left, constant(63)));
  }
  Value min(Value a, Value c) {
    return b.createOrFold<arith::MinSIOp>(loc, a, c);
  }
  Value max(Value a, Value c) {
    return b.createOrFold<arith::MaxSIOp>(loc, a, c);
  }
};

} // namespace

std::pair<Value, Value> ChainCoordinates::emitLoopRange(unsigned axis) {
  int64_t extent = model.axes[axis].extent;
  if (shortened && shortened->masked->axis == axis) {
    ProgramNumbers numbers{b, loc, model, schedule, origins};
    const MaskPredicate &where = *shortened->masked->where;
    Value begin = maskBound(where, axis, extent, /*after=*/false, numbers);
    Value end = maskBound(where, axis, extent, /*after=*/true, numbers);
    // The loop begins at a multiple of the tile size.
    Value tile = kernel.constant(schedule.tiles[axis]);
    begin = b.createOrFold<arith::MulIOp>(
        loc, b.createOrFold<arith::DivUIOp>(loc, begin, tile), tile);
    if (schedule.splitOf(axis) > 1) {
      // Intersects the range with the block's split.
      Value first = origins[axis];
      int64_t length =
          sequentialTrips(model, schedule, axis) * schedule.tiles[axis];
      begin = numbers.max(begin, first);
      end = numbers.min(end, numbers.add(first, kernel.constant(length)));
      end = numbers.max(end, begin);
    }
    return {begin, b.createOrFold<arith::SubIOp>(loc, end, begin)};
  }
  Value begin = origins[axis];
  if (schedule.splitOf(axis) == 1)
    return {begin, kernel.constant(extent)};
  int64_t length =
      sequentialTrips(model, schedule, axis) * schedule.tiles[axis];
  Value whole = kernel.constant(length);
  // Every range is full if the number of splits divides the trip count. A
  // partial last tile has an iteration as well.
  if (trips(axis) % schedule.splitOf(axis) == 0)
    return {begin, whole};
  Value rest = arith::SubIOp::create(b, loc, kernel.constant(extent), begin);
  return {begin, arith::MinSIOp::create(b, loc, whole, rest)};
}

bool ChainCoordinates::mayBeIdle(unsigned axis) const {
  if (!shortened || shortened->masked->axis != axis)
    return hasIdleSplits(model, schedule, axis);
  return schedule.splitOf(axis) > 1 ||
         llvm::any_of(listUnmaskedTiles(model, schedule, *shortened),
                      [](const UnmaskedTiles &visited) {
                        return visited.iterations == 0;
                      });
}

Value ChainCoordinates::slotNumber(const TileSlots &slots) const {
  if (!slots.isRetained())
    return kernel.constant(0);
  Value number;
  for (unsigned axis : slots.axes) {
    Value digit = arith::DivUIOp::create(b, loc, inductions[axis],
                                         kernel.constant(schedule.tiles[axis]));
    if (number) {
      number = arith::MulIOp::create(
          b, loc, number,
          kernel.constant(sequentialTrips(model, schedule, axis)));
      digit = arith::AddIOp::create(b, loc, number, digit);
    }
    number = digit;
  }
  return number;
}

void ChainCoordinates::shareTile(unsigned axis, int64_t rows) {
  sharedTile = {axis, schedule.tiles[axis]};
  schedule.tiles[axis] = rows;
  origins[axis] = arith::AddIOp::create(
      b, loc, origins[axis],
      arith::MulIOp::create(b, loc, splitNumber, kernel.constant(rows)));
}

void ChainCoordinates::emitLoop(unsigned axis, ArrayRef<Value *> carried,
                                llvm::function_ref<void()> emitBody) {
  SmallVector<Value> inits;
  for (Value *value : carried)
    inits.push_back(*value);
  Value outside = origins[axis];
  auto [begin, length] = emitLoopRange(axis);
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0), length,
                                 kernel.constant(schedule.tiles[axis]), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    origins[axis] = loop.getInductionVar();
    if (!matchPattern(begin, m_Zero()))
      origins[axis] = arith::AddIOp::create(b, loc, begin, origins[axis]);
    inductions[axis] = loop.getInductionVar();
    for (auto [value, argument] :
         llvm::zip_equal(carried, loop.getRegionIterArgs()))
      *value = argument;
    emitBody();
    SmallVector<Value> results;
    for (Value *value : carried)
      results.push_back(*value);
    b.setInsertionPointToEnd(loop.getBody());
    if (!results.empty())
      scf::YieldOp::create(b, loc, results);
    origins[axis] = outside;
    inductions[axis] = kernel.constant(0);
  }
  for (auto [value, result] : llvm::zip_equal(carried, loop.getResults()))
    *value = result;
}
