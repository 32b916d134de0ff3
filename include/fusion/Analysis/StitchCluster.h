//===- StitchCluster.h - Rows that the blocks of a cluster share *- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row that is too long for the registers and the shared memory of one block
// has room in those of several: the blocks of a cluster have a tile of the axis
// each, all of them resident at a time. What each has of a reduction along the
// axis goes to the shared memory of all others, so that every block goes on
// with the result, unlike where blocks share reductions by way of global memory
// (StitchSplit.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHCLUSTER_H
#define FUSION_ANALYSIS_STITCHCLUSTER_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// The axis that the blocks of a cluster share; none where there are no
/// clusters.
std::optional<unsigned> clusterAxisOf(const StitchSchedule &schedule);
int64_t clusterSize(const StitchSchedule &schedule);

/// Places that a part of theirs has: in a loop through rows the blocks take
/// turns with two, so that one may be a step ahead.
int64_t clusterStages(const StitchSchedule &schedule);

/// Whether the blocks of a cluster exchange their parts of an operator's
/// result.
bool isSharedInCluster(const StitchGroup &group, const StitchSchedule &schedule,
                       unsigned op);

/// Elements of the result that a block has a part of at once.
int64_t countClusterPartial(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned op);
/// Bytes of shared memory of all parts that a block is given, which have places
/// of their own: other blocks may be ahead.
int64_t countClusterPartials(const StitchGroup &group,
                             const StitchSchedule &schedule);

/// Of elements `first` to `beyond` - 1 of the walked axis, those of steps whose
/// values are kept.
int64_t countRetained(const StitchSchedule &schedule, int64_t first,
                      int64_t beyond);

/// Why the blocks of a cluster cannot share an axis, or nullopt.
std::optional<std::string> checkCluster(const StitchGroup &group,
                                        const StitchSchedule &schedule,
                                        const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHCLUSTER_H
