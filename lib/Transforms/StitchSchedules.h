//===- StitchSchedules.h - Schedules of stitched groups -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_STITCHSCHEDULES_H
#define FUSION_LIB_TRANSFORMS_STITCHSCHEDULES_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/ChipTable.h"

namespace fusion {

/// The best spread of a stitched group's axes; where it has none the generic
/// form, which any group has. Remarks say what was chosen and what it moves.
fuse::ScheduleAttr chooseStitching(fuse::FusedGroupOpInterface group,
                                   const ChipInfo &chip);

/// Whether a stitched group can have the schedule on `chip`; otherwise an error
/// at the group says why not.
mlir::LogicalResult verifyStitching(fuse::FusedGroupOpInterface group,
                                    fuse::ScheduleAttr given,
                                    const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_STITCHSCHEDULES_H
