//===- EmitLoad.cpp - tile.load -------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "GlobalAccess.h"
#include "MisalignedLoad.h"
#include "Replicas.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Loads a vector of the given type at a position, elements.
using Read = llvm::function_ref<Value(VectorType, Value)>;

static Value zeros(ThreadBuilder &b, VectorType type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

/// Loads `size` elements of a ragged access from element `first` on, those
/// beyond the view's borders as zeros: across a border in halves, as long as
/// they cross it.
static Value loadHalves(ThreadBuilder &b, const TensorView &view,
                        const Chunk &chunk, Type element, int64_t first,
                        int64_t size, Read read) {
  auto type = VectorType::get({size}, element);
  Value unit = arith::AddIOp::create(b, chunk.unit, b.index(first));
  Value isWhole = b.both(isWithin(b, view, unit, size), chunk.isInside);
  return b.ifElse(
      type, isWhole,
      [&]() -> Value {
        return read(type,
                    arith::AddIOp::create(b, chunk.position, b.index(first)));
      },
      [&]() -> Value {
        if (size == 1)
          return zeros(b, type);
        Values elements;
        for (int64_t half : {first, first + size / 2}) {
          Value part =
              loadHalves(b, view, chunk, element, half, size / 2, read);
          for (int64_t i = 0; i < size / 2; ++i)
            elements.push_back(vector::ExtractOp::create(b, part, i));
        }
        return vector::FromElementsOp::create(b, type, elements);
      });
}

/// Loads the vector of a ragged access. If the memory is known to have `within`
/// elements, the vector is loaded whole if some of it is inside of the view and
/// all of it inside of the memory.
static Value loadRagged(ThreadBuilder &b, const TensorView &view,
                        const Chunk &chunk, VectorType type,
                        std::optional<int64_t> within, Read read) {
  int64_t width = type.getNumElements();
  auto inHalves = [&] {
    return loadHalves(b, view, chunk, type.getElementType(), 0, width, read);
  };
  if (!within || width == 1)
    return inHalves();
  Value isNeeded = b.both(overlaps(b, view, chunk.unit, width), chunk.isInside);
  return b.ifElse(
      type, isNeeded,
      [&]() -> Value {
        Value last =
            arith::AddIOp::create(b, chunk.position, b.index(width - 1));
        Value isWhole = arith::AndIOp::create(
            b,
            arith::CmpIOp::create(b, arith::CmpIPredicate::sge, chunk.position,
                                  b.index(0)),
            arith::CmpIOp::create(b, arith::CmpIPredicate::slt, last,
                                  b.index(*within)));
        return b.ifElse(
            type, isWhole, [&] { return read(type, chunk.position); },
            inHalves);
      },
      [&] { return zeros(b, type); });
}

static LogicalResult emitLoad(LoadOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (op.getMisaligned())
    return emitMisalignedLoad(op, e);
  const TensorView &view = e.view(op.getView());
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  Type element = op.getType().getElementType();
  int64_t width = accessWidth(view.type, layout);
  auto type = VectorType::get({width}, memoryType(element));
  // Replicas store nothing to shared memory: they need not load what only goes
  // on to there.
  Value predicate;
  if (op.getResult().hasOneUse() &&
      isa<LocalStoreOp>(*op.getResult().user_begin()))
    predicate = b.isFirstHolder(layout);
  if (op.getPredicate())
    predicate = b.both(predicate, e.scalar(op.getPredicate()));
  bool isUsedApart = !llvm::all_of(op->getUsers(), llvm::IsaPred<LocalStoreOp>);
  auto read = [&](VectorType type, Value position) -> Value {
    return e.target().loadGlobal(
        b, view.memory, position, type,
        accessAlignment(type.getNumElements(), element), op.getEvictFirst());
  };
  Values results(layout.inSize(LayoutDim::Register));
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg) {
      for (int64_t i = 0; i < width; ++i)
        results[reg + i] = results[replica + i];
      continue;
    }
    Chunk chunk = locateChunk(e, view, layout, reg, op.getCoordinates(),
                              op.getInBounds(), op.getRagged());
    chunk.isInside = b.both(chunk.isInside, predicate);
    Value loaded;
    if (chunk.unit)
      loaded = loadRagged(b, view, chunk, type, op.getWithin(), read);
    else if (chunk.isInside)
      loaded = b.ifElse(
          type, chunk.isInside, [&] { return read(type, chunk.position); },
          [&] { return zeros(b, type); });
    else
      loaded = read(type, chunk.position);
    // Local stores take vectors as they were loaded.
    if (isUsedApart)
      loaded = e.target().asWhole(b, loaded);
    for (int64_t i = 0; i < width; ++i)
      results[reg + i] =
          fromMemory(b, vector::ExtractOp::create(b, loaded, i), element);
  }
  e.setRegisters(op, std::move(results));
  return success();
}

void fusion::addLoadEmitters(EmitterRegistry &registry) {
  registry.add<LoadOp>(emitLoad);
}
