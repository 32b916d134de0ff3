//===- PaperSearchTest.cpp - Schedules out of the papers' spaces ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

GroupModel example() { return makeChainModel({{1024, 512, 1024, 512}}); }

SearchOptions inSpace(SpaceKind space, ModelKind model) {
  SearchOptions options;
  options.space = space;
  options.model = model;
  return options;
}

// Whatever the space and the model, the schedule can be lowered.
TEST(PaperSearch, EverySpaceAndModelEndsInALegalSchedule) {
  std::string reason;
  for (const char *name : {"sm_80", "sm_90a"})
    for (llvm::SmallVector<int64_t, 6> sizes :
         {llvm::SmallVector<int64_t, 6>{128, 64, 96},
          {1024, 512, 1024, 512},
          {100, 72, 40, 24},
          {96, 64, 48, 80, 32}})
      for (SpaceKind space :
           {SpaceKind::Default, SpaceKind::Paper, SpaceKind::Chimera})
        for (ModelKind model : allModels()) {
          const ChipInfo &chip = *lookupChip(name);
          GroupModel group = makeChainModel({sizes});
          auto found =
              searchSchedule(group, chip, reason, inSpace(space, model));
          ASSERT_TRUE(found) << fusion::name(space).str() << " "
                             << fusion::name(model).str() << ": " << reason;
          EXPECT_EQ(checkSchedule(group, found->schedule, chip), std::nullopt);
          auto seconds =
              predictSeconds(model, group, found->schedule, chip, reason);
          ASSERT_TRUE(seconds) << reason;
          EXPECT_NEAR(found->modelSeconds, *seconds, 1e-9 * *seconds);
          bool hasStages =
              space == SpaceKind::Default || model == ModelKind::Alcop;
          for (const Placement &place : found->schedule.places)
            EXPECT_TRUE(hasStages || place.stages == 1);
          EXPECT_EQ(found->counts.has_value(), space != SpaceKind::Default);
        }
}

TEST(PaperSearch, CountsOfTheExample) {
  std::string reason;
  auto found = searchSchedule(example(), *lookupChip("sm_80"), reason,
                              inSpace(SpaceKind::Paper, ModelKind::McFuser));
  ASSERT_TRUE(found) << reason;
  EXPECT_EQ(found->counts->candidates[0], 109051904u);
  EXPECT_EQ(found->counts->candidates[4], 2253u);
  EXPECT_EQ(found->counts->afterRule4InElements, 3195u);
  EXPECT_TRUE(found->isProven);
}

// Under its own model a space's choice is the best of what can be lowered, and
// the wider space has no worse one.
TEST(PaperSearch, WiderSpacesAreNoWorse) {
  std::string reason;
  GroupModel group = example();
  const ChipInfo &chip = *lookupChip("sm_80");
  for (ModelKind model : {ModelKind::McFuser, ModelKind::Default}) {
    auto deep =
        searchSchedule(group, chip, reason, inSpace(SpaceKind::Chimera, model));
    auto flat =
        searchSchedule(group, chip, reason, inSpace(SpaceKind::Paper, model));
    auto ours =
        searchSchedule(group, chip, reason, inSpace(SpaceKind::Default, model));
    ASSERT_TRUE(deep && flat && ours) << reason;
    EXPECT_LE(flat->modelSeconds, deep->modelSeconds);
    EXPECT_LE(ours->modelSeconds, flat->modelSeconds * (1 + 1e-9));
  }
}

// MCFuser's model does not see what T_n costs; ours does (PaperSpaceTest says
// why). With k whole, the first of equals is the least tile.
TEST(PaperSearch, McFuserTakesTheLeastTileOfNAndOursDoesNot) {
  std::string reason;
  GroupModel group = example();
  const ChipInfo &chip = *lookupChip("sm_80");
  unsigned n = *group.findAxis("n");
  auto theirs = searchSchedule(group, chip, reason,
                               inSpace(SpaceKind::Paper, ModelKind::McFuser));
  auto ours = searchSchedule(group, chip, reason,
                             inSpace(SpaceKind::Paper, ModelKind::Default));
  ASSERT_TRUE(theirs && ours) << reason;
  EXPECT_EQ(theirs->schedule.tiles[n], 16);
  EXPECT_GT(ours->schedule.tiles[n], 16);
  EXPECT_LT(ours->cost.total, theirs->cost.total);
}

TEST(PaperSearch, EvolutionIsTheSameForAnyThreads) {
  std::string reason;
  GroupModel group = example();
  for (Convergence convergence :
       {Convergence::Printed, Convergence::BestOfAll}) {
    SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
    options.method = SearchMethod::Evolutionary;
    options.convergence = convergence;
    auto one = searchSchedule(group, *lookupChip("sm_80"), reason, options);
    options.threads = 4;
    auto four = searchSchedule(group, *lookupChip("sm_80"), reason, options);
    ASSERT_TRUE(one && four) << reason;
    EXPECT_EQ(one->schedule.tiles, four->schedule.tiles);
    EXPECT_EQ(printTiling(one->schedule.tree, group),
              printTiling(four->schedule.tree, group));
    EXPECT_EQ(one->modelSeconds, four->modelSeconds);
    // What a population has many times over is counted once.
    EXPECT_LT(one->candidates, int64_t(one->counts->candidates[4]));
    EXPECT_EQ(one->candidates, one->legal + one->rejected);
    EXPECT_EQ(one->legal, four->legal);
    EXPECT_EQ(one->rejected, four->rejected);
    EXPECT_EQ(one->rejections, four->rejections);
  }
}

// Without removal of dead loops statements stay where the loops were; the loops
// themselves cannot be lowered and are left out.
TEST(PaperSearch, DeadLoopsCanBeKept) {
  std::string reason;
  GroupModel group = example();
  SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
  auto removed = searchSchedule(group, *lookupChip("sm_80"), reason, options);
  options.rules.removeDeadLoops = false;
  auto retained = searchSchedule(group, *lookupChip("sm_80"), reason, options);
  ASSERT_TRUE(removed && retained) << reason;
  EXPECT_LT(removed->modelSeconds, retained->modelSeconds);
}

TEST(PaperSearch, SaysWhyThereIsNone) {
  std::string reason;
  GroupModel group = example();
  ChipInfo chip = *lookupChip("sm_80");
  chip.sharedMemoryPerBlock = 512;
  SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
  options.rules.limitSharedMemory = false;
  EXPECT_FALSE(searchSchedule(group, chip, reason, options));
  EXPECT_NE(reason.find("candidates can be lowered; of most: the tiles need # "
                        "bytes of shared memory"),
            std::string::npos)
      << reason;
  options = inSpace(SpaceKind::Paper, ModelKind::Default);
  options.rules.padding = PaddingRule::None;
  options.rules.limitSharedMemory = false;
  options.rules.deduplicate = false;
  options.rules.completeIntermediates = false;
  options.method = SearchMethod::Exhaustive;
  EXPECT_FALSE(searchSchedule(group, *lookupChip("sm_80"), reason, options));
  EXPECT_EQ(reason, "109051904 candidates are too many to list; use the "
                    "evolutionary search");
}

// Without the other rules there are too many to list, yet few have to be looked
// at: what rule 1 leaves out is no better.
TEST(PaperSearch, BranchAndBoundNeedsNoRules) {
  std::string reason;
  SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
  options.method = SearchMethod::Exhaustive;
  options.rules.padding = PaddingRule::None;
  options.rules.completeIntermediates = false;
  auto classes =
      searchSchedule(example(), *lookupChip("sm_80"), reason, options);
  options.rules.deduplicate = false;
  auto all = searchSchedule(example(), *lookupChip("sm_80"), reason, options);
  ASSERT_TRUE(classes && all) << reason;
  EXPECT_TRUE(all->isProven);
  EXPECT_EQ(all->counts->candidates[3], 109051904u);
  EXPECT_LT(all->candidates, 109051904);
  EXPECT_EQ(all->modelSeconds, classes->modelSeconds);
}

// Chimera's tiles are among the first ones of our evolution, and of nobody
// else's.
TEST(PaperSearch, EvolutionStartsFromTheClosedForm) {
  std::string reason;
  SearchOptions options = inSpace(SpaceKind::Chimera, ModelKind::ChimeraObs2);
  auto best = searchSchedule(example(), *lookupChip("sm_80"), reason, options);
  options.method = SearchMethod::Evolutionary;
  auto evolved =
      searchSchedule(example(), *lookupChip("sm_80"), reason, options);
  ASSERT_TRUE(best && evolved) << reason;
  EXPECT_TRUE(best->isProven);
  EXPECT_GE(evolved->modelSeconds, best->modelSeconds);
  EXPECT_LE(evolved->modelSeconds, 1.1 * best->modelSeconds);
}

// Chimera G9's 208 is 13 times 16.
TEST(PaperSearch, TellsWhatRuleThreeLoses) {
  std::string reason;
  const ChipInfo &chip = *lookupChip("sm_80");
  GroupModel odd = makeChainModel({{208, 80, 208, 80}, 16});
  SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
  auto printed = searchSchedule(odd, chip, reason, options);
  auto even = searchSchedule(example(), chip, reason, options);
  options.rules.padding = PaddingRule::LeastOfTrips;
  auto ours = searchSchedule(odd, chip, reason, options);
  ASSERT_TRUE(printed && even && ours) << reason;
  ASSERT_TRUE(printed->counts->paddingLoss && even->counts->paddingLoss);
  EXPECT_GT(*printed->counts->paddingLoss, 0.2);
  EXPECT_LT(*even->counts->paddingLoss, 0.02);
  EXPECT_EQ(ours->counts->paddingLoss, std::nullopt);
}

TEST(PaperSearch, ReasonsAreCountedWithoutTheirNumbers) {
  EXPECT_EQ(withoutNumbers("the tile of 'C' (64 x 40) is no multiple of "
                           "mma.m16n8k16 over 4 x 1 warps"),
            "the tile of 'C' (# x #) is no multiple of mma.m16n8k16 over # x # "
            "warps");
}

// Evolution has a ranking too, and reporting it does not change the choice.
TEST(PaperSearch, EvolutionRanksRunnersUp) {
  GroupModel group = example();
  SearchOptions options = inSpace(SpaceKind::Paper, ModelKind::McFuser);
  options.method = SearchMethod::Evolutionary;
  std::string reason;
  auto alone = searchSchedule(group, *lookupChip("sm_80"), reason, options);
  options.ranked = 10;
  auto ranked = searchSchedule(group, *lookupChip("sm_80"), reason, options);
  ASSERT_TRUE(alone && ranked) << reason;
  EXPECT_EQ(alone->ranking.size(), 1u);
  ASSERT_EQ(ranked->ranking.size(), 10u);
  EXPECT_EQ(alone->schedule.tiles, ranked->schedule.tiles);
  EXPECT_EQ(alone->modelSeconds, ranked->modelSeconds);
  for (size_t i = 1; i < ranked->ranking.size(); ++i)
    EXPECT_LE(ranked->ranking[i - 1].modelSeconds,
              ranked->ranking[i].modelSeconds);
}

} // namespace
