//===- OnlineReduction.h - Online reductions by algebra -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over tiles of an axis computes a reduction along the axis (the maximum
// of a row). In the same iterations it computes sums that need the result of
// the reduction (exponentials of the differences from the maximum, and a
// contraction with them). The final result is known only after the loop. Two
// rules of algebra make it one loop nevertheless.
//
// 1. *Deferral.* A factor that does not depend on the axis leaves a sum:
//    Σ_n (x_n · b) d_n = b · Σ_n x_n d_n. The sum of a softmax and the scale of
//    an RMS norm divide what the loop has summed, after the loop.
// 2. *Rescaling.* Suppose that a sum's terms depend on a running value r as
//    g(x, r') = g(x, r) · f(r, r') with f independent of x. Multiplied by f,
//    the running sum is what it would be under r'. It follows from the
//    operators: a difference x - r changes by the offset r - r', an exponential
//    of what changes by δ changes by the factor exp(δ). Multiplications
//    multiply factors, divisions divide them, and so on.
//
// Which values run follows from the operators alone; softmax and attention are
// not known here. A value that neither rule covers is rejected with the reason.
//
// A running maximum starts from -∞. While a row has only met -∞, x - r would be
// -∞ + ∞. Terms are therefore computed with a *guarded* r, which is 0 while r
// is its identity; the terms are then exp(-∞) = 0, as any later r makes them.
// After the loop a final rescaling goes from the guarded to the true r. It is 1
// in general, and NaN for rows of nothing but -∞, where the operators give NaN.
//
// Conditional rescaling. The algebra holds for any reference r that the terms
// and the sums share, not for the latest running value alone. While f(r, r') is
// near to 1, r may stay, and the final rescaling goes from it to the true
// value. The terms are then larger by 1/f. `room` is the power of two by which
// they may be larger, from the types in which they are rounded.
//
// Rounding. A sum in f32 is rescaled in f32. A value that is rounded to a
// narrower type before it is multiplied is rounded without its deferred
// factors; relative to its size the error is equal.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_ONLINE_ONLINEREDUCTION_H
#define FUSION_ANALYSIS_ONLINE_ONLINEREDUCTION_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include <memory>

namespace fusion {

struct RowExpression;
using RowExpressionRef = std::shared_ptr<const RowExpression>;

/// An expression over values of rows: the factor that rescales a running sum.
struct RowExpression {
  enum class Kind : uint8_t {
    Before, ///< of a running reduction: the value before this iteration
    After,  ///< of a running reduction: the guarded value with this iteration
    Scalar, ///< a scalar of an operator's body that does not depend on the axis
    Neg,
    Abs,
    Sqrt,
    Rsqrt,
    Exp,
    Exp2,
    Log,
    Add,
    Sub,
    Mul,
    Div,
  };
  Kind kind = Kind::Before;
  unsigned reduction = 0; ///< of Before and After: index in the group's model
  mlir::Value scalar;     ///< of Scalar
  unsigned op = 0;        ///< of Scalar: the operator whose body it stands in
  RowExpressionRef operands[2] = {}; ///< null stands for 1
};

/// Returns whether two expressions are the same operations on the same values.
bool isSame(const RowExpressionRef &a, const RowExpressionRef &b);

/// Prints an expression for remarks and tests: `exp(before 0 - after 0)`.
std::string print(const RowExpressionRef &expression);

/// Emits the arithmetic operation of an expression's kind on floating-point
/// scalars or tensors. `operand(0)` and, for binary kinds, `operand(1)` give
/// its operands. Before, After and Scalar are no operations and not allowed.
mlir::Value emitRowOperation(mlir::OpBuilder &b, mlir::Location loc,
                             RowExpression::Kind kind,
                             llvm::function_ref<mlir::Value(unsigned)> operand);

/// A factor moved out of a contraction's sum: a scalar in the body of an
/// operator that does not depend on the axis.
struct DeferredFactor {
  unsigned op;        ///< operator
  mlir::Value scalar; ///< in its body
  bool divides;
};

/// The online form of a group's reductions along one axis.
struct OnlineForm {
  struct Running {
    unsigned reduction; ///< index in the group's model
    /// The factor that rescales the running result before this iteration's
    /// values are combined with it; null if it is not rescaled.
    RowExpressionRef factor;
    /// Whether terms in the loop are computed with its guarded running value.
    bool isGuarded = false;
    /// Factors that have been moved out of its terms, if `ofReductions` was
    /// set.
    std::vector<DeferredFactor> deferred;
  };
  struct Sum {
    unsigned contraction;    ///< that reduces the axis
    RowExpressionRef factor; ///< as in Running
    std::vector<DeferredFactor> deferred;
  };
  /// In the order of the operators.
  std::vector<Running> running;
  std::vector<Sum> sums;
  /// Multiplications and divisions by deferred factors, in bodies. In the loop
  /// each stands for its operand with this number.
  llvm::DenseMap<mlir::Operation *, unsigned> skipped;
  /// The power of two by which terms in the loop may exceed those with the
  /// latest running values, and what the limit comes from (see "Conditional
  /// rescaling").
  unsigned room = 0;
  std::string roomLimit;

  /// Returns the distinct factors, in order, that change with one running
  /// reduction.
  llvm::SmallVector<RowExpressionRef, 2> factorsOf(unsigned reduction) const;
};

/// Derives the online form of all reductions along `axis`, and of the
/// contractions that reduce it. Fails, with the reason through `explain`, if
/// some value in the loop needs a final result in a way that neither rule
/// covers. Factors are moved out of the sums of contractions and, with
/// `ofReductions`, out of those of reductions.
mlir::FailureOr<OnlineForm>
deriveOnline(const GroupAxes &group, unsigned axis,
             llvm::function_ref<void(const llvm::Twine &)> explain,
             bool ofReductions = false);

} // namespace fusion

#endif // FUSION_ANALYSIS_ONLINE_ONLINEREDUCTION_H
