//===- FormCosts.h - Costs of ways to write operators -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same operators can be written with other loops, as one group each. A
// search decides which form is the fastest; rough searches are enough if the
// predicted times are far apart.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_FORMCOSTS_H
#define FUSION_LIB_TRANSFORMS_PARTITION_FORMCOSTS_H

#include "fusion/Search/Chains/SearchMemo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// Predicts the time of operators as one kernel.
class FormEvaluator {
public:
  FormEvaluator(mlir::RewriterBase &rewriter, const ChipInfo &chip,
                bool skipMasked, SearchMemo &memo)
      : rewriter(rewriter), chip(chip), skipMasked(skipMasked), memo(memo) {}

  struct PredictedCost {
    std::optional<double> time; ///< seconds, if there is such a kernel
    bool isExact = true;
    size_t contractions = 0;

    /// Returns the seconds that no search undercuts, in most cases
    /// (`roughness`).
    double least() const;
  };

  /// Makes a group of the operators while it searches its schedule. The result
  /// is exact for single contractions, and if a rough search finds no schedule.
  PredictedCost predict(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                        bool isExact) const;

private:
  mlir::RewriterBase &rewriter;
  const ChipInfo &chip;
  bool skipMasked;
  SearchMemo &memo;
};

/// Forms of the same operators, of which the fastest is chosen.
class FormCosts {
public:
  /// Predicts the cost of a form, roughly or exactly.
  using Evaluation = std::function<FormEvaluator::PredictedCost(bool isExact)>;

  void add(Evaluation evaluation);
  bool empty() const { return forms.empty(); }

  /// Returns the form that may be the fastest, the first among equals.
  unsigned best() const;
  /// Returns the predicted cost of the best form; without a form it has no
  /// time.
  FormEvaluator::PredictedCost predict() const;
  /// Predicts the best form exactly. Returns false if its cost is exact
  /// already.
  bool refine();

private:
  struct Form {
    Evaluation evaluation;
    FormEvaluator::PredictedCost cost;
  };
  llvm::SmallVector<Form, 2> forms;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_FORMCOSTS_H
