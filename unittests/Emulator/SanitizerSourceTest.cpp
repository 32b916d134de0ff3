//===- SanitizerSourceTest.cpp - What asynchronous copies still read ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cp.async reads its source until somebody has waited for it (PTX ISA,
// "cp.async": its reads and writes are weak, and unordered until then).
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// %d1: the thread's word of the block's part of %p0, %d2: its neighbour's.
const std::string kWords =
    "mul.wide.u32 %d1, %c, 256;\nadd.s64 %d1, %d1, %p0;\n"
    "mul.wide.u32 %d2, %t, 4;\nadd.s64 %d1, %d1, %d2;\n"
    "xor.b64 %d2, %d1, 4;\n";
const std::string kCopy = "cp.async.ca.shared.global [%r1], [%d1], 4;\n";
const std::string kCommit = "cp.async.commit_group;\n";
const std::string kDone = "cp.async.wait_group 0;\n";
const std::string kOwn = "st.global.u32 [%d1], 7;\n";
const std::string kNeighbour = "st.global.u32 [%d2], 7;\n";
const std::string kMbarrier =
    "@!%q0 mbarrier.init.shared::cta.b64 [%s+2048], 64;\nbar.sync 0;\n";
const std::string kArrive =
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%s+2048];\n";

class SanitizerSource : public AsyncSanitizers {
protected:
  /// Overwritten while it is read, at every seed; both lines are told.
  void overwrites(const std::string &before, const std::string &copy,
                  const std::string &between, const std::string &store,
                  const std::string &after) {
    std::string head = kWords + before, body = head + copy + between + store;
    auto linesOf = [](const std::string &text) {
      return unsigned(std::count(text.begin(), text.end(), '\n'));
    };
    unsigned begin = linesOf(asyncKernel(body)) - linesOf(asyncKernel(""));
    EXPECT_EQ(begin, linesOf(body));
    std::string text = asyncKernel(body + after);
    unsigned first = linesOf(text.substr(0, text.find(head)));
    unsigned copyLine = first + linesOf(head) + 1;
    unsigned storeLine = first + linesOf(head + copy + between) + 1;
    for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
      LaunchResult result = launch(body + after, 64, 1, seed);
      ASSERT_FALSE(result.findings.empty()) << "seed " << seed << "\n" << body;
      bool found = false;
      for (const Finding &f : result.findings)
        found |= f.kind == "async-overwrite" && f.line == storeLine &&
                 f.otherLine == copyLine;
      EXPECT_TRUE(found) << "seed " << seed << "\n"
                         << body << result.findings[0].kind << " "
                         << result.findings[0].line << " "
                         << result.findings[0].otherLine << " not " << storeLine
                         << " " << copyLine;
    }
  }
};

TEST_F(SanitizerSource, OverwrittenByAnother) {
  overwrites("", kCopy, kCommit + kBar, kNeighbour, kDone + kBar);
  overwrites("", kCopy, kBar, kNeighbour, "cp.async.wait_all;\n");
  // A wait that leaves the group open.
  overwrites("", kCopy, kCommit + "cp.async.wait_group 1;\n" + kBar, kNeighbour,
             kDone);
  // A copy that is not committed does not belong to the group.
  overwrites("", kCopy, kDone + kBar, kNeighbour, "cp.async.wait_all;\n");
  // Nothing orders the store after the wait.
  EXPECT_TRUE(found("async-overwrite",
                    kWords + kCopy + kCommit + kBar + kNeighbour + kDone));
}

TEST_F(SanitizerSource, OverwrittenByItsThread) {
  overwrites("", kCopy, kCommit, kOwn, kDone);
  overwrites("", "cp.async.cg.shared.global [%s], [%p0], 16;\n", kCommit,
             "st.global.u32 [%p0+8], 7;\n", kDone);
  overwrites("", kCopy, "ld.global.u32 %r5, [%d1];\n" + kCommit, kOwn, kDone);
  // By an atomic, and by a bulk copy.
  overwrites("", kCopy, kCommit, "red.global.add.u32 [%d1], 7;\n", kDone);
  overwrites("st.shared.u32 [%r1+512], 1;\n" + kFence + kBar +
                 "add.u32 %r6, %s, 512;\nmul.wide.u32 %d4, %c, 256;\n"
                 "add.s64 %d4, %d4, %p0;\n",
             kCopy, kCommit + kBar,
             "@!%q0 cp.async.bulk.global.shared::cta.bulk_group [%d4], [%r6], "
             "256;\n",
             "@!%q0 cp.async.bulk.commit_group;\n" + kWait + kDone);
}

TEST_F(SanitizerSource, OverwrittenBeforeTheMbarrier) {
  std::string wait = waitFull();
  overwrites(kMbarrier, kCopy, kArrive, kOwn, wait);
  overwrites(kMbarrier, kCopy, kArrive + kBar, kNeighbour, wait);
  // A copy after the arrival is not meant.
  overwrites(kMbarrier + kCopy + kArrive + wait + kBar,
             "cp.async.ca.shared.global [%r1+512], [%d1+1024], 4;\n", "",
             "st.global.u32 [%d1+1024], 7;\n", kDone);
}

TEST_F(SanitizerSource, WaitedFor) {
  EXPECT_EQ(kinds(kWords + kCopy + kCommit + kDone + kOwn), List());
  EXPECT_EQ(kinds(kWords + kCopy + kCommit + kDone + kBar + kNeighbour),
            List());
  EXPECT_EQ(kinds(kWords + kCopy + "cp.async.wait_all;\n" + kBar + kNeighbour),
            List());
  EXPECT_EQ(
      kinds(kWords + kMbarrier + kCopy + kArrive + waitFull() + kNeighbour),
      List());
  EXPECT_EQ(kinds(kWords + kCopy + kCommit + kDone + "bar.warp.sync -1;\n" +
                  kNeighbour),
            List());
  // What is only read may still be on its way.
  EXPECT_EQ(
      kinds(kWords + kCopy + kCommit + "ld.global.u32 %r5, [%d2];\n" + kDone),
      List());
  // A source of no bytes is not read.
  EXPECT_EQ(kinds(kWords + "cp.async.ca.shared.global [%r1], [%d1], 4, 0;\n" +
                  kCommit + kOwn + kDone),
            List());
  // Two stages: the group before the last was waited for.
  EXPECT_EQ(kinds(kWords + kCopy + kCommit +
                  "cp.async.ca.shared.global [%r1+512], [%d1+1024], 4;\n" +
                  kCommit + "cp.async.wait_group 1;\n" + kBar + kNeighbour +
                  kDone),
            List());
}

TEST_F(SanitizerSource, WaitOfAnotherThread) {
  // Every lane has waited, but nobody told the neighbour.
  EXPECT_TRUE(
      found("global-race", kWords + kCopy + kCommit + kDone + kNeighbour));
  // Half of the warp does not wait.
  EXPECT_TRUE(found("async-overwrite",
                    kWords + kCopy + kCommit +
                        "and.b32 %r6, %t, 1;\nsetp.eq.u32 %q2, %r6, 0;\n@%q2 " +
                        kDone + kBar + kNeighbour + kDone));
}

TEST_F(SanitizerSource, ReadAsLateAsAllowed) {
  // What the source holds when the thread waits is what arrives.
  std::string body = kWords + kCopy + kCommit + kOwn + kDone +
                     "ld.shared.u32 %r5, [%r1];\nst.global.u32 [%d1+2048], "
                     "%r5;\n";
  auto program = parse(asyncKernel(body));
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(4096));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {64, 1, 1}, out), memory);
  EXPECT_EQ(out.fetch()[512], 7u);
}

} // namespace
