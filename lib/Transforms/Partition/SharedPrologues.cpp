//===- SharedPrologues.cpp - Prologues of several contractions ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedPrologues.h"
#include "CandidateSequences.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

using OperationSet = llvm::SmallSetVector<Operation *, 8>;

/// The operators that compute the operands of a contraction and read no
/// contraction.
static OperationSet collectFront(linalg::LinalgOp contraction,
                                 const llvm::DenseSet<Operation *> &taken) {
  OperationSet front;
  SmallVector<Value> pending(contraction.getDpsInputs());
  while (!pending.empty()) {
    auto op = pending.pop_back_val().getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getBlock() != contraction->getBlock() ||
        taken.contains(op) || !(isElementwise(op) || matchReduction(op)) ||
        llvm::any_of(op.getDpsInputs(),
                     [](Value input) {
                       auto from = input.getDefiningOp<linalg::LinalgOp>();
                       return from && isContraction(from);
                     }) ||
        !front.insert(op))
      continue;
    llvm::append_range(pending, op.getDpsInputs());
  }
  return front;
}

/// The contractions that read a value, also through other shapes of it.
static void collectProducts(Value value,
                            llvm::SmallSetVector<Operation *, 4> &contractions,
                            bool &isReshaped) {
  for (Operation *user : value.getUsers()) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user)) {
      isReshaped = true;
      collectProducts(user->getResult(0), contractions, isReshaped);
    } else if (op && isContraction(op)) {
      contractions.insert(user);
    }
  }
}

/// A value that several contractions read in different shapes is in the
/// prologue of none of them.
static void remarkReshaped(linalg::LinalgOp op) {
  if (isContraction(op) || !(isElementwise(op) || matchReduction(op)))
    return;
  llvm::SmallSetVector<Operation *, 4> contractions;
  bool isReshaped = false;
  collectProducts(op->getResult(0), contractions, isReshaped);
  if (contractions.size() > 1 && isReshaped)
    remarkMissed(op, "fuse", "head-shared",
                 llvm::formatv(
                     "a kernel of its own computes what {0} contractions read, "
                     "since their loops were joined differently and read it "
                     "in other shapes",
                     contractions.size()));
}

std::vector<SharedPrologue> SharedPrologue::find(func::FuncOp function) {
  for (auto op : function.getBody().front().getOps<linalg::LinalgOp>())
    remarkReshaped(op);
  llvm::DenseSet<Operation *> taken;
  SmallVector<linalg::LinalgOp> contractions;
  for (CandidateSequence &sequence : collectCandidateSequences(function)) {
    unsigned last = sequence.links.size() - 1;
    for (linalg::LinalgOp op :
         sequence.operators(0, last, /*all=*/true,
                            /*joined=*/true, /*heads=*/true)) {
      taken.insert(op);
      if (isContraction(op))
        contractions.push_back(op);
    }
  }
  llvm::sort(contractions, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  // Contractions with an operator in common have one prologue.
  std::vector<std::pair<OperationSet, SmallVector<linalg::LinalgOp>>> found;
  for (linalg::LinalgOp contraction : contractions) {
    OperationSet front = collectFront(contraction, taken);
    if (front.empty())
      continue;
    auto isShared = [&](auto &head) {
      return llvm::any_of(
          front, [&](Operation *op) { return head.first.contains(op); });
    };
    auto known = llvm::find_if(found, isShared);
    if (known == found.end())
      known = found.emplace(found.end());
    known->first.insert_range(front);
    known->second.push_back(contraction);
  }
  std::vector<SharedPrologue> heads;
  for (auto &[front, readers] : found) {
    if (readers.size() < 2)
      continue;
    unsigned loops =
        readers.front().getRank(readers.front().getDpsInputOperand(0));
    // Rows may leave; what is as large as an operand is stored anyway then.
    bool leaves = llvm::any_of(front, [&](Operation *op) {
      auto type = cast<ShapedType>(op->getResult(0).getType());
      return type.getRank() >= loops &&
             !llvm::all_of(
                 op->getUsers(),
                 [&, &front = front, &readers = readers](Operation *user) {
                   return front.contains(user) ||
                          llvm::is_contained(readers,
                                             dyn_cast<linalg::LinalgOp>(user));
                 });
    });
    if (leaves)
      continue;
    SharedPrologue &head = heads.emplace_back();
    for (Operation *op : front)
      head.ops.push_back(cast<linalg::LinalgOp>(op));
    llvm::sort(head.ops, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    head.readers = readers;
  }
  return heads;
}

void SharedPrologue::copy(RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (linalg::LinalgOp contraction : llvm::drop_begin(readers)) {
    OperationSet front = collectFront(contraction, /*taken=*/{});
    IRMapping mapping;
    for (linalg::LinalgOp op : ops) {
      if (!front.contains(op))
        continue;
      rewriter.setInsertionPointAfter(op);
      copies.push_back({op, rewriter.clone(*op, mapping)});
    }
    for (OpOperand *operand : contraction.getDpsInputOperands())
      rewriter.modifyOpInPlace(contraction, [&] {
        operand->set(mapping.lookupOrDefault(operand->get()));
      });
  }
}

void SharedPrologue::join(RewriterBase &rewriter) {
  for (auto [original, copy] : llvm::reverse(copies))
    rewriter.replaceOp(copy, original->getResults());
  copies.clear();
}
