//===- WarpPrivate.h - Shared memory that no two warps share ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where every byte of a buffer is touched by one warp only, its producers and
// consumers are the same warp, and a barrier among the warp's lanes orders
// them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_WARPPRIVATE_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_WARPPRIVATE_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"

namespace fusion::tile {

/// Whether each element of the buffer is touched by the same warp in all
/// accesses to it: copies (as `copyAssignment` deals them out), stores and
/// loads. Tensors have their layouts.
bool isWarpPrivate(AllocOp alloc, unsigned warps);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_WARPPRIVATE_H
