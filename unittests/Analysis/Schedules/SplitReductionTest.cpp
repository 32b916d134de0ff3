//===- SplitReductionTest.cpp - Reductions shared by blocks ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"

using namespace fusion;
using namespace fusion::test;

namespace {

void splitAxis(ScheduledGroup &group, const char *name, int64_t parts) {
  group.schedule->splits.assign(group.model().axes.size(), 1);
  group.schedule->splits[group.axis(name)] = parts;
}

// 64 x 64 x 448: 14 tiles of k.
TEST(SplitReduction, RangesOfTiles) {
  ScheduledGroup group(chainIR({64, 448, 64}), kProductSchedule);
  ASSERT_TRUE(group.schedule) << group.reason;
  unsigned k = group.axis("k");
  for (auto [parts, trips] :
       {std::pair(1, 14), {2, 7}, {3, 5}, {7, 2}, {14, 1}, {20, 1}}) {
    splitAxis(group, "k", parts);
    EXPECT_EQ(sequentialTrips(group.model(), *group.schedule, k), trips);
    EXPECT_EQ(hasEmptySplits(group.model(), *group.schedule, k), parts > 14);
    // What is dead takes the whole axis.
    EXPECT_EQ(placementTiles(group.model(), *group.schedule)[k],
              trips == 1 ? 448 : 32);
  }
}

// Operands are read once, each part of the result is written in f32.
TEST(SplitReduction, FootprintOfAProduct) {
  ScheduledGroup group(chainIR({128, 448, 128}), kProductSchedule);
  ASSERT_TRUE(group.schedule) << group.reason;
  Footprint whole = computeFootprint(group.model(), *group.schedule);
  for (int64_t parts : {2, 3, 7}) {
    splitAxis(group, "k", parts);
    Footprint split = computeFootprint(group.model(), *group.schedule);
    EXPECT_EQ(split.blocks, parts * whole.blocks);
    EXPECT_EQ(split.globalLoadBytes, whole.globalLoadBytes);
    EXPECT_EQ(split.globalStoreBytes, parts * 128 * 128 * 4);
    EXPECT_EQ(split.mmaFlops, whole.mmaFlops);
    EXPECT_EQ(split.sharedMemory, whole.sharedMemory);
    EXPECT_EQ(split.serialLoads, llvm::divideCeil(14, parts));
    SplitReductionFootprint combine =
        splitReductionFootprint(group.model(), *group.schedule);
    EXPECT_EQ(combine.loadBytes, split.globalStoreBytes);
    EXPECT_EQ(combine.storeBytes, 128 * 128 * 4);
  }
  EXPECT_EQ(splitReductionFootprint(group.model(), *group.schedule).storeBytes,
            whole.globalStoreBytes);
}

// What does not depend on the split axis is done by every part.
TEST(SplitReduction, FootprintOfAChain) {
  ScheduledGroup group(chainIR({64, 64, 192, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTile("k", 64);
  group.setTiling("mh(LA,n(LB,CC,LD,CE),SE)");
  Footprint whole = computeFootprint(group.model(), *group.schedule);
  splitAxis(group, "n", 3);
  Footprint split = computeFootprint(group.model(), *group.schedule);
  int64_t bytesOfA = 2 * 64 * 64 * 2; // for each of two tiles of h
  EXPECT_EQ(split.globalLoadBytes, whole.globalLoadBytes + 2 * bytesOfA);
  EXPECT_EQ(split.mmaFlops, whole.mmaFlops);
}

TEST(SplitReduction, CostHasTheCombiningLaunch) {
  const ChipInfo &chip = *lookupChip("sm_80");
  auto costOf = [&](ScheduledGroup &group) {
    return predictCost(group.model(), *group.schedule,
                       computeFootprint(group.model(), *group.schedule), chip);
  };
  // Few blocks and a long sum.
  ScheduledGroup tall(chainIR({128, 65536, 128}), kProductSchedule);
  ASSERT_TRUE(tall.schedule) << tall.reason;
  Cost whole = costOf(tall);
  EXPECT_EQ(whole.splitReduction, 0);
  splitAxis(tall, "k", 64);
  Cost split = costOf(tall);
  EXPECT_GT(split.splitReduction, chip.launchOverhead);
  EXPECT_LT(split.total, whole.total / 4);
  // Blocks for all SMs and a short one.
  ScheduledGroup wide(chainIR({2048, 64, 2048}), kProductSchedule);
  ASSERT_TRUE(wide.schedule) << wide.reason;
  whole = costOf(wide);
  splitAxis(wide, "k", 2);
  wide.setTiling("mn(LA,LB,CC,SC)");
  EXPECT_GT(costOf(wide).total, whole.total);
}

TEST(SplitReduction, LegalityFollowsTheRange) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ScheduledGroup group(chainIR({128, 448, 128}), kProductSchedule);
  ASSERT_TRUE(group.schedule) << group.reason;
  auto check = [&] {
    return checkSchedule(group.model(), *group.schedule, chip)
        .value_or("legal");
  };
  splitAxis(group, "k", 3);
  EXPECT_EQ(check(), "legal");
  for (int64_t parts : {14, 20}) {
    splitAxis(group, "k", parts);
    group.setTiling("mn(k(LA,LB,CC),SC)");
    EXPECT_EQ(check(),
              "loop 'k' has one iteration and must not be in the expression");
    group.setTiling("mn(LA,LB,CC,SC)");
    EXPECT_EQ(check(), "legal");
  }
  splitAxis(group, "m", 2);
  EXPECT_EQ(
      check(),
      "axis 'm' cannot be split: the last contraction does not reduce it");
}

TEST(SplitReduction, PartialGroupsAreWhatTheirSchedulesSplit) {
  ScheduledGroup group(chainIR({64, 448, 64}), kProductSchedule);
  ASSERT_TRUE(group.schedule) << group.reason;
  auto partial = [&](const char *axis, int64_t parts, int64_t length) {
    return fuse::PartialAttr::get(&group.context, axis, parts, length);
  };
  auto fits = [&](fuse::PartialAttr attr) {
    return !whyNotPartial(attr, group.model(), *group.schedule);
  };
  EXPECT_TRUE(fits({}));
  EXPECT_FALSE(fits(partial("k", 3, 160)));
  splitAxis(group, "k", 3);
  EXPECT_FALSE(fits({}));
  EXPECT_TRUE(fits(partial("k", 3, 160)));
  EXPECT_FALSE(fits(partial("m", 3, 160)));
  EXPECT_FALSE(fits(partial("k", 4, 160)));
  EXPECT_FALSE(fits(partial("k", 3, 128)));
}

} // namespace
