//===- DecodeArithmetic.cpp - Decoding of arithmetic ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

using namespace fusion::emulator;

static uint8_t takeFlags(Modifiers &modifiers) {
  uint8_t flags = 0;
  if (modifiers.take("ftz"))
    flags |= FlagFtz;
  if (modifiers.take("sat"))
    flags |= FlagSat;
  if (modifiers.take("NaN"))
    flags |= FlagNaN;
  if (modifiers.take("xorsign")) {
    if (modifiers.take("abs"))
      flags |= FlagXorSign;
  }
  if (modifiers.take("relu"))
    flags |= FlagRelu;
  return flags;
}

/// One floating-point instruction of `arity` sources.
bool Decoder::decodeFloat(FloatOp op, unsigned arity, Modifiers &modifiers,
                          Type type, bool exact) {
  Rounding rounding = modifiers.takeRounding();
  bool approximate = modifiers.take("approx") || modifiers.take("full");
  modifiers.take("noftz");
  uint8_t flags = takeFlags(modifiers);
  (void)exact;
  if (!count(arity + 1, arity + 1))
    return false;
  std::vector<Ref> refs(arity + 1);
  if (!destination(instruction->operands[0], type, refs[0]))
    return false;
  for (unsigned i = 1; i <= arity; ++i)
    if (!source(instruction->operands[i], type, refs[i]))
      return false;
  Handler handler;
  bool directed = rounding != Rounding::None && rounding != Rounding::Nearest;
  if (directed && (approximate || rounding == Rounding::Away))
    return unsupported();
  if (directed)
    handler = directedHandler(op, type);
  else
    handler = table.floating(op, type, flags);
  if (!handler)
    return unsupported();
  Inst &inst = emit(handler, refs, Flow::Next);
  inst.a = flags;
  inst.b = uint8_t(rounding);
  return true;
}

static bool isFloatLike(Type type) {
  return isFloat(type) || type == Type::F16x2 || type == Type::BF16x2 ||
         type == Type::F32x2;
}

/// Instructions that exist for integers and floating-point numbers.
bool Decoder::decodeArithmetic(std::string_view root, Modifiers &modifiers) {
  Type type = modifiers.takeType();
  if (type == Type::None || type == Type::TF32)
    return unsupported();
  if (root == "testp") {
    int kind = modifiers.takeOneOf({"finite", "infinite", "number",
                                    "notanumber", "normal", "subnormal"});
    Ref p, a;
    if (kind < 0 || (type != Type::F32 && type != Type::F64))
      return unsupported();
    if (!count(2, 2) ||
        !destination(instruction->operands[0], Type::Pred, p) ||
        !source(instruction->operands[1], type, a))
      return false;
    Inst &inst = emit(testpHandler(), {p, a});
    inst.a = uint8_t(kind);
    inst.b = uint8_t(bytesOf(type));
    return true;
  }
  if (isFloatLike(type)) {
    static const std::unordered_map<std::string_view,
                                    std::pair<FloatOp, unsigned>>
        operations = {{"add", {FloatOp::Add, 2}}, {"sub", {FloatOp::Sub, 2}},
                      {"mul", {FloatOp::Mul, 2}}, {"fma", {FloatOp::Fma, 3}},
                      {"mad", {FloatOp::Fma, 3}}, {"div", {FloatOp::Div, 2}},
                      {"abs", {FloatOp::Abs, 1}}, {"neg", {FloatOp::Neg, 1}},
                      {"min", {FloatOp::Min, 2}}, {"max", {FloatOp::Max, 2}},
                      {"sqrt", {FloatOp::Sqrt, 1}},
                      {"rcp", {FloatOp::Rcp, 1}},
                      {"rsqrt", {FloatOp::Rsqrt, 1}},
                      {"sin", {FloatOp::Sin, 1}}, {"cos", {FloatOp::Cos, 1}},
                      {"lg2", {FloatOp::Lg2, 1}}, {"ex2", {FloatOp::Ex2, 1}},
                      {"tanh", {FloatOp::Tanh, 1}},
                      {"copysign", {FloatOp::Copysign, 2}}};
    auto it = operations.find(root);
    if (it == operations.end())
      return unsupported();
    auto [op, arity] = it->second;
    bool three = (op == FloatOp::Min || op == FloatOp::Max) &&
                 instruction->operands.size() == 4;
    if (three)
      return decodeFloat(op == FloatOp::Min ? FloatOp::Min3 : FloatOp::Max3, 3,
                         modifiers, type, true);
    return decodeFloat(op, arity, modifiers, type, true);
  }

  // Integers.
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
    op = cc    ? (hi ? IntOp::MadHiCC : IntOp::MadCC)
         : sat ? IntOp::MadHiSat
         : hi  ? IntOp::MadHi
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
      return unsupported();
  } else if (root == "min" || root == "max") {
    bool isMin = root == "min", three = instruction->operands.size() == 4;
    arity = three ? 3 : 2;
    op = three ? (isMin ? IntOp::Min3 : IntOp::Max3)
         : relu ? (isMin ? IntOp::ReluMin : IntOp::ReluMax)
                : (isMin ? IntOp::Min : IntOp::Max);
    relu = false;
  } else {
    return unsupported();
  }
  bool product = root == "mul" || root == "mad";
  if (product != (hi || lo || wide) || relu ||
      (sat && (type != Type::S32 || (root == "mad" && !hi) || product != (root == "mad"))) ||
      (cc && root != "add" && root != "sub" && root != "mad"))
    return unsupported();
  bool bitsOnly = type == Type::B16 || type == Type::B32 || type == Type::B64;
  if (bitsOnly && !cc)
    return unsupported();
  if (!count(arity + 1, arity + 1))
    return false;
  Handler handler = table.integer(op, type);
  if (!handler)
    return unsupported();
  Type result = type;
  if (wide)
    result = type == Type::U16   ? Type::U32
             : type == Type::S16 ? Type::S32
             : type == Type::U32 ? Type::U64
                                 : Type::S64;
  std::vector<Ref> refs(arity + 1);
  if (!destination(instruction->operands[0], result, refs[0]))
    return false;
  for (unsigned i = 1; i <= arity; ++i)
    if (!source(instruction->operands[i], i == 3 ? result : type, refs[i]))
      return false;
  emit(handler, refs, Flow::Next);
  return true;
}

bool Decoder::decodeInteger(std::string_view root, Modifiers &modifiers) {
  const auto &operands = instruction->operands;
  if (root == "prmt") {
    int mode = modifiers.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    Type type = modifiers.takeType();
    std::vector<Ref> refs(4);
    if (type != Type::B32 || !count(4, 4) ||
        !destination(operands[0], type, refs[0]))
      return false;
    for (unsigned i = 1; i < 4; ++i)
      if (!source(operands[i], Type::B32, refs[i]))
        return false;
    emit(table.integer(IntOp::Prmt, type), refs, Flow::Next).a =
        uint8_t(mode + 1);
    return true;
  }
  if (root == "lop3") {
    int combine = modifiers.takeOneOf({"and", "or"});
    Type type = modifiers.takeType();
    bool hasPredicate = combine >= 0;
    if (type != Type::B32 || !count(hasPredicate ? 6 : 5, hasPredicate ? 6 : 5))
      return false;
    const Operand *d = &operands[0];
    Ref p = scratchRef;
    if (hasPredicate) {
      if (d->kind != Operand::Kind::Pair ||
          !destination(d->elements[1], Type::Pred, p))
        return false;
      d = &d->elements[0];
    }
    std::vector<Ref> refs(4);
    if (operands[4].kind != Operand::Kind::Integer || operands[4].value > 255)
      return fail("the table of lop3 is an integer from 0 to 255");
    for (unsigned i = 1; i < 4; ++i)
      if (!source(operands[i], Type::B32, refs[i]))
        return false;
    if (!destination(*d, type, refs[0]))
      return false;
    if (hasPredicate) {
      // p = (d != 0) op q; d may be a sink, so it goes through a temporary.
      Ref q, value = scratch(128), final = refs[0];
      if (!predicateValue(operands[5], q))
        return false;
      refs[0] = value;
      emit(table.integer(IntOp::Lop3, type), refs, Flow::Hidden).imm =
          int64_t(operands[4].value);
      emit(table.integer(IntOp::Mov, type), {final, value});
      CompareSpec spec{Type::B32, Compare::Ne};
      Inst &test = emit(table.compare(spec),
                        {p, scratch(4), value, constant(0, 4), q});
      test.a = uint8_t(combine == 0 ? Combine::And : Combine::Or);
      return true;
    }
    emit(table.integer(IntOp::Lop3, type), refs, Flow::Next).imm =
        int64_t(operands[4].value);
    return true;
  }
  if (root == "shf") {
    int direction = modifiers.takeOneOf({"l", "r"});
    int mode = modifiers.takeOneOf({"clamp", "wrap"});
    Type type = modifiers.takeType();
    std::vector<Ref> refs(4);
    if (direction < 0 || mode < 0 || type != Type::B32 || !count(4, 4) ||
        !destination(operands[0], type, refs[0]))
      return false;
    for (unsigned i = 1; i < 4; ++i)
      if (!source(operands[i], Type::B32, refs[i]))
        return false;
    emit(table.integer(direction ? IntOp::ShfR : IntOp::ShfL, type), refs,
         Flow::Next)
        .a = mode == 0;
    return true;
  }
  if (root == "dp4a" || root == "dp2a") {
    bool four = root == "dp4a";
    int half = four ? 0 : modifiers.takeOneOf({"lo", "hi"});
    Type a = modifiers.takeType(), b = modifiers.takeType();
    auto is32 = [](Type t) { return t == Type::U32 || t == Type::S32; };
    std::vector<Ref> refs(4);
    if (half < 0 || !is32(a) || !is32(b) || !count(4, 4) ||
        !destination(operands[0], Type::B32, refs[0]))
      return false;
    for (unsigned i = 1; i < 4; ++i)
      if (!source(operands[i], Type::B32, refs[i]))
        return false;
    Inst &inst =
        emit(table.integer(four ? IntOp::Dp4a : IntOp::Dp2a, Type::B32), refs,
             Flow::Next);
    inst.a = a == Type::S32;
    inst.b = b == Type::S32;
    inst.c = uint8_t(half);
    return true;
  }
  if (root == "bmsk" || root == "szext") {
    int mode = modifiers.takeOneOf({"clamp", "wrap"});
    Type type = modifiers.takeType();
    std::vector<Ref> refs(3);
    bool mask = root == "bmsk";
    if (mode < 0 || bytesOf(type) != 4 || !count(3, 3) ||
        !destination(operands[0], type, refs[0]) ||
        !source(operands[1], type, refs[1]) ||
        !source(operands[2], Type::U32, refs[2]))
      return false;
    Type variant = mask        ? (mode == 0 ? Type::U32 : Type::B32)
                   : mode == 0 ? type
                   : type == Type::S32 ? Type::S64
                                       : Type::U64;
    Handler handler =
        table.integer(mask ? IntOp::Bmsk : IntOp::Szext, variant);
    if (!handler)
      return false;
    emit(handler, refs, Flow::Next);
    return true;
  }
  if (root == "addc" || root == "subc" || root == "madc") {
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
    unsigned arity = mad ? 3 : 2;
    Handler handler = table.integer(op, type);
    std::vector<Ref> refs(arity + 1);
    if (!handler || !count(arity + 1, arity + 1) ||
        !destination(operands[0], type, refs[0]))
      return false;
    for (unsigned i = 1; i <= arity; ++i)
      if (!source(operands[i], type, refs[i]))
        return false;
    emit(handler, refs, Flow::Next);
    return true;
  }
  if (root == "fns") {
    Type type = modifiers.takeType();
    std::vector<Ref> refs(4);
    if (type != Type::B32 || !count(4, 4) ||
        !destination(operands[0], type, refs[0]))
      return false;
    for (unsigned i = 1; i < 4; ++i)
      if (!source(operands[i], Type::B32, refs[i]))
        return false;
    emit(table.integer(IntOp::Fns, type), refs, Flow::Next);
    return true;
  }

  // The regular ones: types of destination and sources from a table.
  bool hi = modifiers.take("hi"), lo = modifiers.take("lo"),
       shift = modifiers.take("shiftamt");
  Type type = modifiers.takeType();
  IntOp op;
  Type result = type;
  std::vector<Type> sources{type};
  if (root == "mul24" || root == "mad24") {
    bool mad = root == "mad24";
    if (hi == lo)
      return false;
    op = mad ? (hi ? IntOp::Mad24Hi : IntOp::Mad24)
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
  Handler handler = table.integer(op, type);
  if (!handler || hi || lo || shift ||
      !count(sources.size() + 1, sources.size() + 1))
    return false;
  std::vector<Ref> refs(sources.size() + 1);
  if (!destination(operands[0], result, refs[0]))
    return false;
  for (size_t i = 0; i < sources.size(); ++i)
    if (!source(operands[i + 1], sources[i], refs[i + 1]))
      return false;
  emit(handler, refs, Flow::Next);
  return true;
}

bool Decoder::decodeLogic(std::string_view root, Modifiers &modifiers) {
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
  if (!count(operands, operands))
    return false;
  if (type == Type::Pred && shift)
    return unsupported();
  Handler handler = type == Type::Pred ? predicateHandler(op)
                    : isFloatLike(type) ? nullptr
                                        : table.integer(op, type);
  if (!handler)
    return unsupported();
  std::vector<Ref> refs(operands);
  if (!destination(instruction->operands[0], type, refs[0]))
    return false;
  for (size_t i = 1; i < operands; ++i)
    if (!source(instruction->operands[i],
                shift && i == 2 ? Type::U32 : type, refs[i]))
      return false;
  emit(handler, refs, Flow::Next);
  return true;
}

static int takeCompare(Modifiers &modifiers) {
  // lo, ls, hi and hs are the unsigned comparisons' other names.
  int index = modifiers.takeOneOf(
      {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
       "geu", "num", "nan", "lo", "ls", "hi", "hs"});
  return index < 14 ? index : index - 14 + int(Compare::Lt);
}

bool Decoder::decodeCompare(std::string_view root, Modifiers &modifiers) {
  bool isSet = root == "set";
  int compare = takeCompare(modifiers);
  int combine = modifiers.takeOneOf({"and", "or", "xor"});
  bool ftz = modifiers.take("ftz");
  Type destinationType = isSet ? modifiers.takeType() : Type::None;
  Type type = modifiers.takeType();
  if (compare < 0 || type == Type::None || type == Type::TF32)
    return unsupported();
  CompareSpec spec;
  spec.type = type == Type::F32 && ftz ? Type::TF32 : type;
  spec.compare = Compare(compare);
  spec.isSet = isSet;
  spec.destination = destinationType;
  Handler handler = table.compare(spec);
  if (!handler)
    return unsupported();
  size_t operandCount = combine >= 0 ? 4 : 3;
  if (!count(operandCount, operandCount))
    return false;
  bool packed = type == Type::F16x2 || type == Type::BF16x2;
  Ref d = scratchRef, q = scratchRef, a, b, c = scratchRef;
  uint8_t kind = 0;
  const Operand &result = instruction->operands[0];
  if (isSet) {
    switch (destinationType) {
    case Type::U32: case Type::S32: kind = packed ? 7 : 0; break;
    case Type::F32: kind = 1; break;
    case Type::F16: kind = 2; break;
    case Type::BF16: kind = 3; break;
    case Type::U16: case Type::S16: kind = 4; break;
    case Type::F16x2: kind = 5; break;
    case Type::BF16x2: kind = 6; break;
    default: return unsupported();
    }
    if (packed && kind < 5)
      return unsupported();
    if (!destination(result, destinationType, d))
      return false;
  } else if (result.kind == Operand::Kind::Pair) {
    if (!destination(result.elements[0], Type::Pred, d) ||
        !destination(result.elements[1], Type::Pred, q))
      return false;
  } else if (!destination(result, Type::Pred, d)) {
    return false;
  }
  bool negated = false;
  if (!source(instruction->operands[1], type, a) ||
      !source(instruction->operands[2], type, b) ||
      (combine >= 0 &&
       !predicateSource(instruction->operands[3], c, negated)))
    return false;
  // A predicate may be source and first destination; the second must not be
  // overwritten by what follows, hence a scratch of its own.
  if (!isSet && q == scratchRef)
    q = scratchRef + 256;
  Inst &inst = emit(handler, {d, q, a, b, c});
  inst.a = uint8_t(combine + 1);
  inst.b = negated;
  inst.c = kind;
  inst.d = uint8_t((ftz ? 1 : 0) | (packed ? 2 : 0));
  return true;
}

bool Decoder::decodeSelect(std::string_view root, Modifiers &modifiers) {
  bool ftz = modifiers.take("ftz");
  Type type = modifiers.takeType();
  if (!count(4, 4) || !bytesOf(type) || type == Type::Pred)
    return unsupported();
  Ref d, a, b, c;
  const auto &operands = instruction->operands;
  if (!destination(operands[0], type, d) || !source(operands[1], type, a) ||
      !source(operands[2], type, b))
    return false;
  if (root == "selp") {
    Handler handler = table.integer(IntOp::Select, type);
    if (ftz || !handler)
      return unsupported();
    if (!predicateValue(operands[3], c))
      return false;
    emit(handler, {d, a, b, c});
    return true;
  }
  Type key = modifiers.takeType();
  if (key != Type::S32 && key != Type::F32)
    return unsupported();
  Handler handler = table.integer(
      key == Type::F32 ? IntOp::SlctF : IntOp::Slct, type);
  if (!handler)
    return unsupported();
  if (!source(operands[3], key, c))
    return false;
  emit(handler, {d, a, b, c});
  return true;
}

static bool isPacked(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2 ||
         type == Type::E4M3x2 || type == Type::E5M2x2;
}

/// cvt.pack.sat.{u16,s16,u8,s8}.s32{.b32} d, a, b{, c}
bool Decoder::decodePack(Modifiers &modifiers) {
  bool sat = modifiers.take("sat");
  Type to = modifiers.takeType(), from = modifiers.takeType(),
       third = modifiers.takeType();
  bool narrow = bytesOf(to) == 1;
  if (!sat || from != Type::S32 || (bytesOf(to) != 2 && !narrow) ||
      isFloat(to) || third != (narrow ? Type::B32 : Type::None))
    return unsupported();
  size_t n = narrow ? 4 : 3;
  std::vector<Ref> refs(n);
  if (!count(n, n) || !destination(instruction->operands[0], Type::B32, refs[0]))
    return false;
  for (size_t i = 1; i < n; ++i)
    if (!source(instruction->operands[i], Type::B32, refs[i]))
      return false;
  emit(convertPackHandler(), refs, Flow::Next).c = uint8_t(to);
  return true;
}

bool Decoder::decodeConvert(Modifiers &modifiers) {
  if (modifiers.take("pack"))
    return decodePack(modifiers);
  int integral = modifiers.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  Rounding rounding = modifiers.takeRounding();
  uint8_t flags = takeFlags(modifiers);
  if (modifiers.take("satfinite"))
    flags |= FlagSatFinite;
  Type to = modifiers.takeType(), from = modifiers.takeType();
  const auto &operands = instruction->operands;
  if (!bytesOf(to) || !bytesOf(from) || to == Type::Pred ||
      from == Type::Pred || (flags & (FlagNaN | FlagXorSign)))
    return unsupported();
  static const Rounding integralModes[] = {Rounding::Nearest, Rounding::Zero,
                                           Rounding::Down, Rounding::Up};
  bool fromFloat = isFloat(from), toFloat = isFloat(to);

  if (isPacked(to) || isPacked(from)) {
    bool fromSingle = from == Type::F32;
    if (!isPacked(to) || !(isPacked(from) || fromSingle) || integral >= 0)
      return unsupported();
    Ref d, a, b = 0;
    unsigned toWidth, fromWidth;
    if (!count(fromSingle ? 3 : 2, fromSingle ? 3 : 2) ||
        !wideDestination(operands[0], to, d, toWidth) ||
        !wideSource(operands[1], from, a, fromWidth) ||
        (fromSingle && !source(operands[2], Type::F32, b)))
      return false;
    Handler fast = fromSingle && toWidth == 4
                       ? table.convert(to, from, rounding, flags)
                       : nullptr;
    std::vector<Ref> refs{d, a};
    if (fromSingle)
      refs.push_back(b);
    // Conversions to fp8 saturate whether it is written or not.
    if (bytesOf(to) == 2)
      flags |= FlagSatFinite;
    Inst &inst =
        emit(fast ? fast : convertPackedHandler(), refs, Flow::Next);
    inst.a = flags;
    inst.b = uint8_t(rounding);
    inst.c = uint8_t(to);
    inst.d = uint8_t(from);
    inst.e = uint8_t(toWidth | fromWidth << 4);
    return true;
  }

  auto isByteFloat = [](Type t) { return t == Type::E4M3 || t == Type::E5M2; };
  if (isByteFloat(to) || isByteFloat(from))
    return unsupported();
  // cvt.tf32 has destinations of .b32.
  Ref d, a;
  unsigned toWidth, fromWidth;
  if (!count(2, 2) || !wideDestination(operands[0], to, d, toWidth) ||
      !wideSource(operands[1], from, a, fromWidth))
    return false;
  Rounding effective = rounding;
  if (integral >= 0) {
    if (!fromFloat)
      return unsupported();
    effective = integralModes[integral];
  } else if (fromFloat && !toFloat) {
    if (rounding != Rounding::None)
      effective = rounding;
    else
      return unsupported();
  } else if (rounding == Rounding::None) {
    effective = Rounding::Nearest;
  }
  Handler fast = nullptr;
  bool natural = toWidth == bytesOf(to) && fromWidth == bytesOf(from);
  if (natural && !(integral >= 0 && toFloat))
    fast = table.convert(to, from, effective, flags);
  Inst &inst = emit(fast ? fast : convertAnyHandler(), {d, a});
  inst.a = flags;
  inst.b = uint8_t(effective) | (integral >= 0 && toFloat ? 0x80 : 0);
  inst.c = uint8_t(to);
  inst.d = uint8_t(from);
  inst.e = uint8_t(toWidth | fromWidth << 4);
  return true;
}

bool Decoder::decodeMove(Modifiers &modifiers) {
  Type type = modifiers.takeType();
  if (!bytesOf(type) || !count(2, 2))
    return unsupported();
  const Operand &to = instruction->operands[0];
  const Operand &from = instruction->operands[1];
  if (type == Type::Pred) {
    Ref d, a;
    if (!destination(to, type, d) || !source(from, type, a))
      return false;
    emit(predicateHandler(IntOp::Mov), {d, a});
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
      return fail("a vector that does not fill '" +
                  std::string(instruction->opcode) + "'");
    std::vector<Ref> refs(n + 1);
    if (!destination(to, type, refs[0]))
      return false;
    for (size_t i = 0; i < n; ++i)
      if (!source(from.elements[i], element, refs[i + 1]))
        return false;
    Inst &inst = emit(packHandler(), refs, Flow::Next);
    inst.a = uint8_t(n);
    inst.b = uint8_t(bytes / n);
    return true;
  }
  if (to.kind == Operand::Kind::Vector) {
    size_t n = to.elements.size();
    Type element = n ? elementType(unsigned(bytes / n)) : Type::None;
    if (n < 2 || n > 8 || bytes % n || element == Type::None)
      return fail("a vector that does not fill '" +
                  std::string(instruction->opcode) + "'");
    std::vector<Ref> refs(n + 1);
    for (size_t i = 0; i < n; ++i)
      if (!destination(to.elements[i], element, refs[i]))
        return false;
    if (!source(from, type, refs[n]))
      return false;
    Inst &inst = emit(unpackHandler(), refs, Flow::Next);
    inst.a = uint8_t(n);
    inst.b = uint8_t(bytes / n);
    return true;
  }
  Ref d, a;
  if (!destination(to, type, d))
    return false;
  if (from.kind == Operand::Kind::Special) {
    if (from.name == "%clock" || from.name == "%clock_hi" ||
        from.name == "%clock64" || from.name == "%globaltimer" ||
        from.name == "%globaltimer_lo" || from.name == "%globaltimer_hi") {
      if (bytes != 4 && bytes != 8)
        return unsupported();
      emit(clockHandler(), {d}).a = uint8_t(bytes);
      return true;
    }
    // 16- and 64-bit reads of the 32-bit registers.
    if (bytes != 4) {
      if (!specialByName(from.name, a))
        return fail("unknown register '" + std::string(from.name) + "'");
      Inst &inst = emit(convertAnyHandler(), {d, a});
      inst.c = uint8_t(bytes == 8 ? Type::U64 : Type::U16);
      inst.d = uint8_t(Type::U32);
      inst.e = uint8_t(bytes | 4 << 4);
      return true;
    }
  }
  if (!source(from, type, a))
    return false;
  emit(table.integer(IntOp::Mov, type), {d, a});
  return true;
}
