//===- AssignLayouts.cpp - tile-assign-layouts ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two directions. Forwards, fixed layouts spread from products through
// element-wise operations and loops. Backwards, everything else is made in the
// layout that its user asks for.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Target/ProductLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace fusion {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Works elementwise on tensors of one shape.
bool isElementwiseOp(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || isa<MaskOp, HoldOp, ScaleOp>(op);
}

/// Has its result in the layout of what it works on, element by element.
bool keepsLayout(Operation *op) {
  return isElementwiseOp(op) || isa<ClusterReduceOp>(op);
}

/// Elements that one access to the view may move.
int64_t vectorWidth(ViewType view) {
  unsigned bits = view.getElementType().getIntOrFloatBitWidth();
  return std::max<int64_t>(1, 8 * view.getAlignment() / bits);
}

class Assigner {
public:
  explicit Assigner(KernelOp kernel)
      : kernel(kernel), context(kernel.getContext()) {}

  LogicalResult run();

private:
  LayoutAttr attr(const LinearLayout &layout) {
    return LayoutAttr::get(context, layout);
  }
  LogicalResult checkInput();
  bool spread();
  LogicalResult checkProduct(Operation *op, StringRef name,
                             RankedTensorType sum, int64_t depth, Type element,
                             ArrayRef<int64_t> warps);
  template <typename Product> LayoutAttr sumLayout(Product product);
  LayoutAttr firstLayout(SharedDotOp dot);
  std::pair<LayoutAttr, LayoutAttr> operandLayouts(DotOp dot);
  LayoutAttr fragmentLayout(ReduceOp reduce);
  LayoutAttr wantedLayout(Value value);
  bool fix(Value value, LayoutAttr layout);
  LayoutAttr fixedLayout(Value value) const { return fixed.lookup(value); }

  FailureOr<Value> demand(Value value, LayoutAttr layout);
  FailureOr<Value> remake(Operation *op, LayoutAttr layout);
  LogicalResult rewrite(Operation *op);
  LogicalResult setOperand(OpOperand &operand, LayoutAttr layout);
  LayoutAttr storeLayout(RankedTensorType type, int64_t unit, int64_t width);
  LayoutAttr loadLayout(Value value);
  bool fixReduced();

  KernelOp kernel;
  MLIRContext *context;
  llvm::DenseMap<Value, LayoutAttr> fixed;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
};

} // namespace

LogicalResult Assigner::checkProduct(Operation *op, StringRef name,
                                     RankedTensorType sum, int64_t depth,
                                     Type element, ArrayRef<int64_t> warps) {
  const Intrinsic *intrinsic = lookupIntrinsic(name);
  if (!intrinsic)
    return op->emitOpError("unknown intrinsic '") << name << "'";
  if ((intrinsic->unit == ProductUnit::WarpGroup) != isa<SharedDotOp>(op))
    return op->emitOpError("'")
           << name << "' multiplies operands in "
           << (isa<SharedDotOp>(op) ? "registers"
                                    : "shared memory; run "
                                      "tile-multiply-in-place");
  if (element.getIntOrFloatBitWidth() != intrinsic->operandBits)
    return op->emitOpError("'") << name << "' does not multiply " << element;
  if (warps[0] % intrinsic->groupWarps() ||
      sum.getDimSize(0) % (intrinsic->i1 * warps[0]) ||
      sum.getDimSize(1) % (intrinsic->i2 * warps[1]) || depth % intrinsic->r1)
    return op->emitOpError("tile ")
           << sum << " is no multiple of the intrinsic over [" << warps
           << "] warps";
  if (warps[0] * warps[1] != static_cast<int64_t>(kernel.getWarps()))
    return op->emitOpError("arranges other warps than the kernel has");
  return success();
}

LogicalResult Assigner::checkInput() {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (getLayout(type))
        return op->emitOpError("already has a layout");
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && reduce.getIntrinsic()) {
      const Intrinsic *intrinsic = lookupIntrinsic(*reduce.getIntrinsic());
      if (!intrinsic)
        return op->emitOpError("unknown intrinsic '")
               << *reduce.getIntrinsic() << "'";
      RankedTensorType type = reduce.getValue().getType();
      bool isFirst = reduce.getDimension() == 1;
      ArrayRef<int64_t> warps = *reduce.getWarps();
      if (warps[0] * warps[1] !=
          static_cast<int64_t>(op->getParentOfType<KernelOp>().getWarps()))
        return op->emitOpError("arranges other warps than the kernel has");
      int64_t unit =
          isFirst ? intrinsic->i1 * warps[0] : intrinsic->i2 * warps[1];
      if (type.getDimSize(isFirst ? 0 : 1) % unit ||
          type.getDimSize(isFirst ? 1 : 0) % intrinsic->r1)
        return op->emitOpError("tile ")
               << type << " is no multiple of the intrinsic over [" << warps
               << "] warps";
    }
    if (auto dot = dyn_cast<DotOp>(op)) {
      RankedTensorType lhs = dot.getLhs().getType();
      return checkProduct(op, dot.getIntrinsic(), dot.getType(),
                          lhs.getDimSize(1), lhs.getElementType(),
                          dot.getWarps());
    }
    if (auto dot = dyn_cast<SharedDotOp>(op))
      return checkProduct(op, dot.getIntrinsic(), dot.getType(), dot.getDepth(),
                          dot.getRhsBuffer().getType().getElementType(),
                          dot.getWarps());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Forwards
//===----------------------------------------------------------------------===//

bool Assigner::fix(Value value, LayoutAttr layout) {
  if (!layout || fixed.contains(value))
    return false;
  fixed[value] = layout;
  return true;
}

/// The order in which the elements of a second operand are best loaded: that of
/// the buffer it comes from, directly or through element-wise operations, if it
/// comes from one in this iteration or in an earlier one.
static OperandOrder orderInMemory(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        if (OpOperand *init = loop.getTiedLoopInit(argument))
          work.push_back(init->get());
      continue;
    }
    Operation *definer = next.getDefiningOp();
    if (auto load = dyn_cast<LocalLoadOp>(definer))
      return load.getTransposed() ? OperandOrder::AlongReduced
                                  : OperandOrder::AlongColumns;
    if (isElementwiseOp(definer) || isa<ConvertLayoutOp>(definer))
      llvm::append_range(work, llvm::reverse(definer->getOperands()));
  }
  return OperandOrder::AlongReduced;
}

/// The layouts of a product's operands.
std::pair<LayoutAttr, LayoutAttr> Assigner::operandLayouts(DotOp dot) {
  RankedTensorType lhs = dot.getLhs().getType(), type = dot.getType();
  int64_t m = type.getDimSize(0), n = type.getDimSize(1), k = lhs.getDimSize(1);
  const Intrinsic &intrinsic = *lookupIntrinsic(dot.getIntrinsic());
  ArrayRef<int64_t> warps = dot.getWarps();
  return {
      attr(firstTile(intrinsic, m, k, warps)),
      attr(secondTile(intrinsic, k, n, warps, orderInMemory(dot.getRhs())))};
}

template <typename Product> LayoutAttr Assigner::sumLayout(Product product) {
  RankedTensorType type = product.getType();
  return attr(sumTile(*lookupIntrinsic(product.getIntrinsic()),
                      type.getDimSize(0), type.getDimSize(1),
                      product.getWarps()));
}

/// The layout of a first operand in registers.
LayoutAttr Assigner::firstLayout(SharedDotOp dot) {
  return attr(firstTile(*lookupIntrinsic(dot.getIntrinsic()),
                        dot.getType().getDimSize(0), dot.getDepth(),
                        dot.getWarps()));
}

/// The layout of what is reduced as it lies for a product, or null.
LayoutAttr Assigner::fragmentLayout(ReduceOp reduce) {
  if (!reduce.getIntrinsic())
    return {};
  const Intrinsic &intrinsic = *lookupIntrinsic(*reduce.getIntrinsic());
  ArrayRef<int64_t> shape = reduce.getValue().getType().getShape();
  ArrayRef<int64_t> warps = *reduce.getWarps();
  return attr(reduce.getDimension() == 1
                  ? firstTile(intrinsic, shape[0], shape[1], warps)
                  : secondTile(intrinsic, shape[0], shape[1], warps,
                               orderInMemory(reduce.getValue())));
}

/// The layout that a product or a reduction of its operand asks of a value,
/// directly, through element-wise operations or in an inner loop: that of
/// fragments which a loop carries.
LayoutAttr Assigner::wantedLayout(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (auto dot = dyn_cast<DotOp>(use.getOwner())) {
      if (use.get() == dot.getLhs())
        return operandLayouts(dot).first;
      if (use.get() == dot.getRhs())
        return operandLayouts(dot).second;
    } else if (auto dot = dyn_cast<SharedDotOp>(use.getOwner())) {
      if (use.get() == dot.getLhs())
        return firstLayout(dot);
    } else if (auto reduce = dyn_cast<ReduceOp>(use.getOwner())) {
      if (LayoutAttr layout = fragmentLayout(reduce))
        return layout;
    } else if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
      // Carried on by an inner loop.
      if (BlockArgument inner = loop.getTiedLoopRegionIterArg(&use))
        if (LayoutAttr layout = wantedLayout(inner))
          return layout;
    } else if (isElementwiseOp(use.getOwner()) &&
               use.getOwner()->getNumResults() == 1) {
      if (LayoutAttr layout = wantedLayout(use.getOwner()->getResult(0)))
        return layout;
    }
  }
  return {};
}

/// One round of spreading; true where it fixed something.
bool Assigner::spread() {
  bool changed = false;
  kernel.walk([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      changed |= fix(dot, sumLayout(dot));
    } else if (auto dot = dyn_cast<SharedDotOp>(op)) {
      changed |= fix(dot.getResult(), sumLayout(dot));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues())) {
        LayoutAttr layout = fixedLayout(yielded);
        if (!layout)
          layout = wantedLayout(loop.getRegionIterArg(index));
        changed |= fix(loop.getRegionIterArg(index), layout);
        changed |= fix(loop.getResult(index), layout);
      }
    } else if (keepsLayout(op) && op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType())) {
      for (Value operand : op->getOperands())
        if (LayoutAttr layout = fixedLayout(operand)) {
          changed |= fix(op->getResult(0), layout);
          break;
        }
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      if (LayoutAttr layout = fixedLayout(transpose.getValue()))
        changed |=
            fix(transpose, attr(layout.getValue().transposeOuts({1, 0})));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      changed |= fix(reduce.getValue(), fragmentLayout(reduce));
      if (LayoutAttr layout = fixedLayout(reduce.getValue()))
        changed |= fix(
            reduce, attr(layout.getValue().reduceOut(reduce.getDimension())));
    }
  });
  return changed;
}

/// Gives the first reduced tile that no product reaches the layout in which it
/// is loaded best; false where there is none.
bool Assigner::fixReduced() {
  WalkResult result = kernel.walk([&](ReduceOp reduce) {
    Value value = reduce.getValue();
    if (fixedLayout(value))
      return WalkResult::advance();
    fix(value, loadLayout(value));
    return WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// The layout of the widest loads of what a value is computed from; where
/// nothing is loaded, columns lie side by side.
LayoutAttr Assigner::loadLayout(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t unit = type.getRank() - 1, width = 1;
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *definer = work.pop_back_val().getDefiningOp();
    if (!definer || !seen.insert(definer).second)
      continue;
    auto load = dyn_cast<LoadOp>(definer);
    if (load && load.getType().getShape() == type.getShape() &&
        load.getView().getType().getUnit() >= 0) {
      unit = load.getView().getType().getUnit();
      width = vectorWidth(load.getView().getType());
      break;
    }
    if (isElementwiseOp(definer))
      llvm::append_range(work, definer->getOperands());
  }
  return storeLayout(type, unit, width);
}

//===----------------------------------------------------------------------===//
// Backwards
//===----------------------------------------------------------------------===//

/// The value with the given layout, converted or made anew, once for each
/// layout.
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

/// The layout of a whole tile whose first part has `layout`: parts follow each
/// other in registers.
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

/// The layout of what is repeated to `layout`.
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

/// Elements side by side in memory, `width` to a thread, neighbouring threads
/// next to each other.
LayoutAttr Assigner::storeLayout(RankedTensorType type, int64_t unit,
                                 int64_t width) {
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

/// Gives a fixed operation, or one without results, the operands it wants.
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
    // Converted here and not where it is made: by now operands' buffers are
    // free, and the scratch can take their place.
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
      // The columns of a buffer are the unit dimension of what it is filled
      // from, and so wide are the loads.
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

/// Whether the kernel came with a layout for every tile.
static bool isAssigned(KernelOp kernel) {
  bool hasTiles = false;
  WalkResult all = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type)) {
        hasTiles = true;
        if (!getLayout(type))
          return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return hasTiles && !all.wasInterrupted();
}

LogicalResult Assigner::run() {
  if (isAssigned(kernel))
    return success();
  if (failed(checkInput()))
    return failure();
  do {
    while (spread()) {
    }
  } while (fixReduced());
  SmallVector<Operation *> operations;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != kernel)
      operations.push_back(op);
  });
  for (auto [value, layout] : fixed) {
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    value.setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
  }
  for (Operation *op : operations)
    if (failed(rewrite(op)))
      return failure();
  // What was made anew replaces the operations without a layout.
  for (Operation *op : llvm::reverse(operations)) {
    bool isReplaced = op->getNumResults() != 0 && op->use_empty() &&
                      (!isa<scf::ForOp>(op) || isMemoryEffectFree(op)) &&
                      llvm::all_of(op->getResultTypes(), [](Type type) {
                        return isa<RankedTensorType>(type) && !getLayout(type);
                      });
    if (isReplaced)
      op->erase();
  }
  WalkResult complete = kernel.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && !getLayout(type))
        return op->emitOpError("has a result that no layout reaches");
    return WalkResult::advance();
  });
  return failure(complete.wasInterrupted());
}

namespace {
struct AssignLayoutsPass
    : fusion::impl::TileAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    if (failed(Assigner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
