//===- MatrixDescriptor.h - Operands of wgmma in shared memory --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix descriptors and canonical layouts (PTX ISA, "Asynchronous Warpgroup
// Level Matrix Instructions: Shared Memory Matrix Layout"). All is in pieces of
// 16 bytes. An operand has `rows` (M or N) and 32 bytes of K; pieces lie along
// K (K-major) or along the rows (MN-major, 16-bit elements only). W is 16 bytes
// without a swizzle, else the swizzle's 32, 64 or 128:
//
//   K-major, no swizzle: row r, piece c at (r / 8) SBO + (r % 8) 16 + c LBO
//   K-major, swizzled:   (r / 8) SBO + (r % 8) W + 16 c
//   MN-major, none:      k, piece i (of 8 rows) at i SBO + (k % 8) 16 + (k/8)
//   LBO MN-major, swizzled:  16 (i % (W/16)) + (i / (W/16)) LBO + (k % 8) W
//                        + (k / 8) SBO
//
// and the swizzle exchanges pieces by bits of the resulting address.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_MATRIXDESCRIPTOR_H
#define FUSION_LIB_EMULATOR_EXECUTE_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace fusion::emulator {
namespace {

struct MatrixDescriptor {
  uint32_t start, leading, stride; ///< bytes
  uint32_t base;                   ///< offset of the swizzle's pattern
  unsigned mode;                   ///< 0 none, 1 32B, 2 64B, 3 128B
  bool transposed;                 ///< MN-major

  MatrixDescriptor(uint64_t bits, bool transposed)
      : start(uint32_t(bits & 0x3fff) << 4),
        leading(uint32_t(bits >> 16 & 0x3fff) << 4),
        stride(uint32_t(bits >> 32 & 0x3fff) << 4),
        base(uint32_t(bits >> 49 & 7)),
        mode(unsigned(4 - (bits >> 62 & 3)) & 3), transposed(transposed) {}

  uint32_t swizzle(uint32_t address) const {
    uint32_t row = (address >> 7) - base;
    return address ^ ((row & ((1u << mode) - 1)) << 4);
  }
  /// K-major: piece `c` of row `r`; MN-major: piece `r` of rows at k = `c`.
  uint32_t piece(uint32_t r, uint32_t c) const {
    uint32_t width = 16u << mode;
    if (!transposed) {
      uint32_t along = mode ? 16 * c : c * leading;
      return swizzle(start + r / 8 * stride + r % 8 * width + along);
    }
    if (!mode)
      return start + r * stride + c % 8 * 16 + c / 8 * leading;
    uint32_t pieces = 1u << mode;
    return swizzle(start + r % pieces * 16 + r / pieces * leading +
                   c % 8 * width + c / 8 * stride);
  }
};

} // namespace
} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_MATRIXDESCRIPTOR_H
