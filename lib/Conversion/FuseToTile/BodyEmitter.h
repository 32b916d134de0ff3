//===- BodyEmitter.h - Scalar bodies on tiles -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_FUSETOTILE_BODYEMITTER_H
#define FUSION_LIB_CONVERSION_FUSETOTILE_BODYEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fusion {

/// Callbacks that give the tiles that an operator's body reads.
struct BodyInputs {
  /// Returns the tile of an operand, over all axes of the result's tile.
  llvm::function_ref<mlir::Value(mlir::OpOperand &)> argument;
  /// Returns a scalar from outside of the body, repeated to a tile.
  llvm::function_ref<mlir::Value(mlir::Value)> outer;
  /// Returns the coordinates along a loop of the operator.
  llvm::function_ref<mlir::Value(unsigned)> index;
  /// Returns the operand that replaces an operation of the body, or nullopt.
  llvm::function_ref<std::optional<unsigned>(mlir::Operation *)> skipped;
  /// Returns the type of a tile with this element type.
  llvm::function_ref<mlir::RankedTensorType(mlir::Type)> tileType;
  /// Returns the tile of elements that the body extracts at computed
  /// coordinates. The function argument emits a coordinate's tile.
  llvm::function_ref<mlir::Value(mlir::tensor::ExtractOp,
                                 llvm::function_ref<mlir::Value(mlir::Value)>)>
      element;
};

/// Emits `scalar`, a value of the operator's body, and all that it depends on,
/// as a tile. Scalar operations become element-wise ones on tensors, otherwise
/// unchanged.
mlir::Value emitBody(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::linalg::LinalgOp op, mlir::Value scalar,
                     const BodyInputs &inputs);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_BODYEMITTER_H
