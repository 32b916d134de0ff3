//===- PatternsTest.cpp - More kernels compiled by nvcc -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Reference.h"

#include <cmath>
#include <numeric>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

class Patterns : public ::testing::Test {
protected:
  static void SetUpTestSuite() { program = parse(corpus("patterns.ptx")); }
  static void TearDownTestSuite() { program.reset(); }
  static std::unique_ptr<Program> program;
  Memory memory;

  /// Runs without and with sanitizers, under several schedules, and expects the
  /// same contents of `out` and no finding.
  template <class T>
  void clean(const Launch &launch, Array<T> &out,
             const std::vector<T> &before) {
    std::vector<T> first;
    for (uint64_t seed : {0, 1, 2}) {
      memory.write(out.address, before.data(), before.size() * sizeof(T));
      Options options;
      options.seed = seed;
      options.sanitize = seed != 0;
      options.instructionLimit = 10000000;
      LaunchResult result = runOk(*program, launch, memory, options);
      for (const Finding &f : result.findings)
        ADD_FAILURE() << f.kind << " at " << f.line << ": " << f.message;
      out.fetch();
      if (seed == 0)
        first = out.host;
      else
        EXPECT_EQ(out.host, first);
    }
  }
};
std::unique_ptr<Program> Patterns::program;

TEST_F(Patterns, BlockScan) {
  std::vector<int> values(512);
  for (size_t i = 0; i < 512; ++i)
    values[i] = int(i * 7919 % 101) - 50;
  Array<int> in(memory, values), out(memory, std::vector<int>(512));
  clean(makeLaunch("block_scan", {2, 1, 1}, {256, 1, 1}, in, out), out,
        std::vector<int>(512));
  for (int b = 0; b < 2; ++b)
    for (int i = 0, sum = 0; i < 256; ++i)
      ASSERT_EQ(out.host[size_t(b * 256 + i)],
                sum += values[size_t(b * 256 + i)]);
}

TEST_F(Patterns, BitonicSort) {
  std::mt19937 generator(1);
  std::vector<unsigned> values(512);
  for (unsigned &v : values)
    v = generator();
  Array<unsigned> data(memory, values);
  clean(makeLaunch("bitonic_sort", {1, 1, 1}, {256, 1, 1}, data), data, values);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(data.host, values);
}

TEST_F(Patterns, LayerNorm) {
  int rows = 3, cols = 200;
  std::vector<uint16_t> values;
  for (float f : uniform(size_t(rows * cols), 8))
    values.push_back(bfloatFromDouble(f));
  Array<uint16_t> in(memory, values),
      out(memory, std::vector<uint16_t>(values.size()));
  Array<float> gamma(memory, uniform(size_t(cols), 9));
  clean(makeLaunch("layer_norm", {3, 1, 1}, {128, 1, 1}, in, gamma, out, cols),
        out, std::vector<uint16_t>(values.size()));
  for (int r = 0; r < rows; ++r) {
    double s = 0, q = 0;
    for (int c = 0; c < cols; ++c) {
      double v = doubleFromBfloat(values[size_t(r * cols + c)]);
      s += v;
      q += v * v;
    }
    double mean = s / cols,
           scale = 1 / std::sqrt(q / cols - mean * mean + 1e-5);
    for (int c = 0; c < cols; ++c) {
      double v = doubleFromBfloat(values[size_t(r * cols + c)]);
      double expected = (v - mean) * scale * gamma.host[size_t(c)];
      ASSERT_NEAR(doubleFromBfloat(out.host[size_t(r * cols + c)]), expected,
                  std::fabs(expected) / 200 + 1e-6);
    }
  }
}

TEST_F(Patterns, Stencil) {
  int n = 70;
  Array<float> in(memory, uniform(size_t(n * n), 5)),
      out(memory, std::vector<float>(size_t(n * n)));
  clean(makeLaunch("stencil", {3, 9, 1}, {32, 8, 1}, in, out, n), out,
        std::vector<float>(size_t(n * n)));
  auto at = [&](int j, int i) {
    return i >= 0 && i < n && j >= 0 && j < n ? in.host[size_t(j * n + i)] : 0;
  };
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      ASSERT_EQ(out.host[size_t(y * n + x)], at(y, x) * -4.0f + at(y - 1, x) +
                                                 at(y + 1, x) + at(y, x - 1) +
                                                 at(y, x + 1));
}

TEST_F(Patterns, ProducerConsumer) {
  int rounds = 7;
  std::vector<int> values(size_t(rounds) * 96);
  std::iota(values.begin(), values.end(), 1);
  Array<int> in(memory, values), out(memory, std::vector<int>(96));
  clean(
      makeLaunch("producer_consumer", {1, 1, 1}, {128, 1, 1}, in, out, rounds),
      out, std::vector<int>(96));
  for (int i = 0; i < 96; ++i) {
    int sum = 0;
    for (int r = 0; r < rounds; ++r)
      sum = sum * 3 + values[size_t(r * 96 + 95 - i)];
    ASSERT_EQ(out.host[size_t(i)], sum);
  }
}

TEST_F(Patterns, GridBarrier) {
  unsigned blocks = 40;
  Array<int> values(memory, std::vector<int>(blocks)),
      arrived(memory, std::vector<int>(1)),
      out(memory, std::vector<int>(blocks));
  Options options;
  options.instructionLimit = 100000000;
  runOk(*program,
        makeLaunch("grid_barrier", {blocks, 1, 1}, {64, 1, 1}, values, arrived,
                   out),
        memory, options);
  out.fetch();
  for (int v : out.host)
    EXPECT_EQ(v, int(blocks * (blocks + 1) / 2));
}

TEST_F(Patterns, IndirectCalls) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), -5);
  Array<int> in(memory, values), out(memory, std::vector<int>(64));
  clean(makeLaunch("indirect_calls", {1, 1, 1}, {64, 1, 1}, in, out), out,
        std::vector<int>(64));
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(out.host[i], values[i] & 1 ? values[i] * 7 : values[i] + 7);
}

TEST_F(Patterns, FloatAtomicsAreRepeatable) {
  int n = 5000;
  Array<float> a(memory, uniform(size_t(n), 1)),
      b(memory, uniform(size_t(n), 2)), out(memory, std::vector<float>(1));
  double expected = 0;
  for (int i = 0; i < n; ++i)
    expected += double(a.host[size_t(i)]) * b.host[size_t(i)];
  float first = 0;
  for (unsigned threads : {1u, 2u, 5u}) {
    float zero = 0;
    memory.write(out.address, &zero, 4);
    Options options;
    options.threads = threads;
    runOk(*program,
          makeLaunch("dot_atomic", {7, 1, 1}, {96, 1, 1}, a, b, out, n), memory,
          options);
    out.fetch();
    EXPECT_NEAR(out.host[0], expected, 1e-3);
    if (threads == 1)
      first = out.host[0];
    EXPECT_EQ(out.host[0], first);
  }
}

TEST_F(Patterns, MathLibrary) {
  std::vector<float> values = uniform(64, 4);
  for (size_t i = 0; i < 64; ++i)
    values[i] *= i % 8 == 7 ? 1e6f : 10.0f; // large arguments of sin as well
  Array<float> in(memory, values), out(memory, std::vector<float>(512));
  clean(makeLaunch("math_functions", {1, 1, 1}, {64, 1, 1}, in, out), out,
        std::vector<float>(512));
  for (size_t i = 0; i < 64; ++i) {
    double x = values[i];
    double expected[] = {std::sin(x),
                         std::exp(float(x) * 0.01f),
                         std::log(std::fabs(x) + 1),
                         std::erf(float(x) * 0.1f),
                         std::tanh(x),
                         std::pow(std::fabs(x), 0.7f),
                         std::cos(x),
                         std::fmod(float(x), 3.0f)};
    for (size_t k = 0; k < 8; ++k) {
      if (!std::isfinite(expected[k]) || expected[k] > 3e38)
        continue;
      ASSERT_NEAR(out.host[8 * i + k], expected[k],
                  std::fabs(expected[k]) * 2e-6 + 1e-7)
          << "function " << k << " of " << x;
    }
  }
}

} // namespace
