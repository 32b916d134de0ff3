//===- CodegenLegality.cpp - Codegen that a chip can run ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Legality/CodegenLegality.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Support/Counted.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace fusion;

/// Returns why `codegen.residentBlocks` such blocks cannot have the registers
/// of `codegen`, or nullopt.
static std::optional<std::string> checkRoleRegisters(const Codegen &codegen,
                                                     int64_t warps,
                                                     int64_t producers,
                                                     const ChipInfo &chip) {
  if (producers == 0)
    return "'register_budgets' need 'producers': without, all warps do the "
           "same";
  std::optional<RegisterBudgets> shares =
      registerBudgets(warps, producers, codegen.residentBlocks, chip);
  if (!shares)
    return "'register_budgets' of " + counted(producers, "producer") + " and " +
           counted(warps, "warp") + " cannot be set: " +
           (chip.hasRegisterReallocation
                ? "setmaxnreg is for whole warpgroups of 4 warps"
                : chip.name.str() + " has no setmaxnreg");
  int64_t least = kMinReallocated, most = kMaxReallocated,
          atFirst = shares->atFirst;
  if (codegen.producerRegisters < least ||
      codegen.producerRegisters > atFirst ||
      codegen.consumerRegisters < atFirst || codegen.consumerRegisters > most)
    return "'register_budgets' are from " + std::to_string(least) + " to " +
           std::to_string(atFirst) + " of producers and from " +
           std::to_string(atFirst) + " to " + std::to_string(most) +
           " of the other warps, which are launched with " +
           std::to_string(atFirst);
  int64_t asked = codegen.producerRegisters * producers +
                  codegen.consumerRegisters * warps,
          available = atFirst * (producers + warps);
  if (asked > available)
    return "'register_budgets' add up to " + std::to_string(asked) +
           " of a thread in each warp; the block is launched with " +
           std::to_string(available);
  return std::nullopt;
}

std::optional<std::string> fusion::checkCodegen(const Codegen &codegen,
                                                int64_t warps,
                                                int64_t producers,
                                                const ChipInfo &chip) {
  int64_t blocks = codegen.residentBlocks;
  if (blocks > chip.maxBlocksPerSM ||
      blocks * (warps + producers) > chip.maxWarpsPerSM)
    return "an SM of " + chip.name.str() + " has room for " +
           std::to_string(chip.maxWarpsPerSM) + " warps and " +
           std::to_string(chip.maxBlocksPerSM) +
           " blocks, which 'resident_blocks' = " + std::to_string(blocks) +
           " of " + counted(warps + producers, "warp") + " exceed";
  if (!codegen.hasRoleRegisters())
    return std::nullopt;
  return checkRoleRegisters(codegen, warps, producers, chip);
}
