//===- IndexedOperators.cpp - Slices, padding, concatenation --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexedOperators.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;

namespace {

/// Builds an element-wise linalg.generic over the shape of `type` whose body is
/// made from the index of the point.
Value buildIndexed(
    OpBuilder &builder, Location loc, RankedTensorType type,
    ArrayRef<OpFoldResult> sizes,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{identity}, iterators,
      [&](OpBuilder &b, Location l, ValueRange) {
        SmallVector<Value> index;
        for (int64_t d = 0; d < type.getRank(); ++d)
          index.push_back(linalg::IndexOp::create(b, l, d));
        linalg::YieldOp::create(b, l, body(b, l, index));
      });
  return generic.getResult(0);
}

Value asIndex(OpBuilder &builder, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

struct ExtractSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getParentOfType<linalg::LinalgOp>())
      return failure();
    Location loc = op.getLoc();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped[d])
        sizes.push_back(size);
    SmallVector<Value> offsets, strides;
    for (OpFoldResult offset : op.getMixedOffsets())
      offsets.push_back(asIndex(rewriter, loc, offset));
    for (OpFoldResult stride : op.getMixedStrides())
      strides.push_back(asIndex(rewriter, loc, stride));
    Value result = buildIndexed(
        rewriter, loc, op.getType(), sizes,
        [&](OpBuilder &b, Location l, ValueRange index) -> Value {
          SmallVector<Value> source;
          unsigned next = 0;
          for (auto [d, offset] : llvm::enumerate(offsets)) {
            if (dropped[d]) {
              source.push_back(offset);
              continue;
            }
            Value scaled =
                arith::MulIOp::create(b, l, index[next++], strides[d]);
            source.push_back(arith::AddIOp::create(b, l, offset, scaled));
          }
          return tensor::ExtractOp::create(b, l, op.getSource(), source);
        });
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// inside ? source[index] : otherwise, without reading outside of the source:
/// the index is set to 0 where it is not inside.
Value readInside(OpBuilder &b, Location l, Value source,
                 SmallVector<Value> index, Value inside, Value otherwise) {
  Value zero = arith::ConstantIndexOp::create(b, l, 0);
  for (Value &i : index)
    i = arith::SelectOp::create(b, l, inside, i, zero);
  Value element = tensor::ExtractOp::create(b, l, source, index);
  return arith::SelectOp::create(b, l, inside, element, otherwise);
}

Value isBelow(OpBuilder &b, Location l, Value index, Value bound) {
  return arith::CmpIOp::create(b, l, arith::CmpIPredicate::slt, index, bound);
}

bool hasZeroSize(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

struct InsertSlice : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (hasZeroSize(op.getSourceType())) {
      rewriter.replaceOp(op, op.getDest());
      return success();
    }
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<Value> offsets, sizes, strides;
    for (auto [offset, size, stride] : llvm::zip_equal(
             op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
      offsets.push_back(asIndex(rewriter, loc, offset));
      sizes.push_back(asIndex(rewriter, loc, size));
      strides.push_back(asIndex(rewriter, loc, stride));
    }
    Value result = buildIndexed(
        rewriter, loc, op.getType(),
        tensor::getMixedSizes(rewriter, loc, op.getDest()),
        [&](OpBuilder &b, Location l, ValueRange index) -> Value {
          Value zero = arith::ConstantIndexOp::create(b, l, 0);
          Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
          SmallVector<Value> source;
          for (auto [d, i] : llvm::enumerate(index)) {
            Value distance = arith::SubIOp::create(b, l, i, offsets[d]);
            Value position =
                arith::FloorDivSIOp::create(b, l, distance, strides[d]);
            Value product = arith::MulIOp::create(b, l, position, strides[d]);
            Value conditions[] = {
                arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, product,
                                      distance),
                arith::CmpIOp::create(b, l, arith::CmpIPredicate::sge, position,
                                      zero),
                isBelow(b, l, position, sizes[d])};
            for (Value condition : conditions)
              inside = arith::AndIOp::create(b, l, inside, condition);
            if (!dropped[d])
              source.push_back(position);
          }
          // What an empty tensor holds is nobody's business.
          Value old;
          if (op.getDest().getDefiningOp<tensor::EmptyOp>())
            old = arith::ConstantOp::create(
                b, l, b.getZeroAttr(op.getType().getElementType()));
          else
            old = tensor::ExtractOp::create(b, l, op.getDest(), index);
          return readInside(b, l, op.getSource(), source, inside, old);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct Pad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (hasZeroSize(op.getSourceType()))
      return failure();
    SmallVector<Value> low, extents;
    for (OpFoldResult offset : op.getMixedLowPad())
      low.push_back(asIndex(rewriter, loc, offset));
    for (OpFoldResult size :
         tensor::getMixedSizes(rewriter, loc, op.getSource()))
      extents.push_back(asIndex(rewriter, loc, size));
    ReifiedRankedShapedTypeDims sizes;
    if (failed(reifyResultShapes(rewriter, op, sizes)))
      return failure();
    // The padding value may depend on the index; its region is copied.
    Block &padding = op.getRegion().front();
    auto yield = cast<tensor::YieldOp>(padding.getTerminator());
    Value result = buildIndexed(
        rewriter, loc, op.getResultType(), sizes.front(),
        [&](OpBuilder &b, Location l, ValueRange index) -> Value {
          IRMapping mapping;
          mapping.map(padding.getArguments(), index);
          for (Operation &inner : padding.without_terminator())
            b.clone(inner, mapping);
          Value fill = mapping.lookupOrDefault(yield.getValue());
          Value zero = arith::ConstantIndexOp::create(b, l, 0);
          Value inside = arith::ConstantIntOp::create(b, l, 1, 1);
          SmallVector<Value> source;
          for (auto [d, i] : llvm::enumerate(index)) {
            Value position = arith::SubIOp::create(b, l, i, low[d]);
            Value notBefore = arith::CmpIOp::create(
                b, l, arith::CmpIPredicate::sge, position, zero);
            inside = arith::AndIOp::create(b, l, inside, notBefore);
            inside = arith::AndIOp::create(b, l, inside,
                                           isBelow(b, l, position, extents[d]));
            source.push_back(position);
          }
          return readInside(b, l, op.getSource(), source, inside, fill);
        });
    if (result.getType() != op.getType())
      result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// One operator that reads each element from the piece it is in: as a chain of
/// insertions, every piece would copy all before it.
struct Concat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ReifiedRankedShapedTypeDims sizes;
    if (hasZeroSize(op.getResultType()) ||
        failed(reifyResultShapes(rewriter, op, sizes)))
      return failure();
    unsigned axis = op.getDim();
    struct Piece {
      Value tensor, begin, end;
    };
    SmallVector<Piece> pieces;
    OpFoldResult begin = rewriter.getIndexAttr(0);
    for (Value tensor : op.getInputs()) {
      if (hasZeroSize(cast<RankedTensorType>(tensor.getType())))
        continue;
      OpFoldResult size = tensor::getMixedSize(rewriter, loc, tensor, axis);
      AffineExpr sum =
          rewriter.getAffineSymbolExpr(0) + rewriter.getAffineSymbolExpr(1);
      OpFoldResult end = affine::makeComposedFoldedAffineApply(
          rewriter, loc, sum, {begin, size});
      pieces.push_back(
          {tensor, asIndex(rewriter, loc, begin), asIndex(rewriter, loc, end)});
      begin = end;
    }
    Value result = buildIndexed(
        rewriter, loc, op.getResultType(), sizes.front(),
        [&](OpBuilder &b, Location l, ValueRange index) -> Value {
          Value element = arith::ConstantOp::create(
              b, l, b.getZeroAttr(op.getResultType().getElementType()));
          for (const Piece &piece : pieces) {
            Value notBefore = arith::CmpIOp::create(
                b, l, arith::CmpIPredicate::sge, index[axis], piece.begin);
            Value inside = arith::AndIOp::create(
                b, l, notBefore, isBelow(b, l, index[axis], piece.end));
            SmallVector<Value> source(index);
            source[axis] =
                arith::SubIOp::create(b, l, index[axis], piece.begin);
            element = readInside(b, l, piece.tensor, source, inside, element);
          }
          return element;
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct Generate : OpRewritePattern<tensor::GenerateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    auto yield = cast<tensor::YieldOp>(body.getTerminator());
    SmallVector<OpFoldResult> sizes;
    auto type = cast<RankedTensorType>(op.getType());
    unsigned next = 0;
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(op.getDynamicExtents()[next++])
                          : OpFoldResult(rewriter.getIndexAttr(size)));
    rewriter.replaceOp(
        op, buildIndexed(rewriter, op.getLoc(), type, sizes,
                         [&](OpBuilder &b, Location, ValueRange index) {
                           IRMapping mapping;
                           mapping.map(body.getArguments(), index);
                           for (Operation &inner : body.without_terminator())
                             b.clone(inner, mapping);
                           return mapping.lookupOrDefault(yield.getValue());
                         }));
    return success();
  }
};

} // namespace

void fusion::populateIndexedOperatorPatterns(RewritePatternSet &patterns) {
  patterns.add<Concat, ExtractSlice, Generate, InsertSlice, Pad>(
      patterns.getContext());
}
