//===- MaskPredicates.h - Inequalities of indices, combined -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_MASKS_MASKPREDICATES_H
#define FUSION_ANALYSIS_MASKS_MASKPREDICATES_H

#include "fusion/Analysis/Groups/GroupModel.h"

namespace fusion {

/// A predicate that holds everywhere; null stands for one that nowhere does.
MaskPredicateRef always();
bool isAlways(const MaskPredicateRef &predicate);

/// Both as one predicate of the kind.
MaskPredicateRef join(MaskPredicate::Kind kind, MaskPredicateRef a,
                      MaskPredicateRef b);
MaskPredicateRef anyOf(MaskPredicateRef a, MaskPredicateRef b);
MaskPredicateRef allOf(MaskPredicateRef a, MaskPredicateRef b);

/// A predicate that implies the given one, with inequalities for the index of
/// `axis` alone, as ranges of the axis follow from these: quotients of the
/// index are solved for it. Null where nothing is left.
MaskPredicateRef solve(const MaskPredicateRef &predicate, unsigned axis);

/// Prints the predicate for remarks and tests: `m - n < 0 or n - m - 8 < 0`.
std::string print(const GroupModel &group, const MaskPredicateRef &predicate);

/// Returns the axes, other than `axis`, that the predicate depends on.
llvm::SmallVector<unsigned, 2> otherAxes(const MaskedAxis &masked);

/// Returns the greatest (`isLast`) or the least value of an index, or of its
/// digit, in the ranges of `numbers`.
template <typename Numbers>
typename Numbers::Value maskDigit(const MaskIndex &index, bool isLast,
                                  Numbers &numbers) {
  using Value = typename Numbers::Value;
  auto quotient = [&](Value value) {
    return numbers.floorDiv(value, index.divisor);
  };
  Value first = quotient(numbers.first(index.axis)),
        last = quotient(numbers.last(index.axis));
  if (index.period == 0)
    return isLast ? last : first;
  // Within one period the digit grows with the index; across two it has all
  // values.
  Value begun = numbers.floorDiv(first, index.period),
        ended = numbers.floorDiv(last, index.period);
  Value crosses = numbers.min(numbers.add(ended, numbers.scale(begun, -1)),
                              numbers.constant(1));
  if (isLast)
    return numbers.max(numbers.add(last, numbers.scale(ended, -index.period)),
                       numbers.scale(crosses, index.period - 1));
  return numbers.max(
      numbers.add(numbers.add(first, numbers.scale(begun, -index.period)),
                  numbers.scale(crosses, -index.period)),
      numbers.constant(0));
}

/// Returns the bound of the indices along `axis` whose points all satisfy the
/// predicate: the first such index (`after`), or the first index beyond them,
/// from 0 to `extent`. The other axes range from `numbers.first(axis)` to
/// `numbers.last(axis)`. `Numbers` defines the arithmetic:
///   constant(i), first(axis), last(axis), add(a, b), scale(a, i),
///   floorDiv(a, i) by a positive constant, min(a, b), max(a, b).
template <typename Numbers>
typename Numbers::Value maskBound(const MaskPredicate &predicate, unsigned axis,
                                  int64_t extent, bool after,
                                  Numbers &numbers) {
  using Value = typename Numbers::Value;
  if (predicate.kind != MaskPredicate::Kind::Linear) {
    bool isAny = predicate.kind == MaskPredicate::Kind::AnyOf;
    std::optional<Value> result;
    for (const MaskPredicateRef &operand : predicate.operands) {
      Value bound = maskBound(*operand, axis, extent, after, numbers);
      if (!result)
        result = bound;
      else
        result = isAny == after ? numbers.min(*result, bound)
                                : numbers.max(*result, bound);
    }
    return *result;
  }
  // The largest value of the other terms on the inequality's left side.
  Value rest = numbers.constant(predicate.constant);
  int64_t along = 0;
  for (auto [other, coefficient] : predicate.terms) {
    if (other.axis == axis) {
      along = coefficient;
      continue;
    }
    Value most = maskDigit(other, /*isLast=*/coefficient > 0, numbers);
    rest = numbers.add(rest, numbers.scale(most, coefficient));
  }
  auto clamp = [&](Value value) {
    return numbers.min(numbers.max(value, numbers.constant(0)),
                       numbers.constant(extent));
  };
  if (along == 0) {
    // All of the axis or nothing: -1 where rest < 0, else 0.
    Value sign = numbers.min(numbers.max(rest, numbers.constant(-1)),
                             numbers.constant(0));
    return numbers.scale(after ? numbers.add(sign, numbers.constant(1))
                               : numbers.scale(sign, -1),
                         extent);
  }
  // rest + along · n < 0
  if (after)
    return along > 0 ? numbers.constant(extent)
                     : clamp(numbers.add(numbers.floorDiv(rest, -along),
                                         numbers.constant(1)));
  return along < 0 ? numbers.constant(0)
                   : clamp(numbers.scale(numbers.floorDiv(rest, along), -1));
}

} // namespace fusion

#endif // FUSION_ANALYSIS_MASKS_MASKPREDICATES_H
