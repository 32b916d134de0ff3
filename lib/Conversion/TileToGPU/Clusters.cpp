//===- Clusters.cpp - Exchanges between blocks of clusters ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "fusion/Conversion/TileToThreads/Exchange.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

void fusion::emitClusterBarrier(ThreadBuilder &b) {
  UnitAttr aligned = b.getUnitAttr();
  NVVM::ClusterArriveOp::create(b, aligned);
  NVVM::ClusterWaitOp::create(b, aligned);
}

Value fusion::clusterRank(ThreadBuilder &b) {
  return b.atEntry([&] { return NVVM::ClusterId::create(b, b.getI32Type()); });
}

static LLVM::LLVMPointerType pointerTo(ThreadBuilder &b,
                                       NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(b.getContext(),
                                    static_cast<unsigned>(space));
}

void ClusterExchange::awaitStart(ThreadBuilder &b) {
  if (hasAwaitedStart)
    return;
  UnitAttr aligned = b.getUnitAttr();
  b.atEntry([&] { NVVM::ClusterArriveRelaxedOp::create(b, aligned); });
  OpBuilder::InsertionGuard guard(b);
  Operation *outermost = nullptr;
  for (Operation *parent = b.getInsertionBlock()->getParentOp();
       isa<scf::ForOp>(parent); parent = parent->getParentOp())
    outermost = parent;
  if (outermost)
    b.setInsertionPoint(outermost);
  NVVM::ClusterWaitOp::create(b, aligned);
  hasAwaitedStart = true;
}

LogicalResult ClusterExchange::emitReduce(ClusterReduceOp op,
                                          KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  RankedTensorType type = op.getType();
  const LinearLayout &layout = getLayout(type).getValue();
  Type element = type.getElementType();
  int64_t elements = type.getNumElements(),
          blocks = op.getParts().getType().getRows();
  Value memory = e.scalar(op.getParts());
  Value stage = b.index(0);
  if (op.getStage())
    stage = b.mul(e.scalar(op.getStage()), b.index(blocks * elements));
  awaitStart(b);
  // Registers that hold the same element exchange it once.
  const Values &values = e.registers(op.getValue());
  SmallVector<int64_t> firsts = firstRegisters(layout);
  auto forEach = [&](llvm::function_ref<void(int64_t, Value)> visit) {
    for (int64_t reg = 0; reg < static_cast<int64_t>(values.size()); ++reg)
      if (firsts[reg] == reg)
        visit(reg, exchangePosition(b, type, layout, reg));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.enterIf(b.isFirstHolder(layout));
    Value address = arith::IndexCastOp::create(
        b, b.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(b, memory));
    Value own = LLVM::IntToPtrOp::create(
        b, pointerTo(b, NVVM::NVVMMemorySpace::Shared), address);
    Value rank = arith::IndexCastUIOp::create(
        b, b.getIndexType(), NVVM::ClusterId::create(b, b.getI32Type()));
    Value part = b.add(stage, b.mul(rank, b.index(elements)));
    for (int64_t block = 0; block < blocks; ++block) {
      Value remote = NVVM::MapaOp::create(
          b, pointerTo(b, NVVM::NVVMMemorySpace::SharedCluster), own,
          b.i32(block));
      forEach([&](int64_t reg, Value place) {
        Value at =
            arith::IndexCastUIOp::create(b, b.getI64Type(), b.add(part, place));
        LLVM::StoreOp::create(b, values[reg],
                              LLVM::GEPOp::create(b, remote.getType(), element,
                                                  remote,
                                                  ArrayRef<LLVM::GEPArg>{at}));
      });
    }
  }
  emitClusterBarrier(b);
  Values results(values.size());
  forEach([&](int64_t reg, Value place) {
    Values parts;
    for (int64_t block = 0; block < blocks; ++block)
      parts.push_back(memref::LoadOp::create(
          b, memory, b.addConstant(b.add(stage, place), block * elements)));
    results[reg] = combineTree(parts, [&](Value x, Value y) {
      return arith::getReductionOp(op.getKind(), b, b.getLoc(), x, y);
    });
  });
  for (auto [reg, first] : llvm::enumerate(firsts))
    results[reg] = results[first];
  e.setRegisters(op, std::move(results));
  return success();
}

LogicalResult ClusterExchange::emitScatter(ClusterScatterOp op,
                                           KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  BufferType buffer = op.getBuffer().getType();
  const LinearLayout &layout = getLayout(op.getValue().getType()).getValue();
  Type element = buffer.getElementType();
  int64_t blocks = buffer.getStages(),
          share = buffer.getRows() * buffer.getColumns(),
          width = sharedWidth(layout, element);
  // All blocks' shares, one behind the other.
  LinearLayout shares = buffer.getLayout().getValue();
  shares *= LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim0, blocks);
  std::optional<AddressPlan> plan =
      planPart(layout,
               BufferType::get(b.getContext(), 1, blocks * buffer.getRows(),
                               buffer.getColumns(), element,
                               LayoutAttr::get(b.getContext(), shares),
                               buffer.getSpace()),
               {0, 0});
  if (!plan)
    return op.emitOpError("has a layout that does not fit the buffer");
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(b.isFirstHolder(layout));
  auto toInteger = [&](Value value, Type type) -> Value {
    return arith::IndexCastUIOp::create(b, type, value);
  };
  Value own = LLVM::IntToPtrOp::create(
      b, pointerTo(b, NVVM::NVVMMemorySpace::Shared),
      toInteger(memref::ExtractAlignedPointerAsIndexOp::create(
                    b, e.scalar(op.getBuffer())),
                b.getI64Type()));
  Value mine =
      b.mul(arith::IndexCastUIOp::create(b, b.getIndexType(), clusterRank(b)),
            b.index(share));
  const Values &values = e.registers(op.getValue());
  Values rows = coordinates(b, layout, /*dimension=*/0);
  if (rows.empty())
    return op.emitOpError("has a layout without plain coordinates");
  // A row is one block's. What lies before it is of the blocks before.
  llvm::DenseMap<Value, Value> known;
  auto begin = [&](Value row) {
    Value &first = known[row];
    if (first)
      return first;
    Value block = arith::DivUIOp::create(b, row, b.index(buffer.getRows()));
    Value theirs = NVVM::MapaOp::create(
        b, pointerTo(b, NVVM::NVVMMemorySpace::SharedCluster), own,
        toInteger(block, b.getI32Type()));
    Value before = arith::SubIOp::create(b, mine, b.mul(block, b.index(share)));
    first = LLVM::GEPOp::create(
        b, theirs.getType(), element, theirs,
        ArrayRef<LLVM::GEPArg>{
            arith::IndexCastOp::create(b, b.getI64Type(), before).getResult()});
    return first;
  };
  auto packed = VectorType::get({width}, element);
  for (int64_t reg = 0; reg < static_cast<int64_t>(values.size());
       reg += width) {
    Value theirs = begin(rows[reg]);
    Value target =
        LLVM::GEPOp::create(b, theirs.getType(), element, theirs,
                            ArrayRef<LLVM::GEPArg>{toInteger(
                                b.address(*plan, reg), b.getI64Type())});
    LLVM::StoreOp::create(b,
                          vector::FromElementsOp::create(
                              b, packed, ValueRange(values).slice(reg, width)),
                          target, width * element.getIntOrFloatBitWidth() / 8);
  }
  return success();
}
