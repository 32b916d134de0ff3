//===- BranchAndBound.h - Loops and tiles from the least bound on ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_BRANCHANDBOUND_H
#define FUSION_LIB_SEARCH_BRANCHANDBOUND_H

#include "ScheduleRanking.h"

namespace fusion {

/// What a search may take before it gives up.
struct BranchEffort {
  uint64_t branches = std::numeric_limits<uint64_t>::max(); ///< bounds computed
  int64_t candidates = std::numeric_limits<int64_t>::max();
};

/// A part of the space: the tiles of an expression with so many parts of the
/// last product's reduction.
struct BranchRoot {
  unsigned expression;
  int64_t splits;

  bool operator==(const BranchRoot &other) const {
    return expression == other.expression && splits == other.splits;
  }
};

/// All of the space.
std::vector<BranchRoot> listRoots(const ScheduleSpace &space);

/// Judges all tiles in these parts of the space whose bound (CostBound.h) is
/// less than the ranking's limit, from the least bound on, with all
/// arrangements of warps. Tiles are chosen axis by axis and then intrinsics
/// product by product, so that what is cut off is never listed. Returns whether
/// it came to the end, so that nothing of it is better.
bool branchAndBound(const GroupModel &group, const ChipInfo &chip,
                    const SearchOptions &options, const ScheduleSpace &space,
                    ScheduleRanking &ranking, llvm::ArrayRef<BranchRoot> roots,
                    const BranchEffort &effort);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_BRANCHANDBOUND_H
