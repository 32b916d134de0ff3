//===- ElementwiseLowering.cpp - Element-wise operators on tiles
//--------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

/// A scalar from outside of an operator's body, as a tile.
Value ChainLowering::splatOuter(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, constant));
  if (Value argument = kernel.argument(scalar))
    scalar = argument;
  return tile::SplatOp::create(b, loc, type, scalar);
}

Value ChainLowering::emitIndex(unsigned axis, ArrayRef<unsigned> tileAxes,
                               ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.getIndexType());
  Value start = origins[axis];
  if (slicedAxis && slicedAxis->first == axis)
    start = arith::AddIOp::create(b, loc, start,
                                  kernel.constant(slicedAxis->second));
  for (auto [d, tileAxis] : llvm::enumerate(tileAxes))
    if (tileAxis == axis)
      return tile::IotaOp::create(b, loc, type, start, d);
  return tile::SplatOp::create(b, loc, type, start);
}

Value ChainLowering::emitArgument(linalg::LinalgOp op, OpOperand &operand,
                                  ArrayRef<unsigned> tileAxes,
                                  ArrayRef<int64_t> shape,
                                  llvm::function_ref<Value(Value)> evaluate) {
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

Value ChainLowering::emitScalar(linalg::LinalgOp op, Value scalar,
                                ArrayRef<unsigned> tileAxes,
                                ArrayRef<int64_t> shape,
                                llvm::function_ref<Value(Value)> evaluate) {
  llvm::SaveAndRestore<Location> here(loc, op.getLoc());
  unsigned number = llvm::find(axes.operators, op) - axes.operators.begin();
  llvm::DenseMap<Value, Value> known;
  // The body's scalar operations are element-wise on tensors as they are.
  auto emit = [&](auto &&self, Value value) -> Value {
    if (Value result = known.lookup(value))
      return result;
    Value result;
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *inner = value.getDefiningOp();
    if (argument && argument.getOwner() == op.getBlock()) {
      result = emitArgument(op, op->getOpOperand(argument.getArgNumber()),
                            tileAxes, shape, evaluate);
    } else if (argument || inner->getBlock() != op.getBlock() ||
               isa<arith::ConstantOp>(inner)) {
      result = splatOuter(value, shape);
    } else if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      result = emitIndex(axes.loops[number][index.getDim()], tileAxes, shape);
    } else if (std::optional<unsigned> kept = skippedFor(inner)) {
      result = self(self, inner->getOperand(*kept));
    } else {
      SmallVector<Value> operands;
      for (Value operand : inner->getOperands())
        operands.push_back(self(self, operand));
      OperationState state(loc, inner->getName());
      state.addOperands(operands);
      for (Type type : inner->getResultTypes())
        state.addTypes(RankedTensorType::get(shape, type));
      state.addAttributes(
          SmallVector<NamedAttribute>(inner->getDiscardableAttrs()));
      state.propertiesAttr = inner->getPropertiesAsAttribute();
      result =
          b.create(state)->getResult(cast<OpResult>(value).getResultNumber());
    }
    return known[value] = result;
  };
  return emit(emit, scalar);
}

Value ChainLowering::emitElementwise(
    linalg::LinalgOp op, ArrayRef<unsigned> tileAxes, ArrayRef<int64_t> shape,
    llvm::function_ref<Value(Value)> evaluate) {
  return emitScalar(op, op.getBlock()->getTerminator()->getOperand(0), tileAxes,
                    shape, evaluate);
}
