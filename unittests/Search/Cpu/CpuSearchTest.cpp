//===- CpuSearchTest.cpp - Schedules for CPUs -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Analysis/ScheduledGroup.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "fusion/Search/Cpu/CpuSpace.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include <set>

using namespace fusion;
using namespace fusion::test;

namespace {

std::string textOf(ParsedGroup &group, const SearchResult &found) {
  std::string text;
  llvm::raw_string_ostream(text)
      << exportSchedule(found.schedule, group.model(), &group.context);
  return text;
}

/// Chains of two contractions or more have an f16 copy of each intermediate.
const char *typeOf(llvm::ArrayRef<int64_t> sizes) {
  return sizes.size() > 3 ? "f16" : "f32";
}

class CpuSearch : public ::testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(CpuSearch, FindsLegalSchedulesOnEveryCpu) {
  for (const char *type : {typeOf(GetParam()), "f16", "bf16"})
    for (const char *name : {"x86-64-v3", "x86-64-v4", "znver5"}) {
      const ChipInfo &chip = *lookupChip(name);
      ParsedGroup group(chainIR(GetParam(), type));
      ASSERT_TRUE(group.axes) << group.reason;
      std::string reason;
      auto found = searchSchedule(group.model(), chip, reason);
      ASSERT_TRUE(found) << name << ": " << reason;
      EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip),
                std::nullopt);
      EXPECT_EQ(found->schedule.warps, 1u);
      EXPECT_GT(found->cost.total, 0);
      EXPECT_LE(found->legal, found->candidates);
    }
}

TEST_P(CpuSearch, SaysTheSameTwiceAndWithAnyThreads) {
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  std::string reason;
  ParsedGroup group(chainIR(GetParam(), typeOf(GetParam()))),
      other(chainIR(GetParam(), typeOf(GetParam())));
  ASSERT_TRUE(group.axes && other.axes);
  SearchOptions options;
  auto first = searchSchedule(group.model(), chip, reason, options);
  options.threads = 4;
  auto second = searchSchedule(other.model(), chip, reason, options);
  ASSERT_TRUE(first && second) << reason;
  EXPECT_EQ(textOf(group, *first), textOf(other, *second));
  EXPECT_EQ(first->candidates, second->candidates);
}

// What it writes can be read again.
TEST_P(CpuSearch, WritesWhatCanBeRead) {
  ParsedGroup group(chainIR(GetParam(), typeOf(GetParam())));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), *lookupChip("x86-64-v3"), reason);
  ASSERT_TRUE(found) << reason;
  std::string text = textOf(group, *found);
  ScheduledGroup again(chainIR(GetParam(), typeOf(GetParam())), text);
  ASSERT_TRUE(again.schedule) << again.reason;
  EXPECT_EQ(again.schedule->tiles, found->schedule.tiles);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, CpuSearch,
    ::testing::Values(std::vector<int64_t>{16, 16, 16},
                      std::vector<int64_t>{1, 1, 1, 1},
                      std::vector<int64_t>{100, 40, 72, 24},
                      std::vector<int64_t>{512, 64, 256, 64},
                      std::vector<int64_t>{64, 48, 80, 32, 96},
                      std::vector<int64_t>{100000, 8, 8, 8}));

// The descents end near the best of all loops, tiles and packed operands.
TEST(CpuSearchQuality, IsNearTheBest) {
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{96, 64, 80}, {512, 40, 256}, {40, 700, 30}}) {
    ParsedGroup group(chainIR(sizes, typeOf(sizes)));
    ASSERT_TRUE(group.axes) << group.reason;
    std::string reason;
    SearchOptions options;
    auto found = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(found) << reason;
    options.method = SearchMethod::Exhaustive;
    auto best = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(best) << reason;
    EXPECT_TRUE(best->isProven);
    EXPECT_LE(found->cost.total, 1.03 * best->cost.total);
  }
}

// A rough search takes fewer candidates, for a time that is not far off.
TEST(CpuSearchQuality, RoughSearchIsNear) {
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  ParsedGroup group(chainIR({512, 64, 512, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  SearchOptions options;
  auto found = searchSchedule(group.model(), chip, reason, options);
  options.isRough = true;
  auto rough = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(found && rough) << reason;
  EXPECT_LT(rough->candidates, found->candidates);
  EXPECT_LE(rough->cost.total, 1.1 * found->cost.total);
}

TEST(CpuSearchQuality, LargeProductsUseAllCores) {
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  ParsedGroup group(chainIR({1024, 512, 1024}, "f32"));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), chip, reason);
  ASSERT_TRUE(found) << reason;
  EXPECT_GE(found->footprint.blocks, int64_t(chip.cpu->cores));
  double flops = 2.0 * 1024 * 512 * 1024;
  EXPECT_LT(found->cost.total, 1.3 * flops / chip.f32FlopsPerSecond);
}

// An RHS without unit stride is packed.
TEST(CpuSearchQuality, TransposedOperandsArePacked) {
  ParsedGroup group(R"(
    func.func @f(%a: tensor<128x64xf32>, %b: tensor<256x64xf32>)
        -> tensor<128x256xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<128x256xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x256xf32>)
          -> tensor<128x256xf32>
      %c = linalg.matmul indexing_maps = [
          affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
          affine_map<(m, n, k) -> (m, n)>]
          ins(%a, %b : tensor<128x64xf32>, tensor<256x64xf32>)
          outs(%f : tensor<128x256xf32>) -> tensor<128x256xf32>
      return %c : tensor<128x256xf32>
    })");
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto found = searchSchedule(group.model(), *lookupChip("x86-64-v3"), reason);
  ASSERT_TRUE(found) << reason;
  const ContractionMapping &mapping = found->schedule.contractions.front();
  unsigned rhs = group.tensor(mapping.swapped ? "A" : "B");
  EXPECT_EQ(found->schedule.places[rhs].space, fuse::Space::Packed);
}

TEST(CpuSearchQuality, SeedsDrawLegalSchedules) {
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  ParsedGroup group(chainIR({100, 40, 72, 24}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::set<std::string> texts;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SearchOptions options;
    options.randomSeed = seed;
    std::string reason;
    auto found = searchSchedule(group.model(), chip, reason, options);
    ASSERT_TRUE(found) << reason;
    EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip),
              std::nullopt);
    texts.insert(textOf(group, *found));
  }
  EXPECT_GT(texts.size(), 15u);
}

TEST(CpuSearchQuality, RankingIsInOrder) {
  ParsedGroup group(chainIR({512, 64, 512, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  SearchOptions options;
  options.ranked = 8;
  auto found =
      searchSchedule(group.model(), *lookupChip("x86-64-v3"), reason, options);
  ASSERT_TRUE(found) << reason;
  ASSERT_EQ(found->ranking.size(), 8u);
  std::set<std::string> texts;
  double last = 0;
  for (const CostedSchedule &costed : found->ranking) {
    EXPECT_GE(costed.modelSeconds, last);
    last = costed.modelSeconds;
    std::string text;
    llvm::raw_string_ostream(text)
        << exportSchedule(costed.schedule, group.model(), &group.context);
    EXPECT_TRUE(texts.insert(text).second);
  }
}

TEST(CpuSearchQuality, SaysWhatCpusDoNotHave) {
  ParsedGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  const ChipInfo &chip = *lookupChip("x86-64-v3");
  SearchOptions paper, evolution;
  paper.space = SpaceKind::Paper;
  evolution.method = SearchMethod::Evolutionary;
  std::string reason;
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason, paper));
  EXPECT_EQ(reason, "space 'paper' is not offered for x86-64-v3, which is a "
                    "CPU");
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason, evolution));
  EXPECT_EQ(reason, "the evolutionary search is not offered for x86-64-v3, "
                    "which is a CPU");
}

} // namespace
