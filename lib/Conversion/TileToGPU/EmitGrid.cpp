//===- EmitGrid.cpp - What blocks tell one another ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "fusion/Support/CacheLine.h"
#include "fusion/Support/ElementBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Counters of the kernel in global memory. The driver starts them at zero, and
/// counting wraps to zero again: no launch has to clear them.
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

/// What every thread of the block stored is ordered before the count by the
/// barrier and the fence of the thread that counts; what the last block reads
/// is ordered behind it in the same way (PTX ISA, "Memory Consistency Model").
LogicalResult KernelEmitter::emitLastBlock(LastBlockOp op) {
  LLVM::GlobalOp counters = countersOf(function, op);
  emitBarrier(/*ofWarp=*/false);
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, index(0));
  auto counted = scf::IfOp::create(b, loc, b.getI32Type(), isFirst,
                                   /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(counted.thenBlock());
    auto fence = [&] {
      NVVM::MembarOp::create(
          b, loc,
          NVVM::MemScopeKindAttr::get(b.getContext(), NVVM::MemScopeKind::GPU));
    };
    fence();
    Value base = LLVM::AddressOfOp::create(b, loc, counters);
    Value number = arith::IndexCastUIOp::create(b, loc, b.getI64Type(),
                                                scalar(op.getNumber()));
    Value place = LLVM::GEPOp::create(b, loc, base.getType(), b.getI32Type(),
                                      base, ArrayRef<LLVM::GEPArg>{number});
    Value most = arith::SubIOp::create(
        b, loc,
        arith::IndexCastUIOp::create(b, loc, b.getI32Type(),
                                     scalar(op.getBlocks())),
        i32(1));
    Value before = LLVM::AtomicRMWOp::create(
        b, loc, LLVM::AtomicBinOp::uinc_wrap, place, most,
        LLVM::AtomicOrdering::monotonic, "device");
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, most);
    fence();
    scf::YieldOp::create(
        b, loc,
        arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast).getResult());
    b.setInsertionPointToStart(counted.elseBlock());
    scf::YieldOp::create(b, loc, i32(0));
  }
  Value isOwnLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                          counted.getResult(0), i32(0));
  // nvvm.barrier reduces over all threads of the block alone.
  SmallVector<Value, 3> operands = {i32(0), isOwnLast};
  const char *threads = "all";
  if (hasProducers()) {
    auto [number, count] = barrierOfRoles(/*withProducers=*/false);
    operands = {number, count, isOwnLast};
    threads = "count";
  }
  std::string name =
      (Twine("llvm.nvvm.barrier.cta.red.or.aligned.") + threads).str();
  Value any = LLVM::CallIntrinsicOp::create(b, loc, b.getI1Type(),
                                            b.getStringAttr(name), operands)
                  .getResult(0);
  scalars.map(op.getResult(), any);
  return success();
}

/// The intrinsic is one that no memory access minds; LLVM may move them over
/// it.
LogicalResult KernelEmitter::emitAwaitLaunches() {
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange(), "griddepcontrol.wait;", "~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
  return success();
}

/// Threads take lines in turns. The barrier orders what others have read before
/// (PTX ISA, "discard": a weak write of values that nobody knows).
LogicalResult KernelEmitter::emitDiscard(DiscardOp op) {
  const View &view = views[op.getView()];
  if (view.window)
    return op.emitOpError("cannot be done through a window");
  emitBarrier(/*ofWarp=*/false);
  int64_t unit = view.type.getUnit(),
          bytes = elementBytes(view.type.getElementType()),
          ofLine = kLineBytes / bytes, lines = 1;
  SmallVector<int64_t> counts(op.getShape());
  counts[unit] /= ofLine;
  for (int64_t count : counts)
    lines *= count;
  constexpr int64_t warpSize = 32;
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  auto loop = scf::ForOp::create(b, loc, thread, index(lines),
                                 index(kernel.getWarps() * warpSize));
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
    Value count = index(counts[d]),
          digit = arith::RemUIOp::create(b, loc, rest, count);
    rest = arith::DivUIOp::create(b, loc, rest, count);
    if (d == unit)
      digit = mul(digit, index(ofLine));
    Value at = add(scalar(op.getCoordinates()[d]), digit);
    position = add(position, mul(at, view.strides[d]));
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                        view.sizes[d]);
    isInside = isInside
                   ? arith::AndIOp::create(b, loc, isInside, below).getResult()
                   : below;
  }
  enterIf(isInside);
  constexpr unsigned globalSpace = 1;
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, view.memory);
  Value address = arith::IndexCastOp::create(
      b, loc, b.getI64Type(), add(base, mul(position, index(bytes))));
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), address);
  Value size =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(kLineBytes));
  LLVM::CallIntrinsicOp::create(b, loc,
                                b.getStringAttr("llvm.nvvm.discard.global.L2"),
                                ValueRange{pointer, size});
  return success();
}
