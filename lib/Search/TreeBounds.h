//===- TreeBounds.h - What candidates take at least -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_TREEBOUNDS_H
#define FUSION_LIB_SEARCH_TREEBOUNDS_H

#include "fusion/Search/CostBound.h"
#include "fusion/Search/ScheduleSpace.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <tuple>

namespace fusion {

/// The bounds of candidates, that of each tree and grid computed once. Blocks
/// of a cluster share bytes, which no bound is about.
class TreeBounds {
public:
  TreeBounds(const GroupModel &group, const ChipInfo &chip,
             const ScheduleSpace &space)
      : group(group), chip(chip), space(space) {}

  /// Of all candidates with this one's tree, number of parts and axes that are
  /// bound to the grid. Of these a tree has those that live alone, but an axis
  /// whose tile is not chosen yet counts as dead and may live in the end.
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

  /// With its tiles and intrinsics.
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

#endif // FUSION_LIB_SEARCH_TREEBOUNDS_H
