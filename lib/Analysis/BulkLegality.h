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

/// Why bulk copies cannot fill the buffer of an operand or store a result
/// (ScheduleLegality.h). `kept` is of the schedule's loops.
std::optional<std::string> whyNotInBulk(const GroupModel &group,
                                        const Schedule &schedule,
                                        const ChipInfo &chip,
                                        const KeptTiles &kept, unsigned tensor);

/// Why a block needs too many mbarriers, one for each stage or kept tile of
/// what bulk copies fill, or nullopt.
std::optional<std::string> whyTooManyBarriers(const GroupModel &group,
                                              const Schedule &schedule,
                                              const KeptTiles &kept);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_BULKLEGALITY_H
