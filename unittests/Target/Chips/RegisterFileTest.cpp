//===- RegisterFileTest.cpp - Warps that registers leave room for ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/RegisterFile.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// As the occupancy calculator has it for 65,536 registers.
TEST(RegisterFileTest, GivesWarpsWholeUnits) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ASSERT_EQ(chip.registersPerSM, 65536u);
  for (auto [registers, warps] : {std::pair<int64_t, int64_t>{32, 64},
                                  {33, 48},
                                  {40, 48},
                                  {64, 32},
                                  {65, 28},
                                  {85, 20},
                                  {128, 16},
                                  {168, 12},
                                  {255, 8}})
    EXPECT_EQ(warpsByRegisters(registers, chip), warps) << registers;
}

/// With 12 warps a thread may have 168, not 65536 / 384 = 170.
TEST(RegisterFileTest, TellsTheMostThatWarpsCanHave) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  EXPECT_EQ(registersByWarps(12, chip), 168);
  for (int64_t warps = 1; warps <= 64; ++warps) {
    int64_t most = registersByWarps(warps, chip);
    EXPECT_GE(warpsByRegisters(most, chip), warps);
    EXPECT_LE(most, chip.maxRegistersPerThread);
    if (most < chip.maxRegistersPerThread)
      EXPECT_LT(warpsByRegisters(most + 1, chip), warps);
  }
}

} // namespace
