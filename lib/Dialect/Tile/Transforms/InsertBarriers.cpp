//===- InsertBarriers.cpp - tile-insert-barriers --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FollowPaths.h"
#include "WarpPrivate.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace fusion {
#define GEN_PASS_DEF_TILEINSERTBARRIERS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Bytes of shared memory that an operation touches. An access to a pipelined
/// buffer touches one stage: that of iteration `slot` of the pipelined loop,
/// counted from the current one. Where the stage is a constant, `begin` and
/// `end` are those of the stage.
struct Access {
  Operation *op;
  int64_t begin, end;
  bool isWrite;
  Value owner;         ///< the buffer, or what is exchanged through a scratch
  bool isWarpPrivate;  ///< every byte of the owner belongs to one warp
  bool isFill = false; ///< copies or stores to a stage of a buffer
  bool isOwn = false;  ///< every byte of the owner belongs to one thread
  /// The iteration whose stage is accessed, if it is known: modulo the number
  /// of stages. A negative number is an earlier iteration of a loop that fills
  /// each place once.
  std::optional<int64_t> slot = {};
  int64_t stages = 1;
  /// The lanes of every warp have waited for one another since the access.
  bool isOrderedInWarps = false;

  bool overlaps(const Access &other) const {
    if (!isWrite && !other.isWrite)
      return false;
    // A thread executes its own accesses in order.
    if (isOwn && other.isOwn && owner == other.owner)
      return false;
    // An operation writes an element of a stage by the same thread in every
    // iteration, so that these writes are in order. Writes to two stages do not
    // meet.
    if (op == other.op && isWrite && other.isWrite && isFill)
      return false;
    if (owner == other.owner && slot && other.slot)
      return *slot == *other.slot;
    return begin < other.end && other.begin < end;
  }
  /// Whether only lanes of one warp can touch the same bytes in both accesses.
  bool meetsInWarps(const Access &other) const {
    return owner == other.owner && isWarpPrivate;
  }
  bool operator==(const Access &other) const {
    return op == other.op && begin == other.begin && end == other.end &&
           isWrite == other.isWrite && owner == other.owner &&
           slot == other.slot && isOrderedInWarps == other.isOrderedInWarps;
  }
};

/// Which threads wait for one another. Each kind includes the one before.
enum class Barrier { OfWarps, OfBlock, WithProducers, OfCluster };

/// Accesses since the last barrier, copies that have not been waited for, and
/// memory that asynchronous stores may still be reading.
struct State {
  SmallVector<Access> pending, inFlight, stored;
  /// Accesses since the last barrier with producers or of the cluster. Only for
  /// kernels with producers or with blocks that write to one another.
  SmallVector<Access> unknown;

  static bool insert(SmallVector<Access> &list, const Access &access) {
    if (llvm::is_contained(list, access))
      return false;
    list.push_back(access);
    return true;
  }
  /// Merges the state of another path; true if that adds an access.
  bool join(const State &other) {
    bool changed = false;
    for (const Access &access : other.pending)
      changed |= insert(pending, access);
    for (const Access &access : other.inFlight)
      changed |= insert(inFlight, access);
    for (const Access &access : other.stored)
      changed |= insert(stored, access);
    for (const Access &access : other.unknown)
      changed |= insert(unknown, access);
    return changed;
  }
};

struct InsertBarriersPass
    : fusion::impl::TileInsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() override {
    WalkResult placed = getOperation().walk([](Operation *op) -> WalkResult {
      if (auto alloc = dyn_cast<AllocOp>(op); alloc && !alloc.getOffset())
        return op->emitOpError("has no offset; run tile-allocate-shared");
      return verifyBuffers(op);
    });
    if (placed.wasInterrupted())
      return signalPassFailure();
    // The same pass object runs on other kernels later.
    barriers.clear();
    isPrivate.clear();
    warps = getOperation().getWarps();
    hasProducers = getOperation().getProducers().value_or(0) > 0;
    isCopiedByOthers = hasProducers;
    ofOthers = Barrier::WithProducers;
    isWrittenByOthers = hasProducers;
    getOperation().walk([&](Operation *op) {
      auto alloc = dyn_cast<AllocOp>(op);
      if (alloc)
        isPrivate[alloc] = isWarpPrivate(alloc, warps);
      bool isCopied = alloc && isFilledByCluster(alloc);
      isCopiedByOthers |= isCopied;
      if (isCopied || isa<ClusterScatterOp>(op)) {
        isWrittenByOthers = true;
        ofOthers = Barrier::OfCluster;
      }
    });
    State state;
    overwritten = nullptr;
    process(getOperation().getBody().front(), state);
    if (overwritten) {
      overwritten->emitOpError("writes to what a tile.store_async may still "
                               "be reading; it needs a tile.store_wait");
      return signalPassFailure();
    }
    if (!state.stored.empty()) {
      state.stored.front().op->emitOpError(
          "may still be reading when the block ends; it needs a "
          "tile.store_wait");
      return signalPassFailure();
    }
    for (auto [op, barrier] : barriers) {
      OpBuilder b(op);
      BarrierOp::create(b, op->getLoc(), barrier == Barrier::OfWarps,
                        barrier >= Barrier::WithProducers && hasProducers,
                        barrier == Barrier::OfCluster);
    }
  }

  template <typename AccessOp>
  Access bufferAccess(AccessOp op, bool isWrite) const {
    return bufferAccess(op, op.getBuffer(), op.getStage(), op.getSlot(),
                        isWrite);
  }

  Access bufferAccess(Operation *op, Value buffer, Value stageNumber,
                      std::optional<int64_t> slot, bool isWrite) const {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    BufferType type = alloc.getType();
    int64_t offset = *alloc.getOffset(), stages = type.getStages();
    Access access{op,      offset, offset + type.getBytes(),
                  isWrite, buffer, isPrivate.lookup(buffer),
                  isWrite};
    APInt stage;
    if (!slot && matchPattern(stageNumber, m_ConstantInt(&stage)) &&
        stage.ult(stages)) {
      access.begin = offset + stage.getZExtValue() * type.getStageBytes();
      access.end = access.begin + type.getStageBytes();
    }
    if (slot && stages > 1) {
      access.stages = stages;
      access.slot = *slot % stages;
    }
    return access;
  }

  Access wholeBuffer(Operation *op, Value buffer, bool isWrite) const {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    int64_t offset = *alloc.getOffset();
    return {op,
            offset,
            offset + alloc.getType().getBytes(),
            isWrite,
            buffer,
            /*isWarpPrivate=*/false};
  }

  /// An access to memory private to each thread. It can only conflict with
  /// other uses of that memory, or with one thread that fills the places of
  /// all.
  Access ownAccess(Operation *op, Value buffer, Value stage,
                   std::optional<int64_t> slot, bool isWrite) const {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    if (isFilledByTMA(alloc))
      return bufferAccess(op, buffer, stage, slot, isWrite);
    int64_t offset = *alloc.getOffset();
    Access access{op,      offset, offset + alloc.getType().getBytes(),
                  isWrite, buffer, /*isWarpPrivate=*/true};
    access.isOwn = true;
    return access;
  }

  /// The accesses of a contraction that reads its operands in shared memory.
  SmallVector<Access, 2> readBy(SharedDotOp dot) const {
    SmallVector<Access, 2> accesses{
        bufferAccess(dot, dot.getRhsBuffer(), dot.getRhsStage(),
                     dot.getRhsSlot(), /*isWrite=*/false)};
    if (dot.getLhsBuffer())
      accesses.push_back(bufferAccess(dot, dot.getLhsBuffer(),
                                      dot.getLhsStage(), dot.getLhsSlot(),
                                      /*isWrite=*/false));
    return accesses;
  }

  void insertBarrier(Operation *op, Barrier kind, State &state) {
    auto [it, isNew] = barriers.insert({op, kind});
    it->second = std::max(it->second, kind);
    passBarrier(it->second, state);
  }

  void passBarrier(Barrier kind, State &state) const {
    if (kind != Barrier::OfWarps)
      state.pending.clear();
    if (kind >= ofOthers)
      state.unknown.clear();
    for (Access &access : state.pending)
      access.isOrderedInWarps = true;
  }

  /// Records an access that a later barrier has to order.
  void note(const Access &access, State &state) const {
    State::insert(state.pending, access);
    if (isWrittenByOthers)
      State::insert(state.unknown, access);
  }

  /// Advances the state by one iteration: slot 1 becomes slot 0. Places that
  /// the loop fills once are not touched again.
  static void nextIteration(scf::ForOp loop, State &state,
                            const llvm::SmallPtrSet<Value, 4> &buffers) {
    for (SmallVector<Access> *list :
         {&state.pending, &state.inFlight, &state.stored, &state.unknown})
      for (Access &access : *list) {
        if (!access.slot || !buffers.contains(access.owner))
          continue;
        int64_t next = *access.slot - 1;
        if (fillsPlacesOnce(loop, access.owner.getDefiningOp<AllocOp>()))
          access.slot = std::max(-access.stages, next);
        else
          access.slot = (next + access.stages) % access.stages;
      }
  }

  /// Removes the slots at the end of the loop, where no iteration is the
  /// current one. A pipelined loop begins with stage 0: with a known trip count
  /// the bytes are known as well. Only fragments for the iteration after the
  /// last one are read from an older stage (tile-pipeline-registers).
  static void leaveLoop(scf::ForOp loop, State &state,
                        const llvm::SmallPtrSet<Value, 4> &buffers) {
    std::optional<APInt> iterations = loop.getStaticTripCount();
    for (SmallVector<Access> *list :
         {&state.pending, &state.inFlight, &state.stored, &state.unknown})
      for (Access &access : *list) {
        if (!access.slot || !buffers.contains(access.owner))
          continue;
        bool isAhead = !access.isWrite && *access.slot == 0;
        int64_t at =
            iterations ? iterations->getSExtValue() + *access.slot : -1;
        // Places private to threads may begin with another stage.
        if (at >= 0 && !iterations->isZero() && !isAhead &&
            !isa<PrivateLoadOp>(access.op)) {
          int64_t stage = at % access.stages;
          int64_t bytes = (access.end - access.begin) / access.stages;
          access.begin += stage * bytes;
          access.end = access.begin + bytes;
        }
        access.slot.reset();
      }
  }

  /// The barrier that orders the pending accesses: of the block, unless all of
  /// them are private to warps.
  Barrier neededFor(const State &state) const {
    bool ofWarps =
        warps == 1 || llvm::all_of(state.pending, [](const Access &access) {
          return access.isWarpPrivate;
        });
    return ofWarps ? Barrier::OfWarps : Barrier::OfBlock;
  }

  /// Inserts the barrier that `access` needs before it begins. A TMA copy is
  /// not recorded: its readers wait for its mbarrier.
  void before(Operation *op, const Access &access, State &state) {
    bool isNeeded = false, ofBlock = false, ofCluster = false;
    // The mbarrier of the copy's acquire says when its stage has been read.
    bool isAcquired =
        isTMA(op) &&
        access.owner.getDefiningOp<AllocOp>().getReleased().has_value();
    bool isOthers =
        (isTMA(op) && isCopiedByOthers) || isa<ClusterScatterOp>(op);
    for (const Access &earlier : state.stored)
      if (access.overlaps(earlier))
        overwritten = op;
    for (const Access &earlier : isOthers ? state.unknown : state.pending) {
      if (isAcquired && earlier.owner == access.owner)
        continue;
      bool inWarps = warps == 1 || access.meetsInWarps(earlier);
      if (access.overlaps(earlier)) {
        isNeeded |= !inWarps || !earlier.isOrderedInWarps;
        ofBlock |= !inWarps;
        // Other blocks of the cluster have written it.
        ofCluster |= isa<ClusterScatterOp>(earlier.op);
      }
      // Accesses that warps share need a barrier of the block in any case: one
      // here serves both.
      ofBlock |= warps > 1 && !earlier.isWarpPrivate;
    }
    if (isNeeded)
      insertBarrier(op,
                    ofCluster  ? Barrier::OfCluster
                    : isOthers ? ofOthers
                    : ofBlock  ? Barrier::OfBlock
                               : Barrier::OfWarps,
                    state);
    if (isa<StoreAsyncOp>(op))
      State::insert(state.stored, access);
    else if (!isTMA(op))
      note(access, state);
  }

  void followLoop(scf::ForOp loop, State &state) {
    llvm::SmallPtrSet<Value, 4> buffers = pipelinedBuffers(loop);
    tile::followLoop(
        loop, state,
        [&](Block &block, State &inside) { process(block, inside); },
        [&](State &inside) { nextIteration(loop, inside, buffers); });
    leaveLoop(loop, state, buffers);
  }

  /// Processes a loop. A barrier that the body needs only because of accesses
  /// before the loop is inserted before the loop.
  void processLoop(scf::ForOp loop, State &state) {
    State entry = state;
    Barriers before = barriers;
    followLoop(loop, state);
    if ((entry.pending.empty() && entry.unknown.empty()) ||
        barriers.size() == before.size())
      return;
    Barrier kind = neededFor(entry);
    for (auto [op, inBody] : barriers)
      if (inBody == ofOthers && loop->isProperAncestor(op))
        kind = inBody;
    Barriers inside = std::move(barriers);
    State afterInside = std::move(state);
    barriers = std::move(before);
    state = std::move(entry);
    insertBarrier(loop, kind, state);
    followLoop(loop, state);
    if (barriers.size() <= inside.size())
      return;
    barriers = std::move(inside);
    state = std::move(afterInside);
  }

  void process(Block &block, State &state) {
    for (Operation &op : block) {
      if (auto known = barriers.find(&op); known != barriers.end())
        passBarrier(known->second, state);
      if (auto barrier = dyn_cast<BarrierOp>(op)) {
        passBarrier(barrier.getWarp()            ? Barrier::OfWarps
                    : barrier.getCluster()       ? Barrier::OfCluster
                    : barrier.getWithProducers() ? Barrier::WithProducers
                                                 : Barrier::OfBlock,
                    state);
      } else if (isa<ClusterReduceOp>(op)) {
        passBarrier(Barrier::OfCluster, state);
      } else if (isa<LastBlockOp, DiscardOp>(op)) {
        passBarrier(Barrier::OfBlock, state);
      } else if (isa<ProducerAcquireOp>(op)) {
        // Here, after the wait and before the next copies, one barrier serves
        // both the data that has arrived and the stage to be filled.
        if (llvm::any_of(state.pending, [&](const Access &access) {
              return !access.isOwn && (!access.isOrderedInWarps ||
                                       (warps > 1 && !access.isWarpPrivate));
            }))
          insertBarrier(&op, neededFor(state), state);
      } else if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
        // A thread waits for its private copies by itself.
        if (copy.getThreadPrivate()) {
          before(copy,
                 ownAccess(copy, copy.getBuffer(), copy.getStage(),
                           copy.getSlot(), /*isWrite=*/true),
                 state);
          continue;
        }
        Access access = bufferAccess(copy, /*isWrite=*/true);
        before(copy, access, state);
        if (!isTMA(copy))
          State::insert(state.inFlight, access);
      } else if (isa<WaitOp, ConsumerWaitOp>(op)) {
        // Data that has arrived counts as a write of the threads that waited.
        // Copies that may still be in flight stay listed; their slots are not
        // the ones that are read now.
        for (const Access &access : state.inFlight)
          note(access, state);
        auto wait = dyn_cast<WaitOp>(op);
        if (wait && wait.getPending() == 0)
          state.inFlight.clear();
      } else if (auto store = dyn_cast<StoreAsyncOp>(op)) {
        before(store,
               bufferAccess(store, store.getBuffer(), store.getStage(),
                            /*slot=*/std::nullopt, /*isWrite=*/false),
               state);
      } else if (isa<StoreWaitOp>(op)) {
        // One thread knows that the stores have read their source.
        for (const Access &access : state.stored)
          note(access, state);
        state.stored.clear();
      } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
        before(store, bufferAccess(store, /*isWrite=*/true), state);
      } else if (auto scatter = dyn_cast<ClusterScatterOp>(op)) {
        // Any block of the cluster may write any part of the buffer.
        before(scatter,
               wholeBuffer(scatter, scatter.getBuffer(), /*isWrite=*/true),
               state);
      } else if (auto load = dyn_cast<LocalLoadOp>(op)) {
        before(load, bufferAccess(load, /*isWrite=*/false), state);
      } else if (auto store = dyn_cast<PrivateStoreOp>(op)) {
        before(store,
               ownAccess(store, store.getBuffer(), store.getStage(),
                         /*slot=*/std::nullopt, /*isWrite=*/true),
               state);
      } else if (auto unstash = dyn_cast<PrivateLoadOp>(op)) {
        before(unstash,
               ownAccess(unstash, unstash.getBuffer(), unstash.getStage(),
                         unstash.getSlot(), /*isWrite=*/false),
               state);
      } else if (auto dot = dyn_cast<SharedDotOp>(op)) {
        for (const Access &access : readBy(dot))
          before(dot, access, state);
      } else if (auto await = dyn_cast<AwaitDotOp>(op)) {
        // The contraction reads its operands until here, and any of their
        // stages if it is of another iteration.
        SharedDotOp dot = await.getDot();
        if (dot->getBlock() == await->getBlock())
          for (const Access &access : readBy(dot))
            note(access, state);
        else
          for (Value buffer :
               {Value(dot.getLhsBuffer()), Value(dot.getRhsBuffer())})
            if (buffer)
              note(wholeBuffer(dot, buffer, /*isWrite=*/false), state);
      } else if (isa<ConvertLayoutOp, ReduceOp>(op)) {
        auto offset = op.getAttrOfType<IntegerAttr>("offset");
        FailureOr<int64_t> bytes = getExchangeBytes(&op);
        if (!offset || failed(bytes) || *bytes == 0)
          continue;
        auto convert = dyn_cast<ConvertLayoutOp>(op);
        bool ofWarps = convert && isReducedInWarps(convert, warps);
        Access access{&op,
                      offset.getInt(),
                      offset.getInt() + *bytes,
                      /*isWrite=*/true,
                      op.getResult(0),
                      ofWarps};
        before(&op, access, state);
        // The operation has a barrier of its own between its stores and its
        // loads.
        passBarrier(ofWarps ? Barrier::OfWarps : Barrier::OfBlock, state);
        access.isWrite = false;
        note(access, state);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        processLoop(loop, state);
      } else if (op.getNumRegions() != 0) {
        followBranches(op, state, [&](Block &block, State &branch) {
          process(block, branch);
        });
      }
    }
  }

  using Barriers = llvm::MapVector<Operation *, Barrier>;

  unsigned warps = 1;
  bool hasProducers = false;
  bool isCopiedByOthers = false;  ///< by TMA, of producers or other blocks
  bool isWrittenByOthers = false; ///< or by `tile.cluster_scatter`
  Barrier ofOthers = Barrier::WithProducers; ///< includes those writers
  Operation *overwritten = nullptr; ///< writes where a store still reads
  llvm::DenseMap<Value, bool> isPrivate;
  Barriers barriers; ///< before these operations
};

} // namespace
