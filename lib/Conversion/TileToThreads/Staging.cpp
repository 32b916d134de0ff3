//===- Staging.cpp - Threads' own places in shared memory -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"
#include "Emitters.h"
#include "GlobalAccess.h"
#include "Replicas.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Support/PrivateBoxes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// Elements that a copy moves at a time.
static int64_t copiedWidth(CopyAsyncOp op) {
  return static_cast<int64_t>(op.getTransport()) /
         bytesOf(op.getBuffer().getType().getElementType());
}

/// Elements of one word of the buffer: a power of two that divides what a
/// thread holds.
static int64_t wordWidth(Value buffer) {
  for (Operation *user : buffer.getUsers())
    if (auto copy = dyn_cast<CopyAsyncOp>(user)) {
      if (!isTMA(copy))
        return copiedWidth(copy);
      auto own = cast<RankedTensorType>(*copy.getThreadPrivate());
      return privateAccess(getLayout(own).getValue(),
                           copy.getView().getType().getUnit(),
                           bytesOf(own.getElementType()));
    }
  auto type = cast<BufferType>(buffer.getType());
  int64_t most = 4 / bytesOf(type.getElementType()), width = 1;
  while (width * 2 <= most && type.getColumns() % (width * 2) == 0)
    width *= 2;
  return width;
}

/// The element of a stage of the buffer at which the thread's `width` elements
/// from number `first` on lie.
static Value stagingPosition(KernelEmitter &e, Value buffer, Value stage,
                             int64_t first, int64_t width) {
  ThreadBuilder &b = e.builder();
  auto type = cast<BufferType>(buffer.getType());
  Value thread = b.atEntry([&]() -> Value {
    Value number = arith::AddIOp::create(
        b, arith::MulIOp::create(b, b.warp(), b.i32(kWarpSize)), b.lane());
    return b.mul(arith::IndexCastUIOp::create(b, b.getIndexType(), number),
                 b.index(width));
  });
  return b.addConstant(b.add(stageOffset(e, buffer, stage), thread),
                       first * type.getRows());
}

static LogicalResult emitPrivateStore(PrivateStoreOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BufferType buffer = op.getBuffer().getType();
  Type element = buffer.getElementType();
  int64_t width = wordWidth(op.getBuffer());
  auto type = VectorType::get({width}, memoryType(element));
  // Registers that hold the same element are stored once.
  Values values;
  SmallVector<int64_t> firsts =
      firstRegisters(getLayout(op.getValue().getType()).getValue());
  for (auto [reg, value] : llvm::enumerate(e.registers(op.getValue())))
    if (firsts[reg] == static_cast<int64_t>(reg))
      values.push_back(value);
  for (int64_t reg = 0; reg < buffer.getColumns(); reg += width) {
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(b, value));
    vector::StoreOp::create(
        b, vector::FromElementsOp::create(b, type, elements),
        e.scalar(op.getBuffer()),
        stagingPosition(e, op.getBuffer(), op.getStage(), reg, width),
        /*nontemporal=*/false, llvm::MaybeAlign(width * bytesOf(element)));
  }
  return success();
}

static LogicalResult emitPrivateLoad(PrivateLoadOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BufferType buffer = op.getBuffer().getType();
  Type element = buffer.getElementType();
  int64_t width = wordWidth(op.getBuffer());
  auto type = VectorType::get({width}, memoryType(element));
  Values own;
  for (int64_t reg = 0; reg < buffer.getColumns(); reg += width) {
    Value word = vector::LoadOp::create(
        b, type, e.scalar(op.getBuffer()),
        stagingPosition(e, op.getBuffer(), op.getStage(), reg, width),
        /*nontemporal=*/false, llvm::MaybeAlign(width * bytesOf(element)));
    // LLVM would make loads of single elements, which conflict, of one whose
    // elements are used apart.
    if (width * bytesOf(element) > 4)
      word = e.target().asWhole(b, word);
    for (int64_t i = 0; i < width; ++i)
      own.push_back(
          fromMemory(b, vector::ExtractOp::create(b, word, i), element));
  }
  Values results;
  unsigned next = 0;
  for (auto [reg, first] :
       llvm::enumerate(firstRegisters(getLayout(op.getType()).getValue())))
    results.push_back(first == static_cast<int64_t>(reg) ? own[next++]
                                                         : results[first]);
  e.setRegisters(op, std::move(results));
  return success();
}

LogicalResult fusion::emitPrivateCopy(CopyAsyncOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  const TensorView &view = e.view(op.getView());
  const LinearLayout &layout =
      getLayout(cast<RankedTensorType>(*op.getThreadPrivate())).getValue();
  int64_t width = copiedWidth(op), column = 0;
  OpBuilder::InsertionGuard predicated(b);
  if (Value predicate = op.getPredicate())
    b.enterIf(e.scalar(predicate)); // the same for all threads
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg)
      continue;
    Chunk chunk = locateChunk(e, view, layout, reg, op.getCoordinates(),
                              op.getInBounds(), /*ragged=*/false);
    // Nothing is read where it is outside, and zeros arrive.
    Value elements;
    if (chunk.isInside)
      elements = arith::SelectOp::create(b, chunk.isInside, b.index(width),
                                         b.index(0));
    if (failed(e.target().copyAsync(
            b,
            {e.scalar(op.getBuffer()),
             stagingPosition(e, op.getBuffer(), op.getStage(), column, width),
             view.memory, chunk.position, width,
             static_cast<int64_t>(op.getTransport()), elements})))
      return failure();
    column += width;
  }
  return success();
}

void fusion::addStagingEmitters(EmitterRegistry &registry) {
  registry.add<PrivateStoreOp>(emitPrivateStore);
  registry.add<PrivateLoadOp>(emitPrivateLoad);
}
