//===- Bulk.cu - Bulk copies and tensor copies (TMA), multicast -------------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Latency: one copy at a time, from expect_tx to the end of the wait.
// Bandwidth: each block keeps `stages` copies in flight and reads nothing, so
// that the copies alone are timed. In a multicast each block of a cluster
// copies its part of every tile to all blocks; the bytes that arrive are
// counted. The sums at the end keep the copies honest: tests compare them.
//
//===----------------------------------------------------------------------===//

#include "Hopper.cuh"

constexpr int maxStages = 8;

__device__ static void bulkLoad(uint32_t to, const void *from, uint32_t bytes,
                                uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}

__device__ static void bulkMulticast(uint32_t to, const void *from,
                                     uint32_t bytes, uint64_t *barrier,
                                     uint16_t ranks) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
               "l"(from), "r"(bytes), "r"(sharedAddress(barrier)), "h"(ranks)
               : "memory");
}

__device__ static void tensorLoad(uint32_t to, const CUtensorMap *map, int x,
                                  int y, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
      "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier))
      : "memory");
}

/// What the stages hold at last, added up.
__device__ static void writeSum(const uint32_t *data, int words,
                                unsigned *sums) {
  unsigned sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    sum += data[i];
  atomicAdd(&sums[blockIdx.x], sum);
}

/// The tiles of a block or cluster, `step` apart and round again; a division
/// would take as long as a small copy.
struct Tiles {
  uint32_t number, step, count;
  __device__ uint32_t next() {
    uint32_t result = number;
    number += step;
    number -= number >= count ? count : 0;
    return result;
  }
};

/// One warp runs this, which is the block. `release(stage)` waits until others
/// do not need the stage any more; `issue(stage)`, of one lane, starts the copy
/// of the next tile.
template <typename Release, typename Issue>
__device__ static void runRing(uint64_t *full, int stages, int rounds,
                               uint32_t tile, Release release, Issue issue) {
  bool leads = threadIdx.x == 0;
  for (int r = 0; r < stages && r < rounds; ++r)
    if (leads) {
      arriveExpect(&full[r], tile);
      issue(r);
    }
  int stage = 0;
  uint32_t parity = 0;
  for (int r = 0; r < rounds; ++r) {
    wait(&full[stage], parity);
    if (r + stages < rounds) {
      if (leads)
        arriveExpect(&full[stage], tile);
      release(stage);
      if (leads)
        issue(stage);
    }
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

__device__ static void initRing(uint64_t *full, int stages) {
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s)
      initBarrier(&full[s], 1);
    fenceInit();
  }
  __syncthreads();
}

extern "C" __global__ void bulkRead(const char *data, uint32_t tiles,
                                    uint32_t tile, int stages, int rounds,
                                    long long *cycles, unsigned *sums) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ uint64_t full[maxStages];
  initRing(full, stages);
  Tiles numbers{blockIdx.x, gridDim.x, tiles};
  long long begin = clock64();
  runRing(full, stages, rounds, tile, [](int) {}, [&](int stage) {
    bulkLoad(sharedAddress(buffer) + stage * tile,
             data + uint64_t(numbers.next()) * tile, tile, &full[stage]);
  });
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  writeSum(reinterpret_cast<uint32_t *>(buffer), min(stages, rounds) * tile / 4,
           sums);
}

/// Boxes of 64 f16 by tile / 128 rows of a matrix that is 2^across boxes wide.
extern "C" __global__ void tensorRead(const __grid_constant__ CUtensorMap map,
                                      uint32_t tiles, uint32_t across,
                                      uint32_t tile, int stages, int rounds,
                                      long long *cycles, unsigned *sums) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ uint64_t full[maxStages];
  initRing(full, stages);
  Tiles numbers{blockIdx.x, gridDim.x, tiles};
  long long begin = clock64();
  runRing(full, stages, rounds, tile, [](int) {}, [&](int stage) {
    uint32_t number = numbers.next();
    tensorLoad(sharedAddress(buffer) + stage * tile, &map,
               (number & ((1u << across) - 1)) * 64,
               (number >> across) * (tile / 128), &full[stage]);
  });
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  writeSum(reinterpret_cast<uint32_t *>(buffer), min(stages, rounds) * tile / 4,
           sums);
}

/// A tile for every cluster and round; its blocks copy one part each to all.
extern "C" __global__ void multicastRead(const char *data, uint32_t tiles,
                                         uint32_t tile, int stages, int rounds,
                                         long long *cycles, unsigned *sums) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ uint64_t full[maxStages], empty[maxStages];
  uint32_t size = clusterSize(), rank = clusterRank();
  if (threadIdx.x == 0)
    for (int s = 0; s < stages; ++s)
      initBarrier(&empty[s], size);
  initRing(full, stages);
  clusterSync();
  uint32_t part = tile / size, emptyParity = 0;
  int released = 0;
  Tiles numbers{blockIdx.x / size, gridDim.x / size, tiles};
  uint16_t everybody = uint16_t((1u << size) - 1);
  long long begin = clock64();
  auto release = [&](int stage) {
    // This block has the tile; all others must have it before parts of the
    // next one come.
    if (threadIdx.x < size)
      arriveRemote(remoteAddress(&empty[stage], threadIdx.x));
    waitCluster(&empty[stage], emptyParity);
    if (++released == stages) {
      released = 0;
      emptyParity ^= 1;
    }
  };
  runRing(full, stages, rounds, tile, release, [&](int stage) {
    bulkMulticast(sharedAddress(buffer) + stage * tile + rank * part,
                  data + uint64_t(numbers.next()) * tile + rank * part, part,
                  &full[stage], everybody);
  });
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  writeSum(reinterpret_cast<uint32_t *>(buffer), min(stages, rounds) * tile / 4,
           sums);
  clusterSync();
}

extern "C" __global__ void bulkWrite(char *data, uint32_t tiles, uint32_t tile,
                                     int stages, int rounds,
                                     long long *cycles) {
  extern __shared__ __align__(1024) char buffer[];
  uint32_t *words = reinterpret_cast<uint32_t *>(buffer);
  for (int i = threadIdx.x; i < int(stages * tile / 4); i += blockDim.x)
    words[i] = i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  Tiles numbers{blockIdx.x, gridDim.x, tiles};
  long long begin = clock64();
  int stage = 0;
  for (int r = 0; r < rounds; ++r) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 3;" ::"l"(
                     data + uint64_t(numbers.next()) * tile),
                 "r"(sharedAddress(buffer) + stage * tile), "r"(tile)
                 : "memory");
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  cycles[blockIdx.x] = clock64() - begin;
}

//===----------------------------------------------------------------------===//

static long long *cycles;
static unsigned *sums;

static double cyclesOf() {
  long long result;
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
  return double(result);
}

/// A matrix of 4096 f16 to a row, boxes of 64 x rows with 128-byte swizzle.
static CUtensorMap tensorMap(void *data, uint64_t bytes, uint32_t rows) {
  void *encode = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode,
                                         12000, cudaEnableDefault, &found));
#else
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode,
                                cudaEnableDefault, &found));
#endif
  if (!encode) {
    std::fprintf(stderr, "the driver has no cuTensorMapEncodeTiled\n");
    std::exit(1);
  }
  CUtensorMap map;
  cuuint64_t dims[] = {4096, bytes / 8192}, strides[] = {8192};
  cuuint32_t box[] = {64, rows}, steps[] = {1, 1};
  CUresult result =
      reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
          &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, dims, strides, box,
          steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "cuTensorMapEncodeTiled: %d\n", int(result));
    std::exit(1);
  }
  return map;
}

int main() {
  cudaDeviceProp p = deviceProperties();
  int sms = p.multiProcessorCount;
  uint64_t large = uint64_t(2) << 30, small = 8 << 20;
  char *data, *flush;
  CHECK(cudaMalloc(&data, large));
  CHECK(cudaMalloc(&flush, 512 << 20));
  CHECK(cudaMalloc(&cycles, 8 * 2048));
  CHECK(cudaMalloc(&sums, 4 * 2048));
  CHECK(cudaMemset(data, 0, large));
  for (const void *kernel :
       {(const void *)bulkRead, (const void *)tensorRead,
        (const void *)bulkWrite, (const void *)multicastRead})
    CHECK(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));

  // Latency: one stage. From the L2 what the launch before has read.
  for (uint32_t tile : {1024u, 4096u, 16384u, 32768u}) {
    std::string size = std::to_string(tile) + "_bytes";
    CUtensorMap map = tensorMap(data, large, tile / 128);
    uint32_t tiles = uint32_t(large / tile);
    int rounds = 64;
    for (bool fromDram : {false, true}) {
      std::string name = std::string(fromDram ? "_dram_" : "_l2_") + size;
      auto prepare = [&] {
        if (fromDram)
          CHECK(cudaMemset(flush, 0, 512 << 20));
      };
      for (int i = 0; i < 2; ++i) {
        prepare();
        bulkRead<<<1, 32, tile>>>(data, tiles, tile, 1, rounds, cycles, sums);
      }
      report(("bulk_latency" + name).c_str(), cyclesOf() / rounds, "cycles");
      for (int i = 0; i < 2; ++i) {
        prepare();
        tensorRead<<<1, 32, tile>>>(map, tiles, 6, tile, 1, rounds, cycles,
                                    sums);
      }
      report(("tensor_copy_latency" + name).c_str(), cyclesOf() / rounds, "cycles");
    }
  }

  // Bandwidth of all SMs and of one.
  for (uint32_t tile : {4096u, 8192u, 16384u, 32768u})
    for (int stages : {2, 4, 6}) {
      std::string name =
          std::to_string(tile) + "_bytes_" + std::to_string(stages) + "_stages";
      CUtensorMap map = tensorMap(data, large, tile / 128);
      for (bool fromDram : {false, true}) {
        uint64_t range = fromDram ? large : small;
        uint32_t tiles = uint32_t(range / tile);
        std::string from = fromDram ? "_dram_" : "_l2_";
        // 1 GB, or as much from the L2.
        int rounds = int((uint64_t(1) << 30) / tile / sms);
        double bytes = double(tile) * rounds * sms;
        double us = timeLaunches([&] {
          bulkRead<<<sms, 32, stages * tile>>>(data, tiles, tile, stages,
                                               rounds, cycles, sums);
        }, 3);
        report(("bulk_bandwidth" + from + name).c_str(), bytes / us * 1e-3,
               "GB/s");
        us = timeLaunches([&] {
          tensorRead<<<sms, 32, stages * tile>>>(map, tiles, 6, tile, stages,
                                                 rounds, cycles, sums);
        }, 3);
        report(("tensor_copy_bandwidth" + from + name).c_str(), bytes / us * 1e-3,
               "GB/s");
      }
      int rounds = 1024;
      for (int i = 0; i < 2; ++i)
        tensorRead<<<1, 32, stages * tile>>>(map, uint32_t(small / tile), 6,
                                             tile, stages, rounds, cycles,
                                             sums);
      report(("tensor_copy_bandwidth_one_sm_l2_" + name).c_str(),
             double(tile) * rounds / cyclesOf(), "bytes/cycle");
    }

  for (uint32_t tile : {4096u, 16384u}) {
    int rounds = int((uint64_t(1) << 30) / tile / sms);
    double us = timeLaunches([&] {
      bulkWrite<<<sms, 128, 4 * tile>>>(data, uint32_t(large / tile), tile, 4,
                                        rounds, cycles);
    }, 3);
    report(("bulk_write_bandwidth_dram_" + std::to_string(tile) + "_bytes").c_str(),
           double(tile) * rounds * sms / us * 1e-3, "GB/s");
  }

  // What arrives in all blocks; the L2 gives each cluster a tile once.
  for (int cluster : {1, 2, 4, 8})
    for (uint32_t tile : {8192u, 32768u}) {
      // More than half of an SM's memory: one block to each.
      int stages = 4, rounds = 2048;
      size_t bytes = std::max<size_t>(stages * tile, 120 << 10);
      int blocks = residentBlocks(multicastRead, sms, 32, cluster, bytes);
      std::string name = std::to_string(cluster) + "_blocks_" +
                         std::to_string(tile) + "_bytes";
      double us = timeLaunches([&] {
        launchClusters(multicastRead, blocks, 32, cluster, bytes, data,
                       uint32_t(small / tile), tile, stages, rounds, cycles,
                       sums);
      }, 3);
      report(("multicast_bandwidth_l2_" + name).c_str(),
             double(tile) * rounds * blocks / us * 1e-3, "GB/s");
      report(("multicast_resident_" + name).c_str(), blocks, "blocks");
      for (int i = 0; i < 2; ++i)
        launchClusters(multicastRead, cluster, 32, cluster, tile, data,
                       uint32_t(small / tile), tile, 1, 64, cycles, sums);
      report(("multicast_latency_l2_" + name).c_str(), cyclesOf() / 64,
             "cycles");
    }
}
