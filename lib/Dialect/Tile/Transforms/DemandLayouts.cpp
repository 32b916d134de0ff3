//===- DemandLayouts.cpp - Layouts that users ask for ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards: a value whose layout no contraction fixes is made in the layout
// that its user requires, once for each layout.
//
//===----------------------------------------------------------------------===//

#include "AssignLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Returns `value` in the given layout, as a conversion or as a copy of the
/// operation that makes it. There is one such value for each layout.
FailureOr<Value> Assigner::demand(Value value, LayoutAttr layout) {
  if (fixedLayout(value) == layout)
    return value;
  auto key = std::make_pair(value, Attribute(layout));
  if (Value known = made.lookup(key))
    return known;
  Value result;
  if (LayoutAttr from = fixedLayout(value)) {
    OpBuilder b(context);
    b.setInsertionPointAfterValue(value);
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    auto convert = ConvertLayoutOp::create(b, value.getLoc(), type, value,
                                           /*offset=*/IntegerAttr());
    result = convert;
  } else {
    Operation *definer = value.getDefiningOp();
    if (!definer)
      return emitError(value.getLoc(),
                       "a loop carries a tensor that no layout reaches");
    FailureOr<Value> remade = remake(definer, layout);
    if (failed(remade))
      return failure();
    result = *remade;
  }
  made[key] = result;
  return result;
}

/// The layout of a whole tile whose first part has `layout`. The other parts
/// follow in further registers.
static LinearLayout extend(LinearLayout layout, ArrayRef<int64_t> part,
                           ArrayRef<int64_t> whole) {
  for (auto [d, sizes] : llvm::enumerate(llvm::zip_equal(part, whole))) {
    auto [partSize, wholeSize] = sizes;
    if (wholeSize > partSize)
      layout *= LinearLayout::identity(LayoutDim::Register, tileDim(d),
                                       wholeSize / partSize);
  }
  return layout;
}

/// The layout of the operand of a broadcast whose result has `layout`.
static LinearLayout withoutRepeated(BroadcastOp op, LinearLayout layout) {
  for (int64_t d : llvm::reverse(op.getDimensions()))
    layout = layout.reduceOut(d);
  return layout;
}

/// Copies an operation whose result has no layout of its own.
FailureOr<Value> Assigner::remake(Operation *op, LayoutAttr layout) {
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const LinearLayout &value = layout.getValue();
  auto clone = [&](ArrayRef<LayoutAttr> operandLayouts) -> FailureOr<Value> {
    SmallVector<Value> operands(op->getOperands());
    for (auto [operand, wanted] : llvm::zip(operands, operandLayouts))
      if (wanted && isa<RankedTensorType>(operand.getType())) {
        FailureOr<Value> demanded = demand(operand, wanted);
        if (failed(demanded))
          return failure();
        operand = *demanded;
      }
    b.setInsertionPoint(op);
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(withLayout(type, layout));
    return copy->getResult(0);
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat())
      return op->emitOpError("must be a splat in a block program");
    return arith::ConstantOp::create(
               b, op->getLoc(), dense.resizeSplat(withLayout(type, layout)))
        .getResult();
  }
  if (isa<LoadOp, LocalLoadOp, SplatOp, IotaOp>(op))
    return clone({});
  if (isa<GatherOp>(op) || isElementwiseOp(op))
    return clone(SmallVector<LayoutAttr>(op->getNumOperands(), layout));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return clone({attr(withoutRepeated(broadcast, value))});
  if (auto slice = dyn_cast<SliceOp>(op))
    return clone({attr(extend(value, slice.getType().getShape(),
                              slice.getValue().getType().getShape()))});
  if (isa<TransposeOp>(op))
    return clone({attr(value.transposeOuts({1, 0}))});
  return op->emitOpError("has a result that no layout can be given to");
}

/// A layout in which each thread has `width` elements that are contiguous in
/// memory, and neighbouring threads have neighbouring elements. They are fewer
/// where a tile leaves threads without elements, down to one word.
LayoutAttr Assigner::storeLayout(RankedTensorType type, int64_t unit,
                                 int64_t width) {
  width = widthForThreads(width, type.getNumElements(),
                          llvm::divideCeil(type.getElementTypeBitWidth(), 8),
                          kernel.getWarps());
  SmallVector<unsigned> order;
  if (unit >= 0)
    order.push_back(unit);
  for (int64_t d = type.getRank(); d-- > 0;)
    if (d != unit)
      order.push_back(d);
  return attr(blocked(type.getShape(), order, width, kernel.getWarps()));
}

LogicalResult Assigner::setOperand(OpOperand &operand, LayoutAttr layout) {
  FailureOr<Value> value = demand(operand.get(), layout);
  if (failed(value))
    return failure();
  operand.set(*value);
  return success();
}

/// Gives an operation with a fixed layout, or one without results, operands in
/// the layouts that it requires.
LogicalResult Assigner::rewrite(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    auto [lhs, rhs] = operandLayouts(dot);
    if (failed(setOperand(dot.getLhsMutable(), lhs)) ||
        failed(setOperand(dot.getRhsMutable(), rhs)))
      return failure();
    return setOperand(dot.getAccumulatorMutable(), fixedLayout(dot));
  }
  if (auto dot = dyn_cast<SharedDotOp>(op)) {
    if (dot.getLhs() &&
        failed(setOperand(dot.getLhsMutable()[0], firstLayout(dot))))
      return failure();
    return setOperand(dot.getAccumulatorMutable(),
                      fixedLayout(dot.getResult()));
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    LayoutAttr layout = fixedLayout(store.getValue());
    ViewType view = store.getView().getType();
    if (!layout || store.getVectorize())
      layout = storeLayout(store.getValue().getType(), view.getUnit(),
                           view.getUnit() >= 0 ? vectorWidth(view) : 1);
    // The conversion is here, and not where the value is made: by now the
    // buffers of operands are free, and the scratch can reuse their memory.
    if (LayoutAttr from = fixedLayout(store.getValue());
        from && from != layout) {
      OpBuilder b(op);
      store.getValueMutable().set(ConvertLayoutOp::create(
          b, op->getLoc(), withLayout(store.getValue().getType(), layout),
          store.getValue(), /*offset=*/IntegerAttr()));
      return success();
    }
    return setOperand(store.getValueMutable(), layout);
  }
  if (auto store = dyn_cast<LocalStoreOp>(op)) {
    LayoutAttr layout = fixedLayout(store.getValue());
    if (!layout) {
      // A row of the buffer is contiguous in the tensor from which it is
      // filled, so that loads are that wide.
      int64_t width = 1;
      if (auto load = store.getValue().getDefiningOp<LoadOp>())
        width = vectorWidth(load.getView().getType());
      layout = storeLayout(store.getValue().getType(),
                           store.getTransposed() ? 0 : 1, width);
    }
    return setOperand(store.getValueMutable(), layout);
  }
  if (auto scatter = dyn_cast<ClusterScatterOp>(op)) {
    LayoutAttr layout = fixedLayout(scatter.getValue());
    if (!layout)
      layout = storeLayout(scatter.getValue().getType(), 1, 1);
    return setOperand(scatter.getValueMutable(), layout);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [index, init] : llvm::enumerate(loop.getInitArgsMutable()))
      if (LayoutAttr layout = fixedLayout(loop.getResult(index)))
        if (failed(setOperand(init, layout)))
          return failure();
    return success();
  }
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
    if (!loop)
      return success();
    for (OpOperand &operand : yield->getOpOperands())
      if (LayoutAttr layout =
              fixedLayout(loop.getResult(operand.getOperandNumber())))
        if (failed(setOperand(operand, layout)))
          return failure();
    return success();
  }
  if (op->getNumResults() != 1 || !fixedLayout(op->getResult(0)))
    return success();
  LayoutAttr layout = fixedLayout(op->getResult(0));
  if (keepsLayout(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        if (failed(setOperand(operand, layout)))
          return failure();
    return success();
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return setOperand(transpose.getValueMutable(),
                      attr(layout.getValue().transposeOuts({1, 0})));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return setOperand(broadcast.getValueMutable(),
                      attr(withoutRepeated(broadcast, layout.getValue())));
  if (auto slice = dyn_cast<SliceOp>(op))
    return setOperand(slice.getValueMutable(),
                      attr(extend(layout.getValue(), slice.getType().getShape(),
                                  slice.getValue().getType().getShape())));
  return success();
}
