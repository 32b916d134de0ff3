//===- SanitizerAsyncTest.cpp - Findings about asynchronous operations ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every kind fires, and does not in the program next to it that is right.
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

TEST_F(AsyncSanitizers, ProxyFenceLiesBetweenStoreAndCopy) {
  std::string copy = kCopyOut + kWait;
  EXPECT_EQ(kinds(kStore + kFence + kBar + copy), List());
  EXPECT_EQ(kinds(kStore + kBar + copy), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kFence + kStore + kBar + copy), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kStore + "fence.proxy.async;\n" + kBar + copy), List());
  EXPECT_EQ(kinds(kStore + "fence.proxy.async.global;\n" + kBar + copy),
            List{"missing-proxy-fence"});
  // Every writer fences, or a thread that all writes happen before.
  EXPECT_EQ(kinds(kStore + "@%q1 " + kFence + kBar + copy),
            List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kStore + kBar + "@!%q0 " + kFence + copy), List());
  EXPECT_EQ(kinds(kStore + kBar + "@%q0 " + kFence + copy),
            List{"missing-proxy-fence"});
  // Fences order no threads.
  EXPECT_TRUE(found("shared-race", kStore + kFence + copy));
  LaunchResult result = launch(kStore + kBar + copy);
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.thread[0], 0u);
  EXPECT_GT(finding.line, finding.otherLine);
  EXPECT_GT(finding.otherLine, 0u);
}

TEST_F(AsyncSanitizers, CopiesOfBulkGroupsReadUntilTheyAreWaitedFor) {
  std::string begin = kStore + kFence + kBar + kCopyOut;
  EXPECT_EQ(kinds(begin + kWaitRead + kBar + kStore), List());
  EXPECT_EQ(kinds(begin + kBar + kStore + kWaitRead), List{"async-overwrite"});
  // Only the thread that waited, and those after it, know.
  EXPECT_TRUE(found("async-overwrite", begin + kWaitRead + kStore));
  EXPECT_EQ(kinds(begin + "@!%q0 cp.async.bulk.wait_group.read 1;\n" + kBar +
                  kStore + kWaitRead),
            List{"async-overwrite"});
  EXPECT_EQ(kinds(begin), List{"async-unfinished"});
}

TEST_F(AsyncSanitizers, CopiesToGlobalMemoryWriteUntilTheyAreWaitedFor) {
  std::string begin = kStore + kFence + kBar + kCopyOut;
  std::string read = "ld.global.u32 %r5, [%d0];\n";
  EXPECT_EQ(kinds(begin + kWait + kBar + read), List());
  EXPECT_EQ(kinds(begin + kWaitRead + kBar + read),
            List{"async-read-in-flight"});
  EXPECT_TRUE(found("async-read-in-flight", begin + kWait + read));
  EXPECT_EQ(kinds(begin + kWaitRead + "@!%q0 st.global.u32 [%d0], 1;\n"),
            List{"async-overwrite"});
}

TEST_F(AsyncSanitizers, EveryThreadWaitsForTheMbarrier) {
  std::string begin = kInit + kInitFence + kBar + kFetch;
  EXPECT_EQ(kinds(begin + waitFull() + kLoad), List());
  EXPECT_TRUE(found("async-read-in-flight", begin + kLoad + waitFull()));
  // Warp 1 does not wait, but comes after warp 0, or does not.
  std::string half = waitFull("setp.ge.u32 %q3, %t, 32;\n@%q3");
  EXPECT_EQ(kinds(begin + half + kBar + kLoad), List());
  EXPECT_TRUE(found("async-read-in-flight", begin + half + kLoad));
  // One lane waits for its warp.
  std::string lane = waitFull("@%q1");
  EXPECT_EQ(kinds(begin + lane + "bar.warp.sync -1;\n" + kLoad), List());
  EXPECT_TRUE(found("async-read-in-flight", begin + lane + kLoad));
  // Storing there is no better; waiting must be by somebody.
  EXPECT_TRUE(found("async-overwrite", begin + kStore + waitFull()));
  EXPECT_EQ(kinds(begin), List{"async-unfinished"});
}

TEST_F(AsyncSanitizers, CopiesComeAfterWhatTheyOverwrite) {
  std::string begin = kInit + kInitFence + kBar;
  // After reads an order is enough, after stores a fence is wanted too.
  EXPECT_EQ(kinds(begin + kStore + kFence + kBar + kLoad + kBar + kFetch +
                  waitFull()),
            List());
  EXPECT_TRUE(found("shared-race", begin + kStore + kFence + kBar + kLoad +
                                       kFetch + waitFull()));
  EXPECT_EQ(kinds(begin + kStore + kBar + kFetch + waitFull()),
            List{"missing-proxy-fence"});
}

TEST_F(AsyncSanitizers, CopiesOutOfGlobalMemory) {
  std::string begin = "mul.wide.u32 %d4, %c, 256;\nadd.s64 %p0, %p0, %d4;\n" +
                      kInit + kInitFence + kBar;
  std::string store = "@!%q0 st.global.u32 [%p0], 1;\n";
  EXPECT_EQ(kinds(begin + kFetch + waitFull() + store), List());
  EXPECT_EQ(kinds(begin + kFetch + store + waitFull()),
            List{"async-overwrite"});
  // A store before the copy wants a fence, of global memory.
  EXPECT_EQ(kinds(begin + store + "fence.proxy.async.global;\n" + kFetch +
                  waitFull()),
            List());
  EXPECT_EQ(kinds(begin + store + kFence + kFetch + waitFull()),
            List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(begin + "@%q0 st.global.u32 [%p0+4], 1;\n" +
                      "@!%q0 fence.proxy.async;\n" + kFetch + waitFull(),
                  2),
            List{"global-race"});
}

TEST_F(AsyncSanitizers, InitialisedMbarriersAreShownToCopies) {
  std::string end = kFetch + waitFull() + kLoad;
  EXPECT_EQ(kinds(kInit + kBar + end), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kInit + "@!%q0 " + kFence + kBar + end), List());
  EXPECT_EQ(kinds(kInitFence + kInit + kBar + end),
            List{"missing-proxy-fence"});
  // Threads come after the initialisation.
  EXPECT_EQ(kinds(kInit + kInitFence + kFetch + kBar + waitFull() + kLoad),
            List());
  std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%s+2048];\n";
  std::string init = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\n";
  EXPECT_EQ(kinds(init + kBar + arrive), List());
  EXPECT_EQ(kinds(init + arrive, 32)[0], "shared-race");
}

/// 64x8 += A (registers) B: 256 bytes at smem, without a swizzle.
const std::string kDescriptor =
    "cvt.u64.u32 %d1, %s;\nshr.u64 %d1, %d1, 4;\n"
    "or.b64 %d1, %d1, 34360262656;\n"
    "mov.b32 %a0, 0; mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, 0;\n"
    "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; "
    "mov.f32 %f3, %f0;\n"
    "setp.lt.u32 %q4, %t, 64;\n@%q4 st.shared.u32 [%r1], 0;\n";
const std::string kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
    "{%a0, %a1, %a2, %a3}, %d1, 1, 1, 1, 0;\n"
    "wgmma.commit_group.sync.aligned;\n";
const std::string kProductFence = "wgmma.fence.sync.aligned;\n";
const std::string kProductWait = "wgmma.wait_group.sync.aligned 0;\n";

TEST_F(AsyncSanitizers, WgmmaReadsSharedMemoryUntilItIsWaitedFor) {
  std::string begin = kDescriptor + kFence + kBar + kProductFence + kProduct;
  std::string store = "@%q4 st.shared.u32 [%r1], 1;\n";
  EXPECT_EQ(kinds(begin + kProductWait + kBar + store, 128), List());
  EXPECT_EQ(kinds(begin + kBar + store + kProductWait, 128),
            List{"async-overwrite"});
  // A thread waits for all warps of its warpgroup, not for others.
  EXPECT_EQ(kinds(begin + kProductWait + store, 128), List());
  EXPECT_TRUE(found("async-overwrite", begin + kProductWait + store, 256));
  EXPECT_EQ(
      kinds(kDescriptor + kBar + kProductFence + kProduct + kProductWait, 128),
      List{"missing-proxy-fence"});
  EXPECT_TRUE(found(
      "shared-race",
      kDescriptor + kFence + kProductFence + kProduct + kProductWait, 128));
}

TEST_F(AsyncSanitizers, WgmmaOfPartOfAWarpgroup) {
  std::string begin =
      kDescriptor + kFence + kBar + kProductFence + "setp.ge.u32 %q4, %t, ";
  List bad{"bad-wgmma"};
  EXPECT_EQ(kinds(begin + "128;\n@%q4 bra SKIP;\n" + kProduct + kProductWait +
                      "SKIP:\n",
                  256),
            List());
  EXPECT_EQ(kinds(begin + "96;\n@%q4 bra SKIP;\n" + kProduct + kProductWait +
                      "SKIP:\n",
                  128),
            bad);
  EXPECT_EQ(kinds(begin + "64;\n@%q4 bra SKIP;\n" + kProduct + kProductWait +
                      "SKIP:\n" + kBar,
                  256),
            List{"deadlock"});
  LaunchResult stuck = launch(begin + "64;\n@%q4 bra SKIP;\n" + kProduct +
                                  kProductWait + "SKIP:\n" + kBar,
                              128);
  ASSERT_EQ(stuck.findings.size(), 4u);
  EXPECT_NE(stuck.findings[0].message.find("wait for wgmma"),
            std::string::npos);
  EXPECT_NE(stuck.findings[0].message.find(
                "of a group that warp 2 of the warpgroup has not committed"),
            std::string::npos);
  EXPECT_EQ(stuck.findings[0].otherLine, stuck.findings[2].line);
  // Some warps wait before others have issued it: that is no mistake.
  EXPECT_EQ(kinds(begin +
                      "64;\n@!%q4 bra ON;\nmov.u32 %r4, 0;\nAGAIN: "
                      "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %q5, %r4, "
                      "5000;\n@%q5 bra AGAIN;\nON:\n" +
                      kProduct + kProductWait + "@%q1 bra END;\n" +
                      "add.f32 %f5, %f0, %f1;\nEND:\n",
                  128),
            List());
  // Not the same one, or of other data.
  EXPECT_EQ(kinds(begin + "64;\n@%q4 bra OTHER;\n" + kProduct +
                      "bra SKIP;\nOTHER:\n" + kProduct + "SKIP:\n" +
                      kProductWait,
                  128),
            bad);
  EXPECT_EQ(kinds(begin + "64;\n@%q4 add.s64 %d1, %d1, 4294967296;\n" +
                      kProduct + kProductWait,
                  128),
            bad);
  // Fences, commits and waits are the whole warpgroup's as well.
  for (const char *step :
       {"wgmma.fence.sync.aligned;\n", "wgmma.commit_group.sync.aligned;\n",
        "wgmma.wait_group.sync.aligned 0;\n"})
    EXPECT_EQ(kinds(begin + "32;\n" + kProduct + "@%q4 bra ON;\n" + step +
                        "ON:\n" + kProductWait,
                    128),
              bad)
        << step;
  EXPECT_EQ(kinds(begin + "128;\n@!%q1 add.s64 %d1, %d1, 0;\n" + kProduct +
                      kProductWait,
                  128),
            List());
  EXPECT_EQ(kinds(begin + "128;\n@%q1 add.s64 %d1, %d1, 4294967296;\n" +
                      kProduct + kProductWait,
                  128),
            bad);
}

TEST_F(AsyncSanitizers, WgmmaAndItsRegisters) {
  std::string begin = kDescriptor + kFence + kBar;
  std::string use = "st.global.f32 [%p0], %f0;\n";
  EXPECT_EQ(kinds(begin + kProduct + kProductWait, 128),
            List{"missing-wgmma-fence"});
  // One finding, however many instructions wrote accumulators.
  EXPECT_EQ(launch(begin + kProductFence + kProduct + kProductWait +
                       "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, 0f00000000;\n" +
                       kProduct + kProductWait,
                   128)
                .findings.size(),
            1u);
  EXPECT_EQ(kinds(begin + kProductFence + kProduct + kProductWait +
                      "@!%q0 ld.shared.f32 %f4, [%s];\nadd.f32 %f5, %f0, %f1;",
                  128),
            List());
  EXPECT_EQ(kinds(begin + kProductFence + kProduct +
                      "add.f32 %f5, %f0, %f1;\n" + kProductWait,
                  128),
            List{"wgmma-register-in-flight"});
  EXPECT_EQ(kinds(begin + kProductFence + kProduct + "mov.b32 %a1, 1;\n" +
                      kProductWait,
                  128),
            List{"wgmma-register-in-flight"});
  EXPECT_EQ(kinds(begin + kProductFence + kProduct + "mov.b32 %r5, %a1;\n" +
                      kProductWait,
                  128),
            List());
  // What becomes of it.
  auto message = [&](const std::string &early) {
    LaunchResult result =
        launch(begin + kProductFence + kProduct + early + kProductWait, 128);
    return result.findings.size() == 1 ? result.findings[0].message
                                       : std::string();
  };
  EXPECT_EQ(message("add.f32 %f5, %f0, %f1;\n"),
            "read of an accumulator of a wgmma before the wgmma was waited "
            "for; ptxas inserts the wait where it sees that (warning C7517), "
            "else what is read is undefined: here, the value from before the "
            "wgmma");
  EXPECT_EQ(message("mov.f32 %f0, 0f00000000;\n"),
            "write to an accumulator of a wgmma before the wgmma was waited "
            "for; ptxas inserts the wait where it sees that (warning C7517), "
            "else what the register holds then is undefined");
  // A wgmma that was not committed is not waited for.
  EXPECT_EQ(kinds(begin + kProductFence +
                      kProduct.substr(0, kProduct.find("wgmma.commit")) +
                      kProductWait + "add.f32 %f5, %f0, %f1;\n",
                  128),
            List{"wgmma-register-in-flight"});
  // The same shape goes on; what was written since wants a fence.
  EXPECT_EQ(
      kinds(begin + kProductFence + kProduct + kProduct + kProductWait, 128),
      List());
  EXPECT_EQ(kinds(begin + kProductFence + kProduct + kProductWait +
                      "mov.b32 %a1, 1;\n" + kProduct + kProductWait,
                  128),
            List{"missing-wgmma-fence"});
  EXPECT_EQ(kinds(begin + kProductFence + kProduct + kProductWait +
                      "mul.f32 %f1, %f1, 0f40000000;\n" + kProductFence +
                      kProduct + kProductWait,
                  128),
            List());
}

} // namespace
