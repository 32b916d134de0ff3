//===- EmitElements.cpp - Accesses of single elements ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static LogicalResult emitGather(GatherOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Value memory = e.globalMemory(op.getBase());
  Type element = op.getType().getElementType(), stored = memoryType(element);
  Values results;
  // Registers of the same index share its load.
  llvm::DenseMap<Value, Value> known;
  for (Value at : e.registers(op.getIndices())) {
    Value &loaded = known[at];
    if (!loaded) {
      Value isInside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, at, b.index(0));
      Value value = b.ifElse(
          stored, isInside,
          [&] {
            return e.target().asWhole(
                b, memref::LoadOp::create(b, memory, ValueRange{at}));
          },
          [&]() -> Value {
            return arith::ConstantOp::create(b, b.getZeroAttr(stored));
          });
      loaded = fromMemory(b, value, element);
    }
    results.push_back(loaded);
  }
  e.setRegisters(op, std::move(results));
  return success();
}

static LogicalResult emitElementLoad(ElementLoadOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Value value = memref::LoadOp::create(b, e.globalMemory(op.getBase()),
                                       ValueRange{e.scalar(op.getIndex())});
  e.setScalar(op.getResult(), fromMemory(b, value, op.getType()));
  return success();
}

static LogicalResult emitElementStore(ElementStoreOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  memref::StoreOp::create(b, toMemory(b, e.scalar(op.getValue())),
                          e.globalMemory(op.getBase()),
                          ValueRange{e.scalar(op.getIndex())});
  return success();
}

void fusion::addElementEmitters(EmitterRegistry &registry) {
  registry.add<GatherOp>(emitGather);
  registry.add<ElementLoadOp>(emitElementLoad);
  registry.add<ElementStoreOp>(emitElementStore);
}
