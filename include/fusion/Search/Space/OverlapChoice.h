//===- OverlapChoice.h - MMAs beside the next iteration ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets the stages of contractions (`ContractionMapping::stages`): two where the
// MMAs of one iteration overlap with the next iteration, else one.
// `whyNotOverlapped` has the reasons against it. There are two kinds:
//
// * A contraction of a computed value overlaps with the computation of its next
//   value. This saves work and takes registers, so that the search tries both.
// * A contraction of loaded operands leaves its sum in flight. This costs
//   nothing but a stage of its operands, so that it follows from their stages.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_OVERLAPCHOICE_H
#define FUSION_SEARCH_SPACE_OVERLAPCHOICE_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Search/Space/SearchOptions.h"

namespace fusion {

/// Sets cross-iteration overlap for the contractions of computed values that
/// can have it with the schedule's loops, transports and warps. Returns whether
/// there are any.
bool setOverlaps(const GroupModel &group, Schedule &schedule);

/// Returns the contractions of loaded operands whose sums can stay in flight
/// with the schedule's loops, transports and warps, once there are stages. None
/// can by `model` if that is not the default one: printed models know of none.
llvm::SmallVector<unsigned, 4> sumsInFlight(const GroupModel &group,
                                            const Schedule &schedule,
                                            ModelKind model);

/// Sets the stages of the contractions `numbers`. Sums stay in flight where
/// three stages of their operands leave one to be filled meanwhile.
void setSumsInFlight(const GroupModel &group, Schedule &schedule,
                     llvm::ArrayRef<unsigned> numbers);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_OVERLAPCHOICE_H
