//===- ScheduleLegality.cpp - What lowering can do ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "CpuLegality.h"
#include "LoopLegality.h"
#include "PlaceLegality.h"
#include "ReductionLegality.h"
#include "fusion/Analysis/Legality/CodegenLegality.h"
#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Resources/LoopTraffic.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Schedules/AccumulatorMemo.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;
using Reason = std::optional<std::string>;

/// The first dimension that an axis of dynamic size numbers, for remarks.
static std::string whereRead(const GroupModel &group, unsigned axis) {
  for (const GroupTensor &tensor : group.tensors) {
    const unsigned *found = llvm::find(tensor.axes, axis);
    if (found != tensor.axes.end())
      return ": dimension " + std::to_string(found - tensor.axes.begin()) +
             " of '" + tensor.name + "' is dynamic";
  }
  return {};
}

std::optional<std::string> fusion::checkGroup(const GroupModel &group,
                                              const ChipInfo &chip) {
  for (const Contraction &contraction : group.contractions) {
    const std::string &name = group.tensorName(contraction.result);
    if (!contraction.type ||
        llvm::none_of(allIntrinsics(), [&](const Intrinsic &i) {
          return i.multiplies(*contraction.type) && i.availableOn(chip);
        }))
      return "no intrinsic of " + chip.name.str() +
             " multiplies the operands of contraction '" + name + "'";
    if (contraction.lhsAxes.empty() || contraction.rhsAxes.empty())
      return "contraction '" + name +
             "' has no rows or no columns (it is a matrix-vector product)";
  }
  for (const Axis &axis : group.axes) {
    if (axis.isDynamic)
      return "axis '" + axis.name + "' has no static extent" +
             whereRead(group, &axis - group.axes.data());
    if (axis.extent == 0)
      return "axis '" + axis.name + "' is empty";
  }
  for (const GroupTensor &tensor : group.tensors) {
    if (!tensor.window)
      continue;
    for (unsigned axis : tensor.axes)
      if (group.axes[axis].extent > std::numeric_limits<int32_t>::max())
        return "the window of '" + tensor.name + "' divides indices of axis '" +
               group.axisName(axis) + "', which has more than 2^31";
  }
  return std::nullopt;
}

std::optional<std::string> fusion::whyNotLowered(const Schedule &schedule) {
  if (schedule.persistent && schedule.producerWarps == 0)
    return "'persistent' without 'producers' is not lowered: a block would "
           "load its next tile when it has stored the last one";
  if (schedule.isPingPong && schedule.producerWarps == 0)
    return "'ping_pong' without 'producers' is not lowered: a group would "
           "copy, "
           "and wait for others, in its turn";
  return std::nullopt;
}

std::optional<std::string> fusion::checkSchedule(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip,
                                                 Footprint *footprint) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  if (Reason reason = whyImpossible(group, schedule, chip, footprint))
    return reason;
  if (!schedule.codegen)
    return std::nullopt;
  return checkCodegen(*schedule.codegen, schedule.warps, schedule.producerWarps,
                      chip);
}

std::optional<std::string> fusion::whyImpossible(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip,
                                                 Footprint *footprint) {
  if (Reason reason = checkGroup(group, chip))
    return reason;
  ScheduleChecker checker(group, chip);
  Reason reason = checker.checkPossible(schedule);
  if (footprint)
    *footprint = checker.footprint();
  return reason;
}

//===----------------------------------------------------------------------===//
// Many schedules of one group
//===----------------------------------------------------------------------===//

/// What is known of the schedule at hand.
struct ScheduleChecker::State {
  RetainedTiles retained;
  LoopTraffic traffic;
  BlockResources held;
  AccumulatorMemo accumulators;
  Footprint counted;
};

ScheduleChecker::ScheduleChecker(const GroupModel &group, const ChipInfo &chip,
                                 UnmaskedTilesMemo *visited)
    : group(group), chip(chip), visited(visited),
      state(std::make_unique<State>()) {}

ScheduleChecker::~ScheduleChecker() = default;

const Footprint &ScheduleChecker::footprint() const { return state->counted; }

static Reason rejectSharedMemory(int64_t bytes, const ChipInfo &chip) {
  if (bytes <= static_cast<int64_t>(chip.sharedMemoryPerBlock))
    return std::nullopt;
  return "the tiles need " + std::to_string(bytes) +
         " bytes of shared memory; a block of " + chip.name.str() +
         " has at most " + std::to_string(chip.sharedMemoryPerBlock);
}

static Reason rejectRegisters(int64_t needed, int64_t atLaunch, int64_t warps,
                              const Schedule &schedule, const ChipInfo &chip) {
  std::optional<RegisterBudgets> dealt =
      registerBudgets(warps, schedule.producerWarps, /*blocksPerSM=*/1, chip,
                      producerRegisters(schedule));
  if (dealt && atLaunch > dealt->atFirst)
    return "an instruction of a contraction needs a launch with " +
           std::to_string(atLaunch) + " registers per thread; of " +
           std::to_string(warps + schedule.producerWarps) + " warps each has " +
           std::to_string(dealt->atFirst);
  int64_t registers = maxRegisters(schedule, warps, chip);
  if (needed <= registers)
    return std::nullopt;
  return "the tiles need about " + std::to_string(needed) +
         " registers per thread; " + std::to_string(registers) +
         " are available";
}

Reason ScheduleChecker::checkLoops(const Schedule &schedule) {
  if (Reason reason = whyLoopsIllegal(group, schedule, chip, state->retained))
    return reason;
  if (Reason reason = rejectSharedMemory(
          minSharedMemory(group, schedule, state->retained), chip))
    return reason;
  state->traffic = countLoopTraffic(group, schedule, state->retained, visited);
  if (state->traffic.loops.blocks > std::numeric_limits<int32_t>::max())
    return "the grid would have " +
           std::to_string(state->traffic.loops.blocks) + " blocks";
  return std::nullopt;
}

const Footprint &ScheduleChecker::countTraffic(const Schedule &schedule) {
  return state->counted = fusion::countTraffic(group, schedule, state->traffic);
}

Reason ScheduleChecker::checkSums(const Schedule &schedule,
                                  unsigned warps) const {
  return rejectRegisters(minRegisters(group, schedule, state->retained, warps),
                         /*atLaunch=*/0, warps, schedule, chip);
}

llvm::SmallVector<TensorSet, 2>
ScheduleChecker::listTMA(const Schedule &schedule) const {
  llvm::SmallVector<TensorSet, 2> sets;
  if (!chip.hasTMA)
    return sets;
  TensorSet all = 0;
  Schedule usesTMA = schedule;
  for (unsigned tensor : listCopied(group, schedule))
    if (tensor < kMaxInSet &&
        !whyNotTMA(group, schedule, chip, state->retained, tensor)) {
      all |= TensorSet(1) << tensor;
      usesTMA.places[tensor].transport = fuse::Transport::TMA;
    }
  if (all == 0)
    return sets;
  if (!whyTooManyBarriers(group, usesTMA, state->retained))
    return {all};
  for (TensorSet left = all; left; left &= left - 1)
    sets.push_back(left & -left);
  return sets;
}

Reason ScheduleChecker::checkWarps(const Schedule &schedule) const {
  if (Reason reason = whyWarpsIllegal(group, schedule, chip, state->retained))
    return reason;
  if (Reason reason = whyNotReduceScatter(group, schedule, state->accumulators))
    return reason;
  return whyNotReduced(group, schedule, state->retained);
}

Reason ScheduleChecker::checkPlaces(const Schedule &schedule) {
  if (Reason reason = whyPlacesIllegal(group, schedule, chip, state->retained))
    return reason;
  BlockResources &held = state->held = {};
  listBuffers(group, schedule, state->retained, state->accumulators, held);
  if (Reason reason = rejectSharedMemory(countBuffers(held, schedule), chip))
    return reason;
  listRegisters(group, schedule, state->retained, held);
  return checkRoom(schedule);
}

Reason ScheduleChecker::checkStages(const Schedule &schedule) const {
  return whyStagesIllegal(group, schedule, chip, state->retained);
}

Reason ScheduleChecker::checkRoom(const Schedule &schedule) {
  countResources(state->held, schedule, state->counted);
  if (Reason reason = whyTooManyBarriers(group, schedule, state->retained))
    return reason;
  if (Reason reason = rejectSharedMemory(state->counted.sharedMemory, chip))
    return reason;
  return rejectRegisters(state->counted.registers, state->counted.atLaunch,
                         schedule.warps, schedule, chip);
}

Reason ScheduleChecker::checkPossible(const Schedule &schedule) {
  if (chip.isCpu())
    return checkForCpu(schedule);
  if (Reason reason = checkLoops(schedule))
    return reason;
  countTraffic(schedule);
  if (Reason reason = checkWarps(schedule))
    return reason;
  if (Reason reason = checkPlaces(schedule))
    return reason;
  return whyOverlapStalls(group, schedule);
}

Reason ScheduleChecker::checkForCpu(const Schedule &schedule) {
  if (Reason reason = whyNotForCpu(group, schedule))
    return reason;
  if (Reason reason = whyLoopsIllegal(group, schedule, chip, state->retained))
    return reason;
  state->traffic = countLoopTraffic(group, schedule, state->retained, visited);
  if (state->traffic.loops.blocks > std::numeric_limits<int32_t>::max())
    return "the grid would have " +
           std::to_string(state->traffic.loops.blocks) + " blocks";
  countTraffic(schedule);
  return whyNotReduced(group, schedule, state->retained);
}

/// Not of `codegen`: searches decide that for what they have chosen.
Reason ScheduleChecker::check(const Schedule &schedule) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return checkPossible(schedule);
}
