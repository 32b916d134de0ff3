//===- WidenSums.h - Wide accumulators for narrow sums ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_WIDENSUMS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_WIDENSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Returns the type in which sums into `type` accumulate, or null if it is
/// `type` itself.
mlir::Type accumulatorType(mlir::Type type);

/// Creates an uninitialised tensor of the sizes of `tensor`.
mlir::Value emptyLike(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, mlir::Type element);

/// Converts a tensor element by element with a linalg.generic. Returns the
/// tensor itself if it has that type.
mlir::Value convertTensor(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value tensor, mlir::Type element);

/// Gives every sum of `op` into a narrow type, and every multiplicative
/// reduction of floats, a wider accumulator that is rounded afterwards; `op` is
/// replaced. Returns how many there were; fails with a diagnostic.
llvm::FailureOr<unsigned> widenSums(mlir::RewriterBase &rewriter,
                                    mlir::linalg::LinalgOp op);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_WIDENSUMS_H
