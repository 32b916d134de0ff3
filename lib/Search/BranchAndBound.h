//===- BranchAndBound.h - Loops and tiles from the least bound on ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_BRANCHANDBOUND_H
#define FUSION_LIB_SEARCH_BRANCHANDBOUND_H

#include "ScheduleRanking.h"

namespace fusion {

/// Judges all loops, splits and tiles whose bound (CostBound.h) is less than
/// the best of the ranking, from the least bound on, until the bound exceeds
/// the best. Returns whether it came to that end, so that nothing it lists is
/// better; where the options limit the effort (SearchMethod::Auto) it may give
/// up, before or on the way.
bool branchAndBound(const GroupModel &group, const ChipInfo &chip,
                    const SearchOptions &options, const ScheduleSpace &space,
                    ScheduleRanking &ranking);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_BRANCHANDBOUND_H
