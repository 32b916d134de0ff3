//===- StitchMisaligned.cpp - Aligned accesses to misaligned rows ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

// Lanes exchange words of this size.
constexpr int64_t kWordBytes = 4;

int64_t fusion::widestMisalignedAccess(const StitchTensor &tensor,
                                       int64_t vector) {
  constexpr unsigned byteBits = 8;
  unsigned bits = getElementTypeOrSelf(tensor.value).getIntOrFloatBitWidth();
  if (!tensor.unit || tensor.isGathered || bits < byteBits ||
      !llvm::isPowerOf2_32(bits) || tensor.elementBytes > kWordBytes)
    return 1;
  int64_t width =
      std::min<int64_t>(vector & -vector, kWidestAccess / tensor.elementBytes);
  if (width * tensor.elementBytes < kWordBytes)
    return 1;
  // Elements beyond the last row are not read, and rows are a vector apart at
  // least.
  for (auto [axis, stride] : llvm::zip_equal(tensor.axes, tensor.strides))
    if (axis != tensor.unit && stride < width)
      return 1;
  return width;
}

int64_t fusion::misalignedAccessWidth(const StitchGroup &group,
                                      const StitchSchedule &schedule,
                                      const StitchTensor &tensor) {
  if (!tensor.unit)
    return 1;
  const AxisThreadMapping &mapping = schedule.threadMapping[*tensor.unit];
  int64_t width = widestMisalignedAccess(tensor, mapping.vector);
  if (width == 1 ||
      alignmentOf(schedule, tensor) >= width * int64_t(tensor.elementBytes))
    return 1;
  for (unsigned axis : tensor.axes) {
    if (axis == *tensor.unit)
      continue;
    const AxisThreadMapping &other = schedule.threadMapping[axis];
    // A thread holds the vector of a later axis contiguously (layoutOf).
    if (axis > *tensor.unit && other.vector > 1)
      return 1;
    // Retained rows can be counted only where one tile has all of them.
    bool keepsSome = schedule.serialLoop && schedule.serialLoop->axis == axis &&
                     schedule.retainedSteps() < schedule.countSteps();
    if (other.align > 1 || (other.cluster > 1 && keepsSome))
      return 1;
  }
  return width;
}

int64_t fusion::misalignedRun(const StitchSchedule &schedule,
                              const StitchTensor &tensor) {
  AxisThreadMapping mapping = schedule.stepOf(*tensor.unit);
  return mapping.vector * mapping.lanes *
         (mapping.warps == 1 ? mapping.registers() : 1);
}

double fusion::accessesOfEnds(int64_t lanes, int64_t width) {
  // No piece is split at one of `width` positions.
  return lanes >= width ? 2 * double(width - 1) / width : llvm::Log2_64(width);
}

namespace {

/// Counts rows of a tensor along its unit axis by two positions, modulo the
/// pieces: how many elements tiles begin before coordinate 0, and where
/// coordinate 0 is in memory.
class RowPlaces {
public:
  RowPlaces(int64_t align, int64_t width, int64_t before, int64_t place)
      : align(align), width(width), counts(align * width, 0) {
    counts[llvm::mod(before, align) * width + llvm::mod(place, width)] = 1;
  }

  /// Adds an axis with coordinates `first` to `beyond` - 1. A step along it
  /// moves the two positions by `before` and `place`.
  void along(int64_t first, int64_t beyond, int64_t before, int64_t place) {
    int64_t period = std::max(align, width);
    llvm::SmallVector<int64_t> moved(counts.size(), 0);
    for (auto [at, times] : llvm::enumerate(counts)) {
      if (times == 0)
        continue;
      for (int64_t c = first; c < std::min(beyond, first + period); ++c)
        moved[llvm::mod(int64_t(at) / width + c * before, align) * width +
              llvm::mod(int64_t(at) % width + c * place, width)] +=
            times * llvm::divideCeil(beyond - c, period);
    }
    counts = moved;
  }

  void forEach(
      llvm::function_ref<void(int64_t before, int64_t place, int64_t rows)> act)
      const {
    for (auto [at, rows] : llvm::enumerate(counts))
      if (rows > 0)
        act(at / width, at % width, rows);
  }

private:
  int64_t align, width;
  llvm::SmallVector<int64_t> counts;
};

/// Counts the elements that are loaded of one row: coordinates `first` to
/// `beyond` - 1. Tiles begin `before` elements before coordinate 0, which is at
/// `place` in memory. There are `tiles` of `places` pieces, of which the first
/// `bound` of each are retained. After every `run` pieces the last lane loads
/// the next piece as well. The very last piece is short by `cut` elements.
ShiftedCount countRow(int64_t first, int64_t beyond, int64_t before,
                      int64_t place, int64_t width, int64_t run, int64_t tiles,
                      int64_t places, int64_t bound, int64_t cut) {
  int64_t off = llvm::mod(place - before, width), moved = before + off;
  // Pieces that have elements of the row: the first, and behind the last.
  int64_t low = (first + moved) / width,
          high = llvm::divideCeil(beyond + moved, width);
  ShiftedCount count;
  // Pieces that begin in a tile, without the one behind the end of the last
  // tile.
  int64_t own = std::min(high, tiles * places);
  bound = std::min(bound, places);
  auto isRetained = [&](int64_t piece) { return piece % places < bound; };
  auto countRetained = [&](int64_t pieces) {
    return pieces / places * bound + std::min(pieces % places, bound);
  };
  count.before = (countRetained(own) - countRetained(low)) * width;
  count.behind = (own - low) * width - count.before;
  if (own == high)
    (isRetained(high - 1) ? count.before : count.behind) -= cut;
  if (off == 0)
    return count;
  for (int64_t piece = std::max<int64_t>(run, llvm::alignTo(low, run));
       piece < high; piece += run)
    (isRetained(piece - 1) ? count.before : count.behind) +=
        piece + 1 == high ? width - cut : width;
  return count;
}

} // namespace

ShiftedCount fusion::countMisaligned(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchTensor &tensor,
                                     int64_t retained) {
  unsigned unit = *tensor.unit;
  const StitchAxis &axis = group.axes[unit];
  int64_t align = schedule.threadMapping[unit].align,
          width = misalignedAccessWidth(group, schedule, tensor),
          run = misalignedRun(schedule, tensor) / width,
          tiles = countTiles(group, schedule, unit),
          places = schedule.threadMapping[unit].tile / width;
  struct RowAxis {
    int64_t first, beyond, before, place;
    bool isOwn, isSerial;
  };
  SmallVector<RowAxis> axes;
  auto beforeOf = [&](unsigned number) -> int64_t {
    if (align > 1)
      for (auto [other, stride] : axis.rowStrides)
        if (other == number)
          return stride;
    return 0;
  };
  std::pair<int64_t, int64_t> inside;
  int64_t last = tensor.offset;
  for (auto [number, stride, range] :
       llvm::zip_equal(tensor.axes, tensor.strides, tensor.inside)) {
    last += (range.second - 1) * stride;
    if (number == unit)
      inside = range;
    else
      axes.push_back(
          {range.first, range.second, beforeOf(number), stride, true,
           schedule.serialLoop && schedule.serialLoop->axis == number});
  }
  if (align > 1)
    for (auto [other, stride] : axis.rowStrides)
      if (!llvm::is_contained(tensor.axes, other))
        axes.push_back({0, group.axes[other].extent, stride, 0, false, false});
  bool isUnitSerial = schedule.serialLoop && schedule.serialLoop->axis == unit;
  constexpr int64_t all = std::numeric_limits<int64_t>::max();
  int64_t bound = isUnitSerial && retained < all ? retained / width : all;
  int64_t elements =
      cast<RankedTensorType>(tensor.value.getType()).getNumElements();
  int64_t cut =
      std::max<int64_t>(0, int64_t(llvm::alignTo(last + 1, width)) - elements);
  ShiftedCount total;
  /// Adds rows at some coordinates of the serial loop's axis, and at the last
  /// coordinates of the tensor's other axes or at all of them.
  auto add = [&](std::optional<std::pair<int64_t, int64_t>> serialAxis,
                 bool isLastAlone, bool isRetained, int64_t cut, int64_t sign) {
    RowPlaces rows(align, width, align > 1 ? axis.rowOffset : 0, tensor.offset);
    for (const RowAxis &each : axes) {
      auto [first, beyond] = std::pair(each.first, each.beyond);
      if (each.isSerial && serialAxis)
        std::tie(first, beyond) = *serialAxis;
      if (isLastAlone && each.isOwn)
        std::tie(first, beyond) = std::pair(each.beyond - 1, each.beyond);
      rows.along(first, beyond, each.before, each.place);
    }
    rows.forEach([&](int64_t before, int64_t place, int64_t times) {
      ShiftedCount row = countRow(inside.first, inside.second, before, place,
                                  width, run, tiles, places, bound, cut);
      times *= sign;
      total.before += (isRetained ? row.before : 0) * times;
      total.behind += (row.behind + (isRetained ? 0 : row.before)) * times;
    });
  };
  bool isLastKept = true;
  auto *serialAxis =
      llvm::find_if(axes, [](const RowAxis &each) { return each.isSerial; });
  if (serialAxis != axes.end() && retained < serialAxis->beyond) {
    int64_t middle = std::max(retained, serialAxis->first);
    if (middle > serialAxis->first)
      add(std::pair(serialAxis->first, middle), false, true, 0, 1);
    add(std::pair(middle, serialAxis->beyond), false, false, 0, 1);
    isLastKept = false;
  } else {
    add(std::nullopt, false, true, 0, 1);
  }
  if (cut > 0) {
    add(std::nullopt, true, isLastKept, 0, -1);
    add(std::nullopt, true, isLastKept, cut, 1);
  }
  return total;
}
