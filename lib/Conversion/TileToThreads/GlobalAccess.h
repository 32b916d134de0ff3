//===- GlobalAccess.h - Where threads access global memory ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_GLOBALACCESS_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_GLOBALACCESS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Where an access of a thread lies, of an element or of several along the
/// view's unit dimension.
struct Chunk {
  mlir::Value position; ///< in the memory, elements
  mlir::Value isInside; ///< of the view, an i1; null if it is known to be
  /// The coordinate of a ragged access's first element along the view's
  /// unit dimension; null otherwise.
  mlir::Value unit;
};

/// Where the access that begins at register `reg` lies, for a tile of layout
/// `layout` that begins at `coordinates` of the view, values of the block
/// program. The tile is known to be inside along dimensions that `inBounds`
/// marks. A ragged one may begin before the view and cross its borders.
///
/// The position is (tile) + (thread) + (register), so that the last part folds
/// into an immediate and the middle one is computed once.
Chunk locateChunk(KernelEmitter &e, const TensorView &view,
                  const LinearLayout &layout, int64_t reg,
                  mlir::ValueRange coordinates,
                  std::optional<llvm::ArrayRef<bool>> inBounds, bool ragged);

/// Whether the elements `unit` to `unit` + `width` - 1 along the unit dimension
/// are inside of the view, an i1.
mlir::Value isWithin(ThreadBuilder &b, const TensorView &view, mlir::Value unit,
                     int64_t width);
/// Whether some of the elements `unit` to `unit` + `width` - 1 along the unit
/// dimension are inside of the view, an i1.
mlir::Value overlaps(ThreadBuilder &b, const TensorView &view, mlir::Value unit,
                     int64_t width);

/// Elements that one access moves: consecutive registers along the view's unit
/// dimension, no more than its alignment promises.
int64_t accessWidth(tile::ViewType view, const LinearLayout &layout);
/// Alignment of an access of `width` elements, bytes.
int64_t accessAlignment(int64_t width, mlir::Type element);

/// Stores elements side by side (as memory holds them) at `position`, a
/// multiple of their number, as the operation asks for.
void storeElements(KernelEmitter &e, tile::StoreOp op, const TensorView &view,
                   mlir::Value position, mlir::ValueRange elements);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_GLOBALACCESS_H
