//===- ExpandNarrowFloats.cpp - reference-expand-narrow-floats ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Passes.h"
#include "fusion/Runtime/ElementType.h"
#include "fusion/Transforms/Normalize/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEEXPANDNARROWFLOATS
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

std::string typeText(Type type) { return llvm::formatv("{0}", type).str(); }

struct ExpandNarrowFloats
    : fusion::impl::ReferenceExpandNarrowFloatsBase<ExpandNarrowFloats> {
  void runOnOperation() override {
    if (failed(checkTypes()))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // fma first: it makes conversions.
    getOperation().walk([&](math::FmaOp op) { expandFma(rewriter, op); });
    if (failed(computeInF32()))
      return signalPassFailure();
    SmallVector<Operation *> conversions;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::ExtFOp, arith::TruncFOp>(op))
        conversions.push_back(op);
    });
    for (Operation *op : conversions) {
      rewriter.setInsertionPoint(op);
      if (auto ext = dyn_cast<arith::ExtFOp>(op))
        expandExtension(rewriter, ext);
      else
        expandTruncation(rewriter, cast<arith::TruncFOp>(op));
    }
  }

private:
  /// The runtime knows the numbers of every float that tensors may hold.
  LogicalResult checkTypes() {
    WalkResult walk = getOperation().walk([](Operation *op) -> WalkResult {
      for (Type type : llvm::concat<const Type>(
               TypeRange(op->getOperandTypes()), op->getResultTypes()))
        if (auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
            real && !fusion::parseElementType(typeText(real)))
          return op->emitError("values of type ")
                 << real << " have no lowering for the CPU";
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// Every other operation on a narrow type becomes one in f32 with a rounding
  /// after it. f16 is among them, so that no code generator keeps excess
  /// precision.
  LogicalResult computeInF32() {
    MLIRContext *context = &getContext();
    SmallVector<Type> narrow = fusion::eightBitFloats(context);
    narrow.push_back(Float16Type::get(context));
    narrow.push_back(BFloat16Type::get(context));
    return fusion::computeInF32(getOperation(), narrow);
  }

  void expandFma(RewriterBase &rewriter, math::FmaOp op) {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() >= 32)
      return;
    // The product of two narrow numbers is exact in f64.
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    auto f64 = rewriter.getF64Type();
    auto extend = [&](Value value) -> Value {
      return arith::ExtFOp::create(rewriter, loc, f64, value);
    };
    Value product = arith::MulFOp::create(rewriter, loc, extend(op.getA()),
                                          extend(op.getB()));
    Value sum =
        arith::AddFOp::create(rewriter, loc, product, extend(op.getC()));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, sum);
  }

  void expandExtension(RewriterBase &rewriter, arith::ExtFOp op) {
    auto from = dyn_cast<FloatType>(op.getIn().getType());
    if (!from || from.getWidth() != 8)
      return;
    Location loc = op.getLoc();
    memref::GlobalOp table = valueTable(rewriter, from);
    Value values = memref::GetGlobalOp::create(rewriter, loc, table.getType(),
                                               table.getSymName());
    Value bits = arith::BitcastOp::create(rewriter, loc, rewriter.getI8Type(),
                                          op.getIn());
    Value index = arith::IndexCastUIOp::create(rewriter, loc,
                                               rewriter.getIndexType(), bits);
    Value value = memref::LoadOp::create(rewriter, loc, values, index);
    if (value.getType() == op.getType())
      return rewriter.replaceOp(op, value);
    // f64 directly, f16 and bf16 through f32: all exact.
    if (cast<FloatType>(op.getType()).getWidth() > 32)
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), value);
    else
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
  }

  void expandTruncation(RewriterBase &rewriter, arith::TruncFOp op) {
    auto from = dyn_cast<FloatType>(op.getIn().getType());
    auto to = dyn_cast<FloatType>(op.getType());
    if (!from || !to)
      return;
    // From f64 the machine has no instruction either, and by way of f32 it
    // would be two roundings.
    bool halvesTwice = to.getWidth() == 16 && from.getWidth() == 64;
    if (to.getWidth() != 8 && !halvesTwice)
      return;
    Location loc = op.getLoc();
    auto bitsType = rewriter.getIntegerType(to.getWidth());
    func::FuncOp function = truncation(rewriter, to, bitsType);
    Value wide = op.getIn();
    if (from.getWidth() == 16) // what arith-expand knows is from f32
      wide = arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(), wide);
    if (!wide.getType().isF64())
      wide = arith::ExtFOp::create(rewriter, loc, rewriter.getF64Type(), wide);
    Value bits =
        func::CallOp::create(rewriter, loc, function, wide).getResult(0);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, bits);
  }

  memref::GlobalOp valueTable(RewriterBase &rewriter, FloatType type) {
    std::string name = "fusion_values_" + typeText(type);
    if (auto known = getOperation().lookupSymbol<memref::GlobalOp>(name))
      return known;
    std::optional<fusion::ElementType> element =
        fusion::parseElementType(typeText(type));
    assert(element && "an 8-bit float that tensors cannot have");
    SmallVector<float> values;
    for (unsigned code = 0; code < 256; ++code) {
      auto byte = static_cast<uint8_t>(code);
      values.push_back(
          static_cast<float>(fusion::elementToDouble(*element, &byte)));
    }
    auto contents = RankedTensorType::get({256}, rewriter.getF32Type());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(getOperation().getBody());
    return memref::GlobalOp::create(
        rewriter, getOperation().getLoc(), name,
        rewriter.getStringAttr("private"),
        MemRefType::get({256}, rewriter.getF32Type()),
        DenseElementsAttr::get(contents, ArrayRef<float>(values)),
        /*constant=*/true, /*alignment=*/IntegerAttr());
  }

  func::FuncOp truncation(RewriterBase &rewriter, FloatType type,
                          IntegerType bits) {
    std::string name = "fusion_reference_truncate_" + typeText(type);
    if (auto known = getOperation().lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(getOperation().getBody());
    auto function = func::FuncOp::create(
        rewriter, getOperation().getLoc(), name,
        rewriter.getFunctionType(rewriter.getF64Type(), bits));
    function.setPrivate();
    return function;
  }
};

} // namespace
