// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over the blocks of a launch that our functions are called with, on
// OpenMP's threads. docs/native-kernels.md describes the interface. Threads
// take parts of the grid, about eight each, until none is left.

#include <omp.h>
#include <stdint.h>

typedef void (*Body)(void *data, int64_t first, int64_t end, int64_t worker);

void benchmark_parallel_for(void *context, Body body, void *data,
                            int64_t count) {
  int64_t threads = *(const int64_t *)context, parts = 8 * threads;
  if (parts > count)
    parts = count;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
  for (int64_t i = 0; i < parts; ++i)
    body(data, i * count / parts, (i + 1) * count / parts,
         omp_get_thread_num());
}
