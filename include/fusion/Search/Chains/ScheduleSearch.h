//===- ScheduleSearch.h - Chooses the schedule of a chain -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search sees plain structs only. Options choose the search space, the
// model that evaluates candidates, and the search method. Every answer is a
// complete schedule that lowering accepts. Equal options give an equal answer,
// on any machine and with any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_CHAINS_SCHEDULESEARCH_H
#define FUSION_SEARCH_CHAINS_SCHEDULESEARCH_H

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Search/Space/SearchResult.h"

namespace fusion {

/// Returns the share of a rough search's predicted time that the full search
/// saves at most, for nine groups in ten (`RoughSearchIsNear`). It grows with
/// the length of the chain, as there is more to find.
inline double roughness(size_t contractions) {
  return std::min(0.5,
                  0.06 * (contractions - std::min<size_t>(contractions, 1)));
}

/// Returns the legal schedule of least predicted time. Ties are broken by
/// smaller clusters, fewer producers, blocks of one tile and occupancy, then by
/// what a block waits for, fewer bytes, and the order of enumeration. Returns
/// nullopt with `reason` if no candidate is legal, or if the space or the model
/// does not cover the group.
std::optional<SearchResult> searchSchedule(const GroupModel &group,
                                           const ChipInfo &chip,
                                           std::string &reason,
                                           const SearchOptions &options = {});

} // namespace fusion

#endif // FUSION_SEARCH_CHAINS_SCHEDULESEARCH_H
