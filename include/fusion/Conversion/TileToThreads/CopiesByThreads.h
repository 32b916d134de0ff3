//===- CopiesByThreads.h - Asynchronous copies by threads -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_COPIESBYTHREADS_H
#define FUSION_CONVERSION_TILETOTHREADS_COPIESBYTHREADS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.copy_async that the block's threads do, each a share of the
/// tile in pieces of at most 16 bytes: any but those by tensor maps.
mlir::LogicalResult emitCopyByThreads(tile::CopyAsyncOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_COPIESBYTHREADS_H
