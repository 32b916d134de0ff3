//===- LoopLegality.h - Loops, tiles and grids that lowering can do -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_LEGALITY_LOOPLEGALITY_H
#define FUSION_LIB_ANALYSIS_LEGALITY_LOOPLEGALITY_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"

namespace fusion {

/// Returns the reason why a schedule's loops, tiles, splits or grid cannot be
/// lowered, whatever its warps, places and stages, or nullopt. Sets `retained`,
/// which stays valid until the tree is changed.
std::optional<std::string> whyLoopsIllegal(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ChipInfo &chip,
                                           RetainedTiles &retained);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_LEGALITY_LOOPLEGALITY_H
