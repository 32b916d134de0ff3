//===- RegisterBudgets.h - Registers by the kind of warp --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_REGISTERBUDGETS_H
#define FUSION_ANALYSIS_RESOURCES_REGISTERBUDGETS_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Registers of a thread, by the kind of its warp.
struct RegisterBudgets {
  int64_t atFirst; ///< of all warps, at launch
  int64_t producer, consumer;
};

/// Returns the register reallocation between `producers` producer warps and the
/// others with this many blocks on an SM. Returns nullopt if there is none: the
/// chip has no setmaxnreg, or the warps of either kind are no whole warpgroups,
/// which execute it together. A producer keeps the fewest registers that the
/// chip allows, or `producer` if that is more.
std::optional<RegisterBudgets> registerBudgets(int64_t warps, int64_t producers,
                                               int64_t blocksPerSM,
                                               const ChipInfo &chip,
                                               int64_t producer = 0);

/// Returns the registers that a thread of a producer keeps after register
/// reallocation: the fewest that the chip allows. A producer that recomputes
/// the range of masked tiles for each tile of a persistent block gets more, as
/// ptxas would spill some.
int64_t producerRegisters(const Schedule &schedule);

/// Returns the most registers that a thread of `warps` consumer warps can have.
/// Producers keep the fewest, or as many as the consumers.
int64_t maxRegisters(const Schedule &schedule, int64_t warps,
                     const ChipInfo &chip);

/// Returns the number of warps for which a block allocates registers if all
/// warps have equally many. With producers each sub-partition of an SM counts
/// as many warps as the fullest one.
int64_t allocatedWarps(int64_t warps, int64_t producers);

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_REGISTERBUDGETS_H
