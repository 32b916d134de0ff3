//===- Clusters.cu - mbarriers, cluster barriers, remote shared memory ------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.cuh"

/// One thread arrives and waits for itself.
extern "C" __global__ void mbarrierAlone(int rounds, long long *cycles) {
  __shared__ uint64_t barrier;
  if (threadIdx.x != 0)
    return;
  initBarrier(&barrier, 1);
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {
    arrive(&barrier);
    wait(&barrier, i & 1);
  }
  *cycles = clock64() - begin;
}

/// Two warps of a block hand a turn to and fro: one round is two exchanges.
extern "C" __global__ void mbarrierTurns(int rounds, long long *cycles) {
  __shared__ uint64_t turns[2];
  if (threadIdx.x == 0) {
    initBarrier(&turns[0], 1);
    initBarrier(&turns[1], 1);
  }
  __syncthreads();
  if (threadIdx.x % 32 != 0)
    return;
  int warp = threadIdx.x / 32;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    if (warp == 0) {
      arrive(&turns[1]);
      wait(&turns[0], i & 1);
    } else {
      wait(&turns[1], i & 1);
      arrive(&turns[0]);
    }
  if (warp == 0)
    *cycles = clock64() - begin;
}

/// The same between the first and the last block of a cluster.
extern "C" __global__ void mbarrierTurnsOfBlocks(int rounds,
                                                 long long *cycles) {
  __shared__ uint64_t turn;
  if (threadIdx.x == 0) {
    initBarrier(&turn, 1);
    fenceInit();
  }
  clusterSync();
  uint32_t rank = clusterRank(), last = clusterSize() - 1;
  if (threadIdx.x == 0 && (rank == 0 || rank == last)) {
    uint32_t other = remoteAddress(&turn, last - rank);
    long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
      if (rank == 0) {
        arriveRemote(other);
        waitCluster(&turn, i & 1);
      } else {
        waitCluster(&turn, i & 1);
        arriveRemote(other);
      }
    if (rank == 0)
      *cycles = clock64() - begin;
  }
  clusterSync();
}

extern "C" __global__ void clusterBarrier(int rounds, long long *cycles) {
  clusterSync();
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    clusterSync();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = clock64() - begin;
}

extern "C" __global__ void blockBarrier(int rounds, long long *cycles) {
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = clock64() - begin;
}

/// One thread of each block follows addresses in the memory of the block that
/// is `away` ranks on; with 0 it is its own.
extern "C" __global__ void remoteLatency(int away, int rounds,
                                         long long *cycles, unsigned *sums) {
  __shared__ uint32_t next[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    next[i] = (i + 33) % 256 * 4;
  clusterSync();
  if (threadIdx.x == 0) {
    uint32_t base =
        remoteAddress(next, (clusterRank() + away) % clusterSize());
    uint32_t at = 0;
    long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
      asm volatile("{ .reg .u32 t; add.u32 t, %1, %0;"
                   " ld.shared::cluster.u32 %0, [t]; }"
                   : "+r"(at)
                   : "r"(base));
    cycles[blockIdx.x] = clock64() - begin;
    sums[blockIdx.x] = at;
  }
  clusterSync();
}

/// Every warp reads 16 bytes per lane of the next block, from 8 places in turn.
extern "C" __global__ void remoteRead(int away, int rounds, long long *cycles,
                                      unsigned *sums) {
  extern __shared__ __align__(1024) uint4 data[];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x)
    data[i] = make_uint4(i, 2 * i, 3 * i, 4 * i);
  clusterSync();
  uint32_t address =
      remoteAddress(data, (clusterRank() + away) % clusterSize()) +
      threadIdx.x % 256 * 16;
  unsigned sum = 0;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      uint4 v;
      asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "r"(address + j * 3584));
      sum += v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  clusterSync();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  atomicAdd(&sums[blockIdx.x], sum);
}

/// Measures the exchange with stores.
extern "C" __global__ void remoteWrite(int away, int rounds,
                                       long long *cycles, unsigned *sums) {
  extern __shared__ __align__(1024) uint4 data[];
  uint32_t address =
      remoteAddress(data, (clusterRank() + away) % clusterSize()) +
      threadIdx.x * 16;
  clusterSync();
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                     address),
                 "r"(threadIdx.x + i)
                 : "memory");
  clusterSync();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = clock64() - begin;
  atomicAdd(&sums[blockIdx.x], data[threadIdx.x].x);
}

//===----------------------------------------------------------------------===//

int main() {
  int sms = deviceProperties().multiProcessorCount;
  long long *cycles, result;
  unsigned *sums;
  CHECK(cudaMalloc(&cycles, 8 * 2048));
  CHECK(cudaMalloc(&sums, 4 * 2048));
  auto read = [&] {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    return double(result);
  };
  constexpr int rounds = 1024;

  mbarrierAlone<<<1, 32>>>(rounds, cycles);
  report("mbarrier_arrive_and_wait", read() / rounds, "cycles");
  mbarrierTurns<<<1, 64>>>(rounds, cycles);
  report("mbarrier_round_trip", read() / rounds, "cycles");
  for (int threads : {128, 256, 512}) {
    std::string suffix = "_" + std::to_string(threads) + "_threads";
    blockBarrier<<<1, threads>>>(rounds, cycles);
    report(("barrier" + suffix).c_str(), read() / rounds, "cycles");
    for (int cluster : {2, 4, 8}) {
      launchClusters(clusterBarrier, cluster, threads, cluster, 0, rounds,
                     cycles);
      report(("cluster_barrier_" + std::to_string(cluster) + "_blocks" + suffix)
                 .c_str(),
             read() / rounds, "cycles");
    }
  }
  for (int cluster : {2, 4, 8}) {
    std::string suffix = "_" + std::to_string(cluster) + "_blocks";
    launchClusters(mbarrierTurnsOfBlocks, cluster, 32, cluster, 0, rounds,
                   cycles);
    report(("remote_mbarrier_round_trip" + suffix).c_str(), read() / rounds,
           "cycles");
    for (int away : {0, 1, cluster / 2}) {
      if (away > 1 && cluster == 2)
        continue;
      launchClusters(remoteLatency, cluster, 32, cluster, 0, away, rounds,
                     cycles, sums);
      report(("remote_latency" + suffix + "_" + std::to_string(away) + "_away")
                 .c_str(),
             read() / rounds, "cycles");
    }
    for (int warps : {4, 8, 16, 32}) {
      std::string name = suffix + "_" + std::to_string(warps) + "_warps";
      launchClusters(remoteRead, cluster, warps * 32, cluster, 32768, 1, rounds,
                     cycles, sums);
      report(("remote_read_bandwidth" + name).c_str(),
             double(warps) * 512 * 8 * rounds / read(), "bytes/cycle/SM");
      launchClusters(remoteWrite, cluster, warps * 32, cluster, 32768, 1,
                     8 * rounds, cycles, sums);
      report(("remote_write_bandwidth" + name).c_str(),
             double(warps) * 512 * 8 * rounds / read(), "bytes/cycle/SM");
    }
    // More than half of an SM's memory: one block to each.
    size_t bytes = 120 << 10;
    int blocks = residentBlocks(remoteRead, sms, 512, cluster, bytes);
    double us = timeLaunches([&] {
      launchClusters(remoteRead, blocks, 512, cluster, bytes, 1, rounds, cycles,
                     sums);
    });
    report(("remote_read_bandwidth" + suffix + "_chip").c_str(),
           double(blocks) * 16 * 512 * 8 * rounds / us * 1e-3, "GB/s");
  }
}
