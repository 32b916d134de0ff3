//===- LoopNests.h - Loops over the elements of tiles -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest of loops over the elements of a tile computes everything that needs
// the same elements: reductions, stores, and tiles that go to memory. These are
// its roots. A root joins the pending nest if it has the same elements and
// needs no result of it that is complete only after the loops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_LOOPNESTS_H
#define FUSION_LIB_CONVERSION_TILETOCPU_LOOPNESTS_H

#include "NestEmitter.h"

namespace fusion {

class LoopNests {
public:
  explicit LoopNests(KernelState &state)
      : state(state), b(state.b), loc(state.loc) {}

  /// Adds a reduction, whose result goes to scratch.
  mlir::LogicalResult add(tile::ReduceOp op);
  /// Adds a store to an operand.
  mlir::LogicalResult add(tile::StoreOp op);

  /// Puts a tile into memory, now or with the pending nest, for the operand
  /// `use`. It takes the memory of a tile that it replaces, if it can. `stored`
  /// is the type of its elements there. With `isFilled`, elements beyond the
  /// tile's limits are zero.
  mlir::LogicalResult materialize(mlir::OpOperand &use, mlir::Type stored = {},
                                  bool isFilled = false);
  /// Evaluates a tile into memory now, and leaves its own place as it is.
  mlir::LogicalResult copyTile(mlir::Value tile, mlir::Operation *at,
                               const TileMemory &target);
  /// Puts a tile into new memory.
  mlir::LogicalResult materialize(mlir::Value tile, mlir::Operation *at);

  /// Emits the pending nest.
  mlir::LogicalResult flush();

  /// Sets all elements of a tile in memory.
  void fill(const TileMemory &memory, llvm::ArrayRef<int64_t> shape,
            mlir::TypedAttr value);
  void copy(const TileMemory &from, const TileMemory &to,
            llvm::ArrayRef<int64_t> shape);

private:
  mlir::LogicalResult prepare(mlir::Value tile, mlir::Operation *at,
                              const TileLimits &limits);
  mlir::LogicalResult prepareOperands(mlir::Value tile, mlir::Operation *at);
  bool dependsOnPending(mlir::Value tile) const;
  mlir::LogicalResult materializeInto(mlir::Value tile, mlir::Operation *at,
                                      const TileMemory &target, bool isFilled);
  void keepForLater();

  KernelState &state;
  mlir::OpBuilder &b;
  const mlir::Location &loc;

  // The pending nest.
  llvm::SmallVector<NestRoot> roots;
  llvm::SmallVector<int64_t> shape;
  TileLimits limits;
  mlir::Operation *last = nullptr; ///< the operation of the last root
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_LOOPNESTS_H
