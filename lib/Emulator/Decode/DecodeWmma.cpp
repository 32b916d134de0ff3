//===- DecodeWmma.cpp - Decoding of wmma ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeWmma.h"

#include "Emulator/Execute/HandlersWmma.h"

using namespace fusion::emulator;

static WmmaShape takeShape(Modifiers &modifiers) {
  static const struct {
    std::string_view name;
    WmmaShape shape;
  } shapes[] = {{"m16n16k16", {16, 16, 16}}, {"m32n8k16", {32, 8, 16}},
                {"m8n32k16", {8, 32, 16}},   {"m16n16k8", {16, 16, 8}},
                {"m8n8k4", {8, 8, 4}},       {"m8n8k32", {8, 8, 32}},
                {"m8n8k128", {8, 8, 128}}};
  for (const auto &candidate : shapes)
    if (modifiers.take(candidate.name))
      return candidate.shape;
  return {};
}

/// Returns the elements of a register, for types smaller than a byte; else 1.
static unsigned elementsPerWord(Type type) {
  return type == Type::U4 || type == Type::S4 ? 8 : type == Type::B1 ? 32 : 1;
}

/// Returns the type of a fragment's register as ptxas checks it: wmma.load
/// knows bf16 and tf32, wmma.mma takes them for f16.
static Type registerType(Type type, bool isAccess) {
  switch (type) {
  case Type::F64:
    return Type::B64;
  case Type::F16:
    return Type::F16x2;
  case Type::BF16:
    return isAccess ? Type::BF16x2 : Type::F16x2;
  case Type::TF32:
    return isAccess ? Type::TF32 : Type::F16x2;
  case Type::F32:
    return Type::F32;
  case Type::U4:
  case Type::S4:
  case Type::B1:
    return isAccess ? Type::B32 : Type::S32;
  default:
    return Type::S32;
  }
}

/// Decodes wmma.load and wmma.store.
static bool decodeWmmaAccess(DecodeContext &context, bool isStore,
                             Modifiers &modifiers) {
  int matrix = modifiers.takeOneOf({"a", "b", "c", "d"});
  bool sync = modifiers.take("sync") && modifiers.take("aligned");
  int layout = modifiers.takeOneOf({"row", "col"});
  WmmaShape shape = takeShape(modifiers);
  int space = modifiers.takeOneOf({"global", "shared", "shared::cta"});
  Type type = modifiers.takeType();
  unsigned perWord = elementsPerWord(type);
  bool accumulator = matrix >= 2;
  unsigned rows = matrix == 1 ? shape.k : shape.m;
  unsigned columns = matrix == 0 ? shape.k : shape.n;
  if (perWord > 1) {
    // 32-bit words of rows of A and of columns of B: both have 8 of them, along
    // k.
    if (accumulator || shape.k != 4 * perWord || layout != matrix)
      return context.unsupported();
    type = Type::B32;
    rows = 8;
    columns = 4;
    layout = 0;
  } else if (shape.k > 16 && !accumulator) {
    return context.unsupported();
  }
  if (!sync || matrix < 0 || layout < 0 || !shape.m || !bytesOf(type) ||
      isStore != (matrix == 3))
    return context.unsupported();
  unsigned registers = wmmaRegisters(type, rows * columns, accumulator);
  if (!context.count(2, 3))
    return false;
  const auto &operands = context.instruction->operands;
  std::vector<Ref> refs;
  if (!context.fragment(operands[isStore ? 1 : 0],
                        perWord > 1 ? Type::B32 : registerType(type, true),
                        registers, !isStore, refs))
    return false;
  Ref address, stride = context.constant(layout == 0 ? columns : rows, 4);
  unsigned width;
  int64_t offset;
  if (!context.address(operands[isStore ? 0 : 1], address, width, offset))
    return false;
  if (operands.size() == 3 && !context.source(operands[2], Type::U32, stride))
    return false;
  if (operands.size() == 3 && perWord > 1) {
    Ref words = context.scratch(128);
    context.emit(context.table.integer(IntOp::Shr, Type::U32),
                 {words, stride, context.constant(perWord == 8 ? 3 : 5, 4)},
                 Flow::Hidden);
    stride = words;
  }
  refs.push_back(address);
  refs.push_back(stride);
  Inst &inst = context.emit(isStore ? wmmaStoreHandler() : wmmaLoadHandler(),
                            refs, Flow::WarpAligned);
  inst.imm = offset;
  inst.imm2 = int64_t(columns << 8 | unsigned(layout));
  inst.a = uint8_t(bytesOf(type));
  inst.b = uint8_t(rows * columns / kLanes);
  inst.c = uint8_t(width);
  inst.d = uint8_t(space < 0    ? Space::Generic
                   : space == 0 ? Space::Global
                                : Space::Shared);
  inst.e = uint8_t(registers);
  return true;
}

bool fusion::emulator::decodeWmma(DecodeContext &context, std::string_view,
                                  Modifiers &modifiers) {
  if (modifiers.take("load"))
    return decodeWmmaAccess(context, false, modifiers);
  if (modifiers.take("store"))
    return decodeWmmaAccess(context, true, modifiers);
  if (!modifiers.take("mma"))
    return context.unsupported();
  MmaSpec spec;
  if (modifiers.take("popc"))
    spec.bitOp = MmaSpec::BitOp(modifiers.takeOneOf({"and", "xor"}) + 1);
  bool sync = modifiers.take("sync") && modifiers.take("aligned");
  // The layouts only matter to wmma.load; fragments are the same for all of
  // them.
  int layouts = 0;
  while (modifiers.takeOneOf({"row", "col"}) >= 0)
    ++layouts;
  WmmaShape shape = takeShape(modifiers);
  spec.satfinite = modifiers.take("satfinite");
  Rounding rounding = modifiers.takeRounding();
  Type types[4] = {Type::None, Type::None, Type::None, Type::None};
  unsigned given = 0;
  while (given < 4 && (types[given] = modifiers.takeType()) != Type::None)
    ++given;
  spec.m = shape.m;
  spec.n = shape.n;
  spec.k = shape.k;
  spec.result = types[0];
  if (given == 2) { // .dtype.ctype: f16 operands
    spec.a = spec.b = Type::F16;
    spec.accumulator = types[1];
  } else {
    spec.a = types[1];
    spec.b = types[2];
    spec.accumulator = types[3];
  }
  // Fragments of small elements are those of mma.sync.
  bool isSmall = elementsPerWord(spec.a) > 1;
  Handler handler =
      sync && layouts == 2 && shape.m && (given == 2 || given == 4)
          ? (isSmall ? context.table.mma(spec) : context.table.wmma(spec))
          : nullptr;
  if (!handler || (rounding != Rounding::None && spec.a != Type::F64))
    return context.unsupported();
  if (!context.count(4, 4))
    return false;
  const auto &operands = context.instruction->operands;
  std::vector<Ref> refs;
  unsigned m = spec.m, n = spec.n, k = spec.k;
  if (!context.fragment(operands[0], registerType(spec.result, false),
                        wmmaRegisters(spec.result, m * n, true), true, refs))
    return false;
  int64_t a = int64_t(refs.size());
  if (!context.fragment(operands[1], registerType(spec.a, false),
                        wmmaRegisters(spec.a, m * k, false), false, refs))
    return false;
  int64_t b = int64_t(refs.size());
  if (!context.fragment(operands[2], registerType(spec.b, false),
                        wmmaRegisters(spec.b, k * n, false), false, refs))
    return false;
  int64_t c = int64_t(refs.size());
  if (!context.fragment(operands[3], registerType(spec.accumulator, false),
                        wmmaRegisters(spec.accumulator, m * n, true), false,
                        refs))
    return false;
  Inst &inst = context.emit(handler, refs, Flow::WarpAligned);
  if (isSmall) {
    inst.a = spec.satfinite;
    return true;
  }
  inst.a = uint8_t(m);
  inst.b = uint8_t(n);
  inst.c = uint8_t(k);
  inst.d = spec.satfinite;
  inst.e = uint8_t(rounding);
  inst.imm = a | b << 16;
  inst.imm2 = c;
  return true;
}
