//===- UnmaskedTiles.h - Tiles that a mask does not exclude -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_MASKS_UNMASKEDTILES_H
#define FUSION_ANALYSIS_MASKS_UNMASKEDTILES_H

#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fusion {

/// The work of a loop over a masked axis that visits only tiles with unmasked
/// points, for one combination of tiles of the other axes.
struct UnmaskedTiles {
  llvm::SmallVector<int64_t, 2> extents; ///< of the others' tile, clipped
  int64_t iterations;
  int64_t covered; ///< elements along the masked axis, clipped
};

/// An axis with which a mask compares the masked axis.
struct TiledAxis {
  unsigned axis;
  int64_t tile;
  /// Elements for which one loop over the masked axis serves: a multiple of the
  /// tile. Several blocks of a cluster share a loop.
  int64_t range;
};

/// Calls `visit` for each combination of tiles of `others`, the last axis
/// fastest. The masked axis has tiles of `tile` elements. Axes of the predicate
/// that are not among `others` count whole. The argument of `visit` lives until
/// the next call.
void forEachUnmaskedTiles(
    const GroupModel &group, const MaskedAxis &masked, int64_t tile,
    llvm::ArrayRef<TiledAxis> others,
    llvm::function_ref<void(const UnmaskedTiles &)> visit);

} // namespace fusion

#endif // FUSION_ANALYSIS_MASKS_UNMASKEDTILES_H
