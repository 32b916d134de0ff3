//===- Mbarriers.h - Mbarriers of stages of buffers -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk copies to a stage complete at the stage's mbarrier (PTX ISA,
// "cp.async.bulk.tensor", "mbarrier"). The phase that it is in, its parity, is
// a bit of a word that all threads carry along: each wait turns its bit,
// whatever loops it stands in.
//
// A stage that is released has a second mbarrier, at which each warp arrives
// when it has read. A stage that is filled for the n-th time, n from 0, waits
// for the phase n - 1 of that, whose parity is the opposite of the n-th one's:
// the phase "before" the first counts as over. The thread that copies has
// awaited n copies to the stage by then, or, if it is a producer's, copied n
// times: the bit in its word is that of n.
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

  /// A wait traps after `waitLimit` tries; 0: never.
  Mbarriers(tile::KernelOp kernel, Election &election, ProducerWarps &producers,
            int64_t waitLimit)
      : kernel(kernel), election(election), producers(producers),
        waitLimit(waitLimit) {}

  /// Emits, at the start of the kernel, that the thread that copies starts the
  /// mbarriers. A fence shows them to what completes there, a barrier to all
  /// threads. Nothing if no buffer has mbarriers.
  void begin(KernelEmitter &e);
  /// Emits, at the end of the kernel, that no block ends while others may
  /// arrive at its mbarriers.
  void end(KernelEmitter &e);

  /// Whether the thread is the one that starts bulk copies, an i1; null if the
  /// kernel has no mbarriers.
  Value isCopying() const { return copying; }
  /// The address in shared memory, an i32, of the mbarrier at which copies to a
  /// stage complete.
  Value filledBarrier(KernelEmitter &e, tile::AllocOp alloc, Value stage);

  /// The word of phases, if one of the phases turns in the loop.
  Values loopState(mlir::scf::ForOp loop);
  void setLoopState(mlir::ValueRange state) { phases = state.front(); }
  /// Emits that all phases begin anew, in a branch of its own.
  void restartPhases(ThreadBuilder &b);

  mlir::LogicalResult emitAwait(tile::AwaitOp op, KernelEmitter &e);
  mlir::LogicalResult emitAcquire(tile::AcquireOp op, KernelEmitter &e);
  mlir::LogicalResult emitRelease(tile::ReleaseOp op, KernelEmitter &e);

private:
  /// The address of the mbarrier at which a stage is released.
  Value releasedBarrier(KernelEmitter &e, tile::AllocOp alloc, Value stage);
  /// Sets who arrives at the releases of `filled`, buffers with mbarriers.
  void findReleases(llvm::ArrayRef<tile::AllocOp> filled);
  /// Arrivals that complete a phase of the buffers' mbarriers, by offset. Of
  /// buffers that have an mbarrier in common each copy arrives.
  std::map<int64_t, int64_t>
  countArrivals(llvm::ArrayRef<tile::AllocOp> filled);
  /// The bit of a stage in the word of phases, in the lowest place, and its
  /// number.
  std::pair<Value, Value> phaseOf(KernelEmitter &e, tile::AllocOp alloc,
                                  Value stage);
  /// Turns bit `number`, unless `predicate` is given and false.
  void pingPongPhase(ThreadBuilder &b, Value number, Value predicate);
  /// Waits for the phase of an mbarrier with the given parity, unless
  /// `predicate` is given and false. If other blocks of the cluster are among
  /// those that it waits for, the default scope, .cta, is enough (emitRelease).
  void waitForPhase(ThreadBuilder &b, Value barrier, Value parity,
                    Value predicate);

  tile::KernelOp kernel;
  Election &election;
  ProducerWarps &producers;
  int64_t waitLimit;

  Value copying;
  Value inCopyingWarp; ///< whether the thread's warp has the one that copies
  int64_t firstBarrier = 0; ///< offset of the kernel's first mbarrier, bytes
  /// The parities of all mbarriers, of the phase to wait for next, an i32.
  Value phases;
  bool areSharedByCluster = false; ///< other blocks' copies complete at some
  /// Offsets of mbarriers at which the warps of all blocks of the cluster
  /// arrive.
  llvm::SmallDenseSet<int64_t> releasedByCluster;
  /// Offsets of mbarriers at which one warp of each warpgroup arrives.
  llvm::SmallDenseSet<int64_t> releasedByWarpgroup;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_MBARRIERS_H
