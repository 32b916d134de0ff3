//===- SimulationTest.cpp - Tests of cycles -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small kernels, whose cycles are computed by hand from the table of the
// microarchitecture.
//
//===----------------------------------------------------------------------===//

#include "SmallProgram.h"

using namespace fusion;
using namespace fusion::timing;
using namespace fusion::timing::test;
using emulator::BlockRecording;
using emulator::StepAction;

namespace {

Step atBarrier(unsigned id, StepAction action, unsigned threads) {
  Step step;
  step.kind = Kind::Barrier;
  step.action = action;
  step.place = id;
  step.value = threads;
  return step;
}

Step atMbarrier(StepAction action, uint32_t value, uint32_t bytes = 0) {
  Step step;
  step.kind = Kind::Mbarrier;
  step.action = action;
  step.value = value;
  step.bytes = bytes;
  return step;
}

TEST(Simulation, DependentChain) {
  // Each FFMA issues 4 cycles after the one before, then EXIT.
  std::vector<Line> lines(10, {"FFMA", 4});
  lines.push_back({"EXIT"});
  Program program(lines);
  SimulationResult result = program.run({{program.warp()}});
  EXPECT_EQ(result.cycles, firstIssue() + 10 * 4);
  EXPECT_EQ(result.issues, 11u);
  EXPECT_EQ(result.waits[unsigned(Wait::Latency)], 10 * 3);
}

TEST(Simulation, IndependentStreams) {
  // Four warps of a sub-partition issue an instruction each cycle.
  std::vector<Line> lines(32, {"FFMA"});
  lines.push_back({"EXIT"});
  Program program(lines);
  std::vector<WarpWork> warps(4 * kSubPartitions, program.warp());
  SimulationResult result = program.run({warps});
  EXPECT_EQ(result.cycles, firstIssue() + 4 * 33 - 1);
  // With half as many lanes integer instructions take the pipe for two cycles.
  std::vector<Line> integers(32, {"IADD3"});
  integers.push_back({"EXIT"});
  Program slower(integers);
  SimulationResult half =
      slower.run({std::vector<WarpWork>(4 * kSubPartitions, slower.warp())});
  EXPECT_NEAR(half.cycles, firstIssue() + 4 * 32 * 2, 4);
  EXPECT_GT(half.waits[unsigned(Wait::Pipe)], 0);
}

TEST(Simulation, BankConflicts) {
  // The second instruction waits for scoreboard 0 of a load.
  auto cycles = [](unsigned wavefronts) {
    Program program({{"LDS", 1, 0u}, {"FADD", 1, std::nullopt, 1}, {"EXIT"}});
    return program.run({{program.warp({{0, shared(wavefronts)}})}}).cycles;
  };
  EXPECT_EQ(cycles(1), firstIssue() + micro().sharedLatency + 1);
  EXPECT_EQ(cycles(8), firstIssue() + micro().sharedLatency +
                           7 * micro().wavefrontLatency + 1);
  // Warps of all sub-partitions share the pipe: wavefronts follow each other.
  std::vector<Line> lines(16, {"LDS", 1, 0u});
  lines.push_back({"EXIT", 1, std::nullopt, 1});
  Program program(lines);
  std::vector<std::pair<unsigned, Step>> steps;
  for (unsigned i = 0; i < 16; ++i)
    steps.push_back({i, shared(32)});
  std::vector<WarpWork> warps(kSubPartitions, program.warp(steps));
  double all = 16 * kSubPartitions * 32;
  SimulationResult result = program.run({warps});
  EXPECT_NEAR(result.cycles, firstIssue() + all, 0.1 * all);
}

TEST(Simulation, PingPong) {
  // Two warps alternate: each computes for 8 × 4 cycles while the other one
  // waits at a named barrier.
  std::vector<Line> lines = {{"BAR.SYNC"}};
  lines.insert(lines.end(), 8, {"FFMA", 4});
  lines.push_back({"BAR.ARV"});
  lines.push_back({"EXIT"});
  lines.push_back({"BAR.ARV"});
  lines.push_back({"BAR.SYNC"});
  lines.insert(lines.end(), 8, {"FFMA", 4});
  lines.push_back({"EXIT"});
  Program program(lines);
  auto sync = [](unsigned id) {
    return atBarrier(id, StepAction::ArriveWait, 64);
  };
  auto arrive = [](unsigned id) {
    return atBarrier(id, StepAction::Arrive, 64);
  };
  WarpWork first = program.warp(0, 11, {{0, sync(1)}, {9, arrive(2)}});
  WarpWork second = program.warp(11, 22, {{11, arrive(1)}, {12, sync(2)}});
  // Both arrive at the first barrier; the second one's arrival takes the unit
  // after the first one's.
  Cycles released =
      firstIssue() + 2 * micro().barrierInterval + micro().barrierLatency;
  Cycles arrived = released + 8 * 4;
  Cycles secondReleased =
      arrived + micro().barrierInterval + micro().barrierLatency;
  SimulationResult result = program.run({{first, second}});
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.cycles, secondReleased + 8 * 4);
}

/// A producer copies `tiles` tiles of 4096 bytes from L2 into as many stages,
/// in turn; a consumer computes on each for `work` × 4 cycles and frees its
/// stage.
SimulationResult pipelined(unsigned stages, unsigned tiles, unsigned work) {
  std::vector<Line> lines = {{"SYNCS.EXCH.64"}};
  lines.insert(lines.end(), 2 * stages - 1, {"SYNCS.EXCH.64"});
  lines.push_back({"BAR.SYNC"});
  unsigned producerBegin = 0;
  using Steps = std::vector<std::pair<unsigned, Step>>;
  Steps produced, consumed;
  auto at = [](Step step, unsigned stage, bool isFree) {
    step.place = 16 * stage + 8 * isFree;
    return step;
  };
  for (unsigned i = 0; i < 2 * stages; ++i)
    produced.push_back(
        {i, at(atMbarrier(StepAction::Initialize, 1), i / 2, i % 2)});
  Step meet = atBarrier(0, StepAction::ArriveWait, 64);
  produced.push_back({2 * stages, meet});
  for (unsigned tile = 0; tile < tiles; ++tile) {
    unsigned stage = tile % stages, round = tile / stages;
    if (round) { // the consumer has freed the stage
      produced.push_back(
          {unsigned(lines.size()),
           at(atMbarrier(StepAction::Wait, (round - 1) & 1), stage, true)});
      lines.push_back({"SYNCS.PHASECHK", 1, 0u});
    }
    produced.push_back(
        {unsigned(lines.size()),
         at(atMbarrier(StepAction::Arrive, 1, 4096), stage, false)});
    lines.push_back({"SYNCS.ARRIVE.TRANS64", 1, std::nullopt, 1});
    Step copy;
    copy.kind = Kind::TMALoad;
    copy.action = StepAction::Complete;
    copy.bytes = 4096;
    copy.numSectors = 128;
    produced.push_back({unsigned(lines.size()), at(copy, stage, false)});
    lines.push_back({"UTMALDG.2D"});
  }
  lines.push_back({"EXIT"});
  unsigned consumerBegin = lines.size();
  consumed.push_back({consumerBegin, meet});
  lines.push_back({"BAR.SYNC"});
  for (unsigned tile = 0; tile < tiles; ++tile) {
    unsigned stage = tile % stages, round = tile / stages;
    consumed.push_back(
        {unsigned(lines.size()),
         at(atMbarrier(StepAction::Wait, round & 1), stage, false)});
    lines.push_back({"SYNCS.PHASECHK", 1, 0u});
    lines.push_back({"FFMA", 4, std::nullopt, 1});
    lines.insert(lines.end(), work - 1, {"FFMA", 4});
    consumed.push_back({unsigned(lines.size()),
                        at(atMbarrier(StepAction::Arrive, 1), stage, true)});
    lines.push_back({"SYNCS.ARRIVE.TRANS64"});
  }
  lines.push_back({"EXIT"});
  Program program(lines);
  BlockRecording recording;
  for (uint64_t sector = 0; sector < 128; ++sector)
    recording.sectors.push_back(sector * 32 | emulator::kSectorPastL1);
  CacheShape caches;
  caches.l1Bytes = 1 << 20;
  caches.isWarm = true;
  emulator::SectorCache l2(1 << 20);
  program.levels = findLevels({recording}, caches, l2)[0];
  SimulationResult result =
      program.run({{program.warp(producerBegin, consumerBegin, produced),
                    program.warp(consumerBegin, lines.size(), consumed)}});
  EXPECT_EQ(result.problem, "");
  return result;
}

TEST(Simulation, OneStage) {
  // From the copy's issue: the TMA unit, the way of 4096 bytes, L2 and TMA.
  double transfer = 4096 / micro().tmaBytesPerCycle;
  Cycles copy = micro().tmaInterval + transfer + micro().l2Latency +
                micro().tmaLatency + micro().waitLatency + micro().wakeLatency;
  SimulationResult one = pipelined(1, 1, 100);
  EXPECT_GT(one.waits[unsigned(Wait::Mbarrier)], 300);
  // Without a second stage each copy waits for the computation before it, for
  // as long as an arrival and the wait for it take.
  Cycles step = pipelined(1, 9, 100).cycles - pipelined(1, 8, 100).cycles;
  EXPECT_NEAR(step,
              copy + 400 + micro().mbarrierLatency + micro().waitLatency +
                  micro().wakeLatency,
              8);
}

TEST(Simulation, TwoStagePipeline) {
  // The second copy runs while the first tile is computed: where the copy takes
  // longer, half of it and of the computation is hidden; where the computation
  // does, all copies are.
  Cycles alone = pipelined(1, 9, 100).cycles - pipelined(1, 8, 100).cycles;
  Cycles two = (pipelined(2, 12, 100).cycles - pipelined(2, 8, 100).cycles) / 4;
  EXPECT_NEAR(two, alone / 2, 0.02 * alone);
  Cycles hidden =
      (pipelined(2, 12, 400).cycles - pipelined(2, 8, 400).cycles) / 4;
  // What remains is the wait for a phase that is complete, and its issue.
  EXPECT_NEAR(hidden, 400 * 4 + micro().waitLatency + 2, 4);
}

TEST(Simulation, WarpgroupMultiplications) {
  // Four groups of wgmma: the tensor core is busy for n / 2 cycles each, and
  // the wait takes what remains of the latency.
  std::vector<Line> lines(4, {"HGMMA.64x256x16.F32", 1, std::nullopt, 0,
                              "R24, gdesc[UR4], R24, gsb0"});
  lines.push_back({"WARPGROUP.DEPBAR.LE"});
  lines.push_back({"EXIT"});
  Program program(lines);
  Step multiply, wait;
  multiply.kind = Kind::WarpgroupMma;
  wait.kind = Kind::WarpgroupWait;
  wait.action = StepAction::Wait;
  WarpWork work = program.warp(
      {{0, multiply}, {1, multiply}, {2, multiply}, {3, multiply}, {4, wait}});
  std::vector<WarpWork> warps(kWarpgroupWarps, work);
  SimulationResult result = program.run({warps});
  EXPECT_EQ(result.cycles, firstIssue() + 4 * 128 + micro().wgmmaSharedLatency);
  EXPECT_EQ(result.pipes[unsigned(Pipe::Tensor)], 4 * 4 * 128);
}

/// A warpgroup whose warp i issues `delays[i]` × 4 cycles of arithmetic first,
/// then `begin`, two groups of wgmma and their wait.
struct SkewedWarpgroup {
  explicit SkewedWarpgroup(std::vector<unsigned> delays,
                           std::vector<Line> begin = {}) {
    std::vector<Line> lines;
    std::vector<unsigned> firsts;
    for (unsigned delay : delays) {
      firsts.push_back(lines.size());
      lines.insert(lines.end(), delay, {"FFMA", 4});
      lines.insert(lines.end(), begin.begin(), begin.end());
      lines.insert(lines.end(), 2,
                   {"HGMMA.64x256x16.F32", 1, std::nullopt, 0,
                    "R24, gdesc[UR4], R24, gsb0"});
      lines.push_back({"WARPGROUP.DEPBAR.LE"});
      lines.push_back({"EXIT"});
    }
    firsts.push_back(lines.size());
    Program program(lines);
    std::vector<WarpWork> warps;
    for (unsigned warp = 0; warp < delays.size(); ++warp) {
      Step arrive, multiply, wait;
      arrive.kind = Kind::WarpgroupFence;
      multiply.kind = Kind::WarpgroupMma;
      wait.kind = Kind::WarpgroupWait;
      wait.action = StepAction::Wait;
      unsigned at = firsts[warp] + delays[warp];
      std::vector<std::pair<unsigned, Step>> steps;
      if (!begin.empty())
        steps.push_back({at, arrive});
      at += begin.size();
      steps.insert(steps.end(),
                   {{at, multiply}, {at + 1, multiply}, {at + 2, wait}});
      warps.push_back(program.warp(firsts[warp], firsts[warp + 1], steps));
    }
    result = program.run({warps});
  }
  SimulationResult result;
};

TEST(Simulation, WarpgroupsMultiplyTogether) {
  // The tensor cores begin when the last warp, behind 100 × 4 cycles, has
  // issued the first wgmma, and are busy for 128 cycles with each of the two.
  Cycles both = 2 * 128 + micro().wgmmaSharedLatency;
  SimulationResult result = SkewedWarpgroup({0, 10, 20, 100}).result;
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.cycles, firstIssue() + 400 + both);
  EXPECT_EQ(result.pipes[unsigned(Pipe::Tensor)], 2 * 4 * 128);
  // The last warp issues its wait two cycles after its first wgmma, the others
  // as much earlier as their arithmetic is shorter.
  Cycles last = both - 3, others = 3 * last + 400 + 360 + 320;
  EXPECT_EQ(result.waits[unsigned(Wait::Tensor)], last + others);
  // Two warpgroups: the first one's two wgmma, then the second one's.
  EXPECT_EQ(SkewedWarpgroup({0, 10, 20, 100, 0, 10, 20, 200}).result.cycles,
            firstIssue() + 800 + both);
  EXPECT_EQ(SkewedWarpgroup({0, 10, 20, 100, 0, 10, 20, 100}).result.cycles,
            firstIssue() + 400 + 4 * 128 + micro().wgmmaSharedLatency);
}

TEST(Simulation, WarpgroupsArriveTogether) {
  // All four leave WARPGROUP.ARRIVE when the last warp has issued it: the last
  // one by its stall count of 6, the others in the next cycle.
  SimulationResult result =
      SkewedWarpgroup({0, 10, 20, 100}, {{"WARPGROUP.ARRIVE", 6}}).result;
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.cycles,
            firstIssue() + 400 + 6 + 2 * 128 + micro().wgmmaSharedLatency);
  // The others wait there, and then issue their wgmma five cycles before the
  // last one does.
  Cycles both = 2 * 128 + micro().wgmmaSharedLatency;
  EXPECT_EQ(result.waits[unsigned(Wait::Tensor)],
            (400 + 360 + 320) + 3 * (both + 5 - 3) + (both - 3));
  // Warps of another warpgroup are not waited for: with 200 × 4 cycles less of
  // them than of the last one, only the slots of a warp beside it count.
  SimulationResult two =
      SkewedWarpgroup({0, 0, 0, 200, 0, 0, 0, 400}, {{"WARPGROUP.ARRIVE", 6}})
          .result;
  EXPECT_EQ(two.problem, "");
  EXPECT_NEAR(two.cycles,
              firstIssue() + 1600 + 6 + 2 * 128 + micro().wgmmaSharedLatency,
              4);
}

TEST(Simulation, WarpsOfAWarpgroupDoNotRunAhead) {
  // The first warp fills a stage, multiplies and fills it again, and does not
  // wait for the others but by wgmma. The others test the first phase late.
  std::vector<Line> lines = {{"SYNCS.EXCH.64"}, {"BAR.SYNC"}};
  auto multiplies = [&] {
    lines.push_back({"HGMMA.64x256x16.F32", 1, std::nullopt, 0,
                     "R24, gdesc[UR4], R24, gsb0"});
    lines.push_back({"WARPGROUP.DEPBAR.LE"});
  };
  for (unsigned phase = 0; phase < 2; ++phase) {
    lines.push_back({"SYNCS.ARRIVE.TRANS64"});
    multiplies();
  }
  lines.push_back({"EXIT"});
  unsigned others = lines.size();
  lines.push_back({"BAR.SYNC"});
  lines.insert(lines.end(), 200, {"FFMA", 4});
  for (unsigned phase = 0; phase < 2; ++phase) {
    lines.push_back({"SYNCS.PHASECHK", 1, 0u});
    lines.push_back({"NOP", 1, std::nullopt, 1});
    multiplies();
  }
  lines.push_back({"EXIT"});
  Program program(lines);
  Step meet = atBarrier(0, StepAction::ArriveWait, 128);
  Step fill = atMbarrier(StepAction::Arrive, 1), multiply, wait;
  multiply.kind = Kind::WarpgroupMma;
  wait.kind = Kind::WarpgroupWait;
  wait.action = StepAction::Wait;
  std::vector<WarpWork> warps = {
      program.warp(0, others,
                   {{0, atMbarrier(StepAction::Initialize, 1)},
                    {1, meet},
                    {2, fill},
                    {3, multiply},
                    {4, wait},
                    {5, fill},
                    {6, multiply},
                    {7, wait}})};
  unsigned at = others + 201;
  warps.resize(kWarpgroupWarps,
               program.warp(others, lines.size(),
                            {{others, meet},
                             {at, atMbarrier(StepAction::Wait, 0)},
                             {at + 2, multiply},
                             {at + 3, wait},
                             {at + 4, atMbarrier(StepAction::Wait, 1)},
                             {at + 6, multiply},
                             {at + 7, wait}}));
  EXPECT_EQ(program.run({warps}).problem, "");
}

/// Warps that load `loads` times 512 bytes each.
SimulationResult copies(const ChipInfo &chip, unsigned loads, bool isWarm) {
  std::vector<Line> lines(loads, {"LDG.E.128", 1, 0u});
  lines.push_back({"EXIT", 1, std::nullopt, 1});
  Program program(lines);
  BlockRecording recording;
  std::vector<WarpWork> warps;
  for (unsigned warp = 0; warp < 16; ++warp) {
    std::vector<std::pair<unsigned, Step>> steps;
    for (unsigned i = 0; i < loads; ++i) {
      Step step;
      step.kind = Kind::GlobalLoad;
      step.firstSector = recording.sectors.size();
      step.numSectors = 16;
      for (unsigned sector = 0; sector < 16; ++sector)
        recording.sectors.push_back(recording.sectors.size() * 32);
      steps.push_back({i, step});
    }
    warps.push_back(program.warp(steps));
  }
  CacheShape caches;
  caches.l1Bytes = 1 << 14;
  caches.isWarm = isWarm;
  emulator::SectorCache l2(1 << 24);
  program.levels = findLevels({recording}, caches, l2)[0];
  return program.run({warps}, chip);
}

TEST(Simulation, OneSMSaturatedByCopies) {
  // 16 warps × 64 loads × 512 bytes at what an SM can load from L2.
  SimulationResult result = copies(hopper(), 64, /*isWarm=*/true);
  double bytes = 16 * 64 * 512 / micro().l2BytesPerCycle;
  EXPECT_NEAR(result.cycles, bytes, 0.08 * bytes);
}

TEST(Simulation, SlowerMemoryIsNotFaster) {
  ChipInfo slow = hopper();
  slow.dramBytesPerSecond /= 1000;
  SimulationResult fast = copies(hopper(), 16, /*isWarm=*/false);
  EXPECT_GT(copies(slow, 16, /*isWarm=*/false).cycles, 2 * fast.cycles);
  EXPECT_LT(copies(hopper(), 16, /*isWarm=*/true).cycles, fast.cycles);
  EXPECT_LT(fast.cycles, copies(hopper(), 32, /*isWarm=*/false).cycles);
}

TEST(Simulation, IsTheSameEachTime) {
  SimulationResult one = copies(hopper(), 16, /*isWarm=*/false);
  SimulationResult other = copies(hopper(), 16, /*isWarm=*/false);
  EXPECT_EQ(one.cycles, other.cycles);
  EXPECT_EQ(one.waits, other.waits);
}

TEST(Simulation, BlocksFollowOneAnother) {
  // Three blocks on two SMs with one place each: the third starts when one of
  // the first two has ended.
  std::vector<Line> lines(100, {"FFMA", 4});
  lines.push_back({"EXIT"});
  Program program(lines);
  std::vector<WarpWork> block = {program.warp()};
  Cycles one = program.run({block, block}, hopper(), 2).cycles;
  EXPECT_EQ(one, firstIssue() + 400);
  EXPECT_EQ(program.run({block, block, block}, hopper(), 2).cycles,
            2 * (firstIssue() + 400));
  // A cluster of two needs both SMs.
  EXPECT_EQ(program.run({block, block, block, block}, hopper(), 2, 2).cycles,
            2 * (firstIssue() + 400));
}

TEST(Simulation, EndlessWaitsAreAProblem) {
  Program program({{"SYNCS.EXCH.64"},
                   {"SYNCS.PHASECHK", 1, 0u},
                   {"BRA", 1, std::nullopt, 1},
                   {"EXIT"}});
  SimulationResult result =
      program.run({{program.warp({{0, atMbarrier(StepAction::Initialize, 1)},
                                  {1, atMbarrier(StepAction::Wait, 0)}})}});
  EXPECT_EQ(result.problem,
            "blocks wait for one another without end: warp 0 of block 0 for "
            "mbarrier, before 'BRA' (line 0)");
}

} // namespace
