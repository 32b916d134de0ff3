//===- Shared.cu - Shared memory: bandwidth, latency, bank conflicts --------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.cuh"
#include <string>

constexpr int rounds = 1024;

/// Every warp reads 16 bytes per lane without conflicts, from 8 places in turn.
__global__ void bandwidthKernel(unsigned *sink, long long *cycles) {
  extern __shared__ uint4 data[];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x)
    data[i] = make_uint4(i, i, i, i);
  __syncthreads();
  unsigned sum = 0;
  unsigned address = unsigned(__cvta_generic_to_shared(data)) + threadIdx.x % 256 * 16;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      uint4 v;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(address + j * 3584));
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = clock64() - begin;
  if (sum == 0x12345678u)
    *sink = sum;
}

/// One lane follows pointers.
__global__ void latencyKernel(unsigned *sink, long long *cycles) {
  __shared__ unsigned next[256];
  unsigned base = unsigned(__cvta_generic_to_shared(next));
  for (int i = threadIdx.x; i < 256; i += 32)
    next[i] = base + (i + 33) % 256 * 4;
  __syncwarp();
  unsigned at = base;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
  long long end = clock64();
  if (threadIdx.x == 0)
    *cycles = end - begin;
  *sink = at;
}

/// One warp, 4-byte loads with a stride in words: stride s has s-way conflicts
/// for powers of two.
__global__ void conflictKernel(int stride, unsigned *sink, long long *cycles) {
  __shared__ unsigned data[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += 32)
    data[i] = 0;
  __syncwarp();
  unsigned at = unsigned(__cvta_generic_to_shared(data)) + threadIdx.x * stride % 1024 * 4;
  unsigned value = 0;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    asm volatile("{ .reg .u32 t; add.u32 t, %1, %0; ld.shared.u32 %0, [t]; }"
                 : "+r"(value)
                 : "r"(at));
  long long end = clock64();
  if (threadIdx.x == 0)
    *cycles = end - begin;
  *sink = value;
}

/// ldmatrix.x4 of rows that lie 16 bytes apart, i.e. without conflicts.
__global__ void ldmatrixKernel(unsigned *sink, long long *cycles) {
  extern __shared__ uint4 data[];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x)
    data[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  unsigned address = unsigned(__cvta_generic_to_shared(data)) + threadIdx.x % 512 * 16;
  unsigned sum = 0;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      unsigned a, b, c, d;
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
          : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
          : "r"(address + j * 4096));
      sum += a ^ b ^ c ^ d;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = clock64() - begin;
  if (sum == 0x12345678u)
    *sink = sum;
}

int main() {
  unsigned *sink;
  long long *cycles, result;
  CHECK(cudaMalloc(&sink, 4));
  CHECK(cudaMalloc(&cycles, 8));
  auto read = [&] {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    return double(result);
  };
  for (int warps : {4, 8, 16, 32}) {
    bandwidthKernel<<<1, warps * 32, 32768>>>(sink, cycles);
    double bytes = double(warps) * 512 * 8 * rounds;
    report(("shared_bandwidth_" + std::to_string(warps) + "_warps").c_str(),
           bytes / read(), "bytes/cycle/SM");
    ldmatrixKernel<<<1, warps * 32, 32768>>>(sink, cycles);
    bytes = double(warps) * 512 * 4 * rounds;
    report(("ldmatrix_bandwidth_" + std::to_string(warps) + "_warps").c_str(),
           bytes / read(), "bytes/cycle/SM");
  }
  latencyKernel<<<1, 32>>>(sink, cycles);
  report("shared_latency", read() / rounds, "cycles");
  for (int stride : {1, 2, 4, 8, 16, 32}) {
    conflictKernel<<<1, 32>>>(stride, sink, cycles);
    report(("shared_latency_stride_" + std::to_string(stride)).c_str(),
           read() / rounds, "cycles");
  }
}
