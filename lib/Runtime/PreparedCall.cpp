//===- PreparedCall.cpp - Launches whose addresses are open ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedCall.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace fusion;
using llvm::Error;
using llvm::Expected;

/// Launches are built with buffer number n at address (n + 1) << kBaseShift. An
/// address then says which buffer it is in, and at which offset.
static constexpr unsigned kBaseShift = 44;

static DeviceAddress standIn(size_t base) {
  return DeviceAddress(base + 1) << kBaseShift;
}

PreparedCall::Place PreparedCall::decode(DeviceAddress address) {
  size_t base = (address >> kBaseShift) - 1;
  return {base, int64_t(address - standIn(base))};
}

/// Returns the value, or nullopt after dropping the error.
template <typename T> static std::optional<T> valueOf(Expected<T> value) {
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

std::optional<PreparedCall> PreparedCall::create(
    const Manifest &manifest, const FunctionPlan &plan, Device &device,
    const PlanSizes &sizes, const WorkspaceLayout &layout,
    llvm::ArrayRef<int64_t> inputBytes, llvm::ArrayRef<int64_t> resultBytes) {
  constexpr size_t maxBases = (size_t(1) << (64 - kBaseShift)) - 2;
  size_t count =
      inputBytes.size() + resultBytes.size() + manifest.constants.size() + 1;
  if (!manifest.isNative() || count > maxBases)
    return std::nullopt;
  PlanBuffers buffers(plan, sizes);
  size_t base = 0;
  auto set = [&](BufferRef::Kind kind, unsigned index, int64_t bytes) {
    buffers.set({kind, index}, {standIn(base), bytes});
  };
  for (unsigned i = 0; i < inputBytes.size(); ++i, ++base)
    if (!plan.inputs[i].isScalar)
      set(BufferRef::Kind::Input, i, inputBytes[i]);
  for (unsigned i = 0; i < resultBytes.size(); ++i, ++base)
    if (!plan.results[i].value && !plan.results[i].alias)
      set(BufferRef::Kind::Result, i, resultBytes[i]);
  for (unsigned i = 0; i < manifest.constants.size(); ++i, ++base)
    set(BufferRef::Kind::Constant, i, manifest.constants[i].data.size());
  buffers.setWorkspace(layout, standIn(base));

  PreparedCall call;
  LaunchBuilder builder(manifest, device, sizes, buffers);
  for (const LaunchInfo &info : plan.launches) {
    std::optional<DeviceLaunch> built = valueOf(builder.build(info));
    if (!built || built->isProgrammatic)
      return std::nullopt;
    if (llvm::is_contained(built->grid, 0u))
      continue;
    Launch &launch = call.launches.emplace_back();
    launch.launch = std::move(*built);
    const KernelInfo &kernel = manifest.kernels[info.kernel];
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      if (kernel.arguments[i].kind != ArgumentKind::Buffer)
        continue;
      DeviceAddress address;
      std::memcpy(&address, launch.launch.parameters[i].data(),
                  sizeof(address));
      launch.addresses.push_back(
          {i, decode(address), kernel.arguments[i].alignment});
    }
  }
  for (unsigned i = 0; i < resultBytes.size(); ++i) {
    if (!plan.results[i].alias)
      continue;
    std::optional<BufferPlace> source =
        valueOf(buffers.place({BufferRef::Kind::Result, i}));
    if (!source)
      return std::nullopt;
    call.copies.push_back({i, decode(source->address), resultBytes[i]});
    call.copies.back().result += inputBytes.size();
  }
  return call;
}

std::optional<Error> PreparedCall::start(Device &device,
                                         llvm::ArrayRef<DeviceAddress> bases,
                                         DeviceStream stream) const {
  for (const Launch &launch : launches)
    for (const Address &address : launch.addresses)
      if (address.place.in(bases) % address.alignment)
        return std::nullopt;
  for (const Launch &launch : launches) {
    DeviceLaunch now = launch.launch;
    for (const Address &address : launch.addresses) {
      DeviceAddress value = address.place.in(bases);
      std::memcpy(now.parameters[address.parameter].data(), &value,
                  sizeof(value));
    }
    Expected<LaunchObservation> observation = device.launch(now, stream);
    if (!observation)
      return observation.takeError();
    if (observation->fault)
      return llvm::createStringError(*observation->fault);
  }
  for (const Copy &copy : copies)
    if (Error error = device.copy(bases[copy.result], copy.from.in(bases),
                                  copy.bytes, stream))
      return error;
  return Error::success();
}
