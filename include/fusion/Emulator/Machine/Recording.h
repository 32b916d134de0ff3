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
// time replays them on machine code (fusion/Timing/MachinePath.h). It also has
// the PTX instructions that each warp executed, and the sectors of global
// memory that the block accessed, for models of caches.
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
  /// Once the lanes' asynchronous copies before it are complete; with a value
  /// of 0 the mbarrier expects an arrival more.
  ArriveCopied,
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
  /// The PTX line where the instruction ends, the one that ptxas names.
  uint32_t line = 0;
  uint32_t lanes = 0; ///< a mask
  /// Of global memory; that an mbarrier expects; of copies that complete at
  /// one, the bytes that it counts.
  uint32_t bytes = 0;
  uint32_t sectors = 0; ///< of global memory
  /// Where its sectors begin in BlockRecording::sectors, and how many it has.
  uint32_t firstSector = 0, numSectors = 0;
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
  /// Its place among the instructions that the warp executed (ExecutedInsts).
  uint32_t order = 0;
};

/// The PTX instructions that a warp executed in order, with those whose lanes
/// all failed a guard. Instructions are numbered as in PtxListing. Neighbours
/// in the text that follow each other are one run.
class ExecutedInsts {
public:
  struct Run {
    uint32_t first = 0, count = 0;
  };

  void add(uint32_t number) {
    if (!runs.empty() && runs.back().first + runs.back().count == number)
      ++runs.back().count;
    else
      runs.push_back({number, 1});
    ++total;
  }
  /// Takes back the last one, which is executed later.
  void removeLast() {
    if (--runs.back().count == 0)
      runs.pop_back();
    --total;
  }
  const std::vector<Run> &all() const { return runs; }
  uint32_t size() const { return total; }

private:
  std::vector<Run> runs;
  uint32_t total = 0;
};

/// How much of a block is recorded.
enum class Recorded : uint8_t { Nothing, Sectors, Steps };

/// What is added to the address of a recorded sector.
constexpr uint64_t kSectorWritten = 1;
constexpr uint64_t kSectorDiscarded = 2; ///< all of its line: not written back
constexpr uint64_t kSectorPastL1 = 4;    ///< the access does not look into L1
/// The bits of an address that are none of a sector's address.
constexpr uint64_t kSectorFlags = 31;

/// What a block did.
struct BlockRecording {
  uint64_t block = 0; ///< index in the grid
  /// By warp; empty unless steps are recorded.
  std::vector<std::vector<Step>> warps;
  std::vector<ExecutedInsts> executed; ///< by warp, as `warps`
  /// Addresses of sectors of 32 bytes in the order of their accesses, plus
  /// kSector*. An access has each of its sectors once.
  std::vector<uint64_t> sectors;
};

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_MACHINE_RECORDING_H
