//===- BranchAndBound.cpp - Loops and tiles from the least bound on -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <queue>

using namespace fusion;
using llvm::ArrayRef;

namespace {

class BranchAndBound {
public:
  BranchAndBound(const GroupModel &group, const ChipInfo &chip,
                 const SearchOptions &options, const ScheduleSpace &space,
                 ScheduleRanking &ranking)
      : group(group), chip(chip), options(options), space(space),
        ranking(ranking) {}

  bool run(const BranchEffort &effort, ArrayRef<BranchRoot> roots);

private:
  /// Loops, and tiles of the first axes, with what they cost at least.
  struct Branch {
    double bound;
    uint64_t tiles; ///< mixed-radix number
    unsigned expression;
    unsigned part; ///< of `ScheduleSpace::parts`
    unsigned axis; ///< the first whose tile is not chosen

    /// Whether the other one is to be looked at first: the lesser bound, of
    /// equals what is nearer to a candidate.
    bool operator<(const Branch &other) const {
      return std::tie(bound, other.axis, part, expression, tiles) >
             std::tie(other.bound, axis, other.part, other.expression,
                      other.tiles);
    }
  };

  ScheduleCandidate decode(const Branch &branch) const;
  const CostBound &boundOf(const ScheduleCandidate &candidate,
                           const Branch &branch, unsigned live);
  void expand(const Branch &branch);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  ScheduleRanking &ranking;
  std::priority_queue<Branch> open;
  /// By expression, number of parts and live loops, which decide the tree.
  llvm::DenseMap<uint64_t, std::unique_ptr<CostBound>> bounds;
  std::string reason;
};

} // namespace

ScheduleCandidate BranchAndBound::decode(const Branch &branch) const {
  ScheduleCandidate candidate;
  candidate.expression = branch.expression;
  candidate.parts = space.parts()[branch.part];
  uint64_t number = branch.tiles;
  for (unsigned axis = branch.axis; axis-- > 0;) {
    ArrayRef<int64_t> list = space.leastTiles(axis);
    candidate.tiles[axis] = list[number % list.size()];
    number /= list.size();
  }
  return candidate;
}

/// The bound of the branch's expression and parts where these axes live; of the
/// candidate's tiles those before the branch's axis are chosen.
const CostBound &BranchAndBound::boundOf(const ScheduleCandidate &candidate,
                                         const Branch &branch, unsigned live) {
  uint64_t key =
      (uint64_t(branch.expression) * space.parts().size() + branch.part)
          << CostBound::kMaxAxes |
      live;
  std::unique_ptr<CostBound> &slot = bounds[key];
  if (!slot) {
    ScheduleCandidate shape = candidate;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      if (axis >= branch.axis)
        shape.tiles[axis] = std::max<int64_t>(1, group.axes[axis].extent);
    slot = std::make_unique<CostBound>(
        group, space.outline(shape),
        space.expressions()[branch.expression].blocks, chip);
  }
  return *slot;
}

/// Adds the branches with one tile more, as far as they may beat the best.
void BranchAndBound::expand(const Branch &branch) {
  ScheduleCandidate candidate = decode(branch);
  unsigned axis = branch.axis;
  Branch next = branch;
  ++next.axis;
  // Loops whose tiles are not chosen count as dead.
  unsigned live = 0;
  for (unsigned other = 0; other < axis; ++other)
    live |= unsigned(space.sequentialTrips(candidate, other) > 1) << other;
  std::optional<CostBound::Along> along[2]; // the axis is dead, or lives
  ArrayRef<int64_t> list = space.leastTiles(axis);
  for (auto [index, tile] : llvm::enumerate(list)) {
    candidate.tiles[axis] = tile;
    if (!space.fillsParts(candidate, axis) ||
        !space.mayFit(space.tilesOf(candidate)))
      break; // larger tiles are fewer, and fit less
    next.tiles = branch.tiles * list.size() + index;
    next.bound = branch.bound;
    if (ranking.hasBounds()) {
      unsigned lives = space.sequentialTrips(candidate, axis) > 1;
      if (!along[lives])
        along[lives].emplace(boundOf(candidate, next, live | lives << axis),
                             space.tilesOf(candidate), axis);
      next.bound = std::max(next.bound, along[lives]->seconds(tile));
    } else if (next.axis == group.axes.size() &&
               seesTilesOnly(options.model)) {
      // Models of loops and tiles are their own bounds.
      next.bound = predictSeconds(options.model, group,
                                  space.outline(candidate), chip, reason)
                       .value_or(kNever);
    }
    if (next.bound < ranking.best())
      open.push(next);
  }
}

/// From the least bound on, until none can be better than the best. Returns
/// false where that takes more than the effort.
bool BranchAndBound::run(const BranchEffort &effort,
                         ArrayRef<BranchRoot> roots) {
  auto all =
      llvm::to_vector(llvm::seq<unsigned>(0, space.arrangements().size()));
  for (const BranchRoot &root : roots) {
    unsigned part =
        llvm::find(space.parts(), root.parts) - space.parts().begin();
    open.push({0, 0, root.expression, part, 0});
  }
  int64_t start = ranking.candidates();
  uint64_t visits = 0;
  while (!open.empty() && open.top().bound < ranking.best()) {
    Branch branch = open.top();
    open.pop();
    if (branch.axis < group.axes.size()) {
      visits += space.leastTiles(branch.axis).size();
      expand(branch);
    } else {
      ranking.judgeAll(decode(branch), all);
    }
    if (visits > effort.branches ||
        ranking.candidates() - start > effort.candidates)
      return false;
  }
  return true;
}

std::vector<BranchRoot> fusion::listRoots(const ScheduleSpace &space) {
  std::vector<BranchRoot> roots;
  for (int64_t parts : space.parts())
    for (unsigned each = 0; each < space.expressions().size(); ++each)
      roots.push_back({each, parts});
  return roots;
}

bool fusion::branchAndBound(const GroupModel &group, const ChipInfo &chip,
                            const SearchOptions &options,
                            const ScheduleSpace &space,
                            ScheduleRanking &ranking,
                            ArrayRef<BranchRoot> roots,
                            const BranchEffort &effort) {
  return BranchAndBound(group, chip, options, space, ranking)
      .run(effort, roots);
}
