//===- DecodeStack.cpp - Decoding of alloca and its like ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeStack.h"

#include "Emulator/Execute/HandlersStack.h"

using namespace fusion::emulator;

// PTX ISA, "alloca": the largest alignment, and the default one.
static constexpr uint64_t kMaxAlignment = 1 << 23, kAlignment = 8;

/// Decodes alloca.type ptr, size{, alignment}; stacksave.type d;
/// stackrestore.type a.
bool fusion::emulator::decodeStack(DecodeContext &context,
                                   std::string_view root,
                                   Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  Type type = modifiers.takeType();
  if (type != Type::U32 && type != Type::U64)
    return context.unsupported();
  Ref ref, size;
  context.code->hasStack = true;
  if (root == "stackrestore") {
    if (!context.count(1, 1) || !context.source(operands[0], type, ref))
      return false;
    context.emit(stackRestoreHandler(), {ref}, Flow::Checked).a =
        uint8_t(bytesOf(type));
    return true;
  }
  bool allocates = root == "alloca";
  if (!context.count(allocates ? 2 : 1, allocates ? 3 : 1) ||
      !context.destination(operands[0], type, ref) ||
      (allocates && !context.source(operands[1], type, size)))
    return false;
  if (!allocates) {
    context.emit(stackSaveHandler(), {ref}).a = uint8_t(bytesOf(type));
    return true;
  }
  uint64_t alignment = kAlignment;
  if (operands.size() > 2) {
    uint64_t given = operands[2].value;
    if (operands[2].kind != Operand::Kind::Integer || !given ||
        (given & (given - 1)) || given > kMaxAlignment)
      return context.fail(
          "the alignment of alloca is a power of two up to 2^23");
    alignment = std::max(alignment, given);
  }
  Inst &inst = context.emit(allocaHandler(), {ref, size}, Flow::Checked);
  inst.imm = int64_t(alignment);
  inst.a = uint8_t(bytesOf(type));
  return true;
}
