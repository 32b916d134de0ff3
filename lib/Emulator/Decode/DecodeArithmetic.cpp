//===- DecodeArithmetic.cpp - Decoding of arithmetic ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeArithmetic.h"

#include "Emulator/Execute/HandlersConvert.h"
#include "Emulator/Execute/HandlersDirected.h"
#include "Emulator/Execute/HandlersMisc.h"

#include <algorithm>

using namespace fusion::emulator;

/// Whether the instruction has the roundings and flags that it must, and none
/// that it cannot have (PTX ISA, "Floating Point Instructions"; ptxas).
static bool hasFloatModifiers(const DecodeContext &context, FloatOp op,
                              Type type) {
  auto has = [&](std::string_view text) {
    const auto &list = context.instruction->modifiers;
    return std::find(list.begin(), list.end(), text) != list.end();
  };
  bool rounds = has("rn") || has("rz") || has("rm") || has("rp");
  bool approximate = has("approx"), full = has("full");
  bool isSingle = type == Type::F32, isDouble = type == Type::F64;
  bool isBfloat = type == Type::BF16 || type == Type::BF16x2;
  bool sums = false, compares = false, flushesDoubles = false, good;
  switch (op) {
  case FloatOp::Add:
  case FloatOp::Sub:
  case FloatOp::Mul:
    sums = true;
    good = !approximate && !full;
    break;
  case FloatOp::Fma:
    sums = true;
    good = rounds && !approximate && !full;
    break;
  case FloatOp::Div:
    good = unsigned(rounds) + approximate + full == 1 && (isSingle || rounds);
    break;
  case FloatOp::Sqrt:
    good = rounds != approximate && !full && (isSingle || rounds);
    break;
  case FloatOp::Rcp:
    flushesDoubles = isDouble;
    good = rounds != approximate && !full &&
           (!isDouble || !approximate || has("ftz"));
    break;
  case FloatOp::Rsqrt:
  case FloatOp::Sin:
  case FloatOp::Cos:
  case FloatOp::Lg2:
  case FloatOp::Ex2:
  case FloatOp::Tanh:
    flushesDoubles = isDouble;
    good = approximate && !rounds && !full &&
           (op != FloatOp::Tanh || !has("ftz")) &&
           (op != FloatOp::Ex2 || isSingle || has("ftz") == isBfloat);
    break;
  default:
    compares = op != FloatOp::Abs && op != FloatOp::Neg;
    good = !rounds && !approximate && !full;
    break;
  }
  if (has("sat"))
    good &= sums && !isDouble && !isBfloat;
  if (has("ftz"))
    good &= (!isDouble || flushesDoubles) && (!isBfloat || op == FloatOp::Ex2);
  if (has("NaN") || has("xorsign"))
    good &= compares && !isDouble;
  if (has("relu"))
    good &= op == FloatOp::Fma && !isSingle && !isDouble;
  return good;
}

/// One floating-point instruction of `arity` sources.
static bool decodeFloat(DecodeContext &context, FloatOp op, unsigned arity,
                        Modifiers &modifiers, Type type) {
  if (!hasFloatModifiers(context, op, type))
    return context.unsupported();
  Rounding rounding = modifiers.takeRounding();
  bool approximate = modifiers.take("approx") || modifiers.take("full");
  modifiers.take("noftz");
  uint8_t flags = modifiers.takeFloatFlags();
  bool isHalf = type == Type::F16 || type == Type::F16x2 ||
                type == Type::BF16 || type == Type::BF16x2;
  if (isHalf && op == FloatOp::Fma && modifiers.take("oob"))
    flags |= FlagOob;
  // Mixed precision: what comes before the last operand is narrow.
  Type narrow = Type::None;
  if (type == Type::F32 &&
      (op == FloatOp::Add || op == FloatOp::Sub || op == FloatOp::Fma)) {
    narrow = modifiers.takeType();
    if (narrow != Type::None && narrow != Type::F16 && narrow != Type::BF16)
      return context.unsupported();
  }
  if (!context.count(arity + 1, arity + 1))
    return false;
  std::vector<Ref> refs(arity + 1);
  if (!context.destination(context.instruction->operands[0], type, refs[0]))
    return false;
  for (unsigned i = 1; i <= arity; ++i) {
    bool isNarrow = narrow != Type::None && i < arity;
    if (!context.source(context.instruction->operands[i],
                        isNarrow ? narrow : type, refs[i]))
      return false;
    if (!isNarrow)
      continue;
    // Converted exactly, in a place of its own.
    Ref wide = context.scratch(128);
    Inst &convert =
        context.emit(convertAnyHandler(), {wide, refs[i]}, Flow::Hidden);
    convert.a = 0;
    convert.b = uint8_t(Rounding::Nearest);
    convert.c = uint8_t(type);
    convert.d = uint8_t(narrow);
    convert.imm = bytesOf(type) | bytesOf(narrow) << 8;
    refs[i] = wide;
  }
  Handler handler;
  bool directed = rounding != Rounding::None && rounding != Rounding::Nearest;
  if (directed && (approximate || rounding == Rounding::Away))
    return context.unsupported();
  if (directed)
    handler = directedHandler(op, type);
  else
    handler = context.table.floating(op, type, flags);
  if (!handler)
    return context.unsupported();
  Inst &inst = context.emit(handler, refs, Flow::Next);
  inst.a = flags;
  inst.b = uint8_t(rounding);
  return true;
}

/// Instructions that exist for integers and floating-point numbers.
static bool decodeTestProperty(DecodeContext &context, Modifiers &modifiers,
                               Type type) {
  int kind = modifiers.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Ref p, a;
  if (kind < 0 || (type != Type::F32 && type != Type::F64))
    return context.unsupported();
  if (!context.count(2, 2) ||
      !context.destination(context.instruction->operands[0], Type::Pred, p) ||
      !context.source(context.instruction->operands[1], type, a))
    return false;
  Inst &inst = context.emit(testpHandler(), {p, a});
  inst.a = uint8_t(kind);
  inst.b = uint8_t(bytesOf(type));
  return true;
}

/// Decodes arithmetic on floating-point numbers, one or two in a register.
static bool decodeFloats(DecodeContext &context, std::string_view root,
                         Modifiers &modifiers, Type type) {
  static const std::unordered_map<std::string_view,
                                  std::pair<FloatOp, unsigned>>
      operations = {
          {"add", {FloatOp::Add, 2}},          {"sub", {FloatOp::Sub, 2}},
          {"mul", {FloatOp::Mul, 2}},          {"fma", {FloatOp::Fma, 3}},
          {"mad", {FloatOp::Fma, 3}},          {"div", {FloatOp::Div, 2}},
          {"abs", {FloatOp::Abs, 1}},          {"neg", {FloatOp::Neg, 1}},
          {"min", {FloatOp::Min, 2}},          {"max", {FloatOp::Max, 2}},
          {"sqrt", {FloatOp::Sqrt, 1}},        {"rcp", {FloatOp::Rcp, 1}},
          {"rsqrt", {FloatOp::Rsqrt, 1}},      {"sin", {FloatOp::Sin, 1}},
          {"cos", {FloatOp::Cos, 1}},          {"lg2", {FloatOp::Lg2, 1}},
          {"ex2", {FloatOp::Ex2, 1}},          {"tanh", {FloatOp::Tanh, 1}},
          {"copysign", {FloatOp::Copysign, 2}}};
  auto it = operations.find(root);
  if (it == operations.end())
    return context.unsupported();
  auto [op, arity] = it->second;
  bool three = (op == FloatOp::Min || op == FloatOp::Max) &&
               context.instruction->operands.size() == 4;
  if (three)
    return decodeFloat(context,
                       op == FloatOp::Min ? FloatOp::Min3 : FloatOp::Max3, 3,
                       modifiers, type);
  return decodeFloat(context, op, arity, modifiers, type);
}

static bool decodeIntegers(DecodeContext &context, std::string_view root,
                           Modifiers &modifiers, Type type) {
  bool hi = modifiers.take("hi"), lo = modifiers.take("lo"),
       wide = modifiers.take("wide"), sat = modifiers.take("sat"),
       cc = modifiers.take("cc"), relu = modifiers.take("relu");
  IntOp op;
  unsigned arity = 2;
  if (root == "add")
    op = cc ? IntOp::AddCC : sat ? IntOp::AddSat : IntOp::Add;
  else if (root == "sub")
    op = cc ? IntOp::SubCC : sat ? IntOp::SubSat : IntOp::Sub;
  else if (root == "mul")
    op = hi ? IntOp::MulHi : wide ? IntOp::MulWide : IntOp::Mul;
  else if (root == "mad") {
    op = cc     ? (hi ? IntOp::MadHiCC : IntOp::MadCC)
         : sat  ? IntOp::MadHiSat
         : hi   ? IntOp::MadHi
         : wide ? IntOp::MadWide
                : IntOp::Mad;
    arity = 3;
  } else if (root == "div")
    op = IntOp::Div;
  else if (root == "rem")
    op = IntOp::Rem;
  else if (root == "abs" || root == "neg") {
    op = root == "abs" ? IntOp::Abs : IntOp::Neg;
    arity = 1;
    if (!isSigned(type))
      return context.unsupported();
  } else if (root == "min" || root == "max") {
    bool isMin = root == "min",
         three = context.instruction->operands.size() == 4;
    arity = three ? 3 : 2;
    op = three  ? (isMin ? IntOp::Min3 : IntOp::Max3)
         : relu ? (isMin ? IntOp::ReluMin : IntOp::ReluMax)
                : (isMin ? IntOp::Min : IntOp::Max);
    relu = false;
  } else {
    return context.unsupported();
  }
  bool product = root == "mul" || root == "mad";
  if (product != (hi || lo || wide) || relu ||
      (sat && (type != Type::S32 || (root == "mad" && !hi) ||
               product != (root == "mad"))) ||
      (cc && root != "add" && root != "sub" && root != "mad"))
    return context.unsupported();
  bool bitsOnly = type == Type::B16 || type == Type::B32 || type == Type::B64;
  if (bitsOnly && !cc)
    return context.unsupported();
  if (!context.count(arity + 1, arity + 1))
    return false;
  Handler handler = context.table.integer(op, type);
  if (!handler)
    return context.unsupported();
  Type result = type;
  if (wide)
    result = type == Type::U16   ? Type::U32
             : type == Type::S16 ? Type::S32
             : type == Type::U32 ? Type::U64
                                 : Type::S64;
  std::vector<Ref> refs(arity + 1);
  if (!context.destination(context.instruction->operands[0], result, refs[0]))
    return false;
  for (unsigned i = 1; i <= arity; ++i)
    if (!context.source(context.instruction->operands[i],
                        i == 3 ? result : type, refs[i]))
      return false;
  context.emit(handler, refs, Flow::Next);
  return true;
}

bool fusion::emulator::decodeArithmetic(DecodeContext &context,
                                        std::string_view root,
                                        Modifiers &modifiers) {
  Type type = modifiers.takeType();
  if (type == Type::None || type == Type::TF32)
    return context.unsupported();
  if (root == "testp")
    return decodeTestProperty(context, modifiers, type);
  return isFloatLike(type) ? decodeFloats(context, root, modifiers, type)
                           : decodeIntegers(context, root, modifiers, type);
}
