//===- GroupAxes.h - The axes of a group, from its operators --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPAXES_H
#define FUSION_ANALYSIS_GROUPAXES_H

#include "fusion/Analysis/GroupModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace fusion {

struct OnlineForm;

/// The plain model of a chain and the IR that it describes.
struct GroupAxes {
  GroupModel model;

  /// The operators in program order, without fills.
  llvm::SmallVector<mlir::linalg::LinalgOp> operators;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: the contraction that it is, or nullopt.
  llvm::SmallVector<std::optional<unsigned>> contractionOf;
  /// By operator: the reduction that it is, or nullopt.
  llvm::SmallVector<std::optional<unsigned>> reductionOf;
  /// Returns the operator that is this reduction.
  unsigned operatorOf(unsigned reduction) const {
    return llvm::find(reductionOf, std::optional(reduction)) -
           reductionOf.begin();
  }
  /// By operator: the contraction that an element-wise operator or a reduction
  /// follows, directly or through others. Operators before the first
  /// contraction have none.
  llvm::SmallVector<std::optional<unsigned>> followsContraction;
  /// By operator: the row statistics that a reduction before a contraction
  /// belongs to. For an element-wise operator on rows, the row statistics after
  /// which it is evaluated.
  llvm::SmallVector<std::optional<unsigned>> statisticsOf;
  /// By tensor of the model: the value that it stands for. For an input it is
  /// the value from outside of the operators (of a padded input, the value
  /// before padding). For a contraction's result it is the result of the
  /// operation.
  llvm::SmallVector<mlir::Value> values;
  /// By tensor of the model: the value that the next contraction reads or the
  /// group stores, after the element-wise operators that follow the
  /// contraction. The value in `values` for inputs.
  llvm::SmallVector<mlir::Value> finalValues;
  /// By result of the group: its tensor.
  llvm::SmallVector<unsigned> resultTensors;
  /// The online forms of `model.online`, with null for an axis that has none.
  llvm::SmallVector<std::shared_ptr<const OnlineForm>, 1> onlineForms;

  /// The tensor of the model for an input value or a contraction's result.
  llvm::DenseMap<mlir::Value, unsigned> tensorOf;

  /// Analyses a chain: contractions, element-wise operators and reductions
  /// between and after them, and the fills of their accumulators. Operands that
  /// none of `operators` computes are inputs; `results` are the values that
  /// leave the chain. Calls `explain` and returns failure if the operators are
  /// no chain.
  static mlir::FailureOr<GroupAxes>
  compute(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain);
};

/// What a reduction combines: the operation, the value and the initial value.
struct ReductionBody {
  mlir::arith::AtomicRMWKind kind;
  mlir::Value combined; ///< scalar of the body, computed from the inputs alone
  mlir::TypedAttr initial; ///< the constant that the result starts from
};

/// Returns whether combining a value with itself leaves it unchanged, as a
/// maximum does.
bool isIdempotent(mlir::arith::AtomicRMWKind kind);

/// Returns the body of an operator that combines values along its reduction
/// loops by one associative operation, starting from a constant. The operator
/// is `linalg.reduce`, or generic, such as the row maximum of a softmax. It
/// reads its inputs through projected permutations. Returns nullopt for all
/// other operators, contractions included.
std::optional<ReductionBody> matchReduction(mlir::linalg::LinalgOp op);
/// Returns what `matchReduction` does, for contractions too, as sums of
/// products.
std::optional<ReductionBody> matchCombination(mlir::linalg::LinalgOp op);
/// Returns what `matchCombination` does, with any initial value; `initial` is
/// not set.
std::optional<ReductionBody> matchCombiner(mlir::linalg::LinalgOp op);

/// Returns the identity of the combining operation: -∞ for a maximum.
mlir::TypedAttr reductionIdentity(mlir::OpBuilder &b, mlir::Location loc,
                                  const ReductionBody &body);

/// Returns the initial value of a reduction: the operator's own constant, or
/// the identity if the result is the same.
mlir::TypedAttr reductionStart(mlir::OpBuilder &b, mlir::Location loc,
                               const ReductionBody &body);

/// Returns whether all loops are parallel (there may be none), all maps are
/// projected permutations, and the body has only scalar operations and reads of
/// tensor elements at computed indices.
bool isPointwise(mlir::linalg::LinalgOp op);

/// Returns whether the operator is pointwise, has at least one loop, reads
/// elements by its maps only, and is no fill.
bool isElementwise(mlir::linalg::LinalgOp op);

/// Returns whether the operator is a sum of products of LHS and RHS whose
/// dimensions are inferred as batch, parallel and reduced. Convolutions are
/// (fusion/Analysis/Windows.h).
bool isContractionBody(mlir::linalg::LinalgOp op);

/// Returns whether the operator is a contraction that a chain can have: a sum
/// of products with rows and columns. A matrix-vector product lacks one of them
/// and uses each element of an operand once. Memory bounds it, so stitching
/// reads it as a reduction of products.
bool isContraction(mlir::linalg::LinalgOp op);

/// Returns whether the contraction's accumulator is filled with zero.
bool accumulatesFromZero(mlir::linalg::LinalgOp contraction);

/// Returns the instructions per point of the body of an element-wise operator
/// or reduction, with the approximate functions (docs/numerics.md).
ScalarWork countScalarWork(mlir::linalg::LinalgOp op);
/// Returns the instructions of one operation of a body.
ScalarWork countScalarWork(mlir::Operation *inner);

/// Returns whether a body has an operation that becomes several instructions
/// with temporaries (docs/numerics.md): polynomials, and branches between them.
bool evaluatesPolynomials(mlir::linalg::LinalgOp op);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPAXES_H
