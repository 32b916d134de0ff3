//===- LaunchTimerTest.cpp - Tests of times of launches -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/LaunchTimer.h"
#include "fusion/Timing/TimingReport.h"
#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::timing;

namespace {

constexpr const char *kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 count) {
  .reg .pred %q;
  .reg .b32 %t, %b, %i, %n;
  .reg .f32 %v;
  .reg .b64 %p, %at;
  ld.param.u64 %p, [data];
  ld.param.u32 %n, [count];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %t, %b, 128, %t;
  mul.wide.u32 %at, %t, 4;
  add.s64 %p, %p, %at;
  mov.u32 %i, 0;
again:
  ld.global.f32 %v, [%p];
  ex2.approx.f32 %v, %v;
  st.global.f32 [%p], %v;
  add.u32 %i, %i, 1;
  bar.sync 0;
  setp.lt.u32 %q, %i, %n;
  @%q bra again;
  ret;
}
)";

/// The time of a launch of `k` with blocks of 128 threads, four on an SM.
LaunchTiming timeOf(TimerOptions options, uint32_t blocks, uint32_t count,
                    unsigned threads = 0) {
  options.chip = lookupChip("sm_80");
  options.code = CodeChoice::Ptx;
  emulator::Error error;
  auto program = emulator::Program::parse(kText, error);
  EXPECT_TRUE(program) << error.message;
  emulator::Memory memory;
  uint64_t address = memory.allocate(blocks * 512);
  std::vector<char> zeros(blocks * 512);
  memory.write(address, zeros.data(), zeros.size());
  auto bytes = [](uint64_t value, unsigned size) {
    std::vector<uint8_t> result;
    for (unsigned i = 0; i < size; ++i)
      result.push_back(uint8_t(value >> (8 * i)));
    return result;
  };
  emulator::Launch launch;
  launch.kernel = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {128, 1, 1};
  launch.dynamicSharedMemory = 40000;
  launch.parameters = {bytes(address, 8), bytes(count, 4)};
  auto code = assembleForTiming(kText, options);
  EXPECT_TRUE(bool(code));
  auto timer = LaunchTimer::create(*code, *program, launch, options);
  EXPECT_TRUE(bool(timer));
  emulator::Options emulation;
  emulation.threads = threads;
  timer->record(emulation);
  emulator::LaunchResult result =
      emulator::run(*program, launch, memory, emulation);
  EXPECT_FALSE(result.error);
  emulator::SectorCache l2(options.chip->l2Bytes);
  auto timing = timer->time(result.recordings, l2);
  EXPECT_TRUE(bool(timing));
  return std::move(*timing);
}

TEST(LaunchTimer, ReplaysPtx) {
  LaunchTiming timing = timeOf({}, 216, 16);
  EXPECT_TRUE(timing.isPtx);
  EXPECT_EQ(timing.reason, "it was asked for");
  EXPECT_TRUE(timing.unknownOpcodes.empty());
  EXPECT_EQ(timing.simulatedBlocks, 216u);
  // Eight instructions of the table before the loop, ten in it, and one after
  // it, of four warps.
  EXPECT_EQ(timing.simulation.issues, 216u * 4 * (8 + 16 * 10 + 1));
  llvm::json::Object json = toJson(timing, *lookupChip("sm_80"));
  EXPECT_EQ(json.getString("code"), "ptx");
  EXPECT_EQ(json.getString("reason"), "it was asked for");
  EXPECT_TRUE(json.getObject("hot_loop")->getObject("critical_path"));
}

TEST(LaunchTimer, MoreWorkIsNotFaster) {
  Cycles last = 0;
  for (uint32_t count : {1, 2, 4, 16, 64}) {
    Cycles cycles = timeOf({}, 216, count).simulation.cycles;
    EXPECT_GT(cycles, last);
    last = cycles;
  }
  EXPECT_LT(timeOf({}, 108, 16).simulation.cycles,
            timeOf({}, 1080, 16).simulation.cycles);
}

TEST(LaunchTimer, SameWithAnyNumberOfThreads) {
  LaunchTiming one = timeOf({}, 216, 16, 1), many = timeOf({}, 216, 16, 7);
  EXPECT_EQ(one.simulation.cycles, many.simulation.cycles);
  EXPECT_EQ(one.simulation.waits, many.simulation.waits);
  EXPECT_EQ(one.simulation.issues, many.simulation.issues);
}

TEST(LaunchTimer, SamplesBlocksOrInstructions) {
  // Five waves of four blocks on each SM, of which a part stands for all.
  TimerOptions options;
  options.blocks = 2160;
  LaunchTiming whole = timeOf(options, 2160, 8);
  EXPECT_EQ(whole.blocksPerSM, 4u);
  EXPECT_EQ(whole.simulatedBlocks, 2160u);
  options.blocks = 540;
  LaunchTiming blocks = timeOf(options, 2160, 8);
  EXPECT_EQ(blocks.simulatedProcessors, 27u);
  EXPECT_EQ(blocks.simulatedBlocks, 540u);
  EXPECT_NEAR(blocks.simulation.cycles, whole.simulation.cycles,
              0.05 * whole.simulation.cycles);
  // A block executes four times 65 instructions of the PTX.
  options.instructions = 216 * 4 * 65;
  LaunchTiming instructions = timeOf(options, 2160, 8);
  EXPECT_LE(instructions.simulatedBlocks, 220u);
  EXPECT_NEAR(instructions.simulation.cycles, whole.simulation.cycles,
              0.05 * whole.simulation.cycles);
}

TEST(LaunchTimer, Choices) {
  EXPECT_EQ(codeChoiceOf("best"), CodeChoice::Best);
  EXPECT_EQ(codeChoiceOf("sass"), CodeChoice::Sass);
  EXPECT_EQ(codeChoiceOf("ptx"), CodeChoice::Ptx);
  EXPECT_FALSE(codeChoiceOf("PTX"));
}

} // namespace
