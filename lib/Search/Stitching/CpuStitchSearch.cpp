//===- CpuStitchSearch.cpp - Schedules of stitched groups on CPUs ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuStitchSearch.h"
#include "fusion/Support/TileSize.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class Search {
public:
  Search(const StitchGroup &group, const ChipInfo &chip, StitchRanking *ranking)
      : group(group), chip(chip), ranking(ranking) {}

  std::optional<StitchResult> run(std::string &reason);

private:
  void listTiles();
  void descend(const StitchWork &work, StitchSchedule schedule);
  void tryLoops(const StitchWork &work, int64_t most);
  std::optional<double> evaluate(const StitchWork &work,
                                 const StitchSchedule &schedule);

  const StitchGroup &group;
  const ChipInfo &chip;
  StitchRanking *ranking;
  SmallVector<SmallVector<int64_t, 16>> tiles; ///< by axis
  std::set<SmallVector<int64_t, 12>> known;
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  std::string lastReason;
};

} // namespace

void Search::listTiles() {
  for (const StitchAxis &axis : group.axes) {
    SmallVector<int64_t, 16> &list = tiles.emplace_back();
    if (axis.isReduced) {
      list.push_back(axis.extent);
      continue;
    }
    for (int64_t tile = 1; tile < axis.extent && tile < kMaxTileSize; tile *= 2)
      list.push_back(tile);
    if (axis.extent <= kMaxTileSize)
      list.push_back(axis.extent);
  }
}

/// Returns the predicted seconds of a schedule that was not met before, and
/// remembers the fastest.
std::optional<double> Search::evaluate(const StitchWork &work,
                                       const StitchSchedule &schedule) {
  SmallVector<int64_t, 12> key;
  for (const AxisThreadMapping &mapping : schedule.threadMapping)
    key.push_back(mapping.tile);
  key.push_back(schedule.evictFirst);
  if (const auto &loop = schedule.serialLoop)
    key.append({int64_t(loop->axis), loop->step, loop->registerSteps,
                loop->isOnline, loop->retainsExpensive});
  if (!known.insert(key).second)
    return std::nullopt;
  ++candidates;
  const StitchPasses &passes = work.passesOf(schedule);
  std::optional<std::string> illegal =
      checkStitching(group, schedule, chip, &passes);
  if (!illegal)
    illegal = checkRetained(group, schedule, passes);
  if (illegal) {
    lastReason = *illegal;
    return std::nullopt;
  }
  ++legal;
  std::optional<StitchCost> cost =
      predictStitching(group, work, schedule, chip);
  if (!cost)
    return std::nullopt;
  StitchResult result{schedule, *cost};
  if (ranking)
    ranking->add(result);
  if (!best || cost->total < best->cost.total)
    best = std::move(result);
  return cost->total;
}

/// Changes one axis's tile after the other while that is faster.
void Search::descend(const StitchWork &work, StitchSchedule schedule) {
  std::optional<double> seconds = evaluate(work, schedule);
  if (!seconds)
    return;
  for (bool isBetter = true; isBetter;) {
    isBetter = false;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      if (schedule.serialLoop && schedule.serialLoop->axis == axis)
        continue;
      StitchSchedule next = schedule;
      for (int64_t tile : tiles[axis]) {
        next.threadMapping[axis].tile = tile;
        std::optional<double> own = evaluate(work, next);
        if (!own || *own >= *seconds)
          continue;
        seconds = own;
        schedule = next;
        isBetter = true;
      }
    }
  }
}

/// Tries serial loops over the usual axis, with other axes' tiles of at most
/// `most` elements.
void Search::tryLoops(const StitchWork &work, int64_t most) {
  unsigned axis = *work.serialAxis->axis;
  int64_t extent = group.axes[axis].extent;
  StitchSchedule schedule;
  for (ArrayRef<int64_t> list : tiles) {
    AxisThreadMapping mapping;
    mapping.tile = list.front();
    for (int64_t tile : list)
      if (tile <= most)
        mapping.tile = tile;
    schedule.threadMapping.push_back(mapping);
  }
  for (int64_t step = 16; step < extent && step <= kMaxTileSize; step *= 4) {
    schedule.threadMapping[axis].tile = llvm::alignTo(extent, step);
    int64_t steps = schedule.threadMapping[axis].tile / step;
    schedule.serialLoop = StitchSerialLoop{axis, step};
    // A whole step that is not retained is no loop.
    for (int64_t retained : {int64_t(0), steps}) {
      schedule.serialLoop->registerSteps = retained;
      descend(work, schedule);
    }
    schedule.serialLoop->registerSteps = 0;
    if (work.online) {
      schedule.serialLoop->isOnline = true;
      descend(work, schedule);
    }
  }
}

std::optional<StitchResult> Search::run(std::string &reason) {
  listTiles();
  StitchWork work(group);
  for (int64_t most : {int64_t(1), int64_t(64), int64_t(1024), kMaxTileSize}) {
    StitchSchedule schedule;
    // The last axis has the neighbours in memory.
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      AxisThreadMapping mapping;
      mapping.tile = tiles[axis].front();
      bool isLast = axis + 1 == group.axes.size();
      for (int64_t tile : tiles[axis])
        if (tile <= (isLast ? most : 1))
          mapping.tile = std::max(mapping.tile, tile);
      schedule.threadMapping.push_back(mapping);
    }
    descend(work, schedule);
  }
  if (work.serialAxis)
    for (int64_t most : {int64_t(1), int64_t(64), int64_t(256)})
      tryLoops(work, most);
  if (!best) {
    reason = "none of " + std::to_string(candidates) +
             " candidates is legal; the last one: " + lastReason;
    return std::nullopt;
  }
  // Results that are larger than the caches are stored past them.
  StitchSchedule past = best->schedule;
  past.evictFirst = true;
  evaluate(work, past);
  best->candidates = candidates;
  best->legal = legal;
  return std::move(best);
}

std::optional<StitchResult> fusion::searchStitchingCpu(const StitchGroup &group,
                                                       const ChipInfo &chip,
                                                       std::string &reason,
                                                       StitchRanking *ranking) {
  return Search(group, chip, ranking).run(reason);
}
