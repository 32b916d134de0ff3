//===- MemorySystem.cpp - L2 and DRAM of the simulated SMs ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemorySystem.h"

using namespace fusion;
using namespace fusion::timing;

static constexpr double kSectorBytes = 32;

static double l2Rate(const ChipInfo &chip, const Microarchitecture &micro) {
  return micro.l2BytesPerSecond ? micro.l2BytesPerSecond
                                : chip.l2BytesPerSecond;
}

MemorySystem::MemorySystem(const ChipInfo &chip, const Microarchitecture &micro,
                           double share)
    : micro(micro), l2(chip.clockHz / (l2Rate(chip, micro) * share)),
      dram(chip.clockHz /
           (chip.dramBytesPerSecond * micro.dramEfficiency * share)) {}

Cycles MemorySystem::load(Cycles now, const SectorCounts &sectors,
                          Queue &port) {
  double bytes = kSectorBytes * (sectors.l2 + sectors.dram);
  Cycles done = std::max(l2.take(now, bytes), port.take(now, bytes));
  if (sectors.replaced)
    dram.take(now, kSectorBytes * sectors.replaced);
  if (!sectors.dram)
    return done + micro.l2Latency;
  Cycles read = dram.take(now, kSectorBytes * sectors.dram);
  return std::max(done, read) + micro.dramLatency;
}

Cycles MemorySystem::store(Cycles now, const SectorCounts &sectors,
                           Queue &port) {
  double bytes = kSectorBytes * (sectors.l2 + sectors.dram);
  Cycles done = std::max(l2.take(now, bytes), port.take(now, bytes));
  if (sectors.replaced)
    dram.take(now, kSectorBytes * sectors.replaced);
  return done + micro.l2Latency;
}
