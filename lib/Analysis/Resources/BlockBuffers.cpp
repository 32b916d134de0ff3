//===- BlockBuffers.cpp - What a block holds in shared memory -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Schedules/AccumulatorMemo.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Support/TileLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;

int64_t fusion::exchangedBytes(const GroupModel &group,
                               const Schedule &schedule,
                               const Reduction &reduction) {
  if (schedule.splitInCluster &&
      group.tensors[group.contractions[reduction.contraction].result].role ==
          TensorRole::Result)
    return exchangedPerBlock(group, schedule, reduction);
  const ContractionMapping &mapping =
      schedule.contractions[reduction.contraction];
  bool alongColumns = llvm::is_contained(reduction.reduced, mapping.i2);
  // Columns are reduced first, then the remaining rows.
  if (reduction.reduced.size() > 1) {
    int64_t columns = mapping.warps[1] == 1
                          ? 0
                          : mapping.warps[1] * schedule.tiles[mapping.i1];
    int64_t rows = mapping.warps[0] == 1 ? 0 : mapping.warps[0];
    return std::max(columns, rows) * reduction.elementBytes;
  }
  int64_t parts = mapping.warps[alongColumns ? 1 : 0];
  int64_t rows = schedule.tiles[alongColumns ? mapping.i1 : mapping.i2];
  return parts == 1 ? 0 : parts * rows * reduction.elementBytes;
}

/// Returns the alignment of buffers in shared memory, in bytes.
static int64_t bufferAlignment(const Schedule &schedule) {
  constexpr int64_t line = 128;
  bool hasSwizzles = llvm::any_of(schedule.contractions,
                                  [](const ContractionMapping &mapping) {
                                    return mapping.intrinsic->readsShared();
                                  }) ||
                     llvm::any_of(schedule.places, [](const Placement &place) {
                       return place.transport == fuse::Transport::TMA;
                     });
  return hasSwizzles ? kSwizzlePeriod : line;
}

namespace {

class BufferLister {
public:
  BufferLister(const GroupModel &group, const Schedule &schedule,
               const RetainedTiles &retained, AccumulatorMemo &accumulators)
      : group(group), schedule(schedule), retained(retained),
        accumulators(accumulators) {}

  /// Lists what lives in shared memory. Operands' buffers, with their stages or
  /// slots, and those of retained intermediates live for the whole loop nest.
  /// Next to them live, one at a time, tiles that pass through shared memory:
  /// an intermediate, or a result that is stored inside of a loop. A result
  /// that is stored at the end takes the place of all buffers.
  void list(BlockResources &held) const {
    ArrayRef<TilingNode> end = finalStores();
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      if (schedule.places[index].space != fuse::Space::Shared)
        continue;
      int64_t tile = tileElements(tensor.axes) * bytesOf(index);
      if (tensor.role == TensorRole::Result && stores(end, index))
        held.atEnd = std::max(held.atEnd, alignBuffer(tile));
      else if (tensor.role == TensorRole::Result ||
               (tensor.role == TensorRole::Intermediate &&
                !hasOwnBuffer(group, schedule, retained, index)))
        held.passing = std::max(held.passing, alignBuffer(tile));
      else
        held.buffers.push_back({static_cast<unsigned>(index),
                                tile * retained.values[index].count,
                                retained.values[index].count});
    }
    held.atEnd =
        std::max(held.atEnd, alignBuffer(clusterPartialBytes(group, schedule)));
    for (unsigned reduction : clusterReductions(group, schedule))
      held.given +=
          alignBuffer(clusterStatisticsBytes(group, schedule, reduction));
    for (const Reduction &reduction : group.reductions)
      if (!reduction.pass) // every warp holds whole rows of an operand
        held.passing =
            std::max(held.passing,
                     alignBuffer(exchangedBytes(group, schedule, reduction)));
    held.passing = std::max(held.passing, alignBuffer(correctionBytes()));
  }

private:
  /// Returns the bytes through which running values of rows pass to other
  /// warps. They do where the warps that rescale an accumulator have other rows
  /// than the warps that reduce. One value passes at a time.
  int64_t correctionBytes() const {
    int64_t bytes = 0;
    for (const OnlineAxis &online : group.online) {
      if (!runsOnline(group, retained, online.axis))
        continue;
      for (const Reduction &reduction : group.reductions) {
        if (reduction.pass ||
            !llvm::is_contained(reduction.reduced, online.axis))
          continue;
        const ContractionMapping &mapping =
            schedule.contractions[reduction.contraction];
        unsigned rows = mapping.i2 == online.axis ? mapping.i1 : mapping.i2;
        if (llvm::any_of(online.corrected, [&](unsigned corrected) {
              return !accumulators.haveSameThreads(
                  mapping, schedule.contractions[corrected], schedule, rows);
            }))
          bytes = std::max(bytes, schedule.tiles[rows] *
                                      int64_t(reduction.elementBytes));
      }
    }
    return bytes;
  }

  /// Aligns as tile-allocate-shared does: to a line of all banks, or as
  /// swizzles that an instruction reads in place require.
  int64_t alignBuffer(int64_t bytes) const {
    return llvm::alignTo(bytes, bufferAlignment(schedule));
  }

  /// Returns the statements that end the block with stores. The operands'
  /// buffers are free by then.
  ArrayRef<TilingNode> finalStores() const {
    const TilingTree *items = &schedule.tree;
    while (items->size() == 1 && items->front().isLoop() &&
           schedule.isBlockAxis(items->front().index))
      items = &items->front().children;
    std::optional<size_t> first = findFinalStores(*items, schedule);
    return first ? ArrayRef<TilingNode>(*items).drop_front(*first)
                 : ArrayRef<TilingNode>();
  }

  static bool stores(ArrayRef<TilingNode> items, unsigned tensor) {
    return llvm::any_of(items, [&](const TilingNode &node) {
      return node.kind == TilingNode::Kind::Store
                 ? node.index == tensor
                 : stores(node.children, tensor);
    });
  }

  int64_t bytesOf(unsigned tensor) const {
    return movedElementBytes(group, schedule, tensor);
  }

  int64_t tileElements(ArrayRef<unsigned> axes) const {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= schedule.tiles[axis];
    return count;
  }

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
  AccumulatorMemo &accumulators;
};

} // namespace

int64_t fusion::minSharedMemory(const GroupModel &group,
                                const Schedule &schedule,
                                const RetainedTiles &retained) {
  int64_t bytes = 0;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role != TensorRole::Operand ||
        schedule.places[index].space != fuse::Space::Shared)
      continue;
    int64_t tile = tensor.elementBytes * retained.values[index].count;
    for (unsigned axis : tensor.axes)
      tile *= schedule.tiles[axis];
    bytes += llvm::alignTo(tile, bufferAlignment(schedule));
  }
  return bytes;
}

void fusion::listBuffers(const GroupModel &group, const Schedule &schedule,
                         const RetainedTiles &retained,
                         AccumulatorMemo &accumulators, BlockResources &held) {
  BufferLister(group, schedule, retained, accumulators).list(held);
}

int64_t fusion::countBuffers(const BlockResources &held,
                             const Schedule &schedule) {
  int64_t buffers = 0, barriers = 0, alignment = bufferAlignment(schedule);
  for (const BlockResources::Buffer &buffer : held.buffers) {
    const Placement &place = schedule.places[buffer.tensor];
    buffers += llvm::alignTo(buffer.bytes * place.stages, alignment);
    // One mbarrier for the copy and one for the release of each stage.
    if (place.transport == fuse::Transport::TMA)
      barriers += 2 * place.stages * buffer.slots;
  }
  // Memory that other blocks write to lives throughout.
  int64_t throughout = barriers * kBarrierBytes + held.given;
  // In a persistent kernel the next tile's first loads are in flight while this
  // tile is stored.
  if (schedule.persistent)
    return buffers + std::max(held.passing, held.atEnd) + throughout;
  return std::max(buffers + held.passing, held.atEnd) + throughout;
}
