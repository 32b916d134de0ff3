//===- DramTrafficTest.cpp - Predicted and counted DRAM traffic -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator's L2 sees blocks one after the other, so the model is asked for
// one resident block. It is exact for a cache that drops what was not used for
// longest; the emulator's has sets of 16 lines and loses some lines early where
// a working set nearly fills it.
//
//===----------------------------------------------------------------------===//

#include "CompiledGroup.h"
#include "fusion/Analysis/Cost/DramModel.h"

using namespace fusion;
using namespace fusion::test;

namespace {

struct Traffic {
  double predicted, counted;
};

Traffic trafficOf(ScheduledGroup &group, uint64_t l2Bytes) {
  DramTraffic dram = predictDram(group.model(), *group.schedule, 1, l2Bytes);
  std::vector<LaunchReport> launches = emulate(group, l2Bytes);
  if (launches.size() != 1 || !launches[0].counters) {
    ADD_FAILURE() << launches.size() << " launches";
    return {};
  }
  return {dram.loadBytes + dram.storeBytes,
          static_cast<double>(launches[0].counters->dramBytes)};
}

/// M = 320, K = 192, N = 576: 5 x 9 tiles. A block touches 24 KiB of A, as much
/// of B, and 16 KiB of C; a row of R blocks 24 + 40 R KiB.
Traffic productTraffic(int64_t blockSwizzle, int64_t kibibytes) {
  ScheduledGroup group(chainIR({320, 192, 576}), kProductSchedule);
  if (!group.schedule)
    return {};
  group.schedule->blockSwizzle = blockSwizzle;
  return trafficOf(group, kibibytes * 1024);
}

// A factor of 1.7 and more from every working set.
TEST(DramTraffic, ProductsAwayFromWorkingSets) {
  std::pair<int64_t, int64_t> cases[] = {
      {1, 38},  {1, 125}, {1, 200}, {1, 700}, {1, 1800},
      {2, 38},  {2, 700}, {3, 38},  {3, 245}, {3, 1800},
      {5, 125}, {8, 38},  {8, 125}, {8, 200}, {8, 1800}};
  for (auto [blockSwizzle, kibibytes] : cases) {
    Traffic traffic = productTraffic(blockSwizzle, kibibytes);
    EXPECT_NEAR(traffic.counted / traffic.predicted, 1, 0.02)
        << "block_swizzle " << blockSwizzle << ", " << kibibytes << " KiB";
  }
}

// Everywhere else, too, though with more of a difference.
TEST(DramTraffic, ProductsByRasterAndCapacity) {
  for (int64_t blockSwizzle : {1, 2, 3, 4, 5, 8})
    for (int64_t kibibytes : {84, 125, 170, 245, 310, 500, 1000}) {
      Traffic traffic = productTraffic(blockSwizzle, kibibytes);
      EXPECT_NEAR(traffic.counted / traffic.predicted, 1, 0.25)
          << "block_swizzle " << blockSwizzle << ", " << kibibytes << " KiB";
    }
}

// Row by row, B does not stay in L2 until the row below; in columns of three,
// it does, and A is fetched for each of the three columns. Raster saves a
// third.
TEST(DramTraffic, RasterSavesWhatTheModelSays) {
  Traffic rows = productTraffic(1, 245), columns = productTraffic(3, 245);
  EXPECT_DOUBLE_EQ(rows.predicted, 1024 * (5 * 24 + 5 * 9 * 24 + 5 * 9 * 16));
  EXPECT_DOUBLE_EQ(columns.predicted,
                   1024 * (3 * 5 * 24 + 9 * 24 + 5 * 9 * 16));
  EXPECT_EQ(rows.counted, rows.predicted);
  // Addresses are mixed into sets: a few lines find theirs full.
  EXPECT_NEAR(columns.counted / columns.predicted, 1, 0.005);
}

// A is loaded again in each iteration of n. M = 192, K = 96, N = 320, H = 192:
// A of a block has 12 KiB, a tile of B as much; a block touches 12 + 60 + 40
// KiB, and stores 16.
TEST(DramTraffic, LoopsInsideOfABlock) {
  for (int64_t kibibytes : {12, 64, 400, 1500}) {
    ScheduledGroup group(chainIR({192, 96, 320, 192}), kNestSchedule);
    ASSERT_TRUE(group.schedule) << group.reason;
    Traffic traffic = trafficOf(group, kibibytes * 1024);
    EXPECT_NEAR(traffic.counted / traffic.predicted, 1, 0.02) << kibibytes;
  }
}

} // namespace
