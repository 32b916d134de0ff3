// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the Hopper kernels share: barriers in shared memory, TMA and bulk
// copies, descriptors of shared-memory matrices.

#ifndef FUSION_CORPUS_HOPPER_CUH
#define FUSION_CORPUS_HOPPER_CUH

#include <cstdint>

static __device__ __forceinline__ uint32_t shared(const void *p) {
  return uint32_t(__cvta_generic_to_shared(p));
}
static __device__ __forceinline__ void init(uint64_t *barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)), "r"(count) : "memory");
}
/// Makes initialised barriers visible to the cluster and to the async proxy.
static __device__ __forceinline__ void fenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ __forceinline__ void fenceAsync() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
static __device__ __forceinline__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(barrier)) : "memory");
}
static __device__ __forceinline__ void arriveExpect(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void wait(uint64_t *barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE%=;\nbra AGAIN%=;\nDONE%=:\n}"
               ::"r"(shared(barrier)), "r"(parity) : "memory");
}
/// Waits for arrivals of threads in other blocks of the cluster.
static __device__ __forceinline__ void waitCluster(uint64_t *barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN%=:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
               "@p bra DONE%=;\nbra AGAIN%=;\nDONE%=:\n}" ::"r"(shared(barrier)), "r"(parity) : "memory");
}
static __device__ __forceinline__ void bulkLoad(void *to, const void *from, uint32_t bytes, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(barrier)) : "memory");
}
static __device__ __forceinline__ void bulkStore(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared(from)), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void bulkCommit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int n> static __device__ __forceinline__ void bulkWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
template <int n> static __device__ __forceinline__ void bulkWait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory");
}

/// CUtensorMap, passed as a __grid_constant__ parameter.
struct alignas(64) TensorMap {
  char opaque[128];
};
static __device__ __forceinline__ void tensorLoad(void *to, const TensorMap *map, int x, int y, uint64_t *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               ::"r"(shared(to)), "l"(map), "r"(x), "r"(y), "r"(shared(barrier)) : "memory");
}
static __device__ __forceinline__ void tensorStore(const TensorMap *map, int x, int y, const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
               ::"l"(map), "r"(x), "r"(y), "r"(shared(from)) : "memory");
}

/// PTX ISA, "Matrix descriptor": offsets in bytes; layout 0 none, 1 of 128
/// bytes, 2 of 64, 3 of 32.
static __device__ __forceinline__ uint64_t descriptor(const void *p, uint32_t leading, uint32_t stride, uint64_t layout) {
  return (shared(p) & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 | layout << 62;
}
static __device__ __forceinline__ void wgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void wgmmaCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int n> static __device__ __forceinline__ void wgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}

#endif // FUSION_CORPUS_HOPPER_CUH
