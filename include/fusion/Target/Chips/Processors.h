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
// Registers are allocated to warps within a sub-partition of the SM (CUDA C++
// Programming Guide, technical specifications per compute capability, and the
// occupancy calculator). It is equal on all chips of the table.
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

/// What an SM holds.
struct SMResources {
  uint64_t sharedMemory = 0;         ///< bytes
  uint64_t sharedMemoryReserved = 0; ///< bytes that the system takes per block
  uint32_t registers = 0;            ///< 32-bit registers
  uint32_t warps = 0;
  uint32_t blocks = 0;
};

/// The SMs of a chip and what each of them holds. All blocks of a thread block
/// cluster are resident in one GPC (CUDA C++ Programming Guide, "Thread Block
/// Clusters").
struct Processors {
  std::vector<GpcGroup> gpcs; ///< all SMs; empty: unlimited
  SMResources sm;
};

/// What one block takes of an SM.
struct BlockDemand {
  uint32_t warps = 1;
  uint64_t sharedMemory = 0;   ///< bytes, static and dynamic
  uint32_t registers = 0;      ///< of a thread; 0: not known, no limit
  uint32_t allocatedWarps = 0; ///< that have registers; 0: `warps`
};

/// Returns the warps of an SM with `registersOfSM` registers whose threads have
/// `registers` registers each.
constexpr int64_t warpsByRegisters(int64_t registers, int64_t registersOfSM) {
  int64_t asked = std::max<int64_t>(registers, 1) * kWarpSize;
  int64_t ofWarp = (asked + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  return kSubPartitions * (registersOfSM / kSubPartitions / ofWarp);
}

/// Returns the registers that each thread can have with `warps` warps on an SM
/// with `registersOfSM` registers.
constexpr int64_t registersByWarps(int64_t warps, int64_t registersOfSM) {
  int64_t ofPart = (std::max<int64_t>(warps, 1) - 1) / kSubPartitions + 1;
  int64_t ofWarp = registersOfSM / kSubPartitions / ofPart;
  return std::min(kMaxRegistersPerThread,
                  ofWarp / kRegisterUnit * kRegisterUnit / kWarpSize);
}

/// Returns the blocks of this kind that an SM holds at a time.
constexpr uint32_t blocksPerSM(const SMResources &sm,
                               const BlockDemand &block) {
  uint64_t warps = std::max(block.warps, 1u);
  uint64_t bytes = block.sharedMemory + sm.sharedMemoryReserved;
  uint64_t fitting =
      std::min<uint64_t>({sm.warps / warps, sm.blocks,
                          sm.sharedMemory / std::max<uint64_t>(bytes, 1)});
  if (block.registers)
    fitting = std::min<uint64_t>(
        fitting, uint64_t(warpsByRegisters(block.registers, sm.registers)) /
                     (block.allocatedWarps ? block.allocatedWarps : warps));
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
