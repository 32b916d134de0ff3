//===- StitchOnline.cpp - Reductions on values so far ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every place of a tile has a running value of each reduction, so that a step
// needs no exchange. When a place's reference changes, its sum is multiplied by
// the derived factor (Analysis/Online/OnlineReduction.h). After the pass every place
// is rescaled to the reference of its row, and then the places are combined.
//
//===----------------------------------------------------------------------===//

#include "StitchLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
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

/// Replaces running values that are still the identity by zero.
Value StitchLowering::guard(unsigned number, Value tile) {
  Value identity = splat(b, loc, tile,
                         reductionIdentity(b, loc, *group.reductions[number])),
        zero = splat(b, loc, tile, b.getFloatAttr(elementOf(tile), 0)),
        isIdentity = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                           tile, identity);
  return arith::SelectOp::create(b, loc, isIdentity, zero, tile);
}

/// Emits an expression over `axes` on the running values of a scope.
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

/// Multiplies a running sum by its factor. With `isLimited` the factor is
/// clamped to the largest finite number, which it exceeds only where zeros have
/// been summed.
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

/// Emits an operator on rows with running values: one value for each place.
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

/// Rescales every place to the final reference of its row, after a pass.
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

/// Rescales sums from the guarded to the true references: NaN where the
/// operators yield NaN.
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

/// Returns the places before the begin of the row if tiles of the serial axis
/// begin before it, or null.
Value StitchLowering::beginsBefore(AxisList axes) {
  unsigned axis = *passes.axis;
  if (schedule.threadMapping[axis].align == 1)
    return Value();
  Value at = tile::IotaOp::create(b, loc, tileType(axes, b.getIndexType()),
                                  originOfStep(kernel.constant(0)),
                                  llvm::find(axes, axis) - axes.begin());
  Value zero = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(cast<RankedTensorType>(at.getType()),
                             b.getIndexAttr(0)));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, zero);
}

/// Updates the mean of a sum to which a step has added `terms` (B. P. Welford,
/// Technometrics 4 (3), 1962, pages 419-420). Each place has one more element,
/// or none at the ends of the row. The count of a place is the number of steps,
/// less one if its first element was before the row.
void StitchLowering::moveCentre(unsigned number, Value terms, AxisList axes,
                                Accumulators &accumulators, Scope &scope) {
  Value before = accumulators.lookup(meanOf(number)), mean = terms;
  scope.moved.erase(number);
  if (before) {
    FloatType type = elementOf(terms);
    auto scalar = [&](double value) {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value))
          .getResult();
    };
    Value wide = arith::IndexCastOp::create(b, loc, b.getI32Type(), scope.step);
    Value steps = arith::SIToFPOp::create(b, loc, type, wide);
    auto spread = [&](Value value) {
      return tile::SplatOp::create(b, loc, terms.getType(), value).getResult();
    };
    auto reciprocal = [&](Value value) {
      return spread(arith::DivFOp::create(b, loc, scalar(1), value));
    };
    Value count = spread(steps),
          share = reciprocal(arith::AddFOp::create(b, loc, steps, scalar(1)));
    if (Value isLater = beginsBefore(axes)) {
      count = arith::SelectOp::create(
          b, loc, isLater,
          spread(arith::SubFOp::create(b, loc, steps, scalar(1))), count);
      share = arith::SelectOp::create(
          b, loc, isLater,
          reciprocal(arith::MaximumFOp::create(b, loc, steps, scalar(1))),
          share);
    }
    Value difference = arith::SubFOp::create(b, loc, terms, before);
    // Masked places have no element.
    Value one = splatOf(terms, 1), isElement = mask(number, one, axes, scope);
    if (isElement != one)
      difference = arith::MulFOp::create(b, loc, difference, isElement);
    Value by = arith::MulFOp::create(b, loc, difference, share);
    mean = arith::AddFOp::create(b, loc, before, by);
    scope.moved[number] = {count, by};
  }
  accumulators[meanOf(number)] = mean;
  // The sum of a whole row with this mean.
  Value whole = arith::MulFOp::create(
      b, loc, mean, splatOf(mean, group.axes[*passes.axis].extent));
  SmallVector<unsigned, 4> places(axes);
  scope.running[number] = {{Value(), places}, {whole, places}};
  for (const auto &centre : passes.centres)
    if (centre && centre->sum == number && centre->mean)
      scope.running[*centre->mean] = {{Value(), places}, {mean, places}};
}

/// Returns squares about the mean of `count` elements as squares about a value
/// that differs from it by `by`.
Value StitchLowering::moveBy(Value squares, Value count, Value by) {
  Value all = arith::MulFOp::create(b, loc, count, by);
  return arith::AddFOp::create(b, loc, squares,
                               arith::MulFOp::create(b, loc, all, by));
}

Value StitchLowering::recentre(unsigned number, Value squares,
                               const Scope &scope) {
  auto moved = scope.moved.find(passes.centres[number]->sum);
  return moved == scope.moved.end()
             ? squares
             : moveBy(squares, moved->second.count, moved->second.by);
}

/// Returns the number of the row's elements that each place reads in a pass.
Value StitchLowering::countElements(AxisList axes, Value like) {
  unsigned axis = *passes.axis;
  RankedTensorType type = tileType(axes, b.getI32Type());
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(
               b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)))
        .getResult();
  };
  // Whole steps after the place's first element.
  int64_t step = schedule.serialLoop->step;
  Value at = arith::IndexCastOp::create(
      b, loc, type,
      tile::IotaOp::create(b, loc, tileType(axes, b.getIndexType()),
                           originOfStep(kernel.constant(0)),
                           llvm::find(axes, axis) - axes.begin()));
  Value left = arith::SubIOp::create(
      b, loc, number(group.axes[axis].extent + step - 1), at);
  Value count = arith::DivUIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, left, number(0)), number(step));
  count = arith::MinSIOp::create(b, loc, count, number(schedule.countSteps()));
  if (Value isLater = beginsBefore(axes))
    count = arith::SelectOp::create(
        b, loc, isLater, arith::SubIOp::create(b, loc, count, number(1)),
        count);
  return arith::SIToFPOp::create(b, loc, like.getType(), count);
}

/// Moves the squares of every place to the mean of its row, after a pass.
Value StitchLowering::recentrePlaces(unsigned number, Value squares,
                                     const Accumulators &accumulators) {
  unsigned sum = passes.centres[number]->sum;
  SmallVector<unsigned, 4> axes = sorted(group.loops[sum]);
  Value row = rows.operators.lookup(sum);
  Value mean = arith::DivFOp::create(
      b, loc, row, splatOf(row, group.axes[*passes.axis].extent));
  Value by =
      arith::SubFOp::create(b, loc, accumulators.lookup(meanOf(sum)),
                            repeat(mean, sorted(group.resultAxes(sum)), axes));
  return moveBy(squares, countElements(axes, squares), by);
}
