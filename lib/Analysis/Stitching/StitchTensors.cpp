//===- StitchTensors.cpp - What a stitched group reads and writes ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchBuilder.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

bool StitchTensor::isRagged() const {
  if (!unit)
    return false;
  auto [first, beyond] = inside[llvm::find(axes, *unit) - axes.begin()];
  return (first * elementBytes) % alignment != 0 ||
         (beyond * elementBytes) % alignment != 0;
}

static unsigned bytesOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

/// Strides of a dense tensor, in elements.
static SmallVector<int64_t> stridesOf(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  return strides;
}

/// Sets the unit axis and the alignment. Rows start at the offset plus
/// multiples of all strides but the unit axis's.
void StitchBuilder::setAlignment(StitchTensor &tensor) const {
  uint64_t places = 16 | (tensor.offset * tensor.elementBytes);
  for (auto [axis, stride] : llvm::zip_equal(tensor.axes, tensor.strides))
    if (stride == 1 && !tensor.unit)
      tensor.unit = axis;
    else
      places |= stride * tensor.elementBytes;
  tensor.alignment = std::max<uint64_t>(places & -places, tensor.elementBytes);
}

FailureOr<StitchTensor> StitchBuilder::describe(Value value,
                                                ArrayRef<unsigned> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isIntOrFloat())
    return decline("a tensor is of type " +
                   llvm::formatv("{0}", type.getElementType()).str());
  if (!isComputed(value) && !isFromOutside(value))
    return decline("a tensor is made by no operator and comes from nowhere");
  StitchTensor tensor;
  tensor.value = value;
  tensor.axes.assign(axes.begin(), axes.end());
  tensor.elementBytes = bytesOf(type.getElementType());
  tensor.strides = llvm::to_vector<4>(stridesOf(type));
  for (int64_t size : type.getShape())
    tensor.inside.push_back({0, size});
  setAlignment(tensor);
  return tensor;
}

/// Describes the elements that the body of an operator reads at indices that it
/// computes.
FailureOr<StitchTensor> StitchBuilder::describe(unsigned op,
                                                tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  if (isComputed(extract.getTensor()))
    return decline("an operator reads values of the group at other places than "
                   "its own");
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      !isFromOutside(extract.getTensor()))
    return decline("a tensor that is read from by index has sizes that are not "
                   "known, no numbers for elements, or a constant value");
  StitchTensor tensor;
  tensor.value = extract.getTensor();
  tensor.elementBytes = bytesOf(type.getElementType());
  SmallVector<int64_t> strides = stridesOf(type);
  ArrayRef<unsigned> loops = group.loops[op];
  std::optional<ElementRead> place = readPlace(extract);
  bool isLinear = place.has_value();
  if (isLinear) {
    for (auto [d, index] : llvm::enumerate(place->indices)) {
      tensor.offset += strides[d] * index.constant;
      isLinear &= !place->guard || index.terms.size() <= 1;
      for (auto [loop, coefficient] : index.terms) {
        unsigned axis = loops[loop];
        auto *known = llvm::find(tensor.axes, axis);
        if (known == tensor.axes.end()) {
          known = tensor.axes.insert(known, axis);
          tensor.strides.push_back(0);
          tensor.inside.push_back({0, group.axes[axis].extent});
        }
        tensor.strides[known - tensor.axes.begin()] += strides[d] * coefficient;
        if (!place->guard)
          continue;
        isLinear &= coefficient > 0;
        if (!isLinear)
          break;
        auto &[first, beyond] = tensor.inside[known - tensor.axes.begin()];
        first = std::max<int64_t>(
            first, -llvm::divideFloorSigned(index.constant, coefficient));
        beyond = std::min<int64_t>(
            beyond, llvm::divideCeilSigned(type.getDimSize(d) - index.constant,
                                           coefficient));
      }
      // A guarded dimension that has no loop.
      isLinear &= !place->guard || !index.terms.empty() ||
                  (index.constant >= 0 && index.constant < type.getDimSize(d));
    }
    for (auto [range, stride] : llvm::zip_equal(tensor.inside, tensor.strides))
      isLinear &= stride > 0 && range.first < range.second;
  }
  if (isLinear) {
    setAlignment(tensor);
    return tensor;
  }
  if (type.getNumElements() < 1)
    return decline("an operator reads from an empty tensor");
  tensor = StitchTensor();
  tensor.value = extract.getTensor();
  tensor.elementBytes = bytesOf(type.getElementType());
  tensor.alignment = tensor.elementBytes;
  tensor.isGathered = true;
  tensor.axes.assign(loops.begin(), loops.end());
  if (!extract.getIndices().empty())
    if (auto last =
            extract.getIndices().back().getDefiningOp<linalg::IndexOp>())
      tensor.gatheredRun = loops[last.getDim()];
  for (unsigned loop : loops) {
    tensor.strides.push_back(0);
    tensor.inside.push_back({0, group.axes[loop].extent});
  }
  return tensor;
}

FailureOr<unsigned> StitchBuilder::addInput(StitchTensor tensor) {
  for (auto [number, known] : llvm::enumerate(group.inputs))
    if (!tensor.isGathered && !known.isGathered &&
        known.value == tensor.value && known.axes == tensor.axes &&
        known.component == tensor.component &&
        known.strides == tensor.strides && known.offset == tensor.offset &&
        known.inside == tensor.inside)
      return number;
  group.inputs.push_back(std::move(tensor));
  return group.inputs.size() - 1;
}

LogicalResult StitchBuilder::collectInputs() {
  for (auto [index, constOp] : llvm::enumerate(group.operators())) {
    linalg::LinalgOp op = constOp;
    // Each component reads a single number for itself.
    unsigned component = group.componentOf(index);
    for (const auto &[operand, isTensor, loops] : group.about(index).inputs) {
      Value value = operand->get();
      if (!isTensor || group.definer(value))
        continue;
      if (isComputed(value))
        return decline("concatenated values are read again");
      // The tensor only gives a shape.
      if (value.getDefiningOp<tensor::EmptyOp>() &&
          !op.payloadUsesValueFromOperand(operand))
        continue;
      // A filled tensor is one number everywhere.
      if (auto fill = value.getDefiningOp<linalg::FillOp>();
          fill && isGiven(fill))
        continue;
      SmallVector<unsigned, 4> axes(loops);
      for (unsigned &loop : axes)
        loop = group.loops[index][loop];
      FailureOr<StitchTensor> tensor = describe(value, axes);
      if (failed(tensor))
        return failure();
      tensor->component = component;
      // A tensor that is read along other axes is loaded again.
      group.reads[operand] = *addInput(*tensor);
    }
    for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>()) {
      FailureOr<StitchTensor> tensor = describe(index, extract);
      if (failed(tensor))
        return failure();
      tensor->component = component;
      group.reads[extract.getOperation()] = *addInput(*tensor);
    }
  }
  return success();
}

LogicalResult StitchBuilder::collectResults() {
  for (auto [number, value] : llvm::enumerate(results)) {
    std::optional<unsigned> maker = group.definer(value);
    auto placed = placements.find(value);
    if (!maker && placed == placements.end())
      return decline("a result is not computed by an operator of the group");
    if (maker) {
      FailureOr<StitchTensor> tensor =
          describe(value, group.resultAxes(*maker));
      if (failed(tensor))
        return failure();
      tensor->result = number;
      group.results.push_back(*tensor);
      continue;
    }
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.getElementType().isIntOrFloat())
      return decline("a tensor is of type " +
                     llvm::formatv("{0}", type.getElementType()).str());
    SmallVector<int64_t> strides = stridesOf(type);
    for (const PlacedPart &part : placed->second) {
      std::optional<unsigned> source = group.definer(part.source);
      if (!source)
        return decline("an operand of a concatenation is not computed by an "
                       "operator of the group");
      StitchTensor tensor;
      tensor.value = part.source;
      tensor.elementBytes = bytesOf(type.getElementType());
      tensor.result = number;
      tensor.axes = group.resultAxes(*source);
      for (auto [d, loop] : llvm::enumerate(part.loops)) {
        // Loops are dimensions of the result.
        tensor.strides.push_back(strides[loop]);
        tensor.offset -= strides[loop] * part.offsets[d];
        auto [first, beyond] = part.box[loop];
        tensor.inside.push_back(
            {first + part.offsets[d], beyond + part.offsets[d]});
      }
      setAlignment(tensor);
      group.results.push_back(std::move(tensor));
    }
  }
  return success();
}

StitchGroup::Sources StitchBuilder::sourcesOf(unsigned op) const {
  StitchGroup::Sources sources;
  auto add = [](SmallVector<unsigned, 4> &list, unsigned number) {
    if (!llvm::is_contained(list, number))
      list.push_back(number);
  };
  linalg::LinalgOp linalgOp = group.operators()[op];
  for (const StitchOperator::Input &input : group.about(op).inputs) {
    if (std::optional<unsigned> maker = group.definer(input.operand->get()))
      add(sources.operators, *maker);
    else if (auto it = group.reads.find(input.operand); it != group.reads.end())
      add(sources.inputs, it->second);
  }
  for (Operation &inner : linalgOp.getBlock()->without_terminator())
    if (auto it = group.reads.find(&inner); it != group.reads.end())
      add(sources.inputs, it->second);
  return sources;
}

void StitchBuilder::describeReaders() {
  for (unsigned op = 0; op < group.operators().size(); ++op)
    group.sources.push_back(sourcesOf(op));
  for (StitchTensor &tensor : group.inputs)
    tensor.isRepeated = tensor.axes.size() <
                        size_t(llvm::count(group.components, tensor.component));
  for (StitchTensor &tensor : group.results)
    tensor.component = group.componentOf(*group.definer(tensor.value));
  findAlignments(group);
}
