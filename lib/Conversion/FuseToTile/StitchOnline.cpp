//===- StitchOnline.cpp - Reductions on values so far ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every place of a tile has a running value of each reduction, so that a step
// exchanges nothing. When a place's reference changes, what it has summed up is
// multiplied by the derived factor (Analysis/OnlineReduction.h); after the pass
// every place is taken to the reference of its row in the same way, and then
// the places are combined.
//
//===----------------------------------------------------------------------===//

#include "StitchLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fusion;

static Value splat(OpBuilder &b, Location loc, Value like, TypedAttr value) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<RankedTensorType>(like.getType()), value));
}

static FloatType elementOf(Value tile) {
  return cast<FloatType>(getElementTypeOrSelf(tile.getType()));
}

/// What nothing but the identity has reached so far counts from zero.
Value StitchLowering::guard(unsigned number, Value tile) {
  Value identity = splat(b, loc, tile,
                         reductionIdentity(b, loc, *group.reductions[number])),
        zero = splat(b, loc, tile, b.getFloatAttr(elementOf(tile), 0)),
        isIdentity = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                           tile, identity);
  return arith::SelectOp::create(b, loc, isIdentity, zero, tile);
}

/// An expression over `axes` on the values so far in a scope.
Value StitchLowering::emitExpression(const RowExpressionRef &expression,
                                     AxisList axes, Scope &scope) {
  using Kind = RowExpression::Kind;
  auto operand = [&](unsigned i) {
    return emitExpression(expression->operands[i], axes, scope);
  };
  switch (expression->kind) {
  case Kind::Before: {
    const auto &[tile, from] = scope.running.at(expression->reduction).before;
    return repeat(tile, from, axes);
  }
  case Kind::After: {
    const auto &[tile, from] = scope.running.at(expression->reduction).after;
    return repeat(tile, from, axes);
  }
  case Kind::Scalar:
    return emitScalar(expression->op, expression->scalar, axes, scope);
  case Kind::Div: {
    Value divisor = operand(1);
    Value dividend =
        expression->operands[0]
            ? operand(0)
            : splat(b, loc, divisor, b.getFloatAttr(elementOf(divisor), 1));
    return arith::DivFOp::create(b, loc, dividend, divisor);
  }
  default:
    return emitRowOperation(b, loc, expression->kind, operand);
  }
}

/// A result so far times its factor: at most the largest number where that may
/// be beyond it because nothing but zeros has been summed up.
Value StitchLowering::correct(unsigned number, Value sum, AxisList axes,
                              bool isLimited, Scope &scope) {
  Value factor = emitExpression(passes.factors[number], axes, scope);
  if (isLimited) {
    FloatType element = elementOf(factor);
    Value largest =
        splat(b, loc, factor,
              b.getFloatAttr(element,
                             APFloat::getLargest(element.getFloatSemantics())));
    factor = arith::MinimumFOp::create(b, loc, factor, largest);
  }
  return arith::MulFOp::create(b, loc, sum, factor);
}

/// Of rows, what follows from values so far: for every place of those.
void StitchLowering::emitRunningRow(unsigned number, Scope &scope) {
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  for (unsigned source : group.sources[number].operators)
    if (auto it = scope.running.find(source); it != scope.running.end())
      for (unsigned axis : it->second.after.second)
        if (!llvm::is_contained(axes, axis))
          axes.push_back(axis);
  llvm::sort(axes);
  linalg::LinalgOp op = group.operators()[number];
  Value tile = emitScalar(number, op.getBlock()->getTerminator()->getOperand(0),
                          axes, scope);
  scope.running[number] = {{Value(), axes}, {tile, axes}};
}

/// After a pass: every place with the reference that its row has in the end.
Value StitchLowering::correctPlaces(unsigned number, Value sum,
                                    const Accumulators &accumulators) {
  Scope scope;
  for (const auto &[reference, places] : accumulators)
    if (passes.isReference[reference])
      scope.running[reference] = {
          {guard(reference, places), sorted(group.loops[reference])},
          {guard(reference, rows.operators.lookup(reference)),
           sorted(group.resultAxes(reference))}};
  return correct(number, sum, sorted(group.loops[number]), /*isLimited=*/true,
                 scope);
}

/// From the guarded to the true references: NaN where the operators say so.
Value StitchLowering::correctRows(unsigned number, Value sum) {
  Scope scope;
  for (unsigned reference = 0; reference < group.operators().size();
       ++reference) {
    Value row = rows.operators.lookup(reference);
    if (!row || !passes.isReference[reference])
      continue;
    SmallVector<unsigned, 4> axes = sorted(group.resultAxes(reference));
    scope.running[reference] = {{guard(reference, row), axes}, {row, axes}};
  }
  return correct(number, sum, sorted(group.resultAxes(number)),
                 /*isLimited=*/false, scope);
}
