//===- CudaDriver.cpp - The CUDA driver, loaded at run time ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include "llvm/ADT/Twine.h"
#include <dlfcn.h>

using namespace fusion::cuda;

namespace {

/// The driver or why there is none.
struct Loaded {
  Driver driver{};
  std::string problem;
};

Loaded loadOnce() {
  Loaded result;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    result.problem = "there is no CUDA driver on this machine: libcuda.so.1 "
                     "cannot be loaded";
    return result;
  }
  auto find = [&](auto &function, const char *name, bool required = true) {
    void *symbol = dlsym(library, name);
    if (!symbol && required && result.problem.empty())
      result.problem = std::string("the CUDA driver is too old: it has no ") +
                       name + " (version 12.0 or later is needed)";
    function = reinterpret_cast<std::decay_t<decltype(function)>>(symbol);
  };
  Driver &driver = result.driver;
  find(driver.init, "cuInit");
  find(driver.driverGetVersion, "cuDriverGetVersion");
  find(driver.getErrorName, "cuGetErrorName");
  find(driver.getErrorString, "cuGetErrorString");
  find(driver.deviceGetCount, "cuDeviceGetCount");
  find(driver.deviceGet, "cuDeviceGet");
  find(driver.deviceGetName, "cuDeviceGetName");
  find(driver.deviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.primaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(driver.primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(driver.ctxPushCurrent, "cuCtxPushCurrent_v2");
  find(driver.ctxPopCurrent, "cuCtxPopCurrent_v2");
  find(driver.ctxSynchronize, "cuCtxSynchronize");
  find(driver.moduleLoadDataEx, "cuModuleLoadDataEx");
  find(driver.moduleUnload, "cuModuleUnload");
  find(driver.moduleGetFunction, "cuModuleGetFunction");
  find(driver.funcSetAttribute, "cuFuncSetAttribute");
  find(driver.occupancyMaxActiveBlocksPerMultiprocessor,
       "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  find(driver.occupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",
       /*required=*/false);
  find(driver.memAlloc, "cuMemAlloc_v2");
  find(driver.memFree, "cuMemFree_v2");
  find(driver.memsetD8, "cuMemsetD8_v2");
  find(driver.memcpyHtoD, "cuMemcpyHtoD_v2");
  find(driver.memcpyDtoH, "cuMemcpyDtoH_v2");
  find(driver.memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  find(driver.pointerGetAttribute, "cuPointerGetAttribute");
  find(driver.launchKernelEx, "cuLaunchKernelEx");
  find(driver.eventCreate, "cuEventCreate");
  find(driver.eventRecord, "cuEventRecord");
  find(driver.eventSynchronize, "cuEventSynchronize");
  find(driver.eventElapsedTime, "cuEventElapsedTime");
  find(driver.eventDestroy, "cuEventDestroy_v2");
  find(driver.streamCreate, "cuStreamCreate");
  find(driver.streamDestroy, "cuStreamDestroy_v2");
  find(driver.streamWaitEvent, "cuStreamWaitEvent");
  find(driver.streamBeginCapture, "cuStreamBeginCapture_v2");
  find(driver.streamEndCapture, "cuStreamEndCapture");
  find(driver.graphInstantiate, "cuGraphInstantiateWithFlags");
  find(driver.graphLaunch, "cuGraphLaunch");
  find(driver.graphExecDestroy, "cuGraphExecDestroy");
  find(driver.graphDestroy, "cuGraphDestroy");
  find(driver.encodeTensorMap, "cuTensorMapEncodeTiled", /*required=*/false);
  if (!result.problem.empty())
    return result;

  if (llvm::Error error = driver.check(driver.init(0), "cuInit"))
    result.problem = llvm::toString(std::move(error));
  return result;
}

} // namespace

llvm::Expected<const Driver *> Driver::load() {
  static const Loaded loaded = loadOnce();
  if (!loaded.problem.empty())
    return llvm::createStringError(loaded.problem);
  return &loaded.driver;
}

llvm::Error Driver::check(Result result, const llvm::Twine &what) const {
  if (result == 0)
    return llvm::Error::success();
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  return llvm::createStringError(
      what + ": " + (name ? name : "CUDA error " + std::to_string(result)) +
      (text ? " (" + std::string(text) + ")" : std::string()));
}
