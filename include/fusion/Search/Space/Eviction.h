//===- Eviction.h - Eviction policies of TMA copies -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_EVICTION_H
#define FUSION_SEARCH_SPACE_EVICTION_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

/// Returns the L2 eviction policy for the TMA copies of operand `tensor`. An
/// operand that the grid reads once is evicted first, as it would evict data
/// that is read again. An operand that all blocks read, whatever their place in
/// the grid, is evicted last if the L2 holds it whole. All other operands are
/// read again by some blocks only and have the normal policy.
fuse::Eviction evictionOf(const GroupModel &group, const Schedule &schedule,
                          const ChipInfo &chip, unsigned tensor);

/// Sets the eviction policies of all operands that the schedule copies by TMA.
void chooseEvictions(const GroupModel &group, const ChipInfo &chip,
                     Schedule &schedule);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_EVICTION_H
