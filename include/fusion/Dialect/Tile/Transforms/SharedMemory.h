//===- SharedMemory.h - What block programs do in shared memory ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H
#define FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"

namespace fusion::tile {

/// Whether the conversion needs more than a renaming of registers.
bool needsSharedMemory(ConvertLayoutOp op);

/// The buffer that such a conversion goes through: its columns are the dimension
/// along which the result's registers are contiguous, `transposed` where that is
/// dimension 0. nullopt where no layout has such rows.
struct ScratchShape {
  int64_t rows, columns;
  bool transposed;
  LinearLayout layout;
  int64_t bytes;
};
std::optional<ScratchShape> getScratch(ConvertLayoutOp op);

/// Whether every warp reads only what it has written to the scratch buffer of a
/// conversion through shared memory, so that its lanes need only wait for one
/// another.
bool staysInWarps(ConvertLayoutOp op, unsigned warps);

/// Fails with a diagnostic where an operand of `op` is a buffer that is not
/// directly the result of a tile.alloc: which memory it means must be plain.
mlir::LogicalResult verifyBuffers(mlir::Operation *op);

/// Alignment of buffers in shared memory, in bytes: a line of all banks.
constexpr int64_t kSharedAlignment = 128;

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H
