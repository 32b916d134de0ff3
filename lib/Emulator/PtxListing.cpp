//===- PtxListing.cpp - The instructions of a kernel ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/PtxListing.h"

#include "Emulator/Decode/RegisterAllocation.h"
#include "Emulator/Decode/StepKinds.h"
#include "Emulator/Program.h"

#include <algorithm>

using namespace fusion::emulator;

static bool readsSpecial(const Operand &operand) {
  return operand.kind == Operand::Kind::Special ||
         std::any_of(operand.elements.begin(), operand.elements.end(),
                     readsSpecial);
}

/// Lists an instruction of a function whose registers and instructions are
/// numbered from these numbers on.
static PtxInst list(const Instruction &inst, uint32_t firstRegister,
                    uint32_t firstNumber) {
  PtxInst listed;
  listed.opcode = std::string(inst.opcode);
  listed.step = stepKind(inst);
  listed.line = inst.lastLine;
  listed.hasGuard = inst.guard != kNone;
  Mentions mentions = mentionsOf(inst);
  // The state of an arrival, or whether a phase is complete.
  if (inst.root == "mbarrier" && !inst.operands.empty() &&
      inst.operands[0].kind == Operand::Kind::Register)
    mentions.definitions.push_back(inst.operands[0].index);
  for (uint32_t reg : mentions.uses)
    listed.reads.push_back(firstRegister + reg);
  for (uint32_t reg : mentions.definitions)
    listed.writes.push_back(firstRegister + reg);
  for (const Operand &operand : inst.operands) {
    listed.readsSpecial |= readsSpecial(operand);
    if (operand.kind == Operand::Kind::Label)
      listed.target = firstNumber + operand.index;
  }
  listed.readsVector = inst.operands.size() > 1 &&
                       inst.operands[1].kind == Operand::Kind::Vector;
  return listed;
}

std::optional<PtxListing> fusion::emulator::listPtx(const Program &program,
                                                    const std::string &kernel,
                                                    Error &error) {
  const Module &module = *program.impl().module;
  uint32_t index = findKernel(module, kernel);
  if (index == kNone) {
    error = {"there is no kernel '" + kernel + "'", 0};
    return std::nullopt;
  }
  const Code *code = program.impl().codeFor(index, /*watched=*/false, error);
  if (!code)
    return std::nullopt;
  PtxListing listing;
  for (const CodeFunction &function : code->functions) {
    const Function &source = *function.source;
    for (const Instruction &inst : source.body)
      listing.insts.push_back(
          list(inst, listing.registers, function.firstNumber));
    listing.registers += uint32_t(source.registers.size());
    // The caller's values stay alive.
    listing.liveRegisters +=
        mostLiveRegisters(source, analyzeControlFlow(source));
  }
  return listing;
}
