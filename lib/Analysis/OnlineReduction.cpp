//===- OnlineReduction.cpp - Running forms of reductions by algebra
//-------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/OnlineReduction.h"
#include "ScalarMagnitude.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;
using Ref = RowExpressionRef;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

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

static bool isSame(const Ref &a, const Ref &b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->reduction != b->reduction ||
      a->scalar != b->scalar || a->op != b->op)
    return false;
  return isSame(a->operands[0], b->operands[0]) &&
         isSame(a->operands[1], b->operands[1]);
}

//===----------------------------------------------------------------------===//
// Changes of values
//===----------------------------------------------------------------------===//

namespace {

/// How a value changes when running reductions change, where the change is the
/// same for all elements of a row.
struct Change {
  /// Whether it changes at all. Otherwise the factor is 1 and the offset 0,
  /// which null stands for.
  bool changes = false;
  bool hasFactor = true, hasOffset = true;
  Ref factor, offset;

  static Change none() { return {}; }
  static Change unknown() { return {true, false, false, nullptr, nullptr}; }
  static Change byFactor(Ref factor) {
    return {true, true, false, std::move(factor), nullptr};
  }
  static Change byOffset(Ref offset) {
    return {true, false, true, nullptr, std::move(offset)};
  }
};

class Derivation {
public:
  using Explain = llvm::function_ref<void(const Twine &)>;

  Derivation(const GroupAxes &group, unsigned axis, Explain explain)
      : group(group), axis(axis), explain(explain) {
    for (auto [index, op] : llvm::enumerate(group.operators))
      definers[op->getResult(0)] = index;
  }

  FailureOr<OnlineForm> run();

private:
  LogicalResult decline(unsigned op, const Twine &reason) {
    linalg::LinalgOp linalgOp = group.operators[op];
    explain(linalgOp->getName().getStringRef() + " " + reason);
    return failure();
  }
  bool reducesAxis(unsigned op) const;
  bool hasAxis(unsigned op) const {
    return llvm::is_contained(group.loops[op], axis);
  }
  bool dependsOnAxis(Value scalar, unsigned op);
  bool waitsForLoop(Value scalar, unsigned op);
  bool waitsForLoop(unsigned op);
  bool keepsRange(Value scalar, unsigned op) const;
  void defer(unsigned op, Value scalar, std::vector<DeferredFactor> &deferred);
  Change changeOf(Value tensor);
  Change changeOfScalar(Value scalar, unsigned op);
  Change changeOfOperation(Operation *inner, unsigned op);

  std::optional<unsigned> definer(Value tensor) const {
    auto it = definers.find(tensor);
    if (it == definers.end())
      return std::nullopt;
    return it->second;
  }
  /// The tensor that an argument of a body stands for.
  Value tensorOf(BlockArgument argument, unsigned op) const {
    linalg::LinalgOp linalgOp = group.operators[op];
    return linalgOp->getOperand(argument.getArgNumber());
  }

  const GroupAxes &group;
  unsigned axis;
  Explain explain;
  llvm::DenseMap<Value, unsigned> definers;
  llvm::DenseMap<Value, Change> changes; ///< by tensor
  OnlineForm form;
  Operation *whyNotRounded = nullptr; ///< kept a factor that could have left
};

} // namespace

bool Derivation::reducesAxis(unsigned op) const {
  if (std::optional<unsigned> reduction = group.reductionOf[op])
    return llvm::is_contained(group.model.reductions[*reduction].reduced, axis);
  if (std::optional<unsigned> product = group.productOf[op])
    return llvm::is_contained(group.model.products[*product].reduction, axis);
  return false;
}

/// Whether a scalar of a body is another one for each element along the axis.
bool Derivation::dependsOnAxis(Value scalar, unsigned op) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp linalgOp = group.operators[op];
    if (argument.getOwner() != linalgOp.getBlock())
      return false;
    OpOperand &operand = linalgOp->getOpOperand(argument.getArgNumber());
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
      return group.loops[op][cast<AffineDimExpr>(expr).getPosition()] == axis;
    });
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return group.loops[op][index.getDim()] == axis;
  return llvm::any_of(inner->getOperands(), [&](Value operand) {
    return dependsOnAxis(operand, op);
  });
}

/// Whether a scalar is known only when the loop over the axis has run: it
/// reads, directly or through operators without the axis, something reduced
/// along it.
bool Derivation::waitsForLoop(Value scalar, unsigned op) {
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

bool Derivation::waitsForLoop(unsigned op) {
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

/// Whether a value that is rounded to f16 can do without the factors that have
/// left it: it stays within the range of the type, or is of that type as it is.
/// Types as wide as f32 have room for what f32 has.
bool Derivation::keepsRange(Value scalar, unsigned op) const {
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

/// Takes out of `scalar`, a factor of a sum's terms, what multiplies or divides
/// it and is known after the loop only. Conversions to narrower types keep
/// factors where what is left keeps the range of the type (see "Rounding"), but
/// for 8-bit floats: of those a factor of a long row decides what is rounded to
/// zero.
void Derivation::defer(unsigned op, Value scalar,
                       std::vector<DeferredFactor> &deferred) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(tensorOf(argument, op));
    // Who else reads the value would miss the factor, but for products that sum
    // over the axis, which take it out, too.
    auto takesOut = [&](Operation *user) {
      auto *reader = llvm::find(group.operators, user);
      if (reader == group.operators.end())
        return false;
      unsigned index = reader - group.operators.begin();
      return group.productOf[index] && reducesAxis(index);
    };
    Value tensor = tensorOf(argument, op);
    if (!from || group.productOf[*from] || group.reductionOf[*from] ||
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
    // Tried, and taken back where what is left may leave the type's range.
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
  for (unsigned kept : {0u, 1u}) {
    if (divides && kept == 1)
      break;
    Value other = inner->getOperand(1 - kept);
    if (!dependsOnAxis(other, op) && waitsForLoop(other, op)) {
      form.skipped[inner] = kept;
      deferred.push_back({op, other, divides});
      return defer(op, inner->getOperand(kept), deferred);
    }
  }
  // Factors may hide behind one that stays.
  for (unsigned kept : {0u, 1u}) {
    if (divides && kept == 1)
      break;
    if (!waitsForLoop(inner->getOperand(1 - kept), op))
      defer(op, inner->getOperand(kept), deferred);
  }
}

//===----------------------------------------------------------------------===//
// Correction
//===----------------------------------------------------------------------===//

static Ref combine(Kind kind, const Ref &a, const Ref &b) {
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
Change Derivation::changeOfOperation(Operation *inner, unsigned op) {
  if (auto it = form.skipped.find(inner); it != form.skipped.end())
    return changeOfScalar(inner->getOperand(it->second), op);
  SmallVector<Change, 3> of;
  bool changes = false;
  for (Value operand : inner->getOperands()) {
    of.push_back(changeOfScalar(operand, op));
    changes |= of.back().changes;
  }
  if (!changes)
    return Change::none();
  Change result = Change::unknown();
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
          offset(true, combine(kind, of[0].offset, of[1].offset));
        if (of[0].hasFactor && of[1].hasFactor &&
            isSame(of[0].factor, of[1].factor))
          factor(true, of[0].factor);
      })
      .Case<arith::MulFOp, arith::DivFOp>([&](Operation *) {
        bool isMul = isa<arith::MulFOp>(inner);
        Kind kind = isMul ? Kind::Mul : Kind::Div;
        if (of[0].hasFactor && of[1].hasFactor)
          factor(true, combine(kind, of[0].factor, of[1].factor));
        for (unsigned scale : {0u, 1u})
          if ((isMul || scale == 1) && isRowScalar(scale) &&
              of[1 - scale].hasOffset)
            offset(true, combine(kind, of[1 - scale].offset,
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
          const Change &change = of[chosen], &other = of[3 - chosen];
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

Change Derivation::changeOfScalar(Value scalar, unsigned op) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp linalgOp = group.operators[op];
    if (argument.getOwner() != linalgOp.getBlock())
      return Change::none();
    return changeOf(tensorOf(argument, op));
  }
  return changeOfOperation(scalar.getDefiningOp(), op);
}

/// The change of a value as it is read inside of the loop.
Change Derivation::changeOf(Value tensor) {
  std::optional<unsigned> op = definer(tensor);
  if (!op)
    return Change::none();
  if (auto it = changes.find(tensor); it != changes.end())
    return it->second;
  Change result = Change::unknown();
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
        result = Change::byOffset(make(Kind::Sub,
                                       makeRunning(Kind::After, *reduction),
                                       makeRunning(Kind::Before, *reduction)));
    }
  } else if (std::optional<ReductionBody> body = matchReduction(linalgOp)) {
    // Along another axis.
    Change of = changeOfScalar(body->combined, *op);
    if (!of.changes)
      result = of;
    else if (body->kind == arith::AtomicRMWKind::addf && of.hasFactor)
      result = Change::byFactor(of.factor);
    else if ((body->kind == arith::AtomicRMWKind::maximumf ||
              body->kind == arith::AtomicRMWKind::minimumf) &&
             of.hasOffset)
      result = Change::byOffset(of.offset);
  } else if (group.productOf[*op]) {
    // Sums are linear in both operands.
    Change lhs = changeOf(linalgOp->getOperand(0)),
           rhs = changeOf(linalgOp->getOperand(1));
    if (!lhs.changes && !rhs.changes)
      result = Change::none();
    else if (lhs.hasFactor && rhs.hasFactor)
      result = Change::byFactor(combine(Kind::Mul, lhs.factor, rhs.factor));
  } else {
    result = changeOfScalar(linalgOp.getBlock()->getTerminator()->getOperand(0),
                            *op);
  }
  return changes[tensor] = result;
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

FailureOr<OnlineForm> Derivation::run() {
  // What can leave the sums leaves them first.
  for (auto [index, linalgOp] : llvm::enumerate(group.operators)) {
    if (!group.productOf[index] || !reducesAxis(index))
      continue;
    OnlineForm::Sum &sum = form.sums.emplace_back();
    sum.product = *group.productOf[index];
    linalg::LinalgOp op = linalgOp;
    for (unsigned operand : {0u, 1u})
      defer(index, op.getMatchingBlockArgument(&op->getOpOperand(operand)),
            sum.deferred);
  }
  for (auto [index, linalgOp] : llvm::enumerate(group.operators)) {
    if (!reducesAxis(index))
      continue;
    linalg::LinalgOp op = linalgOp;
    if (std::optional<unsigned> product = group.productOf[index]) {
      Change lhs = changeOf(op->getOperand(0)),
             rhs = changeOf(op->getOperand(1));
      if (!lhs.hasFactor || !rhs.hasFactor)
        return decline(index,
                       whyNotRounded
                           ? "multiplies a quotient or product that is "
                             "rounded to f16 and may be out of its range "
                             "without a factor that is known after the loop"
                           : "multiplies what depends on a result of its own "
                             "loop in a way that cannot be corrected");
      for (OnlineForm::Sum &sum : form.sums)
        if (sum.product == *product)
          sum.factor = combine(Kind::Mul, lhs.factor, rhs.factor);
      continue;
    }
    ReductionBody body = *matchReduction(op);
    Change of = changeOfScalar(body.combined, index);
    OnlineForm::Running &running = form.running.emplace_back();
    running.reduction = *group.reductionOf[index];
    if (!of.changes)
      continue;
    // A start value other than zero would have to be corrected as well.
    bool isSum = body.kind == arith::AtomicRMWKind::addf;
    auto start = dyn_cast<FloatAttr>(body.initial);
    if (!isSum || !of.hasFactor || !start || !start.getValue().isZero())
      return decline(index,
                     "combines what depends on a result of its own loop in "
                     "a way that cannot be corrected");
    running.factor = of.factor;
  }
  // What leaves from inside of the loop must be final.
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
  return form;
}

FailureOr<OnlineForm>
fusion::deriveOnline(const GroupAxes &group, unsigned axis,
                     llvm::function_ref<void(const Twine &)> explain) {
  return Derivation(group, axis, explain).run();
}
