//===- RecordingTest.cpp - Steps of warps ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

#include "fusion/Emulator/PtxListing.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using Kind = StepKind;
using Action = StepAction;

/// The steps of the warps of blocks of a launch of `k` with one pointer to
/// 64 KiB.
std::vector<BlockRecording> record(const std::string &text, uint32_t blocks,
                                   uint32_t threads, Options options = {},
                                   uint32_t cluster = 1) {
  expectAssembles(text);
  std::unique_ptr<Program> program = parse(text);
  if (!program)
    return {};
  Memory memory;
  Array<uint32_t> data(memory, std::vector<uint32_t>(1 << 14));
  Launch launch = makeLaunch("k", {blocks, 1, 1}, {threads, 1, 1}, data);
  launch.cluster[0] = cluster;
  if (!options.records)
    options.records = [](uint64_t) { return Recorded::Steps; };
  return runOk(*program, launch, memory, options).recordings;
}

std::vector<Kind> kinds(const std::vector<Step> &steps) {
  std::vector<Kind> result;
  for (const Step &step : steps)
    result.push_back(step.kind);
  return result;
}

TEST(Recording, Accesses) {
  std::string text = hopperKernel(1, 1024, R"(
    mul.wide.u32 %d1, %t, 8;
    add.u64 %d2, %p0, %d1;
    ld.global.u32 %r1, [%d2];
    mul.lo.u32 %r2, %t, 128;
    and.b32 %r2, %r2, 511;
    add.u32 %r2, %r2, %s;
    st.shared.u32 [%r2], %r1;
    setp.lt.u32 %q1, %t, 8;
    @%q1 ld.shared.u32 %r3, [%r2];
    setp.gt.u32 %q2, %t, 99;
    @%q2 st.global.u32 [%d2], %r3;
    bar.sync 3, 64;
  )");
  auto recordings = record(text, 2, 64);
  ASSERT_EQ(recordings.size(), 2u);
  EXPECT_EQ(recordings[1].block, 1u);
  ASSERT_EQ(recordings[0].warps.size(), 2u);
  const std::vector<Step> &steps = recordings[0].warps[0];
  ASSERT_EQ(kinds(steps),
            (std::vector<Kind>{Kind::GlobalLoad, Kind::SharedStore,
                               Kind::SharedLoad, Kind::Barrier}))
      << "no lane passes the last guard";
  EXPECT_EQ(steps[0].lanes, ~0u);
  EXPECT_EQ(steps[0].bytes, 128u);
  EXPECT_EQ(steps[0].sectors, 8u) << "every other word of 256 bytes";
  EXPECT_EQ(steps[0].wavefronts, 0u);
  EXPECT_EQ(steps[1].wavefronts, 4u) << "four words of one bank";
  EXPECT_EQ(steps[2].lanes, 0xffu);
  EXPECT_EQ(steps[3].action, Action::ArriveWait);
  EXPECT_EQ(steps[3].place, 3u);
  EXPECT_EQ(steps[3].value, 64u);
  EXPECT_LT(steps[0].line, steps[1].line);
  EXPECT_EQ(recordings[0].warps[1].size(), 3u) << "nor the first one";
}

TEST(Recording, BlocksThatAreChosen) {
  std::string text = hopperKernel(1, 16, "ld.global.u32 %r1, [%p0];\n");
  Options options;
  options.records = [](uint64_t block) {
    return block % 3 == 1 ? Recorded::Steps : Recorded::Nothing;
  };
  auto recordings = record(text, 8, 32, options);
  ASSERT_EQ(recordings.size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(recordings[i].block, 1 + 3 * i);
}

TEST(Recording, CopiesAndMbarriers) {
  std::string text = hopperKernel(1, 1024, R"(
    setp.eq.u32 %q1, %t, 0;
    @%q1 mbarrier.init.shared::cta.b64 [%s+8], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    add.u32 %r1, %s, 128;
    add.u32 %r2, %s, 8;
    @%q1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+8], 256;
    @%q1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%p0], 256, [%r2];
  wait:
    mbarrier.try_wait.parity.shared::cta.b64 %q2, [%s+8], 0;
    @!%q2 bra wait;
    bar.sync 0;
    fence.proxy.async;
    add.u64 %d1, %p0, 1024;
    @%q1 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 128;
    @%q1 cp.async.bulk.commit_group;
    @%q1 cp.async.bulk.wait_group 0;
  )");
  auto recordings = record(text, 1, 64);
  ASSERT_EQ(recordings.size(), 1u);
  const std::vector<Step> &steps = recordings[0].warps[0];
  ASSERT_EQ(kinds(steps),
            (std::vector<Kind>{Kind::Mbarrier, Kind::Barrier, Kind::Mbarrier,
                               Kind::TMALoad, Kind::Mbarrier, Kind::Barrier,
                               Kind::TMAStore, Kind::TMAWait}));
  EXPECT_EQ(steps[0].action, Action::Initialize);
  EXPECT_EQ(steps[0].place, 8u);
  EXPECT_EQ(steps[0].value, 1u);
  EXPECT_EQ(steps[2].action, Action::Arrive);
  EXPECT_EQ(steps[2].value, 1u);
  EXPECT_EQ(steps[2].bytes, 256u);
  EXPECT_EQ(steps[3].action, Action::Complete);
  EXPECT_EQ(steps[3].place, 8u);
  EXPECT_EQ(steps[3].bytes, 256u);
  EXPECT_EQ(steps[3].sectors, 8u);
  EXPECT_EQ(steps[4].action, Action::Wait);
  EXPECT_EQ(steps[4].value, 0u) << "the parity that is awaited";
  EXPECT_EQ(steps[6].bytes, 128u);
  EXPECT_EQ(steps[7].action, Action::Wait);
  EXPECT_EQ(kinds(recordings[0].warps[1]),
            (std::vector<Kind>{Kind::Barrier, Kind::Mbarrier, Kind::Barrier}))
      << "tries that fail leave no step";
}

TEST(Recording, ArrivalsAtSeveralMbarriers) {
  std::string text = hopperKernel(1, 1024, R"(
    setp.eq.u32 %q1, %t, 0;
    @%q1 mbarrier.init.shared::cta.b64 [%s+16], 8;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    and.b32 %r1, %t, 1;
    add.u32 %r2, %s, 16;
    mapa.shared::cluster.u32 %r3, %r2, %r1;
    setp.lt.u32 %q2, %t, 8;
    @%q2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
    barrier.cluster.arrive;
    barrier.cluster.wait;
  )");
  auto recordings = record(text, 2, 32, {}, /*cluster=*/2);
  ASSERT_EQ(recordings.size(), 2u);
  const std::vector<Step> &steps = recordings[1].warps[0];
  ASSERT_EQ(steps.size(), 7u);
  EXPECT_EQ(steps[1].action, Action::Arrive);
  EXPECT_EQ(steps[2].action, Action::Wait);
  EXPECT_EQ(steps[3].kind, Kind::Mbarrier);
  EXPECT_FALSE(steps[3].isFurther);
  EXPECT_EQ(steps[3].rank, 0u);
  EXPECT_EQ(steps[3].value, 4u);
  EXPECT_TRUE(steps[4].isFurther);
  EXPECT_EQ(steps[4].rank, 1u);
  EXPECT_EQ(steps[4].place, 16u);
  EXPECT_EQ(steps[4].value, 4u);
  EXPECT_EQ(steps[4].line, steps[3].line);
}

TEST(Recording, ExecutedInstructions) {
  // Three instructions come before those of the body: numbers 1 to 3, behind
  // the load of the parameter. The second half of the block waits for the first
  // at a barrier, and its lanes of odd number take a branch.
  std::string text = hopperKernel(1, 1024, R"(
    setp.lt.u32 %q1, %t, 32;
    @%q1 st.shared.u32 [%s], %t;
    bar.sync 0;
    and.b32 %r1, %t, 1;
    setp.eq.u32 %q2, %r1, 0;
    @%q2 bra even;
    add.u32 %r1, %r1, 1;
  even:
    st.shared.u32 [%s+4], %r1;
  )");
  auto recordings = record(text, 1, 64);
  ASSERT_EQ(recordings.size(), 1u);
  ASSERT_EQ(recordings[0].executed.size(), 2u);
  for (const ExecutedInsts &executed : recordings[0].executed) {
    // With the store whose lanes all fail the guard, and with what half of the
    // lanes execute.
    ASSERT_EQ(executed.all().size(), 1u);
    EXPECT_EQ(executed.all()[0].first, 0u);
    EXPECT_EQ(executed.all()[0].count, 13u);
    EXPECT_EQ(executed.size(), 13u);
  }
  const std::vector<Step> &first = recordings[0].warps[0];
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].order, 5u);
  EXPECT_EQ(first[1].order, 6u);
  EXPECT_EQ(first[2].order, 11u);
  ASSERT_EQ(recordings[0].warps[1].size(), 2u);
  EXPECT_EQ(recordings[0].warps[1][0].order, 6u);

  Error error;
  auto listing = listPtx(*parse(text), "k", error);
  ASSERT_TRUE(listing) << error.message;
  ASSERT_EQ(listing->insts.size(), 13u);
  EXPECT_EQ(listing->insts[5].opcode, "st.shared.u32");
  EXPECT_EQ(listing->insts[5].line, first[0].line);
  EXPECT_TRUE(listing->insts[5].hasGuard);
  EXPECT_EQ(listing->insts[9].target, 11u);
  EXPECT_TRUE(listing->insts[1].readsSpecial);
}

TEST(Recording, ChangesNothingElse) {
  std::string text = hopperKernel(1, 1024, R"(
    mul.wide.u32 %d1, %t, 4;
    add.u64 %d2, %p0, %d1;
    ld.global.u32 %r1, [%d2];
    bar.sync 0;
    add.u32 %r1, %r1, 1;
    st.global.u32 [%d2], %r1;
  )");
  std::unique_ptr<Program> program = parse(text);
  ASSERT_TRUE(program);
  auto go = [&](bool records, bool sanitize) {
    Memory memory;
    Array<uint32_t> data(memory, std::vector<uint32_t>(128));
    Options options;
    options.sanitize = sanitize;
    if (records)
      options.records = [](uint64_t block) {
        return block == 0 ? Recorded::Steps : Recorded::Nothing;
      };
    LaunchResult result =
        runOk(*program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, data), memory,
              options);
    EXPECT_EQ(data.fetch()[127], 1u);
    EXPECT_TRUE(result.lines.empty());
    return result.counters;
  };
  Counters plain = go(false, false);
  EXPECT_TRUE(plain == go(true, false));
  EXPECT_TRUE(plain == go(true, true));
}

} // namespace
