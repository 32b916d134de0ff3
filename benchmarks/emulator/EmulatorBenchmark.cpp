//===- EmulatorBenchmark.cpp - Speed of the emulator on one core ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multiply-adds per second through mma.sync in a pipelined product, lane
// instructions per second (warp instructions times 32) of ordinary code, and
// what the sanitizers cost: `ratio` is the median over pairs of launches, one
// with and one without, of the quotients of their CPU times per instruction.
// (Threads that poll do so more or less often in the order in which blocks run
// with sanitizers; all other launches have the same instructions in both.)
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Emulator.h"

#include "SanitizerLoops.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>

using namespace fusion::emulator;

namespace {

std::unique_ptr<Program> parseOrDie(const std::string &text) {
  Error error;
  auto program = Program::parse(text, error);
  if (!program) {
    std::fprintf(stderr, "line %u: %s\n", error.line, error.message.c_str());
    std::exit(1);
  }
  return program;
}

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

template <class T> std::vector<uint8_t> bytesOf(T value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// A launch that can be repeated.
struct Workload {
  std::unique_ptr<Program> program;
  Memory memory;
  Launch launch;

  explicit Workload(const std::string &text) : program(parseOrDie(text)) {}
  /// A kernel of the corpus.
  Workload(const char *file, const char *kernel, std::array<uint32_t, 3> grid,
           std::array<uint32_t, 3> block, uint32_t cluster = 1,
           uint32_t shared = 0)
      : Workload(readFile(std::string(FUSION_EMULATOR_CORPUS) + "/" + file)) {
    launch.kernel = kernel;
    launch.grid = grid;
    launch.block = block;
    launch.cluster = {cluster, 1, 1};
    launch.dynamicSharedMemory = shared;
  }
  template <class T> void buffer(const std::vector<T> &data) {
    uint64_t address = memory.allocate(data.size() * sizeof(T));
    memory.write(address, data.data(), data.size() * sizeof(T));
    launch.parameters.push_back(bytesOf(address));
  }
  /// Small positive numbers: integers, or subnormal ones of type f32.
  void numbers(size_t elements) {
    std::vector<uint32_t> data(elements);
    for (size_t i = 0; i < elements; ++i)
      data[i] = uint32_t(i % 1000 + 1);
    buffer(data);
  }
  void scalar(int value) { launch.parameters.push_back(bytesOf(value)); }
  /// A matrix of ones of type f16, rows of `columns`, in boxes of 64 columns.
  void halfMap(uint64_t columns, uint64_t rows, uint32_t boxRows) {
    std::vector<uint16_t> ones(columns * rows, 0x3c00);
    TensorMapInfo info;
    info.type = TensorMapType::F16;
    info.address = memory.allocate(ones.size() * 2);
    memory.write(info.address, ones.data(), ones.size() * 2);
    info.dims = {columns, rows};
    info.strides = {columns * 2};
    info.box = {64, boxRows};
    info.swizzleBytes = 128;
    std::string message;
    auto map = encodeTensorMap(info, message);
    if (!map) {
      std::fprintf(stderr, "%s\n", message.c_str());
      std::exit(1);
    }
    launch.parameters.emplace_back(map->begin(), map->end());
  }
};

using Size = std::array<uint32_t, 3>;
using Make = std::unique_ptr<Workload> (*)();

template <int N> std::unique_ptr<Workload> gemm() {
  auto w = std::make_unique<Workload>(
      "gemm.ptx", "gemm_tensor", Size{N / 64, N / 64, 1}, Size{128, 1, 1}, 1u,
      uint32_t(3 * (64 * 32 + 32 * 64) * 2));
  for (int i = 0; i < 2; ++i)
    w->buffer(std::vector<uint16_t>(size_t(N) * N, 0x3c00));
  w->buffer(std::vector<float>(size_t(N) * N));
  for (int i = 0; i < 3; ++i)
    w->scalar(N);
  return w;
}

std::unique_ptr<Workload> gemmTiled() {
  auto w = std::make_unique<Workload>("gemm.ptx", "gemm_tiled", Size{16, 16, 1},
                                      Size{16, 16, 1});
  for (int i = 0; i < 3; ++i)
    w->numbers(256 * 256);
  w->scalar(256);
  return w;
}

std::unique_ptr<Workload> softmax() {
  auto w = std::make_unique<Workload>("basics.ptx", "softmax_rows",
                                      Size{64, 1, 1}, Size{256, 1, 1});
  for (int i = 0; i < 2; ++i)
    w->numbers(512 * 1024);
  w->scalar(1024);
  return w;
}

std::unique_ptr<Workload> vectorAdd() {
  auto w = std::make_unique<Workload>("basics.ptx", "vector_add",
                                      Size{4096, 1, 1}, Size{256, 1, 1});
  for (int i = 0; i < 3; ++i)
    w->numbers(1 << 20);
  w->scalar(1 << 20);
  return w;
}

std::unique_ptr<Workload> transpose() {
  auto w = std::make_unique<Workload>("basics.ptx", "transpose",
                                      Size{32, 32, 1}, Size{32, 8, 1});
  for (int i = 0; i < 2; ++i)
    w->numbers(1 << 20);
  w->scalar(1024);
  return w;
}

/// Atomics on shared memory, then on global memory.
std::unique_ptr<Workload> histogram() {
  auto w = std::make_unique<Workload>("basics.ptx", "histogram", Size{64, 1, 1},
                                      Size{256, 1, 1});
  std::vector<uint8_t> data(1 << 20);
  uint32_t random = 1;
  for (uint8_t &value : data) {
    random = random * 1664525 + 1013904223;
    value = uint8_t(random >> 24);
  }
  w->buffer(data);
  w->buffer(std::vector<uint32_t>(256));
  w->scalar(1 << 20);
  return w;
}

/// cp.async in three stages.
std::unique_ptr<Workload> pipeline() {
  constexpr int kTiles = 128, kColumns = 1024;
  auto w = std::make_unique<Workload>("pipelines.ptx", "pipeline_3_stages",
                                      Size{kColumns / 32, 1, 1}, Size{64, 1, 1},
                                      1u, uint32_t(3 * 1024));
  w->numbers(size_t(kTiles) * 8 * kColumns);
  w->numbers(kColumns);
  w->scalar(kTiles);
  w->scalar(kColumns);
  return w;
}

std::unique_ptr<Workload> collatz() {
  auto w = std::make_unique<Workload>("basics.ptx", "collatz", Size{256, 1, 1},
                                      Size{256, 1, 1});
  for (int i = 0; i < 2; ++i)
    w->numbers(1 << 16);
  w->scalar(1 << 16);
  return w;
}

/// Reads of shared memory wherever the words read before say.
std::unique_ptr<Workload> gather() {
  auto w = std::make_unique<Workload>(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{
  .reg .b64 %in, %at;
  .reg .b32 %t, %s, %v, %i;
  .reg .pred %p;
  .shared .align 4 .b8 words[1024];
  ld.param.u64 %in, [in];
  ld.param.u32 %i, [n];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, 4;
  add.s64 %at, %at, %in;
  ld.global.u32 %v, [%at];
  mov.u32 %s, words;
  shl.b32 %t, %t, 2;
  add.u32 %t, %t, %s;
  st.shared.u32 [%t], %v;
  bar.sync 0;
L:
  mad.lo.u32 %v, %v, 5, %i;
  and.b32 %v, %v, 255;
  shl.b32 %v, %v, 2;
  add.u32 %v, %v, %s;
  ld.shared.u32 %v, [%v];
  sub.s32 %i, %i, 1;
  setp.ne.s32 %p, %i, 0;
  @%p bra L;
  ret;
}
)");
  w->launch.kernel = "k";
  w->launch.grid = {16, 1, 1};
  w->launch.block = {256, 1, 1};
  w->numbers(256);
  w->scalar(1000);
  return w;
}

/// A ring of four blocks that store into one another's shared memory and meet
/// at mbarriers and barrier.cluster.
std::unique_ptr<Workload> clusterRing() {
  auto w = std::make_unique<Workload>("hopper_clusters.ptx", "cluster_ring",
                                      Size{16, 1, 1}, Size{32, 1, 1}, 4u);
  for (int i = 0; i < 2; ++i)
    w->numbers(16 * 32);
  w->scalar(64);
  return w;
}

/// Atomics on the shared memory of both blocks of a cluster.
std::unique_ptr<Workload> clusterHistogram() {
  auto w =
      std::make_unique<Workload>("hopper_clusters.ptx", "cluster_histogram",
                                 Size{16, 1, 1}, Size{256, 1, 1}, 2u, 2048u);
  w->numbers(1 << 16);
  w->numbers(1024);
  w->scalar(1 << 16);
  w->scalar(512);
  return w;
}

/// TMA copies into the shared memory of both blocks.
std::unique_ptr<Workload> clusterMulticast() {
  auto w =
      std::make_unique<Workload>("hopper_clusters.ptx", "cluster_multicast",
                                 Size{16, 1, 1}, Size{128, 1, 1}, 2u);
  w->numbers(8 * 64 * 128);
  w->numbers(16 * 128);
  w->scalar(64);
  return w;
}

/// Tensor copies by a warp of its own, multicast, and wgmma.
std::unique_ptr<Workload> hopperGemm() {
  constexpr int kM = 256, kN = 512, kK = 1024;
  auto w = std::make_unique<Workload>("hopper_gemm.ptx", "hopper_gemm",
                                      Size{kN / 64, kM / 64, 1},
                                      Size{160, 1, 1}, 2u, 49200u);
  w->halfMap(kK, kM, 32);
  w->halfMap(kK, kN, 64);
  w->numbers(size_t(kM) * kN);
  w->scalar(kN);
  w->scalar(kK);
  return w;
}

/// A loop over wgmma.m64n256 from shared memory, four to a group.
std::unique_ptr<Workload> warpgroups(const char *type, unsigned majorB) {
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
  auto w = std::make_unique<Workload>(text.str());
  w->launch.kernel = "k";
  w->launch.block = {128, 1, 1};
  w->scalar(64);
  return w;
}

/// The counters of one launch; none after an error, which `state` then has.
std::optional<Counters> launch(benchmark::State &state, Workload &workload,
                               bool sanitize) {
  Options options;
  options.threads = 1;
  options.sanitize = sanitize;
  LaunchResult result =
      run(*workload.program, workload.launch, workload.memory, options);
  if (result.error || !result.findings.empty()) {
    state.SkipWithError(result.error ? result.error->message.c_str()
                                     : result.findings[0].message.c_str());
    return std::nullopt;
  }
  return result.counters;
}

void speed(benchmark::State &state, Workload &workload) {
  double products = 0, instructions = 0;
  for (auto _ : state) {
    auto counters = launch(state, workload, false);
    if (!counters)
      return;
    products += double(counters->mmaFlops) / 2;
    instructions += double(counters->instructions) * 32;
  }
  auto rate = [&](const char *name, double count) {
    if (count)
      state.counters[name] =
          benchmark::Counter(count, benchmark::Counter::kIsRate);
  };
  rate("multiply_adds", products);
  rate("lane_instructions", instructions);
}

double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// An iteration is a pair of launches, so that what else the machine does
/// slows both.
template <class Maker>
void sanitizers(benchmark::State &state, const Maker &make) {
  std::unique_ptr<Workload> workload = make();
  std::vector<double> plain, sanitized, ratios;
  for (auto _ : state) {
    double begin = cpuSeconds();
    auto before = launch(state, *workload, false);
    if (!before)
      return;
    double between = cpuSeconds();
    auto after = launch(state, *workload, true);
    if (!after)
      return;
    double end = cpuSeconds();
    plain.push_back((between - begin) * 1e3);
    sanitized.push_back((end - between) * 1e3);
    ratios.push_back((end - between) / (between - begin) *
                     double(before->instructions) /
                     double(after->instructions));
  }
  state.counters["plain_ms"] = median(plain);
  state.counters["sanitized_ms"] = median(sanitized);
  state.counters["ratio"] = median(ratios);
}

std::unique_ptr<Workload> makeLoop(const SanitizerLoop &loop) {
  auto w = std::make_unique<Workload>(textOf(loop));
  w->launch.kernel = "k";
  w->launch.grid = {loop.blocks, 1, 1};
  w->launch.block = {loop.threads, 1, 1};
  w->launch.cluster = {loop.cluster, 1, 1};
  w->buffer(std::vector<uint32_t>(1 << 20));
  w->scalar(int(loop.rounds));
  return w;
}

void parsing(benchmark::State &state) {
  std::string text =
      readFile(std::string(FUSION_EMULATOR_CORPUS) + "/gemm.ptx");
  for (auto _ : state) {
    Error error;
    benchmark::DoNotOptimize(Program::parse(text, error));
  }
  state.SetBytesProcessed(int64_t(state.iterations()) * int64_t(text.size()));
}

} // namespace

int main(int argc, char **argv) {
  const std::pair<const char *, Make> kernels[] = {
      {"gemm", gemm<256>},
      {"gemm_tiled", gemmTiled},
      {"softmax", softmax},
      {"vector_add", vectorAdd},
      {"transpose", transpose},
      {"histogram", histogram},
      {"cp_async", pipeline},
      {"gemm_512", gemm<512>},
      {"collatz_divergent", collatz},
      {"shared_gather", gather},
      {"cluster_ring", clusterRing},
      {"cluster_histogram", clusterHistogram},
      {"cluster_multicast", clusterMulticast},
      {"hopper_gemm", hopperGemm}};
  auto add = [](const std::string &name, auto function) {
    benchmark::RegisterBenchmark(name.c_str(), function)
        ->Unit(benchmark::kMillisecond);
  };
  for (auto [name, make] : kernels)
    add(std::string("speed/") + name,
        [make = make](benchmark::State &state) { speed(state, *make()); });
  for (auto [name, type, majorB] :
       {std::tuple("f16", "f16", 0u), std::tuple("f16_mn_major", "f16", 1u),
        std::tuple("bf16", "bf16", 0u), std::tuple("e4m3", "e4m3", 0u)})
    add(std::string("speed/wgmma_") + name,
        [type = type, majorB = majorB](benchmark::State &state) {
          speed(state, *warpgroups(type, majorB));
        });
  for (auto [name, make] : kernels)
    add(std::string("sanitizers/") + name,
        [make = make](benchmark::State &state) { sanitizers(state, make); });
  for (const SanitizerLoop &loop : kSanitizerLoops)
    add(std::string("sanitizers/loop/") + loop.name,
        [&loop](benchmark::State &state) {
          sanitizers(state, [&] { return makeLoop(loop); });
        });
  add("parsing", parsing);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  // Debian builds the benchmark library without NDEBUG, so that it calls
  // itself a debug build. What is measured is this:
  benchmark::AddCustomContext("emulator_build_type", FUSION_BUILD_TYPE);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
