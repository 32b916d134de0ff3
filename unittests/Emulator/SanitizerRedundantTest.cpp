//===- SanitizerRedundantTest.cpp - Unordered stores of equal values ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

#include <algorithm>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using List = std::vector<std::string>;

/// %p0: a zeroed buffer of 1024 words; %r0 the warp's number, %r1 the lane, %r2
/// and %s the lane's word of `smem` and its begin, %d1 the lane's word of the
/// buffer; %q0: lane 0, %q1: warp 0, %q2: warp 1.
List kinds(const std::string &body, uint32_t blocks = 1, uint32_t threads = 64,
           uint32_t cluster = 1) {
  std::string text =
      hopperKernel(1, 1024,
                   "mov.u32 %r1, %laneid;\nshr.u32 %r0, %t, 5;\n"
                   "shl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %s;\n"
                   "mul.wide.u32 %d1, %r1, 4;\nadd.s64 %d1, %d1, %p0;\n"
                   "setp.eq.u32 %q0, %r1, 0;\nsetp.eq.u32 %q1, %r0, 0;\n"
                   "setp.eq.u32 %q2, %r0, 1;\n" +
                       body);
  expectAssembles(text);
  auto program = parse(text);
  if (!program)
    return {};
  List first;
  for (uint64_t seed : {0, 1, 2, 3}) {
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(1024));
    Launch launch =
        makeLaunch("k", {blocks, 1, 1}, {threads, 1, 1}, out.address);
    launch.cluster = {cluster, 1, 1};
    Options options;
    options.sanitize = true;
    options.seed = seed;
    LaunchResult result = run(*program, launch, memory, options);
    EXPECT_FALSE(result.error) << result.error->message;
    List list;
    for (const Finding &f : result.findings)
      if (std::find(list.begin(), list.end(), f.kind) == list.end())
        list.push_back(f.kind);
    std::sort(list.begin(), list.end());
    if (!seed)
      first = list;
    EXPECT_EQ(list, first) << "seed " << seed << "\n" << body;
  }
  return first;
}

const List redundant{"redundant-write"}, shared{"shared-race"},
    global{"global-race"};

TEST(SanitizerRedundant, WarpsThatStoreTheSame) {
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r1;\n"), redundant);
  EXPECT_EQ(kinds("st.global.u32 [%d1], %r1;\n"), redundant);
  EXPECT_EQ(kinds("st.u32 [%d1], %r1;\n"), redundant);
  // Of blocks, too, and of the threads of a cluster.
  EXPECT_EQ(kinds("st.global.u32 [%d1], %r1;\n", 2, 32), redundant);
  EXPECT_EQ(kinds("mapa.shared::cluster.u32 %r3, %r2, 0;\n"
                  "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                  "st.shared::cluster.u32 [%r3], %r1;\n"
                  "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
                  2, 32, 2),
            redundant);
  // Other values.
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %t;\n"), shared);
  EXPECT_EQ(kinds("st.global.u32 [%d1], %t;\n"), global);
  EXPECT_EQ(kinds("st.global.u32 [%d1], %c;\n", 2, 32), global);
  // One of the words is another.
  EXPECT_EQ(kinds("mov.u32 %r3, %r1;\nsetp.eq.u32 %q3, %t, 37;\n"
                  "@%q3 mov.u32 %r3, 99;\nst.shared.u32 [%r2], %r3;\n"),
            (List{"redundant-write", "shared-race"}));
  // One of the stores is in a loop: the first stored value is no longer there.
  EXPECT_EQ(kinds("@!%q1 bra OTHER;\nst.shared.u32 [%r2], 1;\n"
                  "st.shared.u32 [%r2], 2;\nbra OVER;\nOTHER:\n"
                  "st.shared.u32 [%r2], 2;\nOVER:\n"),
            redundant);
  EXPECT_EQ(kinds("@%q1 st.shared.u32 [%r2], 1;\n"
                  "@%q2 st.shared.u32 [%r2], 2;\n"),
            shared);
}

TEST(SanitizerRedundant, OrderedStoresAreNone) {
  EXPECT_EQ(kinds("@%q1 st.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
                  "@%q2 st.shared.u32 [%r2], %r1;\n"),
            List());
  EXPECT_EQ(kinds("st.shared.u32 [%s], 5;\n", 1, 32), List());
}

/// A read that nothing orders has a race, whatever was stored.
TEST(SanitizerRedundant, Readers) {
  EXPECT_EQ(kinds("st.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
                  "ld.shared.u32 %r3, [%r2];\n"),
            redundant);
  EXPECT_EQ(kinds("@%q1 st.shared.u32 [%r2], 0;\n"
                  "@%q2 ld.shared.u32 %r3, [%r2];\n")[0],
            "shared-race");
  EXPECT_EQ(kinds("@%q1 st.global.u32 [%d1], 0;\n"
                  "@%q2 ld.global.u32 %r3, [%d1];\n"),
            global);
}

/// An element of a vector is a store of its own.
TEST(SanitizerRedundant, Vectors) {
  // A vector beside single words, in the order of warps or another.
  EXPECT_EQ(kinds("@%q0 st.shared.v4.u32 [%s], {0, 1, 2, 3};\n"), redundant);
  EXPECT_EQ(kinds("setp.lt.u32 %q3, %r1, 4;\n@!%q3 bra OVER;\n"
                  "@!%q1 bra OTHER;\n"
                  "@%q0 st.shared.v4.u32 [%s], {0, 1, 2, 3};\nbra OVER;\n"
                  "OTHER:\nst.shared.u32 [%r2], %r1;\nOVER:\n"),
            redundant);
  EXPECT_EQ(kinds("@!%q0 bra OVER;\nadd.u32 %r3, %r0, 3;\n"
                  "st.shared.v4.u32 [%s], {0, 1, 2, %r3};\nOVER:\n"),
            (List{"redundant-write", "shared-race"}));
  // A word has one record: its bytes are the same, or it is a race.
  EXPECT_EQ(
      kinds("@!%q0 bra OVER;\nadd.u32 %r3, %r0, 3;\ncvt.u16.u32 %h0, %r3;\n"
            "mov.u16 %h1, 7;\n"
            "st.shared.v4.u8 [%s], {%h1, %h1, %h1, %h0};\nOVER:\n"),
      shared);
  EXPECT_EQ(kinds("@!%q0 bra OVER;\nmov.u16 %h1, 7;\n"
                  "st.shared.v4.u8 [%s], {%h1, %h1, %h1, %h1};\nOVER:\n"),
            redundant);
  // Lanes of one store, whose vectors overlap.
  std::string overlap = "@!%q1 bra OVER;\nsetp.gt.u32 %q4, %r1, 1;\n"
                        "@%q4 bra OVER;\n";
  EXPECT_EQ(kinds(overlap + "st.shared.v2.u32 [%s], {4, %r1};\nOVER:\n"),
            (List{"redundant-write", "shared-race"}));
}

/// Of 64 bits both halves count.
TEST(SanitizerRedundant, WideValues) {
  std::string begin = "@!%q0 bra OVER;\ncvt.u64.u32 %d2, %r0;\n";
  EXPECT_EQ(kinds(begin + "shl.b64 %d2, %d2, 32;\n"
                          "st.shared.u64 [%s], %d2;\nOVER:\n"),
            shared);
  EXPECT_EQ(kinds(begin + "mov.u64 %d2, 0x100000002;\n"
                          "st.shared.u64 [%s], %d2;\nOVER:\n"),
            redundant);
  EXPECT_EQ(kinds(begin + "mov.b16 %h0, 5;\n"
                          "st.shared.b16 [%s+2], %h0;\nOVER:\n"),
            redundant);
}

/// Stores of different sizes overlap in part, whatever they store.
TEST(SanitizerRedundant, MixedSizes) {
  EXPECT_EQ(kinds("@!%q0 bra OVER;\nmov.u16 %h0, 0;\n"
                  "@%q1 st.shared.u32 [%s], 0;\n"
                  "@%q2 st.shared.u16 [%s], %h0;\nOVER:\n"),
            shared);
  EXPECT_EQ(kinds("@!%q0 bra OVER;\nmov.u64 %d2, 0;\n"
                  "@%q1 st.global.u32 [%p0], 0;\n"
                  "@%q2 st.global.u64 [%p0], %d2;\nOVER:\n"),
            global);
}

/// Atomics and strong stores are no stores that could be left out.
TEST(SanitizerRedundant, StrongAccesses) {
  EXPECT_EQ(kinds("@!%q0 bra OVER;\n@%q1 st.volatile.global.u32 [%p0], 1;\n"
                  "@%q2 st.global.u32 [%p0], 1;\nOVER:\n"),
            global);
  EXPECT_EQ(kinds("@!%q0 bra OVER;\n@%q1 atom.global.exch.b32 %r3, [%p0], 0;\n"
                  "@%q2 st.global.u32 [%p0], 0;\nOVER:\n"),
            global);
}

} // namespace
