//===- StitchTraffic.cpp - Bytes that a stitched kernel moves -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace mlir;
using namespace fusion;

/// Adds the partial results of split reductions, which blocks store and the
/// last blocks load.
static void addExchange(const StitchGroup &group,
                        const StitchSchedule &schedule,
                        const StitchSplit &split, StitchTraffic &traffic) {
  // Every block counts itself, in each round that it has a partial result for.
  constexpr int64_t counterBytes = 4;
  int64_t splits = 0;
  for (const StitchSplit::Round &round : split.rounds)
    splits += round.splits;
  int64_t counted = splits * split.counters * counterBytes;
  traffic.loaded += counted;
  traffic.stored += counted;
  traffic.exchanged += 2 * counted;
  for (auto [op, isPartial] : llvm::enumerate(split.isPartial)) {
    if (!isPartial)
      continue;
    SmallVector<unsigned, 4> axes = group.resultAxes(op);
    int64_t bytes = splits * StitchSplit::countElements(group, op) *
                    StitchSplit::elementBytes(group, op);
    int64_t replicas = 1, lanes = 1;
    for (auto [number, spread] : llvm::enumerate(schedule.threadMapping)) {
      lanes *= spread.lanes;
      if (number == *split.axis || llvm::is_contained(axes, number))
        continue;
      replicas *= spread.lanes * spread.warps;
    }
    int64_t loaded = bytes * replicas * (kWarpSize / lanes);
    traffic.stored += bytes;
    traffic.loaded += loaded;
    traffic.exchanged += bytes + loaded;
    if (std::optional<unsigned> nearest = split.nearestAxis(group, op)) {
      int64_t ofThread = schedule.threadMapping[*nearest].vector *
                         StitchSplit::elementBytes(group, op);
      int64_t gap =
          std::min(ofThread, kSectorBytes) / std::min(ofThread, kWidestAccess);
      traffic.between += (bytes + loaded) * (gap - 1);
    }
  }
}

StitchTraffic fusion::countTraffic(const StitchGroup &group,
                                   const StitchSchedule &schedule,
                                   const StitchPasses &passes) {
  StitchTraffic traffic;
  for (const StitchTensor &tensor : group.results) {
    int64_t elements = 1;
    for (auto [first, beyond] : tensor.inside)
      elements *= beyond - first;
    traffic.stored += elements * tensor.elementBytes;
  }
  SmallVector<int64_t> passesOf(group.inputs.size(), 1),
      passesAgain(group.inputs.size(), 1);
  if (passes.axis) {
    auto count = [&](ArrayRef<StitchPasses::Step> steps,
                     SmallVector<int64_t> &number) {
      for (auto [input, isSerial] : llvm::enumerate(passes.isSerialInput))
        if (isSerial)
          number[input] = 0;
      for (const StitchPasses::Step &step : steps)
        for (unsigned input : step.inputs)
          ++number[input];
    };
    count(passes.steps, passesOf);
    count(passes.stepsAgain, passesAgain);
  }
  std::optional<StitchSplit> split;
  if (StitchSplit::axisOf(group, schedule)) {
    split.emplace(group, schedule);
    addExchange(group, schedule, *split, traffic);
  }
  // The last block loads elements of the whole axis.
  SmallVector<std::pair<unsigned, bool>> loads;
  for (unsigned input = 0; input < group.inputs.size(); ++input) {
    loads.push_back({input, split && split->isLateInput[input]});
    if (split && split->isReadAgain[input])
      loads.push_back({input, true});
  }
  for (auto [number, isOfLast] : loads) {
    const StitchTensor &tensor = group.inputs[number];
    int64_t times = isOfLast ? 1 : passesOf[number],
            timesAgain = isOfLast ? 1 : passesAgain[number];
    // Every lane and warp of an axis that does not index the tensor loads its
    // own replica; registers share theirs.
    int64_t elements = 1, replicas = 1, lanes = 1, beside = 0, rowElements = 0,
            alike = 1;
    bool rotated = isShifted(schedule, tensor),
         realigned = misalignedAccessWidth(group, schedule, tensor) > 1;
    auto keptOf = [&](unsigned axis) {
      // Along a split axis nothing is read twice.
      if (passes.axis != axis || (split && axis == *split->axis))
        return std::numeric_limits<int64_t>::max();
      return schedule.retainedSteps() * schedule.serialLoop->step;
    };
    for (unsigned axisNumber = 0; axisNumber < group.axes.size();
         ++axisNumber) {
      if (group.components[axisNumber] != tensor.component)
        continue;
      const AxisThreadMapping &spread = schedule.threadMapping[axisNumber];
      lanes *= spread.lanes;
      auto *at = llvm::find(tensor.axes, axisNumber);
      if (at == tensor.axes.end()) {
        alike *= spread.lanes;
        if (rotated && beginsRows(group, schedule, axisNumber))
          continue;
        bool isOfSplit = split && axisNumber == *split->axis,
             isOnce = isOfSplit && isOfLast;
        replicas *= spread.lanes * spread.warps *
                    (isOnce ? 1 : countTiles(group, schedule, axisNumber));
        // In the loop over rows, unless it is the same in all of its steps.
        bool isInSteps = passes.isSerialInput[number] || tensor.isGathered;
        if (isOfSplit && !isOnce && isInSteps)
          replicas *= schedule.countSerialPasses();
        continue;
      }
      if (realigned)
        continue;
      auto [first, beyond] = tensor.inside[at - tensor.axes.begin()];
      int64_t retained = keptOf(axisNumber);
      if (schedule.threadMapping[axisNumber].align > 1) {
        // A cluster retains all of an aligned axis.
        if (spread.cluster > 1)
          retained = std::numeric_limits<int64_t>::max();
        ShiftedCount count = countShifted(group, schedule, tensor, retained),
                     own = countShifted(group, schedule, tensor, retained,
                                        /*ofRowsAlone=*/true);
        beside = (count.before - own.before) * times +
                 (count.behind - own.behind) * timesAgain;
        rowElements = count.before * times + count.behind * timesAgain;
        elements *= rowElements;
        continue;
      }
      // Rows of their own beginning are counted with it.
      if (rotated && beginsRows(group, schedule, axisNumber))
        continue;
      if (passes.axis != axisNumber) {
        elements *= beyond - first;
        continue;
      }
      int64_t once = split && axisNumber == *split->axis
                         ? beyond - first
                         : countRetained(schedule, first, beyond);
      elements *= once * times + (beyond - first - once) * timesAgain;
    }
    if (realigned) {
      int64_t retained = std::numeric_limits<int64_t>::max(), points = 1;
      for (auto [axis, range] : llvm::zip_equal(tensor.axes, tensor.inside)) {
        retained = std::min(retained, keptOf(axis));
        points *= range.second - range.first;
      }
      ShiftedCount count = countMisaligned(group, schedule, tensor, retained);
      elements = rowElements = count.before * times + count.behind * timesAgain;
      int64_t all = count.before + count.behind;
      beside = elements / double(all) * std::max<int64_t>(0, all - points);
    }
    int64_t bytes =
        elements * replicas * (kWarpSize / lanes) * tensor.elementBytes;
    traffic.loaded += bytes;
    traffic.alike += bytes - bytes / (alike * (kWarpSize / lanes));
    if (tensor.isRepeated)
      traffic.repeated += bytes;
    else if (rowElements > 0)
      traffic.beside += bytes / rowElements * beside;
  }
  return traffic;
}
