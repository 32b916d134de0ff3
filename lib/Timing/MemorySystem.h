//===- MemorySystem.h - L2 and DRAM of the simulated SMs --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_MEMORYSYSTEM_H
#define FUSION_LIB_TIMING_MEMORYSYSTEM_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Microarchitecture.h"
#include "fusion/Timing/CacheLevels.h"
#include "fusion/Timing/Queues.h"

namespace fusion::timing {

/// What all SMs share. If only some are simulated, they have their share of
/// the chip's rates.
class MemorySystem {
public:
  /// `share`: the simulated SMs by all that have blocks.
  MemorySystem(const ChipInfo &chip, const Microarchitecture &micro,
               double share);

  /// Returns when sectors that an SM asks for now arrive. `port`, in bytes, is
  /// the way from L2 to the SM.
  Cycles load(Cycles now, const SectorCounts &sectors, Queue &port);
  /// Returns when L2 has stored sectors.
  Cycles store(Cycles now, const SectorCounts &sectors, Queue &port);

  const Queue &l2Queue() const { return l2; }
  const Queue &dramQueue() const { return dram; }

private:
  const Microarchitecture &micro;
  Queue l2, dram; ///< in bytes
};

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_MEMORYSYSTEM_H
