//===- ChainRescaling.cpp - Rescaling of accumulators ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the running values of rows change, accumulators that were computed with
// them are multiplied by factors (fusion/Analysis/Online/OnlineReduction.h).
// That happens in each iteration or, with conditional rescaling, once the
// factors are far from one.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace fusion;

Value fusion::splatConstant(OpBuilder &b, Location loc, RankedTensorType type,
                            TypedAttr value) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

/// Replaces a running value that is still the identity by zero, where the form
/// is guarded.
Value ChainLowering::guard(unsigned number, Value rows) {
  unsigned axis = model.reductions[number].reduced.front();
  const OnlineForm *form = derivedForm(axis);
  bool isGuarded =
      llvm::any_of(form->running, [&](const OnlineForm::Running &rule) {
        return rule.reduction == number && rule.isGuarded;
      });
  if (!isGuarded)
    return rows;
  unsigned op = axes.operatorOf(number);
  ReductionBody body = *matchReduction(axes.operators[op]);
  auto type = cast<RankedTensorType>(rows.getType());
  Value identity = splatConstant(b, loc, type, reductionIdentity(b, loc, body));
  Value isIdentity =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, rows, identity);
  Value zero = splatConstant(
      b, loc, type, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  return arith::SelectOp::create(b, loc, isIdentity, zero, rows);
}

Value ChainLowering::emitRows(const RowExpressionRef &expression,
                              unsigned contraction) {
  using Kind = RowExpression::Kind;
  auto operand = [&](unsigned i) {
    return emitRows(expression->operands[i], contraction);
  };
  auto one = [&](Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    return splatConstant(b, loc, type,
                         b.getFloatAttr(type.getElementType(), 1));
  };
  switch (expression->kind) {
  case Kind::Before:
    return running[expression->reduction].before;
  case Kind::After:
    return running[expression->reduction].after;
  case Kind::Scalar: {
    linalg::LinalgOp op = axes.operators[expression->op];
    // The expression is evaluated over rows alone: its operands are constant
    // along the other axis.
    const ContractionMapping &mapping = schedule.contractions[contraction];
    SmallVector<unsigned, 2> rowAxes;
    SmallVector<int64_t, 2> shape;
    for (unsigned axis : {mapping.i1, mapping.i2})
      if (presentRowAxis
              ? axis == *presentRowAxis
              : !llvm::any_of(model.online, [&](const OnlineAxis &online) {
                  return online.axis == axis && onlineForm(axis);
                })) {
        rowAxes.push_back(axis);
        shape.push_back(schedule.tiles[axis]);
      }
    return elementwise.emitScalar(
        op, expression->scalar, rowAxes, shape,
        [&](Value value) { return evaluateEpilogueOp(value, contraction); });
  }
  case Kind::Div: {
    Value divisor = operand(1);
    Value dividend = expression->operands[0] ? operand(0) : one(divisor);
    return arith::DivFOp::create(b, loc, dividend, divisor);
  }
  default:
    return emitRowOperation(b, loc, expression->kind, operand);
  }
}

/// Returns the factor that rescales accumulators, clamped to the largest finite
/// number. The factor from the guarded value of a row to its first true one may
/// overflow; all that it multiplies is zero then.
Value ChainLowering::emitRescaling(const RowExpressionRef &factor,
                                   unsigned contraction) {
  for (const Running &state : running)
    for (const auto &[known, value] : state.factors)
      if (isSame(known, factor))
        return value;
  Value rows = emitRows(factor, contraction);
  auto type = cast<RankedTensorType>(rows.getType());
  auto element = cast<FloatType>(type.getElementType());
  Value largest = splatConstant(
      b, loc, type,
      b.getFloatAttr(element,
                     APFloat::getLargest(element.getFloatSemantics())));
  return arith::MinimumFOp::create(b, loc, rows, largest);
}

/// Broadcasts one value for each row over the rows of a tile.
Value ChainLowering::repeatRows(Value tile, Value rows,
                                ArrayRef<unsigned> tileAxes, unsigned rowAxis) {
  SmallVector<int64_t, 1> missing;
  for (auto [d, axis] : llvm::enumerate(tileAxes))
    if (axis != rowAxis)
      missing.push_back(d);
  return tile::BroadcastOp::create(b, loc, tile.getType(), rows, missing);
}

Value ChainLowering::scaleRows(Value tile, Value rows,
                               ArrayRef<unsigned> tileAxes, unsigned rowAxis) {
  return arith::MulFOp::create(b, loc, tile,
                               repeatRows(tile, rows, tileAxes, rowAxis));
}

/// Rescales the accumulators that depend on the running reductions of a
/// contraction's epilogue.
void ChainLowering::correctSums(unsigned contraction) {
  const ContractionMapping &from = schedule.contractions[contraction];
  for (const OnlineAxis &online : model.online) {
    const OnlineForm *form = onlineForm(online.axis);
    bool isReduced = llvm::any_of(model.reductions, [&](const Reduction &r) {
      return r.contraction == contraction && !r.pass &&
             llvm::is_contained(r.reduced, online.axis);
    });
    if (form && isReduced)
      correctSums(*form, contraction,
                  from.i1 == online.axis ? from.i2 : from.i1);
  }
}

void ChainLowering::correctSums(const OnlineForm &form, unsigned contraction,
                                unsigned rowAxis) {
  for (const OnlineForm::Sum &sum : form.sums) {
    if (!sum.factor)
      continue;
    Value rows = emitRescaling(sum.factor, contraction);
    Value &accumulator = accumulators[sum.contraction];
    const ContractionMapping &to = schedule.contractions[sum.contraction];
    unsigned tileAxes[] = {to.i1, to.i2};
    const TileSlots &slots = retained.accumulators[sum.contraction];
    // Factors are one while references stay the same.
    auto correct = [&](Value soFar) -> Value {
      Value factors = repeatRows(soFar, rows, tileAxes, rowAxis);
      if (schedule.rescaleThreshold > 0)
        return tile::ScaleOp::create(b, loc, soFar.getType(), soFar, factors);
      return arith::MulFOp::create(b, loc, soFar, factors);
    };
    if (!slots.isRetained()) {
      accumulator = correct(accumulator);
      continue;
    }
    for (int64_t slot = 0; slot < slots.count; ++slot) {
      Value number = kernel.constant(slot);
      tiles.setInArray(accumulator, number,
                       correct(tiles.getFromArray(accumulator, number)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Conditional rescaling
//===----------------------------------------------------------------------===//

bool ChainLowering::hasReference(unsigned reduction) const {
  unsigned axis = model.reductions[reduction].reduced.front();
  return schedule.rescaleThreshold > 0 && onlineForm(axis) &&
         llvm::any_of(model.online, [&](const OnlineAxis &online) {
           return online.axis == axis &&
                  llvm::is_contained(online.references, reduction);
         });
}

/// Moves a row's reference to the guarded value if a factor between the two is
/// outside of [2^-rescale_threshold, 1]. A factor is above one if a row's first
/// true value is less than the zero of the guard. NaN is outside of any range.
void ChainLowering::moveReference(const OnlineForm &form, unsigned reduction,
                                  unsigned contraction) {
  Running &state = running[reduction];
  state.factors.clear();
  state.before = state.reference;
  Value stays, one;
  for (const RowExpressionRef &factor : form.factorsOf(reduction)) {
    Value rows = emitRescaling(factor, contraction);
    auto type = cast<RankedTensorType>(rows.getType());
    auto constant = [&](double value) {
      return splatConstant(b, loc, type,
                           b.getFloatAttr(type.getElementType(), value));
    };
    one = constant(1);
    auto compare = [&](arith::CmpFPredicate predicate, Value bound) -> Value {
      return arith::CmpFOp::create(b, loc, predicate, rows, bound);
    };
    Value isNear = arith::AndIOp::create(
        b, loc,
        compare(arith::CmpFPredicate::OGE,
                constant(std::ldexp(
                    1.0, -static_cast<int>(schedule.rescaleThreshold)))),
        compare(arith::CmpFPredicate::OLE, one));
    stays = stays ? arith::AndIOp::create(b, loc, stays, isNear).getResult()
                  : isNear;
    state.factors.push_back({factor, rows});
  }
  for (auto &[factor, rows] : state.factors)
    rows = arith::SelectOp::create(b, loc, stays, one, rows);
  state.after =
      arith::SelectOp::create(b, loc, stays, state.before, state.after);
  state.reference = state.after;
}

/// Combines the running values of a cluster's blocks after their loops, each of
/// which ran over its split of the axis. Splits combine as iterations do: the
/// accumulators of each block are rescaled to the combined values, with which
/// all blocks continue.
void ChainLowering::combineInCluster(const OnlineForm &form,
                                     unsigned contraction, unsigned rowAxis) {
  for (const OnlineForm::Running &rule : form.running) {
    Running &state = running[rule.reduction];
    unsigned op = axes.operatorOf(rule.reduction);
    state.factors.clear();
    state.before = hasReference(rule.reduction)
                       ? state.reference
                       : guard(rule.reduction, state.carried);
    Value own = state.carried;
    if (rule.factor)
      own = arith::MulFOp::create(b, loc, own,
                                  emitRescaling(rule.factor, contraction));
    ReductionBody body = *matchReduction(axes.operators[op]);
    state.carried = tile::ClusterReduceOp::create(
        b, loc, own.getType(), body.kind, own, state.given, /*stage=*/Value());
    TypedAttr start = reductionStart(b, loc, body);
    if (startsOnce(rule.reduction) && start != reductionIdentity(b, loc, body))
      state.carried = arith::getReductionOp(
          body.kind, b, loc,
          splatConstant(b, loc, cast<RankedTensorType>(own.getType()), start),
          state.carried);
    state.after = guard(rule.reduction, state.carried);
    if (hasReference(rule.reduction))
      state.reference = state.after;
  }
  correctSums(form, contraction, rowAxis);
}

/// Moves the references to the running values after the loop of a split, so
/// that its partial results belong to these.
void ChainLowering::settleReferences(const OnlineForm &form,
                                     unsigned contraction, unsigned rowAxis) {
  for (const OnlineForm::Running &rule : form.running) {
    Running &state = running[rule.reduction];
    state.factors.clear();
    state.before = hasReference(rule.reduction)
                       ? state.reference
                       : guard(rule.reduction, state.carried);
    state.after = guard(rule.reduction, state.carried);
  }
  for (const OnlineForm::Running &rule : form.running)
    if (rule.factor) {
      Value &carried = running[rule.reduction].carried;
      carried = arith::MulFOp::create(b, loc, carried,
                                      emitRescaling(rule.factor, contraction));
    }
  correctSums(form, contraction, rowAxis);
}
