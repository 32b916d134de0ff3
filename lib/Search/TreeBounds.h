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

namespace fusion {

/// The bounds of candidates, that of each tree computed once. Blocks of a
/// cluster share bytes, which no bound is about.
class TreeBounds {
public:
  TreeBounds(const GroupModel &group, const ChipInfo &chip,
             const ScheduleSpace &space)
      : group(group), chip(chip), space(space) {}

  /// Of all candidates with this one's tree and number of parts.
  const CostBound &of(const ScheduleCandidate &candidate) {
    std::unique_ptr<CostBound> &slot =
        bounds[{space.treeOf(candidate), candidate.parts}];
    if (!slot)
      slot = std::make_unique<CostBound>(
          group, space.outline(candidate),
          space.expressions()[candidate.expression].blocks, space.intrinsics(),
          chip);
    return *slot;
  }

  /// With its tiles and intrinsics.
  double seconds(const ScheduleCandidate &candidate) {
    return of(candidate).seconds(
        space.tilesOf(candidate),
        llvm::ArrayRef(candidate.intrinsics).take_front(group.products.size()));
  }

private:
  const GroupModel &group;
  const ChipInfo &chip;
  const ScheduleSpace &space;
  llvm::DenseMap<std::pair<unsigned, int64_t>, std::unique_ptr<CostBound>>
      bounds;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_TREEBOUNDS_H
