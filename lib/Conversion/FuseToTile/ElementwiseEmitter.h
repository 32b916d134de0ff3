//===- ElementwiseEmitter.h - Element-wise operators on tiles ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_ELEMENTWISEEMITTER_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_ELEMENTWISEEMITTER_H

#include "ChainCoordinates.h"
#include "llvm/Support/SaveAndRestore.h"
#include <functional>

namespace fusion {

/// Emits the bodies of a chain's operators on tiles, or on slices of tiles.
class ElementwiseEmitter {
public:
  using Value = mlir::Value;
  using AxisList = llvm::ArrayRef<unsigned>;
  /// Returns the tile of an operand, over the axes of the result's tile that
  /// index it, or a scalar.
  using Evaluate = llvm::function_ref<Value(Value)>;
  /// The axis of a slice, and the slice's first element along it.
  using Slice = std::optional<std::pair<unsigned, int64_t>>;

  /// `loc` is the location of what is emitted: that of an operator while its
  /// body is. `skippedFor` returns the operand that replaces an operation of a
  /// body, or nullopt.
  ElementwiseEmitter(
      const GroupAxes &axes, KernelBuilder &kernel,
      const ChainCoordinates &block, mlir::Location &loc,
      std::function<std::optional<unsigned>(mlir::Operation *)> skippedFor)
      : axes(axes), kernel(kernel), b(kernel.builder()), block(block), loc(loc),
        skippedFor(std::move(skippedFor)) {}

  /// Emits one element-wise operator on a tile over `tileAxes`.
  Value emit(mlir::linalg::LinalgOp op, AxisList tileAxes,
             llvm::ArrayRef<int64_t> shape, Evaluate evaluate);
  /// Emits one scalar of an operator's body on a tile over `tileAxes`.
  Value emitScalar(mlir::linalg::LinalgOp op, Value scalar, AxisList tileAxes,
                   llvm::ArrayRef<int64_t> shape, Evaluate evaluate);
  /// While the returned object lives, tiles are slices that begin at `start`
  /// along `axis`.
  llvm::SaveAndRestore<Slice> beginSlice(unsigned axis, int64_t start) {
    return llvm::SaveAndRestore<Slice>(slice, std::make_pair(axis, start));
  }

private:
  Value emitArgument(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                     AxisList tileAxes, llvm::ArrayRef<int64_t> shape,
                     Evaluate evaluate);
  /// Returns a tile with the indices of a loop over `axis`.
  Value emitIndex(unsigned axis, AxisList tileAxes,
                  llvm::ArrayRef<int64_t> shape);
  /// Returns a scalar from outside of an operator's body as a tile.
  Value splatOuter(Value scalar, llvm::ArrayRef<int64_t> shape);

  const GroupAxes &axes;
  KernelBuilder &kernel;
  mlir::OpBuilder &b;
  const ChainCoordinates &block;
  mlir::Location &loc;
  std::function<std::optional<unsigned>(mlir::Operation *)> skippedFor;
  Slice slice;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_ELEMENTWISEEMITTER_H
