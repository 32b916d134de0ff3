//===- PaperOrderTest.cpp -------------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/PaperOrder.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace fusion;

namespace {

const ChipInfo &chip() { return *lookupChip("sm_80"); }

PaperSpace makeSpace(const GroupModel &group,
                     const PaperSpaceOptions &options) {
  std::string reason;
  auto space = PaperSpace::create(group, chip(), options, reason);
  EXPECT_TRUE(space) << reason;
  return std::move(*space);
}

PaperOrder inOrder(const GroupModel &group, const PaperSpace &space,
                   size_t maxBranches = PaperOrder::kNoLimit) {
  return PaperOrder(
      group, space,
      [&](unsigned expression, llvm::ArrayRef<int64_t> least,
          llvm::ArrayRef<int64_t> most) {
        return space.model(expression, least).predictAtLeast(least, most).total;
      },
      maxBranches);
}

// All of the space comes out, sorted by time, of equals by tiles and
// expression.
TEST(PaperOrder, IsThatOfAList) {
  for (llvm::SmallVector<int64_t, 6> sizes :
       {llvm::SmallVector<int64_t, 6>{1024, 512, 1024, 512},
        {208, 80, 208, 80},
        {96, 64, 48, 80, 32}})
    for (PaddingRule padding :
         {PaddingRule::Printed, PaddingRule::LeastOfTrips}) {
      GroupModel group = makeChainModel({sizes});
      PaperSpaceOptions options;
      options.padding = padding;
      PaperSpace space = makeSpace(group, options);
      std::vector<PaperOrder::Costed> listed;
      space.forEachTiles([&](llvm::ArrayRef<int64_t> tiles) {
        PaperCandidate candidate;
        llvm::copy(tiles, candidate.tiles.begin());
        for (unsigned each = 0; each < space.expressions().size(); ++each) {
          candidate.expression = each;
          listed.push_back({candidate, space.estimate(candidate)});
        }
      });
      std::stable_sort(
          listed.begin(), listed.end(),
          [](const auto &a, const auto &b) { return a.seconds < b.seconds; });
      PaperOrder order = inOrder(group, space);
      for (const PaperOrder::Costed &expected : listed) {
        auto next = order.next();
        ASSERT_TRUE(next);
        ASSERT_EQ(next->seconds, expected.seconds);
        ASSERT_EQ(next->candidate, expected.candidate);
      }
      EXPECT_FALSE(order.next());
      EXPECT_FALSE(order.hasGivenUp());
      EXPECT_EQ(order.candidates(), static_cast<int64_t>(listed.size()));
    }
}

TEST(PaperOrder, LooksAtFewForTheBest) {
  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  PaperSpaceOptions options;
  options.padding = PaddingRule::None;
  PaperSpace space = makeSpace(group, options);
  auto fits = [&](const McFuserModel &model, llvm::ArrayRef<int64_t> tiles) {
    return model.sharedMemory(tiles, FootprintUnit::Bytes) <=
           chip().sharedMemoryPerBlock;
  };
  auto listed = space.searchExhaustively(fits);
  auto found = searchFitting(group, space, chip());
  ASSERT_TRUE(listed && found);
  EXPECT_EQ(found->seconds, listed->seconds);
  EXPECT_EQ(found->candidate, listed->candidate);
  PaperOrder order = inOrder(group, space);
  auto first = order.next();
  auto all = space.searchExhaustively();
  ASSERT_TRUE(first && all);
  EXPECT_EQ(first->candidate, all->candidate);
  EXPECT_LT(order.candidates() * 4, static_cast<int64_t>(all->visited));
}

TEST(PaperOrder, GivesUp) {
  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  PaperSpaceOptions options;
  options.padding = PaddingRule::None;
  PaperSpace space = makeSpace(group, options);
  PaperOrder order = inOrder(group, space, 100);
  EXPECT_FALSE(order.next());
  EXPECT_TRUE(order.hasGivenUp());
  EXPECT_FALSE(searchFitting(group, space, chip(), 100));
}

} // namespace
