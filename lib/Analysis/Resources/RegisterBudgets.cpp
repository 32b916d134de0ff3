//===- RegisterBudgets.cpp - Registers by the kind of warp ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace fusion;

std::optional<RegisterBudgets>
fusion::registerBudgets(int64_t warps, int64_t producers, int64_t blocksPerSM,
                        const ChipInfo &chip, int64_t producer) {
  // Registers are reallocated by whole warpgroups.
  if (!chip.hasRegisterReallocation || producers == 0 ||
      producers % kWarpgroupWarps != 0 || warps % kWarpgroupWarps != 0)
    return std::nullopt;
  int64_t threads = kWarpSize * (producers + warps);
  int64_t perThread = chip.registersPerSM / (threads * blocksPerSM);
  auto wholeSteps = [](int64_t registers) {
    return std::min(kMaxReallocated,
                    registers / kReallocationStep * kReallocationStep);
  };
  int64_t atFirst = wholeSteps(perThread);
  int64_t least = std::max(kMinReallocated, producer);
  if (atFirst < least)
    return std::nullopt;
  int64_t left = atFirst * (producers + warps) - least * producers;
  return RegisterBudgets{atFirst, least, wholeSteps(left / warps)};
}

int64_t fusion::producerRegisters(const Schedule &schedule) {
  constexpr int64_t ofMaskedTiles = 32;
  return schedule.persistent && schedule.maskedAxis ? ofMaskedTiles : 0;
}

int64_t fusion::maxRegisters(const Schedule &schedule, int64_t warps,
                             const ChipInfo &chip) {
  if (std::optional<RegisterBudgets> dealt =
          registerBudgets(warps, schedule.producerWarps, /*blocksPerSM=*/1,
                          chip, producerRegisters(schedule)))
    return std::min<int64_t>(chip.maxRegistersPerThread, dealt->consumer);
  return registersByWarps(allocatedWarps(warps, schedule.producerWarps), chip);
}

int64_t fusion::allocatedWarps(int64_t warps, int64_t producers) {
  return producers == 0 ? warps
                        : llvm::alignTo(warps + producers, kSubPartitions);
}
