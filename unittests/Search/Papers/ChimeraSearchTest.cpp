//===- ChimeraSearchTest.cpp - Chimera's choice of an execution order -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/ChimeraSearch.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

constexpr int64_t kCapacity = 163 * 1024 / 2; ///< f16 in an A100's block

const ChipInfo &chip() { return *lookupChip("sm_80"); }

ChimeraOptimum search(const GroupModel &group, MovementReading reading,
                      PartialSums sums = PartialSums::Moved,
                      int64_t capacity = kCapacity) {
  std::string reason;
  auto found = searchChimera(group, chip(), capacity, reading, sums, reason);
  EXPECT_TRUE(found) << reason;
  return std::move(*found);
}

// The least DV of all orders is no more than that of the closed form's seed,
// which is of one order, and what it says is what the order moves and holds.
TEST(ChimeraSearch, IsNotWorseThanTheSeed) {
  for (const ChainShape &shape :
       {ChainShape{{1024, 512, 1024, 512}}, ChainShape{{512, 64, 512, 64}, 8},
        ChainShape{{208, 80, 208, 80}, 16}, ChainShape{{100, 72, 40, 24}}})
    for (MovementReading reading :
         {MovementReading::Printed, MovementReading::Observation2}) {
      GroupModel group = makeChainModel(shape);
      std::string reason;
      auto form = solveChimera(group, kCapacity, 16, 16, reason);
      ASSERT_TRUE(form) << reason;
      ChimeraOptimum found = search(group, reading);
      EXPECT_LE(found.volume, form->volume * form->bound(group));
      DataMovement policy = analyzeDataMovement(group, found.order, reading);
      EXPECT_EQ(found.volume, policy.volume(group, found.tiles, true));
      EXPECT_EQ(found.memoryUsage, policy.memoryUsage(group, found.tiles));
      EXPECT_LE(found.memoryUsage, kCapacity);
      EXPECT_GT(found.orders, 1u);
    }
}

// The printed algorithm does not see that a producer is recomputed, so what
// it finds is less than what really moves.
TEST(ChimeraSearch, PrintedReadingUnderestimates) {
  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  ChimeraOptimum printed = search(group, MovementReading::Printed);
  ChimeraOptimum real = search(group, MovementReading::Observation2);
  EXPECT_LT(printed.volume, real.volume);
  DataMovement policy =
      analyzeDataMovement(group, printed.order, MovementReading::Observation2);
  EXPECT_GE(policy.volume(group, printed.tiles, true), real.volume);
}

// With memory for everything each tensor moves once.
TEST(ChimeraSearch, CompulsoryMovementIsReached) {
  GroupModel group = makeChainModel({{128, 64, 96, 32}});
  ChimeraOptimum found = search(group, MovementReading::Observation2);
  EXPECT_EQ(found.volume, 128 * 64 + 64 * 96 + 96 * 32 + 128 * 32);
}

// No order or tile of those left out is better.
TEST(ChimeraSearch, IsTheLeastOfAllOrdersAndTiles) {
  GroupModel group = makeChainModel({{80, 48, 112, 64}});
  for (PartialSums sums : {PartialSums::Moved, PartialSums::Kept}) {
    constexpr int64_t capacity = 4000;
    ChimeraOptimum found =
        search(group, MovementReading::Observation2, sums, capacity);
    llvm::SmallVector<unsigned> order = {0, 1, 2, 3};
    int64_t least = std::numeric_limits<int64_t>::max();
    do {
      DataMovement policy = analyzeDataMovement(
          group, order, MovementReading::Observation2, sums);
      llvm::SmallVector<int64_t> t(4);
      auto most = [&](unsigned axis) { return group.axes[axis].extent; };
      for (t[0] = 16; t[0] <= most(0); t[0] += 16)
        for (t[1] = 16; t[1] <= most(1); t[1] += 16)
          for (t[2] = 16; t[2] <= most(2); t[2] += 16)
            for (t[3] = 16; t[3] <= most(3); t[3] += 16)
              if (policy.memoryUsage(group, t) <= capacity)
                least = std::min(least, policy.volume(group, t, true));
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(found.volume, least);
  }
}

TEST(ChimeraSearch, SaysWhyThereIsNone) {
  std::string reason;
  EXPECT_FALSE(searchChimera(makeChainModel({{64, 64, 64, 64}}), chip(), 100,
                             MovementReading::Printed, PartialSums::Moved,
                             reason));
  EXPECT_EQ(reason, "no tiles fit into 100 elements");
  EXPECT_FALSE(searchChimera(
      makeChainModel({llvm::SmallVector<int64_t, 6>(8, 16)}), chip(), 100,
      MovementReading::Printed, PartialSums::Moved, reason));
  EXPECT_EQ(reason, "more than 7 axes to permute");
  GroupModel unknown = makeChainModel({{64, 64, 64, 64}});
  unknown.contractions[0].type.reset();
  EXPECT_FALSE(searchChimera(unknown, chip(), 1 << 16, MovementReading::Printed,
                             PartialSums::Moved, reason));
  EXPECT_EQ(reason,
            "no intrinsic of sm_80 multiplies the operands of contraction 'C'");
}

// A convolution sums over the places of its filter beside its channels: an
// intrinsic takes the channels, the places are walked one by one.
TEST(ChimeraSearch, ReducedAxesThatNoIntrinsicTakesAreNotTiled) {
  GroupModel group = makeChainModel({{1024, 64, 64, 64}});
  unsigned place = group.axes.size();
  group.axes.push_back({"k1", 9, false});
  group.contractions[0].axes.push_back(place);
  group.contractions[0].reduction.push_back(place);
  for (const char *operand : {"A", "B"}) {
    auto &axes = group.tensors[*group.findTensor(operand)].axes;
    axes.insert(axes.begin(), place);
  }
  ChimeraOptimum found = search(group, MovementReading::Observation2);
  EXPECT_EQ(found.tiles[place], 1);
  EXPECT_EQ(found.order.front(), place);
}

// Where searches start: the closed form's tiles as far as the lists go.
TEST(ChimeraSearch, ClosedFormTilesAreOfTheLists) {
  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  llvm::SmallVector<llvm::SmallVector<int64_t>> lists(group.axes.size(),
                                                      {16, 32, 64, 128, 256});
  auto lookUp = [&](unsigned axis) { return llvm::ArrayRef(lists[axis]); };
  auto tiles = closedFormTiles(group, chip(), lookUp);
  ASSERT_TRUE(tiles);
  std::string reason;
  auto form =
      solveChimera(group, chip().sharedMemoryPerBlock / 2, 16, 16, reason);
  ASSERT_TRUE(form) << reason;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    EXPECT_LE((*tiles)[axis], form->seed[axis]);
    EXPECT_GT(2 * (*tiles)[axis], form->seed[axis]);
    EXPECT_TRUE(llvm::is_contained(lists[axis], (*tiles)[axis]));
  }
  // All are larger.
  lists[0] = {512};
  EXPECT_EQ((*closedFormTiles(group, chip(), lookUp))[0], 512);
  EXPECT_FALSE(closedFormTiles(makeChainModel({{64, 64, 64}}), chip(), lookUp));
}

} // namespace
