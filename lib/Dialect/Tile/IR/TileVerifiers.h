//===- TileVerifiers.h - What verifiers of tiles share ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_IR_TILEVERIFIERS_H
#define FUSION_LIB_DIALECT_TILE_IR_TILEVERIFIERS_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"

namespace fusion::tile {

/// Fails with an error at `op` where a tile has sizes that are not known, none
/// or too many.
mlir::LogicalResult verifyStaticTile(mlir::Operation *op,
                                     mlir::RankedTensorType type);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_IR_TILEVERIFIERS_H
