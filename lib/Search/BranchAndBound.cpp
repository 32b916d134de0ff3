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

  /// Loops and tiles with what they cost at least.
  struct Leaf {
    double bound;
    uint64_t tiles; ///< mixed-radix number
    unsigned expression;
    int64_t parts;
  };

  bool listLeaves(std::vector<Leaf> &leaves, uint64_t mostVisits);
  bool branch(const std::vector<Leaf> &leaves, bool isLimited);

private:
  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  ScheduleRanking &ranking;
};

} // namespace

/// All loops and tiles that may beat the best so far, by their bounds. Returns
/// false where looking for them visits too many.
bool BranchAndBound::listLeaves(std::vector<Leaf> &leaves,
                                uint64_t mostVisits) {
  uint64_t visits = 0;
  unsigned count = group.axes.size();
  ScheduleCandidate candidate;
  std::string reason;
  auto listOf = [&](unsigned each, int64_t parts) {
    candidate.expression = each;
    candidate.parts = parts;
    candidate.tiles.fill(0);
    llvm::DenseMap<unsigned, std::unique_ptr<CostBound>> bounds;
    // The tree, and with it the bound, depends on which loops live.
    auto boundOf = [&](unsigned live) -> double {
      std::unique_ptr<CostBound> &slot = bounds[live];
      if (!slot) {
        ScheduleCandidate shape = candidate;
        shape.parts = 1;
        for (unsigned axis = 0; axis < count; ++axis)
          shape.tiles[axis] =
              live >> axis & 1 ? 1
                               : std::max<int64_t>(1, group.axes[axis].extent);
        slot = std::make_unique<CostBound>(group, space.outline(shape).tree,
                                           space.expressions()[each].blocks,
                                           chip, parts);
      }
      return slot->seconds(space.tilesOf(candidate));
    };
    auto choose = [&](auto &&self, unsigned axis, unsigned live,
                      uint64_t number) -> bool {
      if (++visits > mostVisits)
        return false;
      double least = ranking.hasBounds() ? boundOf(live) : 0;
      if (least >= ranking.best() || !space.mayFit(space.tilesOf(candidate)))
        return true;
      if (axis == count) {
        // Models of loops and tiles are their own bounds.
        if (seesTilesOnly(options.model))
          least = predictSeconds(options.model, group, space.outline(candidate),
                                 chip, reason)
                      .value_or(kNever);
        if (least < ranking.best())
          leaves.push_back({least, number, each, parts});
        return true;
      }
      ArrayRef<int64_t> list = space.leastTiles(axis);
      for (auto [index, tile] : llvm::enumerate(list)) {
        candidate.tiles[axis] = tile;
        if (!space.fillsParts(candidate, axis))
          break; // larger tiles are fewer
        bool isLive = space.sequentialTrips(candidate, axis) > 1;
        if (!self(self, axis + 1, live | unsigned(isLive) << axis,
                  number * list.size() + index))
          return false;
      }
      candidate.tiles[axis] = 0;
      return true;
    };
    return choose(choose, 0, 0, 0);
  };
  for (int64_t parts : space.parts())
    for (unsigned each = 0; each < space.expressions().size(); ++each)
      if (!listOf(each, parts))
        return false;
  llvm::sort(leaves, [](const Leaf &a, const Leaf &b) {
    return std::tie(a.bound, a.parts, a.expression, a.tiles) <
           std::tie(b.bound, b.parts, b.expression, b.tiles);
  });
  return true;
}

/// From the least bound on, until no leaf can be better than the best. Returns
/// false where that looks at too many candidates.
bool BranchAndBound::branch(const std::vector<Leaf> &leaves, bool isLimited) {
  constexpr int64_t affordable = 60000;
  int64_t start = ranking.candidates();
  auto all =
      llvm::to_vector(llvm::seq<unsigned>(0, space.arrangements().size()));
  for (const Leaf &leaf : leaves) {
    if (leaf.bound >= ranking.best())
      break;
    if (isLimited && ranking.candidates() - start > affordable)
      return false;
    ScheduleCandidate candidate;
    candidate.expression = leaf.expression;
    candidate.parts = leaf.parts;
    uint64_t number = leaf.tiles;
    for (unsigned axis = group.axes.size(); axis-- > 0;) {
      ArrayRef<int64_t> list = space.leastTiles(axis);
      candidate.tiles[axis] = list[number % list.size()];
      number /= list.size();
    }
    ranking.judgeAll(candidate, isLimited ? space.usualArrangements() : all);
  }
  return true;
}

bool fusion::branchAndBound(const GroupModel &group, const ChipInfo &chip,
                            const SearchOptions &options,
                            const ScheduleSpace &space,
                            ScheduleRanking &ranking) {
  bool isLimited = options.method == SearchMethod::Auto;
  constexpr uint64_t affordable = 1 << 18, possible = uint64_t(1) << 32;
  BranchAndBound search(group, chip, options, space, ranking);
  std::vector<BranchAndBound::Leaf> leaves;
  return search.listLeaves(leaves, isLimited ? affordable : possible) &&
         search.branch(leaves, isLimited);
}
