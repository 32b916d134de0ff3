//===- TilingExpressions.h - Deep and flat tiling expressions -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser section III-A: the nests of a group's loops that a search visits. For
// a set of contractions P and their remaining loops L,
//
//   E(P, L) := ε                                  where L is empty
//            | l E(P, L∖l)                        for a loop l of L (nested)
//            | (E(P1, L1), ..., E(Pr, Lr)), r ≥ 2 (sequential)
//
// where L1 ... Lr is a partition of L such that no contraction has loops in two
// of them, Pi are the contractions with loops in Li, and all of Pi come before
// all of Pi+1 in program order. Expressions without the last rule are deep: x!
// of them for x loops. Others are flat: inside of the loops that two operators
// share, the loops of each operator alone may be siblings. The chain of two
// contractions has mn(k,h) and nm(k,h), 26 expressions in all; that of three
// has, among others, mhn(k,p), mh(nk,p) and mn(k,hp).
//
// Loops of the result may be bound to the grid (section III-C, rule 1). An
// expression without them is its sub-expression. There are far fewer of these,
// so that above kMaxExpressionAxes axes only they are enumerated.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_TILINGEXPRESSIONS_H
#define FUSION_SEARCH_SPACE_TILINGEXPRESSIONS_H

#include "fusion/Analysis/Schedules/TilingTree.h"

namespace fusion {

/// The most axes of a group whose expressions are enumerated before block
/// binding.
constexpr unsigned kMaxExpressionAxes = 5;

struct ExpressionOptions {
  bool flat = true; ///< off: deep expressions only, Chimera's space
  /// MCFuser's rule 2: drop expressions in which a reduction loop of an
  /// intermediate is outside of one of its spatial loops, so that several of
  /// its tiles are retained.
  bool completeIntermediates = false;
  size_t limit = 1u << 20; ///< most expressions to enumerate
};

/// Returns the expressions of the group's loops `axes`, in a fixed order, or
/// nullopt if they exceed the limit.
std::optional<std::vector<TilingTree>>
listExpressions(const GroupModel &group, llvm::ArrayRef<unsigned> axes,
                const ExpressionOptions &options);

/// Returns the number of expressions, without making them; ignores `limit`.
uint64_t countExpressions(const GroupModel &group,
                          llvm::ArrayRef<unsigned> axes,
                          const ExpressionOptions &options);

/// An expression whose outer loops are the grid's.
struct BoundExpression {
  llvm::SmallVector<unsigned, 4> blocks; ///< in the order of the result's axes
  TilingTree loops;                      ///< the sub-expression
};

/// Applies MCFuser's rule 1. Loops of the result that all contractions have are
/// bound at any position. The other loops of the result are bound one after the
/// other while they are the outermost loop, or the innermost loop of a nest.
/// Thus mnkh gives nk, and mnhk gives nhk, as binding h would repeat n's loop.
BoundExpression bindBlocks(const GroupModel &group, const TilingTree &loops);

/// Returns all sub-expressions, each once. They are the results of `bindBlocks`
/// for the expressions of all axes, found without enumerating these.
std::optional<std::vector<BoundExpression>>
listBoundExpressions(const GroupModel &group, const ExpressionOptions &options);

/// Returns the number of sub-expressions without rule 2.
uint64_t countBoundExpressions(const GroupModel &group, bool isFlat);

/// Returns whether an expression retains several tiles of an intermediate (rule
/// 2).
bool retainsIntermediates(const GroupModel &group, const TilingTree &loops);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_TILINGEXPRESSIONS_H
