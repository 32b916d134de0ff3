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

namespace {

/// Calls `judge` with candidates whose tiles are near those of another one.
class TilesOfCandidate {
public:
  using Judge = llvm::function_ref<void(const ScheduleCandidate &)>;

  TilesOfCandidate(const GroupModel &group, const ScheduleSpace &space,
                   Judge judge)
      : group(group), space(space), judge(judge) {}

  /// Tries near tiles of two axes, or of one.
  void tryTiles(const ScheduleCandidate &start) {
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
  }

  /// Loads whole tiles of a loop of one iteration in parts, all of them before
  /// they are read: the loop of smaller tiles is around the loads alone.
  void tryParts(const ScheduleCandidate &start) {
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      if (space.sequentialTrips(start, axis) > 1)
        continue;
      llvm::SmallVector<unsigned, 4> operands;
      llvm::copy_if(
          space.operands(), std::back_inserter(operands),
          [&](unsigned tensor) { return group.indexes(tensor, axis); });
      for (int64_t tile : tilesNear(space.minTiles(axis), start.tiles[axis])) {
        ScheduleCandidate candidate = start;
        candidate.tiles[axis] = tile;
        if (space.sequentialTrips(candidate, axis) > 1)
          hoist(candidate, operands);
      }
    }
  }

private:
  /// Tries to load the operands out of any numbers of loops.
  void hoist(ScheduleCandidate &candidate, llvm::ArrayRef<unsigned> operands) {
    if (operands.empty())
      return judge(candidate);
    for (uint8_t levels = 0; levels <= ScheduleSpace::kMaxLevels; ++levels) {
      candidate.hoisted[operands.front()] = levels;
      hoist(candidate, operands.drop_front());
    }
  }

  const GroupModel &group;
  const ScheduleSpace &space;
  Judge judge;
};

} // namespace

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
  TilesOfCandidate near(group, space, judge);
  double before;
  do {
    before = ranking.best();
    std::vector<ScheduleRanking::Entry> starts = copyStarts(ranking);
    near.tryParts(starts.front().candidate);
    // Loops of one iteration may as well lie elsewhere, where smaller tiles
    // give them more iterations.
    for (unsigned each = 0; each < space.expressions().size(); ++each) {
      ScheduleCandidate candidate = starts.front().candidate;
      candidate.expression = each;
      near.tryTiles(candidate);
    }
    for (const ScheduleRanking::Entry &start : starts) {
      near.tryTiles(start.candidate);
      // A retained operand has no stages, which leaves room for stages of
      // others.
      for (unsigned tensor : space.operands())
        for (uint8_t levels = 0; levels <= ScheduleSpace::kMaxLevels;
             ++levels) {
          // With a smaller tile the loop that it is retained out of may live.
          for (unsigned axis : group.tensors[tensor].axes)
            for (int64_t tile :
                 tilesNear(space.minTiles(axis), start.candidate.tiles[axis])) {
              ScheduleCandidate other = start.candidate;
              other.tiles[axis] = tile;
              ScheduleCandidate candidate = other;
              candidate.hoisted[tensor] = levels;
              if (space.treeOf(candidate) != space.treeOf(other))
                judge(candidate);
            }
        }
    }
    refineStages(group, options, space, ranking);
  } while (ranking.best() < before);
}
