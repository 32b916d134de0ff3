// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A B with wgmma, in the steps of P. Shankhdhar's worklog (https://cudaforfun.substack.com/p/outperforming-cublas-on-h100-a-worklog),
// rewritten from its description. A is row-major, B and C are column-major, all of bf16. Tiles divide the sizes. Tensor
// maps have boxes of TILE x 64 elements, swizzled by 128 bytes.

#include <cuda.h>
#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;
constexpr int kDepth = 64, kInstK = 16, kGroup = 128;

// mbarriers.

__device__ unsigned shared_address(const void *pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

__device__ void initialize(unsigned long long *barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ void expect(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

__device__ void arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void arrive_at(unsigned long long *barrier, unsigned rank) {
  asm volatile("{\n"
               ".reg .b32 remote;\n"
               "mapa.shared::cluster.u32 remote, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
               "}" ::"r"(shared_address(barrier)), "r"(rank) : "memory");
}

__device__ void wait(unsigned long long *barrier, unsigned parity) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@done bra.uni end;\n"
               "bra.uni again;\n"
               "end:\n"
               "}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// Copies.

__device__ void load(bf16 *to, const CUtensorMap *map, unsigned long long *barrier, int k, int row) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
                   "r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)), "r"(k), "r"(row)
               : "memory");
}

__device__ void load_multicast(bf16 *to, const CUtensorMap *map, unsigned long long *barrier, int k, int row,
                               unsigned short mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)),
               "r"(k), "r"(row), "h"(mask)
               : "memory");
}

// wgmma.

/// The matrix descriptor of a tile whose rows have 128 bytes, swizzled.
__device__ unsigned long long descriptor(const bf16 *tile) {
  unsigned long long address = (shared_address(tile) & 0x3ffff) >> 4;
  return address | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define REGISTERS_8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define REGISTERS_32(i) REGISTERS_8(i), REGISTERS_8(i + 8), REGISTERS_8(i + 16), REGISTERS_8(i + 24)

template <int N> __device__ void multiply(float (&d)[N / 2], unsigned long long a, unsigned long long b);

template <> __device__ void multiply<64>(float (&d)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
               "}, %32, %33, 1, 1, 1, 0, 0;" : REGISTERS_32(0) : "l"(a), "l"(b));
}

template <> __device__ void multiply<128>(float (&d)[64], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
               "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
               "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63"
               "}, %64, %65, 1, 1, 1, 0, 0;"
               : REGISTERS_32(0), REGISTERS_32(32) : "l"(a), "l"(b));
}

template <> __device__ void multiply<192>(float (&d)[96], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
               "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
               "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
               "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
               "}, %96, %97, 1, 1, 1, 0, 0;"
               : REGISTERS_32(0), REGISTERS_32(32), REGISTERS_32(64) : "l"(a), "l"(b));
}

template <> __device__ void multiply<256>(float (&d)[128], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
               "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
               "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
               "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
               "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, "
               "%101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
               "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
               "}, %128, %129, 1, 1, 1, 0, 0;"
               : REGISTERS_32(0), REGISTERS_32(32), REGISTERS_32(64), REGISTERS_32(96) : "l"(a), "l"(b));
}

/// The product of a tile of A's rows and one of B's columns, added to the sums of a warpgroup.
template <int M, int N> __device__ void multiply_tiles(float (&sums)[M / 64][N / 2], const bf16 *a, const bf16 *b) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int part = 0; part < M / 64; ++part)
#pragma unroll
    for (int k = 0; k < kDepth; k += kInstK)
      multiply<N>(sums[part], descriptor(a + part * 64 * kDepth + k), descriptor(b + k));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// Stores the sums of a warpgroup to C, column by column, with evict-first accesses.
template <int M, int N> __device__ void store(const float (&sums)[M / 64][N / 2], bf16 *c, int m) {
  int thread = threadIdx.x % kGroup;
  int row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
#pragma unroll
  for (int part = 0; part < M / 64; ++part)
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      int at_m = part * 64 + row + (i & 2) * 4, at_n = i / 4 * 8 + column + (i & 1);
      __stwt(&c[at_n * m + at_m], __float2bfloat16(sums[part][i]));
    }
}

extern __shared__ __align__(1024) bf16 memory[];

// Without stages: one thread loads, and all warpgroups wait for it. Each has a part of the rows.

template <int M, int N, int GROUPS>
__device__ void without_stages(const CUtensorMap &a_map, const CUtensorMap &b_map, bf16 *c, int m, int n, int k) {
  __shared__ unsigned long long barrier;
  bf16 *a = memory, *b = memory + M * kDepth;
  int row = blockIdx.x % (m / M), column = blockIdx.x / (m / M);
  if (threadIdx.x == 0) {
    initialize(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  constexpr int own = M / GROUPS;
  int group = threadIdx.x / kGroup;
  float sums[own / 64][N / 2] = {};
  for (int step = 0; step < k / kDepth; ++step) {
    if (threadIdx.x == 0) {
      expect(&barrier, (M + N) * kDepth * sizeof(bf16));
      load(a, &a_map, &barrier, step * kDepth, row * M);
      load(b, &b_map, &barrier, step * kDepth, column * N);
    }
    wait(&barrier, step & 1);
    multiply_tiles<own, N>(sums, a + group * own * kDepth, b);
    __syncthreads();
  }
  store<own, N>(sums, c + column * N * m + row * M + group * own, m);
}

/// Waits until no block of the cluster accesses the memory of another one.
template <int CLUSTER> __device__ void leave_cluster() {
  if (CLUSTER == 1)
    return;
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// With stages: a warpgroup loads, CONSUMERS warpgroups compute. PERSISTENT blocks take tiles in groups of 16 x 8. The
// blocks of a cluster have neighbouring rows of tiles, and share the tiles of B.

template <int M, int N, int STAGES, int CONSUMERS, bool PERSISTENT, int CLUSTER>
__device__ void with_stages(const CUtensorMap &a_map, const CUtensorMap &b_map, bf16 *c, int m, int n, int k) {
  __shared__ unsigned long long full[STAGES], empty[STAGES];
  constexpr int own = M / CONSUMERS, b_part = N / CLUSTER;
  bf16 *a = memory, *b = memory + STAGES * M * kDepth;
  int rank = CLUSTER > 1 ? blockIdx.x % CLUSTER : 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      initialize(&full[i], 1);
      initialize(&empty[i], CONSUMERS * CLUSTER);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  if (CLUSTER > 1) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    __syncthreads();
  }
  int rows = m / M, columns = n / N, steps = k / kDepth;
  int first = PERSISTENT ? blockIdx.x : 0, count = PERSISTENT ? rows * columns : 1;
  int stride = PERSISTENT ? gridDim.x : 1;
  auto tile_of = [&](int number, int &row, int &column) {
    if (!PERSISTENT) {
      row = blockIdx.x % rows;
      column = blockIdx.x / rows;
      return;
    }
    // Groups of 16 rows and 8 columns of tiles, one right of the other.
    int group = number / 128, inside = number % 128;
    row = group / (columns / 8) * 16 + inside % 16;
    column = group % (columns / 8) * 8 + inside / 16;
  };
  int stage = 0, phase = 0;
  auto advance = [&]() {
    if (++stage == STAGES) {
      stage = 0;
      phase ^= 1;
    }
  };
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    for (int number = first; number < count && threadIdx.x == 0; number += stride) {
      int row, column;
      tile_of(number, row, column);
      for (int step = 0; step < steps; ++step, advance()) {
        wait(&empty[stage], phase ^ 1);
        expect(&full[stage], (M + N) * kDepth * sizeof(bf16));
        load(a + stage * M * kDepth, &a_map, &full[stage], step * kDepth, row * M);
        bf16 *to = b + stage * N * kDepth + rank * b_part * kDepth;
        int at = column * N + rank * b_part;
        if (CLUSTER > 1)
          load_multicast(to, &b_map, &full[stage], step * kDepth, at, (1 << CLUSTER) - 1);
        else
          load(to, &b_map, &full[stage], step * kDepth, at);
      }
    }
    leave_cluster<CLUSTER>();
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  int consumer = threadIdx.x / kGroup - 1, thread = threadIdx.x % kGroup;
  for (int number = first; number < count; number += stride) {
    int row, column;
    tile_of(number, row, column);
    float sums[own / 64][N / 2] = {};
    for (int step = 0; step < steps; ++step, advance()) {
      wait(&full[stage], phase);
      multiply_tiles<own, N>(sums, a + (stage * M + consumer * own) * kDepth, b + stage * N * kDepth);
      if (CLUSTER > 1) {
        if (thread < CLUSTER)
          arrive_at(&empty[stage], thread);
      } else if (thread == 0) {
        arrive(&empty[stage]);
      }
    }
    store<own, N>(sums, c + column * N * m + row * M + consumer * own, m);
  }
  leave_cluster<CLUSTER>();
}

#define KERNEL(name, threads, ...)                                                                                     \
  extern "C" __global__ void __launch_bounds__(threads) __VA_ARGS__ name(                                              \
      const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, bf16 *c, int m, int n, int k)

KERNEL(tile_64x64, 128) { without_stages<64, 64, 1>(a_map, b_map, c, m, n, k); }
KERNEL(tile_128x128, 128) { without_stages<128, 128, 1>(a_map, b_map, c, m, n, k); }
KERNEL(tile_192x192, 384) { without_stages<192, 192, 3>(a_map, b_map, c, m, n, k); }
KERNEL(specialized, 256) { with_stages<128, 128, 5, 1, false, 1>(a_map, b_map, c, m, n, k); }
KERNEL(tile_128x256, 384) { with_stages<128, 256, 3, 2, false, 1>(a_map, b_map, c, m, n, k); }
KERNEL(mbarriers, 384) { with_stages<128, 256, 3, 2, true, 1>(a_map, b_map, c, m, n, k); }
KERNEL(cluster, 384, __cluster_dims__(2)) { with_stages<128, 256, 3, 2, true, 2>(a_map, b_map, c, m, n, k); }
