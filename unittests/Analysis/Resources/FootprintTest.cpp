//===- FootprintTest.cpp - What a schedule moves --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/Footprint.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"

using namespace fusion;
using namespace fusion::test;

namespace {

// M = N = K = H = 64 in tiles of 32: a grid of 2 x 2, n and k of two
// iterations.
TEST(Footprint, ByHand) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  Footprint footprint = computeFootprint(group.model(), *group.schedule);
  EXPECT_EQ(footprint.blocks, 4);
  // A (m, k) once for each h and n, B (k, n) for each m and h, D (n, h) for
  // each m.
  int64_t once = 64 * 64 * 2;
  EXPECT_EQ(footprint.globalLoadBytes,
            once * (2 * 2) + once * (2 * 2) + once * 2);
  EXPECT_EQ(footprint.globalStoreBytes, 64 * 64 * 4);
  EXPECT_EQ(footprint.compulsoryBytes, 3 * once + 64 * 64 * 4);
  // C is computed for each h, E once.
  EXPECT_EQ(footprint.mmaFlops, 2 * 64 * 64 * 64 * (2 + 1));
  // Three tiles of 32 x 32 f16; the staged result takes the place of two.
  EXPECT_EQ(footprint.sharedMemory, 3 * 32 * 32 * 2);
}

TEST(Footprint, ResultIsStagedWhereOperandsWere) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTile("h", 64);
  group.setTiling("m(n(k(LA,LB,CC),LD,CE),SE)");
  group.setBlocks({"m"});
  // E is 32 x 64 x 4 bytes, the operands 2048 + 2048 + 4096.
  EXPECT_EQ(computeFootprint(group.model(), *group.schedule).sharedMemory,
            8192);
  group.setTile("h", 64);
  group.setTile("m", 64);
  group.setTiling("n(k(LA,LB,CC),LD,CE),SE");
  group.setBlocks({});
  // E is 64 x 64 x 4 bytes, more than 4096 + 2048 + 4096.
  EXPECT_EQ(computeFootprint(group.model(), *group.schedule).sharedMemory,
            16384);
}

TEST(Footprint, SharedIntermediateLivesBesideTheOperands) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  int64_t before =
      computeFootprint(group.model(), *group.schedule).sharedMemory;
  group.place("C").space = fuse::Space::Shared;
  EXPECT_EQ(computeFootprint(group.model(), *group.schedule).sharedMemory,
            before + 32 * 32 * 2);
}

// M = 100, K = 40, N = 72, H = 24 in tiles of 32: bytes are those inside, flops
// include the padding.
TEST(Footprint, ClippedAtTheBorders) {
  ScheduledGroup group(chainIR({100, 40, 72, 24}));
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTiling("m(n(k(LA,LB,CC),LD,CE),SE)");
  group.setBlocks({"m"});
  Footprint footprint = computeFootprint(group.model(), *group.schedule);
  EXPECT_EQ(footprint.blocks, 4);
  EXPECT_EQ(footprint.globalLoadBytes,
            2 * (100 * 40 * 3 + 40 * 72 * 4 + 72 * 24 * 4));
  EXPECT_EQ(footprint.globalStoreBytes, 100 * 24 * 4);
  EXPECT_EQ(footprint.mmaFlops,
            2 * 32 * 32 * 32 * (4 * 3 * 2) + 2 * 32 * 32 * 32 * (4 * 3));
}

TEST(Footprint, HoistedLoadsMoveLess) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTile("k", 64);
  group.setTiling("mh(n(LA,LB,CC,LD,CE),SE)");
  int64_t inside =
      computeFootprint(group.model(), *group.schedule).globalLoadBytes;
  group.setTiling("mh(LA,n(LB,CC,LD,CE),SE)");
  int64_t hoisted =
      computeFootprint(group.model(), *group.schedule).globalLoadBytes;
  // A is then read once for each h instead of for each h and n.
  EXPECT_EQ(inside - hoisted, 64 * 64 * 2 * 2);
}

// Tiles of 32 x 32: a retained tile takes a slot for each of the two
// iterations.
TEST(Footprint, RetainedTiles) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  auto of = [&](llvm::StringRef tiling) {
    group.setTiling(tiling);
    return computeFootprint(group.model(), *group.schedule);
  };
  constexpr int64_t tile = 32 * 32 * 2, matrix = 64 * 64 * 2;
  // A, B and D in one tile each; a warp has 16 of the 32 rows, a thread of
  // 16 x 32 accumulators 16.
  Footprint one = of("mh(n(k(LA,LB,CC),LD,CE),SE)");
  EXPECT_EQ(one.sharedMemory, 3 * tile);
  Footprint resident = of("mh(k(LA),n(k(LB,CC),LD,CE),SE)");
  EXPECT_EQ(resident.sharedMemory, 4 * tile);
  // A is read once for each h instead of for each h and n.
  EXPECT_EQ(one.globalLoadBytes - resident.globalLoadBytes, 2 * matrix);
  EXPECT_EQ(resident.registers, one.registers);
  // When C is computed there is no E yet, but another C. Where a loop is
  // unrolled, the fragments of the next tile's two steps are there already.
  constexpr int64_t fragments = 2 * (4 + 4 * 2);
  EXPECT_EQ(of("mh(k(LA,n(LB,CC)),n(LD,CE),SE)").registers,
            one.registers + fragments);

  group.setBlocks({"m"});
  Footprint again = of("m(h(n(k(LA,LB,CC),LD,CE),SE))");
  Footprint retained = of("m(n(k(LA,LB,CC)),h(n(LD,CE),SE))");
  EXPECT_EQ(again.mmaFlops - retained.mmaFlops, 2 * 64 * 64 * 64);
  // Two tiles of C of which a thread holds 8 registers each, beside E.
  EXPECT_EQ(retained.registers - again.registers, fragments);
  group.place("C").space = fuse::Space::Shared;
  Footprint inMemory = of("m(n(k(LA,LB,CC)),h(n(LD,CE),SE))");
  EXPECT_EQ(inMemory.sharedMemory, (3 + 2) * tile + 32 * 32 * 4);
  EXPECT_EQ(retained.registers - inMemory.registers, 2 * 8 + fragments);
  // Stores at the end take the place of everything else.
  group.place("C").space = fuse::Space::Registers;
  Footprint flat = of("m(n(k(LA,LB,CC),h(LD,CE)),h(SE))");
  EXPECT_EQ(flat.sharedMemory, 3 * tile);
  // The most is at E: two accumulators of it and one value of C instead of an
  // accumulator of each.
  EXPECT_EQ(flat.registers - one.registers, 8 + fragments);
}

TEST(Footprint, MemoryTileFollowsTheTensorsDimensions) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  const GroupTensor &b = group.model().tensors[group.tensor("B")];
  MemoryTile tile = getMemoryTile(b, group.axis("n"), group.axis("k"));
  EXPECT_EQ(tile.rowAxis, group.axis("k"));
  EXPECT_EQ(tile.columnAxis, group.axis("n"));
  EXPECT_TRUE(tile.isDense);
}

} // namespace
