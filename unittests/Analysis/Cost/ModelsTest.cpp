//===- ModelsTest.cpp - The models that can judge a schedule --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/Models.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Analysis/Cost/McFuserModel.h"

using namespace fusion;
using namespace fusion::test;

namespace {

TEST(Models, HaveNames) {
  for (ModelKind kind : allModels())
    EXPECT_EQ(lookupModel(name(kind)), kind);
  EXPECT_EQ(lookupModel("best"), std::nullopt);
  EXPECT_EQ(knownModelNames(),
            "default, mcfuser, chimera-printed, chimera-obs2, alcop");
}

// Each is what its own header computes, of the same schedule.
TEST(Models, JudgeTheSameSchedule) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  const Schedule &schedule = *group.schedule;
  const ChipInfo &chip = *lookupChip("sm_80");
  std::string reason;
  auto seconds = [&](ModelKind kind) {
    auto value = predictSeconds(kind, group.model(), schedule, chip, reason);
    EXPECT_TRUE(value) << name(kind).str() << ": " << reason;
    return value.value_or(0);
  };
  Footprint footprint = computeFootprint(group.model(), schedule);
  EXPECT_EQ(seconds(ModelKind::Default),
            predictCost(group.model(), schedule, footprint, chip).total);
  EXPECT_EQ(seconds(ModelKind::Alcop),
            predictPipeline(group.model(), schedule, footprint, chip,
                            PipelineForm::Printed)
                .kernel);
  EXPECT_EQ(seconds(ModelKind::McFuser),
            predictMcFuser(group.model(), schedule.tree, schedule.tiles,
                           schedule.blocks, chip, reason)
                ->total);
  // mhnk with tiles of 32: A moves twice for n, and for each h as well where
  // all outer loops count; B for each m, by that reading for each h too; D for
  // each m; E in each of n's iterations.
  double once = 64 * 64 * 2 / chip.dramBytesPerSecond;
  EXPECT_NEAR(seconds(ModelKind::ChimeraPrinted), once * (2 + 2 + 2) + 2 * once,
              1e-15);
  EXPECT_NEAR(seconds(ModelKind::ChimeraObs2), once * (4 + 4 + 2) + 2 * once,
              1e-15);
}

TEST(Models, ChimerasBlockHoldsItsOperators) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  ChipInfo chip = *lookupChip("sm_80");
  chip.sharedMemoryPerBlock = 3 * 32 * 32 * 2 - 1;
  std::string reason;
  EXPECT_FALSE(predictSeconds(ModelKind::ChimeraObs2, group.model(),
                              *group.schedule, chip, reason));
  EXPECT_EQ(reason,
            "an operator's tiles (MU) take 6144 bytes; a block of sm_80 "
            "has 6143");
}

// Loops of one iteration end no reuse; a loop that is opened again counts where
// it opens first.
TEST(Models, ExecutionOrder) {
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  auto order = [&](const char *text) {
    auto tree = parseTiling(text, group.model(), [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    std::string names;
    for (unsigned axis : executionOrder(group.model(), *tree))
      names += group.model().axes[axis].name;
    return names;
  };
  EXPECT_EQ(order("mh(n(k(LA,LB,CC),LD,CE),SE)"), "mhnk");
  EXPECT_EQ(order("m(n(LA,LB,CC,LD,CE),SE)"), "khmn");
  EXPECT_EQ(order("mh(k(LA,n(LB,CC)),n(LD,CE),SE)"), "mhkn");
}

} // namespace
