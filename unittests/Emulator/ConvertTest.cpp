//===- ConvertTest.cpp - Conversions --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Reference.h"

#include <cmath>

using namespace fusion::emulator::test;

namespace {

/// Around every finite number of a format: itself, halfway to the next, and a
/// little to either side of that.
std::vector<float> landmarks(const SmallFormat &format) {
  std::vector<float> values;
  const auto &table = format.table();
  for (size_t i = 0; i < table.size(); ++i) {
    double next =
        i + 1 < table.size() ? table[i + 1] : 2 * table[i] - table[i - 1];
    float middle = float((table[i] + next) / 2);
    for (float v : {float(table[i]), middle, std::nextafter(middle, 0.0f),
                    std::nextafter(middle, INFINITY)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  for (float v : {0.0f, -0.0f, 1e-45f, 3e38f, -3e38f, INFINITY, -INFINITY})
    values.push_back(v);
  return values;
}

TEST(Convert, AllHalves) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  auto fromHalf = evaluate<float>("cvt.f32.f16 %d, %a0;", all);
  auto fromBfloat = evaluate<float>("cvt.f32.bf16 %d, %a0;", all);
  auto wide = evaluate<double>("cvt.f64.f16 %d, %a0;", all);
  for (size_t i = 0; i < all.size(); ++i) {
    double half = doubleFromHalf(all[i]), bfloat = doubleFromBfloat(all[i]);
    if (std::isnan(half)) {
      ASSERT_TRUE(std::isnan(fromHalf[i]) && std::isnan(wide[i]));
    } else {
      ASSERT_EQ(double(fromHalf[i]), half);
      ASSERT_EQ(std::signbit(fromHalf[i]), std::signbit(half));
      ASSERT_EQ(wide[i], half);
    }
    if (std::isnan(bfloat))
      ASSERT_TRUE(std::isnan(fromBfloat[i]));
    else
      ASSERT_EQ(double(fromBfloat[i]), bfloat);
  }
}

TEST(Convert, ToHalf) {
  auto inputs = landmarks(halfFormat());
  auto d = evaluate<uint16_t>("cvt.rn.f16.f32 %d, %a0;", inputs);
  auto sat = evaluate<uint16_t>("cvt.rn.satfinite.f16.f32 %d, %a0;", inputs);
  auto down = evaluate<uint16_t>("cvt.rz.f16.f32 %d, %a0;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(d[i], halfFormat().nearest(inputs[i], false)) << inputs[i];
    ASSERT_EQ(sat[i], halfFormat().nearest(inputs[i], true)) << inputs[i];
    // Toward zero: the largest that is not larger in magnitude.
    if (std::isfinite(inputs[i])) {
      double got = doubleFromHalf(down[i]);
      ASSERT_LE(std::fabs(got), std::fabs(inputs[i]));
      if (std::fabs(inputs[i]) < 65504)
        ASSERT_GT(std::fabs(doubleFromHalf(uint16_t(down[i] + 1))),
                  std::fabs(inputs[i]));
    }
  }
  auto nan =
      evaluate<uint16_t>("cvt.rn.f16.f32 %d, %a0;", std::vector<float>{NAN});
  EXPECT_EQ(nan[0], 0x7fff);
}

TEST(Convert, ToBfloat) {
  auto inputs = landmarks(bfloatFormat());
  auto d = evaluate<uint16_t>("cvt.rn.bf16.f32 %d, %a0;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    ASSERT_EQ(d[i], bfloatFormat().nearest(inputs[i], false)) << inputs[i];
}

TEST(Convert, Packed) {
  auto low = landmarks(halfFormat());
  std::vector<float> high(low.rbegin(), low.rend());
  auto d = evaluate<uint32_t>("cvt.rn.f16x2.f32 %d, %a0, %a1;", high, low);
  auto b = evaluate<uint32_t>("cvt.rn.bf16x2.f32 %d, %a0, %a1;", high, low);
  auto relu =
      evaluate<uint32_t>("cvt.rn.relu.f16x2.f32 %d, %a0, %a1;", high, low);
  for (size_t i = 0; i < low.size(); ++i) {
    ASSERT_EQ(d[i], halfFormat().nearest(high[i], false) << 16 |
                        halfFormat().nearest(low[i], false));
    ASSERT_EQ(b[i], bfloatFormat().nearest(high[i], false) << 16 |
                        bfloatFormat().nearest(low[i], false));
    uint32_t h = high[i] > 0 ? halfFormat().nearest(high[i], false) : 0;
    uint32_t l = low[i] > 0 ? halfFormat().nearest(low[i], false) : 0;
    ASSERT_EQ(relu[i], h << 16 | l) << high[i] << " " << low[i];
  }
}

void toFp8(const SmallFormat &format, const std::string &type) {
  auto low = landmarks(format);
  std::vector<float> high(low.rbegin(), low.rend());
  auto d = evaluate<uint16_t>(
      "cvt.rn.satfinite." + type + "x2.f32 %d, %a0, %a1;", high, low);
  for (size_t i = 0; i < low.size(); ++i)
    ASSERT_EQ(d[i],
              format.nearest(high[i], true) << 8 | format.nearest(low[i], true))
        << high[i] << " " << low[i];
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  auto back = evaluate<uint32_t>("cvt.rn.f16x2." + type + "x2 %d, %a0;", all);
  for (size_t i = 0; i < all.size(); ++i)
    for (unsigned h = 0; h < 2; ++h) {
      double expected = format.value(all[i] >> (8 * h) & 0xff);
      double got = doubleFromHalf(uint16_t(back[i] >> (16 * h)));
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got));
      else
        ASSERT_EQ(got, expected);
    }
}
TEST(Convert, E4M3) { toFp8(e4m3Format(), "e4m3"); }
TEST(Convert, E5M2) { toFp8(e5m2Format(), "e5m2"); }

TEST(Convert, Tf32RoundsHalfAway) {
  auto bits = randomBits<uint32_t>(4096, 3);
  std::vector<float> inputs(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) {
    if ((bits[i] & 0x7f800000) == 0x7f800000)
      bits[i] &= 0x3fffffff;
    std::memcpy(&inputs[i], &bits[i], 4);
  }
  auto d = evaluate<uint32_t>("cvt.rna.tf32.f32 %d, %a0;", inputs);
  for (size_t i = 0; i < bits.size(); ++i)
    ASSERT_EQ(d[i], (bits[i] + 0x1000) & 0xffffe000) << std::hex << bits[i];
}

TEST(Convert, FloatToInteger) {
  std::vector<float> a = {0.5f,  1.5f, 2.5f,     -0.5f,     -1.5f, -2.7f, 3e9f,
                          -3e9f, NAN,  INFINITY, -INFINITY, 5e9f,  1e20f};
  auto check = [&](const std::string &op, std::vector<int64_t> expected) {
    auto d = evaluate<int64_t>("cvt." + op + ".f32 %d, %a0;", a);
    EXPECT_EQ(d, expected) << op;
  };
  int64_t most = INT32_MAX, least = INT32_MIN, largest = INT64_MAX,
          smallest = INT64_MIN;
  check("rni.s32",
        {0, 2, 2, 0, -2, -3, most, least, 0, most, least, most, most});
  check("rzi.s32",
        {0, 1, 2, 0, -1, -2, most, least, 0, most, least, most, most});
  check("rmi.s32",
        {0, 1, 2, -1, -2, -3, most, least, 0, most, least, most, most});
  check("rpi.s32",
        {1, 2, 3, 0, -1, -2, most, least, 0, most, least, most, most});
  check("rzi.s64", {0, 1, 2, 0, -1, -2, 3000000000, -3000000000, smallest,
                    largest, smallest, 5000000000, largest});
  auto u = evaluate<uint32_t>("cvt.rzi.u32.f32 %d, %a0;", a);
  EXPECT_EQ(u, (std::vector<uint32_t>{0, 1, 2, 0, 0, 0, 3000000000u, 0, 0,
                                      UINT32_MAX, 0, UINT32_MAX, UINT32_MAX}));
}

TEST(Convert, IntegerToFloat) {
  auto a = randomBits<int64_t>(4096, 1);
  auto nearest = evaluate<float>("cvt.rn.f32.s64 %d, %a0;", a);
  auto zero = evaluate<float>("cvt.rz.f32.s64 %d, %a0;", a);
  auto down = evaluate<float>("cvt.rm.f32.u64 %d, %a0;", a);
  auto narrow =
      evaluate<float>("cvt.u32.u64 %r0, %a0;\ncvt.rn.f32.s32 %d, %r0;", a);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(nearest[i], float(a[i]));
    long double exact = a[i];
    ASSERT_LE(fabsl(zero[i]), fabsl(exact));
    ASSERT_GE(fabsl(std::nextafter(zero[i], a[i] < 0 ? -INFINITY : INFINITY)),
              fabsl(exact));
    ASSERT_LE((long double)down[i], (long double)uint64_t(a[i]));
    ASSERT_EQ(narrow[i], float(int32_t(a[i])));
  }
}

TEST(Convert, IntegerToInteger) {
  auto a = randomBits<int32_t>(4096, 1);
  auto sat8 = evaluate<int32_t>("cvt.sat.s8.s32 %d, %a0;", a);
  auto wrap8 = evaluate<int32_t>("cvt.s8.s32 %d, %a0;", a);
  auto satU16 = evaluate<uint32_t>("cvt.sat.u16.s32 %d, %a0;", a);
  auto extend = evaluate<int64_t>("cvt.s64.s32 %d, %a0;", a);
  auto zero = evaluate<int64_t>("cvt.u64.u32 %d, %a0;", a);
  auto byte =
      evaluate<int32_t>("cvt.u16.u32 %h0, %a0;\ncvt.s32.s8 %d, %h0;", a);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(sat8[i], std::clamp(a[i], -128, 127));
    ASSERT_EQ(wrap8[i], int8_t(a[i]));
    ASSERT_EQ(satU16[i], uint32_t(std::clamp(a[i], 0, 65535)));
    ASSERT_EQ(extend[i], int64_t(a[i]));
    ASSERT_EQ(zero[i], int64_t(uint32_t(a[i])));
    ASSERT_EQ(byte[i], int8_t(a[i]));
  }
}

TEST(Convert, Pack) {
  auto a = randomBits<int32_t>(4096, 1), b = randomBits<int32_t>(4096, 2);
  auto c = randomBits<uint32_t>(4096, 3);
  auto wide = evaluate<uint32_t>("cvt.pack.sat.s16.s32 %d, %a0, %a1;", a, b);
  auto bytes =
      evaluate<uint32_t>("cvt.pack.sat.u8.s32.b32 %d, %a0, %a1, %a2;", a, b, c);
  for (size_t i = 0; i < a.size(); ++i) {
    auto clamp16 = [](int32_t v) {
      return uint16_t(std::clamp(v, -32768, 32767));
    };
    auto clamp8 = [](int32_t v) { return uint32_t(std::clamp(v, 0, 255)); };
    ASSERT_EQ(wide[i], uint32_t(clamp16(a[i])) << 16 | clamp16(b[i]));
    ASSERT_EQ(bytes[i], c[i] << 16 | clamp8(a[i]) << 8 | clamp8(b[i]));
  }
  // Registers of 64 bits: their low halves, and a result without a high one.
  auto wider = evaluate<uint64_t>(
      "cvt.s64.s32 %q0, %a0; cvt.u64.u32 %q1, %a2; or.b64 %q1, %q1, "
      "0xabcd00000000; cvt.pack.sat.u8.s32.b32 %d, %q0, %a1, %q1;",
      a, b, c);
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(wider[i], bytes[i]);
  for (int bits : {2, 4})
    for (bool isSigned : {false, true}) {
      std::string type = (isSigned ? "s" : "u") + std::to_string(bits);
      auto small = evaluate<uint32_t>(
          "cvt.pack.sat." + type + ".s32.b32 %d, %a0, %a1, %a2;", a, b, c);
      int most = (1 << (bits - isSigned)) - 1, least = isSigned ? -most - 1 : 0;
      for (size_t i = 0; i < a.size(); ++i) {
        auto part = [&](int32_t v) {
          return uint32_t(std::clamp(v, least, most)) & ((1u << bits) - 1);
        };
        ASSERT_EQ(small[i],
                  c[i] << (2 * bits) | part(a[i]) << bits | part(b[i]))
            << type;
      }
    }
}

/// Registers of 128 bits, which nvcc makes of unsigned __int128 alone.
TEST(Convert, WideRegisters) {
  std::vector<int32_t> a = randomBits<int32_t>(1000, 3);
  std::string text = "{ .reg .b128 %w; .reg .b64 %low, %high;\n";
  auto upper = evaluate<uint64_t>(
      text + "cvt.s64.s32 %w, %a0; mov.b128 {%low, %high}, %w;\n"
             "mov.b64 %d, %high; }",
      a);
  auto both = evaluate<uint64_t>(
      text + "cvt.s64.s32 %w, %a0; cvt.s32.s64 %r0, %w;\n"
             "mov.b128 {%low, %high}, %w; cvt.u64.u32 %d, %r0;\n"
             "shl.b64 %d, %d, 32; cvt.u32.u64 %r1, %low;\n"
             "cvt.u64.u32 %low, %r1; or.b64 %d, %d, %low; }",
      a);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(upper[i], a[i] < 0 ? ~uint64_t(0) : 0);
    ASSERT_EQ(both[i], uint64_t(uint32_t(a[i])) << 32 | uint32_t(a[i]));
  }
}

TEST(Convert, DoubleToFloat) {
  std::mt19937_64 generator(4);
  std::vector<double> a(4096);
  for (double &value : a)
    value = std::ldexp(double(generator()), int(generator() % 300) - 200);
  auto nearest = evaluate<float>("cvt.rn.f32.f64 %d, %a0;", a);
  auto up = evaluate<float>("cvt.rp.f32.f64 %d, %a0;", a);
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(nearest[i], float(a[i]));
    float expected = float(a[i]);
    if (double(expected) < a[i])
      expected = std::nextafter(expected, INFINITY);
    ASSERT_EQ(up[i], expected);
  }
}

} // namespace
