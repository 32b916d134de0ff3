//===- IntrinsicsTest.cpp - What intrinsics can do ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Layouts/FragmentLayouts.h"

#include "gtest/gtest.h"

using namespace fusion;

namespace {

using D = LayoutDim;

// What an intrinsic divides, its fragments tile: each warp has whole ones, and
// all warps have them all.
TEST(Intrinsics, TilesAreDividedIntoFragments) {
  for (const Intrinsic &intrinsic : allIntrinsics()) {
    if (intrinsic.isMicroKernel()) // has no fragments
      continue;
    SCOPED_TRACE(intrinsic.name.str());
    int64_t divided = 0;
    for (int64_t rowWarps : {1, 2, 3, 4, 8, 12})
      for (int64_t columnWarps : {1, 2})
        for (int64_t m : {8, 16, 24, 48, 64, 128, 192})
          for (int64_t n : {8, 16, 24, 48}) {
            int64_t k = 2 * intrinsic.r1;
            int64_t warps[] = {rowWarps, columnWarps};
            bool isWhole = rowWarps % intrinsic.warps == 0 &&
                           m % rowWarps == 0 && n % columnWarps == 0 &&
                           m / rowWarps % intrinsic.i1 == 0 &&
                           n / columnWarps % intrinsic.i2 == 0;
            ASSERT_EQ(intrinsic.divides(m, n, k, warps), isWhole)
                << m << " x " << n << " over " << rowWarps << " x "
                << columnWarps;
            EXPECT_FALSE(intrinsic.divides(m, n, k + 1, warps));
            if (!isWhole)
              continue;
            ++divided;
            LinearLayout sum = accumulatorTile(intrinsic, m, n, warps);
            EXPECT_EQ(sum.outSize(D::Dim0), m);
            EXPECT_EQ(sum.outSize(D::Dim1), n);
            EXPECT_EQ(sum.inSize(D::Warp), rowWarps * columnWarps);
            EXPECT_TRUE(sum.isBijective());
          }
    EXPECT_GT(divided, 0);
  }
}

// Every intrinsic has a place for each of its tiles, and holds an accumulator
// in registers; replicas are a matter of operands there.
TEST(Intrinsics, TilesHaveAPlace) {
  for (const Intrinsic &intrinsic : allIntrinsics()) {
    SCOPED_TRACE(intrinsic.name.str());
    EXPECT_TRUE(intrinsic.lhs.registers || intrinsic.lhs.shared);
    EXPECT_TRUE(intrinsic.rhs.registers || intrinsic.rhs.shared);
    EXPECT_TRUE(intrinsic.accumulator.registers);
    EXPECT_FALSE(intrinsic.accumulator.shared);
    if (intrinsic.isMicroKernel()) // has no lanes of warps
      continue;
    EXPECT_EQ(intrinsic.replicatesOperands(), intrinsic.isScalar());
    EXPECT_EQ(accumulatorFragment(intrinsic).inSize(D::Register) /
                  (intrinsic.i1 / 8),
              intrinsic.i2 / 4);
    EXPECT_EQ(accumulatorFragment(intrinsic).contiguousRegisters(D::Dim1) %
                  intrinsic.accumulatorColumns,
              0);
  }
}

// wgmma is asynchronous, of a warpgroup, and reads shared memory; the chip
// says whether it is there.
TEST(Intrinsics, Warpgroups) {
  const Intrinsic &wgmma = *lookupIntrinsic("wgmma.m64k16"),
                  &mma = *lookupIntrinsic("mma.m16n8k16"),
                  &fma = *lookupIntrinsic("fma.m8n16k4");
  EXPECT_TRUE(wgmma.isAsync && wgmma.isOfWarpgroup() && wgmma.readsShared());
  EXPECT_TRUE(wgmma.lhs.registers);
  EXPECT_FALSE(wgmma.rhs.registers);
  for (const Intrinsic *other : {&mma, &fma})
    EXPECT_FALSE(other->isAsync || other->isOfWarpgroup() ||
                 other->readsShared());
  const ChipInfo &hopper = *lookupChip("sm_90a");
  EXPECT_TRUE(wgmma.availableOn(hopper));
  ChipInfo without = hopper;
  without.hasWgmma = false;
  EXPECT_FALSE(wgmma.availableOn(without));
  EXPECT_TRUE(mma.availableOn(without));
  EXPECT_FALSE(wgmma.availableOn(*lookupChip("sm_80")));
  EXPECT_GT(wgmma.launchRegisters(64, true), wgmma.launchRegisters(64, false));
  EXPECT_EQ(mma.launchRegisters(64, true), 0);
}

} // namespace
