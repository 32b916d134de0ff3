//===- Formats.h - Encoding of numbers in small formats ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_FORMATS_H
#define FUSION_LIB_EMULATOR_EXECUTE_FORMATS_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// A binary format with implicit leading bit and subnormal numbers.
struct Format {
  unsigned exponentBits;
  unsigned mantissaBits; ///< without the leading one
  uint64_t largest;      ///< encoding of the largest finite number
  uint64_t infinity;     ///< 0 if the format has none
  uint64_t nan;          ///< canonical

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  unsigned signBit() const { return exponentBits + mantissaBits; }
};

/// f16, bf16, tf32 (in the upper 19 bits of 32), f32, f64, e4m3, e5m2.
const Format &formatOf(Type type);

/// The value of elements outside of a tensor that are to be NaN, repeated every
/// 16 bits: a NaN of f16 and of bf16 that no arithmetic yields. The PTX ISA
/// ("OOB-NaN") leaves its bits open; chips have been seen to use these.
constexpr uint16_t kOutOfBoundsNan = 0x7ff7;

/// Rounds the number (-1)^negative * magnitude * 2^exponent to `format`. With
/// `finite`, too large numbers become the largest finite one.
uint64_t encode(const Format &format, bool negative, uint64_t magnitude,
                int exponent, Rounding rounding, bool finite);

/// Rounds `value` to `format`; NaN becomes the canonical NaN.
uint64_t encode(const Format &format, double value, Rounding rounding,
                bool finite);

/// Returns the number that `bits` encodes; exact.
double decode(const Format &format, uint64_t bits);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_FORMATS_H
