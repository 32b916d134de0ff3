//===- MaskPredicates.cpp - Inequalities of indices, joined ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::SmallVector;

using Ref = MaskPredicateRef;

Ref fusion::always() {
  MaskPredicate predicate;
  predicate.constant = -1;
  return std::make_shared<const MaskPredicate>(std::move(predicate));
}

bool fusion::isAlways(const Ref &predicate) {
  return predicate && predicate->kind == MaskPredicate::Kind::Linear &&
         predicate->terms.empty() && predicate->constant < 0;
}

Ref fusion::join(MaskPredicate::Kind kind, Ref a, Ref b) {
  bool isAny = kind == MaskPredicate::Kind::AnyOf;
  if (!a || !b)
    return isAny ? (a ? a : b) : nullptr;
  if (isAlways(a) || isAlways(b))
    return isAny ? always() : isAlways(a) ? b : a;
  if (a == b)
    return a;
  MaskPredicate predicate;
  predicate.kind = kind;
  for (const Ref &operand : {a, b}) {
    if (operand->kind == kind)
      llvm::append_range(predicate.operands, operand->operands);
    else
      predicate.operands.push_back(operand);
  }
  return std::make_shared<const MaskPredicate>(std::move(predicate));
}

Ref fusion::anyOf(Ref a, Ref b) {
  return join(MaskPredicate::Kind::AnyOf, std::move(a), std::move(b));
}

Ref fusion::allOf(Ref a, Ref b) {
  return join(MaskPredicate::Kind::AllOf, std::move(a), std::move(b));
}

/// The inequality for the index of `axis` instead of its quotient i / d, where
/// that stands alone: i / d + rest < 0 where i < -d * rest, and -(i / d) + rest
/// < 0 where i >= d * (rest + 1). Null where ranges of the axis do not follow.
static Ref solveLinear(const MaskPredicate &predicate, unsigned axis) {
  const std::pair<MaskIndex, int64_t> *along = nullptr;
  for (const auto &term : predicate.terms)
    if (term.first.axis == axis) {
      if (along)
        return nullptr;
      along = &term;
    }
  if (!along || along->first.isPlain())
    return std::make_shared<const MaskPredicate>(predicate);
  int64_t divisor = along->first.divisor, coefficient = along->second;
  constexpr int64_t most = int64_t(1) << 40; // products of both fit
  if (along->first.period != 0 || llvm::AbsoluteValue(coefficient) != 1 ||
      divisor > (1 << 20) || llvm::AbsoluteValue(predicate.constant) > most)
    return nullptr;
  MaskPredicate solved = predicate;
  for (auto &[index, factor] : solved.terms) {
    if (index.axis == axis)
      index = MaskIndex{axis};
    else
      factor *= divisor;
  }
  solved.constant *= divisor;
  if (coefficient < 0)
    solved.constant += divisor - 1;
  return std::make_shared<const MaskPredicate>(std::move(solved));
}

Ref fusion::solve(const Ref &predicate, unsigned axis) {
  if (predicate->kind == MaskPredicate::Kind::Linear)
    return solveLinear(*predicate, axis);
  Ref result = solve(predicate->operands.front(), axis);
  for (const Ref &operand : llvm::drop_begin(predicate->operands))
    result = join(predicate->kind, result, solve(operand, axis));
  return result;
}

std::string fusion::print(const GroupModel &group,
                          const MaskPredicateRef &predicate) {
  std::string text;
  if (predicate->kind != MaskPredicate::Kind::Linear) {
    const char *joint =
        predicate->kind == MaskPredicate::Kind::AnyOf ? " or " : " and ";
    for (const MaskPredicateRef &operand : predicate->operands) {
      bool isNested = operand->kind != MaskPredicate::Kind::Linear;
      std::string inner = print(group, operand);
      text +=
          (text.empty() ? "" : joint) + (isNested ? "(" + inner + ")" : inner);
    }
    return text;
  }
  auto addTerm = [&](int64_t coefficient, const std::string &what) {
    if (text.empty())
      text = coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    uint64_t size = llvm::AbsoluteValue(coefficient);
    if (what.empty())
      text += std::to_string(size);
    else
      text += (size == 1 ? "" : std::to_string(size) + " * ") + what;
  };
  auto addTerms = [&](bool arePositive) {
    for (auto [index, coefficient] : predicate->terms) {
      if ((coefficient > 0) != arePositive)
        continue;
      std::string name = group.axes[index.axis].name;
      if (index.divisor != 1)
        name += " / " + std::to_string(index.divisor);
      if (index.period != 0)
        name += " mod " + std::to_string(index.period);
      addTerm(coefficient, index.isPlain() ? name : "(" + name + ")");
    }
  };
  addTerms(/*arePositive=*/true);
  addTerms(/*arePositive=*/false);
  if (predicate->constant != 0 || predicate->terms.empty())
    addTerm(predicate->constant, "");
  return text + " < 0";
}

static void collectAxes(const MaskPredicate &predicate, unsigned except,
                        SmallVector<unsigned, 2> &axes) {
  for (auto [index, coefficient] : predicate.terms)
    if (index.axis != except && !llvm::is_contained(axes, index.axis))
      axes.push_back(index.axis);
  for (const MaskPredicateRef &operand : predicate.operands)
    collectAxes(*operand, except, axes);
}

SmallVector<unsigned, 2> fusion::otherAxes(const MaskedAxis &masked) {
  SmallVector<unsigned, 2> axes;
  collectAxes(*masked.where, masked.axis, axes);
  return axes;
}
