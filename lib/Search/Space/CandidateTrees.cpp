//===- CandidateTrees.cpp - Tiling trees of candidates --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate's tree follows from its expression, the loops that live, the
// placement of row statistics, and the moves of loads and computations out of
// loops. Trees are made once and numbered (TreeCache.h).
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleSpace.h"
#include "fusion/Search/Space/TreeCache.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns where row statistics are computed. The candidate's choice for the
/// first ones of an operand holds for all row statistics of that operand.
SmallVector<StatisticsPlacement, 1>
ScheduleSpace::placePasses(const ScheduleCandidate &candidate) const {
  SmallVector<StatisticsPlacement, 1> places;
  for (const RowStatistics &pass : group.rowStatistics) {
    const RowStatistics &first =
        *llvm::find_if(group.rowStatistics, [&](const RowStatistics &other) {
          return other.contraction == pass.contraction &&
                 other.operandNumber == pass.operandNumber;
        });
    StatisticsPlacement usual = defaultPlacement(group, first);
    switch (candidate.placementOf(first.rows)) {
    case RowPassPlacement::Default:
      places.push_back(usual);
      break;
    case RowPassPlacement::Resident:
      places.push_back(StatisticsPlacement::Resident);
      break;
    case RowPassPlacement::Other:
      places.push_back(usual == StatisticsPlacement::Together
                           ? StatisticsPlacement::Ahead
                           : StatisticsPlacement::Together);
      break;
    }
  }
  return places;
}

/// Returns the tree with one more move, or `tree` where it has no loops to move
/// out of.
TreeCache::Tree ScheduleSpace::applyMove(const TreeCache::Tree &tree,
                                         bool isLoad, unsigned index,
                                         unsigned levels) const {
  TreeMove move{tree->number, isLoad, uint16_t(index), levels};
  if (TreeCache::Tree known = trees->find(move))
    return known;
  auto moved =
      isLoad
          ? hoistLoad(group, tree->loops, index, levels, tree->blocks)
          : retainIntermediate(group, tree->loops, index, levels, tree->blocks);
  TreeCache::Tree result =
      moved ? trees->number({tree->blocks, std::move(*moved)}, group) : tree;
  trees->add(move, result);
  return result;
}

TreeKey ScheduleSpace::keyOf(const ScheduleCandidate &candidate) const {
  TreeKey key;
  key.loops = candidate.expression;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    key.loops = key.loops << 1 | (sequentialTrips(candidate, axis) > 1);
  key.hoisted = candidate.hoisted;
  key.retained = candidate.retained;
  return key;
}

/// Makes the candidate's tree and grid. They follow from the loops that live,
/// the reduction prepasses and the moves. Consumers are moved first, as
/// statements that are moved with a producer stay with it.
TreeCache::Tree
ScheduleSpace::makeTree(const ScheduleCandidate &candidate) const {
  TreeKey key = keyOf(candidate), unmoved = key;
  if (TreeCache::Tree known = trees->find(key))
    return known;
  auto isMovable = [&](unsigned tensor) {
    return group.tensors[tensor].role == TensorRole::Operand;
  };
  unmoved.retained = {};
  for (unsigned tensor : llvm::make_filter_range(movable, isMovable))
    unmoved.hoisted[tensor] = 0;
  TreeCache::Tree tree = trees->find(unmoved);
  if (!tree) {
    Schedule schedule = tile(candidate);
    builder.setLoops(schedule, bound[candidate.expression], /*hoists=*/true,
                     placePasses(candidate));
    tree = trees->number({std::move(schedule.blocks), std::move(schedule.tree)},
                         group);
    trees->add(unmoved, tree);
  }
  for (unsigned contraction : llvm::reverse(retainable))
    if (unsigned levels = candidate.retained[contraction])
      tree = applyMove(tree, /*isLoad=*/false, contraction, levels);
  for (unsigned tensor : llvm::make_filter_range(movable, isMovable))
    if (unsigned levels = candidate.hoisted[tensor])
      tree = applyMove(tree, /*isLoad=*/true, tensor, levels);
  trees->add(key, tree);
  return tree;
}

unsigned ScheduleSpace::treeOf(const ScheduleCandidate &candidate) const {
  if (std::optional<unsigned> known = trees->findNumber(keyOf(candidate)))
    return *known;
  return makeTree(candidate)->number;
}

/// Sets how many loops out values are retained, consumers first as in
/// `makeTree`.
void ScheduleSpace::retainOutside(ScheduleCandidate &candidate,
                                  uint64_t contractions) const {
  candidate.retained = {};
  if (!contractions)
    return;
  TreeKey key = keyOf(candidate);
  for (auto [index, contraction] : llvm::enumerate(retainable))
    key.retained[contraction] = contractions >> index & 1;
  candidate.retained = trees->findRetained(key, [&] {
    decltype(candidate.retained) retained{};
    TreeCache::Tree tree = makeTree(candidate);
    for (unsigned contraction : llvm::reverse(retainable))
      for (unsigned levels = kMaxLevels;
           key.retained[contraction] && levels > 0; --levels) {
        TreeCache::Tree moved =
            applyMove(tree, /*isLoad=*/false, contraction, levels);
        if (moved->number != tree->number) {
          tree = std::move(moved);
          retained[contraction] = levels;
          break;
        }
      }
    return retained;
  });
}
