// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils, convolutions, sparse products, and other numerical kernels.

#include <cstdint>

__constant__ float kernel2d[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

// 1-D with a halo of `radius` on both sides, clamped at the ends.
extern "C" __global__ void stencil_1d(const float *in, float *out, int n, int radius) {
  extern __shared__ float s[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  auto clamp = [&](int j) { return in[min(max(j, 0), n - 1)]; };
  s[t + radius] = clamp(i);
  if (t < radius) {
    s[t] = clamp(i - radius);
    s[t + radius + blockDim.x] = clamp(i + int(blockDim.x));
  }
  __syncthreads();
  if (i >= n)
    return;
  float sum = 0;
  for (int d = -radius; d <= radius; ++d)
    sum += s[t + radius + d];
  out[i] = sum / (2 * radius + 1);
}

// 7 points in 3-D: planes in shared memory, the third dimension in registers.
extern "C" __global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz) {
  __shared__ float plane[6][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  auto at = [&](int i, int j, int k) {
    return i < 0 || i >= nx || j < 0 || j >= ny || k < 0 || k >= nz ? 0.0f
                                                                    : in[(k * ny + j) * nx + i];
  };
  int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
  float below = 0, here = at(x, y, 0), above;
  for (int z = 0; z < nz; ++z, below = here, here = above) {
    above = at(x, y, z + 1);
    __syncthreads();
    plane[ly][lx] = here;
    if (lx == 1)
      plane[ly][0] = at(x - 1, y, z);
    if (lx == 16)
      plane[ly][17] = at(x + 1, y, z);
    if (ly == 1)
      plane[0][lx] = at(x, y - 1, z);
    if (ly == 4)
      plane[5][lx] = at(x, y + 1, z);
    __syncthreads();
    if (x < nx && y < ny)
      out[(z * ny + y) * nx + x] = plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] +
                                   plane[ly + 1][lx] + below + above - 6.0f * here;
  }
}

// Several steps of a 1-D wave per launch: time tiling in shared memory, the
// valid part shrinks.
extern "C" __global__ void stencil_time_tiled(const int *in, int *out, int n, int steps) {
  __shared__ int s[2][96];
  int t = threadIdx.x, core = 96 - 2 * steps, i = int(blockIdx.x) * core - steps + t;
  s[0][t] = i >= 0 && i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    int a = step & 1;
    if (t > step && t < 95 - step)
      s[1 - a][t] = i >= 0 && i < n ? s[a][t - 1] + 2 * s[a][t] + s[a][t + 1] : 0;
    __syncthreads();
  }
  if (t >= steps && t < 96 - steps && i < n)
    out[i] = s[steps & 1][t];
}

// A 5x5 filter from constant memory, with a halo, of 8-bit pixels.
extern "C" __global__ void convolution_2d(const uint8_t *in, uint8_t *out, int width, int height) {
  __shared__ uint8_t tile[12][36];
  int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 8 - 2;
  for (int j = threadIdx.y; j < 12; j += 8)
    for (int i = threadIdx.x; i < 36; i += 32) {
      int x = min(max(x0 + i, 0), width - 1), y = min(max(y0 + j, 0), height - 1);
      tile[j][i] = in[y * width + x];
    }
  __syncthreads();
  int x = x0 + 2 + threadIdx.x, y = y0 + 2 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 128;
#pragma unroll
  for (int j = 0; j < 5; ++j)
#pragma unroll
    for (int i = 0; i < 5; ++i)
      sum += kernel2d[j][i] * tile[threadIdx.y + j][threadIdx.x + i];
  out[y * width + x] = uint8_t(sum / 256);
}

// Multi-channel, stride 2, padding 1, 3x3, one output per thread: NCHW.
extern "C" __global__ void convolution_strided(const float *in, const float *w, float *out, int c,
                                               int k, int h, int oh) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, filter = blockIdx.y;
  if (p >= oh * oh)
    return;
  int oy = p / oh, ox = p % oh;
  float sum = 0;
  for (int channel = 0; channel < c; ++channel)
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) {
        int y = 2 * oy + dy - 1, x = 2 * ox + dx - 1;
        if (y >= 0 && y < h && x >= 0 && x < h)
          sum = fmaf(in[(channel * h + y) * h + x], w[((filter * c + channel) * 3 + dy) * 3 + dx], sum);
      }
  out[(filter * oh + oy) * oh + ox] = sum;
}

// Compressed rows, a thread each.
extern "C" __global__ void spmv_scalar(const int *rows, const int *columns, const double *values,
                                       const double *x, double *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n)
    return;
  double sum = 0;
  for (int i = rows[r]; i < rows[r + 1]; ++i)
    sum = fma(values[i], x[columns[i]], sum);
  y[r] = sum;
}

// Compressed rows, a warp each.
extern "C" __global__ void spmv_vector(const int *rows, const int *columns, const float *values,
                                       const float *x, float *y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n)
    return;
  float sum = 0;
  for (int i = rows[r] + lane, end = rows[r + 1]; i < end; i += 32)
    sum += values[i] * x[columns[i]];
  for (int d = 16; d; d >>= 1)
    sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0)
    y[r] = sum;
}

// All pairs, bodies in tiles through shared memory.
extern "C" __global__ void n_body(const float4 *bodies, float4 *forces, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float fx = 0, fy = 0, fz = 0;
  for (int base = 0; base < n; base += 64) {
    __syncthreads();
    int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 64; ++k) {
      float4 b = tile[k];
      float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float inverse = rsqrtf(r2), s = b.w * (inverse * inverse * inverse);
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
  }
  if (i < n)
    forces[i] = make_float4(fx, fy, fz, sqrtf(fx * fx + fy * fy + fz * fz));
}

// Lanes leave the loop at different times.
extern "C" __global__ void mandelbrot(unsigned short *out, int width, int height, float scale, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float cr = (x - width * 0.7f) * scale, ci = (y - height * 0.5f) * scale, r = 0, i = 0;
  int steps = 0;
  while (steps < limit) {
    float rr = r * r, ii = i * i;
    if (rr + ii > 4.0f)
      break;
    i = 2.0f * (r * i) + ci;
    r = rr - ii + cr;
    ++steps;
  }
  out[y * width + x] = steps;
}

// LU factorisation of a small matrix per block, with pivots.
extern "C" __global__ void lu_batched(float *matrices, int *pivots, int n) {
  extern __shared__ float a[];
  __shared__ int pivot;
  int t = threadIdx.x;
  float *mine = matrices + blockIdx.x * n * n;
  for (int i = t; i < n * n; i += blockDim.x)
    a[i] = mine[i];
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    if (t == 0) {
      pivot = k;
      for (int i = k + 1; i < n; ++i)
        if (fabsf(a[i * n + k]) > fabsf(a[pivot * n + k]))
          pivot = i;
      pivots[blockIdx.x * n + k] = pivot;
    }
    __syncthreads();
    if (pivot != k && t < n) {
      float v = a[k * n + t];
      a[k * n + t] = a[pivot * n + t];
      a[pivot * n + t] = v;
    }
    __syncthreads();
    if (t > k && t < n)
      a[t * n + k] /= a[k * n + k];
    __syncthreads();
    for (int i = k + 1 + t / 8; i < n; i += blockDim.x / 8)
      for (int j = k + 1 + t % 8; j < n; j += 8)
        a[i * n + j] = fmaf(-a[i * n + k], a[k * n + j], a[i * n + j]);
  }
  __syncthreads();
  for (int i = t; i < n * n; i += blockDim.x)
    mine[i] = a[i];
}

// Radix-2 FFT of 128 complex numbers in shared memory.
extern "C" __global__ void fft(const float2 *in, float2 *out) {
  __shared__ float2 s[128];
  int t = threadIdx.x, base = blockIdx.x * 128;
  for (int i = t; i < 128; i += 64)
    s[__brev(unsigned(i)) >> 25] = in[base + i];
  for (int half = 1; half < 128; half *= 2) {
    __syncthreads();
    int k = t % half, i = (t / half) * 2 * half + k;
    float sine, cosine;
    sincospif(-float(k) / half, &sine, &cosine);
    float2 a = s[i], b = s[i + half];
    float2 w = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    s[i] = make_float2(a.x + w.x, a.y + w.y);
    s[i + half] = make_float2(a.x - w.x, a.y - w.y);
  }
  __syncthreads();
  for (int i = t; i < 128; i += 64)
    out[base + i] = s[i];
}
