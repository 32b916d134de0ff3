//===- DecodeHints.cpp - Decoding of hints and of register counts ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeHints.h"

#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/HandlersRegisters.h"

#include "fusion/Target/Chips/Hardware.h"

using namespace fusion::emulator;

/// createpolicy.fractional.L2::primary{.L2::secondary}.b64 d{, fraction}
/// createpolicy.range{.global}.L2::primary{.L2::secondary}.b64
///     d, [a], primary size, total size
/// createpolicy.cvt.L2.b64 d, policy
static bool decodePolicy(DecodeContext &context, Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  enum { Fractional, Range, Conversion };
  int kind = modifiers.takeOneOf({"fractional", "range", "cvt"});
  if (kind == Range)
    modifiers.take("global");
  if (kind == Conversion
          ? !modifiers.take("L2")
          : modifiers.takeOneOf({"L2::evict_last", "L2::evict_normal",
                                 "L2::evict_first", "L2::evict_unchanged"}) < 0)
    return context.unsupported();
  if (kind != Conversion)
    modifiers.takeOneOf({"L2::evict_first", "L2::evict_unchanged"});
  if (kind < 0 || modifiers.takeType() != Type::B64)
    return context.unsupported();
  Ref d, unused;
  size_t least = kind == Fractional ? 1 : kind == Range ? 4 : 2;
  if (!context.count(least, kind == Fractional ? 2 : least) ||
      !context.destination(operands[0], Type::U64, d))
    return false;
  if (kind == Fractional && operands.size() > 1 &&
      !context.source(operands[1], Type::F32, unused))
    return false;
  if (kind == Range && (!context.genericAddress(operands[1], false, unused) ||
                        !context.source(operands[2], Type::U32, unused) ||
                        !context.source(operands[3], Type::U32, unused)))
    return false;
  if (kind == Conversion && !context.source(operands[1], Type::U64, unused))
    return false;
  context.emit(context.table.integer(IntOp::Mov, Type::B64),
               {d, context.constant(0, 8)});
  return true;
}

bool fusion::emulator::decodeCachePolicy(DecodeContext &context,
                                         const Operand &operand) {
  Ref unused;
  return context.source(operand, Type::U64, unused);
}

static bool decodeRegisterCount(DecodeContext &context, Modifiers &modifiers) {
  int action = modifiers.takeOneOf({"inc", "dec"});
  bool known = action >= 0 && modifiers.take("sync") &&
               modifiers.take("aligned") && modifiers.takeType() == Type::U32;
  if (!known)
    return context.unsupported();
  if (!context.count(1, 1))
    return false;
  uint64_t registers = context.instruction->operands[0].value;
  if (context.instruction->operands[0].kind != Operand::Kind::Integer ||
      !fusion::canReallocate(int64_t(registers)))
    return context.fail("setmaxnreg requires a multiple of " +
                        std::to_string(fusion::kReallocationStep) + " from " +
                        std::to_string(fusion::kMinReallocated) + " to " +
                        std::to_string(fusion::kMaxReallocated));
  Inst &inst = context.emit(setRegistersHandler(), {}, Flow::WarpAligned);
  inst.imm = int64_t(registers);
  inst.a = action == 0;
  return true;
}

/// discard{.global}.L2 [a], 128
/// applypriority{.global}.L2::evict_normal [a], 128
static bool decodeLine(DecodeContext &context, Modifiers &modifiers,
                       bool discards) {
  const auto &operands = context.instruction->operands;
  modifiers.take("global");
  if (!modifiers.take(discards ? "L2" : "L2::evict_normal"))
    return context.unsupported();
  Ref line;
  if (!context.count(2, 2) || !context.genericAddress(operands[0], false, line))
    return false;
  if (operands[1].kind != Operand::Kind::Integer ||
      operands[1].value != kLineBytes)
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' is for 128 bytes");
  if (!discards) {
    context.emit(nothingHandler(), {});
    return true;
  }
  context.emit(discardHandler(), {line});
  return true;
}

/// What only caches, the clock and the profiler see.
bool fusion::emulator::decodeHint(DecodeContext &context, std::string_view root,
                                  Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  Ref unused;
  if (root == "createpolicy")
    return decodePolicy(context, modifiers);
  if (root == "setmaxnreg")
    return decodeRegisterCount(context, modifiers);
  if (root == "griddepcontrol") {
    int action = modifiers.takeOneOf({"launch_dependents", "wait"});
    if (action < 0)
      return context.unsupported();
    if (!context.count(0, 0))
      return false;
    if (action == 1) {
      context.emit(gridWaitHandler(), {});
      return true;
    }
  } else if (root == "nanosleep") {
    if (modifiers.takeType() != Type::U32)
      return context.unsupported();
    if (!context.count(1, 1) || !context.source(operands[0], Type::U32, unused))
      return false;
  } else if (root == "pmevent") {
    bool isMask = modifiers.take("mask");
    if (!context.count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Integer ||
        operands[0].value > (isMask ? 0xffff : 15))
      return context.fail(isMask ? "pmevent.mask requires a constant of 16 bits"
                                 : "pmevent requires a constant from 0 to 15");
  } else if (root == "prefetch" || root == "prefetchu") {
    int space =
        root == "prefetchu"
            ? -1
            : modifiers.takeOneOf({"global", "local", "const", "param"});
    int level = modifiers.takeOneOf(
        {"L1", "L2", "L2::evict_last", "L2::evict_normal", "tensormap"});
    // Priorities are of global memory, maps of constants and parameters.
    if (level < 0 || (root == "prefetchu" && level > 0) ||
        (level == 4 ? space == 0 || space == 1 : space >= 2) ||
        (space == 1 && level >= 2))
      return context.unsupported();
    if (!context.count(1, 1) ||
        !context.genericAddress(operands[0], false, unused))
      return false;
  } else {
    return decodeLine(context, modifiers, root == "discard");
  }
  context.emit(nothingHandler(), {});
  return true;
}
