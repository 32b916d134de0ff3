//===- FormCosts.h - Costs of ways to write operators -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same operators can be written with other loops, as one group each. Which
// is best is a question for the search; rough ones answer it where the times
// are far apart.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_FORMPRICES_H
#define FUSION_LIB_TRANSFORMS_FORMPRICES_H

#include "fusion/Transforms/SearchMemo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// Prices operators as one kernel.
class FormEvaluator {
public:
  FormEvaluator(mlir::RewriterBase &rewriter, const ChipInfo &chip,
                bool skipMasked, SearchMemo &memo)
      : rewriter(rewriter), chip(chip), skipMasked(skipMasked), memo(memo) {}

  struct PredictedCost {
    std::optional<double> time; ///< seconds, if there is such a kernel
    bool isExact = true;
    size_t contractions = 0;

    /// No search finds a faster one, in most cases (`roughness`).
    double least() const;
  };

  /// Makes a group of the operators for as long as it takes to search it. Of
  /// single products, and where a rough search finds nothing, exact.
  PredictedCost predict(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                        bool isExact) const;

private:
  mlir::RewriterBase &rewriter;
  const ChipInfo &chip;
  bool skipMasked;
  SearchMemo &memo;
};

/// Ways to write the same operators, of which the fastest is taken.
class FormPrices {
public:
  /// Prices a form, roughly or exactly.
  using Pricing = std::function<FormEvaluator::PredictedCost(bool isExact)>;

  void add(Pricing pricing);
  bool empty() const { return forms.empty(); }

  /// The form that may be the fastest, the first of equals.
  unsigned best() const;
  /// Its price; of no form, one without a time.
  FormEvaluator::PredictedCost predict() const;
  /// Prices that form exactly; returns false where it is already.
  bool refine();

private:
  struct Form {
    Pricing pricing;
    FormEvaluator::PredictedCost price;
  };
  llvm::SmallVector<Form, 2> forms;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_FORMPRICES_H
