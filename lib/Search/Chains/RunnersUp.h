//===- RunnersUp.h - What comes next to the choice --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search for the best schedule skips all candidates that cannot be better, so
// the other candidates that it has evaluated are no ranking. Once the best one
// is chosen, the runners-up are searched in the same way, with the worst
// reported one as the limit.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_RUNNERSUP_H
#define FUSION_LIB_SEARCH_CHAINS_RUNNERSUP_H

#include "BranchAndBound.h"

namespace fusion {

/// Fills the ranking, whose best schedule is chosen, with runners-up. First
/// come neighbours of the best schedule that differ in one choice, then
/// neighbours of the second one, and so on until all ranked ones have been
/// expanded. Where `isProven` says that the whole search space can be listed,
/// all of it is searched with the ranking's limit. At last the stages of each
/// buffer are refined as for the best schedule. Each step is limited by
/// `effort`.
void rankRunnersUp(const GroupModel &group, const ChipInfo &chip,
                   const SearchOptions &options, const ScheduleSpace &space,
                   ScheduleRanking &ranking, bool isProven,
                   const BranchEffort &effort);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_RUNNERSUP_H
