//===- StitchShared.h - Shared memory of stitched groups --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHSHARED_H
#define FUSION_LIB_ANALYSIS_STITCHSHARED_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// What countShared gives at most. Places of turned results, which take long to
/// plan, are not.
int64_t boundShared(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHSHARED_H
