//===- TreeBounds.h - What candidates take at least -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_TREEBOUNDS_H
#define FUSION_SEARCH_SPACE_TREEBOUNDS_H

#include "fusion/Search/Space/CostBound.h"
#include "fusion/Search/Space/ScheduleSpace.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <tuple>

namespace fusion {

/// The cost bounds of candidates, computed once for each tree and grid. Blocks
/// of a cluster share bytes, which the bounds do not know.
class TreeBounds {
public:
  TreeBounds(const GroupModel &group, const ChipInfo &chip,
             const ScheduleSpace &space)
      : group(group), chip(chip), space(space) {}

  /// Returns the cost bound of all candidates with this candidate's tree, split
  /// and grid axes. A tree has only the loops that live, i.e. that have more
  /// than one iteration. An axis whose tile is not chosen yet counts as dead,
  /// but may live in the end.
  const CostBound &of(const ScheduleCandidate &candidate) {
    llvm::ArrayRef<unsigned> grid =
        space.expressions()[candidate.expression].blocks;
    uint32_t axes = 0;
    for (unsigned axis : grid)
      axes |= 1u << axis;
    std::unique_ptr<CostBound> &slot =
        bounds[{space.treeOf(candidate), axes, candidate.splits}];
    if (!slot)
      slot = std::make_unique<CostBound>(group, space.outline(candidate), grid,
                                         space.intrinsics(), chip,
                                         space.mayOverlap());
    return *slot;
  }

  /// Returns the lower bound of the candidate's time, in seconds, with its
  /// tiles and intrinsics.
  double seconds(const ScheduleCandidate &candidate) {
    return of(candidate).seconds(space.tilesOf(candidate),
                                 llvm::ArrayRef(candidate.intrinsics)
                                     .take_front(group.contractions.size()));
  }

private:
  const GroupModel &group;
  const ChipInfo &chip;
  const ScheduleSpace &space;
  llvm::DenseMap<std::tuple<unsigned, uint32_t, int64_t>,
                 std::unique_ptr<CostBound>>
      bounds;
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_TREEBOUNDS_H
