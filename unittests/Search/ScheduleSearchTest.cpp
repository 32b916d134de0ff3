//===- ScheduleSearchTest.cpp - The search for schedules ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/ScheduleSearch.h"
#include "../Analysis/ScheduledGroup.h"
#include "fusion/Analysis/ChainModel.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Search/ScheduleSpace.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// A row of products of any sizes, maybe several at a time.
ChainShape drawRow(unsigned products, Random &numbers) {
  ChainShape shape;
  for (unsigned size = 0; size < products + 2; ++size)
    shape.sizes.push_back(16 << numbers.below(8));
  shape.batch = 1 + numbers.below(8);
  return shape;
}

class ScheduleSearch : public ::testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(ScheduleSearch, FindsLegalSchedulesOnEveryChip) {
  for (const char *type : {"f16", "bf16"})
    for (const ChipInfo &chip : allChips()) {
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
      text += group.model().tensorName(tensor) + " " +
              stringifyTransport(found->schedule.places[tensor].transport)
                  .str() +
              "; ";
    return text;
  };
  for (const char *chip : {"sm_90a", "h200", "sm_100a", "sm_120"}) {
    EXPECT_EQ(transports({256, 64, 256}, chip), "A bulk; B bulk; ") << chip;
    EXPECT_EQ(transports({256, 68, 256}, chip), "A async8; B bulk; ") << chip;
  }
  EXPECT_EQ(transports({256, 64, 256}, "sm_89"), "A async16; B async16; ");
}

// At random, too, and then sometimes.
TEST(ScheduleSearchTransports, DrawsBulkCopies) {
  ParsedGroup group(chainIR({256, 64, 256}));
  SearchOptions options;
  unsigned inBulk = 0, byThreads = 0;
  for (options.randomSeed = 0; *options.randomSeed < 16; ++*options.randomSeed) {
    std::string reason;
    auto found =
        searchSchedule(group.model(), *lookupChip("sm_90a"), reason, options);
    ASSERT_TRUE(found) << reason;
    for (unsigned tensor : listCopied(group.model(), found->schedule))
      ++(found->schedule.places[tensor].transport == fuse::Transport::Bulk
             ? inBulk
             : byThreads);
  }
  EXPECT_GT(inBulk, 4u);
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
            "no intrinsic of sm_80 multiplies the operands of product 'C'");
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

// Of every pair of tiles and warps the best candidate, best first.
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

// Where nothing can be proven, no method that one may ask for alone is better:
// drawn rows of three and four products on all kinds of chips, and one that was
// 9 % slower while what was bred began in the valley that descents end in.
TEST(ScheduleSearchMethods, EvolutionAloneIsNoBetter) {
  struct Case {
    std::string chip;
    ChainShape shape;
  };
  std::vector<Case> cases = {{"sm_120", {{1024, 96, 384, 4096, 320}}}};
  Random numbers(0);
  for (const char *chip : {"sm_80", "sm_86", "sm_90a", "sm_120"})
    for (unsigned products : {3, 4})
      cases.push_back({chip, drawRow(products, numbers)});
  for (const Case &each : cases) {
    const ChipInfo &chip = *lookupChip(each.chip);
    GroupModel group = makeChainModel(each.shape);
    std::string reason;
    auto best = searchSchedule(group, chip, reason);
    ASSERT_TRUE(best) << reason;
    SearchOptions options;
    options.method = SearchMethod::Evolutionary;
    for (options.seed = 0; options.seed < 2; ++options.seed) {
      auto drawn = searchSchedule(group, chip, reason, options);
      ASSERT_TRUE(drawn) << reason;
      EXPECT_LE(best->cost.total, 1.01 * drawn->cost.total)
          << each.chip << ", " << printTiling(best->schedule.tree, group)
          << " against " << printTiling(drawn->schedule.tree, group)
          << ", seed " << options.seed;
    }
  }
}

// What rough searches are asked for, which cut a row is worth a whole one, they
// tell of most.
TEST(ScheduleSearchMethods, RoughSearchIsNear) {
  const ChipInfo &chip = *lookupChip("sm_80");
  Random numbers(1);
  unsigned near = 0, all = 0;
  for (unsigned products : {2, 3, 4, 6})
    for (unsigned draw = 0; draw < 5; ++draw, ++all) {
      GroupModel group = makeChainModel(drawRow(products, numbers));
      std::string reason;
      auto best = searchSchedule(group, chip, reason);
      SearchOptions options;
      options.isRough = true;
      auto rough = searchSchedule(group, chip, reason, options);
      ASSERT_TRUE(best && rough) << reason;
      EXPECT_LT(rough->candidates, best->candidates);
      near += rough->cost.total * (1 - roughness(products)) <= best->cost.total;
    }
  EXPECT_GE(10 * near, 9 * all);
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
    constexpr uint64_t seeds = 4;
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

// Groups of warps multiply 8-bit elements only where these lie along the axis
// that is reduced, here in the first product: each product has the intrinsic
// that is best for it.
TEST(ScheduleSearchMethods, ProductsHaveIntrinsicsOfTheirOwn) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ChipInfo single = chip;
  single.hasWgmma = false;
  GroupModel group =
      makeChainModel({{2048, 1024, 256, 64}, 1, 1, ProductType::S8});
  for (GroupTensor &tensor : group.tensors)
    if (tensor.name == "B")
      std::reverse(tensor.axes.begin(), tensor.axes.end());
  std::string reason;
  auto found = searchSchedule(group, chip, reason);
  auto by = searchSchedule(group, single, reason);
  ASSERT_TRUE(found && by) << reason;
  EXPECT_EQ(found->schedule.products[0].intrinsic->unit,
            ProductUnit::WarpGroup);
  EXPECT_EQ(found->schedule.products[1].intrinsic->unit,
            ProductUnit::TensorCore);
  EXPECT_LT(found->cost.total, by->cost.total);
  ASSERT_TRUE(found->choices);
  EXPECT_EQ(found->choices->intrinsics, (llvm::SmallVector<size_t, 4>{3, 3}));
}

// What is proven is so of every intrinsic: nothing that is drawn of all choices
// is better, and leaving out groups of warps is not either.
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

// The evolutionary search tries all arrangements and stages of what it draws,
// so these are the same in all: equal outlines are equal candidates. Every
// other choice is changed some time, intrinsics of each product.
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
       kept = false;
  for (unsigned i = 0; i < 1000; ++i) {
    ScheduleCandidate other = space.mutateOutline(start, numbers);
    EXPECT_FALSE(other == start);
    EXPECT_TRUE(space.mayFit(space.tilesOf(other)));
    EXPECT_TRUE(space.fillsParts(other));
    EXPECT_EQ(other.arrangement, 0u);
    EXPECT_EQ(other.stages, 1u);
    EXPECT_EQ(other.registerStages, 1u);
    for (unsigned axis = 0; axis < axes; ++axis)
      tiles[axis] |= other.tiles[axis] != start.tiles[axis];
    for (unsigned product : {0u, 1u})
      intrinsics[product] |=
          other.intrinsics[product] != start.intrinsics[product];
    expression |= other.expression != start.expression;
    parts |= other.parts != start.parts;
    raster |= other.raster != start.raster;
    hoisted |= other.hoisted != start.hoisted;
    kept |= other.kept != start.kept;
  }
  EXPECT_TRUE(llvm::all_of(tiles, [](bool is) { return is; }));
  EXPECT_TRUE(intrinsics[0] && intrinsics[1]);
  EXPECT_TRUE(expression && parts && raster && hoisted && kept);
}

namespace {
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
} // namespace

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
  for (const RatedSchedule &each : found->ranking)
    EXPECT_LE(each.schedule.warps, found->schedule.warps);
  EXPECT_EQ(found->measuredSeconds, 1.0 / found->schedule.warps);
}

// With a stage more than loops have iterations all loads are under way before
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
        EXPECT_LE(place.stages, options.mostStages);
        EXPECT_LE(place.registerStages, options.mostRegisterStages);
      }
      EXPECT_LE(found->cost.total, last);
      last = found->cost.total;
    }
  }
}

} // namespace
