//===- MisalignedOrder.h - Neighbours of pieces of rows ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has pieces of a row, of `width` elements each. The piece after one
// of its pieces is in the thread itself, in the next lane, in the first lane in
// other registers, or in no lane of the warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDORDER_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDORDER_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace fusion {

/// The order of the pieces of misaligned rows. A piece is named by its first
/// register.
struct MisalignedOrder {
  MisalignedOrder(const LinearLayout &layout, int64_t dimension, int64_t width);

  struct Neighbour {
    int64_t reg = -1; ///< of the thread or, with lanes, of the next lane
    /// The number of lanes along the row and the distance of their numbers; 1
    /// if the thread itself or no lane has the neighbour.
    int64_t lanes = 1, distance = 0;
    int64_t span = 0; ///< elements between neighbouring lanes
    /// After the last lane: the register of the first lane that holds the
    /// piece; -1 if no lane does.
    int64_t wrapped = -1;

    bool isOwn() const { return reg >= 0 && lanes == 1; }
    /// The bits of a lane's number that give its position along the row.
    int64_t mask() const { return (lanes - 1) * distance; }
    /// Whether no lane has the neighbour of the last lane, or of the only one.
    bool isOpen() const { return lanes == 1 ? reg < 0 : wrapped < 0; }
  };
  llvm::DenseMap<int64_t, Neighbour> behind, before;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_MISALIGNEDORDER_H
