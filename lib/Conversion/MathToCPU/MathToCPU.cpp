//===- MathToCPU.cpp - convert-math-to-cpu --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16Bits.h"
#include "fusion/Conversion/MathFunctions/Approximations.h"
#include "fusion/Conversion/MathFunctions/Arithmetic.h"
#include "fusion/Conversion/MathFunctions/DeviceFunctions.h"
#include "fusion/Conversion/MathFunctions/NarrowConversions.h"
#include "fusion/Conversion/MathFunctions/NarrowFunctions.h"
#include "fusion/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace fusion {
#define GEN_PASS_DEF_CONVERTMATHTOCPU
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

/// The functions of a machine that has none: polynomials, and the bits of
/// exponents.
class ComputedFunctions : public MachineFunctions {
  Value reciprocal(Arithmetic &a, Value x) const override {
    return arith::DivFOp::create(a.b, a.loc, a.constant(1), x);
  }

  static Value compare(Arithmetic &a, arith::CmpFPredicate predicate, Value x,
                       double y) {
    return arith::CmpFOp::create(a.b, a.loc, predicate, x, a.constant(y));
  }
  /// Returns x between two bounds; NaN stays NaN.
  static Value clamp(Arithmetic &a, Value x, double least, double most) {
    x = a.select(compare(a, arith::CmpFPredicate::OGT, x, most),
                 a.constant(most), x);
    return a.select(compare(a, arith::CmpFPredicate::OLT, x, least),
                    a.constant(least), x);
  }
  /// Returns y · 2^n for the integer in the low bits of `rounded`, from -252 to
  /// 254, in two steps: 2^n may be no normal number.
  static Value scale(Arithmetic &a, Value y, Value rounded) {
    Value n = a.subWords(a.bits(rounded), a.word(0x4b400000));
    Value half = arith::ShRSIOp::create(a.b, a.loc, n, a.word(1));
    auto power = [&](Value exponent) {
      return a.number(arith::ShLIOp::create(
          a.b, a.loc, a.addWords(exponent, a.word(127)), a.word(23)));
    };
    return a.mul(a.mul(y, power(half)), power(a.subWords(n, half)));
  }

  Value powerOf2(Arithmetic &a, Value x) const override {
    x = clamp(a, x, -160, 129);
    Value rounded = a.rounded(x, 1);
    Value f = a.sub(a.integral(rounded), x);
    Value y = a.fma(f, a.polynomial(f, kPowerOf2), a.constant(1));
    return scale(a, y, rounded);
  }

  Value exponential(Arithmetic &a, Value x) const override {
    x = clamp(a, x, -110, 89);
    Value rounded = a.rounded(x, llvm::numbers::log2e);
    Value n = a.integral(rounded);
    Split ln2(llvm::numbers::ln2);
    Value f = a.fma(n, a.constant(-ln2.high), x);
    f = a.fma(n, a.constant(-ln2.low), f);
    Value y = a.fma(a.mul(f, f), a.polynomial(f, kExpM1), f);
    return scale(a, a.add(y, a.constant(1)), rounded);
  }

  /// log(x) of x = 2^e (1 + m), m from -0.25 to 0.5: e · ofExponent + log(1 +
  /// m) · ofFraction.
  static Value logarithm(Arithmetic &a, Value x, double ofExponent,
                         double ofFraction) {
    // Subnormal numbers are scaled to normal ones.
    Value isSmall = compare(a, arith::CmpFPredicate::OLT, x, 0x1p-126);
    Value normal = a.select(isSmall, a.mul(x, a.constant(0x1p23)), x);
    Value e = arith::AndIOp::create(
        a.b, a.loc, a.subWords(a.bits(normal), a.word(0x3f400000 /* 0.75 */)),
        a.word(0xff800000));
    Value m = a.sub(a.number(a.subWords(a.bits(normal), e)), a.constant(1));
    Value y = a.fma(a.polynomial(m, kLog1p), m, a.constant(-0.5));
    y = a.fma(a.mul(m, m), y, m);
    Value exponent = arith::SIToFPOp::create(a.b, a.loc, a.type, e);
    exponent = a.fma(exponent, a.constant(0x1p-23),
                     a.select(isSmall, a.constant(-23), a.constant(0)));
    if (ofFraction != 1)
      y = a.mul(y, a.constant(ofFraction));
    y = a.fma(exponent, a.constant(ofExponent), y);
    // Infinity and NaN are their own logarithms, that of zero is -inf, and
    // negative numbers have none.
    Value isFinite = compare(a, arith::CmpFPredicate::OLT, x, INFINITY);
    y = a.select(isFinite, y, x);
    y = a.select(compare(a, arith::CmpFPredicate::OEQ, x, 0),
                 a.constant(-INFINITY), y);
    return a.select(compare(a, arith::CmpFPredicate::OLT, x, 0),
                    a.constant(NAN), y);
  }

  Value log2(Arithmetic &a, Value x) const override {
    return logarithm(a, x, 1, llvm::numbers::log2e);
  }
  Value logarithm(Arithmetic &a, Value x, double factor) const override {
    return logarithm(a, x, llvm::numbers::ln2 * factor, factor);
  }
};

/// 1 / sqrt(x), both exact: the approximate instructions are not.
struct ReciprocalRoot : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &b) const override {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (!element || element.getWidth() < 32)
      return failure();
    TypedAttr one = b.getFloatAttr(element, 1);
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      one = DenseElementsAttr::get(vector, Attribute(one));
    Value root = math::SqrtOp::create(b, op.getLoc(), op.getOperand());
    b.replaceOpWithNewOp<arith::DivFOp>(
        op, arith::ConstantOp::create(b, op.getLoc(), one), root);
    return success();
  }
};

/// Evaluates a function of a vector lane by lane, if no pattern of more benefit
/// has vectors of it.
struct UnrollLanes : RewritePattern {
  UnrollLanes(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &b) const override {
    bool isFunction =
        isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
            math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
            math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp,
            math::Exp2Op, math::ExpM1Op, math::FPowIOp, math::LogOp,
            math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp,
            math::SinOp, math::SinhOp, math::TanOp, math::TanhOp,
            arith::RemFOp>(op);
    if (!isFunction)
      return failure();
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type)
      return failure();
    Location loc = op->getLoc();
    Value result = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(vector::ExtractOp::create(b, loc, operand, lane));
      OperationState state(loc, op->getName());
      state.addOperands(operands);
      state.addTypes(type.getElementType());
      state.propertiesAttr = op->getPropertiesAsAttribute();
      result = vector::InsertOp::create(b, loc, b.create(state)->getResult(0),
                                        result, lane);
    }
    b.replaceOp(op, result);
    return success();
  }
};

struct MathToCPUPass : fusion::impl::ConvertMathToCPUBase<MathToCPUPass> {
  void runOnOperation() override {
    // Evaluates functions of types with 16 bits in f32, and everything of types
    // with 8.
    if (failed(computeByteFloatsInF32(getOperation())) ||
        failed(extendNarrowFunctions(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    const ComputedFunctions machine;
    populateApproximations(patterns, machine);
    populateRemainingFunctions(patterns, machine);
    populateDeviceFunctions(patterns);
    const NarrowConversions conversions;
    populateNarrowConversions(patterns, conversions);
    populateBFloat16Signs(patterns);
    patterns.add<ReciprocalRoot, UnrollLanes>(context);
    arith::populateExpandBFloat16Patterns(patterns);
    math::populateExpansionPatterns(patterns, {"clampf", "sincos"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))) ||
        failed(moveBFloat16AsBits(getOperation())))
      signalPassFailure();
  }
};

} // namespace
