//===- GridOperations.cpp - Signals of blocks and launches ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridOperations.h"
#include "InlineAssembly.h"
#include "ProducerWarps.h"
#include "fusion/Support/CacheLine.h"
#include "fusion/Support/ElementBytes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// The counters of a kernel in global memory. The driver starts them at zero,
/// and counting wraps to zero again: no launch has to clear them.
static LLVM::GlobalOp countersOf(gpu::GPUFuncOp function, LastBlockOp op) {
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  std::string name = (function.getName() + "_counters").str();
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b(function);
  constexpr unsigned globalSpace = 1;
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), op.getCounters());
  return LLVM::GlobalOp::create(
      b, op.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
      b.getZeroAttr(RankedTensorType::get(
          {static_cast<int64_t>(op.getCounters())}, b.getI32Type())),
      /*alignment=*/4, globalSpace);
}

LogicalResult fusion::emitLastBlock(LastBlockOp op, ProducerWarps &producers,
                                    gpu::GPUFuncOp function, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  LLVM::GlobalOp counters = countersOf(function, op);
  producers.blockBarrier(b);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value isOperandA =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, b.index(0));
  auto counted = scf::IfOp::create(b, b.getI32Type(), isOperandA,
                                   /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(counted.thenBlock());
    auto fence = [&] {
      NVVM::MembarOp::create(b, NVVM::MemScopeKindAttr::get(
                                    b.getContext(), NVVM::MemScopeKind::GPU));
    };
    fence();
    Value base = LLVM::AddressOfOp::create(b, counters);
    Value number = arith::IndexCastUIOp::create(b, b.getI64Type(),
                                                e.scalar(op.getNumber()));
    Value place = LLVM::GEPOp::create(b, base.getType(), b.getI32Type(), base,
                                      ArrayRef<LLVM::GEPArg>{number});
    Value most =
        arith::SubIOp::create(b,
                              arith::IndexCastUIOp::create(
                                  b, b.getI32Type(), e.scalar(op.getBlocks())),
                              b.i32(1));
    Value before =
        LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::uinc_wrap, place, most,
                                  LLVM::AtomicOrdering::monotonic, "device");
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, most);
    fence();
    scf::YieldOp::create(
        b, arith::ExtUIOp::create(b, b.getI32Type(), isLast).getResult());
    b.setInsertionPointToStart(counted.elseBlock());
    scf::YieldOp::create(b, b.i32(0));
  }
  Value isOwnLast = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          counted.getResult(0), b.i32(0));
  // nvvm.barrier reduces over all threads of the block alone.
  Values operands = {b.i32(0), isOwnLast};
  const char *threads = "all";
  if (producers.exist()) {
    auto [number, count] = producers.consumerBarrier(b);
    operands = {number, count, isOwnLast};
    threads = "count";
  }
  std::string name =
      (Twine("llvm.nvvm.barrier.cta.red.or.aligned.") + threads).str();
  Value any = LLVM::CallIntrinsicOp::create(b, b.getI1Type(),
                                            b.getStringAttr(name), operands)
                  .getResult(0);
  e.setScalar(op.getResult(), any);
  return success();
}

LogicalResult fusion::emitDiscard(DiscardOp op, ProducerWarps &producers,
                                  KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  const TensorView &view = e.view(op.getView());
  if (view.window)
    return op.emitOpError("cannot be done through a window");
  producers.blockBarrier(b);
  int64_t unit = view.type.getUnit(),
          bytes = elementBytes(view.type.getElementType()),
          ofLine = kLineBytes / bytes, lines = 1;
  SmallVector<int64_t> counts(op.getShape());
  counts[unit] /= ofLine;
  for (int64_t count : counts)
    lines *= count;
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto loop = scf::ForOp::create(b, thread, b.index(lines),
                                 b.index(e.warps() * kWarpSize));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar(), position = view.offset, isInside;
  // Neighbours along the unit dimension are neighbouring threads'.
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < view.type.getRank(); ++d)
    if (d != unit)
      order.push_back(d);
  order.push_back(unit);
  for (int64_t d : llvm::reverse(order)) {
    Value count = b.index(counts[d]),
          digit = arith::RemUIOp::create(b, rest, count);
    rest = arith::DivUIOp::create(b, rest, count);
    if (d == unit)
      digit = b.mul(digit, b.index(ofLine));
    Value at = b.add(e.scalar(op.getCoordinates()[d]), digit);
    position = b.add(position, b.mul(at, view.strides[d]));
    Value below =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, view.sizes[d]);
    isInside = b.both(isInside, below);
  }
  b.enterIf(isInside);
  constexpr unsigned globalSpace = 1;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, view.memory);
  Value address = arith::IndexCastOp::create(
      b, b.getI64Type(), b.add(base, b.mul(position, b.index(bytes))));
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), address);
  Value size = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(kLineBytes));
  LLVM::CallIntrinsicOp::create(b,
                                b.getStringAttr("llvm.nvvm.discard.global.L2"),
                                ValueRange{pointer, size});
  return success();
}

LogicalResult fusion::emitAwaitLaunches(AwaitLaunchesOp, KernelEmitter &e) {
  // No memory access minds the intrinsic; LLVM may move them over it.
  emitAssembly(e.builder(), {}, "griddepcontrol.wait;", "");
  return success();
}

LogicalResult fusion::emitLaunchDependents(LaunchDependentsOp,
                                           KernelEmitter &e) {
  NVVM::GriddepcontrolOp::create(e.builder(),
                                 NVVM::GridDepActionKind::launch_dependents);
  return success();
}
