//===- ExecutionTest.cpp - Memory, counters, errors, launches -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionFixture.h"

#include <set>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

TEST_F(Execution, FreedMemoryIsNamed) {
  std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 result) malloc (.param .b64 bytes);
.extern .func free (.param .b64 pointer);
.visible .entry k(.param .u64 out)
{
  .reg .b64 %d<3>;
  .reg .b32 %r<2>;
  { .param .b64 bytes; st.param.b64 [bytes], 24;
    .param .b64 result; call (result), malloc, (bytes);
    ld.param.b64 %d0, [result]; }
  mov.u32 %r0, 1;
  st.u32 [%d0+8], %r0;
  { .param .b64 pointer; st.param.b64 [pointer], %d0;
    call free, (pointer); }
  ld.u32 %r1, [%d0+8];
  ret;
}
)";
  bad(text, 1, "in an allocation of 24 bytes");
  bad(text, 1, "that was freed");
  // And the line of the free.
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Options options;
  options.sanitize = true;
  LaunchResult result =
      run(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}, uint64_t(0)), memory,
          options);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].line, 17u);
  EXPECT_EQ(result.findings[0].otherLine, 16u);
}

/// A thread that frees memory comes after all threads that access it.
TEST_F(Execution, FreeIsAnAccess) {
  auto kinds = [](const std::string &order) {
    auto program = parse(R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 result) malloc (.param .b64 bytes);
.extern .func free (.param .b64 pointer);
.visible .entry k(.param .u64 out)
{
  .reg .b64 %d<3>;
  .reg .b32 %r<3>;
  .reg .pred %p<2>;
  .shared .b64 shared;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra MEET;
  { .param .b64 bytes; st.param.b64 [bytes], 256;
    .param .b64 result; call (result), malloc, (bytes);
    ld.param.b64 %d0, [result]; }
  st.shared.b64 [shared], %d0;
MEET:
  bar.sync 0;
  ld.shared.b64 %d1, [shared];
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d2, %d2, %d1;
  st.u32 [%d2], %r0;
)" + order + R"(
  @%p0 bra END;
  { .param .b64 pointer; st.param.b64 [pointer], %d1;
    call free, (pointer); }
END:
  ret;
}
)");
    EXPECT_TRUE(program);
    Memory memory;
    Options options;
    options.sanitize = true;
    LaunchResult result =
        run(*program, makeLaunch("k", {1, 1, 1}, {64, 1, 1}, uint64_t(0)),
            memory, options);
    std::set<std::string> found;
    for (const Finding &finding : result.findings)
      found.insert(finding.kind);
    return found;
  };
  EXPECT_EQ(kinds("bar.sync 0;"), std::set<std::string>());
  EXPECT_EQ(kinds("bar.warp.sync -1;").count("global-race") +
                kinds("bar.warp.sync -1;").count("out-of-bounds-global"),
            1u);
}

TEST_F(Execution, OutOfBoundsAndMisaligned) {
  bad(module("st.global.u32 [%d0+4096], %r0;"), 1,
      "0 bytes past the end of the allocation of 4096 bytes");
  bad(module("st.global.u32 [%d0+-4], %r0;"), 1, "out-of-bounds global store");
  bad(module("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d0+8];"), 1, "misaligned");
  bad(module("ld.global.u64 %d1, [%d0+4092];"), 1, "misaligned");
  bad(module("mov.u64 %d1, 0;\nld.global.u32 %r1, [%d1];"), 1, "at 0x0");
  bad(module("mov.u32 %r2, 4;\nld.shared.u32 %r1, [%r2];"), 1,
      "shared load of 4 bytes at offset 4 of 0");
  bad(module(".local .b8 l[16];\nst.local.u32 [l+16], %r0;"), 1,
      "offset 16 of 16");
  // The lane is named: only lane 5 is out of bounds.
  bad(module("setp.eq.u32 %p1, %r0, 5;\nmov.u64 %d1, 1;\n"
             "selp.b64 %d1, %d1, %d0, %p1;\nst.global.u8 [%d1], %r0;"),
      32, "thread (5,0,0)");
  bad(module("trap;"), 1, "trap");
  bad(module("LOOP: bra LOOP;"), 32, "instruction limit", [] {
    Options options;
    options.instructionLimit = 1000;
    return options;
  }());
  // Without branches, too, and not one instruction before.
  std::string line;
  for (unsigned i = 0; i < 500; ++i)
    line += "add.u32 %r1, %r1, 1;\n";
  LaunchResult all = launch(module(line), 32);
  ASSERT_FALSE(all.error);
  Options options;
  options.instructionLimit = all.counters.instructions;
  EXPECT_FALSE(launch(module(line), 32, options).error);
  --options.instructionLimit;
  bad(module(line), 32, "instruction limit", options);
}

/// Blocks of which one executes more than the others.
static std::string uneven(const std::string &more) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .b32 %r<3>;\n.reg .b64 %d;\n.reg .pred %p;\n"
         "ld.param.u64 %d, [p];\nmov.u32 %r0, %ctaid.x;\n"
         "setp.ne.u32 %p, %r0, 3;\n@%p ret;\nmov.u32 %r1, 0;\n"
         "LOOP:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 1000;\n"
         "@%p bra LOOP;\n" +
         more + "ret;\n}\n";
}

TEST_F(Execution, LimitOfTheLaunch) {
  auto program = parse(uneven(""));
  auto communicates = parse(uneven("atom.global.add.u32 %r2, [%d], 1;\n"));
  ASSERT_TRUE(program && communicates);
  // Blocks 0, 1 and 2 have 4 instructions, block 3 has more.
  Launch four = makeLaunch("k", {4, 1, 1}, {1, 1, 1}, out);
  uint64_t first = run(*program, four, memory).counters.instructions;
  EXPECT_GT(first, 3000u);
  auto error = [&](Program &program, uint32_t blocks, uint64_t limit,
                   unsigned threads, bool sanitize) {
    Launch launch = makeLaunch("k", {blocks, 1, 1}, {1, 1, 1}, out);
    Options options;
    options.launchLimit = limit;
    options.threads = threads;
    options.sanitize = sanitize;
    LaunchResult result = run(program, launch, memory, options);
    return result.error ? result.error->message : std::string();
  };
  for (unsigned threads : {1u, 2u, 5u})
    for (bool sanitize : {false, true}) {
      EXPECT_EQ(error(*program, 100, 10000, threads, sanitize), "");
      EXPECT_EQ(error(*program, 100, 11, threads, sanitize),
                "the launch has executed 11 warp instructions, its limit "
                "(kernel 'k', block (2,0,0))");
      // Block 3 alone is more than the limit, whichever blocks have run by
      // then.
      EXPECT_EQ(error(*program, 2000000000, 500, threads, sanitize),
                "the launch has executed 500 warp instructions, its limit "
                "(kernel 'k', block (3,0,0))");
      EXPECT_EQ(error(*program, 2000000000, 10000, threads, sanitize),
                "the launch has executed 10000 warp instructions, its limit "
                "(kernel 'k', block (" +
                    std::to_string(4 + (10000 - first) / 4) + ",0,0))");
      EXPECT_EQ(error(*communicates, 4, 500, threads, sanitize),
                "the launch has executed 500 warp instructions, its limit "
                "(kernel 'k', block (3,0,0))");
    }
}

TEST_F(Execution, MembermasksNameTheLane) {
  bad(module("redux.sync.add.u32 %r1, %r0, 0;"), 1, "membermask");
  bad(module("shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0x0000ffff;"), 32,
      "thread (16,0,0)");
  good(module("shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;"), 32);
}

TEST_F(Execution, Assertions) {
  auto text = [](const std::string &guard) {
    return module("setp.eq.u32 %p1, %r0, 7;\n" + guard +
                      "{\n.param .b64 a; .param .b64 b; .param .b32 c;\n"
                      ".param .b64 e; .param .b64 f;\nmov.u64 %d1, what;\n"
                      "st.param.b64 [a], %d1;\nmov.u64 %d1, file;\n"
                      "st.param.b64 [b], %d1;\nst.param.b32 [c], 12;\n"
                      "mov.u64 %d1, where;\nst.param.b64 [e], %d1;\n"
                      "st.param.b64 [f], 1;\n"
                      "call.uni __assertfail, (a, b, c, e, f);\n}\nE:\n",
                  ".extern .func __assertfail (.param .b64 a, .param .b64 b, "
                  ".param .b32 c, .param .b64 d, .param .b64 e);\n"
                  ".global .align 1 .b8 what[6] = {120, 32, 62, 32, 48, 0};\n"
                  ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n"
                  ".global .align 1 .b8 where[2] = {107, 0};\n");
  };
  bad(text("@!%p1 bra E;\n"), 32,
      "assertion 'x > 0' failed at a.cu:12, in 'k' (kernel 'k', block (0,0,0), "
      "thread (7,0,0)");
  good(text("bra E;\n"), 32);
}

TEST_F(Execution, VectorAtomics) {
  // Four lanes add to the same four words.
  good(module(".reg .f32 %f<8>;\ncvt.rn.f32.u32 %f1, %r0;\n"
              "mov.f32 %f2, 0f3F800000;\n"
              "red.global.add.v2.f32 [%d0], {%f1, %f2};\n"
              "atom.global.add.v2.f32 {%f3, %f4}, [%d0+8], {%f2, %f1};\n"),
       4);
  for (auto [word, value] : {std::pair(0, 6.0f), std::pair(1, 4.0f),
                             std::pair(2, 4.0f), std::pair(3, 6.0f)}) {
    float f;
    std::memcpy(&f, &out.host[size_t(word)], 4);
    EXPECT_EQ(f, value) << word;
  }
  // A guard holds for all elements.
  good(module(".reg .f32 %f<8>;\nmov.f32 %f2, 0f3F800000;\n"
              "setp.eq.u32 %p1, %r0, 1;\n"
              "@%p1 red.global.add.v4.f32 [%d0+16], {%f2, %f2, %f2, %f2};\n"),
       4);
  for (size_t word = 4; word < 8; ++word)
    EXPECT_EQ(out.host[word], 0x3f800000u) << word;
  // What one element gives may lie where the operand of the next one does.
  good(module(".reg .f32 %f<8>;\nmov.f32 %f1, 0f40000000;\n"
              "mov.f32 %f2, 0f40400000;\n"
              "atom.global.add.v2.f32 {%f2, %f1}, [%d0+32], {%f1, %f2};\n"
              "st.global.v2.f32 [%d0+40], {%f2, %f1};\n"
              "atom.global.add.v2.f32 _, [%d0+32], {%f1, %f1};\n"),
       1);
  EXPECT_EQ(out.host[8], 0x40000000u);
  EXPECT_EQ(out.host[9], 0x40400000u);
  EXPECT_EQ(out.host[10], 0u);
  EXPECT_EQ(out.host[11], 0u);
  bad(module(".reg .f32 %f<8>;\n"
             "atom.global.add.v2.f32 {%f2, %f1, %f1}, [%d0], {%f1, %f2};\n"),
      1, "requires 2 registers");
  bad(module(".reg .f64 %f<8>;\nred.global.add.v2.f64 [%d0], {%f1, %f2};\n"), 1,
      "unsupported");
}

TEST_F(Execution, StoresToConstantsAndParameters) {
  bad(module("mov.u64 %d1, c;\nst.global.u32 [%d1], %r0;",
             ".const .u32 c = 1;"),
      1, "constant memory");
}

TEST_F(Execution, GenericAddresses) {
  good(module(".shared .u32 s[32];\n.local .u32 l[2];\n"
              "mov.u64 %d1, s;\ncvta.shared.u64 %d2, %d1;\n"
              "mul.wide.u32 %d3, %r0, 4;\nadd.s64 %d2, %d2, %d3;\n"
              "add.u32 %r1, %r0, 100;\nst.u32 [%d2], %r1;\nbar.sync 0;\n"
              "mov.u64 %d4, l;\ncvta.local.u64 %d5, %d4;\n"
              "st.u32 [%d5+4], %r0;\n"
              "setp.lt.u32 %p1, %r0, 16;\nselp.b64 %d6, %d2, %d5, %p1;\n"
              "@!%p1 add.s64 %d6, %d6, 4;\nld.u32 %r31, [%d6];\n"
              "isspacep.shared %p2, %d6;\n@%p2 add.u32 %r31, %r31, 1000;\n" +
              std::string(storeResult)),
       32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.host[i], i < 16 ? i + 1100 : i);
}

/// A word that is asked about has zeros above, and so lies in no window.
TEST_F(Execution, WordsAsAddresses) {
  good(module(".shared .u32 s[32];\nmov.u32 %r1, s;\nmov.b64 %d1, s;\n"
              "cvta.shared.u64 %d2, %d1;\ncvt.u32.u64 %r2, %d2;\n"
              "mov.u32 %r31, 0;\nisspacep.shared %p1, %r1;\n"
              "@%p1 add.u32 %r31, %r31, 1;\nisspacep.shared %p1, %r2;\n"
              "@%p1 add.u32 %r31, %r31, 2;\nisspacep.local %p1, %r2;\n"
              "@%p1 add.u32 %r31, %r31, 4;\nisspacep.global %p1, %r1;\n"
              "@%p1 add.u32 %r31, %r31, 8;\nisspacep.shared %p1, %d2;\n"
              "@%p1 add.u32 %r31, %r31, 16;\n" +
              std::string(storeResult)),
       32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.host[i], 24u);
}

TEST_F(Execution, TransposesMatrices) {
  // Element (r, c) of the 8x8 matrix is 8 r + c.
  good(module("mul.lo.u32 %r1, %r0, 0x20002;\nadd.u32 %r1, %r1, 0x10000;\n"
              "movmatrix.sync.aligned.m8n8.trans.b16 %r31, %r1;\n" +
              std::string(storeResult)),
       32);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t h = 0; h < 2; ++h) {
      uint32_t row = i / 4, column = i % 4 * 2 + h;
      EXPECT_EQ(out.host[i] >> (16 * h) & 0xffff, 8 * column + row);
    }
}

TEST_F(Execution, ModulesHaveTheirOwnVariables) {
  std::string body = "ld.global.u32 %r31, [v];\nst.global.u32 [v], 9;\n" +
                     std::string(storeResult);
  auto first = parse(module(body, ".global .u32 v = 1;"));
  auto second = parse(module(body, ".global .u32 v = 2;"));
  Launch launch = makeLaunch("k", {1, 1, 1}, {1, 1, 1}, out);
  runOk(*first, launch, memory);
  EXPECT_EQ(out.fetch()[0], 1u);
  runOk(*second, launch, memory);
  EXPECT_EQ(out.fetch()[0], 2u);
  // They keep their contents from launch to launch.
  runOk(*first, launch, memory);
  EXPECT_EQ(out.fetch()[0], 9u);
}

TEST_F(Execution, CountsSectors) {
  auto sectors = [&](const std::string &offset) {
    LaunchResult result =
        good(module(offset + "\ncvt.u64.u32 %d1, %r1;\nadd.s64 %d1, %d0, %d1;\n"
                             "ld.global.u32 %r2, [%d1];"),
             32);
    return result.counters.globalSectors;
  };
  EXPECT_EQ(sectors("shl.b32 %r1, %r0, 2;"), 4u);
  EXPECT_EQ(sectors("shl.b32 %r1, %r0, 3;"), 8u);
  EXPECT_EQ(sectors("shl.b32 %r1, %r0, 6;"), 32u);
  EXPECT_EQ(sectors("mov.u32 %r1, 64;"), 1u);
  EXPECT_EQ(sectors("xor.b32 %r1, %r0, 21;\nshl.b32 %r1, %r1, 2;"), 4u);
  EXPECT_EQ(sectors("shl.b32 %r1, %r0, 2;\nadd.u32 %r1, %r1, 16;"), 5u);
}

TEST_F(Execution, CountsWavefronts) {
  auto count = [&](const std::string &offset, const std::string &load) {
    LaunchResult result =
        good(module(".shared .align 16 .b8 s[16384];\nmov.u32 %r9, s;\n" +
                    offset + "\nadd.u32 %r1, %r1, %r9;\n" + load),
             32);
    return std::make_pair(result.counters.sharedWavefronts,
                          result.counters.sharedBankConflicts);
  };
  using Pair = std::pair<uint64_t, uint64_t>;
  std::string b32 = "ld.shared.u32 %r2, [%r1];";
  EXPECT_EQ(count("shl.b32 %r1, %r0, 2;", b32), Pair(1, 0));
  EXPECT_EQ(count("mov.u32 %r1, 0;", b32), Pair(1, 0)); // broadcast
  EXPECT_EQ(count("shl.b32 %r1, %r0, 3;", b32), Pair(2, 1));
  EXPECT_EQ(count("shl.b32 %r1, %r0, 7;", b32), Pair(32, 31));
  EXPECT_EQ(count("and.b32 %r1, %r0, 15;\nshl.b32 %r1, %r1, 3;", b32),
            Pair(1, 0));
  EXPECT_EQ(count("shl.b32 %r1, %r0, 1;", "ld.shared.u16 %h1, [%r1];"),
            Pair(1, 0));
  std::string b64 = "ld.shared.u64 %d1, [%r1];";
  EXPECT_EQ(count("shl.b32 %r1, %r0, 3;", b64), Pair(2, 0));
  EXPECT_EQ(count("shl.b32 %r1, %r0, 4;", b64), Pair(4, 2));
  std::string b128 = "ld.shared.v4.u32 {%r2,%r3,%r4,%r5}, [%r1];";
  EXPECT_EQ(count("shl.b32 %r1, %r0, 4;", b128), Pair(4, 0));
  EXPECT_EQ(count("shl.b32 %r1, %r0, 7;", b128), Pair(32, 28));
  std::string matrix =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];";
  EXPECT_EQ(count("shl.b32 %r1, %r0, 4;", matrix), Pair(4, 0));
  EXPECT_EQ(count("shl.b32 %r1, %r0, 6;", matrix), Pair(16, 12));
  // A swizzle repairs rows of 64 bytes.
  EXPECT_EQ(
      count("shr.u32 %r2, %r0, 1;\nand.b32 %r2, %r2, 3;\nshl.b32 %r2, %r2, 4;\n"
            "shl.b32 %r1, %r0, 6;\nxor.b32 %r1, %r1, %r2;",
            matrix),
      Pair(4, 0));
}

TEST_F(Execution, AnnotatedLinesAddUp) {
  std::string text = module(
      ".shared .u32 s[64];\nmov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\n"
      "add.u32 %r1, %r1, %r2;\nmov.u32 %r3, 0;\n"
      "LOOP: st.shared.u32 [%r1], %r3;\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\n"
      "setp.lt.u32 %p1, %r3, 10;\n@%p1 bra LOOP;\nmov.u32 %r31, %r3;\n" +
      std::string(storeResult));
  LaunchResult plain = good(text, 64);
  Options options;
  options.annotate = true;
  LaunchResult annotated = good(text, 64, options);
  EXPECT_TRUE(plain.counters == annotated.counters);
  Counters sum;
  for (const auto &line : annotated.lines)
    sum += line.second;
  EXPECT_TRUE(sum == plain.counters);
  EXPECT_EQ(plain.counters.barriers, 20u);
}

TEST_F(Execution, SanitizerFindsWhatIsMissing) {
  std::string before = ".shared .u32 s[64];\nmov.u32 %r1, s;\n"
                       "shl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\n"
                       "xor.b32 %r4, %r2, 128;\nadd.u32 %r4, %r1, %r4;\n";
  auto kinds = [&](const std::string &body) {
    std::vector<std::string> result;
    for (const Finding &f :
         launch(module(before + body + storeResult), 64, sanitized()).findings)
      result.push_back(f.kind);
    return result;
  };
  using List = std::vector<std::string>;
  std::string store = "st.shared.u32 [%r3], %r0;\n";
  std::string load = "ld.shared.u32 %r31, [%r4];\n";
  EXPECT_EQ(kinds(store + "bar.sync 0;\n" + load), List());
  // Warp 0 reads what warp 1 has not written yet, and so on.
  List racy = kinds(store + load);
  EXPECT_EQ(std::count(racy.begin(), racy.end(), "shared-race"), 2);
  EXPECT_EQ(kinds(load), List{"uninitialized-shared"});
  EXPECT_EQ(
      kinds(store + "bar.sync 0;\n" + load + "st.shared.u32 [%r3], %r0;\n"),
      (List{"shared-race", "shared-race"}));
  EXPECT_EQ(kinds(store + "bar.sync 0;\n" + load + "bar.sync 0;\n" + store),
            List());
  // Within a warp order comes from bar.warp.sync alone.
  std::string swap = "xor.b32 %r4, %r2, 4;\nadd.u32 %r4, %r1, %r4;\n";
  EXPECT_EQ(kinds(swap + store + load), List{"shared-race"});
  EXPECT_EQ(kinds(swap + store + "bar.warp.sync -1;\n" + load), List());
  EXPECT_EQ(kinds("st.shared.u32 [s], %r0;\nmov.u32 %r31, 0;\n"),
            List{"shared-race"});
  EXPECT_EQ(kinds("atom.shared.exch.b32 %r31, [s], %r0;\n"),
            List{"uninitialized-shared"});
  EXPECT_EQ(kinds("mov.u32 %r31, 0;\nsetp.lt.u32 %p1, %r0, 9;\n@%p1 bra A;\n"
                  "bar.sync 0;\nbra B;\nA: bar.sync 0;\nB:\n"),
            (List{"divergent-barrier", "divergent-barrier"}));
  // Halves of a word are separate.
  EXPECT_EQ(kinds("shl.b32 %r5, %r0, 1;\nadd.u32 %r5, %r1, %r5;\n"
                  "cvt.u16.u32 %h1, %r0;\nst.shared.u16 [%r5], %h1;\n"
                  "mov.u32 %r31, 0;\n"),
            List());
}

TEST_F(Execution, SanitizerFindsUninitializedGlobals) {
  Array<uint32_t> fresh(memory, size_t(64));
  auto program = parse(module("ld.global.u32 %r1, [%d0];"));
  Launch launch = makeLaunch("k", {1, 1, 1}, {32, 1, 1}, fresh);
  LaunchResult result = run(*program, launch, memory, sanitized());
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "uninitialized-global");
  EXPECT_EQ(result.findings[0].line, 13u);
  memory.write(fresh.address, fresh.host.data(), 4);
  EXPECT_TRUE(run(*program, launch, memory, sanitized()).findings.empty());
}

TEST_F(Execution, BadLaunches) {
  auto program = parse(module("", ""));
  auto fails = [&](Launch launch, const std::string &part) {
    LaunchResult result = run(*program, launch, memory);
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->message.find(part), std::string::npos)
        << result.error->message;
  };
  Launch launch = makeLaunch("k", {1, 1, 1}, {2048, 1, 1}, out);
  fails(launch, "too large");
  launch = makeLaunch("k", {0, 1, 1}, {32, 1, 1}, out);
  fails(launch, "is 0");
  launch = makeLaunch("j", {1, 1, 1}, {32, 1, 1}, out);
  fails(launch, "no kernel 'j'");
  launch = makeLaunch("k", {1, 1, 1}, {32, 1, 1});
  fails(launch, "1 parameters, not 0");
  launch = makeLaunch("k", {1, 1, 1}, {32, 1, 1}, 5);
  fails(launch, "has 8 bytes, not 4");
  launch = makeLaunch("k", {3, 1, 1}, {32, 1, 1}, out);
  launch.cluster = {2, 1, 1};
  fails(launch, "no multiple of the cluster");
  launch = makeLaunch("k", {1, 1, 1}, {32, 1, 1}, out);
  launch.dynamicSharedMemory = 300000;
  fails(launch, "shared memory");
}

TEST_F(Execution, FunctionPointers) {
  std::string functions = ".func (.reg .b32 %r) twice(.reg .b32 "
                          "%a)\n{\nadd.u32 %r, %a, %a;\nret;\n}\n"
                          ".func (.reg .b32 %r) plus5(.reg .b32 "
                          "%a)\n{\nadd.u32 %r, %a, 5;\nret;\n}\n";
  good(module("mov.u64 %d1, twice;\nmov.u64 %d2, plus5;\n"
              "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n"
              "selp.b64 %d3, %d1, %d2, %p1;\n"
              "P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
              "call (%r31), %d3, (%r0), P;\n" +
                  std::string(storeResult),
              functions),
       32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.host[i], i & 1 ? i + 5 : 2 * i);
}

TEST_F(Execution, MemoryMappedAccesses) {
  good(module("add.u32 %r1, %r0, 7;\nmul.wide.u32 %d1, %r0, 4;\n"
              "add.s64 %d1, %d0, %d1;\n"
              "st.mmio.relaxed.sys.global.u32 [%d1+256], %r1;\n"
              "ld.mmio.relaxed.sys.global.u32 %r31, [%d1+256];\n" +
              std::string(storeResult)),
       32);
  EXPECT_EQ(out.host[5], 12u);
}

} // namespace
