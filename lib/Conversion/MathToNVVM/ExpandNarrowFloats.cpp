//===- ExpandNarrowFloats.cpp - nvvm-expand-narrow-floats -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/NarrowConversions.h"
#include "fusion/Conversion/MathFunctions/NarrowFunctions.h"
#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fusion {
#define GEN_PASS_DEF_NVVMEXPANDNARROWFLOATS
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

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
                            StringRef name, const NarrowFormat &format) {
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
      NarrowFormat::power(single, ilogb(greatest) - format.fractionBits - 1);
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

/// The instructions of chips that have them, and integer arithmetic.
class Instructions : public NarrowConversions {
  Value extend(ImplicitLocOpBuilder &b, Value codes,
               FloatType from) const override {
    StringRef name = instructionName(from);
    return name.empty() ? NarrowConversions::extend(b, codes, from)
                        : extendByInstruction(b, codes, name);
  }
  Value truncate(ImplicitLocOpBuilder &b, Value value,
                 FloatType to) const override {
    StringRef name = instructionName(to);
    if (name.empty() || !getElementTypeOrSelf(value.getType()).isF32())
      return NarrowConversions::truncate(b, value, to);
    return truncateByInstruction(b, value, name, NarrowFormat(to));
  }
};

struct ExpandNarrowFloatsPass
    : fusion::impl::NVVMExpandNarrowFloatsBase<ExpandNarrowFloatsPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    if (failed(computeByteFloatsInF32(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    const NarrowConversions byBits;
    const Instructions byInstructions;
    populateNarrowConversions(patterns,
                              hasInstructions() ? byInstructions : byBits);
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
};

} // namespace
