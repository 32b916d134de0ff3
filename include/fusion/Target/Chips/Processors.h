//===- Processors.h - How many blocks a chip holds --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Occupancy: how many blocks an SM holds at a time, and how many clusters the
// chip does. The C++ library alone is needed here, so that cost models and the
// emulator count alike.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_PROCESSORS_H
#define FUSION_TARGET_CHIPS_PROCESSORS_H

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace fusion {

/// `count` graphics processing clusters (GPCs) with `sms` SMs each.
struct GpcGroup {
  uint32_t count, sms;
};

/// The SMs of a chip and what each of them holds. All blocks of a thread block
/// cluster are resident in one GPC (CUDA C++ Programming Guide, "Thread Block
/// Clusters").
struct Processors {
  std::vector<GpcGroup> gpcs;        ///< all SMs; empty: unlimited
  uint64_t sharedMemory = 0;         ///< bytes of an SM
  uint64_t sharedMemoryReserved = 0; ///< bytes that the system takes per block
  uint32_t registers = 0;            ///< 32-bit registers of an SM
  uint32_t warps = 0;                ///< of an SM
  uint32_t blocks = 0;               ///< of an SM
};

/// What one block takes of an SM.
struct BlockDemand {
  uint32_t warps = 1;
  uint64_t sharedMemory = 0; ///< bytes, static and dynamic
  uint32_t registers = 0;    ///< of a thread; 0: not known, no limit
};

/// Blocks of this kind that an SM of `processors` holds at a time.
inline uint32_t blocksPerSM(const Processors &processors,
                            const BlockDemand &block) {
  // Registers are given to warps in units of 256 (CUDA C++ Programming Guide,
  // "Hardware Multithreading").
  constexpr uint64_t unit = 256;
  uint64_t fitting = std::min<uint64_t>(
      {processors.warps / std::max(block.warps, 1u), processors.blocks,
       processors.sharedMemory /
           std::max<uint64_t>(
               block.sharedMemory + processors.sharedMemoryReserved, 1)});
  if (block.registers) {
    uint64_t ofWarp = (block.registers * kWarpSize + unit - 1) / unit * unit;
    fitting = std::min(fitting, processors.registers / ofWarp / block.warps);
  }
  return static_cast<uint32_t>(fitting);
}

/// Clusters of `clusterBlocks` blocks that `gpcs`, a range of GpcGroup, hold at
/// a time, where an SM holds `blocksPerSM` blocks. Blocks of one cluster may
/// share an SM.
template <typename Range>
uint64_t activeClusters(const Range &gpcs, uint64_t blocksPerSM,
                        uint64_t clusterBlocks) {
  uint64_t clusters = 0;
  for (const GpcGroup &group : gpcs)
    clusters += group.count * (group.sms * blocksPerSM / clusterBlocks);
  return clusters;
}

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_PROCESSORS_H
