//===- StitchCost.cpp - The latency evaluator of stitched groups ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCost.h"
#include "StitchSectors.h"
#include "StitchThreads.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "fusion/Support/CacheLine.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

/// Returns the bytes of a tensor's elements, without padding.
static int64_t bytesOf(const StitchTensor &tensor) {
  int64_t bytes = tensor.elementBytes;
  for (auto [first, beyond] : tensor.inside)
    bytes *= beyond - first;
  return bytes;
}

unsigned StitchWork::spaceOf(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> ascending(axes);
  llvm::sort(ascending);
  auto *known = llvm::find(spaces, ascending);
  if (known == spaces.end())
    known = spaces.insert(known, ascending);
  return known - spaces.begin();
}

unsigned StitchWork::shapeOf(const StitchTensor &tensor) {
  auto typeOf = [](const StitchTensor &each) {
    return getElementTypeOrSelf(each.value);
  };
  auto *known = llvm::find_if(shapes, [&](const StitchTensor *other) {
    return other->axes == tensor.axes && other->strides == tensor.strides &&
           other->component == tensor.component && other->unit == tensor.unit &&
           other->alignment == tensor.alignment &&
           other->isGathered == tensor.isGathered &&
           other->gatheredRun == tensor.gatheredRun &&
           other->isInPhase == tensor.isInPhase &&
           typeOf(*other) == typeOf(tensor);
  });
  if (known == shapes.end())
    known = shapes.insert(known, &tensor);
  return known - shapes.begin();
}

StitchWork StitchWork::of(const StitchGroup &group,
                          const StitchSchedule &schedule) {
  if (!schedule.serialLoop)
    return StitchWork(group);
  return StitchWork(group, schedule.serialLoop->axis,
                    StitchSplit::besideSerialLoop(group, schedule));
}

StitchWork::StitchWork(const StitchGroup &group, std::optional<unsigned> walk,
                       std::optional<unsigned> split, bool hasOtherForms)
    : once(group, std::nullopt) {
  lastRead.assign(group.inputs.size(), 0);
  SmallVector<unsigned> depths;
  for (auto [number, constOp] : llvm::enumerate(group.operators())) {
    linalg::LinalgOp op = constOp;
    Operator &entry = operators.emplace_back();
    entry.axes.assign(group.loops[number].begin(), group.loops[number].end());
    entry.resultAxes = group.resultAxes(number);
    entry.space = spaceOf(entry.axes);
    entry.resultSpace = spaceOf(entry.resultAxes);
    entry.work = group.about(number).work;
    hasPolynomials |= group.about(number).hasPolynomials;
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    entry.bytes = element.isIntOrFloat()
                      ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
                      : 8;
    entry.lastUse = number;
    unsigned depth = 0;
    const StitchGroup::Sources &sources = group.sources[number];
    for (unsigned maker : sources.operators) {
      operators[maker].lastUse = number;
      depth = std::max(depth, depths[maker]);
    }
    for (unsigned input : sources.inputs)
      lastRead[input] = number;
    depths.push_back(depth + group.reductions[number].has_value());
    chained = std::max(chained, depths.back());
  }
  for (const StitchTensor &tensor : group.inputs) {
    inputSpaces.push_back(spaceOf(tensor.axes));
    inputShapes.push_back(shapeOf(tensor));
  }
  for (const StitchTensor &tensor : group.results) {
    resultSpaces.push_back(spaceOf(tensor.axes));
    resultShapes.push_back(shapeOf(tensor));
  }
  SmallVector<int64_t> along(group.axes.size(), 0);
  for (const StitchTensor &tensor : group.inputs) {
    compulsoryBytes += bytesOf(tensor);
    for (unsigned axis : tensor.axes)
      along[axis] += bytesOf(tensor);
  }
  for (const StitchTensor &tensor : group.results)
    compulsoryBytes += bytesOf(tensor);
  std::optional<unsigned> longest = walk;
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (!walk && axis.isReduced &&
        (!longest || along[number] > along[*longest]))
      longest = number;
  if (!longest)
    return;
  serialAxis.emplace(group, longest, /*isOnline=*/false, split);
  if (serialAxis->count == 1 || !hasOtherForms)
    return;
  online.emplace(group, longest, /*isOnline=*/true, split);
  whyNotOnline = online->whyNotOnline;
  if (!online->isOnline())
    online.reset();
  // Without expensive operators both retain the same values.
  if (!hasPolynomials && llvm::none_of(operators, [](const Operator &op) {
        return op.work.special > 0;
      }))
    return;
  expensive.emplace(group, longest, /*isOnline=*/false, split,
                    /*retainsExpensive=*/true);
  if (expensive->isRetained == serialAxis->isRetained &&
      expensive->isRetainedInput == serialAxis->isRetainedInput)
    expensive.reset();
}

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
  return std::min<int64_t>({chip.maxBlocksPerSM, chip.maxWarpsPerSM / warps,
                            warpsByRegisters(registers, chip) / warps});
}

double fusion::secondsOfWaits(const StitchSchedule &schedule, unsigned passes,
                              const ChipInfo &chip) {
  double waits = schedule.countSerialPasses() *
                 (chip.dramLatency + (passes - 1) * chip.l2Latency);
  // A step of a loop waits for its own loads, which are from memory in the
  // first pass.
  if (schedule.serialLoop)
    waits += (schedule.countSteps() - schedule.serialLoop->registerSteps -
              schedule.serialLoop->sharedSteps) *
                 (chip.dramLatency + (passes - 1) * chip.l2Latency) +
             schedule.countSerialPasses() * schedule.serialLoop->sharedSteps *
                 chip.dramLatency;
  return waits;
}

double fusion::secondsOfWarp(const StitchSchedule &schedule, unsigned passes,
                             const ThreadWork &work, int64_t clusterExchanges,
                             int64_t chained, const ChipInfo &chip) {
  double clock = 1 / chip.clockHz;
  double busy = work.loads * clock + work.instructions * clock +
                work.exchanges * 2 * chip.barrierLatency +
                clusterExchanges * 2 * chip.clusterLatency +
                chained * 10 * chip.fmaCycles * clock;
  double waits = secondsOfWaits(schedule, passes, chip);
  if (!schedule.serialLoop || schedule.serialLoop->stages == 1)
    return waits + busy;
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
  if (schedule.serialLoop->usesTMA)
    busy += steps * (schedule.producers > 0 ? 1 : 2) * chip.sharedLatency;
  return waits - apart + std::max(0.0, together - busy / passes) + busy;
}

/// Returns the work of a thread to prefetch a step, next to its loads. It
/// issues each copy, or waits for what one thread had copied, reads the data
/// back, and counts the stages.
static ThreadWork workOfCopies(const StitchGroup &group,
                               const StitchSchedule &schedule,
                               const StitchPasses &passes) {
  ThreadWork work;
  if (!schedule.serialLoop || schedule.serialLoop->stages == 1)
    return work;
  // A step has counters of stages, their addresses, the wait and the commit. An
  // mbarrier has its phase, the wait, and the warp's arrival when it has read.
  constexpr int64_t ofStep = 16, ofBarrier = 16;
  work.instructions = ofStep;
  for (unsigned input : passes.steps.front().inputs) {
    const StitchTensor &tensor = group.inputs[input];
    std::optional<int64_t> bytes = bytesOfCopies(group, schedule, tensor);
    if (!bytes)
      continue;
    int64_t own = elementsOf(schedule, tensor.axes) * tensor.elementBytes,
            copies = llvm::divideCeil(own, *bytes);
    double lines = double(own) * kWarpSize / kLineBytes;
    bool usesTMA = isCopiedByTMA(group, schedule, tensor),
         isRetained = passes.isRetainedInput[input];
    // Retained inputs are written there, and read back, in any case.
    work.instructions += isRetained ? 0 : 2 * copies;
    work.lines += isRetained ? 0 : 2 * lines;
    // No thread writes the boxes that TMA copies bring.
    if (usesTMA) {
      work.instructions += ofBarrier - copies;
      work.lines -= isRetained ? 0 : lines;
    }
  }
  return work;
}

double fusion::secondsOfIssue(const ThreadWork &work, int64_t blocksOnBusiest,
                              int64_t warps, const ChipInfo &chip) {
  double clock = 1 / chip.clockHz;
  return double(blocksOnBusiest * warps) *
         std::max<double>(
             {work.instructions / double(kSubPartitions),
              work.special * kWarpSize / double(chip.specialPerClockPerSM),
              work.lines}) *
         clock;
}

double fusion::secondsOfKernel(double memory, double port, double issue,
                               double latency, int64_t blocksPerSM,
                               const ChipInfo &chip) {
  double busy = std::max({memory, issue, latency});
  return chip.launchOverhead + chip.dramLatency +
         std::max(busy, std::max(memory, port) + latency / blocksPerSM);
}

int64_t fusion::countChained(const StitchGroup &group, const StitchWork &work,
                             const StitchSchedule &schedule) {
  return work.chained *
         (isPersistent(group, schedule) ? schedule.countSteps() : 1);
}

static double secondsOfRounds(const StitchGroup &group,
                              const StitchSchedule &schedule,
                              const StitchSplit &split, const ChipInfo &chip) {
  int64_t serialAxis = StitchSplit::besideSerialLoop(group, schedule)
                           ? schedule.countSteps()
                           : 1;
  double bytes = split.bytesOfPartial(group), seconds = 0;
  int64_t lines = 0;
  for (auto [op, isPartial] : llvm::enumerate(split.isPartial))
    if (isPartial)
      lines += split.countPrivateLines(group, schedule, op);
  for (const StitchSplit::Round &round : split.rounds) {
    double steps = llvm::divideCeil(round.most, round.step()) * serialAxis;
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
    seconds += secondsOfParts(steps, chip) + loaded + discarded;
  }
  return seconds;
}

double fusion::secondsOfRounds(const StitchGroup &group,
                               const StitchSchedule &schedule,
                               const ChipInfo &chip) {
  return ::secondsOfRounds(group, schedule, StitchSplit(group, schedule), chip);
}

StitchMemo::StitchMemo() = default;
StitchMemo::~StitchMemo() = default;

std::optional<StitchCost>
fusion::predictStitching(const StitchGroup &group, const StitchWork &work,
                         const StitchSchedule &schedule, const ChipInfo &chip,
                         StitchMemo *memo) {
  const StitchPasses &passes = work.passesOf(schedule);
  StitchMemo own;
  std::unique_ptr<StitchSteps> &known = memo ? memo->last : own.last;
  if (!known || known->key != StitchSteps::keyOf(schedule))
    known = std::make_unique<StitchSteps>(group, work, schedule);
  const ThreadCounter &counter = known->counter;
  StitchCost cost;
  ThreadWork total;
  auto add = [&](const ThreadWork &part, int64_t times) {
    total.instructions += part.instructions * times;
    total.special += part.special * times;
    total.loads += part.loads * times;
    total.exchanges += part.exchanges * times;
    total.lines += part.lines * times;
    total.live = std::max(total.live, part.live);
    total.held = std::max(total.held, part.held);
  };
  // Registers that ptxas takes in addition. In straight-line code, all vectors
  // that the steps load for other lanes are in flight at once. The loads of
  // steps that retain nothing are in flight as well. The compiler spills where
  // there is no room for them. In a loop, one step's vectors for other lanes
  // are in flight. It also holds the addresses of all accesses across the ends
  // of rows. Outside of clusters, two steps have such accesses.
  int64_t ofAllSteps = 0, ofBorders = 0, ofCopies = 0;
  const StitchSteps::Passes &counted = known->passesOf(group, work, passes);
  int64_t walks = schedule.countSerialPasses();
  add(counted.once, walks);
  if (schedule.serialLoop) {
    int64_t steps = schedule.countSteps(),
            retainedSteps = schedule.retainedSteps();
    int64_t inStep = 0, behind = 0, ofOneStep = 0, held = 0;
    bool isSplit = StitchSplit::axisOf(group, schedule) == passes.axis;
    for (const StitchSteps::Pass &pass : counted.passes) {
      behind = std::max(behind, pass.step.behind);
      ofOneStep = std::max({ofOneStep, pass.step.behind, pass.again.behind});
      if (isSplit)
        behind = std::max(behind, pass.ahead);
      held = std::max(held, pass.step.held);
      add(pass.step, retainedSteps * walks);

      if (steps > retainedSteps)
        add(pass.again, steps - retainedSteps);
      // Running results are rescaled in every step, and once at the end.
      add(pass.corrections, (steps + 1) * walks);
      inStep = std::max({inStep, pass.step.live + pass.corrected,
                         pass.again.live + pass.corrected});
      if (isPersistent(group, schedule))
        inStep += counted.outside;
      // In straight-line code the next step's loads are in flight.
      if (schedule.serialLoop->registerSteps > 1)
        inStep = std::max(inStep, pass.step.live + pass.corrected + pass.ahead);
    }
    add(workOfCopies(group, schedule, passes),
        passes.count > 1 ? schedule.serialLoop->sharedSteps * walks : steps);
    // Sums over rows have a place of their own in every step.
    int64_t sums = schedule.splitLoop ? counted.parts : 0;
    total.instructions += (counted.words + sums) *
                          schedule.serialLoop->sharedSteps * walks * 2 / 4;
    total.live =
        std::max(counted.once.live, inStep) + counted.accumulators +
        (counted.inRegisters + sums) * schedule.serialLoop->registerSteps;
    ofAllSteps =
        std::max(ofOneStep, behind * schedule.serialLoop->registerSteps);
    auto [first, beyond] = wholeSteps(group, schedule);
    int64_t inside =
        std::min(beyond, schedule.serialLoop->registerSteps) - first;
    constexpr int64_t ends = 2;
    ofBorders =
        held * std::max<int64_t>(0, schedule.serialLoop->registerSteps -
                                        std::max<int64_t>(0, inside) - ends);
    // A block of a cluster knows where it is by its number alone. For this
    // ptxas takes up to three more registers for each step that registers
    // retain, and one for each copy in flight when the loop begins.
    constexpr int64_t ofStepInCluster = 3;
    if (clusterSize(schedule) > 1) {
      ofBorders =
          std::max(ofBorders + ofAllSteps,
                   ofStepInCluster * schedule.serialLoop->registerSteps) -
          ofAllSteps;
      ofCopies = schedule.serialLoop->stages - 1;
    }
  }
  // Stores, through shared memory where that makes neighbours contiguous, and
  // the neighbours' sectors that blocks move.
  double beside = 0;
  int64_t ofTurned = 0; ///< registers: the addresses written and read
  /// Counts that all tensors of one shape have in common.
  struct Sectors {
    double whole = 0;
    std::optional<double> ofLoad, ofStore;
    int64_t tiles = 1; ///< of other axes
    bool isTransposed = false;
    std::optional<TileAccess> stores;
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
  auto addBeside = [&](const StitchTensor &tensor, unsigned shape,
                       bool isStored) {
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
    addBeside(tensor, shape, /*isStored=*/false);
  for (auto [tensor, space, shape] :
       llvm::zip_equal(group.results, work.resultSpaces, work.resultShapes)) {
    int64_t steps = 1;
    if (passes.axis && llvm::is_contained(tensor.axes, *passes.axis))
      steps = schedule.countSteps();
    if (schedule.splitLoop &&
        llvm::is_contained(tensor.axes, schedule.splitLoop->axis))
      steps *= walks;
    addBeside(tensor, shape, /*isStored=*/true);
    Sectors &own = sectors[shape];
    if (!own.stores) {
      own.isTransposed = countTransposed(group, schedule, tensor) > 0;
      own.stores = TileAccess::ofStores(group, schedule, tensor,
                                        counter.elementsIn(space));
    }
    if (own.isTransposed) {
      ofTurned = 2;
      total.instructions += 4 * steps * counter.elementsIn(space);
      continue;
    }
    const TileAccess &access = *own.stores;
    total.lines += steps * access.lines;
    total.instructions += steps * access.moves;
  }
  // Where there are no more registers, ptxas manages with fewer than it would
  // take, and needs some to move values.
  constexpr int64_t slack = 16;
  int64_t warps = allocatedWarps(schedule.warps, schedule.producers);
  int64_t most = registersByWarps(warps, chip),
          least = total.live + total.held + ofTurned + ofAllSteps + ofBorders +
                  ofCopies + minOwnRegisters(group);
  cost.registers = std::min(total.live + kOwnRegisters, most);
  int64_t maxBlocks = blocksByThreads(cost.registers, warps, chip);
  cost.sharedMemory =
      sharedToFit(group, schedule, passes, chip, maxBlocks,
                  [&](const StitchTensor &result) {
                    return known->turned(group, schedule, result);
                  });
  if (least + least / slack > most ||
      cost.sharedMemory > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM =
      std::min(maxBlocks, blocksByShared(cost.sharedMemory, chip));
  if (cost.blocksPerSM == 0)
    return std::nullopt;
  // Sums and powers of a polynomial, next to its argument.
  int64_t ofPolynomials = work.hasPolynomials ? 8 : 0;
  constexpr int64_t promised = 4;
  cost.promisedBlocks = std::clamp<int64_t>(
      warpsByRegisters(cost.registers + cost.registers / promised + total.held +
                           ofPolynomials,
                       chip) /
          warps,
      1, cost.blocksPerSM);

  int64_t blocks = countBlocks(group, schedule);
  int64_t inCluster = clusterSize(schedule);
  cost.waves = llvm::divideCeil(
      blocks, chip.residentBlocks(cost.blocksPerSM, inCluster));
  double clock = 1 / chip.clockHz;
  // One warp's steps: its loads, then what depends on them, pass by pass.
  cost.latency =
      cost.waves * secondsOfWarp(schedule, passes.count, total,
                                 exchangesOfCluster(group, schedule),
                                 countChained(group, work, schedule), chip);
  int64_t onBusiest = llvm::divideCeil(blocks, chip.usableSMs(inCluster));
  double share = double(onBusiest);
  cost.issue = secondsOfIssue(total, onBusiest, schedule.warps, chip);
  cost.instructions = total.instructions;
  StitchTraffic traffic = countTraffic(group, schedule, passes);
  double bytes = traffic.loaded + traffic.stored;
  beside += traffic.between;
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
  // Data that blocks load again stays in the L1 only if all data that is used
  // once is evicted first, and if there is room.
  if (schedule.evictFirst) {
    int64_t own = 0;
    bool isPast = true;
    for (const StitchTensor &tensor : group.inputs)
      if (tensor.isRepeated)
        own += bytesOf(tensor);
      else
        isPast &= isEvictFirst(schedule, tensor);
    auto hasRoom = [&](int64_t shared) {
      return own <= chip.sharedMemoryPerSM -
                        cost.blocksPerSM *
                            (shared + int64_t(chip.sharedMemoryReserved));
    };
    if (isPast && (hasRoom(cost.sharedMemory) ||
                   hasRoom(countShared(group, schedule, passes))))
      bytes -= std::max<int64_t>(
          0, traffic.repeated - own * std::min<int64_t>(blocks, chip.numSMs));
  }
  cost.memory =
      std::max((work.compulsoryBytes + again) / chip.dramBytesPerSecond,
               (bytes + beside) / chip.l2BytesPerSecond);
  cost.traffic = (bytes + beside) / chip.l2BytesPerSecond;
  // What the busiest SM moves, however few of them have a block.
  double port =
      share * (bytes + beside) / blocks * clock / chip.l2BytesPerClockPerSM;
  cost.issue = std::max(cost.issue, port);
  cost.total = secondsOfKernel(cost.memory, port, cost.issue, cost.latency,
                               cost.blocksPerSM, chip);
  // Then the last blocks reduce the partial results.
  if (split)
    cost.total += ::secondsOfRounds(group, schedule, *split, chip);
  return cost;
}
