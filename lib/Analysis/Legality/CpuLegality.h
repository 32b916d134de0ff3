//===- CpuLegality.h - What a schedule for a CPU can have -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_LEGALITY_CPULEGALITY_H
#define FUSION_LIB_ANALYSIS_LEGALITY_CPULEGALITY_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

/// Returns the reason why a schedule has a field that a CPU lacks, or nullopt.
/// A core executes a block alone: there are no warps, clusters, producers and
/// stages. Tiles are read in place or packed. Contractions that are joined, or
/// share an operand, have the same LHS.
std::optional<std::string> whyNotForCpu(const GroupModel &group,
                                        const Schedule &schedule);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_LEGALITY_CPULEGALITY_H
