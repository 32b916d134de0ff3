//===- MisalignedStore.h - Aligned stores of misaligned rows ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores the aligned piece that contains its first element, with the
// last elements of the lane before. At both ends of a warp's part of a row, a
// piece also has elements of other warps. Only the warp's own are stored there,
// with one access for an end in which each lane stores an element.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDSTORE_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDSTORE_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a misaligned tile.store.
mlir::LogicalResult emitMisalignedStore(tile::StoreOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDSTORE_H
