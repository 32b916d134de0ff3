//===- StageChoice.cpp - Stages of a schedule's buffers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageChoice.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Space/OverlapChoice.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

CandidateEvaluator::Stages::Stages(CandidateEvaluator &evaluator,
                                   Schedule &schedule,
                                   ScheduleCandidate &candidate,
                                   ArrayRef<PipelinedLoop> loops,
                                   const Cost &throughput, Take take,
                                   bool takesTimes)
    : evaluator(evaluator), schedule(schedule), candidate(candidate),
      loops(loops), throughput(throughput), take(take), takesTimes(takesTimes),
      least(evaluator.checker.footprint()),
      isOverlapped(schedule.overlapsIterations()) {
  for (const PipelinedLoop &loop : loops)
    counts.push_back(countDepths(loop));
  findSums();
}

CandidateEvaluator::Stages::~Stages() {
  for (unsigned number : sums)
    schedule.contractions[number].stages = 1;
}

bool CandidateEvaluator::Stages::mayBeFaster(double limit) {
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
  while (blocks > 1 && residentSlots(schedule, blocks - 1, chip) >= held.blocks)
    --blocks;
  for (; blocks > 0; --blocks) {
    held.sharedMemory =
        chip.sharedMemoryPerSM / blocks - chip.sharedMemoryReserved;
    for (unsigned registers = evaluator.options.maxRegisterStages;
         registers > 0; --registers) {
      setRegisterStages(registers);
      Cost cost = predictCost(evaluator.group, schedule, held, chip, throughput,
                              &evaluator.memo);
      double warps = double(schedule.warps) * blocks,
             copying = iterationsOfAll * copies * kTMAInstructions *
                       cost.waves / chip.clockHz;
      double pipeline = cost.pipeline - barriers * cost.waves -
                        copying * chip.cyclesOfInstruction(warps);
      cost.issue = std::max(0.0, cost.issue - copying * warps / kSubPartitions);
      if (cost.launch + cost.splitReduction +
              std::max(cost.busiest(), pipeline) + kExposedIssue * cost.issue <
          limit)
        return true;
    }
  }
  return false;
}

bool CandidateEvaluator::Stages::boundsProducers() const {
  return llvm::all_of(
      loops, [](const PipelinedLoop &loop) { return loop.axes.size() == 1; });
}

void CandidateEvaluator::Stages::rate(unsigned registers,
                                      std::optional<double> ofOne) {
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
        if (more != fewer && ++other[more] < counts[more] && other[fewer]-- > 0)
          tryDepths(other, best, seconds);
      }
  } while (seconds < before);
}

/// Returns how many of the numbers of stages a loop may have, from one stage
/// on. With one stage more than it has iterations, all of its loads are in
/// flight before it; further stages would stay empty. Models without bounds
/// do not see that.
unsigned CandidateEvaluator::Stages::countDepths(const PipelinedLoop &loop) {
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
bool CandidateEvaluator::Stages::isAhead(ArrayRef<unsigned> depths,
                                         unsigned stages) const {
  return llvm::any_of(llvm::zip_equal(loops, depths), [&](const auto &loop) {
    return std::get<1>(loop) > stages &&
           llvm::any_of(std::get<0>(loop).loads, [&](unsigned tensor) {
             return schedule.places[tensor].transport == fuse::Transport::TMA;
           });
  });
}

void CandidateEvaluator::Stages::setRegisterStages(unsigned stages) {
  evaluator.space.build().setRegisterStages(schedule, stages);
  candidate.registerStages = stages;
}

void CandidateEvaluator::Stages::set(const Depths &depths) {
  candidate.stages = 1;
  for (auto [loop, depth] : llvm::zip_equal(loops, depths)) {
    unsigned stages = evaluator.space.stages()[depth];
    ScheduleBuilder::setStages(schedule, stages, loop.loads);
    candidate.stages = std::max(candidate.stages, stages);
  }
  setSumsInFlight(evaluator.group, schedule, sums);
}

/// Finds the contractions whose sums may stay in flight with several stages.
void CandidateEvaluator::Stages::findSums() {
  if (llvm::none_of(counts, [](unsigned count) { return count > 1; }))
    return;
  Depths deepest;
  for (unsigned count : counts)
    deepest.push_back(count - 1);
  set(deepest);
  sums = sumsInFlight(evaluator.group, schedule, evaluator.options.model);
}

/// Tries all numbers of stages of the loops from `loop` on.
void CandidateEvaluator::Stages::tryAll(Depths depths, unsigned loop,
                                        Depths &best, double &seconds) {
  for (depths[loop] = 0; depths[loop] < counts[loop]; ++depths[loop]) {
    if (loop + 1 < loops.size())
      tryAll(depths, loop + 1, best, seconds);
    else if (!tryDepths(depths, best, seconds))
      break; // more would not fit either
  }
}

/// Sets the given stages. Returns whether there is room for them, and whether
/// the schedule uses them.
CandidateEvaluator::Stages::Room
CandidateEvaluator::Stages::findRoom(const Depths &depths) {
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
void CandidateEvaluator::Stages::takeAgain(const Depths &depths, Depths &best,
                                           double &seconds) {
  set(depths);
  (void)evaluator.checker.checkRoom(schedule);
  takeDepths(depths, best, seconds);
}

/// Evaluates the given stages and keeps them in `best` if they are the
/// fastest. Returns whether there is room for them.
bool CandidateEvaluator::Stages::tryDepths(const Depths &depths, Depths &best,
                                           double &seconds) {
  Room room = findRoom(depths);
  if (room == Room::Enough)
    takeDepths(depths, best, seconds);
  return room != Room::None;
}

/// Evaluates the stages that are set, and keeps them in `best` if they are
/// the fastest.
void CandidateEvaluator::Stages::takeDepths(const Depths &depths, Depths &best,
                                            double &seconds) {
  double own = evaluator.take(schedule, candidate, throughput, take);
  if (own < seconds) {
    seconds = own;
    best = depths;
  }
}
