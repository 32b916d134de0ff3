//===- UnmaskedTiles.cpp - Tiles that a mask does not exclude -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Masks/UnmaskedTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::SmallVector;

namespace {

/// Plain numbers for one tile of the other axes.
struct TileNumbers {
  using Value = int64_t;
  const GroupModel &group;
  llvm::ArrayRef<TiledAxis> others;
  llvm::ArrayRef<int64_t> origins; ///< of the others

  Value first(unsigned axis) const {
    const TiledAxis *found = find(axis);
    if (!found)
      return 0;
    int64_t origin = origins[found - others.begin()];
    return origin - origin % found->range;
  }
  Value last(unsigned axis) const {
    int64_t extent = group.axes[axis].extent;
    const TiledAxis *found = find(axis);
    return (found ? std::min(first(axis) + found->range, extent) : extent) - 1;
  }
  Value constant(int64_t value) const { return value; }
  Value add(Value a, Value b) const { return a + b; }
  Value scale(Value a, int64_t factor) const { return a * factor; }
  Value floorDiv(Value a, int64_t divisor) const {
    return llvm::divideFloorSigned(a, divisor);
  }
  Value min(Value a, Value b) const { return std::min(a, b); }
  Value max(Value a, Value b) const { return std::max(a, b); }

private:
  const TiledAxis *find(unsigned axis) const {
    const TiledAxis *found = llvm::find_if(
        others, [&](const TiledAxis &other) { return other.axis == axis; });
    return found == others.end() ? nullptr : found;
  }
};

} // namespace

void fusion::forEachUnmaskedTiles(
    const GroupModel &group, const MaskedAxis &masked, int64_t tile,
    llvm::ArrayRef<TiledAxis> others,
    llvm::function_ref<void(const UnmaskedTiles &)> visit) {
  int64_t extent = group.axes[masked.axis].extent;
  UnmaskedTiles visited{{}, 0, 0};
  SmallVector<int64_t, 2> origins(others.size(), 0);
  while (true) {
    TileNumbers numbers{group, others, origins};
    int64_t begin =
        maskBound(*masked.where, masked.axis, extent, /*after=*/false, numbers);
    int64_t end =
        maskBound(*masked.where, masked.axis, extent, /*after=*/true, numbers);
    begin -= begin % tile;
    visited.extents.clear();
    for (auto [other, origin] : llvm::zip_equal(others, origins))
      visited.extents.push_back(
          std::min(other.tile, group.axes[other.axis].extent - origin));
    visited.iterations = end > begin ? llvm::divideCeil(end - begin, tile) : 0;
    visited.covered = std::min(visited.iterations * tile, extent - begin);
    visit(visited);
    // The next tile.
    unsigned digit = others.size();
    for (; digit > 0; --digit) {
      const TiledAxis &other = others[digit - 1];
      origins[digit - 1] += other.tile;
      if (origins[digit - 1] < group.axes[other.axis].extent)
        break;
      origins[digit - 1] = 0;
    }
    if (digit == 0)
      return;
  }
}
