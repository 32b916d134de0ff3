//===- PipelineModelTest.cpp - Latency of load-use loops ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/PipelineModel.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/Occupancy.h"

using namespace fusion;
using namespace fusion::test;

namespace {

constexpr PipelineForm forms[] = {PipelineForm::Printed,
                                  PipelineForm::Continuous};

// ALCOP table I, both branches by hand.
TEST(LoadUseLatency, AsPrinted) {
  auto printed = [](double load, double use, double n, double s, double m) {
    return loadUseLatency(load, use, n, s, m, PipelineForm::Printed);
  };
  // 3 · 2 - 1 = 5 uses hide a load of 5.
  EXPECT_DOUBLE_EQ(printed(5, 1, 10, 3, 2), 10);
  // They do not hide one of 6: (6 + 1) · 10 / 3.
  EXPECT_DOUBLE_EQ(printed(6, 1, 10, 3, 2), 70.0 / 3);
  // One stage alone: load and use in turn.
  EXPECT_DOUBLE_EQ(printed(4, 3, 10, 1, 1), 70);
}

TEST(LoadUseLatency, FormsAgreeWhereOneUnitRunsAlone) {
  for (double load : {0.5, 1.0, 2.0, 3.0, 7.0, 100.0})
    for (double stages : {1, 2, 3, 4, 8})
      EXPECT_DOUBLE_EQ(loadUseLatency(load, 1, 5, stages, 1, forms[0]),
                       loadUseLatency(load, 1, 5, stages, 1, forms[1]));
}

// At the load that is just hidden, the printed form jumps for more than one
// unit and ours does not.
TEST(LoadUseLatency, OursIsContinuous) {
  constexpr double stages = 2, units = 3, hidden = stages * units - 1;
  auto jump = [&](PipelineForm form) {
    return loadUseLatency(hidden + 1e-9, 1, 1, stages, units, form) -
           loadUseLatency(hidden, 1, 1, stages, units, form);
  };
  EXPECT_GT(jump(PipelineForm::Printed), 1);
  EXPECT_LT(jump(PipelineForm::Continuous), 1e-8);
}

// By hand, in cycles: 8 tiles, 500 of latency and 40 of transfer each, 30 of
// work. With a stage for each tile all copies are issued one after the other:
// the first is there after 540, the last 7 · 40 later, and is worked on. Behind
// the wait for the first that is 280 + 30. All tiles at once, before a loop
// without copies: 500 + 8 · 40 + 8 · 30 = 1060 against 540 + 310.
TEST(LoopLatency, LoadsBeforeTheLoopAreNotWaitedForAgain) {
  constexpr double latency = 500, transfer = 40, use = 30, tiles = 8;
  double loop =
      loopLatency(latency + transfer, use, tiles, tiles + 1, 1, transfer);
  EXPECT_DOUBLE_EQ(loop, 310);
  EXPECT_LT(latency + transfer + loop,
            latency + tiles * transfer + tiles * use);
  // Where work bounds it nothing but work is left.
  EXPECT_DOUBLE_EQ(loopLatency(540, 100, tiles, tiles + 1, 1, transfer), 800);
  // One stage: every load but the first is waited for.
  EXPECT_DOUBLE_EQ(loopLatency(540, use, tiles, 1, 1, transfer),
                   8 * use + 7 * 540);
}

// However large tiles, work and latencies are: a stage for each tile is no
// slower than all tiles before the loop.
TEST(LoopLatency, AStageForEachTileIsNoSlowerThanAllAtOnce) {
  for (double transfer : {1, 10, 100})
    for (double use : {1, 10, 100})
      for (double latency : {10, 100, 1000})
        for (double tiles : {1, 2, 8})
          EXPECT_LE(latency + transfer +
                        loopLatency(latency + transfer, use, tiles, tiles + 1,
                                    1, transfer),
                    latency + tiles * (transfer + use));
}

TEST(LoopLatency, MoreOverlapIsNeverSlower) {
  for (double load : {0.1, 1.0, 10.0})
    for (double iterations : {1, 3, 16})
      for (double stages = 1; stages < 20; ++stages)
        EXPECT_LE(loopLatency(load, 1, iterations, stages + 1, 2, load / 2),
                  loopLatency(load, 1, iterations, stages, 2, load / 2));
}

TEST(LoadUseLatency, MoreOverlapIsNeverSlower) {
  for (PipelineForm form : forms)
    for (double load : {0.1, 1.0, 10.0})
      for (double stages = 1; stages < 8; ++stages)
        EXPECT_LE(loadUseLatency(load, 1, 16, stages + 1, 2, form),
                  loadUseLatency(load, 1, 16, stages, 2, form));
}

/// A plain product in tiles of 64 x 64 x 32.
constexpr const char *kProduct = R"x(#fuse.schedule<version = 2,
  tiling = <"mn(k(LA,LB,CC),SC)", {m = 64, n = 64, k = 32}>,
  mapping = <warps = 4, blocks = ["m", "n"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [2, 2]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>, C = #fuse.place<shared>}>>)x";

// The lanes of a warp reduce a row by two shuffles. Warps that each hold a part
// of it pass these to each other through shared memory, between two barriers.
// Both wherever the contraction is complete.
TEST(PredictPipeline, RowsThatWarpsShareAreExchanged) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ScheduledGroup group(chainIR({64, 64, 64, 64}));
  ASSERT_TRUE(group.schedule) << group.reason;
  GroupModel reduced = group.model();
  auto axis = [&](llvm::StringRef name) {
    return llvm::find_if(reduced.axes,
                         [&](const Axis &each) { return each.name == name; }) -
           reduced.axes.begin();
  };
  unsigned m = axis("m"), n = axis("n");
  reduced.reductions.push_back(
      {/*contraction=*/0, {m}, {n}, /*elementBytes=*/4});
  Schedule schedule = *group.schedule;
  auto seconds = [&](const GroupModel &model) {
    return predictPipeline(model, schedule, computeFootprint(model, schedule),
                           chip, PipelineForm::Continuous)
        .main;
  };
  // Two tiles of n, each complete after two of k.
  double shuffles = seconds(reduced) - seconds(group.model());
  EXPECT_NEAR(shuffles,
              2 * 2 * (chip.sharedLatency + chip.fmaCycles / chip.clockHz),
              1e-12);
  schedule.contractions[0].warps[0] = 1;
  schedule.contractions[0].warps[1] = 2;
  double exchanges = seconds(reduced) - seconds(group.model()) - shuffles;
  double latencies = 2 * chip.barrierLatency + 2 * chip.sharedLatency;
  EXPECT_GE(exchanges, 2 * latencies);
  EXPECT_LT(exchanges, 3 * latencies);
  auto barriers = [&](const GroupModel &model) {
    return computeFootprint(model, schedule).barriers;
  };
  EXPECT_EQ(barriers(reduced), barriers(group.model()) + 2 * 2);
}

// Clusters leave SMs over where each has one of their blocks; several blocks on
// an SM may fill these, but never are more on an SM than it holds.
TEST(PredictPipeline, NoMoreBlocksOnAnSMThanItHolds) {
  for (const ChipInfo &chip : allGpus()) {
    ScheduledGroup group(chainIR({8192, 64, 8192}), kProduct);
    ASSERT_TRUE(group.schedule) << group.reason;
    Footprint footprint = computeFootprint(group.model(), *group.schedule);
    for (int64_t cluster : {1, 2, 4, 8})
      for (int64_t share = 1; share <= 8; ++share) {
        group.schedule->cluster = cluster;
        footprint.sharedMemory =
            chip.sharedMemoryPerSM / share - chip.sharedMemoryReserved;
        int64_t most = blocksPerSM(*group.schedule, footprint, chip);
        PipelineLatency latency =
            predictPipeline(group.model(), *group.schedule, footprint, chip,
                            PipelineForm::Continuous);
        EXPECT_LE(latency.residentBlocks, most)
            << chip.name.str() << ", clusters of " << cluster;
        EXPECT_GE(latency.residentBlocks, 1);
      }
  }
}

// ALCOP table I by hand, for one contraction whose working set is larger than
// what its blocks share.
TEST(PredictPipeline, TableIAsPrinted) {
  const ChipInfo &chip = *lookupChip("sm_80");
  constexpr int64_t m = 1024, n = 1024, k = 2048, tm = 64, tn = 64, tk = 32;
  ScheduledGroup group(chainIR({m, k, n}), kProduct);
  ASSERT_TRUE(group.schedule) << group.reason;
  for (unsigned stages : {1u, 2u, 4u}) {
    for (Placement &place : group.schedule->places)
      if (place.transport != fuse::Transport::Sync)
        place.stages = stages;
    Footprint footprint = computeFootprint(group.model(), *group.schedule);
    PipelineLatency printed = predictPipeline(
        group.model(), *group.schedule, footprint, chip, PipelineForm::Printed);
    double blocks = (m / tm) * (n / tn);
    double perSM = blocksPerSM(*group.schedule, footprint, chip);
    double batches = std::ceil(blocks / (perSM * chip.numSMs));
    double batch = std::min(blocks, perSM * chip.numSMs);
    double onSM = std::ceil(batch / chip.numSMs);
    // T_smem_load, with operands of 2 bytes an element; the result has 4.
    double bytes = 2.0 * (tm * tk + tk * tn);
    double loaded = bytes * (k / tk) * blocks;
    double workset = bytes * batch * printed.dram.loadBytes / loaded;
    double smemLoad =
        std::max(chip.l2Latency + bytes * batch / chip.l2BytesPerSecond,
                 chip.dramLatency + workset / chip.dramBytesPerSecond);
    // T_reg_load and T_compute of a step of 16, the warps being 2 by 2, which
    // leaves each the fragments of 32 rows and 32 columns.
    constexpr double warps = 4, step = 16;
    double fragments = warps * 2.0 * (32 * step + step * 32);
    double regLoad =
        chip.sharedLatency +
        fragments * onSM / (chip.sharedBytesPerClockPerSM * chip.clockHz);
    double perSecond =
        chip.tensorFlops.f16 * chip.mmaPeakFraction / chip.numSMs;
    double compute = 2.0 * tm * tn * step * onSM / perSecond;
    auto plm = [](double load, double use, double loop, double pipe,
                  double multiplexed) {
      return load <= (pipe * multiplexed - 1) * use
                 ? use * loop
                 : (load + use) * loop / pipe;
    };
    double smemUse = plm(regLoad, compute, tk / step, 1, warps);
    double main = plm(smemLoad, smemUse, k / tk, stages, onSM);
    double init = smemLoad + chip.sharedLatency;
    double epilogue =
        chip.dramLatency + 4.0 * tm * tn * batch / chip.dramBytesPerSecond;
    EXPECT_NEAR(printed.init, init, 1e-12) << stages;
    EXPECT_NEAR(printed.main, main, 1e-12) << stages;
    EXPECT_NEAR(printed.epilogue, epilogue, 1e-12) << stages;
    EXPECT_NEAR(printed.kernel, (init + main + epilogue) * batches, 1e-12);
  }
}

/// Predicted time with one stage over that with `stages`, same tiles.
double gain(std::vector<int64_t> sizes, unsigned stages) {
  ScheduledGroup group(chainIR(sizes), kProduct);
  EXPECT_TRUE(group.schedule) << group.reason;
  auto time = [&](unsigned count) {
    for (Placement &place : group.schedule->places)
      if (place.transport != fuse::Transport::Sync)
        place.stages = count;
    return predictPipeline(group.model(), *group.schedule,
                           computeFootprint(group.model(), *group.schedule),
                           *lookupChip("sm_80"), PipelineForm::Continuous)
        .kernel;
  };
  double one = time(1);
  return one / time(stages);
}

// ALCOP section V-A: pipelining pays most for small outputs with long
// reductions and least for large outputs or short reductions.
TEST(PredictPipeline, SmallOutputsWithLongReductionsGainMost) {
  double small = gain({128, 16384, 128}, 4), large = gain({8192, 64, 8192}, 4);
  EXPECT_GT(small, large);
  EXPECT_GT(small, 1.5);
  EXPECT_GE(large, 1.0);
}

TEST(PredictPipeline, SaysWhatBoundsALoop) {
  ScheduledGroup group(chainIR({128, 16384, 128}), kProduct);
  ASSERT_TRUE(group.schedule) << group.reason;
  PipelineLatency latency =
      predictPipeline(group.model(), *group.schedule,
                      computeFootprint(group.model(), *group.schedule),
                      *lookupChip("sm_80"), PipelineForm::Continuous);
  ASSERT_EQ(latency.loops.size(), 1u);
  const LoopLatency &loop = latency.loops.front();
  EXPECT_EQ(group.model().axes[loop.axis].name, "k");
  // A handful of blocks and one stage: each iteration waits for its load.
  EXPECT_EQ(name(loop.bound).str(), "latency");
  EXPECT_NEAR(latency.block, latency.init + latency.main + latency.epilogue,
              1e-12);
  EXPECT_EQ(latency.batches, 1);
}

// Threads show one another what they have copied at a barrier, TMA copies
// signal each of them: where no stages hide it, one barrier less.
TEST(PredictPipeline, BulkCopiesWantOneBarrierLess) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  ScheduledGroup group(chainIR({128, 16384, 128}), kProduct);
  ASSERT_TRUE(group.schedule) << group.reason;
  Footprint footprint = computeFootprint(group.model(), *group.schedule);
  auto load = [&](fuse::Transport a, fuse::Transport b) {
    group.place("A").transport = a;
    group.place("B").transport = b;
    return predictPipeline(group.model(), *group.schedule, footprint, chip,
                           PipelineForm::Continuous)
        .loops.front()
        .load;
  };
  auto bulk = fuse::Transport::TMA, async = fuse::Transport::Async16;
  double byThreads = load(async, async);
  EXPECT_EQ(load(async, bulk), byThreads);
  EXPECT_NEAR(load(bulk, bulk), byThreads - chip.barrierLatency, 1e-15);
}

// A loop that multiplies what was loaded before it waits for that; what is
// loaded behind it is a round trip of its own. Loads before the loop are all in
// flight together.
TEST(PredictPipeline, LoadsBehindALoopAreWaitedForByThemselves) {
  const ChipInfo &chip = *lookupChip("sm_80");
  auto predict = [&](llvm::StringRef tiling) {
    ScheduledGroup group(
        chainIR({64, 128, 64, 32}), (R"x(#fuse.schedule<version = 2,
  tiling = <")x" + tiling + R"x(", {m = 16, n = 64, k = 32, h = 32}>,
  mapping = <warps = 1, blocks = ["m"], operators = {
    C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>,
    E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [1, 1]>}>,
  memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>,
             C = #fuse.place<registers>, D = #fuse.place<shared, async16>,
             E = #fuse.place<shared>}>>)x")
                                        .str());
    EXPECT_TRUE(group.schedule) << group.reason;
    EXPECT_EQ(checkSchedule(group.model(), *group.schedule, chip),
              std::nullopt);
    return predictPipeline(group.model(), *group.schedule,
                           computeFootprint(group.model(), *group.schedule),
                           chip, PipelineForm::Continuous);
  };
  PipelineLatency behind = predict("m(k(LA),k(LB),k(CC),LD,CE,SE)");
  PipelineLatency before = predict("m(k(LA),k(LB),LD,k(CC),CE,SE)");
  EXPECT_GE(behind.block - before.block, chip.l2Latency);
  // As where there is no loop.
  PipelineLatency whole = predict("m(k(LA,LB,CC),LD,CE,SE)");
  EXPECT_GE(whole.loops.size(), 1u);
  EXPECT_GE(whole.block, before.block);
}

// Stages of the fragments of each operand: registers hold another step of
// operands with stages, and the loop over steps waits for the one that has
// none.
TEST(PredictPipeline, FragmentsHaveStagesByOperand) {
  const ChipInfo &chip = *lookupChip("sm_80");
  ScheduledGroup group(chainIR({128, 512, 128}), kProduct);
  ASSERT_TRUE(group.schedule) << group.reason;
  const GroupModel &model = group.model();
  unsigned a = *model.findTensor("A"), b = *model.findTensor("B");
  Schedule &schedule = *group.schedule;
  auto predict = [&](unsigned ofA, unsigned ofB) {
    schedule.places[a].registerStages = ofA;
    schedule.places[b].registerStages = ofB;
    EXPECT_EQ(checkSchedule(model, schedule, chip), std::nullopt);
    // What is written is read again.
    std::optional<Schedule> again = importSchedule(
        exportSchedule(schedule, model, &group.context), model,
        [](const llvm::Twine &why) { ADD_FAILURE() << why.str(); });
    EXPECT_TRUE(again);
    EXPECT_EQ(again->places[a].registerStages, ofA);
    EXPECT_EQ(again->places[b].registerStages, ofB);
    Footprint footprint = computeFootprint(model, schedule);
    return std::make_pair(footprint.registers,
                          predictPipeline(model, schedule, footprint, chip,
                                          PipelineForm::Continuous)
                              .main);
  };
  auto [none, slow] = predict(1, 1);
  auto [one, still] = predict(2, 1);
  auto [other, too] = predict(1, 2);
  auto [both, fast] = predict(2, 2);
  EXPECT_LT(none, one);
  EXPECT_LT(none, other);
  EXPECT_EQ(one + other - none, both);
  EXPECT_LT(fast, slow);
  EXPECT_EQ(still, slow);
  EXPECT_EQ(too, slow);
  // The staged result is not multiplied.
  schedule.places[*model.findTensor("C")].registerStages = 2;
  EXPECT_EQ(checkSchedule(model, schedule, chip),
            "'C' is not multiplied from shared memory and has no fragments "
            "with stages");
}

} // namespace
