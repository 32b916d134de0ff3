//===- Eviction.h - What may leave the L2 cache first ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_EVICTION_H
#define FUSION_ANALYSIS_EVICTION_H

#include "fusion/Analysis/Schedule.h"

namespace fusion {

/// What the L2 should do with what bulk copies of operand `tensor` have read.
/// What the grid reads once leaves first: it would take the place of what is
/// read again. What all blocks read, whatever their place in the grid, leaves
/// last, where the L2 holds it whole. Everything else is read again by some
/// blocks only, and leaves as usual.
fuse::Eviction evictionOf(const GroupModel &group, const Schedule &schedule,
                          const ChipInfo &chip, unsigned tensor);

/// Has a schedule say so of all operands that it copies in bulk.
void chooseEvictions(const GroupModel &group, const ChipInfo &chip,
                     Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_EVICTION_H
