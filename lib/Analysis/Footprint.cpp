//===- Footprint.cpp - What a schedule moves and occupies ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Footprint.h"
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
  }

  Footprint run() {
    for (unsigned axis : schedule.blocks)
      result.blocks *= trips[axis];
    for (const GroupTensor &tensor : group.tensors)
      if (tensor.role != TensorRole::Intermediate)
        result.compulsoryBytes += elements(tensor) * tensor.elementBytes;
    visit(schedule.tree);
    addSharedMemory();
    addRegisters();
    return result;
  }

private:
  int64_t elements(const GroupTensor &tensor) const {
    int64_t count = 1;
    for (unsigned axis : tensor.axes)
      count *= group.axes[axis].extent;
    return count;
  }

  /// Elements moved by a statement on `tensor`: each tile once per iteration of
  /// the loops around it. Tiles partition an axis, so clipped extents add up to
  /// the axis.
  int64_t movedElements(const GroupTensor &tensor) const {
    int64_t count = elements(tensor);
    for (unsigned axis : loops)
      if (!llvm::is_contained(tensor.axes, axis))
        count *= trips[axis];
    return count;
  }

  int64_t enclosingTrips() const {
    int64_t count = 1;
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
        int64_t bytes = movedElements(tensor) * tensor.elementBytes;
        bool isShared =
            schedule.places[node.index].space == fuse::Space::Shared;
        result.globalLoadBytes += isShared ? bytes : bytes * replication(tensor);
        if (isShared)
          result.sharedTraffic += bytes;
        break;
      }
      case TilingNode::Kind::Store: {
        int64_t bytes = movedElements(tensor) * tensor.elementBytes;
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
    result.otherFlops +=
        i1 * i2 * product.flopsPerPoint *
        (count / std::max<int64_t>(1, trips[mapping.r1]));
    // Every warp reads its rows of one operand and its columns of the other.
    result.sharedTraffic +=
        2 * r1 * (i1 * mapping.warps[1] + i2 * mapping.warps[0]) * count;
    int64_t steps = 1, completions = 1;
    for (unsigned axis : loops) {
      if (schedule.isBlockAxis(axis))
        continue;
      steps *= trips[axis];
      if (!llvm::is_contained(product.reduction, axis))
        completions *= trips[axis];
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
          alignBuffer(tileElements(tensor.axes) * tensor.elementBytes * place.stages);
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
  Footprint result;
};

} // namespace

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule) {
  return Walker(group, schedule).run();
}
