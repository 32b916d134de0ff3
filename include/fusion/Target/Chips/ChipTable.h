//===- ChipTable.h - Data of the chips we compile for ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows numbers about chips. Cost models and legality read
// it; nothing else may contain such a number.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_CHIPTABLE_H
#define FUSION_TARGET_CHIPS_CHIPTABLE_H

#include "fusion/Target/Chips/CpuInfo.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace fusion {

/// Types of the elements that contractions multiply. Scalar instructions
/// multiply F32 elements, tensor cores the others. TF32Cut elements may be
/// rounded or truncated to tf32, FP8Coarse products may be accumulated in fewer
/// bits than f32 has.
enum class MultiplicandType : uint8_t {
  F16,
  BF16,
  TF32,
  FP8,
  S8,
  F64,
  F32,
  TF32Cut,
  FP8Coarse
};

/// Dense rates of tensor cores, in operations per second, by the type of the
/// elements; a multiply-add counts as two. 0: not offered.
struct TensorRates {
  double f16 = 0, bf16 = 0, tf32 = 0, fp8 = 0, s8 = 0, f64 = 0;
};

/// What one chip offers. Sizes are in bytes, rates in units per second,
/// latencies in seconds unless said otherwise. The table's comments name the
/// source of every number.
struct ChipInfo {
  llvm::StringLiteral name = "";    ///< as given to chip=
  llvm::StringLiteral arch = "";    ///< as LLVM and ptxas spell it: "sm_90a"
  llvm::StringLiteral product = ""; ///< the product the rates belong to
  unsigned computeCapability = 0;   ///< 10 × major + minor
  unsigned ptxVersion = 0; ///< 10 × major + minor, first with all it offers
  /// What the chip offers as a CPU; null for a GPU. The other members describe
  /// a GPU; those of a CPU take a core for an SM, its L2 for shared memory and
  /// L3 for L2.
  const CpuInfo *cpu = nullptr;

  // Resources.
  unsigned numSMs = 0;
  GpcGroup gpcs[2] = {}; ///< all SMs; chips of a product may differ
  unsigned sharedMemoryPerSM = 0;
  unsigned sharedMemoryPerBlock = 0; ///< most that a block can ask for
  unsigned sharedMemoryReserved = 0; ///< taken from every block by the system
  unsigned registersPerSM = 0;       ///< 32-bit registers
  unsigned maxRegistersPerThread = 0;
  unsigned maxWarpsPerSM = 0;
  unsigned maxBlocksPerSM = 0;
  uint64_t l2Bytes = 0;

  // Rates of the whole chip.
  double clockHz = 0; ///< boost clock
  double dramBytesPerSecond = 0;
  double l2BytesPerSecond = 0;
  double sharedBytesPerClockPerSM = 0;
  double f32FlopsPerSecond = 0;    ///< fused multiply-adds count as two
  double specialPerClockPerSM = 0; ///< ex2, lg2, rcp, rsqrt, sin, cos
  TensorRates tensorFlops;

  // Latencies.
  double dramLatency = 0;
  double l2Latency = 0;
  double sharedLatency = 0;
  double launchOverhead = 0; ///< of one kernel in a stream of kernels
  double barrierLatency = 0; ///< one block-wide barrier
  double clusterLatency = 0; ///< between SMs of a cluster; 0 without
  /// From an arrival at an mbarrier of another SM of the cluster to the end of
  /// a wait there; 0 without clusters.
  double remoteArrivalLatency = 0;

  // mma.sync.
  double mmaLatency = 0;      ///< seconds of one m16n8k16
  double mmaPeakFraction = 0; ///< of the tensor rate that it can reach

  // Features.
  bool hasAsyncCopy = false; ///< cp.async
  bool hasTMA = false;       ///< TMA
  bool hasWgmma = false;
  bool hasTcgen05 = false;
  bool hasClusters = false;
  bool hasF8Conversions = false;        ///< cvt of e4m3x2 and e5m2x2
  bool hasProgrammaticLaunch = false;   ///< griddepcontrol
  bool hasMulticast = false;            ///< one fetch from L2 fills several SMs
  bool hasRegisterReallocation = false; ///< setmaxnreg (Hardware.h)
  unsigned maxClusterSize = 1;          ///< CTAs; 1 without clusters

  double fmaCycles = 4;             ///< from one fma to a dependent one [CUDA]
  double l2BytesPerClockPerSM = 64; ///< what one SM alone can load [Jia18]

  bool isCpu() const { return cpu != nullptr; }

  /// Returns the peak rate of contractions of such elements.
  double peakFlops(MultiplicandType type) const {
    switch (type) {
    case MultiplicandType::F16:
      return tensorFlops.f16;
    case MultiplicandType::BF16:
      return tensorFlops.bf16;
    case MultiplicandType::TF32:
    case MultiplicandType::TF32Cut:
      return tensorFlops.tf32;
    case MultiplicandType::FP8:
    case MultiplicandType::FP8Coarse:
      return tensorFlops.fp8;
    case MultiplicandType::S8:
      return tensorFlops.s8;
    case MultiplicandType::F64:
      return tensorFlops.f64;
    case MultiplicandType::F32:
      return f32FlopsPerSecond;
    }
    llvm_unreachable("covered switch");
  }

  /// Returns the cycles between two instructions of a warp, on average, beside
  /// `warps` - 1 other warps of its SM. Half of all instructions are taken to
  /// have the rate of f32; of the others integer operations and conversions
  /// have 16 lanes, the rest 32.
  double cyclesOfInstruction(double warps) const {
    return std::max(kCyclesBetweenInstructions,
                    warps / kSubPartitions * issueCycles());
  }
  /// Returns the cycles for which an instruction takes a sub-partition, on
  /// average.
  double issueCycles() const {
    double lanes = f32FlopsPerSecond / 2 / (clockHz * numSMs * kSubPartitions);
    constexpr double ofOthers = 1.5;
    return (std::max(1.0, kWarpSize / lanes) + ofOthers) / 2;
  }
  /// Returns the cycles of a special function of a warp beside `warps` - 1
  /// other warps of its SM, which evaluate it at the same time. A warp waits a
  /// part of its latency.
  double cyclesOfSpecial(double warps) const {
    constexpr double ofLatency = 0.5;
    return kWarpSize * kSubPartitions / double(specialPerClockPerSM) *
           (std::max(1.0, warps / kSubPartitions) + ofLatency);
  }

  /// Where a kernel's data comes from.
  struct MemoryLevel {
    double latency;        ///< seconds
    double bytesPerSecond; ///< of all SMs
  };

  /// Returns where a kernel's data comes from whose operands and results have
  /// `bytes` bytes. What other kernels have just written or read is still in L2
  /// where half of it has room for that.
  MemoryLevel memoryOf(double bytes) const {
    if (bytes <= double(l2Bytes) / 2)
      return {l2Latency, l2BytesPerSecond};
    return {dramLatency, dramBytesPerSecond};
  }

  /// Returns the chip as such a kernel sees it.
  ChipInfo withData(double bytes) const {
    ChipInfo seen = *this;
    MemoryLevel memory = memoryOf(bytes);
    seen.dramLatency = memory.latency;
    seen.dramBytesPerSecond = memory.bytesPerSecond;
    return seen;
  }

  /// Returns the number of SMs that blocks in clusters of `clusterBlocks` can
  /// use with one block on each SM.
  int64_t usableSMs(int64_t clusterBlocks) const {
    return residentBlocks(/*blocksPerSM=*/1, clusterBlocks);
  }

  /// Returns the resident blocks of the chip in clusters of `clusterBlocks`,
  /// with `blocksPerSM` blocks on each SM.
  int64_t residentBlocks(int64_t blocksPerSM, int64_t clusterBlocks) const {
    return activeClusters(gpcs, blocksPerSM, clusterBlocks) * clusterBlocks;
  }
};

/// Returns what an SM of the chip holds.
SMResources resourcesOfSM(const ChipInfo &chip);

/// Returns the chip's SMs for the emulator.
Processors processorsOf(const ChipInfo &chip);

/// Returns the chip of that name, or null.
const ChipInfo *lookupChip(llvm::StringRef name);

/// Returns the chip with another clock of its SMs, in Hz. Peak rates of
/// arithmetic are in proportion to it; those of memory and latencies in seconds
/// stay.
ChipInfo withClock(ChipInfo chip, double hertz);

/// Returns all chips: GPUs, then CPUs, of which the last one (`host`) is the
/// machine at hand.
llvm::ArrayRef<ChipInfo> allChips();

/// Returns the chips that are GPUs.
llvm::ArrayRef<ChipInfo> allGpus();

/// Returns the chips that are CPUs.
llvm::ArrayRef<ChipInfo> allCpus();

/// Returns the reason why no block has `warps` warps and `producers` producers,
/// or nullopt.
std::optional<std::string> whyTooManyWarps(int64_t warps, int64_t producers);

/// Returns "sm_80, sm_86, ...", for messages: all chips.
std::string knownChipNames();

/// Returns the names of the chips that are GPUs, for messages.
std::string knownGpuNames();

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_CHIPTABLE_H
