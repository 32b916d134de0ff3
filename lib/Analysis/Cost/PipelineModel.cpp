//===- PipelineModel.cpp - Latency of load-use loops ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/PipelineModel.h"
#include "WarpInstructions.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

using namespace fusion;

llvm::StringRef fusion::name(LoopBound bound) {
  switch (bound) {
  case LoopBound::Use:
    return "use";
  case LoopBound::Load:
    return "load";
  case LoopBound::Latency:
    return "latency";
  case LoopBound::Occupancy:
    return "occupancy";
  }
  llvm_unreachable("covered switch");
}

double fusion::loadUseLatency(double load, double use, double iterations,
                              double stages, double multiplexed,
                              PipelineForm form, double transfer) {
  if (form == PipelineForm::Continuous)
    return iterations *
           std::max({use, transfer, (load + use) / (stages * multiplexed)});
  if (load <= (stages * multiplexed - 1) * use)
    return use * iterations;
  return (load + use) * iterations / stages;
}

double fusion::loopLatency(double load, double use, double iterations,
                           double stages, double multiplexed, double transfer) {
  // One load is waited for before the loop. With stages, further loads are in
  // flight by then.
  double early = std::max(1.0, stages - 1);
  double late = std::max(0.0, iterations - early);
  double steady = loadUseLatency(load, use, 1, stages, multiplexed,
                                 PipelineForm::Continuous, transfer);
  return std::max(iterations * use, (iterations - 1) * transfer + use) +
         late * (steady - std::max(use, transfer));
}

namespace fusion {

/// Visits the sequential part of a tree, loops inside out.
class PipelineWalker {
public:
  PipelineWalker(const GroupModel &group, const Schedule &schedule,
                 const Footprint &footprint, const ChipInfo &chip,
                 PipelineForm form, PipelineMemo &memo)
      : group(group), schedule(schedule), footprint(footprint), chip(chip),
        memory(form == PipelineForm::Printed
                   ? chip.memoryOf(std::numeric_limits<double>::infinity())
                   : chip.memoryOf(group.outsideBytes())),
        form(form), memo(memo), use(group, schedule, chip, form, memo),
        warp(group, schedule, footprint, form, memo, use),
        isSplit(schedule.splitAxis().has_value()) {
    if (memo.nodes.empty())
      addNodes(schedule.tree);
    memo.uses.resize(group.contractions.size());
  }

  /// Returns the instructions of a warp of an average block that issues no TMA
  /// copies.
  double countInstructions() {
    return warp.ofBlock(/*isSingleWave=*/false, /*issuesTMA=*/false);
  }

  PipelineLatency run() {
    int64_t maxOnSM = blocksPerSM(schedule, footprint, chip);
    int64_t slots = residentSlots(schedule, maxOnSM, chip);
    result.batches = llvm::divideCeil(footprint.blocks, slots);
    concurrent = std::min<int64_t>(footprint.blocks, slots);
    // Blocks spread over the SMs first: a small grid fills none of them. What
    // clusters of one block on an SM leave over, more on an SM may fill.
    result.residentBlocks = std::min<int64_t>(
        maxOnSM,
        llvm::divideCeil(concurrent, chip.usableSMs(schedule.clusterBlocks())));
    use.blocksPerSM = result.residentBlocks;
    result.dram = memo.dram.predict(group, schedule, concurrent, chip.l2Bytes);
    share =
        footprint.globalLoadBytes > 0
            ? std::min(1.0, result.dram.loadBytes / footprint.globalLoadBytes)
            : 1.0;
    // Loads before the loops, and the first loads of the loops, are waited for.
    double firstLoads = 0;
    Body body = visit(schedule.tree, 0, firstLoads);
    result.init = body.load + firstLoads + chip.sharedLatency;
    result.main = body.use;
    result.epilogue = memory.latency + static_cast<double>(body.stored) *
                                           concurrent / memory.bytesPerSecond;
    // Threads that load and store do one after the other.
    bool isAhead = !hasProducers() || loadByTMA(schedule, schedule.tree);
    double ends = isAhead ? std::max(result.init, result.epilogue)
                          : result.init + result.epilogue;
    // The blocks of a cluster meet at both ends: there and back.
    if (isInCluster()) {
      result.init += 2 * chip.clusterLatency;
      result.epilogue += 2 * chip.clusterLatency;
    }
    if (schedule.splitInCluster && form == PipelineForm::Continuous)
      result.epilogue += splitReductionSeconds();
    result.block = result.init + result.main + result.epilogue;
    result.kernel = result.block * result.batches;
    double outside = kBlockInstructions, moved = body.stored;
    if (schedule.splitInCluster) {
      outside += kBlockInstructions;
      moved += 2 * clusterPartialBytes(group, schedule);
    }
    double instructions =
        warp.ofBlock(result.batches == 1, !hasProducers()) + outside +
        kCopyInstructions * moved / (kBytesOfCopy * kWarpSize * schedule.warps);
    result.issue = instructions * schedule.warps * result.residentBlocks *
                   result.batches / (kSubPartitions * chip.clockHz);
    if (schedule.persistent && form == PipelineForm::Continuous) {
      // A few SMs have none of the clusters.
      int64_t slots = residentSlots(schedule, result.residentBlocks, chip);
      double tiles = static_cast<double>(llvm::divideCeil(
                         footprint.blocks * result.residentBlocks, slots)) /
                     result.residentBlocks;
      result.kernel = result.block + (tiles - 1) * (result.main + ends);
    }
    return std::move(result);
  }

private:
  /// What one iteration of a body does.
  struct Body {
    double load = 0; ///< seconds of its own loads
    double use = 0;  ///< seconds of contractions and inner loops
    /// Of `use` in progress: seconds of the body's contractions on the tensor
    /// cores, the part of them that overlaps with operators, and seconds of
    /// operators.
    double multiplied = 0, overlapped = 0, operated = 0;
    LoadedBytes loaded;
    int64_t stored = 0;      ///< bytes
    unsigned stages = 0;     ///< fewest of its pipelined loads, 0 without any
    bool isInFlight = false; ///< MMAs read a stage during the next iteration
  };

  bool isAnothers(unsigned tensor) const {
    return isSplit && isReducedAcrossBlocks(group, schedule, tensor);
  }

  void addNodes(const TilingTree &items) {
    for (const TilingNode &node : items) {
      size_t place = memo.nodes.size();
      memo.nodes.push_back({});
      PipelineMemo::Node own{};
      own.computes = computes(node);
      own.loaded = loadedBytes(node);
      if (node.isLoop()) {
        if (!schedule.isBlockAxis(node.index))
          own.trips = sequentialTrips(group, schedule, node.index);
        addNodes(node.children);
      } else if (node.kind == TilingNode::Kind::Store) {
        own.stored = use.tileBytes(node.index);
      }
      own.end = memo.nodes.size();
      memo.nodes[place] = own;
    }
  }

  /// Returns the bytes of a load. Each block of a cluster fetches its share of
  /// data that is multicast.
  LoadedBytes loadedBytes(unsigned number, double bytes) const {
    return {bytes, isMulticast(group, schedule, number)
                       ? bytes / schedule.cluster
                       : bytes};
  }

  /// Returns the seconds of a split reduction in a cluster. The blocks meet
  /// before and after the exchange. In it, each block sends the others their
  /// rows, through its port, and adds its own rows. If the blocks exchanged
  /// running values before, all of them meet after each of these exchanges
  /// instead of before.
  double splitReductionSeconds() const {
    double bytes = clusterPartialBytes(group, schedule),
           blocks = schedule.clusterBlocks();
    double given = bytes * (blocks - 1) / blocks * result.residentBlocks;
    double rows = clusterReductions(group, schedule).size();
    return 2 * (1 + std::max(1.0, rows)) * chip.clusterLatency +
           given / (chip.l2BytesPerClockPerSM * chip.clockHz) +
           bytes * result.residentBlocks /
               (chip.sharedBytesPerClockPerSM * chip.clockHz);
  }

  bool isInCluster() const {
    return schedule.cluster > 1 && form == PipelineForm::Continuous;
  }

  /// Whether producer warps issue the loads. They compute nothing meanwhile.
  bool hasProducers() const {
    return schedule.producerWarps > 0 && form == PipelineForm::Continuous;
  }

  /// Returns the part of a load's seconds in which bytes are transferred.
  double transferSeconds(const LoadedBytes &bytes) const {
    double all = bytes.fetched * concurrent;
    return std::max({portSeconds(bytes), all / chip.l2BytesPerSecond,
                     all * share / memory.bytesPerSecond});
  }

  /// Returns the seconds of a load at the port of the busiest SM.
  double portSeconds(const LoadedBytes &bytes) const {
    if (form == PipelineForm::Printed)
      return 0;
    return bytes.received * result.residentBlocks /
           (chip.l2BytesPerClockPerSM * chip.clockHz);
  }

  /// T_smem_load: all concurrent blocks load at the same time, from L2, and
  /// data that they share comes from DRAM once (DramModel.h). Each load bears
  /// its share of DRAM's bytes and latency, but in the printed form the whole
  /// latency.
  double loadSeconds(const LoadedBytes &bytes) const {
    double all = bytes.fetched * concurrent;
    double latency =
        memory.latency * (form == PipelineForm::Printed ? 1 : share);
    return std::max(chip.l2Latency + std::max(portSeconds(bytes),
                                              all / chip.l2BytesPerSecond),
                    latency + all * share / memory.bytesPerSecond);
  }

  /// Returns the seconds of a barrier of the block, which the printed form does
  /// not have.
  double barrierSeconds() const {
    return form == PipelineForm::Printed ? 0 : chip.barrierLatency;
  }

  /// Visits a body. Loads without a computation between them are waited for
  /// together. `at` is the place of the first item among the memo's nodes.
  /// `iterations` are those of the loop around the body, 1 without a loop.
  Body visit(const TilingTree &items, unsigned at, double &firstLoads,
             int64_t iterations = 1) {
    Body body;
    bool isPipelined = llvm::any_of(items, [&](const TilingNode &node) {
      return node.kind == TilingNode::Kind::Load &&
             schedule.places[node.index].stages > 1;
    });
    LoadedBytes waiting, pipelined;
    // A barrier makes data that threads have copied visible to the others. A
    // TMA copy signals every thread. Another barrier precedes the next copy
    // into the same memory.
    bool byThreads = false, pipelinedByThreads = false;
    auto wait = [&] {
      if (waiting.received > 0)
        body.load +=
            loadSeconds(waiting) + (byThreads ? 2 : 1) * barrierSeconds();
      waiting = {};
      byThreads = false;
    };
    for (const TilingNode &node : items) {
      const PipelineMemo::Node &known = memo.nodes[at];
      unsigned place = std::exchange(at, known.end);
      const GroupTensor *tensor =
          node.isLoop() ? nullptr : &group.tensors[node.index];
      switch (node.kind) {
      case TilingNode::Kind::Load: {
        if (isAnothers(node.index))
          break;
        LoadedBytes bytes = *known.loaded;
        unsigned stages = schedule.places[node.index].stages;
        body.loaded += bytes;
        (stages > 1 ? pipelined : waiting) += bytes;
        (stages > 1 ? pipelinedByThreads : byThreads) |=
            !loadsByTMA(schedule, node);
        if (stages > 1)
          body.stages =
              body.stages == 0 ? stages : std::min(body.stages, stages);
        break;
      }
      case TilingNode::Kind::Compute:
        wait();
        if (tensor->role == TensorRole::Rows)
          body.use += use.passSeconds(node.index);
        else
          addContraction(tensor->contraction, isPipelined ? iterations : 1,
                         body);
        break;
      case TilingNode::Kind::Store:
        if (!isAnothers(node.index))
          body.stored += known.stored;
        break;
      case TilingNode::Kind::Loop:
        // Copies of retained tiles are all in flight together.
        if (known.loaded) {
          body.loaded += *known.loaded;
          waiting += *known.loaded;
          byThreads |= !loadsByTMA(schedule, node);
        } else {
          // Loads after the loop are waited for separately.
          if (known.computes)
            wait();
          visitLoop(node, place, body, firstLoads);
        }
        break;
      }
    }
    wait();
    body.use += secondsOfWork(body);
    if (pipelined.received > 0) {
      // All other loads are waited for in every iteration. The block waits at a
      // barrier for what its threads copied. With producer warps, each warp
      // waits at the stage's own mbarrier, which it reads.
      double wait = barrierSeconds();
      if (hasProducers() && !pipelinedByThreads)
        wait = std::min(wait, chip.sharedLatency);
      body.use += body.load + wait;
      body.load = loadSeconds(pipelined);
      // Other blocks have to signal that they have read the stage.
      if (isInCluster())
        body.load += chip.remoteArrivalLatency;
    }
    return body;
  }

  /// Returns the seconds of instructions of one warp of the block: `plain` ones
  /// and special functions.
  double secondsOfInstructions(double plain, double special) const {
    double warps = double(schedule.warps) * result.residentBlocks;
    return (plain * chip.cyclesOfInstruction(warps) +
            special * chip.cyclesOfSpecial(warps)) /
           chip.clockHz;
  }

  /// Adds a tile of a contraction and of the operators on its value.
  void addContraction(unsigned number, int64_t repetitions, Body &body) {
    double multiplied = use.useSeconds(number, repetitions);
    body.multiplied += multiplied;
    if (form == PipelineForm::Printed)
      return;
    body.isInFlight |= isSumInFlight(group, schedule, number);
    if (schedule.isPingPong || (schedule.contractions[number].stages > 1 &&
                                !isSumInFlight(group, schedule, number)))
      body.overlapped += multiplied;
    auto [plain, special] = warp.ofOperators(number);
    body.operated += secondsOfInstructions(plain, special);
  }

  /// Returns the seconds of a body's contractions and of the operators on their
  /// values. One warp of a sub-partition does one after the other, unless the
  /// schedule overlaps them. Of several warps others multiply meanwhile.
  double secondsOfWork(const Body &body) const {
    double all = body.multiplied + body.operated;
    double warps = std::max(1.0, double(schedule.warps) *
                                     result.residentBlocks / kSubPartitions);
    double hidden =
        std::max(std::min(body.overlapped, body.operated),
                 std::min(body.multiplied, body.operated) * (1 - 1 / warps));
    return all - hidden;
  }

  static bool computes(const TilingNode &node) {
    return node.kind == TilingNode::Kind::Compute ||
           llvm::any_of(node.children, computes);
  }

  /// Returns the bytes of a load, or of a loop that only loads, or nullopt.
  std::optional<LoadedBytes> loadedBytes(const TilingNode &node) const {
    if (node.kind == TilingNode::Kind::Load)
      return loadedBytes(node.index, use.tileBytes(node.index));
    if (!node.isLoop() || schedule.isBlockAxis(node.index))
      return std::nullopt;
    LoadedBytes bytes;
    for (const TilingNode &child : node.children) {
      std::optional<LoadedBytes> inner = loadedBytes(child);
      if (!inner)
        return std::nullopt;
      bytes += *inner;
    }
    double trips =
        tripCount(group.axes[node.index], schedule.tiles[node.index]);
    return LoadedBytes{bytes.received * trips, bytes.fetched * trips};
  }

  void visitLoop(const TilingNode &node, unsigned at, Body &outer,
                 double &firstLoads) {
    if (schedule.isBlockAxis(node.index)) {
      Body body = visit(node.children, at + 1, firstLoads);
      outer.load += body.load;
      outer.use += body.use;
      outer.stored += body.stored;
      return;
    }
    size_t place = result.loops.size();
    result.loops.push_back({});
    double innerFirst = 0;
    LoopLatency loop;
    loop.axis = node.index;
    loop.iterations = warp.iterationsOf(node, at, result.batches == 1);
    Body body = visit(node.children, at + 1, innerFirst, loop.iterations);
    firstLoads += body.load;
    // MMAs in flight keep a stage from being filled again, where there are
    // fewer than iterations.
    bool isHeld =
        body.isInFlight && body.stages > 0 && body.stages <= loop.iterations;
    loop.stages = std::max(1u, body.stages - isHeld);
    loop.load = body.load;
    double control = warp.ofControl(node, !hasProducers());
    loop.use = body.use + secondsOfInstructions(control, 0);
    // A producer warp issues the inner loop's next first loads while the last
    // iterations of this one compute.
    bool isAhead = llvm::all_of(node.children, [&](const TilingNode &child) {
      return !child.isLoop() || loadsByTMA(schedule, child);
    });
    if (hasProducers() && isAhead)
      firstLoads += innerFirst;
    else
      loop.use += innerFirst;
    double transfer = transferSeconds(body.loaded);
    loop.total = form == PipelineForm::Continuous
                     ? loopLatency(loop.load, loop.use, loop.iterations,
                                   loop.stages, result.residentBlocks, transfer)
                     : loadUseLatency(loop.load, loop.use, loop.iterations,
                                      loop.stages, result.residentBlocks, form);
    loop.bound = boundOf(loop, body.loaded);
    outer.use += loop.total;
    // Next to computations, only the last stores are waited for.
    outer.stored +=
        body.stored * (memo.nodes[at].computes ? 1 : loop.iterations);
    result.loops[place] = loop;
  }

  LoopBound boundOf(const LoopLatency &loop, const LoadedBytes &bytes) const {
    double overlap = static_cast<double>(loop.stages) * result.residentBlocks;
    if (loop.load <= (overlap - 1) * loop.use)
      return LoopBound::Use;
    // Even with any number of stages the bytes have to pass.
    if (transferSeconds(bytes) >= loop.use)
      return LoopBound::Load;
    return footprint.blocks > concurrent ? LoopBound::Occupancy
                                         : LoopBound::Latency;
  }

  const GroupModel &group;
  const Schedule &schedule;
  const Footprint &footprint;
  const ChipInfo &chip;
  ChipInfo::MemoryLevel memory; ///< where data comes from that L2 is asked for
  PipelineForm form;
  PipelineMemo &memo;
  TileUse use;
  WarpInstructions warp;
  bool isSplit;           ///< a reduction, over blocks
  int64_t concurrent = 1; ///< blocks of a wave
  double share = 1;       ///< of loaded bytes that come from DRAM
  PipelineLatency result;
};

} // namespace fusion

PipelineLatency fusion::predictPipeline(const GroupModel &group,
                                        const Schedule &schedule,
                                        const Footprint &footprint,
                                        const ChipInfo &chip, PipelineForm form,
                                        PipelineMemo *memo) {
  PipelineMemo own;
  return PipelineWalker(group, schedule, footprint, chip, form,
                        memo ? *memo : own)
      .run();
}

double fusion::leastIssue(const GroupModel &group, const Schedule &schedule,
                          const Footprint &footprint, const ChipInfo &chip,
                          PipelineMemo *memo) {
  PipelineMemo own;
  double instructions =
      kBlockInstructions + PipelineWalker(group, schedule, footprint, chip,
                                          PipelineForm::Continuous,
                                          memo ? *memo : own)
                               .countInstructions();
  // Of clusters, a few SMs may have fewer blocks.
  double blocks = double(footprint.blocks) / chip.numSMs;
  if (schedule.clusterBlocks() == 1)
    blocks = std::ceil(blocks);
  return instructions * schedule.warps * blocks /
         (kSubPartitions * chip.clockHz);
}
