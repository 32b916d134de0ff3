//===- DeferredFactors.cpp - Which factors may leave a sum ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Σ (x_n · b) d_n = b · Σ x_n d_n in floating point, too, as long as b is
// finite. If b = 0, both sides are 0, or NaN where some x_n or d_n is not
// finite. With an infinite b, or a divisor of zero, the left side is NaN as
// soon as one x_n d_n is zero or two differ in sign. The right side is then the
// infinity that the sum's sign says. Either is harmless where it means that all
// x_n are zero: 0 · ∞ and 0 / 0 are NaN on both sides.
//===----------------------------------------------------------------------===//

#include "ScalarMagnitude.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;
using Kind = arith::AtomicRMWKind;

static std::optional<double> constantOf(Value scalar) {
  FloatAttr constant;
  if (!matchPattern(scalar, m_Constant(&constant)))
    return std::nullopt;
  return constant.getValueAsDouble();
}

bool ScalarMagnitude::isNonNegative(Value scalar, unsigned op) const {
  if (std::optional<double> constant = constantOf(scalar))
    return *constant >= 0;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    if (!from || group.contractionOf[*from])
      return false;
    if (!group.reductionOf[*from])
      return isNonNegative(yielded(*from), *from);
    ReductionBody body = *matchReduction(group.operators[*from]);
    auto start = dyn_cast<FloatAttr>(body.initial);
    bool isLargest = body.kind == Kind::maximumf || body.kind == Kind::maxnumf;
    bool startsWell =
        start && (!start.getValue().isNegative() || start.getValue().isZero());
    return (isLargest || (body.kind == Kind::addf && startsWell)) &&
           isNonNegative(body.combined, *from);
  }
  Operation *inner = scalar.getDefiningOp();
  auto of = [&](unsigned operand) {
    return isNonNegative(inner->getOperand(operand), op);
  };
  if (isa<math::AbsFOp, math::ExpOp, math::Exp2Op, math::SqrtOp, math::RsqrtOp>(
          inner))
    return true;
  if (isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return of(0);
  if (isa<arith::MulFOp>(inner) && inner->getOperand(0) == inner->getOperand(1))
    return true;
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::MinimumFOp,
          arith::MinNumFOp>(inner))
    return of(0) && of(1);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(inner))
    return of(0) || of(1);
  if (isa<arith::SelectOp>(inner))
    return of(1) && of(2);
  return false;
}

bool ScalarMagnitude::isPositive(Value scalar, unsigned op) const {
  // A narrower type may round a positive value to zero.
  if (std::optional<double> constant = constantOf(scalar))
    return *constant > 0;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    return from && isElementwiseHere(*from) &&
           isPositive(yielded(*from), *from);
  }
  Operation *inner = scalar.getDefiningOp();
  auto of = [&](unsigned operand) {
    return isPositive(inner->getOperand(operand), op);
  };
  if (isa<arith::ExtFOp, math::SqrtOp>(inner))
    return of(0);
  if (isa<arith::AddFOp>(inner))
    for (unsigned i : {0u, 1u})
      if (of(i) && isNonNegative(inner->getOperand(1 - i), op))
        return true;
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner) && (of(0) || of(1));
}

/// Whether `scalar` is zero wherever `factor` is.
bool ScalarMagnitude::hasFactor(Value scalar, unsigned op, Value factor,
                                unsigned opOfFactor) const {
  if (isSame(scalar, op, factor, opOfFactor))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    std::optional<unsigned> from = definer(argument, op);
    return from && isElementwiseHere(*from) &&
           hasFactor(yielded(*from), *from, factor, opOfFactor);
  }
  Operation *inner = scalar.getDefiningOp();
  auto of = [&](unsigned operand) {
    return hasFactor(inner->getOperand(operand), op, factor, opOfFactor);
  };
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, math::AbsFOp,
          arith::DivFOp>(inner))
    return of(0);
  return isa<arith::MulFOp>(inner) && (of(0) || of(1));
}

/// Whether `term` is zero all along the axes of a sum or maximum, of
/// magnitudes, that `scalar` is computed from, where `scalar` is zero.
bool ScalarMagnitude::vanishesWith(Value scalar, Value term, unsigned op,
                                   unsigned opOfTerm) const {
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (!argument) {
    Operation *inner = scalar.getDefiningOp();
    if (isa<math::SqrtOp, math::AbsFOp, arith::ExtFOp, arith::NegFOp>(inner))
      return vanishesWith(inner->getOperand(0), term, op, opOfTerm);
    if (isa<arith::MulFOp, arith::DivFOp>(inner))
      for (unsigned i : {0u, 1u})
        if (std::optional<double> constant =
                constantOf(inner->getOperand(1 - i));
            constant && *constant != 0 && (i == 0 || isa<arith::MulFOp>(inner)))
          return vanishesWith(inner->getOperand(i), term, op, opOfTerm);
    return false;
  }
  std::optional<unsigned> from = definer(argument, op);
  if (!from || group.contractionOf[*from])
    return false;
  if (!group.reductionOf[*from])
    return vanishesWith(yielded(*from), term, *from, opOfTerm);
  ReductionBody body = *matchReduction(group.operators[*from]);
  if (body.kind != Kind::addf && body.kind != Kind::maximumf &&
      body.kind != Kind::maxnumf)
    return false;
  auto start = dyn_cast<FloatAttr>(body.initial);
  if (!start || (body.kind == Kind::addf && start.getValue().isNegative() &&
                 !start.getValue().isZero()))
    return false;
  Value combined = body.combined;
  if (!isNonNegative(combined, *from))
    return false;
  // The magnitude and the square vanish with the number itself.
  auto number = [&](Value value, unsigned in) -> std::pair<Value, unsigned> {
    while (auto read = dyn_cast<BlockArgument>(value)) {
      std::optional<unsigned> maker = definer(read, in);
      if (!maker || !isElementwiseHere(*maker))
        return {value, in};
      value = yielded(*maker);
      in = *maker;
    }
    return {value, in};
  };
  auto [value, in] = number(combined, *from);
  Operation *inner = value.getDefiningOp();
  if (isa_and_nonnull<math::AbsFOp>(inner) ||
      (isa_and_nonnull<arith::MulFOp>(inner) &&
       inner->getOperand(0) == inner->getOperand(1)))
    if (hasFactor(term, opOfTerm, inner->getOperand(0), in))
      return true;
  return hasFactor(term, opOfTerm, combined, *from);
}

bool ScalarMagnitude::leavesSum(Value factor, bool divides, Value term,
                                unsigned op) const {
  auto safeDivisor = [&](Value divisor, unsigned in) {
    return isPositive(divisor, in) || vanishesWith(divisor, term, in, op);
  };
  if (divides)
    return safeDivisor(factor, op);
  // A factor must be finite.
  auto isFinite = [&](auto &&self, Value value, unsigned in) -> bool {
    if (bound(value, in))
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      std::optional<unsigned> from = definer(argument, in);
      return from && isElementwiseHere(*from) &&
             self(self, yielded(*from), *from);
    }
    Operation *inner = value.getDefiningOp();
    if (isa<math::RsqrtOp>(inner))
      return safeDivisor(inner->getOperand(0), in);
    if (isa<arith::DivFOp>(inner))
      return self(self, inner->getOperand(0), in) &&
             safeDivisor(inner->getOperand(1), in);
    if (isa<arith::MulFOp>(inner))
      return self(self, inner->getOperand(0), in) &&
             self(self, inner->getOperand(1), in);
    return isa<arith::ExtFOp, arith::NegFOp>(inner) &&
           self(self, inner->getOperand(0), in);
  };
  return isFinite(isFinite, factor, op);
}
