//===- RealignedOrder.h - Neighbours of pieces of rows ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has pieces of a row, `width` elements each. The piece behind one of
// its pieces is held by the thread itself, by the next lane, by the first lane
// in other registers, or by no lane of the warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDORDER_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDORDER_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace fusion {

/// Which piece of a row follows which, of misaligned rows. Pieces are named by
/// their first registers.
struct MisalignedOrder {
  MisalignedOrder(const LinearLayout &layout, int64_t dimension, int64_t width);

  struct Neighbour {
    int64_t reg = -1; ///< of the thread itself or, with lanes, of the next one
    /// Lanes along the row and the distance of their numbers; 1 where the
    /// thread has it itself, or where nobody has.
    int64_t lanes = 1, distance = 0;
    int64_t span = 0; ///< elements from a lane's to the next one's
    /// Behind the last lane: the register of the first lane that holds the
    /// piece; -1 if no lane does.
    int64_t wrapped = -1;

    bool isOwn() const { return reg >= 0 && lanes == 1; }
    /// Bits of a lane's number that say where it is along the row.
    int64_t mask() const { return (lanes - 1) * distance; }
    /// Whether the last lane, or the only one, finds no other that has it.
    bool isOpen() const { return lanes == 1 ? reg < 0 : wrapped < 0; }
  };
  llvm::DenseMap<int64_t, Neighbour> behind, before;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_REALIGNEDORDER_H
