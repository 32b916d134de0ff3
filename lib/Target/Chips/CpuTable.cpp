//===- CpuTable.cpp - CPUs of the chip table ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//  [psABI]  x86-64 psABI, "Micro-Architecture Levels": what x86-64-v3 and
//           x86-64-v4 contain.
//  [AMD19]  AMD, "Software Optimization Guide for the AMD Family 19h
//           Processors", 2020 (Zen 3): two 256-bit FMA pipes with 4 cycles,
//           caches, 2 loads of 256 bits a cycle, 32 bytes a cycle from L2 and
//           from L3.
//  [AMD1A]  AMD, "Software Optimization Guide for the AMD Zen 5
//           Microarchitecture", 2024: two 512-bit FMA pipes, 2 loads of 512
//           bits a cycle, 64 bytes a cycle from L2.
//  [EPYC3]  AMD EPYC 7763 product page: 3.5 GHz, 32 MiB of L3 for the 8 cores
//           of a complex, DDR4-3200.
//  [EPYC5]  AMD EPYC 9005 series data sheet: 32 MiB of L3 for the 8 cores of a
//           complex, DDR5-6000.
//  [Intel]  Intel 64 and IA-32 Architectures Optimization Reference Manual,
//           volume 1: caches and bandwidths of Skylake Server ("Skylake Server
//           Microarchitecture") and of Sapphire Rapids ("Golden Cove"); AMX:
//           one TDP instruction in 16 cycles with a latency of 52.
//  [ARK]    Intel's product pages of Xeon Platinum 8180 (28 cores, 38.5 MiB,
//           DDR4-2666) and 8480+ (56 cores, 105 MiB, DDR5-4800).
//  [uops]   uops.info: latencies and throughputs of VFMADD231PS, VDPBF16PS
//           and VPDPBUSD.
//  [run]    Measured on two cores of an EPYC 9005 in a virtual machine: FMAs of
//           f32 at 550 GFLOP/s, bf16 dot products at twice, those of s8 at four
//           times that rate; L2 at 215, L3 at 105, DRAM at 40 GB/s for each
//           core.
//  [est]    Not published; estimated from the nearest measured CPU.
//
//===----------------------------------------------------------------------===//

#include "CpuTable.h"

using namespace fusion;

static constexpr uint64_t KiB = 1024, MiB = 1024 * 1024;

/// A complex of 8 Zen 3 cores, which have what x86-64-v3 contains.
static constexpr CpuInfo x86v3() {
  CpuInfo cpu;
  cpu.llvmCpu = "x86-64-v3";
  cpu.llvmFeatures = "";
  // [psABI], [EPYC3]; FMAs and caches [AMD19].
  cpu.cores = 8;
  cpu.clockHz = 3.5e9;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.fmaUnits = 2;
  cpu.fmaLatency = 4;
  cpu.l1Bytes = 32 * KiB;
  cpu.l1Ways = 8;
  cpu.l2Bytes = 512 * KiB;
  cpu.l2Ways = 8;
  cpu.l3Bytes = 32 * MiB;
  cpu.lineBytes = 64;
  cpu.l1BytesPerCycle = 64;
  cpu.l2BytesPerCycle = 32;
  cpu.l3BytesPerCycle = 20; // of the 32 of [AMD19], by the share of [run] [est]
  // 32 bytes a cycle of 1.6 GHz from the complex to memory; a core [est].
  cpu.dramBytesPerSecond = 51.2e9;
  cpu.dramBytesPerSecondPerCore = 25e9;
  cpu.forkJoinSeconds = 2e-6; // [est]
  return cpu;
}

/// Xeon Platinum 8180, the first server CPU with what x86-64-v4 contains.
static constexpr CpuInfo x86v4() {
  CpuInfo cpu;
  cpu.llvmCpu = "x86-64-v4";
  cpu.llvmFeatures = "-prefer-256-bit";
  // [psABI], [ARK]; the clock with AVX-512 on all cores [est].
  cpu.cores = 28;
  cpu.clockHz = 2.3e9;
  cpu.vectorBytes = 64;
  cpu.vectorRegisters = 32;
  cpu.fmaUnits = 2;
  cpu.fmaLatency = 4; // [uops]
  // [Intel]: L2 sustains 52 of 64 bytes; L3 [est].
  cpu.l1Bytes = 32 * KiB;
  cpu.l1Ways = 8;
  cpu.l2Bytes = 1 * MiB;
  cpu.l2Ways = 16;
  cpu.l3Bytes = 38 * MiB + 512 * KiB;
  cpu.lineBytes = 64;
  cpu.l1BytesPerCycle = 128;
  cpu.l2BytesPerCycle = 52;
  cpu.l3BytesPerCycle = 10;
  // 6 channels of DDR4-2666 [ARK] at 85 %; a core [est].
  cpu.dramBytesPerSecond = 109e9;
  cpu.dramBytesPerSecondPerCore = 13e9;
  cpu.forkJoinSeconds = 4e-6; // [est]
  cpu.hasAvx512 = true;
  return cpu;
}

/// A complex of 8 Zen 5 cores with a data path of 512 bits.
static constexpr CpuInfo zen5() {
  CpuInfo cpu;
  cpu.llvmCpu = "znver5";
  cpu.llvmFeatures = "";
  // [EPYC5]; the clock is that of [run].
  cpu.cores = 8;
  cpu.clockHz = 4.3e9;
  cpu.vectorBytes = 64;
  cpu.vectorRegisters = 32;
  // [AMD1A], [uops]; [run] agrees.
  cpu.fmaUnits = 2;
  cpu.fmaLatency = 4;
  cpu.bf16DotUnits = 2;
  cpu.bf16DotLatency = 6;
  cpu.s8DotUnits = 2;
  cpu.s8DotLatency = 4;
  // [AMD1A]; L2 and L3 as sustained in [run].
  cpu.l1Bytes = 48 * KiB;
  cpu.l1Ways = 12;
  cpu.l2Bytes = 1 * MiB;
  cpu.l2Ways = 16;
  cpu.l3Bytes = 32 * MiB;
  cpu.lineBytes = 64;
  cpu.l1BytesPerCycle = 128;
  cpu.l2BytesPerCycle = 50;
  cpu.l3BytesPerCycle = 24;
  cpu.dramBytesPerSecond = 82e9;        // [run], of two cores
  cpu.dramBytesPerSecondPerCore = 41e9; // [run]
  cpu.forkJoinSeconds = 2e-6;           // [est]
  cpu.hasAvx512 = true;
  cpu.hasAvx512Bf16 = true;
  cpu.hasVnni = true;
  return cpu;
}

/// Xeon Platinum 8480+.
static constexpr CpuInfo sapphireRapids() {
  CpuInfo cpu;
  cpu.llvmCpu = "sapphirerapids";
  cpu.llvmFeatures = "-prefer-256-bit";
  // [ARK]; the clock with AVX-512 on all cores [est].
  cpu.cores = 56;
  cpu.clockHz = 2.6e9;
  cpu.vectorBytes = 64;
  cpu.vectorRegisters = 32;
  // [uops]; bf16 dot products on one port [est].
  cpu.fmaUnits = 2;
  cpu.fmaLatency = 4;
  cpu.bf16DotUnits = 1;
  cpu.bf16DotLatency = 6;
  cpu.s8DotUnits = 2;
  cpu.s8DotLatency = 5;
  cpu.amxCycles = 16; // [Intel]
  cpu.amxLatency = 52;
  // [Intel]: L2 sustains 48 of 64 bytes; L3 [est].
  cpu.l1Bytes = 48 * KiB;
  cpu.l1Ways = 12;
  cpu.l2Bytes = 2 * MiB;
  cpu.l2Ways = 16;
  cpu.l3Bytes = 105 * MiB;
  cpu.lineBytes = 64;
  cpu.l1BytesPerCycle = 128;
  cpu.l2BytesPerCycle = 48;
  cpu.l3BytesPerCycle = 10;
  // 8 channels of DDR5-4800 [ARK] at 85 %; a core [est].
  cpu.dramBytesPerSecond = 260e9;
  cpu.dramBytesPerSecondPerCore = 12e9;
  cpu.forkJoinSeconds = 6e-6; // [est]
  cpu.hasAvx512 = true;
  cpu.hasAvx512Bf16 = true;
  cpu.hasAvx512Fp16 = true;
  cpu.hasVnni = true;
  cpu.hasAmx = true;
  return cpu;
}

static constexpr CpuTable table{x86v3(), x86v4(), zen5(), sapphireRapids()};

static constexpr bool isComplete(const CpuInfo &cpu) {
  for (unsigned number :
       {cpu.cores, cpu.vectorBytes, cpu.vectorRegisters, cpu.fmaUnits,
        cpu.fmaLatency, cpu.l1Ways, cpu.l2Ways, cpu.lineBytes})
    if (number == 0)
      return false;
  for (double number :
       {cpu.clockHz, double(cpu.l1Bytes), double(cpu.l2Bytes),
        double(cpu.l3Bytes), cpu.l1BytesPerCycle, cpu.l2BytesPerCycle,
        cpu.l3BytesPerCycle, cpu.dramBytesPerSecond,
        cpu.dramBytesPerSecondPerCore, cpu.forkJoinSeconds})
    if (number == 0)
      return false;
  return cpu.hasAvx512Bf16 == (cpu.bf16DotUnits != 0) &&
         cpu.hasVnni == (cpu.s8DotUnits != 0) &&
         cpu.hasAmx == (cpu.amxCycles != 0);
}
static_assert(isComplete(table.x86v3) && isComplete(table.x86v4) &&
                  isComplete(table.zen5) && isComplete(table.sapphireRapids),
              "a CPU lacks a number");

const CpuTable &fusion::cpuTable() { return table; }

//===----------------------------------------------------------------------===//
// CPUs as chips
//===----------------------------------------------------------------------===//

/// What code that knows no CPU asks of a chip: a core is taken for an SM and L3
/// for L2.
static ChipInfo makeChip(llvm::StringLiteral name, llvm::StringLiteral product,
                         const CpuInfo &cpu) {
  ChipInfo chip;
  chip.name = name;
  chip.arch = name;
  chip.product = product;
  chip.cpu = &cpu;
  chip.numSMs = cpu.cores;
  chip.gpcs[0] = {1, cpu.cores};
  chip.sharedMemoryPerSM = chip.sharedMemoryPerBlock = unsigned(cpu.l2Bytes);
  chip.maxWarpsPerSM = chip.maxBlocksPerSM = 1;
  chip.l2Bytes = cpu.l3Bytes;
  chip.clockHz = cpu.clockHz;
  chip.dramBytesPerSecond = cpu.dramBytesPerSecond;
  chip.l2BytesPerSecond = cpu.l3BytesPerCycle * cpu.clockHz * cpu.cores;
  chip.l2BytesPerClockPerSM = cpu.l3BytesPerCycle;
  chip.sharedBytesPerClockPerSM = cpu.l2BytesPerCycle;
  chip.fmaCycles = cpu.fmaLatency;
  chip.launchOverhead = chip.barrierLatency = cpu.forkJoinSeconds;
  // A multiply-add counts as two operations.
  auto rate = [&](double multiplyAdds, double units) {
    return cpu.cores * cpu.rateOfCore(2 * multiplyAdds, units);
  };
  double f32 = rate(cpu.f32Lanes(), cpu.fmaUnits);
  chip.f32FlopsPerSecond = f32;
  chip.tensorFlops.tf32 = f32;
  chip.tensorFlops.f64 = f32 / 2;
  chip.tensorFlops.f16 = cpu.hasAvx512Fp16 ? 2 * f32 : f32;
  chip.tensorFlops.bf16 =
      std::max(f32, rate(cpu.vectorBytes / 2, cpu.bf16DotUnits));
  chip.tensorFlops.s8 = std::max(f32, rate(cpu.vectorBytes, cpu.s8DotUnits));
  if (cpu.hasAmx) {
    // 16 × 16 sums of 64 bytes of the operands' rows.
    constexpr double sums = 16 * 16, rowBytes = 64;
    chip.tensorFlops.bf16 = rate(sums * rowBytes / 2, 1.0 / cpu.amxCycles);
    chip.tensorFlops.s8 = rate(sums * rowBytes, 1.0 / cpu.amxCycles);
  }
  // Vectors of divisions and exponentials: some 16 instructions each [est].
  chip.specialPerClockPerSM = cpu.f32Lanes() * cpu.fmaUnits / 16.0;
  chip.mmaLatency = cpu.fmaLatency / cpu.clockHz;
  chip.mmaPeakFraction = 1.0;
  // 100 ns and 50 cycles [est].
  chip.dramLatency = 1e-7;
  chip.l2Latency = 50 / cpu.clockHz;
  chip.sharedLatency = 14 / cpu.clockHz;
  return chip;
}

std::vector<ChipInfo> fusion::makeCpuChips() {
  return {
      makeChip("x86-64-v3", "EPYC 7763, 8 cores", table.x86v3),
      makeChip("x86-64-v4", "Xeon Platinum 8180", table.x86v4),
      makeChip("znver5", "EPYC 9005, 8 cores", table.zen5),
      makeChip("sapphirerapids", "Xeon Platinum 8480+", table.sapphireRapids),
      makeChip("host", "the machine at hand", hostCpu())};
}
