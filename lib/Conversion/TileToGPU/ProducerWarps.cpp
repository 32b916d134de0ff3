//===- ProducerWarps.cpp - Warp specialization ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProducerWarps.h"
#include "Mbarriers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

void fusion::emitWarpBarrier(ThreadBuilder &b) {
  constexpr int64_t allLanes = -1;
  NVVM::SyncWarpOp::create(
      b, LLVM::ConstantOp::create(b, b.getI32Type(), allLanes));
}

void ProducerWarps::namedBarrier(ThreadBuilder &b,
                                 std::pair<Value, Value> barrier) {
  auto [number, threads] = barrier;
  meetCopyingLane(b);
  NVVM::BarrierOp::create(b, TypeRange(), number, threads,
                          NVVM::BarrierReductionAttr(), Value());
}

void ProducerWarps::blockBarrier(ThreadBuilder &b) {
  if (exist())
    namedBarrier(b, consumerBarrier(b));
  else
    gpu::BarrierOp::create(b);
}

std::pair<Value, Value> ProducerWarps::consumerBarrier(ThreadBuilder &b) {
  return {b.i32(static_cast<int64_t>(NamedBarrier::Consumers)),
          b.i32(kWarpSize * kernel.getWarps())};
}

void ProducerWarps::barrierWithProducer(ThreadBuilder &b) {
  namedBarrier(b,
               {b.i32(static_cast<int64_t>(NamedBarrier::ConsumersAndProducer)),
                b.i32(kWarpSize * (kernel.getWarps() + 1))});
}

void ProducerWarps::meetCopyingLane(ThreadBuilder &b) {
  if (isProducer)
    emitWarpBarrier(b);
}

LogicalResult ProducerWarps::emitBranch(Block *into, Block &program,
                                        bool ofProducer, Value ownWarp,
                                        KernelEmitter &e,
                                        Mbarriers &mbarriers) {
  ThreadBuilder &b = e.builder();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(into);
  if (std::optional<ArrayRef<int64_t>> registers = kernel.getRegisterBudgets())
    NVVM::SetMaxRegisterOp::create(b, (*registers)[ofProducer ? 0 : 1],
                                   ofProducer
                                       ? NVVM::SetMaxRegisterAction::decrease
                                       : NVVM::SetMaxRegisterAction::increase);
  if (ofProducer && *kernel.getProducers() > 1) {
    Value isOperandA = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                             ownWarp, b.i32(kernel.getWarps()));
    b.enterIf(isOperandA);
  }
  isProducer = ofProducer;
  mbarriers.restartPhases(b);
  for (Operation &inner : program)
    if (failed(e.emit(&inner)))
      return failure();
  // At the end the threads of a cluster meet.
  if (kernel.getCluster().value_or(1) > 1)
    meetCopyingLane(b);
  return success();
}

LogicalResult ProducerWarps::emitSpecialize(WarpSpecializeOp op,
                                            KernelEmitter &e,
                                            Mbarriers &mbarriers) {
  if (!exist())
    return op.emitOpError("stands in a kernel without producers");
  ThreadBuilder &b = e.builder();
  // From lane 0, so that it is plain that all lanes take the same branch.
  Value own =
      NVVM::ShflOp::create(b, b.getI32Type(), b.i32(-1), b.warp(), b.i32(0),
                           b.i32(kWarpSize - 1), NVVM::ShflKind::idx,
                           /*return_value_and_is_valid=*/UnitAttr());
  Value produces = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, own,
                                         b.i32(kernel.getWarps()));
  auto branches = scf::IfOp::create(b, produces, /*withElseRegion=*/true);
  return success(
      succeeded(emitBranch(branches.thenBlock(), op.getProducer().front(),
                           /*ofProducer=*/true, own, e, mbarriers)) &&
      succeeded(emitBranch(branches.elseBlock(), op.getConsumer().front(),
                           /*ofProducer=*/false, own, e, mbarriers)));
}
