//===- PlanBuffers.h - Sizes and memory of one call of a plan ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_PLANBUFFERS_H
#define FUSION_LIB_RUNTIME_PLANBUFFERS_H

#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/HostTensor.h"
#include "fusion/Runtime/Manifest.h"
#include <map>

namespace fusion {

/// The sizes of one call of a function and the device memory of its buffers,
/// which is given back at the end of its life.
class PlanBuffers {
public:
  PlanBuffers(const Manifest &manifest, const FunctionPlan &plan,
              Device &device, llvm::ArrayRef<HostTensor> inputs)
      : manifest(manifest), plan(plan), device(device), inputs(inputs) {}
  ~PlanBuffers();
  PlanBuffers(const PlanBuffers &) = delete;
  PlanBuffers &operator=(const PlanBuffers &) = delete;

  /// Checks the inputs and the plan's requirements, evaluates the results'
  /// shapes, allocates all buffers and copies the inputs and constants.
  llvm::Error prepare();

  /// The value of an expression over the call's sizes.
  llvm::Expected<int64_t> evaluate(const Expression &expression) const;
  /// The same for a size or offset (`what`), which must not be negative.
  llvm::Expected<int64_t> evaluateSize(const Expression &expression,
                                       const char *what) const;

  /// The bytes of a number of type `type`; an integer that does not fit is an
  /// error. `what` names the number in errors.
  llvm::Expected<std::vector<uint8_t>> scalar(const ScalarValue &value,
                                              ElementType type,
                                              const llvm::Twine &what) const;

  /// The address an argument passes, a multiple of `alignment`. `what` names
  /// the argument in errors.
  llvm::Expected<DeviceAddress> address(const LaunchArgument &argument,
                                        int64_t alignment,
                                        const llvm::Twine &what);

  /// Copies the results back.
  llvm::Expected<std::vector<HostTensor>> readResults();

  /// An error of this function.
  llvm::Error fail(const llvm::Twine &message) const;

private:
  /// Memory of a buffer.
  struct Place {
    DeviceAddress address = 0;
    int64_t bytes = 0;
  };

  llvm::Error checkInputs() const;
  llvm::Error evaluateShapes();
  llvm::Error allocateBuffers();
  llvm::Error allocateTemporaries();
  llvm::Error copyInputs();
  llvm::Expected<Place> allocate(int64_t bytes, int64_t alignment);
  llvm::Expected<Place> place(const BufferRef &ref);
  llvm::Expected<Place> aliasPlace(const Alias &alias, int64_t bytes,
                                   const std::string &name);

  const Manifest &manifest;
  const FunctionPlan &plan;
  Device &device;
  llvm::ArrayRef<HostTensor> inputs;
  std::vector<llvm::SmallVector<int64_t>> resultShapes;
  std::vector<DeviceAddress> allocations;
  /// Buffers with memory of their own, and aliases once resolved.
  std::map<std::pair<BufferRef::Kind, unsigned>, Place> places;
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_PLANBUFFERS_H
