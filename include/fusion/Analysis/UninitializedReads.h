//===- UninitializedReads.h - Reads of tensors without values ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tensor.empty` has a shape and no defined elements. An operator that
// accumulates into its outs, such as linalg.matmul, reads them; with
// `tensor.empty` there its result is undefined:
//
//   %e = tensor.empty() : tensor<4x4xf32>
//   %r = linalg.matmul ins(%a, %b : …) outs(%e : tensor<4x4xf32>) -> …
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_UNINITIALIZEDREADS_H
#define FUSION_ANALYSIS_UNINITIALIZEDREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// Returns the first operand of `op` whose elements the body reads, and which
/// is provably `tensor.empty`, seen through reshapes and slices; or null.
mlir::OpOperand *findUninitializedRead(mlir::linalg::LinalgOp op);

/// Returns a message about such an operand: "'linalg.matmul' reads …".
std::string describeUninitializedRead(mlir::OpOperand &operand);

/// Returns the operators with such an operand on which `value` depends, within
/// its block, in the order of the program.
llvm::SmallVector<mlir::linalg::LinalgOp>
listUninitializedReads(mlir::Value value);

} // namespace fusion

#endif // FUSION_ANALYSIS_UNINITIALIZEDREADS_H
