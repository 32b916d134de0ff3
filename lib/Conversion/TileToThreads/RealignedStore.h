//===- RealignedStore.h - Aligned stores of misaligned rows -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores the aligned piece that its own elements begin in, with the
// last ones of the lane before. Of the two pieces at the ends of a warp's part
// of a row only the warp's own elements are stored: an element by each lane,
// one access for an end.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDSTORE_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDSTORE_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.store with `realigned`.
mlir::LogicalResult emitRealignedStore(tile::StoreOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDSTORE_H
