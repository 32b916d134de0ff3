//===- ThreadTarget.cpp - What threads need of a machine ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/ThreadTarget.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

ThreadTarget::~ThreadTarget() = default;

InFlightDiagnostic ThreadTarget::cannot(ThreadBuilder &b,
                                        const Twine &what) const {
  return emitError(b.getLoc()) << name() << " cannot " << what;
}

LogicalResult ThreadTarget::beginKernel(KernelEmitter &) { return success(); }
LogicalResult ThreadTarget::endKernel(KernelEmitter &) { return success(); }

Values ThreadTarget::loopState(scf::ForOp) { return {}; }
void ThreadTarget::setLoopState(ValueRange) {}
void ThreadTarget::keepRolled(scf::ForOp) {}

LogicalResult ThreadTarget::barrier(ThreadBuilder &b, BarrierScope scope) {
  switch (scope) {
  case BarrierScope::Warp:
    return cannot(b, "synchronize the lanes of a warp");
  case BarrierScope::Block:
    return cannot(b, "synchronize the threads of a block");
  case BarrierScope::BlockAndProducers:
    return cannot(b, "synchronize producer and consumer warps");
  case BarrierScope::Cluster:
    return cannot(b, "synchronize the blocks of a cluster");
  }
  llvm_unreachable("all scopes are above");
}

FailureOr<Value> ThreadTarget::shuffleXor(ThreadBuilder &b, Value, int64_t) {
  return cannot(b, "exchange registers between the lanes of a warp");
}
FailureOr<Value> ThreadTarget::shuffleIndex(ThreadBuilder &b, Value, Value) {
  return cannot(b, "exchange registers between the lanes of a warp");
}
FailureOr<Value> ThreadTarget::anyLane(ThreadBuilder &b, Value) {
  return cannot(b, "take a vote of the lanes of a warp");
}

Value ThreadTarget::opaque(ThreadBuilder &, Value word, bool) { return word; }
Value ThreadTarget::asWhole(ThreadBuilder &, Value loaded) { return loaded; }

Value ThreadTarget::funnelShift(ThreadBuilder &b, Value high, Value low,
                                Value amount) {
  Type wide = b.getI64Type();
  auto widen = [&](Value word) -> Value {
    return arith::ExtUIOp::create(b, wide, word);
  };
  Value bits = arith::ConstantIntOp::create(b, wide, 32);
  Value both = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, widen(high), bits), widen(low));
  return arith::TruncIOp::create(
      b, b.getI32Type(), arith::ShRUIOp::create(b, both, widen(amount)));
}

FailureOr<Value> ThreadTarget::permuteBytes(ThreadBuilder &b, Value, Value,
                                            int64_t) {
  return cannot(b, "permute the bytes of registers");
}

Value ThreadTarget::loadGlobal(ThreadBuilder &b, Value memory, Value position,
                               VectorType type, int64_t alignment, bool) {
  return vector::LoadOp::create(b, type, memory, position,
                                /*nontemporal=*/false,
                                llvm::MaybeAlign(alignment));
}

void ThreadTarget::storeGlobal(ThreadBuilder &b, Value vector, Value memory,
                               Value position, int64_t alignment, bool) {
  vector::StoreOp::create(b, vector, memory, position, /*nontemporal=*/false,
                          llvm::MaybeAlign(alignment));
}

FailureOr<Value> ThreadTarget::sharedMemory(ThreadBuilder &b, int64_t) {
  return cannot(b, "share memory between the threads of a block");
}

bool ThreadTarget::hasMatrixLoads() const { return false; }
FailureOr<Value> ThreadTarget::loadMatrices(ThreadBuilder &b, Value, Value,
                                            unsigned, bool) {
  return cannot(b, "load matrices from shared memory");
}
bool ThreadTarget::hasMatrixStores() const { return false; }
LogicalResult ThreadTarget::storeMatrices(ThreadBuilder &b, Value, ValueRange,
                                          bool) {
  return cannot(b, "store matrices to shared memory");
}

LogicalResult ThreadTarget::copyAsync(ThreadBuilder &b, const ThreadCopy &) {
  return cannot(b, "copy to shared memory asynchronously");
}
LogicalResult ThreadTarget::commitCopies(ThreadBuilder &b) {
  return cannot(b, "copy to shared memory asynchronously");
}
LogicalResult ThreadTarget::awaitCopies(ThreadBuilder &b, int64_t) {
  return cannot(b, "copy to shared memory asynchronously");
}

bool ThreadTarget::hasMma(const Intrinsic &, Type, Type, Type) const {
  return false;
}
FailureOr<Value> ThreadTarget::mmaOperand(ThreadBuilder &b, ValueRange) {
  return cannot(b, "multiply fragments of matrices");
}
FailureOr<Values> ThreadTarget::mma(ThreadBuilder &b, const Intrinsic &, Type,
                                    Type, ValueRange, ValueRange, ValueRange) {
  return cannot(b, "multiply fragments of matrices");
}
