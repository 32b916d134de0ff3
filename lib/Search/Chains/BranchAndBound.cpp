//===- BranchAndBound.cpp - Loops and tiles from the least bound on -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BranchAndBound.h"
#include "fusion/Search/Space/TreeBounds.h"
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
        ranking(ranking), bounds(group, chip, space) {}

  bool run(const BranchEffort &effort, ArrayRef<BranchRoot> roots);

private:
  /// A set of candidates that share an expression, a split and the choices of
  /// the first steps: tiles of axes, then intrinsics of contractions. Has a
  /// lower bound of their times.
  struct Branch {
    double bound;
    uint64_t choices; ///< mixed-radix number, a digit of each step
    unsigned expression;
    unsigned part; ///< of `ScheduleSpace::splits`
    unsigned step; ///< the first that is not chosen

    /// Returns whether the other branch is to be looked at first: the one with
    /// the lesser bound; of equal bounds the one with more chosen steps.
    bool operator<(const Branch &other) const {
      return std::tie(bound, other.step, part, expression, choices) >
             std::tie(other.bound, step, other.part, other.expression,
                      other.choices);
    }
  };

  ScheduleCandidate decode(const Branch &branch) const;
  const CostBound &boundOf(ScheduleCandidate candidate, const Branch &branch);
  void expand(const Branch &branch);
  void expandIntrinsics(const Branch &branch);
  /// Returns how many values a step chooses from.
  size_t width(unsigned step) const {
    unsigned axes = group.axes.size();
    return step < axes ? space.minTiles(step).size()
                       : space.intrinsics()[step - axes].size();
  }
  bool isComplete(const Branch &branch) const {
    return branch.step == group.axes.size() + group.contractions.size();
  }
  /// Adds a branch to the queue. Skips steps of contractions with one
  /// intrinsic, which have nothing to choose.
  void push(Branch branch) {
    while (branch.step >= group.axes.size() && !isComplete(branch) &&
           width(branch.step) == 1)
      ++branch.step;
    open.push(branch);
  }

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  ScheduleRanking &ranking;
  std::priority_queue<Branch> open;
  TreeBounds bounds;
  std::string reason;
};

} // namespace

ScheduleCandidate BranchAndBound::decode(const Branch &branch) const {
  ScheduleCandidate candidate;
  candidate.expression = branch.expression;
  candidate.splits = space.splits()[branch.part];
  unsigned axes = group.axes.size();
  uint64_t number = branch.choices;
  for (unsigned step = branch.step; step-- > 0;) {
    size_t digit = number % width(step);
    number /= width(step);
    if (step < axes)
      candidate.tiles[step] = space.minTiles(step)[digit];
    else
      candidate.intrinsics[step - axes] = digit;
  }
  return candidate;
}

/// Returns the bound of the branch's candidates. The tiles of axes before the
/// branch's step are chosen; the loops of other axes count as dead.
const CostBound &BranchAndBound::boundOf(ScheduleCandidate candidate,
                                         const Branch &branch) {
  candidate.intrinsics = {};
  for (unsigned axis = branch.step; axis < group.axes.size(); ++axis)
    candidate.tiles[axis] = std::max<int64_t>(1, group.axes[axis].extent);
  return bounds.of(candidate);
}

/// Adds the branches that choose one tile more and may beat the best schedule.
void BranchAndBound::expand(const Branch &branch) {
  ScheduleCandidate candidate = decode(branch);
  unsigned axis = branch.step;
  Branch next = branch;
  ++next.step;
  std::optional<CostBound::Along> along[2]; // the axis is dead, or lives
  ArrayRef<int64_t> list = space.minTiles(axis);
  auto chosenTiles = [&] {
    return space.tilesOf(candidate).take_front(next.step);
  };
  for (auto [index, tile] : llvm::enumerate(list)) {
    candidate.tiles[axis] = tile;
    if (!space.fillsSplits(candidate, axis) || !space.mayFit(chosenTiles()))
      break; // larger tiles are fewer, and fit less
    next.choices = branch.choices * list.size() + index;
    next.bound = branch.bound;
    if (ranking.hasBounds()) {
      unsigned lives = space.sequentialTrips(candidate, axis) > 1;
      if (!along[lives])
        along[lives].emplace(boundOf(candidate, next), chosenTiles(), axis);
      next.bound = std::max(next.bound, along[lives]->seconds(tile));
    } else if (next.step == group.axes.size() && seesTilesOnly(options.model)) {
      // Models of loops and tiles are their own bounds.
      next.bound = predictSeconds(options.model, group,
                                  space.outline(candidate), chip, reason)
                       .value_or(kNever);
    }
    if (next.bound < ranking.limit())
      push(next);
  }
}

/// Adds the branches that choose one contraction's intrinsic more and may beat
/// the best schedule.
void BranchAndBound::expandIntrinsics(const Branch &branch) {
  unsigned axes = group.axes.size(), contraction = branch.step - axes;
  Branch next = branch;
  ++next.step;
  size_t count = width(branch.step);
  next.choices = branch.choices * count;
  ScheduleCandidate candidate = decode(branch);
  const CostBound *bound =
      ranking.hasBounds() ? &boundOf(candidate, branch) : nullptr;
  for (size_t number = 0; number < count; ++number, ++next.choices) {
    candidate.intrinsics[contraction] = number;
    if (bound)
      next.bound = std::max(
          branch.bound,
          bound->seconds(
              space.tilesOf(candidate),
              ArrayRef(candidate.intrinsics).take_front(contraction + 1)));
    if (next.bound < ranking.limit())
      push(next);
  }
}

/// Expands branches in ascending order of their bounds until none can beat the
/// best schedule. Returns false if that takes more than the effort.
bool BranchAndBound::run(const BranchEffort &effort,
                         ArrayRef<BranchRoot> roots) {
  auto all =
      llvm::to_vector(llvm::seq<unsigned>(0, space.arrangements().size()));
  for (const BranchRoot &root : roots) {
    unsigned part =
        llvm::find(space.splits(), root.splits) - space.splits().begin();
    open.push({0, 0, root.expression, part, 0});
  }
  int64_t start = ranking.looked().all();
  uint64_t visits = 0;
  while (!open.empty() && open.top().bound < ranking.limit()) {
    Branch branch = open.top();
    open.pop();
    if (isComplete(branch)) {
      ranking.evaluateAll(decode(branch), all);
    } else if (visits += width(branch.step); branch.step < group.axes.size()) {
      expand(branch);
    } else {
      expandIntrinsics(branch);
    }
    if (options.isStopped() || visits > effort.branches ||
        ranking.looked().all() - start > effort.candidates)
      return false;
  }
  return true;
}

std::vector<BranchRoot> fusion::listRoots(const ScheduleSpace &space) {
  std::vector<BranchRoot> roots;
  for (int64_t parts : space.splits())
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
