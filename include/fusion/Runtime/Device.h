//===- Device.h - Where a plan runs -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the executor to a device. It has three implementations: the
// emulator, NVIDIA GPUs through the CUDA driver, which is loaded at run time,
// and the CPU of this process.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_DEVICE_H
#define FUSION_RUNTIME_DEVICE_H

#include "fusion/Emulator/Emulator.h"
#include "fusion/Runtime/ElementType.h"
#include "fusion/Timing/CodeChoice.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fusion {

struct ChipInfo;
struct Manifest;

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
  uint64_t scratch = 0;             ///< bytes that a worker of a CPU needs
  std::vector<std::vector<uint8_t>> parameters;
  /// Whether it may begin before the previous launch has ended. Its kernel
  /// waits for that end (CUDA C++ Programming Guide, "Programmatic Dependent
  /// Launch").
  bool isProgrammatic = false;
  /// Addresses in allocations that previous launches may still access when it
  /// begins.
  std::vector<DeviceAddress> pending;
};

/// A TMA descriptor with its sizes known, as TensorMapInfo of the manifest.
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
/// What the timing says of a launch (fusion/Timing/TimingReport.h).
struct LaunchTime {
  double us = 0;
  std::string text;
  llvm::json::Object json;
};

struct LaunchObservation {
  /// The reason why the kernel did not run to its end, if it did not.
  std::optional<std::string> fault;
  std::optional<emulator::Counters> counters;
  std::vector<emulator::Finding> findings;
  std::optional<LaunchTime> time; ///< with EmulatorOptions::timedChip
};

class Device {
public:
  virtual ~Device();

  /// Returns `emulator`, the GPU's name or the CPU's.
  virtual std::string name() const = 0;
  /// Returns what made machine code of the PTX, e.g. `ptxas 13.0
  /// (/usr/bin/ptxas)` or `driver`; empty on the emulator and on a CPU.
  virtual std::string assembler() const = 0;

  /// Loads the code of all kernels. Call it once, before any launch. Fails
  /// where the code is for another kind of device.
  virtual llvm::Error loadModule(const Manifest &manifest) = 0;

  /// Allocates `bytes` (0 is allowed) at a multiple of `alignment`. The
  /// contents are undefined: the emulator reports reads of them, those of a GPU
  /// and of a CPU are all ones, which are NaNs.
  virtual llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                                 size_t alignment) = 0;
  virtual llvm::Error free(DeviceAddress address) = 0;
  virtual llvm::Error write(DeviceAddress destination, const void *source,
                            size_t bytes) = 0;
  virtual llvm::Error read(DeviceAddress source, void *destination,
                           size_t bytes) = 0;

  /// Returns the 128 bytes of a TMA descriptor.
  virtual llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) = 0;

  /// Returns the number of clusters of a launch's kernel (of blocks, if it has
  /// no clusters) that the device holds at a time. The grid and the parameters
  /// are ignored. A persistent kernel is launched with this number.
  virtual llvm::Expected<uint64_t>
  activeClusters(const DeviceLaunch &launch) = 0;

  /// Copies in the device's memory, after the earlier work of `stream`.
  virtual llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                           size_t bytes, DeviceStream stream) = 0;

  /// Starts a launch. On the emulator and on a CPU it has ended when this
  /// returns.
  virtual llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                                   DeviceStream stream) = 0;
  /// Makes later work of `waiting` begin after the earlier work of `stream` has
  /// ended.
  virtual llvm::Error wait(DeviceStream waiting, DeviceStream stream) = 0;
  /// Waits for everything started; reports faults of the kernels.
  virtual llvm::Error synchronize() = 0;

  /// Returns the microseconds of `launches` one after the other: the median
  /// over many repetitions after a warm-up. Returns nullopt if the device
  /// measures no time.
  virtual llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) = 0;
};

/// Options of an emulated device.
struct EmulatorOptions {
  bool sanitize = false;
  uint64_t seed = 0;    ///< draws the order in which warps run
  uint64_t l2Bytes = 0; ///< capacity of the L2 model, 0 = no model
  /// The processors that blocks are placed on; without GPCs there is always
  /// room.
  Processors processors;
  /// Predicts the time of launches on this chip, if it is set: from their
  /// machine code, which needs ptxas and nvdisasm.
  const ChipInfo *timedChip = nullptr;
  /// Whether each launch is timed behind another one like it. Otherwise L2 has
  /// what the device's launches before have left.
  bool isTimedWarm = false;
  timing::CodeChoice timedCode = timing::CodeChoice::Best;
  /// Called by the launching thread from time to time; `false` stops the
  /// launch, which is then a fault.
  std::function<bool()> proceed;
};
std::unique_ptr<Device> createEmulatorDevice(const EmulatorOptions &options);

/// Options of the CPU as a device.
struct CpuOptions {
  /// Threads that execute blocks, with the calling one; 0: as LoopThreads has
  /// them. Results do not depend on it.
  unsigned threads = 0;
  /// Writes the kernels' addresses to /tmp/perf-<process>.map, where `perf`
  /// looks for names.
  bool hasPerfMap = false;
  /// Called by the launching thread from time to time; `false` stops the
  /// launch, which is then a fault.
  std::function<bool()> proceed;
};

/// Returns the CPU of this process. Its memory is the host's: any address of
/// the process can be passed to a launch.
std::unique_ptr<Device> createCpuDevice(const CpuOptions &options);

/// Returns a GPU of the CUDA driver, by number, with its primary context, which
/// PyTorch and the CUDA runtime use as well. Fails with a clear reason if there
/// is no driver or no such GPU.
llvm::Expected<std::unique_ptr<Device>> createCudaDevice(int ordinal = 0);

/// Returns the number of the GPU that an address belongs to; nullopt if it
/// belongs to no GPU. Fails if there is no driver.
llvm::Expected<std::optional<int>> cudaDeviceOf(DeviceAddress address);

} // namespace fusion

#endif // FUSION_RUNTIME_DEVICE_H
