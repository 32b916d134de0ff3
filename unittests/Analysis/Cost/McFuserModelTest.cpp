//===- McFuserModelTest.cpp - MCFuser's time and memory models ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/McFuserModel.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

class McFuser : public ::testing::Test {
protected:
  McFuser() : chip(*lookupChip("sm_80")) {
    chip.dramBytesPerSecond = 1e12;
    chip.tensorFlops.f16 = 1e14;
    chip.numSMs = 100;
  }
  unsigned axis(const char *name) { return *group.findAxis(name); }
  TilingTree place(llvm::StringRef expression,
                   llvm::ArrayRef<unsigned> blocks) {
    auto loops = parseLoops(expression, group, [](const llvm::Twine &) {});
    return placeStatements(group, *loops, tiles, blocks);
  }
  void setTiles(int64_t m, int64_t n, int64_t k, int64_t h) {
    tiles.assign(4, 0);
    tiles[axis("m")] = m, tiles[axis("n")] = n, tiles[axis("k")] = k,
    tiles[axis("h")] = h;
  }
  int64_t retained(llvm::StringRef expression, llvm::ArrayRef<unsigned> blocks,
                   FootprintUnit unit = FootprintUnit::Elements) {
    std::string reason;
    auto model = McFuserModel::create(group, place(expression, blocks), blocks,
                                      chip, reason);
    return model->sharedMemory(tiles, unit);
  }

  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  ChipInfo chip;
  llvm::SmallVector<int64_t> tiles;
};

// Equations 2 to 5 by hand: 8 tiles of m, 16 of n, 4 of k, 2 of h.
TEST_F(McFuser, EquationsTwoToFive) {
  setTiles(128, 64, 128, 256);
  llvm::SmallVector<unsigned> blocks = {axis("m"), axis("h")};
  std::string reason;
  auto cost =
      predictMcFuser(group, place("mhnk", blocks), tiles, blocks, chip, reason);
  ASSERT_TRUE(cost) << reason;
  double steps = 8 * 2 * 16;
  double bytes = 2 * (128. * 128 * steps * 4 + 128. * 64 * steps * 4 +
                      64. * 256 * steps + 128. * 256 * 8 * 2);
  double flops = 2 * (128. * 64 * 128 * steps * 4 + 128. * 64 * 256 * steps);
  EXPECT_DOUBLE_EQ(cost->memory, bytes / 1e12);
  EXPECT_DOUBLE_EQ(cost->compute, flops / 1e14);
  EXPECT_DOUBLE_EQ(cost->slowdown, (16. + 100) / 16);
  EXPECT_DOUBLE_EQ(cost->total,
                   (bytes / 1e12 + flops / 1e14) * (16. + 100) / 16);
}

// With k in one tile A is loaded once for each block.
TEST_F(McFuser, DeadLoopsSaveLoads) {
  setTiles(128, 64, 512, 256);
  llvm::SmallVector<unsigned> blocks = {axis("m"), axis("h")};
  std::string reason;
  auto loops = parseLoops("mhnk", group, [](const llvm::Twine &) {});
  auto with =
      predictMcFuser(group, placeStatements(group, *loops, tiles, blocks),
                     tiles, blocks, chip, reason);
  auto without = predictMcFuser(
      group, placeStatements(group, *loops, tiles, blocks, false), tiles,
      blocks, chip, reason);
  ASSERT_TRUE(with && without) << reason;
  EXPECT_DOUBLE_EQ(without->memory - with->memory,
                   2 * 128. * 512 * 16 * (16 - 1) / 1e12);
  EXPECT_DOUBLE_EQ(without->compute, with->compute);
}

TEST_F(McFuser, EquationOne) {
  setTiles(128, 64, 32, 256);
  int64_t elements = 128 * 32 + 32 * 64 + 128 * 64 + 64 * 256 + 128 * 256;
  EXPECT_EQ(sumOfTiles(group, tiles, FootprintUnit::Elements), elements);
  EXPECT_EQ(sumOfTiles(group, tiles, FootprintUnit::Bytes), 2 * elements);
}

TEST_F(McFuser, CarriedValuesKeepTheirTiles) {
  setTiles(128, 64, 32, 256);
  int64_t sum = sumOfTiles(group, tiles, FootprintUnit::Elements);
  unsigned m = axis("m"), h = axis("h");
  EXPECT_EQ(retained("mhnk", {m, h}), sum);
  EXPECT_EQ(retained("mhkn", {m, h}), sum + 15 * 128 * 64); // all of C
  EXPECT_EQ(retained("mnhk", {m}), sum + 1 * 128 * 256);    // all of E
  EXPECT_EQ(retained("mn(k,h)", {m}), sum + 1 * 128 * 256);
}

// In bytes one tile has the tensor's type, several are sums in f32.
TEST_F(McFuser, CarriedSumsAreWide) {
  setTiles(128, 64, 32, 256);
  int64_t sum = sumOfTiles(group, tiles, FootprintUnit::Bytes);
  unsigned m = axis("m"), h = axis("h");
  EXPECT_EQ(retained("mhnk", {m, h}, FootprintUnit::Bytes), sum);
  EXPECT_EQ(retained("mhkn", {m, h}, FootprintUnit::Bytes),
            sum - 2 * 128 * 64 + 4 * 128 * 64 * 16);
}

TEST_F(McFuser, SaysWhyThereIsNoPrediction) {
  setTiles(128, 64, 32, 256);
  std::string reason;
  chip.tensorFlops.f16 = 0;
  EXPECT_FALSE(
      predictMcFuser(group, place("mhnk", {}), tiles, {}, chip, reason));
  EXPECT_EQ(reason, "sm_80 has no tensor core rate for contraction 'C'");
}

} // namespace
