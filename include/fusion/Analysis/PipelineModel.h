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
// its loads with its use by stages of its own and by other units that the
// hardware interleaves: blocks of an SM at the shared-memory level, warps of a
// block at the register level.
//
// Two forms. `Printed` is the table as it stands: its two branches meet only
// where one unit runs alone. What the table leaves open is the same in both:
// blocks per batch by what an SM holds, the working set of a batch by
// DramModel.h, T_reg_load as bytes over the bandwidth of shared memory behind
// its latency, of which T_init has the latency. `Continuous` is ours: an
// iteration takes as long as its use, as its bytes need to pass, or as its load
// and use together spread over all that may overlap, whichever is longest.
//
// These fields, of which not all are lowered (`whyNotLowered`), change the
// continuous form as follows; switched off, they change nothing.
//
// * `persistent`: the SM's blocks, b at a time, are the tiles of as many loops
//   that stay. Of a following tile the first loads run under the stores of the
//   one before, so it takes main + max(init, epilogue) instead of init + main +
//   epilogue. The kernel ends when the SM with most tiles does, ⌈tiles / SMs⌉ /
//   b rounds, of the SMs that whole clusters take, where waves of blocks are
//   counted whole. In exchange the staged result has shared memory of its own
//   (Footprint.h).
// * `cluster` = c: blocks are resident c at a time. Of what neighbours along
//   the fastest grid axis have in common and copy in bulk each fetches 1/c from
//   L2 and delivers it to all, through the port that each SM has. DRAM sees no
//   difference, since blocks that are resident together share a fetch anyway.
//   Blocks meet at both ends, and a stage is filled again when the releases of
//   other SMs are there: each takes the latency between SMs of a cluster.
// * `products`, a second stage: the product of one iteration runs while what
// the
//   next one's is multiplied with is computed, so of the two only the longer
//   one is counted, of all iterations but the first, and its last instruction
//   is not waited for. What groups of warps or blocks hide of one another's is
//   left to chance and not counted.
// * `producers` = p: the first loads of an inner loop's next run are issued
//   while this run computes, so only those of the first run are waited for; and
//   in place of a block-wide barrier each warp reads a stage's own in shared
//   memory. So it is where bulk copies bring all of a loop's tiles. Producers
//   take room on the SM, with the fewest registers that setmaxnreg leaves
//   (`registerBudgets`), or as many as the others.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_PIPELINEMODEL_H
#define FUSION_ANALYSIS_PIPELINEMODEL_H

#include "fusion/Analysis/DramModel.h"
#include "fusion/Analysis/Footprint.h"

namespace fusion {

enum class PipelineForm : uint8_t { Printed, Continuous };

/// What keeps a loop from being faster.
enum class LoopBound : uint8_t {
  Use,       ///< the work of an iteration: more overlap would not help
  Load,      ///< the bytes of an iteration: bandwidth
  Latency,   ///< the round trip of a load: more stages would help
  Occupancy, ///< the same, and more blocks of an SM would do too
};

llvm::StringRef name(LoopBound bound);

/// Table I, "pipeline latency model": seconds that `iterations` of a load-use
/// loop take, with `stages` of its own and `multiplexed` interleaved units. In
/// our form an iteration takes no less than its load occupies what it passes
/// through, `transfer`, however much overlaps.
double loadUseLatency(double load, double use, double iterations, double stages,
                      double multiplexed, PipelineForm form,
                      double transfer = 0);

/// Our form of a whole loop of a block, behind `init`, in which its first load
/// is waited for. The loads of `stages` − 1 iterations are issued before the
/// loop, so that of these no more than the transfer is left to wait for; only
/// of later ones the latency shows where stages and blocks do not hide it:
///
///   max(n·use, (n − 1)·transfer + use)
///     + max(0, n − max(1, stages − 1)) · (steady − max(use, transfer))
///
/// with `steady` an iteration of `loadUseLatency`. A loop all of whose tiles
/// fit into its stages thus takes init + main = latency + n·transfer + use
/// where its bytes bound it, what loading all tiles before a loop takes and
/// less: that multiplies nothing before the last tile is there.
double loopLatency(double load, double use, double iterations, double stages,
                   double multiplexed, double transfer);

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
  int64_t batches = 0;
  int64_t residentBlocks = 0; ///< that run at a time on the busiest SM
  DramTraffic dram;           ///< of the launch
  llvm::SmallVector<LoopLatency, 4> loops; ///< outermost first
};

/// Registers of a thread, by what its warp does.
struct RegisterBudgets {
  int64_t atFirst; ///< of all
  int64_t producer, consumer;
};

/// How a block's registers are dealt out anew between producers and the other
/// warps where so many blocks are on an SM, or nullopt where they are not: the
/// chip has no setmaxnreg, or the warps of either side are not whole groups of
/// four, which execute it together.
/// A producer keeps the fewest that the chip allows, or `producer` where that
/// is more.
std::optional<RegisterBudgets> registerBudgets(int64_t warps, int64_t producers,
                                               int64_t blocksPerSM,
                                               const ChipInfo &chip,
                                               int64_t producer = 0);

/// Registers that a producer of this schedule keeps, where these are dealt out:
/// the fewest, but for one that finds the tiles of a mask anew for each tile
/// that its block goes through, of which ptxas spills some then.
int64_t producerRegisters(const Schedule &schedule);

/// Registers that a thread of `warps` warps which multiply can have at most:
/// producers keep the fewest, or as many as the others.
int64_t maxRegisters(const Schedule &schedule, int64_t warps,
                     const ChipInfo &chip);

/// Warps for which a block takes registers, where all have as many: with
/// producers as many for each part of an SM, the fullest one's.
int64_t allocatedWarps(int64_t warps, int64_t producers);

/// Blocks of this schedule that one SM holds at a time, by shared memory,
/// registers, warps and blocks.
int64_t blocksPerSM(const Schedule &schedule, const Footprint &footprint,
                    const ChipInfo &chip);

/// Blocks of this schedule that the chip holds at a time where each SM holds so
/// many: clusters are resident as a whole, within a GPC.
inline int64_t residentSlots(const Schedule &schedule, int64_t blocksPerSM,
                             const ChipInfo &chip) {
  return chip.residentBlocks(blocksPerSM, schedule.clusterBlocks());
}

/// Bytes that a block loads, and of these those that it fetches itself: the
/// other blocks of a cluster fetch the rest.
struct LoadedBytes {
  double received = 0, fetched = 0;

  LoadedBytes &operator+=(const LoadedBytes &other) {
    received += other.received;
    fetched += other.fetched;
    return *this;
  }
};

/// What schedules of one group on one chip have in common, found once.
class PipelineMemo {
public:
  /// Other loops, tiles, grid or places of operands and results from here on.
  void clearLoops() {
    dram.clear();
    nodes.clear();
    clearWarps();
  }
  /// Other transports in clusters, whose blocks share bulk copies; what comes
  /// from DRAM does not depend on who fetches it.
  void clearFetches() { nodes.clear(); }
  /// Other warps, or other places of intermediates.
  void clearWarps() { uses.clear(); }

private:
  friend class PipelineWalker;
  friend class TileUse;
  /// Of a tree's nodes, parents first.
  struct Node {
    unsigned end;                      ///< the node behind it and what is in it
    int64_t stored;                    ///< bytes of the tile
    int64_t trips;                     ///< of a loop in a block
    std::optional<LoadedBytes> loaded; ///< where it does nothing else
    bool computes;
  };
  /// The last that was asked of a product.
  struct Use {
    int64_t blocksPerSM = 0, repetitions = 0;
    unsigned stages = 0;
    double seconds = 0;
  };
  DramMemo dram;
  llvm::SmallVector<Node, 32> nodes;
  llvm::SmallVector<Use, 4> uses;
};

/// Applies the model to a scheduled group on a chip. `memo` may hold what is
/// known of other schedules, by our form.
PipelineLatency predictPipeline(const GroupModel &group,
                                const Schedule &schedule,
                                const Footprint &footprint,
                                const ChipInfo &chip, PipelineForm form,
                                PipelineMemo *memo = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_PIPELINEMODEL_H
