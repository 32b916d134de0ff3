//===- StitchStages.cpp - Copies ahead of a walk's steps ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchStages.h"
#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchCluster.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

bool fusion::isPersistent(const StitchGroup &group,
                          const StitchSchedule &schedule) {
  return schedule.walk && !group.axes[schedule.walk->axis].isReduced;
}

/// Elements that a thread has side by side in memory and in its registers
/// (`layoutOf`): a vector, if that of no later axis comes first, and all that
/// it has of an axis that no other thread is on, if no other axis comes
/// between.
static int64_t neighboursOf(const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  const AxisSpread &own = schedule.spread[*tensor.unit];
  bool isAlone = own.lanes * own.warps == 1;
  for (unsigned axis : tensor.axes) {
    if (axis == *tensor.unit)
      continue;
    bool isLater = axis > *tensor.unit;
    if (isLater && schedule.spread[axis].vector > 1)
      return 1;
    isAlone &= schedule.spread[axis].vector == 1 &&
               (!isLater || schedule.stepOf(axis).registers() == 1);
  }
  return isAlone ? schedule.stepOf(*tensor.unit).tile : own.vector;
}

std::optional<int64_t> fusion::bytesOfCopies(const StitchGroup &group,
                                             const StitchSchedule &schedule,
                                             const StitchTensor &tensor) {
  if (!llvm::is_contained(tensor.axes, schedule.walk->axis) ||
      tensor.isGathered || !tensor.unit ||
      (tensor.isRagged() && accessWidth(schedule, tensor) > 1) ||
      realignedWidth(group, schedule, tensor) > 1)
    return std::nullopt;
  constexpr unsigned byteBits = 8;
  if (getElementTypeOrSelf(tensor.value).getIntOrFloatBitWidth() < byteBits)
    return std::nullopt;
  for (auto [axis, inside] : llvm::zip_equal(tensor.axes, tensor.inside))
    if (schedule.spread[axis].align > 1 ||
        inside != std::make_pair(int64_t(0), group.axes[axis].extent))
      return std::nullopt;
  constexpr int64_t narrowest = 4, widest = 16;
  int64_t neighbours = neighboursOf(schedule, tensor);
  int64_t width =
      std::min(accessWidth(schedule, tensor), neighbours & -neighbours);
  int64_t bytes = std::min(widest, width * int64_t(tensor.elementBytes));
  return bytes >= narrowest ? std::optional(bytes) : std::nullopt;
}

std::pair<int64_t, int64_t> fusion::stagedSteps(const StitchGroup &group,
                                                const StitchSchedule &schedule,
                                                const StitchPasses &passes) {
  auto [first, beyond] = wholeSteps(group, schedule);
  const StitchWalk &walk = *schedule.walk;
  if (passes.count > 1)
    return {std::max(first, walk.registers),
            std::min(beyond, walk.registers + walk.shared)};
  if (beyond > first)
    return {first, beyond};
  return {0, schedule.countSteps()};
}

int64_t fusion::countStages(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            const StitchPasses &passes) {
  if (!schedule.walk || schedule.walk->stages == 1)
    return 0;
  // As tile-allocate-shared aligns buffers.
  constexpr int64_t alignment = 128, warpSize = 32;
  int64_t bytes = 0;
  for (unsigned input : passes.steps.front().inputs) {
    const StitchTensor &tensor = group.inputs[input];
    if (!passes.isKeptInput[input] && bytesOfCopies(group, schedule, tensor))
      bytes += llvm::alignTo(elementsOf(schedule, tensor.axes) *
                                 tensor.elementBytes * schedule.warps *
                                 warpSize * schedule.walk->stages,
                             alignment);
  }
  return bytes;
}

/// The axis that steps are along, for messages.
static std::string nameOf(const StitchGroup &group, const StitchWalk &walk) {
  return "axis '" + group.axes[walk.axis].name + "'";
}

std::optional<std::string> fusion::checkStages(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses *known) {
  if (!schedule.walk)
    return std::nullopt;
  const StitchWalk &walk = *schedule.walk;
  if (isPersistent(group, schedule) && walk.registers + walk.shared > 0)
    return nameOf(group, walk) +
           " is not reduced: there is one pass, and nothing to keep";
  if (walk.stages == 1)
    return std::nullopt;
  if (known)
    return checkStages(group, schedule, *known);
  return checkStages(group, schedule, passesOf(group, schedule));
}

std::optional<std::string> fusion::checkStages(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses &passes) {
  const StitchWalk &walk = *schedule.walk;
  std::string name = nameOf(group, walk);
  if (passes.count == 1 && (walk.registers + walk.shared > 0 || schedule.rows))
    return name + " has steps that are kept, and stages are of those that are "
                  "gone through in a loop";
  auto [first, beyond] = stagedSteps(group, schedule, passes);
  if (beyond - first < walk.stages) {
    std::string where = passes.count > 1
                            ? " whole steps that are kept in shared memory"
                            : " steps in a loop";
    return name + " has " +
           std::to_string(std::max<int64_t>(0, beyond - first)) + where +
           ", and " + std::to_string(walk.stages) + " stages";
  }
  if (llvm::none_of(passes.steps.front().inputs, [&](unsigned input) {
        return bytesOfCopies(group, schedule, group.inputs[input]).has_value();
      }))
    return name + " has no input that threads could copy ahead: each is "
                  "gathered or padded, moved by wide accesses that cross the "
                  "ends of rows, or in pieces of fewer than 4 bytes";
  return std::nullopt;
}
