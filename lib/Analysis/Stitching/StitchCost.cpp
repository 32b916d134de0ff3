//===- StitchCost.cpp - The latency evaluator of stitched groups ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCost.h"
#include "CpuStitchCost.h"
#include "StitchSectors.h"
#include "StitchTotals.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

namespace {

/// Returns how many reductions the blocks of a cluster exchange partial results
/// of. Each exchange has a barrier of the cluster after it; one more barrier
/// says that all blocks have begun.
int64_t exchangesOfCluster(const StitchGroup &group,
                           const StitchSchedule &schedule) {
  int64_t count = 0;
  if (clusterAxisOf(schedule))
    for (unsigned op = 0; op < group.operators().size(); ++op)
      count += isSharedInCluster(group, schedule, op);
  return count * schedule.countSerialPasses();
}

} // namespace

int64_t fusion::blocksByThreads(int64_t registers, int64_t warps,
                                const ChipInfo &chip) {
  BlockDemand block;
  block.warps = warps;
  block.registers = registers;
  return blocksPerSM(resourcesOfSM(chip), block);
}

double fusion::secondsOfWaits(const StitchSchedule &schedule, unsigned passes,
                              unsigned loadingPasses, const ChipInfo &chip) {
  // What later passes load is in flight early in straight-line code.
  bool isStraight = schedule.serialLoop &&
                    schedule.serialLoop->registerSteps == schedule.countSteps();
  double waits =
      schedule.countSerialPasses() *
      (chip.dramLatency + (isStraight ? 0 : (passes - 1) * chip.l2Latency));
  // A step of a loop waits for its own loads, which are from memory in the
  // first pass.
  if (schedule.serialLoop)
    waits += (schedule.countSteps() - schedule.serialLoop->registerSteps -
              schedule.serialLoop->sharedSteps) *
                 (chip.dramLatency + (passes - 1) * chip.l2Latency) +
             schedule.countSerialPasses() * schedule.serialLoop->sharedSteps *
                 (chip.dramLatency + loadingPasses * chip.l2Latency);
  return waits;
}

WarpSeconds fusion::secondsOfWarp(const StitchSchedule &schedule,
                                  unsigned passes, unsigned loadingPasses,
                                  const ThreadWork &work,
                                  int64_t clusterExchanges, int64_t chained,
                                  int64_t warps, const ChipInfo &chip) {
  double clock = 1 / chip.clockHz;
  // A reduction over the lanes of a warp is a chain of shuffles, each of which
  // has about the latency of shared memory. Operators on its result follow.
  constexpr double shuffles = 5, onRows = 2;
  double busy =
      (work.loads + work.instructions) *
          std::max(kCyclesOfRows, chip.cyclesOfInstruction(warps)) * clock +
      work.special * chip.cyclesOfSpecial(warps) * clock +
      work.exchanges * 2 * (chip.barrierLatency + chip.sharedLatency) +
      clusterExchanges * 2 * chip.clusterLatency +
      chained * (shuffles + onRows) *
          (chip.sharedLatency + chip.fmaCycles * clock);
  double waits = secondsOfWaits(schedule, passes, loadingPasses, chip);
  if (!schedule.serialLoop || schedule.serialLoop->stages == 1)
    return {waits + busy, 0, 0, busy};
  // Copies are issued all but one stages early. Their latencies overlap, and
  // also overlap with what the first pass computes.
  int64_t steps = passes > 1 ? schedule.serialLoop->sharedSteps *
                                   schedule.countSerialPasses()
                             : schedule.countSteps();
  double apart = steps * chip.dramLatency,
         together = apart / (schedule.serialLoop->stages - 1);
  // One mbarrier in shared memory says whether copies have arrived, another one
  // whether a stage has been read. A warp that issues copies waits at the
  // latter as well.
  busy += steps * (schedule.serialLoop->usesTMA
                       ? (schedule.producers > 0 ? 1 : 2) * chip.sharedLatency
                       : chip.sharedLatency + chip.barrierLatency);
  double hiding = busy / passes;
  return {waits - apart + busy - hiding, hiding, together, busy, 1.0 / steps};
}

double fusion::secondsOfIssue(const ThreadWork &work, int64_t blocksOnBusiest,
                              int64_t warps, const ChipInfo &chip) {
  double clock = 1 / chip.clockHz;
  return double(blocksOnBusiest * warps) *
         std::max<double>(
             {(work.loads + work.instructions) * chip.issueCycles() /
                  double(kSubPartitions),
              work.special * kWarpSize / double(chip.specialPerClockPerSM),
              work.lines}) *
         clock;
}

double fusion::secondsOfKernel(const KernelLimits &limits,
                               const ChipInfo &chip) {
  double moved = std::max(limits.memory, limits.port),
         busy = std::max(moved + limits.apart, limits.issue);
  return chip.launchOverhead +
         std::max({chip.dramLatency + busy, limits.latency,
                   limits.warp.with(limits.loads)});
}

int64_t fusion::countChained(const StitchGroup &group, const StitchWork &work,
                             const StitchSchedule &schedule) {
  return work.chained *
         (isPersistent(group, schedule) ? schedule.countSteps() : 1);
}

RoundCosts::RoundCosts(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchSplit &split, const ChipInfo &chip)
    : schedule(schedule), split(split), chip(chip),
      bytes(split.bytesOfPartial(group)) {
  if (StitchSplit::besideSerialLoop(group, schedule))
    steps = schedule.countSteps();
  for (auto [op, isPartial] : llvm::enumerate(split.isPartial))
    if (isPartial)
      lines += split.countPrivateLines(group, schedule, op);
}

double RoundCosts::seconds(int64_t fanIn) const {
  double seconds = 0;
  for (const StitchSplit::RoundSizes &round :
       split.sizesOfRounds(schedule, fanIn)) {
    double loops = llvm::divideCeil(round.most, round.step) * steps;
    // Each block loads through its own SM, which discards a line in a clock. A
    // single block loads faster than its share of the L2's rate for all.
    double busy = std::min<int64_t>(split.counters * round.groups, chip.numSMs);
    double each =
        llvm::divideCeil(split.counters * round.groups, int64_t(busy));
    double ofBlock = round.most * bytes / split.counters;
    double loaded =
        std::max(each * ofBlock / (chip.l2BytesPerClockPerSM * chip.clockHz),
                 round.groups * round.most * bytes / chip.l2BytesPerSecond);
    double discarded = each * round.most * lines / chip.clockHz;
    seconds += secondsOfParts(loops, chip) + loaded + discarded;
  }
  return seconds;
}

StitchMemo::StitchMemo() = default;
StitchMemo::~StitchMemo() = default;

namespace {

/// Predicts the cost of one schedule: first how many blocks an SM holds, then
/// the times of a warp and of memory.
class CostPrediction {
public:
  CostPrediction(const StitchGroup &group, const StitchWork &work,
                 const StitchSchedule &schedule, const ChipInfo &chip,
                 StitchSteps &steps)
      : group(group), work(work), schedule(schedule),
        chip(chip.withData(work.compulsoryBytes)), steps(steps),
        passes(work.passesOf(schedule)), thread(group, work, schedule, steps),
        blocks(countBlocks(group, schedule)) {}

  /// Returns the cost, or nullopt if no SM holds a block.
  std::optional<StitchCost> predict();
  /// Returns the cost by the evaluator as printed.
  std::optional<StitchCost> predictPrinted();

private:
  /// Sets the registers, the shared memory and the resident blocks. Returns
  /// false if a thread does not have enough registers or the block no shared
  /// memory for its exchanges.
  bool findOccupancy();
  /// Sets the seconds in which warps wait and issue instructions.
  void addWarps();
  /// Sets the bytes, the seconds of memory, and the total.
  void addMemory();
  /// Returns the blocks of the busiest SM, one after the other.
  int64_t blocksOnBusiest() const {
    return llvm::divideCeil(blocks, chip.usableSMs(clusterSize(schedule)));
  }
  /// Returns the bytes of sectors that accesses to inputs and results move in
  /// addition to their elements.
  double bytesBeside() const;
  /// Returns the bytes that blocks load again from the L1 of their SM. Data
  /// stays there only if all data that is used once is evicted first, and if
  /// there is room.
  int64_t bytesFromL1(const StitchTraffic &traffic) const;

  const StitchGroup &group;
  const StitchWork &work;
  const StitchSchedule &schedule;
  ChipInfo chip;
  StitchSteps &steps;
  const StitchPasses &passes;
  ThreadTotals thread;
  int64_t blocks;
  WarpSeconds warp;
  StitchCost cost;
};

} // namespace

std::optional<StitchCost> CostPrediction::predict() {
  if (!findOccupancy())
    return std::nullopt;
  addWarps();
  addMemory();
  return cost;
}

std::optional<StitchCost> CostPrediction::predictPrinted() {
  if (!findOccupancy())
    return std::nullopt;
  const ThreadWork &own = thread.work();
  constexpr int64_t barriersOfExchange = 2;
  ByInstruction counts;
  counts.arithmetic = own.instructions - own.shuffles - own.shared;
  counts.special = own.special;
  counts.shuffle = own.shuffles;
  counts.shared = own.shared;
  counts.barrier = barriersOfExchange * own.exchanges;
  counts.load = own.loads;
  counts.store = own.stores;
  cost.instructions = own.instructions;
  cost.warpCycles = cyclesOfWarp(counts, cyclesPerInstruction(chip));
  cost.waves = countWaves(blocks * schedule.warps,
                          cost.blocksPerSM * schedule.warps * chip.numSMs);
  cost.total =
      chip.launchOverhead + cost.waves * cost.warpCycles / chip.clockHz;
  return cost;
}

bool CostPrediction::findOccupancy() {
  // Where there are no more registers, ptxas manages with fewer than it would
  // take, and needs some to move values.
  constexpr int64_t slack = 16;
  int64_t warps = allocatedWarps(schedule.warps, schedule.producers);
  int64_t most = registersByWarps(warps, chip), least = thread.countRegisters();
  cost.registers = std::min(
      thread.work().live +
          ownRegisters(StitchSplit::axisOf(group, schedule).has_value()),
      most);
  int64_t maxBlocks = blocksByThreads(cost.registers, warps, chip);
  cost.sharedMemory =
      sharedToFit(group, schedule, passes, chip, maxBlocks,
                  [&](const StitchTensor &result) {
                    return steps.turned(group, schedule, result);
                  });
  if (least + least / slack > most ||
      cost.sharedMemory > chip.sharedMemoryPerBlock)
    return false;
  cost.blocksPerSM =
      std::min(maxBlocks, blocksByShared(cost.sharedMemory, chip));
  if (cost.blocksPerSM == 0)
    return false;
  // Sums and powers of a polynomial, next to its argument.
  int64_t ofPolynomials = work.hasPolynomials ? 8 : 0;
  constexpr int64_t promised = 4;
  cost.promisedBlocks = std::clamp<int64_t>(
      warpsByRegisters(cost.registers + cost.registers / promised +
                           thread.work().held + ofPolynomials,
                       chip) /
          warps,
      1, cost.blocksPerSM);
  return true;
}

void CostPrediction::addWarps() {
  cost.waves = llvm::divideCeil(
      blocks, chip.residentBlocks(cost.blocksPerSM, clusterSize(schedule)));
  // One warp's steps: its loads, then what depends on them, pass by pass.
  warp = secondsOfWarp(
      schedule, passes.count, passes.countLoading(), thread.work(),
      exchangesOfCluster(group, schedule), countChained(group, work, schedule),
      std::min(cost.blocksPerSM, blocksOnBusiest()) * schedule.warps, chip);
  cost.latency = cost.waves * warp.with(/*transfer=*/0);
  cost.issue =
      secondsOfIssue(thread.work(), blocksOnBusiest(), schedule.warps, chip);
  // All warps of a wave issue their instructions.
  warp.alone +=
      std::max(0.0, cost.issue / cost.waves - warp.with(/*transfer=*/0));
  cost.instructions = thread.work().instructions;
}

void CostPrediction::addMemory() {
  StitchTraffic traffic = countTraffic(group, schedule, passes);
  double bytes = traffic.loaded + traffic.stored;
  double beside = bytesBeside() + traffic.between;
  cost.sectors = (bytes - traffic.alike + beside) / kSectorBytes;
  // Rows that are too long for a block are read from DRAM again.
  double ofOperands = bytes - traffic.repeated - traffic.exchanged,
         again =
             std::max(0.0, ofOperands - traffic.beside - work.compulsoryBytes);
  // Partial results that blocks cannot discard are written to DRAM.
  std::optional<StitchSplit> split;
  if (StitchSplit::axisOf(group, schedule)) {
    split.emplace(group, schedule);
    again += std::max(split->bytesBeyond(group, chip.l2Bytes),
                      split->bytesWrittenBack(group, schedule));
  }
  cost.compulsory = work.compulsoryBytes;
  cost.moved = std::max(ofOperands, cost.compulsory + again);
  bytes -= bytesFromL1(traffic);
  cost.memory =
      std::max((work.compulsoryBytes + again) / chip.dramBytesPerSecond,
               (bytes + beside) / chip.l2BytesPerSecond);
  cost.traffic = (bytes + beside) / chip.l2BytesPerSecond;
  // What the busiest SM moves, however few of them have a block.
  double clock = 1 / chip.clockHz;
  double port = double(blocksOnBusiest()) * (bytes + beside) / blocks * clock /
                chip.l2BytesPerClockPerSM;
  cost.issue = std::max(cost.issue, port);
  // Blocks of a single wave compute at the same time.
  double apart =
      cost.waves > 1 ? cost.waves * warp.alone / cost.blocksPerSM : 0;
  double loads =
      std::max(work.inputBytes / chip.dramBytesPerSecond,
               std::max(cost.memory, port) * traffic.loaded /
                   std::max<double>(1, traffic.loaded + traffic.stored));
  cost.total = secondsOfKernel(
      {cost.memory, port, cost.issue, cost.latency, loads, apart, warp}, chip);
  // Then the last blocks reduce the partial results.
  if (split)
    cost.total +=
        RoundCosts(group, schedule, *split, chip).seconds(schedule.fanIn);
}

double CostPrediction::bytesBeside() const {
  /// What all tensors of one shape have in common.
  struct Sectors {
    double whole = 0;
    std::optional<double> ofLoad, ofStore;
    int64_t tiles = 1; ///< of other axes
  };
  SmallVector<Sectors, 8> sectors;
  for (const StitchTensor *tensor : work.shapes) {
    Sectors &own = sectors.emplace_back();
    own.whole = wholeSectors(group, schedule, *tensor);
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      if (group.components[axis] == tensor->component &&
          !llvm::is_contained(tensor->axes, axis))
        own.tiles *= countTiles(group, schedule, axis);
  }
  double beside = 0;
  auto add = [&](const StitchTensor &tensor, unsigned shape, bool isStored) {
    double bytes = bytesOf(tensor);
    Sectors &own = sectors[shape];
    std::optional<double> &ofAccess = isStored ? own.ofStore : own.ofLoad;
    if (!ofAccess)
      ofAccess =
          sectorsOfAccess(group, schedule, *work.shapes[shape], isStored);
    beside += bytes * (own.whole - 1);
    // Each block that has a tile of other axes moves them again.
    if (*ofAccess > own.whole)
      beside += bytes * own.tiles * (*ofAccess - own.whole);
  };
  for (auto [tensor, shape] : llvm::zip_equal(group.inputs, work.inputShapes))
    add(tensor, shape, /*isStored=*/false);
  for (auto [tensor, shape] : llvm::zip_equal(group.results, work.resultShapes))
    add(tensor, shape, /*isStored=*/true);
  return beside;
}

int64_t CostPrediction::bytesFromL1(const StitchTraffic &traffic) const {
  int64_t own = 0;
  bool isPast = schedule.evictFirst;
  for (const StitchTensor &tensor : group.inputs)
    if (tensor.isRepeated)
      own += bytesOf(tensor);
    else
      isPast &= isEvictFirst(schedule, tensor);
  // Without evict-first accesses, L1 needs room for all that its SM loads.
  int64_t needed = own;
  if (!isPast)
    needed += llvm::divideCeil(traffic.loaded - traffic.repeated,
                               int64_t(chip.numSMs));
  int64_t resident = std::min(cost.blocksPerSM, blocksOnBusiest());
  auto hasRoom = [&](int64_t shared) {
    return needed <=
           chip.sharedMemoryPerSM -
               resident * (shared + int64_t(chip.sharedMemoryReserved));
  };
  // Exact counts of what compositions exchange would take most of the time.
  if (!hasRoom(cost.sharedMemory) &&
      (!schedule.compositions.empty() ||
       !hasRoom(countShared(group, schedule, passes))))
    return 0;
  return std::max<int64_t>(0, traffic.repeated -
                                  own * std::min<int64_t>(blocks, chip.numSMs));
}

/// Returns the steps of a schedule, from `memo` if it has them.
static StitchSteps &stepsOf(const StitchGroup &group, const StitchWork &work,
                            const StitchSchedule &schedule, StitchMemo &memo) {
  if (!memo.last || !memo.last->areOf(schedule)) {
    memo.last = std::make_unique<StitchSteps>(group, work, schedule);
    if (const StitchMemo *other = memo.withoutCompositions)
      if (other->last && other->last->key == memo.last->key)
        memo.last->transposedBytes = other->last->transposedBytes;
  }
  return *memo.last;
}

std::optional<StitchCost>
fusion::predictStitching(const StitchGroup &group, const StitchWork &work,
                         const StitchSchedule &schedule, const ChipInfo &chip,
                         StitchMemo *memo) {
  if (chip.isCpu())
    return predictStitchingCpu(group, work, schedule, chip);
  StitchMemo own;
  StitchSteps &steps = stepsOf(group, work, schedule, memo ? *memo : own);
  return CostPrediction(group, work, schedule, chip, steps).predict();
}

std::optional<StitchCost> fusion::predictPrinted(const StitchGroup &group,
                                                 const StitchWork &work,
                                                 const StitchSchedule &schedule,
                                                 const ChipInfo &chip,
                                                 StitchMemo *memo) {
  StitchMemo own;
  StitchSteps &steps = stepsOf(group, work, schedule, memo ? *memo : own);
  return CostPrediction(group, work, schedule, chip, steps).predictPrinted();
}
