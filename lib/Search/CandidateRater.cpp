//===- CandidateRater.cpp - Candidates completed and rated ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateRater.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

void CandidateRater::refuse(std::string reason) {
  looked.refuse(reason, /*isKept=*/options.ranked > 1);
  lastReason = std::move(reason);
}

/// Counts a schedule that was checked; whether it can be lowered, and may run
/// without spills.
bool CandidateRater::accepts(const Schedule &schedule,
                             std::optional<std::string> reason) {
  // What is drawn to test lowering may use all registers there are.
  if (!reason && !options.randomSeed &&
      !hasRegisterRoom(schedule, checker.footprint(), chip))
    reason = kNoRegisterRoom.str();
  if (reason) {
    refuse(std::move(*reason));
    return false;
  }
  ++looked.legal;
  return true;
}

void CandidateRater::take(const Schedule &schedule,
                          const ScheduleCandidate &candidate,
                          const Cost &throughput, Take take) {
  Cost cost = predictCost(group, schedule, checker.footprint(), chip,
                          throughput, &memo);
  double seconds = cost.total;
  if (!hasBounds())
    seconds = predictSeconds(options.model, group, schedule, chip, lastReason)
                  .value_or(kNever);
  take({schedule, checker.footprint(), cost, seconds, candidate});
}

/// The most iterations of a loop that holds one of the loads.
static int64_t mostIterations(const GroupModel &group, const Schedule &schedule,
                              const TilingTree &items,
                              ArrayRef<unsigned> loads) {
  int64_t most = 0;
  for (const TilingNode &node : items) {
    if (!node.isLoop())
      continue;
    most =
        std::max(most, mostIterations(group, schedule, node.children, loads));
    if (llvm::any_of(node.children, [&](const TilingNode &child) {
          return child.kind == TilingNode::Kind::Load &&
                 llvm::is_contained(loads, child.index);
        }))
      most = std::max(most, sequentialTrips(group, schedule, node.index));
  }
  return most;
}

/// All stages of a schedule whose warps are arranged. They change nothing about
/// the bytes that blocks move and the work.
void CandidateRater::rateWarps(Schedule &schedule, ScheduleCandidate &candidate,
                               ArrayRef<unsigned> loads, Limit limit,
                               Take take) {
  candidate.stages = candidate.registerStages = 1;
  Cost throughput =
      predictThroughput(group, schedule, checker.countTraffic(schedule), chip);
  auto isTooSlow = [&] { return hasBounds() && throughput.total >= limit(); };
  if (isTooSlow()) {
    ++looked.bounded;
    return;
  }
  if (!accepts(schedule, checker.checkWarps(schedule)))
    return;
  this->take(schedule, candidate, throughput, take);
  if (seesTilesOnly(options.model))
    return;
  // With a stage more than a loop has iterations all of its loads are under way
  // before it; further ones would stay empty. Other models do not see that.
  int64_t enough =
      hasBounds() ? mostIterations(group, schedule, schedule.tree, loads) + 1
                  : options.mostStages;
  for (unsigned registers = 1; registers <= options.mostRegisterStages;
       ++registers)
    for (unsigned stages : space.stages()) {
      if (stages > 1 && (loads.empty() || candidate.stages >= enough))
        break;
      if (stages == 1 && registers == 1)
        continue;
      if (isTooSlow())
        return;
      space.build().setStages(schedule, stages, registers, loads);
      candidate.stages = stages;
      candidate.registerStages = registers;
      if (!accepts(schedule, checker.checkStages(schedule)))
        break; // more would not fit either
      this->take(schedule, candidate, throughput, take);
    }
}

void CandidateRater::rateAll(const ScheduleCandidate &candidate,
                             ArrayRef<unsigned> arrangements, Limit limit,
                             Take take) {
  if (!space.fillsParts(candidate) || options.isStopped())
    return;
  std::optional<Schedule> schedule;
  ScheduleCandidate own = candidate;
  llvm::SmallVector<unsigned, 4> loads;
  unsigned tooFew = 0; // warps
  for (unsigned number : arrangements) {
    const Arrangement &arrangement = space.arrangements()[number];
    unsigned warps = arrangement.front()[0] * arrangement.front()[1];
    if (warps <= tooFew || !space.divides(arrangement, candidate))
      continue;
    if (!schedule) {
      schedule = space.outline(candidate);
      memo.clearLoops();
      if (std::optional<std::string> reason = checker.checkLoops(*schedule))
        return refuse(std::move(*reason));
      loads = listPipelinedLoads(*schedule);
    }
    if (std::optional<std::string> reason =
            checker.checkSums(*schedule, warps)) {
      refuse(std::move(*reason));
      tooFew = warps;
      continue;
    }
    space.build().arrange(*schedule, arrangement);
    memo.clearWarps();
    own.arrangement = number;
    rateWarps(*schedule, own, loads, limit, take);
  }
}

void CandidateRater::rate(const Schedule &schedule,
                          const ScheduleCandidate &candidate, Take take) {
  if (options.isStopped())
    return;
  memo.clearLoops();
  if (accepts(schedule, checker.check(schedule)))
    this->take(schedule, candidate,
               predictThroughput(group, schedule, checker.footprint(), chip),
               take);
}
