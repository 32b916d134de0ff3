//===- WarpSyncTest.cpp - Lanes of a warp that wait for one another -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionFixture.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

class WarpSync : public Execution {
protected:
  /// s: a flag, 0 at first. %p0: lane 0; %p1: lanes 0 to 15; %p2: 0 and 1.
  static std::string flagged(const std::string &body) {
    return module(".shared .align 4 .b8 s[128];\nsetp.eq.u32 %p0, %r0, 0;\n"
                  "setp.lt.u32 %p1, %r0, 16;\nsetp.lt.u32 %p2, %r0, 2;\n"
                  "mov.u32 %r31, 0;\n@%p0 st.shared.u32 [s], 0;\n"
                  "bar.warp.sync -1;\n" +
                  body + "END:\n" + storeResult);
  }
  void ends(const std::string &body) {
    for (bool sanitize : {false, true})
      for (uint64_t seed : {0, 1, 2}) {
        Options options;
        options.sanitize = sanitize;
        options.seed = seed;
        options.instructionLimit = 4000000;
        LaunchResult result = good(flagged(body), 32, options);
        EXPECT_TRUE(result.findings.empty())
            << result.findings[0].line << ": " << result.findings[0].message;
      }
  }
  std::vector<std::string> kinds(const std::string &body) {
    std::vector<std::string> list;
    for (const Finding &f : launch(flagged(body), 32, sanitized()).findings)
      list.push_back(f.kind);
    return list;
  }
};

const std::string kPoll = "POLL: ld.volatile.shared.u32 %r1, [s];\n"
                          "setp.eq.u32 %p4, %r1, 0;\n@%p4 bra POLL;\n";
const std::string kRaise = "@%p0 st.volatile.shared.u32 [s], 1;\n";

TEST_F(WarpSync, LanesThatPollLetOthersGoOn) {
  ends("@%p0 bra RAISE;\n" + kPoll + "bra END;\nRAISE: " + kRaise);
  // The flag is raised at the place that comes first, and by a jump back.
  ends("@!%p0 bra POLL;\n" + kRaise + "bra END;\n" + kPoll);
  ends("@%p0 bra RAISE;\nPOLL: ld.volatile.shared.u32 %r1, [s];\n"
       "setp.ne.u32 %p4, %r1, 0;\n@%p4 bra END;\nbra POLL;\nRAISE: " +
       kRaise);
  // The others stand at a barrier of the warp.
  ends("@%p1 bra LOW;\n" + kPoll +
       "bra JOIN;\nLOW: @%p2 bra RAISE;\n"
       "JOIN: bar.warp.sync 0xfffffffc;\nbra END;\nRAISE: " +
       kRaise);
  // Who counts its attempts has other registers each time.
  ends("mov.u32 %r2, 0;\n@%p0 bra RAISE;\n"
       "POLL: ld.volatile.shared.u32 %r1, [s];\nadd.u32 %r2, %r2, 1;\n"
       "setp.eq.u32 %p4, %r1, 0;\n@%p4 bra POLL;\nbra END;\nRAISE: " +
       kRaise);
}

TEST_F(WarpSync, LanesThatCountTheirAttemptsHandOnALock) {
  // All 32 in turn: thousands of attempts for each, not hundreds of thousands.
  std::string text =
      "mov.u32 %r2, 0;\n"
      "TRY: add.u32 %r2, %r2, 1;\natom.shared.acquire.cas.b32 %r1, [s], 0, 1;\n"
      "setp.ne.u32 %p4, %r1, 0;\n@%p4 bra TRY;\n"
      "ld.shared.u32 %r3, [s+4];\nadd.u32 %r3, %r3, 1;\n"
      "st.shared.u32 [s+4], %r3;\n"
      "atom.shared.release.exch.b32 %r1, [s], 0;\n"
      "bar.warp.sync -1;\nld.shared.u32 %r31, [s+4];\n";
  text = "@%p0 st.shared.u32 [s+4], 0;\nbar.warp.sync -1;\n" + text;
  for (bool sanitize : {false, true})
    for (uint64_t seed : {0, 1, 2}) {
      Options options;
      options.sanitize = sanitize;
      options.seed = seed;
      options.instructionLimit = 1000000;
      EXPECT_TRUE(good(flagged(text), 32, options).findings.empty());
      EXPECT_EQ(out.host[0], 32u);
    }
}

TEST_F(WarpSync, LongLoopsStillMeetBehindTheirEnd) {
  // Not one after the other at the barrier: lane 0 is not polling.
  std::string loop = "mov.u32 %r2, 50000;\n@!%p0 bra JOIN;\n"
                     "LOOP: sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p4, %r2, 0;\n"
                     "@%p4 bra LOOP;\nJOIN: bar.sync 0;\n";
  ends(loop);
  // Every lane another number of times, again and again.
  ends("mov.u32 %r3, 300;\nAGAIN: mad.lo.u32 %r2, %r0, 30, 1;\n"
       "LOOP: sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p4, %r2, 0;\n"
       "@%p4 bra LOOP;\nbar.sync 0;\nsub.u32 %r3, %r3, 1;\n"
       "setp.ne.u32 %p4, %r3, 0;\n@%p4 bra AGAIN;\n");
}

TEST_F(WarpSync, LanesThatPollComeToTheBarrierOfAll) {
  // What lane 0 polls is written by the other warp, after a long time.
  std::string text = "setp.ge.u32 %p5, %r0, 32;\n@%p5 bra SLOW;\n"
                     "@!%p0 bra JOIN;\n" +
                     kPoll +
                     "bra JOIN;\nSLOW: mov.u32 %r2, 50000;\n"
                     "LOOP: sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p4, %r2, 0;\n"
                     "@%p4 bra LOOP;\nsetp.eq.u32 %p0, %r0, 32;\n" +
                     kRaise + "JOIN: bar.sync 0;\n";
  for (uint64_t seed : {0, 1, 2}) {
    Options options = sanitized();
    options.seed = seed;
    EXPECT_TRUE(
        good(flagged("bar.sync 1;\n" + text), 64, options).findings.empty())
        << seed;
  }
}

TEST_F(WarpSync, LanesWaitForTheirOwnMask) {
  // Lanes 0 and 1 are together with others that wait for the polling lanes.
  std::string masks = "selp.b32 %r2, 3, 0xfffffffc, %p2;\n";
  std::string poll = kPoll + "bra JOIN;\n";
  ends(masks + "@%p1 bra LOW;\n" + poll + "LOW: bar.warp.sync %r2;\n" + kRaise +
       "bra END;\nJOIN: bar.warp.sync 0xfffffffc;\n");
  ends(masks +
       "@!%p1 bra POLL;\n"
       "BACK: shfl.sync.idx.b32 %r31, %r0, 0, 31, %r2;\n" +
       kRaise + "bra END;\n" + kPoll + "bra BACK;\n");
  // In different places, each half with a part of the other's.
  ends("selp.b32 %r2, 0xff, 0xffffff00, %p1;\nsetp.lt.u32 %p4, %r0, 8;\n"
       "@!%p4 mov.u32 %r2, 0xffffff00;\n@%p1 bra LOW;\n"
       "bar.warp.sync 0xffffff00;\nbra END;\nLOW: bar.warp.sync %r2;\n");
  // Those who name one another in different masks.
  EXPECT_EQ(kinds("selp.b32 %r2, 0x3, -1, %p0;\nbar.warp.sync %r2;\n"),
            std::vector<std::string>{"deadlock"});
}

TEST_F(WarpSync, OnlyLanesOfOneMaskAreOrdered) {
  // Tiles of 8 lanes.
  std::string tiles = "shl.b32 %r3, %r0, 2;\nmov.u32 %r4, s;\n"
                      "add.u32 %r4, %r4, %r3;\nand.b32 %r5, %r0, 24;\n"
                      "mov.u32 %r6, 0xff;\nshl.b32 %r6, %r6, %r5;\n"
                      "st.shared.u32 [%r4], %r0;\nbar.warp.sync %r6;\n";
  auto read = [](unsigned other) {
    return "xor.b32 %r3, %r3, " + std::to_string(4 * other) +
           ";\nmov.u32 %r4, s;\nadd.u32 %r4, %r4, %r3;\n"
           "ld.shared.u32 %r31, [%r4];\n";
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(kinds(tiles + read(7)), List());
  EXPECT_EQ(kinds(tiles + read(8)), List{"shared-race"});
  EXPECT_EQ(kinds(tiles + "bar.warp.sync -1;\n" + read(8)), List());
}

} // namespace
