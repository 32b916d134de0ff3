//===- UseSharedOperands.cpp - tile-use-shared-operands -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Target/Chips/Intrinsics.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace fusion {
#define GEN_PASS_DEF_TILEUSESHAREDOPERANDS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether a store writes to another buffer, another stage or another
/// iteration's stage than `load` reads.
static bool isElsewhere(LocalStoreOp store, LocalLoadOp load) {
  if (store.getBuffer() != load.getBuffer())
    return true;
  // After unrolling, stages are constants.
  APInt stored, loaded;
  if (matchPattern(store.getStage(), m_ConstantInt(&stored)) &&
      matchPattern(load.getStage(), m_ConstantInt(&loaded)) && stored != loaded)
    return true;
  int64_t stages = load.getBuffer().getType().getStages();
  return store.getSlot() && load.getSlot() &&
         *store.getSlot() % stages != *load.getSlot() % stages;
}

/// Whether no operation between the load and the contraction may write to the
/// loaded stage. Both must be in one block. Releases of the stage do not count:
/// they move after the contraction.
static bool isUnchanged(LocalLoadOp load, DotOp dot) {
  if (load->getBlock() != dot->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode()) {
    auto store = dyn_cast<LocalStoreOp>(op);
    if (store
            ? !isElsewhere(store, load)
            : !isMemoryEffectFree(op) && !isa<LocalLoadOp, SharedDotOp, LoadOp,
                                              AwaitOp, ConsumerReleaseOp>(op))
      return false;
  }
  return true;
}

/// Moves the releases between `load` and the contraction after the contraction.
static void releaseBehind(SharedDotOp dot, Operation *load) {
  SmallVector<Operation *> releases;
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode())
    if (isa<ConsumerReleaseOp>(op))
      releases.push_back(op);
  for (Operation *release : llvm::reverse(releases))
    release->moveAfter(dot);
}

/// Returns the load of a whole stage that makes `operand` and that the
/// contraction can replace by reading in place, or null.
static LocalLoadOp inPlace(Value operand, DotOp dot) {
  auto load = operand.getDefiningOp<LocalLoadOp>();
  if (!load)
    return nullptr;
  BufferType buffer = load.getBuffer().getType();
  RankedTensorType type = load.getType();
  bool isTransposed = load.getTransposed();
  bool isWhole = type.getDimSize(isTransposed ? 1 : 0) == buffer.getRows() &&
                 type.getDimSize(isTransposed ? 0 : 1) == buffer.getColumns();
  return isWhole && isUnchanged(load, dot) ? load : nullptr;
}

static LogicalResult rewrite(DotOp dot) {
  LocalLoadOp second = inPlace(dot.getRhs(), dot);
  if (!second)
    return dot.emitOpError("'")
           << dot.getIntrinsic()
           << "' reads its RHS in place from shared memory, which must be a "
              "whole stage of a buffer";
  LocalLoadOp first = inPlace(dot.getLhs(), dot);
  OpBuilder b(dot);
  auto shared = SharedDotOp::create(
      b, dot.getLoc(), dot.getType(), first ? Value() : dot.getLhs(),
      first ? first.getBuffer() : Value(), first ? first.getStage() : Value(),
      second.getBuffer(), second.getStage(), dot.getAccumulator(),
      dot.getIntrinsicAttr(), dot.getWarpsAttr(),
      first && first.getTransposed() ? b.getUnitAttr() : UnitAttr(),
      second.getTransposed() ? b.getUnitAttr() : UnitAttr(),
      first ? first.getSlotAttr() : IntegerAttr(), second.getSlotAttr(),
      dot.getStagesAttr(), /*async=*/UnitAttr(), dot.getMaskedAttr());
  dot.replaceAllUsesWith(shared.getResult());
  dot.erase();
  for (LocalLoadOp load : {first, second}) {
    if (!load)
      continue;
    releaseBehind(shared, load);
    if (load->use_empty())
      load.erase();
  }
  return success();
}

namespace {
struct UseSharedOperandsPass
    : fusion::impl::TileUseSharedOperandsBase<UseSharedOperandsPass> {
  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      const Intrinsic *intrinsic = lookupIntrinsic(dot.getIntrinsic());
      if (intrinsic && intrinsic->readsShared())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      if (failed(rewrite(dot)))
        return signalPassFailure();
  }
};
} // namespace
