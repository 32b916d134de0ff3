// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clusters: blocks that read and write one another's shared memory.

#include "hopper.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static __device__ __forceinline__ void multicast(void *to, const void *from, uint32_t bytes, uint64_t *barrier, uint16_t ranks) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
               ::"r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(barrier)), "h"(ranks) : "memory");
}

// Sums of a row spread over the blocks of a cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sum(const int *in, int *out, int n) {
  __shared__ int partial;
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank(), row = blockIdx.x / 4, sum = 0;
  for (int i = rank * 64 + threadIdx.x; i < n; i += 256)
    sum += in[row * n + i];
  if (threadIdx.x == 0)
    partial = 0;
  __syncthreads();
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&partial, sum);
  cluster.sync();
  sum = 0;
  if (threadIdx.x < 4)
    sum = *cluster.map_shared_rank(&partial, threadIdx.x);
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum * 4 + rank;
  cluster.sync(); // nobody leaves while others read
}

// A histogram whose bins are spread over two blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_histogram(const unsigned *in, unsigned *bins, int n, int perBlock) {
  extern __shared__ unsigned mine[];
  cg::cluster_group cluster = cg::this_cluster();
  int rank = cluster.block_rank();
  for (int i = threadIdx.x; i < perBlock; i += blockDim.x)
    mine[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned bin = in[i] % (2 * perBlock);
    atomicAdd(cluster.map_shared_rank(&mine[bin % perBlock], bin / perBlock), 1u);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < perBlock; i += blockDim.x)
    if (mine[i])
      atomicAdd(&bins[rank * perBlock + i], mine[i]);
}

// A ring: every block hands its value on, by remote stores and barriers of
// the next block in its shared memory.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring(const int *in, int *out, int rounds) {
  __shared__ int inbox[2][32];
  __shared__ uint64_t full[2];
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x;
  if (t == 0) {
    init(&full[0], 32);
    init(&full[1], 32);
    fenceInit();
  }
  cluster.sync();
  int next = (cluster.block_rank() + 1) % 4, value = in[blockIdx.x * 32 + t];
  for (int r = 0; r < rounds; ++r) {
    int b = r & 1;
    *cluster.map_shared_rank(&inbox[b][t], next) = value;
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}"
                 ::"r"(shared(&full[b])), "r"(next) : "memory");
    waitCluster(&full[b], r / 2 & 1);
    value = value * 3 + inbox[b][31 - t];
    cluster.sync(); // a neighbour two rounds ahead would overwrite the inbox
  }
  out[blockIdx.x * 32 + t] = value;
}

// Each of two blocks fetches half of a tile for both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_multicast(const int *in, int *out, int tiles) {
  __shared__ __align__(128) int tile[2][128];
  __shared__ uint64_t full[2];
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x, rank = cluster.block_rank();
  in += blockIdx.x / 2 * tiles * 128;
  if (t == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fenceInit();
  }
  cluster.sync();
  int sum = 0;
  for (int i = 0; i < tiles; ++i) {
    int b = i & 1;
    if (t == 0) {
      arriveExpect(&full[b], 512);
      multicast(&tile[b][rank * 64], in + i * 128 + rank * 64, 256, &full[b], 3);
    }
    wait(&full[b], i / 2 & 1);
    sum = sum * 3 + tile[b][rank ? 127 - t : t];
    cluster.sync(); // the other block's copy may go into this buffer
  }
  out[blockIdx.x * 128 + t] = sum;
}

// A tile of 32 columns for both blocks: each asks for its 8 rows with the
// 128-byte swizzle.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_tensor_multicast(const __grid_constant__ TensorMap map, float *out, int tiles) {
  __shared__ __align__(1024) float tile[16][32];
  __shared__ uint64_t full;
  cg::cluster_group cluster = cg::this_cluster();
  int t = threadIdx.x, rank = cluster.block_rank();
  if (t == 0) {
    init(&full, 1);
    fenceInit();
  }
  cluster.sync();
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (t == 0) {
      arriveExpect(&full, 2048);
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                   ::"r"(shared(tile[rank * 8])), "l"(&map), "r"(i * 32), "r"(blockIdx.x / 2 * 16 + rank * 8), "r"(shared(&full)), "h"(uint16_t(3))
                   : "memory");
    }
    wait(&full, i & 1);
    // Block 0 adds rows, block 1 columns.
    for (int k = 0; k < 16; ++k) {
      int row = rank ? k : t % 16, col = rank ? t : t / 16 * 16 + k;
      sum += tile[row][col ^ (row % 8 * 4)];
    }
    cluster.sync();
  }
  out[blockIdx.x * 32 + t] = sum;
}
