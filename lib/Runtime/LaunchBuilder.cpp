//===- LaunchBuilder.cpp - From a plan to launches ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace fusion;
using llvm::Expected;
using llvm::Twine;

namespace {

template <typename T> std::vector<uint8_t> toBytes(const T &value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

bool dependsOnDevice(const Expression &expression) {
  return llvm::any_of(expression.names(), [](const SizeName &name) {
    return name.kind == SizeName::Kind::ActiveClusters;
  });
}

} // namespace

Expected<std::vector<uint8_t>>
LaunchBuilder::tensorMap(const LaunchArgument &argument, const Twine &what) {
  const TensorMapInfo &info = *argument.tensorMap;
  TensorMapRequest request;
  Expected<DeviceAddress> base = buffers.address(argument, 16, what);
  if (!base)
    return base.takeError();
  request.base = *base;
  request.type = info.type;
  for (const Expression &dim : info.dims) {
    Expected<int64_t> value = sizes.evaluateSize(dim, "a tensor map's size");
    if (!value)
      return value.takeError();
    request.dims.push_back(*value);
  }
  for (const Expression &stride : info.stridesBytes) {
    Expected<int64_t> value =
        sizes.evaluateSize(stride, "a tensor map's stride");
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
LaunchBuilder::parameter(const LaunchArgument &argument,
                         const KernelArgument &formal, const Twine &what) {
  if (formal.kind == ArgumentKind::TensorMap)
    return tensorMap(argument, what);
  if (formal.kind == ArgumentKind::Scalar)
    return sizes.scalar(argument.value, formal.type, what);
  Expected<DeviceAddress> address =
      buffers.address(argument, formal.alignment, what);
  if (!address)
    return address.takeError();
  return toBytes(*address);
}

Expected<DeviceLaunch> LaunchBuilder::build(const LaunchInfo &launch) {
  const KernelInfo &kernel = manifest.kernels[launch.kernel];
  DeviceLaunch result;
  result.kernel = kernel.name;
  result.block = kernel.block;
  result.cluster = kernel.cluster;
  result.dynamicSharedMemory = kernel.dynamicSharedMemory;
  result.scratch = kernel.scratch;
  // CUDA C++ Programming Guide, technical specifications per compute
  // capability.
  const int64_t limits[] = {INT32_MAX, 65535, 65535};
  std::optional<int64_t> clusters;
  if (llvm::any_of(launch.grid, dependsOnDevice)) {
    Expected<uint64_t> active = device.activeClusters(result);
    if (!active)
      return active.takeError();
    if (*active == 0)
      return sizes.fail("kernel '" + kernel.name + "': " + device.name() +
                        " has no room for one of its clusters");
    clusters = std::min(*active, maxClusters.value_or(*active));
  }
  for (unsigned d = 0; d < 3; ++d) {
    Expected<int64_t> size =
        sizes.evaluateSize(launch.grid[d], "the grid", clusters);
    if (!size)
      return size.takeError();
    if (*size > limits[d])
      return sizes.fail("kernel '" + kernel.name + "': a grid of " +
                        Twine(*size) + " blocks in dimension " + Twine(d) +
                        " exceeds " + Twine(limits[d]));
    if (*size % kernel.cluster[d])
      return sizes.fail("kernel '" + kernel.name + "': a grid of " +
                        Twine(*size) +
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
  // The first launch does not wait for operations before the call, which may
  // write its inputs.
  result.isProgrammatic = launch.isProgrammatic && hasLaunched;
  if (result.isProgrammatic)
    llvm::append_range(result.pending, buffers.written());
  hasLaunched |= !llvm::is_contained(result.grid, 0u);
  return result;
}
