//===- StitchSchedule.cpp - Schedules of stitched groups ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchSchedule.h"

using namespace mlir;
using namespace fusion;

Composition fusion::compositionOf(const AxisSpread &spread) {
  if (spread.warps > 1)
    return Composition::Block;
  return spread.lanes > 1 ? Composition::Warp : Composition::Thread;
}

StringRef fusion::name(Composition composition) {
  switch (composition) {
  case Composition::Thread:
    return "thread";
  case Composition::Warp:
    return "warp";
  case Composition::Block:
    return "block";
  }
  llvm_unreachable("covered switch");
}

std::optional<StitchSchedule>
fusion::importStitching(fuse::ScheduleAttr attr, const StitchGroup &group,
                        llvm::function_ref<void(const Twine &)> explain) {
  auto decline = [&](const Twine &reason) {
    explain(reason);
    return std::nullopt;
  };
  fuse::MappingAttr mapping = attr.getMapping();
  if (attr.getTiling() || attr.getMemory() || attr.getPipeline() ||
      attr.getParallel() || attr.getReduction() || mapping.getOperators() ||
      !mapping.getBlocks().empty() || mapping.getRaster() != 1 ||
      mapping.getPersistent() || mapping.getCluster() != 1)
    return decline("'stitching' has nothing beside it but the warps of the "
                   "mapping");
  StitchSchedule schedule;
  schedule.warps = mapping.getWarps();
  schedule.spread.resize(group.axes.size());
  SmallVector<bool> isGiven(group.axes.size());
  for (NamedAttribute entry : attr.getStitching().getSpread()) {
    StringRef name = entry.getName().getValue();
    std::optional<unsigned> axis = group.findAxis(name);
    if (!axis)
      return decline("there is no axis '" + name + "'");
    auto spread = cast<fuse::SpreadAttr>(entry.getValue());
    schedule.spread[*axis] = {spread.getTile(), spread.getVector(),
                              spread.getLanes(), spread.getWarps()};
    isGiven[*axis] = true;
  }
  for (auto [axis, given] : llvm::zip_equal(group.axes, isGiven))
    if (!given)
      return decline("axis '" + axis.name + "' has no #fuse.spread");
  return schedule;
}

fuse::ScheduleAttr fusion::exportStitching(const StitchSchedule &schedule,
                                           const StitchGroup &group,
                                           MLIRContext *context) {
  Builder builder(context);
  SmallVector<NamedAttribute> entries;
  for (auto [axis, spread] : llvm::zip_equal(group.axes, schedule.spread))
    entries.push_back(builder.getNamedAttr(
        axis.name, fuse::SpreadAttr::get(context, spread.tile, spread.vector,
                                         spread.lanes, spread.warps)));
  auto mapping = fuse::MappingAttr::get(context, schedule.warps, {},
                                        DictionaryAttr(), /*raster=*/1,
                                        /*persistent=*/false, /*cluster=*/1);
  return fuse::ScheduleAttr::get(
      context, /*version=*/1, fuse::TilingAttr(), mapping, fuse::MemoryAttr(),
      fuse::PipelineAttr(), fuse::ParallelAttr(), fuse::ReductionAttr(),
      fuse::StitchingAttr::get(context, builder.getDictionaryAttr(entries)));
}

std::optional<std::string>
fusion::checkStitching(const StitchGroup &group, const StitchSchedule &schedule,
                       const ChipInfo &chip) {
  constexpr int64_t warpSize = 32;
  int64_t lanes = 1, warps = 1;
  for (auto [axis, spread] : llvm::zip_equal(group.axes, schedule.spread)) {
    lanes *= spread.lanes;
    warps *= spread.warps;
    if (axis.isReduced && spread.tile < axis.extent)
      return "axis '" + axis.name +
             "' is reduced: a block has all of it, or no operator can use "
             "the result";
  }
  if (lanes > warpSize)
    return "the lanes of all axes are " + std::to_string(lanes) +
           ", a warp has 32";
  if (warps != schedule.warps)
    return "the warps of all axes are " + std::to_string(warps) +
           ", the block has " + std::to_string(schedule.warps);
  if (schedule.warps > chip.maxWarpsPerSM)
    return "a block has more warps than an SM";
  if (group.axes.size() > kMaxTileRank)
    return "a tile has at most " + std::to_string(kMaxTileRank) + " dimensions";
  if (countBlocks(group, schedule) > INT32_MAX)
    return "the grid is larger than a launch allows";
  return std::nullopt;
}

LinearLayout fusion::layoutOf(const StitchGroup &group,
                              const StitchSchedule &schedule,
                              ArrayRef<unsigned> axes) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, group.axes.size()));
  // Of threads, the last axis has the nearest.
  LinearLayout layout;
  int64_t lanes = 1;
  auto append = [&](LayoutDim in, unsigned axis, int64_t size) {
    layout *= LinearLayout::identity(in, tileDim(axis), size);
  };
  for (unsigned axis : llvm::reverse(all))
    append(LayoutDim::Register, axis, schedule.spread[axis].vector);
  for (unsigned axis : llvm::reverse(all)) {
    append(LayoutDim::Lane, axis, schedule.spread[axis].lanes);
    lanes *= schedule.spread[axis].lanes;
  }
  constexpr int64_t warpSize = 32;
  layout *= LinearLayout::broadcast(LayoutDim::Lane, warpSize / lanes);
  for (unsigned axis : llvm::reverse(all))
    append(LayoutDim::Warp, axis, schedule.spread[axis].warps);
  for (unsigned axis : llvm::reverse(all))
    append(LayoutDim::Register, axis, schedule.spread[axis].registers());
  for (unsigned axis : llvm::reverse(all))
    if (!llvm::is_contained(axes, axis))
      layout = layout.reduceOut(axis);
  return layout;
}

int64_t fusion::countBlocks(const StitchGroup &group,
                            const StitchSchedule &schedule) {
  int64_t blocks = 1;
  for (auto [axis, spread] : llvm::zip_equal(group.axes, schedule.spread))
    blocks *= llvm::divideCeil(axis.extent, spread.tile);
  return blocks;
}

StitchTraffic fusion::countTraffic(const StitchGroup &group,
                                   const StitchSchedule &schedule) {
  StitchTraffic traffic;
  for (const StitchTensor &tensor : group.results) {
    int64_t elements = 1;
    for (unsigned axis : tensor.axes)
      elements *= group.axes[axis].extent;
    traffic.stored += elements * tensor.elementBytes;
  }
  for (const StitchTensor &tensor : group.inputs) {
    // Every lane and warp of an axis that does not index the tensor loads its
    // own replica; registers share theirs.
    int64_t elements = 1, replicas = 1, lanes = 1;
    for (auto [number, axis] : llvm::enumerate(group.axes)) {
      const AxisSpread &spread = schedule.spread[number];
      lanes *= spread.lanes;
      if (llvm::is_contained(tensor.axes, number))
        elements *= axis.extent;
      else
        replicas *= llvm::divideCeil(axis.extent, spread.tile) * spread.lanes *
                    spread.warps;
    }
    traffic.loaded += elements * replicas * (32 / lanes) * tensor.elementBytes;
  }
  return traffic;
}
