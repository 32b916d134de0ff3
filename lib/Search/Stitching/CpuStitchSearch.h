//===- CpuStitchSearch.h - Schedules of stitched groups on CPUs -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_CPUSTITCHSEARCH_H
#define FUSION_LIB_SEARCH_STITCHING_CPUSTITCHSEARCH_H

#include "fusion/Search/Stitching/StitchSearch.h"

namespace fusion {

/// Searches the tiles of the axes and the steps of a serial loop for a CPU,
/// whose blocks have one thread. Tiles change one axis at a time, from tiles of
/// a few sizes. Returns nullopt with `reason` if no schedule is legal.
std::optional<StitchResult> searchStitchingCpu(const StitchGroup &group,
                                               const ChipInfo &chip,
                                               std::string &reason,
                                               StitchRanking *ranking);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_CPUSTITCHSEARCH_H
