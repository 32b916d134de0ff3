//===- SharedMemory.h - What programs do in shared memory -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H
#define FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Support/PaddedScratch.h"
#include "fusion/Support/TileLayouts.h"

namespace fusion::tile {

/// Whether the conversion needs more than a renaming of registers.
bool needsSharedMemory(ConvertLayoutOp op);

/// The buffer that such a conversion goes through: its columns are the
/// dimension along which the result's registers are contiguous, `transposed`
/// where that is dimension 0. A tile of one dimension is a single row. Where
/// `padded` is given it says how instead. nullopt where no layout has such
/// rows.
struct ScratchShape {
  int64_t rows = 0, columns = 0;
  bool transposed = false;
  LinearLayout layout;
  int64_t bytes;
  std::optional<PaddedScratch> padded;
};
std::optional<ScratchShape> getScratch(ConvertLayoutOp op);

/// A layout of one dimension as that of a tile with a single row.
LinearLayout asRow(const LinearLayout &layout);

/// How `threads` threads fill a buffer by copies; nullopt where its layout is
/// not one that copies fill, or its rows are no units of 16 bytes.
std::optional<CopyAssignment> getCopies(BufferType buffer, int64_t threads);

/// How the elements that a reduction combines are spread over threads: the
/// digits of the lane and of the warp index that move along the reduced
/// dimension, and how many warps so many parts of a row make. nullopt where a
/// digit moves along another dimension too.
struct ReductionThreadMapping {
  std::vector<LinearLayout::Digit> lanes, warps;
  int64_t parts;
};
std::optional<ReductionThreadMapping>
getThreadMapping(const LinearLayout &layout, unsigned dimension);

/// Bytes of shared memory through which a conversion or a reduction passes what
/// other threads need, with a barrier of its own in between: 0 where it needs
/// none, and of every other operation. Fails with a diagnostic where there are
/// no layouts yet or where they do not allow it.
mlir::FailureOr<int64_t> getExchangeBytes(mlir::Operation *op);

/// Whether every warp reads only what it has written to the scratch buffer of a
/// conversion through shared memory, so that its lanes need only wait for one
/// another.
bool isReducedInWarps(ConvertLayoutOp op, unsigned warps);

/// Fails with a diagnostic where an operand of `op` is a buffer that is not
/// directly the result of a tile.alloc: which memory it means must be plain.
mlir::LogicalResult verifyBuffers(mlir::Operation *op);

/// Alignment of buffers in shared memory, in bytes: a line of all banks.
constexpr int64_t kSharedAlignment = 128;

/// The alignment of a kernel's buffers: where MMAs read them in place or TMA
/// boxes are copied, the bytes after which every swizzle repeats.
int64_t sharedAlignment(KernelOp kernel);

} // namespace fusion::tile

#endif // FUSION_DIALECT_TILE_TRANSFORMS_SHAREDMEMORY_H
