//===- DecodeOperands.cpp - Decoding of operands --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersMisc.h"

#include <algorithm>

using namespace fusion::emulator;

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

Inst &DecodeContext::emit(Handler handler, const std::vector<Ref> &operands,
                          Flow flow) {
  Inst inst;
  inst.run = handler;
  inst.line = instruction ? instruction->line : 0;
  inst.lastLine = instruction ? instruction->lastLine : 0;
  inst.flow = flow;
  inst.count = uint8_t(operands.size());
  code->operands.push_back(operands);
  inst.op = code->operands.back().data();
  code->insts.push_back(inst);
  return code->insts.back();
}

Inst &DecodeContext::emit(Handler handler, std::initializer_list<Ref> operands,
                          Flow flow) {
  return emit(handler, std::vector<Ref>(operands), flow);
}

bool DecodeContext::count(size_t least, size_t most) {
  size_t n = instruction->operands.size();
  if (n >= least && n <= most)
    return true;
  return fail("'" + std::string(instruction->opcode.substr(0, 120)) +
              "' with " + std::to_string(n) + " operands");
}

Ref DecodeContext::constant(uint64_t value, unsigned bytes) {
  if (bytes < 8)
    value &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [it, isNew] = constants.emplace(std::make_pair(bytes, value), 0);
  if (!isNew)
    return it->second;
  size_t offset = alignUp(constantBytes.size(), 64);
  constantBytes.resize(offset + kLanes * bytes, 0);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(constantBytes.data() + offset + lane * bytes, &value,
                std::min(bytes, 8u));
  return it->second = uint32_t(offset) | BaseConstant;
}

Ref DecodeContext::scratch(unsigned bytes) {
  frameBytes = uint32_t(alignUp(frameBytes, 64));
  Ref ref = frameBytes;
  frameBytes += bytes;
  return ref;
}

uint64_t DecodeContext::variableAddress(uint32_t index) {
  const Variable &variable = module.variables[index];
  switch (variable.space) {
  case Space::Shared:
    return sharedOffsets[index];
  case Space::Local:
  case Space::Param:
    return frameOffsets[index];
  default:
    return variable.address;
  }
}

static std::string quoted(const Operand &operand) {
  return operand.name.empty()
             ? "operand"
             : "'" + std::string(operand.name.substr(0, 80)) + "'";
}

/// Whether a register may hold a value of that type (PTX ISA, "Operand Type
/// Checking", and ptxas). Registers of .b types hold all, signed and unsigned
/// are interchangeable, and registers of .f16x2 hold 32-bit values.
static bool fits(Type registerType, Type type) {
  auto isBits = [](Type t) {
    return t == Type::B8 || t == Type::B16 || t == Type::B32 ||
           t == Type::B64 || t == Type::B128;
  };
  auto isInteger = [](Type t) {
    return t == Type::U8 || t == Type::S8 || t == Type::U16 || t == Type::S16 ||
           t == Type::U32 || t == Type::S32 || t == Type::U64 || t == Type::S64;
  };
  if ((registerType == Type::Pred) != (type == Type::Pred) ||
      bytesOf(registerType) < bytesOf(type))
    return false;
  if (registerType == Type::F16x2)
    return isBits(type) || isInteger(type) || type == Type::F16x2 ||
           type == Type::U16x2 || type == Type::S16x2;
  return registerType == type || isBits(registerType) || isBits(type) ||
         (isInteger(registerType) && isInteger(type));
}

Type fusion::emulator::bitsLike(Type type) {
  switch (bytesOf(type)) {
  case 1:
    return Type::B8;
  case 2:
    return Type::B16;
  case 4:
    return Type::B32;
  case 8:
    return Type::B64;
  default:
    return type;
  }
}

/// Whether an instruction may read special registers, as in ptxas: moves, and
/// conversions between integers.
static bool takesSpecial(const Instruction &instruction) {
  const auto &modifiers = instruction.modifiers;
  return instruction.root == "mov" ||
         (instruction.root == "cvt" &&
          std::none_of(modifiers.begin(), modifiers.end(),
                       [](std::string_view modifier) {
                         return modifier == "pack" ||
                                isFloatLike(parseType(modifier));
                       }));
}

bool DecodeContext::wideSource(const Operand &operand, Type type, Ref &ref,
                               unsigned &width) {
  unsigned bytes = bytesOf(type);
  width = bytes;
  if (operand.negated)
    return fail("'!' on " + quoted(operand));
  switch (operand.kind) {
  case Operand::Kind::Register: {
    Type registerType = current->registers[operand.index].type;
    if (!fits(registerType, type))
      return fail(quoted(operand) + " has the wrong type for '" +
                  std::string(instruction->opcode.substr(0, 120)) + "'");
    width = bytesOf(registerType);
    ref = slots[operand.index];
    return true;
  }
  case Operand::Kind::Integer:
    if (type == Type::Pred) {
      ref = constant(operand.value ? ~uint64_t(0) : 0, 4);
      return true;
    }
    if (type == Type::F32 || type == Type::F64)
      return fail("an integer where '" +
                  std::string(instruction->opcode.substr(0, 120)) +
                  "' requires a floating-point number");
    ref = constant(operand.value, bytes);
    return true;
  case Operand::Kind::Float: {
    uint64_t value = operand.value;
    if (operand.bytes == 8 && bytes == 4) {
      double d;
      std::memcpy(&d, &value, 8);
      float f = float(d);
      uint32_t bits;
      std::memcpy(&bits, &f, 4);
      value = bits;
    } else if (operand.bytes == 4 && bytes == 8) {
      uint32_t bits = uint32_t(value);
      float f;
      std::memcpy(&f, &bits, 4);
      double d = f;
      std::memcpy(&value, &d, 8);
    } else if (bytes != operand.bytes) {
      return fail("a floating-point number where '" +
                  std::string(instruction->opcode.substr(0, 120)) +
                  "' requires none");
    }
    ref = constant(value, bytes);
    return true;
  }
  case Operand::Kind::Special:
    if (isSpecial(operand.name) && !takesSpecial(*instruction))
      return fail("the special register " + quoted(operand) +
                  " is an operand of mov and cvt alone");
    return specialSource(operand.name, type, ref);
  case Operand::Kind::Variable: {
    if (bytes != 8 && bytes != 4)
      return fail("the address of " + quoted(operand) + " as a narrow value");
    const Variable &variable = module.variables[operand.index];
    uint64_t value = variableAddress(operand.index) + uint64_t(operand.offset);
    if (variable.space == Space::Local) {
      // Offsets in local memory may have 32 bits as well (LLVM's short
      // pointers).
      ref = scratch(kLanes * bytes);
      emit(localAddressHandler(bytes), {ref}, Flow::Hidden).imm =
          int64_t(value);
      return true;
    }
    if (variable.space == Space::Shared) {
      ref = scratch(kLanes * bytes);
      emit(sharedAddressHandler(bytes), {ref}, Flow::Hidden).imm =
          int64_t(value);
      return true;
    }
    ref = constant(value, bytes);
    return true;
  }
  case Operand::Kind::Function:
    if (bytes != 8)
      return fail("the address of a function as a narrow value");
    ref = constant(functionAddress(operand.index), 8);
    return true;
  case Operand::Kind::Label:
    return fail(quoted(operand) + " is not defined");
  default:
    return fail("unexpected operand of '" +
                std::string(instruction->opcode.substr(0, 120)) + "'");
  }
}

bool DecodeContext::source(const Operand &operand, Type type, Ref &ref) {
  unsigned width;
  if (!wideSource(operand, type, ref, width))
    return false;
  if (width != bytesOf(type))
    return fail(quoted(operand) + " is too wide for '" +
                std::string(instruction->opcode.substr(0, 120)) + "'");
  return true;
}

bool DecodeContext::wideDestination(const Operand &operand, Type type, Ref &ref,
                                    unsigned &width) {
  width = bytesOf(type);
  if (operand.kind == Operand::Kind::Sink) {
    ref = scratchRef;
    return true;
  }
  if (operand.kind != Operand::Kind::Register || operand.negated)
    return fail(quoted(operand) + " is not a register");
  Type registerType = current->registers[operand.index].type;
  if (!fits(registerType, type))
    return fail(quoted(operand) + " has the wrong type for '" +
                std::string(instruction->opcode.substr(0, 120)) + "'");
  width = bytesOf(registerType);
  ref = slots[operand.index];
  return true;
}

bool DecodeContext::destination(const Operand &operand, Type type, Ref &ref) {
  unsigned width;
  if (!wideDestination(operand, type, ref, width))
    return false;
  if (width != bytesOf(type))
    return fail(quoted(operand) + " is too wide for '" +
                std::string(instruction->opcode.substr(0, 120)) + "'");
  return true;
}

/// Whether registers of both types may be in one vector operand of mma, wmma or
/// ldmatrix (as ptxas decides): bits go with every type.
static bool goTogether(Type a, Type b) {
  return a == b || a == Type::B32 || a == Type::B64 || b == Type::B32 ||
         b == Type::B64 || (fits(a, b) && a != Type::F16x2 && b != Type::F16x2);
}

bool DecodeContext::fragment(const Operand &operand, Type type,
                             size_t registers, bool isDestination,
                             std::vector<Ref> &refs) {
  if (operand.kind != Operand::Kind::Vector ||
      operand.elements.size() != registers)
    return fail("an operand of '" +
                std::string(instruction->opcode.substr(0, 120)) +
                "' is a vector of " + std::to_string(registers) +
                (registers == 1 ? " register" : " registers"));
  // A vector with any register of type .b is a vector of bits.
  bool hasBits = false;
  Type before = Type::None;
  for (const Operand &element : operand.elements) {
    if (element.kind != Operand::Kind::Register)
      continue;
    Type now = current->registers[element.index].type;
    if (before != Type::None && !goTogether(before, now))
      return fail(quoted(element) + " and the register before it in '" +
                  std::string(instruction->opcode.substr(0, 120)) +
                  "' are of different types");
    hasBits |= now == bitsLike(type);
    before = now;
  }
  for (const Operand &element : operand.elements) {
    Type wanted = hasBits ? bitsLike(type) : type;
    Ref ref;
    if (isDestination ? !destination(element, wanted, ref)
                      : !source(element, wanted, ref))
      return false;
    refs.push_back(ref);
  }
  return true;
}

bool DecodeContext::predicateSource(const Operand &operand, Ref &ref,
                                    bool &negated) {
  negated = operand.negated;
  Operand plain = operand;
  plain.negated = false;
  return source(plain, Type::Pred, ref);
}

bool DecodeContext::predicateValue(const Operand &operand, Ref &ref) {
  bool negated;
  if (!predicateSource(operand, ref, negated))
    return false;
  if (negated) {
    Ref inverted = scratch(4);
    emit(predicateHandler(IntOp::Not), {inverted, ref}, Flow::Hidden);
    ref = inverted;
  }
  return true;
}

bool DecodeContext::address(const Operand &operand, Ref &ref, unsigned &width,
                            int64_t &offset, Space *space) {
  if (operand.kind != Operand::Kind::Address || operand.elements.size() != 1)
    return fail("'" + std::string(instruction->opcode.substr(0, 120)) +
                "' requires an address");
  const Operand &base = operand.elements[0];
  offset = operand.offset;
  width = 8;
  if (base.kind == Operand::Kind::Register) {
    Type type = current->registers[base.index].type;
    width = bytesOf(type);
    if ((width != 4 && width != 8) || type == Type::Pred || isFloatLike(type))
      return fail(quoted(base) + " is no address");
    ref = slots[base.index];
    return true;
  }
  if (base.kind == Operand::Kind::Variable && space)
    *space = module.variables[base.index].space;
  if (base.kind == Operand::Kind::Float || base.kind == Operand::Kind::Special)
    return fail(quoted(base) + " is no address");
  return source(base, Type::U64, ref);
}

bool DecodeContext::genericAddress(const Operand &operand, bool sharedSpace,
                                   Ref &ref) {
  Operand plain = operand;
  if (plain.kind == Operand::Kind::Address && plain.elements.size() > 1)
    plain.elements.resize(1); // coordinates follow
  Ref base;
  unsigned width;
  int64_t offset;
  Space space = Space::Generic;
  if (!address(plain, base, width, offset, &space))
    return false;
  uint64_t window = sharedSpace || space == Space::Shared ? kSharedWindow
                    : space == Space::Param               ? kParamWindow
                    : space == Space::Local               ? kLocalWindow
                                                          : 0;
  ref = scratch(256);
  Inst &inst = emit(widenAddressHandler(), {ref, base}, Flow::Hidden);
  inst.imm = offset + int64_t(window);
  inst.c = uint8_t(width);
  return true;
}
