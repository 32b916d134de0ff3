//===- EmitStash.cpp - A thread's own place in shared memory --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of a thread are moved in words of 4 bytes, word after word of all
// threads: a warp's access covers every bank once, whatever the layout of the
// tile is. Wider words take as many wavefronts. What is copied there without
// passing through registers has words as wide as the copies, by boxes as wide
// as what a thread has side by side (Support/OwnBoxes.h).
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Replicas.h"
#include "fusion/Support/OwnBoxes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Elements of one word: a power of two that divides a thread's.
static int64_t wordWidth(Value buffer) {
  for (Operation *user : buffer.getUsers())
    if (auto copy = dyn_cast<CopyAsyncOp>(user)) {
      if (!isBulk(copy))
        return copiedWidth(copy);
      auto own = cast<RankedTensorType>(*copy.getOwn());
      return ownWord(getLayout(own).getValue(),
                     copy.getView().getType().getUnit(),
                     bytesOf(own.getElementType()));
    }
  auto type = cast<BufferType>(buffer.getType());
  int64_t most = 4 / bytesOf(type.getElementType()), width = 1;
  while (width * 2 <= most && type.getColumns() % (width * 2) == 0)
    width *= 2;
  return width;
}

Value KernelEmitter::stashPosition(Value buffer, Value stage, int64_t first,
                                   int64_t width) {
  auto type = cast<BufferType>(buffer.getType());
  Value thread = atEntry([&]() -> Value {
    Value number = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, warp, i32(32)), lane);
    return mul(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number),
               index(width));
  });
  return addConstant(add(stageOffset(buffer, stage), thread),
                     first * type.getRows());
}

LogicalResult KernelEmitter::emitStash(StashOp op) {
  BufferType buffer = op.getBuffer().getType();
  Type element = buffer.getElementType();
  int64_t width = wordWidth(op.getBuffer());
  auto type = VectorType::get({width}, memoryType(element));
  // Registers that hold the same element are put aside once.
  Values values;
  SmallVector<int64_t> firsts =
      firstRegisters(getLayout(op.getValue().getType()).getValue());
  for (auto [reg, value] : llvm::enumerate(registers[op.getValue()]))
    if (firsts[reg] == static_cast<int64_t>(reg))
      values.push_back(value);
  for (int64_t reg = 0; reg < buffer.getColumns(); reg += width) {
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(value));
    vector::StoreOp::create(
        b, loc, vector::FromElementsOp::create(b, loc, type, elements),
        scalar(op.getBuffer()),
        stashPosition(op.getBuffer(), op.getStage(), reg, width),
        /*nontemporal=*/false, llvm::MaybeAlign(width * bytesOf(element)));
  }
  return success();
}

LogicalResult KernelEmitter::emitUnstash(UnstashOp op) {
  BufferType buffer = op.getBuffer().getType();
  Type element = buffer.getElementType();
  int64_t width = wordWidth(op.getBuffer());
  auto type = VectorType::get({width}, memoryType(element));
  Values own;
  for (int64_t reg = 0; reg < buffer.getColumns(); reg += width) {
    Value word = vector::LoadOp::create(
        b, loc, type, scalar(op.getBuffer()),
        stashPosition(op.getBuffer(), op.getStage(), reg, width),
        /*nontemporal=*/false, llvm::MaybeAlign(width * bytesOf(element)));
    // LLVM would make loads of single elements, which conflict, of one whose
    // elements are used apart.
    if (width * bytesOf(element) > 4)
      word = asWhole(word);
    for (int64_t i = 0; i < width; ++i)
      own.push_back(
          fromMemory(vector::ExtractOp::create(b, loc, word, i), element));
  }
  Values results;
  unsigned next = 0;
  for (auto [reg, first] :
       llvm::enumerate(firstRegisters(getLayout(op.getType()).getValue())))
    results.push_back(first == static_cast<int64_t>(reg) ? own[next++]
                                                         : results[first]);
  registers[op] = std::move(results);
  return success();
}

LogicalResult KernelEmitter::emitOwnCopy(CopyAsyncOp op) {
  const View &view = views[op.getView()];
  const LinearLayout &layout =
      getLayout(cast<RankedTensorType>(*op.getOwn())).getValue();
  int64_t width = copiedWidth(op), column = 0;
  OpBuilder::InsertionGuard predicated(b);
  if (Value predicate = op.getPredicate())
    enterIf(scalar(predicate)); // the same for all threads
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg)
      continue;
    Chunk chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), /*ragged=*/false);
    // Nothing is read where it is outside, and zeros arrive.
    Value elements;
    if (chunk.isInside)
      elements = arith::SelectOp::create(b, loc, chunk.isInside, index(width),
                                         index(0));
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()),
        scalar(op.getBuffer()),
        stashPosition(op.getBuffer(), op.getStage(), column, width),
        view.memory, chunk.position, b.getIndexAttr(width), elements,
        op.getTransport() == Transport::Async16 ? b.getUnitAttr() : UnitAttr());
    column += width;
  }
  return success();
}
