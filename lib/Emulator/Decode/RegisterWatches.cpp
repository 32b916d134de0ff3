//===- RegisterWatches.cpp - What sanitizers see of registers -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/RegisterWatches.h"

#include "Emulator/Decode/RegisterAllocation.h"
#include "Emulator/Execute/HandlersWgmma.h"

using namespace fusion::emulator;

static bool isProduct(const Instruction &inst) {
  return inst.root == "wgmma" && inst.operands.size() > 1;
}

void RegisterWatches::collect(DecodeContext &context) {
  for (const Instruction &inst : context.current->body)
    if (isProduct(inst))
      for (size_t i = 0; i < 2; ++i)
        for (const Operand &element : inst.operands[i].elements)
          if (element.kind == Operand::Kind::Register &&
              numbers.emplace(element.index, context.code->watchedRegisters)
                  .second)
            ++context.code->watchedRegisters;
}

void RegisterWatches::emit(DecodeContext &context) const {
  RegisterWatch watch;
  watch.line = context.instruction->line;
  auto addNumbers = [&](const std::vector<uint32_t> &registers,
                        std::vector<uint32_t> &into) {
    for (uint32_t reg : registers) {
      auto it = numbers.find(reg);
      if (it != numbers.end())
        into.push_back(it->second);
    }
  };
  if (isProduct(*context.instruction)) {
    watch.isProduct = true;
    for (size_t i = 0; i < 2; ++i)
      for (const Operand &element : context.instruction->operands[i].elements)
        addNumbers({element.index}, i ? watch.reads : watch.writes);
    // Type of D and size. Two wgmma with both in common have the same shape.
    std::string shape;
    for (std::string_view modifier : context.instruction->modifiers)
      shape.append(modifier).push_back('.');
    watch.shape = uint32_t(std::hash<std::string>()(shape)) | 1;
  } else {
    Mentions mentions = mentionsOf(*context.instruction);
    addNumbers(mentions.uses, watch.reads);
    addNumbers(mentions.definitions, watch.writes);
    if (watch.reads.empty() && watch.writes.empty())
      return;
  }
  Inst &inst = context.emit(registerWatchHandler(), {}, Flow::Hidden);
  inst.imm = int64_t(context.code->watches.size());
  if (context.instruction->guard != kNone) {
    inst.guard = context.slots[context.instruction->guard];
    inst.guardFlip = context.instruction->guardNegated ? ~0u : 0;
  }
  context.code->watches.push_back(std::move(watch));
}
