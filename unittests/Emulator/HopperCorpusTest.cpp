//===- HopperCorpusTest.cpp - Kernels of sm_90a, compiled by nvcc ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Reference.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

struct HopperGemm {
  static constexpr unsigned m = 128, n = 256, k = 320;
  std::unique_ptr<Program> program = parse(corpus("hopper_gemm.ptx"));
  std::vector<uint16_t> a, b;
  std::vector<float> expected;

  HopperGemm() {
    auto fill = [](std::vector<uint16_t> &matrix, size_t size, unsigned seed) {
      for (float value : uniform(size, seed))
        matrix.push_back(uint16_t(halfFromDouble(value)));
    };
    fill(a, m * k, 1);
    fill(b, n * k, 2);
    expected.resize(m * n);
    for (unsigned i = 0; i < m; ++i)
      for (unsigned j = 0; j < n; ++j) {
        double sum = 0;
        for (unsigned p = 0; p < k; ++p)
          sum += doubleFromHalf(a[i * k + p]) * doubleFromHalf(b[j * k + p]);
        expected[i * n + j] = float(sum);
      }
  }

  LaunchResult run(const Options &options, std::vector<float> &result) {
    Memory memory;
    Array<uint16_t> deviceA(memory, a), deviceB(memory, b);
    Array<float> c(memory, m * n);
    auto map = [&](uint64_t address, unsigned rows, unsigned box) {
      TensorMapInfo info;
      info.type = TensorMapType::F16;
      info.address = address;
      info.dims = {k, rows};
      info.strides = {k * 2};
      info.box = {64, box};
      info.swizzleBytes = 128;
      std::string message;
      auto bytes = encodeTensorMap(info, message);
      EXPECT_TRUE(bytes) << message;
      return *bytes;
    };
    Launch launch = makeLaunch("hopper_gemm", {n / 64, m / 64, 1}, {160, 1, 1},
                               map(deviceA.address, m, 32),
                               map(deviceB.address, n, 64), c, int(n), int(k));
    launch.dynamicSharedMemory = 3 * 2 * 8192 + 6 * 8;
    LaunchResult outcome = runOk(*program, launch, memory, options);
    result = c.fetch();
    return outcome;
  }
};

TEST(HopperCorpus, WarpSpecialisedGemm) {
  HopperGemm gemm;
  ASSERT_TRUE(gemm.program);
  std::vector<float> first;
  Counters counters;
  for (uint64_t seed : {0, 1, 2, 3})
    for (bool sanitize : {false, true}) {
      Options options;
      options.seed = seed;
      options.sanitize = sanitize;
      options.threads = 1 + unsigned(seed);
      std::vector<float> result;
      LaunchResult outcome = gemm.run(options, result);
      for (const Finding &finding : outcome.findings)
        ADD_FAILURE() << finding.kind << " line " << finding.line << " ("
                      << finding.otherLine << "): " << finding.message;
      for (size_t i = 0; i < result.size(); ++i)
        ASSERT_NEAR(result[i], gemm.expected[i], 1e-4) << i;
      if (first.empty()) {
        first = result;
        counters = outcome.counters;
      }
      EXPECT_EQ(result, first);
      EXPECT_EQ(outcome.counters.globalLoadBytes, counters.globalLoadBytes);
      EXPECT_EQ(outcome.counters.mmaFlops, 2ull * gemm.m * gemm.n * gemm.k);
    }
  // A block loads a tile of B and half a tile of A.
  EXPECT_EQ(counters.globalLoadBytes,
            uint64_t(gemm.m / 64) * (gemm.n / 64) * (gemm.k / 64) * 12288);
}

/// The same counters on one and on many host threads.
TEST(HopperCorpus, CountersDoNotDependOnThreads) {
  HopperGemm gemm;
  ASSERT_TRUE(gemm.program);
  Counters first;
  for (unsigned threads : {1, 2, 5}) {
    Options options;
    options.threads = threads;
    options.l2Bytes = 1 << 16;
    std::vector<float> result;
    Counters counters = gemm.run(options, result).counters;
    if (threads == 1)
      first = counters;
    EXPECT_TRUE(counters == first) << threads;
    EXPECT_GT(counters.dramBytes, 0u);
  }
}

/// Without one of its waits or expectations the kernel is wrong or stuck.
TEST(HopperCorpus, MissingSynchronisationShows) {
  HopperGemm gemm;
  ASSERT_TRUE(gemm.program);
  std::string text = corpus("hopper_gemm.ptx");
  for (const char *part :
       {"mbarrier.arrive.expect_tx", "wgmma.wait_group", "wgmma.commit_group",
        "mbarrier.arrive.release.cluster"}) {
    std::string mutant = text;
    size_t at = mutant.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    mutant.insert(at, "//");
    gemm.program = parse(mutant);
    ASSERT_TRUE(gemm.program) << part;
    Memory memory;
    Array<uint16_t> a(memory, gemm.a), b(memory, gemm.b);
    Array<float> c(memory, gemm.m * gemm.n);
    TensorMapInfo info;
    info.type = TensorMapType::F16;
    info.strides = {gemm.k * 2};
    info.swizzleBytes = 128;
    std::string message;
    info.address = a.address;
    info.dims = {gemm.k, gemm.m};
    info.box = {64, 32};
    auto mapA = encodeTensorMap(info, message);
    info.address = b.address;
    info.dims = {gemm.k, gemm.n};
    info.box = {64, 64};
    auto mapB = encodeTensorMap(info, message);
    Launch launch =
        makeLaunch("hopper_gemm", {gemm.n / 64, gemm.m / 64, 1}, {160, 1, 1},
                   *mapA, *mapB, c, int(gemm.n), int(gemm.k));
    launch.dynamicSharedMemory = 3 * 2 * 8192 + 6 * 8;
    LaunchResult result = run(*gemm.program, launch, memory);
    if (result.error)
      continue; // deadlock, or too many arrivals
    bool wrong = false;
    c.fetch();
    for (size_t i = 0; i < gemm.expected.size(); ++i)
      wrong |= !(std::abs(c.host[i] - gemm.expected[i]) < 1e-2f);
    EXPECT_TRUE(wrong) << part;
  }
}

} // namespace
