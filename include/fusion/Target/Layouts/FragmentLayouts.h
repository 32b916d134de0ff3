//===- FragmentLayouts.h - Layouts of fragments of an intrinsic -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_LAYOUTS_FRAGMENTLAYOUTS_H
#define FUSION_TARGET_LAYOUTS_FRAGMENTLAYOUTS_H

#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Intrinsics.h"

namespace fusion {

/// Return the fragments of one intrinsic: (Register, Lane) -> (Dim0, Dim1), of
/// the accumulator D[i1, i2] and of the operands A[i1, r1] and B[r1, i2].
LinearLayout accumulatorFragment(const Intrinsic &intrinsic);
LinearLayout operandAFragment(const Intrinsic &intrinsic);
/// The orders differ for 8-bit elements and scalar multiply-adds only.
LinearLayout operandBFragment(const Intrinsic &intrinsic, OperandOrder order);

/// Return the tiles of one contraction on warps[0] x warps[1] warps (warp = row
/// index + warps[0] * column index). They are the accumulator [m, n], A [m, k],
/// replicated over the warps along n, and B [k, n], replicated over the warps
/// along m. Extents are multiples of the intrinsic's times the warps. B of
/// wgmma is never in registers.
LinearLayout accumulatorTile(const Intrinsic &intrinsic, int64_t m, int64_t n,
                             llvm::ArrayRef<int64_t> warps);
LinearLayout operandATile(const Intrinsic &intrinsic, int64_t m, int64_t k,
                          llvm::ArrayRef<int64_t> warps);
LinearLayout operandBTile(const Intrinsic &intrinsic, int64_t k, int64_t n,
                          llvm::ArrayRef<int64_t> warps, OperandOrder order);

/// Returns the columns of one instruction for warpgroups that share the `n`
/// columns of an accumulator (`accumulatorTile`), such that the fewest
/// instructions cover the contiguous columns of a warpgroup. Warpgroups
/// alternate if each has an odd number of parts (`tileFragment`). Returns 0 if
/// there is no such number.
int64_t instructionColumns(int64_t n, int64_t groups, int64_t elementBytes);

/// Returns the best layout of a buffer in shared memory that is read as an
/// operand, with the reduced axis along its rows or not. Loads have no bank
/// conflicts, except for 8-bit elements of A with the other axis along the
/// rows.
PanelOrder operandPanels(const Intrinsic &intrinsic, bool isOperandA,
                         bool reducedIsContiguous);

} // namespace fusion

#endif // FUSION_TARGET_LAYOUTS_FRAGMENTLAYOUTS_H
