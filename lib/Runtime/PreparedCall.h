//===- PreparedCall.h - Launches whose addresses are open -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_PREPAREDCALL_H
#define FUSION_LIB_RUNTIME_PREPAREDCALL_H

#include "LaunchBuilder.h"
#include <vector>

namespace fusion {

/// The launches of a call at given sizes, built before the call. What remains
/// is to add the addresses of its buffers, which takes little time against a
/// launch on a CPU.
class PreparedCall {
public:
  /// Builds the launches of a plan with native kernels. Returns nullopt where
  /// one cannot be built; building it in the call says why.
  static std::optional<PreparedCall>
  create(const Manifest &manifest, const FunctionPlan &plan, Device &device,
         const PlanSizes &sizes, const WorkspaceLayout &layout,
         llvm::ArrayRef<int64_t> inputBytes,
         llvm::ArrayRef<int64_t> resultBytes);

  /// Starts the launches. `bases` are the addresses of the inputs, the results,
  /// the constants and the workspace, in this order. Returns nullopt, and has
  /// done nothing, if one is not aligned as a kernel relies on.
  std::optional<llvm::Error> start(Device &device,
                                   llvm::ArrayRef<DeviceAddress> bases,
                                   DeviceStream stream) const;

private:
  /// A place in a buffer of `bases`.
  struct Place {
    size_t base;
    int64_t offset;
    DeviceAddress in(llvm::ArrayRef<DeviceAddress> bases) const {
      return bases[base] + offset;
    }
  };
  struct Address {
    size_t parameter;
    Place place;
    int64_t alignment;
  };
  struct Launch {
    DeviceLaunch launch;
    std::vector<Address> addresses;
  };
  struct Copy {
    size_t result;
    Place from;
    int64_t bytes;
  };
  static Place decode(DeviceAddress address);

  std::vector<Launch> launches;
  std::vector<Copy> copies; ///< to results that are pieces of other buffers
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_PREPAREDCALL_H
