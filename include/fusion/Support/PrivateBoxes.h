//===- PrivateBoxes.h - Threads' own elements as a box ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements that each thread stages in shared memory (`tile.private_load`)
// are ordered, from the nearest to the farthest, by: elements of an access,
// lanes, warps, further accesses. A box of a TMA copy fills memory in the order
// of its dimensions (PTX ISA, "Tensors: Bounding Box"). The tile is such a box
// if the tensor map has more dimensions than the tensor: one for each digit
// that the layout has along an axis.
//
//   64 rows of 4096 halves, a tile of 4 x 2048: accesses of 8, 32 lanes and 8
//   accesses of a thread along the row, a row for each warp
//
//     order      8 of j, 32 lanes of j | 4 warps of i | 8 accesses of j
//     map        256 x 64 x 16 elements, strides 1, 4096, 256
//     box        256 x  4 x  8
//     at         0, i, j / 256
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_PRIVATEBOXES_H
#define FUSION_SUPPORT_PRIVATEBOXES_H

#include "fusion/Support/LinearLayout.h"

namespace fusion {

/// A tile of a tensor, by the elements of each thread.
struct PrivateTile {
  const LinearLayout &layout; ///< (Register, Lane, Warp) -> coordinates
  unsigned unit;              ///< the coordinate whose stride is one
  /// Sizes and strides of the tensor, by coordinate of the tile, in elements.
  llvm::ArrayRef<int64_t> sizes, strides;
  int64_t elementBytes;
};

/// One dimension of the map: elements of the tensor that are `step` apart along
/// `coordinate`, `size` of them in the box.
struct PrivateBoxDimension {
  unsigned coordinate;
  int64_t step, size;
  /// Whether it extends to the end of the tensor; other dimensions have `size`
  /// elements, all of which are in the box.
  bool isLast;
};

struct PrivateBox {
  llvm::SmallVector<PrivateBoxDimension, 5> dimensions; ///< innermost first
};

/// Returns the elements of an access, a power of two: neighbours in memory in
/// consecutive registers of a thread, at most 16 bytes.
int64_t privateAccess(const LinearLayout &layout, unsigned unit,
                      int64_t elementBytes);

/// Returns the box that fills the staged elements of all `warps` x 32 threads
/// of a block, or nullopt with a reason: "its ..." or "it ...".
std::optional<PrivateBox> privateBox(const PrivateTile &tile, int64_t warps,
                                     std::string *reason = nullptr);

} // namespace fusion

#endif // FUSION_SUPPORT_PRIVATEBOXES_H
