//===- BlockResources.h - What a block holds ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H
#define FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H

#include "fusion/Analysis/Footprint.h"

namespace fusion {

/// Sets what a block holds, `sharedMemory` and `registers`: all of a footprint
/// that depends on stages.
void countResources(const GroupModel &group, const Schedule &schedule,
                    const KeptTiles &kept, Footprint &footprint);

/// Bytes of the operands' buffers with one stage, less than which no warps and
/// stages need; of the schedule only loops, tiles and places are looked at.
int64_t leastSharedMemory(const GroupModel &group, const Schedule &schedule,
                          const KeptTiles &kept);

/// Registers that each thread of `warps` warps needs at least, however they are
/// arranged: those of the largest accumulator.
int64_t leastRegisters(const GroupModel &group, const Schedule &schedule,
                       const KeptTiles &kept, unsigned warps);

/// How many threads of a block hold each element of a tensor that is loaded
/// straight into registers.
int64_t countHolders(const Schedule &schedule, const GroupTensor &tensor);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_BLOCKRESOURCES_H
