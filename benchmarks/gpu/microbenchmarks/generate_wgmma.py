#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Wgmma.cu: rate and latency of wgmma.mma_async by shape and type (PTX ISA, asynchronous warpgroup instructions).

Its accumulators are up to 128 registers, each named in the assembly, which is why it is generated.
Both operands are in shared memory, or A in registers. Operands are zero, so that only the instruction
counts and any valid descriptor will do. The rate is that of groups of four instructions, one group in flight
behind the other; the latency is that of one awaited instruction.
"""

import sys

HEAD = """// Written by generate_wgmma.py.
#include "Common.cuh"

__device__ static unsigned long long descriptor(const void *data) {
  // Start address / 16, leading and stride offsets of 128 and 256 bytes, no swizzle.
  unsigned long long address = __cvta_generic_to_shared(data);
  return (address >> 4 & 0x3fff) | (8ull << 16) | (16ull << 32);
}
"""

KERNEL = """
extern "C" __global__ void __launch_bounds__(256) {name}(int rounds, long long *cycles, float *sink) {{
  __shared__ __align__(1024) unsigned data[10240];
  for (int i = threadIdx.x; i < 10240; i += blockDim.x)
    data[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
{setup}  {element} d[{registers}] = {{}};
  long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int j = 0; j < {batch}; ++j)
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n{n}{types} {{{placeholders}}}, {a_text}, %{b}, 1{tail};"
          : {accumulators}
          : {inputs});
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned {pending};" ::: "memory");
  }}
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  long long end = clock64();
  {element} sum = 0;
  for (int i = 0; i < {registers}; ++i)
    sum += d[i];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    *cycles = end - begin;
  // Never so; keeps the products.
  if (sum != 0)
    *sink = float(sum);
}}
"""

MAIN = """
int main() {
  int sms = deviceProperties().multiProcessorCount;
  constexpr int rounds = 512;
  long long *cycles, result;
  float *sink;
  CHECK(cudaMalloc(&cycles, 8));
  CHECK(cudaMalloc(&sink, 4));
"""

MEASURE = """  for (int groups : {{1, 2}}) {{
    {name}<<<1, groups * 128>>>(rounds, cycles, sink);
    CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
    double flops = 2.0 * 64 * {n} * {k} * 4 * rounds * groups;
    report(groups == 1 ? "{name}_1_group" : "{name}_2_groups", flops / double(result), "flop/cycle/SM");
    double us = timeLaunches([&] {{ {name}<<<sms, groups * 128>>>(rounds, cycles, sink); }});
    report(groups == 1 ? "{name}_1_group_chip" : "{name}_2_groups_chip", flops * sms / us * 1e-6, "TFLOP/s");
  }}
  {name}_latency<<<1, 128>>>(rounds, cycles, sink);
  CHECK(cudaMemcpy(&result, cycles, 8, cudaMemcpyDefault));
  report("{name}_latency", double(result) / rounds, "cycles");
"""

# Type -> (reduced elements of 32 bytes, accumulators, the instruction's types, scales of A and B, whether majors follow)
TYPES = {
    "f16": (16, "float", "k16.f32.f16.f16", ", 1, 1", True),
    "bf16": (16, "float", "k16.f32.bf16.bf16", ", 1, 1", True),
    "tf32": (8, "float", "k8.f32.tf32.tf32", ", 1, 1", False),
    "e4m3": (32, "float", "k32.f32.e4m3.e4m3", ", 1, 1", False),
    "s8": (32, "int", "k32.s32.s8.s8", "", False),
}
COLUMNS = {"f16": (8, 16, 32, 64, 96, 128, 192, 256)}
COLUMNS_OF_OTHERS = (64, 128, 256)


def kernel(dtype, n, a_in_registers, batch, pending, suffix=""):
    k, element, types, scales, has_majors = TYPES[dtype]
    registers = n // 2
    name = f"wgmma_m64n{n}k{k}_{dtype}_{'rs' if a_in_registers else 'ss'}{suffix}"
    placeholders = ", ".join(f"%{i}" for i in range(registers))
    constraint = "+f" if element == "float" else "+r"
    accumulators = ", ".join(f'"{constraint}"(d[{i}])' for i in range(registers))
    if a_in_registers:
        setup = "  unsigned long long b = descriptor(data + 2048);\n  unsigned z[4];\n"
        setup += "  for (int i = 0; i < 4; ++i)\n    z[i] = data[threadIdx.x + 256 * i];\n"
        a_text = "{" + ", ".join(f"%{registers + i}" for i in range(4)) + "}"
        inputs, b, majors = '"r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "l"(b)', registers + 4, ", 0"
    else:
        setup = "  unsigned long long a = descriptor(data), b = descriptor(data + 2048);\n"
        a_text, inputs, b, majors = f"%{registers}", '"l"(a), "l"(b)', registers + 1, ", 0, 0"
    tail = scales + (majors if has_majors else "")
    return name, KERNEL.format(**locals())


def main():
    text, measures = HEAD, MAIN
    for dtype in TYPES:
        for n in COLUMNS.get(dtype, COLUMNS_OF_OTHERS):
            for a_in_registers in (False, True):
                name, one = kernel(dtype, n, a_in_registers, batch=4, pending=1)
                text += one + kernel(dtype, n, a_in_registers, batch=1, pending=0, suffix="_latency")[1]
                measures += MEASURE.format(name=name, n=n, k=TYPES[dtype][0])
    sys.stdout.write(text + measures + "}\n")


if __name__ == "__main__":
    main()
