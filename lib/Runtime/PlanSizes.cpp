//===- PlanSizes.cpp - The sizes of one call of a plan --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanSizes.h"

#include "fusion/Runtime/HostTensor.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

Error PlanSizes::fail(const Twine &message) const {
  return llvm::createStringError("function '" + plan.name + "': " + message);
}

Error PlanSizes::prepare() {
  if (Error error = checkInputs())
    return error;
  return evaluateShapes();
}

Expected<int64_t>
PlanSizes::evaluate(const Expression &expression,
                    std::optional<int64_t> activeClusters) const {
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
                                  inputs[name.index].value.data());
        case SizeName::Kind::ActiveClusters:
          return activeClusters;
        }
        return std::nullopt;
      });
  if (!value)
    return fail(llvm::toString(value.takeError()));
  return value;
}

Expected<int64_t>
PlanSizes::evaluateSize(const Expression &expression, const char *what,
                        std::optional<int64_t> activeClusters) const {
  Expected<int64_t> value = evaluate(expression, activeClusters);
  if (value && *value < 0)
    return fail(Twine(what) + " '" + expression.text() + "' is " +
                Twine(*value));
  return value;
}

Expected<std::vector<uint8_t>> PlanSizes::scalar(const ScalarValue &value,
                                                 ElementType type,
                                                 const Twine &what) const {
  std::vector<uint8_t> bytes(elementBytes(type));
  if (isFloat(type)) {
    if (value.input)
      std::memcpy(bytes.data(), inputs[*value.input].value.data(),
                  bytes.size());
    else
      elementFromDouble(type, value.number, bytes.data());
    return bytes;
  }
  int64_t integer = 0;
  if (value.input) {
    const CallInput &input = inputs[*value.input];
    integer = elementToInteger(input.type, input.value.data());
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

Error PlanSizes::checkInputs() const {
  if (inputs.size() != plan.inputs.size())
    return fail("takes " + Twine(plan.inputs.size()) + " inputs, got " +
                Twine(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputInfo &expected = plan.inputs[i];
    const CallInput &input = inputs[i];
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

Error PlanSizes::evaluateShapes() {
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

Expected<int64_t> PlanSizes::resultBytes(unsigned index) const {
  return checkedBytes(plan.results[index].type, resultShapes[index]);
}

Expected<WorkspaceLayout> PlanSizes::layoutWorkspace() const {
  WorkspaceLayout layout;
  for (const auto &[i, temporary] : llvm::enumerate(plan.temporaries)) {
    if (temporary.alias)
      continue;
    Expected<int64_t> bytes = evaluateSize(temporary.bytes, "the size");
    if (!bytes)
      return bytes.takeError();
    WorkspaceLayout::Temporary place{unsigned(i), std::nullopt, *bytes};
    if (temporary.offset) {
      Expected<int64_t> offset = evaluateSize(*temporary.offset, "the offset");
      if (!offset)
        return offset.takeError();
      if (*offset % temporary.alignment)
        return fail("temp" + Twine(i) + " is to be aligned to " +
                    Twine(temporary.alignment) + " bytes, but its offset is " +
                    Twine(*offset));
      if (*offset > (int64_t(1) << 46) || *bytes > (int64_t(1) << 46))
        return fail("temp" + Twine(i) + " is too large");
      place.offset = *offset;
      layout.bytes = std::max(layout.bytes, *offset + *bytes);
      layout.alignment = std::max(layout.alignment, temporary.alignment);
    }
    layout.temporaries.push_back(place);
  }
  return layout;
}
