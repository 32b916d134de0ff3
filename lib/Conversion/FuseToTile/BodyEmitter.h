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

/// Where the tiles of what a body reads come from.
struct BodyInputs {
  /// The tile of an operand, over all axes of the tile that is made.
  llvm::function_ref<mlir::Value(mlir::OpOperand &)> argument;
  /// A scalar from outside of the body, repeated.
  llvm::function_ref<mlir::Value(mlir::Value)> outer;
  /// The coordinates of a loop of the operator.
  llvm::function_ref<mlir::Value(unsigned)> index;
  /// The operand that stands for an operation instead of it, if one does.
  llvm::function_ref<std::optional<unsigned>(mlir::Operation *)> skipped;
  /// The type of a tile of such elements.
  llvm::function_ref<mlir::RankedTensorType(mlir::Type)> tileType;
  /// The tile of elements that the body reads at places of its own; what it is
  /// given emits the places.
  llvm::function_ref<mlir::Value(mlir::tensor::ExtractOp,
                                 llvm::function_ref<mlir::Value(mlir::Value)>)>
      element;
};

/// Emits what `scalar`, a value of the operator's body, is computed from, on
/// tiles: the scalar operations are element-wise on tensors as they are.
mlir::Value emitBody(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::linalg::LinalgOp op, mlir::Value scalar,
                     const BodyInputs &inputs);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_FUSETOTILE_BODYEMITTER_H
