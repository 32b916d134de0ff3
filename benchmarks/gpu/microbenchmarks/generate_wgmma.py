#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Wgmma.cu: rate of wgmma.mma_async by shape (PTX ISA, asynchronous warpgroup instructions).

Its accumulators are up to 128 registers, each named in the assembly, which is why it is generated.
Both operands are in shared memory, or A in registers. Operands are zero, so that only the instruction
counts and any valid descriptor will do.
"""

import sys

HEAD = """// Written by generate_wgmma.py.
#include "Common.cuh"

constexpr int rounds = 512;

__device__ static unsigned long long descriptor(const void *data) {
  // Start address / 16, leading and stride offsets of 128 and 256 bytes, no swizzle.
  unsigned long long address = __cvta_generic_to_shared(data);
  return (address >> 4 & 0x3fff) | (8ull << 16) | (16ull << 32);
}
"""

KERNEL = """
__global__ void __launch_bounds__(256) {name}(long long *cycles, float *sink) {{
  __shared__ __align__(1024) unsigned data[10240];
  for (int i = threadIdx.x; i < 10240; i += blockDim.x)
    data[i] = 0;
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
{setup}  float d[{registers}] = {{}};
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < 4; ++j)
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {{{placeholders}}}, {a_text}, %{b}, 1, 1, 1{major};"
          : {accumulators}
          : {inputs});
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }}
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  long long end = clock64();
  float sum = 0;
  for (int i = 0; i < {registers}; ++i)
    sum += d[i];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = end - begin;
  if (sum == 1.0f)
    *sink = sum;
}}
"""

MAIN = """
int main() {
  int sms = deviceProperties().multiProcessorCount;
  long long *cycles, result;
  float *sink;
  CHECK(cudaMalloc(&cycles, 8));
  CHECK(cudaMalloc(&sink, 4));
"""

MEASURE = """  for (int groups : {{1, 2}}) {{
    {name}<<<1, groups * 128>>>(cycles, sink);
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    double flops = 2.0 * 64 * {n} * 16 * 4 * rounds * groups;
    report(groups == 1 ? "{name}_1_group" : "{name}_2_groups", flops / double(result), "flop/cycle/SM");
    double us = timeLaunches([&] {{ {name}<<<sms, groups * 128>>>(cycles, sink); }});
    report(groups == 1 ? "{name}_1_group_chip" : "{name}_2_groups_chip", flops * sms / us * 1e-6, "TFLOP/s");
  }}
"""


def kernel(n, a_in_registers):
    registers = n // 2
    name = f"wgmma_m64n{n}k16_f16_{'rs' if a_in_registers else 'ss'}"
    placeholders = ", ".join(f"%{i}" for i in range(registers))
    accumulators = ", ".join(f'"+f"(d[{i}])' for i in range(registers))
    if a_in_registers:
        setup = "  unsigned long long b = descriptor(data + 2048);\n  unsigned z[4];\n"
        setup += "  for (int i = 0; i < 4; ++i)\n    z[i] = data[threadIdx.x + 256 * i];\n"
        a_text = "{" + ", ".join(f"%{registers + i}" for i in range(4)) + "}"
        inputs, b, major = '"r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "l"(b)', registers + 4, ", 0"
    else:
        setup = "  unsigned long long a = descriptor(data), b = descriptor(data + 2048);\n"
        a_text, inputs, b, major = f"%{registers}", '"l"(a), "l"(b)', registers + 1, ", 0, 0"
    return name, KERNEL.format(**locals())


def main():
    text, measures = HEAD, MAIN
    for n in (64, 128, 192, 256):
        for a_in_registers in (False, True):
            name, one = kernel(n, a_in_registers)
            text += one
            measures += MEASURE.format(name=name, n=n)
    sys.stdout.write(text + measures + "}\n")


if __name__ == "__main__":
    main()
