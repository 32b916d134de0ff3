//===- SanitizerHistoryTest.cpp - Races with what strong writes hide ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access that races with an earlier one of the place, while the last write
// there is strong and races with neither.
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using List = std::vector<std::string>;

/// Of clusters of two blocks with two warps. %q1: thread 0, %q2: thread 32,
/// %q3, %q4: those of block 0, %q5: thread 0 of block 1; %r1: the first word of
/// block 0, for all.
List kinds(const std::string &body, uint64_t seed = 0) {
  std::string sync = "barrier.cluster.arrive.aligned;\n"
                     "barrier.cluster.wait.aligned;\n";
  std::string text = hopperKernel(
      1, 256,
      "shl.b32 %r0, %t, 2;\nadd.u32 %r0, %r0, %s;\n"
      "st.shared.u32 [%r0], 0;\n"
      "mapa.shared::cluster.u32 %r1, %s, 0;\nmov.u32 %r2, %cluster_ctarank;\n"
      "setp.eq.u32 %q1, %t, 0;\nsetp.eq.u32 %q2, %t, 32;\n"
      "setp.eq.and.u32 %q3, %r2, 0, %q1;\nsetp.eq.and.u32 %q4, %r2, 0, %q2;\n"
      "setp.eq.and.u32 %q5, %r2, 1, %q1;\n" +
          sync + body + sync);
  expectAssembles(text);
  auto program = parse(text);
  if (!program)
    return {"no program"};
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(64));
  Launch launch = makeLaunch("k", {2, 1, 1}, {64, 1, 1}, out);
  launch.cluster = {2, 1, 1};
  Options options;
  options.sanitize = true;
  options.seed = seed;
  List result;
  for (const Finding &finding :
       runOk(*program, launch, memory, options).findings)
    result.push_back(finding.kind);
  return result;
}

TEST(SanitizerHistory, WeakAccessesInClusters) {
  std::string store = "@%q3 st.shared.u32 [%s], 1;\n",
              load = "@%q3 ld.shared.u32 %r3, [%s];\n",
              own = "@%q3 red.shared.add.u32 [%s], 1;\n",
              ofBlock = "@%q4 red.shared.add.u32 [%s], 1;\n",
              remote = "@%q5 red.shared::cluster.add.u32 [%r1], 1;\n",
              barrier = "bar.sync 0;\n",
              sync = "barrier.cluster.arrive.aligned;\n"
                     "barrier.cluster.wait.aligned;\n";
  const List none, race{"shared-race"};
  for (const std::string &weak : {store, load}) {
    EXPECT_EQ(kinds(weak + own + remote), race);
    EXPECT_EQ(kinds(weak + own + ofBlock), race);
    EXPECT_EQ(kinds(weak + barrier + own + ofBlock), none);
    EXPECT_EQ(kinds(weak + barrier + ofBlock + own + remote), race);
    for (uint64_t seed = 0; seed < 4; ++seed)
      EXPECT_EQ(kinds(weak + sync + ofBlock + own + remote, seed), none);
  }
  // A thread that waits between the halves has come after no other yet.
  EXPECT_EQ(kinds("barrier.cluster.arrive.aligned;\n" + store + own +
                  "barrier.cluster.wait.aligned;\n" + remote),
            race);
}

TEST(SanitizerHistory, EarlierStrongAccesses) {
  for (const char *space : {"shared", "global"}) {
    std::string place = space == std::string("shared") ? "[%s]" : "[%p0]";
    auto access = [&](const char *who, const char *what, const char *type,
                      const char *value) {
      std::string text = std::string("@") + who + " " + what + "." + space;
      if (what[0] == 'l')
        return text + type + " " + value + ", " + place + ";\n";
      return text + type + " " + place + ", " + value + ";\n";
    };
    std::string one = access("%q3", "red", ".add.u32", "1"),
                other = access("%q4", "st.volatile", ".u32", "1"),
                strongRead = access("%q3", "ld.volatile", ".u32", "%r3"),
                read = access("%q4", "ld", ".u32", "%r3"),
                write = access("%q4", "st", ".u32", "7"),
                byteOne = access("%q3", "st.volatile", ".u8", "%h1"),
                byteOther = access("%q4", "st.volatile", ".u8", "%h1"),
                byteRead = access("%q4", "ld", ".u8", "%h2");
    const List none, race{space + std::string("-race")};
    std::string barrier = "bar.sync 0;\n";
    EXPECT_EQ(kinds(one + other), none);
    EXPECT_EQ(kinds(one + other + read), race);
    EXPECT_EQ(kinds(one + other + write), race);
    EXPECT_EQ(kinds(one + other + barrier + read), none);
    EXPECT_EQ(kinds(one + barrier + other + read), none);
    EXPECT_EQ(kinds(strongRead + other + write), race);
    EXPECT_EQ(kinds(strongRead + other + read), none);
    EXPECT_EQ(kinds(strongRead + other + barrier + write), none);
    EXPECT_EQ(kinds("mov.u16 %h1, 0;\n" + byteOne + byteOther + byteRead),
              race);
    EXPECT_EQ(
        kinds("mov.u16 %h1, 0;\n" + byteOne + byteOther + barrier + byteRead),
        none);
  }
}

/// Who has seen a write by an atomic of its own comes after it.
TEST(SanitizerHistory, AtomicsObserve) {
  const List none, race{"global-race"};
  std::string one = "@%q5 red.global.add.u32 [%p0], 1;\n",
              ticket = "@%q3 atom.global.add.u32 %r3, [%p0], 1;\n",
              reset = "@%q3 st.global.u32 [%p0], 0;\n",
              other = "@%q4 st.global.u32 [%p0], 0;\n",
              turn = "barrier.cluster.arrive.relaxed.aligned;\n"
                     "barrier.cluster.wait.aligned;\n";
  EXPECT_EQ(kinds(one + turn + ticket + reset), none);
  EXPECT_EQ(kinds(one + turn + ticket + "bar.sync 0;\n" + other), none);
  EXPECT_EQ(kinds(ticket + reset + turn + one), race);
  EXPECT_EQ(kinds(one + turn + ticket + other).size(), 2u);
  // A store in between hides it.
  EXPECT_EQ(kinds(one + turn + "@%q3 st.volatile.global.u32 [%p0], 1;\n" +
                  ticket + reset),
            race);
  // The lanes of a warp, one after the other.
  auto lane = [&](const char *number) {
    return kinds("setp.eq.u32 %q6, %r2, 0;\nsetp.lt.and.u32 %q6, %t, 32, "
                 "%q6;\n@%q6 red.global.add.u32 [%p0], 1;\n"
                 "setp.eq.and.u32 %q6, %t, " +
                 std::string(number) +
                 ", %q6;\n@%q6 ld.global.u32 %r3, [%p0];\n");
  };
  EXPECT_EQ(lane("0"), race);
  EXPECT_EQ(lane("31"), none);
}

TEST(SanitizerHistory, BulkCopiesComeAfterAllStrongWrites) {
  std::string copy =
      "@%q4 fence.proxy.async;\n"
      "@%q4 cp.async.bulk.global.shared::cta.bulk_group [%p0], [%s], 16;\n"
      "@%q4 cp.async.bulk.commit_group;\n"
      "@%q4 cp.async.bulk.wait_group 0;\n";
  std::string one = "@%q3 red.shared.add.u32 [%s], 1;\n",
              other = "@%q4 st.volatile.shared.u32 [%s], 1;\n";
  EXPECT_EQ(kinds(one + other + copy), List{"shared-race"});
  EXPECT_EQ(kinds(one + other + "bar.sync 0;\n" + copy), List());
}

/// Readers of one context, strong ones and others, in memory that blocks share.
TEST(SanitizerHistory, MixedReadersOfGlobalMemory) {
  EXPECT_EQ(kinds("@%q3 ld.volatile.global.u32 %r3, [%p0];\n"
                  "add.u32 %r4, %t, %r2;\nsetp.eq.u32 %q6, %r4, 1;\n"
                  "setp.eq.and.u32 %q6, %r2, 0, %q6;\n"
                  "@%q6 ld.global.u32 %r3, [%p0];\n"
                  "barrier.cluster.arrive.relaxed.aligned;\n"
                  "barrier.cluster.wait.aligned;\n"
                  "@%q5 st.global.u32 [%p0], 1;\n"),
            List{"global-race"});
}

} // namespace
