//===- EmitCluster.cpp - Exchanges between the blocks of a cluster --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks write to the shared memory of one another (PTX ISA, "mapa" and
// ".shared::cluster"), wait for the cluster, and read their own. A block may be
// reached once it runs, which all blocks say at their start and wait for before
// the first exchange; nobody reaches a block behind its last wait, so that it
// may end there.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

void KernelEmitter::emitClusterBarrier() {
  UnitAttr aligned = b.getUnitAttr();
  NVVM::ClusterArriveOp::create(b, loc, aligned);
  NVVM::ClusterWaitOp::create(b, loc, aligned);
}

Value KernelEmitter::clusterRank() {
  return atEntry(
      [&] { return NVVM::ClusterId::create(b, loc, b.getI32Type()); });
}

LogicalResult KernelEmitter::emitClusterReduce(ClusterReduceOp op) {
  RankedTensorType type = op.getType();
  const LinearLayout &layout = getLayout(type).getValue();
  Type element = type.getElementType();
  int64_t elements = type.getNumElements(),
          blocks = op.getParts().getType().getRows();
  Value memory = scalar(op.getParts());
  Value stage = index(0);
  if (op.getStage())
    stage = mul(scalar(op.getStage()), index(blocks * elements));
  UnitAttr aligned = b.getUnitAttr();
  if (!meetsCluster) {
    atEntry([&] { NVVM::ClusterArriveRelaxedOp::create(b, loc, aligned); });
    OpBuilder::InsertionGuard guard(b);
    // Once, and so before all loops.
    Operation *outermost = nullptr;
    for (Operation *parent = b.getInsertionBlock()->getParentOp();
         isa<scf::ForOp>(parent); parent = parent->getParentOp())
      outermost = parent;
    if (outermost)
      b.setInsertionPoint(outermost);
    NVVM::ClusterWaitOp::create(b, loc, aligned);
    meetsCluster = true;
  }
  // Registers that hold the same element exchange it once.
  const Values &values = registers[op.getValue()];
  SmallVector<int64_t> firsts = firstRegisters(layout);
  auto forEach = [&](llvm::function_ref<void(int64_t, Value)> visit) {
    for (int64_t reg = 0; reg < static_cast<int64_t>(values.size()); ++reg)
      if (firsts[reg] == reg)
        visit(reg, exchangePlace(type, layout, reg));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    enterIf(isFirstHolder(layout));
    auto pointer = [&](NVVM::NVVMMemorySpace space) {
      return LLVM::LLVMPointerType::get(b.getContext(),
                                        static_cast<unsigned>(space));
    };
    Value address = arith::IndexCastOp::create(
        b, loc, b.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory));
    Value own = LLVM::IntToPtrOp::create(
        b, loc, pointer(NVVM::NVVMMemorySpace::Shared), address);
    Value rank = arith::IndexCastUIOp::create(
        b, loc, b.getIndexType(),
        NVVM::ClusterId::create(b, loc, b.getI32Type()));
    Value part = add(stage, mul(rank, index(elements)));
    for (int64_t block = 0; block < blocks; ++block) {
      Value remote = NVVM::MapaOp::create(
          b, loc, pointer(NVVM::NVVMMemorySpace::SharedCluster), own,
          i32(block));
      forEach([&](int64_t reg, Value place) {
        Value at = arith::IndexCastUIOp::create(b, loc, b.getI64Type(),
                                                add(part, place));
        LLVM::StoreOp::create(b, loc, values[reg],
                              LLVM::GEPOp::create(b, loc, remote.getType(),
                                                  element, remote,
                                                  ArrayRef<LLVM::GEPArg>{at}));
      });
    }
  }
  emitClusterBarrier();
  Values results(values.size());
  forEach([&](int64_t reg, Value place) {
    Values parts;
    for (int64_t block = 0; block < blocks; ++block)
      parts.push_back(memref::LoadOp::create(
          b, loc, memory, addConstant(add(stage, place), block * elements)));
    results[reg] = combineTree(parts, [&](Value x, Value y) {
      return arith::getReductionOp(op.getKind(), b, loc, x, y);
    });
  });
  for (auto [reg, first] : llvm::enumerate(firsts))
    results[reg] = results[first];
  registers[op] = std::move(results);
  return success();
}

LogicalResult KernelEmitter::emitClusterScatter(ClusterScatterOp op) {
  BufferType buffer = op.getBuffer().getType();
  const LinearLayout &layout = getLayout(op.getValue().getType()).getValue();
  Type element = buffer.getElementType();
  int64_t blocks = buffer.getStages(),
          share = buffer.getRows() * buffer.getColumns(),
          width = sharedWidth(layout, element);
  // All blocks' shares, one behind the other.
  LinearLayout shares = buffer.getLayout().getValue();
  shares *= LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim0, blocks);
  std::optional<AddressPlan> plan = planPart(
      layout,
      BufferType::get(b.getContext(), 1, blocks * buffer.getRows(),
                      buffer.getColumns(), element,
                      LayoutAttr::get(b.getContext(), shares)),
      {0, 0});
  if (!plan)
    return op.emitOpError("has a layout that does not fit the buffer");
  OpBuilder::InsertionGuard guard(b);
  enterIf(isFirstHolder(layout));
  auto pointer = [&](NVVM::NVVMMemorySpace space) {
    return LLVM::LLVMPointerType::get(b.getContext(),
                                      static_cast<unsigned>(space));
  };
  auto toInteger = [&](Value value, Type type) -> Value {
    return arith::IndexCastUIOp::create(b, loc, type, value);
  };
  Value own = LLVM::IntToPtrOp::create(
      b, loc, pointer(NVVM::NVVMMemorySpace::Shared),
      toInteger(memref::ExtractAlignedPointerAsIndexOp::create(
                    b, loc, scalar(op.getBuffer())),
                b.getI64Type()));
  Value mine = mul(arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                                clusterRank()),
                   index(share));
  const Values &values = registers[op.getValue()];
  Values rows = coordinates(layout, /*dimension=*/0);
  if (rows.empty())
    return op.emitOpError("has a layout without plain coordinates");
  // A row is one block's. What lies before it is of the blocks before.
  llvm::DenseMap<Value, Value> known;
  auto begin = [&](Value row) {
    Value &first = known[row];
    if (first)
      return first;
    Value block =
        arith::DivUIOp::create(b, loc, row, index(buffer.getRows()));
    Value theirs = NVVM::MapaOp::create(
        b, loc, pointer(NVVM::NVVMMemorySpace::SharedCluster), own,
        toInteger(block, b.getI32Type()));
    Value before = arith::SubIOp::create(b, loc, mine, mul(block, index(share)));
    first = LLVM::GEPOp::create(
        b, loc, theirs.getType(), element, theirs,
        ArrayRef<LLVM::GEPArg>{arith::IndexCastOp::create(
                                   b, loc, b.getI64Type(), before)
                                   .getResult()});
    return first;
  };
  auto packed = VectorType::get({width}, element);
  for (int64_t reg = 0; reg < static_cast<int64_t>(values.size());
       reg += width) {
    Value theirs = begin(rows[reg]);
    Value target = LLVM::GEPOp::create(
        b, loc, theirs.getType(), element, theirs,
        ArrayRef<LLVM::GEPArg>{
            toInteger(address(*plan, reg), b.getI64Type())});
    LLVM::StoreOp::create(
        b, loc,
        vector::FromElementsOp::create(b, loc, packed,
                                       ValueRange(values).slice(reg, width)),
        target, width * element.getIntOrFloatBitWidth() / 8);
  }
  return success();
}
