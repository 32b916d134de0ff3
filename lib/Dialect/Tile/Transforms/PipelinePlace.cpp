//===- PipelinePlace.cpp - tile-pipeline-place ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEPLACE
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Places the primitives of one loop.
class Placement {
public:
  explicit Placement(scf::ForOp loop)
      : loop(loop), rewriter(loop.getContext()), loc(loop.getLoc()),
        fills(stagedFills(*loop.getBody())) {}

  LogicalResult run();

private:
  LogicalResult check();
  void gatherLoads();
  void dropSynchronisation();
  void placePrimitives();

  scf::ForOp loop;
  IRRewriter rewriter;
  Location loc;
  SmallVector<Fill> fills;
};

} // namespace

LogicalResult Placement::check() {
  for (Operation &op : *loop.getBody())
    if (isa<ProducerAcquireOp, ProducerCommitOp, ConsumerWaitOp,
            ConsumerReleaseOp>(op))
      return op.emitOpError("stands in the loop already");
  for (const Fill &fill : fills) {
    Operation *op = fill.operation();
    if (failed(verifyStagedFill(fill, loop)))
      return failure();
    for (Operation *user : fill.buffer().getUsers()) {
      if (!readsStage(user) || readsLater(user, fill, loop))
        continue;
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
      if (!inBody || inBody->isBeforeInBlock(op))
        return user->emitOpError("does not read what the pipelined loop has "
                                 "filled in the same iteration");
    }
  }
  return success();
}

/// Moves all fills of the loop, with the operations that compute their
/// operands, to the top of its body: the load region. Nothing before them reads
/// their buffers.
void Placement::gatherLoads() {
  Block *body = loop.getBody();
  SetVector<Operation *> region;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == body; };
  options.omitBlockArguments = true;
  options.inclusive = true;
  for (const Fill &fill : fills)
    (void)getBackwardSlice(fill.operation(), &region, options);
  SmallVector<Operation *> inOrder(region.begin(), region.end());
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *last = nullptr;
  for (Operation *op : inOrder) {
    if (last)
      op->moveAfter(last);
    else
      op->moveBefore(body, body->begin());
    last = op;
  }
}

/// Whether copies before `op` have not been closed by a commit.
static bool hasOpenCopies(Operation *op) {
  for (Operation *at = op; at && !isa<KernelOp>(at); at = at->getParentOp())
    for (Operation *before = at->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (isa<CommitOp, ProducerCommitOp>(before))
        return false;
      if (isa<CopyAsyncOp>(before) && !isTMA(before))
        return true;
    }
  return false;
}

/// Removes the commits and waits in the loop that only serve pipelined copies.
/// Copies before the loop that no commit has closed join the first group, or
/// get a group of their own if no pipelined copy is in a group. Waits for
/// pipelined TMA copies are removed as well.
void Placement::dropSynchronisation() {
  bool copies =
      llvm::any_of(fills, [](const Fill &f) { return f.isGrouped(); });
  if (!copies && hasOpenCopies(loop)) {
    rewriter.setInsertionPoint(loop);
    CommitOp::create(rewriter, loc);
    WaitOp::create(rewriter, loc, 0);
  }
  bool others = false, uncommitted = false;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      if (!copy.getStages() && !isTMA(copy))
        uncommitted = true;
    } else if (auto await = dyn_cast<AwaitOp>(op)) {
      if (llvm::any_of(fills, [&](const Fill &fill) {
            return fill.buffer() == await.getBuffer();
          }))
        rewriter.eraseOp(&op);
    } else if (isa<CommitOp>(op)) {
      if (!uncommitted)
        rewriter.eraseOp(&op);
      others |= uncommitted;
      uncommitted = false;
    } else if (isa<WaitOp>(op)) {
      if (!others)
        rewriter.eraseOp(&op);
      others = false;
    }
  }
}

void Placement::placePrimitives() {
  Block *body = loop.getBody();
  rewriter.setInsertionPointToStart(body);
  ProducerAcquireOp::create(rewriter, loc);
  Operation *lastFill = nullptr, *lastUse = nullptr;
  for (const Fill &fill : fills) {
    if (!lastFill || lastFill->isBeforeInBlock(fill.operation()))
      lastFill = fill.operation();
    for (Operation *user : fill.buffer().getUsers()) {
      if (!readsStage(user) || readsLater(user, fill, loop))
        continue;
      Operation *inBody = body->findAncestorOpInBlock(*user);
      if (!lastUse || lastUse->isBeforeInBlock(inBody))
        lastUse = inBody;
    }
  }
  rewriter.setInsertionPointAfter(lastFill);
  ProducerCommitOp::create(rewriter, loc);
  ConsumerWaitOp wait = ConsumerWaitOp::create(rewriter, loc, 0);
  if (lastUse)
    rewriter.setInsertionPointAfter(lastUse);
  else
    rewriter.setInsertionPointAfter(wait);
  ConsumerReleaseOp::create(rewriter, loc);
}

LogicalResult Placement::run() {
  if (fills.empty())
    return success();
  if (failed(check()))
    return failure();
  gatherLoads();
  dropSynchronisation();
  placePrimitives();
  return success();
}

namespace {

struct PlacePass : fusion::impl::TilePipelinePlaceBase<PlacePass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(Placement(loop).run()))
        return signalPassFailure();
    WalkResult placed = getOperation().walk([](AllocOp alloc) -> WalkResult {
      bool isStaged = llvm::any_of(alloc->getUsers(), [](Operation *user) {
        std::optional<Fill> fill = Fill::get(user);
        return fill && fill->stages() && isa<scf::ForOp>(user->getParentOp());
      });
      if (alloc.getPipelined() && !isStaged)
        return alloc.emitOpError("is pipelined but nothing in a loop fills it; "
                                 "run tile-pipeline-assign-stages");
      return WalkResult::advance();
    });
    if (placed.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
