//===- GroupBuilder.cpp - Moves operators into a group --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Partition/GroupBuilder.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Transforms/Normalize/WindowInlining.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;

SmallVector<Value> fusion::groupResults(ArrayRef<linalg::LinalgOp> operators) {
  llvm::SmallPtrSet<Operation *, 8> inside;
  for (linalg::LinalgOp op : operators)
    inside.insert(op);
  SmallVector<Value> results;
  for (linalg::LinalgOp op : operators)
    for (Value result : op->getResults())
      if (op == operators.back() ||
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            // Elements that a body reads are read by its operator.
            while (user && !inside.contains(user))
              user = user->getParentOp();
            return !user;
          }))
        results.push_back(result);
  return results;
}

namespace {

/// Plans the operands of a group and copies the operators into it.
class Outliner {
public:
  Outliner(RewriterBase &rewriter, ArrayRef<linalg::LinalgOp> operators)
      : rewriter(rewriter), operators(operators) {
    for (linalg::LinalgOp op : operators)
      inside.insert(op);
  }

  template <typename GroupOp> GroupOp run();

private:
  bool isInside(Value value) const {
    return inside.contains(value.getDefiningOp());
  }
  /// Scalars that are cheaper to copy than to pass.
  static bool isScalarConstant(Value value) {
    return matchPattern(value, m_Constant()) &&
           value.getType().isIntOrIndexOrFloat();
  }
  /// Who reads an operand: an operator, or one operand of an operator that
  /// reads the same tensor in several ways.
  using Reader = void *;
  /// The reader of an operand: all operands of an operator that read a value
  /// with one indexing map share it.
  static Reader readerOf(linalg::LinalgOp op, OpOperand &operand) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return op.getOperation();
    for (OpOperand *other : op.getDpsInputOperands())
      if (other->get() == operand.get() &&
          (other == &operand ||
           (!isContraction(op) && op.getMatchingIndexingMap(other) ==
                                      op.getMatchingIndexingMap(&operand))))
        return other;
    return &operand;
  }
  /// Readers of a stitched group share their operands.
  std::pair<Value, Reader> keyOf(Value value, Reader reader) const {
    return {value, isStitched ? nullptr : reader};
  }
  void addInput(Value value, Reader reader) {
    if (!isScalarConstant(value))
      inputs.insert(keyOf(value, reader));
  }
  void planInit(Value init, linalg::LinalgOp op);
  void planOperator(linalg::LinalgOp op);

  Value lookup(Value value, Reader reader, IRMapping &mapping);
  Value copyInit(Value init, linalg::LinalgOp op, Value destination,
                 IRMapping &mapping);
  void copyOperator(linalg::LinalgOp op, ValueRange destinations,
                    IRMapping &mapping);

  RewriterBase &rewriter;
  ArrayRef<linalg::LinalgOp> operators;
  bool isStitched = false;
  llvm::SmallPtrSet<Operation *, 8> inside;
  llvm::SetVector<std::pair<Value, Reader>> inputs;
  llvm::DenseMap<std::pair<Value, Reader>, Value> arguments;
  llvm::DenseMap<Value, Value> shapes; ///< copies of operands without elements
};

} // namespace

/// What an accumulator or a result starts from: fills and empty tensors are
/// copied, anything else carries data.
void Outliner::planInit(Value init, linalg::LinalgOp op) {
  if (isInside(init))
    return;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    addInput(fill.getInputs()[0], op.getOperation());
    return planInit(fill.getOutputs()[0], op);
  }
  if (auto empty = init.getDefiningOp<tensor::EmptyOp>()) {
    for (Value size : empty.getDynamicSizes())
      addInput(size, op.getOperation());
    return;
  }
  addInput(init, op.getOperation());
}

void Outliner::planOperator(linalg::LinalgOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value value = operand->get();
    if (isInside(value))
      continue;
    // An empty operand gives a shape only, as the window of a pooling.
    if (value.getDefiningOp<tensor::EmptyOp>())
      planInit(value, op);
    else
      addInput(value, readerOf(op, *operand));
  }
  for (Value init : op.getDpsInits())
    planInit(init, op);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    if (!isInside(value))
      addInput(value, op.getOperation());
}

Value Outliner::lookup(Value value, Reader reader, IRMapping &mapping) {
  if (isInside(value))
    return mapping.lookup(value);
  if (isScalarConstant(value))
    return rewriter.clone(*value.getDefiningOp())->getResult(0);
  return arguments.lookup(keyOf(value, reader));
}

Value Outliner::copyInit(Value init, linalg::LinalgOp op, Value destination,
                         IRMapping &mapping) {
  if (isInside(init))
    return mapping.lookup(init);
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value value = lookup(fill.getInputs()[0], op.getOperation(), mapping);
    Value out = copyInit(fill.getOutputs()[0], op, destination, mapping);
    return linalg::FillOp::create(rewriter, fill.getLoc(), value, out)
        .getResult(0);
  }
  if (auto empty = init.getDefiningOp<tensor::EmptyOp>()) {
    if (destination)
      return destination;
    SmallVector<Value> sizes;
    for (Value size : empty.getDynamicSizes())
      sizes.push_back(lookup(size, op.getOperation(), mapping));
    return tensor::EmptyOp::create(rewriter, empty.getLoc(), empty.getType(),
                                   sizes);
  }
  return arguments.lookup(keyOf(init, op.getOperation()));
}

void Outliner::copyOperator(linalg::LinalgOp op, ValueRange destinations,
                            IRMapping &mapping) {
  SmallVector<Value> operands(op->getNumOperands());
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value value = operand->get();
    Value &own = operands[operand->getOperandNumber()];
    if (isInside(value) || !value.getDefiningOp<tensor::EmptyOp>()) {
      own = lookup(value, readerOf(op, *operand), mapping);
      continue;
    }
    // Operators of a stitched group that read one shape have the same axes.
    Value &shape = shapes[value];
    if (!shape || !isStitched)
      shape = copyInit(value, op, Value(), mapping);
    own = shape;
  }
  for (auto [index, init] : llvm::enumerate(op.getDpsInits()))
    operands[op.getDpsInitOperand(index)->getOperandNumber()] =
        copyInit(init, op, destinations[index], mapping);
  IRMapping local = mapping;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    local.map(value, lookup(value, op.getOperation(), mapping));
  Operation *copy = rewriter.clone(*op, local);
  copy->removeDiscardableAttr(kSecondsApartAttrName);
  copy->setOperands(operands);
  mapping.map(op->getResults(), copy->getResults());
}

template <typename GroupOp> GroupOp Outliner::run() {
  OpBuilder::InsertionGuard guard(rewriter);
  isStitched = std::is_same_v<GroupOp, fuse::StitchOp>;
  linalg::LinalgOp last = operators.back();
  for (linalg::LinalgOp op : operators)
    planOperator(op);

  // Destinations: the empty tensors that the results start from, or new ones
  // where what they start from carries data or is another's destination.
  rewriter.setInsertionPoint(last);
  SmallVector<Value> results = groupResults(operators);
  SmallVector<Value> inits, operands;
  for (Value result : results) {
    auto op = cast<linalg::LinalgOp>(result.getDefiningOp());
    Value start = op.getDpsInits()[cast<OpResult>(result).getResultNumber()];
    while (auto fill = start.getDefiningOp<linalg::FillOp>())
      start = fill.getOutputs()[0];
    if (!start.getDefiningOp<tensor::EmptyOp>() || isInside(start) ||
        llvm::is_contained(inits, start))
      start = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), start),
          cast<RankedTensorType>(start.getType()).getElementType());
    inits.push_back(start);
  }
  for (auto [value, reader] : inputs)
    operands.push_back(value);

  SmallVector<Location> locs;
  for (linalg::LinalgOp op : operators)
    locs.push_back(op.getLoc());
  auto group = GroupOp::create(rewriter, rewriter.getFusedLoc(locs),
                               ValueRange(results).getTypes(), operands, inits,
                               fuse::ScheduleAttr(), fuse::PartialAttr(),
                               /*predicted=*/DictionaryAttr());
  SmallVector<Type> types(ValueRange(operands).getTypes());
  llvm::append_range(types, ValueRange(inits).getTypes());
  Block *body =
      rewriter.createBlock(&group.getBody(), {}, types,
                           SmallVector<Location>(types.size(), group.getLoc()));
  for (auto [index, key] : llvm::enumerate(inputs))
    arguments[key] = body->getArgument(index);

  IRMapping mapping;
  for (linalg::LinalgOp op : operators) {
    SmallVector<Value> destinations(op->getNumResults());
    for (auto [result, argument] :
         llvm::zip_equal(results, body->getArguments().take_back(inits.size())))
      if (result.getDefiningOp() == op)
        destinations[cast<OpResult>(result).getResultNumber()] = argument;
    copyOperator(op, destinations, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(mapping.lookup(result));
  fuse::YieldOp::create(rewriter, last.getLoc(), yielded);
  return group;
}

template <typename GroupOp>
GroupOp fusion::buildGroup(RewriterBase &rewriter,
                           ArrayRef<linalg::LinalgOp> operators) {
  return Outliner(rewriter, operators).run<GroupOp>();
}

template fuse::ChainOp
fusion::buildGroup<fuse::ChainOp>(RewriterBase &, ArrayRef<linalg::LinalgOp>);
template fuse::StitchOp
fusion::buildGroup<fuse::StitchOp>(RewriterBase &, ArrayRef<linalg::LinalgOp>);

/// Operators that start from what is filled start from a copy: that others read
/// it, so that it is a kernel's result, is nothing to them.
static void keepStarts(RewriterBase &rewriter, linalg::FillOp fill) {
  auto isStart = [](OpOperand &use) {
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader && reader.isDpsInit(&use);
  };
  if (llvm::none_of(fill->getUses(), isStart))
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(fill);
  Operation *copy = rewriter.clone(*fill);
  rewriter.replaceUsesWithIf(fill.getResult(0), copy->getResult(0), isStart);
}

void fusion::adoptGroup(RewriterBase &rewriter, Operation *group,
                        ArrayRef<linalg::LinalgOp> operators, bool sorts) {
  Block *block = group->getBlock();
  for (linalg::LinalgOp op : operators)
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
      keepStarts(rewriter, fill);
  rewriter.replaceAllUsesWith(groupResults(operators), group->getResults());
  for (linalg::LinalgOp op : llvm::reverse(operators)) {
    SmallVector<Operation *> starts;
    for (Value init : op.getDpsInits())
      starts.push_back(init.getDefiningOp());
    rewriter.eraseOp(op);
    // Results may start from one fill, or from what another one fills.
    llvm::SmallPtrSet<Operation *, 4> erased;
    for (Operation *start : starts)
      while (start && !erased.contains(start) &&
             isa<linalg::FillOp, tensor::EmptyOp>(start) &&
             start->use_empty()) {
        auto fill = dyn_cast<linalg::FillOp>(start);
        Operation *next = fill ? fill.getOutputs()[0].getDefiningOp() : nullptr;
        erased.insert(start);
        rewriter.eraseOp(start);
        start = next;
      }
  }
  // Readers of results that stood between the operators.
  if (sorts)
    sortTopologically(block);
}
