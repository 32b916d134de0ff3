//===- EmitBuffers.cpp - Buffers in shared memory -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static LogicalResult emitAlloc(AllocOp op, KernelEmitter &e) {
  BufferType type = op.getType();
  e.setScalar(op.getResult(),
              sharedView(e, *op.getOffset(),
                         type.getStages() * type.getRows() * type.getColumns(),
                         type.getElementType()));
  return success();
}

static LogicalResult emitLocalLoad(LocalLoadOp op, KernelEmitter &e) {
  LinearLayout layout = getLayout(op.getType()).getValue();
  if (op.getTransposed())
    layout = layout.transposeOuts({1, 0});
  SharedBuffer buffer = {
      e.scalar(op.getBuffer()),
      static_cast<int64_t>(
          *op.getBuffer().getDefiningOp<AllocOp>().getOffset()),
      stageOffset(e, op.getBuffer(), op.getStage()), op.getBuffer().getType()};
  FailureOr<std::optional<Values>> values =
      loadPartial(e, buffer, layout, op.getOrigin());
  if (failed(values))
    return failure();
  if (!*values)
    return op.emitOpError("has a layout that does not fit the buffer");
  e.setRegisters(op, std::move(**values));
  return success();
}

/// Returns how fragments of 16-bit elements are stored as matrices (stmatrix).
/// Returns nullopt if the layout has another form, or if the target has no such
/// stores; chips with TMA stores have them.
static std::optional<MatrixAccess>
matrixStore(LocalStoreOp op, const LinearLayout &layout, KernelEmitter &e) {
  constexpr int64_t bits = 16;
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  if (!e.target().hasMatrixStores() || !isStoredByTMA(alloc) ||
      alloc.getType().getElementType().getIntOrFloatBitWidth() != bits)
    return std::nullopt;
  return matrixAccess(layout, bits);
}

static LogicalResult storeMatrices(LocalStoreOp op, const LinearLayout &layout,
                                   const MatrixAccess &matrices,
                                   const AddressPlan &plan, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BufferType buffer = op.getBuffer().getType();
  auto alloc = op.getBuffer().getDefiningOp<AllocOp>();
  constexpr int64_t bytesOfElement = 2;
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(b.isFirstHolder(layout)); // first warp: no lane is a replica
  auto pair = VectorType::get({2}, buffer.getElementType());
  auto word = VectorType::get({1}, b.getI32Type());
  Value stage = stageOffset(e, op.getBuffer(), op.getStage());
  const Values &values = e.registers(op.getValue());
  for (int64_t i = 0; i < matrices.rows.inSize(LayoutDim::Register); ++i) {
    Values words;
    for (unsigned m = 0; m < matrices.matrices; ++m) {
      int64_t reg = 2 * (i * matrices.matrices + m);
      Value packed = vector::FromElementsOp::create(
          b, pair, ValueRange(values).slice(reg, 2));
      words.push_back(vector::ExtractOp::create(
          b, vector::BitCastOp::create(b, word, packed), int64_t(0)));
    }
    Value bytes =
        b.mul(b.add(stage, b.address(plan, i)), b.index(bytesOfElement));
    Value place = sharedAddress(
        e, arith::AddIOp::create(
               b, arith::IndexCastUIOp::create(b, b.getI32Type(), bytes),
               b.i32(*alloc.getOffset())));
    if (failed(e.target().storeMatrices(b, place, words, matrices.transposed)))
      return failure();
  }
  return success();
}

static LogicalResult emitLocalStore(LocalStoreOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BufferType buffer = op.getBuffer().getType();
  LinearLayout layout = getLayout(op.getValue().getType()).getValue();
  if (op.getTransposed())
    layout = layout.transposeOuts({1, 0});
  if (std::optional<MatrixAccess> matrices = matrixStore(op, layout, e))
    if (std::optional<AddressPlan> plan =
            planPart(matrices->rows, buffer, {0, 0}))
      return storeMatrices(op, layout, *matrices, *plan, e);
  std::optional<AddressPlan> plan = planPart(layout, buffer, {0, 0});
  if (!plan)
    return op.emitOpError("has a layout that does not fit the buffer");
  Value stage = stageOffset(e, op.getBuffer(), op.getStage());
  storeRegisters(b, e.scalar(op.getBuffer()), stage, *plan,
                 sharedWidth(layout, buffer.getElementType()),
                 e.registers(op.getValue()), b.isFirstHolder(layout));
  return success();
}

void fusion::addBufferEmitters(EmitterRegistry &registry) {
  registry.add<AllocOp>(emitAlloc);
  registry.add<FreeOp>([](FreeOp, KernelEmitter &) { return success(); });
  registry.add<LocalLoadOp>(emitLocalLoad);
  registry.add<LocalStoreOp>(emitLocalStore);
}
