//===- StitchSectors.h - What tiles touch of memory's sectors ------*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_STITCHSECTORS_H
#define FUSION_LIB_ANALYSIS_STITCHING_STITCHSECTORS_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// Returns the bytes of a tensor's elements, without padding.
int64_t bytesOf(const StitchTensor &tensor);

/// Returns bytes of sectors that a block moves per byte of its tile. A sector
/// that several blocks read is fetched by each of them.
double wholeSectors(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchTensor &tensor);

/// Returns bytes of sectors that an access of a warp moves per byte that it
/// needs. A misaligned row touches one more sector. A vector that is wider than
/// the access leaves gaps, whose sectors other accesses move again.
double sectorsOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor, bool isStored);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_STITCHSECTORS_H
