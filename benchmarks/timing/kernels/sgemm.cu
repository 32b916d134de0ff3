// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha A B + beta C in f32, row-major, in the steps of S. Boehm's worklog (https://siboehm.com/articles/22/CUDA-MMM),
// rewritten from its description. Tiles divide the sizes. Short loops are unrolled here, as ptxas would unroll them: the
// timing does not recognize all loads that ptxas merges out of several iterations.

__device__ float scaled(float alpha, float sum, float beta, float old) { return alpha * sum + beta * old; }

/// A thread for an element; the threads of a warp are along rows of C.
extern "C" __global__ void naive(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  if (row >= m || column >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = scaled(alpha, sum, beta, c[row * n + column]);
}

/// The threads of a warp are along columns.
extern "C" __global__ void coalesced(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                                     float *c) {
  int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row >= m || column >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = scaled(alpha, sum, beta, c[row * n + column]);
}

/// Tiles of 32 x 32 in shared memory.
extern "C" __global__ void shared(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                                  float *c) {
  __shared__ float a_tile[32 * 32], b_tile[32 * 32];
  int row = threadIdx.x / 32, column = threadIdx.x % 32;
  a += blockIdx.x * 32 * k;
  b += blockIdx.y * 32;
  c += blockIdx.x * 32 * n + blockIdx.y * 32;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    a_tile[row * 32 + column] = a[row * k + column];
    b_tile[row * 32 + column] = b[row * n + column];
    __syncthreads();
    a += 32;
    b += 32 * n;
    for (int i = 0; i < 32; ++i)
      sum += a_tile[row * 32 + i] * b_tile[i * 32 + column];
    __syncthreads();
  }
  c[row * n + column] = scaled(alpha, sum, beta, c[row * n + column]);
}

/// A tile of 64 x 64 of a block; a thread has eight elements of a column.
extern "C" __global__ void tiles_1d(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                                    float *c) {
  constexpr int tile = 64, depth = 8, own = 8;
  __shared__ float a_tile[tile * depth], b_tile[depth * tile];
  int row = threadIdx.x / tile, column = threadIdx.x % tile;
  int a_row = threadIdx.x / depth, a_column = threadIdx.x % depth;
  a += blockIdx.y * tile * k;
  b += blockIdx.x * tile;
  c += blockIdx.y * tile * n + blockIdx.x * tile;
  float sums[own] = {};
  for (int first = 0; first < k; first += depth) {
    a_tile[a_row * depth + a_column] = a[a_row * k + a_column];
    b_tile[row * tile + column] = b[row * n + column];
    __syncthreads();
    a += depth;
    b += depth * n;
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      float right = b_tile[i * tile + column];
      for (int j = 0; j < own; ++j)
        sums[j] += a_tile[(row * own + j) * depth + i] * right;
    }
    __syncthreads();
  }
  for (int j = 0; j < own; ++j) {
    float &to = c[(row * own + j) * n + column];
    to = scaled(alpha, sums[j], beta, to);
  }
}

/// A tile of 128 x 128 of a block, 8 x 8 elements of a thread.
extern "C" __global__ void __launch_bounds__(256, 1) tiles_2d(int m, int n, int k, float alpha, const float *a,
                                                              const float *b, float beta, float *c) {
  constexpr int tile = 128, depth = 8, own = 8, threads = 256;
  __shared__ float a_tile[tile * depth], b_tile[depth * tile];
  int row = threadIdx.x / (tile / own), column = threadIdx.x % (tile / own);
  int a_row = threadIdx.x / depth, a_column = threadIdx.x % depth;
  int b_row = threadIdx.x / tile, b_column = threadIdx.x % tile;
  a += blockIdx.y * tile * k;
  b += blockIdx.x * tile;
  c += blockIdx.y * tile * n + blockIdx.x * tile;
  float sums[own * own] = {}, left[own], right[own];
  for (int first = 0; first < k; first += depth) {
    for (int i = 0; i < tile; i += threads / depth)
      a_tile[(a_row + i) * depth + a_column] = a[(a_row + i) * k + a_column];
    for (int i = 0; i < depth; i += threads / tile)
      b_tile[(b_row + i) * tile + b_column] = b[(b_row + i) * n + b_column];
    __syncthreads();
    a += depth;
    b += depth * n;
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      for (int j = 0; j < own; ++j)
        left[j] = a_tile[(row * own + j) * depth + i];
      for (int j = 0; j < own; ++j)
        right[j] = b_tile[i * tile + column * own + j];
      for (int x = 0; x < own; ++x)
        for (int y = 0; y < own; ++y)
          sums[x * own + y] += left[x] * right[y];
    }
    __syncthreads();
  }
  for (int x = 0; x < own; ++x)
    for (int y = 0; y < own; ++y) {
      float &to = c[(row * own + x) * n + column * own + y];
      to = scaled(alpha, sums[x * own + y], beta, to);
    }
}

/// A tile of 128 x 128 of a block, 4-wide accesses, A transposed in shared memory. A warp has WARP_M x WARP_N elements, in
/// PARTS parts along columns; a thread has TM x TN of each part.
template <int DEPTH, int THREADS, int WARP_M, int WARP_N, int PARTS, int TM, int TN>
__device__ void vectorized_tile(int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
  constexpr int tile = 128;
  constexpr int part = WARP_N / PARTS, lanes = part / TN;
  __shared__ float a_tile[DEPTH * tile], b_tile[DEPTH * tile];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp / (tile / WARP_N) * WARP_M + lane / lanes * TM;
  int column = warp % (tile / WARP_N) * WARP_N + lane % lanes * TN;
  int a_row = threadIdx.x / (DEPTH / 4), a_column = threadIdx.x % (DEPTH / 4) * 4;
  int b_row = threadIdx.x / (tile / 4), b_column = threadIdx.x % (tile / 4) * 4;
  a += blockIdx.y * tile * k;
  b += blockIdx.x * tile;
  c += blockIdx.y * tile * n + blockIdx.x * tile;
  float sums[TM][PARTS * TN] = {}, left[TM], right[PARTS * TN];
  for (int first = 0; first < k; first += DEPTH) {
    for (int i = 0; i < tile; i += THREADS * 4 / DEPTH) {
      float4 four = *reinterpret_cast<const float4 *>(&a[(a_row + i) * k + a_column]);
      a_tile[(a_column + 0) * tile + a_row + i] = four.x;
      a_tile[(a_column + 1) * tile + a_row + i] = four.y;
      a_tile[(a_column + 2) * tile + a_row + i] = four.z;
      a_tile[(a_column + 3) * tile + a_row + i] = four.w;
    }
    for (int i = 0; i < DEPTH; i += THREADS * 4 / tile)
      *reinterpret_cast<float4 *>(&b_tile[(b_row + i) * tile + b_column]) =
          *reinterpret_cast<const float4 *>(&b[(b_row + i) * n + b_column]);
    __syncthreads();
    a += DEPTH;
    b += DEPTH * n;
    for (int i = 0; i < DEPTH; ++i) {
      for (int x = 0; x < TM; ++x)
        left[x] = a_tile[i * tile + row + x];
      for (int p = 0; p < PARTS; ++p)
        for (int y = 0; y < TN; ++y)
          right[p * TN + y] = b_tile[i * tile + column + p * part + y];
      for (int x = 0; x < TM; ++x)
        for (int y = 0; y < PARTS * TN; ++y)
          sums[x][y] += left[x] * right[y];
    }
    __syncthreads();
  }
  for (int x = 0; x < TM; ++x)
    for (int p = 0; p < PARTS; ++p)
      for (int y = 0; y < TN; y += 4) {
        float4 &to = *reinterpret_cast<float4 *>(&c[(row + x) * n + column + p * part + y]);
        float4 four = to;
        const float *sum = &sums[x][p * TN + y];
        four.x = scaled(alpha, sum[0], beta, four.x);
        four.y = scaled(alpha, sum[1], beta, four.y);
        four.z = scaled(alpha, sum[2], beta, four.z);
        four.w = scaled(alpha, sum[3], beta, four.w);
        to = four;
      }
}

/// The threads of two warps are along a row of tiles of 8 x 8.
extern "C" __global__ void vectorized(int m, int n, int k, float alpha, const float *a, const float *b, float beta,
                                      float *c) {
  vectorized_tile<8, 256, 16, 128, 1, 8, 8>(n, k, alpha, a, b, beta, c);
}

/// A deeper tile.
extern "C" __global__ void __launch_bounds__(256) autotuned(int m, int n, int k, float alpha, const float *a,
                                                            const float *b, float beta, float *c) {
  vectorized_tile<16, 256, 16, 128, 1, 8, 8>(n, k, alpha, a, b, beta, c);
}

/// Four warps with 64 x 64 each.
extern "C" __global__ void __launch_bounds__(128) warp_tiles(int m, int n, int k, float alpha, const float *a,
                                                             const float *b, float beta, float *c) {
  vectorized_tile<16, 128, 64, 64, 4, 8, 4>(n, k, alpha, a, b, beta, c);
}
