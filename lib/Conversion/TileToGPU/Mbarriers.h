//===- Mbarriers.h - Mbarriers of stages of buffers -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA copies to a stage complete at the stage's mbarrier (PTX ISA,
// "cp.async.bulk.tensor", "mbarrier"). The parity of its current phase is a bit
// of a word that all threads carry along: each wait flips its bit, inside of
// any loops.
//
// A stage that is released has a second mbarrier, at which each warp arrives
// when it has read the stage. The n-th fill of a stage, n from 0, waits for
// that mbarrier's phase n - 1. Its parity is the opposite of the n-th one's:
// the phase "before" the first counts as complete. The copying thread has then
// awaited n copies to the stage or, in a producer, issued n copies: the bit in
// its word is that of n.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_MBARRIERS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_MBARRIERS_H

#include "Election.h"
#include "ProducerWarps.h"
#include "fusion/Conversion/TileToThreads/KernelEmitter.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace fusion {

/// The mbarriers of one kernel.
class Mbarriers {
public:
  using Value = mlir::Value;

  /// A wait traps after `waitLimit` tries; with 0 it never traps.
  Mbarriers(tile::KernelOp kernel, Election &election, ProducerWarps &producers,
            int64_t waitLimit)
      : kernel(kernel), election(election), producers(producers),
        waitLimit(waitLimit) {}

  /// Emits, at the start of the kernel, the initialization of the mbarriers by
  /// the copying thread. A fence makes them visible to asynchronous copies, a
  /// barrier to all threads. Emits nothing if no buffer has mbarriers.
  void begin(KernelEmitter &e);
  /// Emits, at the end of the kernel, a wait that keeps a block from ending
  /// while other blocks may arrive at its mbarriers.
  void end(KernelEmitter &e);

  /// Returns whether the thread is the one that starts TMA copies, an i1; null
  /// if the kernel has no mbarriers.
  Value isCopying() const { return copying; }
  /// Returns the address in shared memory, an i32, of the mbarrier at which
  /// copies to a stage complete.
  Value filledBarrier(KernelEmitter &e, tile::AllocOp alloc, Value stage);

  /// Returns the word of phases if the loop flips one of them, or nothing.
  Values loopState(mlir::scf::ForOp loop);
  void setLoopState(mlir::ValueRange state) { phases = state.front(); }
  /// Emits that all phases begin again, in a branch of its own.
  void restartPhases(ThreadBuilder &b);

  mlir::LogicalResult emitAwait(tile::AwaitOp op, KernelEmitter &e);
  mlir::LogicalResult emitAcquire(tile::AcquireOp op, KernelEmitter &e);
  mlir::LogicalResult emitRelease(tile::ReleaseOp op, KernelEmitter &e);

private:
  /// Returns the address of the mbarrier at which a stage is released.
  Value releasedBarrier(KernelEmitter &e, tile::AllocOp alloc, Value stage);
  /// Determines which warps arrive at the releases of `filled`, buffers with
  /// mbarriers.
  void findReleases(llvm::ArrayRef<tile::AllocOp> filled);
  /// Returns the number of arrivals that complete a phase, by offset of the
  /// mbarrier. Each copy to buffers with a common mbarrier counts as one.
  std::map<int64_t, int64_t>
  countArrivals(llvm::ArrayRef<tile::AllocOp> filled);
  /// Returns the bit of a stage in the word of phases, shifted to the lowest
  /// place, and its number.
  std::pair<Value, Value> phaseOf(KernelEmitter &e, tile::AllocOp alloc,
                                  Value stage);
  /// Flips bit `number`, unless `predicate` is given and false.
  void pingPongPhase(ThreadBuilder &b, Value number, Value predicate);
  /// Waits for the phase of an mbarrier with the given parity, unless
  /// `predicate` is given and false. The default scope, .cta, is enough even if
  /// other blocks of the cluster arrive at the mbarrier (emitRelease).
  void waitForPhase(ThreadBuilder &b, Value barrier, Value parity,
                    Value predicate);

  tile::KernelOp kernel;
  Election &election;
  ProducerWarps &producers;
  int64_t waitLimit;

  Value copying;
  Value inCopyingWarp; ///< whether the warp has the copying thread
  int64_t firstBarrier = 0; ///< offset of the kernel's first mbarrier, bytes
  /// For each mbarrier the parity of the next phase to wait for, an i32.
  Value phases;
  bool areSharedByCluster = false; ///< some complete copies of other blocks
  /// Offsets of mbarriers at which the warps of all blocks of the cluster
  /// arrive.
  llvm::SmallDenseSet<int64_t> releasedByCluster;
  /// Offsets of mbarriers at which one warp of each warpgroup arrives.
  llvm::SmallDenseSet<int64_t> releasedByWarpgroup;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_MBARRIERS_H
