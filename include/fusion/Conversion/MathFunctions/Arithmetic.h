//===- Arithmetic.h - Arithmetic that functions consist of ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_MATHFUNCTIONS_ARITHMETIC_H
#define FUSION_CONVERSION_MATHFUNCTIONS_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

namespace fusion {

using namespace mlir;

struct Arithmetic;

/// The functions of f32 that approximations are made of. A machine has
/// instructions for them, or computes them by arithmetic.
class MachineFunctions {
public:
  virtual ~MachineFunctions() = default;
  virtual Value reciprocal(Arithmetic &a, Value x) const = 0;
  virtual Value powerOf2(Arithmetic &a, Value x) const = 0;
  virtual Value log2(Arithmetic &a, Value x) const = 0;
  virtual Value exponential(Arithmetic &a, Value x) const = 0;
  virtual Value logarithm(Arithmetic &a, Value x, double factor) const = 0;
};

/// Coefficients of a polynomial, the lowest first.
using Coefficients = ArrayRef<float>;

/// (2^-f - 1) / f for f from -0.5 to 0.5.
inline constexpr float kPowerOf2[] = {-0.693147182f,   0.240226477f,
                                      -0.0555035993f,  0.00961850584f,
                                      -0.00133908063f, 0.000153264627f};
/// (e^f - 1 - f) / f^2 for |f| up to ln(2) / 2.
inline constexpr float kExpM1[] = {0.5f, 0.16666545f, 0.0416664034f,
                                   0.00836639665f, 0.00139406428f};
/// (log(1 + m) - m + m^2 / 2) / m^3 for m from -0.25 to 0.5.
inline constexpr float kLog1p[] = {0.333334506f,  -0.250001073f, 0.199908271f,
                                   -0.166468844f, 0.144779593f,  -0.13164711f,
                                   0.104729638f,  -0.0451501496f};

/// Builds arithmetic on f32 and on 32-bit integers.
struct Arithmetic {
  Arithmetic(PatternRewriter &b, Location loc, Type type,
             const MachineFunctions &machine)
      : b(b), loc(loc), type(type), machine(machine) {
    auto vector = dyn_cast<VectorType>(type);
    words = vector ? Type(vector.clone(b.getI32Type())) : b.getI32Type();
  }

  PatternRewriter &b;
  Location loc;
  Type type, words; ///< f32 and i32, or vectors of them
  const MachineFunctions &machine;

  Value constant(TypedAttr value, Type wanted) {
    if (auto vector = dyn_cast<VectorType>(wanted))
      value = DenseElementsAttr::get(vector, Attribute(value));
    return arith::ConstantOp::create(b, loc, value);
  }
  Value constant(double value) {
    return constant(b.getF32FloatAttr(static_cast<float>(value)), type);
  }
  Value word(uint32_t value) {
    return constant(b.getI32IntegerAttr(int32_t(value)), words);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value negate(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value magnitude(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, loc, x, sign);
  }
  Value isBelow(Value x, double y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                 constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// Returns the minimum; NaN stays NaN.
  Value atMost(Value x, double y) {
    return arith::MinimumFOp::create(b, loc, x, constant(y));
  }
  Value atLeast(Value x, double y) {
    return arith::MaximumFOp::create(b, loc, x, constant(y));
  }
  /// Returns the reciprocal of a number from 2^-126 to 2^126; the result for a
  /// larger number may be zero.
  Value reciprocal(Value x) { return machine.reciprocal(*this, x); }
  Value powerOf2(Value x) { return machine.powerOf2(*this, x); }
  Value log2(Value x) { return machine.log2(*this, x); }
  Value exponential(Value x) { return machine.exponential(*this, x); }
  /// Returns the natural logarithm times a factor.
  Value logarithm(Value x, double factor) {
    return machine.logarithm(*this, x, factor);
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, words, x); }
  Value number(Value x) { return arith::BitcastOp::create(b, loc, type, x); }
  Value addWords(Value x, Value y) {
    return arith::AddIOp::create(b, loc, x, y);
  }
  Value subWords(Value x, Value y) {
    return arith::SubIOp::create(b, loc, x, y);
  }

  Value polynomial(Value x, Coefficients c) {
    Value result = constant(c.back());
    for (float next : llvm::reverse(c.drop_back()))
      result = fma(result, x, constant(next));
    return result;
  }
  /// x + x z p(z)
  Value oddPolynomial(Value x, Value z, Coefficients c) {
    return fma(mul(x, z), polynomial(z, c), x);
  }

  /// Returns x · factor + 1.5 · 2^23, rounded. The low bits of this number are
  /// the integer n, x · factor rounded, which has at most 22 bits.
  static constexpr double kRounder = 0x1.8p23;
  Value rounded(Value x, double factor) {
    return fma(x, constant(factor), constant(kRounder));
  }
  Value integral(Value rounded) { return sub(rounded, constant(kRounder)); }
  /// Returns 2^(n + offset), which must be a normal number.
  Value scale(Value rounded, int offset) {
    Value exponent = arith::ShLIOp::create(b, loc, bits(rounded), word(23));
    return number(addWords(exponent, word(uint32_t(127 + offset) << 23)));
  }
};

/// A constant as the sum of two f32, with twice the digits.
struct Split {
  explicit Split(double value)
      : high(static_cast<float>(value)),
        low(static_cast<float>(value - double(high))) {}
  float high, low;
};

} // namespace fusion

#endif // FUSION_CONVERSION_MATHFUNCTIONS_ARITHMETIC_H
