//===- ChainTiles.cpp - The tiles that a block holds ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainTiles.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fusion;

ChainTiles::ChainTiles(fuse::FusedGroupOpInterface group, const GroupAxes &axes,
                       const Schedule &schedule, const RetainedTiles &retained,
                       KernelBuilder &kernel, ChainCoordinates &block,
                       const Location &loc)
    : group(group), axes(axes), model(axes.model), schedule(schedule),
      retained(retained), kernel(kernel), b(kernel.builder()), block(block),
      loc(loc), buffers(model.tensors.size()), arrays(model.tensors.size()),
      passTiles(model.tensors.size()) {}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemoryTile ChainTiles::memoryTile(unsigned tensor) const {
  const GroupTensor &info = model.tensors[tensor];
  const ContractionMapping &mapping = schedule.contractions[info.contraction];
  if (info.role == TensorRole::Result)
    return getMemoryTile(info, mapping.i1, mapping.i2);
  bool isOperandA = (info.operandNumber == 0) != mapping.swapped;
  return getMemoryTile(info, isOperandA ? mapping.i1 : mapping.i2, mapping.r1);
}

PanelOrder ChainTiles::panelsOf(unsigned tensor, const MemoryTile &tile) const {
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

LogicalResult ChainTiles::allocate() {
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

void ChainTiles::free() {
  for (Value &buffer : buffers) {
    if (!buffer)
      continue;
    tile::FreeOp::create(b, loc, buffer);
    buffer = Value();
  }
}

//===----------------------------------------------------------------------===//
// Loads
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

SmallVector<unsigned> ChainTiles::registerTileAxes(unsigned tensor) const {
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

void ChainTiles::load(unsigned tensor) {
  const Placement &place = schedule.places[tensor];
  if (place.space != fuse::Space::Shared) {
    SmallVector<unsigned> tileAxes = registerTileAxes(tensor);
    Type elementType =
        cast<RankedTensorType>(axes.values[tensor].getType()).getElementType();
    auto value = tile::LoadOp::create(
        b, loc, block.tileType(tileAxes, elementType),
        block.emitView(tensor, tileAxes), block.originsOf(tileAxes),
        /*predicate=*/Value(), block.inBounds(tileAxes),
        /*ragged=*/false);
    value.setPacked(place.space == fuse::Space::Packed);
    const TileSlots &slots = retained.values[tensor];
    if (slots.isRetained())
      setInArray(arrays[tensor], block.slotNumber(slots), value);
    else if (model.tensors[tensor].pass)
      passTiles[tensor] = value;
    else
      tiles[axes.values[tensor]] = value;
    return;
  }
  MemoryTile tile = memoryTile(tensor);
  unsigned tileAxes[] = {tile.rowAxis, tile.columnAxis};
  bool isTMA = place.transport == fuse::Transport::TMA;
  Value view = isTMA ? block.emitBoxView(tensor, tileAxes)
                     : block.emitView(tensor, tileAxes);
  Value stage = block.slotNumber(retained.values[tensor]);
  if (place.transport == fuse::Transport::Sync) {
    Type elementType = cast<tile::ViewType>(view.getType()).getElementType();
    Value value =
        tile::LoadOp::create(b, loc, block.tileType(tileAxes, elementType),
                             view, block.originsOf(tileAxes),
                             /*predicate=*/Value(), block.inBounds(tileAxes),
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
      b, loc, view, block.originsOf(tileAxes), buffers[tensor], stage,
      /*predicate=*/Value(), asyncTransport(place.transport),
      block.inBounds(tileAxes), /*stages=*/IntegerAttr(),
      /*slot=*/IntegerAttr(), eviction, isMulticast(model, schedule, tensor),
      /*thread_private=*/TypeAttr());
  if (isTMA)
    bulkInFlight.push_back({tensor, {}});
  else
    copiesInFlight = true;
}

void ChainTiles::waitForCopies() {
  awaitTMA();
  if (!copiesInFlight)
    return;
  tile::CommitOp::create(b, loc);
  tile::WaitOp::create(b, loc, 0);
  copiesInFlight = false;
}

void ChainTiles::awaitTMA() {
  for (const BulkLoad &load : std::exchange(bulkInFlight, {}))
    awaitTMA(load.tensor, load.loops);
}

void ChainTiles::awaitTMA(unsigned tensor, ArrayRef<unsigned> loops) {
  if (!loops.empty())
    return block.emitLoop(loops.front(), /*carried=*/{},
                          [&] { awaitTMA(tensor, loops.drop_front()); });
  tile::AwaitOp::create(b, loc, buffers[tensor],
                        block.slotNumber(retained.values[tensor]),
                        /*predicate=*/Value(), /*slot=*/IntegerAttr());
}

void ChainTiles::leaveLoop(unsigned axis, size_t before) {
  for (BulkLoad &load : llvm::MutableArrayRef(bulkInFlight).drop_front(before))
    load.loops.insert(load.loops.begin(), axis);
}

//===----------------------------------------------------------------------===//
// Retained tiles
//===----------------------------------------------------------------------===//

bool ChainTiles::isInRegisters(unsigned tensor) const {
  // The transport of a result's place says how it is stored.
  return schedule.places[tensor].space != fuse::Space::Shared ||
         model.tensors[tensor].role == TensorRole::Result;
}

Value ChainTiles::getFromArray(Value array, Value slot) {
  return tile::ArrayGetOp::create(
      b, loc, cast<tile::ArrayType>(array.getType()).getElementType(), array,
      slot);
}

void ChainTiles::setInArray(Value &array, Value slot, Value tile) {
  array = tile::ArraySetOp::create(b, loc, array.getType(), tile, array, slot);
}

void ChainTiles::startArray(unsigned tensor) {
  const GroupTensor &info = model.tensors[tensor];
  const ContractionMapping &mapping = schedule.contractions[info.contraction];
  SmallVector<unsigned> tileAxes;
  if (info.role == TensorRole::Operand || info.role == TensorRole::Extra)
    tileAxes = registerTileAxes(tensor);
  else
    tileAxes = {mapping.i1, mapping.i2};
  auto type = block.tileType(
      tileAxes, getElementTypeOrSelf(axes.finalValues[tensor].getType()));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  arrays[tensor] = tile::MakeArrayOp::create(
      b, loc,
      tile::ArrayType::get(b.getContext(), retained.values[tensor].count, type),
      zero);
}

Value ChainTiles::tileOf(Value value, unsigned tensor) {
  const TileSlots &slots = retained.values[tensor];
  if (!slots.isRetained())
    return model.tensors[tensor].pass ? passTiles[tensor] : tiles.lookup(value);
  Value &tile = fetched[value];
  if (!tile)
    tile = getFromArray(arrays[tensor], block.slotNumber(slots));
  return tile;
}
