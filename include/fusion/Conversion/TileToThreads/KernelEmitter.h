//===- KernelEmitter.h - A block program as that of its threads -*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_KERNELEMITTER_H
#define FUSION_CONVERSION_TILETOTHREADS_KERNELEMITTER_H

#include "fusion/Conversion/TileToThreads/EmitterRegistry.h"
#include "fusion/Conversion/TileToThreads/ThreadTarget.h"
#include "fusion/Conversion/TileToThreads/ThreadValues.h"

namespace fusion {

/// Distributes one block program to its threads: emits what a thread does,
/// operation after operation, by the emitters of a registry for a target.
///
/// Every tensor of the program must have a layout, and every buffer of shared
/// memory an offset (tile-assign-layouts, tile-allocate-shared). What lacks one
/// is an error of every target.
class KernelEmitter {
public:
  using Value = mlir::Value;

  /// Emits at the insertion point of `at`. The target and the registry must
  /// outlive the emitter.
  KernelEmitter(tile::KernelOp kernel, ThreadTarget &target,
                const EmitterRegistry &registry, const mlir::OpBuilder &at);

  /// Emits the kernel's body. `arguments` are the thread's values of the
  /// kernel's arguments: of a !tile.ptr a memref without dimensions, of an
  /// index an index or an integer without sign. Fails with a diagnostic where
  /// the program is not ready for it, before anything is emitted.
  mlir::LogicalResult run(mlir::ValueRange arguments);

  /// Emits the operations of a block but for its terminator.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  /// Emits one operation.
  mlir::LogicalResult emit(mlir::Operation *op);

  tile::KernelOp kernel() const { return program; }
  /// Warps of the block that compute.
  int64_t warps() { return program.getWarps(); }
  ThreadBuilder &builder() { return b; }
  ThreadTarget &target() { return machine; }
  /// The block's shared memory, a one-dimensional memref of i8; null if the
  /// kernel has none.
  Value sharedMemory() const { return shared; }

  // What the thread holds (ThreadValues).
  Value scalar(Value value) const { return values.scalar(value); }
  Values scalarsOf(mlir::ValueRange range) const {
    return values.scalarsOf(range);
  }
  void setScalar(Value value, Value own) { values.setScalar(value, own); }
  bool hasRegisters(Value tensor) const { return values.hasRegisters(tensor); }
  const Values &registers(Value tensor) const {
    return values.registers(tensor);
  }
  void setRegisters(Value tensor, Values own) {
    values.setRegisters(tensor, std::move(own));
  }
  const TensorView &view(Value view) const { return values.view(view); }
  void setView(Value view, TensorView own) {
    values.setView(view, std::move(own));
  }
  Value globalMemory(Value pointer) { return values.globalMemory(pointer, b); }

private:
  tile::KernelOp program;
  ThreadTarget &machine;
  const EmitterRegistry &registry;
  ThreadBuilder b;
  ThreadValues values;
  Value shared;
};

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_KERNELEMITTER_H
