//===- RunnersUp.cpp - What comes next to the choice ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnersUp.h"
#include "PlaceRefinement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fusion;

/// Calls with every candidate that differs in one choice: loops, what is kept
/// of a tensor, parts, clusters, results in bulk, intrinsics of one product or
/// of all, and the tile of an axis. Warps and how operands are copied are left
/// to who rates them.
static void
forEachNeighbour(const GroupModel &group, const ScheduleSpace &space,
                 const ScheduleCandidate &candidate,
                 llvm::function_ref<void(const ScheduleCandidate &)> visit) {
  auto tryAll = [&](auto &&values, auto &&choiceOf) {
    ScheduleCandidate other = candidate;
    auto &choice = choiceOf(other);
    auto chosen = choice;
    for (auto value : values)
      if (value != chosen) {
        choice = value;
        visit(other);
      }
  };
  tryAll(llvm::seq<unsigned>(0, space.expressions().size()),
         [](ScheduleCandidate &other) -> auto & { return other.expression; });
  tryAll(space.parts(),
         [](ScheduleCandidate &other) -> auto & { return other.parts; });
  tryAll(space.clusters(),
         [](ScheduleCandidate &other) -> auto & { return other.cluster; });
  tryAll(space.storeTransports(), [](ScheduleCandidate &other) -> auto & {
    return other.movement.inBulk;
  });
  for (int64_t parts : space.parts()) {
    ScheduleCandidate single = candidate;
    if (parts > 1 && space.splitIntoTiles(single, parts))
      visit(single);
  }
  tryAll(space.units(),
         [](ScheduleCandidate &other) -> auto & { return other.intrinsics; });
  for (unsigned product = 0; product < group.products.size(); ++product)
    tryAll(llvm::seq<unsigned>(0, space.intrinsics()[product].size()),
           [&](ScheduleCandidate &other) -> auto & {
             return other.intrinsics[product];
           });
  auto levels = llvm::seq<unsigned>(0, ScheduleSpace::kMostLevels + 1);
  for (unsigned tensor : space.operands())
    tryAll(levels, [&](ScheduleCandidate &other) -> auto & {
      return other.hoisted[tensor];
    });
  for (unsigned product : space.intermediates())
    tryAll(levels, [&](ScheduleCandidate &other) -> auto & {
      return other.kept[product];
    });
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    tryAll(space.allTiles(axis), [&](ScheduleCandidate &other) -> auto & {
      return other.tiles[axis];
    });
}

/// Judges neighbours of the ranked ones, best first, until those of all are.
static void judgeNeighbours(const GroupModel &group, const ScheduleSpace &space,
                            ScheduleRanking &ranking, int64_t most) {
  KeySet<CandidateKey> judged, left;
  auto judge = [&](const ScheduleCandidate &candidate) {
    if (space.mayFit(space.tilesOf(candidate)) && space.fillsParts(candidate) &&
        judged.insert(CandidateKey(space, candidate)).second)
      ranking.judgeAll(candidate, space.everyArrangement());
  };
  int64_t end = ranking.looked().checked() + most;
  auto isNext = [&](const ScheduleRanking::Entry &entry) {
    return left.insert(CandidateKey(space, entry.candidate)).second;
  };
  while (ranking.looked().checked() < end) {
    auto next = llvm::find_if(ranking.starts(), isNext);
    if (next == ranking.starts().end())
      return;
    ScheduleCandidate candidate = next->candidate; // judging moves entries
    judge(candidate);
    forEachNeighbour(group, space, candidate, judge);
  }
}

void fusion::rankRunnersUp(const GroupModel &group, const ChipInfo &chip,
                           const SearchOptions &options,
                           const ScheduleSpace &space, ScheduleRanking &ranking,
                           bool isProven, const BranchEffort &effort) {
  judgeNeighbours(group, space, ranking, effort.candidates);
  if (isProven)
    branchAndBound(group, chip, options, space, ranking, listRoots(space),
                   effort);
  uint64_t before;
  do {
    before = ranking.changes();
    refineStages(group, options, space, ranking);
  } while (ranking.changes() != before);
}
