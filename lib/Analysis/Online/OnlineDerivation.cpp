//===- OnlineDerivation.cpp - Derives forms of online reductions ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineDerivation.h"
#include "ScalarMagnitude.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;
using Ref = RowExpressionRef;

bool OnlineDerivation::reducesAxis(unsigned op) const {
  if (std::optional<unsigned> reduction = group.reductionOf[op])
    return llvm::is_contained(group.model.reductions[*reduction].reduced, axis);
  if (std::optional<unsigned> contraction = group.contractionOf[op])
    return llvm::is_contained(group.model.contractions[*contraction].reduction,
                              axis);
  return false;
}

bool OnlineDerivation::mayLeave(unsigned op) const {
  if (!reducesAxis(op))
    return false;
  if (group.contractionOf[op])
    return true;
  std::optional<ReductionBody> body = matchReduction(group.operators[op]);
  auto start = body ? dyn_cast<FloatAttr>(body->initial) : nullptr;
  return ofReductions && start && start.getValue().isZero() &&
         body->kind == arith::AtomicRMWKind::addf;
}

/// Whether a scalar of a body differs between elements along the axis.
bool OnlineDerivation::dependsOnAxis(Value scalar, unsigned op) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp linalgOp = group.operators[op];
    if (argument.getOwner() != linalgOp.getBlock())
      return false;
    OpOperand &operand = linalgOp->getOpOperand(argument.getArgNumber());
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    auto *loop = llvm::find(group.loops[op], axis);
    return loop != group.loops[op].end() &&
           map.isFunctionOfDim(loop - group.loops[op].begin());
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return group.loops[op][index.getDim()] == axis;
  return llvm::any_of(inner->getOperands(), [&](Value operand) {
    return dependsOnAxis(operand, op);
  });
}

/// Whether a scalar is known only after the loop over the axis: it reads,
/// directly or through operators without the axis, a value that is reduced
/// along it.
bool OnlineDerivation::waitsForLoop(Value scalar, unsigned op) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp linalgOp = group.operators[op];
    if (argument.getOwner() != linalgOp.getBlock())
      return false;
    std::optional<unsigned> from = definer(tensorOf(argument, op));
    return from && waitsForLoop(*from);
  }
  Operation *inner = scalar.getDefiningOp();
  return llvm::any_of(inner->getOperands(),
                      [&](Value operand) { return waitsForLoop(operand, op); });
}

bool OnlineDerivation::waitsForLoop(unsigned op) {
  if (reducesAxis(op))
    return true;
  if (hasAxis(op))
    return false;
  linalg::LinalgOp linalgOp = group.operators[op];
  return llvm::any_of(linalgOp.getDpsInputs(), [&](Value input) {
    std::optional<unsigned> from = definer(input);
    return from && waitsForLoop(*from);
  });
}

//===----------------------------------------------------------------------===//
// Deferral
//===----------------------------------------------------------------------===//

/// Whether a value that is rounded to f16 may lose its deferred factors:
/// without them it stays within the range of the type, or it had that type
/// before. Types with the exponents of f32 have the range of f32.
bool OnlineDerivation::keepsRange(Value scalar, unsigned op) const {
  auto type = cast<FloatType>(scalar.getType());
  if (APFloat::semanticsMaxExponent(type.getFloatSemantics()) >=
      APFloat::semanticsMaxExponent(APFloat::IEEEsingle()))
    return true;
  Value wide = scalar.getDefiningOp()->getOperand(0);
  ScalarMagnitude magnitude(group, form.skipped);
  if (magnitude.isOf(wide, op, type))
    return true;
  std::optional<double> bound = magnitude.bound(wide, op);
  return bound && *bound <= 65504;
}

/// Takes out of `scalar`, a factor of a sum's terms, the factors and divisors
/// that are known only after the loop. They leave a conversion to a narrower
/// type only if the value without them stays in the type's range (see
/// "Rounding"). They never leave a conversion to an 8-bit float: there, a
/// factor of a long row decides which values are rounded to zero.
void OnlineDerivation::defer(unsigned op, Value scalar,
                             std::vector<DeferredFactor> &deferred) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(tensorOf(argument, op));
    // Other readers of the value would miss the factor, except for contractions
    // that sum over the axis, which take it out, too.
    auto takesOut = [&](Operation *user) {
      auto *reader = llvm::find(group.operators, user);
      return reader != group.operators.end() &&
             mayLeave(reader - group.operators.begin());
    };
    Value tensor = tensorOf(argument, op);
    if (!from || group.contractionOf[*from] || group.reductionOf[*from] ||
        !hasAxis(*from) ||
        !(tensor.hasOneUse() || llvm::all_of(tensor.getUsers(), takesOut)))
      return;
    linalg::LinalgOp producer = group.operators[*from];
    return defer(*from, producer.getBlock()->getTerminator()->getOperand(0),
                 deferred);
  }
  Operation *inner = scalar.getDefiningOp();
  if (isa<arith::TruncFOp>(inner) &&
      inner->getResult(0).getType().getIntOrFloatBitWidth() < 16)
    return;
  if (isa<arith::TruncFOp>(inner)) {
    // The factors are put back if the value without them may leave the type's
    // range.
    OnlineForm before = form;
    size_t count = deferred.size();
    defer(op, inner->getOperand(0), deferred);
    if (deferred.size() > count && !keepsRange(inner->getResult(0), op)) {
      form.skipped = std::move(before.skipped);
      deferred.resize(count, {op, Value(), false});
      whyNotRounded = inner;
    }
    return;
  }
  if (isa<arith::ExtFOp, arith::NegFOp>(inner))
    return defer(op, inner->getOperand(0), deferred);
  bool divides = isa<arith::DivFOp>(inner);
  if (!divides && !isa<arith::MulFOp>(inner))
    return;
  for (unsigned retained : {0u, 1u}) {
    if (divides && retained == 1)
      break;
    Value other = inner->getOperand(1 - retained);
    if (!dependsOnAxis(other, op) && waitsForLoop(other, op)) {
      if (!ScalarMagnitude(group, form.skipped)
               .leavesSum(other, divides, inner->getOperand(retained), op)) {
        whyNotTaken = inner;
        continue;
      }
      form.skipped[inner] = retained;
      deferred.push_back({op, other, divides});
      return defer(op, inner->getOperand(retained), deferred);
    }
  }
  // Factors may be inside of one that stays.
  for (unsigned retained : {0u, 1u}) {
    if (divides && retained == 1)
      break;
    if (!waitsForLoop(inner->getOperand(1 - retained), op))
      defer(op, inner->getOperand(retained), deferred);
  }
}

//===----------------------------------------------------------------------===//
// The form
//===----------------------------------------------------------------------===//

/// Marks the running reductions that an expression reads.
static void markRead(const Ref &expression, OnlineForm &form) {
  if (!expression)
    return;
  if (expression->kind == Kind::After)
    for (OnlineForm::Running &running : form.running)
      if (running.reduction == expression->reduction)
        running.isGuarded = true;
  for (const Ref &operand : expression->operands)
    markRead(operand, form);
}

/// Returns the reason why factors of a contraction can neither leave its sum
/// nor rescale it.
StringRef OnlineDerivation::whyNotCorrected() const {
  if (whyNotTaken)
    return isa<arith::DivFOp>(whyNotTaken)
               ? "divides by a result of its own loop that may be zero"
               : "multiplies by a result of its own loop that may be infinite";
  if (whyNotRounded)
    return "multiplies a quotient or product that is rounded to f16 and may be "
           "out of its range without a factor that is known after the loop";
  return "multiplies what depends on a result of its own loop in a way that "
         "cannot be corrected";
}

FailureOr<OnlineForm> OnlineDerivation::run() {
  // Factors that can leave the sums leave them first.
  llvm::DenseMap<unsigned, std::vector<DeferredFactor>> ofReduction;
  for (auto [index, linalgOp] : llvm::enumerate(group.operators)) {
    if (!mayLeave(index))
      continue;
    if (!group.contractionOf[index]) {
      defer(index, matchReduction(linalgOp)->combined, ofReduction[index]);
      continue;
    }
    OnlineForm::Sum &sum = form.sums.emplace_back();
    sum.contraction = *group.contractionOf[index];
    linalg::LinalgOp op = linalgOp;
    for (unsigned operand : {0u, 1u})
      defer(index, op.getMatchingBlockArgument(&op->getOpOperand(operand)),
            sum.deferred);
  }
  for (auto [index, linalgOp] : llvm::enumerate(group.operators)) {
    if (!reducesAxis(index))
      continue;
    linalg::LinalgOp op = linalgOp;
    if (std::optional<unsigned> contraction = group.contractionOf[index]) {
      ValueChange lhs = changeOf(op->getOperand(0)),
                  rhs = changeOf(op->getOperand(1));
      if (!lhs.hasFactor || !rhs.hasFactor)
        return decline(index, whyNotCorrected());
      for (OnlineForm::Sum &sum : form.sums)
        if (sum.contraction == *contraction)
          sum.factor = combineRows(Kind::Mul, lhs.factor, rhs.factor);
      continue;
    }
    ReductionBody body = *matchReduction(op);
    ValueChange of = changeOfScalar(body.combined, index);
    OnlineForm::Running &running = form.running.emplace_back();
    running.reduction = *group.reductionOf[index];
    running.deferred = std::move(ofReduction[index]);
    if (!of.changes)
      continue;
    // A start value other than zero would have to be rescaled as well.
    bool isSum = body.kind == arith::AtomicRMWKind::addf;
    auto start = dyn_cast<FloatAttr>(body.initial);
    if (!isSum || !of.hasFactor || !start || !start.getValue().isZero())
      return decline(index,
                     "combines what depends on a result of its own loop in "
                     "a way that cannot be corrected");
    running.factor = of.factor;
  }
  // Results that leave the group from inside of the loop must be final.
  for (unsigned tensor : group.resultTensors) {
    Value value = group.finalValues[tensor];
    std::optional<unsigned> op = definer(value);
    if (op && hasAxis(*op) && !reducesAxis(*op) && changeOf(value).changes)
      return decline(*op,
                     "makes a result in the loop that depends on the loop's "
                     "own results");
  }
  for (OnlineForm::Running &running : form.running)
    markRead(running.factor, form);
  for (OnlineForm::Sum &sum : form.sums)
    markRead(sum.factor, form);
  measureRoom();
  return form;
}
