//===- ElementwiseEmitter.cpp - Element-wise operators on tiles -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseEmitter.h"
#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

Value ElementwiseEmitter::splatOuter(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, constant));
  if (Value argument = kernel.argument(scalar))
    scalar = argument;
  return tile::SplatOp::create(b, loc, type, scalar);
}

Value ElementwiseEmitter::emitIndex(unsigned axis, ArrayRef<unsigned> tileAxes,
                                    ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.getIndexType());
  Value start = block.origin(axis);
  if (slice && slice->first == axis)
    start =
        arith::AddIOp::create(b, loc, start, kernel.constant(slice->second));
  for (auto [d, tileAxis] : llvm::enumerate(tileAxes))
    if (tileAxis == axis)
      return tile::IotaOp::create(b, loc, type, start, d);
  return tile::SplatOp::create(b, loc, type, start);
}

Value ElementwiseEmitter::emitArgument(linalg::LinalgOp op, OpOperand &operand,
                                       ArrayRef<unsigned> tileAxes,
                                       ArrayRef<int64_t> shape,
                                       Evaluate evaluate) {
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()))
    return splatOuter(value, shape);
  Value tile = evaluate(value);
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getRank() == static_cast<int64_t>(shape.size()))
    return tile;
  // Repeat along the tile's axes that do not index the operand.
  unsigned number = llvm::find(axes.operators, op) - axes.operators.begin();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> missing;
  for (auto [d, axis] : llvm::enumerate(tileAxes)) {
    unsigned wanted = axis;
    bool isPresent = llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      return axes.loops[number][loop] == wanted;
    });
    if (!isPresent)
      missing.push_back(d);
  }
  return tile::BroadcastOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tile,
      missing);
}

Value ElementwiseEmitter::emitScalar(linalg::LinalgOp op, Value scalar,
                                     ArrayRef<unsigned> tileAxes,
                                     ArrayRef<int64_t> shape,
                                     Evaluate evaluate) {
  llvm::SaveAndRestore<Location> here(loc, op.getLoc());
  unsigned number = llvm::find(axes.operators, op) - axes.operators.begin();
  auto argument = [&](OpOperand &operand) {
    return emitArgument(op, operand, tileAxes, shape, evaluate);
  };
  auto outer = [&](Value value) { return splatOuter(value, shape); };
  auto index = [&](unsigned loop) {
    return emitIndex(axes.loops[number][loop], tileAxes, shape);
  };
  auto tileType = [&](Type type) { return RankedTensorType::get(shape, type); };
  // Chains read their operands by the axes alone (`GroupAxes`).
  auto element = [](tensor::ExtractOp,
                    llvm::function_ref<Value(Value)>) -> Value {
    llvm_unreachable("bodies of chains do not look elements up");
  };
  return emitBody(b, loc, op, scalar,
                  {argument, outer, index, skippedFor, tileType, element});
}

Value ElementwiseEmitter::emit(linalg::LinalgOp op, ArrayRef<unsigned> tileAxes,
                               ArrayRef<int64_t> shape, Evaluate evaluate) {
  return emitScalar(op, op.getBlock()->getTerminator()->getOperand(0), tileAxes,
                    shape, evaluate);
}
