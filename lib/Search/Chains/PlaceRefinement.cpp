//===- PlaceRefinement.cpp - Stages of buffers ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceRefinement.h"
#include "SearchEffort.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static std::vector<ScheduleRanking::Entry>
copyStarts(const ScheduleRanking &ranking) {
  // A copy, as evaluation moves the entries.
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
      for (unsigned tensor : listPipelinedLoads(start.costed.schedule)) {
        Schedule schedule = start.costed.schedule;
        for (unsigned stages : space.stages()) {
          schedule.places[tensor].stages = stages;
          if (stages != start.costed.schedule.places[tensor].stages)
            ranking.judge(schedule, start.candidate);
        }
      }
    for (const ScheduleRanking::Entry &start : starts)
      for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor) {
        Schedule schedule = start.costed.schedule;
        unsigned &stages = schedule.places[tensor].registerStages;
        if (!hasFragments(group, schedule, tensor))
          continue;
        unsigned before = stages;
        for (stages = 1; stages <= options.maxRegisterStages; ++stages)
          if (stages != before)
            ranking.judge(schedule, start.candidate);
      }
  } while (ranking.best() < before);
}

/// Returns the tile, and up to two larger and two smaller ones.
static llvm::ArrayRef<int64_t> tilesNear(llvm::ArrayRef<int64_t> list,
                                         int64_t tile) {
  constexpr size_t reach = 2;
  size_t at = llvm::lower_bound(list, tile) - list.begin();
  size_t first = at - std::min(at, reach);
  return list.slice(first, std::min(list.size(), at + reach + 1) - first);
}

void fusion::refineTiles(const GroupModel &group, const SearchOptions &options,
                         const ScheduleSpace &space, ScheduleRanking &ranking) {
  if (ranking.empty() || seesTilesOnly(options.model))
    return;
  int64_t end = ranking.looked().checked() +
                SearchEffort(group, space, options).nearTiles;
  auto judge = [&](const ScheduleCandidate &candidate) {
    if (ranking.looked().checked() < end &&
        space.mayFit(space.tilesOf(candidate)))
      ranking.evaluateAll(candidate, candidate.arrangement);
  };
  // Tries near tiles of two axes, or of one.
  auto tryTilesNear = [&](const ScheduleCandidate &start) {
    unsigned axes = group.axes.size();
    ScheduleCandidate candidate = start;
    for (unsigned a = 0; a < axes; ++a)
      for (unsigned b = a + 1; b < axes; ++b) {
        for (int64_t one : tilesNear(space.minTiles(a), start.tiles[a]))
          for (int64_t other : tilesNear(space.minTiles(b), start.tiles[b])) {
            candidate.tiles[a] = one;
            candidate.tiles[b] = other;
            judge(candidate);
          }
        candidate.tiles = start.tiles;
      }
  };
  double before;
  do {
    before = ranking.best();
    std::vector<ScheduleRanking::Entry> starts = copyStarts(ranking);
    // Loops of one iteration may as well lie elsewhere, where smaller tiles
    // give them more iterations.
    for (unsigned each = 0; each < space.expressions().size(); ++each) {
      ScheduleCandidate candidate = starts.front().candidate;
      candidate.expression = each;
      tryTilesNear(candidate);
    }
    for (const ScheduleRanking::Entry &start : starts) {
      tryTilesNear(start.candidate);
      // A retained operand has no stages, which leaves room for stages of
      // others.
      for (unsigned tensor : space.operands())
        for (uint8_t levels = 0; levels <= ScheduleSpace::kMaxLevels;
             ++levels) {
          ScheduleCandidate candidate = start.candidate;
          candidate.hoisted[tensor] = levels;
          if (space.treeOf(candidate) == space.treeOf(start.candidate))
            continue;
          for (unsigned axis : group.tensors[tensor].axes) {
            for (int64_t tile :
                 tilesNear(space.minTiles(axis), start.candidate.tiles[axis])) {
              candidate.tiles[axis] = tile;
              judge(candidate);
            }
            candidate.tiles = start.candidate.tiles;
          }
        }
    }
    refineStages(group, options, space, ranking);
  } while (ranking.best() < before);
}
