// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls on the tensor cores in every type of sm_80, on plain cores
// with blocks of registers, and attention.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <mma.h>

static __device__ __forceinline__ uint32_t shared(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}

template <bool trans> static __device__ __forceinline__ void ldmatrix4(uint32_t (&r)[4], const void *p) {
  if (trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(p)) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared(p)) : "memory");
}
template <bool trans> static __device__ __forceinline__ void ldmatrix2(uint32_t (&r)[2], const void *p) {
  if (trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)) : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(shared(p)) : "memory");
}

#define MMA_F32(shape, types, d, a, b)                                                             \
  asm volatile("mma.sync.aligned." shape ".row.col." types                                         \
               " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                            \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// A warp per 16x8 tile of C; A [m,k] and B [k,n] row-major with zeros beyond
// their borders.
template <class T> static __device__ __forceinline__ void
loadTiles(T (*as)[24], T (*bs)[8], const T *a, const T *b, int row, int col, int m, int n, int k, int k0) {
  int lane = threadIdx.x;
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    int r = row + i / 16, c = k0 + i % 16;
    as[i / 16][i % 16] = r < m && c < k ? a[r * k + c] : T(0.0f);
  }
  for (int i = lane; i < 128; i += 32) {
    int r = k0 + i / 8, c = col + i % 8;
    bs[i / 8][i % 8] = r < k && c < n ? b[r * n + c] : T(0.0f);
  }
  __syncwarp();
}

extern "C" __global__ void mma_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int m, int n, int k) {
  __shared__ __align__(16) __nv_bfloat16 as[16][24], bs[16][8];
  int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
  float d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    loadTiles(as, bs, a, b, row, col, m, n, k, k0);
    uint32_t fa[4], fb[2];
    ldmatrix4<false>(fa, &as[lane % 16][lane / 16 * 8]);
    ldmatrix2<true>(fb, bs[lane % 16]);
    MMA_F32("m16n8k16", "f32.bf16.bf16.f32", d, fa, fb);
  }
  for (int i = 0; i < 4; ++i) {
    int r = row + lane / 4 + i / 2 * 8, q = col + lane % 4 * 2 + i % 2;
    if (r < m && q < n)
      c[r * n + q] = d[i];
  }
}

// Accumulates and gives f16.
extern "C" __global__ void mma_f16(const __half *a, const __half *b, __half *c, int m, int n, int k) {
  __shared__ __align__(16) __half as[16][24], bs[16][8];
  int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
  uint32_t d[2] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    loadTiles(as, bs, a, b, row, col, m, n, k, k0);
    uint32_t fa[4], fb[2];
    ldmatrix4<false>(fa, &as[lane % 16][lane / 16 * 8]);
    ldmatrix2<true>(fb, bs[lane % 16]);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(d[0]), "+r"(d[1]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int i = 0; i < 4; ++i) {
    int r = row + lane / 4 + i / 2 * 8, q = col + lane % 4 * 2 + i % 2;
    if (r < m && q < n)
      c[r * n + q] = __ushort_as_half(d[i / 2] >> i % 2 * 16);
  }
}

// f32 operands rounded to tf32; fragments straight from global memory.
extern "C" __global__ void mma_tf32(const float *a, const float *b, float *c, int m, int n, int k) {
  int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
  float d[4] = {};
  auto tf32 = [](float v) {
    uint32_t r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
  };
  for (int k0 = 0; k0 < k; k0 += 8) {
    uint32_t fa[4], fb[2];
    for (int i = 0; i < 4; ++i) {
      int r = row + lane / 4 + i % 2 * 8, q = k0 + lane % 4 + i / 2 * 4;
      fa[i] = tf32(r < m && q < k ? a[r * k + q] : 0);
    }
    for (int i = 0; i < 2; ++i) {
      int r = k0 + lane % 4 + i * 4, q = col + lane / 4;
      fb[i] = tf32(r < k && q < n ? b[r * n + q] : 0);
    }
    MMA_F32("m16n8k8", "f32.tf32.tf32.f32", d, fa, fb);
  }
  for (int i = 0; i < 4; ++i) {
    int r = row + lane / 4 + i / 2 * 8, q = col + lane % 4 * 2 + i % 2;
    if (r < m && q < n)
      c[r * n + q] = d[i];
  }
}

// Bytes: A row-major, B column-major, both through ldmatrix as pairs.
extern "C" __global__ void mma_s8(const signed char *a, const signed char *b, int *c, int m, int n, int k) {
  __shared__ __align__(16) signed char as[16][48], bs[8][48];
  int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8, d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    __syncwarp();
    for (int i = 0; i < 16; ++i)
      as[i][lane] = row + i < m && k0 + lane < k ? a[(row + i) * k + k0 + lane] : 0;
    for (int i = 0; i < 8; ++i)
      bs[i][lane] = col + i < n && k0 + lane < k ? b[(col + i) * k + k0 + lane] : 0;
    __syncwarp();
    uint32_t fa[4], fb[2];
    ldmatrix4<false>(fa, &as[lane % 16][lane / 16 * 16]);
    ldmatrix2<false>(fb, &bs[lane % 8][lane / 8 % 2 * 16]);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int i = 0; i < 4; ++i) {
    int r = row + lane / 4 + i / 2 * 8, q = col + lane % 4 * 2 + i % 2;
    if (r < m && q < n)
      c[r * n + q] = d[i];
  }
}

extern "C" __global__ void mma_f64(const double *a, const double *b, double *c, int m, int n, int k) {
  int lane = threadIdx.x, row = blockIdx.y * 8, col = blockIdx.x * 8;
  double d[2] = {};
  for (int k0 = 0; k0 < k; k0 += 4) {
    int r = row + lane / 4, q = k0 + lane % 4, s = col + lane / 4;
    double fa = r < m && q < k ? a[r * k + q] : 0, fb = q < k && s < n ? b[q * n + s] : 0;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1]) : "d"(fa), "d"(fb));
  }
  for (int i = 0; i < 2; ++i) {
    int r = row + lane / 4, q = col + lane % 4 * 2 + i;
    if (r < m && q < n)
      c[r * n + q] = d[i];
  }
}

using namespace nvcuda;

// wmma of bytes and of bf16, B column-major, results through shared memory.
extern "C" __global__ void wmma_s8(const signed char *a, const signed char *b, int *c, int n, int k) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::fill_fragment(fc, 0);
  int row = blockIdx.y * 32, col = blockIdx.x * 8;
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::load_matrix_sync(fa, a + row * k + k0, k);
    wmma::load_matrix_sync(fb, b + col * k + k0, k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bf16_relu(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *c, int n, int k) {
  __shared__ float tile[16][20];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.5f);
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::load_matrix_sync(fa, a + row * k + k0, k);
    wmma::load_matrix_sync(fb, b + col * k + k0, k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; ++i)
    fc.x[i] = fmaxf(fc.x[i], 0.0f);
  wmma::store_matrix_sync(&tile[0][0], fc, 20, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    c[(row + i / 16) * n + col + i % 16] = __float2bfloat16(tile[i / 16][i % 16]);
}

// 32x32 of C per block of 64 threads, 4x4 per thread; any sizes.
extern "C" __global__ void gemm_register_blocked(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[8][32], bs[8][32];
  int t = threadIdx.x, tx = t % 8 * 4, ty = t / 8 * 4, row = blockIdx.y * 32, col = blockIdx.x * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    __syncthreads();
    for (int i = t; i < 256; i += 64) {
      int r = row + i / 8, q = k0 + i % 8;
      as[i % 8][i / 8] = r < m && q < k ? a[r * k + q] : 0;
      r = k0 + i / 32, q = col + i % 32;
      bs[i / 32][i % 32] = r < k && q < n ? b[r * n + q] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      float4 x = *(float4 *)&as[kk][ty], y = *(float4 *)&bs[kk][tx];
      float xs[] = {x.x, x.y, x.z, x.w}, ys[] = {y.x, y.y, y.z, y.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          acc[i][j] = fmaf(xs[i], ys[j], acc[i][j]);
    }
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + ty + i < m && col + tx + j < n)
        c[(row + ty + i) * n + col + tx + j] = acc[i][j];
}

// Split along k over blocks in a fixed order: partial
// results and a second pass by the last block of each tile.
extern "C" __global__ void gemm_split_k(const float *a, const float *b, float *partial, float *c,
                                        unsigned *arrived, int n, int k) {
  __shared__ bool last;
  int tile = blockIdx.x * 8 * n + threadIdx.y * n + blockIdx.y * 8 + threadIdx.x;
  int part = (k + gridDim.z - 1) / gridDim.z, begin = blockIdx.z * part, end = min(k, begin + part);
  float sum = 0;
  for (int i = begin; i < end; ++i)
    sum = fmaf(a[(blockIdx.x * 8 + threadIdx.y) * k + i], b[i * n + blockIdx.y * 8 + threadIdx.x], sum);
  partial[blockIdx.z * n * n + tile] = sum;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    __threadfence();
    last = atomicAdd(&arrived[blockIdx.x * gridDim.y + blockIdx.y], 1) == gridDim.z - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last)
    return;
  sum = 0;
  for (int z = 0; z < int(gridDim.z); ++z)
    sum += __ldcg(&partial[z * n * n + tile]);
  c[tile] = sum;
}

// Attention of one warp over 16 queries with head size 16, keys in steps of
// 16: online softmax, P from accumulators straight into A fragments.
extern "C" __global__ void attention(const __half *q, const __half *k, const __half *v, float *o,
                                     int queries, int keys, int causal) {
  __shared__ __align__(16) __half qs[16][24], ks[16][24], vs[16][24];
  int lane = threadIdx.x, row0 = blockIdx.x * 16;
  auto load = [&](__half (*to)[24], const __half *from, int first, int size) {
    for (int i = lane; i < 256; i += 32)
      to[i / 16][i % 16] = first + i / 16 < size ? from[(first + i / 16) * 16 + i % 16] : __half(0.0f);
  };
  load(qs, q, row0, queries);
  __syncwarp();
  uint32_t fq[4];
  ldmatrix4<false>(fq, &qs[lane % 16][lane / 16 * 8]);
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {}, out[2][4] = {};
  for (int k0 = 0; k0 < keys && (!causal || k0 < row0 + 16); k0 += 16) {
    __syncwarp();
    load(ks, k, k0, keys);
    load(vs, v, k0, keys);
    __syncwarp();
    float s[2][4] = {};
    uint32_t fk[4], fv[4], fp[4];
    ldmatrix4<false>(fk, &ks[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {fk[2 * j], fk[2 * j + 1]};
      MMA_F32("m16n8k16", "f32.f16.f16.f32", s[j], fq, b);
    }
    for (int h = 0; h < 2; ++h) {
      float now = most[h];
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
          int key = k0 + j * 8 + lane % 4 * 2 + i, query = row0 + lane / 4 + h * 8;
          float &x = s[j][2 * h + i];
          x = key < keys && (!causal || key <= query) ? x * 0.25f * 1.44269504f : -INFINITY;
          now = fmaxf(now, x);
        }
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      float scale = exp2f(most[h] - now), part = 0;
      most[h] = now;
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i)
          part += s[j][2 * h + i] = exp2f(s[j][2 * h + i] - now);
      part += __shfl_xor_sync(~0u, part, 1);
      part += __shfl_xor_sync(~0u, part, 2);
      sum[h] = sum[h] * scale + part;
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i)
          out[j][2 * h + i] *= scale;
    }
    for (int i = 0; i < 4; ++i) {
      __half2 pair = __floats2half2_rn(s[i / 2][i % 2 * 2], s[i / 2][i % 2 * 2 + 1]);
      fp[i] = *(uint32_t *)&pair;
    }
    ldmatrix4<true>(fv, &vs[lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {fv[2 * j], fv[2 * j + 1]};
      MMA_F32("m16n8k16", "f32.f16.f16.f32", out[j], fp, b);
    }
  }
  for (int h = 0; h < 2; ++h)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        int query = row0 + lane / 4 + h * 8;
        if (query < queries)
          o[query * 16 + j * 8 + lane % 4 * 2 + i] = out[j][2 * h + i] / sum[h];
      }
}
