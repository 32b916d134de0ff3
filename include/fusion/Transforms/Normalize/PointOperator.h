//===- PointOperator.h - An operator over the points of a tensor ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_NORMALIZE_POINTOPERATOR_H
#define FUSION_TRANSFORMS_NORMALIZE_POINTOPERATOR_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// A linalg operator over axes, and over the parts of a split one where it has
/// them, whose inputs are added as its body comes to need them. The builder
/// stands in the body between the first line and `close`.
struct PointOperator {
  /// The dimension of the parts, among axes.
  static constexpr unsigned kParts = ~0u;

  PointOperator(mlir::OpBuilder &b, mlir::Location loc,
                llvm::ArrayRef<unsigned> domain, bool hasParts);

  /// The element of a tensor, which `tensorAxes` index, at the point.
  mlir::Value read(mlir::Value tensor, llvm::ArrayRef<unsigned> tensorAxes);

  /// Ends the body and makes the operator at the end of `block`; `inits` are
  /// where its results start from.
  llvm::SmallVector<mlir::Value> close(llvm::ArrayRef<mlir::Value> yields,
                                       llvm::ArrayRef<mlir::Value> inits,
                                       mlir::Block *block);

  llvm::SmallVector<unsigned> loops; ///< axes, and kParts
  mlir::Block *body;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> maps;
};

} // namespace fusion

#endif // FUSION_TRANSFORMS_NORMALIZE_POINTOPERATOR_H
