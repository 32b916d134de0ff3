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
  PredictedCost price;
  if (!chain.axes())
    return price;
  price.contractions = chain.axes()->model.contractions.size();
  SearchOptions options;
  options.skipMasked = skipMasked;
  options.isRough = !isExact && price.contractions > 1;
  auto search = [&] {
    price.isExact = !options.isRough;
    if (const auto &found = chain.search(memo, chip, options).found)
      price.time = found->cost.total;
  };
  search();
  if (!price.time && options.isRough) {
    options.isRough = false;
    search();
  }
  return price;
}

void FormPrices::add(Pricing pricing) {
  FormEvaluator::PredictedCost price = pricing(/*isExact=*/false);
  forms.push_back({std::move(pricing), price});
}

unsigned FormPrices::best() const {
  const Form *best = llvm::min_element(forms, [](const Form &a, const Form &b) {
    return a.price.least() < b.price.least();
  });
  return best - forms.begin();
}

FormEvaluator::PredictedCost FormPrices::predict() const {
  return empty() ? FormEvaluator::PredictedCost() : forms[best()].price;
}

bool FormPrices::refine() {
  if (empty() || forms[best()].price.isExact)
    return false;
  Form &form = forms[best()];
  form.price = form.pricing(/*isExact=*/true);
  return true;
}
