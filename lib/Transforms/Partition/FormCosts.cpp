//===- FormCosts.cpp - Costs of ways to write operators -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormCosts.h"
#include "TrialChain.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include <limits>

using namespace mlir;
using namespace fusion;

double FormEvaluator::PredictedCost::least() const {
  if (!time)
    return std::numeric_limits<double>::infinity();
  return *time * (isExact ? 1 : 1 - roughness(contractions));
}

FormEvaluator::PredictedCost
FormEvaluator::predict(ArrayRef<linalg::LinalgOp> operators,
                       bool isExact) const {
  TrialChain chain(rewriter, operators);
  PredictedCost cost;
  if (!chain.axes())
    return cost;
  cost.contractions = chain.axes()->model.contractions.size();
  SearchOptions options;
  options.skipMasked = skipMasked;
  options.isRough = !isExact && cost.contractions > 1;
  auto search = [&] {
    cost.isExact = !options.isRough;
    if (const auto &found = chain.search(memo, chip, options).found)
      cost.time = found->cost.total;
  };
  search();
  if (!cost.time && options.isRough) {
    options.isRough = false;
    search();
  }
  return cost;
}

void FormCosts::add(Evaluation evaluation) {
  FormEvaluator::PredictedCost cost = evaluation(/*isExact=*/false);
  forms.push_back({std::move(evaluation), cost});
}

unsigned FormCosts::best() const {
  const Form *best = llvm::min_element(forms, [](const Form &a, const Form &b) {
    return a.cost.least() < b.cost.least();
  });
  return best - forms.begin();
}

FormEvaluator::PredictedCost FormCosts::predict() const {
  return empty() ? FormEvaluator::PredictedCost() : forms[best()].cost;
}

bool FormCosts::refine() {
  if (empty() || forms[best()].cost.isExact)
    return false;
  Form &form = forms[best()];
  form.cost = form.evaluation(/*isExact=*/true);
  return true;
}
