//===- StitchSearch.cpp - Chooses the schedule of a stitched group --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/StitchSearch.h"
#include "CpuStitchSearch.h"
#include "StitchEnumeration.h"
#include "StitchPacking.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Target/Chips/Hardware.h"

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
         const StitchWork &work, StitchRanking *ranking,
         EvaluatorForm evaluator)
      : group(group), chip(chip), effort(effort), work(work), ranking(ranking),
        evaluator(evaluator) {}

  std::optional<StitchResult> run(std::string &reason) {
    if (isBounded(effort))
      bound.emplace(group, work, chip);
    best = enumeration(/*cluster=*/1, effort).run(reason);
    if (best && effort == StitchEffort::First)
      return std::move(best);
    trySerialLoops();
    if (isPrinted())
      return std::move(best);
    trySplits();
    tryClusters();
    if (effort == StitchEffort::Full)
      tryPersistent();
    return std::move(best);
  }

private:
  StitchEnumeration enumeration(int64_t cluster, StitchEffort effort) const {
    return StitchEnumeration(group, work, chip, effort,
                             isBounded(effort) ? &*bound : nullptr,
                             /*mayBeSerial=*/true, /*split=*/std::nullopt,
                             cluster, ranking, evaluator);
  }
  bool isPrinted() const { return evaluator == EvaluatorForm::Printed; }
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
  EvaluatorForm evaluator;
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
  if (!work.serialAxis ||
      (best && !isPrinted() && weighed(best->cost) <= minOf(work, chip)))
    return;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (!group.axes[axis].isReduced || axis == *work.serialAxis->axis)
      continue;
    StitchWork other(group, axis);
    std::optional<StitchBound> ownBound;
    if (!isPrinted())
      ownBound.emplace(group, other, chip);
    keepFaster(StitchEnumeration(group, other, chip, StitchEffort::Bounded,
                                 ownBound ? &*ownBound : nullptr,
                                 /*mayBeSerial=*/true, /*split=*/std::nullopt,
                                 /*cluster=*/1, ranking, evaluator)
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
                                        const ChipInfo &chip,
                                        EvaluatorForm evaluator) {
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
      evaluator == EvaluatorForm::Printed
          ? predictPrinted(group, work, schedule, chip)
          : predictStitching(group, work, schedule, chip);
  return cost ? std::optional(StitchResult{schedule, *cost}) : std::nullopt;
}

/// Adds our counts to the cost of a schedule by the evaluator as printed.
static void addCounts(const StitchGroup &group, StitchResult &result,
                      const ChipInfo &chip) {
  std::optional<StitchCost> cost = predictStitching(
      group, StitchWork::of(group, result.schedule), result.schedule, chip);
  if (!cost)
    return;
  cost->total = result.cost.total;
  cost->waves = result.cost.waves;
  cost->warpCycles = result.cost.warpCycles;
  result.cost = *cost;
}

std::optional<StitchResult>
fusion::searchStitching(const StitchGroup &group, const ChipInfo &chip,
                        std::string &reason, StitchEffort effort,
                        const StitchSchedule *likely, StitchRanking *ranking,
                        EvaluatorForm evaluator) {
  if (chip.isCpu())
    return searchStitchingCpu(group, chip, reason, ranking);
  bool isPrinted = evaluator == EvaluatorForm::Printed;
  // The bounds are of our evaluator.
  if (isPrinted && effort == StitchEffort::Bounded)
    effort = StitchEffort::Coarse;
  unsigned count =
      group.components.empty() ? 0 : 1 + *llvm::max_element(group.components);
  if (count == 1 && effort == StitchEffort::First && likely)
    if (std::optional<StitchResult> found =
            rate(group, *likely, chip, evaluator))
      return found;
  StitchWork work(group);
  // The first schedule of each component says nothing about what all need.
  if (count > 1 && effort == StitchEffort::First)
    effort = isPrinted ? StitchEffort::Coarse : StitchEffort::Bounded;
  std::optional<StitchResult> found =
      count > 1
          ? searchPacked(group, count, chip, reason, effort, work, ranking,
                         evaluator)
          : Search(group, chip, effort, work, ranking, evaluator).run(reason);
  if (isPrinted && effort == StitchEffort::Full) {
    if (found)
      addCounts(group, *found, chip);
    if (ranking)
      for (StitchResult &result : ranking->results())
        addCounts(group, result, chip);
  }
  return found;
}
