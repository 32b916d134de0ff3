//===- DecodeUpdates.cpp - Stores of what was made of a loaded value ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sanitizers (LostUpdates.cpp): `counter = counter + 1` by strong
// accesses, as opposed to a flag that is read and then set. Registers are
// followed through the function whatever its control flow; memory is not.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeUpdates.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit>
static void forRegisters(const Operand &operand, Visit visit) {
  if (operand.kind == Operand::Kind::Register)
    visit(operand.index);
  for (const Operand &element : operand.elements)
    forRegisters(element, visit);
}

/// "ld" and "st" with these semantics are strong operations (PTX ISA, "Memory
/// Consistency Model: Strong Operations").
static bool isStrong(const Instruction &inst) {
  return std::any_of(inst.modifiers.begin(), inst.modifiers.end(),
                     [](std::string_view modifier) {
                       return modifier == "volatile" || modifier == "relaxed" ||
                              modifier == "acquire" || modifier == "release" ||
                              modifier == "mmio";
                     });
}

std::vector<bool> fusion::emulator::findUpdates(const Function &function) {
  auto isStrongStore = [](const Instruction &inst) {
    return inst.root == "st" && isStrong(inst) && inst.operands.size() >= 2;
  };
  if (std::none_of(function.body.begin(), function.body.end(), isStrongStore))
    return {};
  std::vector<bool> loaded(function.registers.size());
  auto isLoaded = [&](const Operand &operand) {
    bool result = false;
    forRegisters(operand, [&](uint32_t index) { result |= loaded[index]; });
    return result;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &inst : function.body) {
      if (inst.operands.size() < 2 || inst.root == "st" ||
          inst.root == "atom" || inst.root == "call")
        continue;
      bool from = false;
      if (inst.root == "ld")
        from = isStrong(inst);
      else
        for (size_t i = 1; i < inst.operands.size(); ++i)
          from |= isLoaded(inst.operands[i]);
      if (!from)
        continue;
      forRegisters(inst.operands[0], [&](uint32_t index) {
        changed |= !loaded[index];
        loaded[index] = true;
      });
    }
  }
  std::vector<bool> updates(function.body.size());
  for (size_t i = 0; i < updates.size(); ++i)
    updates[i] = isStrongStore(function.body[i]) &&
                 isLoaded(function.body[i].operands[1]);
  return updates;
}
