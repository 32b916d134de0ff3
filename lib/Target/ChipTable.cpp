//===- ChipTable.cpp - Data of the chips we compile for -----------------------===//
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
//           as in MCFuser section VI: 68 SMs, 10 GB).
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
//           performance off sm_90a and sm_100a: not counted), setmaxnreg (24 to
//           256 registers, sm_90a and sm_100a); griddepcontrol (sm_90 and
//           later); mma.sync of 8-bit floats is of version 8.4.
//  [GPC]    SMs come in GPCs, of which a product has some disabled: not
//           published, and other chips of a product may have other ones. Taken
//           are the fewest different sizes that add up, for H100 and H200 the 16
//           and 18 that are reported of them.
//  [est]    Not published; carried over from the nearest measured chip, to be
//           replaced by a measurement (benchmarks/gpu/chip_table.py).
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/ChipTable.h"
#include "fusion/Target/SharedMemoryPerBlock.h"
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

// clang-format off
static constexpr ChipInfo chips[] = {
    // Each entry ends with features, then griddepcontrol and multicast [PTX], the
    // portable size of a cluster [CUDA], and registers that producers keep [PTX].
    {"sm_80", "sm_80", "A100 SXM4 80GB", 80, 80,
     // SMs [A100], in GPCs [GPC] on all chips; shared memory, registers, warps, blocks [CUDA]; L2 [A100].
     108, {{5, 16}, {2, 14}}, 164 * KiB, sharedMemoryOf(80), 1 * KiB, 65536, 255, 64, 32, 40 * MiB,
     // clock, DRAM [A100]; L2 [Luo24]; shared memory 32 banks × 4 bytes, special
     // functions by the table of arithmetic throughput [CUDA], on all chips;
     // f32 and tensor rates F16, BF16, TF32, FP8, S8, F64 [A100].
     1.41e9, 2.039e12, 4.5e12, 128, 19.5e12, 16,
     {312e12, 312e12, 156e12, 0, 624e12, 19.5e12},
     // 466, 261 and 29 cycles [Luo24]; launch and barrier [est]; 33 cycles of
     // mma.m16n8k16 [Sun23], which reaches the whole rate there.
     3.3e-7, 1.85e-7, 2.1e-8, 2.5e-6, 2.0e-8, 0,
     2.34e-8, 1.0,
     true, false, false, false, false, false,
     false, false, 1, 0},
    {"sm_86", "sm_86", "RTX 3080", 86, 80,
     68, {{4, 12}, {2, 10}}, 100 * KiB, sharedMemoryOf(86), 1 * KiB, 65536, 255, 48, 16, 5 * MiB,
     // [GA102]; tensor rates with f32 accumulation; L2 [est].
     1.71e9, 0.760e12, 2.0e12, 128, 29.8e12, 16,
     {59.5e12, 59.5e12, 29.8e12, 0, 238e12, 0.47e12},
     3.0e-7, 1.5e-7, 1.7e-8, 2.5e-6, 1.7e-8, 0,
     1.93e-8, 1.0,
     true, false, false, false, false, false,
     false, false, 1, 0},
    {"sm_89", "sm_89", "RTX 4090", 89, 84,
     128, {{9, 12}, {2, 10}}, 100 * KiB, sharedMemoryOf(89), 1 * KiB, 65536, 255, 48, 24, 72 * MiB,
     // [AD102]; tensor rates with f32 accumulation; L2 [Luo24].
     2.52e9, 1.008e12, 5.0e12, 128, 82.6e12, 16,
     {165.2e12, 165.2e12, 82.6e12, 330.3e12, 660.6e12, 1.29e12},
     // 541, 273 and 30 cycles [Luo24].
     2.15e-7, 1.08e-7, 1.2e-8, 2.5e-6, 1.2e-8, 0,
     1.31e-8, 1.0,
     true, false, false, false, false, true,
     false, false, 1, 0},
    {"sm_90a", "sm_90a", "H100 SXM5", 90, 84,
     132, {{2, 18}, {6, 16}}, 228 * KiB, sharedMemoryOf(90), 1 * KiB, 65536, 255, 64, 32, 50 * MiB,
     // [H100]; L2 [Luo24].
     1.83e9, 3.35e12, 5.5e12, 128, 66.9e12, 16,
     {989e12, 989e12, 494e12, 1979e12, 1979e12, 66.9e12},
     // 478, 261 and 29 cycles, 180 in a cluster, mma.sync at 62.9 % of the wgmma
     // rate [Luo24]; its latency [est] the 33 cycles of [Sun23].
     2.65e-7, 1.45e-7, 1.6e-8, 2.5e-6, 1.5e-8, 9.84e-8,
     1.80e-8, 0.629,
     true, true, true, false, true, true,
     true, true, 8, 24},
    {"h200", "sm_90a", "H200 SXM", 90, 84,
     132, {{2, 18}, {6, 16}}, 228 * KiB, sharedMemoryOf(90), 1 * KiB, 65536, 255, 64, 32, 50 * MiB,
     // DRAM [H200]; the rest as the H100's, which it shares its die with.
     1.83e9, 4.8e12, 5.5e12, 128, 66.9e12, 16,
     {989e12, 989e12, 494e12, 1979e12, 1979e12, 66.9e12},
     2.65e-7, 1.45e-7, 1.6e-8, 2.5e-6, 1.5e-8, 9.84e-8,
     1.80e-8, 0.629,
     true, true, true, false, true, true,
     true, true, 8, 24},
    {"sm_100a", "sm_100a", "B200", 100, 86,
     148, {{2, 20}, {6, 18}}, 228 * KiB, sharedMemoryOf(100), 1 * KiB, 65536, 255, 64, 32, 126 * MiB,
     // [B200]; L2 and latencies [est].
     1.85e9, 8.0e12, 9.0e12, 128, 80e12, 16,
     {2250e12, 2250e12, 1125e12, 4500e12, 4500e12, 40e12},
     2.9e-7, 1.5e-7, 1.6e-8, 2.5e-6, 1.5e-8, 9.73e-8,
     1.78e-8, 0.5,
     true, true, false, true, true, true,
     true, true, 8, 24},
    {"sm_120", "sm_120", "RTX 5090", 120, 87,
     170, {{8, 16}, {3, 14}}, 100 * KiB, sharedMemoryOf(120), 1 * KiB, 65536, 255, 48, 24, 96 * MiB,
     // [GB202]; tensor rates with f32 accumulation; L2 and latencies [est].
     2.41e9, 1.792e12, 7.0e12, 128, 104.8e12, 16,
     {209.5e12, 209.5e12, 104.8e12, 419e12, 838e12, 1.64e12},
     2.3e-7, 1.2e-7, 1.3e-8, 2.5e-6, 1.3e-8, 7.47e-8,
     1.37e-8, 1.0,
     true, true, false, false, true, true,
     true, false, 8, 0},
};
// clang-format on

static constexpr bool haveTheirOwnSharedMemory() {
  for (const ChipInfo &chip : chips)
    if (chip.sharedMemoryPerBlock != sharedMemoryOf(chip.computeCapability))
      return false;
  return true;
}
static_assert(haveTheirOwnSharedMemory(),
              "shared memory per block is that of the compute capability");

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

const ChipInfo *fusion::lookupChip(llvm::StringRef name) {
  const ChipInfo *chip = llvm::find_if(
      chips, [&](const ChipInfo &info) { return info.name == name; });
  return chip == std::end(chips) ? nullptr : chip;
}

llvm::ArrayRef<ChipInfo> fusion::allChips() { return chips; }

Processors fusion::processorsOf(const ChipInfo &chip) {
  return {{std::begin(chip.gpcs), std::end(chip.gpcs)},
          chip.sharedMemoryPerSM,
          chip.sharedMemoryReserved,
          chip.registersPerSM,
          chip.maxWarpsPerSM,
          chip.maxBlocksPerSM};
}

std::optional<std::string> fusion::whyTooManyWarps(int64_t warps,
                                                   int64_t producers) {
  if (warps + producers <= kMostWarps)
    return std::nullopt;
  return "a block has at most " + std::to_string(kMostWarps) + " warps, not " +
         std::to_string(warps) + " and " + std::to_string(producers) +
         " producers";
}

std::string fusion::knownChipNames() {
  return llvm::join(
      llvm::map_range(chips, [](const ChipInfo &chip) { return chip.name; }),
      ", ");
}
