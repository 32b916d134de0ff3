//===- AllocateShared.cpp - tile-allocate-shared --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinAwaits.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

namespace fusion {
#define GEN_PASS_DEF_TILEALLOCATESHARED
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

struct AllocateSharedPass
    : fusion::impl::TileAllocateSharedBase<AllocateSharedPass> {
  /// Bytes that live from `start` to `end`, in program order.
  struct Interval {
    Operation *owner;
    int64_t bytes;
    unsigned start, end;
    int64_t offset = 0;
  };

  void runOnOperation() override {
    SmallVector<Interval> intervals;
    alignment = sharedAlignment(getOperation());
    if (failed(collect(intervals)))
      return signalPassFailure();
    Builder b(&getContext());
    int64_t total = 0;
    SmallVector<Interval *> placed;
    for (Interval &interval : intervals) {
      interval.offset = findOffset(interval, placed);
      placed.push_back(&interval);
      total = std::max(total, interval.offset + align(interval.bytes));
      interval.owner->setAttr("offset", b.getI64IntegerAttr(interval.offset));
    }
    if (failed(placeBarriers(total)))
      return signalPassFailure();
    getOperation().setSharedMemory(total);
  }

  /// Behind everything else, as nothing may take their place. There is room for
  /// those of every buffer, filled and released, as the schedule counts on.
  LogicalResult placeBarriers(int64_t &total) {
    Builder b(&getContext());
    llvm::MapVector<AllocOp, AllocOp> joined = joinAwaits(getOperation());
    int64_t count = 0;
    WalkResult result = getOperation().walk([&](AllocOp alloc) -> WalkResult {
      if (!isFilledByTMA(alloc))
        return WalkResult::advance();
      alloc.setBarriersAttr(b.getI64IntegerAttr(total + count * kBarrierBytes));
      count += alloc.getType().getStages();
      if (count > kMaxBarriers)
        return alloc.emitOpError(
                   "needs an mbarrier for each stage, which makes "
                   "more than ")
               << kMaxBarriers << " of the kernel";
      return WalkResult::advance();
    });
    // Of released stages as many again, behind the others.
    const int64_t first = total + count * kBarrierBytes;
    int64_t released = 0;
    getOperation().walk([&](ReleaseOp release) {
      auto alloc = release.getBuffer().getDefiningOp<AllocOp>();
      if (alloc.getReleased())
        return;
      alloc.setReleasedAttr(
          b.getI64IntegerAttr(first + released * kBarrierBytes));
      released += alloc.getType().getStages();
    });
    for (auto [second, first] : joined) {
      second.setBarriersAttr(first.getBarriersAttr());
      second.setReleasedAttr(first.getReleasedAttr());
    }
    total += 2 * count * kBarrierBytes;
    return failure(result.wasInterrupted());
  }

  int64_t align(int64_t bytes) const { return llvm::alignTo(bytes, alignment); }

  LogicalResult collect(SmallVectorImpl<Interval> &intervals) {
    unsigned position = 0;
    llvm::DenseMap<Value, unsigned> live;
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) -> WalkResult {
          ++position;
          if (auto alloc = dyn_cast<AllocOp>(op)) {
            live[alloc.getResult()] = intervals.size();
            intervals.push_back({alloc, alloc.getType().getBytes(), position,
                                 std::numeric_limits<unsigned>::max()});
          } else if (auto free = dyn_cast<FreeOp>(op)) {
            auto it = live.find(free.getBuffer());
            if (it == live.end())
              return free.emitOpError("frees what no tile.alloc of this kernel "
                                      "made");
            if (free->getBlock() !=
                free.getBuffer().getDefiningOp()->getBlock())
              return free.emitOpError(
                  "must stand in the block of its tile.alloc");
            intervals[it->second].end = position;
          } else {
            FailureOr<int64_t> bytes = getExchangeBytes(op);
            if (failed(bytes))
              return WalkResult::interrupt();
            if (*bytes)
              intervals.push_back({op, *bytes, position, position});
          }
          return WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

  /// The lowest offset that is free for the interval's whole life.
  int64_t findOffset(const Interval &interval,
                     ArrayRef<Interval *> placed) const {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (const Interval *other : placed)
      if (other->start <= interval.end && interval.start <= other->end)
        taken.push_back({other->offset, other->offset + align(other->bytes)});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (offset + align(interval.bytes) <= begin)
        break;
      offset = std::max(offset, end);
    }
    return offset;
  }

  int64_t alignment = kSharedAlignment;
};

} // namespace
