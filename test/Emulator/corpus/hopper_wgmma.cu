// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// wgmma in every type: one warpgroup computes 64 x 16 of C per block; both
// operands as rows along k in shared memory, put there by the threads.

#include "hopper.cuh"
#include <cuda_fp16.h>

// Registers of an accumulator of 64x16: 8 per thread.
#define D_F32(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define D_S32(d) "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
#define REGS "{%0,%1,%2,%3,%4,%5,%6,%7}"

// Without a swizzle: pieces of 8 rows x 16 bytes, 128 bytes each, one after
// the other along the rows, then along k.
static __device__ __forceinline__ int plain(int row, int byte, int rows) {
  return byte / 16 * (rows * 16) + row * 16 + byte % 16;
}
// Rows of 128 bytes (64, 32), 16-byte pieces xor-ed with the row.
template <int width> static __device__ __forceinline__ int swizzled(int row, int byte) {
  int i = row * width + byte;
  return i ^ (i >> 3 & (width - 16));
}

template <class T> static __device__ void store(T *c, const T *d, int n) {
  int t = threadIdx.x, row = blockIdx.y * 64 + t / 32 * 16 + t % 32 / 4, col = blockIdx.x * 16 + t % 4 * 2;
  for (int i = 0; i < 8; ++i)
    c[(row + i / 2 % 2 * 8) * n + col + i / 4 * 8 + i % 2] = d[i];
}

// Bytes of A [m,k] and B [n,k]; 32 bytes of k in a step are one instruction.
template <class Multiply>
static __device__ void plainLoop(const uint8_t *a, const uint8_t *b, int bytes, Multiply multiply) {
  __shared__ __align__(128) uint8_t as[64 * 32], bs[16 * 32];
  a += size_t(blockIdx.y) * 64 * bytes;
  b += size_t(blockIdx.x) * 16 * bytes;
  for (int k0 = 0; k0 < bytes; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 32; i += 128)
      as[plain(i / 32, i % 32, 64)] = a[i / 32 * bytes + k0 + i % 32];
    for (int i = threadIdx.x; i < 16 * 32; i += 128)
      bs[plain(i / 32, i % 32, 16)] = b[i / 32 * bytes + k0 + i % 32];
    fenceAsync();
    __syncthreads();
    wgmmaFence();
    multiply(descriptor(as, 1024, 128, 0), descriptor(bs, 256, 128, 0));
    wgmmaCommit();
    wgmmaWait<0>();
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(128) wgmma_tf32(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8] = {};
  plainLoop(a, b, bytes, [&](uint64_t x, uint64_t y) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 " REGS ", %8, %9, 1, 1, 1;" : D_F32(d) : "l"(x), "l"(y));
  });
  store(c, d, n);
}
extern "C" __global__ void __launch_bounds__(128) wgmma_e4m3(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8] = {};
  plainLoop(a, b, bytes, [&](uint64_t x, uint64_t y) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 " REGS ", %8, %9, 1, 1, 1;" : D_F32(d) : "l"(x), "l"(y));
  });
  store(c, d, n);
}
// C = -A B + 1 with mixed kinds of fp8.
extern "C" __global__ void __launch_bounds__(128) wgmma_e5m2(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  plainLoop(a, b, bytes, [&](uint64_t x, uint64_t y) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.f32.e5m2.e4m3 " REGS ", %8, %9, 1, -1, 1;" : D_F32(d) : "l"(x), "l"(y));
  });
  store(c, d, n);
}
extern "C" __global__ void __launch_bounds__(128) wgmma_s8(const uint8_t *a, const uint8_t *b, int *c, int n, int bytes) {
  int d[8] = {};
  plainLoop(a, b, bytes, [&](uint64_t x, uint64_t y) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 " REGS ", %8, %9, 1;" : D_S32(d) : "l"(x), "l"(y));
  });
  store(c, d, n);
}

// A of 64 x k and B of 16 x k with a swizzle of `width` bytes: width / 32
// instructions per step, which go along the row by 32 bytes.
template <int width, class Multiply>
static __device__ void swizzledLoop(const uint8_t *a, const uint8_t *b, int bytes, Multiply multiply) {
  __shared__ __align__(1024) uint8_t as[64 * width], bs[16 * width];
  constexpr uint64_t layout = width == 128 ? 1 : width == 64 ? 2 : 3;
  a += size_t(blockIdx.y) * 64 * bytes;
  b += size_t(blockIdx.x) * 16 * bytes;
  bool accumulate = false;
  for (int k0 = 0; k0 < bytes; k0 += width) {
    for (int i = threadIdx.x; i < 64 * width; i += 128)
      as[swizzled<width>(i / width, i % width)] = a[i / width * bytes + k0 + i % width];
    for (int i = threadIdx.x; i < 16 * width; i += 128)
      bs[swizzled<width>(i / width, i % width)] = b[i / width * bytes + k0 + i % width];
    fenceAsync();
    __syncthreads();
    wgmmaFence();
#pragma unroll
    for (int step = 0; step < width / 32; ++step) {
      multiply(descriptor(as + step * 32, 16, 8 * width, layout), descriptor(bs + step * 32, 16, 8 * width, layout), accumulate);
      accumulate = true;
    }
    wgmmaCommit();
    wgmmaWait<0>();
    __syncthreads();
  }
}
#define WGMMA_16(type)                                                                             \
  [&](uint64_t x, uint64_t y, int accumulate) {                                                    \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %10, 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32." type "." type " " REGS              \
                 ", %8, %9, p, 1, 1, 0, 0;\n}" : D_F32(d) : "l"(x), "l"(y), "r"(accumulate));      \
  }

extern "C" __global__ void __launch_bounds__(128) wgmma_f16_swizzle_128(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8];
  swizzledLoop<128>(a, b, bytes, WGMMA_16("f16"));
  store(c, d, n);
}
extern "C" __global__ void __launch_bounds__(128) wgmma_f16_swizzle_64(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8];
  swizzledLoop<64>(a, b, bytes, WGMMA_16("f16"));
  store(c, d, n);
}
extern "C" __global__ void __launch_bounds__(128) wgmma_bf16_swizzle_32(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  float d[8];
  swizzledLoop<32>(a, b, bytes, WGMMA_16("bf16"));
  store(c, d, n);
}

// A from registers, the next fragments loaded while wgmma runs; accumulates
// and gives f16.
extern "C" __global__ void __launch_bounds__(128) wgmma_registers(const __half *a, const uint8_t *b, __half *c, int n, int bytes) {
  __shared__ __align__(1024) uint8_t bs[16 * 128];
  int t = threadIdx.x, k = bytes / 2, row = blockIdx.y * 64 + t / 32 * 16 + t % 32 / 4;
  b += size_t(blockIdx.x) * 16 * bytes;
  uint32_t d[4] = {}, f[2][4];
  auto load = [&](uint32_t (&to)[4], int k0) {
    for (int i = 0; i < 4; ++i)
      to[i] = *(const uint32_t *)(a + (row + i % 2 * 8) * k + k0 + t % 4 * 2 + i / 2 * 8);
  };
  for (int k0 = 0; k0 < k; k0 += 64) {
    for (int i = t; i < 16 * 128; i += 128)
      bs[swizzled<128>(i / 128, i % 128)] = b[i / 128 * bytes + k0 * 2 + i % 128];
    load(f[0], k0);
    fenceAsync();
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      wgmmaFence();
      asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(f[step % 2][0]), "r"(f[step % 2][1]), "r"(f[step % 2][2]), "r"(f[step % 2][3]),
                     "l"(descriptor(bs + step * 32, 16, 1024, 1)));
      wgmmaCommit();
      if (step < 3)
        load(f[(step + 1) % 2], k0 + step * 16 + 16);
      wgmmaWait<0>();
    }
    __syncthreads();
  }
  int col = blockIdx.x * 16 + t % 4 * 2;
  for (int i = 0; i < 4; ++i)
    *(uint32_t *)(c + (row + i % 2 * 8) * n + col + i / 2 * 8) = d[i];
}

// B with n as its inner dimension ([k,n], 16 columns, a swizzle of 32 bytes):
// the transposed major.
extern "C" __global__ void __launch_bounds__(128) wgmma_n_major(const uint8_t *a, const uint8_t *b, float *c, int n, int bytes) {
  __shared__ __align__(1024) uint8_t as[64 * 32], bs[16 * 32];
  int k = bytes / 2;
  a += size_t(blockIdx.y) * 64 * bytes;
  float d[8] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = threadIdx.x; i < 64 * 32; i += 128)
      as[swizzled<32>(i / 32, i % 32)] = a[i / 32 * bytes + k0 * 2 + i % 32];
    for (int i = threadIdx.x; i < 16 * 32; i += 128)
      bs[swizzled<32>(i / 32, i % 32)] = b[(k0 + i / 32) * n * 2 + blockIdx.x * 32 + i % 32];
    fenceAsync();
    __syncthreads();
    wgmmaFence();
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " REGS ", %8, %9, 1, 1, 1, 0, 1;"
                 : D_F32(d) : "l"(descriptor(as, 16, 256, 3)), "l"(descriptor(bs, 512, 256, 3)));
    wgmmaCommit();
    wgmmaWait<0>();
    __syncthreads();
  }
  store(c, d, n);
}

// A producer warp with the copy engine, two warpgroups that multiply 64x64
// each, 3 stages of 64 of k; registers go from one to the others.
extern "C" __global__ void __launch_bounds__(384, 1)
wgmma_specialized(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, int n, int k) {
  constexpr int stages = 3, aBytes = 128 * 128, bBytes = 64 * 128;
  extern __shared__ __align__(1024) uint8_t ring[];
  __shared__ uint64_t full[stages], empty[stages];
  int t = threadIdx.x, group = t / 128, row0 = blockIdx.y * 128, col0 = blockIdx.x * 64;
  if (t == 0) {
    for (int s = 0; s < stages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 2);
    }
    fenceInit();
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (t == 0)
      for (int step = 0; step < k / 64; ++step) {
        int s = step % stages;
        wait(&empty[s], (step / stages & 1) ^ 1);
        uint8_t *as = ring + s * (aBytes + bBytes), *bs = as + aBytes;
        arriveExpect(&full[s], aBytes + bBytes);
        tensorLoad(as, &a, step * 64, row0, &full[s]);
        tensorLoad(bs, &b, step * 64, col0, &full[s]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float d[32];
  for (float &v : d)
    v = 0;
  for (int step = 0; step < k / 64; ++step) {
    int s = step % stages;
    wait(&full[s], step / stages & 1);
    uint8_t *as = ring + s * (aBytes + bBytes) + (group - 1) * 64 * 128, *bs = ring + s * (aBytes + bBytes) + aBytes;
    wgmmaFence();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                   "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                   "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                     "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                     "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                   : "l"(descriptor(as + i * 32, 16, 1024, 1)), "l"(descriptor(bs + i * 32, 16, 1024, 1)));
    wgmmaCommit();
    wgmmaWait<0>();
    // The wait is for the products of all four warps: the slot may be filled again.
    if (t % 128 == 0)
      arrive(&empty[s]);
  }
  int row = row0 + (group - 1) * 64 + t % 128 / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
  for (int i = 0; i < 32; ++i)
    c[(row + i / 2 % 2 * 8) * n + col + i / 4 * 8 + i % 2] = d[i];
}

// Fragments of mma to rows by stmatrix, both ways: C and its transpose.
extern "C" __global__ void store_matrices(const __half *a, const __half *b, __half *c, __half *transposed) {
  __shared__ __align__(16) __half tile[16][16], turned[16][16];
  int t = threadIdx.x, product = blockIdx.x * 256;
  a += product;
  b += product;
  c += product;
  transposed += product;
  uint32_t fa[4], fb[4], d[2][2] = {};
  for (int i = 0; i < 4; ++i) {
    fa[i] = *(const uint32_t *)(a + (t / 4 + i % 2 * 8) * 16 + t % 4 * 2 + i / 2 * 8);
    // B column-major: fragments 0 and 1 of columns 0-7, 2 and 3 of 8-15.
    fb[i] = *(const uint32_t *)(b + (t / 4 + i / 2 * 8) * 16 + t % 4 * 2 + i % 2 * 8);
  }
  for (int j = 0; j < 2; ++j)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(d[j][0]), "+r"(d[j][1])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
  // Lanes 8 i to 8 i + 7 give the rows of matrix i.
  int row = t % 16, col = t / 16 * 8;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
               ::"r"(shared(&tile[row][col])), "r"(d[0][0]), "r"(d[0][1]), "r"(d[1][0]), "r"(d[1][1]) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};"
               ::"r"(shared(&turned[t % 8 + t / 16 * 8][t / 8 % 2 * 8])), "r"(d[0][0]), "r"(d[0][1]), "r"(d[1][0]), "r"(d[1][1])
               : "memory");
  __syncwarp();
  for (int i = t; i < 256; i += 32) {
    c[i] = tile[i / 16][i % 16];
    transposed[i] = turned[i / 16][i % 16];
  }
}
