//===- EmitRoles.cpp - Warps that copy, and warps that compute ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps that compute come first, so that layouts need not know of the
// others. They have a barrier of their own; so do they and the one producer
// that copies, since the others of its group of warps are not there any more.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Barriers of a block beside that of all its threads, which is 0. From the last
/// one on each group of warps has one for its turns.
constexpr int64_t kConsumers = 1, kConsumersAndProducer = 2, kTurns = 3;

std::pair<Value, Value> KernelEmitter::barrierOfRoles(bool withProducers) {
  int64_t warps = kernel.getWarps() + withProducers;
  return {i32(withProducers ? kConsumersAndProducer : kConsumers),
          i32(32 * warps)};
}

void KernelEmitter::emitBarrierOfRoles(bool withProducers) {
  auto [number, threads] = barrierOfRoles(withProducers);
  meetCopyingLane();
  NVVM::BarrierOp::create(b, loc, TypeRange(), number, threads,
                          NVVM::BarrierReductionAttr(), Value());
}

/// Of a producer one lane waits for releases and copies; the others may be ahead
/// of it, and a barrier is for all lanes of a warp together.
void KernelEmitter::meetCopyingLane() {
  if (isProducer)
    emitBarrier(/*ofWarp=*/true);
}

LogicalResult KernelEmitter::emitSpecialize(SpecializeOp op) {
  if (!hasProducers())
    return op.emitOpError("stands in a kernel without producers");
  // From lane 0, so that it is plain that all lanes take the same branch.
  Value own = NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), warp,
                                   i32(0), i32(31), NVVM::ShflKind::idx,
                                   /*return_value_and_is_valid=*/UnitAttr());
  Value produces = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, own,
                                         i32(kernel.getWarps()));
  auto roles = scf::IfOp::create(b, loc, produces, /*withElseRegion=*/true);
  std::optional<ArrayRef<int64_t>> registers = kernel.getRoleRegisters();
  auto emitRole = [&](Block *into, Block &program, bool isOfProducer) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(into);
    if (registers)
      NVVM::SetMaxRegisterOp::create(
          b, loc, (*registers)[isOfProducer ? 0 : 1],
          isOfProducer ? NVVM::SetMaxRegisterAction::decrease
                       : NVVM::SetMaxRegisterAction::increase);
    if (isOfProducer && *kernel.getProducers() > 1) {
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            own, i32(kernel.getWarps()));
      enterIf(isFirst);
    }
    isProducer = isOfProducer;
    if (phases)
      phases = i32(0);
    for (Operation &inner : program) {
      loc = inner.getLoc();
      if (failed(emit(&inner)))
        return failure();
    }
    // At the end the threads of a cluster meet.
    if (clusterSize() > 1)
      meetCopyingLane();
    return success();
  };
  if (failed(emitRole(roles.thenBlock(), op.getProducer().front(),
                      /*isOfProducer=*/true)) ||
      failed(emitRole(roles.elseBlock(), op.getConsumer().front(),
                      /*isOfProducer=*/false)))
    return failure();
  return success();
}

Value KernelEmitter::turnGroup() {
  return atEntry([&]() -> Value {
    return arith::DivUIOp::create(b, loc, warp, i32(kGroupWarps));
  });
}

std::pair<Value, Value> KernelEmitter::barrierOfTurn(Value group) {
  return {arith::AddIOp::create(b, loc, group, i32(kTurns)),
          i32(2 * 32 * kGroupWarps)};
}

/// Emits inside of a branch of the threads of group `number`.
template <typename Emit>
static void inGroup(OpBuilder &b, Location loc, Value group, Value number,
                    Emit emit) {
  Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group,
                                     number);
  auto branch = scf::IfOp::create(b, loc, isIt, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

LogicalResult KernelEmitter::emitTakeTurn(TakeTurnOp op) {
  if (!kernel.getTurns() || !hasProducers())
    return op.emitOpError("stands in a kernel without turns or producers");
  auto wait = [&] {
    auto [number, threads] = barrierOfTurn(turnGroup());
    NVVM::BarrierOp::create(b, loc, TypeRange(), number, threads,
                            NVVM::BarrierReductionAttr(), Value());
  };
  if (op.getLast())
    inGroup(b, loc, turnGroup(), i32(0), wait);
  else
    wait();
  return success();
}

LogicalResult KernelEmitter::emitPassTurn(PassTurnOp op) {
  if (!kernel.getTurns() || !hasProducers())
    return op.emitOpError("stands in a kernel without turns or producers");
  int64_t groups = kernel.getWarps() / kGroupWarps;
  auto arrive = [&](Value group) {
    auto [number, threads] = barrierOfTurn(group);
    NVVM::BarrierArriveOp::create(b, loc, number, threads);
  };
  if (op.getFirst()) {
    inGroup(b, loc, turnGroup(), i32(groups - 1), [&] { arrive(i32(0)); });
    return success();
  }
  // The first one is next to the last.
  Value next = arith::AddIOp::create(b, loc, turnGroup(), i32(1));
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                       i32(groups));
  arrive(arith::SelectOp::create(b, loc, isLast, i32(0), next));
  return success();
}
