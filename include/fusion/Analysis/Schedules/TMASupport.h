//===- TMASupport.h - What TMA copies can move ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_TMASUPPORT_H
#define FUSION_ANALYSIS_SCHEDULES_TMASUPPORT_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Returns the reason why TMA copies cannot fill the buffer of operand
/// `tensor`, or TMA stores cannot store result `tensor` from its buffer, or
/// nullopt. Reasons are:
///
/// * rows that are not at multiples of 16 bytes;
/// * windows;
/// * too many retained tiles;
/// * more than five dimensions;
/// * layouts in shared memory that are no swizzle;
/// * partial results.
///
/// cp.async, or loads and stores of threads, cover the other cases.
std::optional<std::string> whyNotTMA(const GroupModel &group,
                                     const Schedule &schedule,
                                     const ChipInfo &chip, unsigned tensor);

/// Returns the reason why the blocks of a cluster do not load operand `tensor`
/// by multicast, each a part of the tile's rows for all, or nullopt if they do.
/// The reasons: threads copy it, it differs between the blocks, or the number
/// of blocks does not divide its rows.
std::optional<std::string> whyNotMulticast(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned tensor);

/// Returns whether the blocks of a cluster load `tensor` by multicast.
bool isMulticast(const GroupModel &group, const Schedule &schedule,
                 unsigned tensor);

/// Returns the reason why TMA copies cannot fill the buffer of an operand or
/// store a result (the overload without `retained`), or nullopt. `retained` is
/// of the schedule's loops.
std::optional<std::string>
whyNotTMA(const GroupModel &group, const Schedule &schedule,
          const ChipInfo &chip, const RetainedTiles &retained, unsigned tensor);

/// Returns the reason why a block needs too many mbarriers, or nullopt. Each
/// stage and each retained tile that TMA loads fill needs its own.
std::optional<std::string> whyTooManyBarriers(const GroupModel &group,
                                              const Schedule &schedule,
                                              const RetainedTiles &retained);

/// Returns the operands that blocks copy to shared memory.
llvm::SmallVector<unsigned, 4> listCopied(const GroupModel &group,
                                          const Schedule &schedule);

/// Returns whether all blocks along the fastest grid axis load the same tiles
/// of the tensor, so that a cluster can fetch them once (`isMulticast`).
bool isSharedByNeighbours(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_TMASUPPORT_H
