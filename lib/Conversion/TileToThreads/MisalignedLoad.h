//===- MisalignedLoad.h - Aligned loads of misaligned rows ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread loads the aligned piece that its elements begin in and has the other
// from the next lane, which loaded that; the last lane of a warp's part of a
// row loads both. Then words, and the bits in them, move down by as many
// elements as the row is off.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDLOAD_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDLOAD_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.load with `misaligned`.
mlir::LogicalResult emitMisalignedLoad(tile::LoadOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDLOAD_H
