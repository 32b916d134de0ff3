//===- Executor.cpp - Executes a plan -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Executor.h"

#include "PlanBuffers.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {

/// One call of a function.
class PlanRun {
public:
  PlanRun(const Manifest &manifest, const FunctionPlan &plan, Device &device,
          llvm::ArrayRef<HostTensor> inputs)
      : manifest(manifest), plan(plan), device(device), inputs(inputs),
        buffers(manifest, plan, device, inputs) {}

  Expected<Execution> run(const ExecuteOptions &options);

private:
  Error fail(const Twine &message) const { return buffers.fail(message); }

  Expected<std::vector<uint8_t>> parameter(const LaunchArgument &argument,
                                           const KernelArgument &formal,
                                           const Twine &what);
  Expected<std::vector<uint8_t>> tensorMap(const LaunchArgument &argument,
                                           const Twine &what);
  /// The launch, with a grid that may have a 0 in it.
  Expected<DeviceLaunch> prepare(const LaunchInfo &launch);
  Expected<LaunchReport> report(const LaunchInfo &launch,
                                const DeviceLaunch &prepared) const;
  Error measure(llvm::ArrayRef<DeviceLaunch> launches,
                llvm::ArrayRef<size_t> reportOf, Execution &execution);

  const Manifest &manifest;
  const FunctionPlan &plan;
  Device &device;
  llvm::ArrayRef<HostTensor> inputs;
  PlanBuffers buffers;
};

template <typename T> std::vector<uint8_t> toBytes(const T &value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

Expected<std::vector<uint8_t>>
PlanRun::tensorMap(const LaunchArgument &argument, const Twine &what) {
  const TensorMapInfo &info = *argument.tensorMap;
  TensorMapRequest request;
  Expected<DeviceAddress> base = buffers.address(argument, 16, what);
  if (!base)
    return base.takeError();
  request.base = *base;
  request.type = info.type;
  for (const Expression &dim : info.dims) {
    Expected<int64_t> value = buffers.evaluateSize(dim, "a tensor map's size");
    if (!value)
      return value.takeError();
    request.dims.push_back(*value);
  }
  for (const Expression &stride : info.stridesBytes) {
    Expected<int64_t> value =
        buffers.evaluateSize(stride, "a tensor map's stride");
    if (!value)
      return value.takeError();
    request.stridesBytes.push_back(*value);
  }
  request.box.assign(info.box.begin(), info.box.end());
  request.elementStrides.assign(info.elementStrides.begin(),
                                info.elementStrides.end());
  request.swizzleBytes = info.swizzleBytes;
  request.interleaveBytes = info.interleaveBytes;
  request.fillNan = info.fillNan;
  return device.encodeTensorMap(request);
}

Expected<std::vector<uint8_t>>
PlanRun::parameter(const LaunchArgument &argument, const KernelArgument &formal,
                   const Twine &what) {
  if (formal.kind == ArgumentKind::TensorMap)
    return tensorMap(argument, what);
  if (formal.kind == ArgumentKind::Scalar)
    return buffers.scalar(argument.value, formal.type, what);
  Expected<DeviceAddress> address =
      buffers.address(argument, formal.alignment, what);
  if (!address)
    return address.takeError();
  return toBytes(*address);
}

Expected<DeviceLaunch> PlanRun::prepare(const LaunchInfo &launch) {
  const KernelInfo &kernel = manifest.kernels[launch.kernel];
  DeviceLaunch result;
  result.kernel = kernel.name;
  result.block = kernel.block;
  result.cluster = kernel.cluster;
  result.dynamicSharedMemory = kernel.dynamicSharedMemory;
  // CUDA C++ Programming Guide, technical specifications per compute
  // capability.
  const int64_t limits[] = {INT32_MAX, 65535, 65535};
  for (unsigned d = 0; d < 3; ++d) {
    Expected<int64_t> size = buffers.evaluateSize(launch.grid[d], "the grid");
    if (!size)
      return size.takeError();
    if (*size > limits[d])
      return fail("kernel '" + kernel.name + "': a grid of " + Twine(*size) +
                  " blocks in dimension " + Twine(d) + " exceeds " +
                  Twine(limits[d]));
    if (*size % kernel.cluster[d])
      return fail("kernel '" + kernel.name + "': a grid of " + Twine(*size) +
                  " blocks is no multiple of the cluster's " +
                  Twine(kernel.cluster[d]));
    result.grid[d] = *size;
  }
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    std::string what =
        "kernel '" + kernel.name + "', argument " + std::to_string(i);
    Expected<std::vector<uint8_t>> bytes =
        parameter(launch.arguments[i], kernel.arguments[i], what);
    if (!bytes)
      return bytes.takeError();
    result.parameters.push_back(std::move(*bytes));
  }
  return result;
}

Expected<LaunchReport> PlanRun::report(const LaunchInfo &launch,
                                       const DeviceLaunch &prepared) const {
  const KernelInfo &kernel = manifest.kernels[launch.kernel];
  LaunchReport result;
  result.kernel = kernel.name;
  result.grid = prepared.grid;
  result.block = prepared.block;
  result.cluster = prepared.cluster;
  result.dynamicSharedMemory = prepared.dynamicSharedMemory;
  result.schedule = kernel.schedule;
  const std::optional<Prediction> &prediction =
      launch.predicted ? launch.predicted : kernel.predicted;
  if (!prediction)
    return result;
  LaunchReport::Predicted predicted;
  predicted.us = prediction->us;
  for (auto [expression, value] :
       {std::pair(&prediction->globalLoadBytes, &predicted.globalLoadBytes),
        std::pair(&prediction->globalStoreBytes, &predicted.globalStoreBytes),
        std::pair(&prediction->sharedMemory, &predicted.sharedMemory)}) {
    if (!*expression)
      continue;
    Expected<int64_t> evaluated = buffers.evaluate(**expression);
    if (!evaluated)
      return evaluated.takeError();
    *value = *evaluated;
  }
  result.predicted = predicted;
  return result;
}

Error PlanRun::measure(llvm::ArrayRef<DeviceLaunch> launches,
                       llvm::ArrayRef<size_t> reportOf, Execution &execution) {
  for (size_t i = 0; i < launches.size(); ++i) {
    auto us = device.measure(launches[i]);
    if (!us)
      return us.takeError();
    execution.launches[reportOf[i]].measuredUs = *us;
  }
  auto us = device.measure(launches);
  if (!us)
    return us.takeError();
  execution.measuredUs = *us;
  return Error::success();
}

Expected<Execution> PlanRun::run(const ExecuteOptions &options) {
  if (Error error = buffers.prepare())
    return std::move(error);

  Execution execution;
  std::vector<DeviceLaunch> launched;
  std::vector<size_t> reportOf;
  for (const LaunchInfo &launch : plan.launches) {
    Expected<DeviceLaunch> prepared = prepare(launch);
    if (!prepared)
      return prepared.takeError();
    Expected<LaunchReport> entry = report(launch, *prepared);
    if (!entry)
      return entry.takeError();
    execution.launches.push_back(std::move(*entry));
    if (llvm::is_contained(prepared->grid, 0u))
      continue;
    Expected<LaunchObservation> observation = device.launch(*prepared);
    if (!observation)
      return observation.takeError();
    LaunchReport &current = execution.launches.back();
    current.counters = observation->counters;
    current.findings = std::move(observation->findings);
    if (observation->fault) {
      execution.fault = std::move(observation->fault);
      return execution;
    }
    launched.push_back(std::move(*prepared));
    reportOf.push_back(execution.launches.size() - 1);
  }
  if (Error error = device.synchronize())
    return std::move(error);
  auto results = buffers.readResults();
  if (!results)
    return results.takeError();
  execution.results = std::move(*results);
  // The results are safe: timing may run the kernels over them again.
  if (options.measure && !launched.empty())
    if (Error error = measure(launched, reportOf, execution))
      return std::move(error);
  return execution;
}

} // namespace

Expected<Execution> fusion::execute(const Manifest &manifest,
                                    const FunctionPlan &plan, Device &device,
                                    llvm::ArrayRef<HostTensor> inputs,
                                    const ExecuteOptions &options) {
  return PlanRun(manifest, plan, device, inputs).run(options);
}
