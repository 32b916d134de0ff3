//===- StitchCluster.cpp - Rows that the blocks of a cluster share --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

std::optional<unsigned> fusion::clusterAxisOf(const StitchSchedule &schedule) {
  for (auto [axis, mapping] : llvm::enumerate(schedule.threadMapping))
    if (mapping.cluster > 1)
      return axis;
  return std::nullopt;
}

int64_t fusion::clusterSize(const StitchSchedule &schedule) {
  std::optional<unsigned> axis = clusterAxisOf(schedule);
  return axis ? schedule.threadMapping[*axis].cluster : 1;
}

int64_t fusion::clusterStages(const StitchSchedule &schedule) {
  return schedule.splitLoop ? 2 : 1;
}

bool fusion::isSharedInCluster(const StitchGroup &group,
                               const StitchSchedule &schedule, unsigned op) {
  std::optional<unsigned> axis = clusterAxisOf(schedule);
  return axis && group.reduces(op, *axis);
}

int64_t fusion::countClusterPartial(const StitchGroup &group,
                                    const StitchSchedule &schedule,
                                    unsigned op) {
  int64_t elements = 1;
  for (unsigned axis : group.resultAxes(op))
    elements *= schedule.stepOf(axis).tile;
  return elements;
}

int64_t fusion::countClusterPartials(const StitchGroup &group,
                                     const StitchSchedule &schedule) {
  // As tile-allocate-shared aligns buffers.
  constexpr int64_t alignment = 128, byteBits = 8;
  int64_t bytes = 0;
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (isSharedInCluster(group, schedule, op))
      bytes += llvm::alignTo(clusterStages(schedule) * clusterSize(schedule) *
                                 countClusterPartial(group, schedule, op) *
                                 llvm::divideCeil(group.reductions[op]
                                                      ->combined.getType()
                                                      .getIntOrFloatBitWidth(),
                                                  byteBits),
                             alignment);
  return bytes;
}

int64_t fusion::countRetained(const StitchSchedule &schedule, int64_t first,
                              int64_t beyond) {
  const StitchSerialLoop &walk = *schedule.serialLoop;
  const AxisThreadMapping &mapping = schedule.threadMapping[walk.axis];
  int64_t retained = 0,
          own = (walk.registerSteps + walk.sharedSteps) * walk.step;
  for (int64_t block = 0; block < mapping.cluster; ++block) {
    int64_t start = block * mapping.tile;
    retained += std::max<int64_t>(0, std::min(beyond, start + own) -
                                         std::max(first, start));
  }
  return retained;
}

std::optional<std::string> fusion::checkCluster(const StitchGroup &group,
                                                const StitchSchedule &schedule,
                                                const ChipInfo &chip) {
  std::optional<unsigned> shared = clusterAxisOf(schedule);
  if (!shared)
    return std::nullopt;
  const AxisThreadMapping &mapping = schedule.threadMapping[*shared];
  std::string name = "axis '" + group.axes[*shared].name + "'";
  if (mapping.cluster > chip.maxClusterSize)
    return name + " has a cluster of " + std::to_string(mapping.cluster) +
           " blocks, of which " + chip.name.str() + " has " +
           (chip.hasClusters
                ? "no more than " + std::to_string(chip.maxClusterSize)
                : "none");
  // Each block of a cluster has columns of its own, whose sums go along.
  std::optional<unsigned> split = StitchSplit::axisOf(group, schedule);
  if (split && (!schedule.serialLoop || schedule.serialLoop->axis != *shared))
    return name +
           " has a cluster of blocks without a serial loop over it, and the "
           "reductions along '" +
           group.axes[*split].name + "' are split over blocks";
  if (*llvm::max_element(group.components) != 0)
    return name + " has a cluster of blocks, and the group more than one set "
                  "of axes";
  int64_t tiles = countTiles(group, schedule, *shared);
  if (tiles != mapping.cluster)
    return name + " has a cluster of " + std::to_string(mapping.cluster) +
           " blocks, and " + std::to_string(tiles) + " tiles of " +
           std::to_string(mapping.tile) + " elements";
  // An exchange is a barrier of all blocks, which stands in no loop.
  if (schedule.serialLoop && schedule.serialLoop->axis != *shared)
    return name + " has a cluster of blocks with a serial loop over another "
                  "axis";
  if (mapping.align > 1 && schedule.retainedSteps() < schedule.countSteps())
    return name + " is aligned and has a cluster of blocks that do not retain "
                  "their tile of it";
  constexpr unsigned byteBits = 8;
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    if (!group.reduces(op, *shared))
      continue;
    Type type = group.reductions[op]->combined.getType();
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() < byteBits)
      return name + " has a cluster of blocks, and the elements of its partial "
                    "results are no whole bytes";
  }
  return std::nullopt;
}
