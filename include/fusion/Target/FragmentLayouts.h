//===- FragmentLayouts.h - Where an intrinsic wants its tiles -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_FRAGMENTLAYOUTS_H
#define FUSION_TARGET_FRAGMENTLAYOUTS_H

#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Intrinsics.h"

namespace fusion {

/// The fragments of one intrinsic: (Register, Lane) -> (Dim0, Dim1), of the sum
/// D[i1, i2], the first operand A[i1, r1] and the second operand B[r1, i2].
LinearLayout accumulatorFragment(const Intrinsic &intrinsic);
LinearLayout operandAFragment(const Intrinsic &intrinsic);
/// The orders differ for 8-bit elements and multiply-adds only.
LinearLayout operandBFragment(const Intrinsic &intrinsic, OperandOrder order);

/// The tiles of one product on warps[0] x warps[1] warps (warp = row index +
/// warps[0] * column index): the sum [m, n], the first operand [m, k],
/// replicated over the warps along n, and the second [k, n], over those along
/// m. Extents are multiples of the intrinsic's times the warps. What wgmma
/// multiplies second is never in registers.
LinearLayout accumulatorTile(const Intrinsic &intrinsic, int64_t m, int64_t n,
                             llvm::ArrayRef<int64_t> warps);
LinearLayout operandATile(const Intrinsic &intrinsic, int64_t m, int64_t k,
                          llvm::ArrayRef<int64_t> warps);
LinearLayout operandBTile(const Intrinsic &intrinsic, int64_t k, int64_t n,
                          llvm::ArrayRef<int64_t> warps, OperandOrder order);

/// The columns of one instruction of groups of warps that share the `n` columns
/// of a sum (`accumulatorTile`): as few instructions as do of those that lie
/// side by side in one group. Groups alternate where each has an odd number of
/// parts
/// (`tileFragment`). 0 where there are none.
int64_t instructionColumns(int64_t n, int64_t groups, int64_t elementBytes);

/// How a buffer in shared memory that is read as an operand is best laid out,
/// by whether the reduced axis lies along its rows. Loads are free of bank
/// conflicts but for 8-bit elements of a first operand of which the other axis
/// does.
PanelOrder operandPanels(const Intrinsic &intrinsic, bool isOperandA,
                         bool reducedIsContiguous);

} // namespace fusion

#endif // FUSION_TARGET_FRAGMENTLAYOUTS_H
