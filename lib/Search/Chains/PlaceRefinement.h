//===- PlaceRefinement.h - Stages of buffers --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refines fields that each buffer has for itself in the best schedules, once
// their loops, tiles and warps are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_PLACEREFINEMENT_H
#define FUSION_LIB_SEARCH_CHAINS_PLACEREFINEMENT_H

#include "ScheduleRanking.h"

namespace fusion {

/// Evaluates the stages of each buffer, and of the fragments read from it,
/// separately in each of the best schedules until none is faster. Earlier steps
/// give all buffers the largest common number of stages that fits. Buffers of
/// outer loops are left out, since groups of copies are waited for in order
/// (`checkSchedule`).
void refineStages(const GroupModel &group, const SearchOptions &options,
                  const ScheduleSpace &space, ScheduleRanking &ranking);

/// Evaluates tiles near those of the best schedules, of two axes at a time, as
/// long as that is faster. Also tries other loops for the best schedule, and
/// other retained operands for all of them.
void refineTiles(const GroupModel &group, const SearchOptions &options,
                 const ScheduleSpace &space, ScheduleRanking &ranking);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_PLACEREFINEMENT_H
