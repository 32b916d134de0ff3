//===- Footprint.cpp - What a schedule moves and occupies -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Footprint.h"
#include "BlockResources.h"
#include "LoopTraffic.h"
#include "fusion/Analysis/MaskedTiles.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

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
  bool isDense =
      tensor.axes.back() == axis1 && (!tensor.window || tensor.alignment != 0);
  return {axis0, axis1, isDense};
}

bool fusion::isSharedByNeighbours(const GroupModel &group,
                                  const Schedule &schedule, unsigned tensor) {
  return !schedule.blocks.empty() &&
         !group.indexes(tensor, schedule.blocks.back());
}

bool fusion::hasOwnBuffer(const GroupModel &group, const Schedule &schedule,
                          const RetainedTiles &retained, unsigned tensor) {
  const GroupTensor &info = group.tensors[tensor];
  if (info.role != TensorRole::Intermediate ||
      schedule.places[tensor].space != fuse::Space::Shared)
    return false;
  if (retained.values[tensor].isRetained())
    return true;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (llvm::is_contained(contraction.producer,
                           std::optional(info.contraction)) &&
        (mapping.intrinsic->readsShared() ||
         mapping.intrinsic->replicatesOperands()))
      return true;
  return false;
}

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
    for (const OnlineAxis &online : group.online)
      if (llvm::is_contained(online.corrected, number) &&
          runsOnline(group, retained, online.axis))
        result.scalar += ScalarWork{1, 0} * (i1 * i2 * count);
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
    traffic.contractions[number] = {count, completed, completions, isPartial,
                                    perPoint * (i1 * i2)};
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

/// Row statistics are held by the lanes along a row, in every warp along it.
static constexpr int64_t kLanesOfRow = 4;

/// Returns how many warps of the consumers of contraction `number` load each
/// part of its value: the warps along the axis that does not index the value.
static int64_t countReaders(const GroupModel &group, const Schedule &schedule,
                            unsigned number) {
  int64_t readers = 1;
  for (auto [index, consumer] : llvm::enumerate(group.contractions))
    for (unsigned operand : {0u, 1u})
      if (consumer.producer[operand] == number)
        readers =
            schedule.contractions[index]
                .warps[schedule.contractions[index].isOperandA(operand) ? 1
                                                                        : 0];
  return readers;
}

/// Adds row statistics. Every warp along the other axis of the contraction
/// reduces whole rows.
static void addPass(const GroupModel &group, const Schedule &schedule,
                    const LoopTraffic::PerPass &times, Footprint &result) {
  const RowStatistics &pass = group.rowStatistics[times.pass];
  const ContractionMapping &mapping = schedule.contractions[pass.contraction];
  bool isOperandA = mapping.isOperandA(pass.operandNumber);
  int64_t repeated = mapping.warps[isOperandA ? 1 : 0];
  int64_t parallel = schedule.tiles[mapping.parallelAxis(pass.operandNumber)];
  int64_t points = parallel * schedule.tiles[pass.axis];
  result.scalar += pass.perPoint * (points * repeated * times.combined);
  result.scalar +=
      pass.perRow * (parallel * kLanesOfRow * repeated * times.completed);
  if (!times.loadsFragments)
    return;
  for (unsigned tensor : pass.reads)
    if (llvm::is_contained(group.tensors[tensor].axes, pass.axis))
      result.sharedTraffic += points * repeated * times.combined *
                              group.tensors[tensor].elementBytes;
}

static double flopsOf(const Schedule &schedule, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  return 2.0 * schedule.tiles[mapping.i1] * schedule.tiles[mapping.i2] *
         schedule.tiles[mapping.r1];
}

/// Returns the scalar work on each tile of a contraction's value.
static ScalarWork workOfValue(const GroupModel &group, const Schedule &schedule,
                              const LoopTraffic &traffic, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  ScalarWork work = traffic.contractions[number].scalar;
  work += group.contractions[number].perRow *
          (schedule.tiles[mapping.i1] * kLanesOfRow * mapping.warps[1]);
  return work;
}

/// Returns what overlaps with a contraction whose MMAs run during the next
/// iteration. All iterations of the loop but the first compute their values
/// during the contraction of the iteration before.
static Footprint::Overlap overlapOf(const GroupModel &group,
                                    const Schedule &schedule,
                                    const LoopTraffic &traffic, unsigned number,
                                    unsigned producer) {
  const LoopTraffic::PerContraction &times = traffic.contractions[number];
  int64_t later = times.computed - times.completed;
  return {number, flopsOf(schedule, number) * later,
          workOfValue(group, schedule, traffic, producer) * later};
}

/// Returns what the warpgroups of a ping-pong schedule overlap with each
/// other's MMAs: contractions with a computed operand, and their producers, in
/// all iterations but the first. Where a warpgroup waits for its MMAs within
/// its turn, the turn ends with the last of them, and only then is the next
/// warpgroup signalled (`waits`).
static std::optional<Footprint::Overlap>
overlapOfTurns(const GroupModel &group, const Schedule &schedule,
               const LoopTraffic &traffic) {
  std::optional<Footprint::Overlap> overlap;
  llvm::SmallVector<bool, 4> isCounted(group.contractions.size(), false);
  for (unsigned number = 0; number < group.contractions.size(); ++number) {
    std::optional<unsigned> producer =
        producerOfOperandA(group, schedule, number);
    if (!producer)
      continue;
    const LoopTraffic::PerContraction &times = traffic.contractions[number];
    int64_t later = times.computed - times.completed;
    if (!overlap)
      overlap = Footprint::Overlap{number, 0, {}};
    for (unsigned each : {number, *producer})
      if (!std::exchange(isCounted[each], true))
        overlap->flops += flopsOf(schedule, each) * later;
    overlap->scalar += workOfValue(group, schedule, traffic, *producer) * later;
    if (schedule.contractions[number].stages == 1)
      overlap->waits +=
          static_cast<double>(times.computed) * countWarpgroups(schedule);
  }
  return overlap;
}

Footprint fusion::countTraffic(const GroupModel &group,
                               const Schedule &schedule,
                               const LoopTraffic &traffic) {
  Footprint result = traffic.loops;
  for (auto [tensor, bytes] : traffic.registerLoads)
    result.globalLoadBytes +=
        bytes * (isReadAfterClusterReduction(group, schedule, tensor)
                     ? countScatteredLoads(group, schedule, tensor)
                     : countHolders(schedule, group.tensors[tensor]));
  for (auto [tensor, bytes] : traffic.clusterLoads) {
    int64_t own =
        isMulticast(group, schedule, tensor) ? bytes / schedule.cluster : bytes;
    result.globalLoadBytes += own;
    result.multicastBytes += bytes - own;
  }
  for (const LoopTraffic::PerPass &times : traffic.passes)
    addPass(group, schedule, times, result);
  if (schedule.isPingPong)
    if (auto overlap = overlapOfTurns(group, schedule, traffic))
      result.overlaps.push_back(std::move(*overlap));
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    const LoopTraffic::PerContraction &times = traffic.contractions[number];
    const ContractionMapping &mapping = schedule.contractions[number];
    int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
            r1 = schedule.tiles[mapping.r1];
    if (!times.isPartial)
      result.scalar += contraction.perRow *
                       (i1 * kLanesOfRow * mapping.warps[1] * times.completed);
    // Whether it may overlap is checked later.
    if (std::optional<unsigned> producer =
            producerOfOperandA(group, schedule, number);
        producer && mapping.stages > 1 && !schedule.isPingPong)
      result.overlaps.push_back(
          overlapOf(group, schedule, traffic, number, *producer));
    // Every warp reads its rows of the LHS and its columns of the RHS.
    result.sharedTraffic +=
        fragmentBytes(group, schedule, number, r1) * times.computed;
    for (const Reduction &reduction : group.reductions)
      if (reduction.contraction == number && !reduction.pass &&
          exchangedBytes(group, schedule, reduction) > 0)
        result.barriers += 2 * times.completedByBlock;
    if (schedule.places[contraction.result].space != fuse::Space::Shared)
      continue;
    result.barriers += 2 * times.completedByBlock;
    const GroupTensor &value = group.tensors[contraction.result];
    // The value is stored once, and loaded by every warp that multiplies it.
    if (value.role == TensorRole::Intermediate)
      result.sharedTraffic += i1 * i2 * value.elementBytes * times.completed *
                              (1 + countReaders(group, schedule, number));
  }
  return result;
}

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule) {
  RetainedTiles retained;
  std::optional<std::string> reason =
      analyzeRetainedTiles(group, schedule, retained);
  assert(!reason && "the schedule must be legal");
  (void)reason;
  return computeFootprint(group, schedule, retained);
}

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule,
                                   const RetainedTiles &retained) {
  Footprint footprint = countTraffic(
      group, schedule, countLoopTraffic(group, schedule, retained));
  countResources(listResources(group, schedule, retained), schedule, footprint);
  return footprint;
}
