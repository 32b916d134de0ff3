//===- WarpPrivate.cpp - Shared memory that no two warps share ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpPrivate.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// The warp that touches each element of a tile, as far as it is known.
class Owners {
public:
  Owners(int64_t rows, int64_t columns)
      : columns(columns), owner(rows * columns, nobody) {}

  /// False where another warp has touched the element.
  bool touch(int64_t row, int64_t column, int64_t warp) {
    int64_t &known = owner[row * columns + column];
    if (known != nobody && known != warp)
      return false;
    known = warp;
    return true;
  }

  /// The accesses of a tile of registers that starts at `origin`.
  bool touch(const LinearLayout &layout, ArrayRef<int64_t> origin,
             bool transposed, unsigned warps, bool firstHoldersOnly) {
    // Replicas store nothing: the others' digits are zero.
    auto isOperandA = [&](LayoutDim input, int64_t index) {
      if (!firstHoldersOnly)
        return true;
      if (index >= layout.inSize(input))
        return false;
      return llvm::all_of(layout.freeDigits(input),
                          [&](const LinearLayout::Digit &digit) {
                            return index / digit.weight % digit.radix == 0;
                          });
    };
    for (int64_t warp = 0; warp < warps; ++warp) {
      if (!isOperandA(LayoutDim::Warp, warp))
        continue;
      for (int64_t lane = 0; lane < kWarpSize; ++lane) {
        if (!isOperandA(LayoutDim::Lane, lane))
          continue;
        for (int64_t reg = 0; reg < layout.inSize(LayoutDim::Register); ++reg) {
          SmallVector<int64_t> at = layout.coords(reg, lane, warp);
          if (!touch(origin[0] + at[transposed], origin[1] + at[!transposed],
                     warp))
            return false;
        }
      }
    }
    return true;
  }

private:
  static constexpr int64_t nobody = -1;
  int64_t columns;
  std::vector<int64_t> owner;
};

} // namespace

bool fusion::tile::isWarpPrivate(AllocOp alloc, unsigned warps) {
  if (warps == 1)
    return true;
  if (isFilledByTMA(alloc)) // by one thread
    return false;
  BufferType type = alloc.getType();
  Owners owners(type.getRows(), type.getColumns());
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  for (Operation *user : alloc->getUsers()) {
    if (isa<CopyAsyncOp>(user)) {
      std::optional<CopyAssignment> assignment =
          getCopies(type, kWarpSize * warps);
      if (!assignment)
        return false;
      int64_t perUnit = 16 / bytes;
      for (int64_t i = 0; i < assignment->iterations; ++i)
        for (int64_t thread = 0; thread < kWarpSize * warps; ++thread) {
          int64_t lane = thread % kWarpSize, warp = thread / kWarpSize;
          if (!assignment->active(i, lane, warp))
            continue;
          SmallVector<int64_t> at = assignment->chunks.coords(i, lane, warp);
          for (int64_t e = 0; e < perUnit; ++e)
            if (!owners.touch(at[0], at[1] * perUnit + e, warp))
              return false;
        }
    } else if (auto store = dyn_cast<LocalStoreOp>(user)) {
      LayoutAttr layout = getLayout(store.getValue().getType());
      if (!layout ||
          !owners.touch(layout.getValue(), {0, 0}, store.getTransposed(), warps,
                        /*firstHoldersOnly=*/true))
        return false;
    } else if (auto load = dyn_cast<LocalLoadOp>(user)) {
      LayoutAttr layout = getLayout(load.getType());
      if (!layout || !owners.touch(layout.getValue(), load.getOrigin(),
                                   load.getTransposed(), warps,
                                   /*firstHoldersOnly=*/false))
        return false;
    } else if (!isa<FreeOp>(user)) {
      return false;
    }
  }
  return true;
}

bool fusion::tile::isReducedInWarps(ConvertLayoutOp op, unsigned warps) {
  if (warps == 1)
    return true;
  RankedTensorType type = op.getType();
  if (type.getRank() != 2)
    return false;
  Owners owners(type.getDimSize(0), type.getDimSize(1));
  return owners.touch(getLayout(op.getValue().getType()).getValue(), {0, 0},
                      /*transposed=*/false, warps, /*firstHoldersOnly=*/true) &&
         owners.touch(getLayout(type).getValue(), {0, 0}, /*transposed=*/false,
                      warps, /*firstHoldersOnly=*/false);
}
