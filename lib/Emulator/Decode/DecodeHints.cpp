//===- DecodeHints.cpp - Decoding of hints and of register counts ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Decoder.h"
#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/HandlersRegisters.h"

#include "fusion/Target/Hardware.h"

using namespace fusion::emulator;

/// createpolicy.fractional.L2::primary{.L2::secondary}.b64 d{, fraction}
/// createpolicy.range{.global}.L2::primary{.L2::secondary}.b64
///     d, [a], primary size, total size
/// createpolicy.cvt.L2.b64 d, policy
bool Decoder::decodePolicy(Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  enum { Fractional, Range, Conversion };
  int kind = modifiers.takeOneOf({"fractional", "range", "cvt"});
  if (kind == Range)
    modifiers.take("global");
  if (kind == Conversion
          ? !modifiers.take("L2")
          : modifiers.takeOneOf({"L2::evict_last", "L2::evict_normal",
                                 "L2::evict_first", "L2::evict_unchanged"}) < 0)
    return unsupported();
  if (kind != Conversion)
    modifiers.takeOneOf({"L2::evict_first", "L2::evict_unchanged"});
  if (kind < 0 || modifiers.takeType() != Type::B64)
    return unsupported();
  Ref d, unused;
  size_t least = kind == Fractional ? 1 : kind == Range ? 4 : 2;
  if (!count(least, kind == Fractional ? 2 : least) ||
      !destination(operands[0], Type::U64, d))
    return false;
  if (kind == Fractional && operands.size() > 1 &&
      !source(operands[1], Type::F32, unused))
    return false;
  if (kind == Range && (!genericAddress(operands[1], false, unused) ||
                        !source(operands[2], Type::U32, unused) ||
                        !source(operands[3], Type::U32, unused)))
    return false;
  if (kind == Conversion && !source(operands[1], Type::U64, unused))
    return false;
  emit(table.integer(IntOp::Mov, Type::B64), {d, constant(0, 8)});
  return true;
}

bool Decoder::policy(const Operand &operand) {
  Ref unused;
  return source(operand, Type::U64, unused);
}

bool Decoder::decodeRegisterCount(Modifiers &modifiers) {
  int action = modifiers.takeOneOf({"inc", "dec"});
  bool known = action >= 0 && modifiers.take("sync") &&
               modifiers.take("aligned") && modifiers.takeType() == Type::U32;
  if (!known)
    return unsupported();
  if (!count(1, 1))
    return false;
  uint64_t registers = instruction->operands[0].value;
  if (instruction->operands[0].kind != Operand::Kind::Integer ||
      !canReallocate(int64_t(registers)))
    return fail("setmaxnreg wants a multiple of " +
                std::to_string(kReallocationStep) + " from " +
                std::to_string(kMinReallocated) + " to " +
                std::to_string(kMaxReallocated));
  Inst &inst = emit(setRegistersHandler(), {}, Flow::WarpAligned);
  inst.imm = int64_t(registers);
  inst.a = action == 0;
  return true;
}

/// discard{.global}.L2 [a], 128
/// applypriority{.global}.L2::evict_normal [a], 128
bool Decoder::decodeLine(Modifiers &modifiers, bool discards) {
  const auto &operands = instruction->operands;
  modifiers.take("global");
  if (!modifiers.take(discards ? "L2" : "L2::evict_normal"))
    return unsupported();
  Ref line;
  if (!count(2, 2) || !genericAddress(operands[0], false, line))
    return false;
  if (operands[1].kind != Operand::Kind::Integer ||
      operands[1].value != kLineBytes)
    return fail("'" + std::string(instruction->opcode) + "' is for 128 bytes");
  if (!discards) {
    emit(nothingHandler(), {});
    return true;
  }
  emit(discardHandler(), {line});
  return true;
}

/// What only caches, the clock and the profiler see.
bool Decoder::decodeHint(std::string_view root, Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  Ref unused;
  if (root == "createpolicy")
    return decodePolicy(modifiers);
  if (root == "setmaxnreg")
    return decodeRegisterCount(modifiers);
  if (root == "griddepcontrol") {
    int action = modifiers.takeOneOf({"launch_dependents", "wait"});
    if (action < 0)
      return unsupported();
    if (!count(0, 0))
      return false;
    if (action == 1) {
      emit(gridWaitHandler(), {});
      return true;
    }
  } else if (root == "nanosleep") {
    if (modifiers.takeType() != Type::U32)
      return unsupported();
    if (!count(1, 1) || !source(operands[0], Type::U32, unused))
      return false;
  } else if (root == "pmevent") {
    bool isMask = modifiers.take("mask");
    if (!count(1, 1))
      return false;
    if (operands[0].kind != Operand::Kind::Integer ||
        operands[0].value > (isMask ? 0xffff : 15))
      return fail(isMask ? "pmevent.mask wants a constant of 16 bits"
                         : "pmevent wants a constant from 0 to 15");
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
      return unsupported();
    if (!count(1, 1) || !genericAddress(operands[0], false, unused))
      return false;
  } else {
    return decodeLine(modifiers, root == "discard");
  }
  emit(nothingHandler(), {});
  return true;
}
