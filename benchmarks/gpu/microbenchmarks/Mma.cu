//===- Mma.cu - Rate and latency of mma.sync by shape and type --------------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp has several independent accumulators, so that the tensor cores are
// full; the latency is that of one dependent chain. Operands are zero: what a
// multiplication costs does not depend on them except through the power limit,
// and the chip table wants the rate that the machine is able of.
//
//===----------------------------------------------------------------------===//

#include "Common.cuh"
#include <string>

constexpr int rounds = 512;
constexpr int chains = 8;

// All of these have four registers of A, two of B and four of accumulators per
// lane; f32 accumulators need another constraint than s32 ones.
#define INTEGER_MMA(NAME, M, N, K, SHAPE_AND_TYPES)                                \
  struct NAME {                                                                \
    static constexpr int m = M, n = N, k = K;                                  \
    static constexpr const char *name = #NAME;                                 \
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4],       \
                               const unsigned (&b)[2]) {                       \
      asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                         \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "           \
                   "{%0, %1, %2, %3};"                                         \
                   : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),    \
                     "r"(b[1]));                                               \
    }                                                                          \
  }

#define REAL_MMA(NAME, M, N, K, SHAPE_AND_TYPES)                               \
  struct NAME {                                                                \
    static constexpr int m = M, n = N, k = K;                                  \
    static constexpr const char *name = #NAME;                                 \
    static __device__ void run(unsigned (&c)[4], const unsigned (&a)[4],       \
                               const unsigned (&b)[2]) {                       \
      float *f = reinterpret_cast<float *>(c);                                 \
      asm volatile("mma.sync.aligned." SHAPE_AND_TYPES                         \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "           \
                   "{%0, %1, %2, %3};"                                         \
                   : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),    \
                     "r"(b[1]));                                               \
    }                                                                          \
  }

REAL_MMA(f16_m16n8k16, 16, 8, 16, "m16n8k16.row.col.f32.f16.f16.f32");
REAL_MMA(bf16_m16n8k16, 16, 8, 16, "m16n8k16.row.col.f32.bf16.bf16.f32");
REAL_MMA(tf32_m16n8k8, 16, 8, 8, "m16n8k8.row.col.f32.tf32.tf32.f32");
INTEGER_MMA(s8_m16n8k32, 16, 8, 32, "m16n8k32.row.col.s32.s8.s8.s32");
#undef INTEGER_MMA
#undef REAL_MMA

template <typename Mma, int independent>
__global__ void mmaKernel(long long *cycles, unsigned *sink) {
  unsigned c[independent][4] = {}, a[4] = {}, b[2] = {};
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int j = 0; j < independent; ++j)
      Mma::run(c[j], a, b);
  long long end = clock64();
  unsigned sum = 0;
  for (int j = 0; j < independent; ++j)
    sum += c[j][0] ^ c[j][3];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = end - begin;
  if (sum == 0x12345678u)
    *sink = sum;
}

template <typename Mma> void measure(int sms) {
  long long *cycles, result;
  unsigned *sink;
  CHECK(cudaMalloc(&cycles, 8));
  CHECK(cudaMalloc(&sink, 4));
  std::string name = std::string("mma_") + Mma::name;
  mmaKernel<Mma, 1><<<1, 32>>>(cycles, sink);
  CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
  report((name + "_latency").c_str(), double(result) / rounds, "cycles");
  double flops = 2.0 * Mma::m * Mma::n * Mma::k * rounds * chains;
  for (int warps : {4, 8, 16}) {
    mmaKernel<Mma, chains><<<1, warps * 32>>>(cycles, sink);
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    std::string suffix = "_" + std::to_string(warps) + "_warps";
    report((name + suffix).c_str(), flops * warps / double(result),
           "flop/cycle/SM");
    double us = timeLaunches(
        [&] { mmaKernel<Mma, chains><<<sms * 4, warps * 32>>>(cycles, sink); });
    report((name + suffix + "_chip").c_str(), flops * warps * sms * 4 / us * 1e-6,
           "TFLOP/s");
  }
  CHECK(cudaFree(cycles));
  CHECK(cudaFree(sink));
}

int main() {
  int sms = deviceProperties().multiProcessorCount;
  measure<f16_m16n8k16>(sms);
  measure<bf16_m16n8k16>(sms);
  measure<tf32_m16n8k8>(sms);
  measure<s8_m16n8k32>(sms);
}
