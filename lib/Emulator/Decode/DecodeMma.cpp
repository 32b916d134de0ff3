//===- DecodeMma.cpp - Decoding of mma and mma.sp -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeMma.h"

using namespace fusion::emulator;

bool fusion::emulator::decodeMma(DecodeContext &context, Modifiers &modifiers) {
  bool sync = modifiers.take("sync") && modifiers.take("aligned");
  static const struct {
    std::string_view name;
    unsigned m, n, k;
  } shapes[] = {{"m8n8k4", 8, 8, 4},      {"m8n8k16", 8, 8, 16},
                {"m8n8k32", 8, 8, 32},    {"m16n8k4", 16, 8, 4},
                {"m16n8k8", 16, 8, 8},    {"m16n8k16", 16, 8, 16},
                {"m16n8k32", 16, 8, 32},  {"m16n8k64", 16, 8, 64},
                {"m8n8k128", 8, 8, 128},  {"m16n8k128", 16, 8, 128},
                {"m16n8k256", 16, 8, 256}};
  MmaSpec spec;
  int sparse = modifiers.takeOneOf({"sp", "sp::ordered_metadata"});
  spec.isSparse = sparse >= 0;
  for (const auto &shape : shapes)
    if (modifiers.take(shape.name)) {
      spec.m = shape.m;
      spec.n = shape.n;
      spec.k = shape.k;
    }
  int layoutA = modifiers.takeOneOf({"row", "col"});
  int layoutB = modifiers.takeOneOf({"row", "col"});
  spec.columnA = layoutA == 1;
  spec.rowB = layoutB == 0;
  spec.satfinite = modifiers.take("satfinite");
  Rounding rounding = modifiers.takeRounding();
  modifiers.take("kind::f8f6f4");
  spec.result = modifiers.takeType();
  spec.a = modifiers.takeType();
  spec.b = modifiers.takeType();
  spec.accumulator = modifiers.takeType();
  if (spec.a == Type::B1 && modifiers.take("popc")) {
    int bitOp = modifiers.takeOneOf({"and", "xor"});
    spec.bitOp = MmaSpec::BitOp(bitOp + 1);
  }
  bool isQuad = spec.k == 4 && spec.a == Type::F16;
  bool layouts =
      isQuad ? layoutA >= 0 && layoutB >= 0 : layoutA == 0 && layoutB == 1;
  Handler handler =
      sync && layouts && spec.m ? context.table.mma(spec) : nullptr;
  if (!handler || (rounding != Rounding::None && spec.a != Type::F64))
    return context.unsupported();
  if (!context.count(spec.isSparse ? 6 : 4, spec.isSparse ? 6 : 4))
    return false;
  auto bitsOf = [](Type type) {
    return type == Type::B1                       ? 1
           : type == Type::U4 || type == Type::S4 ? 4
                                                  : 8 * bytesOf(type);
  };
  // What a register of operand `i` holds, as ptxas checks it.
  auto registerType = [&](unsigned i, Type type) {
    bool isFactor = i % 3;
    switch (type) {
    case Type::F64:
      return Type::B64;
    case Type::F16:
      return Type::F16x2;
    case Type::BF16:
      return Type::BF16x2;
    case Type::TF32:
      return Type::TF32;
    case Type::F32:
      return spec.isSparse ? Type::B32 : Type::F32;
    default:
      return isFactor ? Type::B32 : Type::S32;
    }
  };
  // Elements of a fragment per lane, in registers.
  struct Part {
    unsigned elements;
    Type type;
  } parts[4] = {{spec.m * spec.n, spec.result},
                {spec.m * spec.k / (spec.isSparse ? 2 : 1), spec.a},
                {spec.n * spec.k, spec.b},
                {spec.m * spec.n, spec.accumulator}};
  std::vector<Ref> refs;
  // Four MMAs of 8 by 8 by 4.
  if (isQuad)
    for (Part &part : parts)
      part.elements *= 4;
  for (unsigned i = 0; i < 4; ++i) {
    Type type = registerType(i, parts[i].type);
    size_t n =
        parts[i].elements * bitsOf(parts[i].type) / 32 / (8 * bytesOf(type));
    if (!context.fragment(context.instruction->operands[i], type, n, i == 0,
                          refs))
      return false;
  }
  uint64_t selector = 0;
  if (spec.isSparse) {
    // Metadata, and which threads of four have them.
    const Operand &last = context.instruction->operands[5];
    Ref metadata;
    if (!context.source(context.instruction->operands[4], Type::B32, metadata))
      return false;
    refs.push_back(metadata);
    unsigned bits = bitsOf(spec.a), row = spec.k * bits;
    uint64_t most = bits >= 16 ? (row == 256 ? 3 : 1) : row == 256 ? 1 : 0;
    if (last.kind != Operand::Kind::Integer || last.value > most)
      return context.fail("the sparsity selector of '" +
                          std::string(context.instruction->opcode) +
                          "' is a constant from 0 to " + std::to_string(most));
    selector = last.value;
  }
  Inst &inst = context.emit(handler, refs, Flow::WarpAligned);
  inst.a = spec.satfinite;
  inst.b = spec.isSparse ? uint8_t(selector) : uint8_t(rounding);
  inst.c = sparse == 1;
  return true;
}
