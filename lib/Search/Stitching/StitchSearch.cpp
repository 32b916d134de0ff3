//===- StitchSearch.cpp - Chooses the schedule of a stitched group --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/StitchSearch.h"
#include "StitchEnumeration.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Target/Chips/Hardware.h"
#include <deque>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

void StitchRanking::add(const StitchResult &result) {
  auto isFaster = [](const StitchResult &a, const StitchResult &b) {
    return weighed(a.cost) < weighed(b.cost);
  };
  // Each of n results is kept with probability 1/n when it is added.
  if (random && random->below(++added) == 0)
    one = result;
  if (best.size() == most && (most == 0 || !isFaster(result, best.back())))
    return;
  best.insert(llvm::upper_bound(best, result, isFaster), result);
  if (best.size() > most)
    best.pop_back();
}

/// Returns the operators of one component as a group, and sets `axes` to the
/// numbers of its axes in the whole group.
static StitchGroup extract(const StitchGroup &group, unsigned component,
                           SmallVector<unsigned> &axes) {
  StitchGroup part;
  SmallVector<unsigned> numbers(group.axes.size());
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (group.components[number] == component) {
      numbers[number] = axes.size();
      axes.push_back(number);
      part.axes.push_back(axis);
      part.components.push_back(0);
    }
  for (StitchAxis &axis : part.axes)
    for (auto &[other, stride] : axis.rowStrides)
      other = numbers[other];
  auto own = [&](StitchTensor tensor) {
    for (unsigned &axis : tensor.axes)
      axis = numbers[axis];
    if (tensor.unit)
      tensor.unit = numbers[*tensor.unit];
    if (tensor.gatheredRun)
      tensor.gatheredRun = numbers[*tensor.gatheredRun];
    tensor.component = 0;
    return tensor;
  };
  llvm::DenseMap<unsigned, unsigned> inputs, positions;
  for (auto [op, loops] : llvm::enumerate(group.loops)) {
    if (group.componentOf(op) != component)
      continue;
    part.homes.push_back(numbers[group.homes[op]]);
    part.add(group.operators()[op], group.share(op));
    part.reductions.push_back(group.reductions[op]);
    part.resultLoops.push_back(group.resultLoops[op]);
    SmallVector<unsigned> &renamed = part.loops.emplace_back(loops);
    for (unsigned &axis : renamed)
      axis = numbers[axis];
    for (unsigned input : group.sources[op].inputs)
      if (inputs.insert({input, part.inputs.size()}).second)
        part.inputs.push_back(own(group.inputs[input]));
    positions[op] = part.operators().size() - 1;
    StitchGroup::Sources &sources = part.sources.emplace_back();
    for (unsigned source : group.sources[op].operators)
      sources.operators.push_back(positions[source]);
    for (unsigned input : group.sources[op].inputs)
      sources.inputs.push_back(inputs[input]);
  }
  for (auto [reader, input] : group.reads)
    if (auto it = inputs.find(input); it != inputs.end())
      part.reads[reader] = it->second;
  for (const StitchTensor &tensor : group.results)
    if (part.definer(tensor.value))
      part.results.push_back(own(tensor));
  part.findShared();
  return part;
}

namespace {

/// One component of a group and what its search needs.
struct Component {
  Component(const StitchGroup &whole, unsigned number, const StitchWork &all,
            const ChipInfo &chip, StitchEffort effort)
      : group(extract(whole, number, axes)), work(group),
        mayBeSerial(all.serialAxis &&
                    llvm::is_contained(axes, *all.serialAxis->axis)) {
    if (effort == StitchEffort::Bounded)
      bound.emplace(group, work, chip, mayBeSerial);
  }
  const StitchBound *boundOrNull() const { return bound ? &*bound : nullptr; }

  SmallVector<unsigned> axes; ///< of the whole
  StitchGroup group;
  StitchWork work;
  bool mayBeSerial;
  std::optional<StitchBound> bound;
};

} // namespace

/// Returns the shared memory of a block, in bytes, if an SM otherwise holds at
/// most `maxBlocks` blocks.
using SharedMemory = llvm::function_ref<int64_t(int64_t maxBlocks)>;

/// Returns the cost of one kernel whose blocks each compute one of several
/// components. All blocks have the registers and the shared memory of the
/// kernel; the bytes and the instructions of all components share the chip.
static std::optional<StitchCost>
packCosts(llvm::ArrayRef<StitchCost> parts, llvm::ArrayRef<int64_t> blocks,
          int64_t warps, SharedMemory sharedMemory, const ChipInfo &chip) {
  StitchCost cost;
  for (const StitchCost &part : parts)
    cost.registers = std::max(cost.registers, part.registers);
  int64_t maxBlocks = blocksByThreads(cost.registers, warps, chip);
  if (maxBlocks == 0)
    return std::nullopt;
  cost.sharedMemory = sharedMemory(maxBlocks);
  if (cost.sharedMemory > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM =
      std::min(maxBlocks, blocksByShared(cost.sharedMemory, chip));
  if (cost.blocksPerSM == 0)
    return std::nullopt;
  double places = double(chip.numSMs) * cost.blocksPerSM, longest = 0, sum = 0,
         issue = 0;
  int64_t allBlocks = 0;
  for (auto [part, count] : llvm::zip_equal(parts, blocks)) {
    cost.memory += part.memory;
    cost.traffic += part.traffic;
    cost.sectors += part.sectors;
    cost.moved += part.moved;
    cost.compulsory += part.compulsory;
    // Steps of a block follow one another.
    double block = part.latency / part.waves;
    longest =
        std::max(longest, block * llvm::divideCeil(count, int64_t(places)));
    sum += block * count / places;
    cost.issue = std::max(cost.issue, part.issue);
    issue += part.issue * count /
             (double(chip.numSMs) * llvm::divideCeil(count, chip.numSMs));
    allBlocks += count;
  }
  cost.latency = std::max(longest, sum);
  cost.issue = std::max(cost.issue, issue);
  cost.waves = llvm::divideCeil(allBlocks, int64_t(places));
  double busy = std::max({cost.memory, cost.issue, cost.latency});
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max(busy, cost.memory + cost.latency / cost.blocksPerSM);
  return cost;
}

/// Searches a schedule of several components. They share nothing but the number
/// of warps, and one serial loop: that of the component with the most points
/// goes first.
static std::optional<StitchResult>
searchPacked(const StitchGroup &group, unsigned count, const ChipInfo &chip,
             std::string &reason, StitchEffort effort, const StitchWork &work,
             StitchRanking *ranking) {
  std::deque<Component> components; // which bounds refer to
  for (unsigned component = 0; component < count; ++component)
    components.emplace_back(group, component, work, chip, effort);
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  for (int64_t warps = 1; warps <= kMaxWarps; warps *= 2) {
    StitchSchedule whole;
    whole.warps = warps;
    whole.threadMapping.assign(group.axes.size(), {});
    bool isPossible = true;
    SmallVector<StitchCost> costs;
    SmallVector<int64_t> blocks;
    for (const Component &component : components) {
      ArrayRef<unsigned> axes = component.axes;
      std::optional<StitchResult> found =
          StitchEnumeration(component.group, component.work, chip, effort,
                            component.boundOrNull(), component.mayBeSerial)
              .run(reason, warps);
      isPossible = found.has_value();
      if (!found)
        break;
      candidates += found->candidates;
      legal += found->legal;
      costs.push_back(found->cost);
      blocks.push_back(countBlocks(component.group, found->schedule));
      for (auto [own, axis] : llvm::enumerate(axes))
        whole.threadMapping[axis] = found->schedule.threadMapping[own];
      if (found->schedule.serialLoop) {
        whole.serialLoop = found->schedule.serialLoop;
        whole.serialLoop->axis = axes[found->schedule.serialLoop->axis];
      }
    }
    if (!isPossible || checkStitching(group, whole, chip))
      continue;
    std::optional<StitchCost> cost = packCosts(
        costs, blocks, warps,
        [&](int64_t maxBlocks) {
          return sharedToFit(group, whole, work.passesOf(whole), chip,
                             maxBlocks);
        },
        chip.withData(work.compulsoryBytes));
    if (cost && ranking)
      ranking->add(StitchResult{whole, *cost});
    if (cost && (!best || weighed(*cost) < weighed(best->cost)))
      best = StitchResult{whole, *cost};
  }
  if (best)
    best->candidates = candidates, best->legal = legal;
  else if (reason.empty())
    reason = "no number of warps fits all of its parts";
  return best;
}

/// Returns a lower bound of any kernel's time in seconds: its compulsory bytes,
/// after the latency of the first ones.
static double minOf(const StitchWork &work, const ChipInfo &chip) {
  ChipInfo seen = chip.withData(work.compulsoryBytes);
  return seen.launchOverhead + seen.dramLatency +
         work.compulsoryBytes / seen.dramBytesPerSecond;
}

namespace {

/// The search for a group of one component.
class Search {
public:
  Search(const StitchGroup &group, const ChipInfo &chip, StitchEffort effort,
         const StitchWork &work, StitchRanking *ranking)
      : group(group), chip(chip), effort(effort), work(work), ranking(ranking) {
  }

  std::optional<StitchResult> run(std::string &reason) {
    if (isBounded(effort))
      bound.emplace(group, work, chip);
    best = enumeration(/*cluster=*/1, effort).run(reason);
    if (best && effort == StitchEffort::First)
      return std::move(best);
    trySerialLoops();
    trySplits();
    tryClusters();
    if (effort == StitchEffort::Full)
      tryPersistent();
    return std::move(best);
  }

private:
  StitchEnumeration enumeration(int64_t cluster, StitchEffort effort) const {
    return StitchEnumeration(
        group, work, chip, effort, isBounded(effort) ? &*bound : nullptr,
        /*mayBeSerial=*/true, /*split=*/std::nullopt, cluster, ranking);
  }
  static bool isBounded(StitchEffort effort) {
    return effort == StitchEffort::Bounded || effort == StitchEffort::First;
  }
  /// Tries all choices. With many axes the number of thread mappings is the
  /// product over the axes, so tries all choices coarsely and the fastest one
  /// again.
  template <typename Choice>
  void tryEach(ArrayRef<Choice> choices,
               llvm::function_ref<void(const Choice &, StitchEffort)> attempt);
  void keepFaster(std::optional<StitchResult> other, bool isWorthIt = true);
  void trySerialLoops();
  /// A split reduction along `axis`, whose blocks, alone or in clusters, have a
  /// serial loop over `walk`, the same axis or another.
  struct Split {
    unsigned axis, walk;
    int64_t cluster = 1;
  };
  void trySplits();
  void trySplits(ArrayRef<Split> splits);
  void trySplit(const Split &split, StitchEffort effort);
  void tryClusters();
  void tryPersistent();
  bool readsAgain() const;
  std::optional<double> limit() const {
    return best ? std::optional(weighed(best->cost)) : std::nullopt;
  }

  const StitchGroup &group;
  const ChipInfo &chip;
  StitchEffort effort;
  const StitchWork &work;
  StitchRanking *ranking;
  std::optional<StitchBound> bound;
  std::optional<StitchResult> best;
};

} // namespace

/// Keeps the faster of two results, a new one only where it is worth it, with
/// the sum of their candidates.
void Search::keepFaster(std::optional<StitchResult> other, bool isWorthIt) {
  if (!other)
    return;
  if (best) {
    other->candidates += best->candidates;
    other->legal += best->legal;
    if (!isWorthIt || weighed(best->cost) <= weighed(other->cost)) {
      best->candidates = other->candidates;
      best->legal = other->legal;
      return;
    }
  }
  best = std::move(other);
}

template <typename Choice>
void Search::tryEach(
    ArrayRef<Choice> choices,
    llvm::function_ref<void(const Choice &, StitchEffort)> attempt) {
  constexpr unsigned few = 3;
  if (effort != StitchEffort::Full || choices.size() == 1 ||
      group.axes.size() <= few) {
    for (const Choice &choice : choices)
      attempt(choice, effort);
    return;
  }
  const Choice *fastest = nullptr;
  for (const Choice &choice : choices) {
    std::optional<double> before = limit();
    attempt(choice, StitchEffort::Bounded);
    if (best && (!before || weighed(best->cost) < *before))
      fastest = &choice;
  }
  if (fastest)
    attempt(*fastest, effort);
}

/// Tries serial loops over another reduced axis than the usual one, which may
/// need fewer passes or less room.
void Search::trySerialLoops() {
  if (!work.serialAxis || (best && weighed(best->cost) <= minOf(work, chip)))
    return;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (!group.axes[axis].isReduced || axis == *work.serialAxis->axis)
      continue;
    StitchWork other(group, axis);
    StitchBound ownBound(group, other, chip);
    keepFaster(StitchEnumeration(group, other, chip, StitchEffort::Bounded,
                                 &ownBound, /*mayBeSerial=*/true,
                                 /*split=*/std::nullopt, /*cluster=*/1, ranking)
                   .runBelow(limit()));
  }
}

/// Tries split reductions where some SMs have no block. They cost a store, a
/// count and a load of the partial results.
void Search::trySplits() {
  double least = minOf(work, chip) + chip.dramLatency + 3 * chip.l2Latency;
  if (best && (countBlocks(group, best->schedule) >= chip.numSMs ||
               weighed(best->cost) <= least))
    return;
  SmallVector<Split> splits;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (!canSplit(group, axis))
      continue;
    for (unsigned walk = 0; walk < group.axes.size(); ++walk)
      if (walk == axis ||
          (group.axes[walk].isReduced && canSplitBeside(group, axis, walk)))
        splits.push_back({axis, walk});
  }
  trySplits(splits);
}

void Search::trySplits(ArrayRef<Split> splits) {
  tryEach<Split>(splits, [&](const Split &split, StitchEffort effort) {
    trySplit(split, effort);
  });
}

void Search::trySplit(const Split &split, StitchEffort effort) {
  auto [axis, walk, cluster] = split;
  std::optional<StitchWork> other;
  std::optional<StitchBound> ownBound;
  bool isUsual =
      walk == axis && work.serialAxis && *work.serialAxis->axis == axis;
  if (!isUsual)
    other.emplace(group, walk,
                  walk == axis ? std::nullopt : std::optional(axis));
  const StitchWork &own = isUsual ? work : *other;
  if (isBounded(effort) || !ranking)
    ownBound.emplace(group, own, chip, /*mayBeSerial=*/true, axis);
  keepFaster(StitchEnumeration(group, own, chip, effort,
                               ownBound ? &*ownBound : nullptr,
                               /*mayBeSerial=*/true, axis, cluster, ranking)
                 .runBelow(limit()));
}

/// Returns whether blocks reload tiles for want of room to retain them.
bool Search::readsAgain() const {
  return best->schedule.retainedSteps() < best->schedule.countSteps() &&
         passesOf(group, best->schedule).count > 1;
}

/// Tries clusters that share rows for which no block has room, or which are too
/// few for the chip.
void Search::tryClusters() {
  bool isReduced = llvm::any_of(
      group.axes, [](const StitchAxis &axis) { return axis.isReduced; });
  // One or two blocks leave an SM idle while they exchange values. Blocks of
  // clusters are smaller, so an SM holds more of them.
  constexpr int64_t few = 2;
  bool isEnough = best && !readsAgain() && best->cost.blocksPerSM > few &&
                  countBlocks(group, best->schedule) >= chip.numSMs;
  // The cluster's start and one exchange.
  double least = minOf(work, chip) + 2 * chip.clusterLatency;
  if (!isReduced || isEnough || (best && weighed(best->cost) <= least))
    return;
  SmallVector<int64_t> sizes;
  for (int64_t cluster = 2; cluster <= chip.maxClusterSize; cluster *= 2)
    sizes.push_back(cluster);
  // Clusters may also split a reduction that has a serial loop over another
  // reduced axis.
  SmallVector<Split> splits;
  if (best)
    if (auto split = StitchSplit::axisOf(group, best->schedule))
      for (unsigned walk = 0; walk < group.axes.size(); ++walk)
        if (group.axes[walk].isReduced && canSplitBeside(group, *split, walk))
          for (int64_t cluster : sizes)
            splits.push_back({*split, walk, cluster});
  trySplits(splits);
  if (!bound)
    bound.emplace(group, work, chip);
  if (best && work.serialAxis && weighed(best->cost) <= bound->ofClusters())
    return;
  tryEach<int64_t>(sizes, [&](int64_t cluster, StitchEffort effort) {
    keepFaster(enumeration(cluster, effort).runBelow(limit()));
  });
}

/// Tries persistent blocks, with a serial loop over several tiles of an axis,
/// where there are more blocks than the chip has room for.
void Search::tryPersistent() {
  if (!best || countBlocks(group, best->schedule) <= chip.numSMs)
    return;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (group.axes[axis].isReduced ||
        countTiles(group, best->schedule, axis) == 1)
      continue;
    StitchWork other(group, axis);
    StitchBound ownBound(group, other, chip);
    std::optional<StitchResult> found =
        StitchEnumeration(group, other, chip, StitchEffort::Bounded, &ownBound,
                          /*mayBeSerial=*/true, /*split=*/std::nullopt,
                          /*cluster=*/1, ranking)
            .runBelow(limit());
    // A gain below the evaluator's resolution is not worth a loop.
    auto levelOf = [](const StitchResult &result) {
      return StitchEnumeration::level(weighed(result.cost));
    };
    bool isWorthIt = found && levelOf(*found) < levelOf(*best);
    keepFaster(std::move(found), isWorthIt);
  }
}

/// Evaluates a schedule of a group with the same axes. Returns nullopt if the
/// schedule is infeasible for this group.
static std::optional<StitchResult> rate(const StitchGroup &group,
                                        const StitchSchedule &schedule,
                                        const ChipInfo &chip) {
  const std::optional<StitchSerialLoop> &walk = schedule.serialLoop;
  // A serial loop beside a split axis has other passes.
  if (StitchSplit::besideSerialLoop(group, schedule))
    return std::nullopt;
  StitchWork work(group, /*walk=*/std::nullopt, /*split=*/std::nullopt,
                  walk && (walk->isOnline || walk->retainsExpensive));
  if (walk.has_value() != work.serialAxis.has_value() ||
      (walk && (walk->axis != *work.serialAxis->axis ||
                (walk->isOnline && !work.online) ||
                (walk->retainsExpensive && !work.expensive))))
    return std::nullopt;
  const StitchPasses &passes = work.passesOf(schedule);
  if (checkStitching(group, schedule, chip, &passes) ||
      checkRetained(group, schedule, passes))
    return std::nullopt;
  std::optional<StitchCost> cost =
      predictStitching(group, work, schedule, chip);
  return cost ? std::optional(StitchResult{schedule, *cost}) : std::nullopt;
}

std::optional<StitchResult>
fusion::searchStitching(const StitchGroup &group, const ChipInfo &chip,
                        std::string &reason, StitchEffort effort,
                        const StitchSchedule *likely, StitchRanking *ranking) {
  unsigned count =
      group.components.empty() ? 0 : 1 + *llvm::max_element(group.components);
  if (count == 1 && effort == StitchEffort::First && likely)
    if (std::optional<StitchResult> found = rate(group, *likely, chip))
      return found;
  StitchWork work(group);
  // The first schedule of each component says nothing about what all need.
  if (count > 1 && effort == StitchEffort::First)
    effort = StitchEffort::Bounded;
  if (count > 1)
    return searchPacked(group, count, chip, reason, effort, work, ranking);
  return Search(group, chip, effort, work, ranking).run(reason);
}
