//===- Staging.h - Threads' own places in shared memory ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread reads back the elements that it stages through shared memory.
// Elements are stored as words of 4 bytes: first the first words of all
// threads, then the second ones. So a warp's access covers every bank once, for
// every layout. Wider words would take as many wavefronts.
//
// Copies that do not pass through registers store words as wide as the copy.
// TMA copies store words as wide as a thread's contiguous elements
// (Support/PrivateBoxes.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a `thread_private` tile.copy_async by threads: each copies its
/// elements of the tile to the place from which tile.private_load reads them.
mlir::LogicalResult emitPrivateCopy(tile::CopyAsyncOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_STAGING_H
