//===- GroupMeasurement.h - Schedules measured by running them ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measured step of a search (MCFuser, algorithm 1): a schedule of a group
// is compiled by itself and run on a device. A GPU measures its time. The
// emulator's counters are converted to the time that the chip needs if
// everything overlaps. They include what predictions of bytes and work do not:
// bank conflicts, instructions, padding that was emitted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TUNING_GROUPMEASUREMENT_H
#define FUSION_TUNING_GROUPMEASUREMENT_H

#include "fusion/Runtime/Executor.h"
#include "fusion/Transforms/Scheduling/GroupMeasurer.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/FunctionExtras.h"

namespace fusion {

/// Makes a device that has no module yet.
using DeviceFactory = std::function<llvm::Expected<std::unique_ptr<Device>>()>;

/// Returns a lower bound of the seconds of a launch with these counters, of
/// `blocks` blocks in clusters of `clusterBlocks`. It is the time of the
/// busiest of DRAM (if an L2 was modelled), L2, shared memory, schedulers and,
/// at `flopsPerSecond`, tensor cores of `chip`.
double predictFromCounters(const emulator::Counters &counters, int64_t blocks,
                           int64_t clusterBlocks, const ChipInfo &chip,
                           double flopsPerSecond);

/// Returns a module with one function that is `group` alone: its operands are
/// arguments, except empty tensors and constants.
mlir::OwningOpRef<mlir::ModuleOp> isolate(fuse::FusedGroupOpInterface group);

/// The summary of measuring the schedules of a group.
struct TunedGroup {
  explicit TunedGroup(mlir::Location location) : location(location) {}

  mlir::Location location;
  unsigned ran = 0, failed = 0;
  double first = 0;           ///< seconds of the model's best that ran
  double least = 0;           ///< seconds of the fastest
  std::string why;            ///< of the last schedule that failed
  llvm::StringRef measuredBy; ///< as `GroupMeasurement::name` returns it
};

/// Measures schedules of one group.
class GroupMeasurement : public Measurement<Schedule> {
public:
  GroupMeasurement(fuse::FusedGroupOpInterface group, const GroupModel &model,
                   const ChipInfo &chip, DeviceFactory makeDevice)
      : summary(std::make_shared<TunedGroup>(group.getLoc())),
        isolated(isolate(group)), model(model), chip(chip),
        makeDevice(std::move(makeDevice)) {}

  /// Returns "device" for a clock's times, "timing" for times that the emulator
  /// predicts from machine code (fusion/Timing), or "emulator" for bounds by
  /// its counters.
  llvm::StringRef name() const override { return measuredBy; }

  /// Measures a schedule. Diagnostics of candidates are not printed; `summary`
  /// has the reason of the last one that failed.
  std::optional<double> measure(const Schedule &schedule) override;

  /// Updated by each measurement; never null.
  std::shared_ptr<TunedGroup> summary;
  /// One report for each launch of the schedule measured last.
  std::vector<LaunchReport> launches;

private:
  llvm::Expected<double> run(const Schedule &schedule);

  mlir::OwningOpRef<mlir::ModuleOp> isolated;
  const GroupModel &model;
  const ChipInfo &chip;
  DeviceFactory makeDevice;
  llvm::StringRef measuredBy = "emulator";
};

/// Measures the groups of a module on devices of `makeDevice`.
class DeviceMeasurer : public GroupMeasurer {
public:
  DeviceMeasurer(const ChipInfo &chip, unsigned most, DeviceFactory makeDevice)
      : chip(chip), most(most), makeDevice(std::move(makeDevice)) {}

  std::unique_ptr<Measurement<Schedule>>
  measure(fuse::FusedGroupOpInterface group, const GroupModel &model) override;
  unsigned candidates() const override { return most; }
  /// Returns the summaries in the order in which groups were searched.
  llvm::ArrayRef<std::shared_ptr<TunedGroup>> tuned() const { return groups; }

private:
  const ChipInfo &chip;
  unsigned most;
  DeviceFactory makeDevice;
  std::vector<std::shared_ptr<TunedGroup>> groups;
};

} // namespace fusion

#endif // FUSION_TUNING_GROUPMEASUREMENT_H
