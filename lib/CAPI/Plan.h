//===- Plan.h - A plan on a device, behind the C API ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CAPI_PLAN_H
#define FUSION_LIB_CAPI_PLAN_H

#include "Callbacks.h"
#include "fusion/Runtime/DeviceCall.h"
#include <mutex>

namespace fusion::capi {

/// A device that asks the caller before each launch.
class InterruptibleDevice final : public Device {
public:
  explicit InterruptibleDevice(std::unique_ptr<Device> device)
      : device(std::move(device)) {}

  /// Of this thread's current call, so that no thread asks another's caller.
  static inline thread_local const FusionCallbacks *callbacks = nullptr;

  std::string name() const override { return device->name(); }
  std::string assembler() const override { return device->assembler(); }
  llvm::Error loadModule(const Manifest &manifest) override {
    return device->loadModule(manifest);
  }
  llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                         size_t alignment) override {
    return device->allocate(bytes, alignment);
  }
  llvm::Error free(DeviceAddress address) override {
    return device->free(address);
  }
  llvm::Error write(DeviceAddress destination, const void *source,
                    size_t bytes) override {
    return device->write(destination, source, bytes);
  }
  llvm::Error read(DeviceAddress source, void *destination,
                   size_t bytes) override {
    return device->read(source, destination, bytes);
  }
  llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) override {
    return device->encodeTensorMap(request);
  }
  llvm::Expected<uint64_t> activeClusters(const DeviceLaunch &launch) override {
    return device->activeClusters(launch);
  }
  llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                           DeviceStream stream) override {
    if (!proceed(callbacks, launch.kernel))
      return llvm::createStringError("execution was stopped");
    return device->launch(launch, stream);
  }
  llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                   size_t bytes, DeviceStream stream) override {
    return device->copy(destination, source, bytes, stream);
  }
  llvm::Error wait(DeviceStream waiting, DeviceStream stream) override {
    return device->wait(waiting, stream);
  }
  llvm::Error synchronize() override { return device->synchronize(); }
  llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) override {
    return device->measure(launches);
  }

private:
  std::unique_ptr<Device> device;
};

} // namespace fusion::capi

struct FusionPlan {
  fusion::Manifest manifest;
  std::unique_ptr<fusion::capi::InterruptibleDevice> device;
  std::mutex running; ///< one execution of `fusionPlanRun` at a time
  /// Of device calls, made with the first of them.
  std::unique_ptr<fusion::DeviceConstants> constants;
  std::mutex constantsMutex;
};

#endif // FUSION_LIB_CAPI_PLAN_H
