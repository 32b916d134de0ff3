//===- MatrixDescriptors.h - Operands of wgmma in shared memory ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer of sharedPanels (TileLayouts.h) with PanelOrder::Plain has the
// layout in which wgmma reads operands: its panels have the 128-, 64- and
// 32-byte swizzles. With the reduced axis along the columns it is "K-major",
// else "MN-major", which is for elements of 16 bits only. The swizzle depends
// on bits of the address. An operand that begins at a later whole unit is
// therefore found at its address without the swizzle (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions": "Shared Memory Matrix Layout", "Matrix
// Descriptor Format").
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_LAYOUTS_MATRIXDESCRIPTORS_H
#define FUSION_TARGET_LAYOUTS_MATRIXDESCRIPTORS_H

#include <cstdint>
#include <optional>

namespace fusion {

/// The descriptors of the parts of one buffer.
struct MatrixDescriptors {
  /// The bits of an address in shared memory that a descriptor holds: 18.
  static constexpr int64_t addressMask = 0x3ffff;
  uint64_t fields; ///< all of a descriptor but its address
  bool reducedIsContiguous;
  int64_t panelElements; ///< of a row of a panel
  int64_t panelBytes;    ///< of a whole panel
  int64_t rowBytes;      ///< of a row of a panel

  /// Returns whether parts of `parallel` rows of A, or columns of B, begin at
  /// addresses that descriptors can have: they do not divide panels.
  bool canCut(int64_t parallel) const {
    return reducedIsContiguous ? parallel % 8 == 0
                               : parallel % panelElements == 0;
  }
  /// Returns the bytes before the part that begins at row (column) `parallel`
  /// and `reduced`, without the swizzle. It is linear in `parallel` for
  /// multiples of what canCut allows.
  int64_t offset(int64_t parallel, int64_t reduced) const {
    int64_t row = reducedIsContiguous ? parallel : reduced;
    int64_t column = reducedIsContiguous ? reduced : parallel;
    return column / panelElements * panelBytes + row * rowBytes +
           column % panelElements * (rowBytes / panelElements);
  }
};

/// Returns the descriptors of a buffer of `rows` x `columns` elements, aligned
/// to kSwizzlePeriod. Returns nullopt if it has no swizzle, or if its panels do
/// not repeat it: rows must be multiples of 8.
std::optional<MatrixDescriptors> matrixDescriptors(int64_t rows,
                                                   int64_t columns,
                                                   int64_t elementBytes,
                                                   bool reducedIsContiguous);

/// Returns the columns of one instruction for `columns` contiguous columns of
/// such elements, such that the fewest instructions cover them. The number is a
/// multiple of 8 and of 16 bytes, at most 256; 0 if there is none.
int64_t columnsAtOnce(int64_t columns, int64_t elementBytes);

} // namespace fusion

#endif // FUSION_TARGET_LAYOUTS_MATRIXDESCRIPTORS_H
