//===- DramModel.cpp - Bytes between DRAM and L2 --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/DramModel.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::SmallVector;

namespace {

// Tiles that are read through a window overlap. They are counted as parts of
// all bytes that are read. An iteration therefore counts fewer bytes than it
// touches where other iterations touch them, too.

/// A loop over blocks.
struct GridLevel {
  unsigned axis;
  double trips;
  double together = 1; ///< iterations whose blocks are resident at one time
};

class DramWalker {
public:
  DramWalker(const GroupModel &group, const Schedule &schedule,
             int64_t concurrent, uint64_t l2Bytes)
      : group(group), schedule(schedule), l2Bytes(l2Bytes),
        touched(group.tensors.size(), 0), distance(group.tensors.size(), 0),
        fetches(group.tensors.size(), 1) {
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      int64_t all = tripCount(group.axes[axis], schedule.tiles[axis]);
      whole.push_back(all);
      int64_t parts = schedule.splitOf(axis);
      isSplit |= parts > 1 && storesPartials(schedule);
      sequential.push_back(parts == 1 ? all : llvm::divideCeil(all, parts));
    }
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      wholeBytes.push_back(compulsoryBytes(group, schedule, tensor));
    listLevels();
    // The resident blocks are the next ones in order.
    double rest = std::max<int64_t>(1, concurrent);
    for (GridLevel &level : levels) {
      level.together = std::clamp(rest, 1.0, level.trips);
      rest /= level.trips;
    }
  }

  DramTraffic run() {
    visit(schedule.tree);
    for (const GridLevel &level : levels)
      repeat(level.axis, level.trips / level.together, 0);
    DramTraffic result;
    if (isSplit)
      result.storeBytes = partialRowBytes(group, schedule);
    for (unsigned tensor : seen) {
      double bytes = static_cast<double>(wholeBytes[tensor]) * fetches[tensor];
      if (group.tensors[tensor].role == TensorRole::Result)
        result.storeBytes += bytes;
      else
        result.loadBytes += bytes;
    }
    return result;
  }

private:
  double trips(unsigned axis) const { return whole[axis]; }

  /// The loops over blocks, fastest first.
  void listLevels() {
    SmallVector<unsigned, 4> blocks(llvm::reverse(schedule.blocks));
    if (schedule.blockSwizzle > 1 && blocks.size() > 1) {
      double width = std::min<double>(schedule.blockSwizzle, trips(blocks[0]));
      levels.push_back({blocks[0], width});
      levels.push_back({blocks[1], trips(blocks[1])});
      levels.push_back({blocks[0], trips(blocks[0]) / width});
      blocks.erase(blocks.begin(), blocks.begin() + 2);
    }
    for (unsigned axis : blocks)
      levels.push_back({axis, trips(axis)});
    if (std::optional<unsigned> axis = schedule.splitAxis())
      levels.insert(schedule.splitInCluster ? levels.begin() : levels.end(),
                    {*axis, static_cast<double>(schedule.splitOf(*axis))});
  }

  /// Whether other iterations of a loop over `axis` touch other elements. Each
  /// block of a split reduction has a partial result of its own.
  bool indexes(unsigned tensor, unsigned axis) const {
    const GroupTensor &info = group.tensors[tensor];
    return llvm::is_contained(info.axes, axis) ||
           (isSplit && info.role == TensorRole::Result &&
            schedule.splitOf(axis) > 1);
  }

  /// Adds a statement. In one iteration of all loops around it, the resident
  /// blocks touch these bytes of its tensor.
  void touch(unsigned tensor, llvm::ArrayRef<unsigned> loops) {
    double bytes = static_cast<double>(wholeBytes[tensor]);
    for (unsigned axis : loops)
      if (llvm::is_contained(group.tensors[tensor].axes, axis) &&
          !schedule.isBlockAxis(axis))
        bytes /= sequential[axis];
    for (const GridLevel &level : levels)
      if (indexes(tensor, level.axis))
        bytes *= level.together / level.trips;
    touched[tensor] = bytes;
    seen.push_back(tensor);
  }

  /// Adds a loop of `count` iterations around the tensors in `seen` from number
  /// `first` on.
  void repeat(unsigned axis, double count, size_t first) {
    double between = 0;
    for (unsigned tensor : llvm::ArrayRef(seen).drop_front(first))
      between += touched[tensor];
    for (unsigned tensor : llvm::ArrayRef(seen).drop_front(first)) {
      if (indexes(tensor, axis)) {
        touched[tensor] *= count;
        distance[tensor] = 0;
        continue;
      }
      // Data that the inner loop uses in every iteration is used at the end of
      // one iteration and at the beginning of the next.
      if (distance[tensor] == 0)
        distance[tensor] = between;
      if (distance[tensor] > l2Bytes &&
          group.tensors[tensor].role != TensorRole::Result)
        fetches[tensor] *= count;
    }
  }

  void visit(const TilingTree &items) {
    for (const TilingNode &node : items) {
      if (node.isLoop()) {
        size_t first = seen.size();
        path.push_back(node.index);
        visit(node.children);
        path.pop_back();
        if (!schedule.isBlockAxis(node.index))
          repeat(node.index, sequential[node.index], first);
      } else if (node.kind != TilingNode::Kind::Compute &&
                 !(isSplit &&
                   isReducedAcrossBlocks(group, schedule, node.index))) {
        touch(node.index, path);
      }
    }
  }

  const GroupModel &group;
  const Schedule &schedule;
  uint64_t l2Bytes;
  bool isSplit = false;
  SmallVector<double, 8> whole, sequential; ///< by axis: tiles, iterations
  SmallVector<int64_t, 8> wholeBytes;       ///< by tensor, each element once
  SmallVector<GridLevel, 6> levels;
  SmallVector<unsigned, 8> path; ///< loops around the current statement
  SmallVector<unsigned, 8> seen; ///< tensors, in the order of their statements
  SmallVector<double, 8>
      touched; ///< by tensor: bytes in the statements visited so far
  /// By tensor: bytes between two uses, 0 where the last loop indexes it.
  SmallVector<double, 8> distance;
  SmallVector<double, 8> fetches; ///< by tensor: of each of its bytes
};

} // namespace

DramTraffic fusion::predictDram(const GroupModel &group,
                                const Schedule &schedule, int64_t concurrent,
                                uint64_t l2Bytes) {
  return DramWalker(group, schedule, concurrent, l2Bytes).run();
}

DramTraffic DramMemo::predict(const GroupModel &group, const Schedule &schedule,
                              int64_t concurrent, uint64_t l2Bytes) {
  for (const auto &[blocks, traffic] : known)
    if (blocks == concurrent)
      return traffic;
  DramTraffic traffic = predictDram(group, schedule, concurrent, l2Bytes);
  known.push_back({concurrent, traffic});
  return traffic;
}
