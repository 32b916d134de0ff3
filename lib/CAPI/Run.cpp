//===- Run.cpp - The runtime in C -----------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "fusion/Runtime/Executor.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cstring>

using namespace fusion;
using namespace fusion::capi;
using llvm::Expected;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

Array triple(const std::array<uint32_t, 3> &values) {
  return Array{values[0], values[1], values[2]};
}

Value toJson(const LaunchReport &launch) {
  Array findings;
  for (const emulator::Finding &finding : launch.findings)
    findings.push_back(Object{{"kind", finding.kind},
                              {"block", triple(finding.block)},
                              {"thread", triple(finding.thread)},
                              {"line", finding.line},
                              {"message", finding.message}});
  Object object{{"name", launch.kernel},
                {"grid", triple(launch.grid)},
                {"block", triple(launch.block)},
                {"cluster", triple(launch.cluster)},
                {"dynamic_shared_memory", launch.dynamicSharedMemory},
                {"counters", nullptr},
                {"sanitizer", std::move(findings)}};
  if (launch.counters) {
    const emulator::Counters &c = *launch.counters;
    object["counters"] =
        Object{{"global_load_bytes", c.globalLoadBytes},
               {"global_store_bytes", c.globalStoreBytes},
               {"global_sectors", c.globalSectors},
               {"dram_bytes", c.dramBytes},
               {"shared_wavefronts", c.sharedWavefronts},
               {"shared_bank_conflicts", c.sharedBankConflicts},
               {"mma_flops", c.mmaFlops},
               {"instructions", c.instructions},
               {"barriers", c.barriers}};
  }
  return object;
}

Expected<HostTensor> copyOf(const FusionTensor &tensor, size_t index) {
  std::optional<ElementType> type = parseElementType(toRef(tensor.type));
  if (!type)
    return llvm::createStringError("input " + llvm::Twine(index) +
                                   ": no tensor has elements of type '" +
                                   toRef(tensor.type) + "'");
  llvm::ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
  Expected<int64_t> bytes = checkedBytes(*type, shape);
  if (!bytes)
    return bytes.takeError();
  HostTensor copy(*type, shape);
  if (*bytes)
    std::memcpy(copy.data.data(), tensor.data, *bytes);
  return copy;
}

} // namespace

struct FusionRun {
  Execution execution;
  std::string launches;
};

static Expected<std::unique_ptr<FusionPlan>>
createPlan(llvm::StringRef json, const FusionRunOptions &options) {
  auto plan = std::make_unique<FusionPlan>();
  Expected<Manifest> manifest = Manifest::parse(json);
  if (!manifest)
    return manifest.takeError();
  plan->manifest = std::move(*manifest);
  if (!plan->manifest.hasCode())
    return llvm::createStringError("the manifest has no code for its kernels");
  std::unique_ptr<Device> device;
  if (options.device == FusionCuda) {
    Expected<std::unique_ptr<Device>> cuda = createCudaDevice(options.ordinal);
    if (!cuda)
      return cuda.takeError();
    device = std::move(*cuda);
  } else if (options.device == FusionCpu) {
    CpuOptions cpu;
    cpu.threads = options.threads;
    cpu.proceed = [] { return proceed(InterruptibleDevice::callbacks, ""); };
    device = createCpuDevice(cpu);
  } else if (options.device != FusionEmulator) {
    return llvm::createStringError("there is no kind of device " +
                                   llvm::Twine(int(options.device)));
  } else {
    EmulatorOptions emulator;
    emulator.sanitize = options.sanitize;
    emulator.seed = options.seed;
    const ChipInfo *chip = lookupChip(plan->manifest.chip);
    if (chip && !chip->isCpu())
      emulator.processors = processorsOf(*chip);
    emulator.proceed = [] {
      return proceed(InterruptibleDevice::callbacks, "");
    };
    device = createEmulatorDevice(emulator);
  }
  if (!plan->manifest.kernels.empty())
    if (llvm::Error error = device->loadModule(plan->manifest))
      return std::move(error);
  plan->device = std::make_unique<InterruptibleDevice>(std::move(device));
  return plan;
}

FusionPlan *fusionPlanCreate(FusionText manifest,
                             const FusionRunOptions *options,
                             const FusionCallbacks *callbacks) {
  Expected<std::unique_ptr<FusionPlan>> plan =
      createPlan(toRef(manifest), options ? *options : FusionRunOptions{});
  if (plan)
    return plan->release();
  reportError(callbacks, plan.takeError());
  return nullptr;
}

int fusionManifestCheck(FusionText manifest, const FusionCallbacks *callbacks) {
  Expected<Manifest> parsed = Manifest::parse(toRef(manifest));
  if (parsed)
    return 0;
  reportError(callbacks, parsed.takeError());
  return 1;
}

void fusionPlanDestroy(FusionPlan *plan) { delete plan; }

static Expected<std::unique_ptr<FusionRun>>
runPlan(FusionPlan &plan, llvm::StringRef name,
        llvm::ArrayRef<FusionTensor> tensors,
        const FusionCallbacks *callbacks) {
  const FunctionPlan *function = plan.manifest.function(name);
  if (!function)
    return llvm::createStringError("the plan has no function '" + name + "'");
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Expected<HostTensor> copy = copyOf(tensors[i], i);
    if (!copy)
      return copy.takeError();
    inputs.push_back(std::move(*copy));
  }
  std::lock_guard<std::mutex> lock(plan.running);
  llvm::SaveAndRestore current(InterruptibleDevice::callbacks, callbacks);
  Expected<Execution> execution =
      execute(plan.manifest, *function, *plan.device, inputs);
  if (!execution)
    return execution.takeError();
  if (execution->fault)
    return llvm::createStringError(*execution->fault);
  auto run = std::make_unique<FusionRun>();
  run->execution = std::move(*execution);
  Array launches;
  for (const LaunchReport &launch : run->execution.launches)
    launches.push_back(toJson(launch));
  run->launches = llvm::formatv("{0}", Value(std::move(launches))).str();
  return run;
}

FusionRun *fusionPlanRun(FusionPlan *plan, FusionText function,
                         const FusionTensor *inputs, size_t count,
                         const FusionCallbacks *callbacks) {
  Expected<std::unique_ptr<FusionRun>> run =
      runPlan(*plan, toRef(function), {inputs, count}, callbacks);
  if (run)
    return run->release();
  reportError(callbacks, run.takeError());
  return nullptr;
}

size_t fusionRunResults(const FusionRun *run) {
  return run->execution.results.size();
}

FusionTensor fusionRunResult(const FusionRun *run, size_t index) {
  const HostTensor &tensor = run->execution.results[index];
  return {toText(elementTypeName(tensor.type)), tensor.shape.size(),
          tensor.shape.data(), const_cast<char *>(tensor.data.data())};
}

size_t fusionRunResultBytes(const FusionRun *run, size_t index) {
  return run->execution.results[index].data.size();
}

FusionText fusionRunLaunches(const FusionRun *run) {
  return toText(run->launches);
}

size_t fusionRunTemporaryBytes(const FusionRun *run) {
  return run->execution.temporaryBytes;
}

void fusionRunDestroy(FusionRun *run) { delete run; }
