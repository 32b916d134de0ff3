//===- Forwarding.h - Accumulators as operands ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_FORWARDING_H
#define FUSION_ANALYSIS_SCHEDULES_FORWARDING_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

/// Returns the reason why accumulator-to-operand forwarding cannot pass the
/// result of contraction `producer`, an intermediate, to its consumers, or
/// nullopt. It can pass it as A of the next intrinsic if the same warps hold
/// the same rows. It can pass it transposed, as B, whose fragment is the
/// accumulator's mirror image (PTX ISA, "Matrix Fragments for mma.m16n8k16").
/// Placement in registers and in shared memory both follow from this.
std::optional<std::string> whyNotForwardedInRegisters(const GroupModel &group,
                                                      const Schedule &schedule,
                                                      unsigned producer);

/// Returns whether accumulator-to-operand forwarding passes the result.
bool isForwardedInRegisters(const GroupModel &group, const Schedule &schedule,
                            unsigned producer);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_FORWARDING_H
