//===- PlaceRefinement.h - Stages of buffers --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each buffer of the best schedules has of its own, once their loops,
// tiles and warps are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_PLACEREFINEMENT_H
#define FUSION_LIB_SEARCH_PLACEREFINEMENT_H

#include "ScheduleRanking.h"

namespace fusion {

/// Judges the stages of each buffer alone, and of the fragments from it, in
/// each of the best schedules until nothing gets better: together they have
/// those of the largest that still fit. Buffers of outer loops are not among
/// them, since groups of copies are waited for in order (`checkSchedule`).
void refineStages(const GroupModel &group, const SearchOptions &options,
                  const ScheduleSpace &space, ScheduleRanking &ranking);

/// Judges tiles near those of the best schedules, of two axes at a time, as
/// long as that gets better; for the best schedule in other loops, too, and for
/// all with other operands that stay.
void refineTiles(const GroupModel &group, const SearchOptions &options,
                 const ScheduleSpace &space, ScheduleRanking &ranking);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_PLACEREFINEMENT_H
