//===- PipelineModel.h - Latency of load-use loops --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ALCOP's analytical model (table I): a kernel is batches of blocks, a block is
// a first load, a nest of load-use loops, and an epilogue. Each loop overlaps
// its loads with its use by its own stages and by other units that the hardware
// interleaves. These are blocks of an SM at the shared-memory level, warps of a
// block at the register level.
//
// There are two forms. `Printed` is the table unchanged: its two branches meet
// only if one unit runs alone. The table leaves some values open, which are
// equal in both forms. Blocks per batch follow from what an SM holds, the
// working set of a batch from DramModel.h. T_reg_load is bytes over the
// bandwidth of shared memory, after its latency, which T_init includes.
// `Continuous` is Fusion's: an iteration takes the longest of its use, the
// transfer of its bytes, and its load and use together divided by all that may
// overlap.
//
// These fields, of which not all are lowered (`whyNotLowered`), change the
// continuous form; without them it is unchanged:
//
// * `persistent`: an SM runs b blocks at a time, each with a loop over tiles.
//   The first loads of the next tile overlap with the stores of the previous
//   one, so a tile takes main + max(init, epilogue) instead of init + main +
//   epilogue. The kernel ends when the SM with most tiles does, after ⌈tiles /
//   SMs⌉ / b iterations, with the SMs that whole clusters occupy; waves of
//   blocks, in contrast, are counted whole. In exchange the staged result has
//   its own shared memory (Footprint.h).
// * `cluster` = c: blocks are resident c at a time. Neighbours along the
//   fastest grid axis share TMA copies: each block fetches 1/c of them from L2
//   and delivers it to all, through the port of each SM. DRAM traffic is
//   unchanged, since resident blocks share a fetch anyway. Blocks synchronize
//   at both ends, and a stage is filled again when the releases of other SMs
//   have arrived: each takes the latency between SMs of a cluster.
// * `overlap`, a second stage: the MMAs of one iteration overlap with the
//   computation of the next iteration's operand. Only the longer of the two is
//   counted, in all iterations but the first, and its last instruction is not
//   waited for. What warpgroups or blocks hide of one another's latencies is
//   left to chance and not counted.
// * `producers` = p: the first loads of an inner loop's next run are issued
//   while this run computes, so only those of the first run are waited for. In
//   place of a block-wide barrier each warp waits for a stage's own mbarrier in
//   shared memory. This holds if TMA copies load all tiles of a loop. Producers
//   occupy registers on the SM: the fewest that setmaxnreg allows
//   (`registerBudgets`), or as many as the other warps.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_PIPELINEMODEL_H
#define FUSION_ANALYSIS_COST_PIPELINEMODEL_H

#include "fusion/Analysis/Cost/DramModel.h"
#include "fusion/Analysis/Resources/Footprint.h"
#include <array>
#include <optional>

namespace fusion {

enum class PipelineForm : uint8_t { Printed, Continuous };

/// The resource that bounds a loop.
enum class LoopBound : uint8_t {
  Use,       ///< the work of an iteration: more overlap would not help
  Load,      ///< the bytes of an iteration: bandwidth
  Latency,   ///< the round trip of a load: more stages would help
  Occupancy, ///< as Latency; more resident blocks would help as well
};

llvm::StringRef name(LoopBound bound);

/// Returns the seconds of `iterations` iterations of a load-use loop with
/// `stages` stages and `multiplexed` interleaved units (table I, "pipeline
/// latency model"). In the continuous form an iteration takes at least
/// `transfer`, the seconds for which its load occupies a resource.
double loadUseLatency(double load, double use, double iterations, double stages,
                      double multiplexed, PipelineForm form,
                      double transfer = 0);

/// Returns the seconds of a loop of a block in the continuous form, after
/// `init`, in which its first load is waited for. The loads of `stages` − 1
/// iterations are issued before the loop, so that only their transfer is waited
/// for. The latency of later loads counts if stages and blocks do not hide it:
///
///   max(n·use, (n − 1)·transfer + use)
///     + max(0, n − max(1, stages − 1)) · (steady − max(use, transfer))
///
/// with `steady` an iteration of `loadUseLatency`. A loop whose stages hold all
/// its tiles thus takes init + main = latency + n·transfer + use if its bytes
/// bound it. To load all tiles before a loop takes longer, as nothing is
/// multiplied before the last tile has arrived.
double loopLatency(double load, double use, double iterations, double stages,
                   double multiplexed, double transfer);

/// Instructions of a warp to control a loop, from the machine code of products:
/// of an iteration, of the wait for its copies, of each TMA copy that the warp
/// issues, of each of a thread's copies of 16 bytes, and before and behind all
/// loops of a block.
constexpr double kLoopInstructions = 8, kWaitInstructions = 16,
                 kTMAInstructions = 20, kCopyInstructions = 4,
                 kBlockInstructions = 200;
/// Bytes of one thread's copy.
constexpr double kBytesOfCopy = 16;

/// One sequential loop of a block.
struct LoopLatency {
  unsigned axis;
  int64_t iterations;
  unsigned stages; ///< fewest of the buffers that it fills
  double load;     ///< seconds, one iteration
  double use;
  double total; ///< all iterations
  LoopBound bound;
};

struct PipelineLatency {
  double kernel = 0;
  double block = 0;
  double init = 0, main = 0, epilogue = 0;
  double issue = 0; ///< issue slots of the busiest scheduler
  int64_t batches = 0;
  int64_t residentBlocks = 0; ///< that run at a time on the busiest SM
  DramTraffic dram;           ///< of the launch
  llvm::SmallVector<LoopLatency, 4> loops; ///< outermost first
};

/// Bytes that a block receives, and the part of them that it fetches itself:
/// the other blocks of a cluster fetch the rest.
struct LoadedBytes {
  double received = 0, fetched = 0;

  LoadedBytes &operator+=(const LoadedBytes &other) {
    received += other.received;
    fetched += other.fetched;
    return *this;
  }
};

/// Results that schedules of one group on one chip have in common.
class PipelineMemo {
public:
  /// Forgets what depends on loops, tiles, grid or the placements of operands
  /// and results; call it when these change.
  void clearLoops() {
    dram.clear();
    nodes.clear();
    clearWarps();
  }
  /// Forgets what depends on the transports in clusters, whose blocks share TMA
  /// copies. DRAM traffic does not depend on who fetches it.
  void clearFetches() { nodes.clear(); }
  /// Forgets what depends on the transports of operands.
  void clearCopies() { instructions = {}; }
  /// Forgets what depends on warps or the placements of intermediates.
  void clearWarps() {
    uses.clear();
    clearCopies();
  }

private:
  friend class PipelineWalker;
  friend class TileUse;
  friend class WarpInstructions;
  /// A node of the tree, parents first.
  struct Node {
    unsigned end;                      ///< the node after it and its children
    int64_t stored;                    ///< bytes of the tile
    int64_t trips;                     ///< of a loop in a block
    std::optional<LoadedBytes> loaded; ///< if it does nothing else
    bool computes;
  };
  /// The latest result for a contraction.
  struct Use {
    int64_t blocksPerSM = 0, repetitions = 0;
    unsigned stages = 0;       ///< of fragments
    unsigned accumulators = 0; ///< stages of the contraction
    double seconds = 0;
  };
  /// Instructions of a warp, by whether the grid is a single wave and whether
  /// the warp issues TMA copies.
  std::array<std::array<std::optional<double>, 2>, 2> instructions;
  DramMemo dram;
  llvm::SmallVector<Node, 32> nodes;
  llvm::SmallVector<Use, 4> uses;
};

/// Applies the model to a scheduled group on a chip. `memo` may hold results of
/// other schedules, in the continuous form.
PipelineLatency predictPipeline(const GroupModel &group,
                                const Schedule &schedule,
                                const Footprint &footprint,
                                const ChipInfo &chip, PipelineForm form,
                                PipelineMemo *memo = nullptr);

/// Returns the least issue slots of the busiest scheduler, in seconds, with any
/// stages, resident blocks and producer warps: `PipelineLatency::issue` is no
/// less. `memo` may hold results of other schedules.
double leastIssue(const GroupModel &group, const Schedule &schedule,
                  const Footprint &footprint, const ChipInfo &chip,
                  PipelineMemo *memo = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_PIPELINEMODEL_H
