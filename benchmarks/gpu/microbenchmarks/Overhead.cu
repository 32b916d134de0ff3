//===- Overhead.cu - Cost of launches and barriers --------------------------- ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common.cuh"
#include <cooperative_groups.h>
#include <string>

namespace cg = cooperative_groups;

__global__ void emptyKernel() {}

__global__ void barrierKernel(int rounds, long long *cycles) {
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    __syncthreads();
  if (threadIdx.x == 0)
    *cycles = clock64() - begin;
}

__global__ void gridBarrierKernel(int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int i = 0; i < rounds; ++i)
    grid.sync();
}

__global__ void shuffleKernel(int rounds, long long *cycles, int *sink) {
  int value = threadIdx.x;
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i)
    value = __shfl_xor_sync(0xffffffffu, value, 1) + 1;
  if (threadIdx.x == 0)
    *cycles = clock64() - begin;
  *sink = value;
}

int main() {
  cudaDeviceProp p = deviceProperties();
  // Back to back in a stream: what one more kernel costs.
  report("launch_stream", timeLaunches([] { emptyKernel<<<1, 32>>>(); }, 1000),
         "us");
  report("launch_stream_full_grid",
         timeLaunches([&] { emptyKernel<<<p.multiProcessorCount * 8, 256>>>(); },
                      1000),
         "us");

  // The launch cost in a graph of 1000 kernels.
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  constexpr int nodes = 1000;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; ++i)
    emptyKernel<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  // Into the default stream, which the events are in.
  report("launch_graph",
         timeLaunches([&] { CHECK(cudaGraphLaunch(executable, nullptr)); }, 3) / nodes,
         "us");

  long long *cycles, result;
  int *sink;
  CHECK(cudaMalloc(&cycles, 8));
  CHECK(cudaMalloc(&sink, 4));
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    barrierKernel<<<1, warps * 32>>>(1000, cycles);
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    report(("block_barrier_" + std::to_string(warps) + "_warps").c_str(),
           double(result) / 1000, "cycles");
  }
  shuffleKernel<<<1, 32>>>(1000, cycles, sink);
  CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
  report("shuffle_and_add_latency", double(result) / 1000, "cycles");

  int rounds = 100;
  void *arguments[] = {&rounds};
  int zero = 0;
  void *none[] = {&zero};
  auto launch = [&](void **args) {
    CHECK(cudaLaunchCooperativeKernel((void *)gridBarrierKernel,
                                      dim3(p.multiProcessorCount), dim3(256),
                                      args, 0, nullptr));
  };
  double with = timeLaunches([&] { launch(arguments); });
  double without = timeLaunches([&] { launch(none); });
  report("grid_barrier", (with - without) / rounds, "us");
}
