//===- Recording.h - What warps did, step by step ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recording has the steps of each warp of a block: the instructions that
// ptxas neither makes nor loses, in the order of their execution. A model of
// time replays them on machine code (fusion/Timing/MachinePath.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_MACHINE_RECORDING_H
#define FUSION_EMULATOR_MACHINE_RECORDING_H

#include <cstdint>
#include <vector>

namespace fusion::emulator {

enum class StepKind : uint8_t {
  None,           ///< not recorded
  Mma,            ///< mma, wmma.mma
  WarpgroupMma,   ///< wgmma.mma_async
  WarpgroupFence, ///< wgmma.fence
  WarpgroupWait,  ///< wgmma.wait_group
  MatrixLoad,     ///< ldmatrix
  MatrixStore,    ///< stmatrix
  TMALoad,        ///< cp.async.bulk into shared memory
  TMAStore,       ///< cp.async.bulk, cp.reduce.async.bulk to global memory
  TMAWait,        ///< cp.async.bulk.wait_group
  AsyncCopy,      ///< cp.async
  AsyncCommit,    ///< cp.async.commit_group
  AsyncWait,      ///< cp.async.wait_group, wait_all
  Barrier,        ///< bar, barrier
  ClusterBarrier, ///< barrier.cluster
  Mbarrier,       ///< mbarrier, but for pending_count
  GlobalLoad,     ///< ld of global, generic or another block's shared memory
  GlobalStore,    ///< st, as GlobalLoad
  SharedLoad,     ///< ld of the block's shared memory
  SharedStore,    ///< st, as SharedLoad
  Atomic,         ///< atom, red
};
constexpr unsigned kNumStepKinds = 21;

/// What a step of synchronization does.
enum class StepAction : uint8_t {
  None,
  Wait,       ///< until what it names is complete
  Arrive,     ///< without waiting
  ArriveWait, ///< bar.sync
  Initialize, ///< mbarrier.init
  Expect,     ///< mbarrier.expect_tx; with an arrival it is Arrive
  Complete,   ///< a copy that completes at an mbarrier
};

/// One instruction that a warp executed, or what it did at one of several
/// mbarriers.
struct Step {
  StepKind kind = StepKind::None;
  StepAction action = StepAction::None;
  /// At another mbarrier than the step before, by the same instruction.
  bool isFurther = false;
  uint32_t line = 0;       ///< of the PTX
  uint32_t lanes = 0;      ///< a mask
  uint32_t bytes = 0;      ///< of global memory, or that an mbarrier expects
  uint32_t sectors = 0;    ///< of global memory
  uint32_t wavefronts = 0; ///< of shared memory
  /// Barriers: the number. Mbarriers, and where TMA loads complete: the offset
  /// in shared memory.
  uint32_t place = 0;
  /// The rank in its cluster of the block that has the mbarrier.
  uint32_t rank = 0;
  /// Barriers: the threads, 0 for all. Mbarriers: arrivals of the lanes, or the
  /// parity of the phase that is awaited. Waits for groups: how many may be
  /// left. TMA loads: the mask of the blocks that a multicast reaches, or 0.
  uint32_t value = 0;
};

/// The steps of a block.
struct BlockRecording {
  uint64_t block = 0; ///< index in the grid
  std::vector<std::vector<Step>> warps;
};

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_MACHINE_RECORDING_H
