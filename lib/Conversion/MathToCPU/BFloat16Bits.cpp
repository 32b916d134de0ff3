//===- BFloat16Bits.cpp - bf16 numbers as integers ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BFloat16Bits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace fusion;

/// Returns `type` with elements that are integers of 16 bits.
static Type bitsOf(Type type) {
  Type bits = IntegerType::get(type.getContext(), 16);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(bits)) : bits;
}

static bool isBFloat16(Type type) {
  return getElementTypeOrSelf(type).isBF16() &&
         isa<BFloat16Type, VectorType>(type);
}

namespace {

struct AbsoluteValue : OpRewritePattern<math::AbsFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::AbsFOp op,
                                PatternRewriter &b) const override;
};

struct CopySign : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &b) const override;
};

/// Makes a constant of bits.
struct Constant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = bitsOf(op.getType());
    TypedAttr bits;
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      bits = b.getIntegerAttr(type, number.getValue().bitcastToAPInt());
    else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
      bits = dense.bitcast(b.getI16Type());
    else
      return failure();
    b.replaceOpWithNewOp<arith::ConstantOp>(op, bits);
    return success();
  }
};

/// Leaves out what is none of bits.
struct Bitcast : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (adaptor.getIn().getType() == type)
      b.replaceOp(op, adaptor.getIn());
    else
      b.replaceOpWithNewOp<arith::BitcastOp>(op, type, adaptor.getIn());
    return success();
  }
};

/// Makes an operation that moves values move their bits.
struct Move : ConversionPattern {
  Move(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &b) const override {
    if (!isa<vector::VectorDialect, scf::SCFDialect>(op->getDialect()) &&
        !isa<arith::SelectOp, ub::PoisonOp, LLVM::LoadOp, LLVM::StoreOp>(op))
      return failure();
    OperationState state(op->getLoc(), op->getName());
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return failure();
    state.addOperands(operands);
    state.addTypes(types);
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions()) {
      Region *moved = state.addRegion();
      b.inlineRegionBefore(region, *moved, moved->end());
      if (failed(b.convertRegionTypes(moved, *getTypeConverter())))
        return failure();
    }
    b.replaceOp(op, b.create(state)->getResults());
    return success();
  }
};

} // namespace

static Value mask(PatternRewriter &b, Location loc, Value x, uint16_t bits) {
  Type type = bitsOf(x.getType());
  TypedAttr kept = b.getIntegerAttr(b.getI16Type(), APInt(16, bits));
  if (auto vector = dyn_cast<VectorType>(type))
    kept = DenseElementsAttr::get(vector, Attribute(kept));
  return arith::AndIOp::create(b, loc,
                               arith::BitcastOp::create(b, loc, type, x),
                               arith::ConstantOp::create(b, loc, kept));
}

LogicalResult AbsoluteValue::matchAndRewrite(math::AbsFOp op,
                                             PatternRewriter &b) const {
  if (!isBFloat16(op.getType()))
    return failure();
  b.replaceOpWithNewOp<arith::BitcastOp>(
      op, op.getType(), mask(b, op.getLoc(), op.getOperand(), 0x7fff));
  return success();
}

LogicalResult CopySign::matchAndRewrite(math::CopySignOp op,
                                        PatternRewriter &b) const {
  if (!isBFloat16(op.getType()))
    return failure();
  Value bits = arith::OrIOp::create(b, op.getLoc(),
                                    mask(b, op.getLoc(), op.getLhs(), 0x7fff),
                                    mask(b, op.getLoc(), op.getRhs(), 0x8000));
  b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
  return success();
}

void fusion::populateBFloat16Signs(RewritePatternSet &patterns) {
  patterns.add<AbsoluteValue, CopySign>(patterns.getContext());
}

LogicalResult fusion::moveBFloat16AsBits(Operation *root) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](Type type) -> std::optional<Type> {
    if (!isBFloat16(type))
      return std::nullopt;
    return bitsOf(type);
  });
  // Instructions that compute with bf16 keep their operands.
  converter.addSourceMaterialization(
      [](OpBuilder &b, Type type, ValueRange inputs, Location loc) -> Value {
        return LLVM::BitcastOp::create(b, loc, type, inputs.front());
      });
  ConversionTarget target(*context);
  target.addLegalOp<LLVM::CallIntrinsicOp, LLVM::BitcastOp>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    return converter.isLegal(op) &&
           llvm::all_of(op->getRegions(), [&](Region &region) {
             return converter.isLegal(&region);
           });
  });
  RewritePatternSet patterns(context);
  patterns.add<Constant, Bitcast>(converter, context, /*benefit=*/2);
  patterns.add<Move>(converter, context);
  return applyPartialConversion(root, target, std::move(patterns));
}
