//===- PlaceRefinement.cpp - Stages and transports of buffers -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceRefinement.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static std::vector<ScheduleRanking::Entry>
copyStarts(const ScheduleRanking &ranking) {
  // Judging moves the entries.
  return {ranking.starts().begin(), ranking.starts().end()};
}

void fusion::refineStages(const GroupModel &group, const SearchOptions &options,
                          const ScheduleSpace &space,
                          ScheduleRanking &ranking) {
  if (ranking.empty() || seesTilesOnly(options.model))
    return;
  double before;
  do {
    before = ranking.best();
    std::vector<ScheduleRanking::Entry> starts = copyStarts(ranking);
    for (const ScheduleRanking::Entry &start : starts)
      for (unsigned tensor : listPipelinedLoads(start.rated.schedule)) {
        Schedule schedule = start.rated.schedule;
        for (unsigned stages : space.stages()) {
          schedule.places[tensor].stages = stages;
          if (stages != start.rated.schedule.places[tensor].stages)
            ranking.judge(schedule, start.candidate);
        }
      }
    for (const ScheduleRanking::Entry &start : starts)
      for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor) {
        Schedule schedule = start.rated.schedule;
        unsigned &stages = schedule.places[tensor].registerStages;
        if (!hasFragments(group, schedule, tensor))
          continue;
        unsigned before = stages;
        for (stages = 1; stages <= options.mostRegisterStages; ++stages)
          if (stages != before)
            ranking.judge(schedule, start.candidate);
      }
  } while (ranking.best() < before);
}

/// Up to two tiles larger or smaller, and the tile itself.
static llvm::ArrayRef<int64_t> tilesNear(llvm::ArrayRef<int64_t> list,
                                         int64_t tile) {
  constexpr size_t reach = 2;
  size_t at = llvm::lower_bound(list, tile) - list.begin();
  size_t first = at - std::min(at, reach);
  return list.slice(first, std::min(list.size(), at + reach + 1) - first);
}

/// The candidate with the stages of another one's buffers and fragments.
static Schedule withStagesOf(const Schedule &other, const GroupModel &group,
                             const ScheduleSpace &space,
                             const ScheduleCandidate &candidate) {
  Schedule schedule = space.complete(candidate);
  for (unsigned tensor : listPipelinedLoads(schedule))
    schedule.places[tensor].stages = other.places[tensor].stages;
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
    if (hasFragments(group, schedule, tensor))
      schedule.places[tensor].registerStages =
          std::max(1u, other.places[tensor].registerStages);
  return schedule;
}

void fusion::refineTiles(const GroupModel &group, const SearchOptions &options,
                         const ScheduleSpace &space, ScheduleRanking &ranking) {
  if (ranking.empty() || seesTilesOnly(options.model))
    return;
  unsigned axes = group.axes.size();
  auto judge = [&](const ScheduleCandidate &candidate, const Schedule &like) {
    const Arrangement &arrangement =
        space.arrangements()[candidate.arrangement];
    if (space.mayFit(space.tilesOf(candidate)) && space.fillsParts(candidate) &&
        space.divides(arrangement, candidate))
      ranking.judge(withStagesOf(like, group, space, candidate), candidate);
  };
  // With the other's stages, and of one buffer more of them.
  auto judgeStages = [&](const ScheduleCandidate &candidate,
                         const Schedule &like) {
    judge(candidate, like);
    Schedule other = like;
    for (unsigned tensor : space.operands()) {
      unsigned &stages = other.places[tensor].stages, own = stages;
      for (stages = own + 1; stages <= space.stages().back(); ++stages)
        judge(candidate, other);
      stages = own;
    }
  };
  double before;
  do {
    before = ranking.best();
    std::vector<ScheduleRanking::Entry> starts = copyStarts(ranking);
    for (const ScheduleRanking::Entry &start : starts) {
      auto tilesOf = [&](unsigned axis) {
        return tilesNear(space.leastTiles(axis), start.candidate.tiles[axis]);
      };
      auto tryPairs = [&](ScheduleCandidate candidate) {
        for (unsigned a = 0; a < axes; ++a)
          for (unsigned b = a + 1; b < axes; ++b) {
            for (int64_t one : tilesOf(a))
              for (int64_t other : tilesOf(b)) {
                candidate.tiles[a] = one;
                candidate.tiles[b] = other;
                judge(candidate, start.rated.schedule);
              }
            candidate.tiles = start.candidate.tiles;
          }
      };
      tryPairs(start.candidate);
      // Loops that have one iteration only now lie as well elsewhere, where
      // smaller tiles make more of them.
      if (&start == &starts.front())
        for (unsigned each = 0; each < space.expressions().size(); ++each)
          if (each != start.candidate.expression) {
            ScheduleCandidate candidate = start.candidate;
            candidate.expression = each;
            tryPairs(candidate);
          }
      // An operand that stays has no stages, which leaves room for those of
      // others.
      for (unsigned tensor : space.operands())
        for (uint8_t levels = 0; levels <= ScheduleSpace::kMostLevels; ++levels)
          for (unsigned axis : group.tensors[tensor].axes) {
            ScheduleCandidate candidate = start.candidate;
            candidate.hoisted[tensor] = levels;
            if (space.treeOf(candidate) == space.treeOf(start.candidate))
              break;
            for (int64_t tile : tilesOf(axis)) {
              candidate.tiles[axis] = tile;
              judgeStages(candidate, start.rated.schedule);
            }
          }
    }
    refineStages(group, options, space, ranking);
  } while (ranking.best() < before);
}

void fusion::tryBulk(const GroupModel &group, Schedule &schedule,
                     const ChipInfo &chip, unsigned tensor) {
  fuse::Transport byThreads = schedule.places[tensor].transport;
  if (whyNotInBulk(group, schedule, chip, tensor))
    return;
  schedule.places[tensor].transport = fuse::Transport::Bulk;
  if (whyImpossible(group, schedule, chip))
    schedule.places[tensor].transport = byThreads;
}

void fusion::copyInBulk(const GroupModel &group, const ChipInfo &chip,
                        const SearchOptions &options,
                        ScheduleRanking &ranking) {
  if (!chip.hasBulkTensorCopy || seesTilesOnly(options.model))
    return;
  for (const ScheduleRanking::Entry &start : copyStarts(ranking)) {
    const Schedule &byThreads = start.rated.schedule;
    llvm::SmallVector<unsigned, 8> tensors;
    for (unsigned tensor : listCopied(group, byThreads))
      if (!whyNotInBulk(group, byThreads, chip, tensor))
        tensors.push_back(tensor);
    Schedule schedule = byThreads;
    for (unsigned tensor : tensors)
      schedule.places[tensor].transport = fuse::Transport::Bulk;
    if (!whyImpossible(group, schedule, chip)) {
      ranking.judge(schedule, start.candidate);
      continue;
    }
    for (unsigned tensor : tensors) {
      schedule = byThreads;
      schedule.places[tensor].transport = fuse::Transport::Bulk;
      ranking.judge(schedule, start.candidate);
    }
  }
}
