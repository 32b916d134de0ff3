//===- SplitForm.cpp - Who computes what where a running axis is split ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Chains/SplitForm.h"
#include "ChainReader.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// What operators read
//===----------------------------------------------------------------------===//

static void collectReads(Value scalar, linalg::LinalgOp op,
                         const OnlineForm *online,
                         llvm::SetVector<Value> &tensors) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() == op.getBlock() &&
        argument.getArgNumber() < static_cast<unsigned>(op.getNumDpsInputs()))
      tensors.insert(op->getOperand(argument.getArgNumber()));
    return;
  }
  Operation *inner = scalar.getDefiningOp();
  if (inner->getBlock() != op.getBlock())
    return;
  if (online)
    if (auto it = online->skipped.find(inner); it != online->skipped.end())
      return collectReads(inner->getOperand(it->second), op, online, tensors);
  for (Value operand : inner->getOperands())
    collectReads(operand, op, online, tensors);
}

llvm::SetVector<Value> fusion::tensorsReadBy(Value scalar, linalg::LinalgOp op,
                                             const OnlineForm *online) {
  llvm::SetVector<Value> tensors;
  collectReads(scalar, op, online, tensors);
  return tensors;
}

llvm::SetVector<Value> fusion::tensorsReadBy(linalg::LinalgOp op,
                                             const OnlineForm *online) {
  return tensorsReadBy(op.getBlock()->getTerminator()->getOperand(0), op,
                       online);
}

//===----------------------------------------------------------------------===//
// The division
//===----------------------------------------------------------------------===//

namespace {

class Division {
public:
  using Explain = llvm::function_ref<void(const Twine &)>;

  Division(const GroupAxes &group, unsigned axis, const OnlineForm &online,
           Explain explain)
      : group(group), axis(axis), online(online), explain(explain) {
    for (auto [index, op] : llvm::enumerate(group.operators))
      definers[op->getResult(0)] = index;
  }

  FailureOr<SplitForm> run();

private:
  LogicalResult decline(unsigned op, const Twine &reason) {
    linalg::LinalgOp linalgOp = group.operators[op];
    explain(linalgOp->getName().getStringRef() + " " + reason);
    return failure();
  }
  std::optional<unsigned> definer(Value value) const {
    auto it = definers.find(value);
    if (it == definers.end())
      return std::nullopt;
    return it->second;
  }
  /// The running reduction that an operator is, or null.
  const OnlineForm::Running *runningOf(unsigned op) const {
    for (const OnlineForm::Running &running : online.running)
      if (group.reductionOf[op] == running.reduction)
        return &running;
    return nullptr;
  }
  /// The accumulator of an online contraction, or null.
  const OnlineForm::Sum *sumOf(unsigned op) const {
    for (const OnlineForm::Sum &sum : online.sums)
      if (group.contractionOf[op] == sum.contraction)
        return &sum;
    return nullptr;
  }
  unsigned operatorOf(unsigned reduction) const {
    return group.operatorOf(reduction);
  }

  /// Marks what a result is made from, down to what the parts store.
  struct Merge {
    MergedResult &result;
    llvm::BitVector reductions, operators;
  };
  LogicalResult mergeValue(Value value, Merge &merge);
  LogicalResult mergeScalar(Value scalar, unsigned op, Merge &merge);
  LogicalResult mergeRow(const RowExpressionRef &expression, Merge &merge);
  LogicalResult mergeReduction(const OnlineForm::Running &running,
                               Merge &merge);

  const GroupAxes &group;
  unsigned axis;
  const OnlineForm &online;
  Explain explain;
  llvm::DenseMap<Value, unsigned> definers;
};

} // namespace

LogicalResult Division::mergeScalar(Value scalar, unsigned op, Merge &merge) {
  for (Value read : tensorsReadBy(scalar, group.operators[op]))
    if (failed(mergeValue(read, merge)))
      return failure();
  return success();
}

/// The reductions and scalars that a correction reads.
LogicalResult Division::mergeRow(const RowExpressionRef &expression,
                                 Merge &merge) {
  using Kind = RowExpression::Kind;
  if (!expression)
    return success();
  if (expression->kind == Kind::Scalar)
    return mergeScalar(expression->scalar, expression->op, merge);
  if (expression->kind == Kind::Before || expression->kind == Kind::After)
    return mergeReduction(*runningOf(operatorOf(expression->reduction)), merge);
  for (const RowExpressionRef &operand : expression->operands)
    if (failed(mergeRow(operand, merge)))
      return failure();
  return success();
}

LogicalResult Division::mergeReduction(const OnlineForm::Running &running,
                                       Merge &merge) {
  if (merge.reductions.test(running.reduction))
    return success();
  merge.reductions.set(running.reduction);
  ArrayRef<unsigned> has = group.model.tensors[merge.result.tensor].axes;
  for (unsigned own : group.model.reductions[running.reduction].axes)
    if (!llvm::is_contained(has, own))
      return decline(operatorOf(running.reduction),
                     "has an axis that a result of partial results lacks");
  return mergeRow(running.factor, merge);
}

LogicalResult Division::mergeValue(Value value, Merge &merge) {
  std::optional<unsigned> op = definer(value);
  if (!op) {
    if (isa<RankedTensorType>(value.getType()))
      merge.result.inputs.insert(value);
    return success();
  }
  if (const OnlineForm::Running *running = runningOf(*op))
    return mergeReduction(*running, merge);
  if (const OnlineForm::Sum *sum = sumOf(*op)) {
    if (merge.result.mergesSum)
      return success();
    merge.result.mergesSum = true;
    for (const DeferredFactor &factor : sum->deferred)
      if (failed(mergeScalar(factor.scalar, factor.op, merge)))
        return failure();
    return mergeRow(sum->factor, merge);
  }
  if (merge.operators.test(*op))
    return success();
  merge.operators.set(*op);
  if (llvm::is_contained(group.loops[*op], axis))
    return decline(*op, "computes in the loop what leaves the group");
  if (group.contractionOf[*op] || group.reductionOf[*op])
    return decline(*op,
                   "sums up along another axis what the partial results share");
  for (unsigned own : group.loops[*op])
    if (!llvm::is_contained(group.model.tensors[merge.result.tensor].axes, own))
      return decline(*op, "has an axis that a result of partial results lacks");
  for (Value read : tensorsReadBy(group.operators[*op], nullptr))
    if (failed(mergeValue(read, merge)))
      return failure();
  return success();
}

FailureOr<SplitForm> Division::run() {
  SplitForm form;
  unsigned numReductions = group.model.reductions.size(),
           numOperators = group.operators.size();
  llvm::BitVector stored(numReductions);
  for (unsigned tensor : group.resultTensors) {
    MergedResult &result = form.results.emplace_back();
    result.tensor = tensor;
    Merge merge{result, llvm::BitVector(numReductions),
                llvm::BitVector(numOperators)};
    if (failed(mergeValue(group.finalValues[tensor], merge)))
      return failure();
    for (unsigned op : merge.operators.set_bits())
      result.operators.push_back(op);
    for (const OnlineForm::Running &running : online.running)
      if (merge.reductions.test(running.reduction))
        result.reductions.push_back(running.reduction);
    stored |= merge.reductions;
  }
  for (const OnlineForm::Running &running : online.running)
    if (stored.test(running.reduction))
      form.stored.push_back(running.reduction);
  // What the parts evaluate is what the stored values are made of.
  llvm::BitVector partial(numOperators);
  SmallVector<unsigned> pending;
  auto want = [&](unsigned op) {
    if (!partial.test(op))
      pending.push_back(op);
    partial.set(op);
  };
  for (unsigned op = 0; op < numOperators; ++op)
    if (sumOf(op) || (runningOf(op) && stored.test(*group.reductionOf[op])))
      want(op);
  while (!pending.empty())
    for (Value read :
         tensorsReadBy(group.operators[pending.pop_back_val()], &online))
      if (std::optional<unsigned> op = definer(read))
        want(*op);
  for (unsigned op : partial.set_bits())
    form.partial.push_back(op);
  return form;
}

FailureOr<SplitForm>
fusion::deriveSplit(const GroupAxes &group, unsigned axis,
                    const OnlineForm &online,
                    llvm::function_ref<void(const Twine &)> explain) {
  return Division(group, axis, online, explain).run();
}

/// The division in plain data.
void ChainReader::describeSplit(OnlineAxis &online, const OnlineForm &form) {
  FailureOr<SplitForm> split =
      deriveSplit(group, online.axis, form,
                  [&](const Twine &why) { online.whyNotSplit = why.str(); });
  if (failed(split))
    return;
  online.stored = split->stored;
  llvm::SetVector<Value> partial;
  for (unsigned op : split->partial)
    partial.insert_range(tensorsReadBy(group.operators[op], &form));
  for (auto [index, tensor] : llvm::enumerate(group.model.tensors))
    if (tensor.role == TensorRole::Extra &&
        !partial.contains(group.values[index]))
      online.later.push_back(index);
  for (const MergedResult &result : split->results) {
    OnlineAxis::Merge &merge = online.merges.emplace_back();
    merge.tensor = result.tensor;
    if (result.mergesSum)
      merge.partialBytes += kPartialBytes;
    for (unsigned reduction : result.reductions)
      merge.partialBytes += group.model.reductions[reduction].elementBytes;
    for (Value input : result.inputs)
      merge.otherBytes += llvm::divideCeil(
          getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth(), 8);
  }
}
