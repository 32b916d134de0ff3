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

  /// How many threads hold each element of an operand that is loaded straight
  /// into the accumulator's layout: lanes along the dimension it lacks (8 rows, 4
  /// column pairs of the fragment), and warps.
  int64_t replication(const GroupTensor &tensor) const {
    const ProductMapping &mapping = schedule.products[tensor.product];
    int64_t factor = 1;
    if (!llvm::is_contained(tensor.axes, mapping.i1))
      factor *= 8 * mapping.warps[0];
    if (!llvm::is_contained(tensor.axes, mapping.i2))
      factor *= 4 * mapping.warps[1];
    return factor;
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
    int64_t steps = 1;
    for (unsigned axis : loops)
      if (!schedule.isBlockAxis(axis))
        steps *= trips[axis];
    result.serialLoads += steps;
  }

  static int64_t alignBuffer(int64_t bytes) {
    return llvm::alignTo(bytes, 128);
  }

  /// Operands' buffers live for the whole loop nest, the result's staging buffer
  /// after it; an intermediate handed over through shared memory lives beside
  /// the operands.
  void addSharedMemory() {
    int64_t nest = 0, staging = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (place.space != fuse::Space::Shared)
        continue;
      int64_t bytes =
          alignBuffer(tileElements(tensor.axes) * tensor.elementBytes * place.stages);
      if (tensor.role == TensorRole::Result)
        staging = std::max(staging, bytes);
      else
        nest += bytes;
    }
    result.sharedMemory = std::max(nest, staging);
  }

  /// Accumulators, the fragments of one step and addresses. Every product's
  /// accumulator is taken to be live at the innermost one.
  void addRegisters() {
    constexpr int64_t addressing = 40;
    int64_t accumulators = 0, fragments = 0;
    for (const ProductMapping &mapping : schedule.products) {
      int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
      int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
      accumulators += i1 * i2 / 32;
      fragments = std::max(fragments, (i1 / 16) * 4 + (i2 / 8) * 2);
    }
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
