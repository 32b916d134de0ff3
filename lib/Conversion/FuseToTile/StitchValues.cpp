//===- StitchValues.cpp - Tiles of a stitched group's values --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "StitchLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

RankedTensorType StitchLowering::tileType(AxisList axes, Type element) const {
  SmallVector<int64_t> shape;
  for (unsigned axis : axes)
    shape.push_back(schedule.stepOf(axis).tile);
  bool isShared = sharing && sorted(axes) == sorted(group.loops[*sharing]);
  LinearLayout layout = isShared
                            ? sharedLayoutOf(group, schedule, component, axes,
                                             schedule.schemeOf(*sharing))
                            : layoutOf(group, schedule, component, axes);
  return RankedTensorType::get(
      shape, element, tile::LayoutAttr::get(element.getContext(), layout));
}

Value StitchLowering::originOf(unsigned axis, const Scope &scope) const {
  return passes.axis == axis ? scope.origin : origins[axis];
}

bool StitchLowering::isInside(unsigned axis, const Scope &scope) const {
  if (passes.axis == axis)
    return scope.isInside;
  return schedule.threadMapping[axis].align == 1 &&
         group.axes[axis].extent % schedule.threadMapping[axis].tile == 0;
}

/// Returns a tensor as a window for a tile over `axes`, from its first element
/// on.
StitchLowering::Window StitchLowering::emitWindow(const StitchTensor &tensor,
                                                  Value pointer, AxisList axes,
                                                  const Scope &scope) {
  Window window;
  SmallVector<Value> sizes, strides;
  SmallVector<bool> flags;
  int64_t unit = -1, offset = tensor.offset;
  // Neighbouring elements of a thread are moved together: a vector, or the
  // registers of an axis that no other thread is on.
  auto hasNeighbours = [&](unsigned axis) {
    const AxisThreadMapping &mapping = schedule.threadMapping[axis];
    return mapping.vector > 1 || mapping.lanes * mapping.warps == 1;
  };
  window.isRagged =
      tensor.unit && tensor.isRagged() && hasNeighbours(*tensor.unit);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    unsigned at = llvm::find(tensor.axes, axis) - tensor.axes.begin();
    auto [first, beyond] = tensor.inside[at];
    window.isPartial |= first > 0 || beyond < group.axes[axis].extent;
    window.isRagged |= first > 0 || schedule.threadMapping[axis].align > 1;
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
                                  alignmentOf(schedule, tensor));
  int64_t width = sharing ? 1 : misalignedAccessWidth(group, schedule, tensor);
  if (width > 1) {
    window.misaligned = b.getI64IntegerAttr(width);
    window.isRagged = true;
  }
  if (width > 1 || loadsAcross(group, schedule, tensor))
    window.within = b.getI64IntegerAttr(
        cast<RankedTensorType>(tensor.value.getType()).getNumElements());
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
  auto load = tile::LoadOp::create(
      b, loc, tileType(axes, element), window.view, window.coordinates,
      /*predicate=*/Value(), window.inside, window.isRagged,
      window.isRagged ? window.within : IntegerAttr(), window.misaligned,
      isEvictFirst(schedule, tensor), /*packed=*/false);
  if (window.isPartial)
    load->setAttr(tile::kPartialAttrName, b.getUnitAttr());
  return load;
}

/// Copies a tile from global memory to each thread's private place in shared
/// memory, by TMA if the schedule says so. Data that is used once is evicted
/// first.
void StitchLowering::copyPrivate(const StitchTensor &tensor,
                                 RankedTensorType tile, Value buffer,
                                 Value stage, const Scope &scope) {
  Window window = emitWindow(tensor, kernel.argument(tensor.value),
                             sorted(tensor.axes), scope);
  bool usesTMA = isCopiedByTMA(group, schedule, tensor);
  tile::Transport transport =
      usesTMA
          ? tile::Transport::TMA
          : *tile::symbolizeTransport(*bytesOfCopies(group, schedule, tensor));
  tile::EvictionAttr eviction;
  if (usesTMA && isEvictFirst(schedule, tensor))
    eviction = tile::EvictionAttr::get(b.getContext(), tile::Eviction::First);
  tile::CopyAsyncOp::create(
      b, loc, window.view, window.coordinates, buffer, stage,
      /*predicate=*/Value(), transport, window.inside,
      /*stages=*/IntegerAttr(), /*slot=*/IntegerAttr(), eviction,
      /*multicast=*/false, TypeAttr::get(tile));
}

Value StitchLowering::inputOf(unsigned input, Scope &scope) {
  Scope &home = passes.isSerialInput[input] ? scope : rows;
  if (std::optional<unsigned> reader = sharedReader(input))
    return sharedInputOf(input, *reader, home);
  Value &known = home.inputs[input];
  if (!known) {
    llvm::SaveAndRestore<std::optional<unsigned>> inGroup(sharing,
                                                          std::nullopt);
    known = load(group.inputs[input], home);
  }
  return known;
}

Value StitchLowering::fit(Value tile, AxisList axes) {
  RankedTensorType type = tileType(
      sorted(axes), cast<RankedTensorType>(tile.getType()).getElementType());
  if (tile.getType() == type)
    return tile;
  return convert(tile, type,
                 sharing ? schedule.schemeOf(*sharing) : Composition::Block);
}

/// Broadcasts a tile over `from` along the other axes of `to`. Both are
/// ascending.
Value StitchLowering::repeat(Value tile, AxisList from, AxisList to) {
  if (sharing && from != to) {
    // Replicas cost nothing in the layout of the group.
    llvm::SaveAndRestore<std::optional<unsigned>> inGroup(sharing,
                                                          std::nullopt);
    tile = repeat(tile, from, to);
    from = to;
  }
  tile = fit(tile, from);
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

/// Loads elements at computed coordinates. Elements beyond the extents of the
/// axes are not read.
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
    Value at =
        tile::IotaOp::create(b, loc, indexType, originOf(axis, scope), d);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                         splat(group.axes[axis].extent));
    if (schedule.threadMapping[axis].align > 1)
      inside = arith::AndIOp::create(
          b, loc, inside,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at,
                                splat(0)));
    place = arith::SelectOp::create(b, loc, inside, place, splat(-1));
  }
  return tile::GatherOp::create(b, loc, tileType(axes, type.getElementType()),
                                kernel.argument(extract.getTensor()), place);
}

Value StitchLowering::emitScalar(unsigned number, Value scalar, Scope &scope) {
  return emitScalar(number, scalar, sorted(group.loops[number]), scope);
}

Value StitchLowering::emitScalar(unsigned number, Value scalar, AxisList axes,
                                 Scope &scope) {
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
      auto running = scope.running.find(*maker);
      if (running != scope.running.end())
        return repeat(running->second.after.first, running->second.after.second,
                      axes);
      return repeat(operatorOf(*maker, scope), read, axes);
    }
    return repeat(inputOf(group.reads.at(&operand), scope), read, axes);
  };
  auto index = [&](unsigned loop) -> Value {
    unsigned axis = group.loops[number][loop];
    return tile::IotaOp::create(b, loc, typeOf(b.getIndexType()),
                                originOf(axis, scope),
                                llvm::find(axes, axis) - axes.begin());
  };
  auto skipped = [&](Operation *inner) -> std::optional<unsigned> {
    auto it = passes.skipped.find(inner);
    return it == passes.skipped.end() ? std::nullopt
                                      : std::optional(it->second);
  };
  auto element = [&](tensor::ExtractOp extract,
                     llvm::function_ref<Value(Value)> emit) -> Value {
    unsigned input = group.reads.at(extract.getOperation());
    if (group.inputs[input].isGathered) {
      Scope &home = passes.isSerialInput[input] ? scope : rows;
      Value &known = (sharing ? home.sharedInputs : home.inputs)[input];
      if (!known)
        known = gather(number, extract, emit, scope);
      return fit(known, axes);
    }
    return repeat(inputOf(input, scope), group.inputs[input].axes, axes);
  };
  return emitBody(b, loc, group.operators()[number], scalar,
                  {argument, outer, index, skipped, typeOf, element});
}

/// Masks elements beyond the extents of reduced axes, which must not reach the
/// reduction.
Value StitchLowering::mask(unsigned number, Value tile, AxisList axes,
                           const Scope &scope) {
  SmallVector<unsigned, 4> retained = group.resultAxes(number);
  TypedAttr identity = reductionIdentity(b, loc, *group.reductions[number]);
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (llvm::is_contained(retained, axis) || isInside(axis, scope))
      continue;
    Value bound = kernel.constant(group.axes[axis].extent);
    bool isAligned = schedule.threadMapping[axis].align > 1;
    if (passes.axis == axis || split.axis == axis || isAligned ||
        schedule.threadMapping[axis].cluster > 1)
      bound = arith::SubIOp::create(b, loc, bound, originOf(axis, scope));
    tile = tile::MaskOp::create(b, loc, tile.getType(), tile, bound, d,
                                arith::ConstantOp::create(b, loc, identity));
    if (!isAligned)
      continue;
    RankedTensorType indexType = tileType(axes, b.getIndexType());
    auto splat = [&](RankedTensorType type, TypedAttr value) {
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(type, value));
    };
    Value at =
        tile::IotaOp::create(b, loc, indexType, originOf(axis, scope), d);
    Value isBehind =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at,
                              splat(indexType, b.getIndexAttr(0)));
    tile = arith::SelectOp::create(
        b, loc, isBehind, tile,
        splat(cast<RankedTensorType>(tile.getType()), identity));
  }
  return tile;
}

Value StitchLowering::reduce(unsigned number, Value tile,
                             SmallVector<unsigned, 4> axes) {
  const ReductionBody &reduction = *group.reductions[number];
  SmallVector<unsigned, 4> retained = group.resultAxes(number);
  for (unsigned d = axes.size(); d-- > 0;) {
    if (llvm::is_contained(retained, axes[d]))
      continue;
    axes.erase(axes.begin() + d);
    tile = tile::ReduceOp::create(
        b, loc, tileType(axes, reduction.combined.getType()), reduction.kind,
        tile, d, /*offset=*/IntegerAttr(), /*intrinsic=*/StringAttr(),
        /*warps=*/DenseI64ArrayAttr());
  }
  tile = combineCluster(number, tile);
  // The initial value of a split reduction is counted once.
  TypedAttr start = reductionStart(b, loc, reduction);
  if (split.isPartial[number] && !isLast)
    return tile;
  if (start == reductionIdentity(b, loc, reduction))
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  Value first =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, start));
  return arith::getReductionOp(reduction.kind, b, loc, first, tile);
}

/// Returns whether the block is the one that stores a tile that several blocks
/// hold; null if only one block holds it.
Value StitchLowering::isStoring(const StitchTensor &tensor) {
  Value result;
  for (unsigned number = 0; number < group.axes.size(); ++number) {
    if (group.components[number] != component ||
        llvm::is_contained(tensor.axes, number) ||
        (isLast && number == split.axis) ||
        countTiles(group, schedule, number) == 1)
      continue;
    Value isOperandA = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, digits[number], kernel.constant(0));
    result = result
                 ? arith::AndIOp::create(b, loc, result, isOperandA).getResult()
                 : isOperandA;
  }
  return result;
}

void StitchLowering::store(const StitchTensor &tensor, Scope &scope) {
  OpBuilder::InsertionGuard guard(b);
  if (Value isOurs = isStoring(tensor)) {
    auto branch = scf::IfOp::create(b, loc, isOurs, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<unsigned, 4> axes = sorted(tensor.axes);
  unsigned maker = *group.definer(tensor.value);
  Value value = scope.operators.lookup(maker);
  if (!value)
    value = rows.operators.lookup(maker);
  Window window =
      emitWindow(tensor, kernel.resultPointer(tensor.result), axes, scope);
  // Rows without neighbouring elements in any thread are transposed through
  // shared memory.
  if (std::optional<TransposedResult> turned =
          transposeResult(group, schedule, tensor)) {
    window.misaligned = IntegerAttr();
    if (isTransposedMisaligned(schedule, tensor)) {
      window.misaligned =
          b.getI64IntegerAttr(transposedWidth(schedule, tensor));
      window.isRagged = true;
    }
    auto layout = tile::LayoutAttr::get(b.getContext(), turned->layout);
    value = tile::ConvertLayoutOp::create(
        b, loc,
        tile::withLayout(cast<RankedTensorType>(value.getType()), layout),
        value, /*offset=*/IntegerAttr(), /*padded=*/true);
    window.isRagged |= tensor.isRagged();
  }
  auto store = tile::StoreOp::create(
      b, loc, value, window.view, window.coordinates, /*vectorize=*/false,
      window.inside, window.isRagged, window.misaligned, schedule.evictFirst);
  if (window.isPartial)
    store->setAttr(tile::kPartialAttrName, b.getUnitAttr());
}
