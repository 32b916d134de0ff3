//===- LoopLegality.cpp - Loops, tiles and grids that lowering can do -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopLegality.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using Reason = std::optional<std::string>;

namespace {

class LoopChecker {
public:
  LoopChecker(const GroupModel &group, const Schedule &schedule,
              const ChipInfo &chip, RetainedTiles &retained)
      : group(group), schedule(schedule), chip(chip), retained(retained) {}

  Reason run() {
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkContraction(number))
        return reason;
    if (Reason reason = checkBlocks())
      return reason;
    if (Reason reason = whyNotSplit(group, schedule))
      return reason;
    if (Reason reason = whyNotInCluster(group, schedule, chip))
      return reason;
    if (Reason reason = checkCluster())
      return reason;
    if (Reason reason = analyzeRetainedTiles(group, schedule, retained))
      return reason;
    if (Reason reason = checkKeptParts())
      return reason;
    if (schedule.maskedAxis)
      if (Reason reason =
              whyNotSkipped(group, schedule, retained, *schedule.maskedAxis))
        return "tiles of '" + group.axisName(*schedule.maskedAxis) +
               "' cannot be skipped: " + *reason;
    return std::nullopt;
  }

private:
  int64_t trips(unsigned axis) const {
    return sequentialTrips(group, schedule, axis);
  }

  Reason checkContraction(unsigned number);
  Reason checkBlocks();
  Reason checkKeptParts();
  Reason checkCluster();

  const GroupModel &group;
  const Schedule &schedule;
  const ChipInfo &chip;
  RetainedTiles &retained;
};

} // namespace

Reason LoopChecker::checkContraction(unsigned number) {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  const std::string &name = group.tensorName(contraction.result);
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (!contraction.type || !intrinsic.multiplies(*contraction.type))
    return intrinsic.name.str() + " does not multiply the operands of '" +
           name + "'";
  if (!intrinsic.availableOn(chip))
    return chip.name.str() + " has no " + intrinsic.name.str();
  ArrayRef<unsigned> rows =
      mapping.swapped ? contraction.rhsAxes : contraction.lhsAxes;
  ArrayRef<unsigned> columns =
      mapping.swapped ? contraction.lhsAxes : contraction.rhsAxes;
  if (!llvm::is_contained(rows, mapping.i1))
    return "i1 = '" + group.axisName(mapping.i1) +
           "' is no parallel axis of one operand of '" + name + "'";
  if (!llvm::is_contained(columns, mapping.i2))
    return "i2 = '" + group.axisName(mapping.i2) +
           "' is no parallel axis of the other operand of '" + name + "'";
  if (!llvm::is_contained(contraction.reduction, mapping.r1))
    return "r1 = '" + group.axisName(mapping.r1) + "' is not reduced by '" +
           name + "'";
  for (unsigned axis : contraction.axes)
    if (axis != mapping.i1 && axis != mapping.i2 && axis != mapping.r1 &&
        schedule.tiles[axis] != 1)
      return "axis '" + group.axisName(axis) + "' of '" + name +
             "' is not mapped to the intrinsic, so its tile size must be 1";
  return std::nullopt;
}

Reason LoopChecker::checkBlocks() {
  const GroupTensor *result = nullptr;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Result)
      result = &tensor;
  for (unsigned axis : schedule.blocks) {
    for (const Contraction &contraction : group.contractions)
      if (llvm::is_contained(contraction.reduction, axis))
        return "axis '" + group.axisName(axis) + "' is reduced by '" +
               group.tensorName(contraction.result) +
               "' and cannot be bound to the grid (a reduction is split by "
               "'parallel')";
    if (!llvm::is_contained(result->axes, axis))
      return "axis '" + group.axisName(axis) +
             "' does not index the result and cannot be bound to the grid";
  }
  if (schedule.blockSwizzle == 1)
    return std::nullopt;
  if (schedule.blocks.size() < 2)
    return "'block_swizzle' orders blocks of two grid axes; there are " +
           std::to_string(schedule.blocks.size());
  unsigned fastest = schedule.blocks.back();
  if (schedule.blockSwizzle >= trips(fastest))
    return "a block_swizzle of " + std::to_string(schedule.blockSwizzle) +
           " blocks is row by row: axis '" + group.axisName(fastest) +
           "' has " + std::to_string(trips(fastest));
  return std::nullopt;
}

/// A cluster is neighbours along the fastest grid axis, all in one row of
/// blocks.
Reason LoopChecker::checkCluster() {
  int64_t size = schedule.cluster;
  if (size == 1)
    return std::nullopt;
  if (!chip.hasClusters)
    return chip.name.str() + " has no clusters";
  if (!chip.hasMulticast)
    return chip.name.str() +
           " has no multicast of its own speed, by which the blocks of a "
           "cluster share what they copy";
  if (size > chip.maxClusterSize)
    return "a cluster of " + chip.name.str() + " has at most " +
           std::to_string(chip.maxClusterSize) + " blocks, not " +
           std::to_string(size);
  if (schedule.blocks.empty())
    return "a cluster needs an axis bound to the grid";
  unsigned fastest = schedule.blocks.back();
  if (trips(fastest) % size != 0 ||
      (schedule.blockSwizzle > 1 && schedule.blockSwizzle % size != 0))
    return "clusters of " + std::to_string(size) +
           " blocks do not divide the blocks along '" +
           group.axisName(fastest) + "'";
  return std::nullopt;
}

/// Arrays of registers are unrolled, so loops that fill them have the same
/// trips in every part.
Reason LoopChecker::checkKeptParts() {
  std::optional<unsigned> split = schedule.splitAxis();
  if (!split || tripCount(group.axes[*split], schedule.tiles[*split]) %
                        schedule.splitOf(*split) ==
                    0)
    return std::nullopt;
  auto reject = [&](const TileSlots &slots, unsigned tensor) -> Reason {
    if (!llvm::is_contained(slots.axes, *split))
      return std::nullopt;
    return "tiles of '" + group.tensorName(tensor) +
           "' are retained along axis '" + group.axisName(*split) +
           "', whose " + std::to_string(schedule.splitOf(*split)) +
           " parts have different lengths";
  };
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
    if (Reason reason = reject(retained.values[tensor], tensor))
      return reason;
  for (auto [number, contraction] : llvm::enumerate(group.contractions))
    if (Reason reason =
            reject(retained.accumulators[number], contraction.result))
      return reason;
  return std::nullopt;
}

Reason fusion::whyLoopsIllegal(const GroupModel &group,
                               const Schedule &schedule, const ChipInfo &chip,
                               RetainedTiles &retained) {
  return LoopChecker(group, schedule, chip, retained).run();
}
