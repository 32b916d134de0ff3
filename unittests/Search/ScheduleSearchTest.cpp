//===- ScheduleSearchTest.cpp - The search for schedules ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Analysis/ScheduledGroup.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Search/ScheduleSearch.h"

using namespace fusion;
using namespace fusion::test;

namespace {

class ScheduleSearch
    : public ::testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(ScheduleSearch, FindsLegalSchedulesOnEveryChip) {
  for (const char *type : {"f16", "bf16"})
    for (const ChipInfo &chip : allChips()) {
      ParsedGroup group(chainIR(GetParam(), type));
      ASSERT_TRUE(group.axes) << group.reason;
      std::string reason;
      auto found = searchSchedule(group.model(), chip, reason);
      ASSERT_TRUE(found) << chip.name.str() << ": " << reason;
      EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip), std::nullopt);
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
  llvm::raw_string_ostream(a) << exportSchedule(first->schedule, group.model(),
                                                &group.context);
  llvm::raw_string_ostream(b) << exportSchedule(second->schedule, other.model(),
                                                &other.context);
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

TEST(ScheduleSearchSpace, SaysWhyThereIsNone) {
  ParsedGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  ChipInfo chip = *lookupChip("sm_80");
  chip.computeCapability = 75;
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason));
  EXPECT_EQ(reason, "no intrinsic of sm_80 multiplies the operands of product 'C'");
  chip = *lookupChip("sm_80");
  chip.sharedMemoryPerBlock = 64;
  EXPECT_FALSE(searchSchedule(group.model(), chip, reason));
  EXPECT_NE(reason.find("candidates is legal; the last one: "), std::string::npos)
      << reason;
  group.model().axes[0].extent = 0;
  EXPECT_FALSE(searchSchedule(group.model(), *lookupChip("sm_80"), reason));
  EXPECT_EQ(reason, "axis 'm' is empty");
}

} // namespace
