//===- StitchCluster.h - Rows that the blocks of a cluster share *- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row may be too long for the registers and the shared memory of one block,
// but fit into those of several. Each block of a cluster then holds a tile of
// the axis, and all of them are resident. Each block's partial result of a
// reduction along the axis goes to the shared memory of all others, so that
// every block has the result. In a split reduction, in contrast, the partial
// results pass through global memory (StitchSplit.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHCLUSTER_H
#define FUSION_ANALYSIS_STITCHING_STITCHCLUSTER_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// Return the axis along which the blocks of a cluster have tiles, nullopt
/// without clusters, and the number of these blocks.
std::optional<unsigned> clusterAxisOf(const StitchSchedule &schedule);
int64_t clusterSize(const StitchSchedule &schedule);

/// Returns the number of buffers for exchanged partial results. In a loop over
/// rows the blocks alternate between two, so that one block may be a step
/// ahead.
int64_t clusterStages(const StitchSchedule &schedule);

/// Returns whether the blocks of a cluster exchange partial results of an
/// operator.
bool isSharedInCluster(const StitchGroup &group, const StitchSchedule &schedule,
                       unsigned op);

/// Returns the elements of an operator's partial result in a block at a time.
int64_t countClusterPartial(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned op);
/// Returns the bytes of shared memory for all partial results that a block
/// receives. They have their own buffers, as other blocks may be ahead.
int64_t countClusterPartials(const StitchGroup &group,
                             const StitchSchedule &schedule);

/// Returns the number of elements from `first` to `beyond` - 1 of the serial
/// loop's axis that are in steps whose values are retained.
int64_t countRetained(const StitchSchedule &schedule, int64_t first,
                      int64_t beyond);

/// Returns the reason why the blocks of a cluster cannot have tiles of an axis,
/// or nullopt.
std::optional<std::string> checkCluster(const StitchGroup &group,
                                        const StitchSchedule &schedule,
                                        const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHCLUSTER_H
