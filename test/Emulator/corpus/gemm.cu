// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls: tiled, through wmma, and with cp.async, ldmatrix, mma.sync.

#include <cuda_fp16.h>
#include <cstdint>
#include <mma.h>

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c,
                                      int n) {
  __shared__ float as[16][16], bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + col] = sum;
}

static __device__ __forceinline__ void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   uint32_t(__cvta_generic_to_shared(to))),
               "l"(from));
}

// C[M,N] f32 = A[M,K] B[K,N], f16, row-major; 64x64 tiles, K in steps of 32,
// 3 stages, 4 warps of 32x32. Sizes are multiples of the tile.
extern "C" __global__ void __launch_bounds__(128)
gemm_tensor(const __half *a, const __half *b, float *c, int m, int n, int k) {
  extern __shared__ __align__(16) __half smem[];
  constexpr int stages = 3, stageHalves = 64 * 32 + 32 * 64;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  int wm = warp / 2 * 32, wn = warp % 2 * 32;
  // Swizzles: 16-byte chunks of a row, xor-ed with bits of the row.
  auto aPlace = [](int r, int chunk) { return r * 32 + ((chunk ^ (r >> 1 & 3)) * 8); };
  auto bPlace = [](int r, int chunk) { return r * 64 + ((chunk ^ (r & 7)) * 8); };
  auto fetch = [&](int stage, int k0) {
    __half *as = smem + stage * stageHalves, *bs = as + 64 * 32;
    for (int i = t; i < 256; i += 128)
      copy16(as + aPlace(i / 4, i % 4), a + size_t(row0 + i / 4) * k + k0 + i % 4 * 8);
    for (int i = t; i < 256; i += 128)
      copy16(bs + bPlace(i / 8, i % 8), b + size_t(k0 + i / 8) * n + col0 + i % 8 * 8);
  };
  float acc[2][4][4] = {};
  int steps = k / 32;
  for (int s = 0; s < stages - 1; ++s) {
    if (s < steps)
      fetch(s, s * 32);
    asm volatile("cp.async.commit_group;");
  }
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
    __syncthreads();
    int ahead = step + stages - 1;
    if (ahead < steps)
      fetch(ahead % stages, ahead * 32);
    asm volatile("cp.async.commit_group;");
    __half *as = smem + step % stages * stageHalves, *bs = as + 64 * 32;
#pragma unroll
    for (int kk = 0; kk < 2; ++kk) {
      uint32_t fa[2][4], fb[2][4];
      for (int i = 0; i < 2; ++i) {
        uint32_t p = uint32_t(__cvta_generic_to_shared(
            as + aPlace(wm + i * 16 + lane % 16, kk * 2 + lane / 16)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                     : "r"(p));
      }
      for (int j = 0; j < 2; ++j) {
        uint32_t p = uint32_t(__cvta_generic_to_shared(
            bs + bPlace(kk * 16 + lane % 16, (wn + j * 16) / 8 + lane / 16)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j][2]), "=r"(fb[j][3])
                     : "r"(p));
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                       "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]),
                         "r"(fb[j / 2][j % 2 * 2]), "r"(fb[j / 2][j % 2 * 2 + 1]));
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = row0 + wm + i * 16 + lane / 4, q = col0 + wn + j * 8 + lane % 4 * 2;
      *(float2 *)(c + size_t(r) * n + q) = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2 *)(c + size_t(r + 8) * n + q) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}

using namespace nvcuda;

extern "C" __global__ void gemm_wmma(const __half *a, const __half *b, float *c,
                                     int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + col, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
