//===- Simulation.h - Cycles of a launch ------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays the machine code of a launch on the SMs of a chip. Each sub-partition
// issues at most one instruction of a warp in a cycle, as the issue control of
// the machine code allows. Warps wait for pipes, queues of the memory system,
// copies, barriers and the tensor cores.
//
// The simulation shares no code with the cost models of schedules.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_SIMULATION_H
#define FUSION_TIMING_SIMULATION_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Timing/CacheLevels.h"
#include "fusion/Timing/MachinePath.h"
#include "fusion/Timing/Pipe.h"
#include "fusion/Timing/Queues.h"
#include <array>
#include <functional>

namespace fusion::timing {

/// What a warp waits for between two of its instructions.
enum class Wait : uint8_t {
  Latency,     ///< fixed latencies, by the stall counts of the machine code
  Global,      ///< loads and atomics of global memory
  Shared,      ///< loads of shared memory, shuffles
  Special,     ///< other instructions that set a scoreboard
  Copies,      ///< cp.async and cp.async.bulk in groups
  Barrier,     ///< of the block
  Mbarrier,    ///< a phase
  Cluster,     ///< barrier of the cluster
  Tensor,      ///< groups of wgmma; the warpgroup, before one
  Pipe,        ///< a unit of the sub-partition is busy
  MemoryQueue, ///< the memory pipe is busy
  Fence,
  Scheduler, ///< other warps were issued
};
constexpr unsigned kNumWaits = 13;

/// Returns the name in reports: `latency`, `global`.
llvm::StringRef waitName(Wait wait);

/// The work of a warp: its path, and its steps in the order of the execution.
struct WarpWork {
  const MachinePath *path = nullptr;
  llvm::ArrayRef<Step> steps;
};

/// The work of a block.
struct BlockWork {
  uint64_t block = 0; ///< index in the grid
  std::vector<WarpWork> warps;
  const BlockLevels *levels = nullptr;
};

/// What executes the blocks.
struct SimulatedChip {
  const ChipInfo *chip = nullptr;
  /// SMs of each GPC that are simulated.
  std::vector<unsigned> gpcs;
  /// The SMs that share the chip's L2 and DRAM with the simulated ones, and
  /// themselves.
  double sharing = 1;
  unsigned blocksPerSM = 1;
  unsigned clusterBlocks = 1;
};

/// A span of time of one SM, for a trace.
struct TraceEvent {
  enum class Kind : uint8_t { Block, Wait, Tensor } kind;
  uint64_t block; ///< index in the grid
  unsigned warp;  ///< Wait; Tensor: the sub-partition
  Wait wait;      ///< Wait
  unsigned inst;  ///< Wait, Tensor: of the kernel
  Cycles begin, end;
};

/// An instruction that was issued, and the one that it waited for last.
struct Issue {
  static constexpr uint32_t kNone = ~0u;
  Cycles time = 0;
  unsigned inst = 0; ///< of the kernel
  unsigned warp = 0; ///< of the SM: warps are numbered as they start
  Wait wait = Wait::Latency;
  uint32_t cause = kNone; ///< an issue before it
};

struct InstTotals {
  uint64_t issues = 0;
  /// Cycles that warps waited before it, by kind.
  std::array<double, kNumWaits> waits{};
};

/// What the simulated SMs did.
struct SimulationResult {
  Cycles cycles = 0; ///< from the launch to the last block's end
  uint64_t issues = 0;
  /// Cycles of all warps, by what they waited for.
  std::array<double, kNumWaits> waits{};
  /// Cycles of all sub-partitions in which a pipe was taken.
  std::array<double, kNumPipes> pipes{};
  double subPartitions = 0;            ///< how many were simulated
  Cycles dramCycles = 0, l2Cycles = 0; ///< in which these were busy
  double sharedCycles = 0;             ///< of all SMs, memory pipes
  std::vector<InstTotals> insts;       ///< by instruction of the kernel
  std::vector<TraceEvent> trace;       ///< of the first SM, if asked for
  /// The first issues of the first SM, in the order of time.
  std::vector<Issue> issuesOfFirst;
  /// Not empty if blocks wait for one another without end.
  std::string problem;
};

/// Simulates blocks, which start in their order. Blocks of one cluster follow
/// each other.
SimulationResult simulate(const MachineKernel &kernel,
                          llvm::ArrayRef<BlockWork> blocks,
                          const SimulatedChip &chip, bool traces = false);

} // namespace fusion::timing

#endif // FUSION_TIMING_SIMULATION_H
