//===- SanitizerWaitsTest.cpp - Who waits for what, and for ever ----------===//
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

class SanitizerWaits : public AsyncSanitizers {
protected:
  /// "kind thread line other" of every finding in block 0; lines count from the
  /// first one of `body`.
  List told(const std::string &body, uint32_t threads = 64,
            uint32_t cluster = 1, uint64_t seed = 0) {
    LaunchResult result = launch(body, threads, cluster, seed);
    std::string text = asyncKernel(body);
    unsigned before = unsigned(
        std::count(text.begin(), text.begin() + long(text.find(body)), '\n'));
    auto relative = [&](unsigned line) {
      return line ? std::to_string(line - before) : std::string("-");
    };
    List list;
    for (const Finding &f : result.findings)
      if (f.block[0] == 0)
        list.push_back(f.kind + " " + std::to_string(f.thread[0]) + " " +
                       relative(f.line) + " " + relative(f.otherLine));
    if (result.error)
      error = result.error->message;
    return list;
  }
  std::string error;
};

const std::string kProduct =
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
    "{%a0, %a1}, {%a2}, {%f0, %f1, %f2, %f3};\n";

TEST_F(SanitizerWaits, BarriersThatNameOneAnother) {
  EXPECT_EQ(told("setp.lt.u32 %q2, %t, 32;\n@%q2 bra A;\nbar.sync 1;\n"
                 "bra B;\nA:\nbar.sync 2;\nB:\n"),
            (List{"deadlock 0 6 3", "deadlock 32 3 6"}));
  // The last who arrived; 96 threads are wanted.
  EXPECT_EQ(told("setp.lt.u32 %q2, %t, 32;\n@%q2 bar.arrive 1, 96;\n"
                 "@!%q2 bar.sync 1, 96;\n"),
            List{"deadlock 32 3 2"});
}

TEST_F(SanitizerWaits, MbarrierNamesItsLastArrival) {
  EXPECT_EQ(told("@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 2;\n" + kBar +
                 "@!%q0 mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n" +
                 waitFull()),
            (List{"deadlock 0 5 3", "deadlock 32 5 3"}));
  EXPECT_NE(error.find("1 of 2 arrivals"), std::string::npos) << error;
}

/// A barrier is for the lanes that are late as well, whatever they do before.
TEST_F(SanitizerWaits, LanesThatAreLate) {
  for (const char *count : {"100000", "1000000"})
    EXPECT_EQ(told("mov.u32 %r5, 0;\n@%q0 bra MEET;\nAGAIN: add.u32 %r5, "
                   "%r5, 1;\nsetp.lt.u32 %q2, %r5, " +
                   std::string(count) +
                   ";\n@%q2 bra AGAIN;\nMEET:\nbar.sync 0;\n"),
              List());
  // Each lane takes a lock and gives it back.
  EXPECT_EQ(told("TRY: atom.acquire.gpu.global.cas.b32 %r5, [%p0], 0, 1;\n"
                 "setp.ne.u32 %q2, %r5, 0;\n@%q2 bra TRY;\n"
                 "atom.release.gpu.global.exch.b32 %r5, [%p0], 0;\n"
                 "bar.sync 0;\n"),
            List());
  // Threads that wait for an event after the barrier never arrive at it.
  List stuck = told("@!%q0 st.global.u32 [%p0], 0;\n@!%q0 bra POLL;\n"
                    "bar.sync 0;\nst.volatile.global.u32 [%p0], 1;\nbra "
                    "END;\nPOLL: ld.volatile.global.u32 %r5, [%p0];\n"
                    "setp.eq.u32 %q2, %r5, 0;\n@%q2 bra POLL;\nEND:\n");
  EXPECT_NE(std::find(stuck.begin(), stuck.end(), "divergent-barrier 1 3 7"),
            stuck.end())
      << ::testing::PrintToString(stuck);
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
}

/// Lanes that wait for somebody else are late like lanes that compute.
TEST_F(SanitizerWaits, LanesThatWaitElsewhereAreLate) {
  std::string init = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 1;\n";
  std::string wait = "AGAIN:\nmbarrier.try_wait.parity.acquire.cluster."
                     "shared::cta.b64 %q2, [%s+2048], 0;\n@!%q2 bra AGAIN;\n";
  std::string arrive = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                       "[%r3+2048];\n";
  std::string meet = "MEET:\nbar.sync 0;\n";
  // The other warp arrives; lane 0 goes to wait for it.
  std::string part = init + kBar +
                     "setp.ne.u32 %q3, %t, 32;\n@!%q3 mbarrier.arrive."
                     "shared::cta.b64 _, [%s+2048];\n@%q0 bra MEET;\n";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(told(part + wait + meet, 64, 1, seed), List());
    // For the other block, which waits for this one; then the block ends.
    EXPECT_EQ(told(init + kOther + kCluster +
                       "setp.eq.u32 %q3, %r4, 0;\n@%q0 bra MEET;\n@%q3 " +
                       arrive + wait + "@!%q3 " + arrive + meet + kCluster,
                   32, 2, seed),
              List());
    // Named by two instructions, a barrier is two.
    List apart = told(part + wait + "bar.sync 0;\nbra OUT;\n" + meet + "OUT:\n",
                      64, 1, seed);
    std::sort(apart.begin(), apart.end());
    EXPECT_EQ(apart,
              (List{"divergent-barrier 0 9 12", "divergent-barrier 1 12 9"}));
  }
  // Behind the barrier it is too late.
  EXPECT_EQ(kinds(init + kBar + "@%q0 bra MEET;\n" + wait + meet +
                  "setp.ne.u32 %q3, %t, 1;\n@!%q3 mbarrier.arrive."
                  "shared::cta.b64 _, [%s+2048];\n"),
            (List{"deadlock", "divergent-barrier"}));
}

/// A block may poll for long, while lanes are at a barrier, what another one is
/// going to write.
TEST_F(SanitizerWaits, PollingForAnotherBlock) {
  std::string poll =
      "setp.eq.u32 %q3, %c, 0;\n@%q1 bra MEET;\n@!%q3 bra WORK;\n"
      "POLL: ld.relaxed.gpu.global.u32 %r5, [%p0];\nsetp.eq.u32 %q2, %r5, 0;\n"
      "@%q2 bra POLL;\nbra MEET;\nWORK:\nmov.u32 %r5, 0;\n"
      "AGAIN: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %q2, %r5, 300000;\n"
      "@%q2 bra AGAIN;\nst.relaxed.gpu.global.u32 [%p0], 1;\n"
      "MEET:\nbar.sync 0;\n";
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(told(poll, 64, 1, seed), List());
}

TEST_F(SanitizerWaits, LanesThatLeft) {
  std::string leave = "setp.lt.u32 %q2, %t, 8;\n@%q2 bra END;\n";
  EXPECT_EQ(told(leave + "bar.sync 0;\nbra OUT;\nEND:\nbar.sync 0;\nOUT:\n"),
            (List{"divergent-barrier 0 6 3", "divergent-barrier 8 3 6"}));
  EXPECT_EQ(told(leave + "bar.sync 0;\nEND:\nret;\n"),
            List{"divergent-barrier 8 3 5"});
  // Ended, gone elsewhere, or left out by the predicate.
  std::string out = "END:\nret;\n";
  EXPECT_EQ(told(leave + kProduct + out), List{"divergent-warp 8 3 5"});
  std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%s];\n";
  EXPECT_EQ(told("st.shared.u32 [%r1], 0;\n" + kBar + leave + load + out),
            List{"divergent-warp 8 5 7"});
  EXPECT_EQ(told(leave + "wgmma.fence.sync.aligned;\n" + out),
            List{"divergent-warp 8 3 5"});
  EXPECT_EQ(
      told(leave + kProduct + "bra OUT;\nEND:\nbar.warp.sync -1;\nOUT:\n"),
      (List{"divergent-warp 8 3 6", "deadlock 8 3 6", "deadlock 0 6 3"}));
  List guarded = told("setp.lt.u32 %q2, %t, 8;\n@%q2 " + kProduct, 32);
  ASSERT_EQ(guarded.size(), 2u);
  EXPECT_EQ(guarded[0], "divergent-warp 0 2 3");
  // Who comes later comes, and barriers count lanes that ended.
  EXPECT_EQ(told(leave + "add.u32 %r5, %t, 1;\nEND:\n" + kProduct), List());
  EXPECT_EQ(told(leave +
                 "barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;\n" +
                 out),
            List());
  // Ended lanes of a membermask are not awaited (PTX ISA, "shfl.sync").
  EXPECT_EQ(told(leave + "shfl.sync.idx.b32 %r5, %t, 9, 31, -1;\n" + out),
            List());
  EXPECT_EQ(told(leave + "shfl.sync.idx.b32 %r5, %t, 9, 31, -1;\nbra OUT;\n"
                         "END:\nvote.sync.any.pred %q3, %q2, 0xff;\n"
                         "bar.warp.sync -1;\nOUT:\n"),
            (List{"deadlock 8 3 7", "deadlock 0 7 3"}));
  EXPECT_EQ(told("shfl.sync.idx.b32 %r5, %t, 9, 31, 1;\n"),
            List{"bad-membermask 1 1 -"});
}

TEST_F(SanitizerWaits, InvalidationNamesTheLastUseOfTheOther) {
  EXPECT_EQ(told("@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n" + kBar +
                 "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n"
                 "@!%q0 mbarrier.inval.shared::cta.b64 [%s+2048];\n"),
            (List{"shared-race 0 4 3"}));
}

TEST_F(SanitizerWaits, MisuseNamesTheOther) {
  std::string init = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 1;\n",
              arrive = "@!%q0 mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n",
              two = "@!%q0 mbarrier.arrive.shared::cta.b64 _, [%s+2048], 2;\n";
  EXPECT_EQ(told(init + two), (List{"mbarrier-misuse 0 2 -"}));
  EXPECT_EQ(told(init + arrive + two), (List{"mbarrier-misuse 0 3 2"}));
  EXPECT_EQ(told(init + "@!%q0 st.shared.u64 [%s+2048], 0;\n" + arrive),
            (List{"mbarrier-misuse 0 3 2"}));
}

TEST_F(SanitizerWaits, SpinningForEver) {
  // A flag that no lane raises; the others wait for the polling lanes.
  std::string poll = "setp.lt.u32 %q2, %t, 32;\n@!%q2 bra WAIT;\nPOLL:\n"
                     "ld.relaxed.gpu.global.u32 %r5, [%p0+64];\n"
                     "setp.eq.u32 %q3, %r5, 0;\n@%q3 bra POLL;\nWAIT:\n" +
                     kBar;
  for (uint64_t seed : {0, 1, 2})
    EXPECT_EQ(told(poll, 64, 1, seed),
              (List{"deadlock 0 4 -", "deadlock 32 8 4"}))
        << seed;
  EXPECT_NE(error.find("loops in lines"), std::string::npos) << error;
  EXPECT_NE(error.find("byte 64 of an allocation"), std::string::npos) << error;
  // Who wrote there last.
  EXPECT_EQ(
      told("@!%q0 st.relaxed.gpu.global.u32 [%p0+64], 0;\n" + kBar + poll),
      (List{"deadlock 0 6 1", "deadlock 32 10 6"}));
  // In shared memory, by a CAS, which counts as the last write itself.
  EXPECT_EQ(told("@!%q0 st.shared.u32 [%s], 1;\n" + kBar +
                     "LOCK:\natom.shared.cas.b32 %r5, [%s], 0, 1;\n"
                     "setp.ne.u32 %q3, %r5, 0;\n@%q3 bra LOCK;\n",
                 32),
            List{"deadlock 0 4 -"});
}

TEST_F(SanitizerWaits, SpinningIsFoundBeforeTheLimit) {
  auto program = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p;\n"
      ".reg .b32 %r<2>;\n.reg .b64 %a;\nld.param.u64 %a, [out];\n"
      "mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p, %r0, 32;\n@%p bra MEET;\n"
      "POLL:\nld.relaxed.gpu.global.u32 %r1, [%a];\n"
      "setp.eq.u32 %p, %r1, 0;\n@%p bra POLL;\nMEET:\nbar.sync 0;\nret;\n}\n");
  ASSERT_TRUE(program);
  std::string first;
  for (unsigned threads : {1, 3}) {
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(1));
    Options options;
    options.sanitize = true;
    options.threads = threads;
    options.instructionLimit = uint64_t(1) << 60; // nobody would wait
    LaunchResult result = run(
        *program, makeLaunch("k", {3, 1, 1}, {64, 1, 1}, out), memory, options);
    ASSERT_TRUE(result.error);
    std::string text = result.error->message;
    EXPECT_EQ(text.find("deadlock: warp 0 loops in lines 14 to 16"), 0u)
        << text;
    EXPECT_EQ(result.error->line, 14u);
    for (const Finding &finding : result.findings) {
      EXPECT_EQ(finding.kind, "deadlock");
      text += "\n" + finding.message;
    }
    // Two warps of each of three blocks.
    EXPECT_EQ(result.findings.size(), 6u) << text;
    if (first.empty())
      first = text;
    EXPECT_EQ(text, first);
  }
}

TEST_F(SanitizerWaits, LocksThatLanesHandOnAreNoDeadlock) {
  // Every lane takes the lock. Warps are watched now and then while they poll:
  // whose turn it is stores, ends, and the next one goes on.
  auto program =
      parse(".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p;\n"
            ".reg .b32 %r<3>;\n.reg .b64 %a;\nld.param.u64 %a, [out];\n"
            "LOCK:\natom.global.cas.b32 %r0, [%a], 0, 1;\n"
            "setp.ne.u32 %p, %r0, 0;\n@%p bra LOCK;\nmembar.gl;\n"
            "ld.global.u32 %r1, [%a+4];\nadd.u32 %r1, %r1, 1;\n"
            "st.global.u32 [%a+4], %r1;\nmembar.gl;\n"
            "atom.global.exch.b32 %r2, [%a], 0;\nret;\n}\n");
  ASSERT_TRUE(program);
  for (uint64_t seed : {0, 1, 2}) {
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(2));
    Options options;
    options.sanitize = true;
    options.seed = seed;
    LaunchResult result = run(
        *program, makeLaunch("k", {2, 1, 1}, {64, 1, 1}, out), memory, options);
    EXPECT_FALSE(result.error) << seed << ": " << result.error->message;
    EXPECT_TRUE(result.findings.empty()) << seed;
    EXPECT_EQ(out.fetch()[1], 128u) << seed;
  }
}

TEST_F(SanitizerWaits, LoopsThatGoOnAreNoDeadlock) {
  // The registers change: it may end some day.
  EXPECT_EQ(told("mov.u32 %r6, 0;\nPOLL:\n"
                 "ld.relaxed.gpu.global.u32 %r5, [%p0+64];\n"
                 "add.u32 %r6, %r6, 1;\nsetp.eq.u32 %q3, %r5, 0;\n"
                 "@%q3 bra POLL;\n"),
            List());
  EXPECT_NE(error.find("instruction limit exceeded: warp"), std::string::npos);
  // Another warp still has to do.
  EXPECT_EQ(told("setp.lt.u32 %q2, %t, 32;\nmov.u32 %r6, 0;\n@%q2 bra POLL;\n"
                 "WORK:\nadd.u32 %r6, %r6, 1;\nsetp.ne.u32 %q3, %r6, 0;\n"
                 "@%q3 bra WORK;\nst.relaxed.gpu.global.u32 [%p0+64], 1;\n"
                 "bra END;\nPOLL:\nld.relaxed.gpu.global.u32 %r5, [%p0+64];\n"
                 "setp.eq.u32 %q3, %r5, 0;\n@%q3 bra POLL;\nEND:\n"),
            List());
}

} // namespace
