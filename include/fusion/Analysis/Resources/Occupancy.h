//===- Occupancy.h - Blocks that an SM holds --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_OCCUPANCY_H
#define FUSION_ANALYSIS_RESOURCES_OCCUPANCY_H

#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Factor on `Footprint::registers` that keeps ptxas from spilling. A few
/// drawn schedules of a thousand need more, and none that a search chooses does
/// (registers.py). Searches keep this margin, as a spill costs more than
/// registers gain, and so does the count of resident blocks.
constexpr double kRegisterMargin = 1.15;

/// Returns `Footprint::registers` times `kRegisterMargin`, at most the
/// registers that the chip gives a thread.
int64_t registersWithRoom(const Footprint &footprint, const ChipInfo &chip);

/// Returns whether the registers fit with `kRegisterMargin`.
bool hasRegisterRoom(const Schedule &schedule, const Footprint &footprint,
                     const ChipInfo &chip);

/// Returns the resident blocks of this schedule on one SM, by shared memory,
/// registers, warps and blocks.
int64_t blocksPerSM(const Schedule &schedule, const Footprint &footprint,
                    const ChipInfo &chip);

/// Returns the resident blocks of this schedule on the chip, with `blocksPerSM`
/// blocks on each SM. Clusters are resident as a whole, within a GPC.
inline int64_t residentSlots(const Schedule &schedule, int64_t blocksPerSM,
                             const ChipInfo &chip) {
  return chip.residentBlocks(blocksPerSM, schedule.clusterBlocks());
}

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_OCCUPANCY_H
