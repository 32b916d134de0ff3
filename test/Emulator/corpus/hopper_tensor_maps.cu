// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor maps that the kernel itself makes, for matrices whose places and
// sizes it finds in memory: copies read them through a proxy of their own.

#include "hopper.cuh"

static __device__ __forceinline__ void replaceAddress(TensorMap *map, const void *address) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(map)), "l"(address) : "memory");
}
static __device__ __forceinline__ void replaceRows(TensorMap *map, int rows) {
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared(map)), "r"(rows) : "memory");
}
/// By a whole warp.
static __device__ __forceinline__ void publish(TensorMap *to, const TensorMap *from) {
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
               ::"l"(to), "r"(shared(from)) : "memory");
}
static __device__ __forceinline__ void acquireMap(const TensorMap *map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
static __device__ __forceinline__ void clear(TensorMap *map, int t) {
  if (t < 32)
    reinterpret_cast<int *>(map)[t] = 0;
}

// Column sums of matrices of 32 columns, which lie one after the other; those
// of block b are b, b + gridDim, ... Each gets its map from `map`, in a place
// of the block's own.
extern "C" __global__ void __launch_bounds__(64)
tensor_map_groups(const __grid_constant__ TensorMap map, TensorMap *maps, const int *in, const int *first, int *out, int groups) {
  constexpr int rows = 8;
  __shared__ __align__(128) TensorMap edited;
  __shared__ __align__(128) int tile[2][rows][32];
  __shared__ uint64_t full[2];
  int t = threadIdx.x;
  maps += blockIdx.x;
  if (t == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fenceInit();
  }
  if (t < 32)
    reinterpret_cast<int *>(&edited)[t] = reinterpret_cast<const int *>(&map)[t];
  __syncthreads();
  int count = 0;
#pragma unroll 1
  for (int group = blockIdx.x; group < groups; group += gridDim.x) {
    int begin = first[group], height = first[group + 1] - begin;
    if (t == 0) {
      replaceAddress(&edited, in + begin * 32);
      replaceRows(&edited, height);
    }
    if (t < 32) {
      __syncwarp();
      publish(maps, &edited);
      __syncwarp(); // before the next edit, where the group is empty
    }
    if (t == 0)
      acquireMap(maps);
    int sum = 0;
#pragma unroll 1
    for (int row = 0; row < height; row += rows, ++count) {
      int b = count & 1;
      if (t == 0) {
        arriveExpect(&full[b], sizeof(tile[b]));
        tensorLoad(tile[b], maps, 0, row, &full[b]);
      }
      wait(&full[b], count / 2 & 1);
      for (int r = t / 32; r < rows; r += 2)
        sum += tile[b][r][t % 32];
      __syncthreads();
    }
    out[group * 64 + t] = sum;
  }
  clear(maps, t);
}

// The map is made in global memory by one warp, and used by the other one.
extern "C" __global__ void __launch_bounds__(64)
tensor_map_global(const __grid_constant__ TensorMap map, TensorMap *maps, int *out, int rounds) {
  __shared__ __align__(128) int tile[64];
  __shared__ uint64_t full;
  int t = threadIdx.x;
  maps += blockIdx.x;
  if (t == 32) {
    init(&full, 1);
    fenceInit();
  }
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    if (t < 32) {
      reinterpret_cast<int *>(maps)[t] = reinterpret_cast<const int *>(&map)[t];
      __syncwarp();
      if (t == 0)
        asm volatile("tensormap.replace.tile.global_dim.global.b1024.b32 [%0], 0, %1;" ::"l"(maps), "r"(16 + 8 * round) : "memory");
      __syncwarp();
      asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    }
    __syncthreads();
    if (t == 32) {
      acquireMap(maps);
      arriveExpect(&full, sizeof(tile));
      tensorLoad(tile, maps, 0, blockIdx.x, &full);
    }
    wait(&full, round & 1);
    sum = sum * 3 + tile[t];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
  clear(maps, t);
}
