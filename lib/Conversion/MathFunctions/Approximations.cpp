//===- Approximations.cpp - Functions of f32 as arithmetic ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is reduced to an interval where a polynomial has an error far
// below the rounding of f32. benchmarks/accuracy/minimax.py computes the
// polynomials. Branches are selections: lanes of a warp differ.
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/Approximations.h"
#include "fusion/Conversion/MathFunctions/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

namespace {

// Lowest coefficient first.
constexpr float kAtan[] = {-0.333331525f,  0.199937671f,   -0.142110035f,
                           0.106657863f,   -0.0755172893f, 0.0432059728f,
                           -0.0163642373f, 0.00291975634f};
constexpr float kAsin[] = {0.166667521f, 0.0749530941f, 0.0454691499f,
                           0.0241847783f, 0.0421583056f};
constexpr float kTanh[] = {-0.333332986f, 0.133319363f, -0.0537847169f,
                           0.0207986254f, -0.00589796668f};
constexpr float kErfBelow1[] = {0.128379121f,   -0.37612322f,
                                0.112801515f,   -0.0267105773f,
                                0.00491675548f, -0.000562834262f};
constexpr float kErfFrom1[] = {-0.00377865811f, -1.6123867f,   -0.943868816f,
                               -0.128110975f,   0.0213978514f, -0.0016695204f};
constexpr float kErfc[] = {1.27697837f,     -0.0927638263f, -0.166030332f,
                           0.164050058f,    -0.054216221f,  -0.00801364612f,
                           0.00867711566f,  0.00116367405f, -0.00128706358f,
                           -0.000235973654f};

/// atan(x) = π/2 - atan(1/x) beyond 1.
Value atan(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x), isSmall = a.isBelow(magnitude, 1);
  Value t = a.select(isSmall, magnitude, a.reciprocal(magnitude));
  Value y = a.oddPolynomial(t, a.mul(t, t), kAtan);
  Value rest = a.sub(a.constant(llvm::numbers::pi / 2), y);
  return a.withSign(a.select(isSmall, y, rest), x);
}

/// The arcsine of t, or of the root of (1 - t)/2 where t is not small. Both are
/// at most 0.5.
struct HalfArcSine {
  HalfArcSine(Arithmetic &a, Value t) {
    isSmall = a.isBelow(t, 0.5);
    Value z = a.select(isSmall, a.mul(t, t),
                       a.fma(t, a.constant(-0.5), a.constant(0.5)));
    Value root = math::SqrtOp::create(a.b, a.loc, z);
    value = a.oddPolynomial(a.select(isSmall, t, root), z, kAsin);
  }
  Value isSmall, value;
};

/// asin(x) = π/2 - 2 asin(√((1 - x)/2)) beyond 0.5.
Value asin(Arithmetic &a, Value x) {
  HalfArcSine half(a, a.magnitude(x));
  Value rest =
      a.fma(half.value, a.constant(-2), a.constant(llvm::numbers::pi / 2));
  return a.withSign(a.select(half.isSmall, half.value, rest), x);
}

/// acos(x) = π/2 - asin(x) up to 0.5, and 2 asin(√((1 - x)/2)) beyond. That of
/// -x is π less as much.
Value acos(Arithmetic &a, Value x) {
  HalfArcSine half(a, a.magnitude(x));
  Value signedHalf = a.withSign(half.value, x);
  Value beyond =
      a.select(a.isBelow(x, 0), a.constant(llvm::numbers::pi), a.constant(0));
  Value from =
      a.select(half.isSmall, a.constant(llvm::numbers::pi / 2), beyond);
  Value factor = a.select(half.isSmall, a.constant(-1), a.constant(2));
  return a.fma(signedHalf, factor, from);
}

/// tanh(x) = 1 - 2 / (exp(2x) + 1) from 0.6 on.
Value tanh(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x);
  Value small = a.oddPolynomial(magnitude, a.mul(x, x), kTanh);
  Value power =
      a.powerOf2(a.mul(magnitude, a.constant(2 * llvm::numbers::log2e)));
  Value one = a.constant(1);
  Value large = a.fma(a.reciprocal(a.add(power, one)), a.constant(-2), one);
  return a.withSign(a.select(a.isBelow(magnitude, 0.6), small, large), x);
}

/// exp(x) - 1: with x = n ln 2 + f it is 2^n (exp(f) - 1) + (2^n - 1). The sum
/// is computed at half its size, since 2^128 is no f32.
Value expM1(Arithmetic &a, Value x) {
  // From -25 on down the result is -1, from 89 on infinite.
  Value argument = a.atLeast(a.atMost(x, 89), -25);
  Value rounded = a.rounded(argument, llvm::numbers::log2e);
  Value n = a.integral(rounded);
  Split ln2(llvm::numbers::ln2);
  Value f = a.fma(n, a.constant(-ln2.high), argument);
  f = a.fma(n, a.constant(-ln2.low), f);
  Value y = a.fma(a.mul(f, f), a.polynomial(f, kExpM1), f);
  Value scale = a.scale(rounded, -1);
  Value half = a.fma(scale, y, a.sub(scale, a.constant(0.5)));
  return a.withSign(a.add(half, half), x);
}

/// log(1 + x): with 1 + x = 2^e (1 + m), m from -0.25 to 0.5, it is e ln 2 +
/// log(1 + m).
Value log1p(Arithmetic &a, Value x) {
  constexpr uint32_t kExponent = 0xff800000;
  Value sum = a.add(x, a.constant(1));
  // e · 2^23
  Value e = arith::AndIOp::create(
      a.b, a.loc, a.subWords(a.bits(sum), a.word(0x3f400000 /* 0.75 */)),
      a.word(kExponent));
  // m = x 2^-e + (2^-e - 1). If e is not 0, x is far from subnormal. 4 2^-e is
  // a normal number even if 2^-e is not.
  Value scaled = a.number(a.subWords(a.bits(x), e));
  Value scale = a.number(a.subWords(a.word(0x40800000 /* 4 */), e));
  Value m = a.add(scaled, a.fma(scale, a.constant(0.25), a.constant(-1)));
  Value y = a.fma(a.polynomial(m, kLog1p), m, a.constant(-0.5));
  y = a.fma(a.mul(m, m), y, m);
  Value exponent = arith::SIToFPOp::create(a.b, a.loc, a.type, e);
  y = a.fma(exponent, a.constant(llvm::numbers::ln2 * 0x1p-23), y);
  // If 1 + x is no positive finite number, the result is the logarithm of a
  // special value.
  Value isNumber = arith::CmpIOp::create(a.b, a.loc, arith::CmpIPredicate::ult,
                                         a.subWords(a.bits(sum), a.word(1)),
                                         a.word(0x7f7fffff));
  return a.withSign(a.select(isNumber, y, a.log2(sum)), x);
}

/// erf(x) is 1 - 2^p(x) from 1 on; from 4 on it is 1.
Value erf(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x);
  Value small =
      a.fma(magnitude, a.polynomial(a.mul(x, x), kErfBelow1), magnitude);
  Value power = a.powerOf2(a.polynomial(a.atMost(magnitude, 4), kErfFrom1));
  Value large = a.sub(a.constant(1), power);
  return a.withSign(a.select(a.isBelow(magnitude, 1), small, large), x);
}

/// erfc(x) is 1 - erf(x) below 0.5. Otherwise it is exp(-x²) p(u) / (1 + 2x)
/// with u = (x - 2) / (x + 2). x² is a sum of two f32, as its error counts.
Value erfc(Arithmetic &a, Value x) {
  Value one = a.constant(1);
  Value magnitude = a.magnitude(x);
  Value erf =
      a.fma(magnitude, a.polynomial(a.mul(x, x), kErfBelow1), magnitude);
  Value small = a.sub(one, a.withSign(erf, x));

  // From 10.1 on the result is zero.
  Value t = a.atMost(magnitude, 10.1);
  Value square = a.mul(t, t), rest = a.fma(t, t, a.negate(square));
  // -x² log2(e) = n - f
  Value rounded = a.rounded(square, -llvm::numbers::log2e);
  Split log2e(llvm::numbers::log2e);
  Value f = a.fma(square, a.constant(log2e.high), a.integral(rounded));
  f = a.fma(square, a.constant(log2e.low), f);
  f = a.fma(rest, a.constant(log2e.high), f);

  // Quotients, with the errors of the reciprocals corrected.
  Value two = a.constant(2);
  Value divisor = a.add(t, two), inverse = a.reciprocal(divisor);
  Value u = a.fma(inverse, a.constant(-4), one);
  Value error = a.fma(a.negate(divisor), u, a.sub(t, two));
  u = a.fma(inverse, error, u);
  divisor = a.fma(t, two, one);
  inverse = a.reciprocal(divisor);
  inverse = a.fma(inverse, a.fma(a.negate(divisor), inverse, one), inverse);

  Value factor = a.mul(inverse, a.polynomial(u, kErfc));
  Value y = a.fma(a.mul(factor, f), a.polynomial(f, kPowerOf2), factor);
  // In two steps, as 2^n may be subnormal.
  y = a.mul(a.mul(y, a.scale(rounded, 64)), a.constant(0x1p-64));
  Value large = a.select(a.isBelow(x, 0), a.sub(two, y), y);
  return a.select(a.isBelow(magnitude, 0.5), small, large);
}

/// cbrt(x) is 2^(log2(x) / 3), and one step of Newton's method.
Value cbrt(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x);
  Value y = a.powerOf2(a.mul(a.log2(magnitude), a.constant(1.0 / 3)));
  Value inverse = a.reciprocal(a.mul(y, y));
  Value error = a.fma(a.negate(magnitude), inverse, y);
  y = a.fma(error, a.constant(-1.0 / 3), y);
  // Zeros and infinities are their own cube roots.
  Value isSpecial = arith::CmpFOp::create(a.b, a.loc, arith::CmpFPredicate::OEQ,
                                          a.add(x, x), x);
  return a.withSign(a.select(isSpecial, magnitude, y), x);
}

using Function = Value (*)(Arithmetic &, Value);

template <typename Op> struct Approximation : OpRewritePattern<Op> {
  Approximation(MLIRContext *context, const MachineFunctions &machine,
                Function function)
      : OpRewritePattern<Op>(context, /*benefit=*/20), machine(machine),
        function(function) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Arithmetic arithmetic(b, op.getLoc(), op.getType(), machine);
    b.replaceOp(op, function(arithmetic, op.getOperand()));
    return success();
  }
  const MachineFunctions &machine;
  Function function;
};

Value exp(Arithmetic &a, Value x) { return a.exponential(x); }
Value exp2(Arithmetic &a, Value x) { return a.powerOf2(x); }
Value log2(Arithmetic &a, Value x) { return a.log2(x); }
Value log(Arithmetic &a, Value x) { return a.logarithm(x, 1); }
Value log10(Arithmetic &a, Value x) {
  return a.logarithm(x, 1 / llvm::numbers::ln10);
}

/// Adds an approximation. The parameter's type selects our functions, as the
/// standard library has functions of the same names.
template <typename Op>
void addApproximation(RewritePatternSet &patterns,
                      const MachineFunctions &machine, Function function) {
  patterns.add<Approximation<Op>>(patterns.getContext(), machine, function);
}

} // namespace

void fusion::populateApproximations(RewritePatternSet &patterns,
                                    const MachineFunctions &machine) {
  addApproximation<math::AsinOp>(patterns, machine, asin);
  addApproximation<math::AtanOp>(patterns, machine, atan);
  addApproximation<math::CbrtOp>(patterns, machine, cbrt);
  addApproximation<math::ErfOp>(patterns, machine, erf);
  addApproximation<math::ErfcOp>(patterns, machine, erfc);
  addApproximation<math::ExpM1Op>(patterns, machine, expM1);
  addApproximation<math::Log1pOp>(patterns, machine, log1p);
  addApproximation<math::TanhOp>(patterns, machine, tanh);
}

void fusion::populateRemainingFunctions(RewritePatternSet &patterns,
                                        const MachineFunctions &machine) {
  addApproximation<math::AcosOp>(patterns, machine, acos);
  addApproximation<math::ExpOp>(patterns, machine, exp);
  addApproximation<math::Exp2Op>(patterns, machine, exp2);
  addApproximation<math::LogOp>(patterns, machine, log);
  addApproximation<math::Log2Op>(patterns, machine, log2);
  addApproximation<math::Log10Op>(patterns, machine, log10);
}
