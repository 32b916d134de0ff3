//===- ScheduleRemarks.h - What a search of schedules says --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SCHEDULING_SCHEDULEREMARKS_H
#define FUSION_LIB_TRANSFORMS_SCHEDULING_SCHEDULEREMARKS_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Chains/ScheduleSearch.h"

namespace fusion {

/// Emits a remark that describes the chosen schedule.
void explainChoice(fuse::FusedGroupOpInterface group, const GroupModel &model,
                   const SearchResult &found, const SearchOptions &options);

/// Warns of blocks of a split reduction that have no tile: each adds zero, at
/// the cost of one with tiles.
void warnOfEmptyParts(fuse::FusedGroupOpInterface group,
                      const GroupModel &model, const Schedule &schedule);

/// Explains why threads copy tensors that the chip could copy by TMA.
void explainTransports(fuse::FusedGroupOpInterface group,
                       const GroupModel &model, const Schedule &schedule,
                       const SearchOptions &options, const ChipInfo &chip);

/// Explains why there are no producer warps, no clusters, and so on, if the
/// chip supports them.
void explainMovement(fuse::FusedGroupOpInterface group, const GroupModel &model,
                     const SearchResult &found, const ChipInfo &chip);

/// Warns if MCFuser's third rule leaves only tiles that are slower than others
/// by more than the paper allows.
void explainPadding(fuse::FusedGroupOpInterface group,
                    const SearchResult &found);

/// Describes what measurement gained. The ranking is sorted by measured times.
void explainMeasurement(fuse::FusedGroupOpInterface group,
                        const GroupModel &model, const SearchResult &found);

/// Describes what bounds each sequential loop, by ALCOP's model in its
/// continuous form.
void explainLoops(fuse::FusedGroupOpInterface group, const GroupModel &model,
                  const Schedule &schedule, const ChipInfo &chip);

/// Describes how many tiles are masked, or why all are visited.
void explainMasks(fuse::FusedGroupOpInterface group, const GroupAxes &axes,
                  const Schedule &schedule);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SCHEDULING_SCHEDULEREMARKS_H
