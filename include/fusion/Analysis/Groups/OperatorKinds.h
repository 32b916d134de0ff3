//===- OperatorKinds.h - What operators compute -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_OPERATORKINDS_H
#define FUSION_ANALYSIS_GROUPS_OPERATORKINDS_H

#include "fusion/Analysis/Groups/GroupModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

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

/// Returns whether the body reads elements of tensors at computed indices.
bool readsByIndex(mlir::linalg::LinalgOp op);

/// Returns whether the operator is a sum of products of LHS and RHS whose
/// dimensions are inferred as batch, parallel and reduced. Convolutions are
/// (fusion/Analysis/Groups/Windows.h).
bool isContractionBody(mlir::linalg::LinalgOp op);

/// Returns whether the operator is a contraction that a chain can have: a sum
/// of products with rows and columns. A matrix-vector product lacks one of them
/// and uses each element of an operand once. Memory bounds it, so stitching
/// reads it as a reduction of products.
bool isContraction(mlir::linalg::LinalgOp op);

/// Returns whether the contraction's accumulator is filled with zero.
bool accumulatesFromZero(mlir::linalg::LinalgOp contraction);

/// Returns the instructions per point of the body of an element-wise operator
/// or reduction, with the approximate functions (docs/numerics.md). In a chain,
/// exponentials of differences are folded if the module says so.
ScalarWork countScalarWork(mlir::linalg::LinalgOp op, bool isInChain = false);
/// Returns the instructions of one operation of a body.
ScalarWork countScalarWork(mlir::Operation *inner, bool isInChain = false);

/// Returns whether a body has an operation that becomes several instructions
/// with temporaries (docs/numerics.md): polynomials, and branches between them.
bool evaluatesPolynomials(mlir::linalg::LinalgOp op);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_OPERATORKINDS_H
