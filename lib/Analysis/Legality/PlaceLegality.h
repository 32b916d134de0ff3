//===- PlaceLegality.h - Warps, places and stages -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_LEGALITY_PLACELEGALITY_H
#define FUSION_LIB_ANALYSIS_LEGALITY_PLACELEGALITY_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"

namespace fusion {

/// Returns the reason why the schedule's warp arrangement cannot be lowered, or
/// nullopt. The loops are legal, and `retained` is theirs.
std::optional<std::string> whyWarpsIllegal(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ChipInfo &chip,
                                           const RetainedTiles &retained);

/// Returns the reason why some tensor's place, transport or number of stages
/// cannot be lowered with the schedule's loops and warps, or nullopt.
std::optional<std::string> whyPlacesIllegal(const GroupModel &group,
                                            const Schedule &schedule,
                                            const ChipInfo &chip,
                                            const RetainedTiles &retained);

/// Returns the reason why the stages cannot be lowered, or nullopt. Everything
/// else of the schedule has been accepted.
std::optional<std::string> whyStagesIllegal(const GroupModel &group,
                                            const Schedule &schedule,
                                            const ChipInfo &chip,
                                            const RetainedTiles &retained);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_LEGALITY_PLACELEGALITY_H
