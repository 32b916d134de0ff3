// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bulk copies: rows and tiles, with barriers that count bytes.

#include "hopper.cuh"

// Blocks of 256 integers through 3 stages; the result goes back by a bulk
// copy from two buffers.
extern "C" __global__ void bulk_pipeline(const int *in, int *out, int tiles) {
  constexpr int stages = 3, size = 256;
  __shared__ __align__(128) int ring[stages][size], result[2][size];
  __shared__ uint64_t full[stages];
  int t = threadIdx.x;
  in += size_t(blockIdx.x) * tiles * size;
  out += size_t(blockIdx.x) * tiles * size;
  if (t == 0) {
    for (int s = 0; s < stages; ++s)
      init(&full[s], 1);
    fenceInit();
  }
  __syncthreads();
  auto fetch = [&](int tile) {
    arriveExpect(&full[tile % stages], size * 4);
    bulkLoad(ring[tile % stages], in + tile * size, size * 4, &full[tile % stages]);
  };
  if (t == 0)
    for (int s = 0; s < stages && s < tiles; ++s)
      fetch(s);
  for (int tile = 0; tile < tiles; ++tile) {
    int s = tile % stages;
    wait(&full[s], tile / stages & 1);
    int value = ring[s][t] + ring[s][size - 1 - t] * (tile + 1);
    // The store of two tiles ago has read its buffer.
    if (t == 0)
      bulkWaitRead<1>();
    __syncthreads();
    result[tile & 1][t] = value;
    fenceAsync();
    __syncthreads();
    if (t == 0) {
      bulkStore(out + tile * size, result[tile & 1], size * 4);
      bulkCommit();
      if (tile + stages < tiles)
        fetch(tile + stages);
    }
  }
  if (t == 0)
    bulkWait<0>();
}

// A reduction into global memory by the copy engine.
extern "C" __global__ void bulk_reduce(const int *in, int *out) {
  __shared__ __align__(16) int row[64];
  int t = threadIdx.x;
  row[t] = in[blockIdx.x * 64 + t] + 1;
  fenceAsync();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;"
                 ::"l"(out), "r"(shared(row)), "r"(256) : "memory");
    bulkCommit();
    bulkWait<0>();
  }
}

// A tile of `rows` x `bytes` with the swizzle of that width (0: none), put in
// order on the way out; zeros where the tile sticks out.
static __device__ void copyTile(const TensorMap *map, uint8_t *out, int rows, int bytes, uint32_t mask) {
  extern __shared__ __align__(1024) uint8_t tile[];
  __shared__ uint64_t full;
  int t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    fenceInit();
  }
  __syncthreads();
  if (t == 0) {
    arriveExpect(&full, rows * bytes);
    tensorLoad(tile, map, int(blockIdx.x) * bytes - 16, int(blockIdx.y) * rows - 1, &full);
  }
  wait(&full, 0);
  out += size_t(blockIdx.y * gridDim.x + blockIdx.x) * rows * bytes;
  for (int i = t; i < rows * bytes; i += blockDim.x)
    out[i] = tile[i ^ (i >> 3 & mask)];
}
extern "C" __global__ void tensor_load_plain(const __grid_constant__ TensorMap map, uint8_t *out, int rows) {
  copyTile(&map, out, rows, 48, 0);
}
extern "C" __global__ void tensor_load_swizzle_32(const __grid_constant__ TensorMap map, uint8_t *out, int rows) {
  copyTile(&map, out, rows, 32, 0x10);
}
extern "C" __global__ void tensor_load_swizzle_64(const __grid_constant__ TensorMap map, uint8_t *out, int rows) {
  copyTile(&map, out, rows, 64, 0x30);
}
extern "C" __global__ void tensor_load_swizzle_128(const __grid_constant__ TensorMap map, uint8_t *out, int rows) {
  copyTile(&map, out, rows, 128, 0x70);
}

// A transpose: tiles of 32x32 floats in and out by the copy engine, the
// result clipped at the borders. The last argument only names the buffer.
extern "C" __global__ void tensor_transpose(const __grid_constant__ TensorMap in, const __grid_constant__ TensorMap out, float *) {
  __shared__ __align__(1024) float a[32][32], b[32][32];
  __shared__ uint64_t full;
  int t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    fenceInit();
    arriveExpect(&full, 4096);
    tensorLoad(a, &in, blockIdx.x * 32, blockIdx.y * 32, &full);
  }
  __syncthreads();
  wait(&full, 0);
  for (int i = t; i < 1024; i += blockDim.x) {
    int r = i / 32, c = i % 32;
    // Both with the 128-byte swizzle: 16-byte pieces are xor-ed with the row.
    b[r][c ^ (r % 8 * 4)] = a[c][r ^ (c % 8 * 4)];
  }
  fenceAsync();
  __syncthreads();
  if (t == 0) {
    tensorStore(&out, blockIdx.y * 32, blockIdx.x * 32, b);
    bulkCommit();
    bulkWait<0>();
  }
}

// Boxes of a volume with a halo on every side. It is 4 elements wide along x, of
// which one is read: a box begins at a multiple of 16 bytes of its rows.
extern "C" __global__ void tensor_load_3d(const __grid_constant__ TensorMap map, float *out, int nx, int ny, int nz) {
  __shared__ __align__(128) float box[4][6][16];
  __shared__ uint64_t full;
  int t = threadIdx.x, x0 = blockIdx.x * 8, y0 = blockIdx.y * 4, z0 = blockIdx.z * 2;
  if (t == 0) {
    init(&full, 1);
    fenceInit();
    arriveExpect(&full, sizeof(box));
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 ::"r"(shared(box)), "l"(&map), "r"(x0 - 4), "r"(y0 - 1), "r"(z0 - 1), "r"(shared(&full)) : "memory");
  }
  __syncthreads();
  wait(&full, 0);
  int x = t % 8, y = t / 8 % 4, z = t / 32;
  if (x0 + x >= nx || y0 + y >= ny || z0 + z >= nz)
    return;
  float sum = 0;
  for (int dz = 0; dz < 3; ++dz)
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        sum += box[z + dz][y + dy][x + 3 + dx];
  out[((z0 + z) * ny + y0 + y) * nx + x0 + x] = sum;
}

// Tiles added to a matrix by the copy engine; what sticks out is dropped.
extern "C" __global__ void tensor_reduce(const __grid_constant__ TensorMap map, float *, const float *in) {
  __shared__ __align__(128) float tile[8][32];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 64)
    tile[i / 32][i % 32] = in[blockIdx.z * 256 + i];
  fenceAsync();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];"
                 ::"l"(&map), "r"(blockIdx.x * 32), "r"(blockIdx.y * 8), "r"(shared(tile)) : "memory");
    bulkCommit();
    bulkWait<0>();
  }
}

// The thread that elect chooses prefetches and copies; the next grid may start
// early. Blocks take their rows one after the other.
extern "C" __global__ void elected_copy(const int4 *in, int4 *out, int rows) {
  __shared__ __align__(128) int4 row[32];
  __shared__ uint64_t full;
  in += blockIdx.x * rows * 32;
  out += blockIdx.x * rows * 32;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  int leader, t = threadIdx.x;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(leader));
  if (leader) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in), "r"(rows * 512) : "memory");
    init(&full, 1);
    fenceInit();
  }
  __syncwarp();
  for (int r = 0; r < rows; ++r) {
    if (leader) {
      arriveExpect(&full, 512);
      bulkLoad(row, in + r * 32, 512, &full);
    }
    wait(&full, r & 1);
    int4 v = row[t ^ 1];
    out[r * 32 + t] = make_int4(v.y, v.x, v.w, v.z);
    __syncwarp();
  }
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// A warp leaves after every round: its last arrival drops out of the barrier,
// and bytes that nobody copies are reported as copied by hand.
extern "C" __global__ void leaving_warps(const int *in, int *out) {
  constexpr int warps = 6;
  __shared__ int values[2][warps][32];
  __shared__ uint64_t met;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * warps * 32 + threadIdx.x, value = in[i];
  if (threadIdx.x == 0) {
    init(&met, warps * 32);
    fenceInit();
  }
  __syncthreads();
  for (int round = 0; round < warp; ++round) {
    values[round & 1][warp][lane] = value;
    arrive(&met);
    wait(&met, round & 1);
    for (int other = round; other < warps; ++other)
      value = value * 3 + values[round & 1][other][lane ^ 5];
  }
  values[warp & 1][warp][lane] = value;
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n"
               "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n"
               "mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared(&met)), "r"(16) : "memory");
  out[i] = value;
}
