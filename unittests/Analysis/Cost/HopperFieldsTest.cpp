//===- HopperFieldsTest.cpp - Costs of Hopper's fields of schedules -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Persistence, clusters, producer warps and cross-iteration overlap: each moves
// the terms that it should, in the right direction, and no other; and changes
// nothing where there is nothing to gain.

#include "ScheduledGroup.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Schedules/TMASupport.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// Stages for the operands of the loop over k.
void setStages(ScheduledGroup &group, unsigned stages) {
  group.place("A").stages = group.place("B").stages = stages;
}

class HopperFields : public ::testing::Test {
protected:
  explicit HopperFields(llvm::ArrayRef<int64_t> sizes = {4096, 256, 4096})
      : group(chainIR(sizes), kProductSchedule), chip(*lookupChip("sm_90a")) {
    setStages(group, 4);
  }

  Cost cost() {
    EXPECT_EQ(whyImpossible(group.model(), *group.schedule, chip),
              std::nullopt);
    return predictCost(group.model(), *group.schedule, footprint(), chip);
  }
  Footprint footprint() {
    return computeFootprint(group.model(), *group.schedule);
  }
  std::string impossible() {
    return whyImpossible(group.model(), *group.schedule, chip)
        .value_or("possible");
  }

  ScheduledGroup group;
  ChipInfo chip;
};

TEST_F(HopperFields, PersistenceHidesFirstLoads) {
  Cost blocks = cost();
  ASSERT_GT(blocks.waves, 1);
  group.schedule->persistent = true;
  Cost tiles = cost();
  EXPECT_LT(tiles.pipeline, blocks.pipeline);
  EXPECT_EQ(tiles.dram, blocks.dram);
  EXPECT_EQ(tiles.l2, blocks.l2);
  EXPECT_EQ(tiles.compute, blocks.compute);
  EXPECT_EQ(whyNotLowered(*group.schedule),
            "'persistent' without 'producers' is not lowered: a block would "
            "load its next tile when it has stored the last one");
  group.schedule->producerWarps = 4;
  EXPECT_EQ(whyNotLowered(*group.schedule), std::nullopt);
}

TEST_F(HopperFields, PersistenceTakesSharedMemoryForTheResult) {
  int64_t before = footprint().sharedMemory;
  group.schedule->persistent = true;
  EXPECT_EQ(footprint().sharedMemory, before + 64 * 64 * 4);
}

TEST_F(HopperFields, PersistenceOfOneWaveIsNothing) {
  ScheduledGroup small(chainIR({512, 256, 512}), kProductSchedule);
  setStages(small, 4);
  auto pipeline = [&] {
    return predictCost(small.model(), *small.schedule,
                       computeFootprint(small.model(), *small.schedule), chip)
        .pipeline;
  };
  double blocks = pipeline();
  small.schedule->persistent = true;
  EXPECT_EQ(pipeline(), blocks);
}

// The last wave has few blocks: tiles are counted by the SM with most of them.
TEST_F(HopperFields, PersistenceCountsTilesNotWaves) {
  Cost blocks = cost();
  int64_t slots = blocks.blocksPerSM * chip.numSMs;
  ASSERT_GT(blocks.blocksPerSM, 1);
  // One more row of 64 columns than waves are full.
  int64_t rows = slots / 64 + 1;
  ScheduledGroup rest(chainIR({64 * rows, 256, 4096}), kProductSchedule);
  setStages(rest, 4);
  Footprint moved = computeFootprint(rest.model(), *rest.schedule);
  ASSERT_GT(moved.blocks, slots);
  double waves = predictPipeline(rest.model(), *rest.schedule, moved, chip,
                                 PipelineForm::Continuous)
                     .kernel;
  rest.schedule->persistent = true;
  double tiles = predictPipeline(rest.model(), *rest.schedule, moved, chip,
                                 PipelineForm::Continuous)
                     .kernel;
  EXPECT_LT(tiles, 0.8 * waves);
}

TEST_F(HopperFields, ClustersFetchCommonTilesOnce) {
  group.place("A").transport = group.place("B").transport =
      fuse::Transport::TMA;
  Cost alone = cost();
  Footprint before = footprint();
  group.schedule->cluster = 4;
  Cost together = cost();
  // A is common to blocks that are neighbours along n, and half of the bytes.
  Footprint moved = footprint();
  EXPECT_EQ(moved.globalLoadBytes, before.globalLoadBytes * 5 / 8);
  EXPECT_EQ(moved.sharedMemory, before.sharedMemory);
  EXPECT_DOUBLE_EQ(together.l2,
                   (moved.globalLoadBytes + moved.globalStoreBytes) /
                       chip.l2BytesPerSecond);
  EXPECT_LT(together.l2, alone.l2);
  EXPECT_LE(together.pipeline, alone.pipeline);
  EXPECT_EQ(together.shared, alone.shared);
  EXPECT_EQ(together.compute, alone.compute);
  EXPECT_EQ(whyNotLowered(*group.schedule), std::nullopt);
}

TEST_F(HopperFields, ClustersShareWhatIsCopiedInBulkInParts) {
  group.schedule->cluster = 4;
  EXPECT_EQ(impossible(), "the blocks of a cluster share no copies: 'A' is not "
                          "copied by TMA");
  // TMA copies of another tensor do not help.
  group.place("B").transport = fuse::Transport::TMA;
  EXPECT_EQ(impossible(), "the blocks of a cluster share no copies: 'A' is not "
                          "copied by TMA");
  EXPECT_EQ(whyNotMulticast(group.model(), *group.schedule, group.tensor("B")),
            "'B' differs between the blocks of a cluster");
  group.place("A").transport = fuse::Transport::TMA;
  EXPECT_EQ(impossible(), "possible");
  EXPECT_TRUE(isMulticast(group.model(), *group.schedule, group.tensor("A")));
  EXPECT_FALSE(isMulticast(group.model(), *group.schedule, group.tensor("B")));
  group.setTile("m", 32);
  EXPECT_EQ(impossible(), "possible");
  group.schedule->cluster = 8;
  EXPECT_EQ(impossible(),
            "the blocks of a cluster share no copies: the tile of 'A' has 32 "
            "rows, which 8 blocks do not share in boxes of whole swizzles");
}

TEST_F(HopperFields, ClustersAreWhatTheGridAndTheChipAllow) {
  group.place("A").transport = fuse::Transport::TMA;
  group.schedule->cluster = 4;
  EXPECT_EQ(impossible(), "possible");
  group.schedule->cluster = 16;
  EXPECT_EQ(impossible(), "a cluster of sm_90a has at most 8 blocks, not 16");
  group.schedule->cluster = 3;
  EXPECT_EQ(impossible(),
            "clusters of 3 blocks do not divide the blocks along 'n'");
  group.schedule->cluster = 4;
  group.schedule->blockSwizzle = 6;
  EXPECT_EQ(impossible(),
            "clusters of 4 blocks do not divide the blocks along 'n'");
  group.schedule->blockSwizzle = 1;
  chip.hasMulticast = false;
  EXPECT_EQ(impossible(),
            "sm_90a has no multicast of its own speed, by which the blocks of "
            "a cluster share what they copy");
  chip = *lookupChip("sm_80");
  EXPECT_EQ(impossible(), "sm_80 has no clusters");
}

// Whole clusters go through tiles: of 132 SMs, 128 are those of clusters of 8.
TEST_F(HopperFields, PersistentClustersTakeTheSMsThatTheyFill) {
  group.place("A").transport = group.place("B").transport =
      fuse::Transport::TMA;
  group.schedule->producerWarps = 4;
  group.schedule->cluster = 8;
  Cost blocks = cost();
  ASSERT_GT(blocks.waves, 1);
  group.schedule->persistent = true;
  EXPECT_EQ(whyNotLowered(*group.schedule), std::nullopt);
  Cost tiles = cost();
  EXPECT_LT(tiles.pipeline, blocks.pipeline);
  EXPECT_EQ(tiles.l2, blocks.l2);
  PipelineLatency own =
      predictPipeline(group.model(), *group.schedule, footprint(), chip,
                      PipelineForm::Continuous);
  // 64 x 64 tiles; in this many rounds by what a tile takes behind the first.
  double slots = residentSlots(*group.schedule, own.residentBlocks, chip);
  // Clusters do not cross the two GPCs of 18 SMs and the six of 16.
  int64_t ofLarge = own.residentBlocks * 18 / 8,
          ofSmall = own.residentBlocks * 16 / 8;
  ASSERT_EQ(slots, (2 * ofLarge + 6 * ofSmall) * 8);
  double rounds =
      std::ceil(4096 * own.residentBlocks / slots) / own.residentBlocks;
  double meet = 2 * chip.clusterLatency;
  EXPECT_NEAR(own.kernel,
              own.block + (rounds - 1) *
                              (own.main +
                               std::max(own.init - meet, own.epilogue - meet)),
              1e-12);
}

constexpr const char *kOverlapped = R"x(#fuse.schedule<version = 2,
  tiling = <"m(LA,n(LB,CC,LD,CE),SE)", {m = 64, n = 64, k = 64, h = 64}>,
  mapping = <warps = 4, blocks = ["m"], operators = {
    C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>,
    E = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "h", r1 = "n", warps = [4, 1]>}>,
  memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>,
             D = #fuse.place<shared, tma>, E = #fuse.place<shared>}>,
  pipeline = <{B = 2, D = 2}>>)x";

// The work on the scores overlaps with the other contraction, in all iterations
// but the first.
TEST(OverlappedProducts, HideWhatIsComputedBetween) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), kOverlapped);
  auto predict = [&] {
    EXPECT_EQ(checkSchedule(chain.model(), *chain.schedule, chip),
              std::nullopt);
    return predictCost(chain.model(), *chain.schedule,
                       computeFootprint(chain.model(), *chain.schedule), chip);
  };
  Cost apart = predict();
  Footprint before = computeFootprint(chain.model(), *chain.schedule);
  chain.schedule->contractions[1].stages = 2;
  Cost beside = predict();
  Footprint after = computeFootprint(chain.model(), *chain.schedule);
  ASSERT_EQ(after.overlaps.size(), 1u);
  EXPECT_EQ(after.overlaps[0].contraction, 1u);
  // 15 of 16 iterations, half of the multiply-adds.
  EXPECT_EQ(after.overlaps[0].flops, 4096. * 1024 * 64 * 2 * 15 / 16);
  EXPECT_EQ(after.overlaps[0].scalar.plain, before.scalar.plain * 15 / 16);
  EXPECT_GT(after.registers, before.registers);
  EXPECT_LT(beside.compute, apart.compute);
  EXPECT_LT(beside.pipeline, apart.pipeline);
  EXPECT_EQ(beside.l2, apart.l2);
  EXPECT_EQ(beside.shared, apart.shared);
}

TEST(OverlappedProducts, AreWhatTheLoopAllows) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  const std::string who =
      "'E' cannot overlap with the next iteration's contractions: ";
  auto why = [&](llvm::StringRef text, auto change) {
    ScheduledGroup chain(chainIR({4096, 64, 1024, 64}), text);
    chain.schedule->contractions[1].stages = 2;
    change(chain);
    return checkSchedule(chain.model(), *chain.schedule, chip)
        .value_or("possible");
  };
  EXPECT_EQ(why(kOverlapped, [](ScheduledGroup &) {}), "possible");
  EXPECT_EQ(why(kOverlapped,
                [](ScheduledGroup &group) { group.place("D").stages = 1; }),
            who + "'D' has one stage");
  EXPECT_EQ(why(kOverlapped,
                [](ScheduledGroup &group) {
                  group.place("D").transport = fuse::Transport::Async16;
                }),
            who + "'D' is not copied by TMA");
  EXPECT_EQ(why(kOverlapped,
                [](ScheduledGroup &group) {
                  group.place("B").transport = fuse::Transport::Async16;
                }),
            who + "'B' is prefetched by copies of threads");
  EXPECT_EQ(why(kOverlapped,
                [](ScheduledGroup &group) {
                  group.setTiling("m(n(k(LA,LB,CC),LD,CE),SE)");
                  group.setTile("k", 32);
                  group.place("B").stages = 1;
                }),
            who + "the A operand of its MMA is computed in other loops");
  EXPECT_EQ(why(kOverlapped,
                [](ScheduledGroup &group) {
                  group.schedule->contractions[0].stages = 2;
                }),
            "'C' cannot overlap with the next iteration's contractions: it is "
            "complete in each iteration");
}

// A contraction of loaded operands, of whose reduction a block has 16 tiles.
constexpr const char *kSum = R"x(#fuse.schedule<version = 2,
  tiling = <"mn(k(LA,LB,CC),SC)", {m = 128, n = 64, k = 64}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>}>,
  memory = <{A = #fuse.place<shared, tma>, B = #fuse.place<shared, tma>, C = #fuse.place<shared, tma>}>,
  pipeline = <{A = 4, B = 4}>>)x";

// MMAs in flight are waited for once for the loop, and its copies have a stage
// less: as many stages as iterations do not have to be filled again.
TEST(SumsInFlight, WaitOnce) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  auto predict = [&](unsigned stages, unsigned accumulators) {
    ScheduledGroup product(chainIR({4096, 1024, 4096}), kSum);
    for (const char *operand : {"A", "B"})
      product.place(operand).stages = stages;
    product.schedule->contractions[0].stages = accumulators;
    EXPECT_EQ(checkSchedule(product.model(), *product.schedule, chip),
              std::nullopt);
    Footprint footprint = computeFootprint(product.model(), *product.schedule);
    EXPECT_TRUE(footprint.overlaps.empty());
    return predictPipeline(product.model(), *product.schedule, footprint, chip,
                           PipelineForm::Continuous);
  };
  PipelineLatency drained = predict(4, 1), inFlight = predict(4, 2);
  double latency =
      chip.sharedLatency + lookupIntrinsic("wgmma.m64k16")->latency(chip);
  // Blocks of an SM wait while others multiply.
  EXPECT_NEAR(drained.loops[0].use - inFlight.loops[0].use,
              latency * 15 / 16 / drained.residentBlocks, 1e-12);
  EXPECT_EQ(drained.loops[0].stages, 4u);
  EXPECT_EQ(inFlight.loops[0].stages, 3u);
}

TEST(SumsInFlight, AreWhatTheLoopAllows) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  const std::string who =
      "'C' cannot overlap with the next iteration's contractions: ";
  auto why = [&](auto change) {
    ScheduledGroup product(chainIR({4096, 1024, 4096}), kSum);
    product.schedule->contractions[0].stages = 2;
    change(product);
    return checkSchedule(product.model(), *product.schedule, chip)
        .value_or("possible");
  };
  EXPECT_EQ(why([](ScheduledGroup &) {}), "possible");
  EXPECT_EQ(why([](ScheduledGroup &group) {
              for (const char *operand : {"A", "B"})
                group.place(operand).stages = 1;
            }),
            who + "'A' has one stage");
  EXPECT_EQ(why([](ScheduledGroup &group) {
              group.place("A").transport = fuse::Transport::Async16;
            }),
            who + "'A' is not copied by TMA");
}

// First loads of the inner loop are waited for anew in each iteration of the
// outer one.
// No second launch, and no bytes but the result's.
TEST(PartsInClusters, SaveALaunchAndWhatItMoves) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ScheduledGroup group(chainIR({128, 4096, 128}), kProductSchedule);
  group.place("C").space = fuse::Space::Registers;
  setStages(group, 2);
  constexpr int64_t parts = 4, bytes = 128 * 128 * 4, tile = 64 * 64 * 4;
  unsigned k = *group.model().findAxis("k");
  group.schedule->splits.assign(group.model().axes.size(), 1);
  group.schedule->splits[k] = parts;
  auto predict = [&] {
    EXPECT_EQ(checkSchedule(group.model(), *group.schedule, chip),
              std::nullopt);
    Footprint footprint = computeFootprint(group.model(), *group.schedule);
    return std::make_pair(footprint, predictCost(group.model(), *group.schedule,
                                                 footprint, chip));
  };
  auto [stored, storedCost] = predict();
  group.schedule->splitInCluster = true;
  auto [exchanged, exchangedCost] = predict();
  EXPECT_EQ(group.schedule->clusterBlocks(), parts);
  EXPECT_EQ(exchanged.blocks, stored.blocks);
  EXPECT_EQ(exchanged.globalLoadBytes, stored.globalLoadBytes);
  EXPECT_EQ(stored.globalStoreBytes, parts * bytes);
  EXPECT_EQ(exchanged.globalStoreBytes, bytes);
  EXPECT_EQ(exchanged.sharedTraffic,
            stored.sharedTraffic + 2 * exchanged.blocks * tile);
  EXPECT_GT(storedCost.splitReduction, chip.launchOverhead);
  EXPECT_EQ(exchangedCost.splitReduction, 0);
  EXPECT_GT(exchangedCost.pipeline, storedCost.pipeline);
  EXPECT_LT(exchangedCost.total, storedCost.total);
}

TEST_F(HopperFields, ProducersRunAheadOfInnerLoops) {
  ScheduledGroup nest(chainIR({512, 256, 1024, 512}), kNestSchedule);
  ASSERT_TRUE(nest.schedule) << nest.reason;
  setStages(nest, 3);
  auto cost = [&] {
    return predictCost(nest.model(), *nest.schedule,
                       computeFootprint(nest.model(), *nest.schedule), chip);
  };
  auto setTransport = [&](fuse::Transport transport) {
    for (unsigned tensor : listCopied(nest.model(), *nest.schedule))
      nest.schedule->places[tensor].transport = transport;
  };
  // What threads copy nobody copies ahead for them.
  double byThreads = cost().pipeline;
  nest.schedule->producerWarps = 1;
  EXPECT_EQ(cost().pipeline, byThreads);
  nest.schedule->producerWarps = 0;
  setTransport(fuse::Transport::TMA);
  Cost without = cost();
  nest.schedule->producerWarps = 1;
  Cost with = cost();
  EXPECT_LT(with.pipeline, without.pipeline);
  EXPECT_EQ(with.l2, without.l2);
  EXPECT_EQ(with.compute, without.compute);
  EXPECT_EQ(with.shared, without.shared);
}

// Warps that produce take the room of blocks.
TEST_F(HopperFields, ProducersTakeRoom) {
  ASSERT_TRUE(group.schedule) << group.reason;
  chip.sharedMemoryPerSM = 1u << 30; // not the limit here
  int64_t without = blocksPerSM(*group.schedule, footprint(), chip);
  group.schedule->producerWarps = 8;
  int64_t with = blocksPerSM(*group.schedule, footprint(), chip);
  EXPECT_LT(with, without);
  chip.hasRegisterReallocation = false;
  EXPECT_LT(blocksPerSM(*group.schedule, footprint(), chip), with);
}

// Whole warpgroups leave their registers to the others, whose rest is
// divided in steps of eight.
TEST_F(HopperFields, RegistersAreDealtOutAmongGroupsOfWarps) {
  EXPECT_FALSE(registerBudgets(4, 0, 1, chip));
  EXPECT_FALSE(registerBudgets(4, 1, 1, chip));
  EXPECT_FALSE(registerBudgets(6, 4, 1, chip));
  std::optional<RegisterBudgets> dealt = registerBudgets(8, 4, 1, chip);
  ASSERT_TRUE(dealt);
  // 65536 / 384 threads, and what 128 of them leave of 24 each.
  EXPECT_EQ(dealt->atFirst, 168);
  EXPECT_EQ(dealt->producer, 24);
  EXPECT_EQ(dealt->consumer, 240);
  dealt = registerBudgets(8, 4, 2, chip);
  ASSERT_TRUE(dealt);
  EXPECT_EQ(dealt->atFirst, 80);
  EXPECT_EQ(dealt->consumer, 104);
  // Nobody can have less than the least.
  EXPECT_FALSE(registerBudgets(8, 4, 8, chip));
}

// A thirteenth warp takes registers of the part of the SM that has four.
TEST_F(HopperFields, OneProducerTakesThePlaceOfFour) {
  EXPECT_EQ(allocatedWarps(12, 1), 16);
  EXPECT_EQ(allocatedWarps(12, 4), 16);
  EXPECT_EQ(allocatedWarps(6, 0), 6);
}

TEST_F(HopperFields, ProducersAreWhatTheChipAllows) {
  group.schedule->producerWarps = 28;
  EXPECT_EQ(impossible(), "no operand has TMA copies in several stages, which "
                          "producers would prefetch");
  group.place("A").transport = fuse::Transport::TMA;
  setStages(group, 1);
  EXPECT_EQ(impossible(), "no operand has TMA copies in several stages, which "
                          "producers would prefetch");
  setStages(group, 4);
  EXPECT_EQ(impossible(), "possible");
  group.schedule->producerWarps = 29;
  EXPECT_EQ(impossible(),
            "a block has at most 32 warps, not 4 and 29 producers");
  chip = *lookupChip("sm_89");
  EXPECT_EQ(impossible(), "sm_89 has no TMA copies for a producer to issue");
}

// The printed table knows none of these.
TEST_F(HopperFields, PrintedFormIsAsPrinted) {
  chip.registersPerSM = 1u << 24; // room for producers is another matter
  auto printed = [&] {
    return predictPipeline(group.model(), *group.schedule, footprint(), chip,
                           PipelineForm::Printed)
        .block;
  };
  double before = printed();
  group.schedule->producerWarps = 1;
  EXPECT_EQ(printed(), before);
}

} // namespace
