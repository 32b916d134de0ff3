// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prefix sums and what is built on them.

#include <cuda/atomic>
#include <cstdint>

static __device__ int warpInclusive(int v) {
  int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, v, d);
    v += lane >= d ? other : 0;
  }
  return v;
}

extern "C" __global__ void scan_warp(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = warpInclusive(i < n ? in[i] : 0);
  if (i < n)
    out[i] = v;
}

// Hillis and Steele with two buffers, exclusive; n elements a block.
extern "C" __global__ void scan_hillis_steele(const float *in, float *out, int n) {
  extern __shared__ float buffers[];
  int t = threadIdx.x, size = blockDim.x, from = 0;
  in += blockIdx.x * n;
  out += blockIdx.x * n;
  buffers[t] = t > 0 && t <= n ? in[t - 1] : 0;
  for (int d = 1; d < size; d *= 2) {
    __syncthreads();
    int to = size - from;
    buffers[to + t] = buffers[from + t] + (t >= d ? buffers[from + t - d] : 0);
    from = to;
  }
  if (t < n)
    out[t] = buffers[from + t];
}

// Blelloch's two sweeps over 2 x blockDim elements; indices padded against
// bank conflicts.
extern "C" __global__ void scan_blelloch(const int *in, int *out) {
  __shared__ int s[256 + 256 / 32];
  auto at = [](int i) { return i + i / 32; };
  int t = threadIdx.x, base = blockIdx.x * 256;
  s[at(t)] = in[base + t];
  s[at(t + 128)] = in[base + t + 128];
  int stride = 1;
  for (int d = 128; d > 0; d >>= 1, stride *= 2) {
    __syncthreads();
    if (t < d)
      s[at(stride * (2 * t + 2) - 1)] += s[at(stride * (2 * t + 1) - 1)];
  }
  if (t == 0)
    s[at(255)] = 0;
  for (int d = 1; d < 256; d *= 2) {
    stride >>= 1;
    __syncthreads();
    if (t < d) {
      int a = at(stride * (2 * t + 1) - 1), b = at(stride * (2 * t + 2) - 1);
      int v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  out[base + t] = s[at(t)];
  out[base + t + 128] = s[at(t + 128)];
}

// Decoupled look-back (Merrill and Garland): blocks take their numbers in the
// order of their start; a state is 2 bits of status over 62 of value.
extern "C" __global__ void scan_look_back(const int *in, long long *out,
                                          unsigned long long *states, int *ticket, int n) {
  constexpr unsigned long long aggregate = 1ull << 62, prefix = 2ull << 62, value = aggregate - 1;
  __shared__ int tile, totals[4];
  __shared__ long long before;
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int i = tile * 128 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int v = warpInclusive(i < n ? in[i] : 0);
  if (lane == 31)
    totals[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    v += totals[w];
  using State = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
  if (warp == 0) {
    unsigned long long mine = unsigned(totals[0] + totals[1] + totals[2] + totals[3]);
    unsigned long long sum = 0;
    if (lane == 0)
      State(states[tile]).store((tile ? aggregate : prefix) | mine, cuda::memory_order_release);
    // 32 predecessors at a time, nearest in lane 0.
    for (int last = tile - 1; last >= 0; last -= 32) {
      unsigned long long state = last - lane >= 0 ? 0 : prefix;
      while (state == 0)
        state = State(states[last - lane]).load(cuda::memory_order_acquire);
      unsigned found = __ballot_sync(~0u, state >= prefix);
      int upTo = found ? __ffs(found) - 1 : 31;
      unsigned long long part = lane <= upTo ? state & value : 0;
      for (int d = 16; d; d >>= 1)
        part += __shfl_xor_sync(~0u, part, d);
      sum += part;
      if (found)
        break;
    }
    if (lane == 0) {
      if (tile)
        State(states[tile]).store(prefix | ((sum + mine) & value), cuda::memory_order_release);
      before = (long long)sum;
    }
  }
  __syncthreads();
  if (i < n)
    out[i] = before + v;
}

// Keeps the positive ones of a block's n elements in order.
extern "C" __global__ void compact_block(const float *in, float *out, int *count, int n) {
  __shared__ int warps[32];
  __shared__ int kept;
  int t = threadIdx.x, warp = t / 32;
  in += blockIdx.x * n;
  out += blockIdx.x * n;
  if (t == 0)
    kept = 0;
  __syncthreads();
  for (int base = 0; base < n; base += blockDim.x) {
    float v = base + t < n ? in[base + t] : 0;
    unsigned votes = __ballot_sync(~0u, v > 0);
    if (t % 32 == 0)
      warps[warp] = __popc(votes);
    __syncthreads();
    int place = kept + __popc(votes & ((1u << t % 32) - 1));
    int total = 0;
    for (int w = 0; w < int(blockDim.x) / 32; ++w) {
      place += w < warp ? warps[w] : 0;
      total += warps[w];
    }
    if (v > 0)
      out[place] = v;
    __syncthreads();
    if (t == 0)
      kept += total;
    __syncthreads();
  }
  if (t == 0)
    count[blockIdx.x] = kept;
}

// The same over blocks without order: one atomic per warp.
extern "C" __global__ void compact_aggregated(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 != 0)
    return;
  unsigned active = __activemask();
  int lane = threadIdx.x % 32, leader = __ffs(active) - 1, first = 0;
  if (lane == leader)
    first = atomicAdd(count, __popc(active));
  first = __shfl_sync(active, first, leader);
  out[first + __popc(active & ((1u << lane) - 1))] = in[i];
}

// Sums of runs of equal keys, by a segmented scan in each warp.
extern "C" __global__ void segmented_sum(const int *key, const int *in, int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int k = i < n ? key[i] : -1, v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int otherKey = __shfl_up_sync(~0u, k, d), other = __shfl_up_sync(~0u, v, d);
    if (lane >= d && otherKey == k)
      v += other;
  }
  int next = __shfl_down_sync(~0u, k, 1);
  if (k >= 0 && (lane == 31 || next != k))
    atomicAdd(&sums[k], v);
}
