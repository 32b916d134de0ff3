//===- StitchBlocks.cpp - What the blocks of a stitched group do ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of the grid belongs to one component of the group and has a tile of
// each of its axes. If a reduction is split over blocks, the last block reduces
// the partial results (Analysis/Stitching/StitchSplit.h). The blocks of a cluster
// exchange theirs (Analysis/Stitching/StitchCluster.h).
//
//===----------------------------------------------------------------------===//

#include "StitchLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Support/CacheLine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

void StitchLowering::emitCoordinates(Value block) {
  Value rest = block;
  // The last axis is the fastest; the first takes the remaining number. Blocks
  // of a cluster are consecutive.
  SmallVector<unsigned> serialAxis;
  for (unsigned number = 0; number < group.axes.size(); ++number) {
    if (group.components[number] != component)
      continue;
    if (countTiles(group, schedule, number) > 1)
      serialAxis.push_back(number);
    else
      origins[number] = kernel.constant(0);
  }
  if (std::optional<unsigned> shared = clusterAxisOf(schedule))
    if (auto *at = llvm::find(serialAxis, *shared); at != serialAxis.end())
      std::rotate(at, at + 1, serialAxis.end());
  while (!serialAxis.empty()) {
    unsigned axis = serialAxis.pop_back_val();
    Value digit = rest;
    if (!serialAxis.empty()) {
      Value count = kernel.constant(countTiles(group, schedule, axis));
      digit = arith::RemUIOp::create(b, loc, rest, count);
      rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    digits[axis] = digit;
    origins[axis] = arith::MulIOp::create(
        b, loc, digit, kernel.constant(schedule.threadMapping[axis].tile));
  }
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (group.components[number] == component &&
        schedule.threadMapping[number].align > 1)
      alignOrigin(number, axis);
}

/// Moves the tiles of the axis so that they begin at an aligned address: by as
/// many elements as the row begins after one.
void StitchLowering::alignOrigin(unsigned number, const StitchAxis &axis) {
  Value place = kernel.constant(axis.rowOffset);
  for (auto [other, stride] : axis.rowStrides)
    place = arith::AddIOp::create(
        b, loc, place,
        arith::MulIOp::create(b, loc, origins[other], kernel.constant(stride)));
  Value rest = arith::AndIOp::create(
      b, loc, place, kernel.constant(schedule.threadMapping[number].align - 1));
  origins[number] = arith::SubIOp::create(b, loc, origins[number], rest);
}

/// Kernel packing: each component gets a range of the blocks.
void StitchLowering::emitComponents() {
  Value block = tile::ProgramIdOp::create(b, loc, b.getIndexType());
  unsigned count = 1 + *llvm::max_element(group.components);
  int64_t first = 0;
  for (unsigned number = 0; number < count; ++number) {
    int64_t beyond = first + countBlocks(group, schedule, number);
    Value own = block;
    if (first > 0)
      own = arith::SubIOp::create(b, loc, block, kernel.constant(first));
    if (number + 1 == count) {
      emitComponent(number, own);
      return;
    }
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        block, kernel.constant(beyond));
    auto branch = scf::IfOp::create(b, loc, isOwn, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    emitComponent(number, own);
    b.setInsertionPointToStart(branch.elseBlock());
    first = beyond;
  }
}

//===----------------------------------------------------------------------===//
// Reductions of a cluster
//===----------------------------------------------------------------------===//

/// Reserves the buffers of cluster reductions. They come first in shared
/// memory: other blocks of the cluster may be ahead and write to them.
void StitchLowering::reserveClusterParts() {
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    if (!isSharedInCluster(group, schedule, op))
      continue;
    loc = group.operators()[op]->getLoc();
    int64_t blocks = clusterSize(schedule),
            elements = countClusterPartial(group, schedule, op);
    clusterParts[op] = kernel.plainBuffer(
        loc, group.reductions[op]->combined.getType(), clusterStages(schedule),
        blocks, elements, tile::BufferSpace::Cluster);
  }
}

/// Combines the partial results of the cluster's blocks of a reduction. Returns
/// `part` if the cluster does not share the reduction.
Value StitchLowering::combineCluster(unsigned number, Value part) {
  Value parts = clusterParts.lookup(number);
  if (!parts)
    return part;
  Value stage;
  if (rowStep)
    stage = arith::RemUIOp::create(b, loc, rowStep,
                                   kernel.constant(clusterStages(schedule)));
  return tile::ClusterReduceOp::create(b, loc, part.getType(),
                                       group.reductions[number]->kind, part,
                                       parts, stage);
}

//===----------------------------------------------------------------------===//
// Split reductions
//===----------------------------------------------------------------------===//

/// Returns the window of partial results in the workspace, for a tile over
/// `axes`. The split axis numbers the partial results if a last block reads
/// several.
StitchLowering::Window StitchLowering::emitPartials(unsigned number,
                                                    AxisList axes,
                                                    const Parts &parts,
                                                    const Scope &scope) {
  Type element = group.reductions[number]->combined.getType();
  const StitchSplit::Round &round = split.rounds[parts.round];
  Value &pointer = workspaces[{number, parts.round}];
  bool ofAll = llvm::is_contained(axes, *split.axis);
  // Rows, along the last axis, begin at multiples of the widest access.
  int64_t bytes = StitchSplit::elementBytes(group, number),
          wide = std::max<int64_t>(1, kWidestAccess / bytes);
  std::optional<unsigned> nearest;
  for (unsigned axis : axes)
    if (axis != split.axis)
      nearest = axis;
  // Rows begin at cache lines if blocks discard the partial results.
  bool isOfLines = split.countPrivateLines(group, schedule, number) > 0;
  auto lengthOf = [&](unsigned axis) -> int64_t {
    int64_t extent = group.axes[axis].extent;
    return axis == nearest
               ? llvm::alignTo(extent, isOfLines ? kLineBytes / bytes : wide)
               : extent;
  };
  int64_t size = 1;
  for (unsigned axis : axes)
    if (axis != split.axis)
      size *= lengthOf(axis);
  if (!pointer)
    pointer = kernel.workspace(element, round.splits * size);
  SmallVector<Value> sizes(axes.size()), strides(axes.size());
  SmallVector<bool> flags(axes.size());
  Window window;
  window.coordinates.resize(axes.size());
  window.isRagged = nearest && group.axes[*nearest].extent % wide != 0;
  int64_t stride = 1, unit = -1;
  for (unsigned d = axes.size(); d-- > 0;) {
    unsigned axis = axes[d];
    if (axis == split.axis) {
      // Later partial results may still be being written.
      sizes[d] = parts.beyond;
      strides[d] = kernel.constant(size);
      window.coordinates[d] = parts.first;
      flags[d] = round.isEven() && round.most % round.step == 0;
      continue;
    }
    sizes[d] = kernel.constant(group.axes[axis].extent);
    strides[d] = kernel.constant(stride);
    window.coordinates[d] = originOf(axis, scope);
    flags[d] = isInside(axis, scope);
    if (axis == nearest)
      unit = d;
    stride *= lengthOf(axis);
  }
  Value offset = kernel.constant(0);
  if (!ofAll)
    offset = arith::MulIOp::create(b, loc, parts.first, kernel.constant(size));
  int64_t tile = nearest ? schedule.stepOf(*nearest).tile : 1;
  auto type = tile::ViewType::get(b.getContext(), axes.size(), element, unit,
                                  std::min(wide, tile & -tile) * bytes);
  window.view =
      tile::ViewOp::create(b, loc, type, pointer, offset, sizes, strides);
  window.inside = b.getDenseBoolArrayAttr(flags);
  return window;
}

/// Stores the block's partial result for the last block of a round.
void StitchLowering::storePartial(unsigned number, unsigned round, Value part,
                                  const Scope &scope) {
  loc = group.operators()[number]->getLoc();
  Window window = emitPartials(number, sorted(group.resultAxes(number)),
                               {round, part, Value()}, scope);
  tile::StoreOp::create(b, loc, scope.operators.lookup(number), window.view,
                        window.coordinates, /*vectorize=*/false, window.inside,
                        window.isRagged);
}

/// Reduces the partial results in order.
void StitchLowering::reducePartials(unsigned number, const Parts &parts,
                                    Scope &scope) {
  loc = group.operators()[number]->getLoc();
  const ReductionBody &reduction = *group.reductions[number];
  SmallVector<unsigned, 4> axes = group.resultAxes(number);
  axes.push_back(*split.axis);
  llvm::sort(axes);
  unsigned along = llvm::find(axes, *split.axis) - axes.begin();
  RankedTensorType type = tileType(axes, reduction.combined.getType());
  TypedAttr identity = reductionIdentity(b, loc, reduction);
  const StitchSplit::Round &round = split.rounds[parts.round];
  int64_t step = round.step;
  auto loadStep = [&](Value first) -> Value {
    Window window =
        emitPartials(number, axes, {parts.round, first, parts.beyond}, scope);
    Value tile = tile::LoadOp::create(
        b, loc, type, window.view, window.coordinates,
        /*predicate=*/Value(), window.inside, window.isRagged);
    if (round.isEven() && round.most % step == 0)
      return tile;
    Value bound = arith::SubIOp::create(b, loc, parts.beyond, first);
    return tile::MaskOp::create(b, loc, type, tile, bound, along,
                                arith::ConstantOp::create(b, loc, identity));
  };
  Value all;
  if (round.most <= step) {
    all = loadStep(parts.first);
  } else {
    Value start = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, identity));
    auto loop = scf::ForOp::create(
        b, loc, parts.first, parts.beyond, kernel.constant(step), start,
        [&](OpBuilder &inner, Location, Value first, ValueRange sums) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
          Value sum = arith::getReductionOp(reduction.kind, b, loc, sums[0],
                                            loadStep(first));
          scf::YieldOp::create(b, loc, sum);
        });
    all = loop.getResult(0);
  }
  scope.operators[number] = reduce(number, all, axes);
}

/// Discards partial results that have been reduced, so that they are not
/// written back to memory.
void StitchLowering::discardParts(unsigned number, const Parts &parts) {
  if (split.countPrivateLines(group, schedule, number) == 0)
    return;
  loc = group.operators()[number]->getLoc();
  SmallVector<unsigned, 4> axes = group.resultAxes(number);
  axes.push_back(*split.axis);
  llvm::sort(axes);
  Scope all;
  if (passes.axis)
    all.origin = origins[*passes.axis];
  Window window = emitPartials(number, axes, parts, all);
  int64_t ofLine = kLineBytes / StitchSplit::elementBytes(group, number);
  SmallVector<int64_t> shape;
  for (unsigned axis : axes) {
    if (axis == *split.axis) {
      shape.push_back(split.rounds[parts.round].most);
      continue;
    }
    int64_t tile =
        std::min(schedule.threadMapping[axis].tile, group.axes[axis].extent);
    shape.push_back(axis == split.nearestAxis(group, number)
                        ? llvm::alignTo(tile, ofLine)
                        : tile);
  }
  tile::DiscardOp::create(b, loc, window.view, window.coordinates, shape);
}

/// Emits a last block's work on partial results: of one step of the serial axis
/// if `ofSteps`, or of the operators outside of steps. The last block of a
/// group reduces the group's partial results to one; the last block of all
/// computes the operators that need the result.
void StitchLowering::emitLate(const Parts &parts, Value part, bool ofSteps,
                              Scope &scope) {
  auto isOfSteps = [&](unsigned op) {
    return passes.isSerial[op] && !passes.reducesAxis(op) &&
           schedule.serialLoop;
  };
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    if (isOfSteps(op) != ofSteps)
      continue;
    if (split.isPartial[op]) {
      reducePartials(op, parts, scope);
      if (!isLast)
        storePartial(op, parts.round + 1, part, scope);
    } else if (isLast &&
               (split.isLate[op] ||
                (split.isLateSource[op] && !scope.operators.contains(op)))) {
      emitRow(op, scope);
    }
  }
  for (const StitchTensor &tensor : group.results)
    if (isLast && isLate(tensor) &&
        isOfSteps(*group.definer(tensor.value)) == ofSteps)
      store(tensor, scope);
}

/// Emits the work of the last block, after the work that all blocks do.
void StitchLowering::emitLastBlock() {
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (split.isPartial[op] && !passes.isPart[op])
      storePartial(op, /*round=*/0, digits[*split.axis], rows);
  // Blocks with the same tile of the other axes share a counter.
  Value tile = kernel.constant(0);
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    Value digit = digits.lookup(axis);
    if (!digit || axis == *split.axis)
      continue;
    Value count = kernel.constant(countTiles(group, schedule, axis));
    tile = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, tile, count), digit);
  }
  emitRound(/*round=*/0, tile, digits[*split.axis]);
}

/// The block has stored a partial result of the round; the last block of its
/// group continues.
void StitchLowering::emitRound(unsigned number, Value tile, Value part) {
  const StitchSplit::Round &round = split.rounds[number];
  int64_t counters = 0, before = 0;
  for (auto [other, entry] : llvm::enumerate(split.rounds)) {
    if (other < number)
      before += entry.groups * split.counters;
    counters += entry.groups * split.counters;
  }
  Parts parts{number, kernel.constant(0), kernel.constant(round.splits)};
  Value ownGroup = kernel.constant(0), place = tile;
  if (round.groups > 1) {
    Value most = kernel.constant(round.most);
    ownGroup = arith::DivUIOp::create(b, loc, part, most);
    parts.first = arith::MulIOp::create(b, loc, ownGroup, most);
    Value end = arith::AddIOp::create(b, loc, parts.first, most);
    parts.beyond =
        round.isEven()
            ? end
            : arith::MinUIOp::create(b, loc, end, parts.beyond).getResult();
    place = arith::AddIOp::create(
        b, loc,
        arith::MulIOp::create(b, loc, tile, kernel.constant(round.groups)),
        ownGroup);
  }
  if (before > 0)
    place = arith::AddIOp::create(b, loc, place, kernel.constant(before));
  Value blocks = round.isEven()
                     ? kernel.constant(round.most)
                     : arith::SubIOp::create(b, loc, parts.beyond, parts.first)
                           .getResult();
  Value last =
      tile::LastBlockOp::create(b, loc, b.getI1Type(), place, blocks, counters);
  auto branch = scf::IfOp::create(b, loc, last, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  schedule = round.ofParts;
  isLast = number + 1 == split.rounds.size();
  emitLate(parts, ownGroup, /*ofSteps=*/false, rows);
  auto emitSteps = [&](int64_t first, int64_t end, bool isInside) {
    if (first >= end)
      return;
    auto loop = scf::ForOp::create(b, loc, kernel.constant(first), endOf(end),
                                   kernel.constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope scope;
    scope.origin = originOfStep(loop.getInductionVar());
    scope.isInside = isInside;
    emitLate(parts, ownGroup, /*ofSteps=*/true, scope);
  };
  if (schedule.serialLoop) {
    int64_t whole = wholeSteps(group, schedule).second;
    // A single step is no loop: LLVM would retain what the block has loaded.
    if (whole == 1)
      whole = 0;
    emitSteps(0, whole, /*isInside=*/true);
    emitSteps(whole, schedule.countSteps(), /*isInside=*/false);
  }
  if (!isLast)
    emitRound(number + 1, tile, ownGroup);
  // No block waits for the discards.
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (split.isPartial[op])
      discardParts(op, parts);
}
