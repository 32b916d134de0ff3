//===- RescaleThreshold.cpp - How late sums may be corrected --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms that are computed with an earlier running value than the latest are
// larger by the inverse of the factor between the two. The types in which they
// are rounded limit how large they may become, and so does the sum of a row of
// terms in f32.
//
//===----------------------------------------------------------------------===//

#include "OnlineDerivation.h"
#include "ScalarMagnitude.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;
using Ref = RowExpressionRef;

static void collectReductions(const Ref &expression,
                              SmallVectorImpl<unsigned> &reductions) {
  if (!expression)
    return;
  if ((expression->kind == Kind::Before || expression->kind == Kind::After) &&
      !llvm::is_contained(reductions, expression->reduction))
    reductions.push_back(expression->reduction);
  for (const Ref &operand : expression->operands)
    collectReductions(operand, reductions);
}

/// Returns the distinct factors of a form.
static SmallVector<Ref, 2> factorsOf(const OnlineForm &form) {
  SmallVector<Ref, 2> factors;
  auto add = [&](const Ref &factor) {
    if (factor && llvm::none_of(factors, [&](const Ref &known) {
          return isSame(known, factor);
        }))
      factors.push_back(factor);
  };
  for (const OnlineForm::Running &running : form.running)
    add(running.factor);
  for (const OnlineForm::Sum &sum : form.sums)
    add(sum.factor);
  return factors;
}

SmallVector<Ref, 2> OnlineForm::factorsOf(unsigned reduction) const {
  SmallVector<Ref, 2> factors = ::factorsOf(*this);
  llvm::erase_if(factors, [&](const Ref &factor) {
    SmallVector<unsigned, 2> reductions;
    collectReductions(factor, reductions);
    return !llvm::is_contained(reductions, reduction);
  });
  return factors;
}

/// Returns the reason why no reference can stay behind its running value, or an
/// empty string.
std::string OnlineDerivation::whyNotLate() const {
  SmallVector<Ref, 2> factors = factorsOf(form);
  if (factors.empty())
    return "nothing is rescaled in the loop";
  for (const Ref &factor : factors) {
    SmallVector<unsigned, 2> reductions;
    collectReductions(factor, reductions);
    if (reductions.size() > 1)
      return "accumulators are rescaled by several running values at once";
  }
  return {};
}

/// Lowers the room to the range of the type that a value is rounded to, if that
/// is narrower than f32. Returns the reason if there is no room.
std::string OnlineDerivation::limitByRounding(Operation *inner, unsigned op) {
  auto type = dyn_cast<FloatType>(inner->getResult(0).getType());
  if (!type || APFloat::semanticsMaxExponent(type.getFloatSemantics()) >=
                   APFloat::semanticsMaxExponent(APFloat::IEEEsingle()))
    return {};
  ValueChange change = changeOfOperation(inner, op);
  if (!change.changes || (change.hasFactor && !change.factor))
    return {};
  std::string what;
  llvm::raw_string_ostream(what)
      << "values that " << group.operators[op]->getName() << " rounds to "
      << type;
  auto isKnown = [&](const Ref &factor) {
    return isSame(factor, change.factor);
  };
  if (!change.hasFactor || llvm::none_of(factorsOf(form), isKnown))
    return what + " change in another way than the sums";
  ScalarMagnitude magnitude(group, form.skipped);
  std::optional<double> bound = magnitude.bound(
      isa<arith::TruncFOp>(inner) ? inner->getOperand(0) : inner->getResult(0),
      op);
  if (!bound)
    return what + " have no bound";
  APFloat largest = APFloat::getLargest(type.getFloatSemantics());
  bool loses = false;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  double powers = std::floor(std::log2(largest.convertToDouble() / *bound));
  if (powers < form.room) {
    form.room = std::max(powers, 0.0);
    form.roomLimit = what;
  }
  return {};
}

void OnlineDerivation::measureRoom() {
  form.roomLimit = whyNotLate();
  if (!form.roomLimit.empty())
    return;
  // A row of terms that are at most one each has a sum in f32.
  constexpr unsigned maxPowers = 126;
  unsigned ofRow =
      llvm::Log2_64_Ceil(std::max<int64_t>(group.model.axes[axis].extent, 1));
  form.room = maxPowers - std::min(maxPowers, ofRow);
  form.roomLimit = "sums in f32";
  for (auto [index, linalgOp] : llvm::enumerate(group.operators)) {
    if (group.contractionOf[index] || !hasAxis(index))
      continue;
    linalg::LinalgOp op = linalgOp;
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (inner.getNumResults() != 1)
        continue;
      std::string why = limitByRounding(&inner, index);
      if (why.empty())
        continue;
      form.room = 0;
      form.roomLimit = std::move(why);
      return;
    }
  }
}
