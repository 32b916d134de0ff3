//===- RunnersUp.h - What comes next to the choice --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search for the best looks away from all that cannot be better, so what it
// has met besides is no ranking. Once the choice is made the next best ones are
// looked for in the same way, with the worst of those that are to be reported
// as the limit.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_RUNNERSUP_H
#define FUSION_LIB_SEARCH_RUNNERSUP_H

#include "BranchAndBound.h"

namespace fusion {

/// Fills the ranking, whose choice is made: with what differs in one choice
/// from the best one, then from the next one, and so on until all of the
/// ranking have been gone on from, and where `isProven` says that all of the
/// space can be listed with all of it. At last stages of each buffer are chosen
/// as for the best. Takes no more than the effort, each time.
void rankRunnersUp(const GroupModel &group, const ChipInfo &chip,
                   const SearchOptions &options, const ScheduleSpace &space,
                   ScheduleRanking &ranking, bool isProven,
                   const BranchEffort &effort);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_RUNNERSUP_H
