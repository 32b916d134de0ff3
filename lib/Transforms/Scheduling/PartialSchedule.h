//===- PartialSchedule.h - The schedule of the parts of a split chain -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SCHEDULING_PARTIALSCHEDULE_H
#define FUSION_LIB_TRANSFORMS_SCHEDULING_PARTIALSCHEDULE_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/IRMapping.h"

namespace fusion {

/// Returns the schedule of `group`, which computes the partial results of a
/// chain with these axes and `schedule`. It has no epilogue of the chain's last
/// contraction, and stores running values. `mapping` maps the chain's values to
/// the group's. Fails with an error at the group if its axes cannot be
/// determined.
mlir::FailureOr<fuse::ScheduleAttr>
makePartialSchedule(const GroupAxes &axes, const Schedule &schedule,
                    fuse::ChainOp group, mlir::ValueRange yielded,
                    const mlir::IRMapping &mapping);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SCHEDULING_PARTIALSCHEDULE_H
