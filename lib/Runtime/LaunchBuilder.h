//===- LaunchBuilder.h - From a plan to launches ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_LAUNCHBUILDER_H
#define FUSION_LIB_RUNTIME_LAUNCHBUILDER_H

#include "PlanBuffers.h"

namespace fusion {

/// Makes the launches of one call, in their order: grids, parameters, tensor
/// maps.
class LaunchBuilder {
public:
  /// Persistent kernels have at most `maxClusters`, where that is given.
  LaunchBuilder(const Manifest &manifest, Device &device,
                const PlanSizes &sizes, PlanBuffers &buffers,
                std::optional<uint64_t> maxClusters = std::nullopt)
      : manifest(manifest), device(device), sizes(sizes), buffers(buffers),
        maxClusters(maxClusters) {}

  /// The launch, with a grid that may have a 0 in it. Fails where an expression
  /// cannot be evaluated, the grid is too large or an address is not aligned as
  /// the kernel relies on.
  llvm::Expected<DeviceLaunch> build(const LaunchInfo &launch);

private:
  llvm::Expected<std::vector<uint8_t>> parameter(const LaunchArgument &argument,
                                                 const KernelArgument &formal,
                                                 const llvm::Twine &what);
  llvm::Expected<std::vector<uint8_t>> tensorMap(const LaunchArgument &argument,
                                                 const llvm::Twine &what);

  const Manifest &manifest;
  Device &device;
  const PlanSizes &sizes;
  PlanBuffers &buffers;
  std::optional<uint64_t> maxClusters;
  bool hasLaunched = false; ///< something of the call
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_LAUNCHBUILDER_H
