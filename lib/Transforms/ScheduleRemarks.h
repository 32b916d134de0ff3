//===- ScheduleRemarks.h - What a search of schedules says --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SCHEDULEREMARKS_H
#define FUSION_LIB_TRANSFORMS_SCHEDULEREMARKS_H

#include "fusion/Analysis/GroupAxes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/ScheduleSearch.h"

namespace fusion {

/// What was chosen, in plain words.
void explainChoice(fuse::FusedGroupOpInterface group, const GroupModel &model,
                   const SearchResult &found, const SearchOptions &options);

/// A part without a tile adds zero, at the price of one with tiles.
void warnOfEmptyParts(fuse::FusedGroupOpInterface group,
                      const GroupModel &model, const Schedule &schedule);

/// Why threads copy what the chip could copy in bulk.
void explainTransports(fuse::FusedGroupOpInterface group,
                       const GroupModel &model, const Schedule &schedule,
                       const SearchOptions &options, const ChipInfo &chip);

/// Why no warps only copy, blocks are not in clusters, and so on, where the
/// chip has the means.
void explainMovement(fuse::FusedGroupOpInterface group, const GroupModel &model,
                     const SearchResult &found, const ChipInfo &chip);

/// Where MCFuser's third rule leaves tiles that are worse than others by more
/// than the paper allows.
void explainPadding(fuse::FusedGroupOpInterface group,
                    const SearchResult &found);

/// What the measured ones of the ranking, which is sorted by that, gained.
void explainMeasurement(fuse::FusedGroupOpInterface group,
                        const GroupModel &model, const SearchResult &found);

/// What bounds each sequential loop, by ALCOP's model in its continuous form.
void explainLoops(fuse::FusedGroupOpInterface group, const GroupModel &model,
                  const Schedule &schedule, const ChipInfo &chip);

/// How many tiles masks leave out, or why all are visited.
void explainMasks(fuse::FusedGroupOpInterface group, const GroupAxes &axes,
                  const Schedule &schedule);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SCHEDULEREMARKS_H
