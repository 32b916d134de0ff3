//===- PingPong.cpp - Ping-pong scheduling of warpgroups ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PingPong.h"
#include "ProducerWarps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static bool hasPingPong(KernelOp kernel) {
  return kernel.getPingPong() && ProducerWarps(kernel).exist();
}

/// The number of the thread's warpgroup, an i32.
static Value warpgroup(ThreadBuilder &b) {
  return b.atEntry([&]() -> Value {
    return arith::DivUIOp::create(b, b.warp(), b.i32(kWarpgroupWarps));
  });
}

/// Number of the barrier of a warpgroup's turn, and the threads that meet
/// there: its own and those of the warpgroup before.
static std::pair<Value, Value> barrierOf(ThreadBuilder &b, Value group) {
  return {arith::AddIOp::create(
              b, group, b.i32(static_cast<int64_t>(NamedBarrier::PingPong))),
          b.i32(2 * kWarpSize * kWarpgroupWarps)};
}

/// Emits in a branch of the threads of warpgroup `number`.
template <typename Emit>
static void inGroup(ThreadBuilder &b, Value group, Value number, Emit emit) {
  Value isIt =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group, number);
  auto branch = scf::IfOp::create(b, isIt, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

LogicalResult fusion::emitPingPongWait(PingPongWaitOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (!hasPingPong(e.kernel()))
    return op.emitOpError("stands in a kernel without ping_pong or producers");
  auto wait = [&] {
    auto [number, threads] = barrierOf(b, warpgroup(b));
    NVVM::BarrierOp::create(b, TypeRange(), number, threads,
                            NVVM::BarrierReductionAttr(), Value());
  };
  if (op.getLast())
    inGroup(b, warpgroup(b), b.i32(0), wait);
  else
    wait();
  return success();
}

LogicalResult fusion::emitPingPongArrive(PingPongArriveOp op,
                                         KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (!hasPingPong(e.kernel()))
    return op.emitOpError("stands in a kernel without ping_pong or producers");
  int64_t groups = e.warps() / kWarpgroupWarps;
  auto arrive = [&](Value group) {
    auto [number, threads] = barrierOf(b, group);
    NVVM::BarrierArriveOp::create(b, number, threads);
  };
  if (op.getFirst()) {
    inGroup(b, warpgroup(b), b.i32(groups - 1), [&] { arrive(b.i32(0)); });
    return success();
  }
  // The first one is next to the last.
  Value next = arith::AddIOp::create(b, warpgroup(b), b.i32(1));
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, b.i32(groups));
  arrive(arith::SelectOp::create(b, isLast, b.i32(0), next));
  return success();
}
