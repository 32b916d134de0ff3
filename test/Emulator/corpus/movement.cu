// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data that changes places: transposes, histograms, sorting.

#include <cuda_fp16.h>
#include <cstdint>

// 32x32 tiles without padding: columns are xor-ed with the row.
extern "C" __global__ void transpose_swizzled(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[32][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (x0 + tx < cols && y0 + j < rows)
      tile[j][tx ^ j] = in[(y0 + j) * cols + x0 + tx];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (y0 + tx < rows && x0 + j < cols)
      out[(x0 + j) * rows + y0 + tx] = tile[tx][j ^ tx];
}

// Transposes bytes, four at a time through registers and prmt.
extern "C" __global__ void transpose_bytes(const uint32_t *in, uint32_t *out, int n) {
  __shared__ uint32_t tile[16][17];
  int words = n / 4, x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < words && y < n)
    tile[threadIdx.y][threadIdx.x] = in[y * words + x];
  __syncthreads();
  // Thread (i, j) makes the word of output row 16 bx + j, word 4 by + i.
  x = blockIdx.y * 4 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x >= words || y >= n)
    return;
  int byte = threadIdx.y % 4, word = threadIdx.y / 4;
  uint32_t r[4];
  for (int i = 0; i < 4; ++i)
    r[i] = tile[threadIdx.x * 4 + i][word];
  uint32_t select = byte | (byte + 4) << 4;
  uint32_t low = __byte_perm(r[0], r[1], select), high = __byte_perm(r[2], r[3], select);
  out[y * words + x] = __byte_perm(low, high, 0x5410);
}

// In registers: a 32x32 bit matrix in a warp.
extern "C" __global__ void transpose_bits(const uint32_t *in, uint32_t *out) {
  int lane = threadIdx.x % 32, base = (blockIdx.x * blockDim.x + threadIdx.x) - lane;
  uint32_t row = in[base + lane], mine = 0;
#pragma unroll
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t column = __ballot_sync(~0u, row >> bit & 1);
    if (lane == bit)
      mine = column;
  }
  out[base + lane] = mine;
}

// Straight into global memory.
extern "C" __global__ void histogram_global(const uint16_t *in, unsigned *bins, int n, int shift) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] >> shift], 1u);
}

// Lanes with the same bin elect one that adds for all.
extern "C" __global__ void histogram_aggregated(const uint8_t *in, unsigned *bins, int n) {
  __shared__ unsigned local[4][64];
  unsigned *mine = local[threadIdx.x / 32 % 4];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i / 64][i % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = __activemask(), bin = in[i] >> 2;
    unsigned same = __match_any_sync(active, bin);
    if (__ffs(same) - 1 == int(threadIdx.x % 32))
      atomicAdd(&mine[bin], __popc(same));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    unsigned sum = local[0][i] + local[1][i] + local[2][i] + local[3][i];
    if (sum)
      atomicAdd(&bins[i], sum);
  }
}

// Least significant digit first, 4 bits at a time, stable; every block sorts
// n keys of its own.
extern "C" __global__ void sort_radix(uint32_t *keys, uint32_t *spare, int n) {
  __shared__ unsigned counts[16], offsets[16], warps[8][16];
  unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  keys += blockIdx.x * n;
  spare += blockIdx.x * n;
  for (int shift = 0; shift < 32; shift += 4) {
    if (t < 16)
      counts[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
      atomicAdd(&counts[keys[i] >> shift & 15], 1u);
    __syncthreads();
    if (t == 0) {
      unsigned sum = 0;
      for (int d = 0; d < 16; ++d) {
        offsets[d] = sum;
        sum += counts[d];
      }
    }
    for (int base = 0; base < n; base += 256) {
      int i = base + t;
      bool valid = i < n;
      unsigned key = valid ? keys[i] : 0, digit = valid ? key >> shift & 15 : 16;
      unsigned peers = __match_any_sync(~0u, digit);
      if (lane < 16)
        warps[warp][lane] = 0;
      __syncwarp();
      if (valid && lane == unsigned(__ffs(peers) - 1))
        warps[warp][digit] = __popc(peers);
      __syncthreads();
      if (valid) {
        unsigned place = offsets[digit] + __popc(peers & ((1u << lane) - 1));
        for (unsigned w = 0; w < warp; ++w)
          place += warps[w][digit];
        spare[place] = key;
      }
      __syncthreads();
      if (t < 16)
        for (int w = 0; w < 8; ++w)
          offsets[t] += warps[w][t];
      __syncthreads();
    }
    uint32_t *other = keys;
    keys = spare;
    spare = other;
  }
}

// Keys with payload in a warp, by shuffles.
extern "C" __global__ void sort_warp(float *keys, int *values) {
  int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  float key = keys[i];
  int value = values[i];
#pragma unroll
  for (int k = 2; k <= 32; k *= 2)
#pragma unroll
    for (int j = k / 2; j; j /= 2) {
      float otherKey = __shfl_xor_sync(~0u, key, j);
      int other = __shfl_xor_sync(~0u, value, j);
      bool least = ((lane & k) == 0) == ((lane & j) == 0);
      if (least ? otherKey < key : otherKey > key) {
        key = otherKey;
        value = other;
      }
    }
  keys[i] = key;
  values[i] = value;
}

// Two sorted halves into one: every thread finds its place by bisection
// (merge path), ties from the first half first.
extern "C" __global__ void merge_path(const int *a, int na, const int *b, int nb, int *out) {
  constexpr int perThread = 5;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
  if (first >= na + nb)
    return;
  int low = max(0, first - nb), high = min(first, na);
  while (low < high) {
    int middle = (low + high) / 2;
    if (a[middle] <= b[first - middle - 1])
      low = middle + 1;
    else
      high = middle;
  }
  int i = low, j = first - low;
  for (int k = first; k < min(first + perThread, na + nb); ++k)
    out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

// Odd-even transposition over a block, which sorts n numbers of its own.
extern "C" __global__ void sort_odd_even(short *data, int n) {
  extern __shared__ short s[];
  int t = threadIdx.x;
  data += blockIdx.x * n;
  if (t < n)
    s[t] = data[t];
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    int i = 2 * t + (round & 1);
    if (i + 1 < n && s[i] > s[i + 1]) {
      short v = s[i];
      s[i] = s[i + 1];
      s[i + 1] = v;
    }
  }
  __syncthreads();
  if (t < n)
    data[t] = s[t];
}
