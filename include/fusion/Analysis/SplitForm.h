//===- SplitForm.h - Who computes what where a running axis is split ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An axis along which reductions run can be split over blocks: ranges of it are
// to each other what the iterations of its loop are. Each part runs over its
// range alone and stores what the loop would carry on: its running values and the
// sum of the last product without the factors that have left it. A further launch
// for each result merges the parts in order, by the rules of OnlineReduction.h (the
// correction of a part is that of a sum so far), and does what follows the loop.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SPLITFORM_H
#define FUSION_ANALYSIS_SPLITFORM_H

#include "fusion/Analysis/OnlineReduction.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {

/// What the launch that makes one result of the group out of the parts does.
struct MergedResult {
  unsigned tensor; ///< of the group's model, with the role Result or Statistic
  /// Reductions whose parts are merged, in the order of the operators.
  llvm::SmallVector<unsigned, 2> reductions;
  bool mergesSum = false; ///< and those of the last product
  /// Operators that are evaluated on merged values, in program order.
  llvm::SmallVector<unsigned> operators;
  /// Values from outside that these and corrections read.
  llvm::SetVector<mlir::Value> inputs;
};

/// How a group is divided where an axis is split.
struct SplitForm {
  /// The operators that the launch of the parts evaluates, in program order:
  /// without the operations that `OnlineForm::skipped` takes out of them.
  llvm::SmallVector<unsigned> partial;
  /// Reductions whose values every part stores, in the order of the operators.
  llvm::SmallVector<unsigned, 2> stored;
  /// By result of the group.
  llvm::SmallVector<MergedResult, 1> results;
};

/// Divides the group's operators for parts of `axis`, whose running form is
/// `online`. Fails, with the reason through `explain`, where a result needs the
/// loop itself and not only what it ends with.
mlir::FailureOr<SplitForm>
deriveSplit(const GroupAxes &group, unsigned axis, const OnlineForm &online,
            llvm::function_ref<void(const llvm::Twine &)> explain);

/// The tensors that an operator reads, without those that only operations taken
/// out by `online` do. `online` may be null.
llvm::SetVector<mlir::Value> tensorsReadBy(mlir::linalg::LinalgOp op,
                                           const OnlineForm *online);

/// The tensors that a scalar of an operator's body is computed from.
llvm::SetVector<mlir::Value> tensorsReadBy(mlir::Value scalar,
                                           mlir::linalg::LinalgOp op,
                                           const OnlineForm *online = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_SPLITFORM_H
