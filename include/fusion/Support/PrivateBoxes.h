//===- PrivateBoxes.h - Threads' own elements as a box ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each thread has of a tile lies in shared memory word after word of all
// threads (`tile.private_load`): elements of a word, lanes, warps, further
// words, from the nearest to the farthest. A box of a tensor map fills memory
// in the order of its dimensions (PTX ISA, "Tensors: Bounding Box"). So the
// tile is such a box where the tensor is seen with more dimensions than it has:
// each digit by which the layout goes through an axis is one.
//
//   64 rows of 4096 halves, a tile of 4 x 2048: words of 8, 32 lanes and 8
//   words of a thread along the row, a row for each warp
//
//     places     8 of j, 32 lanes of j | 4 warps of i | 8 words of j
//     map        256 x 64 x 16 elements, strides 1, 4096, 256
//     box        256 x  4 x  8
//     at         0, i, j / 256
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_PRIVATEBOXES_H
#define FUSION_SUPPORT_PRIVATEBOXES_H

#include "fusion/Support/LinearLayout.h"

namespace fusion {

/// A tile of a tensor as each thread has it.
struct PrivateTile {
  const LinearLayout &layout; ///< (Register, Lane, Warp) -> coordinates
  unsigned unit;              ///< the coordinate whose stride is one
  /// Of the tensor, by coordinate of the tile, in elements.
  llvm::ArrayRef<int64_t> sizes, strides;
  int64_t elementBytes;
};

/// One dimension of the map: elements of the tensor that are `step` apart along
/// `coordinate`, `size` of them in the box.
struct PrivateBoxDimension {
  unsigned coordinate;
  int64_t step, size;
  /// It goes on to the end of the tensor; others are of `size` elements, all of
  /// which are in the box.
  bool isLast;
};

struct PrivateBox {
  llvm::SmallVector<PrivateBoxDimension, 5> dimensions; ///< innermost first
};

/// Elements of a word, a power of two: neighbours in memory that a thread has
/// in registers one after the other, 16 bytes of them at most.
int64_t privateAccess(const LinearLayout &layout, unsigned unit,
                      int64_t elementBytes);

/// The box that fills the places of all `warps` x 32 threads of a block, or
/// nullopt with a reason: "its ..." or "it ...".
std::optional<PrivateBox> privateBox(const PrivateTile &tile, int64_t warps,
                                     std::string *reason = nullptr);

} // namespace fusion

#endif // FUSION_SUPPORT_PRIVATEBOXES_H
