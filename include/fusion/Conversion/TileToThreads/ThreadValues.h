//===- ThreadValues.h - A thread's values of a kernel -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_THREADVALUES_H
#define FUSION_CONVERSION_TILETOTHREADS_THREADVALUES_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/IR/IRMapping.h"

namespace fusion {

/// A tile.view or tile.window of a tensor in global memory.
struct TensorView {
  mlir::Value memory;    ///< the tensor, a dense one-dimensional memref
  mlir::Value offset;    ///< of the view's first element, elements
  Values sizes, strides; ///< by dimension, elements; a window has no strides
  tile::ViewType type;
  tile::WindowOp window; ///< null if the view is a plain one
};

/// Maps the values of a block program to the values of one of its threads. A
/// tensor is mapped to the thread's scalars, in the order of the registers of
/// its layout, and everything else to one value.
class ThreadValues {
public:
  /// Returns the thread's value of `value`, which is no tensor; `value` itself
  /// if it was not mapped.
  mlir::Value scalar(mlir::Value value) const {
    return scalars.lookupOrDefault(value);
  }
  Values scalarsOf(mlir::ValueRange values) const;
  void setScalar(mlir::Value value, mlir::Value own) {
    scalars.map(value, own);
  }
  /// Creates the thread's operation for `op`, a copy whose operands are mapped.
  void clone(mlir::Operation *op, ThreadBuilder &b);

  /// Returns whether the registers of a tensor have been set.
  bool hasRegisters(mlir::Value tensor) const {
    return tensors.contains(tensor);
  }
  /// Returns the registers of a tensor, which must have been set. The reference
  /// is valid until the next `setRegisters`.
  const Values &registers(mlir::Value tensor) const;
  void setRegisters(mlir::Value tensor, Values own);

  /// Returns the view, which must have been set. The reference is valid until
  /// the next `setView`.
  const TensorView &view(mlir::Value view) const;
  void setView(mlir::Value view, TensorView own);

  /// Returns the tensor that a kernel's pointer (!tile.ptr) points to, as a
  /// dense one-dimensional memref. Its true size is not known: the memref's
  /// size is a bound that nothing reads.
  mlir::Value globalMemory(mlir::Value pointer, ThreadBuilder &b);

private:
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Values> tensors;
  llvm::DenseMap<mlir::Value, TensorView> views;
  llvm::DenseMap<mlir::Value, mlir::Value> memories; ///< by pointer
};

/// Renames registers: result register r is the register of `from` whose
/// coordinates are `map` of the coordinates of r in `to`. Lanes and warps must
/// have equal steps in both layouts. Returns nullopt if a register is another
/// thread's.
std::optional<Values> renameRegisters(
    const LinearLayout &to, const LinearLayout &from, const Values &values,
    llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
        map);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_THREADVALUES_H
