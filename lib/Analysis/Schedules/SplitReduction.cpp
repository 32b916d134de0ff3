//===- SplitReduction.cpp - Reductions shared by blocks -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/AccumulatorMemo.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace fusion;
using llvm::SmallVector;

int64_t fusion::sequentialTrips(const GroupModel &group,
                                const Schedule &schedule, unsigned axis) {
  int64_t all = tripCount(group.axes[axis], schedule.tiles[axis]),
          parts = schedule.splitOf(axis);
  return parts == 1 ? all : llvm::divideCeil(all, parts);
}

bool fusion::hasEmptySplits(const GroupModel &group, const Schedule &schedule,
                            unsigned axis) {
  return schedule.splitOf(axis) >
         tripCount(group.axes[axis], schedule.tiles[axis]);
}

bool fusion::hasIdleSplits(const GroupModel &group, const Schedule &schedule,
                           unsigned axis) {
  int64_t before =
      (schedule.splitOf(axis) - 1) * sequentialTrips(group, schedule, axis);
  return before >= tripCount(group.axes[axis], schedule.tiles[axis]);
}

llvm::SmallVector<int64_t, 8> fusion::placementTiles(const GroupModel &group,
                                                     const Schedule &schedule) {
  llvm::SmallVector<int64_t, 8> tiles = schedule.tiles;
  for (unsigned axis = 0; axis < tiles.size(); ++axis)
    if (sequentialTrips(group, schedule, axis) == 1)
      tiles[axis] = std::max(tiles[axis], group.axes[axis].extent);
  return tiles;
}

bool fusion::storesPartials(const Schedule &schedule) {
  return schedule.splitAxis() && !schedule.splitInCluster;
}

/// Returns the contraction whose sum is split.
static const Contraction &lastProduct(const GroupModel &group) {
  return *llvm::find_if(
      group.contractions, [&](const Contraction &contraction) {
        return group.tensors[contraction.result].role == TensorRole::Result;
      });
}

static const ContractionMapping &lastMapping(const GroupModel &group,
                                             const Schedule &schedule) {
  return schedule
      .contractions[&lastProduct(group) - group.contractions.begin()];
}

int64_t fusion::clusterPartialBytes(const GroupModel &group,
                                    const Schedule &schedule) {
  if (!schedule.splitAxis() || !schedule.splitInCluster)
    return 0;
  const ContractionMapping &mapping = lastMapping(group, schedule);
  return schedule.tiles[mapping.i1] * schedule.tiles[mapping.i2] *
         kPartialBytes;
}

SmallVector<unsigned, 2> fusion::clusterReductions(const GroupModel &group,
                                                   const Schedule &schedule) {
  SmallVector<unsigned, 2> list;
  if (!schedule.splitInCluster || !splitOnline(group, schedule))
    return list;
  for (auto [number, reduction] : llvm::enumerate(group.reductions))
    if (llvm::is_contained(reduction.reduced, *schedule.splitAxis()))
      list.push_back(number);
  return list;
}

/// Returns the axis of a reduction's rows.
static unsigned rowAxisOf(const Schedule &schedule,
                          const Reduction &reduction) {
  const ContractionMapping &mapping =
      schedule.contractions[reduction.contraction];
  return llvm::is_contained(reduction.reduced, mapping.i1) ? mapping.i2
                                                           : mapping.i1;
}

int64_t fusion::reductionRows(const Schedule &schedule,
                              const Reduction &reduction) {
  return schedule.tiles[rowAxisOf(schedule, reduction)];
}

int64_t fusion::clusterStatisticsBytes(const GroupModel &group,
                                       const Schedule &schedule,
                                       unsigned number) {
  const Reduction &reduction = group.reductions[number];
  return schedule.clusterBlocks() * reductionRows(schedule, reduction) *
         reduction.elementBytes;
}

bool fusion::isReadAfterClusterReduction(const GroupModel &group,
                                         const Schedule &schedule,
                                         unsigned tensor) {
  const GroupTensor &info = group.tensors[tensor];
  return schedule.splitInCluster && info.role == TensorRole::Extra &&
         group.tensors[group.contractions[info.contraction].result].role ==
             TensorRole::Result;
}

bool fusion::isReduceScattered(const GroupModel &group,
                               const Schedule &schedule, unsigned tensor) {
  if (isReadAfterClusterReduction(group, schedule, tensor))
    return llvm::is_contained(group.tensors[tensor].axes,
                              lastMapping(group, schedule).i1);
  return schedule.splitInCluster &&
         group.tensors[tensor].role == TensorRole::Result;
}

/// Returns the rows and columns of a block's share of the last contraction's
/// tile.
static std::array<int64_t, 2> shapeOfShare(const GroupModel &group,
                                           const Schedule &schedule) {
  const ContractionMapping &mapping = lastMapping(group, schedule);
  return {schedule.tiles[mapping.i1] / schedule.clusterBlocks(),
          schedule.tiles[mapping.i2]};
}

/// Returns how threads hold a block's share: in the order of memory.
static LinearLayout layoutOfShare(const GroupModel &group,
                                  const Schedule &schedule) {
  const GroupTensor &result = group.tensors[lastProduct(group).result];
  const ContractionMapping &mapping = lastMapping(group, schedule);
  bool isTransposed = result.axes.back() == mapping.i1;
  bool isDense = isTransposed || result.axes.back() == mapping.i2;
  unsigned order[] = {isTransposed ? 0u : 1u, isTransposed ? 1u : 0u};
  int64_t width =
      isDense ? std::max<int64_t>(1, result.alignment / result.elementBytes)
              : 1;
  std::array<int64_t, 2> shape = shapeOfShare(group, schedule);
  return blocked(shape, order,
                 widthForThreads(width, shape[0] * shape[1],
                                 result.elementBytes, schedule.warps),
                 schedule.warps);
}

int64_t fusion::exchangedPerBlock(const GroupModel &group,
                                  const Schedule &schedule,
                                  const Reduction &reduction) {
  int64_t parts = 1;
  for (const LinearLayout::Digit &digit :
       layoutOfShare(group, schedule).digits(LayoutDim::Warp))
    if (digit.steps[1] != 0)
      parts *= digit.radix;
  return parts == 1 ? 0
                    : parts * shapeOfShare(group, schedule)[0] *
                          reduction.elementBytes;
}

int64_t fusion::countScatteredLoads(const GroupModel &group,
                                    const Schedule &schedule, unsigned tensor) {
  const ContractionMapping &mapping = lastMapping(group, schedule);
  unsigned axes[] = {mapping.i1, mapping.i2};
  std::array<int64_t, 2> shape = shapeOfShare(group, schedule);
  LinearLayout layout = layoutOfShare(group, schedule);
  int64_t elements = 1;
  for (unsigned d : {1u, 0u})
    if (llvm::is_contained(group.tensors[tensor].axes, axes[d]))
      elements *= shape[d];
    else
      layout = layout.reduceOut(d);
  int64_t loaded = layout.inSize(LayoutDim::Register);
  for (const LinearLayout::Digit &digit :
       layout.freeDigits(LayoutDim::Register))
    loaded /= digit.radix;
  return loaded * kWarpSize * schedule.warps / elements;
}

std::optional<std::string> fusion::whyNotReduceScatter(const GroupModel &group,
                                                       const Schedule &schedule,
                                                       AccumulatorMemo &memo) {
  std::optional<unsigned> split = schedule.splitAxis();
  if (!split || !schedule.splitInCluster)
    return std::nullopt;
  const ContractionMapping &mapping = lastMapping(group, schedule);
  auto [rows, columns] = shapeOfShare(group, schedule);
  int64_t parts = schedule.clusterBlocks();
  if (memo.hasShares(mapping, rows, columns, parts))
    return std::nullopt;
  return "the partial results along axis '" + group.axes[*split].name +
         "' cannot be reduced in clusters: threads hold accumulators across "
         "the shares of " +
         std::to_string(rows) + " rows";
}

/// Returns the reason why a split reduction with running values cannot run in a
/// cluster, or nullopt. All blocks of a cluster have the running values of the
/// loop. After the exchange of the sums, no block has all of their rows.
static std::optional<std::string> whyRowsNotInCluster(const GroupModel &group,
                                                      const Schedule &schedule,
                                                      const Contraction &last) {
  unsigned axis = *schedule.splitAxis();
  if (sequentialTrips(group, schedule, axis) == 1)
    return "a block reduces a single tile, in which nothing runs";
  for (const Reduction &reduction : group.reductions)
    if (reduction.pass && llvm::is_contained(reduction.reduced, axis))
      return "rows of an operand are reduced along it";
  if (!last.joinedStatistics.empty())
    return "operators behind the sum read values of rows";
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Statistic)
      return "the rows of '" + tensor.name + "' are a result, too";
  return std::nullopt;
}

std::optional<std::string> fusion::whyNotInCluster(const GroupModel &group,
                                                   const Schedule &schedule,
                                                   const ChipInfo &chip) {
  if (!schedule.splitInCluster)
    return std::nullopt;
  std::optional<unsigned> split = schedule.splitAxis();
  if (!split)
    return "partial results are reduced in clusters, and no axis is split";
  int64_t parts = schedule.splitOf(*split);
  const std::string name = "the partial results along axis '" +
                           group.axes[*split].name +
                           "' cannot be reduced in clusters: ";
  if (!chip.hasClusters)
    return name + chip.name.str() + " has none";
  if (parts > chip.maxClusterSize)
    return name + "one of " + chip.name.str() + " has at most " +
           std::to_string(chip.maxClusterSize) + " blocks, not " +
           std::to_string(parts);
  if (schedule.cluster > 1)
    return name + "others share what they copy";
  if (schedule.producerWarps > 0)
    return name + "producer warps only copy, and all warps of a cluster "
                  "synchronise";
  const Contraction &last = lastProduct(group);
  if (splitOnline(group, schedule))
    if (auto reason = whyRowsNotInCluster(group, schedule, last))
      return name + *reason;
  const ContractionMapping &mapping = lastMapping(group, schedule);
  if (schedule.tiles[mapping.i1] % parts != 0)
    return name + std::to_string(parts) + " blocks do not divide the " +
           std::to_string(schedule.tiles[mapping.i1]) + " rows of a tile";
  for (unsigned axis : group.tensors[last.result].axes)
    if (!schedule.isBlockAxis(axis) &&
        sequentialTrips(group, schedule, axis) > 1)
      return name + "a block has several tiles along axis '" +
             group.axes[axis].name + "'";
  for (const Reduction &reduction : group.reductions)
    if (group.contractions[reduction.contraction].result == last.result &&
        !reduction.pass && llvm::is_contained(reduction.reduced, mapping.i1))
      return name + "a reduction runs along the rows that its blocks share";
  // Tensors that are loaded after the sum are loaded by the rows of a block's
  // share.
  bool isSummed = false;
  for (const TilingStatement &statement : listStatements(schedule.tree)) {
    const GroupTensor &tensor = group.tensors[statement.tensor];
    isSummed |= statement.kind == TilingNode::Kind::Compute &&
                statement.tensor == last.result;
    if (!isSummed && tensor.role == TensorRole::Extra &&
        group.contractions[tensor.contraction].result == last.result)
      return name + "'" + tensor.name + "' is loaded before the sum";
  }
  const Placement &place = schedule.places[last.result];
  if (place.space == fuse::Space::Shared)
    return name + "'" + group.tensors[last.result].name +
           "' leaves by way of shared memory, from which its rows come";
  return std::nullopt;
}

const OnlineAxis *fusion::splitOnline(const GroupModel &group,
                                      const Schedule &schedule) {
  if (std::optional<unsigned> axis = schedule.splitAxis())
    for (const OnlineAxis &online : group.online)
      if (online.axis == *axis)
        return &online;
  return nullptr;
}

bool fusion::isReducedAcrossBlocks(const GroupModel &group,
                                   const Schedule &schedule, unsigned tensor) {
  if (!storesPartials(schedule))
    return false;
  const GroupTensor &info = group.tensors[tensor];
  // Statistics are made of the partial results (partialRowBytes).
  if (info.role == TensorRole::Statistic)
    return true;
  if (const OnlineAxis *online = splitOnline(group, schedule))
    return llvm::is_contained(online->later, tensor);
  return info.role == TensorRole::Extra &&
         group.tensors[group.contractions[info.contraction].result].role ==
             TensorRole::Result;
}

int64_t fusion::movedElements(const GroupModel &group, const Schedule &schedule,
                              unsigned tensor) {
  if (const auto &window = group.tensors[tensor].window)
    return window->moved;
  int64_t count = group.wholeElements(tensor);
  if (group.tensors[tensor].role == TensorRole::Result &&
      storesPartials(schedule))
    count *= schedule.splitOf(*schedule.splitAxis());
  return count;
}

int64_t fusion::compulsoryBytes(const GroupModel &group,
                                const Schedule &schedule, unsigned tensor) {
  const auto &window = group.tensors[tensor].window;
  return (window ? window->touched : movedElements(group, schedule, tensor)) *
         movedElementBytes(group, schedule, tensor);
}

int64_t fusion::movedElementBytes(const GroupModel &group,
                                  const Schedule &schedule, unsigned tensor) {
  return group.tensors[tensor].role == TensorRole::Result &&
                 storesPartials(schedule)
             ? kPartialBytes
             : group.tensors[tensor].elementBytes;
}

int64_t fusion::partialRowBytes(const GroupModel &group,
                                const Schedule &schedule) {
  const OnlineAxis *online = splitOnline(group, schedule);
  if (!online)
    return 0;
  int64_t bytes = 0;
  for (unsigned number : online->stored) {
    const Reduction &reduction = group.reductions[number];
    int64_t rows = reduction.elementBytes;
    for (unsigned axis : reduction.axes)
      rows *= group.axes[axis].extent;
    bytes += rows * schedule.splitOf(online->axis);
  }
  return bytes;
}

SplitReductionFootprint
fusion::splitReductionFootprint(const GroupModel &group,
                                const Schedule &schedule) {
  SplitReductionFootprint footprint;
  std::optional<unsigned> axis = schedule.splitAxis();
  if (!storesPartials(schedule))
    return footprint;
  if (const OnlineAxis *online = splitOnline(group, schedule)) {
    for (const OnlineAxis::Merge &merge : online->merges) {
      int64_t points = group.wholeElements(merge.tensor);
      footprint.loadBytes +=
          points *
          (schedule.splitOf(*axis) * merge.partialBytes + merge.otherBytes);
      footprint.storeBytes += points * group.tensors[merge.tensor].elementBytes;
    }
    footprint.launches = online->merges.size();
    return footprint;
  }
  footprint.launches = 1;
  int64_t points = 0, perPoint = schedule.splitOf(*axis) * kPartialBytes;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role == TensorRole::Result) {
      points = group.wholeElements(index);
      footprint.storeBytes = points * tensor.elementBytes;
    } else if (isReducedAcrossBlocks(group, schedule, index)) {
      perPoint += tensor.elementBytes;
    }
  }
  footprint.loadBytes = points * perPoint;
  return footprint;
}

std::optional<std::string> fusion::whyNotPartial(fuse::PartialAttr partial,
                                                 const GroupModel &group,
                                                 const Schedule &schedule) {
  std::optional<unsigned> split = schedule.splitAxis();
  if (!storesPartials(schedule))
    return partial
               ? std::optional<std::string>(
                     "the group is partial along '" + partial.getAxis().str() +
                     "', which its schedule does not split for another launch")
               : std::nullopt;
  const std::string &axis = group.axes[*split].name;
  if (!partial)
    return "the schedule splits axis '" + axis +
           "' of a group that is not partial; run fuse-split-reductions";
  int64_t length =
      sequentialTrips(group, schedule, *split) * schedule.tiles[*split];
  if (partial.getAxis() == axis &&
      partial.getSplits() == schedule.splitOf(*split) &&
      partial.getLength() == length)
    return std::nullopt;
  return "the group has " + std::to_string(partial.getSplits()) +
         " partial results of " + std::to_string(partial.getLength()) +
         " along '" + partial.getAxis().str() + "', its schedule " +
         std::to_string(schedule.splitOf(*split)) + " of " +
         std::to_string(length) + " along '" + axis + "'";
}

std::optional<std::string> fusion::whyNotSplit(const GroupModel &group,
                                               const Schedule &schedule) {
  std::optional<unsigned> split = schedule.splitAxis();
  if (!split)
    return std::nullopt;
  const std::string name = "axis '" + group.axes[*split].name + "'";
  for (unsigned axis = *split + 1; axis < group.axes.size(); ++axis)
    if (schedule.splitOf(axis) != 1)
      return name + " and axis '" + group.axes[axis].name +
             "' are both split, and partial results are reduced along one axis";
  std::optional<unsigned> last;
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    if (group.tensors[contraction.result].role == TensorRole::Result)
      last = number;
    else if (llvm::is_contained(contraction.reduction, *split))
      return name + " cannot be split: it is reduced by '" +
             group.tensors[contraction.result].name +
             "', which is rounded before it is used";
  }
  if (!last || !llvm::is_contained(group.contractions[*last].reduction, *split))
    return name + " cannot be split: the last contraction does not reduce it";
  if (const OnlineAxis *online = splitOnline(group, schedule)) {
    const std::string &why =
        online->whyNot.empty() ? online->whyNotSplit : online->whyNot;
    if (!why.empty())
      return "the reductions along " + name + " cannot be split: " + why;
  } else {
    if (!group.contractions[*last].joined.empty() ||
        !group.contractions[*last].joinedStatistics.empty())
      return name + " cannot be split: the sums along it join the values of "
                    "another contraction";
    // Values that are reduced on the way to a result are not merged by this
    // axis's rule.
    for (const GroupTensor &tensor : group.tensors)
      if (tensor.role == TensorRole::Statistic)
        return name + " cannot be split: '" + tensor.name +
               "' is a further result that does not run along it";
  }
  // Tiles outside of an axis are zero along the intrinsic's axes only.
  if (hasEmptySplits(group, schedule, *split) &&
      schedule.contractions[*last].r1 != *split)
    return name + " has fewer iterations than its " +
           std::to_string(schedule.splitOf(*split)) +
           " splits and is not mapped to the intrinsic";
  if (schedule.isBlockAxis(*split))
    return name + " is split over blocks and bound to the grid";
  return std::nullopt;
}
