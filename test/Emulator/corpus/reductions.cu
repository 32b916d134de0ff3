// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and extrema, in every way blocks and warps work together.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>

namespace cg = cooperative_groups;

// A tree in shared memory, any number of threads.
extern "C" __global__ void reduce_shared(const int *in, int *out, int n) {
  extern __shared__ int values[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? in[i] : 0;
  for (int count = blockDim.x; count > 1;) {
    int half = (count + 1) / 2;
    __syncthreads();
    if (t + half < count)
      values[t] += values[t + half];
    count = half;
  }
  if (t == 0)
    out[blockIdx.x] = values[0];
}

// Shuffles in warps, then one warp over the warps' sums.
extern "C" __global__ void reduce_shuffle(const float *in, float *out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int d = 16; d; d >>= 1)
    sum += __shfl_down_sync(~0u, sum, d);
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < warps ? partial[lane] : 0;
    for (int d = 16; d; d >>= 1)
      sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
      out[blockIdx.x] = sum;
  }
}

// 16 bytes per thread where there are; the rest one by one.
extern "C" __global__ void reduce_vectorized(const int4 *in, int *out, int n) {
  int sum = 0, quads = n / 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    int4 v = __ldg(&in[i]);
    sum += v.x + v.y + v.z + v.w;
  }
  if (blockIdx.x == 0 && int(threadIdx.x) < n % 4)
    sum += reinterpret_cast<const int *>(in)[quads * 4 + threadIdx.x];
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0)
    atomicAdd(out, sum);
}

// min, max, and, or, xor of all, by redux and atomics.
extern "C" __global__ void reduce_redux(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = __ballot_sync(~0u, i < n);
  if (i >= n)
    return;
  unsigned v = in[i];
  unsigned least = __reduce_min_sync(mask, v), most = __reduce_max_sync(mask, v);
  int signedLeast = __reduce_min_sync(mask, int(v));
  unsigned every = __reduce_and_sync(mask, v), any = __reduce_or_sync(mask, v);
  unsigned parity = __reduce_xor_sync(mask, v);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&out[0], least);
    atomicMax(&out[1], most);
    atomicMin(reinterpret_cast<int *>(&out[2]), signedLeast);
    atomicAnd(&out[3], every);
    atomicOr(&out[4], any);
    atomicXor(&out[5], parity);
  }
}

__device__ unsigned arrivals;

// The block that comes last adds the partial sums, with a whole block.
extern "C" __global__ void reduce_last_block(const float *in, float *partial, float *out, int n) {
  __shared__ float values[128];
  __shared__ bool last;
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
    sum += in[i];
  auto block = [&] {
    values[t] = sum;
    __syncthreads();
    for (int s = 64; s; s >>= 1) {
      if (t < s)
        values[t] += values[t + s];
      __syncthreads();
    }
  };
  block();
  if (t == 0) {
    partial[blockIdx.x] = values[0];
    __threadfence();
    last = atomicInc(&arrivals, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last)
    return;
  sum = 0;
  for (int i = t; i < int(gridDim.x); i += 128)
    sum += __ldcg(&partial[i]);
  __syncthreads();
  block();
  if (t == 0)
    *out = values[0];
}

// Cooperative groups: tiles of 8 threads, then the block.
extern "C" __global__ void reduce_cooperative(const int *in, int *tiles, int *out, int n) {
  __shared__ int total;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  if (block.thread_rank() == 0)
    total = 0;
  block.sync();
  int i = block.group_index().x * block.size() + block.thread_rank();
  int v = i < n ? in[i] : 0;
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int most = cg::reduce(tile, v, cg::greater<int>());
  if (tile.thread_rank() == 0) {
    tiles[i / 8] = most;
    atomicAdd(&total, sum);
  }
  block.sync();
  if (block.thread_rank() == 0)
    out[block.group_index().x] = total;
}

// The place of the largest element, the first of equals, in one 64-bit atomic.
extern "C" __global__ void argmax(const float *in, unsigned long long *best, int n) {
  unsigned long long key = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned bits = __float_as_uint(in[i]);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    unsigned long long mine = (unsigned long long)bits << 32 | ~unsigned(i);
    key = mine > key ? mine : key;
  }
  for (int d = 16; d; d >>= 1) {
    unsigned long long other = __shfl_xor_sync(~0u, key, d);
    key = other > key ? other : key;
  }
  if (threadIdx.x % 32 == 0)
    atomicMax(best, key);
}

// Kahan's compensated sum in every thread, f64 between them; a product a block.
extern "C" __global__ void dot_compensated(const float *a, const float *b, double *out, int n) {
  __shared__ double partial[64];
  float sum = 0, lost = 0;
  a += blockIdx.x * n;
  b += blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 64) {
    float term = a[i] * b[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  partial[threadIdx.x] = double(sum) - lost;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int i = 0; i < 64; ++i)
      total += partial[i];
    out[blockIdx.x] = total;
  }
}
