// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Patterns: scans, sorting, norms, stencils, warps with roles, blocks that wait
// for one another.

#include <cuda_bf16.h>
#include <cstdint>

// Inclusive scan of a block by warps.
extern "C" __global__ void block_scan(const int *in, int *out) {
  __shared__ int totals[32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int i = blockIdx.x * blockDim.x + t;
  int v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d)
      v += other;
  }
  if (lane == 31)
    totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = lane < int(blockDim.x) / 32 ? totals[lane] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int other = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d)
        s += other;
    }
    totals[lane] = s;
  }
  __syncthreads();
  out[i] = v + (warp ? totals[warp - 1] : 0);
}

extern "C" __global__ void bitonic_sort(unsigned *data) {
  __shared__ unsigned s[512];
  unsigned t = threadIdx.x;
  data += 512 * blockIdx.x;
  s[t] = data[t];
  s[t + 256] = data[t + 256];
  for (unsigned k = 2; k <= 512; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      unsigned a = 2 * t - (t & (j - 1)), b = a + j;
      bool up = (a & k) == 0;
      unsigned x = s[a], y = s[b];
      if ((x > y) == up) {
        s[a] = y;
        s[b] = x;
      }
    }
  __syncthreads();
  data[t] = s[t];
  data[t + 256] = s[t + 256];
}

extern "C" __global__ void layer_norm(const __nv_bfloat16 *in, const float *gamma,
                                      __nv_bfloat16 *out, int cols) {
  __shared__ float sums[2][32];
  int t = threadIdx.x, row = blockIdx.x;
  float s = 0, q = 0;
  for (int c = t; c < cols; c += blockDim.x) {
    float v = __bfloat162float(in[row * cols + c]);
    s += v;
    q += v * v;
  }
  for (int d = 16; d; d /= 2) {
    s += __shfl_xor_sync(0xffffffffu, s, d);
    q += __shfl_xor_sync(0xffffffffu, q, d);
  }
  if (t % 32 == 0) {
    sums[0][t / 32] = s;
    sums[1][t / 32] = q;
  }
  __syncthreads();
  s = q = 0;
  for (int w = 0; w < int(blockDim.x) / 32; ++w) {
    s += sums[0][w];
    q += sums[1][w];
  }
  float mean = s / cols;
  float scale = rsqrtf(q / cols - mean * mean + 1e-5f);
  for (int c = t; c < cols; c += blockDim.x)
    out[row * cols + c] = __float2bfloat16(
        (__bfloat162float(in[row * cols + c]) - mean) * scale * gamma[c]);
}

// 5-point stencil with a halo in shared memory.
extern "C" __global__ void stencil(const float *in, float *out, int n) {
  __shared__ float s[10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  auto at = [&](int j, int i) {
    return i >= 0 && i < n && j >= 0 && j < n ? in[j * n + i] : 0.0f;
  };
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  s[ly][lx] = at(y, x);
  if (threadIdx.x == 0) {
    s[ly][0] = at(y, x - 1);
    s[ly][33] = at(y, x + 32);
  }
  if (threadIdx.y == 0) {
    s[0][lx] = at(y - 1, x);
    s[9][lx] = at(y + 8, x);
  }
  __syncthreads();
  if (x < n && y < n)
    out[y * n + x] = s[ly][lx] * -4.0f + s[ly - 1][lx] + s[ly + 1][lx] +
                     s[ly][lx - 1] + s[ly][lx + 1];
}

// One warp loads, three compute, two buffers, named barriers. Every block has
// rounds of its own.
extern "C" __global__ void producer_consumer(const int *in, int *out, int rounds) {
  __shared__ int buffer[2][96];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  in += blockIdx.x * rounds * 96;
  out += blockIdx.x * 96;
  if (warp == 0) {
    for (int r = 0; r < rounds; ++r) {
      int b = r & 1;
      if (r >= 2) // the buffer is free
        asm volatile("barrier.sync %0, 128;" ::"r"(3 + b) : "memory");
      for (int i = lane; i < 96; i += 32)
        buffer[b][i] = in[r * 96 + i];
      asm volatile("barrier.arrive %0, 128;" ::"r"(1 + b) : "memory");
    }
    return;
  }
  int i = (warp - 1) * 32 + lane, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    int b = r & 1;
    asm volatile("barrier.sync %0, 128;" ::"r"(1 + b) : "memory");
    sum = sum * 3 + buffer[b][95 - i];
    if (r + 2 < rounds)
      asm volatile("barrier.arrive %0, 128;" ::"r"(3 + b) : "memory");
  }
  out[i] = sum;
}

// All blocks meet twice: each adds up what the others left.
extern "C" __global__ void grid_barrier(int *values, int *arrived, int *out) {
  int b = blockIdx.x, n = gridDim.x;
  if (threadIdx.x == 0) {
    values[b] = b + 1;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile int *)arrived < n)
      ;
    __threadfence();
  }
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += ((volatile int *)values)[i];
  atomicAdd(&out[b], sum);
}

struct Visitor {
  int (*apply)(int, int);
};
__device__ int addTo(int a, int b) { return a + b; }
__device__ int timesTo(int a, int b) { return a * b; }

extern "C" __global__ void indirect_calls(const int *in, int *out) {
  Visitor v[2] = {{addTo}, {timesTo}};
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
  out[i] = v[x & 1].apply(x, 7);
}

// Matrix-vector product in double precision with a float atomic at the end.
extern "C" __global__ void dot_atomic(const float *a, const float *b, float *out,
                                      int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += a[i] * b[i];
  for (int d = 16; d; d /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}

extern "C" __global__ void math_functions(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  out[i * 8 + 0] = sinf(x);
  out[i * 8 + 1] = expf(x * 0.01f);
  out[i * 8 + 2] = logf(fabsf(x) + 1.0f);
  out[i * 8 + 3] = erff(x * 0.1f);
  out[i * 8 + 4] = tanhf(x);
  out[i * 8 + 5] = powf(fabsf(x), 0.7f);
  out[i * 8 + 6] = float(cos(double(x)));
  out[i * 8 + 7] = fmodf(x, 3.0f);
}
