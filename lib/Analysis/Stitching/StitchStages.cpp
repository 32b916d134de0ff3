//===- StitchStages.cpp - Copies ahead of a walk's steps ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Support/PrivateBoxes.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

bool fusion::isPersistent(const StitchGroup &group,
                          const StitchSchedule &schedule) {
  return schedule.serialLoop &&
         !group.axes[schedule.serialLoop->axis].isReduced;
}

/// Returns how many elements of a thread are contiguous both in memory and in
/// its registers (`layoutOf`). It is a vector, unless a later axis has one. It
/// is all of the thread's elements along the axis if no other thread is on it
/// and no other axis comes between.
static int64_t neighboursOf(const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  const AxisThreadMapping &own = schedule.threadMapping[*tensor.unit];
  bool isAlone = own.lanes * own.warps == 1;
  for (unsigned axis : tensor.axes) {
    if (axis == *tensor.unit)
      continue;
    bool isLater = axis > *tensor.unit;
    if (isLater && schedule.threadMapping[axis].vector > 1)
      return 1;
    isAlone &= schedule.threadMapping[axis].vector == 1 &&
               (!isLater || schedule.stepOf(axis).registers() == 1);
  }
  return isAlone ? schedule.stepOf(*tensor.unit).tile : own.vector;
}

std::optional<int64_t> fusion::bytesOfCopies(const StitchGroup &group,
                                             const StitchSchedule &schedule,
                                             const StitchTensor &tensor) {
  if (!llvm::is_contained(tensor.axes, schedule.serialLoop->axis) ||
      tensor.isGathered || !tensor.unit ||
      (tensor.isRagged() && accessWidth(schedule, tensor) > 1) ||
      misalignedAccessWidth(group, schedule, tensor) > 1)
    return std::nullopt;
  constexpr unsigned byteBits = 8;
  if (getElementTypeOrSelf(tensor.value).getIntOrFloatBitWidth() < byteBits)
    return std::nullopt;
  for (auto [axis, inside] : llvm::zip_equal(tensor.axes, tensor.inside))
    if (schedule.threadMapping[axis].align > 1 ||
        inside != std::make_pair(int64_t(0), group.axes[axis].extent))
      return std::nullopt;
  constexpr int64_t narrowest = 4, widest = 16;
  int64_t neighbours = neighboursOf(schedule, tensor);
  int64_t width =
      std::min(accessWidth(schedule, tensor), neighbours & -neighbours);
  int64_t bytes = std::min(widest, width * int64_t(tensor.elementBytes));
  return bytes >= narrowest ? std::optional(bytes) : std::nullopt;
}

std::optional<std::string> fusion::whyNotTMA(const StitchGroup &group,
                                             const StitchSchedule &schedule,
                                             const StitchTensor &tensor) {
  if (!bytesOfCopies(group, schedule, tensor))
    return "it is not copied ahead";
  if (tensor.offset != 0)
    return "it is a part of a tensor that does not begin with it";
  if (tensor.alignment < kMapUnit)
    return "its rows do not begin at multiples of 16 bytes";
  SmallVector<unsigned, 4> axes(tensor.axes);
  llvm::sort(axes);
  SmallVector<int64_t, 4> sizes, strides;
  for (unsigned axis : axes) {
    sizes.push_back(group.axes[axis].extent);
    strides.push_back(
        tensor.strides[llvm::find(tensor.axes, axis) - tensor.axes.begin()]);
  }
  LinearLayout layout = layoutOf(group, schedule, tensor.component, axes);
  unsigned unit = llvm::find(axes, *tensor.unit) - axes.begin();
  std::string why;
  std::optional<PrivateBox> box =
      privateBox({layout, unit, sizes, strides, tensor.elementBytes},
                 schedule.warps, &why);
  if (!box)
    return why;
  // Memory moves whole sectors.
  if (box->dimensions.front().size * tensor.elementBytes % kSectorBytes != 0)
    return "the rows of a box are parts of sectors of 32 bytes";
  if (elementsOf(schedule, axes) * tensor.elementBytes * kWarpSize *
          schedule.warps % kBoxAlignment !=
      0)
    return "its tile is no multiple of 128 bytes";
  return std::nullopt;
}

bool fusion::isCopiedByTMA(const StitchGroup &group,
                           const StitchSchedule &schedule,
                           const StitchTensor &tensor) {
  return schedule.serialLoop && schedule.serialLoop->usesTMA &&
         !whyNotTMA(group, schedule, tensor);
}

int64_t fusion::countStageBarriers(const StitchGroup &group,
                                   const StitchSchedule &schedule,
                                   const StitchPasses &passes) {
  if (!schedule.serialLoop || !schedule.serialLoop->usesTMA)
    return 0;
  int64_t count = 0;
  for (unsigned input : passes.steps.front().inputs)
    if (isCopiedByTMA(group, schedule, group.inputs[input]))
      count += passes.isRetainedInput[input] ? schedule.serialLoop->sharedSteps
                                             : schedule.serialLoop->stages;
  return count;
}

/// Returns the reason why the schedule's TMA copies are infeasible, or nullopt.
static std::optional<std::string> checkBulk(const StitchGroup &group,
                                            const StitchSchedule &schedule,
                                            const StitchPasses &passes) {
  // A wait turns the phase of its stage for all blocks.
  if (llvm::any_of(group.components,
                   [](unsigned component) { return component > 0; }))
    return "all blocks wait for TMA copies, and the blocks of this group are "
           "of several kinds";
  std::string why;
  bool isAny = false;
  for (unsigned input : passes.steps.front().inputs) {
    std::optional<std::string> reason =
        whyNotTMA(group, schedule, group.inputs[input]);
    isAny |= !reason;
    if (reason)
      why += (why.empty() ? "" : "; ") +
             ("input " + std::to_string(input) + ": " + *reason);
  }
  if (!isAny)
    return "no input is copied by TMA: " + why;
  int64_t barriers = countStageBarriers(group, schedule, passes);
  if (barriers > kMaxBarriers)
    return "TMA copies have " + std::to_string(barriers) +
           " stages in shared memory, and a block has at most " +
           std::to_string(kMaxBarriers) + " mbarriers";
  return std::nullopt;
}

std::pair<int64_t, int64_t> fusion::stagedSteps(const StitchGroup &group,
                                                const StitchSchedule &schedule,
                                                const StitchPasses &passes) {
  auto [first, beyond] = wholeSteps(group, schedule);
  const StitchSerialLoop &walk = *schedule.serialLoop;
  if (passes.count > 1)
    return {std::max(first, walk.registerSteps),
            std::min(beyond, walk.registerSteps + walk.sharedSteps)};
  if (beyond > first)
    return {first, beyond};
  return {0, schedule.countSteps()};
}

int64_t fusion::countStages(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            const StitchPasses &passes) {
  if (!schedule.serialLoop || schedule.serialLoop->stages == 1)
    return 0;
  // As tile-allocate-shared aligns buffers.
  constexpr int64_t alignment = 128;
  int64_t bytes = 0;
  for (unsigned input : passes.steps.front().inputs) {
    const StitchTensor &tensor = group.inputs[input];
    if (!passes.isRetainedInput[input] &&
        bytesOfCopies(group, schedule, tensor))
      bytes += llvm::alignTo(elementsOf(schedule, tensor.axes) *
                                 tensor.elementBytes * schedule.warps *
                                 kWarpSize * schedule.serialLoop->stages,
                             alignment);
  }
  return bytes;
}

std::optional<std::string>
fusion::checkStitchProducers(const StitchSchedule &schedule) {
  if (schedule.producers == 0)
    return std::nullopt;
  if (!schedule.serialLoop || !schedule.serialLoop->usesTMA)
    return "producers issue TMA copies, and no input is prefetched by TMA";
  if (clusterSize(schedule) > 1)
    return "blocks of a cluster meet with all of their warps, and producers "
           "are ahead of the others";
  return whyTooManyWarps(schedule.warps, schedule.producers);
}

/// Returns the name of the serial loop's axis, for messages.
static std::string nameOf(const StitchGroup &group,
                          const StitchSerialLoop &walk) {
  return "axis '" + group.axes[walk.axis].name + "'";
}

std::optional<std::string> fusion::checkStages(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses *known) {
  if (!schedule.serialLoop)
    return std::nullopt;
  const StitchSerialLoop &walk = *schedule.serialLoop;
  if (isPersistent(group, schedule) &&
      walk.registerSteps + walk.sharedSteps > 0)
    return nameOf(group, walk) +
           " is not reduced: there is one pass, and nothing to retain";
  if (walk.stages == 1)
    return std::nullopt;
  if (known)
    return checkStages(group, schedule, *known);
  return checkStages(group, schedule, passesOf(group, schedule));
}

std::optional<std::string> fusion::checkStages(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses &passes) {
  const StitchSerialLoop &walk = *schedule.serialLoop;
  std::string name = nameOf(group, walk);
  if (passes.count == 1 &&
      (walk.registerSteps + walk.sharedSteps > 0 || schedule.splitLoop))
    return name + " has retained steps, and only the steps of a loop have "
                  "stages";
  auto [first, beyond] = stagedSteps(group, schedule, passes);
  if (beyond - first < walk.stages) {
    std::string where = passes.count > 1
                            ? " whole steps that are retained in shared memory"
                            : " steps in a loop";
    return name + " has " +
           std::to_string(std::max<int64_t>(0, beyond - first)) + where +
           ", and " + std::to_string(walk.stages) + " stages";
  }
  if (llvm::none_of(passes.steps.front().inputs, [&](unsigned input) {
        return bytesOfCopies(group, schedule, group.inputs[input]).has_value();
      }))
    return name + " has no input that copies of threads could prefetch: each "
                  "is gathered or padded, moved by wide accesses that cross "
                  "the ends of rows, or in pieces of fewer than 4 bytes";
  if (walk.usesTMA)
    return checkBulk(group, schedule, passes);
  return std::nullopt;
}
