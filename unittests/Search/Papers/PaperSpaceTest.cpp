//===- PaperSpaceTest.cpp - MCFuser's and Chimera's search spaces ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/PaperSpace.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "gtest/gtest.h"
#include <set>

using namespace fusion;

namespace {

/// The example of MCFuser's figure 7: M = N = 1024, K = H = 512.
GroupModel example() { return makeChainModel({{1024, 512, 1024, 512}}); }

PaperSpace makeSpace(const GroupModel &group,
                     const PaperSpaceOptions &options = {},
                     const char *chip = "sm_80") {
  std::string reason;
  auto space = PaperSpace::create(group, *lookupChip(chip), options, reason);
  EXPECT_TRUE(space) << reason;
  return std::move(*space);
}

using Expressions = std::array<uint64_t, 3>;
using Candidates = std::array<WideCount, 5>;

// MCFuser section III-C and figure 7, for the 163 KiB of an A100.
TEST(PaperSpace, CountsOfTheExample) {
  GroupModel group = example();
  PaperSpaceOptions options;
  PaperSpaceCounts counts = makeSpace(group, options).count();
  EXPECT_EQ(counts.expressions, (Expressions{26, 5, 3}));
  EXPECT_EQ(counts.candidates,
            (Candidates{109051904, 20971520, 12582912, 5292, 2253}));
  // In elements, it is the 40 % that the paper speaks of.
  options.unit = FootprintUnit::Elements;
  EXPECT_EQ(makeSpace(group, options).count().candidates[4], 3195u);
}

TEST(PaperSpace, EveryRuleCanBeSwitchedOff) {
  GroupModel group = example();
  auto counts = [&](bool rule1, bool rule2, bool rule3, bool rule4) {
    PaperSpaceOptions options;
    options.deduplicate = rule1;
    options.completeIntermediates = rule2;
    options.padding = rule3 ? PaddingRule::Printed : PaddingRule::None;
    options.limitSharedMemory = rule4;
    return makeSpace(group, options).count().candidates;
  };
  EXPECT_EQ(
      counts(false, false, false, false),
      (Candidates{109051904, 109051904, 109051904, 109051904, 109051904}));
  // Rule 2 drops those of the 26 that are of the classes kn and khn.
  EXPECT_EQ(
      counts(false, true, true, true),
      (Candidates{109051904, 109051904, 14 * 4194304, 14 * 1764, 14 * 751}));
  EXPECT_EQ(counts(true, false, true, true),
            (Candidates{109051904, 20971520, 20971520, 5 * 1764, 5 * 751}));
  EXPECT_EQ(counts(true, true, true, false),
            (Candidates{109051904, 20971520, 12582912, 5292, 5292}));
  Candidates unpadded = counts(true, true, false, true);
  EXPECT_EQ(unpadded[3], unpadded[2]);
  EXPECT_LT(unpadded[4], unpadded[3]);
  EXPECT_GT(unpadded[4], 2253u);
}

TEST(PaperSpace, ChimeraHasDeepExpressionsOnly) {
  PaperSpaceOptions options;
  options.flat = false;
  GroupModel group = example();
  PaperSpaceCounts counts = makeSpace(group, options).count();
  EXPECT_EQ(counts.expressions, (Expressions{24, 4, 2}));
  EXPECT_EQ(counts.candidates[0], 24u * 4194304);
}

// What is counted without visiting is what a visit meets.
TEST(PaperSpace, CountsAreThoseOfTheVisit) {
  for (llvm::SmallVector<int64_t, 6> sizes :
       {llvm::SmallVector<int64_t, 6>{208, 64, 208, 64},
        {1024, 512, 1024, 512},
        {100, 72, 40, 24},
        {96, 64, 48, 80, 32}})
    for (PaddingRule padding :
         {PaddingRule::None, PaddingRule::Printed, PaddingRule::LeastOfTrips}) {
      GroupModel group = makeChainModel({sizes});
      PaperSpaceOptions options;
      options.padding = padding;
      ChipInfo chip = *lookupChip("sm_80");
      chip.sharedMemoryPerBlock = 20000;
      std::string reason;
      auto space = PaperSpace::create(group, chip, options, reason);
      ASSERT_TRUE(space) << reason;
      uint64_t visited = 0;
      space->forEachTiles([&](llvm::ArrayRef<int64_t> tiles) {
        ++visited;
        EXPECT_LE(sumOfTiles(group, tiles, FootprintUnit::Bytes), 24000);
      });
      EXPECT_GT(visited, 0u);
      EXPECT_EQ(space->count().candidates[4],
                visited * space->expressions().size());
    }
}

// Six products of 4096: more than 64 bits hold.
TEST(PaperSpace, CountsBeyondWordsAreExact) {
  GroupModel group = makeChainModel({llvm::SmallVector<int64_t, 6>(8, 4096)});
  PaperSpaceCounts counts = makeSpace(group).count();
  EXPECT_TRUE(counts.isExact);
  // 256 tiles of each of eight axes.
  EXPECT_TRUE(counts.candidates[0] == WideCount(counts.expressions[0]) << 64);
  EXPECT_EQ(toText(WideCount(1) << 64), "18446744073709551616");
  EXPECT_EQ(toText(0), "0");
}

TEST(PaperSpace, LongChainsAreListedAfterBinding) {
  for (unsigned contractions : {4, 6}) {
    GroupModel group =
        makeChainModel({llvm::SmallVector<int64_t, 6>(contractions + 2, 64)});
    PaperSpaceCounts counts = makeSpace(group).count();
    EXPECT_TRUE(counts.isExact);
    for (unsigned rule : {1, 2})
      EXPECT_GT(counts.expressions[rule - 1], counts.expressions[rule]);
    for (unsigned rule : {1, 2, 3, 4})
      EXPECT_TRUE(counts.candidates[rule - 1] >= counts.candidates[rule]);
    EXPECT_TRUE(counts.candidates[4] > 0);
  }
  GroupModel group = makeChainModel({llvm::SmallVector<int64_t, 6>(6, 64)});
  PaperSpaceOptions options;
  options.deduplicate = false;
  std::string reason;
  EXPECT_FALSE(
      PaperSpace::create(group, *lookupChip("sm_80"), options, reason));
  EXPECT_EQ(reason, "above 5 axes expressions are listed after rule 1 only");
}

TEST(PaperSpace, SaysWhyThereIsNone) {
  std::string reason;
  const ChipInfo &chip = *lookupChip("sm_80");
  GroupModel group = example();
  PaperSpaceOptions options;
  options.expressionLimit = 10;
  EXPECT_FALSE(PaperSpace::create(group, chip, options, reason));
  EXPECT_EQ(reason, "more than 10 tiling expressions");
  group.contractions[1].type = MultiplicandType::FP8;
  EXPECT_FALSE(PaperSpace::create(group, chip, {}, reason));
  EXPECT_EQ(reason, "sm_80 has no tensor core rate for contraction 'E'");
  group.axes[0].extent = 0;
  EXPECT_FALSE(PaperSpace::create(group, chip, {}, reason));
  EXPECT_EQ(reason, "axis 'm' is empty");
}

TEST(PaperSpace, RuleThree) {
  auto printed = [](int64_t extent) {
    return applyPaddingRule(listTileSizes(extent), extent,
                            PaddingRule::Printed);
  };
  using Tiles = llvm::SmallVector<int64_t>;
  EXPECT_EQ(printed(128), (Tiles{16, 32, 64, 128}));
  Tiles retained = printed(1000);
  EXPECT_TRUE(llvm::is_contained(retained, 112));  // 1008
  EXPECT_FALSE(llvm::is_contained(retained, 176)); // 1056
  // 5 % is too much: 9·112 = 960·1.05.
  retained = printed(960);
  EXPECT_TRUE(llvm::is_contained(retained, 192));
  EXPECT_FALSE(llvm::is_contained(retained, 112));
  // No tile pads 100 by less than 12 %: the least padded ones stay.
  EXPECT_EQ(printed(100), (Tiles{16, 112}));
  EXPECT_EQ(printed(208), (Tiles{16, 208}));
  // A power of two below the unit.
  EXPECT_EQ(printed(8), (Tiles{16}));
}

TEST(PaperSpace, RuleThreeByTripCounts) {
  auto tiles = [](int64_t extent) {
    return applyPaddingRule(listTileSizes(extent), extent,
                            PaddingRule::LeastOfTrips);
  };
  using Tiles = llvm::SmallVector<int64_t>;
  EXPECT_EQ(tiles(128), (Tiles{16, 32, 48, 64, 128})); // 8, 4, 3, 2, 1 trips
  EXPECT_EQ(tiles(208), (Tiles{16, 32, 48, 64, 80, 112, 208}));
  EXPECT_EQ(tiles(100), (Tiles{16, 32, 48, 64, 112}));
}

// The cost of a candidate is that of its tree, whatever was asked before.
TEST(PaperSpace, EstimatesAreThoseOfTheTree) {
  GroupModel group = makeChainModel({{512, 64, 256, 96}, 4});
  for (bool removesDeadLoops : {false, true}) {
    PaperSpaceOptions options;
    options.completeIntermediates = false;
    options.removeDeadLoops = removesDeadLoops;
    PaperSpace space = makeSpace(group, options);
    Random numbers(7);
    std::string reason;
    for (int i = 0; i < 200; ++i) {
      PaperCandidate candidate = space.random(numbers);
      auto cost =
          predictMcFuser(group, space.tree(candidate), space.tilesOf(candidate),
                         space.expressions()[candidate.expression].blocks,
                         *lookupChip("sm_80"), reason);
      ASSERT_TRUE(cost) << reason;
      EXPECT_EQ(space.estimate(candidate), cost->total);
    }
  }
}

TEST(PaperSpace, RandomCandidatesAndMutantsAreOfTheSpace) {
  GroupModel group = example();
  PaperSpace space = makeSpace(group);
  Random numbers(1);
  std::set<unsigned> expressions;
  for (int i = 0; i < 500; ++i) {
    PaperCandidate candidate = space.random(numbers);
    PaperCandidate mutant = space.mutate(candidate, numbers);
    expressions.insert(space.mutateAll(candidate, numbers).expression);
    int changes = candidate.expression != mutant.expression ? 2 : 0;
    for (const PaperCandidate &each : {candidate, mutant}) {
      EXPECT_LT(each.expression, 3u);
      EXPECT_TRUE(space.admits(space.tilesOf(each)));
      for (unsigned axis = 0; axis < 4; ++axis)
        EXPECT_TRUE(
            llvm::is_contained(space.tileChoices(axis), each.tiles[axis]));
    }
    for (unsigned axis = 0; axis < 4; ++axis)
      changes += candidate.tiles[axis] != mutant.tiles[axis];
    EXPECT_LE(changes, 1);
  }
  EXPECT_EQ(expressions.size(), 3u);
}

// Under equations 2 to 5 the size of n's tile is for free once k is in one
// tile: A is then loaded once for each block, and the trips of n times its tile
// are N in the bytes of B and D and in the flops of both products. So T_n
// shrinks to the least one, and the shared memory goes to T_m and T_h, which
// cut traffic. That a tile of 16 columns keeps a tensor core busy badly, that
// each step of n costs latency and barriers, is not in the model; ours must
// have it.
TEST(PaperSpace, McFusersModelTakesTheLeastTileOfN) {
  GroupModel group = example();
  PaperSpace space = makeSpace(group);
  auto best = space.searchExhaustively();
  ASSERT_TRUE(best);
  EXPECT_EQ(best->visited, 2253u);
  unsigned n = *group.findAxis("n"), k = *group.findAxis("k");
  EXPECT_EQ(best->candidate.tiles[n], 16);
  EXPECT_EQ(best->candidate.tiles[k], 512);
  // The time does not depend on T_n.
  PaperCandidate other = best->candidate;
  other.tiles[n] = 32;
  EXPECT_DOUBLE_EQ(space.estimate(other), best->seconds);
}

} // namespace
