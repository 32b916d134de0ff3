//===- EmitCoordinates.cpp - tile.iota and tile.mask ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static LogicalResult emitIota(IotaOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Values result =
      coordinates(b, getLayout(op.getType()).getValue(), op.getDimension());
  if (result.empty())
    return op.emitOpError("has a layout without plain coordinates");
  Value start = e.scalar(op.getStart());
  llvm::DenseMap<Value, Value> first, known;
  for (Value &at : result) {
    auto [shared, constant] = splitCoordinate(at);
    Value &base = first[shared];
    if (!base)
      base = shared ? b.addSigned(start, shared) : start;
    Value &own = known[at];
    if (!own)
      own = b.addSigned(base, b.index(constant));
    at = own;
  }
  e.setRegisters(op, std::move(result));
  return success();
}

static LogicalResult emitMask(MaskOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Values at =
      coordinates(b, getLayout(op.getType()).getValue(), op.getDimension());
  if (at.empty())
    return op.emitOpError("has a layout without plain coordinates");
  const Values values = e.registers(op.getValue());
  Value bound = e.scalar(op.getBound()), fill = e.scalar(op.getFill());
  Values isInside = compareCoordinates(b, e.target(), arith::CmpIPredicate::slt,
                                       at, Values(at.size(), bound));
  Values result;
  for (auto [value, inside] : llvm::zip_equal(values, isInside))
    result.push_back(arith::SelectOp::create(b, inside, value, fill));
  e.setRegisters(op, std::move(result));
  return success();
}

void fusion::addCoordinateEmitters(EmitterRegistry &registry) {
  registry.add<IotaOp>(emitIota);
  registry.add<MaskOp>(emitMask);
}
