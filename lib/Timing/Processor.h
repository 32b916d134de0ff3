//===- Processor.h - An SM that replays warps -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_PROCESSOR_H
#define FUSION_LIB_TIMING_PROCESSOR_H

#include "MemorySystem.h"
#include "Synchronization.h"
#include "fusion/Timing/Simulation.h"
#include <array>
#include <functional>
#include <memory>
#include <unordered_map>

namespace fusion::timing {

class Processor;
struct Block;

/// The blocks of a cluster, of which one may be the only one.
struct Cluster {
  std::vector<Block *> blocks; ///< by rank
  Barrier barrier;
  uint32_t live = 0; ///< warps that have not ended
};

/// When the value of a register is ready.
struct Result : Moment {
  Wait reason = Wait::Latency;
  /// The pipe of an instruction with a fixed latency; others wait longer.
  std::optional<Pipe> pipe;
};

struct Warp {
  Block *block = nullptr;
  unsigned index = 0;  ///< in the block
  unsigned number = 0; ///< in its SM
  unsigned sub = 0;    ///< its sub-partition
  const WarpWork *work = nullptr;
  size_t next = 0; ///< place in the path
  Cycles ready = 0;
  Wait readyReason = Wait::Latency;
  uint32_t readyCause = Issue::kNone;
  std::array<Result, kScoreboards> boards;
  std::vector<Result> registers; ///< MachineKernel::trackedRegisters
  bool hasIssued = false;
  Cycles issuedAt = 0;
  Cycles stalledUntil = 0; ///< by the stall count of its last instruction
  uint32_t lastIssue = Issue::kNone;
  unsigned clusterPhase = 0; ///< cluster barriers that it has arrived at
  AsyncGroups copies, bulk;
  size_t multiplied = 0;               ///< wgmma that it has issued
  std::vector<size_t> committedGroups; ///< by group: `multiplied` at its end
  Cycles stored = 0;                   ///< when L2 has its stores

  bool hasEnded() const { return next == work->path->insts.size(); }
};

struct Block {
  const BlockWork *work = nullptr;
  Processor *processor = nullptr;
  std::shared_ptr<Cluster> cluster;
  std::vector<Warp> warps;
  uint32_t live = 0; ///< warps that have not ended
  std::vector<Warpgroup> warpgroups;
  std::array<Barrier, 16> barriers;
  std::unordered_map<uint32_t, Mbarrier> mbarriers; ///< by offset
  Cycles begin = 0;
};

/// What all SMs have in common.
struct Machine {
  const MachineKernel &kernel;
  const ChipInfo &chip;
  const Microarchitecture &micro;
  std::vector<InstTiming> timings; ///< by instruction of the kernel
  MemorySystem memory;
  Agenda agenda; ///< by sub-partition
  SimulationResult result;
  bool traces = false;
  /// Called when a block has ended.
  std::function<void(Block &, Cycles)> ended;
};

/// When a warp may issue its next instruction as far as scoreboards and its own
/// waits allow, and what it waits for until then.
struct Readiness : Moment {
  Wait reason;
};
Readiness readinessOf(const Machine &machine, const Warp &warp);

class Processor {
public:
  Processor(Machine &machine, unsigned number);

  unsigned number() const { return index; }
  /// Starts a block, whose warps may issue from `begin` on.
  void start(Block &block, Cycles begin);
  /// Issues an instruction of a sub-partition at its time of the agenda.
  void issue(unsigned sub);
  /// Sees to it that a warp whose wait has ended is issued.
  void wake(Warp &warp);
  /// Returns when the next block may start, if one wants to now.
  Cycles startSlot(Cycles now);

  double sharedCycles() const { return memoryPipe.busyCycles(); }

private:
  friend class StepExecutor;

  struct SubPartition {
    std::vector<Warp *> warps;           ///< in the order of their start
    Warp *last = nullptr;                ///< issued last, unless it yielded
    std::array<Moment, kNumPipes> pipes; ///< when they are free
    std::vector<Moment> memoryQueue;     ///< a ring: when instructions left it
    size_t queued = 0;
    Cycles freeAt = 0; ///< the next cycle of the scheduler
    uint32_t lastIssue = Issue::kNone;
  };
  Readiness readiness(const SubPartition &sub, const Warp &warp) const;
  Warp *choose(SubPartition &sub, Cycles now, Readiness &chosen) const;
  void execute(SubPartition &sub, Warp &warp, Cycles now);
  void passFree(Warp &warp) const;
  void note(SubPartition &sub, Warp &warp, const Issue &issue);
  void reschedule(unsigned sub);
  void end(SubPartition &sub, Warp &warp, Cycles now);

  Machine &machine;
  unsigned index;
  unsigned started = 0; ///< warps
  std::array<SubPartition, kSubPartitions> subs;
  std::array<Cycles, kSubPartitions> tensorFree{}; ///< of wgmma
  Queue memoryPipe;   ///< instructions and wavefronts
  Queue port;         ///< bytes from and to L2
  Queue tma, tmaPort; ///< instructions; bytes
  Queue remote;       ///< bytes to other blocks of a cluster
  Queue arrivals;     ///< of warps at barriers
  Queue starts;       ///< of blocks
};

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_PROCESSOR_H
