//===- ProfitabilityTest.cpp - Where fusing pays --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace fusion;

namespace {

double predict(const ChainShape &shape, const ChipInfo &chip) {
  std::string reason;
  auto found = searchSchedule(makeChainModel(shape), chip, reason);
  EXPECT_TRUE(found) << reason;
  return found ? found->cost.total : 0;
}

/// One kernel for each of two contractions in relation to one for both, with
/// M = N, K = H and M·N·K = 1024³ (MCFuser, figure 2), to multiples of 16.
double gain(double ratio, const ChipInfo &chip) {
  auto round = [](double size) -> int64_t {
    return std::max(16.0, 16 * std::round(size / 16));
  };
  int64_t m = round(1024 / std::cbrt(ratio)),
          k = round(1024 * std::cbrt(ratio) * std::cbrt(ratio));
  return (predict({{m, k, m}}, chip) + predict({{m, m, k}}, chip)) /
         predict({{m, k, m, k}}, chip);
}

// Fusing saves the round trip of the intermediate, M × N, and costs what is
// computed or loaded again for it. With a K of up to a sixteenth of M
// contractions are so far below the balance of every chip that the former is
// more, and from a quarter on (a half where warpgroups multiply, so much
// faster than memory that the balance is further away) so near to it that the
// latter is, from one on plainly. The round trip costs less where the kernels'
// data stays in L2.
TEST(Profitability, FusionPaysWhereTheReductionIsShort) {
  for (const char *name : {"sm_80", "sm_86", "sm_90a", "sm_120"}) {
    const ChipInfo &chip = *lookupChip(name);
    double shortest = gain(1.0 / 64, chip), shorter = gain(1.0 / 16, chip);
    constexpr int64_t bytes = 2 * 4096 * (4096 + 2 * 64);
    bool isInL2 = bytes <= chip.l2Bytes / 2;
    EXPECT_GT(shortest, isInL2 ? 1.2 : 1.5) << name;
    EXPECT_GT(shorter, 1.05) << name;
    EXPECT_GT(shortest, shorter) << name;
    for (double ratio : {chip.hasWgmma ? 0.5 : 0.25, 1.0, 4.0})
      EXPECT_LT(gain(ratio, chip), 0.95) << name << ", K/M = " << ratio;
  }
}

// Large products in a row stay apart.
TEST(Profitability, LargeProductsAreNotFused) {
  const ChipInfo &chip = *lookupChip("sm_80");
  EXPECT_LT(2 * predict({{4096, 4096, 4096}}, chip),
            predict({{4096, 4096, 4096, 4096}}, chip));
}

} // namespace
