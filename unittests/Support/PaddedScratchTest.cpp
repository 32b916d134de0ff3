//===- PaddedScratchTest.cpp - Conflicts counted for every access ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/PaddedScratch.h"
#include "LayoutSpec.h"
#include "fusion/Support/TileLayouts.h"

#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;

namespace {

/// Wavefronts of a warp's accesses beyond what their bytes need.
int64_t countConflicts(const LinearLayout &layout, const AddressPlan &plan,
                       int64_t width, int64_t bytes, int64_t warps) {
  int64_t conflicts = 0, turns = std::max<int64_t>(1, width * bytes / 4);
  for (int64_t reg = 0; reg < layout.inSize(D::Register); reg += width)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t turn = 0; turn < turns; ++turn) {
        std::map<int64_t, std::set<int64_t>> banks;
        for (int64_t lane = turn * 32 / turns; lane < (turn + 1) * 32 / turns;
             ++lane) {
          int64_t first = plan.evaluate(reg, lane, warp) * bytes;
          EXPECT_EQ(first % std::min<int64_t>(width * bytes, 8), 0);
          for (int64_t at = first; at < first + width * bytes; ++at)
            banks[at / 4 % 32].insert(at / 4);
        }
        for (auto &[bank, words] : banks)
          conflicts = std::max<int64_t>(conflicts, words.size() - 1);
      }
  return conflicts;
}

/// The same element lies at the same place, and different ones do not.
int64_t check(const LinearLayout &from, const LinearLayout &to, int64_t bytes,
              int64_t warps) {
  std::optional<PaddedScratch> scratch = planPadded(from, to, bytes);
  EXPECT_TRUE(scratch);
  if (!scratch)
    return -1;
  EXPECT_EQ(countPadded(from, to, bytes), scratch->elements);
  std::map<llvm::SmallVector<int64_t>, int64_t> places;
  std::set<int64_t> taken;
  for (auto [layout, plan] :
       {std::pair(&from, &scratch->from), std::pair(&to, &scratch->to)})
    for (int64_t reg = 0; reg < layout->inSize(D::Register); ++reg)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t warp = 0; warp < warps; ++warp) {
          int64_t at = plan->evaluate(reg, lane, warp);
          EXPECT_GE(at, 0);
          EXPECT_LT(at, scratch->elements);
          auto [it, isNew] =
              places.insert({layout->coords(reg, lane, warp), at});
          EXPECT_EQ(it->second, at);
          if (isNew)
            EXPECT_TRUE(taken.insert(at).second);
        }
  for (auto [plan, width] : {std::pair(&scratch->from, scratch->fromWidth),
                             std::pair(&scratch->to, scratch->toWidth)})
    for (int64_t reg = 0; reg < int64_t(plan->registers.size()); reg += width)
      for (int64_t i = 1; i < width; ++i)
        EXPECT_EQ(plan->evaluate(reg + i, 0, 0), plan->evaluate(reg, 0, 0) + i);
  return std::max(
      countConflicts(from, scratch->from, scratch->fromWidth, bytes, warps),
      countConflicts(to, scratch->to, scratch->toWidth, bytes, warps));
}

TEST(PaddedScratch, TurnsTilesWithoutConflicts) {
  for (int64_t bytes : {1, 2, 4, 8})
    for (int64_t vector : {int64_t(1), 16 / bytes})
      for (int64_t warps : {1, 4})
        for (auto [rows, columns] :
             {std::pair(32, 32), std::pair(64, 128), std::pair(8, 256),
              std::pair(128, 16), std::pair(96, 160)}) {
          LinearLayout from = blocked({rows, columns}, {1, 0}, vector, warps),
                       to = blocked({rows, columns}, {0, 1}, vector, warps);
          EXPECT_EQ(check(from, to, bytes, warps), 0)
              << rows << " x " << columns << " of " << bytes << " bytes, "
              << vector << " at a time, " << warps << " warps";
        }
}

TEST(PaddedScratch, TurnsTilesOfAnyRank) {
  std::vector<std::vector<unsigned>> orders = {{2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
  for (int64_t bytes : {2, 4})
    for (const auto &a : orders)
      for (const auto &b : orders) {
        LinearLayout from = blocked({8, 16, 32}, a, 16 / bytes, 2),
                     to = blocked({8, 16, 32}, b, 16 / bytes, 2);
        EXPECT_EQ(check(from, to, bytes, 2), 0) << from.str() << to.str();
      }
}

TEST(PaddedScratch, OddSizesAndReplicas) {
  LinearLayout from = blocked({3, 5, 7}, {2, 1, 0}, 4, 2),
               to = blocked({3, 5, 7}, {0, 1, 2}, 4, 2);
  check(from, to, 4, 2);
  check(blocked({6, 20}, {1, 0}, 4, 1), blocked({6, 20}, {0, 1}, 4, 1), 2, 1);
}

TEST(PaddedScratch, RefusesWhatHasNoCommonDigits) {
  LinearLayout a = layoutOf("lane: 3*[1]; register: 2*[3] -> [6]"),
               b = layoutOf("lane: 2*[1]; register: 3*[2] -> [6]");
  EXPECT_FALSE(planPadded(a, b, 4));
  EXPECT_FALSE(countPadded(a, b, 4));
}

} // namespace
