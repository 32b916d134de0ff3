//===- MatrixDescriptors.h - Operands of wgmma in shared memory ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer of sharedPanels (TileLayouts.h) in the order Plain lies as wgmma
// reads operands: its panels have the 128-, 64- and 32-byte swizzles. With the
// reduced axis along the columns it is "K-major", else "MN-major", which
// elements of 16 bits only may be. The swizzle is made of bits of the address,
// so that an operand which begins further on, at a whole unit, is found at the
// address without the swizzle (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Instructions": "Shared Memory Matrix Layout", "Matrix Descriptor Format").
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_MATRIXDESCRIPTORS_H
#define FUSION_TARGET_MATRIXDESCRIPTORS_H

#include <cstdint>
#include <optional>

namespace fusion {

/// How descriptors of the parts of one buffer are made.
struct MatrixDescriptors {
  /// What a descriptor has of an address in shared memory: 18 bits.
  static constexpr int64_t addressMask = 0x3ffff;
  uint64_t fields; ///< all of a descriptor but its address
  bool reducedIsContiguous;
  int64_t panelElements; ///< of a row of a panel
  int64_t panelBytes;    ///< of a whole panel
  int64_t rowBytes;      ///< of a row of a panel

  /// Whether parts of so many rows of A, or columns of B, begin where
  /// descriptors can: they do not cut panels.
  bool canCut(int64_t parallel) const {
    return reducedIsContiguous ? parallel % 8 == 0
                               : parallel % panelElements == 0;
  }
  /// Bytes before the part that begins at row (column) `parallel` and
  /// `reduced`, without the swizzle. Linear in `parallel` where it is a
  /// multiple of what canCut allows.
  int64_t offset(int64_t parallel, int64_t reduced) const {
    int64_t row = reducedIsContiguous ? parallel : reduced;
    int64_t column = reducedIsContiguous ? reduced : parallel;
    return column / panelElements * panelBytes + row * rowBytes +
           column % panelElements * (rowBytes / panelElements);
  }
};

/// Of a buffer of `rows` x `columns` elements, aligned to kSwizzlePeriod;
/// nullopt where it has no swizzle, or its panels do not repeat it: rows must
/// be multiples of 8.
std::optional<MatrixDescriptors> matrixDescriptors(int64_t rows,
                                                   int64_t columns,
                                                   int64_t elementBytes,
                                                   bool reducedIsContiguous);

/// The columns of one instruction where `columns` of such elements lie side by
/// side: as few instructions as do, of multiples of 8, of bytes of 16, at most
/// 256; 0 where none do.
int64_t columnsAtOnce(int64_t columns, int64_t elementBytes);

} // namespace fusion

#endif // FUSION_TARGET_MATRIXDESCRIPTORS_H
