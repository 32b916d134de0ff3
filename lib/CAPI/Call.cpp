//===- Call.cpp - Calls on tensors of the device, in C --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "fusion/Runtime/HostTensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace fusion;
using namespace fusion::capi;
using llvm::Expected;

struct FusionCall {
  std::unique_ptr<DeviceCall> call;
  size_t inputs = 0;
};

static Expected<CallInput> describe(const FusionTensor &tensor, size_t index) {
  std::optional<ElementType> type = parseElementType(toRef(tensor.type));
  if (!type)
    return llvm::createStringError("input " + llvm::Twine(index) +
                                   ": no tensor has elements of type '" +
                                   toRef(tensor.type) + "'");
  CallInput input{*type, {tensor.shape, tensor.shape + tensor.rank}, {}};
  if (tensor.rank == 0 && tensor.data) {
    auto *bytes = static_cast<const char *>(tensor.data);
    input.value.assign(bytes, bytes + elementBytes(*type));
  }
  return input;
}

static Expected<std::unique_ptr<FusionCall>>
prepareCall(FusionPlan &plan, llvm::StringRef name,
            llvm::ArrayRef<FusionTensor> tensors) {
  const FunctionPlan *function = plan.manifest.function(name);
  if (!function)
    return llvm::createStringError("the plan has no function '" + name + "'");
  std::vector<CallInput> inputs;
  for (const auto &[i, tensor] : llvm::enumerate(tensors)) {
    Expected<CallInput> input = describe(tensor, i);
    if (!input)
      return input.takeError();
    if (i < function->inputs.size() && function->inputs[i].isScalar &&
        input->value.empty())
      return llvm::createStringError("input " + llvm::Twine(i) +
                                     " is a number; its value is missing");
    inputs.push_back(std::move(*input));
  }
  {
    std::lock_guard<std::mutex> lock(plan.constantsMutex);
    if (!plan.constants) {
      auto constants = DeviceConstants::create(plan.manifest, *plan.device);
      if (!constants)
        return constants.takeError();
      plan.constants = std::move(*constants);
    }
  }
  auto prepared = DeviceCall::prepare(plan.manifest, *function, *plan.device,
                                      *plan.constants, std::move(inputs));
  if (!prepared)
    return prepared.takeError();
  return std::make_unique<FusionCall>(
      FusionCall{std::move(*prepared), tensors.size()});
}

FusionCall *fusionCallPrepare(FusionPlan *plan, FusionText function,
                              const FusionTensor *inputs, size_t count,
                              const FusionCallbacks *callbacks) {
  Expected<std::unique_ptr<FusionCall>> call =
      prepareCall(*plan, toRef(function), {inputs, count});
  if (call)
    return call->release();
  reportError(callbacks, call.takeError());
  return nullptr;
}

size_t fusionCallResults(const FusionCall *call) {
  return call->call->results();
}

FusionTensor fusionCallResult(const FusionCall *call, size_t index) {
  llvm::ArrayRef<int64_t> shape = call->call->resultShape(index);
  llvm::ArrayRef<uint8_t> value = call->call->resultValue(index);
  return {toText(elementTypeName(call->call->resultType(index))), shape.size(),
          shape.data(),
          value.empty() ? nullptr : const_cast<uint8_t *>(value.data())};
}

size_t fusionCallResultBytes(const FusionCall *call, size_t index) {
  return call->call->resultBytes(index);
}

size_t fusionCallWorkspaceBytes(const FusionCall *call) {
  return call->call->workspaceBytes();
}

/// 0, or 1 after the error has been reported.
static int finish(llvm::Error error, const FusionCallbacks *callbacks) {
  if (!error)
    return 0;
  reportError(callbacks, std::move(error));
  return 1;
}

int fusionCallStart(const FusionCall *call, const uint64_t *inputs,
                    const uint64_t *results, uint64_t workspace, void *stream,
                    const FusionCallbacks *callbacks) {
  llvm::SaveAndRestore current(InterruptibleDevice::callbacks, callbacks);
  return finish(call->call->start({inputs, call->inputs},
                                  {results, call->call->results()}, workspace,
                                  stream),
                callbacks);
}

void fusionCallDestroy(FusionCall *call) { delete call; }

uint64_t fusionPlanAllocate(FusionPlan *plan, size_t bytes,
                            const FusionCallbacks *callbacks) {
  Expected<DeviceAddress> address = plan->device->allocate(bytes, 256);
  if (address)
    return *address;
  reportError(callbacks, address.takeError());
  return 0;
}

void fusionPlanFree(FusionPlan *plan, uint64_t address) {
  llvm::consumeError(plan->device->synchronize());
  llvm::consumeError(plan->device->free(address));
}

int fusionPlanCopy(FusionPlan *plan, int toDevice, uint64_t device, void *host,
                   size_t bytes, const FusionCallbacks *callbacks) {
  if (llvm::Error error = plan->device->synchronize())
    return finish(std::move(error), callbacks);
  return finish(toDevice ? plan->device->write(device, host, bytes)
                         : plan->device->read(device, host, bytes),
                callbacks);
}

int fusionPlanWait(FusionPlan *plan, void *waiting, void *stream,
                   const FusionCallbacks *callbacks) {
  return finish(plan->device->wait(waiting, stream), callbacks);
}

int fusionCudaDeviceOf(uint64_t address) {
  Expected<std::optional<int>> ordinal = cudaDeviceOf(address);
  if (ordinal)
    return ordinal->value_or(-1);
  llvm::consumeError(ordinal.takeError());
  return -1;
}
