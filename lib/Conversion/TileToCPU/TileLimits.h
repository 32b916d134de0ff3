//===- TileLimits.h - The elements of a tile that exist ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile at the border of a tensor extends beyond it. Block programs compute
// its padding, too, and mask it where it matters. On a CPU loops end at the
// border: elements beyond a tile's limits are neither computed nor read.
//
// The limits of a value follow from those of its operands. A value has a limit
// that all its operands have: where one of them has more elements, these count,
// and the others have there what the block program says. Loads are zero beyond
// their limits, and masks have their fill.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_TILELIMITS_H
#define FUSION_LIB_CONVERSION_TILETOCPU_TILELIMITS_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace fusion {

/// A number of elements of a tile that exist along one dimension, in values of
/// the block program: `bound`, or else `size` - `coordinate`; both less
/// `origin`.
struct TileLimit {
  mlir::Value bound;            ///< null if the others count
  mlir::Value coordinate, size; ///< of the tile's begin, and of the tensor
  int64_t origin = 0;

  bool operator==(const TileLimit &other) const {
    return std::tie(bound, coordinate, size, origin) ==
           std::tie(other.bound, other.coordinate, other.size, other.origin);
  }
};

/// The limits of a tile by dimension; the least of several counts.
using TileLimits = llvm::SmallVector<llvm::SmallVector<TileLimit, 1>, 2>;

/// Returns the limit of elements below `bound`.
TileLimit limitBelow(mlir::Value bound);

/// Adds the limits of `from` to `to`.
void narrow(TileLimits &to, const TileLimits &from);

/// Derives the limits of the tiles of a kernel.
class LimitAnalysis {
public:
  /// Returns the limits of a tile.
  TileLimits limitsOf(mlir::Value tile);

  /// Returns the limits of a part of the view that begins at `coordinates`. A
  /// dimension in `inside` has none.
  static TileLimits limitsOfView(mlir::Value view, mlir::ValueRange coordinates,
                                 std::optional<llvm::ArrayRef<bool>> inside);

private:
  /// The limits of a tile; nullopt for a tile that says nothing of them, such
  /// as a constant.
  using Known = std::optional<TileLimits>;

  Known find(mlir::Value tile);
  Known compute(mlir::Value tile);
  static void join(Known &to, const Known &from);

  llvm::DenseMap<mlir::Value, Known> known;
  llvm::DenseSet<mlir::Value> visiting; ///< values carried by loops
};

/// Returns the values that a limit can have in a dimension of `extent`
/// elements, clipped to it, if there are few: tiles that begin at multiples of
/// `extent` are whole, or the last one of the tensor.
std::optional<llvm::SmallVector<int64_t, 2>>
possibleValues(const TileLimit &limit, int64_t extent);

/// Returns whether an index of the block program is a multiple of `extent`,
/// provably.
bool isMultipleOf(mlir::Value coordinate, int64_t extent);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_TILELIMITS_H
