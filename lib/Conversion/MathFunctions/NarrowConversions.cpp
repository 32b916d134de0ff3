//===- NarrowConversions.cpp - Conversions of 8-bit floats ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/NarrowConversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fusion;

Type fusion::withShapeOf(Type shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

Value fusion::integer(ImplicitLocOpBuilder &b, Type type, APInt value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

Value fusion::real(ImplicitLocOpBuilder &b, Type type, const APFloat &value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

NarrowFormat::NarrowFormat(FloatType type)
    : semantics(type.getFloatSemantics()) {
  fractionBits = APFloat::semanticsPrecision(semantics) - 1;
  minExponent = APFloat::semanticsMinExponent(semantics);
  hasSign = APFloat::semanticsHasSignedRepr(semantics);
  hasInfinity = APFloat::semanticsHasInf(semantics);
  hasZero = APFloat::semanticsHasZero(semantics);
  maxFinite = code(APFloat::getLargest(semantics));
  nan = code(APFloat::getNaN(semantics));
  overflow = hasInfinity ? code(APFloat::getInf(semantics)) : nan;
  negativeZeroIsNaN = hasSign && nan == 0x80;
}

static bool isNarrow(Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return real && real.getWidth() == 8;
}

//===----------------------------------------------------------------------===//
// By integer arithmetic
//===----------------------------------------------------------------------===//

/// The f32 value of `codes`, exactly: the magnitude's bits are moved to where
/// f32 has its own, and one multiplication corrects the exponent's bias, also
/// that of subnormal numbers.
static Value extendByBits(ImplicitLocOpBuilder &b, Value codes,
                          const NarrowFormat &format) {
  Type i32 = withShapeOf(codes.getType(), b.getI32Type());
  Type f32 = withShapeOf(codes.getType(), b.getF32Type());
  const llvm::fltSemantics &wide = APFloat::IEEEsingle();
  auto number = [&](uint64_t value) {
    return integer(b, i32, APInt(32, value));
  };
  Value code = arith::ExtUIOp::create(b, i32, codes);
  Value magnitude = code;
  if (format.hasSign)
    magnitude = arith::AndIOp::create(b, code, number(0x7f));
  Value placed =
      arith::ShLIOp::create(b, magnitude, number(23 - format.fractionBits));
  Value result = arith::BitcastOp::create(b, f32, placed);
  if (format.hasZero) {
    // An exponent field of e is 2^(e-127) in f32, 2^(e-1+minExponent) here.
    result = arith::MulFOp::create(
        b, result,
        real(b, f32, NarrowFormat::power(wide, format.minExponent + 126)));
  } else {
    // f8E8M0FNU has f32's exponents; only the least one is subnormal there.
    Value isLeast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code, number(0));
    result = arith::SelectOp::create(
        b, isLeast, real(b, f32, NarrowFormat::power(wide, format.minExponent)),
        result);
  }
  auto replace = [&](arith::CmpIPredicate predicate, Value what, uint64_t bound,
                     const APFloat &value) {
    Value isIt = arith::CmpIOp::create(b, predicate, what, number(bound));
    result = arith::SelectOp::create(b, isIt, real(b, f32, value), result);
  };
  if (format.hasInfinity) {
    replace(arith::CmpIPredicate::eq, magnitude, format.overflow,
            APFloat::getInf(wide));
    replace(arith::CmpIPredicate::ugt, magnitude, format.overflow,
            APFloat::getNaN(wide));
  } else {
    Value what = format.negativeZeroIsNaN ? code : magnitude;
    replace(arith::CmpIPredicate::eq, what, format.nan, APFloat::getNaN(wide));
  }
  if (!format.hasSign)
    return result;
  Value sign = arith::ShLIOp::create(
      b, arith::AndIOp::create(b, code, number(0x80)), number(24));
  Value bits =
      arith::OrIOp::create(b, arith::BitcastOp::create(b, i32, result), sign);
  return arith::BitcastOp::create(b, f32, bits);
}

/// The codes of `value` (f32 or f64), rounded once to the nearest, ties to
/// even; what is too large is infinite, or not a number where there is no
/// infinity.
static Value truncateByBits(ImplicitLocOpBuilder &b, Value value,
                            const NarrowFormat &format) {
  auto wideType = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  const llvm::fltSemantics &wide = wideType.getFloatSemantics();
  unsigned width = wideType.getWidth();
  int wideFraction = APFloat::semanticsPrecision(wide) - 1;
  int wideMinExponent = APFloat::semanticsMinExponent(wide);
  Type integers = withShapeOf(value.getType(), b.getIntegerType(width));
  auto number = [&](APInt bits) { return integer(b, integers, bits); };
  auto small = [&](uint64_t bits) { return number(APInt(width, bits)); };
  auto bitsOf = [](const APFloat &value) { return value.bitcastToAPInt(); };

  Value bits = arith::BitcastOp::create(b, integers, value);
  Value magnitude =
      arith::AndIOp::create(b, bits, number(APInt::getSignedMaxValue(width)));

  // Normal numbers: half a unit of the last place is added, less where the
  // place before it is even, and the exponent's bias corrected. A carry out of
  // the fraction goes into the exponent, as it should.
  int shift = wideFraction - format.fractionBits;
  Value isOdd = small(1); // without a fraction the place is the leading one
  if (format.fractionBits > 0)
    isOdd = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, magnitude, small(shift)), small(1));
  Value rounded = arith::AddIOp::create(
      b, magnitude, number(APInt::getLowBitsSet(width, shift - 1)));
  rounded = arith::AddIOp::create(b, rounded, isOdd);
  rounded = arith::ShRUIOp::create(b, rounded, small(shift));
  // The least normal number has the exponent field 1 in either, but 0 in
  // f8E8M0FNU.
  int firstField = format.hasZero ? 1 : 0;
  int64_t bias = int64_t(format.minExponent - wideMinExponent + 1 - firstField)
                 << format.fractionBits;
  Value result = arith::SubIOp::create(
      b, rounded, number(APInt(width, bias, /*isSigned=*/true)));

  Value least = number(bitsOf(NarrowFormat::power(wide, format.minExponent)));
  Value isSmall =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude, least);
  Value subnormal = small(0);
  if (format.hasZero) {
    // Subnormal ones: the sum with a number whose last place is that of the
    // subnormal numbers is rounded there by the machine.
    APFloat anchor = NarrowFormat::power(
        wide, format.minExponent - format.fractionBits + wideFraction);
    Value sum = arith::AddFOp::create(
        b, arith::BitcastOp::create(b, value.getType(), magnitude),
        real(b, value.getType(), anchor));
    subnormal = arith::SubIOp::create(
        b, arith::BitcastOp::create(b, integers, sum), number(bitsOf(anchor)));
  }
  result = arith::SelectOp::create(b, isSmall, subnormal, result);

  Value isLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, result,
                                        small(format.maxFinite));
  result = arith::SelectOp::create(b, isLarge, small(format.overflow), result);
  Value isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, magnitude,
                                      number(bitsOf(APFloat::getInf(wide))));
  result = arith::SelectOp::create(b, isNaN, small(format.nan), result);

  if (format.hasSign) {
    Value signBit = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, bits, small(width - 8)), small(0x80));
    if (format.negativeZeroIsNaN) {
      Value isZero =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, result, small(0));
      signBit = arith::SelectOp::create(b, isZero, small(0), signBit);
    }
    result = arith::OrIOp::create(b, result, signBit);
  } else {
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, bits,
                              number(APInt::getSignedMinValue(width)));
    result = arith::SelectOp::create(b, isNegative, small(format.nan), result);
  }
  return arith::TruncIOp::create(b, withShapeOf(value.getType(), b.getI8Type()),
                                 result);
}

Value NarrowConversions::extend(ImplicitLocOpBuilder &b, Value codes,
                                FloatType from) const {
  return extendByBits(b, codes, NarrowFormat(from));
}

Value NarrowConversions::truncate(ImplicitLocOpBuilder &b, Value value,
                                  FloatType to) const {
  return truncateByBits(b, value, NarrowFormat(to));
}

//===----------------------------------------------------------------------===//
// The patterns
//===----------------------------------------------------------------------===//

namespace {

struct Extension : OpRewritePattern<arith::ExtFOp> {
  Extension(MLIRContext *context, const NarrowConversions &machine)
      : OpRewritePattern(context), machine(machine) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getIn().getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    Value codes = arith::BitcastOp::create(
        b, withShapeOf(op.getType(), b.getI8Type()), op.getIn());
    Value value = machine.extend(b, codes, from);
    unsigned has =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    unsigned wants = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    // bf16 by way of f32; all of them hold every value.
    if (value.getType() != op.getType() && has == wants) {
      value = arith::ExtFOp::create(
          b, withShapeOf(op.getType(), b.getF32Type()), value);
      has = 32;
    }
    if (has < wants)
      value = arith::ExtFOp::create(b, op.getType(), value);
    else if (has > wants)
      value = arith::TruncFOp::create(b, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }

  const NarrowConversions &machine;
};

struct Truncation : OpRewritePattern<arith::TruncFOp> {
  Truncation(MLIRContext *context, const NarrowConversions &machine)
      : OpRewritePattern(context), machine(machine) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Value value = op.getIn();
    auto widthOf = [](Value value) {
      return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    };
    if (widthOf(value) < 32)
      value = arith::ExtFOp::create(
          b, withShapeOf(value.getType(), b.getF32Type()), value);
    // f32's subnormal numbers are not normalised; f8E8M0FNU distinguishes them.
    if (!NarrowFormat(to).hasZero && widthOf(value) < 64)
      value = arith::ExtFOp::create(
          b, withShapeOf(value.getType(), b.getF64Type()), value);
    Value codes = machine.truncate(b, value, to);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), codes);
    return success();
  }

  const NarrowConversions &machine;
};

} // namespace

void fusion::populateNarrowConversions(RewritePatternSet &patterns,
                                       const NarrowConversions &machine) {
  patterns.add<Extension, Truncation>(patterns.getContext(), machine);
}
