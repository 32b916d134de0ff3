//===- SearchMethodsTest.cpp - How schedules are looked for ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Analysis/ScheduledGroup.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "fusion/Search/Space/ScheduleSpace.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// A chain of contractions of any sizes, maybe batched.
ChainShape drawRow(unsigned contractions, Random &numbers) {
  ChainShape shape;
  for (unsigned size = 0; size < contractions + 2; ++size)
    shape.sizes.push_back(16 << numbers.below(8));
  shape.batch = 1 + numbers.below(8);
  return shape;
}

// The evolutionary search too, and it finds the same with any number of
// threads.
TEST(ScheduleSearchMethods, ThreadsDoNotChangeTheAnswer) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{512, 64, 512, 64}, {64, 48, 80, 32, 96, 16}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    for (SearchMethod method :
         {SearchMethod::Auto, SearchMethod::Evolutionary}) {
      std::optional<SearchResult> first;
      for (unsigned threads : {1, 4}) {
        SearchOptions options;
        options.method = method;
        options.threads = threads;
        auto found = searchSchedule(group.model(), chip, reason, options);
        ASSERT_TRUE(found) << reason;
        if (!first)
          first = found;
        EXPECT_EQ(
            exportSchedule(first->schedule, group.model(), &group.context),
            exportSchedule(found->schedule, group.model(), &group.context));
        EXPECT_EQ(first->candidates, found->candidates);
      }
    }
  }
}

// Branch and bound visits everything when asked to. What is found with limited
// effort is no better, and at most 2 % worse, whatever the seed.
TEST(ScheduleSearchMethods, AutoIsNearTheBest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{128, 64, 128},
                                     {128, 64, 96, 48},
                                     {1024, 512, 1024, 512},
                                     {1024, 1024, 1024, 1024},
                                     {1824, 320, 1824, 320},
                                     {2048, 256, 2048, 256},
                                     {2896, 128, 2896, 128},
                                     {720, 2048, 720, 2048},
                                     {4096, 64, 4096, 64, 4096},
                                     {3248, 96, 3248, 96, 3248}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    SearchOptions options;
    options.method = SearchMethod::Exhaustive;
    auto all = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(all) << reason;
    EXPECT_TRUE(all->isProven);
    EXPECT_EQ(all->method, SearchMethod::Exhaustive);
    options.method = SearchMethod::Auto;
    for (uint64_t seed : {0, 7}) {
      options.seed = seed;
      auto some = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(some) << reason;
      EXPECT_LE(all->cost.total, some->cost.total * (1 + 1e-9));
      EXPECT_LE(some->cost.total, 1.02 * all->cost.total)
          << sizes[0] << " x " << sizes[1] << ", seed " << seed;
    }
  }
}

// Two operands kept together may win where either alone loses: no draw comes
// upon better ones than what is tried in the best of branch and bound.
TEST(ScheduleSearchMethods, ExhaustiveKeepsTwoTensorsTogether) {
  struct Case {
    const char *chip;
    std::vector<int64_t> sizes;
  };
  for (const Case &given :
       {Case{"sm_100a", {16, 16, 128, 512}}, Case{"sm_90a", {100, 64, 640, 16}},
        Case{"sm_100a", {320, 100, 384, 16}}}) {
    const ChipInfo &chip = *lookupChip(given.chip);
    ParsedGroup group(chainIR(given.sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    SearchOptions options;
    options.method = SearchMethod::Exhaustive;
    auto all = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(all) << reason;
    options.method = SearchMethod::Evolutionary;
    for (uint64_t seed : {0, 1}) {
      options.seed = seed;
      auto drawn = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(drawn) << reason;
      EXPECT_LE(all->cost.total, drawn->cost.total * (1 + 1e-9))
          << given.sizes[0] << " x " << given.sizes[1] << ", seed " << seed;
    }
  }
}

// Of longer rows too. Moves of loads and of computations are not combined by
// branch and bound, so that the evolutionary search may even find better ones.
TEST(ScheduleSearchMethods, AutoIsNearTheBestOfLongRows) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{256, 64, 48, 32, 64, 32},
        {64, 32, 64, 32, 64, 32},
        {32, 64, 32, 64, 32, 64, 32}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    SearchOptions options;
    options.method = SearchMethod::Exhaustive;
    auto all = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(all) << reason;
    EXPECT_TRUE(all->isProven);
    options.method = SearchMethod::Auto;
    for (uint64_t seed : {0, 7}) {
      options.seed = seed;
      auto some = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(some) << reason;
      EXPECT_LE(some->cost.total, 1.02 * all->cost.total)
          << sizes[0] << " x " << sizes[1] << ", seed " << seed;
    }
  }
}

// No method that one may ask for alone is better, most where nothing is proven:
// drawn chains of three and four contractions on all kinds of chips, one that
// was 9 % slower while what was bred began in the valley that descents end in,
// one that descents from trees that keep no values left 60 % slower, two that
// need an operand that stays, or other loops, together with two other tiles,
// one that is the best but for its retained tiles, and two that need a loop to
// live together with other loops around it.
TEST(ScheduleSearchMethods, EvolutionAloneIsNoBetter) {
  struct Case {
    std::string chip;
    ChainShape shape;
  };
  std::vector<Case> cases = {
      {"sm_120", {{1024, 96, 384, 4096, 320}}},
      {"sm_80", {{1000, 96, 1000, 96, 1000, 96, 1000, 96}}},
      {"sm_80", {{416, 320, 3072, 640, 640, 256}}},
      {"sm_89", {{256, 1024, 1664, 4096, 112, 64}}},
      {"sm_80", {{4096, 96, 512, 320}}},
      {"h200", {{96, 576, 1024, 1280, 640}, 14}},
      {"sm_89", {{1664, 80, 2048, 160, 896, 416}}}};
  Random numbers(0);
  for (const char *chip : {"sm_80", "sm_86", "sm_90a", "sm_120"})
    for (unsigned contractions : {3, 4})
      cases.push_back({chip, drawRow(contractions, numbers)});
  for (const Case &each : cases) {
    const ChipInfo &chip = *lookupChip(each.chip);
    GroupModel group = makeChainModel(each.shape);
    std::string reason;
    auto best = searchSchedule(group, chip, reason);
    ASSERT_TRUE(best) << reason;
    SearchOptions options;
    options.method = SearchMethod::Evolutionary;
    for (options.seed = 0; options.seed < 3; ++options.seed) {
      auto drawn = searchSchedule(group, chip, reason, options);
      ASSERT_TRUE(drawn) << reason;
      EXPECT_LE(best->cost.total, 1.01 * drawn->cost.total)
          << each.chip << ", " << each.shape.batch << ": "
          << ::testing::PrintToString(each.shape.sizes) << ", "
          << printTiling(best->schedule.tree, group) << " against "
          << printTiling(drawn->schedule.tree, group) << ", seed "
          << options.seed;
    }
  }
}

// More effort finds more: a chain whose best tree is seldom drawn, one that is
// small enough for the usual effort.
TEST(ScheduleSearchMethods, MoreEffortFindsMore) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  auto search = [&](const ChainShape &shape, unsigned effort) {
    std::string reason;
    SearchOptions options;
    options.effort = effort;
    auto found = searchSchedule(makeChainModel(shape), chip, reason, options);
    EXPECT_TRUE(found) << reason;
    return found.value_or(SearchResult());
  };
  ChainShape longRows[] = {{{96, 512, 768, 256, 1024, 640}, 5},
                           {{14, 96, 576, 1024, 1280, 640}, 1},
                           {{192, 768, 320, 1024, 512, 896}, 3}},
             shortRow{{512, 64, 256, 64}};
  bool findsMore = false;
  for (const ChainShape &longRow : longRows) {
    SearchResult once = search(longRow, 1), more = search(longRow, 4);
    EXPECT_GT(more.candidates, once.candidates);
    EXPECT_LE(more.cost.total, once.cost.total);
    findsMore |= more.cost.total < once.cost.total;
  }
  EXPECT_TRUE(findsMore);
  EXPECT_EQ(search(shortRow, 4).cost.total, search(shortRow, 1).cost.total);
}

// What rough searches are asked for, which cut a row is worth a whole one, they
// tell of most.
TEST(ScheduleSearchMethods, RoughSearchIsNear) {
  const ChipInfo &chip = *lookupChip("sm_80");
  Random numbers(1);
  unsigned near = 0, all = 0;
  int64_t roughly = 0, wholly = 0; // candidates
  for (unsigned contractions : {2, 3, 4, 6})
    for (unsigned draw = 0; draw < 5; ++draw, ++all) {
      GroupModel group = makeChainModel(drawRow(contractions, numbers));
      std::string reason;
      auto best = searchSchedule(group, chip, reason);
      SearchOptions options;
      options.isRough = true;
      auto rough = searchSchedule(group, chip, reason, options);
      ASSERT_TRUE(best && rough) << reason;
      // The smallest groups have no further candidates.
      EXPECT_LE(rough->candidates, best->candidates);
      roughly += rough->candidates;
      wholly += best->candidates;
      near +=
          rough->cost.total * (1 - roughness(contractions)) <= best->cost.total;
    }
  EXPECT_GE(10 * near, 9 * all);
  EXPECT_LT(2 * roughly, wholly);
}

// From nothing but draws and the first simple answers the evolutionary search
// comes near to what all methods find together.
TEST(ScheduleSearchMethods, EvolutionIsNearTheBest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{1024, 512, 1024, 512},
                                     {2048, 256, 2048, 256},
                                     {720, 2048, 720, 2048},
                                     {128, 64, 64, 64, 64, 64}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    SearchOptions options;
    auto best = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(best) << reason;
    options.method = SearchMethod::Evolutionary;
    constexpr uint64_t seeds = 8;
    double sum = 0;
    for (options.seed = 0; options.seed < seeds; ++options.seed) {
      auto found = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(found) << reason;
      EXPECT_EQ(found->method, SearchMethod::Evolutionary);
      EXPECT_LE(found->cost.total, 1.25 * best->cost.total)
          << sizes[0] << " x " << sizes[1] << ", seed " << options.seed;
      sum += found->cost.total;
    }
    EXPECT_LE(sum / seeds, 1.05 * best->cost.total)
        << sizes[0] << " x " << sizes[1];
  }
}

// Warpgroups multiply 8-bit elements only where these lie along the axis that
// is reduced, here in the first contraction: each contraction has the intrinsic
// that is best for it.
TEST(ScheduleSearchMethods, ProductsHaveIntrinsicsOfTheirOwn) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ChipInfo single = chip;
  single.hasWgmma = false;
  GroupModel group =
      makeChainModel({{8192, 1024, 256, 64}, 1, 1, MultiplicandType::S8});
  for (GroupTensor &tensor : group.tensors)
    if (tensor.name == "B")
      std::reverse(tensor.axes.begin(), tensor.axes.end());
  std::string reason;
  auto found = searchSchedule(group, chip, reason);
  auto by = searchSchedule(group, single, reason);
  ASSERT_TRUE(found && by) << reason;
  EXPECT_TRUE(found->schedule.contractions[0].intrinsic->isOfWarpgroup());
  EXPECT_FALSE(found->schedule.contractions[1].intrinsic->isOfWarpgroup());
  EXPECT_FALSE(found->schedule.contractions[1].intrinsic->isScalar());
  EXPECT_LT(found->cost.total, by->cost.total);
  ASSERT_TRUE(found->choices);
  EXPECT_EQ(found->choices->of("intrinsics"), llvm::ArrayRef<size_t>({3, 3}));
}

// What is proven is so of every intrinsic: nothing that is drawn of all choices
// is better, and leaving out warpgroups is not either.
TEST(ScheduleSearchMethods, ProofsAreOfAllIntrinsics) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{512, 256, 384},
                                     {100, 72, 640, 16},
                                     {1024, 64, 512, 64}}) {
    ParsedGroup group(chainIR(sizes));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    auto best = searchSchedule(group.model(), chip, reason);
    ASSERT_TRUE(best) << reason;
    EXPECT_TRUE(best->isProven);
    SearchOptions options;
    ScheduleSpace space(group.model(), chip, options);
    EXPECT_EQ(space.units().size(), 2u);
    Random numbers(3);
    unsigned legal = 0;
    for (unsigned i = 0; i < 20000; ++i) {
      Schedule drawn = space.complete(space.random(numbers));
      Footprint footprint;
      if (checkSchedule(group.model(), drawn, chip, &footprint) ||
          !hasRegisterRoom(drawn, footprint, chip))
        continue;
      ++legal;
      EXPECT_LE(best->cost.total,
                predictCost(group.model(), drawn, footprint, chip).total *
                    (1 + 1e-9));
    }
    EXPECT_GT(legal, 50u);
    ChipInfo single = chip;
    single.hasWgmma = false;
    auto without = searchSchedule(group.model(), single, reason);
    ASSERT_TRUE(without) << reason;
    EXPECT_LE(best->cost.total, without->cost.total * (1 + 1e-9));
  }
}

/// Says of every schedule that more warps are faster.
struct WarpsMatter : Measurement<Schedule> {
  llvm::StringRef name() const override { return "test"; }
  std::optional<double> measure(const Schedule &schedule) override {
    ++measured;
    if (schedule.warps == 1)
      return std::nullopt;
    return 1.0 / schedule.warps;
  }
  unsigned measured = 0;
};

TEST(ScheduleSearchMethods, MeasurementsDecideAmongTheBest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ParsedGroup group(chainIR({512, 64, 512, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  WarpsMatter measurement;
  SearchOptions options;
  options.measurement = &measurement;
  options.ranked = 8;
  auto found = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(found) << reason;
  EXPECT_EQ(found->measuredBy, "test");
  // In rounds (MeasuredRounds.h).
  EXPECT_GT(measurement.measured, 8u);
  for (const CostedSchedule &each : found->ranking)
    EXPECT_LE(each.schedule.warps, found->schedule.warps);
  EXPECT_EQ(found->measuredSeconds, 1.0 / found->schedule.warps);
}

// Descents alone find what can be proven of two contractions, and prove
// nothing.
TEST(ScheduleSearchMethods, DescentsAlone) {
  const ChipInfo &chip = *lookupChip("sm_80");
  GroupModel group = makeChainModel({{512, 256, 512, 64}});
  std::string reason;
  SearchOptions options;
  auto best = searchSchedule(group, chip, reason, options);
  options.method = SearchMethod::Descents;
  auto found = searchSchedule(group, chip, reason, options);
  ASSERT_TRUE(best && found) << reason;
  EXPECT_TRUE(best->isProven);
  EXPECT_FALSE(found->isProven);
  EXPECT_EQ(found->method, SearchMethod::Descents);
  EXPECT_GE(found->cost.total, best->cost.total);
  EXPECT_LE(found->cost.total, 1.01 * best->cost.total);
  options.space = SpaceKind::Paper;
  EXPECT_FALSE(searchSchedule(group, chip, reason, options));
  EXPECT_EQ(reason, "descents are a search of space 'default'");
}

} // namespace
