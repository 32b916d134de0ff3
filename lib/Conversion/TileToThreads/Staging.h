//===- Staging.h - Threads' own places in shared memory ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread stages through shared memory it takes back itself. Its elements
// are moved in words of 4 bytes, word after word of all threads: a warp's
// access covers every bank once, whatever the layout of the tile is. Wider
// words take as many wavefronts. What is copied there without passing through
// registers has words as wide as the copies; of copies by boxes, as wide as
// what a thread has side by side (Support/PrivateBoxes.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.copy_async with `own` by threads: each copies what it has of
/// the tile to where it takes it back (tile.private_load).
mlir::LogicalResult emitPrivateCopy(tile::CopyAsyncOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H
