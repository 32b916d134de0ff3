//===- ValueChange.cpp - How values follow running reductions -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineDerivation.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;
using Ref = RowExpressionRef;

static Ref make(Kind kind, Ref a = nullptr, Ref b = nullptr) {
  RowExpression expression;
  expression.kind = kind;
  expression.operands[0] = std::move(a);
  expression.operands[1] = std::move(b);
  return std::make_shared<const RowExpression>(std::move(expression));
}

static Ref makeRunning(Kind kind, unsigned reduction) {
  RowExpression expression;
  expression.kind = kind;
  expression.reduction = reduction;
  return std::make_shared<const RowExpression>(std::move(expression));
}

static Ref makeScalar(unsigned op, Value scalar) {
  RowExpression expression;
  expression.kind = Kind::Scalar;
  expression.op = op;
  expression.scalar = scalar;
  return std::make_shared<const RowExpression>(std::move(expression));
}

Ref fusion::combineRows(Kind kind, const Ref &a, const Ref &b) {
  bool isUnitRight = kind == Kind::Add || kind == Kind::Sub ||
                     kind == Kind::Mul || kind == Kind::Div;
  if (!b && isUnitRight)
    return a;
  if (!a && (kind == Kind::Add || kind == Kind::Mul))
    return b;
  if (!a && kind == Kind::Sub)
    return make(Kind::Neg, b);
  return make(kind, a, b);
}

static Ref applied(Kind kind, const Ref &a) {
  if (a && kind == Kind::Exp && a->kind == Kind::Neg &&
      a->operands[0]->kind == Kind::Sub)
    return make(kind, make(Kind::Sub, a->operands[0]->operands[1],
                           a->operands[0]->operands[0]));
  return a ? make(kind, a) : nullptr;
}

/// The change of what an operation of a body computes.
ValueChange OnlineDerivation::changeOfOperation(Operation *inner, unsigned op) {
  if (auto it = form.skipped.find(inner); it != form.skipped.end())
    return changeOfScalar(inner->getOperand(it->second), op);
  SmallVector<ValueChange, 3> of;
  bool changes = false;
  for (Value operand : inner->getOperands()) {
    of.push_back(changeOfScalar(operand, op));
    changes |= of.back().changes;
  }
  if (!changes)
    return ValueChange::none();
  ValueChange result = ValueChange::unknown();
  auto factor = [&](bool isKnown, Ref value) {
    result.hasFactor = isKnown;
    if (isKnown)
      result.factor = std::move(value);
  };
  auto offset = [&](bool isKnown, Ref value) {
    result.hasOffset = isKnown;
    if (isKnown)
      result.offset = std::move(value);
  };
  auto isRowScalar = [&](unsigned operand) {
    return !of[operand].changes &&
           !dependsOnAxis(inner->getOperand(operand), op);
  };
  llvm::TypeSwitch<Operation *>(inner)
      .Case<arith::AddFOp, arith::SubFOp>([&](Operation *) {
        Kind kind = isa<arith::AddFOp>(inner) ? Kind::Add : Kind::Sub;
        if (of[0].hasOffset && of[1].hasOffset)
          offset(true, combineRows(kind, of[0].offset, of[1].offset));
        if (of[0].hasFactor && of[1].hasFactor &&
            isSame(of[0].factor, of[1].factor))
          factor(true, of[0].factor);
      })
      .Case<arith::MulFOp, arith::DivFOp>([&](Operation *) {
        bool isMul = isa<arith::MulFOp>(inner);
        Kind kind = isMul ? Kind::Mul : Kind::Div;
        if (of[0].hasFactor && of[1].hasFactor)
          factor(true, combineRows(kind, of[0].factor, of[1].factor));
        for (unsigned scale : {0u, 1u})
          if ((isMul || scale == 1) && isRowScalar(scale) &&
              of[1 - scale].hasOffset)
            offset(true, combineRows(kind, of[1 - scale].offset,
                                     makeScalar(op, inner->getOperand(scale))));
      })
      .Case<arith::NegFOp>([&](Operation *) {
        factor(of[0].hasFactor, of[0].factor);
        offset(of[0].hasOffset, applied(Kind::Neg, of[0].offset));
      })
      .Case<arith::ExtFOp>([&](Operation *) { result = of[0]; })
      // Rounding is relative: it keeps factors and not offsets.
      .Case<arith::TruncFOp>(
          [&](Operation *) { factor(of[0].hasFactor, of[0].factor); })
      .Case<math::ExpOp>([&](Operation *) {
        factor(of[0].hasOffset, applied(Kind::Exp, of[0].offset));
      })
      .Case<math::Exp2Op>([&](Operation *) {
        factor(of[0].hasOffset, applied(Kind::Exp2, of[0].offset));
      })
      .Case<math::AbsFOp>([&](Operation *) {
        factor(of[0].hasFactor, applied(Kind::Abs, of[0].factor));
      })
      .Case<math::SqrtOp>([&](Operation *) {
        factor(of[0].hasFactor, applied(Kind::Sqrt, of[0].factor));
      })
      .Case<math::RsqrtOp>([&](Operation *) {
        factor(of[0].hasFactor, applied(Kind::Rsqrt, of[0].factor));
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        if (of[0].changes)
          return;
        // Zero has any factor, an infinity any offset.
        auto isZero = [&](Value value) {
          return matchPattern(value, m_AnyZeroFloat());
        };
        auto isInfinite = [&](Value value) {
          return matchPattern(value, m_PosInfFloat()) ||
                 matchPattern(value, m_NegInfFloat());
        };
        for (unsigned chosen : {1u, 2u}) {
          const ValueChange &change = of[chosen], &other = of[3 - chosen];
          Value otherValue = inner->getOperand(3 - chosen);
          if (change.hasFactor &&
              (isZero(otherValue) ||
               (other.hasFactor && isSame(change.factor, other.factor))))
            factor(true, change.factor);
          if (change.hasOffset &&
              (isInfinite(otherValue) ||
               (other.hasOffset && isSame(change.offset, other.offset))))
            offset(true, change.offset);
        }
      });
  return result;
}

ValueChange OnlineDerivation::changeOfScalar(Value scalar, unsigned op) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp linalgOp = group.operators[op];
    if (argument.getOwner() != linalgOp.getBlock())
      return ValueChange::none();
    return changeOf(tensorOf(argument, op));
  }
  return changeOfOperation(scalar.getDefiningOp(), op);
}

/// The change of a value as it is read inside of the loop.
ValueChange OnlineDerivation::changeOf(Value tensor) {
  std::optional<unsigned> op = definer(tensor);
  if (!op)
    return ValueChange::none();
  if (auto it = changes.find(tensor); it != changes.end())
    return it->second;
  ValueChange result = ValueChange::unknown();
  linalg::LinalgOp linalgOp = group.operators[*op];
  if (reducesAxis(*op)) {
    // Its running value. Only what stays put while nothing has been combined is
    // safe to subtract: a maximum or a minimum (see the guard).
    if (std::optional<unsigned> reduction = group.reductionOf[*op]) {
      arith::AtomicRMWKind kind = matchReduction(linalgOp)->kind;
      if (kind == arith::AtomicRMWKind::maximumf ||
          kind == arith::AtomicRMWKind::minimumf ||
          kind == arith::AtomicRMWKind::maxnumf ||
          kind == arith::AtomicRMWKind::minnumf)
        result = ValueChange::byOffset(
            make(Kind::Sub, makeRunning(Kind::After, *reduction),
                 makeRunning(Kind::Before, *reduction)));
    }
  } else if (std::optional<ReductionBody> body = matchReduction(linalgOp)) {
    // Along another axis.
    ValueChange of = changeOfScalar(body->combined, *op);
    if (!of.changes)
      result = of;
    else if (body->kind == arith::AtomicRMWKind::addf && of.hasFactor)
      result = ValueChange::byFactor(of.factor);
    else if ((body->kind == arith::AtomicRMWKind::maximumf ||
              body->kind == arith::AtomicRMWKind::minimumf) &&
             of.hasOffset)
      result = ValueChange::byOffset(of.offset);
  } else if (group.contractionOf[*op]) {
    // Sums are linear in both operands.
    ValueChange lhs = changeOf(linalgOp->getOperand(0)),
                rhs = changeOf(linalgOp->getOperand(1));
    if (!lhs.changes && !rhs.changes)
      result = ValueChange::none();
    else if (lhs.hasFactor && rhs.hasFactor)
      result =
          ValueChange::byFactor(combineRows(Kind::Mul, lhs.factor, rhs.factor));
  } else {
    result = changeOfScalar(linalgOp.getBlock()->getTerminator()->getOperand(0),
                            *op);
  }
  return changes[tensor] = result;
}
