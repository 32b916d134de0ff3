//===- GroupMeasurer.h - Measured searches of groups ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where `fuse-search-schedules` gets the measured step of a search from.
// Without a measurer the model alone decides;
// `fusion/Tuning/GroupMeasurement.h` has one that runs kernels on a device.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SCHEDULING_GROUPMEASURER_H
#define FUSION_TRANSFORMS_SCHEDULING_GROUPMEASURER_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "fusion/Transforms/Passes.h"

namespace fusion {

class GroupMeasurer {
public:
  virtual ~GroupMeasurer() = default;

  /// Measures schedules of `group`, whose axes and tensors are `model`'s. Both
  /// outlive the measurement.
  virtual std::unique_ptr<Measurement<Schedule>>
  measure(fuse::FusedGroupOpInterface group, const GroupModel &model) = 0;

  /// How many of the best by the model are measured, at least one.
  virtual unsigned candidates() const = 0;
};

/// `fuse-search-schedules` with a measurer, which outlives the pass.
std::unique_ptr<mlir::Pass>
createFuseSearchSchedules(FuseSearchSchedulesOptions options,
                          GroupMeasurer *measurer);

} // namespace fusion

#endif // FUSION_TRANSFORMS_SCHEDULING_GROUPMEASURER_H
