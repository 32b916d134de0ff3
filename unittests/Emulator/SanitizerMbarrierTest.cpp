//===- SanitizerMbarrierTest.cpp - Findings about mbarriers and clusters --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

TEST_F(AsyncSanitizers, MbarriersOrderThreadByThread) {
  std::string init = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], ";
  std::string far = "xor.b32 %r2, %r1, 128;\n",
              read = "ld.shared.u32 %r5, [%r2];\n";
  std::string all = "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n";
  EXPECT_EQ(
      kinds(far + init + "64;\n" + kBar + kStore + all + waitFull() + read),
      List());
  // The arrival of one lane does not speak for its warp.
  EXPECT_EQ(kinds(far + init + "2;\n" + kBar + kStore + "@!%q1 " + all +
                  waitFull() + read),
            List{"shared-race"});
  EXPECT_EQ(kinds(far + init + "2;\n" + kBar + kStore +
                  "bar.warp.sync -1;\n@!%q1 " + all + waitFull() + read),
            List());
  // Accesses after the arrival are not ordered.
  EXPECT_EQ(
      kinds(far + init + "64;\n" + kBar + all + kStore + waitFull() + read),
      List{"shared-race"});
  // A relaxed arrival tells nothing, a fence before it what comes before.
  std::string relaxed =
      "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%s+2048];\n";
  EXPECT_EQ(
      kinds(far + init + "64;\n" + kBar + kStore + relaxed + waitFull() + read),
      List{"shared-race"});
  EXPECT_EQ(kinds(far + init + "64;\n" + kBar + kStore +
                  "fence.acq_rel.cta;\n" + relaxed + waitFull() + read),
            List());
}

TEST_F(AsyncSanitizers, MisuseOfMbarriers) {
  std::string arrive = "@!%q0 mbarrier.arrive.shared::cta.b64 _, [%s+2048], ";
  EXPECT_EQ(kinds(arrive + "1;\n"), List{"mbarrier-misuse"});
  EXPECT_EQ(kinds(kInit + arrive + "2;\n"), List{"mbarrier-misuse"});
  EXPECT_EQ(kinds(kInit + arrive + "1;\n"), List());
  EXPECT_EQ(kinds(kInit + kInit), List{"mbarrier-misuse"});
  EXPECT_EQ(kinds(kInit + "@!%q0 mbarrier.inval.shared::cta.b64 [%s+2048];\n" +
                  kInit),
            List());
  // Another's contents, which look like an mbarrier.
  EXPECT_EQ(kinds(kInit +
                  "@!%q0 st.shared.u64 [%s+2048], "
                  "0x8000000000200002;\n" +
                  arrive + "1;\n"),
            List{"mbarrier-misuse"});
}

TEST_F(AsyncSanitizers, CopiesThatAnMbarrierAwaitsNeedAProxyFence) {
  // All threads fill `smem` by cp.async, thread 0 copies it out.
  std::string begin =
      "mul.wide.u32 %d6, %t, 4;\nadd.s64 %d6, %d6, %p0;\n"
      "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" +
      kBar +
      "cp.async.ca.shared.global [%r1], [%d6+8192], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%s+2048];\n";
  std::string end = kCopyOut + kWait;
  EXPECT_EQ(kinds(begin + waitFull() + kFence + end), List());
  EXPECT_EQ(kinds(begin + waitFull() + "@!%q0 " + kFence + end), List());
  EXPECT_EQ(kinds(begin + waitFull() + end), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(begin + kFence + waitFull() + end),
            List{"missing-proxy-fence"});
  // Another thread's fence counts where it tells.
  std::string other = waitFull() + "@%q0 " + kFence;
  EXPECT_EQ(kinds(begin + other + end), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(begin + other + kBar + end), List());
  // A bulk copy that overwrites needs it too.
  std::string over = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2056], 1;\n" +
                     kInitFence + begin;
  std::string fetch = kFetch;
  for (size_t at; (at = fetch.find("[%s+2048]")) != std::string::npos;)
    fetch.replace(at, 9, "[%s+2056]");
  std::string wait = "MORE:\nmbarrier.try_wait.parity.shared::cta.b64 %q2, "
                     "[%s+2056], 0;\n@!%q2 bra MORE;\n";
  EXPECT_EQ(kinds(over + waitFull() + kFence + fetch + wait), List());
  EXPECT_EQ(kinds(over + waitFull() + fetch + wait),
            List{"missing-proxy-fence"});
}

TEST_F(AsyncSanitizers, ScopesOfMbarriers) {
  // Every thread stores into the other block, arrives there and waits here.
  std::string begin = kOther +
                      "add.u32 %r6, %s, 2048;\n"
                      "mapa.shared::cluster.u32 %r6, %r6, %r4;\n"
                      "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" +
                      kInitFence + kCluster;
  auto text = [&](const std::string &arrive, const std::string &wait,
                  const std::string &fence = "") {
    return begin + "st.shared::cluster.u32 [%r3], %t;\n" + fence +
           "mbarrier.arrive" + arrive +
           ".shared::cluster.b64 _, [%r6];\nAGAIN:\n"
           "mbarrier.try_wait.parity" +
           wait + ".shared::cta.b64 %q2, [%s+2048], 0;\n@!%q2 bra AGAIN;\n" +
           kLoad + kCluster;
  };
  EXPECT_EQ(kinds(text(".release.cluster", ".acquire.cluster"), 64, 2), List());
  EXPECT_EQ(kinds(text(".release.cta", ".acquire.cluster"), 64, 2),
            List{"shared-race"});
  EXPECT_EQ(kinds(text(".release.cluster", ".acquire.cta"), 64, 2),
            List{"shared-race"});
  // Without a scope it is .cta (PTX ISA, "mbarrier.arrive"), wherever the
  // mbarrier lies.
  EXPECT_EQ(kinds(text("", ".acquire.cluster"), 64, 2), List{"shared-race"});
  EXPECT_EQ(kinds(text(".release.cluster", ""), 64, 2), List{"shared-race"});
  std::string fence = "fence.acq_rel.cluster;\n";
  EXPECT_EQ(kinds(text(".relaxed.cluster", ".acquire.cluster", fence), 64, 2),
            List());
  EXPECT_EQ(kinds(text(".relaxed.cta", ".acquire.cluster", fence), 64, 2),
            List{"shared-race"});
  // Within a block the narrow one is enough, for copies too.
  std::string all = "xor.b32 %r2, %r1, 128;\n"
                    "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" +
                    kBar + kStore +
                    "mbarrier.arrive.release.cta.shared::cta.b64 _, "
                    "[%s+2048];\n";
  std::string wait =
      "AGAIN:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %q2, "
      "[%s+2048], 0;\n@!%q2 bra AGAIN;\n";
  EXPECT_EQ(kinds(all + wait + "ld.shared.u32 %r5, [%r2];\n"), List());
  EXPECT_EQ(kinds(kInit + kInitFence + kBar + kFetch + wait + kLoad), List());
}

/// What was read before an arrival of any scope may be overwritten by a thread
/// that waits for it (PTX ISA, "mbarrier.try_wait", 4).
TEST_F(AsyncSanitizers, WhatTookPlaceBeforeAnArrival) {
  std::string begin = kStore + kOther +
                      "add.u32 %r6, %s, 2048;\n"
                      "mapa.shared::cluster.u32 %r6, %r6, %r4;\n"
                      "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" +
                      kInitFence + kCluster;
  auto text = [&](const std::string &before, const std::string &arrive,
                  const std::string &wait, const std::string &behind) {
    return begin + before + "mbarrier.arrive" + arrive +
           ".shared::cluster.b64 _, [%r6];\nAGAIN:\n"
           "mbarrier.try_wait.parity" +
           wait + ".shared::cta.b64 %q2, [%s+2048], 0;\n@!%q2 bra AGAIN;\n" +
           behind + kCluster;
  };
  std::string store = "add.u32 %r7, %t, 1000;\n"
                      "st.shared::cluster.u32 [%r3], %r7;\n";
  EXPECT_EQ(kinds(text(kLoad, "", "", store), 64, 2), List());
  EXPECT_EQ(
      kinds(text(kLoad, ".release.cta", ".acquire.cluster", store), 64, 2),
      List());
  EXPECT_EQ(kinds(text(kLoad, ".release.cluster", "", store), 64, 2), List());
  // Neither may be relaxed; and what was stored is not told.
  EXPECT_EQ(kinds(text(kLoad, ".relaxed.cta", "", store), 64, 2),
            List{"shared-race"});
  EXPECT_EQ(kinds(text(kLoad, "", ".relaxed.cta", store), 64, 2),
            List{"shared-race"});
  EXPECT_EQ(kinds(text(kStore, "", "", store), 64, 2), List{"shared-race"});
  // One thread waits: the threads that it signals learn nothing.
  auto byOthers = [&](const std::string &arrive, const std::string &wait) {
    std::string all = text(kLoad, arrive, wait, "SKIP:\n" + kBar + store);
    return all.insert(all.find("AGAIN:"), "@%q0 bra SKIP;\n");
  };
  EXPECT_EQ(kinds(byOthers("", ""), 64, 2), List{"shared-race"});
  EXPECT_EQ(kinds(byOthers(".release.cluster", ".acquire.cluster"), 64, 2),
            List());
}

/// Thread 0 copies to the other block, which reads it and says so; and again.
TEST_F(AsyncSanitizers, CopiesOverWhatWasReadInAnotherBlock) {
  auto text = [](const std::string &arrive, const std::string &wait) {
    std::string copy =
        "@!%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+2048], 256;\n"
        "@!%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
        "bytes [%r3], [%p0], 256, [%r3+2048];\n";
    auto await = [](const std::string &scope, const char *barrier,
                    const char *parity) {
      return std::string("AWAIT") + barrier + parity +
             ":\nmbarrier.try_wait.parity" + scope +
             ".shared::cta.b64 %q2, [%s+" + barrier + "], " + parity +
             ";\n@!%q2 bra AWAIT" + barrier + parity + ";\n";
    };
    return "mov.u32 %r3, %s;\nmov.u32 %r4, %cluster_ctarank;\n"
           "xor.b32 %r4, %r4, 1;\nmapa.shared::cluster.u32 %r3, %r3, %r4;\n"
           "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 1;\n"
           "@!%q0 mbarrier.init.shared::cta.b64 [%s+2056], 64;\n" +
           kInitFence + kCluster + copy + await("", "2048", "0") + kLoad +
           "mbarrier.arrive" + arrive +
           ".shared::cluster.b64 _, [%r3+2056];\n" + "@%q0 bra NEXT;\n" +
           await(wait, "2056", "0") + "NEXT:\n" + copy +
           await("", "2048", "1") + kLoad + kCluster;
  };
  EXPECT_EQ(kinds(text("", ""), 64, 2), List());
  EXPECT_EQ(kinds(text(".release.cluster", ".acquire.cluster"), 64, 2), List());
  EXPECT_TRUE(found("shared-race", text(".relaxed.cluster", ""), 64, 2));
}

TEST_F(AsyncSanitizers, ThePhaseThatAnArrivalCountsFor) {
  std::string second =
      "NEXT:\nmbarrier.try_wait.parity.shared::cta.b64 %q2, [%s+2048], 1;\n"
      "@!%q2 bra NEXT;\n";
  // A second copy, for the next phase, before anybody has waited for the first.
  std::string copy = kInit + kInitFence + kBar + kFetch;
  EXPECT_EQ(kinds(copy + waitFull() + kBar + kFetch + second), List());
  EXPECT_TRUE(found("mbarrier-misuse", copy + kFetch + second));
  // An arrival where only cp.async may have ended the phase.
  std::string init =
      "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 32;\n" + kBar;
  std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n";
  auto async = [](const std::string &noinc) {
    return "cp.async.mbarrier.arrive" + noinc + ".shared.b64 [%s+2048];\n";
  };
  EXPECT_EQ(kinds(init + async("") + arrive + waitFull(), 32), List());
  EXPECT_EQ(kinds(init + async(".noinc") + waitFull() + arrive + second, 32),
            List());
  EXPECT_TRUE(found("mbarrier-misuse", init + async(".noinc") + arrive, 32));
  // A thread's cp.async that arrives after the thread itself.
  std::string wide =
      "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" + kBar;
  EXPECT_EQ(kinds(wide + async("") + arrive + waitFull()), List());
  EXPECT_TRUE(found("mbarrier-misuse", wide + arrive + async("") + waitFull()));
}

TEST_F(AsyncSanitizers, InvalidationComesAfterEveryUse) {
  std::string begin = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" +
                      kBar + "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n" +
                      waitFull();
  std::string end = "@!%q0 mbarrier.inval.shared::cta.b64 [%s+2048];\n";
  EXPECT_EQ(kinds(begin + kBar + end), List());
  // A thread that still looks whether the phase has ended.
  EXPECT_TRUE(found("shared-race", begin + "bar.warp.sync -1;\n" + end));
  EXPECT_TRUE(found("shared-race", begin + end, 64));
  // The copies that complete there happen before some thread.
  std::string copy = kInit + kInitFence + kBar + kFetch;
  EXPECT_EQ(kinds(copy + waitFull() + kBar + end), List());
  EXPECT_EQ(kinds(copy + end), List{"mbarrier-misuse"});
}

/// As the library ends a pipeline: the lanes of a warp count themselves, one of
/// them tells for all, and the last warp invalidates.
TEST_F(AsyncSanitizers, InvalidationAfterWarpsCountedThemselves) {
  std::string begin = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n"
                      "@!%q0 st.shared.u32 [%s+2056], 2;\n" +
                      kBar + "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n" +
                      waitFull();
  auto end = [](const std::string &meet, const std::string &fence) {
    return "mov.u32 %r4, 0;\n" + meet + "@%q1 bra E;\n" + fence +
           "atom.acquire.cta.shared.add.u32 %r7, [%s+2056], -1;\n"
           "setp.ne.u32 %q3, %r7, 1;\n@%q3 bra E;\n"
           "mbarrier.inval.shared::cta.b64 [%s+2048];\nE:\n";
  };
  std::string match = "match.any.sync.b32 %r6, %r4, -1;\n",
              fence = "fence.sc.cta;\n";
  EXPECT_EQ(kinds(begin + end(match, fence)), List());
  EXPECT_EQ(kinds(begin + end("vote.sync.any.pred %q4, %q1, -1;\n", fence)),
            List());
  // Halves of the warp meet, then the lanes that lead them.
  EXPECT_EQ(
      kinds(begin + end("mov.u32 %r8, 0xffff;\nmov.u32 %r9, %laneid;\n"
                        "setp.gt.u32 %q5, %r9, 15;\n"
                        "@%q5 mov.u32 %r8, 0xffff0000;\n"
                        "match.any.sync.b32 %r6, %r4, %r8;\n"
                        "and.b32 %r9, %r9, 15;\nsetp.ne.u32 %q5, %r9, 0;\n"
                        "@%q5 bra E;\n"
                        "match.any.sync.b32 %r6, %r4, 0x10001;\n",
                        fence)),
      List());
  EXPECT_EQ(kinds(begin + end("", fence)), List{"shared-race"});
  EXPECT_EQ(kinds(begin + end(match, "")), List{"shared-race"});
  // Half of the warp is not told.
  EXPECT_EQ(
      kinds(begin + end("mov.u32 %r9, %laneid;\nsetp.gt.u32 %q5, %r9, 15;\n"
                        "@%q5 bra E;\nmatch.any.sync.b32 %r6, %r4, 0xffff;\n",
                        fence)),
      List{"shared-race"});
}

TEST_F(AsyncSanitizers, FencesOfOthersAreNotToldByRelaxedArrivals) {
  // What is stored after the fences is told by nobody.
  std::string store = "st.shared.u32 [%r1], %t;\n",
              fence = "membar.gl;\n" + kBar;
  auto reads = [&](const std::string &before) {
    return kinds(
        "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" + kBar + before +
        "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%s+2048];\n" +
        waitFull() + "xor.b32 %r6, %r1, 128;\nld.shared.u32 %r5, [%r6];\n");
  };
  EXPECT_EQ(reads(store + fence), List());
  EXPECT_EQ(reads(store + "membar.gl;\n"), List());
  EXPECT_EQ(reads(store), List{"shared-race"});
  EXPECT_EQ(reads(fence + store), List{"shared-race"});
}

TEST_F(AsyncSanitizers, LocksInOtherBlocks) {
  // Thread 0 of either block adds one to a counter of block 0.
  auto text = [&](const std::string &acquire, const std::string &release) {
    return "mov.u32 %r4, 0;\nmapa.shared::cluster.u32 %r6, %s, %r4;\n"
           "@!%q0 st.shared.u32 [%s], 0;\n@!%q0 st.shared.u32 [%s+4], 0;\n" +
           kCluster + "@%q0 bra E;\n" +
           "L: atom.relaxed.cluster.shared::cluster.cas.b32 %r5, [%r6], 0, 1;\n"
           "setp.ne.u32 %q3, %r5, 0;\n@%q3 bra L;\n" +
           acquire +
           "ld.relaxed.cluster.shared::cluster.u32 %r7, [%r6+4];\n"
           "add.u32 %r7, %r7, 1;\n"
           "st.relaxed.cluster.shared::cluster.u32 [%r6+4], %r7;\n" +
           release +
           "atom.relaxed.cluster.shared::cluster.exch.b32 %r5, [%r6], 0;\n"
           "E:\n" +
           kCluster;
  };
  std::string fence = "fence.acq_rel.cluster;\n";
  EXPECT_EQ(kinds(text(fence, fence), 32, 2), List());
  EXPECT_EQ(kinds(text("", fence), 32, 2), List{"shared-race"});
  EXPECT_EQ(kinds(text(fence, ""), 32, 2), List{"shared-race"});
}

TEST_F(AsyncSanitizers, SharedMemoryOfOtherBlocks) {
  std::string put = "add.u32 %r7, %t, 1000;\n"
                    "st.shared::cluster.u32 [%r3], %r7;\n";
  std::string get = "ld.shared::cluster.u32 %r5, [%r3];\n";
  EXPECT_EQ(kinds(kOther + kCluster + put + kCluster + kLoad, 64, 2), List());
  EXPECT_EQ(kinds(kOther + kStore + kCluster + get + kCluster, 64, 2), List());
  EXPECT_EQ(kinds(kOther + kStore + kCluster + get + kStore + kCluster, 64, 2),
            List{"shared-race"});
  EXPECT_EQ(kinds(kOther + kCluster + put + kStore + kCluster, 64, 2),
            List{"shared-race"});
  // bar.sync is of one block.
  EXPECT_EQ(kinds(kOther + kStore + kCluster + put + kBar + kLoad + kCluster,
                  64, 2)[0],
            "shared-race");
  // A relaxed arrival orders no accesses.
  EXPECT_EQ(kinds(kOther + kStore +
                      "barrier.cluster.arrive.relaxed.aligned;\n"
                      "barrier.cluster.wait.aligned;\n" +
                      get + kCluster,
                  64, 2),
            List{"shared-race"});
}

TEST_F(AsyncSanitizers, BlocksOfAClusterBeginAndEnd) {
  std::string put = "st.shared::cluster.u32 [%r3], %t;\n";
  EXPECT_EQ(kinds(kOther + put + kCluster, 64, 2), List{"cluster-lifetime"});
  EXPECT_EQ(kinds(kOther + kCluster + put + kCluster, 64, 2), List());
  // Luck may let the other block live long enough.
  LaunchResult result = launch(kOther + kCluster + put, 64, 2);
  EXPECT_TRUE(result.error || (result.findings.size() == 1 &&
                               result.findings[0].kind == "cluster-lifetime"));
}

TEST_F(AsyncSanitizers, DeadlockNamesTheOtherBlocksOfTheCluster) {
  LaunchResult result =
      launch(kInit + kBar + "setp.ne.u32 %q3, %c, 0;\n@!%q3 bra ARRIVE;\n" +
                 waitFull() + "ARRIVE:\n" + kCluster,
             64, 2);
  ASSERT_TRUE(result.error);
  const std::string &message = result.error->message;
  EXPECT_NE(message.find("wait at barrier.cluster"), std::string::npos);
  EXPECT_NE(message.find("in block (1,0,0) warp 0 lanes 0xffffffff wait at the "
                         "mbarrier at shared offset 2048 (1 of 1 arrivals and "
                         "0 bytes are missing)"),
            std::string::npos)
      << message;
  // Two warps in each of two blocks, each with what the others wait for.
  ASSERT_EQ(result.findings.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    const Finding &f = result.findings[i],
                  &other = result.findings[(i + 2) % 4];
    EXPECT_EQ(f.kind, "deadlock");
    EXPECT_EQ(f.block[0], i / 2);
    EXPECT_EQ(f.thread[0], i % 2 * 32);
    EXPECT_EQ(f.otherLine, other.line);
  }
  EXPECT_GT(result.findings[0].line, result.findings[2].line);
}

TEST_F(AsyncSanitizers, ScopeOfAFence) {
  // Block 0 writes and raises a flag, block 1 waits for it and reads.
  auto program = [](const std::string &scope) {
    return "setp.ne.u32 %q3, %c, 0;\n@%q0 bra END;\n@%q3 bra READ;\n"
           "st.global.u32 [%p0+512], 7;\nfence.acq_rel." +
           scope +
           ";\nst.relaxed.gpu.global.u32 [%p0], 1;\nbra END;\n"
           "READ: ld.relaxed.gpu.global.u32 %r5, [%p0];\n"
           "setp.eq.u32 %q4, %r5, 0;\n@%q4 bra READ;\nfence.acq_rel." +
           scope + ";\nld.global.u32 %r6, [%p0+512];\nEND:\n";
  };
  EXPECT_EQ(kinds(program("gpu"), 32), List());
  EXPECT_EQ(kinds(program("cta"), 32), List{"global-race"});
  // Within a block it is enough.
  std::string inside = program("cta");
  inside.replace(0, inside.find("st.global"),
                 "setp.lt.u32 %q3, %t, 32;\n@%q1 bra END;\n"
                 "mul.wide.u32 %d5, %c, 1024;\nadd.s64 %p0, %p0, %d5;\n"
                 "@!%q3 bra READ;\n");
  EXPECT_EQ(kinds(inside, 64), List());
}

} // namespace
