//===- ChainFollowers.cpp - Element-wise operators between products -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to a product's tile between its completion and its next use, and
// the padding of tiles that do not divide their axis, which must not reach a sum.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

/// The product's sum is complete: its value is the accumulator, and the
/// element-wise operators after it can follow.
void ChainLowering::complete(unsigned number) {
  const ProductMapping &mapping = schedule.products[number];
  Value value = productOperator(number)->getResult(0);
  tiles[value] = accumulators[number];
  tileAxesOf[value] = {mapping.i1, mapping.i2};
  accumulators[number] = Value();
  pending.push_back(number);
}

/// Whether an element-wise operator may make something else of the zeros that
/// stand for what lies outside of its operands: it computes, or repeats a value
/// beyond the extent of an axis that does not index it.
static bool changesZero(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return !isa<arith::TruncFOp, arith::ExtFOp>(inner);
                      }) ||
         llvm::any_of(
             op.getDpsInputOperands(),
             [&](OpOperand *operand) {
               return !op.getMatchingIndexingMap(operand).isPermutation();
             }) ||
         matchPattern(op.getBlock()->getTerminator()->getOperand(0),
                      m_Constant());
}

/// Computes the element-wise operators after completed products whose extra
/// operands have been loaded.
void ChainLowering::emitFollowers() {
  llvm::erase_if(pending, [&](unsigned number) {
    const Product &product = model.products[number];
    for (auto [index, info] : llvm::enumerate(model.tensors))
      if (info.role == TensorRole::Extra && info.product == number &&
          !tiles.contains(axes.values[index]))
        return false;
    const ProductMapping &mapping = schedule.products[number];
    unsigned tileAxes[] = {mapping.i1, mapping.i2};
    int64_t shape[] = {schedule.tiles[mapping.i1], schedule.tiles[mapping.i2]};
    bool changes = false;
    for (auto [index, op] : llvm::enumerate(axes.operators)) {
      if (axes.productOf[index] || axes.followsProduct[index] != number)
        continue;
      Value result = op->getResult(0);
      tiles[result] = emitElementwise(
          op, tileAxes, shape,
          [&](Value operand) {
            return isa<RankedTensorType>(operand.getType())
                       ? tiles.lookup(operand)
                       : kernel.argument(operand);
          });
      tileAxesOf[result] = {mapping.i1, mapping.i2};
      changes |= changesZero(op);
    }
    Value last = axes.finalValues[product.result];
    if (model.tensors[product.result].role == TensorRole::Intermediate &&
        changes)
      tiles[last] = maskPadding(tiles[last], tileAxes);
    return true;
  });
}

bool ChainLowering::changesPadding(Value operand) const {
  // Of completed values, emitFollowers has masked the padding.
  auto op = operand.getDefiningOp<linalg::LinalgOp>();
  if (!op || tiles.contains(operand))
    return false;
  return changesZero(op) || llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return changesPadding(input);
         });
}

/// Padding of a tile must stay out of the sums of products: whatever
/// element-wise operators made of it becomes zero again.
Value ChainLowering::maskPadding(Value value, ArrayRef<unsigned> tileAxes,
                                 std::optional<unsigned> sliceAxis,
                                 int64_t start) {
  Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
  for (unsigned d = 0; d < tileAxes.size(); ++d) {
    unsigned axis = tileAxes[d];
    // What is padded along other axes never reaches an element of the result.
    bool isReduced = llvm::any_of(model.products, [&](const Product &product) {
      return llvm::is_contained(product.reduction, axis);
    });
    if (!isReduced || tilesLieInside(axis))
      continue;
    int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(d);
    if (trips(axis) == 1 && schedule.splitOf(axis) == 1 && axis == sliceAxis &&
        start + size <= model.axes[axis].extent)
      continue;
    int64_t extent = model.axes[axis].extent - (axis == sliceAxis ? start : 0);
    Value bound =
        arith::SubIOp::create(b, loc, kernel.constant(extent), origins[axis]);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
    value = tile::MaskOp::create(b, loc, value.getType(), value, bound,
                                 static_cast<int64_t>(d), zero);
  }
  return value;
}
