//===- OverlapLaunches.cpp - tile-overlap-launches ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A programmatic dependent launch may overlap with all launches back to the
// last one that is not programmatic: each lets the next begin as soon as its
// own blocks run. Each launch waits for the one before. A kernel that has
// waited therefore runs after all earlier launches. Data that no launch of the
// function writes, its inputs and constants, may be read before the wait.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace fusion {
#define GEN_PASS_DEF_TILEOVERLAPLAUNCHES
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether a tensor of the host plan is a view of a function's input or of a
/// constant, which no launch writes.
static bool isNeverWritten(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      tensor = op->getOperand(0);
    else
      return op->hasTrait<OpTrait::ConstantLike>();
  }
  return true;
}

/// Whether the operation accesses memory through one of the pointers. The
/// counters of `last_block` count as such: the kernel owns them, and another
/// launch of it may be running.
static bool touches(Operation *op, const llvm::DenseSet<Value> &pointers) {
  if (isa<LastBlockOp>(op))
    return true;
  return !isPure(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
    while (isa_and_present<ViewOp, WindowOp>(operand.getDefiningOp()))
      operand = operand.getDefiningOp()->getOperand(0);
    return pointers.contains(operand);
  });
}

/// Inserts the wait before the first operation that needs it.
static void awaitLaunches(KernelOp kernel) {
  llvm::DenseSet<Value> pending;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (kernel.getArgAttr(argument.getArgNumber(), kPendingAttrName))
      pending.insert(argument);
  for (Operation &op : kernel.getBody().front()) {
    bool needsIt = op.walk([&](Operation *inner) {
                       return touches(inner, pending) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
                     }).wasInterrupted();
    if (!needsIt && !isa<ReturnOp>(op))
      continue;
    OpBuilder b(&op);
    AwaitLaunchesOp::create(b, op.getLoc());
    return;
  }
}

namespace {

struct OverlapLaunchesPass
    : fusion::impl::TileOverlapLaunchesBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    SetVector<KernelOp> waiting, leading;
    for (Region &region : getOperation()->getRegions())
      for (Block &block : region)
        for (Operation &op : block)
          if (failed(markLaunches(&op, symbols, waiting, leading)))
            return signalPassFailure();
    for (KernelOp kernel : leading) {
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      LaunchDependentsOp::create(b, kernel.getLoc());
    }
    for (KernelOp kernel : waiting)
      awaitLaunches(kernel);
  }

  /// Marks the kernels that the launches of a function start.
  LogicalResult markLaunches(Operation *function,
                             SymbolTableCollection &symbols,
                             SetVector<KernelOp> &waiting,
                             SetVector<KernelOp> &leading) {
    KernelOp before;
    unsigned launches = 0, overlapping = 0;
    WalkResult result = function->walk([&](LaunchOp launch) -> WalkResult {
      auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(
          launch, launch.getKernelAttr());
      if (launch.getProgrammatic()) {
        if (!before)
          return launch.emitOpError("is programmatic, and there is no launch "
                                    "of a block program before it");
        if (!kernel)
          return launch.emitOpError("is programmatic, and its kernel is no "
                                    "block program");
        leading.insert(before);
        waiting.insert(kernel);
        markPending(launch, kernel);
        ++overlapping;
      }
      before = kernel;
      ++launches;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    if (overlapping > 0)
      remarkPassed(function, "pipeline", "launches-overlap",
                   Twine(overlapping) + " of " + Twine(launches) +
                       " launches begin before the one before them has ended");
    return success();
  }

  static void markPending(LaunchOp launch, KernelOp kernel) {
    auto mark = [&](unsigned index) {
      kernel.setArgAttr(index, kPendingAttrName,
                        UnitAttr::get(launch.getContext()));
    };
    unsigned inputs = launch.getInputs().size();
    for (auto [index, input] : llvm::enumerate(launch.getInputs()))
      if (isa<RankedTensorType>(input.getType()) && !isNeverWritten(input))
        mark(index);
    for (unsigned i = 0; i < launch.getInits().size(); ++i)
      mark(inputs + i);
  }
};

} // namespace
