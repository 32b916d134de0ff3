//===- SanitizerTest.cpp - What the sanitizers find and what they don't ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <algorithm>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using List = std::vector<std::string>;

/// %r0 tid, %r1 lane, %r2 ctaid; %r3 the thread's word of s, %r4 that of the
/// neighbour (lane ^ 1), %d0 a zeroed buffer of 1024 words, %d1 the thread's
/// word of it.
std::string module(const std::string &body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %d<16>;\n"
         ".shared .align 16 .u32 s[256];\n"
         "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\n"
         "mov.u32 %r1, %laneid;\nmov.u32 %r2, %ctaid.x;\n"
         "mov.u32 %r30, s;\nshl.b32 %r3, %r0, 2;\nxor.b32 %r4, %r3, 4;\n"
         "add.u32 %r3, %r3, %r30;\nadd.u32 %r4, %r4, %r30;\n"
         "mul.wide.u32 %d1, %r0, 4;\nadd.s64 %d1, %d1, %d0;\n"
         "setp.eq.u32 %p1, %r0, 0;\nsetp.lt.u32 %p2, %r1, 16;\n"
         "setp.eq.u32 %p3, %r2, 0;\n" +
         body + "\nret;\n}\n";
}

class Sanitizers : public ::testing::Test {
protected:
  LaunchResult launch(const std::string &body, uint32_t blocks = 1,
                      uint32_t threads = 64, uint64_t seed = 0) {
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(1024));
    auto program = parse(module(body));
    if (!program)
      return {};
    Launch launch = makeLaunch("k", {blocks, 1, 1}, {threads, 1, 1}, out);
    Options options;
    options.sanitize = true;
    options.seed = seed;
    options.instructionLimit = 1000000;
    return run(*program, launch, memory, options);
  }
  List kinds(const std::string &body, uint32_t blocks = 1,
             uint32_t threads = 64, uint64_t seed = 0) {
    List result;
    for (const Finding &f : launch(body, blocks, threads, seed).findings)
      result.push_back(f.kind);
    return result;
  }
};

TEST_F(Sanitizers, WhatEndsALaunchIsAFinding) {
  LaunchResult result = launch("st.shared.u32 [%r3+1000], %r0;");
  ASSERT_TRUE(result.error);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "out-of-bounds-shared");
  EXPECT_EQ(result.findings[0].line, result.error->line);
  EXPECT_EQ(result.findings[0].thread[0], 6u);
  EXPECT_EQ(kinds("st.global.u32 [%d1+4096], %r0;"),
            List{"out-of-bounds-global"});
  EXPECT_EQ(kinds("ld.global.u32 %r5, [%d1+2];"), List{"misaligned"});
  EXPECT_EQ(kinds("setp.lt.u32 %p4, %r0, 32;\n@%p4 bar.sync 1;\n"
                  "@!%p4 bar.sync 2;"),
            (List{"deadlock", "deadlock"}));
}

TEST_F(Sanitizers, PartOfAWarpIsOrderedByItsOwnBarriers) {
  std::string store = "st.shared.u32 [%r3], %r0;\n";
  std::string load = "ld.shared.u32 %r5, [%r4];\n";
  EXPECT_EQ(kinds(store + "bar.warp.sync -1;\n" + load), List());
  std::string halves = "@%p2 bra LOW;\nbar.warp.sync 0xffff0000;\nbra ON;\n"
                       "LOW: bar.warp.sync 0x0000ffff;\nON:\n";
  EXPECT_EQ(kinds(store + halves + load), List());
  // Across the halves nothing is ordered.
  std::string far = "xor.b32 %r4, %r3, 64;\n";
  EXPECT_EQ(kinds(far + store + "bar.warp.sync -1;\n" + load), List());
  EXPECT_EQ(kinds(far + store + halves + load), List{"shared-race"});
  // Nor by lanes that talk without a barrier.
  EXPECT_EQ(kinds(store + "shfl.sync.bfly.b32 %r6, %r0, 1, 31, -1;\n" + load),
            List{"shared-race"});
  // One after the other, through a lane of both.
  std::string chain = "setp.lt.u32 %p4, %r1, 17;\n@%p4 bar.warp.sync 0x1ffff;\n"
                      "setp.ge.u32 %p4, %r1, 16;\n"
                      "@%p4 bar.warp.sync 0xffff0000;\n";
  EXPECT_EQ(kinds(store + chain + "@!%p2 ld.shared.u32 %r5, [s];\n", 1, 32),
            List());
  EXPECT_EQ(kinds(store + chain + "@%p2 ld.shared.u32 %r5, [s+80];\n", 1, 32),
            List{"shared-race"});
}

TEST_F(Sanitizers, NamedBarriersOrderThoseWhoComeAndWait) {
  // Warp 0 produces, warp 1 consumes.
  std::string produce = "setp.ge.u32 %p4, %r0, 32;\n@%p4 bra C;\n"
                        "st.shared.u32 [%r3], %r0;\n";
  std::string consume = "bra E;\nC: bar.sync 1, 64;\n"
                        "ld.shared.u32 %r5, [%r3+-128];\nE:\n";
  EXPECT_EQ(kinds(produce + "bar.arrive 1, 64;\n" + consume), List());
  // Accesses after the arrival do not come before the wait.
  EXPECT_EQ(
      kinds(produce + "bar.arrive 1, 64;\nst.shared.u32 [%r3], 1;\n" + consume)
          .size(),
      1u);
  EXPECT_EQ(kinds("bar.arrive 1, 128;\n" + produce + consume),
            List{"bad-barrier"});
}

TEST_F(Sanitizers, GlobalMemory) {
  std::string store = "st.global.u32 [%d1], %r0;\n";
  std::string neighbour = "xor.b64 %d2, %d1, 128;\n";
  std::string load = "ld.global.u32 %r5, [%d2];\n";
  EXPECT_EQ(kinds(store), List());
  EXPECT_EQ(kinds(neighbour + store + "bar.sync 0;\n" + load), List());
  // Reads before writes, and writes before reads.
  List both{"global-race", "global-race"};
  EXPECT_EQ(kinds(neighbour + store + load), both);
  EXPECT_EQ(kinds(neighbour + load + store), both);
  EXPECT_EQ(kinds(neighbour + load), List());
  // Between blocks there is no barrier.
  EXPECT_EQ(kinds(store, 2), List{"redundant-write"});
  EXPECT_EQ(kinds("st.global.u32 [%d1], %r2;\n", 2), List{"global-race"});
  EXPECT_EQ(kinds("@%p3 " + store, 2), List());
  EXPECT_EQ(kinds("ld.global.u32 %r5, [%d1];\n@%p3 " + store, 2).size(), 1u);
  EXPECT_EQ(kinds("red.global.add.u32 [%d0], 1;", 3), List());
  // Bytes of a word are separate.
  EXPECT_EQ(kinds("cvt.u64.u32 %d3, %r0;\nadd.s64 %d3, %d3, %d0;\n"
                  "st.global.u8 [%d3], %r0;\n"),
            List());
}

// Block 0 writes and sets a flag; block 1 waits for it and reads.
TEST_F(Sanitizers, FlagsAndFencesOrderBlocks) {
  auto text = [](const char *fence, const char *set, const char *get,
                 const char *after) {
    return std::string("setp.eq.u32 %p4, %r2, 1;\n@%p4 bra READ;\n"
                       "st.global.u32 [%d1+16], %r0;\nbar.sync 0;\n"
                       "@!%p1 bra END;\n") +
           fence + set + "bra END;\nREAD: @!%p1 bra JOIN;\nSPIN:\n" + get +
           "setp.eq.u32 %p5, %r6, 0;\n@%p5 bra SPIN;\n" + after +
           "JOIN: bar.sync 0;\nld.global.u32 %r5, [%d1+16];\nEND:\n";
  };
  const char *fence = "membar.gl;\n";
  const char *set = "st.volatile.global.u32 [%d0], 1;\n";
  const char *get = "ld.volatile.global.u32 %r6, [%d0];\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(kinds(text(fence, set, get, fence), 2, 64, seed), List());
    EXPECT_EQ(kinds(text("", set, get, fence), 2, 64, seed),
              List{"global-race"});
    EXPECT_EQ(kinds(text("", "st.release.gpu.global.u32 [%d0], 1;\n",
                         "ld.acquire.gpu.global.u32 %r6, [%d0];\n", ""),
                    2, 64, seed),
              List());
    EXPECT_EQ(kinds(text(fence, "red.global.add.u32 [%d0], 1;\n",
                         "atom.global.add.u32 %r6, [%d0], 0;\n", fence),
                    2, 64, seed),
              List());
    // A flag that is not even volatile.
    List racy = kinds(text(fence, "st.global.u32 [%d0], 1;\n", get, fence), 2,
                      64, seed);
    EXPECT_NE(std::find(racy.begin(), racy.end(), "global-race"), racy.end());
  }
}

TEST_F(Sanitizers, StrongReadsOfWeakStoresNeedAFence) {
  // Block 0 passes a word to block 1, which polls a flag.
  auto text = [](const std::string &fence, const std::string &store,
                 const std::string &load) {
    return "@!%p1 bra E;\n@!%p3 bra READ;\n" + store +
           " [%d0+4], 42;\nmembar.gl;\nst.volatile.global.u32 [%d0], 1;\n"
           "bra E;\nREAD: ld.volatile.global.u32 %r6, [%d0];\n"
           "setp.eq.u32 %p4, %r6, 0;\n@%p4 bra READ;\n" +
           fence + load + " %r5, [%d0+4];\nE:\n";
  };
  std::string weak = "st.global.u32", strong = "st.volatile.global.u32";
  for (uint64_t seed = 0; seed < 4; ++seed)
    for (std::string load :
         {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32"}) {
      EXPECT_EQ(kinds(text("", weak, load), 2, 64, seed), List{"global-race"});
      EXPECT_EQ(kinds(text("membar.gl;\n", weak, load), 2, 64, seed), List());
      EXPECT_EQ(kinds(text("", strong, load), 2, 64, seed), List());
    }
}

TEST_F(Sanitizers, VolatileFlagsNeedFencesOnBothSides) {
  // Block 0 passes a word to block 1; only strong accesses on both sides do not
  // race without them.
  std::string fence = "membar.gl;\n";
  for (std::string store : {"st.global.u32", "st.volatile.global.u32"})
    for (std::string load : {"ld.global.u32", "ld.volatile.global.u32"})
      for (std::string release : {std::string(), fence})
        for (std::string acquire : {std::string(), fence}) {
          std::string text = "@!%p1 bra E;\n@!%p3 bra READ;\n" + store +
                             " [%d0+4], 42;\n" + release +
                             "st.volatile.global.u32 [%d0], 1;\nbra E;\n"
                             "READ: ld.volatile.global.u32 %r6, [%d0];\n"
                             "setp.eq.u32 %p4, %r6, 0;\n@%p4 bra READ;\n" +
                             acquire + load + " %r5, [%d0+4];\nE:\n";
          bool isFine = (!release.empty() && !acquire.empty()) ||
                        (store.size() > 13 && load.size() > 13);
          for (uint64_t seed = 0; seed < 4; ++seed)
            EXPECT_EQ(kinds(text, 2, 64, seed),
                      isFine ? List() : List{"global-race"})
                << text;
        }
}

TEST_F(Sanitizers, LanesMayStoreTheSame) {
  std::string half = "shr.u32 %r9, %r0, 1;\nshl.b32 %r8, %r9, 2;\n"
                     "add.u32 %r8, %r8, %r30;\n";
  for (std::string place : {"st.shared.u32 [s]", "st.global.u32 [%d0]",
                            "st.shared.u8 [s]", "st.shared.u32 [%r8]"}) {
    List race{place[3] == 's' ? "shared-race" : "global-race"};
    EXPECT_EQ(kinds(half + place + ", 7;", 1, 32), List()) << place;
    EXPECT_EQ(kinds(half + place + ", %r0;", 1, 32), race) << place;
  }
  EXPECT_EQ(kinds(half + "st.shared.u32 [%r8], %r9;", 1, 32), List());
  std::string pair = "st.shared.v2.u32 [s], ";
  EXPECT_EQ(kinds(pair + "{%r2, %r2};", 1, 32), List());
  EXPECT_EQ(kinds(pair + "{%r2, %r1};", 1, 32),
            (List{"redundant-write", "shared-race"}));
  // Of one instruction only.
  EXPECT_EQ(kinds("st.shared.u32 [s], 7;", 1, 64), List{"redundant-write"});
  EXPECT_EQ(kinds("st.shared.u32 [s], %r0;", 1, 64), List{"shared-race"});
}

TEST_F(Sanitizers, LocksNeedFences) {
  // Thread 0 of every block adds one to a counter, by strong accesses.
  auto text = [](const std::string &acquire, const std::string &release,
                 const std::string &value = "%r6") {
    return "@!%p1 bra E;\nL: atom.global.cas.b32 %r5, [%d0], 0, 1;\n"
           "setp.ne.u32 %p4, %r5, 0;\n@%p4 bra L;\n" +
           acquire +
           "ld.volatile.global.u32 %r6, [%d0+4];\nadd.u32 %r6, %r6, 1;\n"
           "st.volatile.global.u32 [%d0+4], " +
           value + ";\n" + release +
           "atom.global.exch.b32 %r5, [%d0], 0;\nE:\n";
  };
  std::string fence = "membar.gl;\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(kinds(text(fence, fence), 4, 32, seed), List());
    EXPECT_EQ(kinds(text("", fence), 4, 32, seed), List{"global-race"});
    EXPECT_EQ(kinds(text(fence, ""), 4, 32, seed), List{"global-race"});
    // What is stored is not made of what was read: nothing is lost.
    EXPECT_EQ(kinds(text(fence, "", "7"), 4, 32, seed), List());
  }
}

TEST_F(Sanitizers, FlagsThatAreReadAndSetAreNoLocks) {
  // Blocks 0 and 1 pass a number to and fro, by strong accesses alone.
  std::string text =
      "@!%p1 bra E;\nmov.u32 %r7, %r2;\n"
      "W: ld.volatile.global.u32 %r6, [%d0];\n"
      "setp.ne.u32 %p4, %r6, %r7;\n@%p4 bra W;\n"
      "atom.global.add.u32 %r5, [%d0+4], 1;\nadd.u32 %r6, %r6, 1;\n"
      "st.volatile.global.u32 [%d0], %r6;\nadd.u32 %r7, %r7, 2;\n"
      "setp.lt.u32 %p5, %r7, 20;\n@%p5 bra W;\nE:\n";
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(kinds(text, 2, 32, seed), List());
}

TEST_F(Sanitizers, CopiesThatAnMbarrierAwaitsOutliveTheirThread) {
  // Warp 0 copies and ends; warp 1 waits for the mbarrier.
  auto text = [](const std::string &arrive, const std::string &wait) {
    return ".shared .align 8 .b64 bar;\nmov.u32 %r9, bar;\n"
           "@%p1 mbarrier.init.shared.b64 [%r9], 32;\nbar.sync 0;\n"
           "setp.ge.u32 %p4, %r0, 32;\n@%p4 bra C;\n"
           "cp.async.ca.shared.global [%r3], [%d1], 4;\n" +
           arrive + "bra E;\nC:\n" + wait +
           "ld.shared.u32 %r5, [%r4+-128];\nE:\n";
  };
  std::string wait = "mbarrier.test_wait.parity.shared.b64 %p5, [%r9], 0;\n"
                     "@!%p5 bra C;\n";
  std::string arrive = "mbarrier.arrive.shared.b64 %d2, [%r9];\n";
  std::string after = "cp.async.mbarrier.arrive.shared.b64 [%r9];\n" + arrive;
  std::string instead = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];\n";
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(kinds(text(after, wait), 1, 64, seed), List());
    EXPECT_EQ(kinds(text(instead, wait), 1, 64, seed), List());
    // An arrival that does not wait for the copy.
    EXPECT_NE(kinds(text(arrive, wait), 1, 64, seed), List());
    EXPECT_NE(kinds(text(after, ""), 1, 64, seed), List());
  }
}

TEST_F(Sanitizers, AsynchronousCopies) {
  std::string copy = "shl.b32 %r7, %r1, 4;\nadd.u32 %r7, %r7, %r30;\n"
                     "mul.wide.u32 %d2, %r1, 16;\nadd.s64 %d2, %d2, %d0;\n"
                     "cp.async.cg.shared.global [%r7], [%d2], 16;\n";
  std::string load = "ld.shared.u32 %r5, [%r7];\n";
  std::string commit = "cp.async.commit_group;\n";
  auto one = [&](const std::string &body) { return kinds(body, 1, 32); };
  EXPECT_EQ(one(copy + commit + "cp.async.wait_group 0;\n" + load), List());
  EXPECT_EQ(one(copy + commit + load), List{"async-read-in-flight"});
  EXPECT_EQ(one(copy + "cp.async.wait_group 0;\n" + load),
            List{"async-read-in-flight"});
  EXPECT_EQ(one(copy + commit + "cp.async.wait_group 1;\n" + load),
            List{"async-read-in-flight"});
  EXPECT_EQ(one(copy + "st.shared.u32 [%r7], 0;\n"), List{"async-overwrite"});
  // Waiting is for the own copies; others need a barrier besides.
  std::string other = "xor.b32 %r8, %r7, 16;\nld.shared.u32 %r5, [%r8];\n";
  EXPECT_EQ(one(copy + "cp.async.wait_all;\n" + other), List{"shared-race"});
  EXPECT_EQ(one(copy + "cp.async.wait_all;\nbar.sync 0;\n" + other), List());
}

/// The weak load that begins a CAS loop: no race where a wrong value makes the
/// CAS fail and does nothing else.
std::string casLoop(const std::string &space, const std::string &place,
                    const std::string &inLoop, const std::string &after,
                    const std::string &loaded = "") {
  return "ld." + space + ".u32 %r10, [" + (loaded.empty() ? place : loaded) +
         "];\nmov.u32 %r20, %r10;\nL:\n" + inLoop +
         "add.u32 %r11, %r10, %r0;\natom." + space + ".cas.b32 %r12, [" +
         place +
         "], %r10, %r11;\nsetp.ne.s32 %p5, %r10, %r12;\n"
         "mov.u32 %r10, %r12;\n@%p5 bra L;\nM:\n" +
         after;
}

TEST_F(Sanitizers, GuessesOfCasLoops) {
  EXPECT_EQ(kinds(casLoop("global", "%d0", "", ""), 2), List{});
  EXPECT_EQ(kinds("mov.u32 %r21, s;\n@%p1 st.shared.u32 [%r21], %r0;\n"
                  "bar.sync 0;\n" +
                  casLoop("shared", "%r21", "", "")),
            List{});
  // The result of the CAS is right; the first value need not be.
  EXPECT_EQ(kinds(casLoop("global", "%d0", "",
                          "st.global.u32 [%d1+1024], "
                          "%r10;\n")),
            List{});
  List races(2, "global-race");
  EXPECT_EQ(
      kinds(casLoop("global", "%d0", "", "st.global.u32 [%d1+1024], %r20;\n")),
      races);
  EXPECT_EQ(kinds(casLoop("global", "%d0",
                          "setp.gt.u32 %p6, %r10, 100000;\n@%p6 bra M;\n", "")),
            races);
  // This one never ends.
  EXPECT_EQ(kinds(casLoop("global", "%d0", "add.u32 %r10, %r10, 1;\n", "")),
            (List{"global-race", "global-race", "deadlock", "deadlock"}));
  // With a store that is none of the loop, it is a race as any.
  EXPECT_EQ(kinds("@%p1 st.global.u32 [%d0], %r0;\n" +
                  casLoop("global", "%d0", "", ""))
                .empty(),
            false);
}

TEST_F(Sanitizers, GuessesAtAnAddressWrittenInTwoWays) {
  // As nvcc does it: the sum outside of the loop, or in it; of a symbol.
  EXPECT_EQ(kinds("add.s64 %d5, %d0, 20;\n" +
                      casLoop("global", "%d5", "", "", "%d0+20"),
                  2),
            List{});
  std::string zero = "@%p1 st.shared.u32 [s+4], 0;\nbar.sync 0;\n";
  EXPECT_EQ(
      kinds(zero + "mov.u32 %r21, s;\n" +
            casLoop("shared", "%r22", "add.s32 %r22, %r21, 4;\n", "", "s+4")),
      List{});
  EXPECT_EQ(kinds(zero + "mov.u32 %r21, s;\nadd.u32 %r22, %r21, 12;\n" +
                  casLoop("shared", "%r22+-8", "", "", "%r21+4")),
            List{});
  // Another place, and one that may be another.
  EXPECT_EQ(kinds("add.s64 %d5, %d0, 24;\n" +
                      casLoop("global", "%d5", "", "", "%d0+20") +
                      "atom.global.add.u32 %r5, [%d0+20], 1;\n",
                  2)
                .empty(),
            false);
  EXPECT_EQ(kinds("add.s64 %d5, %d0, 24;\n@%p1 add.s64 %d5, %d0, 20;\n" +
                      casLoop("global", "%d5", "", "", "%d0+20") +
                      "atom.global.add.u32 %r5, [%d0+20], 1;\n",
                  2)
                .empty(),
            false);
}

TEST_F(Sanitizers, SequentialFencesAcrossBarriers) {
  // Block 0 writes a word for each thread; thread 0 raises a flag, which thread
  // 0 of block 1 polls, and all of block 1 read.
  auto between = [&](const std::string &write, const std::string &read) {
    return kinds("add.s64 %d2, %d1, 1024;\n@!%p3 bra READ;\n"
                 "st.global.u32 [%d2], %r0;\n" +
                     write +
                     "bra END;\nREAD: mov.u32 %r7, 0;\n@!%p1 bra MEET;\n"
                     "POLL: ld.relaxed.gpu.global.u32 %r5, [%d0];\n"
                     "setp.eq.u32 %p4, %r5, 0;\n@%p4 bra POLL;\nMEET:\n" +
                     read + "ld.global.u32 %r6, [%d2];\nEND:\n",
                 2);
  };
  std::string raise = "@%p1 st.relaxed.gpu.global.u32 [%d0], 1;\n";
  for (const char *fence : {"membar.gl;\n", "fence.sc.gpu;\n"}) {
    std::string all = fence, one = "@%p1 " + all, meet = "bar.sync 0;\n";
    std::string writes[] = {all + meet + raise, meet + one + raise},
                reads[] = {meet + all, one + meet};
    for (const std::string &write : writes)
      for (const std::string &read : reads)
        EXPECT_EQ(between(write, read), List()) << write << read;
    // By halves of a warp that meet.
    EXPECT_EQ(between(meet + all + "bar.warp.sync -1;\n" + raise, meet + all),
              List());
    // Without the fence or the barrier of one side.
    for (const std::string &read : reads) {
      EXPECT_FALSE(between(meet + raise, read).empty()) << read;
      EXPECT_FALSE(between(all + raise, read).empty()) << read;
      EXPECT_FALSE(between(meet + raise + all, read).empty()) << read;
    }
    for (const std::string &write : writes) {
      EXPECT_FALSE(between(write, meet).empty()) << write;
      EXPECT_FALSE(between(write, one).empty()) << write;
      EXPECT_FALSE(
          between(write, "@%p1 fence.acq_rel.gpu;\n" + std::string()).empty());
    }
  }
  // Half of each warp fences after the barrier, then the other half.
  std::string first = "bar.sync 0;\nand.b32 %r8, %r0, 16;\n"
                      "setp.eq.u32 %p5, %r8, 0;\n@%p5 membar.gl;\n",
              second = "@!%p5 membar.gl;\n";
  for (const std::string &write : {"membar.gl;\nbar.sync 0;\n" + raise,
                                   "bar.sync 0;\n@%p1 membar.gl;\n" + raise}) {
    EXPECT_EQ(between(write, first + "@!%p5 bra END;\n"), List());
    EXPECT_FALSE(between(write, first + "@%p5 bra END;\n").empty());
    EXPECT_FALSE(between(write, first).empty());
    EXPECT_EQ(between(write, first + second), List());
    EXPECT_EQ(between(write, first + second + "@%p5 bra END;\n"), List());
  }
  // Other fences make a release with the write of their own thread alone.
  std::string acqRel = "fence.acq_rel.gpu;\n", meet = "bar.sync 0;\n",
              sc = "fence.sc.gpu;\n";
  EXPECT_FALSE(between(acqRel + meet + raise, meet + sc).empty());
  EXPECT_FALSE(between(sc + meet + raise, meet + acqRel).empty());
  EXPECT_FALSE(between(sc + meet + raise, acqRel + meet).empty());
  EXPECT_FALSE(between(meet + acqRel + raise, meet + sc).empty());
  EXPECT_EQ(between(meet + acqRel + raise, acqRel + meet), List());
  EXPECT_EQ(between(meet + acqRel + raise, sc + meet), List());
}

} // namespace
