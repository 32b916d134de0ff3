//===- Formats.cpp - Encoding of numbers in small formats -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Formats.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace fusion::emulator;

const Format &fusion::emulator::formatOf(Type type) {
  static const Format f16 = {5, 10, 0x7bff, 0x7c00, 0x7fff};
  static const Format bf16 = {8, 7, 0x7f7f, 0x7f80, 0x7fff};
  static const Format tf32 = {8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
  static const Format f32 = {8, 23, 0x7f7fffff, 0x7f800000, 0x7fffffff};
  static const Format f64 = {11, 52, 0x7fefffffffffffff, 0x7ff0000000000000,
                             0x7fffffffffffffff};
  // E4M3 has no infinity and one NaN per sign (Micikevicius et al., "FP8
  // formats for deep learning", 2022).
  static const Format e4m3 = {4, 3, 0x7e, 0, 0x7f};
  static const Format e5m2 = {5, 2, 0x7b, 0x7c, 0x7f};
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return f16;
  case Type::BF16:
  case Type::BF16x2:
    return bf16;
  case Type::TF32:
    return tf32;
  case Type::E4M3:
  case Type::E4M3x2:
    return e4m3;
  case Type::E5M2:
  case Type::E5M2x2:
    return e5m2;
  case Type::F64:
    return f64;
  default:
    return f32;
  }
}

uint64_t fusion::emulator::encode(const Format &format, bool negative,
                                  uint64_t magnitude, int exponent,
                                  Rounding rounding, bool finite) {
  uint64_t sign = uint64_t(negative) << format.signBit();
  if (!magnitude)
    return sign;
  int mantissaBits = int(format.mantissaBits);
  int top = 63 - __builtin_clzll(magnitude) + exponent;
  int lowest = 1 - format.bias();
  // The exponent of the result's last place.
  int quantum = (top > lowest ? top : lowest) - mantissaBits;
  int shift = quantum - exponent;
  uint64_t m;
  int remainder = 0; // of what is cut off: 0 none, 1 below, 2 at, 3 above half
  if (shift <= 0) {
    m = magnitude << -shift;
  } else if (shift > 64) {
    m = 0;
    remainder = 1;
  } else {
    m = shift == 64 ? 0 : magnitude >> shift;
    uint64_t cut =
        shift == 64 ? magnitude : magnitude & ((uint64_t(1) << shift) - 1);
    uint64_t half = uint64_t(1) << (shift - 1);
    remainder = !cut ? 0 : cut < half ? 1 : cut == half ? 2 : 3;
  }
  switch (rounding) {
  case Rounding::Zero:
    break;
  case Rounding::Up:
    m += remainder && !negative;
    break;
  case Rounding::Down:
    m += remainder && negative;
    break;
  case Rounding::Away:
    m += remainder >= 2;
    break;
  default:
    m += remainder == 3 || (remainder == 2 && (m & 1));
    break;
  }
  int field = quantum + mantissaBits + format.bias();
  // `m` brings the leading one, hence field - 1; far too large numbers stop
  // before they leave the word.
  if (field < (1 << format.exponentBits) + 1) {
    uint64_t encoded = (uint64_t(field - 1) << mantissaBits) + m;
    if (encoded <= format.largest)
      return sign | encoded;
  }
  bool toLargest = finite || rounding == Rounding::Zero ||
                   (rounding == Rounding::Up && negative) ||
                   (rounding == Rounding::Down && !negative);
  if (toLargest)
    return sign | format.largest;
  return sign | (format.infinity ? format.infinity : format.nan);
}

uint64_t fusion::emulator::encode(const Format &format, double value,
                                  Rounding rounding, bool finite) {
  if (std::isnan(value))
    return format.nan;
  bool negative = std::signbit(value);
  if (std::isinf(value)) {
    uint64_t sign = uint64_t(negative) << format.signBit();
    if (finite)
      return sign | format.largest;
    return sign | (format.infinity ? format.infinity : format.nan);
  }
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  int field = int(bits >> 52) & 0x7ff;
  uint64_t magnitude = bits & 0xfffffffffffffu;
  if (field)
    magnitude |= uint64_t(1) << 52;
  return encode(format, negative, magnitude, (field ? field : 1) - 1075,
                rounding, finite);
}

double fusion::emulator::decode(const Format &format, uint64_t bits) {
  bool negative = (bits >> format.signBit()) & 1;
  uint64_t magnitude = bits & ((uint64_t(1) << format.signBit()) - 1);
  double result;
  if (magnitude > format.largest) {
    result = magnitude == format.infinity && format.infinity
                 ? std::numeric_limits<double>::infinity()
                 : std::numeric_limits<double>::quiet_NaN();
  } else {
    int field = int(magnitude >> format.mantissaBits);
    uint64_t mantissa = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
    if (field)
      mantissa |= uint64_t(1) << format.mantissaBits;
    result = std::ldexp(double(mantissa), (field ? field : 1) - format.bias() -
                                              int(format.mantissaBits));
  }
  return negative ? -result : result;
}
