//===- StitchOperator.h - An operator of stitched groups --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the analysis of a stitched group finds out about each operator whatever
// the others are: an exploration asks about many groups of the same operators.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHOPERATOR_H
#define FUSION_ANALYSIS_STITCHING_STITCHOPERATOR_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include <memory>

namespace fusion {

/// The loops that index a tensor, by dimension: its map is a projected
/// permutation.
llvm::SmallVector<unsigned, 4> loopsOf(mlir::AffineMap map);

struct StitchOperator {
  explicit StitchOperator(mlir::linalg::LinalgOp op);

  std::string whyNot; ///< it is in no group; empty where it can be in one
  ScalarWork work;
  bool hasPolynomials = false; ///< `evaluatesPolynomials`

  // The rest is of what can be in a group.

  /// What it combines, none where it is element-wise.
  std::optional<ReductionBody> reduction;
  llvm::SmallVector<int64_t, 4> extents; ///< by loop
  llvm::SmallVector<bool, 4> isReduced;  ///< by loop
  /// By dimension of the result: the loop that indexes it.
  llvm::SmallVector<unsigned, 4> resultLoops;
  /// The operands that are read, with the loops that index tensors.
  struct Input {
    mlir::OpOperand *operand;
    bool isTensor;
    llvm::SmallVector<unsigned, 4> loops;
  };
  llvm::SmallVector<Input, 2> inputs;
};

using StitchOperatorRef = std::shared_ptr<const StitchOperator>;

/// Operators that somebody has asked about, none of which has changed since.
class StitchOperators {
public:
  StitchOperatorRef operator()(mlir::linalg::LinalgOp op) {
    StitchOperatorRef &entry = known[op];
    if (!entry)
      entry = std::make_shared<StitchOperator>(op);
    return entry;
  }

private:
  llvm::DenseMap<mlir::Operation *, StitchOperatorRef> known;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHOPERATOR_H
