//===- Device.h - Where a plan runs -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the executor asks of a device, with two implementations: the emulator,
// and NVIDIA GPUs through the CUDA driver, which is loaded at run time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_DEVICE_H
#define FUSION_RUNTIME_DEVICE_H

#include "fusion/Emulator/Emulator.h"
#include "fusion/Runtime/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fusion {

/// An address in the device's global memory.
using DeviceAddress = uint64_t;
/// A queue of the device's work: a `CUstream`, null for the default stream. The
/// emulator has none.
using DeviceStream = void *;

/// One launch with its parameters as bytes.
struct DeviceLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedMemory = 0; ///< bytes
  std::vector<std::vector<uint8_t>> parameters;
  /// May begin before the launch before it has ended: its kernel waits for that
  /// (CUDA C++ Programming Guide, "Programmatic Dependent Launch").
  bool isProgrammatic = false;
  /// What launches before it may still access then: addresses in allocations.
  std::vector<DeviceAddress> pending;
};

/// A TMA descriptor with its sizes known; as TensorMapInfo of the manifest.
struct TensorMapRequest {
  DeviceAddress base = 0;
  ElementType type = ElementType::F32;
  llvm::SmallVector<uint64_t, 5> dims;
  llvm::SmallVector<uint64_t, 4> stridesBytes;
  llvm::SmallVector<uint32_t, 5> box;
  llvm::SmallVector<uint32_t, 5> elementStrides;
  uint32_t swizzleBytes = 0;
  uint32_t interleaveBytes = 0;
  bool fillNan = false;
};

/// What a device observed of one launch.
struct LaunchObservation {
  /// Set where the kernel did not run to its end.
  std::optional<std::string> fault;
  std::optional<emulator::Counters> counters;
  std::vector<emulator::Finding> findings;
};

class Device {
public:
  virtual ~Device();

  /// `emulator` or the GPU's name.
  virtual std::string name() const = 0;
  /// How the PTX became machine code, e.g. `ptxas 13.0 (/usr/bin/ptxas)` or
  /// `driver`; empty on the emulator.
  virtual std::string assembler() const = 0;

  /// Loads the PTX of all kernels; to be called once, before any launch.
  virtual llvm::Error loadModule(llvm::StringRef ptx) = 0;

  /// Allocates `bytes` (0 is allowed) at a multiple of `alignment`. The
  /// contents are nothing to rely on: the emulator reports reads of them, a
  /// GPU's are all ones, which are NaNs.
  virtual llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                                 size_t alignment) = 0;
  virtual llvm::Error free(DeviceAddress address) = 0;
  virtual llvm::Error write(DeviceAddress destination, const void *source,
                            size_t bytes) = 0;
  virtual llvm::Error read(DeviceAddress source, void *destination,
                           size_t bytes) = 0;

  /// The 128 bytes of a TMA descriptor.
  virtual llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) = 0;

  /// How many clusters (blocks, where it has no clusters) of a launch's kernel
  /// the device holds at a time; its grid and parameters are not looked at. A
  /// persistent kernel is launched with as many.
  virtual llvm::Expected<uint64_t>
  activeClusters(const DeviceLaunch &launch) = 0;

  /// Copies inside of the device's memory, after what `stream` has to do.
  virtual llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                           size_t bytes, DeviceStream stream) = 0;

  /// Starts a launch. On the emulator it has ended when this returns.
  virtual llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                                   DeviceStream stream) = 0;
  /// Lets what is put into `waiting` from now on begin when what was put into
  /// `stream` has ended.
  virtual llvm::Error wait(DeviceStream waiting, DeviceStream stream) = 0;
  /// Waits for everything started; reports faults of the kernels.
  virtual llvm::Error synchronize() = 0;

  /// Microseconds that `launches` take one after the other: the median over
  /// many repetitions after a warm-up. nullopt where time means nothing.
  virtual llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) = 0;
};

/// Options of an emulated device.
struct EmulatorOptions {
  bool sanitize = false;
  uint64_t seed = 0;    ///< draws the order in which warps run
  uint64_t l2Bytes = 0; ///< capacity of the L2 model, 0 = no model
  /// What blocks are placed in; without GPCs there is always room.
  Processors processors;
  /// Asked by the launching thread now and then; `false` stops the launch,
  /// which is a fault then.
  std::function<bool()> proceed;
};
std::unique_ptr<Device> createEmulatorDevice(const EmulatorOptions &options);

/// A GPU of the CUDA driver, by number; its primary context, which is the one
/// that PyTorch and the CUDA runtime use. Fails with a clear reason where there
/// is no driver or no such GPU.
llvm::Expected<std::unique_ptr<Device>> createCudaDevice(int ordinal = 0);

/// The number of the GPU that an address belongs to; nullopt where it is none
/// of a GPU's. Fails where there is no driver.
llvm::Expected<std::optional<int>> cudaDeviceOf(DeviceAddress address);

} // namespace fusion

#endif // FUSION_RUNTIME_DEVICE_H
