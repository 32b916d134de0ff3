//===- ScalarMagnitude.h - How large a scalar of a body can be ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_ONLINE_SCALARMAGNITUDE_H
#define FUSION_LIB_ANALYSIS_ONLINE_SCALARMAGNITUDE_H

#include "fusion/Analysis/Groups/GroupAxes.h"

namespace fusion {

/// Proves bounds from types (a value of f16 is at most 65504), from operations
/// (exp of what is at most zero is at most one) and from reductions (what a
/// row's maximum is subtracted from is at most zero then).
class ScalarMagnitude {
public:
  /// `skipped`: operations that stand for one of their operands.
  ScalarMagnitude(const GroupAxes &group,
                  const llvm::DenseMap<mlir::Operation *, unsigned> &skipped)
      : group(group), skipped(skipped) {}

  /// A bound of |scalar| where it is finite, or nullopt.
  std::optional<double> bound(mlir::Value scalar, unsigned op) const;

  /// Whether each value is one of the float type's: it has been read or rounded
  /// as such before, and not been changed since.
  bool isOf(mlir::Value scalar, unsigned op, mlir::FloatType type) const;

  /// Whether a value of rows that multiplies or divides `term`, in the body of
  /// operator `op`, may be applied to a sum of the products instead, infinities
  /// and NaN included (DeferredFactors.cpp).
  bool leavesSum(mlir::Value factor, bool divides, mlir::Value term,
                 unsigned op) const;

private:
  bool isNonNegative(mlir::Value scalar, unsigned op) const;
  bool isPositive(mlir::Value scalar, unsigned op) const;
  bool hasFactor(mlir::Value scalar, unsigned op, mlir::Value factor,
                 unsigned opOfFactor) const;
  bool vanishesWith(mlir::Value scalar, mlir::Value term, unsigned op,
                    unsigned opOfTerm) const;
  bool isNegative(mlir::Value scalar, unsigned op) const;
  bool isExtremeOf(mlir::Value extreme, mlir::Value scalar, unsigned op,
                   bool isMaximum) const;
  bool isSame(mlir::Value a, unsigned opA, mlir::Value b, unsigned opB) const;
  /// The operator that makes what an argument of a body stands for, or nullopt
  /// for inputs and outer values.
  std::optional<unsigned> definer(mlir::BlockArgument argument,
                                  unsigned op) const;
  mlir::Value yielded(unsigned op) const {
    mlir::linalg::LinalgOp linalgOp = group.operators[op];
    return linalgOp.getBlock()->getTerminator()->getOperand(0);
  }
  bool isElementwiseHere(unsigned op) const {
    return !group.contractionOf[op] && !group.reductionOf[op];
  }

  const GroupAxes &group;
  const llvm::DenseMap<mlir::Operation *, unsigned> &skipped;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_ONLINE_SCALARMAGNITUDE_H
