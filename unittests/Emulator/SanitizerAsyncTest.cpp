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

#include "Hopper.h"

#include <algorithm>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using List = std::vector<std::string>;

/// %p0: a zeroed buffer of 4096 words; %r1: the thread's word of `smem`, %r2:
/// its neighbour's; %q0: not thread 0; %q1: not lane 0; %f, %a: accumulators
/// and fragments of wgmma.
std::string kernel(const std::string &body) {
  return hopperKernel(1, 4096,
                      "shl.b32 %r1, %t, 2;\nxor.b32 %r2, %r1, 4;\n"
                      "add.u32 %r1, %r1, %s;\nadd.u32 %r2, %r2, %s;\n"
                      "setp.ne.u32 %q0, %t, 0;\nmov.u32 %r0, %laneid;\n"
                      "setp.ne.u32 %q1, %r0, 0;\n" +
                          body,
                      ".reg .f32 %f<8>;\n.reg .b32 %a<4>;\n");
}

class AsyncSanitizers : public ::testing::Test {
protected:
  LaunchResult launch(const std::string &body, uint32_t threads = 64,
                      uint32_t cluster = 1, uint64_t seed = 0) {
    std::string text = kernel(body);
    if (!seed)
      expectAssembles(text);
    auto program = parse(text);
    if (!program)
      return {};
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(4096));
    Launch launch = makeLaunch("k", {2, 1, 1}, {threads, 1, 1}, out);
    launch.cluster = {cluster, 1, 1};
    Options options;
    options.sanitize = true;
    options.seed = seed;
    options.instructionLimit = 1000000;
    return run(*program, launch, memory, options);
  }
  /// Distinct; the same under other seeds.
  List kinds(const std::string &body, uint32_t threads = 64,
             uint32_t cluster = 1) {
    List first;
    for (uint64_t seed : {0, 1, 2, 3}) {
      LaunchResult result = launch(body, threads, cluster, seed);
      List list;
      for (const Finding &f : result.findings)
        if (std::find(list.begin(), list.end(), f.kind) == list.end())
          list.push_back(f.kind);
      if (result.error && list.empty())
        list.push_back("error: " + result.error->message);
      std::sort(list.begin(), list.end());
      if (!seed)
        first = list;
      else
        EXPECT_EQ(list, first) << "seed " << seed << "\n" << body;
    }
    return first;
  }
  /// Found under some seed, and something under every one: what is not ordered
  /// shows in more than one way.
  bool found(const char *kind, const std::string &body, uint32_t threads = 64,
             uint32_t cluster = 1) {
    bool result = false;
    for (uint64_t seed : {0, 1, 2, 3}) {
      LaunchResult launched = launch(body, threads, cluster, seed);
      if (launched.findings.empty())
        return false;
      for (const Finding &f : launched.findings)
        result |= f.kind == kind;
    }
    return result;
  }
};

const std::string kStore = "st.shared.u32 [%r1], %t;\n";
const std::string kFence = "fence.proxy.async.shared::cta;\n";
const std::string kBar = "bar.sync 0;\n";
/// Thread 0 copies 256 bytes of `smem` to the block's part of %p0.
const std::string kCopyOut =
    "mul.wide.u32 %d0, %c, 256;\nadd.s64 %d0, %d0, %p0;\n"
    "@!%q0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%s], 256;\n"
    "@!%q0 cp.async.bulk.commit_group;\n";
const std::string kWait = "@!%q0 cp.async.bulk.wait_group 0;\n";
const std::string kWaitRead = "@!%q0 cp.async.bulk.wait_group.read 0;\n";

TEST_F(AsyncSanitizers, ProxyFenceLiesBetweenStoreAndCopy) {
  std::string copy = kCopyOut + kWait;
  EXPECT_EQ(kinds(kStore + kFence + kBar + copy), List());
  EXPECT_EQ(kinds(kStore + kBar + copy), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kFence + kStore + kBar + copy), List{"missing-proxy-fence"});
  EXPECT_EQ(kinds(kStore + "fence.proxy.async;\n" + kBar + copy), List());
  EXPECT_EQ(kinds(kStore + "fence.proxy.async.global;\n" + kBar + copy),
            List{"missing-proxy-fence"});
  // Every writer fences, or whoever knows of all writes.
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

/// Thread 0 makes an mbarrier at smem + 2048 and fetches 256 bytes to smem.
const std::string kInit = "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 1;\n";
const std::string kInitFence = "@!%q0 fence.mbarrier_init.release.cluster;\n";
const std::string kFetch =
    "@!%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+2048], 256;\n"
    "@!%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%s], [%p0], 256, [%s+2048];\n";
std::string waitFull(const std::string &guard = "") {
  // A guarded wait loops in the lanes for which it holds.
  return (guard.empty() ? "" : guard + " bra SKIP;\n") +
         "AGAIN:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %q2, [%s+2048], 0;\n"
         "@!%q2 bra AGAIN;\nSKIP:\n";
}
const std::string kLoad = "ld.shared.u32 %r5, [%r1];\n";

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
  // What comes after the arrival is not told.
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
  // The other warps of the warpgroup may still read.
  EXPECT_TRUE(found("async-overwrite", begin + kProductWait + store, 128));
  EXPECT_EQ(
      kinds(kDescriptor + kBar + kProductFence + kProduct + kProductWait, 128),
      List{"missing-proxy-fence"});
  EXPECT_TRUE(found(
      "shared-race",
      kDescriptor + kFence + kProductFence + kProduct + kProductWait, 128));
}

TEST_F(AsyncSanitizers, WgmmaAndItsRegisters) {
  std::string begin = kDescriptor + kFence + kBar;
  std::string use = "st.global.f32 [%p0], %f0;\n";
  EXPECT_EQ(kinds(begin + kProduct + kProductWait, 128),
            List{"missing-wgmma-fence"});
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

/// %r3: the thread's word in the other block of the cluster.
const std::string kOther =
    "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
    "mapa.shared::cluster.u32 %r3, %r1, %r4;\n";
const std::string kCluster = "barrier.cluster.arrive.aligned;\n"
                             "barrier.cluster.wait.aligned;\n";

TEST_F(AsyncSanitizers, SharedMemoryOfOtherBlocks) {
  std::string put = "st.shared::cluster.u32 [%r3], %t;\n";
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
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "deadlock");
  EXPECT_GT(result.findings[0].line, result.findings[0].otherLine);
  EXPECT_GT(result.findings[0].otherLine, 0u);
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
