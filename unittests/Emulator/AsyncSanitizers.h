//===- AsyncSanitizers.h - Asynchronous test programs -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_ASYNCSANITIZERS_H
#define FUSION_UNITTESTS_EMULATOR_ASYNCSANITIZERS_H

#include "Hopper.h"

#include <algorithm>

namespace fusion::emulator::test {

using List = std::vector<std::string>;

/// %p0: a zeroed buffer of 4096 words; %r1: the thread's word of `smem`, %r2:
/// its neighbour's; %q0: not thread 0; %q1: not lane 0; %f, %a: accumulators
/// and fragments of wgmma.
inline std::string asyncKernel(const std::string &body) {
  return hopperKernel(1, 4096,
                      "shl.b32 %r1, %t, 2;\nxor.b32 %r2, %r1, 4;\n"
                      "add.u32 %r1, %r1, %s;\nadd.u32 %r2, %r2, %s;\n"
                      "setp.ne.u32 %q0, %t, 0;\nmov.u32 %r0, %laneid;\n"
                      "setp.ne.u32 %q1, %r0, 0;\n" +
                          body,
                      ".reg .f32 %f<8>;\n.reg .b32 %a<4>;\n");
}

/// Sanitizes two blocks, or a cluster, of `text`, a kernel as `asyncKernel`
/// writes them.
inline LaunchResult launchAsync(const std::string &text, uint32_t threads,
                                uint32_t cluster = 1, uint64_t seed = 0) {
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

class AsyncSanitizers : public ::testing::Test {
protected:
  LaunchResult launch(const std::string &body, uint32_t threads = 64,
                      uint32_t cluster = 1, uint64_t seed = 0) {
    return launchAsync(asyncKernel(body), threads, cluster, seed);
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

inline const std::string kStore = "st.shared.u32 [%r1], %t;\n";
inline const std::string kFence = "fence.proxy.async.shared::cta;\n";
inline const std::string kBar = "bar.sync 0;\n";
/// Thread 0 copies 256 bytes of `smem` to the block's part of %p0.
inline const std::string kCopyOut =
    "mul.wide.u32 %d0, %c, 256;\nadd.s64 %d0, %d0, %p0;\n"
    "@!%q0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%s], 256;\n"
    "@!%q0 cp.async.bulk.commit_group;\n";
inline const std::string kWait = "@!%q0 cp.async.bulk.wait_group 0;\n";
inline const std::string kWaitRead = "@!%q0 cp.async.bulk.wait_group.read 0;\n";

/// Thread 0 makes an mbarrier at smem + 2048 and fetches 256 bytes to smem.
inline const std::string kInit =
    "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 1;\n";
inline const std::string kInitFence =
    "@!%q0 fence.mbarrier_init.release.cluster;\n";
inline const std::string kFetch =
    "@!%q0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+2048], 256;\n"
    "@!%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%s], [%p0], 256, [%s+2048];\n";
inline std::string waitFull(const std::string &guard = "") {
  // A guarded wait loops in the lanes for which it holds.
  return (guard.empty() ? "" : guard + " bra SKIP;\n") +
         "AGAIN:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %q2, [%s+2048], 0;\n"
         "@!%q2 bra AGAIN;\nSKIP:\n";
}
inline const std::string kLoad = "ld.shared.u32 %r5, [%r1];\n";

/// %r3: the thread's word in the other block of the cluster.
inline const std::string kOther =
    "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
    "mapa.shared::cluster.u32 %r3, %r1, %r4;\n";
inline const std::string kCluster = "barrier.cluster.arrive.aligned;\n"
                                    "barrier.cluster.wait.aligned;\n";

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_ASYNCSANITIZERS_H
