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

/// Whether a copy is one by boxes of a tensor map.
inline bool isTMA(CopyAsyncOp copy) {
  return copy.getTransport() == Transport::TMA;
}
inline bool isTMA(mlir::Operation *op) {
  auto copy = mlir::dyn_cast<CopyAsyncOp>(op);
  return copy && isTMA(copy);
}
/// Whether bulk copies fill a buffer.
bool isFilledByTMA(AllocOp alloc);

/// Whether stores in bulk read a buffer.
bool isStoredByTMA(AllocOp alloc);

/// Whether the blocks of a cluster fill a buffer for one another.
bool isFilledByCluster(AllocOp alloc);

/// How one copy, to shared memory or from there, moves its tile.
struct TMACopy {
  TensorMapAttr map;
  BoxShape boxes; ///< of one part
  int64_t parts;  ///< of the rows, each of them another block's
  /// The index of the tile along each dimension of the map, innermost first: a
  /// dimension of the tile or a symbol of its window.
  llvm::SmallVector<mlir::AffineExpr, kMaxMapDimensions> indices;
  unsigned rowDimension; ///< of the map, along which the tile's rows lie
};

/// How a copy by `bulk` or a store moves its tile; fails, where `emitError` is
/// given with a diagnostic, where its view or its buffer does not allow it.
mlir::FailureOr<TMACopy> describeTMACopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);
mlir::FailureOr<TMACopy> describeTMACopy(
    StoreAsyncOp store,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// How one copy by `bulk` fills the places that threads have for what is their
/// own of a tile.
struct PrivateTMACopy {
  TensorMapAttr map;
  PrivateBox box; ///< its dimensions are those of the map
};
mlir::FailureOr<PrivateTMACopy> describePrivateTMACopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// The tensor map of a copy by `bulk`, of either kind, or of a store.
mlir::FailureOr<TensorMapAttr>
tensorMapOf(mlir::Operation *op,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_IR_TMACOPIES_H
