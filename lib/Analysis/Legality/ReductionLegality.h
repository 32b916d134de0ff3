//===- ReductionLegality.h - Reductions between products ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_LEGALITY_REDUCTIONLEGALITY_H
#define FUSION_LIB_ANALYSIS_LEGALITY_REDUCTIONLEGALITY_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"

namespace fusion {

/// Returns the reason why the reductions of a group cannot be evaluated as the
/// schedule says, or nullopt. Returns nullopt for a group without reductions.
std::optional<std::string> whyNotReduced(const GroupModel &group,
                                         const Schedule &schedule,
                                         const RetainedTiles &retained);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_LEGALITY_REDUCTIONLEGALITY_H
