//===- StitchFinish.cpp - Further forms of the best schedule --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What does not change how a block's tile is spread is asked of the best
// schedule alone: accesses past the caches, copies ahead, and who does them.
//
//===----------------------------------------------------------------------===//

#include "StitchEnumeration.h"

using namespace fusion;

/// The best with what is touched once past the caches, where that is faster.
void StitchEnumeration::tryEvictFirst() {
  current = best->schedule;
  current.evictFirst = true;
  std::optional<StitchCost> cost = predictStitching(group, work, current, chip);
  if (cost)
    record(StitchResult{current, *cost});
  if (cost && weighed(*cost) < weighed(best->cost))
    best = StitchResult{current, *cost};
}

/// The best with what it goes through once copied ahead, where that is
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

/// Less of what is better.
static std::array<double, 3> keyOfBulk(const StitchCost &cost) {
  return {StitchEnumeration::level(weighed(cost)), cost.instructions,
          weighed(cost)};
}

/// What the best copies ahead in bulk, where that is no slower and threads
/// save more instructions than the waits take: wider steps wait less often.
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

/// The best with a warp that only copies, where that is faster.
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
