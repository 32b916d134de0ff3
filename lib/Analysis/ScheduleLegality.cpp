//===- ScheduleLegality.cpp - What lowering can do
//----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/ScheduleLegality.h"
#include "BlockResources.h"
#include "LoopLegality.h"
#include "PlaceLegality.h"
#include "ReductionLegality.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;
using Reason = std::optional<std::string>;

std::optional<std::string> fusion::checkGroup(const GroupModel &group,
                                              const ChipInfo &chip) {
  for (const Product &product : group.products) {
    const std::string &name = group.tensorName(product.result);
    if (!product.type ||
        llvm::none_of(allIntrinsics(), [&](const Intrinsic &i) {
          return i.multiplies(*product.type) && i.availableOn(chip);
        }))
      return "no intrinsic of " + chip.name.str() +
             " multiplies the operands of product '" + name + "'";
    if (product.lhsAxes.empty() || product.rhsAxes.empty())
      return "product '" + name +
             "' has no rows or no columns (a product with a vector)";
  }
  for (const Axis &axis : group.axes) {
    if (axis.isDynamic)
      return "axis '" + axis.name + "' has no static extent";
    if (axis.extent == 0)
      return "axis '" + axis.name + "' is empty";
  }
  return std::nullopt;
}

/// Whether a block's memory and registers and the grid are what the chip has.
static Reason checkResources(const Schedule &schedule, const ChipInfo &chip,
                             const Footprint &footprint) {
  if (footprint.sharedMemory > static_cast<int64_t>(chip.sharedMemoryPerBlock))
    return "the tiles need " + std::to_string(footprint.sharedMemory) +
           " bytes of shared memory; a block of " + chip.name.str() +
           " has at most " + std::to_string(chip.sharedMemoryPerBlock);
  // Producers keep the fewest registers, or as many as the others.
  int64_t warps = schedule.warps, all = chip.registersPerSM;
  if (chip.leastRegisters)
    all -= 32 * int64_t(chip.leastRegisters) * schedule.producerWarps;
  else
    warps += schedule.producerWarps;
  int64_t registers =
      std::min<int64_t>(chip.maxRegistersPerThread, all / (32 * warps));
  if (footprint.registers > registers)
    return "the tiles need about " + std::to_string(footprint.registers) +
           " registers per thread; " + std::to_string(registers) +
           " are available";
  return std::nullopt;
}

std::optional<std::string> fusion::whyNotLowered(const Schedule &schedule) {
  if (schedule.persistent)
    return "'persistent' is not lowered; a block computes one tile";
  if (schedule.cluster != 1)
    return "'cluster' is not lowered; blocks are independent";
  if (schedule.producerWarps != 0)
    return "'producers' is not lowered; every warp loads and multiplies";
  return std::nullopt;
}

std::optional<std::string> fusion::checkSchedule(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip,
                                                 Footprint *footprint) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return whyImpossible(group, schedule, chip, footprint);
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

Reason ScheduleChecker::checkLoops(const Schedule &schedule) {
  return whyLoopsIllegal(group, schedule, chip, kept);
}

Reason ScheduleChecker::checkWarps(const Schedule &schedule) {
  if (Reason reason = whyWarpsIllegal(group, schedule, chip, kept))
    return reason;
  if (Reason reason = whyNotReduced(group, schedule, kept))
    return reason;
  // Most that is refused needs more than a block can hold.
  if (Reason reason = checkStages(schedule))
    return reason;
  countTraffic(group, schedule, kept, counted);
  if (counted.blocks > std::numeric_limits<int32_t>::max())
    return "the grid would have " + std::to_string(counted.blocks) + " blocks";
  return std::nullopt;
}

Reason ScheduleChecker::checkStages(const Schedule &schedule) {
  if (Reason reason = whyPlacesIllegal(group, schedule, chip, kept))
    return reason;
  countResources(group, schedule, kept, counted);
  return checkResources(schedule, chip, counted);
}

Reason ScheduleChecker::checkPossible(const Schedule &schedule) {
  if (Reason reason = checkLoops(schedule))
    return reason;
  return checkWarps(schedule);
}

Reason ScheduleChecker::check(const Schedule &schedule) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return checkPossible(schedule);
}
