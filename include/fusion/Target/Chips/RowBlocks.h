//===- RowBlocks.h - Products of rows by rows -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where both operands of a contraction are dense along the reduced axis, a CPU
// multiplies rows by rows: vectors go along that axis, and their lanes are
// added at the end. Nothing is packed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_ROWBLOCKS_H
#define FUSION_TARGET_CHIPS_ROWBLOCKS_H

#include <algorithm>
#include <cstdint>

namespace fusion {

/// Rows of the LHS and columns of the RHS whose products are in registers.
struct RowBlock {
  int64_t rows, columns;
};

/// Returns the block for tiles of `rows` rows and `columns` columns: at most
/// twelve vectors of sums, in as few loads as possible.
inline RowBlock blockOfRows(int64_t rows, int64_t columns) {
  if (columns == 1)
    return {std::min<int64_t>(rows, 6), 1};
  if (rows == 1)
    return {1, std::min<int64_t>(columns, 6)};
  if (rows == 2)
    return {2, std::min<int64_t>(columns, 4)};
  return {3, std::min<int64_t>(columns, 4)};
}

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_ROWBLOCKS_H
