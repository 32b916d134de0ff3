//===- Common.cuh - What the microbenchmarks share ---------------*- CUDA -*- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each program prints one JSON object per line: {"name", "value", "unit", ...}.
// Times are medians over several timed batches of launches.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t error_ = (call);                                               \
    if (error_ != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,       \
                   cudaGetErrorString(error_));                                \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

inline void report(const char *name, double value, const char *unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name,
              value, unit);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Median microseconds of one call of `launch`, `calls` of them per sample.
template <typename Launch>
double timeLaunches(Launch launch, int calls = 10, int samples = 15) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i)
    launch();
  CHECK(cudaDeviceSynchronize());
  std::vector<double> times;
  for (int s = 0; s < samples; ++s) {
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < calls; ++i)
      launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms * 1e3 / calls);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return median(times);
}

inline cudaDeviceProp deviceProperties() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  return properties;
}
