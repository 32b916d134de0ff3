// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A warp-specialised product of f16 matrices: one warp copies tiles through the tensor memory accelerator into a ring of
// stages, a warpgroup multiplies them. A is m x k, B is n x k, both row-major; C = A B^T is m x n, f32. The two blocks of
// a cluster share the rows of A: each loads one half of a tile of A and multicasts it to both.
//
// nvcc -ptx -arch=sm_90a -fmad=false -std=c++17 hopper_gemm.cu

#include <cuda/ptx>

#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int kTile = 64; // m, n and k of a tile; 128 bytes of k: one swizzle
constexpr int kStages = 3;
constexpr uint32_t kTileBytes = kTile * kTile * 2;

struct __align__(64) TensorMap {
  char bytes[128];
};

struct Shared {
  uint16_t a[kStages][kTile * kTile];
  uint16_t b[kStages][kTile * kTile];
  uint64_t full[kStages], empty[kStages];
};

__device__ void waitParity(uint64_t *barrier, uint32_t parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
    ;
}

__device__ bool elected() {
  uint32_t result;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(result));
  return result;
}

__device__ uint64_t *mapToRank(uint64_t *local, uint32_t rank) {
  uint64_t result;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(local), "r"(rank));
  return reinterpret_cast<uint64_t *>(result);
}

__device__ uint64_t descriptor(const void *tile) {
  uint64_t address = __cvta_generic_to_shared(tile);
  return (address & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
               "%32, %33, p, 1, 1, 0, 0;\n}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                 "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                 "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                 "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                 "+f"(d[30]), "+f"(d[31])
               : "l"(a), "l"(b));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160)
    hopper_gemm(const __grid_constant__ TensorMap mapA, const __grid_constant__ TensorMap mapB, float *c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared &shared = *reinterpret_cast<Shared *>(raw);
  uint32_t rank = ptx::get_sreg_cluster_ctarank();
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&shared.full[i], 1);
      ptx::mbarrier_init(&shared.empty[i], 2 * 4); // a warp each, of both blocks
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);

  int tiles = k / kTile, row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  if (threadIdx.x >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (elected()) {
      for (int tile = 0; tile < tiles; ++tile) {
        int stage = tile % kStages;
        waitParity(&shared.empty[stage], (tile / kStages & 1) ^ 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full[stage],
                                       2 * kTileBytes);
        const int32_t placeA[2] = {tile * kTile, row + int(rank) * kTile / 2};
        const int32_t placeB[2] = {tile * kTile, column};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.a[stage] + rank * kTile * kTile / 2,
                                  &mapA, placeA, &shared.full[stage], uint16_t(3));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.b[stage], &mapB, placeB,
                                  &shared.full[stage]);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32] = {};
    for (int tile = 0; tile < tiles; ++tile) {
      int stage = tile % kStages;
      waitParity(&shared.full[stage], tile / kStages & 1);
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      uint64_t a = descriptor(shared.a[stage]), b = descriptor(shared.b[stage]);
      for (int i = 0; i < 4; ++i) // 16 elements, 32 bytes
        multiply(d, a + 2 * i, b + 2 * i);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x % 32 < 2) {
        uint64_t *remote = mapToRank(&shared.empty[stage], threadIdx.x % 32);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, remote);
      }
    }
    int lane = threadIdx.x % 32;
    for (int i = 0; i < 32; ++i) {
      int r = row + threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
      c[size_t(r) * n + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
  }
  // Nobody leaves while the other may still write or arrive here.
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
}
