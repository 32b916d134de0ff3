//===- StitchSectors.h - What tiles touch of memory's sectors ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHSECTORS_H
#define FUSION_LIB_ANALYSIS_STITCHSECTORS_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// Bytes of the sectors that a block moves for each byte of its tile:
/// neighbours in a sector that belong to other blocks are fetched by each of
/// them.
double wholeSectors(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchTensor &tensor);

/// The same for what one access of a warp moves: rows that begin anywhere take
/// it a sector further, and a wider vector leaves gaps that others move again.
double sectorsOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor, bool isStored);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHSECTORS_H
