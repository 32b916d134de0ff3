//===- StitchFinish.cpp - Further forms of the best schedule --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices that do not change the thread mapping are tried with the best
// schedule only: evict-first accesses, copies ahead, TMA copies and producer
// warps. Compositions are tried with every schedule: with them, mappings may be
// better in which each thread would evaluate many expensive operators.
//
//===----------------------------------------------------------------------===//

#include "StitchEnumeration.h"

using namespace fusion;
using llvm::ArrayRef;

/// Tries evict-first accesses to data that is used once, and keeps them if that
/// is faster.
void StitchEnumeration::tryEvictFirst() {
  current = best->schedule;
  current.evictFirst = true;
  std::optional<StitchCost> cost = predictStitching(group, work, current, chip);
  if (cost)
    record(StitchResult{current, *cost});
  if (cost && weighed(*cost) < weighed(best->cost))
    best = StitchResult{current, *cost};
}

/// Tries to copy ahead what the serial loop reads once, and keeps that if it is
/// faster.
void StitchEnumeration::tryStages() {
  current = best->schedule;
  if (!current.serialLoop || current.serialLoop->stages > 1)
    return;
  for (int64_t stages : kStages) {
    current.serialLoop->stages = stages;
    if (checkStages(group, current, work.passesOf(current)))
      continue;
    std::optional<StitchCost> cost =
        predictStitching(group, work, current, chip, &memo);
    if (cost)
      record(StitchResult{current, *cost});
    if (cost && level(weighed(*cost)) < level(weighed(best->cost)))
      best = StitchResult{current, *cost};
  }
}

/// Returns a key of a cost; the lesser key is better.
static std::array<double, 3> keyOfBulk(const StitchCost &cost) {
  return {StitchEnumeration::level(weighed(cost)), cost.instructions,
          weighed(cost)};
}

/// Tries TMA copies for what the best schedule copies ahead. Keeps them if they
/// are no slower and threads save more instructions than the waits take. Larger
/// steps wait less often.
void StitchEnumeration::tryBulk() {
  const StitchSchedule byThreads = best->schedule;
  if (!byThreads.serialLoop || byThreads.serialLoop->stages == 1 ||
      !chip.hasTMA)
    return;
  for (int64_t wider : {1, 2, 4, 8}) {
    current = byThreads;
    StitchSerialLoop &walk = *current.serialLoop;
    if (byThreads.countSteps() % wider || walk.registerSteps % wider ||
        walk.sharedSteps % wider)
      break;
    walk.step *= wider;
    walk.registerSteps /= wider;
    walk.sharedSteps /= wider;
    walk.usesTMA = true;
    for (int64_t stages :
         {int64_t(2), int64_t(4), byThreads.serialLoop->stages}) {
      walk.stages = stages;
      if (checkStitching(group, current, chip, &work.passesOf(current)))
        continue;
      std::optional<StitchCost> cost =
          predictStitching(group, work, current, chip, &memo);
      if (cost)
        record(StitchResult{current, *cost});
      if (cost && keyOfBulk(*cost) < keyOfBulk(best->cost))
        best = StitchResult{current, *cost};
    }
  }
  tryProducers();
}

/// Tries a producer warp, and keeps it if that is faster.
void StitchEnumeration::tryProducers() {
  current = best->schedule;
  current.producers = 1;
  if (checkStitchProducers(current))
    return;
  std::optional<StitchCost> cost =
      predictStitching(group, work, current, chip, &memo);
  if (cost)
    record(StitchResult{current, *cost});
  if (cost && level(weighed(*cost)) < level(weighed(best->cost)))
    best = StitchResult{current, *cost};
}

void StitchEnumeration::tryCompositions(StitchResult &costed) {
  if (shareable.empty())
    return;
  // Compositions save work alone.
  const StitchBound &least = bound ? *bound : *ofShared;
  std::optional<double> seconds = costed.schedule.splitLoop
                                      ? least.ofSplitLoop(costed.schedule)
                                      : least(costed.schedule);
  if (!seconds || level(*seconds) >= level(weighed(costed.cost)) ||
      (best && level(*seconds) > level(weighed(best->cost))))
    return;
  auto attempt = [&](const StitchResult &from, ArrayRef<unsigned> operators,
                     Composition scheme) {
    StitchResult shared = from;
    bool isShared = false;
    for (unsigned op : operators) {
      StitchSchedule before = shared.schedule;
      addComposition(group, shared.schedule, op, scheme);
      if (savesWork(shared.schedule, op) &&
          !checkCompositions(group, shared.schedule))
        isShared = true;
      else
        shared.schedule = std::move(before);
    }
    if (!isShared)
      return from;
    std::optional<StitchCost> cost =
        predictStitching(group, work, shared.schedule, chip, &composedMemo);
    if (!cost || weighed(*cost) >= weighed(from.cost))
      return from;
    shared.cost = *cost;
    return shared;
  };
  // First all operators alike, then each apart.
  constexpr std::array<Composition, 2> schemes = {Composition::Warp,
                                                  Composition::Block};
  StitchResult fastest = costed;
  for (Composition scheme : schemes)
    if (StitchResult alike = attempt(costed, shareable, scheme);
        weighed(alike.cost) < weighed(fastest.cost))
      fastest = std::move(alike);
  if (level(weighed(fastest.cost)) >= level(weighed(costed.cost)))
    return;
  if (shareable.size() > 1)
    for (unsigned op : shareable)
      for (Composition scheme : schemes)
        if (fastest.schedule.schemeOf(op) != scheme)
          fastest = attempt(fastest, op, scheme);
  costed = std::move(fastest);
}

bool StitchEnumeration::savesWork(const StitchSchedule &schedule,
                                  unsigned op) const {
  const ScalarWork &own = work.operators[op].work;
  int64_t saved = elementsOf(schedule, group.loops[op]) -
                  countEvaluated(group, schedule, op);
  StitchExchange exchange =
      countExchange(group, schedule, work.passesOf(schedule), op);
  return saved * (own.plain + own.special) >
         exchange.shuffles + exchange.accesses + exchange.selects;
}
