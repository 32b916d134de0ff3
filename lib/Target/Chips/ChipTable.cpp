//===- ChipTable.cpp - Data of the chips we compile for -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//  [CUDA]   CUDA C++ Programming Guide 13.0, "Compute Capabilities", table
//           "Technical Specifications per Compute Capability"; "Multiprocessor
//           Level": 4 cycles for most arithmetic instructions.
//  [A100]   NVIDIA A100 Tensor Core GPU Architecture whitepaper, 2020.
//  [GA102]  NVIDIA Ampere GA102 GPU Architecture whitepaper, 2021 (RTX 3080
//           as in MCFuser section VI: 68 SMs, 10 GB; RTX A6000: 84 SMs).
//  [AD102]  NVIDIA Ada GPU Architecture whitepaper, 2023 (RTX 4090).
//  [H100]   NVIDIA H100 Tensor Core GPU Architecture whitepaper, 2022 (SXM5).
//  [H200]   NVIDIA H200 datasheet, 2024.
//  [B200]   NVIDIA Blackwell Architecture Technical Brief, 2024.
//  [GB202]  NVIDIA RTX Blackwell GPU Architecture whitepaper, 2025 (RTX 5090).
//  [Luo24]  Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU
//           Architecture via Microbenchmarking", 2024: latencies in cycles of
//           L1/L2/DRAM and L2 throughput on A100, RTX 4090 and H100; 180 cycles
//           from an SM to another one of its cluster on H100.
//  [Jia18]  Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
//           Microbenchmarking", 2018: 64 bytes a cycle between an SM and the
//           L2, taken to be the same on later chips [est].
//  [Sun23]  Sun et al., "Dissecting Tensor Cores via Microbenchmarks: Latency,
//           Throughput and Numeric Behaviors", IEEE TPDS 2023: mma.sync on
//           A100.
//  [PTX]    PTX ISA 8.7: cp.async.bulk.tensor (.multicast::cluster has reduced
//           performance off sm_90a and sm_100a: not counted), setmaxnreg (its
//           bounds: Hardware.h; sm_90a and sm_100a); griddepcontrol (sm_90 and
//           later); mma.sync of 8-bit floats is of version 8.4.
//  [GPC]    SMs come in GPCs, of which a product has some disabled: not
//           published, and other chips of a product may have other ones. Taken
//           are the fewest different sizes that add up, for H100 and H200 the
//           16 and 18 that are reported of them.
//  [est]    Not published; carried over from the nearest measured chip, to be
//           replaced by a measurement (benchmarks/gpu/chip_table.py).
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/ChipTable.h"
#include "CpuTable.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/SharedMemoryPerBlock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fusion;

static constexpr unsigned KiB = 1024;
static constexpr uint64_t MiB = 1024 * 1024;

/// No constant expression, and therefore an error of the compiler, where the
/// compute capability has no line in SharedMemoryPerBlock.h.
static constexpr unsigned sharedMemoryOf(unsigned computeCapability) {
  return sharedMemoryPerBlock(computeCapability).value();
}

/// What all chips of the table have alike.
static constexpr ChipInfo commonChip() {
  ChipInfo chip;
  // [CUDA]
  chip.sharedMemoryReserved = 1 * KiB;
  chip.registersPerSM = kRegistersPerSM;
  chip.maxRegistersPerThread = kMaxRegistersPerThread;
  // 32 banks × 4 bytes; special functions by the table of arithmetic throughput
  // [CUDA].
  chip.sharedBytesPerClockPerSM = 128;
  chip.specialPerClockPerSM = 16;
  chip.launchOverhead = 2.5e-6; // [est]
  chip.hasAsyncCopy = true;
  return chip;
}

/// What all chips since sm_90 have alike.
static constexpr ChipInfo clusterChip() {
  ChipInfo chip = commonChip();
  // [PTX]; the portable size of a cluster [CUDA].
  chip.hasTMA = true;
  chip.hasClusters = true;
  chip.hasF8Conversions = true;
  chip.hasProgrammaticLaunch = true;
  chip.maxClusterSize = 8;
  return chip;
}

static constexpr ChipInfo a100() {
  ChipInfo chip = commonChip();
  chip.name = "sm_80";
  chip.arch = "sm_80";
  chip.product = "A100 SXM4 80GB";
  chip.computeCapability = 80;
  chip.ptxVersion = 80;
  // SMs, L2 [A100]; shared memory, warps, blocks [CUDA], on all chips; GPCs
  // [GPC], on all chips.
  chip.numSMs = 108;
  chip.gpcs[0] = {5, 16};
  chip.gpcs[1] = {2, 14};
  chip.sharedMemoryPerSM = 164 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(80);
  chip.maxWarpsPerSM = 64;
  chip.maxBlocksPerSM = 32;
  chip.l2Bytes = 40 * MiB;
  // [A100]; L2 [Luo24].
  chip.clockHz = 1.41e9;
  chip.dramBytesPerSecond = 2.039e12;
  chip.l2BytesPerSecond = 4.5e12;
  chip.f32FlopsPerSecond = 19.5e12;
  chip.tensorFlops.f16 = 312e12;
  chip.tensorFlops.bf16 = 312e12;
  chip.tensorFlops.tf32 = 156e12;
  chip.tensorFlops.s8 = 624e12;
  chip.tensorFlops.f64 = 19.5e12;
  // 466, 261 and 29 cycles [Luo24]; barrier [est].
  chip.dramLatency = 3.3e-7;
  chip.l2Latency = 1.85e-7;
  chip.sharedLatency = 2.1e-8;
  chip.barrierLatency = 2.0e-8;
  // 33 cycles of mma.m16n8k16, which reaches the whole rate [Sun23].
  chip.mmaLatency = 2.34e-8;
  chip.mmaPeakFraction = 1.0;
  return chip;
}

static constexpr ChipInfo rtx3080() {
  ChipInfo chip = commonChip();
  chip.name = "sm_86";
  chip.arch = "sm_86";
  chip.product = "RTX 3080";
  chip.computeCapability = 86;
  chip.ptxVersion = 80;
  chip.numSMs = 68;
  chip.gpcs[0] = {4, 12};
  chip.gpcs[1] = {2, 10};
  chip.sharedMemoryPerSM = 100 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(86);
  chip.maxWarpsPerSM = 48;
  chip.maxBlocksPerSM = 16;
  chip.l2Bytes = 5 * MiB;
  // [GA102]; tensor rates with f32 accumulation; L2 and latencies [est].
  chip.clockHz = 1.71e9;
  chip.dramBytesPerSecond = 0.760e12;
  chip.l2BytesPerSecond = 2.0e12;
  chip.f32FlopsPerSecond = 29.8e12;
  chip.tensorFlops.f16 = 59.5e12;
  chip.tensorFlops.bf16 = 59.5e12;
  chip.tensorFlops.tf32 = 29.8e12;
  chip.tensorFlops.s8 = 238e12;
  chip.tensorFlops.f64 = 0.47e12;
  chip.dramLatency = 3.0e-7;
  chip.l2Latency = 1.5e-7;
  chip.sharedLatency = 1.7e-8;
  chip.barrierLatency = 1.7e-8;
  chip.mmaLatency = 1.93e-8;
  chip.mmaPeakFraction = 1.0;
  return chip;
}

/// The whole die of the RTX 3080, with other memory [GA102].
static constexpr ChipInfo a6000() {
  ChipInfo chip = rtx3080();
  chip.name = "a6000";
  chip.product = "RTX A6000";
  chip.numSMs = 84;
  chip.gpcs[0] = {7, 12};
  chip.gpcs[1] = {};
  chip.l2Bytes = 6 * MiB;
  chip.clockHz = 1.80e9;
  chip.dramBytesPerSecond = 0.768e12;
  chip.f32FlopsPerSecond = 38.7e12;
  // Sums in f32 at the rate of sums in f16, unlike the RTX 3080.
  chip.tensorFlops.f16 = 154.8e12;
  chip.tensorFlops.bf16 = 154.8e12;
  chip.tensorFlops.tf32 = 77.4e12;
  chip.tensorFlops.s8 = 309.7e12;
  chip.tensorFlops.f64 = 0.60e12;
  return chip;
}

static constexpr ChipInfo rtx4090() {
  ChipInfo chip = commonChip();
  chip.name = "sm_89";
  chip.arch = "sm_89";
  chip.product = "RTX 4090";
  chip.computeCapability = 89;
  chip.ptxVersion = 84;
  chip.numSMs = 128;
  chip.gpcs[0] = {9, 12};
  chip.gpcs[1] = {2, 10};
  chip.sharedMemoryPerSM = 100 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(89);
  chip.maxWarpsPerSM = 48;
  chip.maxBlocksPerSM = 24;
  chip.l2Bytes = 72 * MiB;
  // [AD102]; tensor rates with f32 accumulation; L2 [Luo24].
  chip.clockHz = 2.52e9;
  chip.dramBytesPerSecond = 1.008e12;
  chip.l2BytesPerSecond = 5.0e12;
  chip.f32FlopsPerSecond = 82.6e12;
  chip.tensorFlops.f16 = 165.2e12;
  chip.tensorFlops.bf16 = 165.2e12;
  chip.tensorFlops.tf32 = 82.6e12;
  chip.tensorFlops.fp8 = 330.3e12;
  chip.tensorFlops.s8 = 660.6e12;
  chip.tensorFlops.f64 = 1.29e12;
  // 541, 273 and 30 cycles [Luo24]; the others [est].
  chip.dramLatency = 2.15e-7;
  chip.l2Latency = 1.08e-7;
  chip.sharedLatency = 1.2e-8;
  chip.barrierLatency = 1.2e-8;
  chip.mmaLatency = 1.31e-8;
  chip.mmaPeakFraction = 1.0;
  chip.hasF8Conversions = true;
  return chip;
}

static constexpr ChipInfo h100() {
  ChipInfo chip = clusterChip();
  chip.name = "sm_90a";
  chip.arch = "sm_90a";
  chip.product = "H100 SXM5";
  chip.computeCapability = 90;
  chip.ptxVersion = 84;
  chip.numSMs = 132;
  chip.gpcs[0] = {2, 18};
  chip.gpcs[1] = {6, 16};
  chip.sharedMemoryPerSM = 228 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(90);
  chip.maxWarpsPerSM = 64;
  chip.maxBlocksPerSM = 32;
  chip.l2Bytes = 50 * MiB;
  // [H100]; L2 [Luo24].
  chip.clockHz = 1.83e9;
  chip.dramBytesPerSecond = 3.35e12;
  chip.l2BytesPerSecond = 5.5e12;
  chip.f32FlopsPerSecond = 66.9e12;
  chip.tensorFlops.f16 = 989e12;
  chip.tensorFlops.bf16 = 989e12;
  chip.tensorFlops.tf32 = 494e12;
  chip.tensorFlops.fp8 = 1979e12;
  chip.tensorFlops.s8 = 1979e12;
  chip.tensorFlops.f64 = 66.9e12;
  // 478, 261 and 29 cycles, 180 in a cluster [Luo24]; barrier [est].
  chip.dramLatency = 2.65e-7;
  chip.l2Latency = 1.45e-7;
  chip.sharedLatency = 1.6e-8;
  chip.barrierLatency = 1.5e-8;
  chip.clusterLatency = 9.84e-8;
  // Half of the 983 cycles of a round trip
  // (benchmarks/results/h200/2026-11-27).
  chip.remoteArrivalLatency = 2.7e-7;
  // mma.sync at 62.9 % of the wgmma rate [Luo24]; its latency [est] the 33
  // cycles of [Sun23].
  chip.mmaLatency = 1.80e-8;
  chip.mmaPeakFraction = 0.629;
  // [PTX]
  chip.hasWgmma = true;
  chip.hasMulticast = true;
  chip.hasRegisterReallocation = true;
  return chip;
}

/// The die of the H100 with other memory [H200].
static constexpr ChipInfo h200() {
  ChipInfo chip = h100();
  chip.name = "h200";
  chip.product = "H200 SXM";
  chip.dramBytesPerSecond = 4.8e12;
  return chip;
}

static constexpr ChipInfo b200() {
  ChipInfo chip = clusterChip();
  chip.name = "sm_100a";
  chip.arch = "sm_100a";
  chip.product = "B200";
  chip.computeCapability = 100;
  chip.ptxVersion = 86;
  chip.numSMs = 148;
  chip.gpcs[0] = {2, 20};
  chip.gpcs[1] = {6, 18};
  chip.sharedMemoryPerSM = 228 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(100);
  chip.maxWarpsPerSM = 64;
  chip.maxBlocksPerSM = 32;
  chip.l2Bytes = 126 * MiB;
  // [B200]; L2 and latencies [est].
  chip.clockHz = 1.85e9;
  chip.dramBytesPerSecond = 8.0e12;
  chip.l2BytesPerSecond = 9.0e12;
  chip.f32FlopsPerSecond = 80e12;
  chip.tensorFlops.f16 = 2250e12;
  chip.tensorFlops.bf16 = 2250e12;
  chip.tensorFlops.tf32 = 1125e12;
  chip.tensorFlops.fp8 = 4500e12;
  chip.tensorFlops.s8 = 4500e12;
  chip.tensorFlops.f64 = 40e12;
  chip.dramLatency = 2.9e-7;
  chip.l2Latency = 1.5e-7;
  chip.sharedLatency = 1.6e-8;
  chip.barrierLatency = 1.5e-8;
  chip.clusterLatency = 9.73e-8;
  chip.remoteArrivalLatency = 2.7e-7; // [est]
  chip.mmaLatency = 1.78e-8;
  chip.mmaPeakFraction = 0.5;
  // [PTX]
  chip.hasTcgen05 = true;
  chip.hasMulticast = true;
  chip.hasRegisterReallocation = true;
  return chip;
}

static constexpr ChipInfo rtx5090() {
  ChipInfo chip = clusterChip();
  chip.name = "sm_120";
  chip.arch = "sm_120";
  chip.product = "RTX 5090";
  chip.computeCapability = 120;
  chip.ptxVersion = 87;
  chip.numSMs = 170;
  chip.gpcs[0] = {8, 16};
  chip.gpcs[1] = {3, 14};
  chip.sharedMemoryPerSM = 100 * KiB;
  chip.sharedMemoryPerBlock = sharedMemoryOf(120);
  chip.maxWarpsPerSM = 48;
  chip.maxBlocksPerSM = 24;
  chip.l2Bytes = 96 * MiB;
  // [GB202]; tensor rates with f32 accumulation; L2 and latencies [est].
  chip.clockHz = 2.41e9;
  chip.dramBytesPerSecond = 1.792e12;
  chip.l2BytesPerSecond = 7.0e12;
  chip.f32FlopsPerSecond = 104.8e12;
  chip.tensorFlops.f16 = 209.5e12;
  chip.tensorFlops.bf16 = 209.5e12;
  chip.tensorFlops.tf32 = 104.8e12;
  chip.tensorFlops.fp8 = 419e12;
  chip.tensorFlops.s8 = 838e12;
  chip.tensorFlops.f64 = 1.64e12;
  chip.dramLatency = 2.3e-7;
  chip.l2Latency = 1.2e-7;
  chip.sharedLatency = 1.3e-8;
  chip.barrierLatency = 1.3e-8;
  chip.clusterLatency = 7.47e-8;
  chip.remoteArrivalLatency = 2.0e-7; // [est]
  chip.mmaLatency = 1.37e-8;
  chip.mmaPeakFraction = 1.0;
  return chip;
}

/// The GPUs; CpuTable.cpp has the CPUs.
static constexpr ChipInfo chips[] = {a100(), rtx3080(), a6000(), rtx4090(),
                                     h100(), h200(),    b200(),  rtx5090()};

/// Whether every chip has the numbers that no chip is without.
static constexpr bool areComplete() {
  for (const ChipInfo &chip : chips) {
    for (unsigned number :
         {chip.computeCapability, chip.ptxVersion, chip.numSMs,
          chip.sharedMemoryPerSM, chip.sharedMemoryPerBlock,
          chip.sharedMemoryReserved, chip.registersPerSM,
          chip.maxRegistersPerThread, chip.maxWarpsPerSM, chip.maxBlocksPerSM,
          chip.maxClusterSize})
      if (number == 0)
        return false;
    for (double number :
         {double(chip.l2Bytes), chip.clockHz, chip.dramBytesPerSecond,
          chip.l2BytesPerSecond, chip.sharedBytesPerClockPerSM,
          chip.f32FlopsPerSecond, chip.specialPerClockPerSM,
          chip.tensorFlops.f16, chip.tensorFlops.bf16, chip.tensorFlops.tf32,
          chip.tensorFlops.s8, chip.tensorFlops.f64, chip.dramLatency,
          chip.l2Latency, chip.sharedLatency, chip.launchOverhead,
          chip.barrierLatency, chip.mmaLatency, chip.mmaPeakFraction})
      if (number == 0)
        return false;
    if (chip.name.empty() || chip.arch.empty() || chip.product.empty() ||
        chip.hasClusters != (chip.clusterLatency != 0) ||
        chip.hasClusters != (chip.remoteArrivalLatency != 0) ||
        chip.hasClusters != (chip.maxClusterSize > 1))
      return false;
  }
  return true;
}
static_assert(areComplete(), "a chip lacks a number");

static constexpr bool haveTheirOwnSharedMemory() {
  for (const ChipInfo &chip : chips)
    if (chip.sharedMemoryPerBlock != sharedMemoryOf(chip.computeCapability))
      return false;
  return true;
}
static_assert(haveTheirOwnSharedMemory(),
              "shared memory per block is that of the compute capability");

/// The emulator, which does not know the chip, relies on it.
static constexpr bool haveTheSameRegisters() {
  for (const ChipInfo &chip : chips)
    if (chip.registersPerSM != kRegistersPerSM ||
        chip.maxRegistersPerThread != kMaxRegistersPerThread)
      return false;
  return true;
}
static_assert(haveTheSameRegisters(), "registers are those of Hardware.h");

static constexpr bool haveAllSMsInGpcs() {
  for (const ChipInfo &chip : chips) {
    unsigned sms = 0;
    for (const GpcGroup &group : chip.gpcs)
      sms += group.count * group.sms;
    if (sms != chip.numSMs)
      return false;
  }
  return true;
}
static_assert(haveAllSMsInGpcs());

llvm::ArrayRef<ChipInfo> fusion::allChips() {
  static const std::vector<ChipInfo> all = [] {
    std::vector<ChipInfo> both(std::begin(chips), std::end(chips));
    llvm::append_range(both, makeCpuChips());
    return both;
  }();
  return all;
}

llvm::ArrayRef<ChipInfo> fusion::allGpus() {
  return allChips().take_front(std::size(chips));
}

llvm::ArrayRef<ChipInfo> fusion::allCpus() {
  return allChips().drop_front(std::size(chips));
}

const ChipInfo *fusion::lookupChip(llvm::StringRef name) {
  const ChipInfo *chip = llvm::find_if(
      allChips(), [&](const ChipInfo &info) { return info.name == name; });
  return chip == allChips().end() ? nullptr : chip;
}

ChipInfo fusion::withClock(ChipInfo chip, double hertz) {
  double ratio = hertz / chip.clockHz;
  chip.clockHz = hertz;
  auto &tensor = chip.tensorFlops;
  for (double *rate : {&chip.f32FlopsPerSecond, &tensor.f16, &tensor.bf16,
                       &tensor.tf32, &tensor.fp8, &tensor.s8, &tensor.f64})
    *rate *= ratio;
  return chip;
}

SMResources fusion::resourcesOfSM(const ChipInfo &chip) {
  return {chip.sharedMemoryPerSM, chip.sharedMemoryReserved,
          chip.registersPerSM, chip.maxWarpsPerSM, chip.maxBlocksPerSM};
}

Processors fusion::processorsOf(const ChipInfo &chip) {
  return {{std::begin(chip.gpcs), std::end(chip.gpcs)}, resourcesOfSM(chip)};
}

std::optional<std::string> fusion::whyTooManyWarps(int64_t warps,
                                                   int64_t producers) {
  if (warps + producers <= kMaxWarps)
    return std::nullopt;
  return "a block has at most " + std::to_string(kMaxWarps) + " warps, not " +
         std::to_string(warps) + " and " + std::to_string(producers) +
         " producers";
}

static std::string namesOf(llvm::ArrayRef<ChipInfo> chips) {
  return llvm::join(
      llvm::map_range(chips, [](const ChipInfo &chip) { return chip.name; }),
      ", ");
}

std::string fusion::knownChipNames() { return namesOf(allChips()); }
std::string fusion::knownGpuNames() { return namesOf(allGpus()); }
