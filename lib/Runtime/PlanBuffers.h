//===- PlanBuffers.h - Where the buffers of a call are ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_PLANBUFFERS_H
#define FUSION_LIB_RUNTIME_PLANBUFFERS_H

#include "PlanSizes.h"
#include "fusion/Runtime/Device.h"
#include <map>

namespace fusion {

/// Memory of a buffer.
struct BufferPlace {
  DeviceAddress address = 0;
  int64_t bytes = 0;
};

/// Where the buffers of one call are in the device's memory, which belongs to
/// the caller.
class PlanBuffers {
public:
  PlanBuffers(const FunctionPlan &plan, const PlanSizes &sizes)
      : plan(plan), sizes(sizes) {}

  /// Says where a buffer is that has memory of its own.
  void set(const BufferRef &ref, BufferPlace place) {
    places[{ref.kind, ref.index}] = place;
  }
  void setWorkspace(const WorkspaceLayout &layout, DeviceAddress workspace);

  /// Where the results and temporaries are that have memory of their own.
  llvm::SmallVector<DeviceAddress> written() const;

  /// Where a buffer is: what was set, or what its alias says.
  llvm::Expected<BufferPlace> place(const BufferRef &ref);

  /// The address an argument passes, a multiple of `alignment`. `what` names
  /// the argument in errors.
  llvm::Expected<DeviceAddress> address(const LaunchArgument &argument,
                                        int64_t alignment,
                                        const llvm::Twine &what);

private:
  llvm::Expected<BufferPlace> aliasPlace(const Alias &alias, int64_t bytes,
                                         const std::string &name);

  const FunctionPlan &plan;
  const PlanSizes &sizes;
  std::map<std::pair<BufferRef::Kind, unsigned>, BufferPlace> places;
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_PLANBUFFERS_H
