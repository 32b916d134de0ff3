//===- SpecializeWarps.cpp - tile-specialize-warps ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Producers and consumers each get the slice of the program that their
// operations depend on, with the loops and branches around them. Both keep the
// program's order.
//
// An operation that a wait depends on comes before the wait in program order.
// If some waits never ended, the first of them in that order would depend on an
// operation with no such wait before it, which cannot be. So every wait ends.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace fusion {
#define GEN_PASS_DEF_TILESPECIALIZEWARPS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

enum class Role { Producer, Consumer };

/// The slice of a kernel that producers or consumers execute.
class Slice {
public:
  Slice(KernelOp kernel, Role role);
  /// Copies the slice into `block`.
  void emitInto(Block &block);

private:
  static bool isDoneBy(Operation *op, Role role);
  void need(Operation *op);
  void need(Value value);
  /// Marks result `index` of a loop or branch as needed, with the value that a
  /// loop carries in it.
  void needResult(Operation *op, unsigned index);
  void emit(Block &from, OpBuilder &b);
  void emitLoop(scf::ForOp loop, OpBuilder &b);
  void emitBranch(scf::IfOp branch, OpBuilder &b);
  SmallVector<unsigned> neededResults(Operation *op) const;

  KernelOp kernel;
  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<std::pair<Operation *, unsigned>> results;
  IRMapping mapping;
};

} // namespace

bool Slice::isDoneBy(Operation *op, Role role) {
  if (op->getNumRegions() != 0 || isMemoryEffectFree(op) ||
      isa<AllocOp, FreeOp, ReturnOp, scf::YieldOp>(op))
    return false;
  auto barrier = dyn_cast<BarrierOp>(op);
  if (barrier && barrier.getWithProducers())
    return true;
  bool isProducers = isTMA(op) || isa<AcquireOp>(op);
  return isProducers == (role == Role::Producer);
}

Slice::Slice(KernelOp kernel, Role role) : kernel(kernel) {
  kernel.walk([&](Operation *op) {
    if (isDoneBy(op, role))
      need(op);
  });
}

void Slice::need(Operation *op) {
  if (op == kernel || isa<AllocOp>(op) || !ops.insert(op).second)
    return;
  need(op->getParentOp());
  // The values that a loop carries are needed one by one.
  auto loop = dyn_cast<scf::ForOp>(op);
  for (Value operand :
       loop ? op->getOperands().take_front(loop.getNumControlOperands())
            : op->getOperands())
    need(operand);
}

void Slice::need(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    if (op->getNumRegions() != 0)
      needResult(op, cast<OpResult>(value).getResultNumber());
    else
      need(op);
    return;
  }
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (loop && argument != loop.getInductionVar())
    needResult(loop, argument.getArgNumber() - 1);
}

void Slice::needResult(Operation *op, unsigned index) {
  need(op);
  if (!results.insert({op, index}).second)
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    need(loop.getInitArgs()[index]);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      need(block.getTerminator()->getOperand(index));
}

SmallVector<unsigned> Slice::neededResults(Operation *op) const {
  SmallVector<unsigned> needed;
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    if (results.contains({op, index}))
      needed.push_back(index);
  return needed;
}

void Slice::emitInto(Block &block) {
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  emit(kernel.getBody().front(), b);
}

void Slice::emit(Block &from, OpBuilder &b) {
  for (Operation &op : from) {
    if (!ops.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      emitLoop(loop, b);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      emitBranch(branch, b);
    else
      b.clone(op, mapping);
  }
}

/// Yields the needed values of what `from` yields.
static void emitYield(OpBuilder &b, Operation *from, ArrayRef<unsigned> needed,
                      IRMapping &mapping) {
  SmallVector<Value> values;
  for (unsigned index : needed)
    values.push_back(mapping.lookupOrDefault(from->getOperand(index)));
  scf::YieldOp::create(b, from->getLoc(), values);
}

void Slice::emitLoop(scf::ForOp loop, OpBuilder &b) {
  SmallVector<unsigned> needed = neededResults(loop);
  SmallVector<Value> inits;
  for (unsigned index : needed)
    inits.push_back(mapping.lookupOrDefault(loop.getInitArgs()[index]));
  auto copy = scf::ForOp::create(
      b, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits);
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = copy.getBody();
  if (!body->empty())
    body->clear();
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [position, index] : llvm::enumerate(needed)) {
    mapping.map(loop.getRegionIterArg(index), copy.getRegionIterArg(position));
    mapping.map(loop.getResult(index), copy.getResult(position));
  }
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  emit(*loop.getBody(), inside);
  emitYield(inside, loop.getBody()->getTerminator(), needed, mapping);
}

void Slice::emitBranch(scf::IfOp branch, OpBuilder &b) {
  SmallVector<unsigned> needed = neededResults(branch);
  SmallVector<Type> types;
  for (unsigned index : needed)
    types.push_back(branch.getResult(index).getType());
  bool hasElse = !branch.getElseRegion().empty();
  auto copy = scf::IfOp::create(
      b, branch.getLoc(), types, mapping.lookupOrDefault(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  auto emitInside = [&](Block *from, Block *to) {
    to->clear();
    OpBuilder inside = OpBuilder::atBlockEnd(to);
    emit(*from, inside);
    emitYield(inside, from->getTerminator(), needed, mapping);
  };
  emitInside(branch.thenBlock(), copy.thenBlock());
  if (hasElse)
    emitInside(branch.elseBlock(), copy.elseBlock());
  for (auto [position, index] : llvm::enumerate(needed))
    mapping.map(branch.getResult(index), copy.getResult(position));
}

namespace {

struct SpecializeWarpsPass
    : fusion::impl::TileSpecializeWarpsBase<SpecializeWarpsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getProducers().value_or(0) == 0)
      return;
    WalkResult copies = kernel.walk([](CopyAsyncOp copy) {
      return isTMA(copy) && copy->getParentOfType<scf::ForOp>()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!copies.wasInterrupted()) {
      remarkMissed(kernel, "specialize", "not-specialized",
                   "no producer warps: no loop has TMA copies");
      kernel.removeProducersAttr();
      kernel.removeRegisterBudgetsAttr();
      return;
    }
    Block &body = kernel.getBody().front();
    Slice producer(kernel, Role::Producer), consumer(kernel, Role::Consumer);
    // Both slices contain all buffers, whose addresses are fixed.
    SmallVector<AllocOp> allocs;
    SmallVector<Operation *> old;
    kernel.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
    for (AllocOp alloc : llvm::reverse(allocs))
      alloc->moveBefore(&body, body.begin());
    for (Operation &op : body.without_terminator())
      if (!isa<AllocOp>(op))
        old.push_back(&op);
    OpBuilder b(body.getTerminator());
    auto roles = WarpSpecializeOp::create(b, kernel.getLoc());
    producer.emitInto(roles.getProducer().emplaceBlock());
    consumer.emitInto(roles.getConsumer().emplaceBlock());
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }
};

} // namespace
