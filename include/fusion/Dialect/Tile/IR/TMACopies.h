//===- TMACopies.h - Tiles as boxes of tensor maps ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TMACOPIES_H
#define FUSION_DIALECT_TILE_IR_TMACOPIES_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Support/PrivateBoxes.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion::tile {

/// Returns whether a copy is a TMA copy.
inline bool isTMA(CopyAsyncOp copy) {
  return copy.getTransport() == Transport::TMA;
}
inline bool isTMA(mlir::Operation *op) {
  auto copy = mlir::dyn_cast<CopyAsyncOp>(op);
  return copy && isTMA(copy);
}
/// Returns whether TMA copies fill a buffer.
bool isFilledByTMA(AllocOp alloc);

/// Returns whether TMA stores read a buffer.
bool isStoredByTMA(AllocOp alloc);

/// Returns whether multicast copies of a cluster's blocks fill a buffer.
bool isFilledByCluster(AllocOp alloc);

/// How one TMA copy, to shared memory or from there, moves its tile.
struct TMACopy {
  TensorMapAttr map;
  BoxShape boxes; ///< of one part
  int64_t parts;  ///< of the rows, each copied by another block
  /// The index of the tile along each dimension of the map, innermost first: a
  /// dimension of the tile or a symbol of its window.
  llvm::SmallVector<mlir::AffineExpr, kMaxMapDimensions> indices;
  unsigned rowDimension; ///< of the map, along which the tile's rows are
};

/// Return how a TMA copy or a TMA store moves its tile. They fail, with a
/// diagnostic if `emitError` is given, if its view or its buffer does not allow
/// it.
mlir::FailureOr<TMACopy> describeTMACopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);
mlir::FailureOr<TMACopy> describeTMACopy(
    StoreAsyncOp store,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// How one TMA copy fills the elements that each thread stages of a tile
/// (tile.private_load).
struct PrivateTMACopy {
  TensorMapAttr map;
  PrivateBox box; ///< its dimensions are those of the map
};
mlir::FailureOr<PrivateTMACopy> describePrivateTMACopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// Returns the tensor map of a TMA copy, of either kind, or of a TMA store.
mlir::FailureOr<TensorMapAttr>
tensorMapOf(mlir::Operation *op,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_IR_TMACOPIES_H
