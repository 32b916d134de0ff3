//===- CostModelTest.cpp - Predicted times --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The model's numbers are no facts to be pinned down here; what it must order
// rightly is.

#include "fusion/Analysis/Cost/CostModel.h"
#include "ScheduledGroup.h"
#include <cmath>

using namespace fusion;
using namespace fusion::test;

namespace {

Cost costOf(ScheduledGroup &group, const char *chip = "sm_80") {
  return predictCost(group.model(), *group.schedule,
                     computeFootprint(group.model(), *group.schedule),
                     *lookupChip(chip));
}

TEST(CostModel, PartsArePositiveAndAddUp) {
  ScheduledGroup group(chainIR({512, 512, 512, 512}));
  ASSERT_TRUE(group.schedule) << group.reason;
  Cost cost = costOf(group);
  for (double part : {cost.launch, cost.dram, cost.l2, cost.shared,
                      cost.compute, cost.pipeline}) {
    EXPECT_GT(part, 0);
    EXPECT_TRUE(std::isfinite(part));
    EXPECT_GE(cost.total, part);
  }
  EXPECT_GE(cost.blocksPerSM, 1);
  EXPECT_GE(cost.waves, 1);
  EXPECT_FALSE(cost.bound().empty());
}

TEST(CostModel, LargerProblemsTakeLonger) {
  double last = 0;
  for (int64_t size : {256, 512, 1024, 2048}) {
    ScheduledGroup group(chainIR({size, size, size, size}));
    ASSERT_TRUE(group.schedule) << group.reason;
    double time = costOf(group).total;
    EXPECT_GT(time, last);
    last = time;
  }
}

TEST(CostModel, FasterChipsTakeLess) {
  ScheduledGroup group(chainIR({2048, 2048, 2048, 2048}));
  ASSERT_TRUE(group.schedule) << group.reason;
  EXPECT_LT(costOf(group, "sm_90a").total, costOf(group, "sm_80").total);
  EXPECT_LT(costOf(group, "sm_80").total, costOf(group, "sm_86").total);
}

// No schedule is faster than reading every tensor once, or than its flops.
TEST(CostModel, NeverBelowTheChipsPeaks) {
  ScheduledGroup group(chainIR({4096, 4096, 4096, 4096}));
  ASSERT_TRUE(group.schedule) << group.reason;
  const ChipInfo &chip = *lookupChip("sm_80");
  Footprint footprint = computeFootprint(group.model(), *group.schedule);
  Cost cost = costOf(group);
  EXPECT_GE(cost.total, footprint.compulsoryBytes / chip.dramBytesPerSecond);
  EXPECT_GE(cost.total,
            footprint.mmaFlops / chip.peakFlops(MultiplicandType::F16));
}

TEST(CostModel, MovingLessIsNotDearer) {
  ScheduledGroup group(chainIR({1024, 64, 1024, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTile("k", 64);
  group.setTiling("mh(n(LA,LB,CC,LD,CE),SE)");
  double inside = costOf(group).total;
  group.setTiling("mh(LA,n(LB,CC,LD,CE),SE)");
  EXPECT_LE(costOf(group).total, inside);
}

// Columns of a few blocks need less of both operands at a time than whole rows.
TEST(CostModel, RasterLowersTheDramTerm) {
  ScheduledGroup group(chainIR({8192, 4096, 16384}),
                       R"x(#fuse.schedule<version = 2,
  tiling = <"mn(k(LA,LB,CC),SC)", {m = 128, n = 64, k = 32}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>>)x");
  ASSERT_TRUE(group.schedule) << group.reason;
  // The same bytes leave L2; fewer enter it.
  Cost rows = costOf(group);
  group.schedule->blockSwizzle = 8;
  Cost columns = costOf(group);
  EXPECT_LT(columns.dram, 0.8 * rows.dram);
  EXPECT_EQ(columns.l2, rows.l2);
  EXPECT_LE(columns.total, rows.total);
  Footprint footprint = computeFootprint(group.model(), *group.schedule);
  EXPECT_GE(columns.dramBytes, footprint.compulsoryBytes);
}

// MCFuser section II-A, arithmetic intensity: φ = 2 m n k / (2 m n + m k + n
// k).
TEST(CostModel, IntensityAndBalance) {
  ParsedGroup group(chainIR({512, 64, 256, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  const Contraction &contraction = group.model().contractions[0];
  EXPECT_DOUBLE_EQ(intensity(group.model(), contraction),
                   2.0 * 512 * 256 * 64 /
                       (2.0 * 512 * 256 + 512.0 * 64 + 256.0 * 64));
  const ChipInfo &chip = *lookupChip("sm_80");
  EXPECT_DOUBLE_EQ(machineBalance(contraction, 2, chip),
                   chip.peakFlops(MultiplicandType::F16) /
                       (chip.dramBytesPerSecond / 2));
}

TEST(CostModel, StreamingGrowsWithItsBytes) {
  const ChipInfo &chip = *lookupChip("sm_80");
  EXPECT_GT(predictStreaming(0, chip), 0);
  EXPECT_LT(predictStreaming(1 << 20, chip), predictStreaming(1 << 24, chip));
  EXPECT_LT(predictStreaming(1 << 24, chip), predictStreaming(1 << 28, chip));
}

// A thread runs its loops step by step, however few bytes it moves.
TEST(CostModel, GenericFormWaitsForEachStep) {
  const ChipInfo &chip = *lookupChip("sm_80");
  auto time = [&](double threads, double steps, double stepsOfSector) {
    return predictGeneric(/*bytes=*/1 << 20, threads, steps, stepsOfSector,
                          chip);
  };
  EXPECT_GE(time(8, 65536, 1), 65536 * chip.dramLatency);
  EXPECT_LT(time(8, 65536, 8), time(8, 65536, 1) / 4);
  EXPECT_GT(time(1 << 20, 65536, 1), 3 * time(8, 65536, 1));
  // One step of each thread is what its bytes take.
  EXPECT_EQ(time(1 << 10, 1, 1), predictStreaming(1 << 20, chip));
}

} // namespace
