//===- VideoTest.cpp - Scalar and SIMD video instructions -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include <algorithm>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

constexpr size_t kCount = 3000;

/// What `one` makes of the elements of type T, with D for the result.
template <class D, class T, class F>
void elements(const std::string &name, F one) {
  auto a = randomBits<uint32_t>(kCount, 1), b = randomBits<uint32_t>(kCount, 2),
       c = randomBits<uint32_t>(kCount, 3);
  auto d = evaluate<uint32_t>(name + " %d, %a0, %a1, %a2;", a, b, c);
  for (size_t i = 0; i < kCount; ++i) {
    T x[4 / sizeof(T)], y[4 / sizeof(T)];
    D z[4 / sizeof(T)];
    std::memcpy(x, &a[i], 4);
    std::memcpy(y, &b[i], 4);
    std::memcpy(z, &d[i], 4);
    for (size_t k = 0; k < 4 / sizeof(T); ++k)
      ASSERT_EQ(z[k], D(one(int(x[k]), int(y[k])))) << name;
  }
}

int saturate(int value, int least, int most) {
  return std::clamp(value, least, most);
}

TEST(Video, Elements) {
  elements<uint8_t, uint8_t>("vadd4.u32.u32.u32",
                             [](int x, int y) { return x + y; });
  elements<uint8_t, uint8_t>("vadd4.u32.u32.u32.sat", [](int x, int y) {
    return saturate(x + y, 0, 255);
  });
  elements<int8_t, int8_t>("vsub4.s32.s32.s32.sat", [](int x, int y) {
    return saturate(x - y, -128, 127);
  });
  elements<int16_t, int16_t>("vsub2.s32.s32.s32.sat", [](int x, int y) {
    return saturate(x - y, -32768, 32767);
  });
  elements<uint8_t, uint8_t>("vabsdiff4.u32.u32.u32",
                             [](int x, int y) { return std::abs(x - y); });
  elements<uint8_t, int8_t>("vabsdiff4.u32.s32.s32",
                            [](int x, int y) { return std::abs(x - y); });
  elements<int16_t, int16_t>("vmax2.s32.s32.s32",
                             [](int x, int y) { return std::max(x, y); });
  elements<uint8_t, uint8_t>("vmin4.u32.u32.u32",
                             [](int x, int y) { return std::min(x, y); });
  elements<uint8_t, uint8_t>("vavrg4.u32.u32.u32",
                             [](int x, int y) { return (x + y + 1) / 2; });
  // Away from zero where the sum is odd (PTX ISA, "vavrg2").
  elements<int16_t, int16_t>("vavrg2.s32.s32.s32", [](int x, int y) {
    int sum = x + y;
    return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2);
  });
  elements<uint8_t, uint8_t>("vset4.u32.u32.gt",
                             [](int x, int y) { return x > y; });
  elements<uint16_t, int16_t>("vset2.s32.s32.le",
                              [](int x, int y) { return x <= y; });
}

std::vector<uint32_t> on(const std::string &body, uint32_t a, uint32_t b,
                         uint32_t c) {
  return evaluate<uint32_t>(body, std::vector<uint32_t>{a},
                            std::vector<uint32_t>{b}, std::vector<uint32_t>{c});
}

TEST(Video, SelectorsMasksAndSums) {
  // Elements of a and b, the lowest last; others of d are those of c.
  EXPECT_EQ(on("vadd4.u32.u32.u32 %d.b20, %a0.b0123, %a1.b4567, %a2;",
               0x01020304, 0x10203040, 0xaabbccdd)[0],
            0xaa33cc11u);
  EXPECT_EQ(on("vsub2.s32.s32.s32 %d.h1, %a0.h32, %a1.h10, %a2;", 0x00010002,
               0x00050009, 0x12345678)[0],
            0x00045678u);
  EXPECT_EQ(on("vabsdiff4.u32.u32.u32.add %d, %a0, %a1, %a2;", 0x01ff0305,
               0x02000304, 1000)[0],
            1000u + 1 + 255 + 0 + 1);
  EXPECT_EQ(on("vset4.u32.u32.ne.add %d.b10, %a0, %a1, %a2;", 0x01020304,
               0x00000300, 7)[0],
            8u);
}

TEST(Video, Scalar) {
  // Registers of a range have parts too.
  EXPECT_EQ(on(".reg .b32 %v<2>;\nmov.b32 %v1, %a0;\n"
               "vadd.u32.u32.u32 %d, %v1.b1, %v1.h1;",
               0x00030200, 0, 0)[0],
            5u);
  EXPECT_EQ(
      on("vadd.s32.s32.u32 %d, %a0.h1, %a1.b3;", 0xfffe0000, 0x07000000, 0)[0],
      5u);
  EXPECT_EQ(on("vadd.s32.s32.s32.sat %d, %a0, %a1;", 0x7fffffff, 1, 0)[0],
            0x7fffffffu);
  EXPECT_EQ(on("vsub.u32.u32.u32.sat %d, %a0, %a1;", 3, 5, 0)[0], 0u);
  EXPECT_EQ(on("vabsdiff.u32.s32.s32.add %d, %a0, %a1, %a2;", uint32_t(-5), 7,
               100)[0],
            112u);
  EXPECT_EQ(on("vmin.s32.s32.s32.max %d, %a0, %a1, %a2;", 4, 9, 6)[0], 6u);
  EXPECT_EQ(
      on("vadd.u32.u32.u32.sat %d.b2, %a0, %a1, %a2;", 200, 100, 0x11223344)[0],
      0x11ff3344u);
  EXPECT_EQ(
      on("vset.s32.s32.lt.add %d, %a0, %a1, %a2;", uint32_t(-1), 0, 41)[0],
      42u);
  EXPECT_EQ(on("vshl.u32.u32.u32.clamp %d, %a0, %a1;", 3, 40, 0)[0], 0u);
  EXPECT_EQ(on("vshl.u32.u32.u32.wrap %d, %a0, %a1;", 3, 33, 0)[0], 6u);
  EXPECT_EQ(on("vshr.s32.s32.u32.clamp %d, %a0, %a1;", 0x80000000, 40, 0)[0],
            0xffffffffu);
  EXPECT_EQ(
      on("vmad.s32.s32.u32.shr7 %d, %a0.h0, %a1.b0, %a2;", 0xfffd, 100, 44)[0],
      uint32_t(-2)); // (-300 + 44) / 128
  EXPECT_EQ(on("vmad.u32.u32.u32.po.sat %d, %a0, %a1, %a2;", 0xffffffff,
               0xffffffff, 0)[0],
            0xffffffffu);
}

TEST(Video, NegatedMultiplyAdd) {
  struct Line {
    const char *body;
    uint32_t a, b, c, d;
  } lines[] = {
      {"vmad.s32.s32.s32 %d, -%a0, %a1, %a2;", 3, 5, 100, 85},
      {"vmad.s32.s32.s32 %d, %a0, -%a1, %a2;", 3, 5, 100, 85},
      {"vmad.s32.s32.s32 %d, -%a0, -%a1, %a2;", 3, 5, 100, 115},
      {"vmad.s32.s32.s32 %d, %a0, %a1, -%a2;", 3, 5, 100, uint32_t(-85)},
      // The product of unsigned numbers, negated, is signed.
      {"vmad.s32.u32.u32.sat %d, -%a0, %a1, %a2;", 0xffffffff, 2, 0,
       0x80000000},
      {"vmad.s32.u32.u32.shr7 %d, -%a0, %a1.b0, %a2;", 64, 4, 0, uint32_t(-2)},
      {"vmad.s32.u32.u32.sat %d, %a0, %a1, -%a2;", 0xffffffff, 2, 1,
       0x7fffffff}};
  for (const Line &line : lines)
    EXPECT_EQ(on(line.body, line.a, line.b, line.c)[0], line.d) << line.body;
}

TEST(Video, Errors) {
  for (const char *body :
       {"vmad.s32.s32.s32 %d, -%a0, %a1, -%a2;",
        "vmad.s32.s32.s32.po %d, %a0, %a1, -%a2;",
        "vadd.s32.s32.s32 %d, -%a0, %a1;", "add.s32 %d, -%a0, %a1;",
        "vmad.s32.s32.s32 -%d, %a0, %a1, %a2;",
        "vadd.u32.u32.u32 %d, %a0.b4, %a1;",
        "vadd.u32.u32.u32 %d.b0, %a0, %a1;", "mov.u32 %d, %a0.b0;",
        "vadd4.u32.u32.u32 %d.b12, %a0, %a1, %a2;",
        "vadd4.u32.u32.u32.sat.add %d, %a0, %a1, %a2;",
        "vadd2.u32.u32.u32 %d, %a0, %a1;",
        "vadd2.u32.u32.u32 %d, %a0.h14, %a1, %a2;",
        "vshl.u32.u32.s32.wrap %d, %a0, %a1;"}) {
    auto program = parse(wrap(body, 32, {32, 32, 32}));
    ASSERT_TRUE(program);
    Memory memory;
    Array<uint32_t> array(memory, std::vector<uint32_t>(32));
    LaunchResult result =
        run(*program,
            makeLaunch("k", {1, 1, 1}, {32, 1, 1}, array, array, array, array),
            memory);
    ASSERT_TRUE(result.error) << body;
  }
}

} // namespace
