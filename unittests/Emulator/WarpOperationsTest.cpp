//===- WarpOperationsTest.cpp - redux, elect and activemask ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

#include <algorithm>
#include <functional>
#include <limits>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// Runs a warp, or its first lanes, on one input word per lane, %r0, and
/// returns %r1 and %r2 of every lane, which are 0x5555 at first.
std::pair<std::vector<uint32_t>, std::vector<uint32_t>>
lanes(const std::string &body, const std::vector<uint32_t> &input) {
  std::string text = hopperKernel(2, 16, R"(
    mul.wide.u32 %d0, %t, 4;
    add.s64 %d1, %d0, %p0;
    add.s64 %d2, %d0, %p1;
    ld.global.u32 %r0, [%d1];
    mov.u32 %r1, 0x5555;
    mov.u32 %r2, 0x5555;
)" + body + R"(
    st.global.u32 [%d2], %r1;
    st.global.u32 [%d2+128], %r2;
)");
  expectAssembles(text);
  auto program = parse(text);
  if (!program)
    return {std::vector<uint32_t>(32), std::vector<uint32_t>(32)};
  Memory memory;
  Array<uint32_t> in(memory, input), out(memory, std::vector<uint32_t>(64));
  runOk(*program,
        makeLaunch("k", {1, 1, 1}, {uint32_t(input.size()), 1, 1}, in, out),
        memory);
  out.fetch();
  return {{out.host.begin(), out.host.begin() + 32},
          {out.host.begin() + 32, out.host.end()}};
}

using Fold = std::function<uint32_t(uint32_t, uint32_t)>;

TEST(Redux, TypesAndMasks) {
  std::vector<uint32_t> input(32);
  std::mt19937 generator(11);
  for (uint32_t &value : input)
    value = uint32_t(generator());
  input[4] = 0x80000000;
  input[9] = 0x7fffffff;
  input[13] = 0;
  input[20] = 0xffffffff;
  auto asSigned = [](uint32_t v) { return int32_t(v); };
  const std::pair<const char *, Fold> operations[] = {
      {"add.u32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"add.s32", [](uint32_t a, uint32_t b) { return a + b; }},
      {"min.u32", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
      {"max.u32", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
      {"min.s32",
       [&](uint32_t a, uint32_t b) {
         return asSigned(a) < asSigned(b) ? a : b;
       }},
      {"max.s32",
       [&](uint32_t a, uint32_t b) {
         return asSigned(a) > asSigned(b) ? a : b;
       }},
      {"and.b32", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or.b32", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor.b32", [](uint32_t a, uint32_t b) { return a ^ b; }}};
  for (const auto &[name, fold] : operations)
    for (uint32_t mask :
         {0xffffffffu, 0x00000001u, 0x80000000u, 0x0010a210u, 0x55555555u}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(mask));
      // The lanes of the mask reduce, the others do so among themselves.
      std::string part = "shl.b32 %r3, 1, %t;\nand.b32 %r3, %r3, " +
                         std::to_string(mask) +
                         ";\nsetp.ne.u32 %q0, %r3, 0;\n"
                         "selp.b32 %r4, " +
                         std::to_string(mask) + ", " + std::to_string(~mask) +
                         ", %q0;\n@%q0 bra A;\nredux.sync." + name +
                         " %r1, %r0, %r4;\nbra B;\nA:\nredux.sync." + name +
                         " %r1, %r0, %r4;\nB:\n";
      auto [result, unused] = lanes(part, input);
      for (uint32_t members : {mask, ~mask}) {
        bool any = false;
        uint32_t expected = 0;
        for (unsigned i = 0; i < 32; ++i)
          if (members >> i & 1) {
            expected = any ? fold(expected, input[i]) : input[i];
            any = true;
          }
        for (unsigned i = 0; i < 32; ++i)
          if (members >> i & 1)
            EXPECT_EQ(result[i], expected) << i;
      }
    }
}

/// What a kernel of sm_100a gives for one `redux` of .f32 among the lanes of
/// 0x0000ffff and among the others.
std::vector<uint32_t> reduxFloat(const std::string &form,
                                 const std::vector<uint32_t> &input) {
  std::string text = hopperKernel(
      2, 16,
      "mul.wide.u32 %d0, %t, 4;\nadd.s64 %d1, %d0, %p0;\n"
      "add.s64 %d2, %d0, %p1;\nld.global.f32 %f0, [%d1];\n"
      "setp.lt.u32 %q0, %t, 16;\n"
      "@%q0 redux.sync." +
          form + ".f32 %f1, %f0, 0xffff;\n@!%q0 redux.sync." + form +
          ".f32 %f1, %f0, 0xffff0000;\n"
          "st.global.f32 [%d2], %f1;\n",
      ".reg .f32 %f<2>;\n");
  text.replace(text.find("sm_90a"), 6, "sm_100a");
  auto program = parse(text);
  if (!program)
    return {};
  Memory memory;
  Array<uint32_t> in(memory, input), out(memory, std::vector<uint32_t>(32));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, in, out), memory);
  return out.fetch();
}

/// PTX ISA, "redux.sync": "+0.0 > -0.0", .abs, and NaNs with and without .NaN.
TEST(Redux, FloatingPoint) {
  auto bits = [](float value) {
    uint32_t word;
    std::memcpy(&word, &value, 4);
    return word;
  };
  constexpr uint32_t nan = 0x7fffffff, quiet = 0xffc01234;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  // The lower lanes: numbers and a NaN; the upper ones: zeros of both signs.
  std::vector<uint32_t> input(32, bits(0.0f));
  for (unsigned i = 0; i < 16; ++i)
    input[i] = bits(float(int(i) - 7) * 1.5f); // -10.5 … 12
  input[3] = quiet;
  input[20] = bits(-0.0f);
  struct Case {
    const char *form;
    uint32_t lower, upper;
  };
  const Case mixed[] = {
      {"max", bits(12.0f), bits(0.0f)},     {"min", bits(-10.5f), bits(-0.0f)},
      {"max.abs", bits(12.0f), bits(0.0f)}, {"min.abs", bits(0.0f), bits(0.0f)},
      {"max.NaN", nan, bits(0.0f)},         {"min.NaN", nan, bits(-0.0f)},
      {"max.abs.NaN", nan, bits(0.0f)},     {"min.abs.NaN", nan, bits(0.0f)}};
  for (const Case &c : mixed) {
    SCOPED_TRACE(c.form);
    std::vector<uint32_t> result = reduxFloat(c.form, input);
    ASSERT_EQ(result.size(), 32u);
    for (unsigned i = 0; i < 32; ++i)
      EXPECT_EQ(result[i], i < 16 ? c.lower : c.upper) << i;
  }
  // Nothing but NaNs; infinities, and subnormal numbers of both signs.
  std::fill_n(input.begin(), 16, quiet);
  std::fill_n(input.begin() + 16, 16, bits(-infinity));
  input[17] = 0x80000001;
  input[18] = 0x00000001;
  const Case special[] = {{"max", nan, 0x00000001},
                          {"min", nan, bits(-infinity)},
                          {"max.abs", nan, bits(infinity)},
                          {"min.abs", nan, 0x00000001}};
  for (const Case &c : special) {
    SCOPED_TRACE(c.form);
    std::vector<uint32_t> result = reduxFloat(c.form, input);
    ASSERT_EQ(result.size(), 32u);
    for (unsigned i = 0; i < 32; ++i)
      EXPECT_EQ(result[i], i < 16 ? c.lower : c.upper) << i;
  }
}

/// "elect.sync elects one predicated active leader thread from among a set";
/// d is its lane in all of them, and the same every time.
TEST(Elect, OneLeader) {
  for (uint32_t mask :
       {0xffffffffu, 0x00000001u, 0x80000000u, 0xffff0000u, 0x00a40800u}) {
    SCOPED_TRACE(mask);
    std::string members = std::to_string(mask);
    std::string body = "shl.b32 %r3, 1, %t;\nand.b32 %r3, %r3, " + members +
                       ";\nsetp.eq.u32 %q0, %r3, 0;\n@%q0 bra OUT;\n"
                       "elect.sync %r1|%q1, " +
                       members + ";\nelect.sync _|%q2, " + members +
                       ";\nselp.u32 %r2, 1, 0, %q1;\n"
                       "selp.u32 %r4, 2, 0, %q2;\nor.b32 %r2, %r2, %r4;\n"
                       "OUT:\n";
    auto [leader, won] = lanes(body, std::vector<uint32_t>(32));
    unsigned winner = 0;
    for (unsigned i = 0; i < 32; ++i)
      if (mask >> i & 1)
        winner = leader[i];
    EXPECT_TRUE(winner < 32 && (mask >> winner & 1)) << winner;
    for (unsigned i = 0; i < 32; ++i) {
      bool member = mask >> i & 1;
      EXPECT_EQ(leader[i], member ? winner : 0x5555) << i;
      EXPECT_EQ(won[i], !member ? 0x5555 : i == winner ? 3u : 0u) << i;
    }
  }
}

TEST(Activemask, PredicatesBranchesAndExits) {
  // Only lanes whose guard is true execute it.
  auto [guarded, unused] = lanes("setp.lt.u32 %q0, %t, 5;\n"
                                 "@%q0 activemask.b32 %r1;\n",
                                 std::vector<uint32_t>(32));
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(guarded[i], i < 5 ? 0x1fu : 0x5555u) << i;
  // The two sides of a branch; together again behind a barrier of the warp.
  auto [side, after] = lanes("and.b32 %r3, %t, 1;\nsetp.eq.u32 %q0, %r3, 0;\n"
                             "@%q0 bra EVEN;\nactivemask.b32 %r1;\nbra ON;\n"
                             "EVEN:\nactivemask.b32 %r1;\nON:\n"
                             "bar.warp.sync -1;\nactivemask.b32 %r2;\n",
                             std::vector<uint32_t>(32));
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(side[i], i % 2 ? 0xaaaaaaaau : 0x55555555u);
    EXPECT_EQ(after[i], 0xffffffffu);
  }
  // Lanes that have ended or never were are not active.
  auto [left, of20] = lanes("setp.lt.u32 %q0, %t, 3;\n@%q0 exit;\n"
                            "activemask.b32 %r1;\n",
                            std::vector<uint32_t>(20));
  for (unsigned i = 3; i < 20; ++i)
    EXPECT_EQ(left[i], 0xffff8u);
}

} // namespace
