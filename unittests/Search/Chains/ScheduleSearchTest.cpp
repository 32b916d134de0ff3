//===- ScheduleSearchTest.cpp - The search for schedules ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/ScheduleSearch.h"
#include "../Analysis/ScheduledGroup.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Search/Space/ScheduleSpace.h"
#include <map>

using namespace fusion;
using namespace fusion::test;

namespace {

class ScheduleSearch : public ::testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(ScheduleSearch, FindsLegalSchedulesOnEveryChip) {
  for (const char *type : {"f16", "bf16"})
    for (const ChipInfo &chip : allGpus()) {
      ParsedGroup group(chainIR(GetParam(), type));
      ASSERT_TRUE(group.axes) << group.reason;
      std::string reason;
      auto found = searchSchedule(group.model(), chip, reason);
      ASSERT_TRUE(found) << chip.name.str() << ": " << reason;
      EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip),
                std::nullopt);
      EXPECT_GT(found->legal, 0);
      EXPECT_LE(found->legal, found->candidates);
      EXPECT_GT(found->cost.total, 0);
    }
}

TEST_P(ScheduleSearch, SaysTheSameTwice) {
  const ChipInfo &chip = *lookupChip("sm_80");
  std::string reason;
  ParsedGroup group(chainIR(GetParam())), other(chainIR(GetParam()));
  ASSERT_TRUE(group.axes && other.axes);
  auto first = searchSchedule(group.model(), chip, reason);
  auto second = searchSchedule(other.model(), chip, reason);
  ASSERT_TRUE(first && second) << reason;
  std::string a, b;
  llvm::raw_string_ostream(a)
      << exportSchedule(first->schedule, group.model(), &group.context);
  llvm::raw_string_ostream(b)
      << exportSchedule(second->schedule, other.model(), &other.context);
  EXPECT_EQ(a, b);
  EXPECT_EQ(first->cost.total, second->cost.total);
}

// What it writes can be read again, and means the same.
TEST_P(ScheduleSearch, WritesWhatCanBeRead) {
  const ChipInfo &chip = *lookupChip("sm_80");
  std::string reason;
  ParsedGroup group(chainIR(GetParam()));
  ASSERT_TRUE(group.axes) << group.reason;
  auto found = searchSchedule(group.model(), chip, reason);
  ASSERT_TRUE(found) << reason;
  std::string text;
  llvm::raw_string_ostream(text)
      << exportSchedule(found->schedule, group.model(), &group.context);
  ScheduledGroup again(chainIR(GetParam()), text);
  ASSERT_TRUE(again.schedule) << again.reason;
  Footprint footprint = computeFootprint(again.model(), *again.schedule);
  EXPECT_EQ(footprint.globalLoadBytes, found->footprint.globalLoadBytes);
  EXPECT_EQ(footprint.sharedMemory, found->footprint.sharedMemory);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, ScheduleSearch,
    ::testing::Values(std::vector<int64_t>{16, 16, 16},
                      std::vector<int64_t>{1, 1, 1, 1},
                      std::vector<int64_t>{100, 40, 72, 24},
                      std::vector<int64_t>{512, 64, 256, 64},
                      std::vector<int64_t>{1000, 8, 8},
                      std::vector<int64_t>{8, 8, 1000},
                      std::vector<int64_t>{1024, 1024, 1024},
                      std::vector<int64_t>{4096, 4096, 4096, 4096},
                      std::vector<int64_t>{64, 64, 64, 64, 64},
                      std::vector<int64_t>{64, 48, 80, 32, 96, 16}));

// An operand that is whole in one tile must not keep the others from any size.
TEST(ScheduleSearchSpace, WholeOperandsAreAmongTheCandidates) {
  ParsedGroup group(chainIR({4096, 64, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), *lookupChip("sm_80"), reason);
  ASSERT_TRUE(found) << reason;
  // Each row of A is read once: no tile size of n makes that illegal.
  EXPECT_GT(found->legal, found->candidates / 4);
}

// Where the chip has them and rows begin at multiples of 16 bytes; operands of
// other rows are left to threads.
TEST(ScheduleSearchTransports, CopiesInBulkWhereItCan) {
  auto transports = [](llvm::ArrayRef<int64_t> sizes, const char *chip) {
    ParsedGroup group(chainIR(sizes));
    std::string reason;
    auto found = searchSchedule(group.model(), *lookupChip(chip), reason);
    EXPECT_TRUE(found) << reason;
    std::string text;
    for (unsigned tensor : listCopied(group.model(), found->schedule))
      text +=
          group.model().tensorName(tensor) + " " +
          stringifyTransport(found->schedule.places[tensor].transport).str() +
          "; ";
    return text;
  };
  for (const char *chip : {"sm_90a", "h200", "sm_100a", "sm_120"}) {
    EXPECT_EQ(transports({256, 64, 256}, chip), "A tma; B tma; ") << chip;
    EXPECT_EQ(transports({256, 68, 256}, chip), "A async8; B tma; ") << chip;
  }
  EXPECT_EQ(transports({256, 64, 256}, "sm_89"), "A async16; B async16; ");
}

// Few tiles of long sums: parts fill the chip.
TEST(ScheduleSearchParts, AreCombinedByClustersWhereThereAreAny) {
  ParsedGroup group(chainIR({64, 8192, 256}));
  for (const char *chip : {"sm_80", "sm_90a", "sm_120"}) {
    std::string reason;
    auto found = searchSchedule(group.model(), *lookupChip(chip), reason);
    ASSERT_TRUE(found) << reason;
    EXPECT_TRUE(found->schedule.splitAxis()) << chip;
    EXPECT_EQ(found->schedule.splitInCluster, lookupChip(chip)->hasClusters)
        << chip;
  }
}

// At random, too, and then sometimes.
TEST(ScheduleSearchTransports, DrawsBulkCopies) {
  ParsedGroup group(chainIR({256, 64, 256}));
  SearchOptions options;
  unsigned usesTMA = 0, byThreads = 0;
  for (options.randomSeed = 0; *options.randomSeed < 16;
       ++*options.randomSeed) {
    std::string reason;
    auto found =
        searchSchedule(group.model(), *lookupChip("sm_90a"), reason, options);
    ASSERT_TRUE(found) << reason;
    for (unsigned tensor : listCopied(group.model(), found->schedule))
      ++(found->schedule.places[tensor].transport == fuse::Transport::TMA
             ? usesTMA
             : byThreads);
  }
  EXPECT_GT(usesTMA, 4u);
  EXPECT_GT(byThreads, 4u);
}

TEST(ScheduleSearchSpace, SaysWhyThereIsNone) {
  ParsedGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  ChipInfo chip = *lookupChip("sm_80");
  chip.computeCapability = 75;
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason));
  EXPECT_EQ(reason,
            "no intrinsic of sm_80 multiplies the operands of contraction 'C'");
  chip = *lookupChip("sm_80");
  chip.sharedMemoryPerBlock = 64;
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason));
  EXPECT_NE(reason.find("candidates is legal; the last one: "),
            std::string::npos)
      << reason;
  group.model().axes[0].extent = 0;
  EXPECT_FALSE(searchSchedule(group.model(), *lookupChip("sm_80"), reason));
  EXPECT_EQ(reason, "axis 'm' is empty");
}

// The example of MCFuser, M = N = 1024, K = H = 512, at whose optimum its model
// takes T_n = 16 (McFuserModelTest): it counts bytes and flops, which T_n does
// not change. Ours also counts what every iteration over n waits for and the
// fragments that narrow tiles read again from shared memory.
TEST(ScheduleSearchExample, TakesNoNarrowTiles) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ParsedGroup group(chainIR({1024, 512, 1024, 512}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), chip, reason);
  ASSERT_TRUE(found) << reason;
  unsigned n = *group.model().findAxis("n");
  EXPECT_GT(found->schedule.tiles[n], 16);

  Schedule narrow = found->schedule;
  narrow.tiles[n] = 16;
  narrow.tree = *parseTiling("m(n(k(LA,LB,CC),h(LD,CE)),h(SE))", group.model(),
                             [](const llvm::Twine &) {});
  Footprint footprint = computeFootprint(group.model(), narrow);
  Cost cost = predictCost(group.model(), narrow, footprint, chip);
  EXPECT_EQ(footprint.compulsoryBytes, found->footprint.compulsoryBytes);
  EXPECT_LE(footprint.mmaFlops, found->footprint.mmaFlops);
  EXPECT_GT(footprint.sharedTraffic, found->footprint.sharedTraffic);
  EXPECT_GT(cost.pipeline, found->cost.pipeline);
  EXPECT_GT(cost.total, found->cost.total);
}

// The best candidate of every pair of tiles and warps, best first.
TEST(ScheduleSearchRanking, IsSortedAndStartsWithTheChoice) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ParsedGroup group(chainIR({512, 64, 512, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), chip, reason, {8, 2, 12});
  ASSERT_TRUE(found) << reason;
  ASSERT_EQ(found->ranking.size(), 12u);
  EXPECT_EQ(found->ranking.front().cost.total, found->cost.total);
  for (size_t i = 1; i < found->ranking.size(); ++i)
    EXPECT_LE(found->ranking[i - 1].cost.total, found->ranking[i].cost.total);
  // Asking for a ranking does not change the choice.
  auto alone = searchSchedule(group.model(), chip, reason);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->ranking.size(), 1u);
  EXPECT_EQ(alone->cost.total, found->cost.total);
  EXPECT_EQ(alone->schedule.tiles, found->schedule.tiles);
}

// What is reported does not change what is chosen.
TEST(ScheduleSearchRanking, DoesNotChangeTheChoice) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{2304, 208, 2304, 208}, {256, 64, 256, 64, 128}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    std::optional<SearchResult> first;
    for (unsigned ranked : {1, 10, 30}) {
      SearchOptions options;
      options.ranked = ranked;
      auto found = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(found) << reason;
      EXPECT_EQ(found->ranking.size(), ranked);
      if (!first)
        first = found;
      EXPECT_EQ(exportSchedule(first->schedule, group.model(), &group.context),
                exportSchedule(found->schedule, group.model(), &group.context));
      EXPECT_EQ(first->candidates, found->candidates);
    }
  }
}

// Candidates have one tree's number exactly where their trees and grids are
// equal, whatever expressions and moves these come of.
TEST(ScheduleSearchSpace, EqualTreesHaveOneNumber) {
  const ChipInfo &chip = *lookupChip("sm_80");
  GroupModel group = makeChainModel({{256, 64, 128, 96, 64}});
  SearchOptions options;
  ScheduleSpace space(group, chip, options);
  Random numbers(3);
  std::map<unsigned, std::string> texts;
  std::map<std::string, unsigned> seen;
  unsigned again = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    ScheduleCandidate candidate = space.randomOutline(numbers);
    Schedule schedule = space.outline(candidate);
    std::string text = printTiling(schedule.tree, group) + "|";
    for (unsigned axis : schedule.blocks)
      text += group.axes[axis].name;
    unsigned number = space.treeOf(candidate);
    again += !texts.try_emplace(number, text).second;
    EXPECT_EQ(texts[number], text);
    EXPECT_EQ(seen.try_emplace(text, number).first->second, number) << text;
  }
  EXPECT_GT(again, 1000u);
  EXPECT_GT(seen.size(), 100u);
}

// Keeping values out of loops recomputes less, and for some expression nothing.
TEST(ScheduleSearchSpace, KeepsWhatItIsAskedFor) {
  const ChipInfo &chip = *lookupChip("sm_80");
  GroupModel group = makeChainModel({{256, 64, 256, 256, 256}});
  SearchOptions options;
  ScheduleSpace space(group, chip, options);
  ASSERT_EQ(space.intermediates().size(), 2u);
  ScheduleCandidate candidate;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    candidate.tiles[axis] = 32;
  auto count = [&](uint64_t contractions) {
    space.retainOutside(candidate, contractions);
    return computeFootprint(group, space.outline(candidate)).mmaFlops;
  };
  int64_t once = 2 * 256 * (64 * 256 + 256 * 256 + 256 * 256);
  unsigned saved = 0, each = 0;
  for (; candidate.expression < space.expressions().size();
       ++candidate.expression) {
    int64_t none = count(0);
    EXPECT_EQ(candidate.retained, decltype(candidate.retained){});
    for (uint64_t contractions : {1, 2, 3})
      EXPECT_LE(count(contractions), none);
    saved += none > once && count(3) == once;
    each += count(1) < none && count(3) < count(1);
  }
  EXPECT_GT(saved, 0u);
  EXPECT_GT(each, 0u);
}

// The evolutionary search tries all arrangements and stages of what it draws,
// so these are the same in all: equal outlines are equal candidates. Every
// other choice is changed some time, intrinsics of each contraction.
TEST(ScheduleSearchSpace, OutlinesChangeWhereverTheyCan) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ParsedGroup group(chainIR({1024, 512, 1024, 512}));
  ASSERT_TRUE(group.axes) << group.reason;
  SearchOptions options;
  ScheduleSpace space(group.model(), chip, options);
  Random numbers(5);
  ScheduleCandidate start = space.randomOutline(numbers);
  unsigned axes = group.model().axes.size();
  llvm::SmallVector<bool> tiles(axes, false), intrinsics(2, false);
  bool expression = false, parts = false, raster = false, hoisted = false,
       retained = false;
  for (unsigned i = 0; i < 1000; ++i) {
    ScheduleCandidate other = space.mutateOutline(start, numbers);
    EXPECT_FALSE(other == start);
    EXPECT_TRUE(space.mayFit(space.tilesOf(other)));
    EXPECT_TRUE(space.fillsSplits(other));
    EXPECT_EQ(other.arrangement, 0u);
    EXPECT_EQ(other.stages, 1u);
    EXPECT_EQ(other.registerStages, 1u);
    for (unsigned axis = 0; axis < axes; ++axis)
      tiles[axis] |= other.tiles[axis] != start.tiles[axis];
    for (unsigned contraction : {0u, 1u})
      intrinsics[contraction] |=
          other.intrinsics[contraction] != start.intrinsics[contraction];
    expression |= other.expression != start.expression;
    parts |= other.splits != start.splits;
    raster |= other.blockSwizzle != start.blockSwizzle;
    hoisted |= other.hoisted != start.hoisted;
    retained |= other.retained != start.retained;
  }
  EXPECT_TRUE(llvm::all_of(tiles, [](bool is) { return is; }));
  EXPECT_TRUE(intrinsics[0] && intrinsics[1]);
  EXPECT_TRUE(expression && parts && raster && hoisted && retained);
}

// With a stage more than loops have iterations all loads are in flight before
// them: the search tries no more, and none of these would be faster.
TEST(ScheduleSearchStages, NoneStayEmpty) {
  const ChipInfo &chip = *lookupChip("sm_80");
  unsigned compared = 0;
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{512, 96, 256, 64}, {1024, 64, 128, 96, 64}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    SearchOptions options;
    ScheduleSpace space(group.model(), chip, options);
    Random numbers(2);
    for (unsigned i = 0; i < 20000; ++i) {
      ScheduleCandidate candidate = space.random(numbers);
      int64_t enough = 1;
      for (unsigned axis = 0; axis < group.model().axes.size(); ++axis)
        enough = std::max(enough, space.sequentialTrips(candidate, axis) + 1);
      std::optional<double> best;
      for (unsigned stages : space.stages()) {
        candidate.stages = stages;
        Schedule schedule = space.complete(candidate);
        Footprint footprint;
        if (checkSchedule(group.model(), schedule, chip, &footprint))
          break;
        double own =
            predictCost(group.model(), schedule, footprint, chip).total;
        if (best && stages > enough) {
          EXPECT_GE(own, *best * (1 - 1e-9)) << stages << " of " << enough;
          ++compared;
        } else {
          best = std::min(own, best.value_or(own));
        }
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

// Fewer stages to choose from are never faster.
TEST(ScheduleSearchStages, MoreOfThemAreNoSlower) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{512, 1024, 512, 256}, {128, 8192, 128}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    double last = std::numeric_limits<double>::infinity();
    for (SearchOptions options :
         {SearchOptions{1, 1}, SearchOptions{2, 1}, SearchOptions{8, 2}}) {
      auto found = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(found) << reason;
      for (const Placement &place : found->schedule.places) {
        EXPECT_LE(place.stages, options.maxStages);
        EXPECT_LE(place.registerStages, options.maxRegisterStages);
      }
      EXPECT_LE(found->cost.total, last);
      last = found->cost.total;
    }
  }
}

} // namespace
