//===- KernelEmitter.cpp - A block program as that of its threads ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"
#include "Emitters.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

KernelEmitter::KernelEmitter(KernelOp kernel, ThreadTarget &target,
                             const EmitterRegistry &registry,
                             const OpBuilder &at)
    : program(kernel), machine(target), registry(registry),
      b(at, kernel.getLoc(), kernel.getWarps()) {}

/// Checks that the passes that must come before distribution have run. Emitters
/// rely on it.
static LogicalResult checkPhase(KernelOp kernel) {
  bool hasShared = kernel.getSharedMemory().value_or(0) > 0;
  if (kernel.getProducers().value_or(0) > 0 &&
      kernel.getBody().front().getOps<WarpSpecializeOp>().empty())
    return kernel.emitOpError("has producers with nothing to do; run "
                              "tile-specialize-warps");
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (isa<TensorType>(type) && !getLayout(type))
        return op->emitOpError("has no layout; run tile-assign-layouts");
    if (auto alloc = dyn_cast<AllocOp>(op);
        alloc && (!alloc.getOffset() || !hasShared))
      return op->emitOpError("has no place in shared memory; run "
                             "tile-allocate-shared");
    if (isa<ConvertLayoutOp, ReduceOp>(op) && op->hasAttr("offset") &&
        !hasShared)
      return op->emitOpError("has no place in shared memory; run "
                             "tile-allocate-shared");
    return verifyBuffers(op);
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelEmitter::run(ValueRange arguments) {
  if (failed(checkPhase(program)))
    return failure();
  b.setThread(machine.threadIndex(b));
  if (int64_t bytes = program.getSharedMemory().value_or(0); bytes > 0) {
    FailureOr<Value> memory = machine.sharedMemory(b, bytes);
    if (failed(memory))
      return failure();
    shared = *memory;
  }
  b.endEntry();
  for (auto [from, to] :
       llvm::zip_equal(program.getBody().getArguments(), arguments)) {
    Value argument = to;
    if (from.getType().isIndex() && !to.getType().isIndex())
      argument = arith::IndexCastUIOp::create(b, b.getIndexType(), to);
    setScalar(from, argument);
  }
  return success(succeeded(machine.beginKernel(*this)) &&
                 succeeded(emitBlock(program.getBody().front())) &&
                 succeeded(machine.endKernel(*this)));
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

static bool touchesTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

LogicalResult KernelEmitter::emit(Operation *op) {
  Location outer = b.getLoc();
  b.setLoc(op->getLoc());
  llvm::scope_exit restore([&] { b.setLoc(outer); });
  // Constants of scalars are copied, as other operations on scalars are.
  bool isScalarConstant = isa<arith::ConstantOp>(op) && !touchesTensors(op);
  const EmitterRegistry::Emitter *emitter = registry.lookup(op);
  if (emitter && !isScalarConstant)
    return (*emitter)(op, *this);
  if (isa<TileDialect>(op->getDialect()))
    return machine.cannot(b, "execute '" + op->getName().getStringRef() + "'");
  if (touchesTensors(op))
    return emitElementwise(op, *this);
  if (op->getNumRegions() != 0)
    return op->emitOpError("cannot be distributed to threads");
  values.clone(op, b);
  return success();
}
