//===- BulkLegality.h - What bulk copies can fill ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_BULKLEGALITY_H
#define FUSION_LIB_ANALYSIS_BULKLEGALITY_H

#include "fusion/Analysis/KeptTiles.h"

namespace fusion {

/// Why bulk copies cannot fill the buffer of an operand (ScheduleLegality.h).
/// `kept` is of the schedule's loops.
std::optional<std::string> whyNotInBulk(const GroupModel &group,
                                        const Schedule &schedule,
                                        const ChipInfo &chip,
                                        const KeptTiles &kept, unsigned tensor);

/// The mbarriers of a block: one for each stage of what bulk copies fill.
int64_t countBulkBarriers(const Schedule &schedule);

/// Why they are too many, or nullopt.
std::optional<std::string> whyTooManyBarriers(const Schedule &schedule);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_BULKLEGALITY_H
