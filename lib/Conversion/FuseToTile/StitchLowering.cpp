//===- StitchLowering.cpp - Block programs of stitched groups -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of the group's axes, spread over its registers, lanes and
// warps as the schedule says. Every value of the group is a tile over those of
// the axes that index it, in the same places, so that element-wise operators
// need no exchange; reductions exchange what the spread of their axis asks for.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "KernelBuilder.h"
#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/StitchSchedule.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

namespace {

class StitchLowering {
public:
  StitchLowering(fuse::FusedGroupOpInterface op, StitchGroup group,
                 StitchSchedule schedule, StringRef name)
      : op(op), group(std::move(group)), schedule(std::move(schedule)),
        kernel(op, name, this->schedule.warps), b(kernel.builder()),
        loc(op.getLoc()) {}

  void run(RewriterBase &rewriter);

private:
  using AxisList = ArrayRef<unsigned>;

  void emitCoordinates();
  RankedTensorType tileType(AxisList axes, Type element) const;
  bool isInside(unsigned axis) const {
    return group.axes[axis].extent % schedule.spread[axis].tile == 0;
  }
  Value emitView(const StitchTensor &tensor, Value pointer, AxisList axes);
  SmallVector<Value> coordinatesOf(AxisList axes) const;
  DenseBoolArrayAttr insideOf(AxisList axes);
  Value load(const StitchTensor &tensor, AxisList axes);
  Value valueOf(unsigned number, OpOperand &operand, AxisList axes);
  Value emitScalar(unsigned number, Value scalar, AxisList axes);
  void emitOperator(unsigned number);
  void store(const StitchTensor &tensor, Value pointer);
  DictionaryAttr predicted();

  fuse::FusedGroupOpInterface op;
  StitchGroup group;
  StitchSchedule schedule;
  KernelBuilder kernel;
  OpBuilder &b;
  Location loc;
  SmallVector<Value> origins; ///< by axis: the block's first element
  /// Of operators: their tile, over their axes in ascending order.
  llvm::DenseMap<Value, Value> tiles;
  SmallVector<Value> loaded; ///< by input
};

} // namespace

static SmallVector<unsigned, 4> sorted(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> result(axes);
  llvm::sort(result);
  return result;
}

void StitchLowering::emitCoordinates() {
  Value rest = tile::ProgramIdOp::create(b, loc, b.getIndexType());
  origins.assign(group.axes.size(), Value());
  // The last axis is the fastest; the first takes what is left.
  SmallVector<unsigned> walked;
  for (auto [number, axis] : llvm::enumerate(group.axes)) {
    if (schedule.spread[number].tile < axis.extent)
      walked.push_back(number);
    else
      origins[number] = kernel.constant(0);
  }
  while (!walked.empty()) {
    unsigned axis = walked.pop_back_val();
    Value digit = rest;
    if (!walked.empty()) {
      Value count = kernel.constant(llvm::divideCeil(
          group.axes[axis].extent, schedule.spread[axis].tile));
      digit = arith::RemUIOp::create(b, loc, rest, count);
      rest = arith::DivUIOp::create(b, loc, rest, count);
    }
    origins[axis] = arith::MulIOp::create(
        b, loc, digit, kernel.constant(schedule.spread[axis].tile));
  }
}

RankedTensorType StitchLowering::tileType(AxisList axes, Type element) const {
  SmallVector<int64_t> shape;
  for (unsigned axis : axes)
    shape.push_back(schedule.spread[axis].tile);
  return RankedTensorType::get(
      shape, element,
      tile::LayoutAttr::get(element.getContext(),
                            layoutOf(group, schedule, axes)));
}

SmallVector<Value> StitchLowering::coordinatesOf(AxisList axes) const {
  SmallVector<Value> result;
  for (unsigned axis : axes)
    result.push_back(origins[axis]);
  return result;
}

DenseBoolArrayAttr StitchLowering::insideOf(AxisList axes) {
  SmallVector<bool> flags;
  for (unsigned axis : axes)
    flags.push_back(isInside(axis));
  return b.getDenseBoolArrayAttr(flags);
}

/// A tensor as seen by a tile over `axes`.
Value StitchLowering::emitView(const StitchTensor &tensor, Value pointer,
                               AxisList axes) {
  SmallVector<int64_t> strides(tensor.axes.size(), 1);
  for (unsigned d = tensor.axes.size(); d-- > 1;)
    strides[d - 1] = strides[d] * group.axes[tensor.axes[d]].extent;
  SmallVector<Value> sizes, steps;
  int64_t unit = -1;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    sizes.push_back(kernel.constant(group.axes[axis].extent));
    steps.push_back(kernel.constant(
        strides[llvm::find(tensor.axes, axis) - tensor.axes.begin()]));
    if (axis == tensor.axes.back())
      unit = d;
  }
  auto element = cast<tile::PtrType>(pointer.getType()).getElementType();
  auto type = tile::ViewType::get(b.getContext(), axes.size(), element, unit,
                                  tensor.alignment);
  return tile::ViewOp::create(b, loc, type, pointer, kernel.constant(0), sizes,
                              steps);
}

Value StitchLowering::load(const StitchTensor &tensor, AxisList axes) {
  Value view = emitView(tensor, kernel.argument(tensor.value), axes);
  Type element =
      cast<RankedTensorType>(tensor.value.getType()).getElementType();
  return tile::LoadOp::create(b, loc, tileType(axes, element), view,
                              coordinatesOf(axes), /*predicate=*/Value(),
                              insideOf(axes));
}

/// What an operator reads, repeated along those of `axes` that do not index it.
Value StitchLowering::valueOf(unsigned number, OpOperand &operand,
                              AxisList axes) {
  SmallVector<unsigned, 4> read = group.axesOf(number, &operand);
  Value tile = tiles.lookup(operand.get());
  if (!tile) {
    auto *input = llvm::find_if(group.inputs, [&](const StitchTensor &tensor) {
      return tensor.value == operand.get() && tensor.axes == read;
    });
    Value &known = loaded[input - group.inputs.begin()];
    if (!known)
      known = load(*input, sorted(read));
    tile = known;
  }
  SmallVector<int64_t> missing;
  for (auto [d, axis] : llvm::enumerate(axes))
    if (!llvm::is_contained(read, axis))
      missing.push_back(d);
  if (missing.empty())
    return tile;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  return tile::BroadcastOp::create(b, loc, tileType(axes, element), tile,
                                   missing);
}

Value StitchLowering::emitScalar(unsigned number, Value scalar, AxisList axes) {
  auto typeOf = [&](Type element) { return tileType(axes, element); };
  auto argument = [&](OpOperand &operand) -> Value {
    if (isa<RankedTensorType>(operand.get().getType()))
      return valueOf(number, operand, axes);
    return tile::SplatOp::create(b, loc, typeOf(operand.get().getType()),
                                 kernel.argument(operand.get()));
  };
  auto outer = [&](Value value) -> Value {
    Attribute constant;
    RankedTensorType type = typeOf(value.getType());
    if (matchPattern(value, m_Constant(&constant)))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(type, constant));
    return tile::SplatOp::create(b, loc, type, kernel.argument(value));
  };
  auto index = [&](unsigned loop) -> Value {
    unsigned axis = group.loops[number][loop];
    return tile::IotaOp::create(b, loc, typeOf(b.getIndexType()), origins[axis],
                                llvm::find(axes, axis) - axes.begin());
  };
  auto skipped = [](Operation *) { return std::optional<unsigned>(); };
  return emitBody(b, loc, group.operators[number], scalar,
                  {argument, outer, index, skipped, typeOf});
}

void StitchLowering::emitOperator(unsigned number) {
  linalg::LinalgOp linalgOp = group.operators[number];
  loc = linalgOp.getLoc();
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  const std::optional<ReductionBody> &reduction = group.reductions[number];
  Value scalar = reduction
                     ? reduction->combined
                     : linalgOp.getBlock()->getTerminator()->getOperand(0);
  Value tile = emitScalar(number, scalar, axes);
  Value &result = tiles[linalgOp->getResult(0)];
  result = tile;
  if (!reduction)
    return;
  SmallVector<unsigned, 4> kept = group.resultAxes(number);
  TypedAttr identity = reductionIdentity(b, loc, *reduction);
  for (unsigned d = axes.size(); d-- > 0;) {
    unsigned axis = axes[d];
    if (llvm::is_contained(kept, axis))
      continue;
    // What lies beyond the axis's extent must not reach the reduction.
    if (!isInside(axis))
      result =
          tile::MaskOp::create(b, loc, result.getType(), result,
                               kernel.constant(group.axes[axis].extent), d,
                               arith::ConstantOp::create(b, loc, identity));
    axes.erase(axes.begin() + d);
    result = tile::ReduceOp::create(
        b, loc, tileType(axes, reduction->combined.getType()), reduction->kind,
        result, d, /*offset=*/IntegerAttr(), /*intrinsic=*/StringAttr(),
        /*warps=*/DenseI64ArrayAttr());
  }
  TypedAttr start = reductionStart(b, loc, *reduction);
  if (start == identity)
    return;
  auto type = cast<RankedTensorType>(result.getType());
  Value first =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, start));
  result = arith::getReductionOp(reduction->kind, b, loc, first, result);
}

void StitchLowering::store(const StitchTensor &tensor, Value pointer) {
  SmallVector<unsigned, 4> axes = sorted(tensor.axes);
  Value value = tiles.lookup(tensor.value);
  Value view = emitView(tensor, pointer, axes);
  // Rows that no thread holds neighbours of are turned through shared memory.
  unsigned unit = tensor.axes.back();
  auto nearest = llvm::find_if(llvm::reverse(axes), [&](unsigned axis) {
    return schedule.spread[axis].vector > 1 || schedule.spread[axis].lanes > 1;
  });
  if (nearest != axes.rend() && *nearest != unit &&
      schedule.spread[unit].tile > 1) {
    SmallVector<unsigned> order;
    order.push_back(llvm::find(axes, unit) - axes.begin());
    for (unsigned d = axes.size(); d-- > 0;)
      if (d != order.front())
        order.push_back(d);
    auto type = cast<RankedTensorType>(value.getType());
    int64_t width =
        std::max<int64_t>(1, tensor.alignment / tensor.elementBytes);
    auto layout = tile::LayoutAttr::get(
        b.getContext(), blocked(type.getShape(), order, width, schedule.warps));
    value =
        tile::ConvertLayoutOp::create(b, loc, tile::withLayout(type, layout),
                                      value, /*offset=*/IntegerAttr());
  }
  tile::StoreOp::create(b, loc, value, view, coordinatesOf(axes),
                        /*vectorize=*/false, insideOf(axes));
}

DictionaryAttr StitchLowering::predicted() {
  auto chip = op->getParentOfType<ModuleOp>()->getAttrOfType<fuse::ChipAttr>(
      fuse::kChipAttrName);
  if (!chip)
    return {};
  StitchTraffic traffic = countTraffic(group, schedule);
  double seconds = predictStreaming(traffic.loaded + traffic.stored,
                                    *lookupChip(chip.getName()));
  return b.getDictionaryAttr(
      {b.getNamedAttr("us", b.getF64FloatAttr(seconds * 1e6)),
       b.getNamedAttr("global_load_bytes", b.getI64IntegerAttr(traffic.loaded)),
       b.getNamedAttr("global_store_bytes",
                      b.getI64IntegerAttr(traffic.stored))});
}

void StitchLowering::run(RewriterBase &rewriter) {
  emitCoordinates();
  loaded.assign(group.inputs.size(), Value());
  for (unsigned number = 0; number < group.operators.size(); ++number)
    emitOperator(number);
  for (auto [number, tensor] : llvm::enumerate(group.results))
    store(tensor, kernel.resultPointer(number));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value grid = arith::ConstantIndexOp::create(rewriter, op.getLoc(),
                                              countBlocks(group, schedule));
  kernel.finish(rewriter, grid, predicted());
}

LogicalResult fusion::lowerStitch(RewriterBase &rewriter,
                                  fuse::FusedGroupOpInterface op,
                                  StringRef name) {
  std::string reason;
  auto explain = [&](const Twine &why) { reason = why.str(); };
  FailureOr<StitchGroup> group =
      StitchGroup::compute(op.getOperators(), op.getYieldedValues(), explain);
  if (failed(group))
    return op.emitError("cannot be stitched: ") << reason;
  std::optional<StitchSchedule> schedule =
      importStitching(op.getGroupSchedule(), *group, explain);
  if (!schedule)
    return op.emitError("schedule does not fit the group: ") << reason;
  StitchLowering(op, std::move(*group), std::move(*schedule), name)
      .run(rewriter);
  return success();
}
