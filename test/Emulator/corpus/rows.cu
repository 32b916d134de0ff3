// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Normalisations of rows.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cfloat>

template <class Op> static __device__ float blockReduce(float v, float neutral, Op op) {
  __shared__ float partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 16; d; d >>= 1)
    v = op(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads(); // of the call before
  if (lane == 0)
    partial[warp] = v;
  __syncthreads();
  v = lane < int(blockDim.x) / 32 ? partial[lane] : neutral;
  for (int d = 16; d; d >>= 1)
    v = op(v, __shfl_xor_sync(~0u, v, d));
  return v;
}

// A block per row, which stays in shared memory between the three passes.
extern "C" __global__ void softmax_block(const float *in, float *out, int cols) {
  extern __shared__ float row[];
  const float *x = in + size_t(blockIdx.x) * cols;
  float most = -FLT_MAX, sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    most = fmaxf(most, row[c] = x[c]);
  most = blockReduce(most, -FLT_MAX, [](float a, float b) { return fmaxf(a, b); });
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += row[c] = __expf(row[c] - most);
  sum = blockReduce(sum, 0, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    out[size_t(blockIdx.x) * cols + c] = __fdividef(row[c], sum);
}

// Milakov and Gimelshein: maximum and sum in one pass, f16 in and out.
extern "C" __global__ void softmax_online(const __half *in, __half *out, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float m = -INFINITY, s = 0;
  for (int c = lane; c < cols; c += 32) {
    float v = __half2float(in[row * cols + c]), next = fmaxf(m, v);
    if (next != -INFINITY)
      s = s * expf(m - next) + expf(v - next);
    m = next;
  }
  for (int d = 16; d; d >>= 1) {
    float om = __shfl_xor_sync(~0u, m, d), os = __shfl_xor_sync(~0u, s, d), next = fmaxf(m, om);
    if (next != -INFINITY)
      s = s * expf(m - next) + os * expf(om - next);
    m = next;
  }
  for (int c = lane; c < cols; c += 32)
    out[row * cols + c] = __float2half(expf(__half2float(in[row * cols + c]) - m) / s);
}

// Welford's update in threads, Chan's between them.
extern "C" __global__ void layer_norm_welford(const float *in, const float *gamma,
                                              const float *beta, float *out, float *stats, int cols) {
  float mean = 0, m2 = 0;
  int count = 0, row = blockIdx.x, lane = threadIdx.x;
  for (int c = lane; c < cols; c += 32) {
    float v = in[row * cols + c], d = v - mean;
    mean += d / ++count;
    m2 += d * (v - mean);
  }
  for (int s = 16; s; s >>= 1) {
    float otherMean = __shfl_xor_sync(~0u, mean, s), otherM2 = __shfl_xor_sync(~0u, m2, s);
    int otherCount = __shfl_xor_sync(~0u, count, s), all = count + otherCount;
    if (all == 0)
      continue;
    float d = otherMean - mean;
    m2 += otherM2 + d * d * (float(count) * otherCount / all);
    mean += d * (float(otherCount) / all);
    count = all;
  }
  mean = __shfl_sync(~0u, mean, 0);
  float scale = rsqrtf(__shfl_sync(~0u, m2, 0) / cols + 1e-5f);
  for (int c = lane; c < cols; c += 32)
    out[row * cols + c] = (in[row * cols + c] - mean) * scale * gamma[c] + beta[c];
  if (lane == 0) {
    stats[2 * row] = mean;
    stats[2 * row + 1] = scale;
  }
}

// Two bf16 per load; the sum of squares over the block.
extern "C" __global__ void rms_norm(const __nv_bfloat162 *in, const __nv_bfloat162 *weight,
                                    __nv_bfloat162 *out, int pairs) {
  const __nv_bfloat162 *x = in + size_t(blockIdx.x) * pairs;
  float sum = 0;
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    float2 v = __bfloat1622float2(x[c]);
    sum += v.x * v.x + v.y * v.y;
  }
  sum = blockReduce(sum, 0, [](float a, float b) { return a + b; });
  float scale = rsqrtf(sum / (2 * pairs) + 1e-6f);
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    float2 v = __bfloat1622float2(x[c]);
    __nv_bfloat162 y = __floats2bfloat162_rn(v.x * scale, v.y * scale);
    out[size_t(blockIdx.x) * pairs + c] = __hmul2(y, weight[c]);
  }
}

// log of the sum of exponentials of columns: neighbouring threads,
// neighbouring columns; the threads of y share a column's rows.
extern "C" __global__ void log_sum_exp_columns(const float *in, float *out, int rows, int cols) {
  __shared__ float ms[8][33], ss[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float m = -INFINITY, s = 0;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += 8) {
      float v = in[r * cols + c], next = fmaxf(m, v);
      s = s * exp2f((m - next) * 1.44269504f) + exp2f((v - next) * 1.44269504f);
      m = next;
    }
  ms[threadIdx.y][threadIdx.x] = m;
  ss[threadIdx.y][threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.y != 0 || c >= cols)
    return;
  for (int y = 1; y < 8; ++y)
    m = fmaxf(m, ms[y][threadIdx.x]);
  s = 0;
  for (int y = 0; y < 8; ++y)
    s += ss[y][threadIdx.x] * exp2f((ms[y][threadIdx.x] - m) * 1.44269504f);
  out[c] = m + logf(s);
}
