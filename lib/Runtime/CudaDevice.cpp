//===- CudaDevice.cpp - NVIDIA GPUs as a device ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Measure.h"
#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Toolchain/Ptxas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

using namespace fusion;
using namespace fusion::cuda;

namespace {

/// Dynamic shared memory above this needs an opt-in per kernel (CUDA C++
/// Programming Guide, "Shared Memory" of compute capability 7.0 and later).
constexpr uint32_t defaultSharedMemory = 48 * 1024;
/// Clusters above this need an opt-in per kernel (same, "Thread Block
/// Clusters").
constexpr uint32_t portableClusterSize = 8;

/// A context is current in this thread while this lives; before and after, it
/// is what the thread's owner has chosen.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, Context context) : driver(driver) {
    driver.ctxPushCurrent(context);
  }
  ~CurrentContext() {
    Context context = nullptr;
    driver.ctxPopCurrent(&context);
  }
  CurrentContext(const CurrentContext &) = delete;

private:
  const Driver &driver;
};

class CudaDevice final : public Device {
public:
  CudaDevice(const Driver &driver) : driver(driver) {}
  ~CudaDevice() override {
    if (!context)
      return;
    if (module) {
      CurrentContext current(driver, context);
      driver.moduleUnload(module);
    }
    driver.primaryCtxRelease(handle);
  }

  llvm::Error open(int ordinal) {
    int count = 0;
    if (auto error = check(driver.deviceGetCount(&count), "cuDeviceGetCount"))
      return error;
    if (count == 0)
      return llvm::createStringError("the CUDA driver finds no GPU");
    if (ordinal < 0 || ordinal >= count)
      return llvm::createStringError("there is no GPU " + llvm::Twine(ordinal) +
                                     "; the CUDA driver finds " +
                                     llvm::Twine(count));
    if (auto error = check(driver.deviceGet(&handle, ordinal), "cuDeviceGet"))
      return error;
    char text[256] = {};
    driver.deviceGetName(text, sizeof(text) - 1, handle);
    deviceName = text;
    driver.deviceGetAttribute(&major, computeCapabilityMajor, handle);
    driver.deviceGetAttribute(&minor, computeCapabilityMinor, handle);
    driver.deviceGetAttribute(&multiprocessors, multiprocessorCount, handle);
    driver.deviceGetAttribute(&maxSharedMemory, maxSharedMemoryPerBlockOptin,
                              handle);
    return check(driver.primaryCtxRetain(&context, handle),
                 "cuDevicePrimaryCtxRetain");
  }

  std::string name() const override { return deviceName; }
  std::string assembler() const override { return assemblerText; }

  llvm::Error loadModule(const Manifest &manifest) override {
    if (manifest.isNative())
      return llvm::createStringError(
          deviceName + " executes PTX; the kernels are machine code for '" +
          manifest.chip + "'");
    const std::string &ptx = manifest.ptx;
    CurrentContext current(driver, context);
    // ptxas may be older than the PTX, or newer than the driver can load; the
    // driver's own compiler is the way out of both.
    assemblerText = "driver";
    if (std::optional<std::string> ptxas = findPtxas()) {
      auto cubin = assemblePtx(*ptxas, ptx, architecture(ptx));
      llvm::Error error = cubin ? load(cubin->data()) : cubin.takeError();
      if (!error) {
        assemblerText = "ptxas (" + *ptxas + ")";
        return error;
      }
      assemblerText = "driver, since " + llvm::toString(std::move(error));
    }
    return load(ptx.c_str());
  }

  llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                         size_t alignment) override {
    CurrentContext current(driver, context);
    // cuMemAlloc aligns to 256 bytes at least, and refuses 0 bytes.
    if (alignment > 256)
      return llvm::createStringError("alignment above 256 bytes");
    Pointer pointer = 0;
    if (auto error =
            check(driver.memAlloc(&pointer, std::max<size_t>(bytes, 1)),
                  "allocation of " + llvm::Twine(bytes) + " bytes"))
      return std::move(error);
    // All ones is a NaN in every floating-point type: what a kernel forgets to
    // write is seen.
    if (bytes)
      if (auto error = check(driver.memsetD8(pointer, 0xff, bytes), "cuMemset"))
        return std::move(error);
    return pointer;
  }
  llvm::Error free(DeviceAddress address) override {
    CurrentContext current(driver, context);
    return check(driver.memFree(address), "cuMemFree");
  }
  llvm::Error write(DeviceAddress destination, const void *source,
                    size_t bytes) override {
    CurrentContext current(driver, context);
    return bytes ? check(driver.memcpyHtoD(destination, source, bytes),
                         "copy to the device")
                 : llvm::Error::success();
  }
  llvm::Error read(DeviceAddress source, void *destination,
                   size_t bytes) override {
    CurrentContext current(driver, context);
    return bytes ? check(driver.memcpyDtoH(destination, source, bytes),
                         "copy from the device")
                 : llvm::Error::success();
  }
  llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                   size_t bytes, DeviceStream stream) override {
    CurrentContext current(driver, context);
    return bytes ? check(driver.memcpyDtoDAsync(destination, source, bytes,
                                                static_cast<Stream>(stream)),
                         "copy inside of the device")
                 : llvm::Error::success();
  }

  llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) override;

  llvm::Expected<uint64_t> activeClusters(const DeviceLaunch &launch) override;

  llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                           DeviceStream stream) override {
    CurrentContext current(driver, context);
    if (auto error = start(launch, static_cast<Stream>(stream)))
      return std::move(error);
    return LaunchObservation{};
  }
  llvm::Error wait(DeviceStream waiting, DeviceStream stream) override;
  llvm::Error synchronize() override {
    CurrentContext current(driver, context);
    return check(driver.ctxSynchronize(), "execution");
  }
  llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) override;

private:
  llvm::Error check(Result result, const llvm::Twine &what) const {
    return driver.check(result, what);
  }

  /// The PTX's target where it is this chip with a suffix (sm_90a), otherwise
  /// the chip.
  std::string architecture(llvm::StringRef ptx) const {
    std::string chip = "sm_" + std::to_string(10 * major + minor);
    llvm::StringRef target = ptx.substr(ptx.find(".target"));
    target.consume_front(".target");
    target = target.ltrim().take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_'; });
    llvm::StringRef suffix = target;
    return suffix.consume_front(chip) && suffix.size() <= 1 ? target.str()
                                                            : chip;
  }

  llvm::Error load(const void *image) {
    std::vector<char> log(16384, 0);
    int options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
    Result result = driver.moduleLoadDataEx(&module, image, 2, options, values);
    llvm::StringRef text = llvm::StringRef(log.data()).trim();
    return check(result, "the driver does not load the kernels on " +
                             deviceName +
                             (text.empty() ? "" : "\n" + text.str() + "\n"));
  }

  /// The kernel of a launch, found and set up when it is first asked for.
  llvm::Expected<Function> function(const DeviceLaunch &launch) {
    std::lock_guard<std::mutex> lock(functionsMutex);
    if (auto known = functions.find(launch.kernel); known != functions.end())
      return known->second;
    llvm::Expected<Function> found = setUp(launch);
    if (found)
      functions[launch.kernel] = *found;
    return found;
  }

  llvm::Expected<Function> setUp(const DeviceLaunch &launch) {
    std::string what = "kernel '" + launch.kernel + "'";
    Function function = nullptr;
    if (auto error = check(
            driver.moduleGetFunction(&function, module, launch.kernel.c_str()),
            what))
      return std::move(error);
    if (launch.dynamicSharedMemory > uint32_t(maxSharedMemory))
      return llvm::createStringError(
          what + " needs " + std::to_string(launch.dynamicSharedMemory) +
          " bytes of shared memory; " + deviceName + " has " +
          std::to_string(maxSharedMemory) + " per block");
    if (launch.dynamicSharedMemory > defaultSharedMemory)
      if (auto error =
              check(driver.funcSetAttribute(function, maxDynamicSharedSizeBytes,
                                            launch.dynamicSharedMemory),
                    what + ": shared memory"))
        return std::move(error);
    if (clusterSize(launch) > portableClusterSize)
      if (auto error = check(driver.funcSetAttribute(
                                 function, nonPortableClusterSizeAllowed, 1),
                             what + ": cluster size"))
        return std::move(error);
    return function;
  }

  /// What occupancy depends on: kernel, block, cluster, dynamic shared memory.
  using Shape = std::tuple<std::string, std::array<uint32_t, 3>,
                           std::array<uint32_t, 3>, uint32_t>;
  static Shape shapeOf(const DeviceLaunch &launch) {
    return {launch.kernel, launch.block, launch.cluster,
            launch.dynamicSharedMemory};
  }
  llvm::Expected<uint64_t> askActiveClusters(const DeviceLaunch &launch);

  static uint32_t clusterSize(const DeviceLaunch &launch) {
    return launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  }

  static llvm::SmallVector<LaunchAttribute, 2>
  attributesOf(const DeviceLaunch &launch) {
    llvm::SmallVector<LaunchAttribute, 2> attributes;
    if (clusterSize(launch) > 1) {
      LaunchAttribute &cluster = attributes.emplace_back();
      cluster.id = launchAttributeClusterDimension;
      cluster.value.clusterDim = {launch.cluster[0], launch.cluster[1],
                                  launch.cluster[2]};
    }
    if (launch.isProgrammatic) {
      LaunchAttribute &programmatic = attributes.emplace_back();
      programmatic.id = launchAttributeProgrammaticStreamSerialization;
      programmatic.value.programmaticStreamSerializationAllowed = 1;
    }
    return attributes;
  }

  static LaunchConfig
  configOf(const DeviceLaunch &launch, const std::array<uint32_t, 3> &grid,
           llvm::MutableArrayRef<LaunchAttribute> attributes) {
    return {grid[0],
            grid[1],
            grid[2],
            launch.block[0],
            launch.block[1],
            launch.block[2],
            launch.dynamicSharedMemory,
            /*stream=*/nullptr,
            attributes.data(),
            static_cast<unsigned>(attributes.size())};
  }

  llvm::Error start(const DeviceLaunch &launch, Stream stream) {
    llvm::Expected<Function> kernel = function(launch);
    if (!kernel)
      return kernel.takeError();
    llvm::SmallVector<LaunchAttribute, 2> attributes = attributesOf(launch);
    LaunchConfig config = configOf(launch, launch.grid, attributes);
    config.stream = stream;
    llvm::SmallVector<void *> parameters;
    for (const std::vector<uint8_t> &parameter : launch.parameters)
      parameters.push_back(const_cast<uint8_t *>(parameter.data()));
    return check(
        driver.launchKernelEx(&config, *kernel, parameters.data(), nullptr),
        "launch of kernel '" + launch.kernel + "'");
  }

  const Driver &driver;
  DeviceHandle handle = 0;
  Context context = nullptr;
  Module module = nullptr;
  int major = 0, minor = 0, multiprocessors = 0, maxSharedMemory = 0;
  std::string deviceName;
  std::string assemblerText;
  std::mutex functionsMutex;
  llvm::StringMap<Function> functions;
  std::map<Shape, uint64_t> active; ///< clusters that have room
};

/// CUtensorMapDataType; types it does not know travel as integers of the same
/// size.
int tensorMapType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 6;
  case ElementType::F32:
    return 7;
  case ElementType::F64:
    return 8;
  case ElementType::BF16:
    return 9;
  default:
    break;
  }
  switch (elementBytes(type)) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 3;
  default:
    return 5;
  }
}

llvm::Expected<std::vector<uint8_t>>
CudaDevice::encodeTensorMap(const TensorMapRequest &request) {
  if (!driver.encodeTensorMap)
    return llvm::createStringError(
        "the CUDA driver is too old for tensor maps (12.0 or later)");
  // The driver asks which device the address is of.
  CurrentContext current(driver, context);
  TensorMap map;
  int swizzle = request.swizzleBytes == 0
                    ? 0
                    : static_cast<int>(std::log2(request.swizzleBytes)) - 4;
  if (auto error =
          check(driver.encodeTensorMap(
                    &map, tensorMapType(request.type), request.dims.size(),
                    reinterpret_cast<void *>(request.base), request.dims.data(),
                    request.stridesBytes.data(), request.box.data(),
                    request.elementStrides.data(), request.interleaveBytes / 16,
                    swizzle, /*l2Promotion=*/2, request.fillNan ? 1 : 0),
                "tensor map"))
    return std::move(error);
  const auto *bytes = reinterpret_cast<const uint8_t *>(&map);
  return std::vector<uint8_t>(bytes, bytes + sizeof(map));
}

/// The driver knows how this GPU's multiprocessors are arranged, which differs
/// from one GPU of a product to the next.
llvm::Expected<uint64_t>
CudaDevice::activeClusters(const DeviceLaunch &launch) {
  {
    std::lock_guard<std::mutex> lock(functionsMutex);
    if (auto known = active.find(shapeOf(launch)); known != active.end())
      return known->second;
  }
  llvm::Expected<uint64_t> count = askActiveClusters(launch);
  if (count) {
    std::lock_guard<std::mutex> lock(functionsMutex);
    active[shapeOf(launch)] = *count;
  }
  return count;
}

llvm::Expected<uint64_t>
CudaDevice::askActiveClusters(const DeviceLaunch &launch) {
  CurrentContext current(driver, context);
  llvm::Expected<Function> kernel = function(launch);
  if (!kernel)
    return kernel.takeError();
  std::string what = "occupancy of kernel '" + launch.kernel + "'";
  int count = 0;
  if (clusterSize(launch) == 1) {
    if (auto error =
            check(driver.occupancyMaxActiveBlocksPerMultiprocessor(
                      &count, *kernel,
                      launch.block[0] * launch.block[1] * launch.block[2],
                      launch.dynamicSharedMemory),
                  what))
      return std::move(error);
    return uint64_t(count) * multiprocessors;
  }
  if (!driver.occupancyMaxActiveClusters)
    return llvm::createStringError(
        what + ": the CUDA driver is too old for clusters (12.0 or later)");
  DeviceLaunch alone = launch;
  alone.isProgrammatic = false;
  llvm::SmallVector<LaunchAttribute, 2> attributes = attributesOf(alone);
  LaunchConfig config = configOf(alone, alone.cluster, attributes);
  if (auto error = check(
          driver.occupancyMaxActiveClusters(&count, *kernel, &config), what))
    return std::move(error);
  return uint64_t(count);
}

llvm::Error CudaDevice::wait(DeviceStream waiting, DeviceStream stream) {
  CurrentContext current(driver, context);
  Event event = nullptr;
  if (auto error = check(driver.eventCreate(&event, eventDisableTiming),
                         "cuEventCreate"))
    return error;
  Result result = driver.eventRecord(event, static_cast<Stream>(stream));
  if (result == 0)
    result = driver.streamWaitEvent(static_cast<Stream>(waiting), event, 0);
  // What was recorded is waited for, whether the event still exists or not.
  driver.eventDestroy(event);
  return check(result, "cuStreamWaitEvent");
}

/// Times launches between two events on a stream of its own.
class Stopwatch {
public:
  explicit Stopwatch(const Driver &driver) : driver(driver) {}
  ~Stopwatch() {
    if (exec)
      driver.graphExecDestroy(exec);
    if (graph)
      driver.graphDestroy(graph);
    if (begin)
      driver.eventDestroy(begin);
    if (end)
      driver.eventDestroy(end);
    if (stream)
      driver.streamDestroy(stream);
  }

  llvm::Error open() {
    for (Result result :
         {driver.streamCreate(&stream, 0), driver.eventCreate(&begin, 0),
          driver.eventCreate(&end, 0)})
      if (auto error = driver.check(result, "timing"))
        return error;
    return llvm::Error::success();
  }

  /// Puts what `start` starts on the stream into a graph, so that the time is
  /// the GPU's and not that of the host's launches.
  llvm::Error capture(llvm::function_ref<llvm::Error(Stream)> start) {
    if (auto error =
            driver.check(driver.streamBeginCapture(stream, captureThreadLocal),
                         "cuStreamBeginCapture"))
      return error;
    llvm::Error error = start(stream);
    // Capture ends in any case, or the stream stays unusable.
    Result result = driver.streamEndCapture(stream, &graph);
    if (error)
      return error;
    if (auto error = driver.check(result, "cuStreamEndCapture"))
      return error;
    return driver.check(driver.graphInstantiate(&exec, graph, 0),
                        "cuGraphInstantiate");
  }

  /// Microseconds of one run of the graph.
  llvm::Expected<double> time() {
    float milliseconds = 0;
    auto steps = {driver.eventRecord(begin, stream),
                  driver.graphLaunch(exec, stream),
                  driver.eventRecord(end, stream), driver.eventSynchronize(end),
                  driver.eventElapsedTime(&milliseconds, begin, end)};
    for (Result result : steps)
      if (auto error = driver.check(result, "timing"))
        return std::move(error);
    return double(milliseconds) * 1e3;
  }

private:
  const Driver &driver;
  Stream stream = nullptr;
  Event begin = nullptr, end = nullptr;
  Graph graph = nullptr;
  GraphExec exec = nullptr;
};

llvm::Expected<std::optional<double>>
CudaDevice::measure(llvm::ArrayRef<DeviceLaunch> launches) {
  CurrentContext current(driver, context);
  // Microseconds of one repetition, over batches of `repetitions`.
  auto sample = [&](unsigned repetitions, unsigned batches,
                    std::vector<double> &samples) -> llvm::Error {
    Stopwatch watch(driver);
    if (auto error = watch.open())
      return error;
    if (auto error = watch.capture([&](Stream stream) -> llvm::Error {
          for (unsigned i = 0; i < repetitions; ++i)
            for (const DeviceLaunch &launch : launches)
              if (auto error = start(launch, stream))
                return error;
          return llvm::Error::success();
        }))
      return error;
    for (unsigned i = 0; i < batches; ++i) {
      llvm::Expected<double> us = watch.time();
      if (!us)
        return us.takeError();
      samples.push_back(*us / repetitions);
    }
    return llvm::Error::success();
  };

  llvm::Expected<double> us = measureMedian(sample, /*warmUpRepetitions=*/10);
  if (!us)
    return us.takeError();
  return *us;
}

} // namespace

llvm::Expected<std::unique_ptr<Device>> fusion::createCudaDevice(int ordinal) {
  llvm::Expected<const Driver *> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  auto device = std::make_unique<CudaDevice>(**driver);
  if (llvm::Error error = device->open(ordinal))
    return std::move(error);
  return device;
}

llvm::Expected<std::optional<int>> fusion::cudaDeviceOf(DeviceAddress address) {
  llvm::Expected<const Driver *> driver = Driver::load();
  if (!driver)
    return driver.takeError();
  int ordinal = 0;
  if ((*driver)->pointerGetAttribute(&ordinal, pointerDeviceOrdinal, address))
    return std::nullopt;
  return ordinal;
}
