//===- MultiplyAdd.h - Fused multiply-adds of matrix products ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_ISA_MULTIPLYADD_H
#define FUSION_LIB_EMULATOR_EXECUTE_ISA_MULTIPLYADD_H

#include "Emulator/Execute/Isa/Numerics.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

/// NaN leaves a product as all ones but the sign, whatever the operands'
/// payloads.
template <class T> inline T canonical(T value) { return value; }
template <> inline float canonical(float value) {
  return isNan(value) ? bits<float>(0x7fffffffu) : value;
}
template <> inline double canonical(double value) {
  return isNan(value) ? bits<double>(uint64_t(0x7fffffffffffffff)) : value;
}

template <bool ExactProduct>
inline float multiplyAdd(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  // Without the instruction: an exact product needs only the sum; otherwise
  // the exact product in f64 and its sum rounded to odd give the same.
  if constexpr (ExactProduct)
    return a * b + c;
  return float(addToOdd(double(a) * double(b), double(c)));
#endif
}
template <bool> inline double multiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
template <bool> inline int32_t multiplyAdd(int32_t a, int32_t b, int32_t c) {
  return int32_t(uint32_t(a) * uint32_t(b) + uint32_t(c));
}

} // namespace
} // namespace fusion::emulator::FUSION_ISA

#endif // FUSION_LIB_EMULATOR_EXECUTE_ISA_MULTIPLYADD_H
