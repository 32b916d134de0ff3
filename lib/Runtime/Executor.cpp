//===- Executor.cpp - Executes a plan -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Executor.h"

#include "llvm/ADT/Twine.h"
#include <cstring>
#include <map>

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {

/// Memory of a buffer of the plan.
struct Place {
  DeviceAddress address = 0;
  int64_t bytes = 0;
};

class PlanRun {
public:
  PlanRun(const Manifest &manifest, const FunctionPlan &plan, Device &device,
          llvm::ArrayRef<HostTensor> inputs)
      : manifest(manifest), plan(plan), device(device), inputs(inputs) {}

  ~PlanRun() {
    for (DeviceAddress address : allocations)
      llvm::consumeError(device.free(address));
  }

  Expected<Execution> run(const ExecuteOptions &options);

private:
  Error fail(const Twine &message) const {
    return llvm::createStringError("function '" + plan.name + "': " + message);
  }

  Expected<int64_t> evaluate(const Expression &expression) const {
    Expected<int64_t> value = expression.evaluate(
        [&](const SizeName &name) -> std::optional<int64_t> {
          switch (name.kind) {
          case SizeName::Kind::ArgumentSize:
            return inputs[name.index].shape[name.dimension];
          case SizeName::Kind::ResultSize:
            if (name.index >= resultShapes.size())
              return std::nullopt;
            return resultShapes[name.index][name.dimension];
          case SizeName::Kind::ArgumentValue:
            return elementToInteger(inputs[name.index].type,
                                    inputs[name.index].data.data());
          }
          return std::nullopt;
        });
    if (!value)
      return fail(llvm::toString(value.takeError()));
    return value;
  }
  /// The value of a size or offset, which is not negative.
  Expected<int64_t> evaluateSize(const Expression &expression,
                                 const char *what) const {
    Expected<int64_t> value = evaluate(expression);
    if (value && *value < 0)
      return fail(Twine(what) + " '" + expression.text() + "' is " +
                  Twine(*value));
    return value;
  }

  Error checkInputs() const;
  Error evaluateShapes();
  Error allocateBuffers();
  Error allocateTemporaries();
  Error copyInputs();
  Expected<Place> allocate(int64_t bytes, int64_t alignment);
  Expected<Place> place(const BufferRef &ref);
  Expected<Place> aliasPlace(const Alias &alias, int64_t bytes,
                             const std::string &name);
  Expected<DeviceAddress> bufferAddress(const LaunchArgument &argument,
                                        int64_t alignment, const Twine &what);
  Expected<std::vector<uint8_t>> parameter(const LaunchArgument &argument,
                                           const KernelArgument &formal,
                                           const Twine &what);
  Expected<std::vector<uint8_t>> scalar(const LaunchArgument &argument,
                                        const Twine &what);
  Expected<std::vector<uint8_t>> tensorMap(const LaunchArgument &argument,
                                           const Twine &what);
  /// The launch, with a grid that may have a 0 in it.
  Expected<DeviceLaunch> prepare(const LaunchInfo &launch);
  Expected<LaunchReport> report(const LaunchInfo &launch,
                                const DeviceLaunch &prepared) const;
  Error readResults(Execution &execution);

  const Manifest &manifest;
  const FunctionPlan &plan;
  Device &device;
  llvm::ArrayRef<HostTensor> inputs;
  std::vector<llvm::SmallVector<int64_t>> resultShapes;
  std::vector<DeviceAddress> allocations;
  /// Buffers with memory of their own, and aliases once resolved.
  std::map<std::pair<BufferRef::Kind, unsigned>, Place> places;
};

Error PlanRun::checkInputs() const {
  if (inputs.size() != plan.inputs.size())
    return fail("takes " + Twine(plan.inputs.size()) + " inputs, got " +
                Twine(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputInfo &expected = plan.inputs[i];
    const HostTensor &input = inputs[i];
    bool fits = input.type == expected.type &&
                input.shape.size() == expected.shape.size();
    for (size_t d = 0; fits && d < input.shape.size(); ++d)
      fits = !expected.shape[d] || *expected.shape[d] == input.shape[d];
    if (fits)
      continue;
    llvm::SmallVector<int64_t> shape;
    for (std::optional<int64_t> size : expected.shape)
      shape.push_back(size.value_or(INT64_MIN));
    return fail("input " + Twine(i) + " is " + elementTypeName(input.type) +
                " " + shapeText(input.shape) + ", the plan expects " +
                elementTypeName(expected.type) + " " + shapeText(shape));
  }
  return Error::success();
}

Error PlanRun::evaluateShapes() {
  for (const ResultInfo &result : plan.results) {
    llvm::SmallVector<int64_t> shape;
    for (const Expression &size : result.shape) {
      Expected<int64_t> value = evaluateSize(size, "a result's size");
      if (!value)
        return value.takeError();
      shape.push_back(*value);
    }
    resultShapes.push_back(std::move(shape));
  }
  for (const Requirement &requirement : plan.requires_) {
    Expected<int64_t> left = evaluate(requirement.left);
    if (!left)
      return left.takeError();
    Expected<int64_t> right = evaluate(requirement.right);
    if (!right)
      return right.takeError();
    if (*left != *right)
      return fail(requirement.message + " (" + requirement.left.text() +
                  " is " + Twine(*left) + ", " + requirement.right.text() +
                  " is " + Twine(*right) + ")");
  }
  return Error::success();
}

Expected<Place> PlanRun::allocate(int64_t bytes, int64_t alignment) {
  Expected<DeviceAddress> address = device.allocate(bytes, alignment);
  if (!address)
    return address.takeError();
  allocations.push_back(*address);
  return Place{*address, bytes};
}

Error PlanRun::allocateBuffers() {
  auto add = [&](BufferRef::Kind kind, unsigned index, int64_t bytes,
                 int64_t alignment) -> Error {
    Expected<Place> memory = allocate(bytes, alignment);
    if (!memory)
      return memory.takeError();
    places[{kind, index}] = *memory;
    return Error::success();
  };
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (!plan.inputs[i].isScalar)
      if (Error error =
              add(BufferRef::Kind::Input, i, inputs[i].data.size(), 256))
        return error;
  for (unsigned i = 0; i < manifest.constants.size(); ++i)
    if (Error error =
            add(BufferRef::Kind::Constant, i, manifest.constants[i].data.size(),
                manifest.constants[i].alignment))
      return error;
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    const ResultInfo &result = plan.results[i];
    if (result.value || result.alias)
      continue;
    Expected<int64_t> bytes = checkedBytes(result.type, resultShapes[i]);
    if (!bytes)
      return bytes.takeError();
    if (Error error = add(BufferRef::Kind::Result, i, *bytes, 256))
      return error;
  }
  return allocateTemporaries();
}

Error PlanRun::allocateTemporaries() {
  // The workspace first: it is as large as its last byte in use.
  int64_t workspaceBytes = 0;
  std::vector<std::pair<unsigned, Place>> inWorkspace; // address = offset
  for (unsigned i = 0; i < plan.temporaries.size(); ++i) {
    const TemporaryInfo &temporary = plan.temporaries[i];
    if (temporary.alias)
      continue;
    Expected<int64_t> bytes = evaluateSize(temporary.bytes, "the size");
    if (!bytes)
      return bytes.takeError();
    if (!temporary.offset) {
      Expected<Place> memory = allocate(*bytes, temporary.alignment);
      if (!memory)
        return memory.takeError();
      places[{BufferRef::Kind::Temporary, i}] = *memory;
      continue;
    }
    Expected<int64_t> offset = evaluateSize(*temporary.offset, "the offset");
    if (!offset)
      return offset.takeError();
    if (*offset % temporary.alignment)
      return fail("temp" + Twine(i) + " is to be aligned to " +
                  Twine(temporary.alignment) + " bytes, but its offset is " +
                  Twine(*offset));
    if (*offset > (int64_t(1) << 46) || *bytes > (int64_t(1) << 46))
      return fail("temp" + Twine(i) + " is too large");
    workspaceBytes = std::max(workspaceBytes, *offset + *bytes);
    inWorkspace.push_back({i, {DeviceAddress(*offset), *bytes}});
  }
  if (inWorkspace.empty())
    return Error::success();
  int64_t alignment = 256;
  for (auto &[index, memory] : inWorkspace)
    alignment = std::max(alignment, plan.temporaries[index].alignment);
  Expected<Place> workspace = allocate(workspaceBytes, alignment);
  if (!workspace)
    return workspace.takeError();
  for (auto &[index, memory] : inWorkspace)
    places[{BufferRef::Kind::Temporary, index}] = {
        workspace->address + memory.address, memory.bytes};
  return Error::success();
}

Error PlanRun::copyInputs() {
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (!plan.inputs[i].isScalar)
      if (Error error =
              device.write(places[{BufferRef::Kind::Input, i}].address,
                           inputs[i].data.data(), inputs[i].data.size()))
        return error;
  for (unsigned i = 0; i < manifest.constants.size(); ++i)
    if (Error error =
            device.write(places[{BufferRef::Kind::Constant, i}].address,
                         manifest.constants[i].data.data(),
                         manifest.constants[i].data.size()))
      return error;
  return Error::success();
}

Expected<Place> PlanRun::aliasPlace(const Alias &alias, int64_t bytes,
                                    const std::string &name) {
  Expected<Place> of = place(alias.of);
  if (!of)
    return of.takeError();
  Expected<int64_t> offset = evaluateSize(alias.offset, "the offset");
  if (!offset)
    return offset.takeError();
  if (*offset > of->bytes || bytes > of->bytes - *offset)
    return fail(name + " (" + Twine(bytes) + " bytes at offset " +
                Twine(*offset) + ") is not inside " + alias.of.text() + " (" +
                Twine(of->bytes) + " bytes)");
  return Place{of->address + *offset, bytes};
}

Expected<Place> PlanRun::place(const BufferRef &ref) {
  auto known = places.find({ref.kind, ref.index});
  if (known != places.end())
    return known->second;
  // What has no memory of its own is an alias (the manifest was checked).
  Expected<Place> result = Place{};
  if (ref.kind == BufferRef::Kind::Result) {
    const ResultInfo &info = plan.results[ref.index];
    Expected<int64_t> bytes = checkedBytes(info.type, resultShapes[ref.index]);
    if (!bytes)
      return bytes.takeError();
    result = aliasPlace(*info.alias, *bytes, ref.text());
  } else {
    const TemporaryInfo &info = plan.temporaries[ref.index];
    Expected<int64_t> bytes = evaluateSize(info.bytes, "the size");
    if (!bytes)
      return bytes.takeError();
    result = aliasPlace(*info.alias, *bytes, ref.text());
  }
  if (result)
    places[{ref.kind, ref.index}] = *result;
  return result;
}

Expected<DeviceAddress> PlanRun::bufferAddress(const LaunchArgument &argument,
                                               int64_t alignment,
                                               const Twine &what) {
  Expected<Place> memory = place(argument.buffer);
  if (!memory)
    return memory.takeError();
  Expected<int64_t> offset = evaluateSize(argument.offset, "the offset");
  if (!offset)
    return offset.takeError();
  if (*offset > memory->bytes)
    return fail(what + ": offset " + Twine(*offset) + " is outside " +
                argument.buffer.text());
  DeviceAddress address = memory->address + *offset;
  if (address % alignment)
    return fail(what + ": the address of " + argument.buffer.text() +
                " plus offset " + Twine(*offset) + " is not a multiple of " +
                Twine(alignment) + " bytes, which the kernel relies on");
  return address;
}

template <typename T> std::vector<uint8_t> toBytes(const T &value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

Expected<std::vector<uint8_t>> PlanRun::scalar(const LaunchArgument &argument,
                                               const Twine &what) {
  ElementType type = *scalarType(argument.kind);
  std::vector<uint8_t> bytes(elementBytes(type));
  if (isFloat(type)) {
    if (argument.scalarInput)
      std::memcpy(bytes.data(), inputs[*argument.scalarInput].data.data(),
                  bytes.size());
    else
      elementFromDouble(type, argument.number, bytes.data());
    return bytes;
  }
  int64_t value = 0;
  if (argument.scalarInput) {
    const HostTensor &input = inputs[*argument.scalarInput];
    value = elementToInteger(input.type, input.data.data());
  } else {
    Expected<int64_t> evaluated = evaluate(argument.value);
    if (!evaluated)
      return evaluated.takeError();
    value = *evaluated;
  }
  elementFromInteger(type, value, bytes.data());
  if (elementToInteger(type, bytes.data()) != value)
    return fail(what + ": " + Twine(value) + " does not fit " +
                elementTypeName(type));
  return bytes;
}

Expected<std::vector<uint8_t>>
PlanRun::tensorMap(const LaunchArgument &argument, const Twine &what) {
  const TensorMapInfo &info = *argument.tensorMap;
  TensorMapRequest request;
  Expected<DeviceAddress> base = bufferAddress(argument, 16, what);
  if (!base)
    return base.takeError();
  request.base = *base;
  request.type = info.type;
  for (const Expression &dim : info.dims) {
    Expected<int64_t> value = evaluateSize(dim, "a tensor map's size");
    if (!value)
      return value.takeError();
    request.dims.push_back(*value);
  }
  for (const Expression &stride : info.stridesBytes) {
    Expected<int64_t> value = evaluateSize(stride, "a tensor map's stride");
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
  if (argument.kind == ArgumentKind::TensorMap)
    return tensorMap(argument, what);
  if (argument.kind != ArgumentKind::Buffer)
    return scalar(argument, what);
  Expected<DeviceAddress> address =
      bufferAddress(argument, formal.alignment, what);
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
    Expected<int64_t> size = evaluateSize(launch.grid[d], "the grid");
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
    Expected<int64_t> evaluated = evaluate(**expression);
    if (!evaluated)
      return evaluated.takeError();
    *value = *evaluated;
  }
  result.predicted = predicted;
  return result;
}

Error PlanRun::readResults(Execution &execution) {
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    const ResultInfo &info = plan.results[i];
    HostTensor tensor(info.type, resultShapes[i]);
    if (info.value) {
      Expected<int64_t> value = evaluate(*info.value);
      if (!value)
        return value.takeError();
      elementFromInteger(info.type, *value, tensor.data.data());
    } else {
      Expected<Place> memory = place({BufferRef::Kind::Result, i});
      if (!memory)
        return memory.takeError();
      if (Error error = device.read(memory->address, tensor.data.data(),
                                    tensor.data.size()))
        return error;
    }
    execution.results.push_back(std::move(tensor));
  }
  return Error::success();
}

Expected<Execution> PlanRun::run(const ExecuteOptions &options) {
  if (Error error = checkInputs())
    return std::move(error);
  if (Error error = evaluateShapes())
    return std::move(error);
  if (Error error = allocateBuffers())
    return std::move(error);
  if (Error error = copyInputs())
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
  if (Error error = readResults(execution))
    return std::move(error);

  // The results are safe: timing may run the kernels over them again.
  if (options.measure && !launched.empty()) {
    for (size_t i = 0; i < launched.size(); ++i) {
      auto us = device.measure(launched[i]);
      if (!us)
        return us.takeError();
      execution.launches[reportOf[i]].measuredUs = *us;
    }
    auto us = device.measure(launched);
    if (!us)
      return us.takeError();
    execution.measuredUs = *us;
  }
  return execution;
}

} // namespace

Expected<Execution> fusion::execute(const Manifest &manifest,
                                    const FunctionPlan &plan, Device &device,
                                    llvm::ArrayRef<HostTensor> inputs,
                                    const ExecuteOptions &options) {
  return PlanRun(manifest, plan, device, inputs).run(options);
}
