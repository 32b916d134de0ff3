//===- OnlineReduction.h - Running forms of reductions by algebra ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over tiles of an axis computes a reduction along the axis (the maximum
// of a row) and, in the same iterations, sums that need its result
// (exponentials of the differences from the maximum, and a product with them).
// The final result is known only after the loop. Two rules of algebra make one
// pass of it all the same.
//
// 1. *Deferral.* A factor that does not depend on the axis leaves a sum:
//    Σ_n (x_n · b) d_n = b · Σ_n x_n d_n. The sum of a softmax and the scale of
//    an RMS norm divide what the loop has summed, after the loop.
// 2. *Correction.* Where a sum's terms depend on a running value r as
//    g(x, r') = g(x, r) · f(r, r') with f independent of x, the sum so far
//    becomes what it would be under r' when it is multiplied by f. f follows
//    from the operators: a difference x - r changes by the offset r - r', an
//    exponential of what changes by δ changes by the factor exp(δ), products
//    multiply factors, quotients divide them, and so on.
//
// Which values run is a matter of the operators alone; softmax and attention
// are not known here. What neither rule covers is declined with the reason.
//
// A running maximum starts from -∞, and while a row has only met -∞, x - r
// would be -∞ + ∞. Terms are therefore computed with a *guarded* r, which is 0
// where r is still its identity; they are then exp(-∞) = 0, as any later r
// makes them. After the loop a last correction goes from the guarded to the
// true r: 1 in general, and NaN for rows of nothing but -∞, where the operators
// say NaN.
//
// Late corrections. The algebra holds for any reference r that the terms and
// the sums share, not for the latest running value alone: where f(r, r') is
// near to 1, r may stay, and the last correction goes from it to the true
// value. What r does not take out stays in the terms, which are then larger by
// 1/f; `room` says by how many powers of two they may be, by the types in which
// they are rounded.
//
// Rounding. A sum in f32 is corrected in f32. A value that is rounded to a
// narrower type before it is multiplied is rounded without its deferred
// factors; relative to its size the error is the same.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_ONLINEREDUCTION_H
#define FUSION_ANALYSIS_ONLINEREDUCTION_H

#include "fusion/Analysis/GroupAxes.h"
#include <memory>

namespace fusion {

struct RowExpression;
using RowExpressionRef = std::shared_ptr<const RowExpression>;

/// An expression over values of rows: how a sum so far is corrected.
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

/// Whether two expressions are the same operations on the same values.
bool isSame(const RowExpressionRef &a, const RowExpressionRef &b);

/// Text for remarks and tests: `exp(before 0 - after 0)`.
std::string print(const RowExpressionRef &expression);

/// The arithmetic operation of an expression's kind on values of floats,
/// scalars or tensors: `operand` gives the first and, where there are two, the
/// second. Not for Before, After and Scalar, which are no operations.
mlir::Value emitRowOperation(mlir::OpBuilder &b, mlir::Location loc,
                             RowExpression::Kind kind,
                             llvm::function_ref<mlir::Value(unsigned)> operand);

/// A factor taken out of a product's sum: a scalar in the body of an operator
/// that does not depend on the axis.
struct DeferredFactor {
  unsigned op;        ///< operator
  mlir::Value scalar; ///< in its body
  bool divides;
};

/// The running form of a group's reductions along one axis.
struct OnlineForm {
  struct Running {
    unsigned reduction; ///< index in the group's model
    /// The result so far is multiplied by this before this iteration's part is
    /// combined with it; null where it stays as it is.
    RowExpressionRef factor;
    /// Terms inside of the loop are computed with its running value, guarded.
    bool isGuarded = false;
    /// What has left its terms, where that was asked for.
    std::vector<DeferredFactor> deferred;
  };
  struct Sum {
    unsigned contraction;    ///< that reduces the axis
    RowExpressionRef factor; ///< as above
    std::vector<DeferredFactor> deferred;
  };
  /// In the order of the operators.
  std::vector<Running> running;
  std::vector<Sum> sums;
  /// Multiplications and divisions by deferred factors, in bodies: inside of
  /// the loop each stands for its operand `kept`.
  llvm::DenseMap<mlir::Operation *, unsigned> skipped;
  /// Powers of two by which terms in the loop may be larger than with the
  /// latest running values, and what the limit comes from (see "Late
  /// corrections").
  unsigned room = 0;
  std::string roomLimit;

  /// The distinct factors, in order, that change with one running reduction.
  llvm::SmallVector<RowExpressionRef, 2> factorsOf(unsigned reduction) const;
};

/// Derives the running form of all reductions along `axis`, and of the products
/// that sum over it. Fails, with the reason through `explain`, where some value
/// in the loop needs a final result in a way that neither rule covers. Factors
/// leave the sums of products, and `ofReductions` those of reductions, too.
mlir::FailureOr<OnlineForm>
deriveOnline(const GroupAxes &group, unsigned axis,
             llvm::function_ref<void(const llvm::Twine &)> explain,
             bool ofReductions = false);

} // namespace fusion

#endif // FUSION_ANALYSIS_ONLINEREDUCTION_H
