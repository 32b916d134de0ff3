//===- PlanBuffers.cpp - Sizes and memory of one call of a plan -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuffers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

PlanBuffers::~PlanBuffers() {
  for (DeviceAddress address : allocations)
    llvm::consumeError(device.free(address));
}

Error PlanBuffers::fail(const Twine &message) const {
  return llvm::createStringError("function '" + plan.name + "': " + message);
}

Error PlanBuffers::prepare() {
  if (Error error = checkInputs())
    return error;
  if (Error error = evaluateShapes())
    return error;
  if (Error error = allocateBuffers())
    return error;
  return copyInputs();
}

Expected<int64_t> PlanBuffers::evaluate(const Expression &expression) const {
  Expected<int64_t> value =
      expression.evaluate([&](const SizeName &name) -> std::optional<int64_t> {
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

Expected<int64_t> PlanBuffers::evaluateSize(const Expression &expression,
                                            const char *what) const {
  Expected<int64_t> value = evaluate(expression);
  if (value && *value < 0)
    return fail(Twine(what) + " '" + expression.text() + "' is " +
                Twine(*value));
  return value;
}

Expected<std::vector<uint8_t>> PlanBuffers::scalar(const ScalarValue &value,
                                                   ElementType type,
                                                   const Twine &what) const {
  std::vector<uint8_t> bytes(elementBytes(type));
  if (isFloat(type)) {
    if (value.input)
      std::memcpy(bytes.data(), inputs[*value.input].data.data(), bytes.size());
    else
      elementFromDouble(type, value.number, bytes.data());
    return bytes;
  }
  int64_t integer = 0;
  if (value.input) {
    const HostTensor &input = inputs[*value.input];
    integer = elementToInteger(input.type, input.data.data());
  } else {
    Expected<int64_t> evaluated = evaluate(value.integer);
    if (!evaluated)
      return evaluated.takeError();
    integer = *evaluated;
  }
  if (type == ElementType::I1 && integer == -1)
    integer = 1; // true, as a signed number of one bit
  elementFromInteger(type, integer, bytes.data());
  if (elementToInteger(type, bytes.data()) != integer)
    return fail(what + ": " + Twine(integer) + " does not fit " +
                elementTypeName(type));
  return bytes;
}

Error PlanBuffers::checkInputs() const {
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

Error PlanBuffers::evaluateShapes() {
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
    if (requirement.isEqual ? *left != *right : *left > *right)
      return fail(requirement.message + " (" + requirement.left.text() +
                  " is " + Twine(*left) + ", " + requirement.right.text() +
                  " is " + Twine(*right) + ")");
  }
  return Error::success();
}

Expected<PlanBuffers::Place> PlanBuffers::allocate(int64_t bytes,
                                                   int64_t alignment) {
  Expected<DeviceAddress> address = device.allocate(bytes, alignment);
  if (!address)
    return address.takeError();
  allocations.push_back(*address);
  return Place{*address, bytes};
}

Error PlanBuffers::allocateBuffers() {
  auto add = [&](BufferRef::Kind kind, unsigned index, int64_t bytes,
                 int64_t alignment) -> Error {
    Expected<PlanBuffers::Place> memory = allocate(bytes, alignment);
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

Error PlanBuffers::allocateTemporaries() {
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
      Expected<PlanBuffers::Place> memory =
          allocate(*bytes, temporary.alignment);
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

Error PlanBuffers::copyInputs() {
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

Expected<PlanBuffers::Place> PlanBuffers::aliasPlace(const Alias &alias,
                                                     int64_t bytes,
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

Expected<PlanBuffers::Place> PlanBuffers::place(const BufferRef &ref) {
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

Expected<DeviceAddress> PlanBuffers::address(const LaunchArgument &argument,
                                             int64_t alignment,
                                             const Twine &what) {
  Expected<PlanBuffers::Place> memory = place(argument.buffer);
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

Expected<std::vector<HostTensor>> PlanBuffers::readResults() {
  std::vector<HostTensor> results;
  for (unsigned i = 0; i < plan.results.size(); ++i) {
    const ResultInfo &info = plan.results[i];
    HostTensor tensor(info.type, resultShapes[i]);
    if (info.value) {
      Expected<std::vector<uint8_t>> bytes =
          scalar(*info.value, info.type, "result " + Twine(i));
      if (!bytes)
        return bytes.takeError();
      llvm::copy(*bytes, tensor.data.begin());
    } else {
      Expected<PlanBuffers::Place> memory = place({BufferRef::Kind::Result, i});
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
