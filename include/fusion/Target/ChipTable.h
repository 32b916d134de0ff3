//===- ChipTable.h - Data of the chips we compile for -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows numbers about chips. Costs and legality read it;
// nothing else may contain such a number.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPTABLE_H
#define FUSION_TARGET_CHIPTABLE_H

#include "fusion/Support/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace fusion {

/// Types of the elements that products multiply. F32 ones are multiplied by scalar
/// instructions, the others by tensor cores.
/// TF32Cut may be rounded or cut off, FP8Coarse may be added up in fewer bits than
/// f32 has.
enum class ProductType : uint8_t {
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

/// What one chip offers. Sizes are in bytes, rates in units per second,
/// latencies in seconds unless said otherwise. The table's comments name the
/// source of every number.
struct ChipInfo {
  llvm::StringLiteral name;     ///< as given to chip=
  llvm::StringLiteral arch;     ///< as LLVM and ptxas spell it: "sm_90a"
  llvm::StringLiteral product;  ///< the product the rates belong to
  unsigned computeCapability;   ///< 10 × major + minor
  unsigned ptxVersion;          ///< 10 × major + minor, first with all it offers

  // Resources.
  unsigned numSMs;
  GpcGroup gpcs[2];                 ///< all SMs; chips of a product may differ
  unsigned sharedMemoryPerSM;
  unsigned sharedMemoryPerBlock;    ///< most that a block can ask for
  unsigned sharedMemoryReserved;    ///< taken from every block by the system
  unsigned registersPerSM;          ///< 32-bit registers
  unsigned maxRegistersPerThread;
  unsigned maxWarpsPerSM;
  unsigned maxBlocksPerSM;
  uint64_t l2Bytes;

  // Rates of the whole chip.
  double clockHz;                   ///< boost clock
  double dramBytesPerSecond;
  double l2BytesPerSecond;
  double sharedBytesPerClockPerSM;
  double f32FlopsPerSecond;         ///< fused multiply-adds count as two
  double specialPerClockPerSM;      ///< ex2, lg2, rcp, rsqrt, sin, cos
  double tensorFlops[6];            ///< dense, by ProductType up to F64; 0 = not offered

  // Latencies.
  double dramLatency;
  double l2Latency;
  double sharedLatency;
  double launchOverhead;            ///< of one kernel in a stream of kernels
  double barrierLatency;            ///< one block-wide barrier
  double clusterLatency;            ///< between SMs of a cluster; 0 without

  // mma.sync.
  double mmaLatency;                ///< seconds of one m16n8k16
  double mmaShare;                  ///< of the tensor rate that it can reach

  // Features.
  bool hasAsyncCopy;                ///< cp.async
  bool hasBulkTensorCopy;           ///< TMA
  bool hasWgmma;
  bool hasTcgen05;
  bool hasClusters;
  bool hasF8Conversions;            ///< cvt of e4m3x2 and e5m2x2
  bool hasProgrammaticLaunch;       ///< griddepcontrol
  bool hasMulticast;                ///< one fetch from L2 fills several SMs
  unsigned maxClusterSize;          ///< CTAs; 1 without clusters
  unsigned leastRegisters;          ///< that setmaxnreg leaves a thread; 0 without

  double fmaCycles = 4;             ///< from one fma to a dependent one [CUDA]
  double l2BytesPerClockPerSM = 64; ///< what one SM alone can load [Jia18]

  /// Peak rate of products of such elements.
  double productFlops(ProductType type) const {
    if (type == ProductType::F32)
      return f32FlopsPerSecond;
    if (type == ProductType::TF32Cut)
      type = ProductType::TF32;
    if (type == ProductType::FP8Coarse)
      type = ProductType::FP8;
    return tensorFlops[static_cast<unsigned>(type)];
  }

  /// SMs that blocks in clusters of `clusterBlocks` can have to themselves.
  int64_t usableSMs(int64_t clusterBlocks) const {
    return residentBlocks(/*blocksPerSM=*/1, clusterBlocks);
  }

  /// Blocks that the chip holds at a time in clusters of `clusterBlocks`, where
  /// an SM holds `blocksPerSM` of them.
  int64_t residentBlocks(int64_t blocksPerSM, int64_t clusterBlocks) const {
    return activeClusters(gpcs, blocksPerSM, clusterBlocks) * clusterBlocks;
  }
};

/// The chip's SMs for the emulator.
Processors processorsOf(const ChipInfo &chip);

/// The chip of that name, or null.
const ChipInfo *lookupChip(llvm::StringRef name);

/// All chips.
llvm::ArrayRef<ChipInfo> allChips();

/// Warps of a block, on every chip [CUDA].
constexpr int64_t kMostWarps = 32;

/// Why no block has so many warps and producers beside them, or nullopt.
std::optional<std::string> whyTooManyWarps(int64_t warps, int64_t producers);

/// "sm_80, sm_86, ...", for messages.
std::string knownChipNames();

} // namespace fusion

#endif // FUSION_TARGET_CHIPTABLE_H
