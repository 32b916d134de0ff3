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
// A function that returns `tensor.empty`, and a concatenation with it, have
// undefined results, too.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_UNINITIALIZEDREADS_H
#define FUSION_ANALYSIS_GROUPS_UNINITIALIZEDREADS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace fusion {

/// Returns the first operand of `op` whose elements reach its results, or the
/// caller of the function that `op` ends, and which is provably `tensor.empty`,
/// seen through reshapes and slices; or null. `op` is an operator of linalg,
/// the end of a function, `tensor.concat` or `tensor.pad`; of other operations,
/// null.
mlir::OpOperand *findUninitializedRead(mlir::Operation *op);

/// Returns a message about an operand that `findUninitializedRead` returned:
/// "'linalg.matmul' reads …".
std::string describeUninitializedRead(mlir::OpOperand &operand);

/// Returns the uninitialized reads (`findUninitializedRead`) of all operations
/// that result `number` of `function` depends on, within its first block, in
/// the order of the program.
llvm::SmallVector<mlir::OpOperand *>
listUninitializedReads(mlir::FunctionOpInterface function, unsigned number);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_UNINITIALIZEDREADS_H
