//===- InsertProxyFences.cpp - tile-insert-proxy-fences -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward walk: which buffers that are read in place or stored in bulk, and
// what of the memory that bulk copies write, has been written by threads, or is
// being filled by their copies, since the last barrier of the block. Any path
// counts. What threads read needs no fence, nor do writes after such reads: a
// product has read its operands when it is done, and a store when it has been
// waited for. Nor does what bulk copies have written: they and who reads in
// place are of the same proxy, and threads have waited.
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
  Buffers written;  ///< and not passed on
  Buffers inFlight; ///< filled by copies that may not have been waited for

  bool join(const State &other) {
    bool changed = written.set_union(other.written);
    return inFlight.set_union(other.inFlight) || changed;
  }
};

struct InsertProxyFencesPass
    : fusion::impl::TileInsertProxyFencesBase<InsertProxyFencesPass> {
  void runOnOperation() override {
    readInPlace.clear();
    fences.clear();
    filledInBulk.clear();
    getOperation().walk([&](Operation *op) {
      if (auto dot = dyn_cast<SharedDotOp>(op)) {
        readInPlace.insert(dot.getRhsBuffer());
        if (dot.getLhsBuffer())
          readInPlace.insert(dot.getLhsBuffer());
      } else if (auto store = dyn_cast<StoreAsyncOp>(op)) {
        readInPlace.insert(store.getBuffer());
      } else if (auto alloc = dyn_cast<AllocOp>(op);
                 alloc && isFilledInBulk(alloc)) {
        filledInBulk.push_back(bytesOf(alloc));
      }
    });
    State state;
    process(getOperation().getBody().front(), state);
    for (Operation *op : fences) {
      OpBuilder b(op);
      ProxyFenceOp::create(b, op->getLoc());
    }
  }

  using Bytes = std::pair<int64_t, int64_t>; ///< from, to

  static Bytes bytesOf(AllocOp alloc) {
    int64_t offset = alloc.getOffset().value_or(0);
    return {offset, offset + alloc.getType().getBytes()};
  }

  bool overwritesBulk(Bytes bytes) const {
    return llvm::any_of(filledInBulk, [&](Bytes filled) {
      return bytes.first < filled.second && filled.first < bytes.second;
    });
  }

  void write(Value buffer, State::Buffers &buffers) const {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    if (readInPlace.contains(buffer) ||
        (alloc && overwritesBulk(bytesOf(alloc))))
      buffers.insert(buffer);
  }

  /// Bytes through which threads exchange something, with a barrier of its own
  /// behind the stores.
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
        if (!state.written.empty())
          fences.insert(&op);
        state.written.clear();
        // What is exchanged lies in memory that is written for it here.
        int64_t bytes = exchangedBytes(&op);
        auto offset = op.getAttrOfType<IntegerAttr>("offset");
        if (bytes != 0 && offset &&
            overwritesBulk({offset.getInt(), offset.getInt() + bytes}))
          state.written.insert(op.getResult(0));
      } else if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
        if (!isBulk(copy))
          write(copy.getBuffer(), state.inFlight);
      } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
        write(store.getBuffer(), state.written);
      } else if (auto stash = dyn_cast<StashOp>(op)) {
        write(stash.getBuffer(), state.written);
      } else if (auto scatter = dyn_cast<ClusterScatterOp>(op)) {
        write(scatter.getBuffer(), state.written);
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

  llvm::SmallPtrSet<Value, 4> readInPlace;
  SmallVector<Bytes> filledInBulk;
  llvm::SmallSetVector<Operation *, 8> fences; ///< in front of these
};

} // namespace
