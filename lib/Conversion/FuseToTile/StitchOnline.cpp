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

//===----------------------------------------------------------------------===//
// Sums of squares about a mean
//===----------------------------------------------------------------------===//

Value StitchLowering::splatOf(Value like, double number) {
  return splat(b, loc, like, b.getFloatAttr(elementOf(like), number));
}

/// A step has added `terms` to the sum, of which others need the mean (Welford,
/// "Note on a Method for Calculating Corrected Sums of Squares and Products",
/// 1962): each place has one more element at most.
void StitchLowering::moveCentre(unsigned number, Value terms, AxisList axes,
                                Accumulators &accumulators, Scope &scope) {
  Value before = accumulators.lookup(meanOf(number)),
        seen = accumulators.lookup(countOf(number));
  Value one = mask(number, splatOf(terms, 1), axes, scope), count = one,
        mean = terms, by;
  if (seen) {
    count = arith::AddFOp::create(b, loc, seen, one);
    Value difference = arith::MulFOp::create(
        b, loc, arith::SubFOp::create(b, loc, terms, before), one);
    by = arith::DivFOp::create(
        b, loc, difference,
        arith::MaximumFOp::create(b, loc, count, splatOf(count, 1)));
    mean = arith::AddFOp::create(b, loc, before, by);
  }
  accumulators[countOf(number)] = count;
  accumulators[meanOf(number)] = mean;
  scope.moved[number] = {seen, by};
  // As if the whole row were like what there is of it.
  Value whole = arith::MulFOp::create(
      b, loc, mean, splatOf(mean, group.axes[*passes.axis].extent));
  SmallVector<unsigned, 4> places(axes);
  scope.running[number] = {{Value(), places}, {whole, places}};
  for (const auto &centre : passes.centres)
    if (centre && centre->sum == number && centre->mean)
      scope.running[*centre->mean] = {{Value(), places}, {mean, places}};
}

/// Squares about the mean of `count` elements, as squares about one that is off
/// by so much.
Value StitchLowering::moveBy(Value squares, Value count, Value by) {
  Value all = arith::MulFOp::create(b, loc, count, by);
  return arith::AddFOp::create(b, loc, squares,
                               arith::MulFOp::create(b, loc, all, by));
}

Value StitchLowering::recentre(unsigned number, Value squares,
                               const Scope &scope) {
  const Scope::Moved &moved = scope.moved.at(passes.centres[number]->sum);
  return moved.by ? moveBy(squares, moved.count, moved.by) : squares;
}

/// After a pass: every place about the mean of its row.
Value StitchLowering::recentrePlaces(unsigned number, Value squares,
                                     const Accumulators &accumulators) {
  unsigned sum = passes.centres[number]->sum;
  Value row = rows.operators.lookup(sum);
  Value mean = arith::DivFOp::create(
      b, loc, row, splatOf(row, group.axes[*passes.axis].extent));
  Value by = arith::SubFOp::create(
      b, loc, accumulators.lookup(meanOf(sum)),
      repeat(mean, sorted(group.resultAxes(sum)), sorted(group.loops[sum])));
  return moveBy(squares, accumulators.lookup(countOf(sum)), by);
}
