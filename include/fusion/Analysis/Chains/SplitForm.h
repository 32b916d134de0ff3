//===- SplitForm.h - Online reductions split over blocks ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis along which reductions run online can be split over blocks: ranges of
// the axis relate to each other as iterations of its loop do. Each block runs
// over its range alone and stores a partial result, which is what the loop
// would carry. This is its running values, and the accumulator of the last
// contraction without the factors that were moved out of it. One more launch
// for each result reduces the partial results in order, by the rules of
// OnlineReduction.h: a partial result is rescaled as a running sum is. It also
// computes the operators after the loop.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_CHAINS_SPLITFORM_H
#define FUSION_ANALYSIS_CHAINS_SPLITFORM_H

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {

/// What the launch that reduces the partial results of one result does.
struct MergedResult {
  unsigned tensor; ///< of the group's model, with the role Result or Statistic
  /// Reductions whose partial results are reduced, in the order of the
  /// operators.
  llvm::SmallVector<unsigned, 2> reductions;
  bool mergesSum = false; ///< also reduces those of the last contraction
  /// Operators that are evaluated on reduced values, in program order.
  llvm::SmallVector<unsigned> operators;
  /// Values from outside that these operators and the rescaling factors read.
  llvm::SetVector<mlir::Value> inputs;
};

/// How the operators of a group are divided if an axis is split.
struct SplitForm {
  /// The operators that the launch of the partial results evaluates, in program
  /// order, without the operations of `OnlineForm::skipped`.
  llvm::SmallVector<unsigned> partial;
  /// Reductions whose values are part of each partial result, in the order of
  /// the operators.
  llvm::SmallVector<unsigned, 2> stored;
  /// By result of the group.
  llvm::SmallVector<MergedResult, 1> results;
};

/// Divides the group's operators for a split of `axis`, whose online form is
/// `online`. Fails, with the reason through `explain`, if a result needs the
/// iterations of the loop and not only the values after it.
mlir::FailureOr<SplitForm>
deriveSplit(const GroupAxes &group, unsigned axis, const OnlineForm &online,
            llvm::function_ref<void(const llvm::Twine &)> explain);

/// Returns the tensors that an operator reads, without tensors that only
/// operations in `online->skipped` read. `online` may be null.
llvm::SetVector<mlir::Value> tensorsReadBy(mlir::linalg::LinalgOp op,
                                           const OnlineForm *online);

/// Returns the tensors that a scalar of an operator's body is computed from.
llvm::SetVector<mlir::Value> tensorsReadBy(mlir::Value scalar,
                                           mlir::linalg::LinalgOp op,
                                           const OnlineForm *online = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_CHAINS_SPLITFORM_H
