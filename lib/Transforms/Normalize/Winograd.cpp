//===- Winograd.cpp - Winograd transforms as contractions -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream decomposes a Winograd transform into loops over tiles with two small
// matmuls inside. Here the tiles are dimensions of the operands instead:
//
//   filter  u[a,b,c,f]         = sum h,w  G[a,h]  g[f,h,w,c] G[b,w] input
//   v[a,b,th,tw,n,c]   = sum h,w  B^T[a,h] d[n,m*th+h,m*tw+w,c]  B^T[b,w]
//   output  y[n,m*th+i,m*tw+j,f] += s * sum h,w  A^T[i,h] x[h,w,th,tw,n,f]
//   A^T[j,w]
//
// each as one contraction for the rows and one for the columns. The matrices
// and the factor s are upstream's: they are read off its decomposition of one
// tile.
//
//===----------------------------------------------------------------------===//

#include "Winograd.h"
#include "WidenSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// The matrices that one tile is multiplied by.
struct Matrices {
  DenseElementsAttr rows;    ///< from the left; null where rows stay
  DenseElementsAttr columns; ///< from the right; null where columns stay
  FloatAttr factor;          ///< of the result; null for one
};

/// Reads the matrices from upstream's decomposition of a single tile.
template <typename OpTy, typename Decompose>
FailureOr<Matrices> readMatrices(OpTy op, ArrayRef<int64_t> input,
                                 ArrayRef<int64_t> output, Type element,
                                 Decompose decompose) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPointToStart(scratch->getBody());
  Location loc = op.getLoc();
  Value source = tensor::EmptyOp::create(rewriter, loc, input, element);
  Value target = tensor::EmptyOp::create(rewriter, loc, output, element);
  auto tile = OpTy::create(rewriter, loc, target.getType(), source, target,
                           op.getFmr());
  if (failed(decompose(rewriter, tile)))
    return failure();
  Matrices matrices;
  scratch->walk([&](linalg::LinalgOp inner) {
    if (isa<linalg::MatmulOp>(inner)) {
      matchPattern(inner->getOperand(0), m_Constant(&matrices.rows));
      matchPattern(inner->getOperand(1), m_Constant(&matrices.columns));
    } else if (isa<linalg::GenericOp>(inner)) {
      matchPattern(inner->getOperand(0), m_Constant(&matrices.factor));
    }
  });
  if (!matrices.rows && !matrices.columns)
    return failure();
  return matrices;
}

/// Builds the contractions of one transform.
class TransformBuilder {
public:
  TransformBuilder(RewriterBase &rewriter, Operation *op, Type element)
      : rewriter(rewriter), loc(op->getLoc()), element(element) {}

  /// Contracts `data`, read through `dataMap`, with a constant matrix. The
  /// loops are the dimensions that `sizes` belong to, then the reduction; the
  /// first two are the rows and columns of the result's tile.
  Value contract(DenseElementsAttr matrix, bool isRows, Value data,
                 AffineMap dataMap, AffineMap resultMap, Value init) {
    unsigned loops = dataMap.getNumDims();
    AffineExpr sum = rewriter.getAffineDimExpr(loops - 1);
    AffineExpr retained = rewriter.getAffineDimExpr(isRows ? 0 : 1);
    AffineMap matrixMap =
        isRows
            ? AffineMap::get(loops, 0, {retained, sum}, rewriter.getContext())
            : AffineMap::get(loops, 0, {sum, retained}, rewriter.getContext());
    SmallVector<utils::IteratorType> iterators(loops,
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    Value constant = arith::ConstantOp::create(rewriter, loc, matrix);
    return linalg::GenericOp::create(
               rewriter, loc, TypeRange{init.getType()},
               ValueRange{constant, data}, ValueRange{init},
               ArrayRef<AffineMap>{matrixMap, dataMap, resultMap}, iterators,
               [](OpBuilder &b, Location l, ValueRange args) {
                 Value product = arith::MulFOp::create(b, l, args[0], args[1]);
                 Value sum = arith::AddFOp::create(b, l, args[2], product);
                 linalg::YieldOp::create(b, l, sum);
               })
        .getResult(0);
  }

  /// Builds both contractions of a transform, whose second one accumulates into
  /// `last`, or into zeros of shape `sizes` if `last` is null. `source` returns
  /// the map by which the first contraction reads its data. `sizes` are the
  /// extents of all loops but the reduction, for the result of the second
  /// contraction.
  Value contractBoth(const Matrices &matrices, Value data,
                     function_ref<AffineMap(bool sumsRows)> source,
                     SmallVector<OpFoldResult> sizes,
                     OpFoldResult columnsBetween, AffineMap lastMap,
                     Value last) {
    unsigned rank = sizes.size();
    AffineMap identity =
        AffineMap::getMultiDimIdentityMap(rank + 1, rewriter.getContext());
    AffineMap plain = identity.getMajorSubMap(rank);
    if (!matrices.columns)
      return contract(matrices.rows, true, data, source(true), lastMap,
                      last ? last : zeros(sizes));
    AffineMap map = source(false);
    if (matrices.rows) {
      SmallVector<OpFoldResult> between(sizes);
      between[1] = columnsBetween;
      data = contract(matrices.rows, true, data, source(true), plain,
                      zeros(between));
      SmallVector<AffineExpr> results(plain.getResults());
      results[1] = rewriter.getAffineDimExpr(rank);
      map = AffineMap::get(rank + 1, 0, results, rewriter.getContext());
    }
    return contract(matrices.columns, false, data, map, lastMap,
                    last ? last : zeros(sizes));
  }

  Value zeros(ArrayRef<OpFoldResult> sizes) {
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
    return filled(zero, sizes);
  }

  Value filled(Value scalar, ArrayRef<OpFoldResult> sizes) {
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    return linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
  }

  OpFoldResult size(Value tensor, int64_t dimension) {
    return tensor::getMixedSize(rewriter, loc, tensor, dimension);
  }

  RewriterBase &rewriter;
  Location loc;
  Type element;
};

/// Replaces `op` by a value that may have another, compatible type.
void replaceBy(RewriterBase &rewriter, Operation *op, Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type)
    value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
  rewriter.replaceOp(op, value);
}

//===----------------------------------------------------------------------===//
// The three transforms
//===----------------------------------------------------------------------===//

LogicalResult decomposeFilter(TransformBuilder &builder,
                              linalg::WinogradFilterTransformOp op) {
  auto [m, r] = linalg::getFmrFromWinogradConv2DFmr(op.getFmr());
  ArrayRef<int64_t> shape = op.getFilterOperandType().getShape();
  bool left = shape[1] != 1, right = shape[2] != 1;
  int64_t alpha = m + r - 1, height = left ? alpha : 1,
          width = right ? alpha : 1;
  FailureOr<Matrices> matrices =
      readMatrices(op, {1, shape[1], shape[2], 1}, {height, width, 1, 1},
                   builder.element, linalg::decomposeWinogradFilterTransformOp);
  if (failed(matrices))
    return op.emitError("winograd transform cannot be decomposed");
  RewriterBase &b = builder.rewriter;
  Value filter = op.getFilter();
  AffineExpr row, column, c, f, k;
  bindDims(b.getContext(), row, column, c, f, k);
  auto source = [&](bool sumsRows) {
    return AffineMap::get(5, 0,
                          {f, sumsRows ? k : row, sumsRows ? column : k, c},
                          b.getContext());
  };
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(height), b.getIndexAttr(width),
                                  builder.size(filter, 3),
                                  builder.size(filter, 0)};
  AffineMap plain =
      AffineMap::getMultiDimIdentityMap(5, b.getContext()).getMajorSubMap(4);
  Value result = builder.contractBoth(*matrices, filter, source, sizes,
                                      b.getIndexAttr(shape[2]), plain, Value());
  replaceBy(b, op, result);
  return success();
}

LogicalResult decomposeInput(TransformBuilder &builder,
                             linalg::WinogradInputTransformOp op) {
  auto [m, r] = linalg::getFmrFromWinogradConv2DFmr(op.getFmr());
  ArrayRef<int64_t> shape = op.getOutputOperandType().getShape();
  bool left = shape[0] != 1, right = shape[1] != 1;
  int64_t alpha = m + r - 1, height = left ? alpha : 1,
          width = right ? alpha : 1;
  FailureOr<Matrices> matrices =
      readMatrices(op, {1, height, width, 1}, {height, width, 1, 1, 1, 1},
                   builder.element, linalg::decomposeWinogradInputTransformOp);
  if (failed(matrices))
    return op.emitError("winograd transform cannot be decomposed");
  RewriterBase &b = builder.rewriter;
  Value input = op.getInput(), output = op.getOutput();
  AffineExpr row, column, th, tw, n, c, k;
  bindDims(b.getContext(), row, column, th, tw, n, c, k);
  int64_t step = m;
  auto source = [&](bool sumsRows) {
    AffineExpr y = left ? th * step + (sumsRows ? k : row) : th;
    AffineExpr x = right ? tw * step + (sumsRows ? column : k) : tw;
    return AffineMap::get(7, 0, {n, y, x, c}, b.getContext());
  };
  SmallVector<OpFoldResult> sizes{
      b.getIndexAttr(height),  b.getIndexAttr(width),  builder.size(output, 2),
      builder.size(output, 3), builder.size(input, 0), builder.size(input, 3)};
  AffineMap plain =
      AffineMap::getMultiDimIdentityMap(7, b.getContext()).getMajorSubMap(6);
  // Tiles overlap: between the two contractions they are stored side by side.
  Value result = builder.contractBoth(*matrices, input, source, sizes,
                                      b.getIndexAttr(width), plain, Value());
  replaceBy(b, op, result);
  return success();
}

/// Returns the initial value of the output's sum, with the tiles as dimensions
/// of their own.
Value splitTiles(TransformBuilder &builder, Value init,
                 ArrayRef<OpFoldResult> sizes) {
  RewriterBase &b = builder.rewriter;
  if (auto fill = init.getDefiningOp<linalg::FillOp>();
      fill && fill.getInputs()[0].getType() == builder.element)
    return builder.filled(fill.getInputs()[0], sizes);
  // Sizes that the type does not have follow from the tiles.
  auto known = [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  };
  auto times = [&](int64_t x, int64_t y) {
    return ShapedType::isDynamic(x) ? x : x * y;
  };
  auto whole = RankedTensorType::get(
      {known(sizes[0]), times(known(sizes[1]), known(sizes[2])),
       times(known(sizes[3]), known(sizes[4])), known(sizes[5])},
      builder.element);
  if (init.getType() != whole)
    init = tensor::CastOp::create(b, builder.loc, whole, init);
  auto split =
      RankedTensorType::get(llvm::map_to_vector(sizes, known), builder.element);
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}, {3, 4}, {5}};
  return tensor::ExpandShapeOp::create(b, builder.loc, split, init, groups,
                                       sizes);
}

LogicalResult decomposeOutput(TransformBuilder &builder,
                              linalg::WinogradOutputTransformOp op) {
  auto [m, r] = linalg::getFmrFromWinogradConv2DFmr(op.getFmr());
  ArrayRef<int64_t> shape = op.getValueOperandType().getShape();
  bool left = shape[0] != 1, right = shape[1] != 1;
  int64_t height = left ? m : 1, width = right ? m : 1;
  FailureOr<Matrices> matrices =
      readMatrices(op, {shape[0], shape[1], 1, 1, 1, 1}, {1, height, width, 1},
                   builder.element, linalg::decomposeWinogradOutputTransformOp);
  if (failed(matrices))
    return op.emitError("winograd transform cannot be decomposed");
  RewriterBase &b = builder.rewriter;
  Value value = op.getValue();
  // Loops: row and column in the tile, tile, batch, channel, sum.
  auto source = [&](bool sumsRows) {
    SmallVector<AffineExpr> results;
    for (unsigned d = 0; d < 6; ++d)
      results.push_back(b.getAffineDimExpr(d));
    results[sumsRows ? 0 : 1] = b.getAffineDimExpr(6);
    return AffineMap::get(7, 0, results, b.getContext());
  };
  SmallVector<OpFoldResult> sizes{b.getIndexAttr(height),
                                  b.getIndexAttr(width)};
  for (int64_t d = 2; d < 6; ++d)
    sizes.push_back(builder.size(value, d));
  // In memory a tile's rows lie between the rows of tiles.
  SmallVector<unsigned> order{4, 2, 0, 3, 1, 5};
  SmallVector<OpFoldResult> splitSizes;
  SmallVector<AffineExpr> splitDims;
  for (unsigned d : order) {
    splitSizes.push_back(sizes[d]);
    splitDims.push_back(b.getAffineDimExpr(d));
  }
  AffineMap split = AffineMap::get(7, 0, splitDims, b.getContext());
  Value init = splitTiles(builder, op.getOutput(), splitSizes);
  Value start = matrices->factor ? builder.zeros(splitSizes) : init;
  Value result = builder.contractBoth(*matrices, value, source, sizes,
                                      b.getIndexAttr(shape[1]), split, start);
  if (matrices->factor) {
    Value factor = arith::ConstantOp::create(b, builder.loc, matrices->factor);
    SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(6));
    SmallVector<utils::IteratorType> iterators(6,
                                               utils::IteratorType::parallel);
    result =
        linalg::GenericOp::create(
            b, builder.loc, TypeRange{init.getType()}, ValueRange{result, init},
            ValueRange{
                fusion::emptyLike(b, builder.loc, init, builder.element)},
            maps, iterators,
            [&](OpBuilder &nested, Location l, ValueRange args) {
              Value scaled = arith::MulFOp::create(nested, l, factor, args[0]);
              Value sum = arith::AddFOp::create(nested, l, scaled, args[1]);
              linalg::YieldOp::create(nested, l, sum);
            })
            .getResult(0);
  }
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}, {3, 4}, {5}};
  result = tensor::CollapseShapeOp::create(b, builder.loc, result, groups);
  replaceBy(b, op, result);
  return success();
}

} // namespace

LogicalResult fusion::decomposeWinograd(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!isa<FloatType>(element))
    return op->emitError("winograd transform of ")
           << element << " is not a floating-point operation";
  // Upstream leaves the size of a tile open in the types; it chooses between
  // one- and two-dimensional transforms.
  Value tile = isa<linalg::WinogradInputTransformOp>(op) ? op->getOperand(1)
                                                         : op->getOperand(0);
  unsigned rows = isa<linalg::WinogradFilterTransformOp>(op) ? 1 : 0;
  auto type = cast<ShapedType>(tile.getType());
  if (type.isDynamicDim(rows) || type.isDynamicDim(rows + 1))
    return op->emitError("winograd transform of tiles of unknown size");
  TransformBuilder builder(rewriter, op, element);
  if (auto filter = dyn_cast<linalg::WinogradFilterTransformOp>(op))
    return decomposeFilter(builder, filter);
  if (auto input = dyn_cast<linalg::WinogradInputTransformOp>(op))
    return decomposeInput(builder, input);
  return decomposeOutput(builder, cast<linalg::WinogradOutputTransformOp>(op));
}
