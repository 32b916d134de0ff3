//===- StitchTotals.cpp - A thread's work in a stitched kernel ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchTotals.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Support/CacheLine.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace mlir;
using namespace fusion;

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

ThreadTotals::ThreadTotals(const StitchGroup &group, const StitchWork &work,
                           const StitchSchedule &schedule, StitchSteps &steps)
    : group(group), schedule(schedule) {
  const StitchPasses &passes = work.passesOf(schedule);
  const StitchSteps::Passes &counted = steps.passesOf(group, work, passes);
  total.instructions = kOwnInstructions;
  add(counted.once, schedule.countSerialPasses());
  if (schedule.serialLoop) {
    addSerialLoop(passes, counted);
    countLoopRegisters(passes, counted);
  }
  addStores(work, passes, steps.counter);
}

void ThreadTotals::add(const ThreadWork &part, int64_t times) {
  total.instructions += part.instructions * times;
  total.special += part.special * times;
  total.loads += part.loads * times;
  total.exchanges += part.exchanges * times;
  total.shuffles += part.shuffles * times;
  total.shared += part.shared * times;
  total.lines += part.lines * times;
  total.live = std::max(total.live, part.live);
  total.held = std::max(total.held, part.held);
}

void ThreadTotals::addSerialLoop(const StitchPasses &passes,
                                 const StitchSteps::Passes &counted) {
  int64_t walks = schedule.countSerialPasses(), steps = schedule.countSteps(),
          retainedSteps = schedule.retainedSteps();
  int64_t inStep = 0;
  for (const StitchSteps::Pass &pass : counted.passes) {
    add(pass.step, retainedSteps * walks);
    total.instructions -=
        pass.repeated.instructions * schedule.serialLoop->registerSteps * walks;
    total.special -=
        pass.repeated.special * schedule.serialLoop->registerSteps * walks;
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
  int64_t retained =
      (counted.words + sums) * schedule.serialLoop->sharedSteps * walks * 2 / 4;
  total.instructions += retained;
  total.shared += retained;
  total.live =
      std::max(counted.once.live, inStep) + counted.accumulators +
      (counted.inRegisters + sums) * schedule.serialLoop->registerSteps;
}

void ThreadTotals::countLoopRegisters(const StitchPasses &passes,
                                      const StitchSteps::Passes &counted) {
  const StitchSerialLoop &loop = *schedule.serialLoop;
  int64_t behind = 0, ofOneStep = 0, held = 0;
  bool isSplit = StitchSplit::axisOf(group, schedule) == passes.axis;
  for (const StitchSteps::Pass &pass : counted.passes) {
    behind = std::max(behind, pass.step.behind);
    ofOneStep = std::max({ofOneStep, pass.step.behind, pass.again.behind});
    if (isSplit)
      behind = std::max(behind, pass.ahead);
    held = std::max(held, pass.step.held);
  }
  ofVectors = std::max(ofOneStep, behind * loop.registerSteps);
  auto [first, beyond] = wholeSteps(group, schedule);
  int64_t inside = std::min(beyond, loop.registerSteps) - first;
  constexpr int64_t ends = 2;
  ofBorders =
      held * std::max<int64_t>(0, loop.registerSteps -
                                      std::max<int64_t>(0, inside) - ends);
  // A block of a cluster knows where it is by its number alone. For this ptxas
  // takes up to three more registers for each step that registers retain, and
  // one for each copy in flight when the loop begins.
  constexpr int64_t ofStepInCluster = 3;
  if (clusterSize(schedule) > 1) {
    ofBorders =
        std::max(ofBorders + ofVectors, ofStepInCluster * loop.registerSteps) -
        ofVectors;
    ofCopies = loop.stages - 1;
  }
}

void ThreadTotals::addStores(const StitchWork &work, const StitchPasses &passes,
                             const ThreadCounter &counter) {
  /// Counts that all results of one shape have in common.
  struct Stores {
    bool isTransposed;
    TileAccess access;
  };
  SmallVector<std::optional<Stores>, 8> known(work.shapes.size());
  for (auto [tensor, space, shape] :
       llvm::zip_equal(group.results, work.resultSpaces, work.resultShapes)) {
    int64_t steps = 1;
    if (passes.axis && llvm::is_contained(tensor.axes, *passes.axis))
      steps = schedule.countSteps();
    if (schedule.splitLoop &&
        llvm::is_contained(tensor.axes, schedule.splitLoop->axis))
      steps *= schedule.countSerialPasses();
    std::optional<Stores> &own = known[shape];
    if (!own)
      own = {countTransposed(group, schedule, tensor) > 0,
             TileAccess::ofStores(group, schedule, tensor,
                                  counter.elementsIn(space))};
    if (own->isTransposed) {
      ofTurned = 2;
      int64_t elements = steps * counter.elementsIn(space);
      total.instructions += 4 * elements;
      total.shared += 2 * elements;
      total.stores += steps * own->access.count;
      continue;
    }
    total.stores += steps * own->access.count;
    total.lines += steps * own->access.lines;
    total.instructions += steps * own->access.moves;
  }
}
