//===- PrivateBoxes.cpp - Threads' own elements as a box ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/PrivateBoxes.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace llvm;
using namespace fusion;

int64_t fusion::privateAccess(const LinearLayout &layout, unsigned unit,
                              int64_t elementBytes) {
  return std::min(layout.contiguousRegisters(tileDim(unit)),
                  std::max<int64_t>(1, kMapUnit / elementBytes));
}

namespace {

/// Consecutive places that hold consecutive elements along a coordinate.
struct Run {
  unsigned coordinate;
  int64_t step, length;
};

/// The order of places in a layout.
class Places {
public:
  Places(const PrivateTile &tile, int64_t warps) : tile(tile), warps(warps) {}

  /// Returns nullopt if a place belongs to elements of several threads, or an
  /// element to several places.
  std::optional<SmallVector<Run>> list() {
    const LinearLayout &layout = tile.layout;
    if (layout.inSize(LayoutDim::Lane) != kWarpSize ||
        layout.inSize(LayoutDim::Warp) != warps)
      return std::nullopt;
    int64_t word = privateAccess(layout, tile.unit, tile.elementBytes);
    add(tile.unit, 1, word);
    for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp})
      for (const LinearLayout::Digit &digit : layout.digits(input))
        if (!addDigit(digit))
          return std::nullopt;
    int64_t inWord = word;
    for (LinearLayout::Digit digit : layout.digits(LayoutDim::Register)) {
      // The digits inside of a word come first, and may be a part of a larger
      // digit.
      if (inWord > 1) {
        int64_t own = std::min(inWord, digit.radix);
        inWord /= own;
        digit.radix /= own;
        for (int64_t &step : digit.steps)
          step *= own;
      }
      // Registers that hold equal elements are staged once.
      if (digit.radix > 1 && !digit.isBroadcast() && !addDigit(digit))
        return std::nullopt;
    }
    return runs;
  }

private:
  bool addDigit(const LinearLayout::Digit &digit) {
    std::optional<unsigned> along;
    for (auto [coordinate, step] : llvm::enumerate(digit.steps))
      if (step != 0) {
        if (along)
          return false;
        along = coordinate;
      }
    if (!along || digit.isXor)
      return false;
    add(*along, digit.steps[*along], digit.radix);
    return true;
  }

  void add(unsigned coordinate, int64_t step, int64_t length) {
    if (!runs.empty() && runs.back().coordinate == coordinate &&
        runs.back().step * runs.back().length == step)
      runs.back().length *= length;
    else if (length > 1)
      runs.push_back({coordinate, step, length});
  }

  const PrivateTile &tile;
  int64_t warps;
  SmallVector<Run> runs;
};

} // namespace

/// Returns how many elements of a run one dimension of a box has: all of them
/// if possible, else a part of which the tensor's extent is a multiple.
static int64_t sizeOf(const Run &run, bool isLast, int64_t extent) {
  for (int64_t size = std::min(run.length, kMaxOfBox); size > 1; --size)
    if (run.length % size == 0 &&
        (size == run.length || !isLast || extent % (run.step * size) == 0))
      return size;
  return 1;
}

std::optional<PrivateBox> fusion::privateBox(const PrivateTile &tile,
                                             int64_t warps,
                                             std::string *reason) {
  auto no = [&](const char *why) {
    if (reason)
      *reason = why;
    return std::nullopt;
  };
  std::optional<SmallVector<Run>> runs = Places(tile, warps).list();
  if (!runs)
    return no("its elements are in several threads, or theirs are no plain "
              "digits of its axes");
  if (runs->empty() || runs->front().coordinate != tile.unit ||
      runs->front().step != 1)
    return no("its elements that follow one another in memory are no "
              "neighbours in its threads");
  PrivateBox box;
  for (Run run : *runs) {
    int64_t extent = tile.sizes[run.coordinate];
    bool isLast =
        run.step * run.length == tile.layout.outSize(tileDim(run.coordinate));
    if (isLast && extent % run.step != 0)
      return no(
          "it ends along an axis within what its warps or lanes have side "
          "by side");
    while (run.length > 1) {
      int64_t size = sizeOf(run, isLast, extent);
      if (size == 1)
        return no("its rows are no multiple of what a box has side by side");
      box.dimensions.push_back(
          {run.coordinate, run.step, size, isLast && size == run.length});
      run.step *= size;
      run.length /= size;
    }
  }
  for (unsigned coordinate = 0; coordinate < tile.sizes.size(); ++coordinate)
    if (tile.layout.outSize(tileDim(coordinate)) == 1 &&
        tile.sizes[coordinate] > 1)
      box.dimensions.push_back({coordinate, 1, 1, /*isLast=*/true});
  if (box.dimensions.size() > kMaxMapDimensions)
    return no("it takes more than the five dimensions of a tensor map");
  if (box.dimensions.front().size * tile.elementBytes % kMapUnit != 0)
    return no("a box of it is no multiple of 16 bytes wide");
  for (const PrivateBoxDimension &dimension :
       llvm::drop_begin(box.dimensions)) {
    int64_t stride = dimension.step * tile.strides[dimension.coordinate];
    if (stride * tile.elementBytes % kMapUnit != 0 || stride == 0)
      return no("its strides are no multiples of 16 bytes");
  }
  // Coordinates of a box are signed 32-bit integers.
  SmallVector<bool> isCovered(tile.sizes.size());
  for (const PrivateBoxDimension &dimension : box.dimensions) {
    isCovered[dimension.coordinate] |= dimension.isLast;
    if (dimension.isLast &&
        tile.sizes[dimension.coordinate] / dimension.step > INT32_MAX)
      return no("it has an index beyond 31 bits");
  }
  for (auto [coordinate, covered] : llvm::enumerate(isCovered))
    if (!covered && tile.sizes[coordinate] > 1)
      return no("it has elements that are in no thread");
  return box;
}
