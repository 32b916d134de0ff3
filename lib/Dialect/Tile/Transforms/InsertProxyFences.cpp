//===- InsertProxyFences.cpp - tile-insert-proxy-fences -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward walk tracks what threads have written to shared memory, or what
// their cp.async are filling, since the last barrier of the block. It also
// tracks which barriers followed which writes. A barrier needs a fence where
// its writes are later read by an MMA in place or by a TMA store, or
// overwritten by a TMA load. One such path is enough.
//
// Reads by threads need no fence. Writes after asynchronous reads need none: a
// contraction that is done has read its operands, and so has a store that was
// waited for. Data that TMA loads have written needs none: an MMA that reads it
// in place is of the same proxy, and threads have waited.
//
//===----------------------------------------------------------------------===//

#include "FollowPaths.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {
#define GEN_PASS_DEF_TILEINSERTPROXYFENCES
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

struct State {
  using Buffers = llvm::SmallSetVector<Value, 4>;
  /// Barriers, each with the buffers that were written before it.
  using Passed = llvm::SmallSetVector<std::pair<Operation *, Value>, 4>;
  Buffers written;  ///< since the last barrier
  Buffers inFlight; ///< of copies that may be in flight
  Passed passed;

  bool join(const State &other) {
    bool changed = written.set_union(other.written);
    changed |= inFlight.set_union(other.inFlight);
    return passed.set_union(other.passed) || changed;
  }
};

struct InsertProxyFencesPass
    : fusion::impl::TileInsertProxyFencesBase<InsertProxyFencesPass> {
  void runOnOperation() override {
    fences.clear();
    State state;
    process(getOperation().getBody().front(), state);
    for (Operation *op : fences) {
      OpBuilder b(op);
      ProxyFenceOp::create(b, op->getLoc());
    }
  }

  /// The first byte and the end of a buffer, or of memory through which threads
  /// exchange values.
  static std::optional<std::pair<int64_t, int64_t>> bytesOf(Value written) {
    Operation *owner = written.getDefiningOp();
    auto offset = owner->getAttrOfType<IntegerAttr>("offset");
    if (!offset)
      return std::nullopt;
    auto alloc = dyn_cast<AllocOp>(owner);
    int64_t bytes = alloc ? alloc.getType().getBytes() : exchangedBytes(owner);
    return std::pair(offset.getInt(), offset.getInt() + bytes);
  }

  static bool overlap(Value one, Value other) {
    auto bytes = bytesOf(one), others = bytesOf(other);
    return bytes && others && bytes->first < others->second &&
           others->first < bytes->second;
  }

  /// Requires fences for data in `buffer` that the async proxy reads. Earlier
  /// contents of that memory are gone.
  void read(Value buffer, const State &state) {
    for (auto [barrier, written] : state.passed)
      if (written == buffer)
        fences.insert(barrier);
  }
  /// Requires fences for all earlier writes to the memory of `buffer`, which
  /// the async proxy overwrites.
  void overwrite(Value buffer, const State &state) {
    for (auto [barrier, written] : state.passed)
      if (written == buffer || overlap(written, buffer))
        fences.insert(barrier);
  }

  /// Bytes of shared memory through which threads exchange values in `op`, with
  /// a barrier of its own after the stores.
  static int64_t exchangedBytes(Operation *op) {
    if (!isa<ConvertLayoutOp, ReduceOp>(op))
      return 0;
    FailureOr<int64_t> bytes = getExchangeBytes(op);
    return succeeded(bytes) ? *bytes : 0;
  }

  /// Whether all threads of the block wait for one another here.
  bool isBarrier(Operation *op) {
    if (auto barrier = dyn_cast<BarrierOp>(op))
      return !barrier.getWarp() || getOperation().getWarps() == 1;
    return isa<LastBlockOp, DiscardOp, ClusterReduceOp>(op) ||
           exchangedBytes(op) != 0;
  }

  void process(Block &block, State &state) {
    auto walk = [&](Block &inner, State &own) { process(inner, own); };
    for (Operation &op : block) {
      if (isBarrier(&op)) {
        for (Value buffer : state.written)
          state.passed.insert({&op, buffer});
        state.written.clear();
        // Threads write the exchanged values to shared memory here.
        if (exchangedBytes(&op) != 0)
          state.written.insert(op.getResult(0));
      } else if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
        if (isTMA(copy))
          overwrite(copy.getBuffer(), state);
        else
          state.inFlight.insert(copy.getBuffer());
      } else if (auto dot = dyn_cast<SharedDotOp>(op)) {
        read(dot.getRhsBuffer(), state);
        if (dot.getLhsBuffer())
          read(dot.getLhsBuffer(), state);
      } else if (auto store = dyn_cast<StoreAsyncOp>(op)) {
        read(store.getBuffer(), state);
      } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
        state.written.insert(store.getBuffer());
      } else if (auto store = dyn_cast<PrivateStoreOp>(op)) {
        state.written.insert(store.getBuffer());
      } else if (auto scatter = dyn_cast<ClusterScatterOp>(op)) {
        state.written.insert(scatter.getBuffer());
      } else if (isa<WaitOp, ConsumerWaitOp>(op)) {
        // Copies that may still be in flight stay listed.
        state.written.set_union(state.inFlight);
        auto wait = dyn_cast<WaitOp>(op);
        if (wait && wait.getPending() == 0)
          state.inFlight.clear();
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        followLoop(loop, state, walk, [](State &) {});
      } else if (op.getNumRegions() != 0) {
        followBranches(op, state, walk);
      }
    }
  }

  llvm::SmallSetVector<Operation *, 8> fences; ///< in front of these
};

} // namespace
