//===- CandidateEvaluator.cpp - Candidates completed and evaluated --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CandidateEvaluator.h"
#include "StageChoice.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Space/OverlapChoice.h"
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
  if (!setOverlaps(group, schedule))
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
