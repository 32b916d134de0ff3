//===- StitchGroup.cpp - Axes of a stitched group -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchGroup.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

namespace {

class StitchBuilder {
public:
  StitchBuilder(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
          llvm::function_ref<void(const Twine &)> explain)
      : results(results), explain(explain) {
    for (linalg::LinalgOp op : operators)
      if (!isa<linalg::FillOp>(op))
        group.operators.push_back(op);
  }

  FailureOr<StitchGroup> build() {
    if (failed(classify()) || failed(unifyLoops()) || failed(collectTensors()))
      return failure();
    return std::move(group);
  }

private:
  LogicalResult decline(const Twine &reason) {
    explain(reason);
    return failure();
  }
  LogicalResult classify();
  LogicalResult unifyLoops();
  LogicalResult collectTensors();
  FailureOr<StitchTensor> describe(Value value, ArrayRef<unsigned> axes);

  ValueRange results;
  llvm::function_ref<void(const Twine &)> explain;
  StitchGroup group;
};

} // namespace

LogicalResult StitchBuilder::classify() {
  for (linalg::LinalgOp op : group.operators) {
    if (op->getNumResults() != 1)
      return decline("an operator has more than one result");
    // A contraction is a sum of products like any other here.
    std::optional<ReductionBody> body = matchCombination(op);
    if (!body && !isElementwise(op))
      return decline(op->getName().getStringRef() +
                     " is neither element-wise nor a reduction by one "
                     "operation");
    for (int64_t extent : op.getStaticLoopRanges())
      if (ShapedType::isDynamic(extent))
        return decline("sizes are not known");
    group.reductions.push_back(body);
  }
  return success();
}

std::optional<unsigned> StitchGroup::definer(Value value) const {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  auto it = llvm::find(operators, op);
  if (!op || it == operators.end())
    return std::nullopt;
  return it - operators.begin();
}

static SmallVector<unsigned, 4> positions(AffineMap map) {
  SmallVector<unsigned, 4> loops;
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

LogicalResult StitchBuilder::unifyLoops() {
  SmallVector<unsigned> first;
  unsigned count = 0;
  for (linalg::LinalgOp op : group.operators) {
    first.push_back(count);
    count += op.getNumLoops();
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned loop = 0; loop < count; ++loop)
    classes.insert(loop);
  // Two loops of one operator stay apart.
  auto conflicts = [&](unsigned a, unsigned b) {
    for (auto [index, op] : llvm::enumerate(group.operators)) {
      bool hasA = false, hasB = false;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
        hasA |= classes.isEquivalent(first[index] + loop, a);
        hasB |= classes.isEquivalent(first[index] + loop, b);
      }
      if (hasA && hasB)
        return true;
    }
    return false;
  };
  // What is between two operators has to agree; what both read is read once
  // where that is possible.
  llvm::MapVector<Value, SmallVector<unsigned, 4>> readers;
  for (auto [index, op] : llvm::enumerate(group.operators))
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isa<RankedTensorType>(operand->get().getType()))
        continue;
      SmallVector<unsigned, 4> read =
          positions(op.getMatchingIndexingMap(operand));
      for (unsigned &loop : read)
        loop += first[index];
      if (std::optional<unsigned> producer = group.definer(operand->get())) {
        linalg::LinalgOp maker = group.operators[*producer];
        for (auto [made, loop] :
             llvm::zip_equal(positions(maker.getMatchingIndexingMap(
                                 maker.getDpsInitOperand(0))),
                             read)) {
          unsigned source = first[*producer] + made;
          if (!classes.isEquivalent(source, loop) && conflicts(source, loop))
            return decline("two loops of one operator would be one axis");
          classes.unionSets(source, loop);
        }
        continue;
      }
      auto [it, isNew] = readers.insert({operand->get(), read});
      if (isNew)
        continue;
      for (auto [known, loop] : llvm::zip_equal(it->second, read))
        if (!classes.isEquivalent(known, loop) && !conflicts(known, loop))
          classes.unionSets(known, loop);
    }
  static constexpr StringLiteral letters = "ijklpqstuvw";
  llvm::MapVector<unsigned, unsigned> axisOfLeader;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    SmallVector<unsigned> &loops = group.loops.emplace_back();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
      unsigned number = group.axes.size();
      auto [it, isNew] = axisOfLeader.insert(
          {classes.getLeaderValue(first[index] + loop), number});
      if (isNew) {
        std::string name(1, letters[number % letters.size()]);
        if (number >= letters.size())
          name += std::to_string(number / letters.size());
        group.axes.push_back({name, extent});
      }
      group.axes[it->second].isReduced |=
          kinds[loop] == utils::IteratorType::reduction;
      loops.push_back(it->second);
    }
  }
  return success();
}

SmallVector<unsigned, 4> StitchGroup::axesOf(unsigned op,
                                             OpOperand *operand) const {
  linalg::LinalgOp linalgOp = operators[op];
  SmallVector<unsigned, 4> result =
      positions(linalgOp.getMatchingIndexingMap(operand));
  for (unsigned &loop : result)
    loop = loops[op][loop];
  return result;
}

SmallVector<unsigned, 4> StitchGroup::resultAxes(unsigned op) const {
  linalg::LinalgOp linalgOp = operators[op];
  return axesOf(op, linalgOp.getDpsInitOperand(0));
}

std::optional<unsigned> StitchGroup::findAxis(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

FailureOr<StitchTensor> StitchBuilder::describe(Value value,
                                          ArrayRef<unsigned> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return decline("a tensor is of type " +
                   llvm::formatv("{0}", element).str());
  unsigned bits = element.getIntOrFloatBitWidth();
  StitchTensor tensor{value, SmallVector<unsigned, 4>(axes),
                      std::max(1u, bits / 8), 16};
  // Everything but the last dimension steps by whole rows.
  if (type.getRank() > 1) {
    uint64_t rowBytes =
        type.getDimSize(type.getRank() - 1) * tensor.elementBytes;
    tensor.alignment = std::min<uint64_t>(16, rowBytes & -rowBytes);
  }
  return tensor;
}

LogicalResult StitchBuilder::collectTensors() {
  llvm::SmallDenseSet<Value> seen;
  for (auto [index, op] : llvm::enumerate(group.operators))
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value value = operand->get();
      if (!isa<RankedTensorType>(value.getType()) || group.definer(value))
        continue;
      FailureOr<StitchTensor> tensor =
          describe(value, group.axesOf(index, operand));
      if (failed(tensor))
        return failure();
      // Read along other axes it is loaded again.
      if (llvm::none_of(group.inputs, [&](const StitchTensor &known) {
            return known.value == value && known.axes == tensor->axes;
          }))
        group.inputs.push_back(*tensor);
    }
  for (Value value : results) {
    std::optional<unsigned> maker = group.definer(value);
    if (!maker)
      return decline("a result is not computed by an operator of the group");
    FailureOr<StitchTensor> tensor = describe(value, group.resultAxes(*maker));
    if (failed(tensor))
      return failure();
    if (tensor->axes.empty())
      return decline("a result is a single element");
    if (llvm::any_of(tensor->axes, [&](unsigned axis) {
          return group.axes[axis].extent < 1;
        }))
      return decline("a result is empty");
    group.results.push_back(*tensor);
  }
  return success();
}

FailureOr<StitchGroup>
StitchGroup::compute(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                     llvm::function_ref<void(const Twine &)> explain) {
  return StitchBuilder(operators, results, explain).build();
}
