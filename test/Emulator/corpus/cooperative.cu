// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What needs the driver or the system: barriers of the whole grid and of more
// than a warp by cooperative groups, and the heap of kernels.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Values go round the grid, a block a round.
extern "C" __global__ void grid_rotate(int *data, int rounds) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  for (int r = 0; r < rounds; ++r) {
    int v = data[(i + blockDim.x) % n];
    grid.sync();
    data[i] = v + 1;
    grid.sync();
  }
}

// Sums by groups of two warps; the second warp's through shared memory.
extern "C" __global__ void tile_64(const int *in, int *out) {
  __shared__ int sums[4];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<64>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    v += __shfl_xor_sync(~0u, v, offset);
  if (tile.thread_rank() == 37)
    sums[tile.meta_group_rank()] = v;
  tile.sync();
  if (tile.thread_rank() == 5)
    out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = v + sums[tile.meta_group_rank()];
}

struct Node {
  int value;
  Node *next;
};

// A list and an array per thread, on the heap.
extern "C" __global__ void heap_list(int *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Node *head = nullptr;
  for (int i = 0; i < n + t % 3; ++i) {
    Node *node = static_cast<Node *>(malloc(sizeof(Node)));
    if (!node)
      __trap();
    node->value = i * (t + 1);
    node->next = head;
    head = node;
  }
  int sum = 0, weight = 1;
  while (head) {
    Node *node = head;
    sum += node->value * weight++;
    head = node->next;
    free(node);
  }
  int *numbers = new int[n];
  for (int i = 0; i < n; ++i)
    numbers[i] = i * i + t;
  for (int i = 0; i < n; ++i)
    sum ^= numbers[n - 1 - i] << i % 8;
  delete[] numbers;
  out[t] = sum;
}

// What there is of the heap: more than that is none.
extern "C" __global__ void heap_full(int *out) {
  void *all = malloc(size_t(1) << 30), *some = malloc(1 << 20);
  out[2 * blockIdx.x] = all == nullptr;
  out[2 * blockIdx.x + 1] = some != nullptr;
  free(some);
  free(all);
}

// Bytes and halves: vabsdiff4, vabsdiff2 and the sequences that replace others.
extern "C" __global__ void simd_bytes(const unsigned *a, const unsigned *b, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i], y = b[i], *o = out + i * 6;
  o[0] = __vabsdiffu4(x, y);
  o[1] = __vsadu4(x, y);
  o[2] = __vsads2(x, y);
  o[3] = __vavgu4(x, y);
  o[4] = __vaddus4(x, y);
  o[5] = __vcmpgts2(x, y);
}
