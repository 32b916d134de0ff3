//===- ElementwiseLowering.cpp - Element-wise operators on tiles --------------===//
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
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, constant));
  if (Value argument = kernel.argument(scalar))
    scalar = argument;
  return tile::SplatOp::create(b, loc, type, scalar);
}

Value ChainLowering::emitElementwise(
    linalg::LinalgOp op, ArrayRef<unsigned> tileAxes, ArrayRef<int64_t> shape,
    llvm::function_ref<Value(Value)> evaluate) {
  llvm::SaveAndRestore<Location> here(loc, op.getLoc());
  unsigned number = llvm::find(axes.operators, op) - axes.operators.begin();
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (argument.use_empty())
      continue;
    Value value = operand->get();
    if (!isa<RankedTensorType>(value.getType())) {
      mapping.map(argument, splatOuter(value, shape));
      continue;
    }
    Value tile = evaluate(value);
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getRank() != static_cast<int64_t>(shape.size())) {
      // Repeat along the tile's axes that do not index the operand.
      AffineMap map = op.getMatchingIndexingMap(operand);
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
      tile = tile::BroadcastOp::create(
          b, loc, RankedTensorType::get(shape, type.getElementType()), tile,
          missing);
    }
    mapping.map(argument, tile);
  }
  // The body's scalar operations are element-wise on tensors as they are.
  for (Operation &inner : op.getBlock()->without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(mapping.contains(operand)
                             ? mapping.lookup(operand)
                             : splatOuter(operand, shape));
    SmallVector<Type> types;
    for (Type type : inner.getResultTypes())
      types.push_back(RankedTensorType::get(shape, type));
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      mapping.map(constant.getResult(), splatOuter(constant, shape));
      continue;
    }
    OperationState state(loc, inner.getName());
    state.addOperands(operands);
    state.addTypes(types);
    state.addAttributes(
        SmallVector<NamedAttribute>(inner.getDiscardableAttrs()));
    state.propertiesAttr = inner.getPropertiesAsAttribute();
    mapping.map(inner.getResults(), b.create(state)->getResults());
  }
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  return mapping.contains(result) ? mapping.lookup(result)
                                  : splatOuter(result, shape);
}
