//===- Executor.cpp - Executes a plan -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Executor.h"

#include "LaunchBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {

std::vector<CallInput> describe(llvm::ArrayRef<HostTensor> inputs) {
  std::vector<CallInput> result;
  for (const HostTensor &input : inputs)
    result.push_back({input.type, input.shape,
                      input.shape.empty() ? input.data : std::vector<char>()});
  return result;
}

/// One call of a function on tensors in the host's memory.
class PlanRun {
public:
  PlanRun(const Manifest &manifest, const FunctionPlan &plan, Device &device,
          llvm::ArrayRef<HostTensor> inputs, const ExecuteOptions &options)
      : manifest(manifest), plan(plan), device(device), inputs(inputs),
        options(options), sizes(plan, describe(inputs)), buffers(plan, sizes),
        builder(manifest, device, sizes, buffers, options.maxClusters) {}
  ~PlanRun() {
    for (DeviceAddress address : allocations)
      llvm::consumeError(device.free(address));
  }

  Expected<Execution> run();

private:
  Error checkSizes() { return sizes.prepare(); }
  Error allocateBuffers();
  Error allocateTemporaries();
  Error allocate(const BufferRef &ref, int64_t bytes, int64_t alignment);
  Error copyInputs();
  Expected<std::vector<HostTensor>> readResults();
  Expected<LaunchReport> report(const LaunchInfo &launch,
                                const DeviceLaunch &prepared) const;
  Error measure(llvm::ArrayRef<DeviceLaunch> launches,
                llvm::ArrayRef<size_t> reportOf, Execution &execution);

  const Manifest &manifest;
  const FunctionPlan &plan;
  Device &device;
  llvm::ArrayRef<HostTensor> inputs;
  const ExecuteOptions &options;
  PlanSizes sizes;
  PlanBuffers buffers;
  LaunchBuilder builder;
  std::vector<DeviceAddress> allocations;
  int64_t temporaryBytes = 0;
};

Error PlanRun::allocate(const BufferRef &ref, int64_t bytes,
                        int64_t alignment) {
  Expected<DeviceAddress> address = device.allocate(bytes, alignment);
  if (!address)
    return address.takeError();
  allocations.push_back(*address);
  buffers.set(ref, {*address, bytes});
  return Error::success();
}

Error PlanRun::allocateBuffers() {
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (!plan.inputs[i].isScalar)
      if (Error error =
              allocate({BufferRef::Kind::Input, i}, inputs[i].data.size(), 256))
        return error;
  for (unsigned i = 0; i < manifest.constants.size(); ++i)
    if (Error error = allocate({BufferRef::Kind::Constant, i},
                               manifest.constants[i].data.size(),
                               manifest.constants[i].alignment))
      return error;
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    if (plan.results[i].value || plan.results[i].alias)
      continue;
    Expected<int64_t> bytes = sizes.resultBytes(i);
    if (!bytes)
      return bytes.takeError();
    if (Error error = allocate({BufferRef::Kind::Result, i}, *bytes, 256))
      return error;
  }
  return allocateTemporaries();
}

Error PlanRun::allocateTemporaries() {
  Expected<WorkspaceLayout> layout = sizes.layoutWorkspace();
  if (!layout)
    return layout.takeError();
  temporaryBytes = layout->bytes;
  for (const WorkspaceLayout::Temporary &temporary : layout->temporaries) {
    if (temporary.offset)
      continue;
    temporaryBytes += temporary.bytes;
    if (Error error = allocate({BufferRef::Kind::Temporary, temporary.index},
                               temporary.bytes,
                               plan.temporaries[temporary.index].alignment))
      return error;
  }
  if (llvm::none_of(layout->temporaries,
                    [](const auto &temporary) { return temporary.offset; }))
    return Error::success();
  Expected<DeviceAddress> workspace =
      device.allocate(layout->bytes, layout->alignment);
  if (!workspace)
    return workspace.takeError();
  allocations.push_back(*workspace);
  buffers.setWorkspace(*layout, *workspace);
  return Error::success();
}

Error PlanRun::copyInputs() {
  auto write = [&](const BufferRef &ref, const std::vector<char> &data) {
    Expected<BufferPlace> place = buffers.place(ref);
    return place ? device.write(place->address, data.data(), data.size())
                 : place.takeError();
  };
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (!plan.inputs[i].isScalar)
      if (Error error = write({BufferRef::Kind::Input, i}, inputs[i].data))
        return error;
  for (unsigned i = 0; i < manifest.constants.size(); ++i)
    if (Error error =
            write({BufferRef::Kind::Constant, i}, manifest.constants[i].data))
      return error;
  return Error::success();
}

Expected<std::vector<HostTensor>> PlanRun::readResults() {
  std::vector<HostTensor> results;
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    const ResultInfo &info = plan.results[i];
    HostTensor tensor(info.type, sizes.resultShape(i));
    if (info.value) {
      Expected<std::vector<uint8_t>> bytes =
          sizes.scalar(*info.value, info.type, "result " + Twine(i));
      if (!bytes)
        return bytes.takeError();
      llvm::copy(*bytes, tensor.data.begin());
    } else {
      Expected<BufferPlace> memory =
          buffers.place({BufferRef::Kind::Result, i});
      if (!memory)
        return memory.takeError();
      if (Error error = device.read(memory->address, tensor.data.data(),
                                    tensor.data.size()))
        return std::move(error);
    }
    results.push_back(std::move(tensor));
  }
  return results;
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
    Expected<int64_t> evaluated = sizes.evaluate(**expression);
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
    // By itself a launch has nothing to begin under.
    DeviceLaunch alone = launches[i];
    alone.isProgrammatic = false;
    auto us = device.measure(alone);
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

Expected<Execution> PlanRun::run() {
  for (auto step :
       {&PlanRun::checkSizes, &PlanRun::allocateBuffers, &PlanRun::copyInputs})
    if (Error error = (this->*step)())
      return std::move(error);

  Execution execution;
  execution.temporaryBytes = temporaryBytes;
  std::vector<DeviceLaunch> launched;
  std::vector<size_t> reportOf;
  for (const LaunchInfo &launch : plan.launches) {
    Expected<DeviceLaunch> prepared = builder.build(launch);
    if (!prepared)
      return prepared.takeError();
    Expected<LaunchReport> entry = report(launch, *prepared);
    if (!entry)
      return entry.takeError();
    execution.launches.push_back(std::move(*entry));
    if (llvm::is_contained(prepared->grid, 0u))
      continue;
    Expected<LaunchObservation> observation =
        device.launch(*prepared, /*stream=*/nullptr);
    if (!observation)
      return observation.takeError();
    LaunchReport &current = execution.launches.back();
    current.counters = observation->counters;
    current.findings = std::move(observation->findings);
    current.time = std::move(observation->time);
    if (observation->fault) {
      execution.fault = std::move(observation->fault);
      return execution;
    }
    launched.push_back(std::move(*prepared));
    reportOf.push_back(execution.launches.size() - 1);
  }
  if (Error error = device.synchronize())
    return std::move(error);
  auto results = readResults();
  if (!results)
    return results.takeError();
  execution.results = std::move(*results);
  if (options.beforeMeasuring)
    if (Error error = options.beforeMeasuring(execution))
      return std::move(error);
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
  return PlanRun(manifest, plan, device, inputs, options).run();
}
