//===- StitchAlignment.cpp - Tiles that begin where memory is aligned -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "StitchSectors.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace fusion;

/// Returns where the rows of a tensor along its unit axis begin: the strides of
/// other axes, and the offset at -1, all modulo `elements`. Zeros are omitted.
static std::map<int64_t, int64_t> phaseOf(const StitchTensor &tensor,
                                          int64_t elements) {
  std::map<int64_t, int64_t> phase;
  if (int64_t offset = llvm::mod(tensor.offset, elements))
    phase[-1] = offset;
  for (auto [axis, stride] : llvm::zip_equal(tensor.axes, tensor.strides))
    if (int64_t rest = llvm::mod(stride, elements);
        rest != 0 && axis != tensor.unit)
      phase[axis] = rest;
  return phase;
}

void fusion::findAlignments(StitchGroup &group) {
  for (unsigned number = 0; number < group.axes.size(); ++number) {
    StitchAxis &axis = group.axes[number];
    SmallVector<StitchTensor *> along;
    auto add = [&](StitchTensor &tensor) {
      if (tensor.unit == number && !tensor.isGathered)
        along.push_back(&tensor);
    };
    llvm::for_each(group.results, add);
    llvm::for_each(group.inputs, add);
    if (along.empty())
      continue;
    int64_t smallest = kSectorBytes;
    for (const StitchTensor *tensor : along)
      smallest = std::min<int64_t>(smallest, tensor->elementBytes);
    int64_t elements = kSectorBytes / smallest;
    std::map<std::map<int64_t, int64_t>, int64_t> bytes;
    for (const StitchTensor *tensor : along)
      bytes[phaseOf(*tensor, elements)] += bytesOf(*tensor);
    // Among tensors with equal bytes, the first one leads.
    const StitchTensor *leader = along.front();
    for (const StitchTensor *tensor : along)
      if (bytes[phaseOf(*tensor, elements)] > bytes[phaseOf(*leader, elements)])
        leader = tensor;
    std::map<int64_t, int64_t> phase = phaseOf(*leader, elements);
    bool isNarrow = false;
    for (StitchTensor *tensor : along) {
      tensor->isInPhase = phaseOf(*tensor, elements) == phase;
      isNarrow |= tensor->isInPhase && tensor->alignment < kWidestAccess;
    }
    // Places of rows that are combined differ, and those of one have to meet.
    bool isPossible = isNarrow && axis.extent >= elements;
    axis.rowOffset = leader->offset;
    for (auto [other, stride] :
         llvm::zip_equal(leader->axes, leader->strides)) {
      if (other == number || stride % elements == 0)
        continue;
      axis.rowStrides.push_back({other, stride});
      isPossible &= !group.axes[other].isReduced;
    }
    axis.align = isPossible ? elements : 1;
  }
}

int64_t fusion::spanOf(const StitchAxis &axis,
                       const AxisThreadMapping &mapping) {
  return axis.extent + mapping.align - 1;
}

int64_t fusion::countTiles(const StitchGroup &group,
                           const StitchSchedule &schedule, unsigned axis) {
  const AxisThreadMapping &mapping = schedule.threadMapping[axis];
  return llvm::divideCeil(spanOf(group.axes[axis], mapping), mapping.tile);
}

std::optional<std::string>
fusion::checkAlignment(const StitchGroup &group,
                       const StitchSchedule &schedule) {
  llvm::SmallDenseSet<unsigned> aligned;
  for (auto [number, axis] : llvm::enumerate(group.axes)) {
    const AxisThreadMapping &mapping = schedule.threadMapping[number];
    if (mapping.align == 1)
      continue;
    std::string name = "axis '" + axis.name + "'";
    if (!aligned.insert(group.components[number]).second)
      return name + " is aligned, and another axis with it";
    if (axis.align % mapping.align != 0)
      return name + " has no tensor whose rows could be aligned to " +
             std::to_string(mapping.align) + " elements" +
             (axis.align > 1 ? ", but to " + std::to_string(axis.align) : "");
    for (auto [other, stride] : axis.rowStrides)
      if (schedule.threadMapping[other].tile > 1)
        return name + " is aligned for each element of axis '" +
               group.axes[other].name + "', of which a block has one";
    if (axis.isReduced && countTiles(group, schedule, number) > mapping.cluster)
      return name + " is reduced, and rows of " +
             std::to_string(spanOf(axis, mapping)) +
             " elements from an aligned one on do not fit a tile of " +
             std::to_string(mapping.tile);
    if (StitchSplit::axisOf(group, schedule))
      return name + " is aligned, and a reduction is split over blocks";
  }
  return std::nullopt;
}

bool fusion::beginsRows(const StitchGroup &group,
                        const StitchSchedule &schedule, unsigned axis) {
  for (auto [aligned, mapping] :
       llvm::zip_equal(group.axes, schedule.threadMapping))
    if (mapping.align > 1 &&
        llvm::is_contained(llvm::make_first_range(aligned.rowStrides), axis))
      return true;
  return false;
}

bool fusion::isShifted(const StitchSchedule &schedule,
                       const StitchTensor &tensor) {
  return llvm::any_of(tensor.axes, [&](unsigned axis) {
    return schedule.threadMapping[axis].align > 1;
  });
}

int64_t fusion::alignmentOf(const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  if (!tensor.unit || schedule.threadMapping[*tensor.unit].align == 1)
    return tensor.alignment;
  if (!tensor.isInPhase)
    return tensor.elementBytes;
  return std::min(kWidestAccess, schedule.threadMapping[*tensor.unit].align *
                                     int64_t(tensor.elementBytes));
}

int64_t fusion::accessWidth(const StitchSchedule &schedule,
                            const StitchTensor &tensor) {
  if (!tensor.unit)
    return 1;
  // Registers of an axis that no other thread is on are contiguous as well.
  const AxisThreadMapping &mapping = schedule.threadMapping[*tensor.unit];
  uint64_t beside = mapping.lanes * mapping.warps == 1
                        ? schedule.stepOf(*tensor.unit).tile
                        : mapping.vector;
  return std::min<int64_t>(beside & -beside,
                           std::max<int64_t>(1, alignmentOf(schedule, tensor) /
                                                    tensor.elementBytes));
}

bool fusion::loadsAcross(const StitchGroup &group,
                         const StitchSchedule &schedule,
                         const StitchTensor &tensor) {
  if (!tensor.unit || schedule.threadMapping[*tensor.unit].align == 1 ||
      !tensor.isInPhase || accessWidth(schedule, tensor) == 1)
    return false;
  // An access sees one row's end at most.
  int64_t extent = group.axes[*tensor.unit].extent;
  for (auto [axis, stride] : llvm::zip_equal(tensor.axes, tensor.strides))
    if (axis != tensor.unit && stride < extent)
      return false;
  return true;
}

bool fusion::isEvictFirst(const StitchSchedule &schedule,
                          const StitchTensor &tensor) {
  return schedule.evictFirst && !tensor.isRepeated && !tensor.isGathered &&
         tensor.unit && alignmentOf(schedule, tensor) >= kWidestAccess &&
         accessWidth(schedule, tensor) >=
             schedule.threadMapping[*tensor.unit].vector;
}

ShiftedCount fusion::countShifted(const StitchGroup &group,
                                  const StitchSchedule &schedule,
                                  const StitchTensor &tensor, int64_t bound,
                                  bool ofRowsAlone) {
  unsigned number = *llvm::find_if(tensor.axes, [&](unsigned axis) {
    return schedule.threadMapping[axis].align > 1;
  });
  const StitchAxis &axis = group.axes[number];
  int64_t align = schedule.threadMapping[number].align;
  auto insideOf = [&](unsigned other) -> std::pair<int64_t, int64_t> {
    auto *at = llvm::find(tensor.axes, other);
    if (at == tensor.axes.end())
      return {0, group.axes[other].extent};
    return tensor.inside[at - tensor.axes.begin()];
  };
  // Counts rows by the distance of their first element from an aligned one.
  SmallVector<int64_t> rows(align, 0);
  rows[llvm::mod(axis.rowOffset, align)] = 1;
  for (auto [other, stride] : axis.rowStrides) {
    SmallVector<int64_t> moved(align, 0);
    auto [first, beyond] = insideOf(other);
    // The distances repeat.
    for (int64_t c = first; c < std::min(beyond, first + align); ++c)
      for (int64_t at = 0; at < align; ++at)
        moved[llvm::mod(at + c * stride, align)] +=
            rows[at] * llvm::divideCeil(beyond - c, align);
    rows = moved;
  }
  auto [first, beyond] = insideOf(number);
  int64_t width = !ofRowsAlone && loadsAcross(group, schedule, tensor)
                      ? accessWidth(schedule, tensor)
                      : 1;
  ShiftedCount count;
  auto add = [&](int64_t low, int64_t high, int64_t times) {
    int64_t middle = std::clamp(bound, low, high);
    count.before += (middle - low) * times;
    count.behind += (high - middle) * times;
  };
  for (auto [at, times] : llvm::enumerate(rows))
    add(llvm::alignDown(at + first, width), llvm::alignTo(at + beyond, width),
        times);
  // Elements beyond the tensor's end are not read.
  if (width > 1) {
    int64_t elements =
                cast<RankedTensorType>(tensor.value.getType()).getNumElements(),
            last = tensor.offset;
    for (auto [range, stride] : llvm::zip_equal(tensor.inside, tensor.strides))
      last += (range.second - 1) * stride;
    if (int64_t(llvm::alignTo(last + 1, width)) > elements) {
      int64_t start = last + 1 - beyond; // of coordinate 0 in memory
      int64_t at = llvm::mod(start, align);
      add(at + beyond, llvm::alignTo(at + beyond, width), -1);
    }
  }
  return count;
}
