//===- SharedPrologues.h - Prologues of several contractions ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_SHAREDPROLOGUES_H
#define FUSION_LIB_TRANSFORMS_PARTITION_SHAREDPROLOGUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// A prologue that several contractions read: element-wise operators and
/// reductions whose values no other operator reads, except values of rows. An
/// example is the normalised input of three projections. No contraction's
/// kernel can include the operators while others read them; each could
/// recompute them.
class SharedPrologue {
public:
  /// Returns the shared prologues of a function, in program order, whose
  /// operators are in no candidate sequence (`collectCandidateSequences`).
  static std::vector<SharedPrologue> find(mlir::func::FuncOp function);

  llvm::ArrayRef<mlir::linalg::LinalgOp> operators() const { return ops; }
  llvm::ArrayRef<mlir::linalg::LinalgOp> contractions() const {
    return readers;
  }

  /// Returns the operators and their copies.
  llvm::SmallVector<mlir::linalg::LinalgOp> all() const {
    llvm::SmallVector<mlir::linalg::LinalgOp> result(ops);
    for (auto [original, copy] : copies)
      result.push_back(mlir::cast<mlir::linalg::LinalgOp>(copy));
    return result;
  }

  /// Gives every contraction but the first its own copies of the operators.
  void copy(mlir::RewriterBase &rewriter);
  /// Removes the copies again.
  void join(mlir::RewriterBase &rewriter);

private:
  llvm::SmallVector<mlir::linalg::LinalgOp> ops; ///< in program order
  llvm::SmallVector<mlir::linalg::LinalgOp> readers;
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>>
      copies; ///< original, copy; by contraction, in program order
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_SHAREDPROLOGUES_H
