//===- DecodeInteger.cpp - Decoding of bits, logic and integers -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeInteger.h"

#include "Emulator/Execute/HandlersMisc.h"

using namespace fusion::emulator;

/// Takes the operands of an instruction: a destination and `sources`, by type.
static bool takeOperands(DecodeContext &context, Type destination,
                         const std::vector<Type> &sources,
                         std::vector<Ref> &refs) {
  const auto &operands = context.instruction->operands;
  refs.resize(sources.size() + 1);
  if (!context.count(refs.size(), refs.size()) ||
      !context.destination(operands[0], destination, refs[0]))
    return false;
  for (size_t i = 0; i < sources.size(); ++i)
    if (!context.source(operands[i + 1], sources[i], refs[i + 1]))
      return false;
  return true;
}

static bool decodePermute(DecodeContext &context, Modifiers &modifiers) {
  int mode = modifiers.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  Type type = modifiers.takeType();
  std::vector<Ref> refs;
  if (type != Type::B32 ||
      !takeOperands(context, type, {Type::B32, Type::B32, Type::B32}, refs))
    return false;
  context.emit(context.table.integer(IntOp::Prmt, type), refs, Flow::Next).a =
      uint8_t(mode + 1);
  return true;
}

static bool decodeLop3(DecodeContext &context, Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  int combine = modifiers.takeOneOf({"and", "or"});
  Type type = modifiers.takeType();
  bool hasPredicate = combine >= 0;
  if (type != Type::B32 ||
      !context.count(hasPredicate ? 6 : 5, hasPredicate ? 6 : 5))
    return false;
  const Operand *d = &operands[0];
  Ref p = context.scratchRef;
  if (hasPredicate) {
    if (d->kind != Operand::Kind::Pair ||
        !context.destination(d->elements[1], Type::Pred, p))
      return false;
    d = &d->elements[0];
  }
  std::vector<Ref> refs(4);
  if (operands[4].kind != Operand::Kind::Integer || operands[4].value > 255)
    return context.fail("the table of lop3 is an integer from 0 to 255");
  for (unsigned i = 1; i < 4; ++i)
    if (!context.source(operands[i], Type::B32, refs[i]))
      return false;
  if (!context.destination(*d, type, refs[0]))
    return false;
  if (!hasPredicate) {
    context.emit(context.table.integer(IntOp::Lop3, type), refs, Flow::Next)
        .imm = int64_t(operands[4].value);
    return true;
  }
  // p = (d != 0) op q; d may be a sink, so it goes through a temporary.
  Ref q, value = context.scratch(128), final = refs[0];
  if (!context.predicateValue(operands[5], q))
    return false;
  refs[0] = value;
  context.emit(context.table.integer(IntOp::Lop3, type), refs, Flow::Hidden)
      .imm = int64_t(operands[4].value);
  context.emit(context.table.integer(IntOp::Mov, type), {final, value});
  CompareSpec spec{Type::B32, Compare::Ne};
  Inst &test =
      context.emit(context.table.compare(spec),
                   {p, context.scratch(4), value, context.constant(0, 4), q});
  test.a = uint8_t(combine == 0 ? Combine::And : Combine::Or);
  return true;
}

static bool decodeFunnelShift(DecodeContext &context, Modifiers &modifiers) {
  int direction = modifiers.takeOneOf({"l", "r"});
  int mode = modifiers.takeOneOf({"clamp", "wrap"});
  Type type = modifiers.takeType();
  std::vector<Ref> refs;
  if (direction < 0 || mode < 0 || type != Type::B32 ||
      !takeOperands(context, type, {Type::B32, Type::B32, Type::U32}, refs))
    return false;
  context
      .emit(context.table.integer(direction ? IntOp::ShfR : IntOp::ShfL, type),
            refs, Flow::Next)
      .a = mode == 0;
  return true;
}

/// Decodes dp4a and dp2a.
static bool decodeDotProduct(DecodeContext &context, std::string_view root,
                             Modifiers &modifiers) {
  bool four = root == "dp4a";
  int half = four ? 0 : modifiers.takeOneOf({"lo", "hi"});
  Type a = modifiers.takeType(), b = modifiers.takeType();
  auto is32 = [](Type t) { return t == Type::U32 || t == Type::S32; };
  std::vector<Ref> refs;
  if (half < 0 || !is32(a) || !is32(b) ||
      !takeOperands(context, Type::U32, {Type::U32, Type::U32, Type::U32},
                    refs))
    return false;
  Inst &inst = context.emit(
      context.table.integer(four ? IntOp::Dp4a : IntOp::Dp2a, Type::B32), refs,
      Flow::Next);
  inst.a = a == Type::S32;
  inst.b = b == Type::S32;
  inst.c = uint8_t(half);
  return true;
}

/// Decodes bmsk and szext, which clamp or wrap a number of bits.
static bool decodeBitRange(DecodeContext &context, std::string_view root,
                           Modifiers &modifiers) {
  int mode = modifiers.takeOneOf({"clamp", "wrap"});
  Type type = modifiers.takeType();
  std::vector<Ref> refs;
  bool mask = root == "bmsk";
  if (mode < 0 || bytesOf(type) != 4 ||
      !takeOperands(context, Type::U32, {Type::U32, Type::U32}, refs))
    return false;
  Type variant = mask                ? (mode == 0 ? Type::U32 : Type::B32)
                 : mode == 0         ? type
                 : type == Type::S32 ? Type::S64
                                     : Type::U64;
  Handler handler =
      context.table.integer(mask ? IntOp::Bmsk : IntOp::Szext, variant);
  if (!handler)
    return false;
  context.emit(handler, refs, Flow::Next);
  return true;
}

/// Decodes addc, subc and madc, which read the carry of CC.CF.
static bool decodeCarry(DecodeContext &context, std::string_view root,
                        Modifiers &modifiers) {
  bool cc = modifiers.take("cc"), hi = modifiers.take("hi"),
       lo = modifiers.take("lo");
  Type type = modifiers.takeType();
  bool mad = root == "madc";
  if (mad != (hi || lo))
    return false;
  IntOp op = root == "addc"   ? (cc ? IntOp::AddCCC : IntOp::AddC)
             : root == "subc" ? (cc ? IntOp::SubCCC : IntOp::SubC)
             : hi             ? (cc ? IntOp::MadHiCCC : IntOp::MadHiC)
                              : (cc ? IntOp::MadCCC : IntOp::MadC);
  Handler handler = context.table.integer(op, type);
  std::vector<Ref> refs;
  if (!handler ||
      !takeOperands(context, type, std::vector<Type>(mad ? 3 : 2, type), refs))
    return false;
  context.emit(handler, refs, Flow::Next);
  return true;
}

static bool decodeFindSet(DecodeContext &context, Modifiers &modifiers) {
  Type type = modifiers.takeType();
  std::vector<Ref> refs;
  if (type != Type::B32 ||
      !takeOperands(context, type, {Type::B32, Type::B32, Type::B32}, refs))
    return false;
  context.emit(context.table.integer(IntOp::Fns, type), refs, Flow::Next);
  return true;
}

/// Decodes instructions whose name gives the operation and the types of their
/// sources: mul24, mad24, sad, popc, clz, bfind, brev, bfe and bfi.
static bool decodeRegular(DecodeContext &context, std::string_view root,
                          Modifiers &modifiers) {
  bool hi = modifiers.take("hi"), lo = modifiers.take("lo"),
       shift = modifiers.take("shiftamt");
  Type type = modifiers.takeType();
  IntOp op;
  Type result = type;
  std::vector<Type> sources{type};
  if (root == "mul24" || root == "mad24") {
    bool mad = root == "mad24", sat = mad && hi && modifiers.take("sat");
    if (hi == lo)
      return false;
    op = sat   ? IntOp::Mad24HiSat
         : mad ? (hi ? IntOp::Mad24Hi : IntOp::Mad24)
               : (hi ? IntOp::Mul24Hi : IntOp::Mul24);
    sources.assign(mad ? 3 : 2, type);
    hi = lo = false;
  } else if (root == "sad") {
    op = IntOp::Sad;
    sources.assign(3, type);
  } else if (root == "popc" || root == "clz" || root == "bfind") {
    op = root == "popc"  ? IntOp::Popc
         : root == "clz" ? IntOp::Clz
         : shift         ? IntOp::BfindShift
                         : IntOp::Bfind;
    if (root == "bfind")
      shift = false;
    result = Type::U32;
  } else if (root == "brev") {
    op = IntOp::Brev;
  } else if (root == "bfe") {
    op = IntOp::Bfe;
    sources = {type, Type::U32, Type::U32};
  } else {
    op = IntOp::Bfi;
    sources = {type, type, Type::U32, Type::U32};
  }
  Handler handler = context.table.integer(op, type);
  std::vector<Ref> refs;
  if (!handler || hi || lo || shift ||
      !takeOperands(context, result, sources, refs))
    return false;
  context.emit(handler, refs, Flow::Next);
  return true;
}

bool fusion::emulator::decodeInteger(DecodeContext &context,
                                     std::string_view root,
                                     Modifiers &modifiers) {
  if (root == "prmt")
    return decodePermute(context, modifiers);
  if (root == "lop3")
    return decodeLop3(context, modifiers);
  if (root == "shf")
    return decodeFunnelShift(context, modifiers);
  if (root == "dp4a" || root == "dp2a")
    return decodeDotProduct(context, root, modifiers);
  if (root == "bmsk" || root == "szext")
    return decodeBitRange(context, root, modifiers);
  if (root == "addc" || root == "subc" || root == "madc")
    return decodeCarry(context, root, modifiers);
  if (root == "fns")
    return decodeFindSet(context, modifiers);
  return decodeRegular(context, root, modifiers);
}

bool fusion::emulator::decodeLogic(DecodeContext &context,
                                   std::string_view root,
                                   Modifiers &modifiers) {
  Type type = modifiers.takeType();
  IntOp op = root == "and"    ? IntOp::And
             : root == "or"   ? IntOp::Or
             : root == "xor"  ? IntOp::Xor
             : root == "not"  ? IntOp::Not
             : root == "cnot" ? IntOp::Cnot
             : root == "shl"  ? IntOp::Shl
                              : IntOp::Shr;
  bool unary = op == IntOp::Not || op == IntOp::Cnot;
  bool shift = op == IntOp::Shl || op == IntOp::Shr;
  size_t operands = unary ? 2 : 3;
  if (!context.count(operands, operands))
    return false;
  if (type == Type::Pred && shift)
    return context.unsupported();
  Handler handler = type == Type::Pred  ? predicateHandler(op)
                    : isFloatLike(type) ? nullptr
                                        : context.table.integer(op, type);
  if (!handler)
    return context.unsupported();
  std::vector<Ref> refs(operands);
  if (!context.destination(context.instruction->operands[0], type, refs[0]))
    return false;
  for (size_t i = 1; i < operands; ++i)
    if (!context.source(context.instruction->operands[i],
                        shift && i == 2 ? Type::U32 : type, refs[i]))
      return false;
  context.emit(handler, refs, Flow::Next);
  return true;
}
