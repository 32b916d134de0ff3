//===- Hopper.cuh - Barriers, bulk copies, clusters of sm_90a ----*- CUDA -*- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Common.cuh"
#include <cstdint>
#include <cuda.h>
#include <string>

__device__ inline uint32_t sharedAddress(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}

__device__ inline void initBarrier(uint64_t *barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(arrivals)
               : "memory");
}

/// For the other blocks of the cluster and for copies.
__device__ inline void fenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;\n"
               "fence.proxy.async.shared::cta;" ::
                   : "memory");
}

__device__ inline void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                   sharedAddress(barrier))
               : "memory");
}

__device__ inline void arriveExpect(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ inline uint32_t remoteAddress(const void *p, uint32_t rank) {
  uint32_t result;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(result)
               : "r"(sharedAddress(p)), "r"(rank));
  return result;
}

__device__ inline void arriveRemote(uint32_t barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                   barrier)
               : "memory");
}

__device__ inline void wait(uint64_t *barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\nAGAIN%=:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra AGAIN%=;\n}" ::"r"(sharedAddress(barrier)),
               "r"(parity)
               : "memory");
}

__device__ inline void waitCluster(uint64_t *barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN%=:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra AGAIN%=;\n}" ::"r"(sharedAddress(barrier)),
      "r"(parity)
      : "memory");
}

__device__ inline uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ inline uint32_t clusterSize() {
  uint32_t size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

__device__ inline void clusterSync() {
  asm volatile("barrier.cluster.arrive.aligned;\n"
               "barrier.cluster.wait.aligned;" ::
                   : "memory");
}

/// A launch of 1-D clusters.
struct ClusterLaunch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;

  ClusterLaunch(const void *kernel, int blocks, int threads, int cluster,
                size_t sharedBytes) {
    CHECK(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sharedBytes)));
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = sharedBytes;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch &) = delete;
};

template <typename... Parameters, typename... Arguments>
void launchClusters(void (*kernel)(Parameters...), int blocks, int threads,
                    int cluster, size_t sharedBytes, Arguments... arguments) {
  ClusterLaunch launch((const void *)kernel, blocks, threads, cluster,
                       sharedBytes);
  CHECK(cudaLaunchKernelEx(&launch.config, kernel, Parameters(arguments)...));
}

/// Blocks of clusters that run at the same time, one to an SM. A cluster stays
/// within a part of the chip, so that some SMs may have none.
template <typename... Parameters>
int residentBlocks(void (*kernel)(Parameters...), int sms, int threads,
                   int cluster, size_t sharedBytes) {
  ClusterLaunch launch((const void *)kernel, cluster, threads, cluster,
                       sharedBytes);
  int clusters = 0;
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, (const void *)kernel,
                                       &launch.config));
  return std::min(clusters, sms / cluster) * cluster;
}
