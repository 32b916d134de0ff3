//===- CudaDriver.h - The CUDA driver, loaded at run time -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few entry points of libcuda that are needed, found with dlopen, so that
// the tools neither link against the driver nor need its headers. Types and
// values follow the CUDA Driver API reference, version 12.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_CUDADRIVER_H
#define FUSION_LIB_RUNTIME_CUDADRIVER_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>

namespace fusion::cuda {

using Result = int; // CUresult, 0 = success
using DeviceHandle = int;
using Pointer = uint64_t; // CUdeviceptr
using Context = struct ContextOpaque *;
using Module = struct ModuleOpaque *;
using Function = struct FunctionOpaque *;
using Event = struct EventOpaque *;
using Stream = struct StreamOpaque *;
using Graph = struct GraphOpaque *;
using GraphExec = struct GraphExecOpaque *;

// CUdevice_attribute
constexpr int multiprocessorCount = 16;
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
constexpr int maxSharedMemoryPerBlockOptin = 97;
// CUfunction_attribute
constexpr int maxDynamicSharedSizeBytes = 8;
constexpr int nonPortableClusterSizeAllowed = 14;
// CUjit_option
constexpr int jitErrorLogBuffer = 5;
constexpr int jitErrorLogBufferSizeBytes = 6;
// CUpointer_attribute
constexpr int pointerDeviceOrdinal = 9;
// CUevent_flags
constexpr unsigned eventDisableTiming = 2;
// CUstreamCaptureMode
constexpr int captureThreadLocal = 1;
// CUlaunchAttributeID
constexpr unsigned launchAttributeClusterDimension = 4;
constexpr unsigned launchAttributeProgrammaticStreamSerialization = 6;

struct LaunchAttribute { // CUlaunchAttribute
  unsigned id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig { // CUlaunchConfig
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};
static_assert(sizeof(LaunchConfig) == 56);

struct alignas(128) TensorMap { // CUtensorMap
  uint64_t opaque[16];
};

/// The driver's functions; all set after `load`, except encodeTensorMap and
/// occupancyMaxActiveClusters, which drivers before 12.0 lack.
struct Driver {
  Result (*init)(unsigned flags);
  Result (*driverGetVersion)(int *version);
  Result (*getErrorName)(Result error, const char **name);
  Result (*getErrorString)(Result error, const char **text);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceHandle *device, int ordinal);
  Result (*deviceGetName)(char *name, int length, DeviceHandle device);
  Result (*deviceGetAttribute)(int *value, int attribute, DeviceHandle device);
  Result (*primaryCtxRetain)(Context *context, DeviceHandle device);
  Result (*primaryCtxRelease)(DeviceHandle device);
  Result (*ctxPushCurrent)(Context context);
  Result (*ctxPopCurrent)(Context *context);
  Result (*ctxSynchronize)();
  Result (*moduleLoadDataEx)(Module *module, const void *image,
                             unsigned numOptions, int *options, void **values);
  Result (*moduleUnload)(Module module);
  Result (*moduleGetFunction)(Function *function, Module module,
                              const char *name);
  Result (*funcSetAttribute)(Function function, int attribute, int value);
  Result (*occupancyMaxActiveBlocksPerMultiprocessor)(int *blocks,
                                                      Function function,
                                                      int threads,
                                                      size_t dynamicShared);
  Result (*occupancyMaxActiveClusters)(int *clusters, Function function,
                                       const LaunchConfig *config);
  Result (*memAlloc)(Pointer *pointer, size_t bytes);
  Result (*memFree)(Pointer pointer);
  Result (*memsetD8)(Pointer destination, unsigned char value, size_t bytes);
  Result (*memcpyHtoD)(Pointer destination, const void *source, size_t bytes);
  Result (*memcpyDtoH)(void *destination, Pointer source, size_t bytes);
  Result (*memcpyDtoDAsync)(Pointer destination, Pointer source, size_t bytes,
                            Stream stream);
  Result (*pointerGetAttribute)(void *value, int attribute, Pointer pointer);
  Result (*launchKernelEx)(const LaunchConfig *config, Function function,
                           void **parameters, void **extra);
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventSynchronize)(Event event);
  Result (*eventElapsedTime)(float *milliseconds, Event start, Event end);
  Result (*eventDestroy)(Event event);
  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamDestroy)(Stream stream);
  Result (*streamWaitEvent)(Stream stream, Event event, unsigned flags);
  Result (*streamBeginCapture)(Stream stream, int mode);
  Result (*streamEndCapture)(Stream stream, Graph *graph);
  Result (*graphInstantiate)(GraphExec *exec, Graph graph,
                             unsigned long long flags);
  Result (*graphLaunch)(GraphExec exec, Stream stream);
  Result (*graphExecDestroy)(GraphExec exec);
  Result (*graphDestroy)(Graph graph);
  Result (*encodeTensorMap)(TensorMap *map, int dataType, uint32_t rank,
                            void *address, const uint64_t *dims,
                            const uint64_t *stridesBytes, const uint32_t *box,
                            const uint32_t *elementStrides, int interleave,
                            int swizzle, int l2Promotion, int fill);

  /// Loads libcuda.so.1 and initialises it, once per process.
  static llvm::Expected<const Driver *> load();

  /// Success, or an error `what: NAME (text)`.
  llvm::Error check(Result result, const llvm::Twine &what) const;
};

} // namespace fusion::cuda

#endif // FUSION_LIB_RUNTIME_CUDADRIVER_H
