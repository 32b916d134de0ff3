//===- StitchValues.cpp - Tiles of a stitched group's values --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "StitchLowering.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

static SmallVector<unsigned, 4> sorted(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> result(axes);
  llvm::sort(result);
  return result;
}

RankedTensorType StitchLowering::tileType(AxisList axes, Type element) const {
  SmallVector<int64_t> shape;
  for (unsigned axis : axes)
    shape.push_back(schedule.stepOf(axis).tile);
  return RankedTensorType::get(
      shape, element,
      tile::LayoutAttr::get(element.getContext(),
                            layoutOf(group, schedule, component, axes)));
}

Value StitchLowering::originOf(unsigned axis, const Scope &scope) const {
  return passes.axis == axis ? scope.origin : origins[axis];
}

bool StitchLowering::isInside(unsigned axis, const Scope &scope) const {
  if (passes.axis == axis)
    return scope.isInside;
  return group.axes[axis].extent % schedule.spread[axis].tile == 0;
}

/// A tensor as seen by a tile over `axes`, from its first elements on.
StitchLowering::Window StitchLowering::emitWindow(const StitchTensor &tensor,
                                                  Value pointer, AxisList axes,
                                                  const Scope &scope) {
  Window window;
  SmallVector<Value> sizes, strides;
  SmallVector<bool> flags;
  int64_t unit = -1, offset = tensor.offset;
  window.isRagged = tensor.unit && tensor.isRagged() &&
                    schedule.spread[*tensor.unit].vector > 1;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    unsigned at = llvm::find(tensor.axes, axis) - tensor.axes.begin();
    auto [first, beyond] = tensor.inside[at];
    window.isRagged |= first > 0;
    sizes.push_back(kernel.constant(beyond - first));
    strides.push_back(kernel.constant(tensor.strides[at]));
    offset += first * tensor.strides[at];
    Value origin = originOf(axis, scope);
    if (first > 0)
      origin = arith::SubIOp::create(b, loc, origin, kernel.constant(first));
    window.coordinates.push_back(origin);
    flags.push_back(isInside(axis, scope) && first == 0 &&
                    beyond == group.axes[axis].extent);
    if (axis == tensor.unit)
      unit = d;
  }
  window.inside = b.getDenseBoolArrayAttr(flags);
  window.isRagged &= !llvm::all_of(flags, [](bool flag) { return flag; });
  auto element = cast<tile::PtrType>(pointer.getType()).getElementType();
  auto type = tile::ViewType::get(b.getContext(), axes.size(), element, unit,
                                  tensor.alignment);
  window.view = tile::ViewOp::create(b, loc, type, pointer,
                                     kernel.constant(offset), sizes, strides);
  return window;
}

Value StitchLowering::load(const StitchTensor &tensor, const Scope &scope) {
  SmallVector<unsigned, 4> axes = sorted(tensor.axes);
  Window window =
      emitWindow(tensor, kernel.argument(tensor.value), axes, scope);
  Type element =
      cast<RankedTensorType>(tensor.value.getType()).getElementType();
  return tile::LoadOp::create(b, loc, tileType(axes, element), window.view,
                              window.coordinates, /*predicate=*/Value(),
                              window.inside, window.isRagged);
}

Value StitchLowering::inputOf(unsigned input, Scope &scope) {
  Scope &home = passes.isWalkedInput[input] ? scope : rows;
  Value &known = home.inputs[input];
  if (!known)
    known = load(group.inputs[input], home);
  return known;
}

/// A tile over `from`, repeated along the other axes of `to`; both ascending.
Value StitchLowering::repeat(Value tile, AxisList from, AxisList to) {
  SmallVector<int64_t> missing;
  for (auto [d, axis] : llvm::enumerate(to))
    if (!llvm::is_contained(from, axis))
      missing.push_back(d);
  if (missing.empty())
    return tile;
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  return tile::BroadcastOp::create(b, loc, tileType(to, element), tile,
                                   missing);
}

/// Elements at computed places. Beyond the extents of the axes there is nothing to
/// be read.
Value StitchLowering::gather(unsigned number, tensor::ExtractOp extract,
                             llvm::function_ref<Value(Value)> emit,
                             const Scope &scope) {
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  RankedTensorType indexType = tileType(axes, b.getIndexType());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(indexType, b.getIndexAttr(value)));
  };
  Value place;
  for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
    Value at = emit(index);
    place = place ? arith::AddIOp::create(
                        b, loc,
                        arith::MulIOp::create(b, loc, place,
                                              splat(type.getDimSize(d))),
                        at)
                        .getResult()
                  : at;
  }
  if (!place)
    place = splat(0);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (isInside(axis, scope))
      continue;
    Value at = tile::IotaOp::create(b, loc, indexType, originOf(axis, scope), d);
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                              splat(group.axes[axis].extent));
    place = arith::SelectOp::create(b, loc, inside, place, splat(-1));
  }
  return tile::GatherOp::create(b, loc, tileType(axes, type.getElementType()),
                                kernel.argument(extract.getTensor()), place);
}

Value StitchLowering::emitScalar(unsigned number, Value scalar, Scope &scope) {
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  auto typeOf = [&](Type element) { return tileType(axes, element); };
  auto outer = [&](Value value) -> Value {
    Attribute constant;
    RankedTensorType type = typeOf(value.getType());
    if (matchPattern(value, m_Constant(&constant)))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(type, constant));
    return tile::SplatOp::create(b, loc, type, kernel.argument(value));
  };
  auto argument = [&](OpOperand &operand) -> Value {
    if (auto fill = operand.get().getDefiningOp<linalg::FillOp>())
      return outer(fill.getInputs()[0]);
    if (!isa<RankedTensorType>(operand.get().getType()))
      return tile::SplatOp::create(b, loc, typeOf(operand.get().getType()),
                                   kernel.argument(operand.get()));
    SmallVector<unsigned, 4> read = group.axesOf(number, &operand);
    if (std::optional<unsigned> maker = group.definer(operand.get())) {
      Value known = scope.operators.lookup(*maker);
      return repeat(known ? known : rows.operators.lookup(*maker), read, axes);
    }
    return repeat(inputOf(group.reads.at(&operand), scope), read, axes);
  };
  auto index = [&](unsigned loop) -> Value {
    unsigned axis = group.loops[number][loop];
    return tile::IotaOp::create(b, loc, typeOf(b.getIndexType()),
                                originOf(axis, scope),
                                llvm::find(axes, axis) - axes.begin());
  };
  auto skipped = [](Operation *) { return std::optional<unsigned>(); };
  auto element = [&](tensor::ExtractOp extract,
                     llvm::function_ref<Value(Value)> emit) -> Value {
    unsigned input = group.reads.at(extract.getOperation());
    if (group.inputs[input].isGathered) {
      Scope &home = passes.isWalkedInput[input] ? scope : rows;
      Value known = home.inputs.lookup(input);
      if (!known)
        home.inputs[input] = known = gather(number, extract, emit, scope);
      return known;
    }
    return repeat(inputOf(input, scope), group.inputs[input].axes, axes);
  };
  return emitBody(b, loc, group.operators[number], scalar,
                  {argument, outer, index, skipped, typeOf, element});
}

/// What lies beyond the extents of reduced axes must not reach the reduction.
Value StitchLowering::mask(unsigned number, Value tile, AxisList axes,
                           const Scope &scope) {
  SmallVector<unsigned, 4> kept = group.resultAxes(number);
  TypedAttr identity = reductionIdentity(b, loc, *group.reductions[number]);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (llvm::is_contained(kept, axis) || isInside(axis, scope))
      continue;
    Value bound = kernel.constant(group.axes[axis].extent);
    if (passes.axis == axis)
      bound = arith::SubIOp::create(b, loc, bound, scope.origin);
    tile = tile::MaskOp::create(b, loc, tile.getType(), tile, bound, d,
                                arith::ConstantOp::create(b, loc, identity));
  }
  return tile;
}

Value StitchLowering::reduce(unsigned number, Value tile,
                             SmallVector<unsigned, 4> axes) {
  const ReductionBody &reduction = *group.reductions[number];
  SmallVector<unsigned, 4> kept = group.resultAxes(number);
  for (unsigned d = axes.size(); d-- > 0;) {
    if (llvm::is_contained(kept, axes[d]))
      continue;
    axes.erase(axes.begin() + d);
    tile = tile::ReduceOp::create(
        b, loc, tileType(axes, reduction.combined.getType()), reduction.kind,
        tile, d, /*offset=*/IntegerAttr(), /*intrinsic=*/StringAttr(),
        /*warps=*/DenseI64ArrayAttr());
  }
  TypedAttr start = reductionStart(b, loc, reduction);
  if (start == reductionIdentity(b, loc, reduction))
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  Value first =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, start));
  return arith::getReductionOp(reduction.kind, b, loc, first, tile);
}

void StitchLowering::store(const StitchTensor &tensor, Scope &scope) {
  SmallVector<unsigned, 4> axes = sorted(tensor.axes);
  unsigned maker = *group.definer(tensor.value);
  Value value = scope.operators.lookup(maker);
  if (!value)
    value = rows.operators.lookup(maker);
  Window window = emitWindow(tensor, kernel.resultPointer(tensor.result), axes,
                             scope);
  // Rows that no thread holds neighbours of are turned through shared memory.
  auto nearest = llvm::find_if(llvm::reverse(axes), [&](unsigned axis) {
    return schedule.spread[axis].vector > 1 || schedule.spread[axis].lanes > 1;
  });
  auto type = cast<RankedTensorType>(value.getType());
  constexpr unsigned smallest = 8; // bits of what shared memory holds
  if (tensor.unit && axes.size() == 2 && nearest != axes.rend() &&
      *nearest != *tensor.unit && schedule.stepOf(*tensor.unit).tile > 1 &&
      type.getElementTypeBitWidth() >= smallest) {
    SmallVector<unsigned> order;
    order.push_back(llvm::find(axes, *tensor.unit) - axes.begin());
    for (unsigned d = axes.size(); d-- > 0;)
      if (d != order.front())
        order.push_back(d);
    int64_t width =
        std::max<int64_t>(1, tensor.alignment / tensor.elementBytes);
    auto layout = tile::LayoutAttr::get(
        b.getContext(), blocked(type.getShape(), order, width, schedule.warps));
    // Before its operand has a layout nothing says whether shared memory can
    // hold it in panels.
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    SmallVector<int64_t> shape(type.getShape());
    if (order.front() == 0)
      std::swap(shape[0], shape[1]);
    if (sharedPanels(shape[0], shape[1], bytes, PanelOrder::Plain)) {
      value =
          tile::ConvertLayoutOp::create(b, loc, tile::withLayout(type, layout),
                                        value, /*offset=*/IntegerAttr());
      window.isRagged |= tensor.isRagged() && width > 1;
    }
  }
  tile::StoreOp::create(b, loc, value, window.view, window.coordinates,
                        /*vectorize=*/false, window.inside, window.isRagged);
}
