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

using namespace fusion;

/// Calls `visit` with every candidate that differs in one choice, or is split
/// into single tiles. Leaves fields unchanged that the evaluator chooses or
/// that only order blocks (`DimensionInfo::isEvaluated`, `isOrderOfBlocks`).
/// Tiles come last, as they are many.
static void
forEachNeighbour(const ScheduleSpace &space, const ScheduleCandidate &candidate,
                 llvm::function_ref<void(const ScheduleCandidate &)> visit) {
  using Scope = DimensionInfo::Scope;
  auto step = [&](llvm::ArrayRef<Scope> scopes) {
    for (const ScheduleDimension &dimension : space.dimensions())
      if (llvm::is_contained(scopes, dimension.scope) &&
          !dimension.isEvaluated && !dimension.isOrderOfBlocks)
        dimension.forEachStep(candidate, visit);
  };
  step(Scope::Schedule);
  for (int64_t parts : space.splits()) {
    ScheduleCandidate single = candidate;
    if (parts > 1 && space.splitIntoTiles(single, parts))
      visit(single);
  }
  step({Scope::Contraction, Scope::Tensor});
  step(Scope::Axis);
}

/// Evaluates neighbours of the ranked candidates, best first, until all ranked
/// ones have been expanded.
static void evaluateNeighbours(const ScheduleSpace &space,
                               ScheduleRanking &ranking, int64_t most) {
  KeySet<CandidateKey> judged, left;
  auto judge = [&](const ScheduleCandidate &candidate) {
    if (space.mayFit(space.tilesOf(candidate)) &&
        space.fillsSplits(candidate) &&
        judged.insert(CandidateKey(space, candidate)).second)
      ranking.evaluateAll(candidate, space.everyArrangement());
  };
  int64_t end = ranking.looked().checked() + most;
  auto isNext = [&](const ScheduleRanking::Entry &entry) {
    return left.insert(CandidateKey(space, entry.candidate)).second;
  };
  while (ranking.looked().checked() < end) {
    auto next = llvm::find_if(ranking.starts(), isNext);
    if (next == ranking.starts().end())
      return;
    ScheduleCandidate candidate = next->candidate; // a copy: evaluation moves
                                                   // entries
    judge(candidate);
    forEachNeighbour(space, candidate, judge);
  }
}

void fusion::rankRunnersUp(const GroupModel &group, const ChipInfo &chip,
                           const SearchOptions &options,
                           const ScheduleSpace &space, ScheduleRanking &ranking,
                           bool isProven, const BranchEffort &effort) {
  evaluateNeighbours(space, ranking, effort.candidates);
  if (isProven)
    branchAndBound(group, chip, options, space, ranking, listRoots(space),
                   effort);
  uint64_t before;
  do {
    before = ranking.changes();
    refineStages(group, options, space, ranking);
  } while (ranking.changes() != before);
}
