//===- DecodeAsync.cpp - Decoding of cp.async -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeAsync.h"

#include "Emulator/Decode/DecodeBulk.h"
#include "Emulator/Decode/DecodeHints.h"
#include "Emulator/Decode/DecodeMbarrier.h"
#include "Emulator/Execute/HandlersAsync.h"

using namespace fusion::emulator;

bool fusion::emulator::decodeAsync(DecodeContext &context,
                                   Modifiers &modifiers) {
  bool reduces = modifiers.take("reduce");
  if (!modifiers.take("async"))
    return false;
  if (modifiers.take("bulk"))
    return decodeBulk(context, modifiers, reduces);
  if (reduces)
    return false;
  if (modifiers.take("mbarrier"))
    return decodeAsyncArrive(context, modifiers);
  const auto &operands = context.instruction->operands;
  if (modifiers.take("commit_group")) {
    if (!context.count(0, 0))
      return false;
    context.emit(asyncCommitHandler(), {});
    return true;
  }
  if (modifiers.take("wait_all")) {
    if (!context.count(0, 0))
      return false;
    context.emit(asyncWaitHandler(), {}).imm = -1;
    return true;
  }
  if (modifiers.take("wait_group")) {
    if (!context.count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Integer ||
        operands[0].value > UINT32_MAX)
      return context.fail("the operand of cp.async.wait_group is a constant");
    context.emit(asyncWaitHandler(), {}).imm = int64_t(operands[0].value);
    return true;
  }
  int cache = modifiers.takeOneOf({"ca", "cg"});
  bool shared = modifiers.takeOneOf({"shared", "shared::cta"}) >= 0;
  bool global = modifiers.take("global");
  bool cacheHint = modifiers.take("L2::cache_hint");
  modifiers.takePrefix("L2::");
  if (cache < 0 || !shared || !global || !modifiers.empty())
    return context.unsupported();
  if (!context.count(cacheHint ? 4 : 3, cacheHint ? 5 : 4))
    return false;
  if (operands[2].kind != Operand::Kind::Integer ||
      (operands[2].value != 4 && operands[2].value != 8 &&
       operands[2].value != 16) ||
      (cache == 1 && operands[2].value != 16))
    return context.fail("cp.async copies 4, 8 or 16 bytes (.cg: 16)");
  Ref to, from, extra = context.scratchRef;
  unsigned toWidth, fromWidth;
  int64_t toOffset, fromOffset;
  if (!context.address(operands[0], to, toWidth, toOffset) ||
      !context.address(operands[1], from, fromWidth, fromOffset))
    return false;
  uint8_t mode = 0;
  size_t next = 3;
  if (operands.size() > 3 && !(cacheHint && operands.size() == 4)) {
    const Operand &third = operands[3];
    bool isPredicate =
        third.negated ||
        (third.kind == Operand::Kind::Register &&
         context.current->registers[third.index].type == Type::Pred);
    mode = isPredicate ? 2 : 1;
    if (isPredicate ? !context.predicateValue(third, extra)
                    : !context.source(third, Type::U32, extra))
      return false;
    ++next;
  }
  if (cacheHint && !decodeCachePolicy(context, operands[next]))
    return false;
  Inst &inst =
      context.emit(asyncCopyHandler(), {to, from, extra}, Flow::Checked);
  inst.imm = toOffset;
  inst.imm2 = fromOffset;
  inst.a = uint8_t(operands[2].value);
  inst.b = mode;
  inst.c = uint8_t(toWidth);
  inst.d = uint8_t(fromWidth);
  inst.order = OrderCopy;
  return true;
}
