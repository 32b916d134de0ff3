//===- ScheduleSearch.h - Chooses the schedule of a chain ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SCHEDULESEARCH_H
#define FUSION_SEARCH_SCHEDULESEARCH_H

#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/ScheduleLegality.h"

namespace fusion {

/// A candidate with what is known of it.
struct RatedSchedule {
  Schedule schedule;
  Footprint footprint;
  Cost cost;
};

struct SearchResult : RatedSchedule {
  int64_t candidates = 0; ///< looked at
  int64_t legal = 0;      ///< of them, those that lowering accepts
  int64_t bounded = 0;    ///< legal ones whose pipelines cannot beat the best
  /// The best ones with different tiles or warps, the chosen one first: as many as
  /// the options ask for.
  std::vector<RatedSchedule> ranking;
};

/// What the search may choose from.
struct SearchOptions {
  unsigned mostStages = 8;         ///< of a buffer in shared memory
  unsigned mostRegisterStages = 2;
  unsigned ranked = 1;             ///< candidates to report
  /// Instead of the best candidate, a legal one drawn with this seed.
  std::optional<uint64_t> randomSeed = {};
};

/// Products of the largest group that is searched: beyond, what one block
/// computes again for each tile of the later products outweighs anything saved.
constexpr unsigned kMostProducts = 8;

/// The legal schedule of least predicted time among: result axes bound to the
/// grid, reductions nested with the last product's outermost, powers of two and
/// whole axes as tiles, the usual arrangements of one to eight warps, and stages
/// for the operands of one loop, with and without the register level; from the best
/// of these, axis by axis, other multiples of 16 as tiles; of long chains, those
/// that a descent axis by axis meets. Equal
/// times are decided by fewer bytes, then by the order of enumeration, so the
/// answer is the same everywhere. Returns nullopt with `reason` where no
/// candidate is legal.
std::optional<SearchResult> searchSchedule(const GroupModel &group,
                                           const ChipInfo &chip,
                                           std::string &reason,
                                           const SearchOptions &options = {});

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESEARCH_H
