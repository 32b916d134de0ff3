//===- BulkCopies.h - Tiles as boxes of tensor maps -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_BULKCOPIES_H
#define FUSION_DIALECT_TILE_IR_BULKCOPIES_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Support/OwnBoxes.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion::tile {

/// Whether a copy is one by boxes of a tensor map.
inline bool isBulk(CopyAsyncOp copy) {
  return copy.getTransport() == Transport::Bulk;
}
inline bool isBulk(mlir::Operation *op) {
  auto copy = mlir::dyn_cast<CopyAsyncOp>(op);
  return copy && isBulk(copy);
}
/// Whether bulk copies fill a buffer.
bool isFilledInBulk(AllocOp alloc);

/// Whether stores in bulk read a buffer.
bool isStoredInBulk(AllocOp alloc);

/// Whether the blocks of a cluster fill a buffer for one another.
bool isFilledByCluster(AllocOp alloc);

/// How one copy, to shared memory or from there, moves its tile.
struct BulkCopy {
  TensorMapAttr map;
  BoxShape boxes; ///< of one part
  int64_t parts;  ///< of the rows, each of them another block's
  /// The index of the tile along each dimension of the map, innermost first: a
  /// dimension of the tile or a symbol of its window.
  llvm::SmallVector<mlir::AffineExpr, kMostMapDimensions> indices;
  unsigned rowDimension; ///< of the map, along which the tile's rows lie
};

/// How a copy by `bulk` or a store moves its tile; fails, where `emitError` is
/// given with a diagnostic, where its view or its buffer does not allow it.
mlir::FailureOr<BulkCopy> describeBulkCopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);
mlir::FailureOr<BulkCopy> describeBulkCopy(
    StoreAsyncOp store,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// How one copy by `bulk` fills the places that threads have for what is their
/// own of a tile.
struct OwnBulkCopy {
  TensorMapAttr map;
  OwnBox box; ///< its dimensions are those of the map
};
mlir::FailureOr<OwnBulkCopy> describeOwnBulkCopy(
    CopyAsyncOp copy,
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

/// The tensor map of a copy by `bulk`, of either kind, or of a store.
mlir::FailureOr<TensorMapAttr>
tensorMapOf(mlir::Operation *op,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError = nullptr);

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_IR_BULKCOPIES_H
