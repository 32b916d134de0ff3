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
#include "fusion/Analysis/Stitching/StitchCompositions.h"
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
    for (auto [number, mapping] : llvm::enumerate(schedule.threadMapping)) {
      lanes *= mapping.lanes;
      if (number == *split.axis || llvm::is_contained(axes, number))
        continue;
      replicas *= mapping.lanes * mapping.warps;
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

namespace {

/// Counts the bytes of inputs that the threads of all blocks load.
class LoadCounter {
public:
  LoadCounter(const StitchGroup &group, const StitchSchedule &schedule,
              const StitchPasses &passes,
              const std::optional<StitchSplit> &split);

  /// Adds the loads of input `number` to `traffic`: those of all passes, or
  /// with `isOfLast` those after the cross-block reduction, in the last block.
  void add(unsigned number, bool isOfLast, StitchTraffic &traffic) const;

private:
  /// How many passes load an element: one whose step is retained between
  /// passes, and one whose step is not.
  struct Times {
    int64_t retained = 1, again = 1;
  };
  Times countPasses(unsigned number) const;
  /// Returns how many threads load the same element of an input. Every lane and
  /// warp of an axis that does not index the tensor loads its own replica.
  /// Registers share theirs.
  /// With `ofTiles` only blocks and their steps are counted.
  int64_t countReplicas(unsigned number, bool isOfLast,
                        bool ofTiles = false) const;

  /// The elements of an input that one replica of it takes.
  struct Elements {
    int64_t all = 1;
    /// The elements along an axis that loads are aligned along, and the part of
    /// them that belongs to neighbouring rows; 0 if there is no such axis.
    int64_t inRow = 0, beside = 0;
  };
  Elements countElements(const StitchTensor &tensor, Times times) const;
  /// Counts the elements of a tensor that is loaded by misaligned accesses.
  Elements countMisalignedLoads(const StitchTensor &tensor, Times times) const;
  /// Adds the loads of an input in the layout of `reader`, whose threads share
  /// its elements out.
  void addShared(unsigned number, unsigned reader, const Elements &elements,
                 StitchTraffic &traffic) const;
  /// Returns the elements along an axis that blocks retain for later passes.
  int64_t retainedAlong(unsigned axis) const;

  const StitchGroup &group;
  const StitchSchedule &schedule;
  const StitchPasses &passes;
  const std::optional<StitchSplit> &split;
};

} // namespace

LoadCounter::LoadCounter(const StitchGroup &group,
                         const StitchSchedule &schedule,
                         const StitchPasses &passes,
                         const std::optional<StitchSplit> &split)
    : group(group), schedule(schedule), passes(passes), split(split) {}

LoadCounter::Times LoadCounter::countPasses(unsigned number) const {
  if (!passes.axis || !passes.isSerialInput[number])
    return {};
  auto count = [&](ArrayRef<StitchPasses::Step> steps) {
    int64_t loads = 0;
    for (const StitchPasses::Step &step : steps)
      loads += llvm::count(step.inputs, number);
    return loads;
  };
  return {count(passes.steps), count(passes.stepsAgain)};
}

int64_t LoadCounter::countReplicas(unsigned number, bool isOfLast,
                                   bool ofTiles) const {
  const StitchTensor &tensor = group.inputs[number];
  bool isRotated = isShifted(schedule, tensor);
  int64_t replicas = 1;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (group.components[axis] != tensor.component ||
        llvm::is_contained(tensor.axes, axis) ||
        (isRotated && beginsRows(group, schedule, axis)))
      continue;
    bool isOfSplit = split && axis == *split->axis,
         isOnce = isOfSplit && isOfLast;
    const AxisThreadMapping &mapping = schedule.threadMapping[axis];
    replicas *= (ofTiles ? 1 : mapping.lanes * mapping.warps) *
                (isOnce ? 1 : countTiles(group, schedule, axis));
    // In the loop over rows, unless it is the same in all of its steps.
    bool isInSteps = passes.isSerialInput[number] || tensor.isGathered;
    if (isOfSplit && !isOnce && isInSteps)
      replicas *= schedule.countSerialPasses();
  }
  return replicas;
}

int64_t LoadCounter::retainedAlong(unsigned axis) const {
  // Along a split axis nothing is read twice.
  if (passes.axis != axis || (split && axis == *split->axis))
    return std::numeric_limits<int64_t>::max();
  return schedule.retainedSteps() * schedule.serialLoop->step;
}

LoadCounter::Elements LoadCounter::countElements(const StitchTensor &tensor,
                                                 Times times) const {
  Elements result;
  bool isRotated = isShifted(schedule, tensor);
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    auto *at = llvm::find(tensor.axes, axis);
    if (group.components[axis] != tensor.component || at == tensor.axes.end())
      continue;
    auto [first, beyond] = tensor.inside[at - tensor.axes.begin()];
    if (schedule.threadMapping[axis].align > 1) {
      // A cluster retains all of an aligned axis.
      int64_t retained = schedule.threadMapping[axis].cluster > 1
                             ? std::numeric_limits<int64_t>::max()
                             : retainedAlong(axis);
      ShiftedCount count = countShifted(group, schedule, tensor, retained),
                   own = countShifted(group, schedule, tensor, retained,
                                      /*ofRowsAlone=*/true);
      result.beside = (count.before - own.before) * times.retained +
                      (count.behind - own.behind) * times.again;
      result.inRow = count.before * times.retained + count.behind * times.again;
      result.all *= result.inRow;
      continue;
    }
    // Rows of their own beginning are counted with it.
    if (isRotated && beginsRows(group, schedule, axis))
      continue;
    if (passes.axis != axis) {
      result.all *= beyond - first;
      continue;
    }
    int64_t once = split && axis == *split->axis
                       ? beyond - first
                       : countRetained(schedule, first, beyond);
    result.all *= once * times.retained + (beyond - first - once) * times.again;
  }
  return result;
}

LoadCounter::Elements
LoadCounter::countMisalignedLoads(const StitchTensor &tensor,
                                  Times times) const {
  int64_t retained = std::numeric_limits<int64_t>::max(), points = 1;
  for (auto [axis, range] : llvm::zip_equal(tensor.axes, tensor.inside)) {
    retained = std::min(retained, retainedAlong(axis));
    points *= range.second - range.first;
  }
  ShiftedCount count = countMisaligned(group, schedule, tensor, retained);
  Elements result;
  result.all = result.inRow =
      count.before * times.retained + count.behind * times.again;
  int64_t all = count.before + count.behind;
  result.beside = result.all / double(all) * std::max<int64_t>(0, all - points);
  return result;
}

void LoadCounter::add(unsigned number, bool isOfLast,
                      StitchTraffic &traffic) const {
  const StitchTensor &tensor = group.inputs[number];
  int64_t lanes = 1, alike = 1;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (group.components[axis] != tensor.component)
      continue;
    lanes *= schedule.threadMapping[axis].lanes;
    if (!llvm::is_contained(tensor.axes, axis))
      alike *= schedule.threadMapping[axis].lanes;
  }
  Times times = isOfLast ? Times() : countPasses(number);
  if (std::optional<unsigned> reader =
          isOfLast ? std::nullopt
                   : sharedReaderOf(group, schedule, passes, number)) {
    addShared(number, *reader, countElements(tensor, times), traffic);
    return;
  }
  Elements elements = misalignedAccessWidth(group, schedule, tensor) > 1
                          ? countMisalignedLoads(tensor, times)
                          : countElements(tensor, times);
  int64_t bytes = elements.all * countReplicas(number, isOfLast) *
                  (kWarpSize / lanes) * tensor.elementBytes;
  traffic.loaded += bytes;
  traffic.alike += bytes - bytes / (alike * (kWarpSize / lanes));
  if (tensor.isRepeated)
    traffic.repeated += bytes;
  else if (elements.inRow > 0)
    traffic.beside += bytes / elements.inRow * elements.beside;
}

void LoadCounter::addShared(unsigned number, unsigned reader,
                            const Elements &elements,
                            StitchTraffic &traffic) const {
  const StitchTensor &tensor = group.inputs[number];
  SmallVector<unsigned, 4> axes(tensor.axes);
  llvm::sort(axes);
  SharedShape shape =
      SharedShape::of(group, schedule, reader, schedule.schemeOf(reader));
  int64_t tile = tileBytes(schedule, axes, /*elementBytes=*/1),
          ofWarp = shape.registers * kWarpSize, alike = kWarpSize / shape.lanes;
  int64_t bytes = elements.all *
                  countReplicas(number, /*isOfLast=*/false, /*ofTiles=*/true) *
                  (ofWarp * schedule.warps / tile) * tensor.elementBytes;
  traffic.loaded += bytes;
  traffic.alike += bytes - bytes / alike;
  if (tensor.isRepeated)
    traffic.repeated += bytes;
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
  std::optional<StitchSplit> split;
  if (StitchSplit::axisOf(group, schedule)) {
    split.emplace(group, schedule);
    addExchange(group, schedule, *split, traffic);
  }
  LoadCounter loads(group, schedule, passes, split);
  for (unsigned input = 0; input < group.inputs.size(); ++input) {
    loads.add(input, split && split->isLateInput[input], traffic);
    // The last block loads elements of the whole axis.
    if (split && split->isReadAgain[input])
      loads.add(input, /*isOfLast=*/true, traffic);
  }
  return traffic;
}
