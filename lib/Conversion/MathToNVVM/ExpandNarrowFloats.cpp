//===- ExpandNarrowFloats.cpp - nvvm-expand-narrow-floats -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Transforms/Normalize/NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {
#define GEN_PASS_DEF_NVVMEXPANDNARROWFLOATS
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

/// `element`, or a vector of it where `shape` is one.
Type withShapeOf(Type shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

Value integer(ImplicitLocOpBuilder &b, Type type, APInt value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

Value real(ImplicitLocOpBuilder &b, Type type, const APFloat &value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

/// How an 8-bit float is coded, beside the format it is converted from or to.
/// A code is its magnitude, in all but f8E8M0FNU below a sign bit.
struct Format {
  explicit Format(FloatType type) : semantics(type.getFloatSemantics()) {
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

  static uint64_t code(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
  /// 2^exponent as a number of `wide`.
  static APFloat power(const llvm::fltSemantics &wide, int exponent) {
    return scalbn(APFloat::getOne(wide), exponent,
                  APFloat::rmNearestTiesToEven);
  }

  const llvm::fltSemantics &semantics;
  int fractionBits, minExponent;
  bool hasSign, hasInfinity, hasZero, negativeZeroIsNaN;
  uint64_t maxFinite, nan, overflow;
};

bool isNarrow(Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return real && real.getWidth() == 8;
}

//===----------------------------------------------------------------------===//
// By integer arithmetic
//===----------------------------------------------------------------------===//

/// The f32 value of `codes`, exactly: the magnitude's bits are moved to where
/// f32 has its own, and one multiplication corrects the exponent's bias, also
/// that of subnormal numbers.
Value extendByBits(ImplicitLocOpBuilder &b, Value codes, const Format &format) {
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
        b, result, real(b, f32, Format::power(wide, format.minExponent + 126)));
  } else {
    // f8E8M0FNU has f32's exponents; only the least one is subnormal there.
    Value isLeast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code, number(0));
    result = arith::SelectOp::create(
        b, isLeast, real(b, f32, Format::power(wide, format.minExponent)),
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
Value truncateByBits(ImplicitLocOpBuilder &b, Value value,
                     const Format &format) {
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

  Value least = number(bitsOf(Format::power(wide, format.minExponent)));
  Value isSmall =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude, least);
  Value subnormal = small(0);
  if (format.hasZero) {
    // Subnormal ones: the sum with a number whose last place is that of the
    // subnormal numbers is rounded there by the machine.
    APFloat anchor = Format::power(
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

//===----------------------------------------------------------------------===//
// By instructions
//===----------------------------------------------------------------------===//

/// PTX ISA, "cvt": the instructions of chips that have them convert pairs.
StringRef instructionName(FloatType type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3x2";
  if (isa<Float8E5M2Type>(type))
    return "e5m2x2";
  return "";
}

/// Applies `convert` to pairs of the elements of `value`, or to its only one
/// and `rest`.
Value byPairs(ImplicitLocOpBuilder &b, Value value, Type resultType,
              function_ref<std::pair<Value, Value>(Value, Value)> convert,
              Value rest) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return convert(value, rest).first;
  SmallVector<Value> results;
  int64_t count = vector.getNumElements();
  Value flat = value;
  if (vector.getRank() != 1)
    flat = vector::ShapeCastOp::create(
        b, VectorType::get({count}, vector.getElementType()), value);
  for (int64_t i = 0; i < count; i += 2) {
    Value first = vector::ExtractOp::create(b, flat, i);
    Value second =
        i + 1 < count ? vector::ExtractOp::create(b, flat, i + 1) : rest;
    auto [low, high] = convert(first, second);
    results.push_back(low);
    if (i + 1 < count)
      results.push_back(high);
  }
  auto resultVector = cast<VectorType>(resultType);
  Value all = vector::FromElementsOp::create(
      b, VectorType::get({count}, resultVector.getElementType()), results);
  if (resultVector.getRank() != 1)
    all = vector::ShapeCastOp::create(b, resultVector, all);
  return all;
}

Value callIntrinsic(ImplicitLocOpBuilder &b, Type type, const Twine &name,
                    ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}

/// The f16 values of `codes`.
Value extendByInstruction(ImplicitLocOpBuilder &b, Value codes,
                          StringRef name) {
  Type i16 = b.getI16Type();
  auto pair = VectorType::get({2}, b.getF16Type());
  auto convert = [&](Value low, Value high) -> std::pair<Value, Value> {
    Value both = arith::OrIOp::create(
        b, arith::ExtUIOp::create(b, i16, low),
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i16, high),
                              integer(b, i16, APInt(16, 8))));
    Value values =
        callIntrinsic(b, pair, "llvm.nvvm." + name + ".to.f16x2.rn", both);
    return {vector::ExtractOp::create(b, values, 0),
            vector::ExtractOp::create(b, values, 1)};
  };
  return byPairs(b, codes, withShapeOf(codes.getType(), b.getF16Type()),
                 convert, integer(b, b.getI8Type(), APInt(8, 0)));
}

/// The codes of `value` (f32). The instruction saturates; what is beyond the
/// greatest finite number is put right.
Value truncateByInstruction(ImplicitLocOpBuilder &b, Value value,
                            StringRef name, const Format &format) {
  Type i8 = b.getI8Type(), f32 = b.getF32Type();
  const llvm::fltSemantics &single = APFloat::IEEEsingle();
  auto convert = [&](Value low, Value high) -> std::pair<Value, Value> {
    Value codes =
        callIntrinsic(b, b.getI16Type(), "llvm.nvvm.ff.to." + name + ".rn",
                      ValueRange{high, low});
    Value upper = arith::ShRUIOp::create(
        b, codes, integer(b, b.getI16Type(), APInt(16, 8)));
    return {arith::TruncIOp::create(b, i8, codes),
            arith::TruncIOp::create(b, i8, upper)};
  };
  Value codes = byPairs(b, value, withShapeOf(value.getType(), i8), convert,
                        real(b, f32, APFloat::getZero(single)));

  // Rounding reaches the next number from the middle on where that is even.
  Type codeType = codes.getType();
  bool losesInfo;
  APFloat greatest(APFloat::getLargest(format.semantics));
  greatest.convert(single, APFloat::rmNearestTiesToEven, &losesInfo);
  APFloat half =
      Format::power(single, ilogb(greatest) - format.fractionBits - 1);
  auto beyond = format.maxFinite % 2 ? arith::CmpFPredicate::OGE
                                     : arith::CmpFPredicate::OGT;
  Value magnitude = math::AbsFOp::create(b, value);
  Value isLarge = arith::CmpFOp::create(
      b, beyond, magnitude, real(b, value.getType(), greatest + half));
  auto code = [&](uint64_t bits) {
    return integer(b, codeType, APInt(8, bits));
  };
  Value overflow = arith::OrIOp::create(
      b, arith::AndIOp::create(b, codes, code(0x80)), code(format.overflow));
  return arith::SelectOp::create(b, isLarge, overflow, codes);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct Extension : OpRewritePattern<arith::ExtFOp> {
  Extension(MLIRContext *context, bool hasInstructions)
      : OpRewritePattern(context), hasInstructions(hasInstructions) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getIn().getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    Value codes = arith::BitcastOp::create(
        b, withShapeOf(op.getType(), b.getI8Type()), op.getIn());
    StringRef name = instructionName(from);
    Value value = hasInstructions && !name.empty()
                      ? extendByInstruction(b, codes, name)
                      : extendByBits(b, codes, Format(from));
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

  bool hasInstructions;
};

struct Truncation : OpRewritePattern<arith::TruncFOp> {
  Truncation(MLIRContext *context, bool hasInstructions)
      : OpRewritePattern(context), hasInstructions(hasInstructions) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrow(op.getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Format format(to);
    Value value = op.getIn();
    auto widthOf = [](Value value) {
      return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    };
    if (widthOf(value) < 32)
      value = arith::ExtFOp::create(
          b, withShapeOf(value.getType(), b.getF32Type()), value);
    // f32's subnormal numbers are not normalised; f8E8M0FNU distinguishes them.
    if (!format.hasZero && widthOf(value) < 64)
      value = arith::ExtFOp::create(
          b, withShapeOf(value.getType(), b.getF64Type()), value);
    StringRef name = instructionName(to);
    bool byInstruction =
        hasInstructions && !name.empty() && widthOf(value) == 32;
    Value codes = byInstruction ? truncateByInstruction(b, value, name, format)
                                : truncateByBits(b, value, format);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), codes);
    return success();
  }

  bool hasInstructions;
};

struct ExpandNarrowFloatsPass
    : fusion::impl::NVVMExpandNarrowFloatsBase<ExpandNarrowFloatsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(computeInF32(context)))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    patterns.add<Extension, Truncation>(context, hasInstructions());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult complete = getOperation().walk([](Operation *op) -> WalkResult {
      for (Type type : op->getResultTypes())
        if (auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
            real && real.getWidth() != 8 &&
            !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(real))
          return op->emitError("values of type ")
                 << real << " have no lowering for the GPU";
      return WalkResult::advance();
    });
    if (complete.wasInterrupted())
      signalPassFailure();
  }

private:
  bool hasInstructions() {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    auto attr = module ? module->getAttrOfType<fusion::fuse::ChipAttr>(
                             fusion::fuse::kChipAttrName)
                       : nullptr;
    const fusion::ChipInfo *chip =
        attr ? fusion::lookupChip(attr.getName()) : nullptr;
    return chip && chip->hasF8Conversions;
  }

  /// Everything but conversions and moves of values is done in f32.
  LogicalResult computeInF32(MLIRContext *context) {
    Type f32 = Float32Type::get(context);
    TypeConverter converter;
    llvm::SetVector<Type> supported;
    for (Type type :
         {Type(Float16Type::get(context)), Type(BFloat16Type::get(context)),
          f32, Type(Float64Type::get(context))})
      supported.insert(type);
    math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                      f32);
    ConversionTarget target(*context);
    math::populateExtendToSupportedTypesConversionTarget(target, converter);
    RewritePatternSet patterns(context);
    math::populateExtendToSupportedTypesPatterns(patterns, converter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return failure();
    return fusion::computeInF32(getOperation(),
                                fusion::eightBitFloats(context));
  }
};

} // namespace
