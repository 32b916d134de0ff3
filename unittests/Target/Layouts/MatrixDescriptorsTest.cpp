//===- MatrixDescriptorsTest.cpp - Operands of wgmma in shared memory ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Layouts/MatrixDescriptors.h"
#include "fusion/Support/TileLayouts.h"

#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// Where an instruction finds an element of its operand: at (parallel, reduced)
/// from where the descriptor begins, `start` bytes (PTX ISA, "Shared Memory
/// Matrix Layout": the canonical layouts, and the swizzle as an XOR of address
/// bits).
int64_t elementAddress(uint64_t fields, int64_t start, int64_t elementBytes,
                       bool reducedIsContiguous, int64_t parallel,
                       int64_t reduced) {
  int64_t leading = (fields >> 16 & 0x3fff) * 16;
  int64_t stride = (fields >> 32 & 0x3fff) * 16;
  int64_t span = 256 >> (fields >> 62); // 128, 64, 32
  int64_t row = reducedIsContiguous ? parallel : reduced;
  int64_t byte = (reducedIsContiguous ? reduced : parallel) * elementBytes;
  int64_t address = start + row / 8 * stride + row % 8 * span + byte % span;
  // Along the reduced axis an instruction has 32 bytes, inside of one span.
  if (!reducedIsContiguous)
    address += byte / span * leading;
  return address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

TEST(MatrixDescriptors, FindWhatPanelsHold) {
  struct Case {
    int64_t rows, columns, bytes;
    bool reducedIsContiguous;
  };
  for (Case each :
       {Case{64, 64, 2, true}, Case{64, 16, 2, true}, Case{128, 96, 2, true},
        Case{80, 48, 2, true}, Case{256, 32, 2, true}, Case{64, 128, 1, true},
        Case{64, 64, 2, false}, Case{32, 128, 2, false}, Case{48, 80, 2, false},
        Case{16, 96, 2, false}, Case{64, 256, 2, false}}) {
    auto descriptors = matrixDescriptors(each.rows, each.columns, each.bytes,
                                         each.reducedIsContiguous);
    ASSERT_TRUE(descriptors);
    LinearLayout offsets =
        *sharedPanels(each.rows, each.columns, each.bytes)->invert();
    int64_t parallels = each.reducedIsContiguous ? each.rows : each.columns;
    int64_t depth = each.reducedIsContiguous ? each.columns : each.rows;
    int64_t part = each.reducedIsContiguous ? 16 : descriptors->panelElements;
    int64_t step = 32 / each.bytes;
    ASSERT_TRUE(descriptors->canCut(part));
    for (int64_t parallel = 0; parallel < parallels; parallel += part)
      for (int64_t reduced = 0; reduced < depth; reduced += step) {
        int64_t start = descriptors->offset(parallel, reduced);
        EXPECT_EQ(start % 16, 0);
        for (int64_t p = 0; p < parallels - parallel; ++p)
          for (int64_t r = 0; r < step; ++r) {
            int64_t at[2] = {parallel + p, reduced + r};
            if (!each.reducedIsContiguous)
              std::swap(at[0], at[1]);
            int64_t stored =
                offsets.applyTo(LayoutDim::Offset, {{LayoutDim::Dim0, at[0]},
                                                    {LayoutDim::Dim1, at[1]}});
            ASSERT_EQ(elementAddress(descriptors->fields, start, each.bytes,
                                     each.reducedIsContiguous, p, r),
                      stored * each.bytes)
                << each.rows << " x " << each.columns << " at " << at[0] << ", "
                << at[1];
          }
      }
  }
}

TEST(MatrixDescriptors, DoNotFitEverything) {
  EXPECT_FALSE(matrixDescriptors(64, 8, 2, true));  // no swizzle
  EXPECT_FALSE(matrixDescriptors(12, 64, 2, true)); // rows of half a pattern
  EXPECT_FALSE(
      matrixDescriptors(64, 64, 1, false)); // bytes along the other axis
  EXPECT_FALSE(matrixDescriptors(64, 64, 4, false));
  auto across = matrixDescriptors(32, 128, 2, false);
  ASSERT_TRUE(across);
  EXPECT_TRUE(across->canCut(64));
  EXPECT_FALSE(across->canCut(32)); // in the middle of a panel
}

TEST(MatrixDescriptors, ColumnsAtOnce) {
  EXPECT_EQ(columnsAtOnce(8, 2), 8);
  EXPECT_EQ(columnsAtOnce(80, 2), 80);
  EXPECT_EQ(columnsAtOnce(256, 2), 256);
  EXPECT_EQ(columnsAtOnce(320, 2), 160);
  EXPECT_EQ(columnsAtOnce(264, 2), 88); // 132 is no multiple of 8
  EXPECT_EQ(columnsAtOnce(12, 2), 0);
  EXPECT_EQ(columnsAtOnce(40, 1), 0);
  EXPECT_EQ(columnsAtOnce(352, 1), 176);
}

} // namespace
