//===- StitchSchedule.cpp - Schedules of stitched groups ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchSchedule.h"
#include "fusion/Analysis/Legality/CodegenLegality.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchCost.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Support/PaddedScratch.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Support/TileSize.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace mlir;
using namespace fusion;

Composition fusion::compositionOf(const AxisThreadMapping &mapping) {
  if (mapping.cluster > 1)
    return Composition::Cluster;
  if (mapping.warps > 1)
    return Composition::Block;
  return mapping.lanes > 1 ? Composition::Warp : Composition::Thread;
}

StringRef fusion::name(Composition composition) {
  switch (composition) {
  case Composition::Thread:
    return "thread";
  case Composition::Warp:
    return "warp";
  case Composition::Block:
    return "block";
  case Composition::Cluster:
    return "cluster";
  }
  llvm_unreachable("covered switch");
}

int64_t StitchSchedule::countSteps() const {
  return serialLoop ? threadMapping[serialLoop->axis].tile / serialLoop->step
                    : 1;
}

int64_t StitchSchedule::retainedSteps() const {
  return serialLoop ? serialLoop->registerSteps + serialLoop->sharedSteps : 1;
}

int64_t StitchSchedule::countSerialPasses() const {
  return splitLoop ? threadMapping[splitLoop->axis].tile / splitLoop->step : 1;
}

StitchPasses fusion::passesOf(const StitchGroup &group,
                              const StitchSchedule &schedule) {
  const std::optional<StitchSerialLoop> &loop = schedule.serialLoop;
  return StitchPasses(group, loop ? std::optional(loop->axis) : std::nullopt,
                      loop && loop->isOnline,
                      StitchSplit::besideSerialLoop(group, schedule),
                      loop && loop->retainsExpensive);
}

std::pair<int64_t, int64_t> fusion::wholeSteps(const StitchGroup &group,
                                               const StitchSchedule &schedule) {
  unsigned axis = schedule.serialLoop->axis;
  int64_t extent = group.axes[axis].extent, step = schedule.serialLoop->step;
  const AxisThreadMapping &mapped = schedule.threadMapping[axis];
  // A block has no more steps than there are.
  if (isPersistent(group, schedule))
    return {0, extent % step == 0 ? schedule.countSteps() : 0};
  if (StitchSplit::axisOf(group, schedule) == axis)
    return {0, extent % mapped.tile == 0 ? schedule.countSteps() : 0};
  // An aligned tile begins before the row. The last block of a cluster has the
  // end of the axis.
  return {
      llvm::divideCeil(mapped.align - 1, step),
      std::clamp<int64_t>((extent - (mapped.cluster - 1) * mapped.tile) / step,
                          0, schedule.countSteps())};
}

std::optional<std::string> fusion::checkRetained(const StitchGroup &group,
                                                 const StitchSchedule &schedule,
                                                 const StitchPasses &passes) {
  if (!schedule.serialLoop || passes.count == 1)
    return std::nullopt;
  auto [first, beyond] = wholeSteps(group, schedule);
  if (beyond - std::max(first, schedule.retainedSteps()) != 1)
    return std::nullopt;
  return "one whole step along axis '" + group.axes[*passes.axis].name +
         "' is not retained, which is no loop: retain it, or one less";
}

static unsigned countComponents(const StitchGroup &group) {
  return group.components.empty() ? 0
                                  : 1 + *llvm::max_element(group.components);
}

std::optional<std::string>
fusion::checkStitching(const StitchGroup &group, const StitchSchedule &schedule,
                       const ChipInfo &chip, const StitchPasses *passes) {
  for (unsigned component = 0; component < countComponents(group);
       ++component) {
    int64_t lanes = 1, warps = 1, rank = 0;
    for (auto [number, axis] : llvm::enumerate(group.axes)) {
      if (group.components[number] != component)
        continue;
      const AxisThreadMapping &mapped = schedule.threadMapping[number];
      ++rank;
      lanes *= mapped.lanes;
      warps *= mapped.warps;
      if (schedule.stepOf(number).tile > kMaxTileSize)
        return "axis '" + axis.name + "' has " +
               std::to_string(schedule.stepOf(number).tile) +
               " elements at once, a tile has at most " +
               std::to_string(kMaxTileSize);
    }
    if (lanes > kWarpSize)
      return "the lanes of all axes are " + std::to_string(lanes) +
             ", a warp has " + std::to_string(kWarpSize);
    if (warps != schedule.warps)
      return "the warps of all axes are " + std::to_string(warps) +
             ", the block has " + std::to_string(schedule.warps);
    if (rank > kMaxTileRank)
      return "a tile has at most " + std::to_string(kMaxTileRank) +
             " dimensions";
  }
  if (auto illegal = checkSplit(group, schedule))
    return illegal;
  if (auto illegal = checkCluster(group, schedule, chip))
    return illegal;
  if (auto illegal = checkAlignment(group, schedule))
    return illegal;
  if (auto illegal = checkCompositions(group, schedule))
    return illegal;
  if (auto illegal = checkStages(group, schedule, passes))
    return illegal;
  if (schedule.serialLoop && schedule.serialLoop->usesTMA && !chip.hasTMA)
    return chip.name.str() + " has no TMA copies";
  if (auto illegal = checkStitchProducers(schedule))
    return illegal;
  if (schedule.warps > chip.maxWarpsPerSM)
    return "a block has more warps than an SM";
  if (countBlocks(group, schedule) > INT32_MAX)
    return "the grid is larger than a launch allows";
  if (schedule.codegen)
    return checkCodegen(*schedule.codegen, schedule.warps, schedule.producers,
                        chip);
  return std::nullopt;
}

LinearLayout fusion::layoutOf(const StitchGroup &group,
                              const StitchSchedule &schedule,
                              unsigned component, ArrayRef<unsigned> axes) {
  SmallVector<unsigned> all;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    if (group.components[axis] == component)
      all.push_back(axis);
  // The nearest threads are along the last axis.
  LinearLayout layout;
  int64_t lanes = 1;
  auto append = [&](LayoutDim in, unsigned number, int64_t size) {
    layout *= LinearLayout::identity(in, tileDim(number), size);
  };
  SmallVector<std::pair<unsigned, unsigned>> reversed;
  for (unsigned number = all.size(); number-- > 0;)
    reversed.push_back({number, all[number]});
  // Registers that only other axes tell apart would hold the same elements.
  auto isIndexed = [&](unsigned axis) {
    return llvm::is_contained(axes, axis);
  };
  for (auto [number, axis] : reversed)
    if (isIndexed(axis))
      append(LayoutDim::Register, number, schedule.threadMapping[axis].vector);
  for (auto [number, axis] : reversed) {
    append(LayoutDim::Lane, number, schedule.threadMapping[axis].lanes);
    lanes *= schedule.threadMapping[axis].lanes;
  }
  layout *= LinearLayout::broadcast(LayoutDim::Lane, kWarpSize / lanes);
  for (auto [number, axis] : reversed)
    append(LayoutDim::Warp, number, schedule.threadMapping[axis].warps);
  for (auto [number, axis] : reversed)
    if (isIndexed(axis))
      append(LayoutDim::Register, number, schedule.stepOf(axis).registers());
  for (auto [number, axis] : reversed)
    if (!isIndexed(axis))
      layout = layout.reduceOut(number);
  return layout;
}

int64_t fusion::countTransposed(const StitchGroup &group,
                                const StitchSchedule &schedule,
                                const StitchTensor &result) {
  if (!result.unit || schedule.stepOf(*result.unit).tile == 1)
    return 0;
  // The nearest of the axes that neighbouring threads or registers go along.
  std::optional<unsigned> nearest;
  for (unsigned axis : result.axes) {
    const AxisThreadMapping &mapped = schedule.threadMapping[axis];
    if ((mapped.vector > 1 || mapped.lanes > 1) && axis >= nearest.value_or(0))
      nearest = axis;
  }
  Type element = getElementTypeOrSelf(result.value);
  constexpr unsigned smallest = 8; // bits of what shared memory holds
  if (!nearest || *nearest == *result.unit ||
      element.getIntOrFloatBitWidth() < smallest)
    return 0;
  // Rows are padded by a word, for about every 32 words.
  constexpr int64_t least = 1024, part = 8;
  int64_t bytes = tileBytes(schedule, result.axes, result.elementBytes);
  return bytes + bytes / part + least;
}

int64_t fusion::transposedWidth(const StitchSchedule &schedule,
                                const StitchTensor &result) {
  int64_t aligned = std::max<int64_t>(1, alignmentOf(schedule, result) /
                                             result.elementBytes),
          tile = schedule.stepOf(*result.unit).tile,
          wide = widestMisalignedAccess(result, tile);
  // As wide as there are lanes along the row that store an end's elements.
  while (wide > 1 && wide * wide > tile)
    wide = widestMisalignedAccess(result, wide / 2);
  return std::max(aligned, wide);
}

bool fusion::isTransposedMisaligned(const StitchSchedule &schedule,
                                    const StitchTensor &result) {
  return transposedWidth(schedule, result) * int64_t(result.elementBytes) >
         alignmentOf(schedule, result);
}

std::optional<TransposedResult>
fusion::transposeResult(const StitchGroup &group,
                        const StitchSchedule &schedule,
                        const StitchTensor &result) {
  int64_t most = countTransposed(group, schedule, result);
  if (most == 0)
    return std::nullopt;
  SmallVector<unsigned> axes(result.axes.begin(), result.axes.end());
  llvm::sort(axes);
  SmallVector<int64_t> shape;
  SmallVector<unsigned> order;
  for (unsigned axis : axes)
    shape.push_back(schedule.stepOf(axis).tile);
  order.push_back(llvm::find(axes, *result.unit) - axes.begin());
  for (unsigned d = axes.size(); d-- > 0;)
    if (d != order.front())
      order.push_back(d);
  int64_t width = transposedWidth(schedule, result);
  LinearLayout to = blocked(shape, order, width, schedule.warps);
  LinearLayout from = layoutOf(group, schedule, result.component, axes);
  // Threads that hold the elements they store exchange nothing.
  if (registerPermutation(from, to))
    return TransposedResult{to, 0};
  std::optional<int64_t> elements = countPadded(from, to, result.elementBytes);
  if (!elements || *elements * result.elementBytes > most)
    return std::nullopt;
  return TransposedResult{to, *elements * result.elementBytes};
}

int64_t fusion::countBlocks(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            unsigned component) {
  int64_t blocks = 1;
  for (unsigned number = 0; number < group.axes.size(); ++number)
    if (group.components[number] == component)
      blocks *= countTiles(group, schedule, number);
  return blocks;
}

int64_t fusion::countBlocks(const StitchGroup &group,
                            const StitchSchedule &schedule) {
  int64_t blocks = 0;
  for (unsigned component = 0; component < countComponents(group); ++component)
    blocks += countBlocks(group, schedule, component);
  return blocks;
}

int64_t fusion::elementsOf(const StitchSchedule &schedule,
                           ArrayRef<unsigned> axes) {
  int64_t count = 1;
  for (unsigned axis : axes)
    count *=
        schedule.threadMapping[axis].vector * schedule.stepOf(axis).registers();
  return count;
}
