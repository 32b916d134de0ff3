//===- ScalarMagnitude.cpp - How large a scalar of a body can be ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarMagnitude.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;
using Bound = std::optional<double>;

/// The largest number of a type narrower than f32.
static Bound largestOf(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return std::nullopt;
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  if (APFloat::semanticsMaxExponent(semantics) >=
      APFloat::semanticsMaxExponent(APFloat::IEEEsingle()))
    return std::nullopt;
  APFloat largest = APFloat::getLargest(semantics);
  bool loses = false;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return largest.convertToDouble();
}

static Bound constantOf(Value scalar) {
  FloatAttr constant;
  if (!matchPattern(scalar, m_Constant(&constant)))
    return std::nullopt;
  return constant.getValueAsDouble();
}

std::optional<unsigned> ScalarMagnitude::definer(BlockArgument argument,
                                                 unsigned op) const {
  linalg::LinalgOp linalgOp = group.operators[op];
  if (argument.getOwner() != linalgOp.getBlock())
    return std::nullopt;
  Value tensor = linalgOp->getOperand(argument.getArgNumber());
  auto *known =
      llvm::find(group.operators, tensor.getDefiningOp<linalg::LinalgOp>());
  if (known == group.operators.end())
    return std::nullopt;
  return known - group.operators.begin();
}

Bound ScalarMagnitude::bound(Value scalar, unsigned op) const {
  Bound ofType = largestOf(scalar.getType());
  auto least = [&](Bound other) {
    return other && ofType ? std::min(*other, *ofType) : other ? other : ofType;
  };
  if (Bound constant = constantOf(scalar))
    return std::abs(*constant);
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    return from && isElementwiseHere(*from)
               ? least(bound(yielded(*from), *from))
               : ofType;
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto it = skipped.find(inner); it != skipped.end())
    return bound(inner->getOperand(it->second), op);
  auto of = [&](unsigned operand) {
    return bound(inner->getOperand(operand), op);
  };
  auto both = [&](auto &&combine) -> Bound {
    Bound a = of(0), b = of(1);
    return a && b ? Bound(combine(*a, *b)) : std::nullopt;
  };
  return least(
      llvm::TypeSwitch<Operation *, Bound>(inner)
          .Case<arith::AddFOp, arith::SubFOp>([&](Operation *) {
            return both([](double a, double b) { return a + b; });
          })
          .Case<arith::MulFOp>([&](Operation *) {
            return both([](double a, double b) { return a * b; });
          })
          .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                arith::MinNumFOp>([&](Operation *) {
            return both([](double a, double b) { return std::max(a, b); });
          })
          .Case<arith::SelectOp>([&](Operation *) -> Bound {
            Bound a = of(1), b = of(2);
            return a && b ? Bound(std::max(*a, *b)) : std::nullopt;
          })
          .Case<arith::DivFOp>([&](Operation *) -> Bound {
            Bound a = of(0), divisor = constantOf(inner->getOperand(1));
            return a && divisor && *divisor != 0
                       ? Bound(*a / std::abs(*divisor))
                       : std::nullopt;
          })
          .Case<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp>(
              [&](Operation *) { return of(0); })
          .Case<math::TanhOp, math::ErfOp, math::SinOp, math::CosOp>(
              [&](Operation *) { return Bound(1); })
          .Case<math::ExpOp, math::Exp2Op>([&](Operation *) {
            return isNegative(inner->getOperand(0), op) ? Bound(1)
                                                        : std::nullopt;
          })
          .Default([](Operation *) { return std::nullopt; }));
}

bool ScalarMagnitude::isOf(Value scalar, unsigned op, FloatType type) const {
  if (scalar.getType() == type)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    return from && isElementwiseHere(*from) &&
           isOf(yielded(*from), *from, type);
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto it = skipped.find(inner); it != skipped.end())
    return isOf(inner->getOperand(it->second), op, type);
  return isa<arith::ExtFOp, arith::NegFOp, math::AbsFOp>(inner) &&
         isOf(inner->getOperand(0), op, type);
}

/// Whether a scalar is at most zero, NaN aside.
bool ScalarMagnitude::isNegative(Value scalar, unsigned op) const {
  if (Bound constant = constantOf(scalar))
    return *constant <= 0;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    return from && isElementwiseHere(*from) &&
           isNegative(yielded(*from), *from);
  }
  Operation *inner = scalar.getDefiningOp();
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return isNegative(inner->getOperand(0), op);
  // x - maximum, minimum - x
  auto isBelow = [&](Value less, Value more) {
    return isExtremeOf(more, less, op, /*isMaximum=*/true) ||
           isExtremeOf(less, more, op, /*isMaximum=*/false);
  };
  if (isa<arith::SubFOp>(inner))
    return isBelow(inner->getOperand(0), inner->getOperand(1));
  if (isa<arith::NegFOp>(inner)) {
    Operation *difference = inner->getOperand(0).getDefiningOp();
    return isa_and_nonnull<arith::SubFOp>(difference) &&
           isBelow(difference->getOperand(1), difference->getOperand(0));
  }
  if (isa<arith::MulFOp>(inner))
    for (unsigned factor : {0u, 1u})
      if (Bound constant = constantOf(inner->getOperand(factor));
          constant && *constant >= 0)
        return isNegative(inner->getOperand(1 - factor), op);
  return false;
}

/// Whether `extreme` is the maximum or the minimum of a reduction of values
/// such as `scalar`.
bool ScalarMagnitude::isExtremeOf(Value extreme, Value scalar, unsigned op,
                                  bool isMaximum) const {
  auto argument = dyn_cast<BlockArgument>(extreme);
  if (!argument)
    return false;
  std::optional<unsigned> from = definer(argument, op);
  if (!from || !group.reductionOf[*from])
    return false;
  ReductionBody body = *matchReduction(group.operators[*from]);
  bool isKind = isMaximum ? body.kind == arith::AtomicRMWKind::maximumf ||
                                body.kind == arith::AtomicRMWKind::maxnumf
                          : body.kind == arith::AtomicRMWKind::minimumf ||
                                body.kind == arith::AtomicRMWKind::minnumf;
  return isKind && isSame(body.combined, *from, scalar, op);
}

/// Whether two scalars are the same function of the same inputs at each point.
bool ScalarMagnitude::isSame(Value a, unsigned opA, Value b,
                             unsigned opB) const {
  if (a == b && opA == opB)
    return true;
  auto argumentA = dyn_cast<BlockArgument>(a),
       argumentB = dyn_cast<BlockArgument>(b);
  auto axesOf = [&](BlockArgument argument, unsigned op) {
    linalg::LinalgOp linalgOp = group.operators[op];
    SmallVector<unsigned, 4> axes;
    AffineMap map = linalgOp.getMatchingIndexingMap(
        &linalgOp->getOpOperand(argument.getArgNumber()));
    if (!map.isProjectedPermutation())
      return axes;
    for (AffineExpr expr : map.getResults())
      axes.push_back(group.loops[op][cast<AffineDimExpr>(expr).getPosition()]);
    return axes;
  };
  // A group may have one tensor twice.
  auto tensorOf = [&](BlockArgument argument, unsigned op) -> Value {
    Value tensor = group.operators[op]->getOperand(argument.getArgNumber());
    auto input = dyn_cast<BlockArgument>(tensor);
    Operation *parent = input ? input.getOwner()->getParentOp() : nullptr;
    return isa_and_nonnull<fuse::FusedGroupOpInterface>(parent)
               ? parent->getOperand(input.getArgNumber())
               : tensor;
  };
  auto isOwn = [&](BlockArgument argument, unsigned op) {
    linalg::LinalgOp linalgOp = group.operators[op];
    return argument && argument.getOwner() == linalgOp.getBlock();
  };
  if (isOwn(argumentA, opA) && isOwn(argumentB, opB) &&
      tensorOf(argumentA, opA) == tensorOf(argumentB, opB))
    return axesOf(argumentA, opA) == axesOf(argumentB, opB) &&
           !group.contractionOf[opA] && !group.contractionOf[opB];
  // Through the operators that make them.
  auto through = [&](BlockArgument argument, unsigned op) {
    std::optional<unsigned> from =
        argument ? definer(argument, op) : std::nullopt;
    return from && isElementwiseHere(*from) ? from : std::nullopt;
  };
  if (auto from = through(argumentA, opA))
    return isSame(yielded(*from), *from, b, opB);
  if (auto from = through(argumentB, opB))
    return isSame(a, opA, yielded(*from), *from);
  if (argumentA || argumentB)
    return a == b;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumResults() != 1 ||
      x->getNumRegions() != 0)
    return false;
  if (auto indexX = dyn_cast<linalg::IndexOp>(x))
    return group.loops[opA][indexX.getDim()] ==
           group.loops[opB][cast<linalg::IndexOp>(y).getDim()];
  if (x->getAttrDictionary() != y->getAttrDictionary() ||
      a.getType() != b.getType())
    return false;
  for (unsigned i = 0; i < x->getNumOperands(); ++i)
    if (!isSame(x->getOperand(i), opA, y->getOperand(i), opB))
      return false;
  return true;
}
