//===- MathToNVVM.cpp - convert-math-to-nvvm ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/Approximations.h"
#include "fusion/Conversion/MathFunctions/Arithmetic.h"
#include "fusion/Conversion/MathFunctions/DeviceFunctions.h"
#include "fusion/Conversion/MathFunctions/NarrowFunctions.h"
#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

namespace fusion {
#define GEN_PASS_DEF_CONVERTMATHTONVVM
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

Value constant(PatternRewriter &b, Location loc, double value) {
  return arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

/// Op(x) = outer · intrinsic(inner · x), where a factor of 1 is left out. A
/// constant that x is multiplied by goes into the inner factor.
template <typename Op> struct ApproximateF32 : OpRewritePattern<Op> {
  ApproximateF32(MLIRContext *context, StringRef intrinsic, double inner,
                 double outer, StringRef flushing = {})
      : OpRewritePattern<Op>(context, /*benefit=*/10), intrinsic(intrinsic),
        flushing(flushing), inner(inner), outer(outer) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    Value x = op.getOperand();
    double factor = inner;
    // A constant factor of the argument is multiplied into the inner factor,
    // which saves one rounding.
    FloatAttr scale;
    auto scaled = x.getDefiningOp<arith::MulFOp>();
    if (inner != 1 && scaled &&
        matchPattern(scaled.getRhs(), m_Constant(&scale))) {
      double folded = inner * scale.getValueAsDouble();
      // Only for normal numbers of f32, where the constant's rounding error is
      // relative.
      if (std::fabs(folded) > std::numeric_limits<float>::min() &&
          std::fabs(folded) < std::numeric_limits<float>::max()) {
        factor = folded;
        x = scaled.getLhs();
      }
    }
    if (factor != 1)
      x = arith::MulFOp::create(b, loc, x, constant(b, loc, factor));
    StringRef name =
        op->hasAttr(fusion::fuse::kFlushAttrName) && !flushing.empty()
            ? flushing
            : intrinsic;
    Value result = LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                                 b.getStringAttr(name), x)
                       .getResult(0);
    if (outer != 1)
      result = arith::MulFOp::create(b, loc, result, constant(b, loc, outer));
    b.replaceOp(op, result);
    return success();
  }

  StringRef intrinsic;
  StringRef flushing; ///< variant that flushes subnormal results
  double inner, outer;
};

/// Lowers an operation to an instruction; upstream would call a library.
template <typename From, typename To>
struct ToInstruction : OpRewritePattern<From> {
  using OpRewritePattern<From>::OpRewritePattern;
  LogicalResult matchAndRewrite(From op, PatternRewriter &b) const override {
    if (!op.getType().isF32() && !op.getType().isF16() &&
        !op.getType().isBF16() && !op.getType().isF64())
      return failure();
    b.replaceOpWithNewOp<To>(op, op.getType(), op.getLhs(), op.getRhs());
    return success();
  }
};

/// Lowers a function to LLVM's intrinsic of that name, which computes it
/// exactly, in the operand's own type.
template <typename Op> struct ToIntrinsic : OpRewritePattern<Op> {
  ToIntrinsic(MLIRContext *context, StringRef name)
      : OpRewritePattern<Op>(context, /*benefit=*/10), name(name) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type type = op.getType();
    if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
      return failure();
    std::string suffix;
    llvm::raw_string_ostream(suffix) << type;
    auto call = LLVM::CallIntrinsicOp::create(
        b, op.getLoc(), type, b.getStringAttr(name + "." + suffix),
        op->getOperands());
    b.replaceOp(op, call.getResult(0));
    return success();
  }
  StringRef name;
};

/// Lowers integer functions to LLVM's intrinsics; an index has 64 bits.
/// `hasFlag`: the intrinsic has a flag that makes the result of a special
/// operand undefined, which stays false.
template <typename Op> struct IntegerIntrinsic : OpRewritePattern<Op> {
  IntegerIntrinsic(MLIRContext *context, StringRef name, bool hasFlag)
      : OpRewritePattern<Op>(context, /*benefit=*/10), name(name),
        hasFlag(hasFlag) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    bool isIndex = op.getType().isIndex();
    auto type = isIndex ? b.getI64Type() : dyn_cast<IntegerType>(op.getType());
    if (!type)
      return failure();
    SmallVector<Value> operands(op->getOperands());
    if (isIndex)
      operands = {arith::IndexCastOp::create(b, loc, type, op.getOperand())};
    if (hasFlag)
      operands.push_back(arith::ConstantIntOp::create(b, loc, 0, 1));
    std::string full = (name + ".i" + Twine(type.getWidth())).str();
    Value result = LLVM::CallIntrinsicOp::create(
                       b, loc, type, b.getStringAttr(full), operands)
                       .getResult(0);
    if (isIndex)
      result = arith::IndexCastOp::create(b, loc, op.getType(), result);
    b.replaceOp(op, result);
    return success();
  }
  StringRef name;
  bool hasFlag;
};

/// Lowers the sine and cosine of one operand to two operations.
struct SineAndCosine : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &b) const override {
    Value sine = math::SinOp::create(b, op.getLoc(), op.getOperand());
    Value cosine = math::CosOp::create(b, op.getLoc(), op.getOperand());
    b.replaceOp(op, {sine, cosine});
    return success();
  }
};

/// Compares a number with itself: only NaN differs.
struct IsNaN : OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &b) const override {
    b.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::UNO,
                                        op.getOperand(), op.getOperand());
    return success();
  }
};

/// Compares |x| with infinity by `predicate`, which gives the result of `Op`.
template <typename Op, arith::CmpFPredicate predicate>
struct CompareInfinity : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Value x = op.getOperand();
    auto type = dyn_cast<FloatType>(x.getType());
    if (!type)
      return failure();
    Value magnitude = math::AbsFOp::create(b, op.getLoc(), x);
    Value infinity = arith::ConstantOp::create(
        b, op.getLoc(),
        b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics())));
    b.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, magnitude, infinity);
    return success();
  }
};

/// Computes a remainder of narrow numbers in f32, which is exact.
struct NarrowRemainder : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() >= 32)
      return failure();
    Value x = arith::ExtFOp::create(b, loc, b.getF32Type(), op.getLhs());
    Value y = arith::ExtFOp::create(b, loc, b.getF32Type(), op.getRhs());
    Value rest = arith::RemFOp::create(b, loc, x, y);
    b.replaceOpWithNewOp<arith::TruncFOp>(op, type, rest);
    return success();
  }
};

/// The approximate instructions of the PTX ISA.
class ApproximateInstructions : public fusion::MachineFunctions {
  static Value instruction(fusion::Arithmetic &a, StringRef name, Value x) {
    return LLVM::CallIntrinsicOp::create(a.b, a.loc, a.b.getF32Type(),
                                         a.b.getStringAttr(name), x)
        .getResult(0);
  }
  Value reciprocal(fusion::Arithmetic &a, Value x) const override {
    return instruction(a, "llvm.nvvm.rcp.approx.ftz.f", x);
  }
  Value powerOf2(fusion::Arithmetic &a, Value x) const override {
    return instruction(a, "llvm.nvvm.ex2.approx.f32", x);
  }
  Value log2(fusion::Arithmetic &a, Value x) const override {
    return instruction(a, "llvm.nvvm.lg2.approx.f", x);
  }
  Value exponential(fusion::Arithmetic &a, Value x) const override {
    return powerOf2(a, a.mul(x, a.constant(llvm::numbers::log2e)));
  }
  Value logarithm(fusion::Arithmetic &a, Value x,
                  double factor) const override {
    return a.mul(log2(a, x), a.constant(llvm::numbers::ln2 * factor));
  }
};

struct MathToNVVMPass : fusion::impl::ConvertMathToNVVMBase<MathToNVVMPass> {
  void runOnOperation() override {
    if (failed(fusion::extendNarrowFunctions(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ApproximateF32<math::ExpOp>>(
        context, "llvm.nvvm.ex2.approx.f32", llvm::numbers::log2e, 1.0,
        "llvm.nvvm.ex2.approx.ftz.f32");
    patterns.add<ApproximateF32<math::Exp2Op>>(
        context, "llvm.nvvm.ex2.approx.f32", 1.0, 1.0,
        "llvm.nvvm.ex2.approx.ftz.f32");
    patterns.add<ApproximateF32<math::LogOp>>(context, "llvm.nvvm.lg2.approx.f",
                                              1.0, llvm::numbers::ln2);
    patterns.add<ApproximateF32<math::Log2Op>>(
        context, "llvm.nvvm.lg2.approx.f", 1.0, 1.0);
    patterns.add<ApproximateF32<math::Log10Op>>(
        context, "llvm.nvvm.lg2.approx.f", 1.0,
        llvm::numbers::ln2 / llvm::numbers::ln10);
    patterns.add<ApproximateF32<math::RsqrtOp>>(
        context, "llvm.nvvm.rsqrt.approx.f", 1.0, 1.0);
    patterns
        .add<ToInstruction<arith::MaxNumFOp, LLVM::MaxNumOp>,
             ToInstruction<arith::MinNumFOp, LLVM::MinNumOp>, NarrowRemainder>(
            context);
    patterns.add<IntegerIntrinsic<math::AbsIOp>>(context, "llvm.abs", true);
    patterns.add<IntegerIntrinsic<math::CountLeadingZerosOp>>(
        context, "llvm.ctlz", true);
    patterns.add<IntegerIntrinsic<math::CountTrailingZerosOp>>(
        context, "llvm.cttz", true);
    patterns.add<IntegerIntrinsic<math::CtPopOp>>(context, "llvm.ctpop", false);
    patterns.add<IsNaN, SineAndCosine,
                 CompareInfinity<math::IsInfOp, arith::CmpFPredicate::OEQ>,
                 CompareInfinity<math::IsFiniteOp, arith::CmpFPredicate::OLT>>(
        context);
    patterns.add<ToIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
    patterns.add<ToIntrinsic<math::CeilOp>>(context, "llvm.ceil");
    patterns.add<ToIntrinsic<math::CopySignOp>>(context, "llvm.copysign");
    patterns.add<ToIntrinsic<math::FloorOp>>(context, "llvm.floor");
    // One rounding: upstream's expansion below would be a multiplication and an
    // addition.
    patterns.add<ToIntrinsic<math::FmaOp>>(context, "llvm.fma");
    patterns.add<ToIntrinsic<math::RoundOp>>(context, "llvm.round");
    patterns.add<ToIntrinsic<math::RoundEvenOp>>(context, "llvm.roundeven");
    patterns.add<ToIntrinsic<math::SqrtOp>>(context, "llvm.sqrt");
    patterns.add<ToIntrinsic<math::TruncOp>>(context, "llvm.trunc");
    fusion::populateDeviceFunctions(patterns);
    const ApproximateInstructions machine;
    fusion::populateApproximations(patterns, machine);
    // Differences of exponentials lose all digits near zero, so hyperbolic
    // functions are approximations and device functions.
    math::populateExpansionPatterns(patterns, {"ceil", "clampf", "ctlz", "exp2",
                                               "fma", "fpowi", "powf", "round",
                                               "roundeven", "rsqrt"});
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    WalkResult complete = getOperation().walk([](Operation *op) -> WalkResult {
      if (!isa<math::MathDialect>(op->getDialect()))
        return WalkResult::advance();
      return op->emitError("'")
             << op->getName() << "' on " << op->getResult(0).getType()
             << " has no lowering for the GPU";
    });
    if (complete.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
