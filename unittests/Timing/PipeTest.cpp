//===- PipeTest.cpp - Tests of units and rates ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/Pipe.h"
#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::timing;

namespace {

InstTiming timing(const char *opcode, const char *operands = "",
                  const char *chip = "sm_90a") {
  MachineInst inst;
  inst.opcode = opcode;
  inst.operands = operands;
  const ChipInfo &info = *lookupChip(chip);
  return timingOf(inst, info, microarchitectureOf(info));
}

TEST(Pipe, LanesDecideTheInterval) {
  EXPECT_EQ(timing("FFMA").interval, 1);
  EXPECT_EQ(timing("FFMA", "", "sm_80").interval, 2);
  EXPECT_EQ(timing("IADD3.X").interval, 2);
  EXPECT_EQ(timing("MUFU.EX2").interval, 8);
  EXPECT_EQ(timing("DFMA", "", "sm_86").interval, 64);
}

TEST(Pipe, TensorCores) {
  // 2 × 16 × 8 × 16 operations at 512 a cycle and sub-partition.
  EXPECT_NEAR(timing("HMMA.16816.F32", "", "sm_80").interval, 8, 0.1);
  EXPECT_NEAR(timing("HMMA.1688.F32.TF32", "", "sm_80").interval, 8, 0.1);
  EXPECT_NEAR(timing("IMMA.16832.S8.S8.SAT", "", "sm_80").interval, 8, 0.1);
  InstTiming both = timing("HGMMA.64x256x16.F32", "R24, gdesc[UR4], R24, gsb0");
  EXPECT_EQ(both.interval, 128);
  EXPECT_TRUE(both.readsSharedA);
  EXPECT_TRUE(both.commitsGroup);
  // A quarter of 256 × 16 and of 64 × 16 elements of two bytes.
  EXPECT_EQ(both.sharedBytes, 2048u + 512u);
  InstTiming one =
      timing("HGMMA.64x64x16.F32.BF16", "R24, R88, gdesc[UR8], R24");
  EXPECT_EQ(one.interval, 32);
  EXPECT_FALSE(one.readsSharedA);
  EXPECT_FALSE(one.commitsGroup);
  EXPECT_EQ(one.sharedBytes, 512u);
  // Few columns do not make it faster than the least interval.
  EXPECT_EQ(timing("HGMMA.64x8x16.F32", "R24, R88, gdesc[UR8], R24").interval,
            microarchitectureOf(*lookupChip("sm_90a")).wgmmaMinInterval);
}

TEST(Pipe, UnknownOpcodesAreSaid) {
  EXPECT_TRUE(timing("UIADD3").isKnown);
  EXPECT_TRUE(timing("LDG.E.128").isKnown);
  EXPECT_FALSE(timing("FROBNICATE").isKnown);
}

} // namespace
