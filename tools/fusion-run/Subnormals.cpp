//===- Subnormals.cpp - Errors of subnormal factors -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subnormals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace fusion;
using namespace fusion::run;
using mlir::Value;

/// The distance of a type's subnormal numbers; 0 of types that are not rounded
/// to.
static double subnormalSpacing(mlir::Type type) {
  auto floats =
      mlir::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  if (!floats)
    return 0;
  return llvm::APFloat::getSmallest(floats.getFloatSemantics())
      .convertToDouble();
}

/// What an operator's result has the elements of, converted and in other places
/// at most; null where it computes something.
static Value sameElements(mlir::Operation *op) {
  if (mlir::isa<mlir::tensor::CastOp, mlir::tensor::CollapseShapeOp,
                mlir::tensor::ExpandShapeOp, mlir::tensor::ExtractSliceOp,
                mlir::linalg::TransposeOp, mlir::linalg::BroadcastOp>(op))
    return op->getOperand(0);
  auto linalgOp = mlir::dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() != 0 ||
      linalgOp.getNumDpsInits() != 1)
    return {};
  Value scalar = linalgOp.getBlock()->getTerminator()->getOperand(0);
  while (mlir::Operation *inner = scalar.getDefiningOp()) {
    if (!mlir::isa<mlir::arith::ExtFOp, mlir::arith::TruncFOp>(inner))
      return {};
    scalar = inner->getOperand(0);
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(scalar);
  if (!argument || argument.getOwner() != linalgOp.getBlock() ||
      argument.getArgNumber() >= linalgOp.getNumDpsInputs())
    return {};
  return linalgOp->getOperand(argument.getArgNumber());
}

/// Follows a value through such operators; `coarsest` becomes the widest
/// distance of subnormal numbers that it was rounded by on the way.
static Value origin(Value value, double &coarsest) {
  while (true) {
    coarsest = std::max(coarsest, subnormalSpacing(value.getType()));
    mlir::Operation *op = value.getDefiningOp();
    Value from = op ? sameElements(op) : Value();
    if (!from)
      return value;
    value = from;
  }
}

/// How many terms a sum of a contraction has, by what the operand `factor` of
/// known shape is read at; 0 where that does not say.
static int64_t countTerms(mlir::linalg::LinalgOp op, unsigned number,
                          llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  mlir::AffineMap map = op.getIndexingMapsArray()[number];
  int64_t terms = 1;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != mlir::utils::IteratorType::reduction)
      continue;
    int64_t range = ranges[loop];
    if (mlir::ShapedType::isDynamic(range)) {
      auto position =
          map.getResultPosition(mlir::getAffineDimExpr(loop, op.getContext()));
      if (!position || shape.size() != map.getNumResults())
        return 0;
      range = shape[*position];
    }
    terms *= range;
  }
  return terms;
}

double fusion::run::subnormalError(mlir::func::FuncOp function, unsigned result,
                                   llvm::ArrayRef<HostTensor> inputs) {
  mlir::Operation *terminator = function.front().getTerminator();
  if (result >= terminator->getNumOperands())
    return 0;
  Value value = terminator->getOperand(result);
  double own = 0;
  // Two numbers on both sides of the middle between two.
  double error = subnormalSpacing(value.getType());
  auto op = origin(value, own).getDefiningOp<mlir::linalg::LinalgOp>();
  if (!op || !mlir::linalg::isaContractionOpInterface(op))
    return error;
  constexpr double deviations = 6;
  for (unsigned number : {0u, 1u}) {
    double rounded = 0, ignored = 0;
    if (mlir::isa<mlir::BlockArgument>(origin(op->getOperand(number), rounded)))
      continue;
    Value factor = op->getOperand(1 - number);
    auto input = mlir::dyn_cast<mlir::BlockArgument>(origin(factor, ignored));
    if (!input || input.getOwner() != &function.front())
      continue;
    const HostTensor &numbers = inputs[input.getArgNumber()];
    int64_t terms = countTerms(op, 1 - number,
                               factor == input ? llvm::ArrayRef(numbers.shape)
                                               : llvm::ArrayRef<int64_t>());
    error += deviations * rounded / 2 * std::sqrt(terms / 3.0) *
             rootMeanSquare(numbers);
  }
  return error;
}
