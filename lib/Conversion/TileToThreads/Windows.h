//===- Windows.h - Accesses through a window --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index of the memory is a sum of terms, each a digit of one coordinate of
// the tile or of a symbol. What depends on the row only and what depends on the
// column only is added up apart, so that each is computed outside of the loops
// that change the other. Extents are below 2^31: digits are divisions of 32
// bits.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_WINDOWS_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_WINDOWS_H

#include "GlobalAccess.h"

namespace fusion {

/// A coordinate of a view, origin + thread + fixed, in a tile of `size`
/// elements that begins at a multiple of `size`. `origin` is where the tile
/// begins, `thread` depends on the thread only, both indices.
struct WindowCoordinate {
  mlir::Value origin, thread;
  int64_t fixed, size;
};

/// Where the element at `coordinates` of a window lies; `isInside` says whether
/// that is inside of the memory, null if all elements of the window are.
Chunk locateInWindow(KernelEmitter &e, const TensorView &view,
                     llvm::ArrayRef<WindowCoordinate> coordinates);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_WINDOWS_H
