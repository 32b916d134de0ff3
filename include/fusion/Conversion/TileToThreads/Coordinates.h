//===- Coordinates.h - Coordinates of what a thread holds -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_COORDINATES_H
#define FUSION_CONVERSION_TILETOTHREADS_COORDINATES_H

#include "fusion/Conversion/TileToThreads/ThreadTarget.h"

namespace fusion {

/// How coordinate `dimension` follows from the thread and the register; nullopt
/// if it is no plain sum of digits.
std::optional<AddressPlan> planCoordinate(const LinearLayout &layout,
                                          int64_t dimension);

/// Coordinate `dimension` of the element in register `reg` of the thread, an
/// index; null if the layout has no plain coordinates.
mlir::Value coordinate(ThreadBuilder &b, const LinearLayout &layout,
                       int64_t dimension, int64_t reg);

/// Coordinate `dimension` of the elements in all registers, indices, equal ones
/// as one value; none if the layout has no plain coordinates.
Values coordinates(ThreadBuilder &b, const LinearLayout &layout,
                   int64_t dimension);

/// A coordinate as a sum: what registers share, null for nothing, and a
/// constant.
struct SplitCoordinate {
  mlir::Value shared;
  int64_t constant = 0;
};
SplitCoordinate splitCoordinate(mlir::Value coordinate);

/// Compares the indices `lhs` and `rhs` of the thread's registers. The
/// coordinates of what a thread holds differ by constants: a comparison is one
/// of a constant with a difference that registers share, in 32 bits, an
/// instruction each, and no register holds a coordinate.
Values compareCoordinates(ThreadBuilder &b, ThreadTarget &target,
                          mlir::arith::CmpIPredicate predicate,
                          mlir::ValueRange lhs, mlir::ValueRange rhs);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_COORDINATES_H
