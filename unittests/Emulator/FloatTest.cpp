//===- FloatTest.cpp - f32, f64, f16 and bf16 arithmetic ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Reference.h"

#include <cfenv>
#include <cmath>
#include <functional>

using namespace fusion::emulator::test;

namespace {

constexpr size_t kCount = 8192;

/// Floats of moderate exponents, so that sums and products are exact in long
/// double.
std::vector<float> moderate(unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(kCount);
  for (float &value : values) {
    int mantissa = int(generator() >> 8) | 1 << 23;
    value = std::ldexp(float(mantissa), int(generator() % 16) - 30);
    if (generator() & 1)
      value = -value;
  }
  return values;
}

/// `exact` rounded to f32: by comparison with neighbours.
float rounded(long double exact, const std::string &mode) {
  float nearest = float(exact);
  float below = (long double)nearest <= exact
                    ? nearest
                    : std::nextafter(nearest, -INFINITY);
  float above = (long double)nearest >= exact
                    ? nearest
                    : std::nextafter(nearest, INFINITY);
  if (mode == "rm")
    return below;
  if (mode == "rp")
    return above;
  if (mode == "rz")
    return exact > 0 ? below : above;
  return nearest;
}

TEST(Float, RoundingModes) {
  auto a = moderate(1), b = moderate(2), c = moderate(3);
  for (std::string mode : {"rn", "rz", "rm", "rp"}) {
    auto sum = evaluate<float>("add." + mode + ".f32 %d, %a0, %a1;", a, b);
    auto difference =
        evaluate<float>("sub." + mode + ".f32 %d, %a0, %a1;", a, b);
    auto product = evaluate<float>("mul." + mode + ".f32 %d, %a0, %a1;", a, b);
    auto fused =
        evaluate<float>("fma." + mode + ".f32 %d, %a0, %a1, %a2;", a, b, c);
    auto quotient = evaluate<float>("div." + mode + ".f32 %d, %a0, %a1;", a, b);
    auto reciprocal = evaluate<float>("rcp." + mode + ".f32 %d, %a0;", a);
    auto root =
        evaluate<float>("abs.f32 %r0, %a0;\nsqrt." + mode + ".f32 %d, %r0;", a);
    for (size_t i = 0; i < kCount; ++i) {
      long double x = a[i], y = b[i], z = c[i];
      ASSERT_EQ(sum[i], rounded(x + y, mode)) << mode;
      ASSERT_EQ(difference[i], rounded(x - y, mode)) << mode;
      ASSERT_EQ(product[i], rounded(x * y, mode)) << mode;
      // 48 bits of product, exponents within 2^16 of the addend's.
      ASSERT_EQ(fused[i], rounded(x * y + z, mode)) << mode;
      ASSERT_EQ(quotient[i], rounded(x / y, mode)) << mode;
      ASSERT_EQ(reciprocal[i], rounded(1 / x, mode)) << mode;
      ASSERT_EQ(root[i], rounded(sqrtl(fabsl(x)), mode)) << mode;
    }
  }
}

TEST(Float, FlushAndSaturate) {
  std::vector<float> a = {1e-40f, -1e-40f, 1e-38f, 2e38f,
                          0.5f,   -0.5f,   NAN,    3.0f};
  std::vector<float> b = {1.0f, 1.0f, 0.5f, 2.0f, 0.25f, 0.25f, 1.0f, 1.0f};
  auto flushed = evaluate<float>("mul.rn.ftz.f32 %d, %a0, %a1;", a, b);
  EXPECT_EQ(flushed[0], 0.0f);
  EXPECT_TRUE(std::signbit(flushed[1]));
  EXPECT_EQ(flushed[1], 0.0f);
  EXPECT_EQ(flushed[2], 0.0f); // the result is subnormal
  EXPECT_TRUE(std::isinf(flushed[3]));
  auto kept = evaluate<float>("mul.rn.f32 %d, %a0, %a1;", a, b);
  EXPECT_EQ(kept[0], 1e-40f);
  auto saturated = evaluate<float>("add.rn.sat.f32 %d, %a0, %a1;", a, b);
  EXPECT_EQ(saturated[3], 1.0f);
  EXPECT_EQ(saturated[4], 0.75f);
  EXPECT_EQ(saturated[5], 0.0f);
  EXPECT_EQ(saturated[6], 0.0f);
}

TEST(Float, MinMax) {
  std::vector<float> a = {1, -1, 0.0f, -0.0f, NAN, 2, NAN, INFINITY};
  std::vector<float> b = {2, -2, -0.0f, 0.0f, 3, NAN, NAN, -INFINITY};
  auto least = evaluate<float>("min.f32 %d, %a0, %a1;", a, b);
  auto most = evaluate<float>("max.f32 %d, %a0, %a1;", a, b);
  auto strict = evaluate<float>("max.NaN.f32 %d, %a0, %a1;", a, b);
  auto absolute = evaluate<float>("min.xorsign.abs.f32 %d, %a0, %a1;", a, b);
  EXPECT_EQ(least[0], 1.0f);
  EXPECT_EQ(most[1], -1.0f);
  EXPECT_TRUE(std::signbit(least[2]) && std::signbit(least[3]));
  EXPECT_FALSE(std::signbit(most[2]) || std::signbit(most[3]));
  EXPECT_EQ(least[4], 3.0f);
  EXPECT_EQ(most[5], 2.0f);
  EXPECT_TRUE(std::isnan(most[6]));
  EXPECT_TRUE(std::isnan(strict[4]) && std::isnan(strict[5]));
  EXPECT_EQ(strict[7], INFINITY);
  EXPECT_EQ(absolute[0], 1.0f);
  EXPECT_EQ(absolute[7], -INFINITY);
}

TEST(Float, Compare) {
  std::vector<float> a = {1, 2, NAN, 3}, b = {2, 1, 1, 3};
  auto check = [&](const std::string &op, std::vector<uint32_t> expected) {
    auto d = evaluate<uint32_t>("setp." + op +
                                    ".f32 %p0, %a0, %a1;\n"
                                    "selp.b32 %d, 1, 0, %p0;",
                                a, b);
    EXPECT_EQ(d, expected) << op;
  };
  check("lt", {1, 0, 0, 0});
  check("ltu", {1, 0, 1, 0});
  check("ne", {1, 1, 0, 0});
  check("neu", {1, 1, 1, 0});
  check("equ", {0, 0, 1, 1});
  check("geu", {0, 1, 1, 1});
  check("num", {1, 1, 0, 1});
  check("nan", {0, 0, 1, 0});
}

/// Largest relative error of an approximation, over a range.
double worst(const std::string &op, double low, double high,
             const std::function<double(double)> &reference,
             bool absolute = false) {
  std::vector<float> inputs(kCount);
  for (size_t i = 0; i < kCount; ++i)
    inputs[i] = float(low + (high - low) * double(i) / double(kCount - 1));
  auto d = evaluate<float>(op + " %d, %a0;", inputs);
  double most = 0;
  for (size_t i = 0; i < kCount; ++i) {
    double expected = reference(inputs[i]);
    double error = std::fabs(d[i] - expected);
    most = std::max(
        most, absolute || expected == 0 ? error : error / std::fabs(expected));
  }
  return most;
}

TEST(Float, ApproximationsStayWithinPtxBounds) {
  // PTX ISA: the maximum errors stated with each instruction.
  EXPECT_LE(
      worst("ex2.approx.f32", -20, 20, [](double x) { return std::exp2(x); }),
      std::ldexp(1, -22));
  EXPECT_LE(
      worst("lg2.approx.f32", 2, 1000, [](double x) { return std::log2(x); }),
      std::ldexp(1, -22));
  EXPECT_LE(worst("rcp.approx.f32", 0.01, 100, [](double x) { return 1 / x; }),
            std::ldexp(1, -23));
  EXPECT_LE(worst("rsqrt.approx.f32", 0.01, 100,
                  [](double x) { return 1 / std::sqrt(x); }),
            std::ldexp(1, -22));
  EXPECT_LE(worst("sqrt.approx.f32", 0.01, 100,
                  [](double x) { return std::sqrt(x); }),
            std::ldexp(1, -23));
  EXPECT_LE(
      worst(
          "sin.approx.f32", -3, 3, [](double x) { return std::sin(x); }, true),
      std::ldexp(1, -20));
  EXPECT_LE(
      worst(
          "cos.approx.f32", -3, 3, [](double x) { return std::cos(x); }, true),
      std::ldexp(1, -20));
  EXPECT_LE(
      worst("tanh.approx.f32", -10, 10, [](double x) { return std::tanh(x); }),
      std::ldexp(1, -11));
  EXPECT_LE(worst("tanh.approx.f32", -1e-5, 1e-5,
                  [](double x) { return std::tanh(x); }),
            std::ldexp(1, -11));
}

TEST(Float, ExponentialAtTheEdges) {
  std::vector<float> a = {0.0f,   -0.0f,   -INFINITY, INFINITY, NAN,
                          128.0f, -149.0f, -151.0f,   127.0f};
  auto d = evaluate<float>("ex2.approx.f32 %d, %a0;", a);
  EXPECT_EQ(d[0], 1.0f);
  EXPECT_EQ(d[1], 1.0f);
  EXPECT_EQ(d[2], 0.0f);
  EXPECT_TRUE(std::isinf(d[3]));
  EXPECT_TRUE(std::isnan(d[4]));
  EXPECT_TRUE(std::isinf(d[5]));
  EXPECT_EQ(d[6], std::ldexp(1.0f, -149));
  EXPECT_EQ(d[7], 0.0f);
  EXPECT_EQ(d[8], std::ldexp(1.0f, 127));
}

/// 16-bit arithmetic on all kinds of operands, against exact values searched in
/// the format's table.
template <class From, class To>
void sixteenBits(const std::string &type, From value, To encode,
                 bool isBfloat) {
  std::mt19937 generator(9);
  std::vector<uint16_t> a(kCount), b(kCount), c(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = uint16_t(generator());
    b[i] = uint16_t(generator());
    c[i] = uint16_t(generator());
    // Exponents near one another make rounding interesting, and keep bf16's
    // exact sums within a long double.
    unsigned m = isBfloat ? 7 : 10, e = isBfloat ? 127 : 15;
    if (isBfloat || i % 2)
      for (auto *v : {&a[i], &b[i], &c[i]})
        *v = uint16_t((*v & (0x8000 | ((1 << m) - 1))) |
                      (e - 6 + generator() % 12) << m);
  }
  auto bits = [](uint16_t v) { return v; };
  (void)bits;
  auto sum = evaluate<uint16_t>("add.rn." + type + " %d, %a0, %a1;", a, b);
  auto product = evaluate<uint16_t>("mul.rn." + type + " %d, %a0, %a1;", a, b);
  auto fused =
      evaluate<uint16_t>("fma.rn." + type + " %d, %a0, %a1, %a2;", a, b, c);
  auto relu = evaluate<uint16_t>("fma.rn.relu." + type + " %d, %a0, %a1, %a2;",
                                 a, b, c);
  auto same = [&](uint16_t got, uint16_t expected) {
    return got == expected ||
           (std::isnan(value(got)) && std::isnan(value(expected)));
  };
  for (size_t i = 0; i < kCount; ++i) {
    double x = value(a[i]), y = value(b[i]), z = value(c[i]);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z))
      continue;
    ASSERT_TRUE(same(sum[i], encode(x + y))) << x << " + " << y;
    ASSERT_TRUE(same(product[i], encode(x * y))) << x << " * " << y;
    long double exact = (long double)x * y + z;
    double nearby = double(exact);
    // The search takes doubles: nudge where the conversion was inexact.
    if ((long double)nearby != exact)
      nearby = std::nextafter(nearby, nearby < exact ? INFINITY : -INFINITY);
    ASSERT_TRUE(same(fused[i], encode(nearby)))
        << x << " * " << y << " + " << z << ": " << fused[i];
    uint16_t expected = encode(nearby);
    ASSERT_TRUE(same(relu[i], expected & 0x8000 ? 0 : expected));
  }
}

TEST(Float, Half) { sixteenBits("f16", doubleFromHalf, halfFromDouble, false); }
TEST(Float, Bfloat) {
  sixteenBits("bf16", doubleFromBfloat, bfloatFromDouble, true);
}

/// fma.oob: +0 where an operand is the NaN that fills a tensor's outside.
TEST(Float, OutOfBoundsNan) {
  const uint16_t outside = 0x7ff7, nan = 0x7fff;
  for (const std::string type : {"f16", "bf16"}) {
    uint16_t one = type == "f16" ? 0x3c00 : 0x3f80, minus = one | 0x8000;
    std::vector<uint16_t> a{one, outside, one, nan, minus, outside},
        b{one, one, outside, one, one, nan}, c{0, one, one, one, 0, one};
    auto plain = evaluate<uint16_t>(
        "fma.rn.oob." + type + " %d, %a0, %a1, %a2;", a, b, c);
    auto relu = evaluate<uint16_t>(
        "fma.rn.oob.relu." + type + " %d, %a0, %a1, %a2;", a, b, c);
    EXPECT_EQ(plain, (std::vector<uint16_t>{one, 0, 0, nan, minus, 0}));
    EXPECT_EQ(relu, (std::vector<uint16_t>{one, 0, 0, nan, 0, 0}));
    // Each of two by itself.
    auto two =
        evaluate<uint32_t>("fma.rn.oob." + type + "x2 %d, %a0, %a1, %a2;",
                           std::vector<uint32_t>{uint32_t(outside) << 16 | one},
                           std::vector<uint32_t>{uint32_t(one) << 16 | one},
                           std::vector<uint32_t>{uint32_t(one) << 16});
    EXPECT_EQ(two[0], uint32_t(one));
  }
}

/// add.f32.f16 and its like: the narrow operands are converted, nothing is
/// rounded but the result.
TEST(Float, MixedPrecision) {
  std::mt19937 generator(11);
  std::vector<uint32_t> a(kCount), b(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = generator() & 0xffff;
    b[i] = generator() & 0xffff;
  }
  auto c = moderate(4);
  const std::string narrow = "cvt.u16.u32 %h0, %a0;\ncvt.u16.u32 %h1, %a1;\n";
  for (const std::string type : {"f16", "bf16"}) {
    auto run = [&](const std::string &body) {
      return evaluate<float>(narrow + body, a, b, c);
    };
    auto sum = run("add.rn.f32." + type + " %d, %h0, %a2;");
    auto difference = run("sub.rz.f32." + type + " %d, %h0, %a2;");
    auto fused = run("fma.rn.f32." + type + " %d, %h0, %h1, %a2;");
    for (size_t i = 0; i < kCount; ++i) {
      auto value = [&](uint32_t bits) -> float {
        return type == "f16" ? doubleFromHalf(bits) : doubleFromBfloat(bits);
      };
      float x = value(a[i]), y = value(b[i]);
      auto expectSame = [](float actual, float expected) {
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(actual));
        else
          EXPECT_EQ(actual, expected);
      };
      expectSame(sum[i], x + c[i]);
      expectSame(fused[i], std::fma(x, y, c[i]));
      // Towards zero: no larger than the exact difference, and next to it.
      double exact = double(x) - double(c[i]);
      if (std::isfinite(exact) && std::isfinite(difference[i]) &&
          std::abs(x) < 1e6) {
        EXPECT_LE(std::abs(difference[i]), std::abs(exact));
        EXPECT_GE(std::abs(std::nextafter(difference[i],
                                          exact < 0 ? -INFINITY : INFINITY)),
                  std::abs(exact));
      }
    }
  }
}

TEST(Float, PackedSingles) {
  auto a = moderate(1), b = moderate(2), c = moderate(3);
  auto d =
      evaluate<float>("mov.b64 %q0, {%a0, %a1};\nmov.b64 %q1, {%a1, %a2};\n"
                      "fma.rn.f32x2 %q2, %q0, %q1, %q0;\n"
                      "add.rn.f32x2 %q3, %q2, %q1;\n"
                      "mov.b64 {%r0, %d}, %q3;",
                      a, b, c);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(d[i], std::fma(b[i], c[i], b[i]) + c[i]);
}

TEST(Float, PackedHalves) {
  std::mt19937 generator(10);
  std::vector<uint32_t> a(kCount), b(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = generator();
    b[i] = generator();
  }
  auto sum = evaluate<uint32_t>("add.f16x2 %d, %a0, %a1;", a, b);
  auto least = evaluate<uint32_t>("min.bf16x2 %d, %a0, %a1;", a, b);
  for (size_t i = 0; i < kCount; ++i)
    for (unsigned h = 0; h < 2; ++h) {
      uint16_t x = uint16_t(a[i] >> (16 * h)), y = uint16_t(b[i] >> (16 * h));
      uint16_t s = uint16_t(sum[i] >> (16 * h)),
               m = uint16_t(least[i] >> (16 * h));
      double exact = doubleFromHalf(x) + doubleFromHalf(y);
      if (std::isnan(exact))
        ASSERT_TRUE(std::isnan(doubleFromHalf(s)));
      else
        ASSERT_EQ(s, halfFromDouble(exact));
      double fx = doubleFromBfloat(x), fy = doubleFromBfloat(y);
      double expected = std::fmin(fx, fy);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(doubleFromBfloat(m)));
      else
        ASSERT_EQ(doubleFromBfloat(m), expected);
    }
}

} // namespace
