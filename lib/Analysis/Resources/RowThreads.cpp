//===- RowThreads.cpp - Threads that hold the same rows -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/RowThreads.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"

using namespace fusion;

bool RowThreads::areSame(const ContractionMapping &first,
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
    return Accumulator{mapping.intrinsic,          schedule.tiles[mapping.i1],
                       schedule.tiles[mapping.i2], mapping.warps[0],
                       mapping.warps[1],           mapping.i1 == axis};
  };
  auto placesAlong = [](const Accumulator &accumulator) {
    auto [intrinsic, rows, columns, rowWarps, columnWarps, ofRows] =
        accumulator;
    LinearLayout sum =
        accumulatorTile(*intrinsic, rows, columns, {rowWarps, columnWarps});
    if (ofRows)
      return sum.removeOut(LayoutDim::Dim1);
    return sum.removeOut(LayoutDim::Dim0)
        .renameOut(LayoutDim::Dim1, LayoutDim::Dim0);
  };
  auto [place, isNew] =
      known.try_emplace({describe(first), describe(second)}, false);
  if (isNew)
    place->second = registerPermutation(placesAlong(place->first.first),
                                        placesAlong(place->first.second))
                        .has_value();
  return place->second;
}
