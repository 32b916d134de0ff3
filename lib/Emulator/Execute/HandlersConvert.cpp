//===- HandlersConvert.cpp - cvt: every conversion ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersConvert.h"

#include "Emulator/Execute/Formats.h"
#include "Emulator/Machine/Warp.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace fusion::emulator;

namespace {

/// The low `bytes` of a lane of a register that is `width` bytes wide.
uint64_t readBits(const Warp &warp, Ref ref, unsigned width, unsigned lane,
                  unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, warp.reg<uint8_t>(ref) + lane * width,
              width < 8 ? width : 8);
  return bytes >= 8 ? value : value & ((uint64_t(1) << (8 * bytes)) - 1);
}

/// The upper half of a register of 128 bits is that of zero or, for a negative
/// signed value, of -1.
void writeBits(const Warp &warp, Ref ref, unsigned width, unsigned lane,
               uint64_t value, bool isSigned = false) {
  if (width == 16) {
    uint64_t high = isSigned && value >> 63 ? ~uint64_t(0) : 0;
    std::memcpy(warp.reg<uint8_t>(ref) + lane * 16 + 8, &high, 8);
  }
  std::memcpy(warp.reg<uint8_t>(ref) + lane * width, &value,
              width < 8 ? width : 8);
}

double flushed(double value) {
  return std::fabs(value) < double(std::numeric_limits<float>::min())
             ? std::copysign(0.0, value)
             : value;
}

double roundToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// Out-of-range values clamp; NaN as PTX ISA, "cvt", has it.
uint64_t toInteger(double value, Type type, bool sourceIsDouble) {
  unsigned width = bytesOf(type) * 8;
  if (std::isnan(value))
    return sourceIsDouble || width == 64 ? uint64_t(1) << (width - 1) : 0;
  if (isSigned(type)) {
    double limit = std::ldexp(1.0, int(width) - 1);
    if (value >= limit)
      return (uint64_t(1) << (width - 1)) - 1;
    if (value < -limit)
      return 0 - (uint64_t(1) << (width - 1));
    return uint64_t(int64_t(value));
  }
  if (value >= std::ldexp(1.0, int(width)))
    return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return value <= 0 ? 0 : uint64_t(value);
}

uint64_t clampInteger(uint64_t bits, Type destination, Type source) {
  unsigned width = bytesOf(destination) * 8;
  if (isSigned(source)) {
    int64_t v = int64_t(bits);
    if (isSigned(destination)) {
      int64_t high = int64_t((uint64_t(1) << (width - 1)) - 1);
      return uint64_t(v > high ? high : v < -high - 1 ? -high - 1 : v);
    }
    if (v < 0)
      return 0;
    uint64_t high = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    return bits > high ? high : bits;
  }
  uint64_t high = isSigned(destination) ? (uint64_t(1) << (width - 1)) - 1
                  : width == 64         ? ~uint64_t(0)
                                        : (uint64_t(1) << width) - 1;
  return bits > high ? high : bits;
}

uint64_t signExtend(uint64_t bits, unsigned bytes) {
  unsigned shift = 64 - 8 * bytes;
  return uint64_t(int64_t(bits << shift) >> shift);
}

double decodeLane(Type type, uint64_t bits, uint8_t flags) {
  double value;
  if (type == Type::F64) {
    std::memcpy(&value, &bits, 8);
    return value;
  }
  if (type == Type::F32 || type == Type::TF32) {
    uint32_t low = uint32_t(bits);
    float f;
    std::memcpy(&f, &low, 4);
    value = f;
    return flags & FlagFtz ? flushed(value) : value;
  }
  return decode(formatOf(type), bits);
}

uint64_t encodeLane(Type type, double value, Rounding rounding, uint8_t flags) {
  if (flags & FlagRelu)
    value = std::isnan(value) ? value : value > 0 ? value : 0.0;
  if (flags & FlagSat)
    value = !(value > 0) ? 0.0 : value > 1 ? 1.0 : value;
  uint64_t bits =
      encode(formatOf(type), value, rounding, flags & FlagSatFinite);
  if (type == Type::TF32)
    return bits == formatOf(type).nan ? 0x7fffffff : bits << 13;
  if (type == Type::F32 && (flags & FlagFtz) && !(bits & 0x7f800000))
    bits &= 0x80000000;
  return bits;
}

uint64_t convertLane(const Inst &inst, uint64_t bits) {
  Type to = Type(inst.c), from = Type(inst.d);
  Rounding rounding = Rounding(inst.b & 0x7f);
  bool toIntegral = inst.b & 0x80; // .rni and so on
  bool fromFloat = isFloat(from) || from == Type::E4M3 || from == Type::E5M2;
  bool toFloat = isFloat(to) || to == Type::E4M3 || to == Type::E5M2;
  if (!fromFloat) {
    if (isSigned(from))
      bits = signExtend(bits, bytesOf(from));
    if (!toFloat)
      return inst.a & FlagSat ? clampInteger(bits, to, from) : bits;
    bool negative = isSigned(from) && int64_t(bits) < 0;
    uint64_t result = encode(formatOf(to), negative, negative ? 0 - bits : bits,
                             0, rounding, false);
    if (inst.a & FlagSat)
      return encodeLane(to, decode(formatOf(to), result), rounding, inst.a);
    return result;
  }
  double value = decodeLane(from, bits, inst.a);
  if (!toFloat)
    return toInteger(roundToInteger(value, rounding), to, from == Type::F64);
  if (toIntegral)
    return encodeLane(to, roundToInteger(value, rounding), Rounding::Nearest,
                      inst.a);
  return encodeLane(to, value, rounding, inst.a);
}

void convertAny(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned toWidth = uint8_t(inst.imm), fromWidth = uint8_t(inst.imm >> 8);
  Type to = Type(inst.c), from = Type(inst.d);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    uint64_t value = convertLane(
        inst, readBits(warp, inst.op[1], fromWidth, lane, bytesOf(from)));
    // The destination register may be wider: extended by the type's sign.
    unsigned bytes = bytesOf(to);
    if (bytes < 8)
      value = isSigned(to) ? signExtend(value, bytes)
                           : value & ((uint64_t(1) << (8 * bytes)) - 1);
    writeBits(warp, inst.op[0], toWidth, lane, value, isSigned(to));
  }
}

Type elementOf(Type packed) {
  switch (packed) {
  case Type::F16x2:
    return Type::F16;
  case Type::BF16x2:
    return Type::BF16;
  case Type::E4M3x2:
    return Type::E4M3;
  case Type::E5M2x2:
    return Type::E5M2;
  default:
    return Type::None;
  }
}

/// `cvt.f16x2.f32 d, a, b` (a to the upper half) and packed to packed.
void convertPacked(Warp &warp, const Inst &inst, uint32_t mask) {
  Type to = elementOf(Type(inst.c)), from = elementOf(Type(inst.d));
  unsigned toWidth = uint8_t(inst.imm), fromWidth = uint8_t(inst.imm >> 8);
  unsigned toBits = bytesOf(to) * 8;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    double high, low;
    if (from == Type::None) {
      high = decodeLane(Type::F32,
                        readBits(warp, inst.op[1], fromWidth, lane, 4), inst.a);
      low = decodeLane(
          Type::F32,
          readBits(warp, inst.op[2], uint8_t(inst.imm >> 16), lane, 4), inst.a);
    } else {
      unsigned bytes = bytesOf(from);
      uint64_t both = readBits(warp, inst.op[1], fromWidth, lane, 2 * bytes);
      high = decodeLane(from, both >> (8 * bytes), inst.a);
      low = decodeLane(from, both & ((uint64_t(1) << (8 * bytes)) - 1), inst.a);
    }
    uint64_t value = encodeLane(to, high, Rounding(inst.b), inst.a) << toBits |
                     encodeLane(to, low, Rounding(inst.b), inst.a);
    writeBits(warp, inst.op[0], toWidth, lane, value);
  }
}

/// a: bits of a part, b: whether it is signed, imm: bytes of each register.
void convertPack(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned width = inst.a;
  uint32_t low = (uint32_t(1) << width) - 1;
  int64_t most = int64_t(inst.b ? low >> 1 : low);
  int64_t least = inst.b ? -most - 1 : 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    auto word = [&](unsigned operand) {
      unsigned width = uint8_t(inst.imm >> (8 * operand));
      return uint32_t(readBits(warp, inst.op[operand], width, lane, 4));
    };
    auto part = [&](unsigned operand) {
      int64_t value = int32_t(word(operand));
      return uint32_t(std::clamp(value, least, most)) & low;
    };
    uint32_t value = part(1) << width | part(2);
    if (inst.count > 3)
      value |= word(3) << (2 * width);
    writeBits(warp, inst.op[0], uint8_t(inst.imm), lane, value);
  }
}

} // namespace

Handler fusion::emulator::convertPackHandler() { return convertPack; }
Handler fusion::emulator::convertAnyHandler() { return convertAny; }
Handler fusion::emulator::convertPackedHandler() { return convertPacked; }
