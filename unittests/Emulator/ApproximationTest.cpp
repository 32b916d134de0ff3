//===- ApproximationTest.cpp - Approximate functions within their bounds --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds are what the PTX ISA states with each instruction. f32 is
// sampled over all bit patterns, 16-bit types are exhausted.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace fusion::emulator::test;

namespace {

using Function = std::function<double(double)>;

float floatOf(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

/// Every 8191st bit pattern, a prime: all exponents with many significands.
std::vector<float> allKinds() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 8191)
    values.push_back(floatOf(uint32_t(bits)));
  for (float edge : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f})
    values.push_back(edge);
  return values;
}

/// The distance of two neighbours at `x`, subnormal ones included.
double ulpAt(double x) {
  int exponent;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}

enum class Bound { Relative, Absolute, Ulp };

/// Compares over the inputs within [low, high]; outside, and of what is not
/// finite, only infinity and NaN are compared.
void compare(const std::string &instruction, const Function &exact, Bound kind,
             double bound, double low = -INFINITY, double high = INFINITY) {
  SCOPED_TRACE(instruction);
  std::vector<float> inputs = allKinds();
  auto results = evaluate<float>(instruction + " %d, %a0;", inputs);
  size_t compared = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    double x = inputs[i];
    if (!(x >= low && x <= high) && !std::isnan(x))
      continue;
    ++compared;
    double expected = exact(x), got = results[i];
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << x << ": " << got;
      continue;
    }
    // Overflow is an infinity.
    if (std::isinf(got) && std::isinf(float(expected)))
      continue;
    double error = std::fabs(got - expected);
    double limit = kind == Bound::Absolute ? bound
                   : kind == Bound::Ulp    ? bound * ulpAt(expected)
                                           : bound * std::fabs(expected);
    // Results below the normal range have fewer bits.
    if (kind == Bound::Relative)
      limit = std::max(limit, std::ldexp(1.0, -149));
    ASSERT_LE(error, limit) << x << ": " << got << ", not " << expected;
  }
  EXPECT_GT(compared, 1000u);
}

TEST(Approximation, Reciprocals) {
  compare("rcp.approx.f32", [](double x) { return 1 / x; }, Bound::Ulp, 1);
  compare(
      "rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); },
      Bound::Relative, std::exp2(-22.9));
  compare(
      "sqrt.approx.f32", [](double x) { return std::sqrt(x); }, Bound::Relative,
      std::exp2(-23));
}

TEST(Approximation, Exponentials) {
  compare(
      "ex2.approx.f32", [](double x) { return std::exp2(x); }, Bound::Ulp, 2);
  compare(
      "lg2.approx.f32", [](double x) { return std::log2(x); }, Bound::Absolute,
      std::exp2(-22), 0.5, 2);
  compare(
      "lg2.approx.f32", [](double x) { return std::log2(x); }, Bound::Relative,
      std::exp2(-22), -INFINITY, 0.5);
  compare(
      "lg2.approx.f32", [](double x) { return std::log2(x); }, Bound::Relative,
      std::exp2(-22), 2, INFINITY);
  compare(
      "tanh.approx.f32", [](double x) { return std::tanh(x); }, Bound::Relative,
      std::exp2(-11));
}

TEST(Approximation, Trigonometry) {
  const double pi = std::acos(-1.0);
  for (auto [turns, bound] : {std::pair(1.0, -20.5), std::pair(50.0, -14.7)}) {
    double range = 2 * pi * turns;
    compare(
        "sin.approx.f32", [](double x) { return std::sin(x); }, Bound::Absolute,
        std::exp2(bound), -range, range);
    compare(
        "cos.approx.f32", [](double x) { return std::cos(x); }, Bound::Absolute,
        std::exp2(bound), -range, range);
  }
}

TEST(Approximation, Division) {
  std::vector<float> a = allKinds(), b = a;
  std::shuffle(b.begin(), b.end(), std::mt19937(1));
  for (std::string kind : {"approx", "full"}) {
    auto results = evaluate<float>("div." + kind + ".f32 %d, %a0, %a1;", a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      double x = a[i], y = b[i], expected = x / y, got = results[i];
      // "For |b| in [2^-126, 2^126] the maximum ulp error is 2."
      if (!(std::fabs(y) >= std::exp2(-126) && std::fabs(y) <= std::exp2(126)))
        continue;
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got)) << x << " / " << y;
      else if (!(std::isinf(got) && std::isinf(float(expected))))
        ASSERT_LE(std::fabs(got - expected), 2 * ulpAt(expected))
            << kind << ": " << x << " / " << y << " is " << got;
    }
  }
}

/// All values of a 16-bit type, whose numbers go from `least` (below it,
/// results are flushed or have fewer bits) to `largest`.
void exhaust(const std::string &instruction, double (*value)(uint16_t),
             double least, double largest, const Function &exact, bool relative,
             double bound) {
  SCOPED_TRACE(instruction);
  std::vector<uint16_t> inputs(65536);
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = uint16_t(i);
  auto results = evaluate<uint16_t>(instruction + " %d, %a0;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    double x = value(inputs[i]), expected = exact(x), got = value(results[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << x;
      continue;
    }
    if (std::isinf(got) && expected > largest)
      continue;
    double limit = relative ? bound * std::fabs(expected) : bound;
    limit = std::max(limit, least);
    ASSERT_LE(std::fabs(got - expected), limit) << x << ": " << got;
  }
}

double doubleOf(uint64_t bits) {
  double d;
  std::memcpy(&d, &bits, 8);
  return d;
}

/// The fast approximations of f64 take the upper 32 bits of their operand,
/// with 20 bits of mantissa, and give as many; subnormal numbers are zeros.
TEST(Approximation, Doubles) {
  std::vector<double> inputs;
  std::mt19937_64 generator(3);
  for (unsigned i = 0; i < 20000; ++i)
    inputs.push_back(doubleOf(generator()));
  size_t edges = inputs.size();
  for (double edge :
       {0.0, -0.0, double(INFINITY), double(-INFINITY), double(NAN), 0x1p-1030,
        -0x1p-1030, 0x1p1023, 1.0, -1.0, 0x1p-1022})
    inputs.push_back(edge);
  for (bool root : {false, true}) {
    std::string name = root ? "rsqrt.approx" : "rcp.approx";
    auto results = evaluate<double>(name + ".ftz.f64 %d, %a0;", inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = inputs[i], got = results[i];
      double flushed = std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x;
      double exact = root ? 1 / std::sqrt(flushed) : 1 / flushed;
      SCOPED_TRACE(name + " of " + std::to_string(x));
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(got));
        continue;
      }
      uint64_t bits;
      std::memcpy(&bits, &got, 8);
      EXPECT_EQ(bits & 0xffffffff, 0u);
      EXPECT_EQ(std::signbit(got), std::signbit(exact));
      if (std::isinf(exact) || std::fabs(exact) < 0x1p-1021)
        EXPECT_TRUE(got == exact || std::fabs(got) < 0x1p-1021) << got;
      else
        EXPECT_LE(std::fabs(got - exact), std::fabs(exact) * 0x1p-19) << got;
    }
    // One is exact, infinity and zero change places.
    EXPECT_EQ(results[edges + 8], 1.0);
    EXPECT_EQ(results[edges], INFINITY);
    EXPECT_EQ(results[edges + 1], -INFINITY);
    EXPECT_EQ(results[edges + 2], 0.0);
    EXPECT_EQ(results[edges + 5], INFINITY);
    EXPECT_EQ(results[edges + 6], -INFINITY);
  }
  // "rsqrt.approx.f64": full range, subnormal numbers included.
  auto results = evaluate<double>("rsqrt.approx.f64 %d, %a0;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] > 0 && std::isfinite(inputs[i]))
      EXPECT_NEAR(results[i] * std::sqrt(inputs[i]), 1, 0x1p-20);
}

TEST(Approximation, SixteenBits) {
  Function exp = [](double x) { return std::exp2(x); },
           tanh = [](double x) { return std::tanh(x); };
  double most = doubleFromBfloat(0x7f7f);
  exhaust("ex2.approx.f16", doubleFromHalf, std::exp2(-24), 65504, exp, true,
          std::exp2(-9.9));
  exhaust("tanh.approx.f16", doubleFromHalf, std::exp2(-24), 65504, tanh, false,
          std::exp2(-10.987));
  exhaust("ex2.approx.ftz.bf16", doubleFromBfloat, std::exp2(-126), most, exp,
          true, std::exp2(-7));
  exhaust("tanh.approx.bf16", doubleFromBfloat, std::exp2(-126), most, tanh,
          false, std::exp2(-8));
}

} // namespace
