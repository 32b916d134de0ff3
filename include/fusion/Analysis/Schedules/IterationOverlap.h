//===- IterationOverlap.h - MMAs beside other work --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores multiply while other units compute: values of the same
// warpgroup's next iteration (cross-iteration overlap), or values of a
// different warpgroup (ping-pong scheduling).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_ITERATIONOVERLAP_H
#define FUSION_ANALYSIS_SCHEDULES_ITERATIONOVERLAP_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Target/Chips/Hardware.h"

namespace fusion {

/// Returns the contraction whose result is A of contraction `number`'s
/// intrinsic, or nullopt if A is loaded.
std::optional<unsigned> producerOfOperandA(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned number);

/// Returns the reason why contraction `number` cannot have cross-iteration
/// overlap (`overlap` of `#fuse.pipeline`), or nullopt if it can once its
/// loaded operands have several stages. Where its MMAs are issued, no waits are
/// allowed but those for the mbarriers of these. Either A is another
/// contraction's value, and its MMAs overlap with the next iteration's first
/// contraction; or both operands are loaded, and the next iteration adds to the
/// sum before these MMAs have ended.
std::optional<std::string> whyNotOverlapped(const GroupModel &group,
                                            const Schedule &schedule,
                                            unsigned number);

/// Returns whether a contraction with overlap adds up products of loaded
/// operands.
inline bool isSumInFlight(const GroupModel &group, const Schedule &schedule,
                          unsigned number) {
  return schedule.contractions[number].stages > 1 &&
         !producerOfOperandA(group, schedule, number);
}

/// Returns the fewest stages of the contraction's loaded operands.
unsigned fewestStages(const GroupModel &group, const Schedule &schedule,
                      unsigned number);

/// Returns the reason why cross-iteration overlap stalls, or nullopt: a loaded
/// operand of a contraction with overlap has a single stage.
std::optional<std::string> whyOverlapStalls(const GroupModel &group,
                                            const Schedule &schedule);

/// Returns the number of warpgroups that could have ping-pong scheduling; 1 if
/// the warps are no whole warpgroups.
inline unsigned countWarpgroups(const Schedule &schedule) {
  return schedule.warps % kWarpgroupWarps == 0
             ? schedule.warps / kWarpgroupWarps
             : 1;
}

/// Returns the reason why consumer warpgroups cannot have ping-pong scheduling
/// (`ping_pong` of `#fuse.parallel`), or nullopt. Some contraction must read
/// the result of another one in its loop, so that there is work that overlaps
/// with the MMAs of the other warpgroups. Warpgroups must not wait for one
/// another otherwise.
std::optional<std::string> whyNotPingPong(const GroupModel &group,
                                          const Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_ITERATIONOVERLAP_H
