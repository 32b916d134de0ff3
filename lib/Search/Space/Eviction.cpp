//===- Eviction.cpp - What may leave the L2 cache first -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/Eviction.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static fuse::Eviction evictionOf(const GroupModel &group,
                                 const Schedule &schedule, const ChipInfo &chip,
                                 const RetainedTiles &retained,
                                 unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  auto isIn = [&](unsigned axis) {
    return llvm::is_contained(tensor.axes, axis);
  };
  auto tiles = [&](unsigned axis) {
    return tripCount(group.axes[axis], schedule.tiles[axis]);
  };
  // Blocks that have another place along an axis without it read it again, and
  // so do loops over such an axis around the load.
  // The blocks of a cluster read once what they copy for one another.
  int64_t together = isMulticast(group, schedule, index) ? schedule.cluster : 1;
  bool isReadAgain = llvm::any_of(schedule.blocks, [&](unsigned axis) {
    int64_t once = axis == schedule.blocks.back() ? together : 1;
    return !isIn(axis) && tiles(axis) > once;
  });
  for (const TilingNode *loop : retained.loads[index]->loops)
    isReadAgain |= !schedule.isBlockAxis(loop->index) && !isIn(loop->index) &&
                   retained.trips[loop->index] > 1;
  if (!isReadAgain)
    return fuse::Eviction::First;
  bool isOfAllBlocks = llvm::none_of(schedule.blocks, [&](unsigned axis) {
    return isIn(axis) && tiles(axis) > 1;
  });
  std::optional<unsigned> split = schedule.splitAxis();
  isOfAllBlocks &= !split || !isIn(*split);
  uint64_t bytes = tensor.elementBytes;
  for (unsigned axis : tensor.axes)
    bytes *= group.axes[axis].extent;
  return isOfAllBlocks && bytes <= chip.l2Bytes ? fuse::Eviction::Last
                                                : fuse::Eviction::Normal;
}

fuse::Eviction fusion::evictionOf(const GroupModel &group,
                                  const Schedule &schedule,
                                  const ChipInfo &chip, unsigned tensor) {
  RetainedTiles retained;
  if (analyzeRetainedTiles(group, schedule, retained) ||
      !retained.loads[tensor])
    return fuse::Eviction::Normal;
  return ::evictionOf(group, schedule, chip, retained, tensor);
}

void fusion::chooseEvictions(const GroupModel &group, const ChipInfo &chip,
                             Schedule &schedule) {
  RetainedTiles retained;
  if (analyzeRetainedTiles(group, schedule, retained))
    return;
  for (unsigned tensor : listCopied(group, schedule))
    if (schedule.places[tensor].transport == fuse::Transport::TMA &&
        retained.loads[tensor])
      schedule.places[tensor].eviction =
          ::evictionOf(group, schedule, chip, retained, tensor);
}
