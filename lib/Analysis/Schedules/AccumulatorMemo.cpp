//===- AccumulatorMemo.cpp - Layouts of accumulators compared -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/AccumulatorMemo.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Support/AddressPlan.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"

using namespace fusion;

bool AccumulatorMemo::haveSameThreads(const ContractionMapping &first,
                                      const ContractionMapping &second,
                                      const Schedule &schedule, unsigned axis) {
  auto isOf = [axis](const ContractionMapping &mapping) {
    return mapping.i1 == axis || mapping.i2 == axis;
  };
  if (!isOf(first) || !isOf(second))
    return true; // one index at a time
  if (first.intrinsic == second.intrinsic &&
      llvm::equal(first.warps, second.warps) &&
      (first.i1 == axis) == (second.i1 == axis))
    return true;
  auto describe = [&](const ContractionMapping &mapping) {
    return Side{{mapping.intrinsic, schedule.tiles[mapping.i1],
                 schedule.tiles[mapping.i2], mapping.warps[0],
                 mapping.warps[1]},
                mapping.i1 == axis};
  };
  auto placesAlong = [](const Side &side) {
    auto [intrinsic, rows, columns, rowWarps, columnWarps] = side.accumulator;
    LinearLayout sum =
        accumulatorTile(*intrinsic, rows, columns, {rowWarps, columnWarps});
    if (side.isOfRows)
      return sum.removeOut(LayoutDim::Dim1);
    return sum.removeOut(LayoutDim::Dim0)
        .renameOut(LayoutDim::Dim1, LayoutDim::Dim0);
  };
  auto [place, isNew] =
      sameThreads.try_emplace({describe(first), describe(second)}, false);
  if (isNew)
    place->second = registerPermutation(placesAlong(place->first.first),
                                        placesAlong(place->first.second))
                        .has_value();
  return place->second;
}

bool AccumulatorMemo::hasShares(const ContractionMapping &mapping, int64_t rows,
                                int64_t columns, int64_t parts) {
  auto [place, isNew] =
      shares.try_emplace({Accumulator{mapping.intrinsic, rows, columns,
                                      mapping.warps[0], mapping.warps[1]},
                          parts},
                         false);
  if (!isNew)
    return place->second;
  std::optional<LinearLayout> panels =
      sharedPanels(rows, columns, kPartialBytes);
  if (!panels)
    return false;
  *panels *= LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim0, parts);
  LinearLayout sums = accumulatorTile(*mapping.intrinsic, rows * parts, columns,
                                      {mapping.warps[0], mapping.warps[1]});
  if (std::optional<LinearLayout> inverse = panels->invert())
    if (std::optional<LinearLayout> offsets = compose(sums, *inverse))
      place->second = planAddresses(*offsets).has_value();
  return place->second;
}
