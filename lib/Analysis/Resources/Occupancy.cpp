//===- Occupancy.cpp - Blocks that an SM holds ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include <algorithm>
#include <cmath>

using namespace fusion;

int64_t fusion::registersWithRoom(const Footprint &footprint,
                                  const ChipInfo &chip) {
  return std::min<int64_t>(
      chip.maxRegistersPerThread,
      static_cast<int64_t>(std::ceil(footprint.registers * kRegisterMargin)));
}

bool fusion::hasRegisterRoom(const Schedule &schedule,
                             const Footprint &footprint, const ChipInfo &chip) {
  auto fits = [](int64_t needed, int64_t most) {
    return needed * kRegisterMargin <= most;
  };
  if (!fits(footprint.registers, registersByWarps(schedule.warps, chip)))
    return false;
  // Producer warps leave fewer registers than that. Operands that are read in
  // place have no fragments that ptxas would load early, so the counted
  // registers suffice.
  bool isInPlace =
      llvm::all_of(schedule.contractions, [](const auto &contraction) {
        return contraction.intrinsic->readsShared();
      });
  return isInPlace || fits(footprint.registers,
                           maxRegisters(schedule, schedule.warps, chip));
}

int64_t fusion::blocksPerSM(const Schedule &schedule,
                            const Footprint &footprint, const ChipInfo &chip) {
  int64_t registers = std::max<int64_t>(registersWithRoom(footprint, chip), 1);
  bool isReallocated =
      registerBudgets(schedule.warps, schedule.producerWarps,
                      /*blocksPerSM=*/1, chip, producerRegisters(schedule))
          .has_value();
  BlockDemand block;
  block.warps = schedule.warps + schedule.producerWarps;
  block.sharedMemory = footprint.sharedMemory;
  if (!isReallocated) {
    block.registers = registers;
    block.allocatedWarps =
        allocatedWarps(schedule.warps, schedule.producerWarps);
  }
  int64_t blocks =
      std::max<int64_t>(1, blocksPerSM(resourcesOfSM(chip), block));
  if (!isReallocated)
    return blocks;
  auto fits = [&](int64_t count) {
    std::optional<RegisterBudgets> dealt =
        registerBudgets(schedule.warps, schedule.producerWarps, count, chip,
                        producerRegisters(schedule));
    return dealt && dealt->consumer >= registers &&
           dealt->atFirst >= footprint.atLaunch;
  };
  while (blocks > 1 && !fits(blocks))
    --blocks;
  return blocks;
}
