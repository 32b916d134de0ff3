//===- EmitStore.cpp - tile.store -----------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "GlobalAccess.h"
#include "MisalignedStore.h"
#include "Replicas.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Stores `elements` of a ragged access, of which `begin` are before them, but
/// for those beyond the view's borders: across a border in halves, as long as
/// they cross it.
static void storeHalves(KernelEmitter &e, StoreOp op, const TensorView &view,
                        const Chunk &chunk, int64_t begin,
                        ArrayRef<Value> elements) {
  ThreadBuilder &b = e.builder();
  OpBuilder::InsertionGuard guard(b);
  int64_t size = elements.size();
  Value unit = arith::AddIOp::create(b, chunk.unit, b.index(begin));
  auto whole = scf::IfOp::create(b, isWithin(b, view, unit, size),
                                 /*withElseRegion=*/size > 1);
  b.setInsertionPointToStart(whole.thenBlock());
  storeElements(e, op, view,
                arith::AddIOp::create(b, chunk.position, b.index(begin)),
                elements);
  if (size == 1)
    return;
  b.setInsertionPointToStart(whole.elseBlock());
  storeHalves(e, op, view, chunk, begin, elements.take_front(size / 2));
  storeHalves(e, op, view, chunk, begin + size / 2,
              elements.drop_front(size / 2));
}

static LogicalResult emitStore(StoreOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (op.getMisaligned())
    return emitMisalignedStore(op, e);
  const TensorView &view = e.view(op.getView());
  const LinearLayout &layout = getLayout(op.getValue().getType()).getValue();
  int64_t width = accessWidth(view.type, layout);
  const Values &values = e.registers(op.getValue());
  Value isOperandA = b.isFirstHolder(layout);
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg)
      continue;
    Chunk chunk = locateChunk(e, view, layout, reg, op.getCoordinates(),
                              op.getInBounds(), op.getRagged());
    OpBuilder::InsertionGuard guard(b);
    b.enterIf(b.both(chunk.isInside, isOperandA));
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(b, value));
    if (chunk.unit)
      storeHalves(e, op, view, chunk, /*begin=*/0, elements);
    else
      storeElements(e, op, view, chunk.position, elements);
  }
  return success();
}

void fusion::addStoreEmitters(EmitterRegistry &registry) {
  registry.add<StoreOp>(emitStore);
}
