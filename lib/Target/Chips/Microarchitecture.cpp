//===- Microarchitecture.cpp - How an SM executes instructions ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//  [CUDA]   CUDA C++ Programming Guide 13.0, table "Throughput of Native
//           Arithmetic Instructions"; whitepapers of the chips for load/store
//           units (32 of an SM of A100 and H100, 16 of GA102 and AD102) and
//           for the bytes of L1.
//  [H200]   Measured on an H200 (docs/measurements/h200.md).
//  [Luo24]  Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU
//           Architecture via Microbenchmarking", 2024: latencies of L1, L2 and
//           DRAM on A100, RTX 4090 and H100.
//  [Hue25]  Huerta et al., "Analyzing Modern NVIDIA GPU cores", 2025: queues of
//           the memory pipe, latencies of loads and of constants (A6000).
//  [ptxas]  Stall counts that ptxas 13.0 gives the instruction before a
//  dependent
//           one, on sm_80 and sm_90a.
//  [est]    Not published; carried over from the nearest measured chip.
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/Microarchitecture.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static constexpr unsigned KiB = 1024;

/// What is taken to be alike: measured on the H200 unless a source stands here.
static constexpr Microarchitecture common() {
  Microarchitecture chip;
  chip.lanes = {128, 128, 64, 64, 16, 64, 32};
  chip.memoryQueue = 5;        // [Hue25]
  chip.fixedLatency = 4;       // [ptxas]
  chip.crossLatency = 1;       // [ptxas]
  chip.branchLatency = 13;     // [ptxas]
  chip.mmaLatency = 8;         // [ptxas], 16 with 16 bytes of K
  chip.mmaByteLatency = 0.5;   // [ptxas], 24 with 32 bytes
  chip.specialLatency = 20;    // [est]
  chip.shuffleLatency = 24;    // 30.6 with an addition [H200]
  chip.constantLatency = 26;   // [Hue25]
  chip.sharedLatency = 23;     // [H200]
  chip.matrixLatency = 29;     // [Hue25]
  chip.l1Latency = 33;         // [Luo24]
  chip.l2Latency = 287;        // [H200]
  chip.dramLatency = 674;      // [H200]
  chip.wavefrontLatency = 2;   // [H200]
  chip.operandLatency = 10;    // [Hue25]
  chip.copyLatency = 12;       // [Hue25]
  chip.tmaLatency = 100;       // 387 to 397 with L2 [H200]
  chip.tmaInterval = 8;        // [est]
  chip.tmaBytesPerCycle = 110; // 1024 to 32768 bytes from L2 [H200]
  chip.barrierLatency = 13;    // [H200]
  chip.barrierInterval = 2;    // [H200]
  chip.mbarrierLatency = 25;   // half of arrival and wait, 51 [H200]
  chip.waitLatency = 25;       // the other half
  // A round trip of two warps takes 140 cycles, of two blocks 970 [H200].
  chip.wakeLatency = 20;
  chip.remoteArrivalLatency = 415;
  // 351 with a fence before it [H200], of which a half is taken for each.
  chip.clusterBarrierLatency = 175;
  chip.wideFenceLatency = 175;
  chip.clusterLatency = 195;      // [H200]
  chip.clusterBytesPerCycle = 81; // stores [H200]
  chip.fenceLatency = 20;         // [est]
  chip.wgmmaLatency = 44;         // [H200]
  chip.wgmmaSharedLatency = 59;   // [H200]
  chip.wgmmaMinInterval = 13;     // [H200]
  chip.l1Bytes = 256 * KiB;
  chip.sharedBytesPerCycle = 128;
  chip.l2BytesPerCycle = 64;
  chip.dramEfficiency = 0.91;  // 4379 of 4800 GB/s [H200]
  chip.blockLatency = 100;     // [est]
  chip.blockInterval = 20;     // [est]
  chip.launchSeconds = 0.5e-6; // in a graph [H200]
  return chip;
}

static constexpr Microarchitecture ampere() {
  Microarchitecture chip = common();
  chip.computeCapability = 80;
  chip.lanes = {64, 128, 64, 64, 16, 32, 32};
  chip.l1Latency = 33; // [Luo24]
  chip.l2Latency = 261;
  chip.dramLatency = 466;
  chip.l1Bytes = 192 * KiB;
  return chip;
}

static constexpr Microarchitecture ga10x() {
  Microarchitecture chip = common();
  chip.computeCapability = 86;
  chip.lanes = {128, 64, 64, 64, 16, 2, 16};
  chip.l2Latency = 261; // [est], as A100
  chip.dramLatency = 466;
  chip.l1Bytes = 128 * KiB;
  return chip;
}

static constexpr Microarchitecture ada() {
  Microarchitecture chip = ga10x();
  chip.computeCapability = 89;
  chip.l2Latency = 273; // [Luo24]
  chip.dramLatency = 541;
  return chip;
}

static constexpr Microarchitecture hopper() {
  Microarchitecture chip = common();
  chip.computeCapability = 90;
  chip.l2BytesPerSecond = 8.163e12; // [H200]
  chip.tensorClockHz = 1.66e9; // [H200], mean of eight loops of wgmma, all SMs
  return chip;
}

static constexpr Microarchitecture blackwell() {
  Microarchitecture chip = common();
  chip.computeCapability = 100;
  return chip;
}

static constexpr Microarchitecture gb20x() {
  Microarchitecture chip = ada();
  chip.computeCapability = 120;
  chip.lanes = {128, 64, 128, 64, 16, 2, 32};
  return chip;
}

static constexpr Microarchitecture table[] = {ampere(), ga10x(),     ada(),
                                              hopper(), blackwell(), gb20x()};

const Microarchitecture &fusion::microarchitectureOf(const ChipInfo &chip) {
  const Microarchitecture *found = &table[0];
  for (const Microarchitecture &entry : table)
    if (entry.computeCapability <= chip.computeCapability)
      found = &entry;
  return *found;
}
