//===- SharedPrologues.h - Prologues of several contractions ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SHAREDHEADS_H
#define FUSION_LIB_TRANSFORMS_SHAREDHEADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Element-wise operators and reductions whose values several products multiply
/// and nobody else reads, but for values of rows: the normalised input of three
/// projections. No product's kernel can take them in while others read them;
/// each could compute them for itself.
class SharedPrologue {
public:
  /// Those of a function, in program order, that `collectCandidateSequences`
  /// leaves to themselves.
  static std::vector<SharedPrologue> find(mlir::func::FuncOp function);

  llvm::ArrayRef<mlir::linalg::LinalgOp> operators() const { return ops; }
  llvm::ArrayRef<mlir::linalg::LinalgOp> contractions() const {
    return readers;
  }

  /// The operators and the copies that there are.
  llvm::SmallVector<mlir::linalg::LinalgOp> all() const {
    llvm::SmallVector<mlir::linalg::LinalgOp> result(ops);
    for (auto [original, copy] : copies)
      result.push_back(mlir::cast<mlir::linalg::LinalgOp>(copy));
    return result;
  }

  /// Gives every product but the first its own copies of the operators.
  void copy(mlir::RewriterBase &rewriter);
  /// Takes the copies back.
  void join(mlir::RewriterBase &rewriter);

private:
  llvm::SmallVector<mlir::linalg::LinalgOp> ops; ///< in program order
  llvm::SmallVector<mlir::linalg::LinalgOp> readers;
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>>
      copies; ///< original and copy, in program order for each product
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SHAREDHEADS_H
