// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads that wait for one another: named barriers, roles, flags, locks,
// queues, grids that stay.

#include <cuda/atomic>
#include <cstdint>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

static __device__ __forceinline__ void sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
static __device__ __forceinline__ void arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// The two halves of a block pass two buffers to and fro: when one half writes a
// buffer again, the other's answer says that it has read it.
extern "C" __global__ void ping_pong(int *data, int rounds) {
  __shared__ int ball[2][64];
  data += blockIdx.x * 128;
  int side = threadIdx.x / 64, t = threadIdx.x % 64, value = data[threadIdx.x];
  for (int r = 0; r < rounds; ++r) {
    if (side == (r & 1)) {
      ball[r & 1][t] = value + r;
      arrive(1 + (r & 1), 128);
    } else {
      sync(1 + (r & 1), 128);
      value = value * 3 + ball[r & 1][t ^ 33];
    }
  }
  data[threadIdx.x] = value;
}

// A warp loads, two transform, one stores: a ring of `depth` slots between
// each two, full and empty barriers for every slot.
extern "C" __global__ void three_roles(const int *in, int *out, int rounds) {
  constexpr int depth = 2;
  __shared__ int raw[depth][64], done[depth][64];
  enum { RawFull = 1, RawEmpty = 3, DoneFull = 5, DoneEmpty = 7 };
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  in += blockIdx.x * rounds * 64;
  out += blockIdx.x * rounds * 64;
  if (warp == 0) {
    for (int r = 0; r < rounds; ++r) {
      int s = r % depth;
      if (r >= depth)
        sync(RawEmpty + s, 96);
      raw[s][lane] = in[r * 64 + lane];
      raw[s][lane + 32] = in[r * 64 + lane + 32];
      arrive(RawFull + s, 96);
    }
  } else if (warp <= 2) {
    int i = (warp - 1) * 32 + lane;
    for (int r = 0; r < rounds; ++r) {
      int s = r % depth;
      sync(RawFull + s, 96);
      int v = raw[s][63 - i] + 2 * raw[s][i];
      if (r + depth < rounds)
        arrive(RawEmpty + s, 96);
      if (r >= depth)
        sync(DoneEmpty + s, 96);
      done[s][i] = v;
      arrive(DoneFull + s, 96);
    }
  } else {
    for (int r = 0; r < rounds; ++r) {
      int s = r % depth;
      sync(DoneFull + s, 96);
      int a = done[s][lane], b = done[s][lane + 32];
      if (r + depth < rounds)
        arrive(DoneEmpty + s, 96);
      out[r * 64 + lane] = a - b;
      out[r * 64 + lane + 32] = a + b;
    }
  }
}

// Barriers that count and vote.
extern "C" __global__ void barrier_votes(const int *in, int *out) {
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  int count = __syncthreads_count(v > 0), every = __syncthreads_and(v < 100), any = __syncthreads_or(v == 77);
  out[blockIdx.x * blockDim.x + threadIdx.x] = count * 4 + (every ? 2 : 0) + (any ? 1 : 0);
}

// Each block adds to what the one before left and raises the next one's flag.
extern "C" __global__ void flag_chain(const int *in, int *out, unsigned *flags) {
  __shared__ int before;
  int b = blockIdx.x, t = threadIdx.x;
  int sum = __reduce_add_sync(~0u, in[b * 32 + t]);
  if (t == 0) {
    if (b > 0)
      while (Flag(flags[b - 1]).load(cuda::memory_order_acquire) == 0)
        ;
    before = b > 0 ? out[b - 1] : 0;
    out[b] = before + sum;
    Flag(flags[b]).store(1, cuda::memory_order_release);
  }
}

// A ticket lock around an update of two words.
extern "C" __global__ void ticket_lock(unsigned *next, unsigned *serving, int *a, long long *b) {
  if (threadIdx.x != 0)
    return;
  unsigned mine = Flag(*next).fetch_add(1, cuda::memory_order_relaxed);
  while (Flag(*serving).load(cuda::memory_order_acquire) != mine)
    __nanosleep(20);
  *a += int(blockIdx.x);
  *b = *b * 3 + mine;
  Flag(*serving).store(mine + 1, cuda::memory_order_release);
}

// Even blocks produce, odd ones consume, through a ring in global memory.
extern "C" __global__ void block_ring(const int *in, int *out, int *ring, unsigned *full, unsigned *empty, int rounds) {
  int pair = blockIdx.x / 2, t = threadIdx.x;
  ring += pair * 2 * 32;
  full += pair;
  empty += pair;
  for (int r = 0; r < rounds; ++r) {
    int *slot = ring + r % 2 * 32;
    if (blockIdx.x % 2 == 0) {
      while (int(Flag(*empty).load(cuda::memory_order_acquire)) + 2 <= r)
        ;
      slot[t] = in[(pair * rounds + r) * 32 + t] * 2;
      __syncwarp();
      if (t == 0)
        Flag(*full).store(r + 1, cuda::memory_order_release);
    } else {
      while (int(Flag(*full).load(cuda::memory_order_acquire)) <= r)
        ;
      out[(pair * rounds + r) * 32 + t] = slot[t ^ 5];
      __syncwarp();
      if (t == 0)
        Flag(*empty).store(r + 1, cuda::memory_order_release);
    }
  }
}

// Persistent blocks that take pieces of work from a counter.
extern "C" __global__ void persistent_queue(const unsigned *lengths, unsigned *out, int *next, int pieces) {
  __shared__ int piece;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0)
      piece = atomicAdd(next, 1);
    __syncthreads();
    if (piece >= pieces)
      return;
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < lengths[piece]; i += blockDim.x)
      sum += i * i;
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
      atomicAdd(&out[piece], sum);
  }
}

// A grid barrier that is used again and again: sense in the top bit, as
// cooperative groups do. Every round averages over neighbours.
extern "C" __global__ void grid_rounds(int *values, int *next, unsigned *barrier, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    if (i < n) {
      int left = __ldcg(&values[(i + n - 1) % n]), right = __ldcg(&values[(i + 1) % n]);
      __stcg(&next[i], left + 2 * __ldcg(&values[i]) + right);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned add = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
      __threadfence();
      unsigned before = atomicAdd(barrier, add);
      while (((before ^ Flag(*barrier).load(cuda::memory_order_acquire)) & 0x80000000u) == 0)
        ;
    }
    __syncthreads();
    int *other = values;
    values = next;
    next = other;
  }
}

// Breadth first search, a level after the other: the frontier is a queue in
// shared memory. Block b searches from start + b; `level` has a row of
// `vertices` for each.
extern "C" __global__ void breadth_first(const int *rows, const int *columns, int *level, int vertices, int start) {
  __shared__ int queue[2][256], size[2];
  level += blockIdx.x * vertices;
  start += blockIdx.x;
  if (threadIdx.x == 0) {
    queue[0][0] = start;
    size[0] = 1;
    size[1] = 0;
    level[start] = 0;
  }
  __syncthreads();
  for (int depth = 0, from = 0; size[from] > 0; ++depth, from ^= 1) {
    for (int i = threadIdx.x; i < size[from]; i += blockDim.x) {
      int v = queue[from][i];
      for (int e = rows[v]; e < rows[v + 1]; ++e)
        if (atomicCAS(&level[columns[e]], -1, depth + 1) == -1)
          queue[from ^ 1][atomicAdd(&size[from ^ 1], 1)] = columns[e];
    }
    __syncthreads();
    if (threadIdx.x == 0)
      size[from] = 0;
    __syncthreads();
  }
}

// A hash table with open addressing: keys are counted.
extern "C" __global__ void hash_count(const unsigned *keys, unsigned *table, unsigned *counts, int n, unsigned mask) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned key = keys[i], slot = key * 2654435761u & mask;
    while (true) {
      unsigned old = atomicCAS(&table[slot], 0u, key);
      if (old == 0 || old == key)
        break;
      slot = (slot + 1) & mask;
    }
    atomicAdd(&counts[slot], 1u);
  }
}

// Maxima of floats by compare and swap, in shared and in global memory.
extern "C" __global__ void atomic_max_float(const float *in, float *out, int n) {
  __shared__ unsigned most;
  auto update = [](unsigned *place, float v) {
    unsigned old = *(volatile unsigned *)place;
    while (__uint_as_float(old) < v) {
      unsigned seen = atomicCAS(place, old, __float_as_uint(v));
      if (seen == old)
        break;
      old = seen;
    }
  };
  if (threadIdx.x == 0)
    most = __float_as_uint(-INFINITY);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    update(&most, in[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    update(reinterpret_cast<unsigned *>(out), __uint_as_float(most));
}
