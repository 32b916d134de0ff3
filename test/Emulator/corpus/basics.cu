// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work, reductions, divergence, calls, local arrays, atomics.

#include <cuda_fp16.h>
#include <cstdint>

extern "C" __global__ void vector_add(const float *a, const float *b, float *c,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  partial[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = partial[0];
}

extern "C" __global__ void warp_sum(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int s = 16; s > 0; s >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, s);
  if (threadIdx.x % 32 == 0)
    out[i / 32] = v;
}

// One warp per row, as a compiler would write it.
extern "C" __global__ void softmax_rows(const float *in, float *out, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  float m = -INFINITY;
  for (int c = lane; c < cols; c += 32)
    m = fmaxf(m, in[row * cols + c]);
  for (int s = 16; s > 0; s >>= 1)
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, s));
  float sum = 0;
  for (int c = lane; c < cols; c += 32)
    sum += exp2f((in[row * cols + c] - m) * 1.44269504f);
  for (int s = 16; s > 0; s >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, s);
  for (int c = lane; c < cols; c += 32)
    out[row * cols + c] = exp2f((in[row * cols + c] - m) * 1.44269504f) / sum;
}

// Collatz: every lane leaves the loop at another time.
extern "C" __global__ void collatz(const unsigned *in, unsigned *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long v = in[i];
  unsigned count = 0;
  while (v != 1) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v /= 2;
    if (++count > 1000)
      break;
  }
  steps[i] = count;
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = fibonacci(i % 12);
}

struct Pair {
  double a;
  int b;
};

__device__ __noinline__ Pair combine(Pair p, float x, const int *table) {
  Pair r;
  r.a = p.a * x + table[p.b & 7];
  r.b = p.b + 1;
  return r;
}

// A table on the stack, dynamically indexed, and structs by value.
extern "C" __global__ void local_arrays(double *out, int seed) {
  int table[8], t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 8; ++i)
    table[i] = seed * i + t;
  Pair p = {1.0, t};
  for (int i = 0; i < 5; ++i)
    p = combine(p, 0.5f, table);
  out[t] = p.a + p.b;
}

extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins,
                                     int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], local[i]);
}

__device__ int ticket;
__constant__ int weights[4] = {1, 10, 100, 1000};

// The last block to arrive adds up what the others left.
extern "C" __global__ void last_block(const int *in, int *partial, int *out) {
  __shared__ int last;
  int v = in[blockIdx.x * blockDim.x + threadIdx.x] * weights[threadIdx.x & 3];
  v = __reduce_add_sync(0xffffffffu, v);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&ticket, 1) == int(gridDim.x) - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < int(gridDim.x); ++i)
      sum += ((volatile int *)partial)[i];
    *out = sum;
    ticket = 0;
  }
}

// Lanes take a lock in turn: needs independent progress of diverged lanes.
extern "C" __global__ void spin_lock(int *lock, int *counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      int v = *(volatile int *)counter;
      *(volatile int *)counter = v + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

extern "C" __global__ void switch_table(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  switch (v) {
  case 0: v = 17; break;
  case 1: v = v * 3 + 1; break;
  case 2: v = -v; break;
  case 3: v = v << 5; break;
  case 4: v = __popc(v * 12345); break;
  case 5: v = __clz(v); break;
  case 6: v = __brev(v); break;
  default: v = ~v; break;
  }
  out[i] = v;
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned ballot = __ballot_sync(0xffffffffu, v > 3);
  unsigned same = __match_any_sync(0xffffffffu, v);
  int all = __all_sync(0xffffffffu, v >= 0);
  unsigned active = 0;
  if (v & 1)
    active = __activemask();
  out[i] = ballot ^ (same * 3u) ^ (active * 5u) ^ unsigned(all);
}

extern "C" __global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    tile[j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    out[(y + j) * n + x] = tile[threadIdx.x][j];
}

extern "C" __global__ void half_axpy(const __half2 *x, __half2 *y, float a,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}
