//===- CpuInfo.h - What a CPU offers ----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of CPUs for cost models and for code generation. A chip of the chip
// table that is a CPU has them in `ChipInfo::cpu`. Sources of each number are
// in CpuTable.cpp; HostCpu.cpp asks the machine at hand for its own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_CPUINFO_H
#define FUSION_TARGET_CHIPS_CPUINFO_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace fusion {

/// The bytes of a page of x86-64. Prefetchers stop at its end.
constexpr unsigned kPageBytes = 4096;

/// The cores that share one L3 cache, and their memory. Sizes are in bytes.
/// Rates in bytes per cycle are what one core loads; a cycle is one of
/// `clockHz`.
struct CpuInfo {
  // For LLVM's target machine.
  llvm::StringRef llvmCpu;      ///< such as "znver5"
  llvm::StringRef llvmFeatures; ///< beyond those of `llvmCpu`, "+a,-b"

  // A core.
  unsigned cores = 0;           ///< physical cores that the process may use
  double clockHz = 0;           ///< while all cores execute vector code
  unsigned vectorBytes = 0;     ///< of the widest vector register
  unsigned vectorRegisters = 0; ///< that the instruction set names
  unsigned fmaUnits = 0;        ///< FMAs of whole vectors started in a cycle
  unsigned fmaLatency = 0;      ///< cycles to a dependent FMA
  /// Instructions started in a cycle that add the products of pairs of bf16 to
  /// f32 (vdpbf16ps), and of four 8-bit integers to i32 (vpdpbusd). 0: not
  /// offered.
  unsigned bf16DotUnits = 0, s8DotUnits = 0;
  unsigned bf16DotLatency = 0, s8DotLatency = 0; ///< cycles
  /// Cycles between two multiplications of AMX tiles (16 rows of 64 bytes by 16
  /// columns), and until the accumulator can be used. 0: no AMX.
  unsigned amxCycles = 0, amxLatency = 0;

  // Caches: L1 (data) and L2 of a core, L3 of all cores.
  uint64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  unsigned l1Ways = 0, l2Ways = 0;
  unsigned lineBytes = 0;
  double l1BytesPerCycle = 0, l2BytesPerCycle = 0, l3BytesPerCycle = 0;

  // Memory.
  double dramBytesPerSecond = 0;        ///< of all cores together
  double dramBytesPerSecondPerCore = 0; ///< of one core alone

  /// Seconds from the start of a parallel loop until all cores work, and from
  /// the end of the last one until the caller goes on.
  double forkJoinSeconds = 0;

  // Features.
  bool hasAvx512 = false;     ///< F, BW, CD, DQ, VL: x86-64-v4
  bool hasAvx512Bf16 = false; ///< vdpbf16ps
  bool hasAvx512Fp16 = false; ///< arithmetic on f16
  bool hasVnni = false;       ///< vpdpbusd, of AVX512-VNNI or AVX-VNNI
  bool hasAmx = false;        ///< tiles of bf16 and of 8-bit integers

  /// Returns the f32 elements of a vector register.
  unsigned f32Lanes() const { return vectorBytes / 4; }
  /// Returns the operations of a core in a second whose instruction does
  /// `perInstruction` and is started `units` times in a cycle.
  double rateOfCore(double perInstruction, double units) const {
    return perInstruction * units * clockHz;
  }
};

/// Returns what the machine lacks of the features that code for a CPU may use,
/// as LLVM's name of the first one ("avx512f"), or nullopt. The arguments are
/// those of CpuInfo.
std::optional<std::string> featureThatHostLacks(llvm::StringRef llvmCpu,
                                                llvm::StringRef llvmFeatures);

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_CPUINFO_H
