// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Barriers in shared memory, as the library has them since sm_80.

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdint>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Arrive early, wait late; two phases per round.
extern "C" __global__ void split_barrier(const int *in, int *out, int rounds) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  __shared__ int s[96];
  int t = threadIdx.x, i = blockIdx.x * 96 + t;
  if (t == 0)
    init(&barrier, 96);
  __syncthreads();
  int value = in[i];
  for (int r = 0; r < rounds; ++r) {
    s[t] = value;
    auto token = barrier.arrive();
    int own = value * 3;
    barrier.wait(std::move(token));
    value = own + s[(t + 7) % 96];
    barrier.arrive_and_wait();
  }
  out[i] = value;
}

// One warp fills buffers, the other empties them; each side arrives where it
// does not wait.
extern "C" __global__ void barrier_roles(const int *in, int *out, int rounds) {
  __shared__ Barrier full[2], empty[2];
  __shared__ int buffer[2][32];
  int t = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int b = 0; b < 2; ++b) {
      init(&full[b], 64);
      init(&empty[b], 64);
    }
  __syncthreads();
  in += blockIdx.x * rounds * 32;
  if (threadIdx.x < 32) {
    for (int r = 0; r < rounds; ++r) {
      int b = r % 2;
      empty[b].arrive_and_wait();
      buffer[b][t] = in[r * 32 + t] * (r + 1);
      (void)full[b].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
      int b = r % 2;
      full[b].arrive_and_wait();
      sum = sum * 5 + buffer[b][t ^ 3];
      (void)empty[b].arrive();
    }
    out[blockIdx.x * 32 + t] = sum;
  }
}

// cp.async that arrives at a barrier when it is done.
extern "C" __global__ void barrier_copies(const int4 *in, int4 *out, int tiles) {
  __shared__ Barrier ready[2];
  __shared__ __align__(16) int4 s[2][64];
  int t = threadIdx.x;
  in += blockIdx.x * tiles * 64;
  out += blockIdx.x * tiles * 64;
  if (t < 2)
    init(&ready[t], 64);
  __syncthreads();
  auto fetch = [&](int tile) {
    cuda::memcpy_async(&s[tile % 2][t], in + tile * 64 + t, cuda::aligned_size_t<16>(16), ready[tile % 2]);
  };
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      fetch(tile + 1);
    ready[tile % 2].arrive_and_wait();
    int4 v = s[tile % 2][63 - t];
    out[tile * 64 + t] = make_int4(v.w, v.z, v.y, v.x);
    __syncthreads();
  }
}

// A pipeline whose state the block shares; its end counts the threads and invalidates the barriers.
extern "C" __global__ void shared_pipeline(const int *in, int *out, int tiles) {
  __shared__ int s[2][96];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  int t = threadIdx.x;
  in += blockIdx.x * tiles * 96;
  out += blockIdx.x * tiles * 96;
  auto pipeline = cuda::make_pipeline(block, &state);
  auto fetch = [&](int tile) {
    pipeline.producer_acquire();
    cuda::memcpy_async(&s[tile % 2][t], in + tile * 96 + t, cuda::aligned_size_t<4>(4), pipeline);
    pipeline.producer_commit();
  };
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      fetch(tile + 1);
    pipeline.consumer_wait();
    out[tile * 96 + t] = s[tile % 2][95 - t];
    pipeline.consumer_release();
  }
}
