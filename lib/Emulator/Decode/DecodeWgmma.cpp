//===- DecodeWgmma.cpp - Decoding of wgmma --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeWgmma.h"

#include "Emulator/Execute/HandlersWgmma.h"

using namespace fusion::emulator;

/// Whether wgmma supports the types. Sets `k` to the k of its shape.
static bool wgmmaTypes(Type d, Type a, Type b, unsigned &k) {
  auto isByte = [](Type t) { return t == Type::S8 || t == Type::U8; };
  auto isFp8 = [](Type t) { return t == Type::E4M3 || t == Type::E5M2; };
  if (isByte(a) && isByte(b)) {
    k = 32;
    return d == Type::S32;
  }
  if (a == Type::B1 && b == Type::B1) {
    k = 256;
    return d == Type::S32;
  }
  bool half = d == Type::F16;
  if (isFp8(a) && isFp8(b)) {
    k = 32;
    return half || d == Type::F32;
  }
  if (a != b)
    return false;
  k = a == Type::TF32 ? 8 : 16;
  return a == Type::F16
             ? half || d == Type::F32
             : (a == Type::BF16 || a == Type::TF32) && d == Type::F32;
}

/// Parses m64n{N}k{K}.
static bool wgmmaShape(std::string_view text, unsigned &n, unsigned &k) {
  unsigned *numbers[] = {&n, &k};
  if (text.substr(0, 4) != "m64n")
    return false;
  size_t at = 4;
  for (unsigned i = 0; i < 2; ++i) {
    size_t begin = at;
    *numbers[i] = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' &&
           at - begin < 4)
      *numbers[i] = *numbers[i] * 10 + unsigned(text[at++] - '0');
    if (at == begin)
      return false;
    if (i == 0 && (at >= text.size() || text[at++] != 'k'))
      return false;
  }
  return at == text.size();
}

bool fusion::emulator::decodeWgmma(DecodeContext &context, std::string_view,
                                   Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  int kind =
      modifiers.takeOneOf({"fence", "commit_group", "wait_group", "mma_async"});
  bool sync = modifiers.take("sync") && modifiers.take("aligned");
  if (kind < 0 || !sync)
    return context.unsupported();
  if (kind < 2) {
    if (!context.count(0, 0))
      return false;
    context.emit(kind ? wgmmaCommitHandler() : wgmmaFenceHandler(), {},
                 Flow::WarpAligned);
    return true;
  }
  if (kind == 2) {
    if (!context.count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Integer ||
        operands[0].value > UINT32_MAX)
      return context.fail("the operand of wgmma.wait_group is a constant");
    context.emit(wgmmaWaitHandler(), {}, Flow::WarpAligned).imm =
        int64_t(operands[0].value);
    return true;
  }
  unsigned n = 0, shapeK = 0, k = 0;
  for (std::string_view modifier : context.instruction->modifiers)
    if (wgmmaShape(modifier, n, shapeK)) {
      modifiers.take(modifier);
      break;
    }
  bool satfinite = modifiers.take("satfinite");
  Type d = modifiers.takeType(), a = modifiers.takeType(),
       b = modifiers.takeType();
  bool counts = modifiers.take("and") && modifiers.take("popc");
  if (!wgmmaTypes(d, a, b, k) || counts != (a == Type::B1) ||
      (satfinite && counts) || k != shapeK || n < 8 || n > 256 || n % 8 ||
      (satfinite && d != Type::S32))
    return context.unsupported();
  // Integers have fewer sizes beyond 32 (PTX ISA, "wgmma.mma_async").
  if (d == Type::S32 && n > 32 && n % 16)
    return context.unsupported();
  bool negates = d != Type::S32;
  bool transposes = a == Type::F16 || a == Type::BF16;
  if (operands.size() < 2)
    return context.count(2, 2);
  bool registersA = operands[1].kind == Operand::Kind::Vector;
  size_t immediates =
      (negates ? 2 : 0) + (transposes ? (registersA ? 1 : 2) : 0);
  if (!context.count(4 + immediates, 4 + immediates))
    return false;
  size_t accumulators = n / 8 * (d == Type::F16 ? 2 : 4);
  const Operand &results = operands[0];
  if (results.kind != Operand::Kind::Vector ||
      results.elements.size() != accumulators)
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' requires " + std::to_string(accumulators) +
                        " accumulators");
  std::vector<Ref> refs;
  for (const Operand &element : results.elements) {
    Ref ref;
    if (element.kind != Operand::Kind::Register)
      return context.fail("an accumulator of wgmma is a register");
    if (!context.destination(element, Type::B32, ref))
      return false;
    refs.push_back(ref);
  }
  if (registersA && operands[1].elements.size() != 4)
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' requires 4 registers of A");
  for (size_t i = 0; i < (registersA ? 4u : 1u); ++i) {
    Ref ref;
    if (!context.source(registersA ? operands[1].elements[i] : operands[1],
                        registersA ? Type::B32 : Type::B64, ref))
      return false;
    refs.push_back(ref);
  }
  Ref descriptor, scale;
  if (!context.source(operands[2], Type::B64, descriptor) ||
      !context.predicateValue(operands[3], scale))
    return false;
  refs.push_back(descriptor);
  refs.push_back(scale);
  unsigned flags =
      (registersA ? WgmmaRegistersA : 0) | (satfinite ? WgmmaSatfinite : 0);
  for (size_t i = 0; i < immediates; ++i) {
    const Operand &operand = operands[4 + i];
    bool isScale = i < 2;
    int64_t value = int64_t(operand.value);
    if (operand.kind != Operand::Kind::Integer ||
        (isScale ? value != 1 && value != -1 : value != 0 && value != 1))
      return context.fail(isScale ? "imm-scale is 1 or -1"
                                  : "imm-trans is 0 or 1");
    if (isScale && value == -1)
      flags |= i ? WgmmaNegateB : WgmmaNegateA;
    if (!isScale && value)
      flags |= i == 2 && !registersA ? WgmmaTransposeA : WgmmaTransposeB;
  }
  Inst &inst = context.emit(wgmmaHandler(), refs, Flow::WarpAligned);
  inst.a = uint8_t(n / 8);
  inst.b = uint8_t(a);
  inst.c = uint8_t(b);
  inst.d = uint8_t(d);
  inst.e = uint8_t(flags);
  return true;
}
