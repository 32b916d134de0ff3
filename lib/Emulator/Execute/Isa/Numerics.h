//===- Numerics.h - Formats and elementary functions ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between the floating-point formats and approximations of the
// elementary functions, written so that loops over them vectorise. The results
// are the same for every vector extension: no operation is contracted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_ISA_NUMERICS_H
#define FUSION_LIB_EMULATOR_EXECUTE_ISA_NUMERICS_H

#include "Emulator/Execute/Operations.h"
#include "Emulator/Machine/Lanes.h"

#include <cmath>
#include <cstring>

namespace fusion::emulator::FUSION_ISA {
namespace {

template <class To, class From> inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

inline bool isNan(float x) { return x != x; }
inline bool isNan(double x) { return x != x; }

inline float flush(float x) {
  uint32_t b = bits<uint32_t>(x);
  return bits<float>((b & 0x7f800000u) == 0 ? b & 0x80000000u : b);
}

inline float saturate(float x) {
  x = x > 0.0f ? x : 0.0f; // NaN and -0 as well
  return x < 1.0f ? x : 1.0f;
}
inline double saturate(double x) {
  x = x > 0.0 ? x : 0.0;
  return x < 1.0 ? x : 1.0;
}

/// f16 to f32, exactly. The exponent is moved by a multiplication, which also
/// normalises subnormal values.
inline float fromHalf(uint16_t h) {
  uint32_t magnitude = uint32_t(h & 0x7fff) << 13;
  uint32_t sign = uint32_t(h & 0x8000) << 16;
  float scaled = bits<float>(magnitude) * 0x1p112f;
  uint32_t b = bits<uint32_t>(scaled);
  b = (h & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000u : b;
  return bits<float>(b | sign);
}

/// f32 to f16, to nearest even. NaN becomes the canonical 0x7fff.
inline uint16_t toHalf(float f) {
  uint32_t b = bits<uint32_t>(f);
  uint32_t sign = (b >> 16) & 0x8000;
  uint32_t m = b & 0x7fffffffu;
  // Normal results: add half of the last place, ties to even.
  uint32_t normal = (m - 0x38000000u + 0xfff + ((m >> 13) & 1)) >> 13;
  // Subnormal results: adding 0.5 aligns the last place with that of f16.
  uint32_t small = bits<uint32_t>(bits<float>(m) + 0.5f) - bits<uint32_t>(0.5f);
  uint32_t r = m < 0x38800000u ? small : normal;
  r = m >= 0x47800000u ? 0x7c00u : r;
  r = m > 0x7f800000u ? 0x7fffu : r | sign;
  return uint16_t(r);
}

inline float fromBfloat(uint16_t h) { return bits<float>(uint32_t(h) << 16); }

/// f32 to bf16, to nearest even. NaN becomes the canonical 0x7fff.
inline uint16_t toBfloat(float f) {
  uint32_t b = bits<uint32_t>(f);
  uint32_t r = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
  return uint16_t((b & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : r);
}

/// a + b with the result rounded to odd: a following rounding to a format of
/// at least two bits less is then that of the exact sum (Boldo and Melquiond,
/// 2008). Sums that overflow come out as infinity.
template <class T, class U> inline T addToOdd(T a, T b, U exponentBits) {
  T s = a + b;
  T bb = s - a;
  T error = (a - (s - bb)) + (b - bb);
  U u = bits<U>(s);
  // Toward the exact sum: up in magnitude where error and sum agree in sign.
  U sameSign = U((bits<U>(error) ^ u) >> (sizeof(U) * 8 - 1)) ^ 1;
  U adjusted = sameSign ? u | 1 : u - 1;
  bool adjust = (error > 0 || error < 0) && (u & 1) == 0 &&
                (u & exponentBits) != exponentBits;
  return bits<T>(adjust ? adjusted : u);
}
inline double addToOdd(double a, double b) {
  return addToOdd<double, uint64_t>(a, b, 0x7ff0000000000000u);
}
inline float addToOdd(float a, float b) {
  return addToOdd<float, uint32_t>(a, b, 0x7f800000u);
}

/// f64 to f32 with the result rounded to odd.
inline float toFloatOdd(double d) {
  float f = float(d);
  uint32_t u = bits<uint32_t>(f);
  double back = f;
  bool inexact = back != d && !isNan(d);
  bool even = !(u & 1);
  bool tooLarge = (back > d) == (d > 0); // rounded away from zero
  uint32_t adjusted = tooLarge ? u - 1 : u | 1;
  return inexact && even ? bits<float>(adjusted) : f;
}

/// 2^x for |x| <= 1021, with an error near 1e-11 of the result.
inline double exp2Core(double x) {
  constexpr double shifter = 0x1.8p52;
  double shifted = x + shifter;
  double n = shifted - shifter;
  double f = (x - n) * 0.693147180559945309417; // exp(f), |f| <= 0.3466
  double p = 1.0 / 3628800;
  p = p * f + 1.0 / 362880;
  p = p * f + 1.0 / 40320;
  p = p * f + 1.0 / 5040;
  p = p * f + 1.0 / 720;
  p = p * f + 1.0 / 120;
  p = p * f + 1.0 / 24;
  p = p * f + 1.0 / 6;
  p = p * f + 0.5;
  p = p * f + 1.0;
  p = p * f + 1.0;
  uint64_t exponent = (bits<uint64_t>(shifted) + 1023) << 52;
  return p * bits<double>(exponent);
}

inline float exp2Approximate(float x) {
  double d = x;
  d = d < -1000.0 ? -1000.0 : d;
  d = d > 1000.0 ? 1000.0 : d;
  float r = float(exp2Core(isNan(x) ? 0.0 : d));
  return isNan(x) ? x : r;
}

inline float tanhApproximate(float x) {
  double d = x;
  d = d < -40.0 ? -40.0 : d;
  d = d > 40.0 ? 40.0 : d;
  d = isNan(x) ? 0.0 : d;
  double e = exp2Core(d * 2.88539008177792681472); // exp(2x)
  double r = 1.0 - 2.0 / (e + 1.0);
  // Cancellation near zero: the series is better there.
  double series = d - d * d * d * (1.0 / 3);
  r = d * d < 1e-6 ? series : r;
  return isNan(x) ? x : float(r);
}

} // namespace
} // namespace fusion::emulator::FUSION_ISA

#endif // FUSION_LIB_EMULATOR_EXECUTE_ISA_NUMERICS_H
