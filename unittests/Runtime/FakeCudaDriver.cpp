//===- FakeCudaDriver.cpp - libcuda.so.1 on the emulator ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of the CUDA driver that the runtime uses, executing PTX on
// the emulator, so that the CUDA device is tested on machines without one. It
// is strict where the driver is: dynamic shared memory above 48 KB and large
// clusters need their opt-in, calls need a context that is current in their
// thread, captured work does not run, and while a stream captures nothing may
// be allocated or waited for. Machine code it refuses.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "fusion/Emulator/Emulator.h"
#include <cstring>
#include <functional>
#include <map>

using namespace fusion;
using namespace fusion::cuda;

namespace {

constexpr Result invalidValue = 1, invalidContext = 201, noBinary = 209,
                 notFound = 500, launchFailed = 719, captureUnsupported = 900;

struct LoadedModule {
  std::unique_ptr<emulator::Program> program;
};
struct LoadedFunction {
  const emulator::Program *program;
  std::string name;
  int maxDynamicShared = 48 * 1024;
  bool largeClusters = false;
};
using RecordedGraph = std::vector<std::function<Result()>>;
struct FakeStream {
  RecordedGraph *capturing = nullptr;
};
struct FakeEvent {
  uint64_t launchesBefore = 0;
};

emulator::Memory memory;
thread_local unsigned contextDepth = 0;
uint64_t launchCount = 0;
std::map<Pointer, size_t> allocated;
unsigned capturing = 0; ///< streams that capture

template <typename To, typename From> To *as(From *handle) {
  return reinterpret_cast<To *>(handle);
}
Result needContext() { return contextDepth ? 0 : invalidContext; }
/// For what a capture forbids.
Result needNoCapture() {
  return capturing ? captureUnsupported : needContext();
}

/// Does it, or records it where the stream captures.
Result perform(Stream stream, std::function<Result()> work) {
  auto *queue = as<FakeStream>(stream);
  if (!queue || !queue->capturing)
    return work();
  queue->capturing->push_back(std::move(work));
  return 0;
}

Result runLaunch(const emulator::Program &program,
                 const emulator::Launch &launch) {
  ++launchCount;
  return emulator::run(program, launch, memory).error ? launchFailed : 0;
}

} // namespace

extern "C" {

Result cuInit(unsigned flags) { return flags ? invalidValue : 0; }
Result cuDriverGetVersion(int *version) { return *version = 13000, 0; }
Result cuGetErrorName(Result error, const char **name) {
  *name = error == noBinary       ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : error == launchFailed ? "CUDA_ERROR_LAUNCH_FAILED"
          : error == captureUnsupported
              ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
              : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
Result cuGetErrorString(Result, const char **text) {
  return *text = "fake driver", 0;
}
Result cuDeviceGetCount(int *count) { return *count = 1, 0; }
Result cuDeviceGet(DeviceHandle *device, int ordinal) {
  return *device = 7, ordinal ? invalidValue : 0;
}
Result cuDeviceGetName(char *name, int length, DeviceHandle) {
  std::strncpy(name, "Fake GPU", length);
  return 0;
}
Result cuDeviceGetAttribute(int *value, int attribute, DeviceHandle) {
  *value = attribute == computeCapabilityMajor         ? 8
           : attribute == computeCapabilityMinor       ? 0
           : attribute == multiprocessorCount          ? 5
           : attribute == maxSharedMemoryPerBlockOptin ? 163 * 1024
                                                       : -1;
  return 0;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  *context = reinterpret_cast<Context>(&memory);
  return device == 7 ? 0 : invalidValue;
}
Result cuDevicePrimaryCtxRelease_v2(DeviceHandle) { return 0; }
Result cuCtxPushCurrent_v2(Context context) {
  return context ? (++contextDepth, 0) : invalidValue;
}
Result cuCtxPopCurrent_v2(Context *context) {
  *context = reinterpret_cast<Context>(&memory);
  return contextDepth ? (--contextDepth, 0) : invalidContext;
}
Result cuCtxSynchronize() { return needNoCapture(); }

/// Two blocks on a multiprocessor; clusters fill one after the other.
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                   Function function, int,
                                                   size_t shared) {
  if (Result result = needContext())
    return result;
  auto *loaded = as<LoadedFunction>(function);
  *blocks = shared > size_t(loaded->maxDynamicShared) ? 0 : 2;
  return 0;
}
Result cuOccupancyMaxActiveClusters(int *clusters, Function function,
                                    const LaunchConfig *config) {
  int blocks = 0;
  if (Result result = cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, function, 0, config->sharedMemBytes))
    return result;
  unsigned size = 0;
  for (unsigned i = 0; i < config->numAttributes; ++i)
    if (config->attributes[i].id == launchAttributeClusterDimension)
      size = config->attributes[i].value.clusterDim.x;
  if (size == 0 || config->gridDimX % size != 0)
    return invalidValue;
  *clusters = blocks * 5 / int(size);
  return 0;
}

Result cuModuleLoadDataEx(Module *module, const void *image,
                          unsigned numOptions, int *options, void **values) {
  if (Result result = needContext())
    return result;
  const char *text = static_cast<const char *>(image);
  if (std::memcmp(text,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return noBinary;
  emulator::Error error;
  auto program = emulator::Program::parse(text, error);
  if (program) {
    *module = reinterpret_cast<Module>(new LoadedModule{std::move(program)});
    return 0;
  }
  for (unsigned i = 0; i < numOptions; ++i)
    if (options[i] == jitErrorLogBuffer)
      std::strcpy(static_cast<char *>(values[i]), error.message.c_str());
  return noBinary;
}
Result cuModuleUnload(Module module) {
  delete as<LoadedModule>(module);
  return needContext();
}
Result cuModuleGetFunction(Function *function, Module module,
                           const char *name) {
  if (Result result = needContext())
    return result;
  const emulator::Program *program = as<LoadedModule>(module)->program.get();
  if (!program->parameters(name))
    return notFound;
  *function = reinterpret_cast<Function>(new LoadedFunction{program, name});
  return 0;
}
Result cuFuncSetAttribute(Function function, int attribute, int value) {
  if (Result result = needContext())
    return result;
  if (attribute == maxDynamicSharedSizeBytes)
    as<LoadedFunction>(function)->maxDynamicShared = value;
  else if (attribute == nonPortableClusterSizeAllowed)
    as<LoadedFunction>(function)->largeClusters = value;
  else
    return invalidValue;
  return 0;
}

Result cuMemAlloc_v2(Pointer *pointer, size_t bytes) {
  if (Result result = needNoCapture())
    return result;
  *pointer = memory.allocate(bytes);
  allocated[*pointer] = bytes;
  return bytes ? 0 : invalidValue;
}
Result cuMemFree_v2(Pointer pointer) {
  if (Result result = needNoCapture())
    return result;
  allocated.erase(pointer);
  return memory.free(pointer) ? 0 : invalidValue;
}
Result cuPointerGetAttribute(void *value, int attribute, Pointer pointer) {
  auto next = allocated.upper_bound(pointer);
  if (attribute != pointerDeviceOrdinal || next == allocated.begin() ||
      pointer >= std::prev(next)->first + std::prev(next)->second)
    return invalidValue;
  return *static_cast<int *>(value) = 0, 0;
}
/// The map has the address alone: who asks without a context has none.
Result cuTensorMapEncodeTiled(TensorMap *map, int, uint32_t, void *address,
                              const uint64_t *, const uint64_t *,
                              const uint32_t *, const uint32_t *, int, int, int,
                              int) {
  if (Result result = needContext())
    return result;
  *map = {};
  std::memcpy(map, &address, sizeof(address));
  return 0;
}
Result cuMemcpyDtoDAsync_v2(Pointer destination, Pointer source, size_t bytes,
                            Stream stream) {
  return perform(stream, [=] {
    std::vector<char> data(bytes);
    return memory.read(source, data.data(), bytes) &&
                   memory.write(destination, data.data(), bytes)
               ? 0
               : invalidValue;
  });
}
Result cuMemsetD8_v2(Pointer destination, unsigned char value, size_t bytes) {
  if (Result result = needContext())
    return result;
  std::vector<char> data(bytes, char(value));
  return memory.write(destination, data.data(), bytes) ? 0 : invalidValue;
}
Result cuMemcpyHtoD_v2(Pointer destination, const void *source, size_t bytes) {
  if (Result result = needContext())
    return result;
  return memory.write(destination, source, bytes) ? 0 : invalidValue;
}
Result cuMemcpyDtoH_v2(void *destination, Pointer source, size_t bytes) {
  if (Result result = needContext())
    return result;
  return memory.read(source, destination, bytes) ? 0 : invalidValue;
}

/// For tests: launches that may begin before the one before has ended.
uint64_t fakeProgrammaticLaunches = 0;

Result cuLaunchKernelEx(const LaunchConfig *config, Function handle,
                        void **parameters, void **extra) {
  if (Result result = needContext())
    return result;
  LoadedFunction &function = *as<LoadedFunction>(handle);
  if (int(config->sharedMemBytes) > function.maxDynamicShared || extra)
    return invalidValue;
  emulator::Launch launch;
  launch.kernel = function.name;
  launch.grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
  launch.block = {config->blockDimX, config->blockDimY, config->blockDimZ};
  launch.dynamicSharedMemory = config->sharedMemBytes;
  for (unsigned i = 0; i < config->numAttributes; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == launchAttributeProgrammaticStreamSerialization) {
      fakeProgrammaticLaunches +=
          attribute.value.programmaticStreamSerializationAllowed;
      continue;
    }
    if (attribute.id != launchAttributeClusterDimension)
      return invalidValue;
    auto [x, y, z] = attribute.value.clusterDim;
    if (x * y * z > 8 && !function.largeClusters)
      return invalidValue;
    launch.cluster = {x, y, z};
  }
  auto formals = function.program->parameters(function.name);
  for (size_t i = 0; i < formals->size(); ++i) {
    auto *bytes = static_cast<const uint8_t *>(parameters[i]);
    launch.parameters.emplace_back(bytes, bytes + (*formals)[i].bytes);
  }
  return perform(config->stream, [program = function.program, launch] {
    return runLaunch(*program, launch);
  });
}

Result cuEventCreate(Event *event, unsigned) {
  if (Result result = needContext())
    return result;
  *event = reinterpret_cast<Event>(new FakeEvent);
  return 0;
}
Result cuEventRecord(Event event, Stream) {
  if (Result result = needContext())
    return result;
  as<FakeEvent>(event)->launchesBefore = launchCount;
  return 0;
}
Result cuEventSynchronize(Event) { return needContext(); }
/// A launch takes 0.25 ms.
Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  if (Result result = needContext())
    return result;
  *milliseconds = 0.25f * (as<FakeEvent>(end)->launchesBefore -
                           as<FakeEvent>(start)->launchesBefore);
  return 0;
}
Result cuEventDestroy_v2(Event event) {
  delete as<FakeEvent>(event);
  return 0;
}

Result cuStreamCreate(Stream *stream, unsigned) {
  *stream = reinterpret_cast<Stream>(new FakeStream);
  return needContext();
}
Result cuStreamDestroy_v2(Stream stream) {
  delete as<FakeStream>(stream);
  return 0;
}
/// What was put into a stream is done when the call returns.
Result cuStreamWaitEvent(Stream, Event, unsigned) { return needContext(); }
Result cuStreamBeginCapture_v2(Stream stream, int) {
  as<FakeStream>(stream)->capturing = new RecordedGraph;
  ++capturing;
  return 0;
}
Result cuStreamEndCapture(Stream stream, Graph *graph) {
  *graph = reinterpret_cast<Graph>(as<FakeStream>(stream)->capturing);
  as<FakeStream>(stream)->capturing = nullptr;
  --capturing;
  return 0;
}
Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                   unsigned long long) {
  *exec =
      reinterpret_cast<GraphExec>(new RecordedGraph(*as<RecordedGraph>(graph)));
  return 0;
}
Result cuGraphLaunch(GraphExec exec, Stream) {
  for (const std::function<Result()> &work : *as<RecordedGraph>(exec))
    if (Result result = work())
      return result;
  return 0;
}
Result cuGraphExecDestroy(GraphExec exec) {
  delete as<RecordedGraph>(exec);
  return 0;
}
Result cuGraphDestroy(Graph graph) {
  delete as<RecordedGraph>(graph);
  return 0;
}

} // extern "C"
