//===- AccumulateInFlight.cpp - MMAs of iterations in flight --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i { await A[s]; sum += A[s] B[s]; release A[s] }
//
// becomes
//
//   await A[s]; sum += A[s] B[s]                 in flight
//   for i { await A[s']; sum += A[s'] B[s'];     in flight, too
//           wait for the earlier one; release A[s]; s = s' }
//   wait; release A[s]
//
// so that tensor cores have the next MMAs before they have ended these. Copies
// that a computing warp issues come behind the release of the stage that they
// fill: the warp would wait for itself.
//
//===----------------------------------------------------------------------===//

#include "AccumulateInFlight.h"
#include "PipelineFill.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

std::optional<std::string> fusion::tile::whyNotInFlight(SharedDotOp dot,
                                                        scf::ForOp loop) {
  auto sum = dyn_cast<BlockArgument>(dot.getAccumulator());
  if (!sum || sum.getOwner() != loop.getBody() ||
      loop.getTiedLoopYieldedValue(sum)->get() != dot.getResult() ||
      !sum.hasOneUse() || !dot->hasOneUse())
    return "its sum is needed in each iteration";
  for (Value buffer : {Value(dot.getLhsBuffer()), Value(dot.getRhsBuffer())}) {
    if (!buffer)
      return "its LHS is not read in place";
    bool isReleased = false;
    for (Operation *user : buffer.getUsers()) {
      if (isa<FreeOp>(user) || !loop->isProperAncestor(user))
        continue;
      if (user->getBlock() != loop.getBody())
        return "a factor is used in a nested loop";
      if (isa<CopyAsyncOp>(user) && !isTMA(user))
        return "a factor is copied by threads, whose groups of copies are "
               "waited for in order";
      isReleased |= isa<ReleaseOp>(user);
    }
    if (!isReleased)
      return "a factor is not released by an mbarrier in the loop";
  }
  return std::nullopt;
}

namespace {

/// The loop around contractions, and the loop that replaces it.
class Accumulation {
public:
  Accumulation(ArrayRef<SharedDotOp> dots, scf::ForOp loop);
  void expand();

private:
  /// Emits one iteration without its releases.
  void emitIteration(OpBuilder &b, IRMapping &mapping, int64_t shift,
                     llvm::function_ref<void()> release);
  void emitReleases(OpBuilder &b, ValueRange stages);

  scf::ForOp loop;
  llvm::SmallSetVector<Operation *, 2> dots;
  SmallVector<ReleaseOp> releases;
  SmallVector<Operation *> fills; ///< acquires and copies, in program order
  SmallVector<Operation *> others;
  SmallVector<Value> stages; ///< of the releases, each once
};

} // namespace

Accumulation::Accumulation(ArrayRef<SharedDotOp> inFlight, scf::ForOp loop)
    : loop(loop) {
  llvm::SmallPtrSet<Value, 4> buffers;
  for (SharedDotOp dot : inFlight) {
    dots.insert(dot);
    buffers.insert(dot.getLhsBuffer());
    buffers.insert(dot.getRhsBuffer());
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto release = dyn_cast<ReleaseOp>(op);
        release && buffers.contains(release.getBuffer())) {
      releases.push_back(release);
      if (!llvm::is_contained(stages, release.getStage()))
        stages.push_back(release.getStage());
    } else if (auto acquire = dyn_cast<AcquireOp>(op);
               acquire && buffers.contains(acquire.getBuffer())) {
      fills.push_back(&op);
    } else if (auto copy = dyn_cast<CopyAsyncOp>(op);
               copy && buffers.contains(copy.getBuffer())) {
      fills.push_back(&op);
    } else {
      others.push_back(&op);
    }
  }
}

void Accumulation::emitIteration(OpBuilder &b, IRMapping &mapping,
                                 int64_t shift,
                                 llvm::function_ref<void()> release) {
  auto emit = [&](Operation *op) {
    Operation *copy = b.clone(*op, mapping);
    shiftSlots(copy, shift);
    if (dots.contains(op)) {
      cast<SharedDotOp>(copy).setAsync(true);
      cast<SharedDotOp>(copy).removeStagesAttr();
    }
  };
  auto last = llvm::find(others, dots.back());
  for (Operation *op : llvm::make_range(others.begin(), std::next(last)))
    emit(op);
  release();
  for (Operation *op : fills)
    emit(op);
  for (Operation *op : llvm::make_range(std::next(last), others.end()))
    emit(op);
}

void Accumulation::emitReleases(OpBuilder &b, ValueRange released) {
  for (ReleaseOp release : releases) {
    IRMapping mapping;
    mapping.map(stages, released);
    b.clone(*release, mapping);
  }
}

void Accumulation::expand() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  first.map(loop.getRegionIterArgs(), loop.getInitArgs());
  emitIteration(b, first, /*shift=*/0, [] {});

  auto yields = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto nextOf = [&](IRMapping &mapping) {
    SmallVector<Value> values;
    for (Value value : yields.getOperands())
      values.push_back(mapping.lookupOrDefault(value));
    for (Value stage : stages)
      values.push_back(mapping.lookupOrDefault(stage));
    return values;
  };
  Value start =
      arith::AddIOp::create(b, loc, loop.getLowerBound(), loop.getStep());
  auto rotated = scf::ForOp::create(
      b, loc, start, loop.getUpperBound(), loop.getStep(), nextOf(first),
      [&](OpBuilder &inside, Location, Value iv, ValueRange carried) {
        IRMapping next;
        next.map(loop.getInductionVar(), iv);
        next.map(loop.getRegionIterArgs(), carried.drop_back(stages.size()));
        emitIteration(inside, next, /*shift=*/1, [&] {
          AwaitDotsOp::create(inside, loc, dots.size());
          emitReleases(inside, carried.take_back(stages.size()));
        });
        scf::YieldOp::create(inside, loc, nextOf(next));
      });
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  ValueRange results = rotated.getResults().drop_back(stages.size());
  for (auto [old, result] : llvm::zip_equal(loop.getResults(), results))
    old.replaceAllUsesWith(result);
  for (auto [number, value] : llvm::enumerate(yields.getOperands())) {
    if (!dots.contains(value.getDefiningOp()))
      continue;
    Value sum = results[number];
    auto await = AwaitDotOp::create(b, loc, sum.getType(), sum,
                                    b.getI64IntegerAttr(0), ValueRange());
    sum.replaceAllUsesExcept(await.getResult(), await);
  }
  emitReleases(b, rotated.getResults().take_back(stages.size()));
  loop.erase();
}

void fusion::tile::accumulateInFlight(ArrayRef<SharedDotOp> dots,
                                      scf::ForOp loop) {
  Accumulation(dots, loop).expand();
}
