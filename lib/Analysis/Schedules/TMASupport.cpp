//===- TMASupport.cpp - What TMA copies can move --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace fusion;
using Reason = std::optional<std::string>;

/// Returns how many dimensions a tensor map has for a tile over two axes.
/// Dimensions of one element are omitted.
static unsigned countMapDimensions(const GroupModel &group,
                                   const GroupTensor &tensor,
                                   const MemoryTile &tile) {
  return llvm::count_if(tensor.axes, [&](unsigned axis) {
    return axis == tile.rowAxis || axis == tile.columnAxis ||
           group.axes[axis].extent > 1;
  });
}

Reason fusion::whyNotTMA(const GroupModel &group, const Schedule &schedule,
                         const ChipInfo &chip, const RetainedTiles &retained,
                         unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const ContractionMapping &mapping = schedule.contractions[tensor.contraction];
  auto name = [&] { return "'" + tensor.name + "' "; };
  if (!chip.hasTMA)
    return chip.name.str() + " has no TMA copies";
  if (tensor.window)
    return name() + "is read through a window, and TMA copies move boxes";
  bool isResult = tensor.role == TensorRole::Result;
  if (isResult && schedule.splitAxis())
    return name() + "is a partial result, which threads store";
  MemoryTile tile =
      isResult
          ? getMemoryTile(tensor, mapping.i1, mapping.i2)
          : getMemoryTile(tensor, mapping.parallelAxis(tensor.operandNumber),
                          mapping.r1);
  if (!tile.isDense || tensor.alignment < kMapUnit)
    return name() +
           "has rows that do not begin at multiples of 16 bytes, and no "
           "tensor map describes it";
  if (!isResult && retained.values[index].count > kMaxBarriers)
    return name() + "is retained in " +
           std::to_string(retained.values[index].count) +
           " tiles, and a block has at most " + std::to_string(kMaxBarriers) +
           " mbarriers";
  if (unsigned rank = countMapDimensions(group, tensor, tile);
      rank > kMaxMapDimensions)
    return name() + "has " + std::to_string(rank) +
           " dimensions, and a tensor map at most " +
           std::to_string(kMaxMapDimensions);
  for (unsigned axis : tensor.axes)
    if (group.axes[axis].extent > std::numeric_limits<int32_t>::max())
      return name() +
             "has an index beyond 31 bits, and coordinates of TMA copies have "
             "32";
  bool isOperandA = mapping.isOperandA(tensor.operandNumber);
  if (!isResult &&
      operandPanels(*mapping.intrinsic, isOperandA,
                    tile.columnAxis == mapping.r1) != PanelOrder::Plain)
    return name() + "lies in shared memory in an order of " +
           mapping.intrinsic->name.str() +
           ", which is no swizzle of TMA copies";
  if (!boxShape(schedule.tiles[tile.rowAxis], schedule.tiles[tile.columnAxis],
                tensor.elementBytes))
    return "the tile of " + name() + "is not made of boxes of whole swizzles";
  return std::nullopt;
}

Reason fusion::whyNotTMA(const GroupModel &group, const Schedule &schedule,
                         const ChipInfo &chip, unsigned index) {
  RetainedTiles retained;
  if (Reason reason = analyzeRetainedTiles(group, schedule, retained))
    return reason;
  return whyNotTMA(group, schedule, chip, retained, index);
}

bool fusion::isSharedByNeighbours(const GroupModel &group,
                                  const Schedule &schedule, unsigned tensor) {
  return !schedule.blocks.empty() &&
         !group.indexes(tensor, schedule.blocks.back());
}

Reason fusion::whyNotMulticast(const GroupModel &group,
                               const Schedule &schedule, unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  auto name = [&] { return "'" + tensor.name + "' "; };
  if (tensor.role != TensorRole::Operand ||
      schedule.places[index].transport != fuse::Transport::TMA)
    return name() + "is not copied by TMA";
  if (!isSharedByNeighbours(group, schedule, index))
    return name() + "differs between the blocks of a cluster";
  const ContractionMapping &mapping = schedule.contractions[tensor.contraction];
  MemoryTile tile = getMemoryTile(
      tensor, mapping.parallelAxis(tensor.operandNumber), mapping.r1);
  int64_t rows = schedule.tiles[tile.rowAxis];
  if (rows % schedule.cluster != 0 ||
      !boxShape(rows / schedule.cluster, schedule.tiles[tile.columnAxis],
                tensor.elementBytes))
    return "the tile of " + name() + "has " + std::to_string(rows) +
           " rows, which " + std::to_string(schedule.cluster) +
           " blocks do not share in boxes of whole swizzles";
  return std::nullopt;
}

bool fusion::isMulticast(const GroupModel &group, const Schedule &schedule,
                         unsigned tensor) {
  return schedule.cluster > 1 &&
         schedule.places[tensor].transport == fuse::Transport::TMA &&
         !whyNotMulticast(group, schedule, tensor);
}

llvm::SmallVector<unsigned, 4> fusion::listCopied(const GroupModel &group,
                                                  const Schedule &schedule) {
  llvm::SmallVector<unsigned, 4> copied;
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role == TensorRole::Operand &&
        schedule.places[index].space == fuse::Space::Shared)
      copied.push_back(index);
  return copied;
}

Reason fusion::whyTooManyBarriers(const GroupModel &group,
                                  const Schedule &schedule,
                                  const RetainedTiles &retained) {
  int64_t count = 0;
  for (auto [tensor, place, slots] :
       llvm::zip_equal(group.tensors, schedule.places, retained.values))
    if (tensor.role == TensorRole::Operand &&
        place.transport == fuse::Transport::TMA)
      count += place.stages * slots.count;
  if (count <= kMaxBarriers)
    return std::nullopt;
  return "stages and retained tiles of TMA copies need " +
         std::to_string(count) + " mbarriers, and a block has at most " +
         std::to_string(kMaxBarriers);
}
