//===- CandidateEvaluator.cpp - Candidates completed and evaluated --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CandidateEvaluator.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

void CandidateEvaluator::reject(std::string reason) {
  looked.reject(reason, /*isRetained=*/options.ranked > 1);
  lastReason = std::move(reason);
}

/// Counts a schedule that was checked. Returns whether it can be lowered and is
/// likely to run without spills.
bool CandidateEvaluator::accepts(const Schedule &schedule,
                                 std::optional<std::string> reason) {
  // Schedules that are drawn to test lowering may use all registers of a
  // thread.
  if (!reason && !options.randomSeed &&
      !hasRegisterRoom(schedule, checker.footprint(), chip))
    reason = kNoRegisterRoom.str();
  if (reason) {
    reject(std::move(*reason));
    return false;
  }
  ++looked.legal;
  return true;
}

double CandidateEvaluator::take(const Schedule &schedule,
                                const ScheduleCandidate &candidate,
                                const Cost &throughput, Take take) {
  Cost cost = predictCost(group, schedule, checker.footprint(), chip,
                          throughput, &memo);
  double seconds = cost.total;
  if (!hasBounds())
    seconds = predictSeconds(options.model, group, schedule, chip, lastReason)
                  .value_or(kNever);
  take({schedule, checker.footprint(), cost, seconds, candidate});
  return seconds;
}

/// Chooses stages of buffers and fragments, and producer warps, for fixed
/// loops, tiles, warps and transports, which already decide what blocks move
/// and compute.
class CandidateEvaluator::Stages {
public:
  Stages(CandidateEvaluator &evaluator, Schedule &schedule,
         ScheduleCandidate &candidate, ArrayRef<PipelinedLoop> loops,
         const Cost &throughput, Take take, bool takesTimes)
      : evaluator(evaluator), schedule(schedule), candidate(candidate),
        loops(loops), throughput(throughput), take(take),
        takesTimes(takesTimes), least(evaluator.checker.footprint()),
        isOverlapped(schedule.overlapsIterations()) {
    for (const PipelinedLoop &loop : loops)
      counts.push_back(countDepths(loop));
    findSums();
  }
  ~Stages() {
    for (unsigned number : sums)
      schedule.contractions[number].stages = 1;
  }

  /// Returns whether some number of stages may be faster than the limit.
  /// Assumes the deepest stages, without the barriers that a loop with one
  /// stage does not have, and as many resident blocks of an SM as one stage
  /// leaves room for, or any fewer. More blocks may take longer, as all run in
  /// whole waves.
  bool mayBeFaster(double limit) {
    Footprint held = least;
    Depths deepest;
    for (unsigned count : counts)
      deepest.push_back(count - 1);
    set(deepest);
    const ChipInfo &chip = evaluator.chip;
    // A block's barriers, with releases by others of its cluster, and TMA
    // copies that producers would issue.
    double barriers = 0, iterationsOfAll = 0;
    double release = schedule.cluster > 1 ? chip.remoteArrivalLatency : 0;
    for (const PipelinedLoop &loop : loops) {
      double iterations = 1;
      for (unsigned axis : loop.axes)
        iterations *= sequentialTrips(evaluator.group, schedule, axis);
      barriers += iterations * chip.barrierLatency + (iterations + 1) * release;
      iterationsOfAll += iterations;
    }
    auto copies = llvm::count_if(schedule.places, [](const auto &place) {
      return place.transport == fuse::Transport::TMA;
    });
    int64_t blocks = blocksPerSM(schedule, held, chip);
    // All numbers of blocks that hold the whole grid take equally long.
    while (blocks > 1 &&
           residentSlots(schedule, blocks - 1, chip) >= held.blocks)
      --blocks;
    for (; blocks > 0; --blocks) {
      held.sharedMemory =
          chip.sharedMemoryPerSM / blocks - chip.sharedMemoryReserved;
      for (unsigned registers = evaluator.options.maxRegisterStages;
           registers > 0; --registers) {
        setRegisterStages(registers);
        Cost cost = predictCost(evaluator.group, schedule, held, chip,
                                throughput, &evaluator.memo);
        double warps = double(schedule.warps) * blocks,
               copying = iterationsOfAll * copies * kTMAInstructions *
                         cost.waves / chip.clockHz;
        double pipeline = cost.pipeline - barriers * cost.waves -
                          copying * chip.cyclesOfInstruction(warps);
        cost.issue =
            std::max(0.0, cost.issue - copying * warps / kSubPartitions);
        if (cost.launch + cost.splitReduction +
                std::max(cost.busiest(), pipeline) +
                kExposedIssue * cost.issue <
            limit)
          return true;
      }
    }
    return false;
  }

  /// Returns whether `mayBeFaster` also bounds schedules with producer warps
  /// and as many tiles for each block. In nested loops producers load the inner
  /// loop's first tiles earlier; otherwise they save the barriers alone.
  bool boundsProducers() const {
    return llvm::all_of(
        loops, [](const PipelinedLoop &loop) { return loop.axes.size() == 1; });
  }

  /// Returns whether TMA copies, which producer warps could issue, fill stages
  /// of some loop.
  bool hasWorkForProducers() const { return isAhead(counts, 1); }

  /// Evaluates numbers of stages for buffers, with `registers` stages of
  /// fragments. First all loops have the same number. Then one loop has another
  /// number, and one loop has more where another has fewer, as long as that is
  /// faster. Each loop has a trip count of its own, and bytes that a stage
  /// takes.
  ///
  /// A model without bounds may get slower and faster again with more stages,
  /// as ALCOP's printed one does where its two branches meet: with few loops
  /// all combinations are tried. Where only times are asked for, of the stages
  /// of one loop with as many resident blocks the deepest are evaluated alone:
  /// no others are faster. `ofOne` is the predicted time in seconds with
  /// one stage, where it is known; producers have nothing to do then.
  void rate(unsigned registers, std::optional<double> ofOne) {
    setRegisterStages(registers);
    Depths best(loops.size(), 0);
    double seconds = ofOne.value_or(kNever);
    unsigned most = counts.empty() ? 1 : *llvm::max_element(counts);
    bool isKnown = ofOne || schedule.producerWarps > 0 || isOverlapped;
    bool isDeepest = takesTimes && evaluator.hasBounds() && loops.size() < 2;
    // What fits, but is not evaluated yet, and its resident blocks.
    Depths fitting;
    int64_t blocks = 0;
    for (unsigned depth = isKnown ? 1 : 0; depth < most; ++depth) {
      Depths common;
      for (unsigned count : counts)
        common.push_back(std::min(depth, count - 1));
      if (!isDeepest || depth == 0) {
        if (!tryDepths(common, best, seconds))
          break; // more would not fit either
        continue;
      }
      Room room = findRoom(common);
      if (room == Room::None)
        break;
      if (room == Room::Unused)
        continue;
      int64_t own =
          blocksPerSM(schedule, evaluator.checker.footprint(), evaluator.chip);
      if (blocks > 0 && blocks != own)
        takeAgain(fitting, best, seconds);
      fitting = common;
      blocks = own;
    }
    if (blocks > 0)
      takeAgain(fitting, best, seconds);
    if (loops.size() < 2)
      return;
    constexpr unsigned maxTried = 512;
    unsigned combinations = 1;
    for (unsigned count : counts)
      combinations = std::min(maxTried + 1, combinations * count);
    if (!evaluator.hasBounds() && combinations <= maxTried)
      return tryAll(Depths(loops.size(), 0), 0, best, seconds);
    double before;
    do {
      before = seconds;
      for (unsigned loop = 0; loop < loops.size(); ++loop) {
        Depths other = best;
        for (unsigned depth = 0; depth < counts[loop]; ++depth) {
          other[loop] = depth;
          if (depth != best[loop] && !tryDepths(other, best, seconds))
            break;
        }
      }
      for (unsigned more = 0; more < loops.size(); ++more)
        for (unsigned fewer = 0; fewer < loops.size(); ++fewer) {
          Depths other = best;
          if (more != fewer && ++other[more] < counts[more] &&
              other[fewer]-- > 0)
            tryDepths(other, best, seconds);
        }
    } while (seconds < before);
  }

private:
  /// By loop, of `ScheduleSpace::stages()`.
  using Depths = llvm::SmallVector<unsigned, 4>;

  /// Returns how many of the numbers of stages a loop may have, from one stage
  /// on. With one stage more than it has iterations, all of its loads are in
  /// flight before it; further stages would stay empty. Models without bounds
  /// do not see that.
  unsigned countDepths(const PipelinedLoop &loop) {
    ArrayRef<unsigned> depths = evaluator.space.stages();
    if (depths.size() < 2)
      return 1;
    ScheduleBuilder::setStages(schedule, depths[1], loop.loads);
    bool isLegal = !evaluator.checker.checkStages(schedule);
    ScheduleBuilder::setStages(schedule, 1, loop.loads);
    if (!isLegal)
      return 1;
    if (!evaluator.hasBounds())
      return depths.size();
    int64_t enough =
        sequentialTrips(evaluator.group, schedule, loop.axes.back()) + 1;
    return std::min<size_t>(
        llvm::lower_bound(depths, enough) - depths.begin() + 1, depths.size());
  }

  /// Returns whether TMA copies fill the buffers of some loop with more than
  /// `stages` stages.
  bool isAhead(ArrayRef<unsigned> depths, unsigned stages) const {
    return llvm::any_of(llvm::zip_equal(loops, depths), [&](const auto &loop) {
      return std::get<1>(loop) > stages &&
             llvm::any_of(std::get<0>(loop).loads, [&](unsigned tensor) {
               return schedule.places[tensor].transport == fuse::Transport::TMA;
             });
    });
  }

  void setRegisterStages(unsigned stages) {
    evaluator.space.build().setRegisterStages(schedule, stages);
    candidate.registerStages = stages;
  }
  void set(const Depths &depths) {
    candidate.stages = 1;
    for (auto [loop, depth] : llvm::zip_equal(loops, depths)) {
      unsigned stages = evaluator.space.stages()[depth];
      ScheduleBuilder::setStages(schedule, stages, loop.loads);
      candidate.stages = std::max(candidate.stages, stages);
    }
    evaluator.space.setSumsInFlight(schedule, sums);
  }

  /// Finds the contractions whose sums may stay in flight with several stages.
  void findSums() {
    if (llvm::none_of(counts, [](unsigned count) { return count > 1; }))
      return;
    Depths deepest;
    for (unsigned count : counts)
      deepest.push_back(count - 1);
    set(deepest);
    sums = evaluator.space.sumsInFlight(schedule);
  }

  /// Tries all numbers of stages of the loops from `loop` on.
  void tryAll(Depths depths, unsigned loop, Depths &best, double &seconds) {
    for (depths[loop] = 0; depths[loop] < counts[loop]; ++depths[loop]) {
      if (loop + 1 < loops.size())
        tryAll(depths, loop + 1, best, seconds);
      else if (!tryDepths(depths, best, seconds))
        break; // more would not fit either
    }
  }

  enum class Room : uint8_t { None, Enough, Unused };

  /// Sets the given stages. Returns whether there is room for them, and whether
  /// the schedule uses them.
  Room findRoom(const Depths &depths) {
    if (schedule.producerWarps > 0 && !isAhead(depths, 0))
      return Room::Unused;
    set(depths);
    if (whyOverlapStalls(evaluator.group, schedule))
      return Room::Unused;
    return evaluator.accepts(schedule, evaluator.checker.checkRoom(schedule))
               ? Room::Enough
               : Room::None;
  }

  /// Evaluates stages that fit, after others were set.
  void takeAgain(const Depths &depths, Depths &best, double &seconds) {
    set(depths);
    (void)evaluator.checker.checkRoom(schedule);
    takeDepths(depths, best, seconds);
  }

  /// Evaluates the given stages and keeps them in `best` if they are the
  /// fastest. Returns whether there is room for them.
  bool tryDepths(const Depths &depths, Depths &best, double &seconds) {
    Room room = findRoom(depths);
    if (room == Room::Enough)
      takeDepths(depths, best, seconds);
    return room != Room::None;
  }

  /// Evaluates the stages that are set, and keeps them in `best` if they are
  /// the fastest.
  void takeDepths(const Depths &depths, Depths &best, double &seconds) {
    double own = evaluator.take(schedule, candidate, throughput, take);
    if (own < seconds) {
      seconds = own;
      best = depths;
    }
  }

  CandidateEvaluator &evaluator;
  Schedule &schedule;
  ScheduleCandidate &candidate;
  ArrayRef<PipelinedLoop> loops;
  const Cost &throughput;
  Take take;
  bool takesTimes;
  Footprint least;                     ///< with one stage
  bool isOverlapped;                   ///< with another contraction
  Depths counts;                       ///< of each loop
  llvm::SmallVector<unsigned, 4> sums; ///< contractions, in flight if staged
};

/// Evaluates all stages of a schedule whose warps and transports are chosen,
/// and producer warps, if one of them may be faster than the limit.
void CandidateEvaluator::evaluateStages(Schedule &schedule,
                                        ScheduleCandidate &candidate,
                                        const Open &open,
                                        const Cost &throughput,
                                        int64_t &hopelessBlocks) {
  const MainloopPolicy *only = open.only;
  candidate.stages = candidate.registerStages = 1;
  if (std::optional<std::string> reason = checker.checkPlaces(schedule))
    return reject(std::move(*reason));
  // Cross-iteration overlap needs several stages, of which none is set yet.
  if (!schedule.overlapsIterations() && !accepts(schedule, std::nullopt))
    return;
  int64_t blocks = blocksPerSM(schedule, checker.footprint(), chip);
  if (blocks <= hopelessBlocks)
    return;
  bool isWithout = (!only || only->producers == 0) && !schedule.isPingPong;
  double ofOne = kNever;
  if (isWithout && !schedule.overlapsIterations())
    ofOne = take(schedule, candidate, throughput, open.take);
  if (seesTilesOnly(options.model))
    return;
  Stages stages(*this, schedule, candidate, open.loops, throughput, open.take,
                open.takesTimes);
  auto rate = [&](std::optional<double> ofOne) {
    if (hasBounds() && !stages.mayBeFaster(open.limit()))
      return false;
    for (unsigned registers = 1; registers <= options.maxRegisterStages;
         ++registers)
      stages.rate(registers, registers == 1 ? ofOne : std::nullopt);
    return true;
  };
  bool isHopeless = isWithout && !rate(ofOne);
  if (isHopeless)
    hopelessBlocks = blocks;
  // All warps of a cluster with a cross-block reduction meet at its barriers.
  if (space.producers().size() == 1 || schedule.splitInCluster ||
      !stages.hasWorkForProducers())
    return;
  bool isBounded = isHopeless && stages.boundsProducers();
  // Persistence gains nothing if each block has one tile anyway.
  bool mayStay =
      checker.footprint().blocks > chip.usableSMs(schedule.clusterBlocks());
  MainloopPolicy &policy = candidate.policy;
  for (unsigned producers : space.producers().drop_front()) {
    if (!space.mayProduce(producers, schedule.warps))
      continue;
    for (bool isPersistent : {false, true}) {
      if (isPersistent ? !mayStay || !ScheduleSpace::mayPersist(producers)
                       : isBounded)
        continue;
      if (only &&
          (only->producers != producers || only->isPersistent != isPersistent))
        continue;
      policy.producers = schedule.producerWarps = producers;
      policy.isPersistent = schedule.persistent = isPersistent;
      rate(std::nullopt);
    }
  }
  policy.producers = schedule.producerWarps = 0;
  policy.isPersistent = schedule.persistent = false;
}

/// Evaluates stages with cross-iteration overlap of the MMAs that allow it,
/// where that saves work.
void CandidateEvaluator::evaluateOverlaps(Schedule &schedule,
                                          ScheduleCandidate &candidate,
                                          const Open &open,
                                          const Cost &throughput) {
  auto enter = [&](bool overlaps) {
    candidate.policy.overlaps = overlaps;
    memo.clearWarps();
    return predictThroughput(group, schedule, checker.countTraffic(schedule),
                             chip, &memo);
  };
  ScheduleBuilder::setStages(schedule, 1, listPipelinedLoads(schedule));
  space.build().setRegisterStages(schedule, 1);
  if (!space.setOverlaps(schedule))
    return;
  Cost overlapped = enter(true);
  // Bounds do not carry over to other stages and producer warps: overlap takes
  // other registers.
  int64_t hopelessBlocks = 0;
  if (overlapped.compute < throughput.compute &&
      !(hasBounds() && overlapped.total >= open.limit()) &&
      !(open.only && open.only->isPingPong))
    evaluateStages(schedule, candidate, open, overlapped, hopelessBlocks);
  evaluatePingPong(schedule, candidate, open, overlapped);
  for (ContractionMapping &mapping : schedule.contractions)
    mapping.stages = 1;
  (void)enter(false);
}

/// Evaluates stages with ping-pong scheduling, where that saves work.
void CandidateEvaluator::evaluatePingPong(Schedule &schedule,
                                          ScheduleCandidate &candidate,
                                          const Open &open,
                                          const Cost &throughput) {
  if (space.producers().size() == 1 || schedule.splitInCluster ||
      (open.only && !open.only->isPingPong))
    return;
  auto enter = [&](bool isPingPong) {
    schedule.isPingPong = candidate.policy.isPingPong = isPingPong;
    return predictThroughput(group, schedule, checker.countTraffic(schedule),
                             chip, &memo);
  };
  if (whyNotPingPong(group, schedule))
    return;
  ScheduleBuilder::setStages(schedule, 1, listPipelinedLoads(schedule));
  space.build().setRegisterStages(schedule, 1);
  Cost inTurns = enter(true);
  int64_t hopelessBlocks = 0;
  if (inTurns.compute < throughput.compute &&
      !(hasBounds() && inTurns.total >= open.limit()))
    evaluateStages(schedule, candidate, open, inTurns, hopelessBlocks);
  (void)enter(false);
}

/// Evaluates a schedule whose warps are arranged, with all transports of its
/// operands.
void CandidateEvaluator::evaluateWarps(Schedule &schedule,
                                       ScheduleCandidate &candidate,
                                       const Open &open) {
  std::optional<Cost> throughput;
  bool isChecked = false, isBounded = false;
  // The resident blocks of an SM up to which no schedule with TMA copies is
  // faster than the limit. Schedules with copies by threads are not either, as
  // threads wait for more barriers; but these may leave room for more blocks.
  int64_t hopelessBlocks = 0;
  for (TensorSet usesTMA : open.transports) {
    if (usesTMA != 0)
      hopelessBlocks = 0;
    if (open.transports.size() > 1) {
      space.build().setTransports(schedule, usesTMA);
      ScheduleBuilder::setStages(schedule, 1, listPipelinedLoads(schedule));
      space.build().setRegisterStages(schedule, 1);
      memo.clearCopies();
    }
    candidate.policy.copied = usesTMA;
    // The bytes that a block of a cluster loads depend on the transports of all
    // operands.
    if (!throughput || schedule.cluster > 1) {
      if (open.transports.size() > 1 && schedule.cluster > 1)
        memo.clearFetches();
      throughput = predictThroughput(
          group, schedule, checker.countTraffic(schedule), chip, &memo);
      isBounded = hasBounds() && throughput->total >= open.limit();
      if (isBounded)
        ++looked.bounded;
    }
    bool isAlone = !open.only || !open.only->overlaps,
         mayOverlap = space.mayOverlap() && (!open.only || open.only->overlaps);
    if (isBounded && !space.mayOverlap())
      continue;
    if (!std::exchange(isChecked, true))
      if (std::optional<std::string> reason = checker.checkWarps(schedule))
        return reject(std::move(*reason));
    if (!isBounded && isAlone && !(open.only && open.only->isPingPong))
      evaluateStages(schedule, candidate, open, *throughput, hopelessBlocks);
    if (isAlone && space.mayOverlap())
      evaluatePingPong(schedule, candidate, open, *throughput);
    if (mayOverlap)
      evaluateOverlaps(schedule, candidate, open, *throughput);
  }
}

/// Returns the sets of operands to copy by TMA: all operands that TMA can copy,
/// or each alone where they cannot be combined, and none. Blocks of a cluster
/// share only TMA copies.
llvm::SmallVector<TensorSet, 4>
CandidateEvaluator::listTransports(const Schedule &schedule,
                                   const MainloopPolicy *only) const {
  llvm::SmallVector<TensorSet, 4> transports;
  for (TensorSet usesTMA : checker.listTMA(schedule))
    if (TensorSet wanted = only ? usesTMA & only->copied : usesTMA)
      transports.push_back(wanted);
  bool isByThreads = !only || only->copied == 0;
  if (transports.empty() || (schedule.cluster == 1 && isByThreads))
    transports.push_back(0);
  return transports;
}

void CandidateEvaluator::evaluateAll(const ScheduleCandidate &candidate,
                                     ArrayRef<unsigned> arrangements,
                                     Limit limit, Take take,
                                     const MainloopPolicy *only,
                                     bool takesTimes) {
  bool isOfPartials = candidate.cluster == space.clusterOfPartials();
  if (!space.fillsSplits(candidate) ||
      (isOfPartials && candidate.splits == 1) || options.isStopped())
    return;
  std::optional<Schedule> schedule;
  ScheduleCandidate own = candidate;
  for (const ScheduleDimension &dimension : space.dimensions())
    if (dimension.isEvaluated)
      dimension.reset(own);
  Open open{{}, {}, only, limit, take, takesTimes};
  unsigned tooFew = 0; // warps
  for (unsigned number : arrangements) {
    const WarpArrangement &arrangement = space.arrangements()[number];
    unsigned warps = arrangement.front()[0] * arrangement.front()[1];
    if (warps <= tooFew || !space.divides(arrangement, candidate))
      continue;
    if (!schedule) {
      schedule = space.outline(candidate);
      memo.clearLoops();
      if (std::optional<std::string> reason = checker.checkLoops(*schedule))
        return reject(std::move(*reason));
      open.loops = listPipelinedLoops(*schedule);
      open.transports = listTransports(*schedule, only);
      space.build().setTransports(*schedule, open.transports.front());
    }
    if (std::optional<std::string> reason =
            checker.checkSums(*schedule, warps)) {
      reject(std::move(*reason));
      // Fewer hold less while each may have as many registers as there are.
      if (warps * kWarpSize * chip.maxRegistersPerThread <= chip.registersPerSM)
        tooFew = warps;
      continue;
    }
    space.build().arrange(*schedule, arrangement);
    memo.clearWarps();
    own.arrangement = number;
    evaluateWarps(*schedule, own, open);
  }
}

void CandidateEvaluator::rate(const Schedule &schedule,
                              const ScheduleCandidate &candidate, Take take) {
  if (options.isStopped())
    return;
  memo.clearLoops();
  if (accepts(schedule, checker.check(schedule)))
    this->take(
        schedule, candidate,
        predictThroughput(group, schedule, checker.footprint(), chip, &memo),
        take);
}
