//===- SanitizerLaunchesTest.cpp - Findings about earlier launches --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that begins before the grids in front of it have ended waits before
// it touches what they may still access.
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

const std::string kGridWait = "griddepcontrol.wait;\n";
/// A word of the thread's own.
const std::string kPlace = "mad.lo.u32 %r5, %c, 64, %t;\n"
                           "mul.wide.u32 %d1, %r5, 4;\n"
                           "add.s64 %d1, %d1, %p0;\n";
const std::string kRead = "ld.global.u32 %r6, [%d1];\n";
const std::string kLoad = kPlace + kRead;
const std::string kWrite = kPlace + "st.global.u32 [%d1], %t;\n";

/// The kinds found in two blocks of 64 threads under several orders of their
/// warps, the buffer being pending or not.
List kindsOf(const std::string &body, bool isPending = true) {
  std::string text = asyncKernel(body);
  expectAssembles(text);
  auto program = parse(text);
  List all;
  for (uint64_t seed : {0, 1, 2, 3}) {
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(4096));
    Array<uint32_t> empty(memory, size_t(0));
    Launch launch = makeLaunch("k", {2, 1, 1}, {64, 1, 1}, out);
    if (isPending)
      launch.pending = {empty.address, out.address + 4};
    Options options;
    options.sanitize = true;
    options.seed = seed;
    LaunchResult result = run(*program, launch, memory, options);
    EXPECT_FALSE(result.error);
    for (const Finding &finding : result.findings) {
      EXPECT_GT(finding.line, 0u);
      if (std::find(all.begin(), all.end(), finding.kind) == all.end())
        all.push_back(finding.kind);
    }
  }
  return all;
}

const List missing{"missing-grid-wait"};

TEST(SanitizerLaunches, AccessesComeAfterTheWait) {
  for (const std::string &access :
       {kLoad, kWrite, std::string("atom.global.add.u32 %r6, [%p0], 1;\n"),
        std::string("cp.async.ca.shared.global [%r1], [%p0], 4;\n"
                    "cp.async.wait_all;\n"),
        kStore + kFence + kBar + kCopyOut + kWait,
        kInit + kInitFence + kBar + kFetch + waitFull()}) {
    EXPECT_EQ(kindsOf(kGridWait + access), List()) << access;
    EXPECT_EQ(kindsOf(access), missing) << access;
    EXPECT_EQ(kindsOf(access + kGridWait), missing) << access;
    EXPECT_EQ(kindsOf(access, /*isPending=*/false), List()) << access;
  }
  // Letting the next one begin is no wait.
  EXPECT_EQ(kindsOf("griddepcontrol.launch_dependents;\n" + kLoad), missing);
}

TEST(SanitizerLaunches, BarriersHandTheWaitOn) {
  EXPECT_EQ(kindsOf("@!%q0 " + kGridWait + kBar + kLoad), List());
  EXPECT_EQ(kindsOf("@!%q0 " + kGridWait + kLoad), missing);
  EXPECT_EQ(kindsOf("@!%q0 " + kGridWait + kLoad + kBar), missing);
  // Each warp by one of its lanes.
  EXPECT_EQ(kindsOf("@!%q1 " + kGridWait + "bar.warp.sync -1;\n" + kLoad),
            List());
  EXPECT_EQ(kindsOf("@%q1 " + kGridWait + kLoad), missing);
  // Data that a thread fetched after it had waited.
  EXPECT_EQ(kindsOf(kPlace + kInit + kInitFence + kBar + "@!%q0 " + kGridWait +
                    kFetch + waitFull() + "@!%q0 " + kRead),
            List());
}

} // namespace
