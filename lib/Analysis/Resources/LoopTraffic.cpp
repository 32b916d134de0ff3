//===- LoopTraffic.cpp - What the loops of a schedule move ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/LoopTraffic.h"
#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Visits the tree once, and adds up what its statements do with any warps.
class Walker {
public:
  Walker(const GroupModel &group, const Schedule &schedule,
         const RetainedTiles &retained, UnmaskedTilesMemo *memo)
      : group(group), schedule(schedule), retained(retained) {
    trips = retained.trips;
    if ((split = schedule.splitAxis())) {
      parts = schedule.splitOf(*split);
      trips[*split] = tripCount(group.axes[*split], schedule.tiles[*split]);
    }
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      wholeBytes.push_back(movedElements(group, schedule, tensor) *
                           movedElementBytes(group, schedule, tensor));
    shortened = shortenedLoop(group, schedule);
    if (shortened)
      visited = memo ? memo->get(group, schedule, *shortened)
                     : sumUnmaskedTiles(group, schedule, *shortened);
  }

  LoopTraffic run() {
    result.blocks = countBlocks(group, schedule);
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role != TensorRole::Intermediate &&
          tensor.role != TensorRole::Rows && !tensor.pass && !isAnothers(index))
        result.compulsoryBytes += compulsoryBytes(group, schedule, index);
    if (shortened)
      addShortened();
    if (storesPartials(schedule)) {
      result.compulsoryBytes += partialRowBytes(group, schedule);
      result.globalStoreBytes += partialRowBytes(group, schedule);
    }
    // Partial results are written to the block that adds them, and read there.
    result.sharedTraffic +=
        2 * result.blocks * clusterPartialBytes(group, schedule);
    for (unsigned reduction : clusterReductions(group, schedule))
      result.sharedTraffic +=
          2 * result.blocks *
          clusterStatisticsBytes(group, schedule, reduction);
    traffic.contractions.resize(group.contractions.size());
    visit(schedule.tree);
    traffic.loops = std::move(result);
    return std::move(traffic);
  }

private:
  /// Whether another launch moves the tensor.
  bool isAnothers(unsigned tensor) const {
    return split && isReducedAcrossBlocks(group, schedule, tensor);
  }

  /// Returns how often all parts of a split axis together execute a statement
  /// outside of the axis's loop. Inside of it, their ranges add up to the axis.
  int64_t partsOutside() const {
    return split && !llvm::is_contained(loops, *split) ? parts : 1;
  }

  /// Returns the bytes that a statement on the tensor moves: each tile once per
  /// iteration of the loops around it. Tiles partition an axis, so clipped
  /// extents add up to the axis.
  int64_t movedBytes(unsigned index) const {
    const GroupTensor &tensor = group.tensors[index];
    int64_t count = wholeBytes[index];
    for (unsigned axis : loops)
      if (!llvm::is_contained(tensor.axes, axis))
        count *= trips[axis];
    bool hasParts = tensor.role == TensorRole::Result ||
                    isReduceScattered(group, schedule, index) ||
                    (split && llvm::is_contained(tensor.axes, *split));
    count = shorten(count, tensor.axes);
    return hasParts ? count : count * partsOutside();
  }

  /// Returns the iterations of the loops around a statement, without loops over
  /// `except`.
  int64_t enclosingTrips(ArrayRef<unsigned> except = {}) const {
    int64_t count = partsOutside();
    bool isShortened = shortened.has_value();
    for (unsigned axis : loops) {
      if (!llvm::is_contained(except, axis))
        count *= trips[axis];
      else if (isShortened && axis == shortened->masked->axis)
        isShortened = false;
    }
    return isShortened ? shorten(count, {}) : count;
  }

  /// Scales `count` to the masked loop, if that is around the statement.
  /// `count` is a product over loops: elements for loops over `axes`, tiles for
  /// all others.
  int64_t shorten(int64_t count, ArrayRef<unsigned> axes) const {
    if (!shortened || !llvm::is_contained(loops, shortened->masked->axis))
      return count;
    auto sizeOf = [&](unsigned axis) {
      return llvm::is_contained(axes, axis) ? group.axes[axis].extent
                                            : trips[axis];
    };
    unsigned masked = shortened->masked->axis;
    int64_t all = sizeOf(masked);
    unsigned indexed = llvm::is_contained(axes, masked);
    for (auto [number, other] : llvm::enumerate(shortened->others)) {
      all *= sizeOf(other);
      indexed |= unsigned(llvm::is_contained(axes, other)) << (number + 1);
    }
    return count / all * visited.points[indexed];
  }

  void addShortened() {
    unsigned axis = shortened->masked->axis;
    // All parts of a split axis visit them together.
    int64_t shares = split == axis ? parts : 1;
    result.shortened = {axis,
                        static_cast<double>(visited.iterations) /
                            (visited.tiles * shares),
                        std::min(visited.most, retained.trips[axis])};
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
        if (isAnothers(node.index))
          break;
        int64_t bytes = movedBytes(node.index);
        bool isShared =
            schedule.places[node.index].space == fuse::Space::Shared;
        if (!isShared) {
          traffic.registerLoads.push_back({node.index, bytes});
          break;
        }
        result.sharedTraffic += bytes;
        if (schedule.cluster > 1)
          traffic.clusterLoads.push_back({node.index, bytes});
        else
          result.globalLoadBytes += bytes;
        break;
      }
      case TilingNode::Kind::Store: {
        if (isAnothers(node.index))
          break;
        // Where several blocks compute the same rows, the first one stores
        // them.
        int64_t bytes = tensor.role == TensorRole::Statistic
                            ? movedElements(group, schedule, node.index) *
                                  tensor.elementBytes
                            : movedBytes(node.index);
        result.globalStoreBytes += bytes;
        if (schedule.places[node.index].space == fuse::Space::Shared)
          result.sharedTraffic += 2 * bytes;
        break;
      }
      case TilingNode::Kind::Compute:
        if (tensor.role == TensorRole::Rows)
          visitPass(node.index);
        else
          visitProduct(tensor.contraction);
        break;
      case TilingNode::Kind::Loop:
        break;
      }
    }
  }

  void visitPass(unsigned rows) {
    const RowStatistics &pass =
        *llvm::find_if(group.rowStatistics, [&](const RowStatistics &each) {
          return each.rows == rows;
        });
    unsigned number = &pass - group.rowStatistics.begin();
    // In the contraction's loop these are the fragments of its operand.
    traffic.passes.push_back({number, enclosingTrips(),
                              enclosingTrips(llvm::ArrayRef(pass.axis)),
                              !retained.runsWithContraction[number]});
    int64_t steps = 1;
    for (unsigned axis : loops)
      if (!schedule.isBlockAxis(axis))
        steps *= retained.trips[axis];
    bool isOwn = llvm::any_of(pass.prepassReads, [&](unsigned tensor) {
      return retained.loads[tensor].has_value();
    });
    if (!isOwn)
      return;
    result.serialLoads += steps;
    result.barriers += 2 * steps;
  }

  void visitProduct(unsigned number) {
    const Contraction &contraction = group.contractions[number];
    const ContractionMapping &mapping = schedule.contractions[number];
    int64_t count = enclosingTrips(),
            completed = enclosingTrips(contraction.reduction);
    int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
            r1 = schedule.tiles[mapping.r1];
    int64_t flops = 2 * i1 * i2 * r1 * count;
    result.mmaFlops += flops;
    result.unitFlops[static_cast<size_t>(mapping.intrinsic->unit)] += flops;
    bool isLast = group.tensors[contraction.result].role == TensorRole::Result;
    bool isPartial = isLast && storesPartials(schedule);
    ScalarWork perPoint = contraction.perPoint;
    for (const OnlineAxis &online : group.online)
      if (runsOnline(group, retained, online.axis))
        for (const auto &[deferring, work] : online.deferred)
          if (deferring == number)
            perPoint += work * -1;
    // In a cluster each block computes its share of the points.
    int64_t shares = isLast && schedule.splitInCluster ? parts : 1;
    if (!isPartial)
      result.scalar += perPoint * (i1 * i2 * completed / shares);
    // Every iteration of the axis rescales the accumulator.
    ScalarWork rescaled;
    for (const OnlineAxis &online : group.online)
      if (llvm::is_contained(online.corrected, number) &&
          runsOnline(group, retained, online.axis))
        rescaled += ScalarWork{1, 0} * (i1 * i2);
    result.scalar += rescaled * count;
    int64_t steps = 1, completions = 1;
    for (unsigned axis : loops) {
      if (schedule.isBlockAxis(axis))
        continue;
      int64_t iterations = retained.trips[axis];
      if (result.shortened && result.shortened->axis == axis)
        iterations = std::ceil(result.shortened->average);
      steps *= iterations;
      if (!llvm::is_contained(contraction.reduction, axis))
        completions *= iterations;
    }
    // One barrier before the tiles are overwritten, one before they are read.
    result.serialLoads += steps;
    result.barriers += 2 * steps;
    traffic.contractions[number] = {
        count,   completed, completions, isPartial, perPoint * (i1 * i2),
        rescaled};
  }

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
  SmallVector<int64_t, 8> trips;      ///< by axis, of all parts
  SmallVector<int64_t, 8> wholeBytes; ///< by tensor, each element once
  SmallVector<unsigned, 8> loops;
  std::optional<ShortenedLoop> shortened;
  UnmaskedSums visited;          ///< by it
  std::optional<unsigned> split; ///< the axis whose reduction is split
  int64_t parts = 1;
  Footprint result;
  LoopTraffic traffic;
};

} // namespace

LoopTraffic fusion::countLoopTraffic(const GroupModel &group,
                                     const Schedule &schedule,
                                     const RetainedTiles &retained,
                                     UnmaskedTilesMemo *memo) {
  return Walker(group, schedule, retained, memo).run();
}
