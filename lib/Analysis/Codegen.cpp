//===- Codegen.cpp - What a schedule tells about machine code -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Codegen.h"
#include "fusion/Analysis/PipelineModel.h"
#include "fusion/Support/Counted.h"
#include "fusion/Target/Hardware.h"

using namespace mlir;
using namespace fusion;

Codegen fusion::importCodegen(fuse::CodegenAttr attr) {
  Codegen codegen;
  codegen.residentBlocks = attr.getResidentBlocks();
  if (ArrayRef<int64_t> registers = attr.getRegisterBudgets();
      !registers.empty()) {
    codegen.producerRegisters = registers[0];
    codegen.consumerRegisters = registers[1];
  }
  codegen.unmaskedIterations = attr.getUnmaskedIterations();
  return codegen;
}

fuse::CodegenAttr fusion::exportCodegen(const Codegen &codegen,
                                        ArrayRef<StringAttr> masked,
                                        MLIRContext *context) {
  SmallVector<int64_t, 2> registers;
  if (codegen.hasRoleRegisters())
    registers = {codegen.producerRegisters, codegen.consumerRegisters};
  return fuse::CodegenAttr::get(context, codegen.residentBlocks, registers,
                                masked, codegen.unmaskedIterations);
}

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
