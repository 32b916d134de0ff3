//===- IterationOverlapTest.cpp - MMAs beside other work ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledGroup.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"

using namespace fusion;
using namespace fusion::test;

namespace {

constexpr const char *kPingPong = R"x(#fuse.schedule<version = 2,
  tiling = <"m(LA,n(LB,CC,LD,CE),SE)", {m = 128, n = 64, k = 64, h = 64}>,
  mapping = <warps = 8, blocks = ["m"], operators = {
    C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>,
    E = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "h", r1 = "n", warps = [8, 1]>}>,
  memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>,
             D = #fuse.place<shared, tma>, E = #fuse.place<shared>}>,
  pipeline = <{B = 2, D = 2}>, parallel = <{}, producers = 4, ping_pong = true>>)x";

struct PingPong : ::testing::Test {
  Cost cost(ScheduledGroup &chain) {
    EXPECT_EQ(checkSchedule(chain.model(), *chain.schedule, chip),
              std::nullopt);
    return predictCost(chain.model(), *chain.schedule,
                       computeFootprint(chain.model(), *chain.schedule), chip);
  }
  const ChipInfo &chip = *lookupChip("sm_90a");
};

} // namespace

// Of 16 iterations 15 compute under the products of the other group, of which
// both count.
TEST_F(PingPong, HideWhatIsComputedUnderBothProducts) {
  ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), kPingPong);
  Footprint turns = computeFootprint(chain.model(), *chain.schedule);
  ASSERT_EQ(turns.overlaps.size(), 1u);
  EXPECT_EQ(turns.overlaps[0].flops, 2 * 4096. * 1024 * 64 * 2 * 15 / 16);
  EXPECT_EQ(turns.overlaps[0].scalar.plain, turns.scalar.plain * 15 / 16);
  // Two groups in each of 16 iterations of 32 blocks.
  EXPECT_EQ(turns.overlaps[0].waits, 32 * 16 * 2);
  chain.schedule->contractions[1].stages = 2;
  Cost both = cost(chain);
  EXPECT_EQ(computeFootprint(chain.model(), *chain.schedule).overlaps[0].waits,
            0);
  chain.schedule->isPingPong = false;
  Cost beside = cost(chain);
  chain.schedule->contractions[1].stages = 1;
  Cost apart = cost(chain);
  EXPECT_LE(both.compute, beside.compute);
  EXPECT_LT(beside.compute, apart.compute);
  EXPECT_EQ(both.l2, apart.l2);
}

TEST_F(PingPong, AreReadAndWritten) {
  ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), kPingPong);
  EXPECT_TRUE(chain.schedule->isPingPong);
  fuse::ScheduleAttr written =
      exportSchedule(*chain.schedule, chain.model(), chain.attr.getContext());
  EXPECT_TRUE(written.getParallel().getPingPong());
}

TEST_F(PingPong, AreOfGroupsThatWaitForNobody) {
  const std::string what = "warpgroups cannot alternate on the tensor cores: ";
  auto why = [&](auto change) {
    ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), kPingPong);
    change(chain);
    return checkSchedule(chain.model(), *chain.schedule, chip)
        .value_or("possible");
  };
  EXPECT_EQ(why([](ScheduledGroup &) {}), "possible");
  EXPECT_EQ(
      why([](ScheduledGroup &group) { group.schedule->producerWarps = 0; }),
      "'ping_pong' without 'producers' is not lowered: a group would copy, "
      "and wait for others, in its turn");
  EXPECT_EQ(why([](ScheduledGroup &group) {
              group.schedule->warps = 4;
              for (ContractionMapping &mapping : group.schedule->contractions)
                mapping.warps[0] = 4;
            }),
            what + "4 warps do not make two warpgroups of 4");
  // Other rules reject some of these as well.
  auto whyNot = [&](auto change) {
    ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), kPingPong);
    change(chain);
    return whyNotPingPong(chain.model(), *chain.schedule).value_or("possible");
  };
  EXPECT_EQ(whyNot([](ScheduledGroup &group) {
              for (ContractionMapping &mapping : group.schedule->contractions)
                mapping.warps[0] = 4, mapping.warps[1] = 2;
            }),
            what + "'C' has warpgroups side by side");
  EXPECT_EQ(why([](ScheduledGroup &group) {
              group.place("A").transport = fuse::Transport::Async16;
            }),
            what + "'A' is not copied by TMA");
  EXPECT_EQ(whyNot([](ScheduledGroup &group) {
              group.place("C").space = fuse::Space::Shared;
            }),
            what + "nothing is computed between contractions of one loop; "
                   "'C': the A operand of its MMA is not the value of an "
                   "asynchronous contraction, in registers");
}
