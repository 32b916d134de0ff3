//===- Executor.h - Executes a plan -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_EXECUTOR_H
#define FUSION_RUNTIME_EXECUTOR_H

#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/HostTensor.h"
#include "fusion/Runtime/Manifest.h"
#include <functional>
#include <optional>

namespace fusion {

/// What happened in one launch of a plan.
struct LaunchReport {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedMemory = 0; ///< bytes
  std::string schedule;             ///< empty if it is not known
  /// The prediction with its expressions evaluated.
  struct Predicted {
    std::optional<double> us;
    std::optional<int64_t> globalLoadBytes;
    std::optional<int64_t> globalStoreBytes;
    std::optional<int64_t> sharedMemory;
  };
  std::optional<Predicted> predicted;
  std::optional<emulator::Counters> counters;
  std::optional<double> measuredUs;
  std::optional<LaunchTime> time; ///< of the emulator's timing
  std::vector<emulator::Finding> findings;
};

struct Execution {
  /// Empty if a launch failed.
  std::vector<HostTensor> results;
  std::vector<LaunchReport> launches;
  /// The reason why execution stopped: a kernel did not run to its end.
  std::optional<std::string> fault;
  /// All launches together, if `measure` was set.
  std::optional<double> measuredUs;
  /// Bytes of memory for all temporaries. Temporaries that are never in use at
  /// the same time share memory.
  int64_t temporaryBytes = 0;
};

struct ExecuteOptions {
  bool measure = false; ///< time the launches, if the device can
  /// Called before anything is measured, with the results and the launches
  /// without their times. An error ends the execution.
  std::function<llvm::Error(const Execution &)> beforeMeasuring;
  /// The most clusters of a persistent kernel, even if the device has room for
  /// more.
  std::optional<uint64_t> maxClusters;
};

/// Runs `plan` on a device that has loaded the kernels: allocates its buffers,
/// copies the inputs, launches in order, copies the results back and frees
/// everything. Fails if the inputs do not fit the plan, a requirement of the
/// plan is broken, an expression cannot be evaluated, a pointer is not aligned
/// as the kernel requires, or the device fails.
llvm::Expected<Execution> execute(const Manifest &manifest,
                                  const FunctionPlan &plan, Device &device,
                                  llvm::ArrayRef<HostTensor> inputs,
                                  const ExecuteOptions &options = {});

} // namespace fusion

#endif // FUSION_RUNTIME_EXECUTOR_H
