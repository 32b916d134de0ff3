//===- GroupSharing.cpp - Inputs that several operators read --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainReader.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"

using namespace mlir;
using namespace fusion;

Value fusion::sourceOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  Operation *parent = argument.getOwner()->getParentOp();
  if (!isa_and_nonnull<fuse::FusedGroupOpInterface>(parent))
    return value;
  return parent->getOperand(argument.getArgNumber());
}

/// Two contractions that read one input by the same rows sum over one axis: its
/// tiles serve both.
void ChainReader::shareLoops(ArrayRef<unsigned> first,
                             llvm::EquivalenceClasses<unsigned> &classes) {
  auto loopsOf = [&](unsigned op, OpOperand &operand) {
    SmallVector<unsigned, 4> loops;
    AffineMap map = group.operators[op].getMatchingIndexingMap(&operand);
    for (AffineExpr expr : map.getResults())
      loops.push_back(cast<AffineDimExpr>(expr).getPosition());
    return loops;
  };
  for (unsigned a = 0; a < group.operators.size(); ++a)
    for (unsigned b = a + 1; b < group.operators.size(); ++b)
      for (unsigned number : {0u, 1u}) {
        if (!group.contractionOf[a] || !group.contractionOf[b])
          continue;
        linalg::LinalgOp opA = group.operators[a], opB = group.operators[b];
        OpOperand &useA = opA->getOpOperand(number),
                  &useB = opB->getOpOperand(number);
        if (definer(useA.get()) ||
            sourceOf(useA.get()) != sourceOf(useB.get()) ||
            readsThroughWindow(useA) || readsThroughWindow(useB))
          continue;
        bool isLike = false, isReduced = true;
        SmallVector<std::pair<unsigned, unsigned>, 2> unlike;
        auto kindsA = opA.getIteratorTypesArray(),
             kindsB = opB.getIteratorTypesArray();
        for (auto [loopA, loopB] :
             llvm::zip_equal(loopsOf(a, useA), loopsOf(b, useB))) {
          if (classes.isEquivalent(first[a] + loopA, first[b] + loopB)) {
            isLike = true;
            continue;
          }
          unlike.push_back({first[a] + loopA, first[b] + loopB});
          isReduced &= kindsA[loopA] == utils::IteratorType::reduction &&
                       kindsB[loopB] == utils::IteratorType::reduction;
        }
        if (isLike && isReduced)
          for (auto [loopA, loopB] : unlike)
            classes.unionSets(loopA, loopB);
      }
}

/// Operators in the prologues of contractions that read one input by the same
/// rows, the statistics of rows and what is scaled by them, run along the same
/// columns.
void ChainReader::shareFrontLoops(ArrayRef<unsigned> first,
                                  llvm::EquivalenceClasses<unsigned> &classes) {
  // Epilogues read values of other operators.
  SmallVector<bool> isBehind;
  for (auto [index, op] : llvm::enumerate(group.operators))
    isBehind.push_back(group.contractionOf[index] ||
                       llvm::any_of(op.getDpsInputs(), [&](Value input) {
                         std::optional<unsigned> from = definer(input);
                         return from && isBehind[*from];
                       }));
  auto hasConflict = [&](const llvm::EquivalenceClasses<unsigned> &joined) {
    for (auto [index, op] : llvm::enumerate(group.operators)) {
      llvm::SmallDenseSet<unsigned> leaders;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (!leaders.insert(joined.getLeaderValue(first[index] + loop)).second)
          return true;
    }
    return false;
  };
  auto join = [&](unsigned a, OpOperand *useA, unsigned b, OpOperand *useB) {
    auto loopOf = [&](unsigned op, OpOperand *use, unsigned dim) {
      AffineMap map = group.operators[op].getMatchingIndexingMap(use);
      return first[op] + cast<AffineDimExpr>(map.getResult(dim)).getPosition();
    };
    unsigned rank = cast<ShapedType>(useA->get().getType()).getRank();
    llvm::EquivalenceClasses<unsigned> joined(classes);
    bool isLike = false;
    for (unsigned dim = 0; dim < rank; ++dim) {
      unsigned loopA = loopOf(a, useA, dim), loopB = loopOf(b, useB, dim);
      isLike |= classes.isEquivalent(loopA, loopB);
      joined.unionSets(loopA, loopB);
    }
    if (isLike && !hasConflict(joined))
      classes = joined;
  };
  for (unsigned a = 0; a < group.operators.size(); ++a)
    for (unsigned b = a + 1; b < group.operators.size(); ++b) {
      if (isBehind[a] || isBehind[b])
        continue;
      for (OpOperand *useA : group.operators[a].getDpsInputOperands())
        for (OpOperand *useB : group.operators[b].getDpsInputOperands())
          if (isa<RankedTensorType>(useA->get().getType()) &&
              !readsThroughWindow(*useA) && !readsThroughWindow(*useB) &&
              !definer(useA->get()) && !definer(useB->get()) &&
              sourceOf(useA->get()) == sourceOf(useB->get()))
            join(a, useA, b, useB);
    }
}

/// The tensor that an earlier contraction reads by the same axes of the same
/// input.
std::optional<unsigned> ChainReader::findShared(unsigned op,
                                                OpOperand *operand) {
  unsigned number = operand->getOperandNumber();
  for (auto [index, tensor] : llvm::enumerate(group.model.tensors)) {
    if (tensor.role != TensorRole::Operand || tensor.operandNumber != number ||
        tensor.window ||
        sourceOf(group.values[index]) != sourceOf(operand->get()) ||
        tensor.axes != axesOf(op, operand))
      continue;
    // Tensors that the contraction's prologue reads are excluded.
    bool isDirect =
        llvm::any_of(group.values[index].getUsers(), [&](Operation *user) {
          auto reader = dyn_cast<linalg::LinalgOp>(user);
          return reader && isContraction(reader);
        });
    if (isDirect)
      return index;
  }
  return std::nullopt;
}

/// The operand of a contraction that its prologue reads by the same
/// axes of the same input.
std::optional<unsigned> ChainReader::findRead(unsigned op, OpOperand *operand,
                                              unsigned contraction,
                                              unsigned number) {
  for (auto [index, tensor] : llvm::enumerate(group.model.tensors))
    if (tensor.role == TensorRole::Operand &&
        tensor.contraction == contraction && tensor.operandNumber == number &&
        sourceOf(group.values[index]) == sourceOf(operand->get()) &&
        tensor.axes == axesOf(op, operand))
      return index;
  return std::nullopt;
}

/// A value that operators in front of an earlier product make is this one's
/// operand too, by the same axes: both read the same tiles.
bool ChainReader::shareFront(unsigned op, unsigned contraction,
                             unsigned number) {
  const auto &place = precedes[op];
  if (!place || place->first == contraction || place->second != number)
    return false;
  for (GroupTensor &tensor : group.model.tensors)
    if (tensor.role == TensorRole::Operand &&
        tensor.contraction == place->first && tensor.operandNumber == number &&
        !llvm::is_contained(tensor.sharedBy, contraction))
      tensor.sharedBy.push_back(contraction);
  return true;
}
