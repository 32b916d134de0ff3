//===- PlaceLegality.h - Warps, places and stages -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_PLACELEGALITY_H
#define FUSION_LIB_ANALYSIS_PLACELEGALITY_H

#include "fusion/Analysis/RetainedTiles.h"

namespace fusion {

/// Why the arrangement of warps of a schedule, whose loops are legal, cannot be
/// lowered, or nullopt where it can. `kept` is of these loops.
std::optional<std::string> whyWarpsIllegal(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ChipInfo &chip,
                                           const RetainedTiles &retained);

/// Why some tensor's place, transport or number of stages cannot be lowered
/// with these loops and warps, or nullopt where all can.
std::optional<std::string> whyPlacesIllegal(const GroupModel &group,
                                            const Schedule &schedule,
                                            const ChipInfo &chip,
                                            const RetainedTiles &retained);

/// The same where everything else but the stages was accepted.
std::optional<std::string> whyStagesIllegal(const GroupModel &group,
                                            const Schedule &schedule,
                                            const ChipInfo &chip,
                                            const RetainedTiles &retained);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_PLACELEGALITY_H
