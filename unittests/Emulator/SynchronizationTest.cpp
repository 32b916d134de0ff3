//===- SynchronizationTest.cpp - Warps, barriers and asynchronous copies --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionFixture.h"

#include <algorithm>
#include <ctime>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

class Synchronization : public Execution {};

TEST_F(Synchronization, ShuffleModes) {
  struct Case {
    const char *text;
    uint32_t (*reference)(uint32_t);
  } cases[] = {
      {"shfl.sync.up.b32 %r31|%p1, %r1, 3, 0, -1;",
       [](uint32_t i) { return i < 3 ? i : i - 3; }},
      {"shfl.sync.down.b32 %r31, %r1, 5, 31, -1;",
       [](uint32_t i) { return i + 5 > 31 ? i : i + 5; }},
      {"shfl.sync.bfly.b32 %r31, %r1, 9, 31, -1;",
       [](uint32_t i) { return i ^ 9; }},
      {"shfl.sync.idx.b32 %r31, %r1, 7, 31, -1;", [](uint32_t) { return 7u; }},
      // Segments of 8 lanes.
      {"shfl.sync.idx.b32 %r31, %r1, 2, 0x181f, -1;",
       [](uint32_t i) { return (i & ~7u) + 2; }},
      {"shfl.sync.down.b32 %r31, %r1, 1, 0x181f, -1;",
       [](uint32_t i) { return (i & 7) == 7 ? i : i + 1; }}};
  for (const Case &c : cases) {
    good(module("add.u32 %r1, %r0, 50;\n" + std::string(c.text) + "\n" +
                storeResult),
         32);
    for (uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(out.host[i], c.reference(i) + 50) << c.text << i;
  }
}

TEST_F(Synchronization, ShuffleOfDivergedLanesWaits) {
  // The two halves of the warp reach the shuffle on different ways.
  good(module("mov.u32 %r1, %r0;\nsetp.lt.u32 %p1, %r0, 16;\n"
              "@%p1 bra LOW;\nadd.u32 %r1, %r1, 100;\nbra JOIN;\n"
              "LOW: add.u32 %r1, %r1, 200;\nadd.u32 %r1, %r1, 1;\n"
              "JOIN: shfl.sync.bfly.b32 %r31, %r1, 16, 31, -1;\n" +
              std::string(storeResult)),
       32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.host[i], i < 16 ? i + 116 : i - 16 + 201);
}

TEST_F(Synchronization, WarpBarrierAtDifferentPlaces) {
  good(module("mov.u32 %r31, 1;\nsetp.lt.u32 %p1, %r0, 7;\n@%p1 bra A;\n"
              "bar.warp.sync -1;\nmov.u32 %r31, 2;\nbra B;\n"
              "A: bar.warp.sync 0xffffffff;\nB:\n" +
              std::string(storeResult)),
       32);
  EXPECT_EQ(out.host[0], 1u);
  EXPECT_EQ(out.host[31], 2u);
}

TEST_F(Synchronization, ReductionsAndElection) {
  good(module("setp.gt.u32 %p1, %r0, 9;\nmov.u32 %r31, 0;\n"
              "@%p1 bra HIGH;\n"
              "redux.sync.max.u32 %r31, %r0, 0x3ff;\nbra JOIN;\n"
              "HIGH: elect.sync %r31|%p2, 0xfffffc00;\n"
              "@%p2 add.u32 %r31, %r31, 1000;\nJOIN:\n" +
              std::string(storeResult)),
       32);
  EXPECT_EQ(out.host[0], 9u);
  EXPECT_EQ(out.host[10], 1010u);
  EXPECT_EQ(out.host[11], 10u);
}

TEST_F(Synchronization, NamedBarriersBetweenWarps) {
  // Warp 0 produces, warp 1 consumes.
  std::string text = module(
      ".shared .u32 s[32];\nand.b32 %r1, %r0, 31;\nmul.lo.u32 %r2, %r1, 4;\n"
      "mov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\nsetp.lt.u32 %p1, %r0, 32;\n"
      "mov.u32 %r31, 0;\n@!%p1 bra CONSUME;\nadd.u32 %r4, %r0, 7;\n"
      "st.shared.u32 [%r3], %r4;\nbarrier.arrive 3, 64;\nbra DONE;\n"
      "CONSUME: barrier.sync 3, 64;\nld.shared.u32 %r31, [%r3];\nDONE:\n" +
      std::string(storeResult));
  for (uint64_t seed : {0, 1, 2, 3}) {
    Options options = sanitized();
    options.seed = seed;
    LaunchResult result = good(text, 64, options);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(out.host[40], 15u);
  }
}

TEST_F(Synchronization, BarrierReductions) {
  good(module(
           "setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r31, 0, %p1;\n"
           "bar.red.and.pred %p2, 0, !%p1;\n@%p2 add.u32 %r31, %r31, 100;\n"
           "bar.red.or.pred %p3, 1, 96, %p1;\n@%p3 add.u32 %r31, %r31, 200;\n" +
           std::string(storeResult)),
       96);
  for (uint32_t i = 0; i < 96; ++i)
    EXPECT_EQ(out.host[i], 240u);
}

TEST_F(Synchronization, ExitedThreadsDoNotHoldBarriers) {
  good(module("mov.u32 %r31, 3;\nsetp.gt.u32 %p1, %r0, 50;\n@%p1 exit;\n"
              "bar.sync 0;\n" +
              std::string(storeResult)),
       128);
  EXPECT_EQ(out.host[50], 3u);
}

TEST_F(Synchronization, Deadlocks) {
  bad(module("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1;\n@!%p1 bar.sync 2;"),
      64, "deadlock: warp 0 lanes 0xffffffff wait at barrier 1");
  bad(module("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1, 96;"), 64,
      "32 of 96 threads arrived");
  bad(module("setp.lt.u32 %p1, %r0, 4;\n@%p1 bra A;\n"
             "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nbra B;\n"
             "A: vote.sync.any.pred %p2, %p1, -1;\nB:"),
      32, "wait for lanes of their warp");
}

TEST_F(Synchronization, Atomics) {
  std::fill(out.host.begin(), out.host.end(), 5);
  memory.write(out.address, out.host.data(), 4096);
  good(module("atom.global.add.u32 %r1, [%d0], 2;\n"
              "atom.global.cas.b32 %r2, [%d0+4], 5, 9;\n"
              "atom.global.inc.u32 %r3, [%d0+8], 7;\n"
              "red.global.max.s32 [%d0+12], %r0;\n"
              "cvt.rn.f32.u32 %r4, %r0;\n"
              "atom.add.f32 %r5, [%d0+16], %r4;\n"
              "atom.global.exch.b32 %r6, [%d0+20], %r0;"),
       32);
  EXPECT_EQ(out.host[0], 5u + 64);
  EXPECT_EQ(out.host[1], 9u);
  EXPECT_EQ(out.host[2], (5u + 32) % 8);
  EXPECT_EQ(out.host[3], 31u);
  EXPECT_EQ(out.host[5], 31u);
}

TEST_F(Synchronization, AsyncCopiesAppearAtTheWait) {
  std::string text =
      ".shared .align 16 .b8 s[512];\nmul.lo.u32 %r1, %r0, 16;\n"
      "mov.u32 %r2, s;\nadd.u32 %r2, %r2, %r1;\nmul.wide.u32 %d1, %r0, 16;\n"
      "add.s64 %d1, %d0, %d1;\nmov.u32 %r5, 0x7777;\n"
      "st.shared.v4.u32 [%r2], {%r5,%r5,%r5,%r5};\n"
      "cp.async.ca.shared.global [%r2], [%d1], 16, 8;\n"
      "cp.async.commit_group;\n"
      "ld.shared.u32 %r6, [%r2];\n"                         // still old
      "cp.async.wait_group 1;\nld.shared.u32 %r7, [%r2];\n" // may stay open
      "cp.async.wait_group 0;\nld.shared.u32 %r8, [%r2];\n"
      "ld.shared.u32 %r9, [%r2+8];\n" // filled with zeros
      "setp.eq.u32 %p1, %r6, 0x7777;\nsetp.eq.and.u32 %p1, %r7, 0x7777, %p1;\n"
      "setp.eq.and.u32 %p1, %r9, 0, %p1;\nselp.u32 %r31, %r8, 0, %p1;\n"
      "bar.sync 0;\n" +
      std::string(storeResult);
  for (uint32_t i = 0; i < 1024; ++i)
    out.host[i] = i + 10;
  memory.write(out.address, out.host.data(), 4096);
  LaunchResult result = good(module(text), 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.host[i], 4 * i + 10);
  EXPECT_EQ(result.counters.globalLoadBytes, 32u * 8);
  result = launch(module(text), 32, sanitized());
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, "async-read-in-flight");
}

/// Copies that an mbarrier waits for are found without looking at all copies in
/// flight: four times as many take about four times as long.
TEST_F(Synchronization, ManyCopiesAtAnMbarrier) {
  auto seconds = [&](uint32_t count) {
    std::string text = module(
        ".shared .align 8 .b8 bar[8];\n.shared .align 16 .b8 s[512];\n"
        "mov.u32 %r1, bar;\nmov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\n"
        "add.u32 %r2, %r2, %r3;\nsetp.eq.u32 %p1, %r0, 0;\n"
        "mov.u32 %r4, " +
        std::to_string(32 * count) +
        ";\n@%p1 mbarrier.init.shared.b64 [%r1], %r4;\nbar.sync 0;\n"
        "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d1, %d0;\n"
        "mov.u32 %r5, " +
        std::to_string(count) +
        ";\nL:\ncp.async.ca.shared.global [%r2], [%d1], 4;\n"
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n"
        "sub.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra L;\n"
        "W:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r1], 0;\n"
        "@!%p3 bra W;\nld.shared.u32 %r31, [%r2];\nadd.u32 %r31, %r31, 1;\n" +
        std::string(storeResult));
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      std::vector<uint32_t> sixes(1024, 6);
      memory.write(out.address, sixes.data(), 4096);
      std::clock_t begin = std::clock();
      good(text, 32);
      best = std::min(best, double(std::clock() - begin) / CLOCKS_PER_SEC);
      EXPECT_EQ(out.host[31], 7u);
    }
    return best;
  };
  double few = seconds(500), many = seconds(2000);
  EXPECT_LT(many, 9 * few + 0.01) << few << " s, " << many << " s";
}

} // namespace
