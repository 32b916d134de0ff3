// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Synchronisation as libraries write it: the barriers of libcu++ with bulk copies (CUDA C++ Programming Guide,
// "Asynchronous Data Copies"), and pipelines between the blocks of a cluster as CUTLASS has them.

#include "hopper.cuh"
#include <cuda/barrier>
#include <utility>

namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// A tile is fetched, changed by the threads and stored.
extern "C" __global__ void library_tile(const __grid_constant__ TensorMap map, int *) {
  __shared__ alignas(128) int tile[16][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  int x = blockIdx.x * 32, y = blockIdx.y * 16;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    tensorLoad(tile, &map, x, y, cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    tile[i / 32][i % 32] = tile[i / 32][i % 32] * 3 + i;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensorStore(&map, x, y, tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
    (&barrier)->~Barrier();
  }
}

// Rows through one buffer, by memcpy_async on the way in.
extern "C" __global__ void library_rows(const int *in, int *out, int rows) {
  __shared__ alignas(128) int row[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  int t = threadIdx.x;
  if (t == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    Barrier::arrival_token token;
    if (t == 0) {
      cuda::memcpy_async(row, in + r * 128, cuda::aligned_size_t<16>(sizeof(row)), barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, 0);
    } else {
      token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    row[t] = row[t] * 5 - r;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (t == 0) {
      cde::cp_async_bulk_shared_to_global(out + r * 128, row, sizeof(row));
      cde::cp_async_bulk_commit_group();
      cde::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
  }
}

// The producer warp of either block fetches one half of a stage for both; the consumers of both tell both producers when
// they have read. Blocks meet by a relaxed arrival, for which fence.mbarrier_init stands.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_pipeline(const int *in, int *out, int tiles) {
  constexpr int stages = 2, size = 128;
  __shared__ __align__(128) int ring[stages][size];
  __shared__ uint64_t full[stages], empty[stages];
  int t = threadIdx.x;
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  in += size_t(blockIdx.x / 2) * tiles * size;
  if (t == 0)
    for (int s = 0; s < stages; ++s) {
      init(&full[s], 1);
      init(&empty[s], 2 * 4);
    }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (t >= 128) {
    uint32_t leader;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(leader));
    if (leader) {
      for (int i = 0; i < tiles; ++i) {
        int s = i % stages;
        waitCluster(&empty[s], (i / stages & 1) ^ 1);
        arriveExpect(&full[s], sizeof(ring[s]));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                     ::"r"(shared(ring[s] + rank * size / 2)), "l"(in + i * size + rank * size / 2), "r"(size * 2),
                       "r"(shared(&full[s])), "h"(uint16_t(3)) : "memory");
      }
      // The other block's consumers still arrive here.
      for (int i = tiles; i < tiles + stages; ++i)
        waitCluster(&empty[i % stages], (i / stages & 1) ^ 1);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
      int s = i % stages;
      wait(&full[s], i / stages & 1);
      sum = sum * 3 + ring[s][rank ? size - 1 - t : t];
      __syncwarp();
      if (t % 32 < 2)
        asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}"
                     ::"r"(shared(&empty[s])), "r"(t % 32) : "memory");
    }
    out[blockIdx.x * size + t] = sum;
  }
}
