//===- PingPong.cpp - tile-ping-pong --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turn t of all warpgroups is the same piece of the program. When warpgroup g
// has its turn t, all others have had turn t - 1. They reach turn t on their
// own, as nothing else in a loop waits for another warpgroup.
//
// In its turn, g may wait for data that a producer copies when all warpgroups
// have released the stage. That release is before turn t in the program, so all
// of them reach it. So no wait is endless.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPINGPONG
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether warps wait for one another at `op`.
static bool meets(Operation *op, unsigned warps) {
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return !barrier.getWarp();
  if (auto conversion = dyn_cast<ConvertLayoutOp>(op);
      conversion && needsSharedMemory(conversion))
    return !isReducedInWarps(conversion, warps);
  return *getExchangeBytes(op) > 0;
}

/// The number of elements that an operation computes.
static int64_t computedElements(Operation *op) {
  if (!isMemoryEffectFree(op) || isa<SharedDotOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  int64_t elements = 0;
  auto count = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      elements = std::max(elements, type.getNumElements());
  };
  if (auto reduce = dyn_cast<ReduceOp>(op))
    count(reduce.getValue());
  else if (op->hasTrait<OpTrait::Elementwise>())
    llvm::for_each(op->getResults(), count);
  return elements;
}

namespace {

/// The turns of a loop: which contractions form one.
class Turns {
public:
  Turns(scf::ForOp loop, unsigned warps) : loop(loop), warps(warps) {}

  /// Finds the turns. Returns the reason why there are none, or nullopt.
  std::optional<std::string> find();
  void emit();

private:
  std::optional<std::string> checkTurn();
  /// Calls `visit` with each operation of a turn, in order.
  void forEachInTurn(llvm::function_ref<void(Operation *)> visit);

  scf::ForOp loop;
  unsigned warps;
  SmallVector<Operation *> products; ///< in the order of the program
  size_t lastOfTurn = 0;             ///< of these; the next one begins a turn
};

} // namespace

void Turns::forEachInTurn(llvm::function_ref<void(Operation *)> visit) {
  Operation *first = products[(lastOfTurn + 1) % products.size()],
            *last = products[lastOfTurn];
  auto visitFrom = [&](Operation *from, Operation *to) {
    for (Operation *op = from; op; op = op->getNextNode()) {
      visit(op);
      if (op == to)
        break;
    }
  };
  if (!last->isBeforeInBlock(first))
    return visitFrom(first, last);
  visitFrom(first, loop.getBody()->getTerminator());
  visitFrom(&loop.getBody()->front(), last);
}

std::optional<std::string> Turns::checkTurn() {
  std::optional<std::string> reason;
  llvm::SmallSetVector<Value, 4> released;
  auto sharesReleases = [&](Value buffer) {
    auto own = buffer.getDefiningOp<AllocOp>().getReleased();
    return llvm::any_of(released, [&](Value other) {
      return other == buffer ||
             (own && other.getDefiningOp<AllocOp>().getReleased() == own);
    });
  };
  forEachInTurn([&](Operation *op) {
    if (op->getNumRegions() != 0)
      reason = "a loop or branch is between its contractions";
    if (auto release = dyn_cast<ReleaseOp>(op))
      released.insert(release.getBuffer());
    if (auto await = dyn_cast<AwaitOp>(op);
        await && sharesReleases(await.getBuffer()))
      reason = "between its contractions a stage is released and awaited again";
  });
  return reason;
}

std::optional<std::string> Turns::find() {
  bool isMet = false;
  loop.getBody()->walk([&](Operation *op) { isMet |= meets(op, warps); });
  if (isMet)
    return "warps wait for one another in it";
  // The number of elements that are computed between each contraction and the
  // next one.
  SmallVector<int64_t> behind;
  int64_t before = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<DotOp>(op))
      return "some of its contractions are those of single warps";
    if (isa<SharedDotOp>(op)) {
      products.push_back(&op);
      behind.push_back(0);
    } else {
      (behind.empty() ? before : behind.back()) += computedElements(&op);
    }
  }
  behind.back() += before;
  auto most = llvm::max_element(behind);
  if (*most == 0)
    return "nothing is computed between its contractions";
  lastOfTurn = most - behind.begin();
  return checkTurn();
}

void Turns::emit() {
  Operation *first = products[(lastOfTurn + 1) % products.size()],
            *last = products[lastOfTurn];
  OpBuilder b(first);
  PingPongWaitOp::create(b, first->getLoc());
  b.setInsertionPointAfter(last);
  PingPongArriveOp::create(b, last->getLoc());
  if (!last->isBeforeInBlock(first))
    return;
  // The first iteration's turn begins before the loop, and the last one's ends
  // after it.
  b.setInsertionPoint(loop);
  PingPongWaitOp::create(b, loop.getLoc());
  b.setInsertionPointAfter(loop);
  PingPongArriveOp::create(b, loop.getLoc());
}

namespace {

struct PingPongPass : fusion::impl::TilePingPongBase<PingPongPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getPingPong())
      return;
    auto decline = [&](Operation *op, const Twine &reason) {
      remarkMissed(op, "specialize", "no-turns",
                   "warpgroups do not alternate on the tensor cores: " +
                       reason);
    };
    WalkResult hasLayouts = kernel.walk(
        [](Operation *op) { return WalkResult(getExchangeBytes(op)); });
    if (hasLayouts.wasInterrupted())
      return signalPassFailure();
    llvm::SmallSetVector<Operation *, 4> loops;
    kernel.walk([&](SharedDotOp dot) {
      if (auto loop = dyn_cast<scf::ForOp>(dot->getParentOp()))
        loops.insert(loop);
    });
    bool hasTurns = false;
    if (kernel.getProducers().value_or(0) == 0)
      decline(kernel, "the warps that multiply also issue copies");
    else if (loops.empty())
      decline(kernel, "no loop multiplies in shared memory");
    else
      for (Operation *op : loops) {
        Turns turns(cast<scf::ForOp>(op), kernel.getWarps());
        if (std::optional<std::string> reason = turns.find()) {
          decline(op, *reason);
          continue;
        }
        turns.emit();
        ++numLoops;
        hasTurns = true;
      }
    if (!hasTurns) {
      kernel.removePingPongAttr();
      return;
    }
    Block &body = kernel.getBody().front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    PingPongArriveOp::create(b, kernel.getLoc(), /*first=*/true);
    b.setInsertionPoint(body.getTerminator());
    PingPongWaitOp::create(b, kernel.getLoc(), /*last=*/true);
  }
};

} // namespace
