//===- BranchAndBound.h - Loops and tiles from the least bound on ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_BRANCHANDBOUND_H
#define FUSION_LIB_SEARCH_CHAINS_BRANCHANDBOUND_H

#include "ScheduleRanking.h"

namespace fusion {

/// Limits of a branch-and-bound search, beyond which it gives up.
struct BranchEffort {
  uint64_t branches = std::numeric_limits<uint64_t>::max(); ///< bounds computed
  int64_t candidates = std::numeric_limits<int64_t>::max();
};

/// A part of the search space: all tiles of one tiling expression whose last
/// contraction's reduction is split into `splits` partial results.
struct BranchRoot {
  unsigned expression;
  int64_t splits;

  bool operator==(const BranchRoot &other) const {
    return expression == other.expression && splits == other.splits;
  }
};

/// Returns the roots that cover the whole search space.
std::vector<BranchRoot> listRoots(const ScheduleSpace &space);

/// Evaluates all tiles of the given parts of the search space whose lower bound
/// (CostBound.h) is below the ranking's limit, in ascending order of the bound,
/// each with all warp arrangements. Chooses tiles axis by axis and then
/// intrinsics contraction by contraction, so that pruned candidates are never
/// listed. Returns whether the search came to its end: then no candidate of
/// `roots` is better than the ranking's best.
bool branchAndBound(const GroupModel &group, const ChipInfo &chip,
                    const SearchOptions &options, const ScheduleSpace &space,
                    ScheduleRanking &ranking, llvm::ArrayRef<BranchRoot> roots,
                    const BranchEffort &effort);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_BRANCHANDBOUND_H
