//===- CpuDevice.cpp - The CPU of this process as a device ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "NativeCode.h"
#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Support/LoopThreads.h"
#include "fusion/Target/Chips/ChipTable.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace fusion;

namespace {

/// Alignment of buffers and of scratch memory, in bytes: a cache line.
constexpr size_t kLine = 64;

void *allocateAligned(size_t bytes, size_t alignment) {
  alignment = std::max(alignment, kLine);
  return std::aligned_alloc(
      alignment, llvm::alignTo(std::max<size_t>(bytes, 1), alignment));
}

/// The scratch memory of one thread, kept for its next launch.
class Scratch {
public:
  ~Scratch() { std::free(memory); }
  Scratch() = default;
  Scratch(const Scratch &) = delete;

  /// Returns at least `bytes` bytes, or null if there are none.
  void *get(uint64_t bytes) {
    if (bytes <= size)
      return memory;
    std::free(memory);
    memory = allocateAligned(bytes, kLine);
    size = memory ? bytes : 0;
    return memory;
  }

private:
  void *memory = nullptr;
  uint64_t size = 0;
};

class CpuDevice final : public Device {
public:
  explicit CpuDevice(const CpuOptions &options)
      : options(options), threads(options.threads) {}

  std::string name() const override {
    unsigned count = threads.threads();
    return lookupChip("host")->cpu->llvmCpu.str() + ", " +
           std::to_string(count) + (count == 1 ? " thread" : " threads");
  }
  std::string assembler() const override { return ""; }

  llvm::Error loadModule(const Manifest &manifest) override;

  llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                         size_t alignment) override {
    void *memory = allocateAligned(bytes, alignment);
    if (!memory)
      return llvm::createStringError("allocation of " + llvm::Twine(bytes) +
                                     " bytes: out of memory");
    // All ones is a NaN in every floating-point type: what a kernel forgets to
    // write is seen.
    std::memset(memory, 0xff, bytes);
    return reinterpret_cast<DeviceAddress>(memory);
  }
  llvm::Error free(DeviceAddress address) override {
    std::free(reinterpret_cast<void *>(address));
    return llvm::Error::success();
  }
  llvm::Error write(DeviceAddress destination, const void *source,
                    size_t bytes) override {
    return copy(destination, reinterpret_cast<DeviceAddress>(source), bytes,
                nullptr);
  }
  llvm::Error read(DeviceAddress source, void *destination,
                   size_t bytes) override {
    return copy(reinterpret_cast<DeviceAddress>(destination), source, bytes,
                nullptr);
  }
  llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                   size_t bytes, DeviceStream) override {
    if (bytes)
      std::memmove(reinterpret_cast<void *>(destination),
                   reinterpret_cast<const void *>(source), bytes);
    return llvm::Error::success();
  }

  llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &) override {
    return llvm::createStringError("a CPU has no tensor maps");
  }
  llvm::Expected<uint64_t> activeClusters(const DeviceLaunch &) override {
    return threads.threads();
  }

  llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                           DeviceStream) override {
    llvm::Expected<PreparedLaunch> prepared = prepare(launch);
    if (!prepared)
      return prepared.takeError();
    LaunchObservation observation;
    if (std::optional<std::string> fault = run(*prepared))
      observation.fault = "kernel '" + launch.kernel + "': " + *fault;
    return observation;
  }
  llvm::Error wait(DeviceStream, DeviceStream) override {
    return llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }

  llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) override;

private:
  struct PreparedLaunch {
    NativeKernel kernel;
    llvm::SmallVector<uint64_t, 16> arguments;
    int64_t blocks;
    uint64_t scratch; ///< bytes
  };
  llvm::Expected<PreparedLaunch> prepare(const DeviceLaunch &launch);
  /// Executes all blocks. Returns the reason why some were not, or nullopt.
  std::optional<std::string> run(const PreparedLaunch &launch);

  CpuOptions options;
  LoopThreads threads;
  std::unique_ptr<NativeCode> code;
};

llvm::Error CpuDevice::loadModule(const Manifest &manifest) {
  if (!manifest.isNative())
    return llvm::createStringError(
        "the CPU executes machine code; the kernels are PTX for '" +
        manifest.chip + "'");
  if (auto lacking = featureThatHostLacks(manifest.cpu, manifest.cpuFeatures))
    return llvm::createStringError(
        "the host lacks " + *lacking + ", which " +
        (manifest.chip == "host" ? manifest.cpu : manifest.chip) + " needs");
  std::vector<std::string> names;
  for (const KernelInfo &kernel : manifest.kernels)
    names.push_back(kernel.name);
  auto loaded = NativeCode::load(manifest.object, names);
  if (!loaded)
    return loaded.takeError();
  code = std::move(*loaded);
  return options.hasPerfMap ? code->writePerfMap() : llvm::Error::success();
}

/// Returns the value of a parameter as kernels expect it: sign-extended.
static uint64_t extend(llvm::ArrayRef<uint8_t> bytes) {
  assert(!bytes.empty() && bytes.size() <= sizeof(uint64_t));
  uint64_t value = bytes.back() & 0x80 ? ~uint64_t(0) : 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

llvm::Expected<CpuDevice::PreparedLaunch>
CpuDevice::prepare(const DeviceLaunch &launch) {
  PreparedLaunch prepared;
  prepared.kernel = code ? code->find(launch.kernel) : nullptr;
  if (!prepared.kernel)
    return llvm::createStringError("there is no kernel '" + launch.kernel +
                                   "'");
  for (const std::vector<uint8_t> &parameter : launch.parameters)
    prepared.arguments.push_back(extend(parameter));
  prepared.blocks =
      int64_t(launch.grid[0]) * launch.grid[1] * int64_t(launch.grid[2]);
  prepared.scratch = launch.scratch;
  return prepared;
}

std::optional<std::string> CpuDevice::run(const PreparedLaunch &launch) {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> isStopped{false}, isOutOfMemory{false};
  threads.parallelFor(0, launch.blocks, [&](int64_t first, int64_t end) {
    if (isStopped || isOutOfMemory)
      return;
    if (options.proceed && std::this_thread::get_id() == caller &&
        !options.proceed()) {
      isStopped = true;
      return;
    }
    static thread_local Scratch own;
    void *scratch = own.get(launch.scratch);
    if (launch.scratch && !scratch) {
      isOutOfMemory = true;
      return;
    }
    launch.kernel(launch.arguments.data(), first, end, scratch);
  });
  if (isOutOfMemory)
    return "no " + std::to_string(launch.scratch) + " bytes of scratch memory";
  if (isStopped)
    return "the launch was stopped";
  return std::nullopt;
}

llvm::Expected<std::optional<double>>
CpuDevice::measure(llvm::ArrayRef<DeviceLaunch> launches) {
  std::vector<PreparedLaunch> prepared;
  for (const DeviceLaunch &launch : launches) {
    llvm::Expected<PreparedLaunch> one = prepare(launch);
    if (!one)
      return one.takeError();
    prepared.push_back(std::move(*one));
  }
  auto sample = [&](unsigned repetitions, unsigned batches,
                    std::vector<double> &samples) -> llvm::Error {
    for (unsigned batch = 0; batch < batches; ++batch) {
      auto begin = std::chrono::steady_clock::now();
      for (unsigned i = 0; i < repetitions; ++i)
        for (const PreparedLaunch &launch : prepared)
          if (std::optional<std::string> fault = run(launch))
            return llvm::createStringError(*fault);
      std::chrono::duration<double, std::micro> time =
          std::chrono::steady_clock::now() - begin;
      samples.push_back(time.count() / repetitions);
    }
    return llvm::Error::success();
  };
  llvm::Expected<double> us = measureMedian(sample);
  if (!us)
    return us.takeError();
  return *us;
}

} // namespace

std::unique_ptr<Device> fusion::createCpuDevice(const CpuOptions &options) {
  return std::make_unique<CpuDevice>(options);
}
