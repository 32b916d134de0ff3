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

/// The plain model of a chain together with the IR that it describes.
struct GroupAxes {
  GroupModel model;

  /// The operators in program order, without fills.
  llvm::SmallVector<mlir::linalg::LinalgOp> operators;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: the product it is, where it is one.
  llvm::SmallVector<std::optional<unsigned>> contractionOf;
  /// By operator: the reduction it is, where it is one.
  llvm::SmallVector<std::optional<unsigned>> reductionOf;
  /// The operator that is this reduction.
  unsigned operatorOf(unsigned reduction) const {
    return llvm::find(reductionOf, std::optional(reduction)) -
           reductionOf.begin();
  }
  /// By operator: the product that an element-wise operator or a reduction
  /// comes after, directly or through others; none where it comes before a
  /// product.
  llvm::SmallVector<std::optional<unsigned>> followsContraction;
  /// By operator: the pass over rows that a reduction in front of a product is
  /// part of, or after which an operator on its rows is evaluated.
  llvm::SmallVector<std::optional<unsigned>> statisticsOf;
  /// By tensor of the model: for inputs the value outside of the operators (of
  /// one that is padded what is inside), for results of products the
  /// contraction's result.
  llvm::SmallVector<mlir::Value> values;
  /// By tensor of the model: the value that is handed on or stored, after the
  /// element-wise operators that follow the product. For inputs as `values`.
  llvm::SmallVector<mlir::Value> finalValues;
  /// By result of the group: its tensor.
  llvm::SmallVector<unsigned> resultTensors;
  /// The running forms of `model.online`, null where there is none.
  llvm::SmallVector<std::shared_ptr<const OnlineForm>, 1> onlineForms;

  /// The tensor of the model that stands for an input value or for a product's
  /// result.
  llvm::DenseMap<mlir::Value, unsigned> tensorOf;

  /// Analyses a chain: contractions, element-wise operators and reductions
  /// between and after them, and the fills of their accumulators. Operands made
  /// by none of `operators` are inputs; `results` are the values that leave the
  /// chain. Where the operators make no chain, says why through `explain` and
  /// returns failure.
  static mlir::FailureOr<GroupAxes>
  compute(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain);
};

/// What a reduction combines, by which operation, from which value.
struct ReductionBody {
  mlir::arith::AtomicRMWKind kind;
  mlir::Value combined; ///< scalar of the body, computed from the inputs alone
  mlir::TypedAttr initial; ///< the constant that the result starts from
};

/// Whether to combine a value with itself changes nothing, as of a maximum.
bool isIdempotent(mlir::arith::AtomicRMWKind kind);

/// The body of an operator that combines values along its reduction loops by
/// one associative operation, starting from a constant: `linalg.reduce`, a
/// generic operator such as the row maximum of a softmax. Its inputs are read
/// through projected permutations. nullopt for all else, products of matrices
/// included.
std::optional<ReductionBody> matchReduction(mlir::linalg::LinalgOp op);
/// The same for contractions too: sums of products.
std::optional<ReductionBody> matchCombination(mlir::linalg::LinalgOp op);
/// The same for what starts from anything: `initial` is not given.
std::optional<ReductionBody> matchCombiner(mlir::linalg::LinalgOp op);

/// The constant that changes nothing when it is combined: of a maximum -∞.
mlir::TypedAttr reductionIdentity(mlir::OpBuilder &b, mlir::Location loc,
                                  const ReductionBody &body);

/// What a reduction starts from: the operator's own constant, or the identity
/// where that is as good.
mlir::TypedAttr reductionStart(mlir::OpBuilder &b, mlir::Location loc,
                               const ReductionBody &body);

/// Whether all loops, of which there may be none, are parallel, all maps are
/// projected permutations and the body is made of scalar operators and of
/// elements of tensors at places that it computes.
bool isPointwise(mlir::linalg::LinalgOp op);

/// Whether the operator is pointwise in one loop or more, reads elements by its
/// maps only, and is no fill.
bool isElementwise(mlir::linalg::LinalgOp op);

/// Whether the operator is a sum of products of two operands, inferable as
/// batch, parallel and reduced dimensions. Convolutions are
/// (fusion/Analysis/Windows.h).
bool isContractionBody(mlir::linalg::LinalgOp op);

/// Whether the operator is a product of matrices, a chain's matter: a sum of
/// products that has rows and columns. Where one of them is missing, each
/// element of an operand is used once: it is memory that bounds a product with
/// a vector, and stitching reads it as a reduction of products.
bool isContraction(mlir::linalg::LinalgOp op);

/// Whether the contraction's accumulator is filled with zero.
bool accumulatesFromZero(mlir::linalg::LinalgOp contraction);

/// Instructions that the body of an element-wise operator or reduction spends
/// on one point, with the approximate functions (docs/numerics.md).
ScalarWork countScalarWork(mlir::linalg::LinalgOp op);
/// Of one operation of a body.
ScalarWork countScalarWork(mlir::Operation *inner);

/// Whether a body has an operation of several, which hold values of their own
/// (docs/numerics.md): polynomials, and branches between them.
bool evaluatesPolynomials(mlir::linalg::LinalgOp op);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPAXES_H
