//===- GlobalAccess.cpp - Where threads access global memory --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalAccess.h"
#include "Windows.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

Chunk fusion::locateChunk(KernelEmitter &e, const TensorView &view,
                          const LinearLayout &layout, int64_t reg,
                          ValueRange coordinates,
                          std::optional<ArrayRef<bool>> inBounds, bool ragged) {
  ThreadBuilder &b = e.builder();
  Chunk chunk;
  if (view.window) {
    SmallVector<WindowCoordinate> at;
    for (int64_t d = 0; d < view.type.getRank(); ++d) {
      AddressPlan plan = *planCoordinate(layout, d);
      const AddressPlan::Constant &constant =
          plan.registers[plan.registers.size() == 1 ? 0 : reg];
      at.push_back({e.scalar(coordinates[d]),
                    b.threadOffset(plan, constant.ofThread()), constant.added(),
                    layout.outSize(tileDim(d))});
    }
    chunk = locateInWindow(e, view, at);
    for (auto [d, each] : llvm::enumerate(at)) {
      if (inBounds && (*inBounds)[d])
        continue;
      Value below = arith::CmpIOp::create(
          b, arith::CmpIPredicate::slt,
          b.addConstant(b.add(each.origin, each.thread), each.fixed),
          view.sizes[d]);
      chunk.isInside = b.both(chunk.isInside, below);
    }
    return chunk;
  }
  Value fixed = b.index(0);
  chunk.position = view.offset;
  // The position of a ragged access may be negative.
  auto move = [&](Value by) {
    chunk.position =
        ragged ? b.addSigned(chunk.position, by) : b.add(chunk.position, by);
  };
  for (int64_t d = 0; d < view.type.getRank(); ++d) {
    Value origin = e.scalar(coordinates[d]);
    AddressPlan plan = *planCoordinate(layout, d);
    const AddressPlan::Constant &constant =
        plan.registers[plan.registers.size() == 1 ? 0 : reg];
    Value thread = b.threadOffset(plan, constant.ofThread());
    int64_t immediate = constant.added();
    bool isKnown = inBounds && (*inBounds)[d];
    Value below;
    if (ragged && !isKnown) {
      // The origin may be negative: no promise of what does not wrap.
      Value at = arith::AddIOp::create(
          b, arith::AddIOp::create(b, origin, thread), b.index(immediate));
      chunk.position = arith::AddIOp::create(
          b, chunk.position, arith::MulIOp::create(b, at, view.strides[d]));
      if (d == view.type.getUnit()) {
        chunk.unit = at;
        continue;
      }
      below = arith::AndIOp::create(
          b,
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at,
                                view.sizes[d]),
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at, b.index(0)));
    } else {
      move(b.mul(origin, view.strides[d]));
      move(b.mul(thread, view.strides[d]));
      if (immediate != 0)
        fixed = b.add(fixed, b.mul(b.index(immediate), view.strides[d]));
      if (isKnown)
        continue;
      Value at = b.addConstant(b.add(origin, thread), immediate);
      below = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at,
                                    view.sizes[d]);
    }
    chunk.isInside = b.both(chunk.isInside, below);
  }
  move(fixed);
  return chunk;
}

Value fusion::isWithin(ThreadBuilder &b, const TensorView &view, Value unit,
                       int64_t width) {
  Value last = arith::AddIOp::create(b, unit, b.index(width - 1));
  return arith::AndIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::sge, unit, b.index(0)),
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, last,
                            view.sizes[view.type.getUnit()]));
}

Value fusion::overlaps(ThreadBuilder &b, const TensorView &view, Value unit,
                       int64_t width) {
  return arith::AndIOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, unit,
                            b.index(-width)),
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, unit,
                            view.sizes[view.type.getUnit()]));
}

int64_t fusion::accessWidth(ViewType view, const LinearLayout &layout) {
  if (view.getUnit() < 0)
    return 1;
  int64_t bytes =
      std::max<int64_t>(1, view.getElementType().getIntOrFloatBitWidth() / 8);
  return std::min(layout.contiguousRegisters(tileDim(view.getUnit())),
                  std::max<int64_t>(1, view.getAlignment() / bytes));
}

int64_t fusion::accessAlignment(int64_t width, Type element) {
  return width * std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

void fusion::storeElements(KernelEmitter &e, StoreOp op, const TensorView &view,
                           Value position, ValueRange elements) {
  ThreadBuilder &b = e.builder();
  int64_t width = elements.size();
  Type element = elements.front().getType();
  Value packed = vector::FromElementsOp::create(
      b, VectorType::get({width}, element), elements);
  e.target().storeGlobal(b, packed, view.memory, position,
                         accessAlignment(width, element), op.getEvictFirst());
}
