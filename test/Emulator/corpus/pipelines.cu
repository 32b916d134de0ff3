// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies that overlap with the work: cp.async in all sizes, with 2 to 4 stages.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cstdint>

template <int bytes> static __device__ __forceinline__ void copy(void *to, const void *from, bool valid = true) {
  uint32_t place = uint32_t(__cvta_generic_to_shared(to));
  int size = valid ? bytes : 0;
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(size) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(place), "l"(from), "n"(bytes), "r"(size) : "memory");
}
static __device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> static __device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}

// Sums of columns over tiles of 8 rows; the neighbours' columns are read, so
// that the wait alone does not do.
template <int stages> static __device__ void columnSums(const int *in, int *out, int tiles, int cols) {
  extern __shared__ __align__(16) int ring[];
  int t = threadIdx.x, x = blockIdx.x * 32;
  auto fetch = [&](int tile) {
    int *to = ring + tile % stages * 256;
    int r = t / 8, c = t % 8 * 4;
    copy<16>(to + r * 32 + c, in + (tile * 8 + r) * cols + x + c);
  };
  for (int s = 0; s < stages - 1; ++s) {
    if (s < tiles)
      fetch(s);
    commit();
  }
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    wait<stages - 2>();
    __syncthreads();
    if (tile + stages - 1 < tiles)
      fetch(tile + stages - 1);
    commit();
    const int *s = ring + tile % stages * 256;
    for (int r = t / 32; r < 8; r += 2)
      sum += s[r * 32 + t % 32] * (tile + 1) + s[r * 32 + (t + 1) % 32];
  }
  atomicAdd(&out[x + t % 32], sum);
}

extern "C" __global__ void pipeline_2_stages(const int *in, int *out, int tiles, int cols) {
  columnSums<2>(in, out, tiles, cols);
}
extern "C" __global__ void pipeline_3_stages(const int *in, int *out, int tiles, int cols) {
  columnSums<3>(in, out, tiles, cols);
}
extern "C" __global__ void pipeline_4_stages(const int *in, int *out, int tiles, int cols) {
  columnSums<4>(in, out, tiles, cols);
}

// 4, 8 and 16 bytes in one group; what is past the end is filled with zeros.
extern "C" __global__ void copy_mixed_sizes(const int *a, const int2 *b, const int4 *c, long long *out, int n) {
  __shared__ __align__(16) int as[64];
  __shared__ __align__(16) int2 bs[64];
  __shared__ __align__(16) int4 cs[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t, j = min(i, n - 1);
  copy<4>(&as[t], a + j, i < n);
  copy<8>(&bs[t], b + j, i < n);
  copy<16>(&cs[t], c + j, i < n);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  int o = 63 - t;
  out[i] = (long long)as[o] + bs[o].x * 3ll + bs[o].y * 5ll + cs[o].x * 7ll + cs[o].y * 11ll + cs[o].z * 13ll + cs[o].w * 17ll;
}

// Source sizes between 0 and 16: the rest of the 16 bytes becomes zero.
extern "C" __global__ void copy_partial(const uint4 *in, uint4 *out, int n) {
  __shared__ __align__(16) uint4 s[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  int left = max(0, min(16, n - 16 * i));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(uint32_t(__cvta_generic_to_shared(&s[t]))),
               "l"(left ? in + i : in), "r"(left)
               : "memory");
  commit();
  wait<0>();
  __syncwarp();
  out[i] = s[t ^ 1];
}

// Groups of each thread are its own: a thread reads what it copied, without a
// barrier.
extern "C" __global__ void pipeline_per_thread(const int *in, int *out, int rounds) {
  __shared__ int ring[3][64];
  int t = threadIdx.x, base = (blockIdx.x * 64 + t) * rounds, value = 0;
  for (int r = 0; r < 2; ++r) {
    if (r < rounds)
      __pipeline_memcpy_async(&ring[r][t], in + base + r, 4);
    __pipeline_commit();
  }
  for (int r = 0; r < rounds; ++r) {
    if (r + 2 < rounds)
      __pipeline_memcpy_async(&ring[(r + 2) % 3][t], in + base + r + 2, 4);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    value = value * 7 + ring[r % 3][t];
  }
  out[blockIdx.x * 64 + t] = value;
}

// Product with 2 stages, 4-byte copies and zeros at the borders, B with a
// transposing copy.
extern "C" __global__ void gemm_async_borders(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[2][16][17], bs[2][16][17];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  auto fetch = [&](int stage, int k0) {
    bool inA = row < m && k0 + tx < k, inB = col < n && k0 + ty < k;
    copy<4>(&as[stage][ty][tx], inA ? a + row * k + k0 + tx : a, inA);
    copy<4>(&bs[stage][tx][ty], inB ? b + (k0 + ty) * n + col : b, inB);
    commit();
  };
  fetch(0, 0);
  float sum = 0;
  for (int k0 = 0, stage = 0; k0 < k; k0 += 16, stage ^= 1) {
    if (k0 + 16 < k) {
      fetch(stage ^ 1, k0 + 16);
      wait<1>();
    } else {
      wait<0>();
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum = fmaf(as[stage][ty][i], bs[stage][tx][i], sum);
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

// The library's copy of any size.
extern "C" __global__ void copy_cooperative(const char *in, char *out, int bytes) {
  extern __shared__ __align__(16) char s[];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, s, in + blockIdx.x * bytes, bytes);
  cooperative_groups::wait(block);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    out[blockIdx.x * bytes + i] = s[bytes - 1 - i];
}
