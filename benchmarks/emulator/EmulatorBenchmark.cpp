//===- EmulatorBenchmark.cpp - Speed of the emulator on one core ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiply-adds per second through mma.sync in a pipelined product, and lane
// instructions per second (warp instructions times 32) of ordinary code.
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Emulator.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace fusion::emulator;

static std::unique_ptr<Program> parseOrDie(const std::string &text) {
  Error error;
  auto program = Program::parse(text, error);
  if (!program) {
    std::fprintf(stderr, "line %u: %s\n", error.line, error.message.c_str());
    std::exit(1);
  }
  return program;
}

static std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

template <class T> static std::vector<uint8_t> bytesOf(T value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

static void tensorCores(benchmark::State &state) {
  auto program =
      parseOrDie(readFile(std::string(FUSION_EMULATOR_CORPUS) + "/gemm.ptx"));
  Memory memory;
  int n = int(state.range(0));
  size_t elements = size_t(n) * size_t(n);
  std::vector<uint16_t> ones(elements, 0x3c00);
  uint64_t a = memory.allocate(elements * 2), b = memory.allocate(elements * 2),
           c = memory.allocate(elements * 4);
  memory.write(a, ones.data(), elements * 2);
  memory.write(b, ones.data(), elements * 2);
  Launch launch;
  launch.kernel = "gemm_tensor";
  launch.grid = {uint32_t(n) / 64, uint32_t(n) / 64, 1};
  launch.block = {128, 1, 1};
  launch.dynamicSharedMemory = 3 * (64 * 32 + 32 * 64) * 2;
  launch.parameters = {bytesOf(a), bytesOf(b), bytesOf(c),
                       bytesOf(n), bytesOf(n), bytesOf(n)};
  Options options;
  options.threads = 1;
  options.sanitize = state.range(1);
  double products = 0, instructions = 0;
  for (auto _ : state) {
    LaunchResult result = run(*program, launch, memory, options);
    if (result.error) {
      state.SkipWithError(result.error->message.c_str());
      return;
    }
    products += double(result.counters.mmaFlops) / 2;
    instructions += double(result.counters.instructions) * 32;
  }
  state.counters["multiply_adds"] =
      benchmark::Counter(products, benchmark::Counter::kIsRate);
  state.counters["lane_instructions"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}
BENCHMARK(tensorCores)
    ->Args({512, 0})
    ->Args({256, 1})
    ->Unit(benchmark::kMillisecond);

/// A loop over wgmma.m64n256k16 from shared memory, four to a group.
static void warpgroups(benchmark::State &state, const char *type,
                       unsigned majorB) {
  std::ostringstream text;
  unsigned k = std::string(type) == "e4m3" ? 32 : 16;
  text << ".version 8.6\n.target sm_90a\n.address_size 64\n"
       << ".visible .entry k(.param .u32 n)\n{\n.reg .f32 %f<128>;\n"
       << ".reg .b64 %a, %b;\n.reg .b32 %n;\n.reg .pred %p;\n"
       << ".shared .align 1024 .b8 s[49152];\nmov.u32 %n, s;\nld.param.u32 %n, "
          "[n];\n"
       << "mov.u64 %a, 0x4000004000000000;\n"
       << "mov.u64 %b, 0x4000004002000200;\n";
  for (unsigned i = 0; i < 128; ++i)
    text << "mov.f32 %f" << i << ", 0f00000000;\n";
  text << "setp.eq.s32 %p, %n, %n;\nL:\nwgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < 4; ++step) {
    text << "wgmma.mma_async.sync.aligned.m64n256k" << k << ".f32." << type
         << "." << type << " {";
    for (unsigned i = 0; i < 128; ++i)
      text << (i ? ", %f" : "%f") << i;
    text << "}, %a, %b, %p, 1, 1" << (k == 16 ? ", 0, " : "")
         << (k == 16 ? std::to_string(majorB) : "") << ";\n";
  }
  text << "wgmma.commit_group.sync.aligned;\n"
       << "wgmma.wait_group.sync.aligned 0;\n"
       << "sub.s32 %n, %n, 1;\nsetp.ne.s32 %p, %n, 0;\n@%p bra L;\nret;\n}\n";
  auto program = parseOrDie(text.str());
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  launch.block = {128, 1, 1};
  launch.parameters = {bytesOf(uint32_t(64))};
  Options options;
  options.threads = 1;
  double products = 0;
  for (auto _ : state) {
    LaunchResult result = run(*program, launch, memory, options);
    if (result.error) {
      state.SkipWithError(result.error->message.c_str());
      return;
    }
    products += double(result.counters.mmaFlops) / 2;
  }
  state.counters["multiply_adds"] =
      benchmark::Counter(products, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(warpgroups, f16, "f16", 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warpgroups, f16_mn_major, "f16", 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warpgroups, bf16, "bf16", 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(warpgroups, e4m3, "e4m3", 0)->Unit(benchmark::kMillisecond);

static void corpusKernel(benchmark::State &state, const char *kernel, int size,
                         std::array<uint32_t, 3> grid,
                         std::array<uint32_t, 3> block, bool sanitize) {
  auto program = parseOrDie(readFile(
      std::string(FUSION_EMULATOR_CORPUS) + "/" +
      (std::string(kernel) == "gemm_tiled" ? "gemm.ptx" : "basics.ptx")));
  Memory memory;
  size_t elements = 1 << 20;
  std::vector<float> data(elements);
  for (size_t i = 0; i < elements; ++i) {
    uint32_t v = uint32_t(i % 1000 + 1);
    std::memcpy(&data[i], &v, 4);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  size_t count = program->parameters(kernel)->size();
  for (size_t i = 0; i + 1 < count; ++i) {
    uint64_t address = memory.allocate(elements * 4);
    memory.write(address, data.data(), elements * 4);
    launch.parameters.push_back(bytesOf(address));
  }
  launch.parameters.push_back(bytesOf(size));
  Options options;
  options.threads = 1;
  options.sanitize = sanitize;
  double instructions = 0;
  for (auto _ : state) {
    LaunchResult result = run(*program, launch, memory, options);
    if (result.error) {
      state.SkipWithError(result.error->message.c_str());
      return;
    }
    instructions += double(result.counters.instructions) * 32;
  }
  state.counters["lane_instructions"] =
      benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(corpusKernel, gemm_tiled, "gemm_tiled", 256, {16, 16, 1},
                  {16, 16, 1}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, gemm_tiled_sanitized, "gemm_tiled", 256,
                  {16, 16, 1}, {16, 16, 1}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, softmax, "softmax_rows", 1024, {64, 1, 1},
                  {256, 1, 1}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, softmax_sanitized, "softmax_rows", 1024,
                  {64, 1, 1}, {256, 1, 1}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, vector_add, "vector_add", 1 << 20, {4096, 1, 1},
                  {256, 1, 1}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, vector_add_sanitized, "vector_add", 1 << 20,
                  {4096, 1, 1}, {256, 1, 1}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, transpose, "transpose", 1024, {32, 32, 1},
                  {32, 8, 1}, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, transpose_sanitized, "transpose", 1024,
                  {32, 32, 1}, {32, 8, 1}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(corpusKernel, collatz_divergent, "collatz", 1 << 16,
                  {256, 1, 1}, {256, 1, 1}, false)
    ->Unit(benchmark::kMillisecond);

static void parsing(benchmark::State &state) {
  std::string text =
      readFile(std::string(FUSION_EMULATOR_CORPUS) + "/gemm.ptx");
  for (auto _ : state) {
    Error error;
    benchmark::DoNotOptimize(Program::parse(text, error));
  }
  state.SetBytesProcessed(int64_t(state.iterations()) * int64_t(text.size()));
}
BENCHMARK(parsing)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
