//===- MemoryRegressionTest.cpp - Every chip has its lines ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/MemoryRegression.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

TEST(MemoryRegression, EveryChipHasItsLines) {
  for (const ChipInfo &chip : allGpus()) {
    SCOPED_TRACE(chip.name.str());
    const MemoryRegression &found = memoryRegressionOf(chip);
    EXPECT_EQ(found.chip, chip.name);
    for (const ReducedMemory &line : {found.toRegisters, found.toShared}) {
      // Between half of a byte's time in L2 and twice its time in DRAM.
      EXPECT_GT(line.secondsPerByte, 0.5 / chip.l2BytesPerSecond);
      EXPECT_LT(line.secondsPerByte, 2 / chip.dramBytesPerSecond);
    }
    // Shared memory costs accesses and barriers.
    EXPECT_LT(found.toShared(1e7), found.toRegisters(1e7));
  }
}

TEST(MemoryRegression, Line) {
  constexpr ReducedMemory line{-1e-6, 2e-12};
  EXPECT_DOUBLE_EQ(line(1e6), 1e-6);
  EXPECT_EQ(line(1e5), 0); // no loss
  EXPECT_EQ((ReducedMemory{1e-6, 2e-12}(0)), 0);
}

} // namespace
