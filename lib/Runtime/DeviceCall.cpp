//===- DeviceCall.cpp - Calls on tensors in the device's memory -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/DeviceCall.h"

#include "PreparedCall.h"
#include "fusion/Runtime/HostTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

Expected<std::unique_ptr<DeviceConstants>>
DeviceConstants::create(const Manifest &manifest, Device &device) {
  std::unique_ptr<DeviceConstants> constants(new DeviceConstants(device));
  for (const ConstantInfo &info : manifest.constants) {
    Expected<DeviceAddress> address =
        device.allocate(info.data.size(), info.alignment);
    if (!address)
      return address.takeError();
    constants->addresses.push_back(*address);
    if (Error error =
            device.write(*address, info.data.data(), info.data.size()))
      return std::move(error);
  }
  return constants;
}

DeviceConstants::~DeviceConstants() {
  for (DeviceAddress address : addresses)
    llvm::consumeError(device.free(address));
}

DeviceCall::DeviceCall(const Manifest &manifest, const FunctionPlan &plan,
                       Device &device, const DeviceConstants &constants)
    : manifest(manifest), plan(plan), device(device), constants(constants) {}
DeviceCall::~DeviceCall() = default;

Expected<std::unique_ptr<DeviceCall>>
DeviceCall::prepare(const Manifest &manifest, const FunctionPlan &plan,
                    Device &device, const DeviceConstants &constants,
                    std::vector<CallInput> inputs) {
  std::unique_ptr<DeviceCall> call(
      new DeviceCall(manifest, plan, device, constants));
  for (const CallInput &input : inputs) {
    Expected<int64_t> bytes = checkedBytes(input.type, input.shape);
    if (!bytes)
      return bytes.takeError();
    call->inputBytes.push_back(*bytes);
  }
  call->sizes = std::make_unique<PlanSizes>(plan, std::move(inputs));
  if (Error error = call->sizes->prepare())
    return std::move(error);
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    Expected<int64_t> bytes = call->sizes->resultBytes(i);
    if (!bytes)
      return bytes.takeError();
    call->bytesOfResults.push_back(*bytes);
    call->values.emplace_back();
    if (!plan.results[i].value)
      continue;
    Expected<std::vector<uint8_t>> value = call->sizes->scalar(
        *plan.results[i].value, plan.results[i].type, "result " + Twine(i));
    if (!value)
      return value.takeError();
    call->values.back() = std::move(*value);
  }

  Expected<WorkspaceLayout> layout = call->sizes->layoutWorkspace();
  if (!layout)
    return layout.takeError();
  // Temporaries that stand alone lie behind the others.
  for (WorkspaceLayout::Temporary &temporary : layout->temporaries) {
    if (temporary.offset)
      continue;
    int64_t alignment = plan.temporaries[temporary.index].alignment;
    temporary.offset = llvm::alignTo(layout->bytes, alignment);
    layout->bytes = *temporary.offset + temporary.bytes;
    layout->alignment = std::max(layout->alignment, alignment);
  }
  call->layout = std::make_unique<WorkspaceLayout>(std::move(*layout));
  if (auto prepared = PreparedCall::create(manifest, plan, device, *call->sizes,
                                           *call->layout, call->inputBytes,
                                           call->bytesOfResults))
    call->prepared = std::make_unique<PreparedCall>(std::move(*prepared));
  return call;
}

size_t DeviceCall::results() const { return plan.results.size(); }
ElementType DeviceCall::resultType(size_t index) const {
  return plan.results[index].type;
}
llvm::ArrayRef<int64_t> DeviceCall::resultShape(size_t index) const {
  return sizes->resultShape(index);
}
int64_t DeviceCall::resultBytes(size_t index) const {
  return bytesOfResults[index];
}
llvm::ArrayRef<uint8_t> DeviceCall::resultValue(size_t index) const {
  return values[index];
}

int64_t DeviceCall::workspaceBytes() const {
  // The caller aligns to 256 bytes; what needs more finds it inside.
  return layout->bytes ? layout->bytes + (layout->alignment - 256) : 0;
}

Error DeviceCall::start(llvm::ArrayRef<DeviceAddress> inputs,
                        llvm::ArrayRef<DeviceAddress> results,
                        DeviceAddress workspace, DeviceStream stream) const {
  assert(inputs.size() == plan.inputs.size() &&
         results.size() == plan.results.size() && "one address for each");
  if (prepared && (layout->bytes == 0 || workspace % 256 == 0)) {
    llvm::SmallVector<DeviceAddress, 16> bases(inputs);
    llvm::append_range(bases, results);
    for (unsigned i = 0; i < manifest.constants.size(); ++i)
      bases.push_back(constants[i]);
    bases.push_back(llvm::alignTo(workspace, layout->alignment));
    if (std::optional<Error> error = prepared->start(device, bases, stream))
      return std::move(*error);
  }
  PlanBuffers buffers(plan, *sizes);
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (!plan.inputs[i].isScalar)
      buffers.set({BufferRef::Kind::Input, i}, {inputs[i], inputBytes[i]});
  for (unsigned i = 0; i < manifest.constants.size(); ++i)
    buffers.set({BufferRef::Kind::Constant, i},
                {constants[i], int64_t(manifest.constants[i].data.size())});
  for (unsigned i = 0; i < results.size(); ++i)
    if (!plan.results[i].value && !plan.results[i].alias)
      buffers.set({BufferRef::Kind::Result, i},
                  {results[i], bytesOfResults[i]});
  if (layout->bytes && workspace % 256)
    return sizes->fail("the workspace is not aligned to 256 bytes");
  buffers.setWorkspace(*layout, llvm::alignTo(workspace, layout->alignment));

  LaunchBuilder builder(manifest, device, *sizes, buffers);
  for (const LaunchInfo &info : plan.launches) {
    Expected<DeviceLaunch> launch = builder.build(info);
    if (!launch)
      return launch.takeError();
    if (llvm::is_contained(launch->grid, 0u))
      continue;
    Expected<LaunchObservation> observation = device.launch(*launch, stream);
    if (!observation)
      return observation.takeError();
    if (observation->fault)
      return llvm::createStringError(*observation->fault);
  }
  for (unsigned i = 0; i < results.size(); ++i) {
    if (!plan.results[i].alias)
      continue;
    Expected<BufferPlace> source = buffers.place({BufferRef::Kind::Result, i});
    if (!source)
      return source.takeError();
    if (Error error =
            device.copy(results[i], source->address, bytesOfResults[i], stream))
      return error;
  }
  return Error::success();
}
