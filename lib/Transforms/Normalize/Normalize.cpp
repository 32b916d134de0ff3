//===- Normalize.cpp - fuse-normalize -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementReads.h"
#include "IndexedOperators.h"
#include "ScalarOperands.h"
#include "SeparateResults.h"
#include "StartingValues.h"
#include "UnitIndices.h"
#include "UnitWindows.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fusion {
#define GEN_PASS_DEF_FUSENORMALIZE
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

/// A slice of what an element-wise operator makes is made of slices of what it
/// reads, where nothing but slices is read of it and they do not overlap more
/// than they leave out: the gates of a recurrent cell.
struct SliceElementwise : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto maker = op.getSource().getDefiningOp<linalg::LinalgOp>();
    if (!maker || !fusion::isElementwise(maker) ||
        !op.getSourceType().hasStaticShape() ||
        !maker.getMatchingIndexingMap(maker.getDpsInitOperand(0))
             .isIdentity() ||
        !maker.getBlock()->getOps<linalg::IndexOp>().empty())
      return failure();
    int64_t elements = 0;
    SmallVector<tensor::ExtractSliceOp> slices;
    for (Operation *user : op.getSource().getUsers()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!slice || !slice.getType().hasStaticShape() ||
          slice.getDroppedDims().any())
        return failure();
      elements += slice.getType().getNumElements();
      slices.push_back(slice);
    }
    if (elements > op.getSourceType().getNumElements())
      return failure();
    // All at once: what the operator reads is then read by slices only as well.
    for (tensor::ExtractSliceOp slice : slices)
      push(slice, maker, rewriter);
    rewriter.eraseOp(maker);
    return success();
  }

private:
  static void push(tensor::ExtractSliceOp op, linalg::LinalgOp maker,
                   PatternRewriter &rewriter) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    SmallVector<Value> operands;
    for (OpOperand *operand : maker.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      if (!type || type.getRank() == 0) {
        operands.push_back(operand->get());
        continue;
      }
      SmallVector<OpFoldResult> part[3];
      for (AffineExpr expr :
           maker.getMatchingIndexingMap(operand).getResults()) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        part[0].push_back(offsets[loop]);
        part[1].push_back(sizes[loop]);
        part[2].push_back(strides[loop]);
      }
      operands.push_back(tensor::ExtractSliceOp::create(
          rewriter, loc, operand->get(), part[0], part[1], part[2]));
    }
    operands.push_back(tensor::EmptyOp::create(rewriter, loc, sizes,
                                               op.getType().getElementType()));
    Operation *sliced = clone(rewriter, maker, op.getType(), operands);
    rewriter.replaceOp(op, sliced->getResults());
  }
};

struct Pack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    return failure(failed(linalg::lowerPack(rewriter, op)));
  }
};

struct Unpack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    return failure(failed(linalg::lowerUnPack(rewriter, op)));
  }
};

/// An element-wise conversion of a filled tensor is a filled tensor.
struct ConvertFill : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || !fusion::isElementwise(op))
      return failure();
    auto fill = op.getInputs()[0].getDefiningOp<linalg::FillOp>();
    if (!fill)
      return failure();
    Operation *conversion = &op.getBlock()->front();
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::TruncIOp>(
            conversion) ||
        conversion->getNextNode() != op.getBlock()->getTerminator())
      return failure();
    IRMapping mapping;
    mapping.map(op.getBlock()->getArgument(0), fill.getInputs()[0]);
    Operation *converted = rewriter.clone(*conversion, mapping);
    SmallVector<Value> folded;
    Value value = succeeded(rewriter.tryFold(converted, folded))
                      ? folded.front()
                      : converted->getResult(0);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, value, op.getOutputs()[0]);
    return success();
  }
};

/// What an operator reads of a filled tensor is the number it is filled with.
/// The operand stays where only it says how often a loop runs.
struct ReadFill : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    llvm::BitVector filled(op.getBody()->getNumArguments());
    bool changed = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto fill = operand->get().getDefiningOp<linalg::FillOp>();
      BlockArgument element = op.getMatchingBlockArgument(operand);
      if (fill && fill.getInputs()[0].getType() == element.getType()) {
        changed |= !element.use_empty();
        rewriter.replaceAllUsesWith(element, fill.getInputs()[0]);
        filled.set(element.getArgNumber());
        continue;
      }
      inputs.push_back(operand->get());
      maps.push_back(op.getMatchingIndexingMap(operand));
    }
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(op.getMatchingIndexingMap(&init));
    if (filled.none() ||
        !inversePermutation(concatAffineMaps(maps, getContext())))
      return success(changed);
    auto shorter = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    shorter->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), shorter.getRegion(),
                                shorter.getRegion().begin());
    rewriter.modifyOpInPlace(
        shorter, [&] { shorter.getBody()->eraseArguments(filled); });
    rewriter.replaceOp(op, shorter);
    return success();
  }
};

/// A result that is written in full without reading what it starts from starts
/// from an empty tensor: the other is not read there.
struct StartFromEmpty : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() ||
        op.getNumLoops() != op.getNumParallelLoops())
      return failure();
    bool changed = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (init.get().getDefiningOp<tensor::EmptyOp>() ||
          !op.getMatchingIndexingMap(&init).isPermutation() ||
          op.payloadUsesValueFromOperand(&init))
        continue;
      auto type = cast<RankedTensorType>(init.get().getType());
      SmallVector<Value> sizes;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          sizes.push_back(
              tensor::DimOp::create(rewriter, op.getLoc(), init.get(), d));
      Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      changed = true;
    }
    return success(changed);
  }
};

struct NormalizePass : fusion::impl::FuseNormalizeBase<NormalizePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertFill, Pack, ReadFill, StartFromEmpty, Unpack>(
        &getContext());
    populateElementReadPatterns(patterns);
    populateStartingValuePatterns(patterns);
    populateIndexedOperatorPatterns(patterns);
    // Before the slice becomes an operator of its own.
    patterns.add<SliceElementwise>(&getContext(), /*benefit=*/2);
    populateScalarOperandPatterns(patterns);
    populateSeparateResultPatterns(patterns);
    populateUnitWindowPatterns(patterns);
    populateUnitIndexPatterns(patterns);
    // Folding constants of whole tensors is not the aim: no other patterns.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(check(function)))
        return signalPassFailure();
  }

  /// The numbers that buffers and arguments of kernels hold (docs/manifest.md).
  static bool isElementType(Type type) {
    if (auto integer = dyn_cast<IntegerType>(type)) {
      constexpr unsigned widths[] = {1, 8, 16, 32, 64};
      return integer.isSignless() &&
             llvm::is_contained(widths, integer.getWidth());
    }
    if (auto real = dyn_cast<FloatType>(type))
      return real.getWidth() == 8 ||
             isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(real);
    return type.isIndex();
  }

  /// Scalars, and tensors of them whose bytes can be counted.
  static LogicalResult checkType(Location loc, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    Type element = tensor ? tensor.getElementType() : type;
    if (!isElementType(element))
      return emitError(loc, "type ")
             << type
             << " is not supported in a function that is compiled for a "
             << "GPU; numbers are i1, i8, i16, i32, i64, index, f16, bf16, "
                "f32, "
             << "f64 or an 8-bit float";
    constexpr int64_t most = int64_t(1) << 48; // bytes a device can address
    int64_t count = 8;
    if (tensor)
      for (int64_t size : tensor.getShape())
        if (!ShapedType::isDynamic(size) && size != 0 &&
            (llvm::MulOverflow(count, size, count) || count > most))
          return emitError(loc, "tensor ") << type << " is too large";
    return success();
  }

  /// Only operators, constants, shapes, conditions on them and views may be
  /// left.
  static LogicalResult check(func::FuncOp function) {
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (failed(checkType(function.isExternal()
                               ? function.getLoc()
                               : function.getArgument(index).getLoc(),
                           type)))
        return failure();
    for (Type type : function.getResultTypes())
      if (failed(checkType(function.getLoc(), type)))
        return failure();
    if (function.isExternal())
      return success();
    if (!function.getBody().hasOneBlock())
      return function.emitError("control flow between blocks is not supported");
    for (Operation &op : function.getBody().front()) {
      StringRef dialect = op.getName().getDialectNamespace();
      for (Type type : op.getResultTypes())
        if (failed(checkType(op.getLoc(), type)))
          return failure();
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (!linalgOp.hasPureTensorSemantics())
          return op.emitError("operators on memrefs are not supported");
        continue;
      }
      if (isa<tensor::EmptyOp, tensor::DimOp, tensor::CastOp,
              tensor::ExpandShapeOp, tensor::CollapseShapeOp, func::ReturnOp,
              cf::AssertOp>(op) ||
          dialect == "fuse" || dialect == "tile")
        continue;
      bool touchesTensors =
          llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) ||
          (llvm::any_of(op.getResultTypes(), llvm::IsaPred<ShapedType>) &&
           !op.hasTrait<OpTrait::ConstantLike>());
      if (touchesTensors || op.getNumRegions() != 0 ||
          !(dialect == "arith" || dialect == "affine" || dialect == "math"))
        return op.emitError("operation '")
               << op.getName() << "' is not supported in a function that is "
               << "compiled for a GPU";
    }
    return success();
  }
};

} // namespace
