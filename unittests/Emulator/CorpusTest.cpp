//===- CorpusTest.cpp - Kernels compiled by nvcc against CPU references ---===//
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

class Basics : public ::testing::Test {
protected:
  static void SetUpTestSuite() { program = parse(corpus("basics.ptx")); }
  static void TearDownTestSuite() { program.reset(); }
  static std::unique_ptr<Program> program;
  Memory memory;
};
std::unique_ptr<Program> Basics::program;

TEST_F(Basics, VectorAdd) {
  unsigned n = 1000;
  Array<float> a(memory, uniform(n, 1)), b(memory, uniform(n, 2)),
      c(memory, std::vector<float>(n));
  LaunchResult result = runOk(
      *program, makeLaunch("vector_add", {4, 1, 1}, {256, 1, 1}, a, b, c, n),
      memory);
  c.fetch();
  for (unsigned i = 0; i < n; ++i)
    ASSERT_EQ(c.host[i], a.host[i] + b.host[i]) << i;
  EXPECT_EQ(result.counters.globalLoadBytes, 2 * 4 * n);
  EXPECT_EQ(result.counters.globalStoreBytes, 4 * n);
  EXPECT_EQ(result.counters.globalSectors, 3 * 4 * n / 32);
}

TEST_F(Basics, BlockSum) {
  unsigned n = 10000;
  Array<float> in(memory, std::vector<float>(n));
  for (unsigned i = 0; i < n; ++i)
    in.host[i] = float(i % 7);
  memory.write(in.address, in.host.data(), n * 4);
  Array<float> out(memory, std::vector<float>(4));
  LaunchResult result = runOk(
      *program, makeLaunch("block_sum", {4, 1, 1}, {256, 1, 1}, in, out, n),
      memory);
  out.fetch();
  float sum = std::accumulate(out.host.begin(), out.host.end(), 0.0f);
  EXPECT_EQ(sum, std::accumulate(in.host.begin(), in.host.end(), 0.0f));
  EXPECT_EQ(result.counters.barriers, 4u * 8 * 9);
  EXPECT_EQ(result.counters.sharedBankConflicts, 0u);
}

TEST_F(Basics, WarpSum) {
  unsigned n = 100;
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), -20);
  Array<int> in(memory, values), out(memory, std::vector<int>(4));
  runOk(*program, makeLaunch("warp_sum", {1, 1, 1}, {128, 1, 1}, in, out, n),
        memory);
  out.fetch();
  for (unsigned w = 0; w < 4; ++w) {
    int sum = 0;
    for (unsigned i = 32 * w; i < std::min(n, 32 * w + 32); ++i)
      sum += values[i];
    EXPECT_EQ(out.host[w], sum);
  }
}

TEST_F(Basics, Softmax) {
  int rows = 8, cols = 77;
  Array<float> in(memory, uniform(size_t(rows * cols), 3)),
      out(memory, std::vector<float>(size_t(rows * cols)));
  runOk(*program,
        makeLaunch("softmax_rows", {2, 1, 1}, {128, 1, 1}, in, out, cols),
        memory);
  out.fetch();
  for (int r = 0; r < rows; ++r) {
    double most = -1e30, sum = 0;
    for (int c = 0; c < cols; ++c)
      most = std::max<double>(most, in.host[size_t(r * cols + c)]);
    for (int c = 0; c < cols; ++c)
      sum += std::exp(in.host[size_t(r * cols + c)] - most);
    for (int c = 0; c < cols; ++c)
      ASSERT_NEAR(out.host[size_t(r * cols + c)],
                  std::exp(in.host[size_t(r * cols + c)] - most) / sum, 1e-6);
  }
}

TEST_F(Basics, CollatzDiverges) {
  unsigned n = 300;
  std::vector<unsigned> values(n);
  std::iota(values.begin(), values.end(), 1);
  Array<unsigned> in(memory, values), out(memory, std::vector<unsigned>(n));
  runOk(*program, makeLaunch("collatz", {3, 1, 1}, {128, 1, 1}, in, out, n),
        memory);
  out.fetch();
  for (unsigned i = 0; i < n; ++i) {
    uint64_t v = values[i];
    unsigned steps = 0;
    for (; v != 1; ++steps)
      v = v & 1 ? 3 * v + 1 : v / 2;
    ASSERT_EQ(out.host[i], steps) << i;
  }
}

TEST_F(Basics, Recursion) {
  Array<int> out(memory, std::vector<int>(64));
  runOk(*program, makeLaunch("recursion", {1, 1, 1}, {64, 1, 1}, out), memory);
  out.fetch();
  int fib[12] = {0, 1};
  for (int i = 2; i < 12; ++i)
    fib[i] = fib[i - 1] + fib[i - 2];
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(out.host[i], fib[i % 12]) << i;
}

TEST_F(Basics, LocalArraysAndStructs) {
  int seed = 3;
  Array<double> out(memory, std::vector<double>(40));
  runOk(*program, makeLaunch("local_arrays", {1, 1, 1}, {40, 1, 1}, out, seed),
        memory);
  out.fetch();
  for (int t = 0; t < 40; ++t) {
    double a = 1.0;
    int b = t;
    for (int i = 0; i < 5; ++i) {
      a = a * 0.5f + (seed * (b & 7) + t);
      ++b;
    }
    ASSERT_EQ(out.host[size_t(t)], a + b) << t;
  }
}

TEST_F(Basics, Histogram) {
  unsigned n = 5000;
  std::vector<uint8_t> values(n);
  std::mt19937 generator(5);
  std::vector<unsigned> expected(256);
  for (uint8_t &v : values)
    ++expected[v = uint8_t(generator())];
  Array<uint8_t> in(memory, values);
  Array<unsigned> bins(memory, std::vector<unsigned>(256));
  for (unsigned threads : {1u, 4u}) {
    memory.write(bins.address, std::vector<unsigned>(256).data(), 1024);
    Options options;
    options.threads = threads;
    runOk(*program,
          makeLaunch("histogram", {8, 1, 1}, {128, 1, 1}, in, bins, n), memory,
          options);
    EXPECT_EQ(bins.fetch(), expected);
  }
}

TEST_F(Basics, LastBlock) {
  std::vector<int> values(32 * 20);
  std::iota(values.begin(), values.end(), 0);
  Array<int> in(memory, values), partial(memory, size_t(20)),
      out(memory, std::vector<int>(1));
  int weights[] = {1, 10, 100, 1000}, sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += values[i] * weights[i & 3];
  for (int repeat = 0; repeat < 2; ++repeat) {
    runOk(*program,
          makeLaunch("last_block", {20, 1, 1}, {32, 1, 1}, in, partial, out),
          memory);
    EXPECT_EQ(out.fetch()[0], sum);
  }
}

TEST_F(Basics, SpinLockWithinAWarp) {
  Array<int> lock(memory, std::vector<int>(1)),
      counter(memory, std::vector<int>(1));
  Options options;
  options.instructionLimit = 10000000;
  runOk(*program, makeLaunch("spin_lock", {3, 1, 1}, {64, 1, 1}, lock, counter),
        memory, options);
  EXPECT_EQ(counter.fetch()[0], 3 * 64);
}

TEST_F(Basics, SwitchTable) {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i)
    values[size_t(i)] = i % 9;
  Array<int> in(memory, values), out(memory, std::vector<int>(64));
  runOk(*program, makeLaunch("switch_table", {1, 1, 1}, {64, 1, 1}, in, out),
        memory);
  out.fetch();
  for (size_t i = 0; i < 64; ++i) {
    int v = values[i];
    int expected[] = {17, 4,          -2, 96, __builtin_popcount(4 * 12345),
                      29, 0x60000000, ~7, ~8};
    ASSERT_EQ(out.host[i], expected[v]) << i;
  }
}

TEST_F(Basics, Votes) {
  std::vector<int> values(32);
  for (int i = 0; i < 32; ++i)
    values[size_t(i)] = (i * 5) % 7;
  Array<int> in(memory, values);
  Array<unsigned> out(memory, std::vector<unsigned>(32));
  runOk(*program, makeLaunch("votes", {1, 1, 1}, {32, 1, 1}, in, out), memory);
  out.fetch();
  unsigned ballot = 0, odd = 0;
  for (unsigned i = 0; i < 32; ++i) {
    ballot |= unsigned(values[i] > 3) << i;
    odd |= unsigned(values[i] & 1) << i;
  }
  for (unsigned i = 0; i < 32; ++i) {
    unsigned same = 0;
    for (unsigned j = 0; j < 32; ++j)
      same |= unsigned(values[i] == values[j]) << j;
    unsigned active = values[i] & 1 ? odd : 0;
    ASSERT_EQ(out.host[i], ballot ^ (same * 3) ^ (active * 5) ^ 1) << i;
  }
}

TEST_F(Basics, Transpose) {
  int n = 64;
  Array<float> in(memory, uniform(size_t(n * n), 4)),
      out(memory, std::vector<float>(size_t(n * n)));
  LaunchResult result =
      runOk(*program,
            makeLaunch("transpose", {2, 2, 1}, {32, 8, 1}, in, out, n), memory);
  out.fetch();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      ASSERT_EQ(out.host[size_t(i * n + j)], in.host[size_t(j * n + i)]);
  EXPECT_EQ(result.counters.sharedBankConflicts, 0u);
}

TEST_F(Basics, HalfAxpy) {
  unsigned n = 500;
  std::vector<uint16_t> x(2 * n), y(2 * n);
  std::vector<float> fx = uniform(2 * n, 6), fy = uniform(2 * n, 7);
  for (unsigned i = 0; i < 2 * n; ++i) {
    x[i] = halfFromDouble(fx[i]);
    y[i] = halfFromDouble(fy[i]);
  }
  Array<uint16_t> dx(memory, x), dy(memory, y);
  float a = 0.7f;
  runOk(*program, makeLaunch("half_axpy", {4, 1, 1}, {128, 1, 1}, dx, dy, a, n),
        memory);
  dy.fetch();
  double ha = doubleFromHalf(halfFromDouble(a));
  for (unsigned i = 0; i < 2 * n; ++i)
    ASSERT_EQ(dy.host[i],
              halfFromDouble(ha * doubleFromHalf(x[i]) + doubleFromHalf(y[i])));
}

class Gemm : public ::testing::Test {
protected:
  static void SetUpTestSuite() { program = parse(corpus("gemm.ptx")); }
  static void TearDownTestSuite() { program.reset(); }
  static std::unique_ptr<Program> program;
  Memory memory;
};
std::unique_ptr<Program> Gemm::program;

TEST_F(Gemm, Tiled) {
  int n = 48;
  Array<float> a(memory, uniform(size_t(n * n), 1)),
      b(memory, uniform(size_t(n * n), 2)),
      c(memory, std::vector<float>(size_t(n * n)));
  runOk(*program, makeLaunch("gemm_tiled", {3, 3, 1}, {16, 16, 1}, a, b, c, n),
        memory);
  c.fetch();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum =
            std::fma(a.host[size_t(i * n + k)], b.host[size_t(k * n + j)], sum);
      ASSERT_EQ(c.host[size_t(i * n + j)], sum);
    }
}

/// f16 matrices and their product in f64.
struct HalfProblem {
  int m, n, k;
  std::vector<uint16_t> a, b;
  HalfProblem(int m, int n, int k) : m(m), n(n), k(k) {
    for (float f : uniform(size_t(m * k), 11))
      a.push_back(halfFromDouble(f));
    for (float f : uniform(size_t(k * n), 12))
      b.push_back(halfFromDouble(f));
  }
  double at(int i, int j) const {
    double sum = 0;
    for (int p = 0; p < k; ++p)
      sum += doubleFromHalf(a[size_t(i * k + p)]) *
             doubleFromHalf(b[size_t(p * n + j)]);
    return sum;
  }
};

TEST_F(Gemm, TensorCores) {
  HalfProblem problem(128, 192, 160);
  Array<uint16_t> a(memory, problem.a), b(memory, problem.b);
  Array<float> c(memory, std::vector<float>(size_t(problem.m * problem.n)));
  Launch launch = makeLaunch("gemm_tensor", {3, 2, 1}, {128, 1, 1}, a, b, c,
                             problem.m, problem.n, problem.k);
  launch.dynamicSharedMemory = 3 * (64 * 32 + 32 * 64) * 2;
  Counters first;
  for (unsigned threads : {1u, 3u}) {
    Options options;
    options.threads = threads;
    options.l2Bytes = 1 << 20;
    LaunchResult result = runOk(*program, launch, memory, options);
    c.fetch();
    for (int i = 0; i < problem.m; ++i)
      for (int j = 0; j < problem.n; ++j)
        ASSERT_NEAR(c.host[size_t(i * problem.n + j)], problem.at(i, j), 1e-4);
    const Counters &counters = result.counters;
    EXPECT_EQ(counters.mmaFlops,
              2ull * uint64_t(problem.m * problem.n * problem.k));
    // Three blocks read each row of A, two each column of B.
    EXPECT_EQ(
        counters.globalLoadBytes,
        2ull * uint64_t(3 * problem.m * problem.k + 2 * problem.n * problem.k));
    EXPECT_EQ(counters.globalStoreBytes,
              4ull * uint64_t(problem.m * problem.n));
    EXPECT_EQ(counters.sharedBankConflicts, 0u);
    // Everything fits in L2: each byte once.
    EXPECT_EQ(counters.dramBytes,
              2ull * uint64_t(problem.m * problem.k + problem.n * problem.k) +
                  4ull * uint64_t(problem.m * problem.n));
    if (threads == 1)
      first = counters;
    else
      EXPECT_TRUE(first == counters);
  }
  Options sanitize;
  sanitize.sanitize = true;
  LaunchResult result = runOk(*program, launch, memory, sanitize);
  for (const Finding &finding : result.findings)
    ADD_FAILURE() << finding.kind << " " << finding.line << " "
                  << finding.otherLine << ": " << finding.message;
}

TEST_F(Gemm, Wmma) {
  HalfProblem problem(48, 48, 48);
  Array<uint16_t> a(memory, problem.a), b(memory, problem.b);
  Array<float> c(memory, std::vector<float>(48 * 48));
  int n = 48;
  runOk(*program, makeLaunch("gemm_wmma", {3, 3, 1}, {32, 1, 1}, a, b, c, n),
        memory);
  c.fetch();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      ASSERT_NEAR(c.host[size_t(i * n + j)], problem.at(i, j), 1e-4);
}

TEST(LlvmBackend, Mixture) {
  auto program = parse(corpus("llvm.ptx"));
  ASSERT_TRUE(program);
  Memory memory;
  int n = 50;
  Array<float> in(memory, uniform(128 + 4 * 128, 3)),
      out(memory, std::vector<float>(128));
  Options options;
  options.sanitize = true;
  LaunchResult result =
      runOk(*program, makeLaunch("mixture", {1, 1, 1}, {128, 1, 1}, out, in, n),
            memory, options);
  EXPECT_TRUE(result.findings.empty());
  out.fetch();
  for (int t = 0; t < 128; ++t) {
    const float *x = in.host.data();
    float v = x[t ^ 1];
    if (t < n) {
      float sum = 0;
      for (int i = 0; i < (t & 7); ++i)
        sum += v * float((i * 7) & 15);
      v = sum;
    } else {
      float cases[] = {1.0f,
                       v * 2,
                       std::sqrt(std::fabs(v)),
                       v - x[0],
                       std::fabs(v),
                       v / 3.0f,
                       float(long(v * 100)),
                       float(long(v * 100))};
      v = cases[t & 7];
    }
    const float *q = x + 128 + 4 * t;
    float product = q[1] * q[2];
    v += q[0] + product - q[3];
    double h = doubleFromHalf(halfFromDouble(v));
    h = doubleFromHalf(halfFromDouble(h * h));
    h = doubleFromHalf(halfFromDouble(h + 1.5));
    ASSERT_EQ(out.host[size_t(t)], v + float(h)) << t;
  }
}

} // namespace
