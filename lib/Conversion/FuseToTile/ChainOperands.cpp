//===- ChainOperands.cpp - Operands of products in a block ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers of operands, loads of their tiles, and the slices that one step of an
// intrinsic reads, through the contraction's prologue.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemoryTile ChainLowering::memoryTile(unsigned tensor) const {
  const GroupTensor &info = model.tensors[tensor];
  const ContractionMapping &mapping = schedule.contractions[info.contraction];
  if (info.role == TensorRole::Result)
    return getMemoryTile(info, mapping.i1, mapping.i2);
  bool isOperandA = (info.operandNumber == 0) != mapping.swapped;
  return getMemoryTile(info, isOperandA ? mapping.i1 : mapping.i2, mapping.r1);
}

/// Returns the order of a buffer's elements that the intrinsic that reads it
/// requires.
PanelOrder ChainLowering::panelsOf(unsigned tensor,
                                   const MemoryTile &tile) const {
  const GroupTensor &info = model.tensors[tensor];
  auto asked = [&](unsigned contraction, unsigned operand) {
    const ContractionMapping &mapping = schedule.contractions[contraction];
    return operandPanels(*mapping.intrinsic, mapping.isOperandA(operand),
                         tile.columnAxis == mapping.r1);
  };
  if (info.role == TensorRole::Operand)
    return asked(info.contraction, info.operandNumber);
  for (auto [number, contraction] : llvm::enumerate(model.contractions))
    for (unsigned operand : {0u, 1u})
      if (contraction.producer[operand] == info.contraction)
        return asked(number, operand);
  return PanelOrder::Plain;
}

/// Allocates buffers for operands of contractions, and for intermediates with
/// several retained tiles. An intermediate with a single tile is passed through
/// the scratch of a layout conversion.
LogicalResult ChainLowering::allocateBuffers() {
  // Other blocks write here while this block still computes, so it is never
  // freed.
  for (unsigned number : clusterReductions(model, schedule)) {
    unsigned op = axes.operatorOf(number);
    running[number].given = kernel.plainBuffer(
        loc, matchReduction(axes.operators[op])->combined.getType(),
        /*stages=*/1, schedule.clusterBlocks(),
        reductionRows(schedule, model.reductions[number]),
        tile::BufferSpace::Cluster);
  }
  for (auto [index, info] : llvm::enumerate(model.tensors)) {
    bool isOperand = info.role == TensorRole::Operand;
    if (schedule.places[index].space != fuse::Space::Shared ||
        (!isOperand && !hasOwnBuffer(model, schedule, retained, index)))
      continue;
    const ContractionMapping &mapping = schedule.contractions[info.contraction];
    MemoryTile tile = isOperand ? memoryTile(index)
                                : MemoryTile{mapping.i1, mapping.i2, true};
    int64_t rows = schedule.tiles[tile.rowAxis],
            columns = schedule.tiles[tile.columnAxis];
    std::optional<LinearLayout> layout =
        sharedPanels(rows, columns, info.elementBytes, panelsOf(index, tile));
    if (!layout)
      return group.emitError("no shared-memory layout for the tile of '")
             << info.name << "' (" << rows << " x " << columns << ")";
    // The pipelining passes give the buffer its stages.
    IntegerAttr stages;
    if (schedule.places[index].stages > 1)
      stages = b.getI64IntegerAttr(schedule.places[index].stages);
    IntegerAttr registerStages; // null if the kernel says it for all
    if (!commonRegisterStages(model, schedule))
      registerStages =
          b.getI64IntegerAttr(schedule.places[index].registerStages);
    auto type = tile::BufferType::get(
        b.getContext(), retained.values[index].count, rows, columns,
        getElementTypeOrSelf(axes.finalValues[index].getType()),
        tile::LayoutAttr::get(b.getContext(), *layout),
        isOperand && isMulticast(model, schedule, index)
            ? tile::BufferSpace::Cluster
            : tile::BufferSpace::Shared);
    buffers[index] =
        tile::AllocOp::create(b, loc, type, /*offset=*/IntegerAttr(), stages,
                              /*pipelined=*/false, registerStages);
  }
  return success();
}

void ChainLowering::freeBuffers() {
  for (Value &buffer : buffers) {
    if (!buffer)
      continue;
    tile::FreeOp::create(b, loc, buffer);
    buffer = Value();
  }
}

//===----------------------------------------------------------------------===//
// Loads and slices
//===----------------------------------------------------------------------===//

static tile::Transport asyncTransport(fuse::Transport transport) {
  switch (transport) {
  case fuse::Transport::Async4:
    return tile::Transport::Async4;
  case fuse::Transport::Async8:
    return tile::Transport::Async8;
  case fuse::Transport::TMA:
    return tile::Transport::TMA;
  default:
    return tile::Transport::Async16;
  }
}

/// Returns the axes of a tensor's tile in registers: the axes of the tile with
/// which it is used that index it.
SmallVector<unsigned> ChainLowering::registerTileAxes(unsigned tensor) const {
  const GroupTensor &info = model.tensors[tensor];
  const ContractionMapping &mapping = schedule.contractions[info.contraction];
  bool isOperandA = (info.operandNumber == 0) != mapping.swapped;
  unsigned used[2] = {mapping.i1, mapping.i2};
  if (info.role == TensorRole::Operand)
    used[isOperandA ? 1 : 0] = mapping.r1;
  SmallVector<unsigned> tileAxes;
  for (unsigned axis : used)
    if (model.indexes(tensor, axis))
      tileAxes.push_back(axis);
  return tileAxes;
}

void ChainLowering::emitLoad(unsigned tensor) {
  const Placement &place = schedule.places[tensor];
  if (place.space == fuse::Space::Registers) {
    SmallVector<unsigned> tileAxes = registerTileAxes(tensor);
    Type elementType =
        cast<RankedTensorType>(axes.values[tensor].getType()).getElementType();
    Value value = tile::LoadOp::create(
        b, loc, tileType(tileAxes, elementType), emitView(tensor, tileAxes),
        coordinates(tileAxes), /*predicate=*/Value(), inBounds(tileAxes),
        /*ragged=*/false);
    const TileSlots &slots = retained.values[tensor];
    if (slots.isRetained())
      setInArray(arrays[tensor], slotNumber(slots), value);
    else if (model.tensors[tensor].pass)
      passTiles[tensor] = value;
    else
      tiles[axes.values[tensor]] = value;
    return;
  }
  MemoryTile tile = memoryTile(tensor);
  unsigned tileAxes[] = {tile.rowAxis, tile.columnAxis};
  bool isTMA = place.transport == fuse::Transport::TMA;
  Value view =
      isTMA ? emitBoxView(tensor, tileAxes) : emitView(tensor, tileAxes);
  Value stage = slotNumber(retained.values[tensor]);
  if (place.transport == fuse::Transport::Sync) {
    Type elementType = cast<tile::ViewType>(view.getType()).getElementType();
    Value value = tile::LoadOp::create(
        b, loc, tileType(tileAxes, elementType), view, coordinates(tileAxes),
        /*predicate=*/Value(), inBounds(tileAxes),
        /*ragged=*/false);
    tile::LocalStoreOp::create(b, loc, value, buffers[tensor], stage,
                               /*transposed=*/false, /*stages=*/IntegerAttr(),
                               /*slot=*/IntegerAttr());
    return;
  }
  tile::EvictionAttr eviction;
  if (place.eviction != fuse::Eviction::Normal)
    eviction = tile::EvictionAttr::get(b.getContext(),
                                       place.eviction == fuse::Eviction::First
                                           ? tile::Eviction::First
                                           : tile::Eviction::Last);
  tile::CopyAsyncOp::create(
      b, loc, view, coordinates(tileAxes), buffers[tensor], stage,
      /*predicate=*/Value(), asyncTransport(place.transport),
      inBounds(tileAxes), /*stages=*/IntegerAttr(), /*slot=*/IntegerAttr(),
      eviction, isMulticast(model, schedule, tensor),
      /*thread_private=*/TypeAttr());
  if (isTMA)
    bulkInFlight.push_back({tensor, {}});
  else
    copiesInFlight = true;
}

/// Emits the slice of a contraction's operand that one step of the intrinsic
/// multiplies. `value` has the two axes `tileAxes`; the slice begins at `start`
/// along `sliceAxis`.
Value ChainLowering::emitOperandSlice(Value value, unsigned contraction,
                                      ArrayRef<unsigned> tileAxes,
                                      unsigned sliceAxis, int64_t start,
                                      int64_t length) {
  SmallVector<int64_t> shape, origin;
  for (unsigned axis : tileAxes) {
    shape.push_back(axis == sliceAxis ? length : schedule.tiles[axis]);
    origin.push_back(axis == sliceAxis ? start : 0);
  }
  Type elementType = getElementTypeOrSelf(value.getType());
  auto type = RankedTensorType::get(shape, elementType);
  // A slice of an earlier contraction's value.
  if (auto earlier = productOfValue.find(value);
      earlier != productOfValue.end()) {
    const ContractionMapping &from = schedule.contractions[earlier->second];
    unsigned tensor = model.contractions[earlier->second].result;
    bool isTransposed = from.i1 != tileAxes[0];
    if (hasOwnBuffer(model, schedule, retained, tensor)) {
      if (isTransposed)
        std::swap(origin[0], origin[1]);
      return tile::LocalLoadOp::create(
          b, loc, type, buffers[tensor], slotNumber(retained.values[tensor]),
          origin, isTransposed, /*slot=*/IntegerAttr());
    }
    Value whole = tileOf(value, tensor);
    if (isTransposed) {
      Value &turned = transposed[value];
      if (!turned) {
        auto given = cast<RankedTensorType>(whole.getType());
        turned = tile::TransposeOp::create(
            b, loc,
            RankedTensorType::get({given.getDimSize(1), given.getDimSize(0)},
                                  elementType),
            whole);
      }
      whole = turned;
    }
    return tile::SliceOp::create(b, loc, type, whole, origin);
  }
  // Row statistics are used whole, as steps go along the other axis.
  if (Value rows = rowsOf(value))
    return rows;
  // An element-wise operator of the prologue.
  if (auto op = value.getDefiningOp<linalg::LinalgOp>();
      op && !isInput(value)) {
    llvm::SaveAndRestore<decltype(slicedAxis)> slice(
        slicedAxis, std::make_pair(sliceAxis, start));
    return emitElementwise(op, tileAxes, shape, [&](Value operand) {
      return emitOperandSlice(operand, contraction, tileAxes, sliceAxis, start,
                              length);
    });
  }
  // An operand of the group.
  if (!isa<RankedTensorType>(value.getType()))
    return kernel.argument(value);
  unsigned tensor = operandTensor(value);
  if (schedule.places[tensor].space == fuse::Space::Shared) {
    MemoryTile tile = memoryTile(tensor);
    bool transposed = tile.rowAxis != tileAxes[0];
    SmallVector<int64_t> inBuffer = origin;
    if (transposed)
      std::swap(inBuffer[0], inBuffer[1]);
    return tile::LocalLoadOp::create(
        b, loc, type, buffers[tensor], slotNumber(retained.values[tensor]),
        inBuffer, transposed, /*slot=*/IntegerAttr());
  }
  Value whole = tileOf(axes.values[tensor], tensor);
  // An operand that lacks one of the axes is loaded as a whole.
  SmallVector<int64_t> presentShape, presentOrigin;
  for (auto [d, axis] : llvm::enumerate(tileAxes)) {
    if (!model.indexes(tensor, axis))
      continue;
    presentShape.push_back(shape[d]);
    presentOrigin.push_back(origin[d]);
  }
  auto part = RankedTensorType::get(presentShape, elementType);
  if (part == whole.getType())
    return whole;
  return tile::SliceOp::create(b, loc, part, whole, presentOrigin);
}

/// Waits for all copies issued before. Copies by cp.async form one group.
void ChainLowering::waitForCopies() {
  awaitTMA();
  if (!copiesInFlight)
    return;
  tile::CommitOp::create(b, loc);
  tile::WaitOp::create(b, loc, 0);
  copiesInFlight = false;
}

/// Waits for every TMA copy once, outside of later loops. For a tensor with
/// retained tiles, it waits in loops over these tiles.
void ChainLowering::awaitTMA() {
  for (const BulkLoad &load : std::exchange(bulkInFlight, {}))
    awaitTMA(load.tensor, load.loops);
}

void ChainLowering::awaitTMA(unsigned tensor, ArrayRef<unsigned> loops) {
  if (!loops.empty())
    return emitLoop(loops.front(), /*carried=*/{},
                    [&] { awaitTMA(tensor, loops.drop_front()); });
  tile::AwaitOp::create(b, loc, buffers[tensor],
                        slotNumber(retained.values[tensor]),
                        /*predicate=*/Value(), /*slot=*/IntegerAttr());
}
