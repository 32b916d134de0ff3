//===- Footprint.cpp - What a schedule moves and occupies ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

MemoryTile fusion::getMemoryTile(const GroupTensor &tensor, unsigned axis0,
                                 unsigned axis1) {
  auto position = [&](unsigned axis) {
    return llvm::find(tensor.axes, axis) - tensor.axes.begin();
  };
  if (position(axis0) > position(axis1))
    std::swap(axis0, axis1);
  return {axis0, axis1, tensor.axes.back() == axis1};
}

namespace {

/// Walks the tree once, adding up what its statements do.
class Walker {
public:
  Walker(const GroupModel &group, const Schedule &schedule)
      : group(group), schedule(schedule) {
    for (auto [index, axis] : llvm::enumerate(group.axes))
      trips.push_back(tripCount(axis, schedule.tiles[index]));
    if ((split = schedule.splitAxis()))
      parts = schedule.splitOf(*split);
  }

  Footprint run() {
    for (unsigned axis : schedule.blocks)
      result.blocks *= trips[axis];
    result.blocks *= parts;
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role != TensorRole::Intermediate &&
          !isCombined(group, schedule, index))
        result.compulsoryBytes +=
            movedElements(group, schedule, index) * bytesOf(index);
    visit(schedule.tree);
    addSharedMemory();
    addRegisters();
    return result;
  }

private:
  int64_t bytesOf(unsigned tensor) const {
    return movedElementBytes(group, schedule, tensor);
  }

  /// How often all parts of a split axis together do what stands outside of the
  /// axis's loop; inside, their ranges add up to the axis.
  int64_t partsOutside() const {
    return split && !llvm::is_contained(loops, *split) ? parts : 1;
  }

  /// Bytes moved by a statement on the tensor: each tile once per iteration of
  /// the loops around it. Tiles partition an axis, so clipped extents add up to
  /// the axis.
  int64_t movedBytes(unsigned index) const {
    const GroupTensor &tensor = group.tensors[index];
    int64_t count = movedElements(group, schedule, index) * bytesOf(index);
    for (unsigned axis : loops)
      if (!llvm::is_contained(tensor.axes, axis))
        count *= trips[axis];
    bool hasParts = tensor.role == TensorRole::Result ||
                    (split && llvm::is_contained(tensor.axes, *split));
    return hasParts ? count : count * partsOutside();
  }

  int64_t enclosingTrips() const {
    int64_t count = partsOutside();
    for (unsigned axis : loops)
      count *= trips[axis];
    return count;
  }

  int64_t tileElements(ArrayRef<unsigned> axes) const {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= schedule.tiles[axis];
    return count;
  }

  /// How many threads hold each element of a tensor that is loaded straight into
  /// registers: lanes along the dimension it lacks (of a fragment's 32 lanes, 8
  /// lie along the rows of its first operand and accumulator and 4 along the
  /// columns; along the columns of its second operand 8, along its rows 4), and
  /// warps.
  int64_t replication(const GroupTensor &tensor) const {
    const ProductMapping &mapping = schedule.products[tensor.product];
    auto lacks = [&](unsigned axis) {
      return !llvm::is_contained(tensor.axes, axis);
    };
    int64_t rows = mapping.warps[0], columns = mapping.warps[1];
    if (tensor.role == TensorRole::Operand) {
      bool isFirst = (tensor.operandNumber == 0) != mapping.swapped;
      if (isFirst)
        return (lacks(mapping.i1) ? 8 * rows : 1) *
               (lacks(mapping.r1) ? 4 : 1) * columns;
      return (lacks(mapping.i2) ? 8 * columns : 1) *
             (lacks(mapping.r1) ? 4 : 1) * rows;
    }
    return (lacks(mapping.i1) ? 8 * rows : 1) *
           (lacks(mapping.i2) ? 4 * columns : 1);
  }

  void visit(const TilingTree &items) {
    for (const TilingNode &node : items) {
      if (node.isLoop()) {
        loops.push_back(node.index);
        visit(node.children);
        loops.pop_back();
        continue;
      }
      const GroupTensor &tensor = group.tensors[node.index];
      switch (node.kind) {
      case TilingNode::Kind::Load: {
        if (isCombined(group, schedule, node.index))
          break;
        int64_t bytes = movedBytes(node.index);
        bool isShared =
            schedule.places[node.index].space == fuse::Space::Shared;
        result.globalLoadBytes += isShared ? bytes : bytes * replication(tensor);
        if (isShared)
          result.sharedTraffic += bytes;
        break;
      }
      case TilingNode::Kind::Store: {
        int64_t bytes = movedBytes(node.index);
        result.globalStoreBytes += bytes;
        if (schedule.places[node.index].space == fuse::Space::Shared)
          result.sharedTraffic += 2 * bytes;
        break;
      }
      case TilingNode::Kind::Compute:
        visitProduct(tensor.product);
        break;
      case TilingNode::Kind::Loop:
        break;
      }
    }
  }

  void visitProduct(unsigned number) {
    const Product &product = group.products[number];
    const ProductMapping &mapping = schedule.products[number];
    int64_t count = enclosingTrips();
    int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
            r1 = schedule.tiles[mapping.r1];
    result.mmaFlops += 2 * i1 * i2 * r1 * count;
    bool isPartial =
        split && group.tensors[product.result].role == TensorRole::Result;
    if (!isPartial)
      result.otherFlops += i1 * i2 * product.flopsPerPoint *
                           (count / std::max<int64_t>(1, trips[mapping.r1]));
    // Every warp reads its rows of one operand and its columns of the other.
    result.sharedTraffic +=
        2 * r1 * (i1 * mapping.warps[1] + i2 * mapping.warps[0]) * count;
    int64_t steps = 1, completions = 1;
    for (unsigned axis : loops) {
      if (schedule.isBlockAxis(axis))
        continue;
      int64_t iterations = sequentialTrips(group, schedule, axis);
      steps *= iterations;
      if (!llvm::is_contained(product.reduction, axis))
        completions *= iterations;
    }
    // One barrier before the tiles are overwritten, one before they are read.
    result.serialLoads += steps;
    result.barriers += 2 * steps;
    const GroupTensor &value = group.tensors[product.result];
    bool isShared =
        schedule.places[product.result].space == fuse::Space::Shared;
    if (!isShared)
      return;
    result.barriers += 2 * completions;
    if (value.role != TensorRole::Intermediate)
      return;
    // Stored once, loaded by every warp that multiplies it.
    int64_t tile = i1 * i2 * value.elementBytes * count /
                   std::max<int64_t>(1, trips[mapping.r1]);
    int64_t readers = 1;
    for (auto [index, consumer] : llvm::enumerate(group.products))
      for (unsigned operand : {0u, 1u})
        if (consumer.producer[operand] == number)
          readers = schedule.products[index].warps[
              (operand == 0) != schedule.products[index].swapped ? 1 : 0];
    result.sharedTraffic += tile * (1 + readers);
  }

  static int64_t alignBuffer(int64_t bytes) {
    return llvm::alignTo(bytes, 128);
  }

  /// Whether the result's store is the last thing a block does, so that it can
  /// take the place of the operands' buffers.
  bool storeEndsBlock(const TilingTree &items) const {
    const TilingNode &last = items.back();
    if (last.isLoop())
      return schedule.isBlockAxis(last.index) && storeEndsBlock(last.children);
    return last.kind == TilingNode::Kind::Store;
  }

  /// Operands' buffers live for the whole loop nest. Beside them lives, one at
  /// a time, what passes through shared memory: an intermediate that is handed
  /// over and the result where it is stored inside of a loop.
  void addSharedMemory() {
    int64_t operands = 0, handedOver = 0, staging = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (place.space != fuse::Space::Shared)
        continue;
      int64_t bytes =
          alignBuffer(tileElements(tensor.axes) * bytesOf(index) * place.stages);
      if (tensor.role == TensorRole::Result)
        staging = bytes;
      else if (tensor.role == TensorRole::Intermediate)
        handedOver = std::max(handedOver, bytes);
      else
        operands += bytes;
    }
    result.sharedMemory = storeEndsBlock(schedule.tree)
                              ? std::max(operands + handedOver, staging)
                              : operands + std::max(handedOver, staging);
  }

  /// Accumulators, the fragments of one step and addresses. Every product's
  /// accumulator is taken to be live at the innermost one.
  void addRegisters() {
    constexpr int64_t addressing = 56;
    int64_t accumulators = 0, fragments = 0;
    for (const ProductMapping &mapping : schedule.products) {
      int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
      int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
      accumulators += i1 * i2 / 32;
      fragments = std::max(fragments, (i1 / 16) * 4 + (i2 / 8) * 2);
    }
    fragments *= schedule.registerStages;
    result.registers = accumulators + fragments + addressing;
  }

  const GroupModel &group;
  const Schedule &schedule;
  SmallVector<int64_t, 8> trips;
  SmallVector<unsigned, 8> loops;
  std::optional<unsigned> split; ///< the axis whose reduction is split
  int64_t parts = 1;
  Footprint result;
};

} // namespace

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule) {
  return Walker(group, schedule).run();
}
