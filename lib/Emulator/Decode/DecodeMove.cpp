//===- DecodeMove.cpp - Decoding of comparisons and conversions -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeMove.h"

#include "Emulator/Execute/HandlersConvert.h"
#include "Emulator/Execute/HandlersMisc.h"

using namespace fusion::emulator;

static int takeCompare(Modifiers &modifiers) {
  // lo, ls, hi and hs are the unsigned comparisons' other names.
  int index = modifiers.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ",
                                   "neu", "ltu", "leu", "gtu", "geu", "num",
                                   "nan", "lo", "ls", "hi", "hs"});
  return index < 14 ? index : index - 14 + int(Compare::Lt);
}

bool fusion::emulator::decodeCompare(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  bool isSet = root == "set";
  int compare = takeCompare(modifiers);
  int combine = modifiers.takeOneOf({"and", "or", "xor"});
  bool ftz = modifiers.take("ftz");
  Type destinationType = isSet ? modifiers.takeType() : Type::None;
  Type type = modifiers.takeType();
  if (compare < 0 || type == Type::None || type == Type::TF32)
    return context.unsupported();
  CompareSpec spec;
  spec.type = type == Type::F32 && ftz ? Type::TF32 : type;
  spec.compare = Compare(compare);
  spec.isSet = isSet;
  spec.destination = destinationType;
  Handler handler = context.table.compare(spec);
  if (!handler)
    return context.unsupported();
  size_t operandCount = combine >= 0 ? 4 : 3;
  if (!context.count(operandCount, operandCount))
    return false;
  bool packed = type == Type::F16x2 || type == Type::BF16x2;
  Ref d = context.scratchRef, q = context.scratchRef, a, b,
      c = context.scratchRef;
  uint8_t kind = 0;
  const Operand &result = context.instruction->operands[0];
  if (isSet) {
    switch (destinationType) {
    case Type::U32:
    case Type::S32:
      kind = packed ? 7 : 0;
      break;
    case Type::F32:
      kind = 1;
      break;
    case Type::F16:
      kind = 2;
      break;
    case Type::BF16:
      kind = 3;
      break;
    case Type::U16:
    case Type::S16:
      kind = 4;
      break;
    case Type::F16x2:
      kind = 5;
      break;
    case Type::BF16x2:
      kind = 6;
      break;
    default:
      return context.unsupported();
    }
    if (packed && kind < 5)
      return context.unsupported();
    // As ptxas has it.
    Type held = destinationType == Type::BF16     ? Type::U16
                : destinationType == Type::BF16x2 ? Type::B32
                                                  : destinationType;
    if (!context.destination(result, held, d))
      return false;
  } else if (result.kind == Operand::Kind::Pair) {
    if (!context.destination(result.elements[0], Type::Pred, d) ||
        !context.destination(result.elements[1], Type::Pred, q))
      return false;
  } else if (!context.destination(result, Type::Pred, d)) {
    return false;
  }
  bool negated = false;
  if (!context.source(context.instruction->operands[1], type, a) ||
      !context.source(context.instruction->operands[2], type, b) ||
      (combine >= 0 &&
       !context.predicateSource(context.instruction->operands[3], c, negated)))
    return false;
  // A predicate may be source and first destination; the second must not be
  // overwritten by what follows, hence a scratch of its own.
  if (!isSet && q == context.scratchRef)
    q = context.scratchRef + 256;
  Inst &inst = context.emit(handler, {d, q, a, b, c});
  inst.a = uint8_t(combine + 1);
  inst.b = negated;
  inst.c = kind;
  inst.d = uint8_t((ftz ? 1 : 0) | (packed ? 2 : 0));
  return true;
}

bool fusion::emulator::decodeSelect(DecodeContext &context,
                                    std::string_view root,
                                    Modifiers &modifiers) {
  bool ftz = modifiers.take("ftz");
  Type type = modifiers.takeType();
  if (!isMemoryType(type) || bytesOf(type) == 1)
    return context.unsupported();
  if (!context.count(4, 4))
    return false;
  Ref d, a, b, c;
  const auto &operands = context.instruction->operands;
  if (!context.destination(operands[0], type, d) ||
      !context.source(operands[1], type, a) ||
      !context.source(operands[2], type, b))
    return false;
  if (root == "selp") {
    Handler handler = context.table.integer(IntOp::Select, type);
    if (ftz || !handler)
      return context.unsupported();
    if (!context.predicateValue(operands[3], c))
      return false;
    context.emit(handler, {d, a, b, c});
    return true;
  }
  Type key = modifiers.takeType();
  if (key != Type::S32 && key != Type::F32)
    return context.unsupported();
  Handler handler = context.table.integer(
      key == Type::F32 ? IntOp::SlctF : IntOp::Slct, type);
  if (!handler)
    return context.unsupported();
  if (!context.source(operands[3], key, c))
    return false;
  context.emit(handler, {d, a, b, c});
  return true;
}

static bool isPacked(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 || type == Type::E4M3x2 ||
         type == Type::E5M2x2;
}

static bool hasExactWidth(Type type) {
  return type == Type::BF16 || type == Type::BF16x2 || type == Type::TF32 ||
         type == Type::E4M3x2 || type == Type::E5M2x2;
}

/// cvt.pack.sat.{u16,s16,u8,s8}.s32{.b32} d, a, b{, c}
static bool decodePack(DecodeContext &context, Modifiers &modifiers) {
  bool sat = modifiers.take("sat");
  int to =
      modifiers.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  Type from = modifiers.takeType(), third = modifiers.takeType();
  bool narrow = to >= 2;
  if (!sat || to < 0 || from != Type::S32 ||
      third != (narrow ? Type::B32 : Type::None))
    return context.unsupported();
  size_t n = narrow ? 4 : 3;
  std::vector<Ref> refs(n);
  // As with other conversions, registers may be wider.
  unsigned widths[4] = {};
  if (!context.count(n, n) ||
      !context.wideDestination(context.instruction->operands[0], Type::U32,
                               refs[0], widths[0]))
    return false;
  for (size_t i = 1; i < n; ++i)
    if (!context.wideSource(context.instruction->operands[i],
                            i < 3 ? Type::S32 : Type::B32, refs[i], widths[i]))
      return false;
  Inst &inst = context.emit(convertPackHandler(), refs, Flow::Next);
  for (size_t i = 0; i < n; ++i)
    inst.imm |= int64_t(widths[i]) << (8 * i);
  inst.a = uint8_t(16 >> (to / 2));
  inst.b = uint8_t(to % 2);
  return true;
}

/// PTX ISA, "cvt": what rounds says how, and nothing else does.
static bool hasRounding(Type to, Type from, Rounding rounding, bool isIntegral,
                        uint8_t flags) {
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  bool isNearest = rounding == Rounding::Nearest;
  if (to == Type::TF32)
    return from == Type::F32 && !isIntegral &&
           (isNearest || rounding == Rounding::Zero ||
            rounding == Rounding::Away);
  if (from == Type::TF32 || rounding == Rounding::Away)
    return false;
  if (to == Type::E4M3x2 || to == Type::E5M2x2)
    return isNearest && (flags & FlagSatFinite);
  if (from == Type::E4M3x2 || from == Type::E5M2x2)
    return isNearest;
  if (isPacked(to))
    return isNearest || rounding == Rounding::Zero;
  if (!toFloat)
    return rounding == Rounding::None && isIntegral == fromFloat;
  if (!fromFloat || bytesOf(to) < bytesOf(from))
    return !isIntegral && rounding != Rounding::None;
  if (to == from)
    return true;
  return !isIntegral &&
         (rounding == Rounding::None || from == Type::BF16 || to == Type::BF16);
}

bool fusion::emulator::decodeConvert(DecodeContext &context,
                                     Modifiers &modifiers) {
  if (modifiers.take("pack"))
    return decodePack(context, modifiers);
  int integral = modifiers.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  Rounding rounding = modifiers.takeRounding();
  uint8_t flags = modifiers.takeFloatFlags();
  if (modifiers.take("satfinite"))
    flags |= FlagSatFinite;
  Type to = modifiers.takeType(), from = modifiers.takeType();
  const auto &operands = context.instruction->operands;
  if (!bytesOf(to) || !bytesOf(from) || to == Type::Pred ||
      from == Type::Pred || (flags & (FlagNaN | FlagXorSign)))
    return context.unsupported();
  static const Rounding integralModes[] = {Rounding::Nearest, Rounding::Zero,
                                           Rounding::Down, Rounding::Up};
  bool fromFloat = isFloat(from), toFloat = isFloat(to);
  if (!hasRounding(to, from, rounding, integral >= 0, flags))
    return context.unsupported();
  // "cvt" of types that came with or after sm_80 wants registers of their
  // width (ptxas); the others take wider ones.
  bool isExact = hasExactWidth(to) || hasExactWidth(from);
  auto resultOf = [&](const Operand &operand, Ref &ref, unsigned &width) {
    width = bytesOf(to);
    return isExact ? context.destination(operand, to, ref)
                   : context.wideDestination(operand, to, ref, width);
  };
  auto argumentOf = [&](const Operand &operand, Ref &ref, unsigned &width) {
    width = bytesOf(from);
    return isExact ? context.source(operand, from, ref)
                   : context.wideSource(operand, from, ref, width);
  };

  if (isPacked(to) || isPacked(from)) {
    bool fromSingle = from == Type::F32;
    if (!isPacked(to) || !(isPacked(from) || fromSingle) || integral >= 0)
      return context.unsupported();
    Ref d, a, b = 0;
    unsigned toWidth, fromWidth, secondWidth = 4;
    if (!context.count(fromSingle ? 3 : 2, fromSingle ? 3 : 2) ||
        !resultOf(operands[0], d, toWidth) ||
        !argumentOf(operands[1], a, fromWidth) ||
        (fromSingle && !argumentOf(operands[2], b, secondWidth)))
      return false;
    Handler fast =
        fromSingle && toWidth == 4 && fromWidth == 4 && secondWidth == 4
            ? context.table.convert(to, from, rounding, flags)
            : nullptr;
    std::vector<Ref> refs{d, a};
    if (fromSingle)
      refs.push_back(b);
    // Conversions to fp8 saturate whether it is written or not.
    if (bytesOf(to) == 2)
      flags |= FlagSatFinite;
    Inst &inst =
        context.emit(fast ? fast : convertPackedHandler(), refs, Flow::Next);
    inst.a = flags;
    inst.b = uint8_t(rounding);
    inst.c = uint8_t(to);
    inst.d = uint8_t(from);
    inst.imm = toWidth | fromWidth << 8 | secondWidth << 16;
    return true;
  }

  auto isByteFloat = [](Type t) { return t == Type::E4M3 || t == Type::E5M2; };
  if (isByteFloat(to) || isByteFloat(from))
    return context.unsupported();
  // cvt.tf32 has destinations of .b32.
  Ref d, a;
  unsigned toWidth, fromWidth;
  if (!context.count(2, 2) || !resultOf(operands[0], d, toWidth) ||
      !argumentOf(operands[1], a, fromWidth))
    return false;
  Rounding effective = rounding;
  if (integral >= 0) {
    if (!fromFloat)
      return context.unsupported();
    effective = integralModes[integral];
  } else if (fromFloat && !toFloat) {
    if (rounding != Rounding::None)
      effective = rounding;
    else
      return context.unsupported();
  } else if (rounding == Rounding::None) {
    effective = Rounding::Nearest;
  }
  Handler fast = nullptr;
  bool natural = toWidth == bytesOf(to) && fromWidth == bytesOf(from);
  if (natural && !(integral >= 0 && toFloat))
    fast = context.table.convert(to, from, effective, flags);
  Inst &inst = context.emit(fast ? fast : convertAnyHandler(), {d, a});
  inst.a = flags;
  inst.b = uint8_t(effective) | (integral >= 0 && toFloat ? 0x80 : 0);
  inst.c = uint8_t(to);
  inst.d = uint8_t(from);
  inst.imm = toWidth | fromWidth << 8;
  return true;
}

bool fusion::emulator::decodeMove(DecodeContext &context,
                                  Modifiers &modifiers) {
  Type type = modifiers.takeType();
  if (!isMemoryType(type) || bytesOf(type) == 1) {
    if (type != Type::Pred)
      return context.unsupported();
  }
  if (!context.count(2, 2))
    return false;
  const Operand &to = context.instruction->operands[0];
  const Operand &from = context.instruction->operands[1];
  // A special register of four elements, as early PTX has them.
  if (from.kind == Operand::Kind::Special && modifiers.take("v4")) {
    if (to.kind != Operand::Kind::Vector || to.elements.size() != 4)
      return context.unsupported();
    for (unsigned i = 0; i < 4; ++i) {
      Ref d, a;
      if (!context.specialSource(std::string(from.name) + "." + "xyzw"[i], type,
                                 a) ||
          !context.destination(to.elements[i], type, d))
        return false;
      Inst &inst = context.emit(context.table.integer(IntOp::Mov, type), {d, a},
                                i ? Flow::Hidden : Flow::Next);
      if (i && context.instruction->guard != kNone) {
        inst.guard = context.slots[context.instruction->guard];
        inst.guardFlip = context.instruction->guardNegated ? ~0u : 0;
      }
    }
    return true;
  }
  if (type == Type::Pred) {
    Ref d, a;
    if (!context.destination(to, type, d) || !context.source(from, type, a))
      return false;
    context.emit(predicateHandler(IntOp::Mov), {d, a});
    return true;
  }
  auto elementType = [](unsigned bytes) {
    return bytes == 1   ? Type::B8
           : bytes == 2 ? Type::B16
           : bytes == 4 ? Type::B32
           : bytes == 8 ? Type::B64
                        : Type::None;
  };
  unsigned bytes = bytesOf(type);
  if (from.kind == Operand::Kind::Vector) {
    size_t n = from.elements.size();
    Type element = n ? elementType(unsigned(bytes / n)) : Type::None;
    if (n < 2 || n > 8 || bytes % n || element == Type::None)
      return context.fail("a vector that does not fill '" +
                          std::string(context.instruction->opcode) + "'");
    std::vector<Ref> refs(n + 1);
    if (!context.destination(to, type, refs[0]))
      return false;
    for (size_t i = 0; i < n; ++i)
      if (!context.source(from.elements[i], element, refs[i + 1]))
        return false;
    Inst &inst = context.emit(packHandler(), refs, Flow::Next);
    inst.a = uint8_t(n);
    inst.b = uint8_t(bytes / n);
    return true;
  }
  if (to.kind == Operand::Kind::Vector) {
    size_t n = to.elements.size();
    Type element = n ? elementType(unsigned(bytes / n)) : Type::None;
    if (n < 2 || n > 8 || bytes % n || element == Type::None)
      return context.fail("a vector that does not fill '" +
                          std::string(context.instruction->opcode) + "'");
    std::vector<Ref> refs(n + 1);
    for (size_t i = 0; i < n; ++i)
      if (!context.destination(to.elements[i], element, refs[i]))
        return false;
    if (!context.source(from, type, refs[n]))
      return false;
    Inst &inst = context.emit(unpackHandler(), refs, Flow::Next);
    inst.a = uint8_t(n);
    inst.b = uint8_t(bytes / n);
    return true;
  }
  Ref d, a;
  if (!context.destination(to, type, d))
    return false;
  if (!context.source(from, type, a))
    return false;
  context.emit(context.table.integer(IntOp::Mov, type), {d, a});
  return true;
}
