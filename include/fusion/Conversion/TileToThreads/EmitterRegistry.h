//===- EmitterRegistry.h - Emitters of single operations --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_EMITTERREGISTRY_H
#define FUSION_CONVERSION_TILETOTHREADS_EMITTERREGISTRY_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace fusion {

class KernelEmitter;

/// The emitters of operations of a block program. An emitter emits what one
/// thread does for an operation and sets the thread's values of the results
/// (`KernelEmitter::setScalar`, `setRegisters`, `setView`).
class EmitterRegistry {
public:
  using Emitter =
      std::function<mlir::LogicalResult(mlir::Operation *, KernelEmitter &)>;

  /// Registers `emit` for operations of the types `Ops`; it replaces emitters
  /// that were added before. `emit` takes an operation of the type, or of any
  /// if it is generic, and a KernelEmitter &.
  template <typename... Ops, typename Emit> void add(Emit emit) {
    (addOne<Ops>(emit), ...);
  }

  /// Returns the emitter of an operation, or null.
  const Emitter *lookup(mlir::Operation *op) const;

private:
  template <typename Op, typename Emit> void addOne(Emit emit) {
    emitters[mlir::TypeID::get<Op>()] = [emit](mlir::Operation *op,
                                               KernelEmitter &emitter) {
      return emit(mlir::cast<Op>(op), emitter);
    };
  }

  llvm::DenseMap<mlir::TypeID, Emitter> emitters;
};

/// Adds the emitters of all operations that need only the interface
/// ThreadTarget, thus of all operations that belong to no particular machine.
void addThreadEmitters(EmitterRegistry &registry);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_EMITTERREGISTRY_H
