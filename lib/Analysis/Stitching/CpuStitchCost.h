//===- CpuStitchCost.h - Time of a stitched group on a CPU ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_CPUSTITCHCOST_H
#define FUSION_LIB_ANALYSIS_STITCHING_CPUSTITCHCOST_H

#include "fusion/Analysis/Stitching/StitchCost.h"

namespace fusion {

/// Predicts a schedule of a group on a CPU. `issue` are the instructions of the
/// busiest core, `traffic` its bytes from L3 and `memory` those from DRAM, each
/// in seconds; `waves` are its blocks. `chip` is a CPU.
StitchCost predictStitchingCpu(const StitchGroup &group, const StitchWork &work,
                               const StitchSchedule &schedule,
                               const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_CPUSTITCHCOST_H
