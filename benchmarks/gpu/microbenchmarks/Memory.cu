//===- Memory.cu - Bandwidth and latency of DRAM and L2 ---------------------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bandwidth: all SMs read (or write) a buffer again and again with 16-byte
// accesses; one that fits L2 gives L2's, one of many times L2 gives DRAM's.
// Latency: one thread follows a random cycle of pointers through a buffer.
//
//===----------------------------------------------------------------------===//

#include "Common.cuh"
#include <numeric>
#include <random>
#include <string>

__global__ void readKernel(const uint4 *data, size_t count, int rounds,
                           unsigned *sink) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 8
    for (size_t i = first; i < count; i += stride) {
      // Past L1, whose hits would be counted as L2's.
      uint4 v = __ldcg(data + i);
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  // Never true; keeps the loads.
  if (sum == 0x12345678u)
    *sink = sum;
}

__global__ void writeKernel(uint4 *data, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    data[i] = make_uint4(i, i, i, i);
}

__global__ void copyKernel(const uint4 *from, uint4 *to, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    to[i] = __ldcg(from + i);
}

__global__ void chaseKernel(const unsigned *next, int steps, long long *cycles,
                            unsigned *sink) {
  unsigned at = 0;
  // Once around without the clock: into the cache, where it fits.
  for (int i = 0; i < steps; ++i)
    at = __ldcg(next + at);
  long long begin = clock64();
  for (int i = 0; i < steps; ++i)
    at = __ldcg(next + at);
  *cycles = clock64() - begin;
  *sink = at;
}

static double latencyCycles(size_t bytes) {
  // One pointer per 128-byte line, in a random cycle.
  size_t lines = bytes / 128;
  std::vector<unsigned> order(lines), next(lines * 32, 0);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (size_t i = 0; i < lines; ++i)
    next[size_t(order[i]) * 32] = order[(i + 1) % lines] * 32;
  unsigned *device, *sink;
  long long *cycles, result;
  CHECK(cudaMalloc(&device, next.size() * 4));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMalloc(&cycles, 8));
  CHECK(cudaMemcpy(device, next.data(), next.size() * 4, cudaMemcpyDefault));
  int steps = int(std::min<size_t>(lines, 1 << 15));
  chaseKernel<<<1, 1>>>(device, steps, cycles, sink);
  CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
  CHECK(cudaFree(device));
  CHECK(cudaFree(sink));
  CHECK(cudaFree(cycles));
  return double(result) / steps;
}

int main() {
  cudaDeviceProp p = deviceProperties();
  size_t large = size_t(2) << 30;
  uint4 *a, *b;
  unsigned *sink;
  CHECK(cudaMalloc(&a, large));
  CHECK(cudaMalloc(&b, large));
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMemset(a, 0, large));
  int blocks = p.multiProcessorCount * 8, threads = 256;
  size_t count = large / 16;

  double us = timeLaunches(
      [&] { readKernel<<<blocks, threads>>>(a, count, 1, sink); }, 3);
  report("dram_read_bandwidth", large / us * 1e-3, "GB/s");
  us = timeLaunches([&] { writeKernel<<<blocks, threads>>>(a, count); }, 3);
  report("dram_write_bandwidth", large / us * 1e-3, "GB/s");
  us = timeLaunches([&] { copyKernel<<<blocks, threads>>>(a, b, count); }, 3);
  report("dram_copy_bandwidth", 2.0 * large / us * 1e-3, "GB/s");

  // Sizes from a sixteenth of L2 to its double show where it ends.
  for (int sixteenths : {1, 2, 4, 8, 12, 16, 32}) {
    size_t bytes = size_t(p.l2CacheSize) * sixteenths / 16 / 4096 * 4096;
    if (bytes == 0 || bytes > large)
      continue;
    int rounds = int(std::max<size_t>(4, (size_t(1) << 30) / bytes));
    us = timeLaunches(
        [&] { readKernel<<<blocks, threads>>>(a, bytes / 16, rounds, sink); },
        2);
    std::string name =
        "l2_read_bandwidth_" + std::to_string(sixteenths) + "_16ths";
    report(name.c_str(), double(bytes) * rounds / us * 1e-3, "GB/s");
  }
  report("l2_latency", latencyCycles(std::min<size_t>(p.l2CacheSize / 8, 4 << 20)),
         "cycles");
  report("dram_latency", latencyCycles(size_t(1) << 30), "cycles");
}
