//===- DeviceCall.h - Calls on tensors in the device's memory ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_DEVICECALL_H
#define FUSION_RUNTIME_DEVICECALL_H

#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Manifest.h"

namespace fusion {

class PlanSizes;
class PreparedCall;
struct WorkspaceLayout;

/// What is known of an input before the call.
struct CallInput {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<char> value; ///< the bytes of a scalar input, else empty
};

/// The constants of a module in a device's memory.
class DeviceConstants {
public:
  /// Allocates and copies.
  static llvm::Expected<std::unique_ptr<DeviceConstants>>
  create(const Manifest &manifest, Device &device);
  ~DeviceConstants();

  /// The address of `constI`.
  DeviceAddress operator[](size_t index) const { return addresses[index]; }

private:
  explicit DeviceConstants(Device &device) : device(device) {}
  Device &device;
  std::vector<DeviceAddress> addresses;
};

/// A function at given sizes, to be called on tensors that are in the device's
/// memory, with memory and a stream of the caller's: a call allocates nothing,
/// copies nothing to or from the host and waits for nothing, so that it can be
/// captured into a CUDA graph. Calls may be started from several threads.
class DeviceCall {
public:
  /// `constants`, and `manifest` with `plan` in it, must outlive the call, as
  /// must `device`, which has loaded the kernels. Fails where the inputs do not
  /// fit the plan or a requirement of the plan is broken.
  static llvm::Expected<std::unique_ptr<DeviceCall>>
  prepare(const Manifest &manifest, const FunctionPlan &plan, Device &device,
          const DeviceConstants &constants, std::vector<CallInput> inputs);
  ~DeviceCall();

  size_t results() const;
  ElementType resultType(size_t index) const;
  llvm::ArrayRef<int64_t> resultShape(size_t index) const;
  /// Dense and row-major.
  int64_t resultBytes(size_t index) const;
  /// The bytes of a result that is a number known before the call; else empty.
  llvm::ArrayRef<uint8_t> resultValue(size_t index) const;
  /// What `start` needs beside the results, at a multiple of 256 bytes; it may
  /// be used again by what follows on the same stream.
  int64_t workspaceBytes() const;

  /// Starts the launches on `stream`.
  /// \param inputs an address per input; those of scalars are not looked at.
  /// \param results memory of its own for each result, of `resultBytes`; a
  /// result
  ///   that is a piece of another buffer is copied there. Those of numbers are
  ///   not looked at.
  /// Fails where an address is not aligned as a kernel relies on, or the device
  /// fails; then some of the launches may have been started.
  llvm::Error start(llvm::ArrayRef<DeviceAddress> inputs,
                    llvm::ArrayRef<DeviceAddress> results,
                    DeviceAddress workspace, DeviceStream stream) const;

private:
  DeviceCall(const Manifest &manifest, const FunctionPlan &plan, Device &device,
             const DeviceConstants &constants);

  const Manifest &manifest;
  const FunctionPlan &plan;
  Device &device;
  const DeviceConstants &constants;
  std::vector<int64_t> inputBytes, bytesOfResults;
  std::vector<std::vector<uint8_t>> values; ///< of results that are numbers
  std::unique_ptr<PlanSizes> sizes;
  std::unique_ptr<WorkspaceLayout> layout;
  std::unique_ptr<PreparedCall> prepared; ///< null: built by each call
};

} // namespace fusion

#endif // FUSION_RUNTIME_DEVICECALL_H
