//===- StitchPacking.h - Schedules of independent operators -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_STITCHPACKING_H
#define FUSION_LIB_SEARCH_STITCHING_STITCHPACKING_H

#include "fusion/Search/Stitching/StitchSearch.h"

namespace fusion {

/// Searches a schedule of `count` components. They share nothing but the number
/// of warps, and one serial loop: that of the component with the most points
/// goes first.
std::optional<StitchResult>
searchPacked(const StitchGroup &group, unsigned count, const ChipInfo &chip,
             std::string &reason, StitchEffort effort, const StitchWork &work,
             StitchRanking *ranking, EvaluatorForm evaluator);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_STITCHPACKING_H
