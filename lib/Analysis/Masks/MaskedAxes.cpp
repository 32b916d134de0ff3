//===- MaskedAxes.cpp - Where masks exclude points, proven ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prover gives a predicate on a point's indices that implies that a scalar
// of an operator's body has a value of interest (-∞, +∞, 0, true, false). It
// goes backwards through the bodies, and through the operators that computed
// what they read. Predicates come from comparisons of linear functions of
// indices.
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Masks/MaskedAxes.h"
#include "LinearIndices.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "fusion/Analysis/Masks/UnmaskedTiles.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

using Ref = MaskPredicateRef;

namespace {

enum class Constant : uint8_t { NegativeInfinity, Infinity, Zero, True, False };

class Prover : LinearIndices {
public:
  explicit Prover(const GroupAxes &group) : LinearIndices(group) {}

  /// Returns where all values that are combined along `axis` are the identity.
  Ref excluded(unsigned axis);

private:
  /// Returns where the scalar of operator `op` has the constant's value.
  Ref prove(unsigned op, Value scalar, Constant wanted);
  Ref proveArgument(unsigned op, BlockArgument argument, Constant wanted);
  Ref proveValue(Value value, Constant wanted);
  Ref proveOperation(unsigned op, Operation *inner, Constant wanted);
  Ref proveComparison(unsigned op, arith::CmpIOp comparison, bool isTrue);
  /// Where value < 0.
  static Ref negative(const Linear &value);
  /// Where a < b, or a <= b.
  static Ref less(const Extreme &a, const Extreme &b, bool orEqual);
  /// Where a < b, or a <= b, as unsigned numbers: negative ones are the
  /// greatest.
  Ref lessUnsigned(const Extreme &a, const Extreme &b, bool orEqual);

  llvm::DenseMap<std::tuple<unsigned, Value, unsigned>, Ref> proofs;
};

} // namespace

Ref Prover::negative(const Linear &value) {
  MaskPredicate predicate;
  for (auto [index, coefficient] : value.terms)
    if (coefficient != 0)
      predicate.terms.push_back({index, coefficient});
  predicate.constant = value.constant;
  if (predicate.terms.empty() && predicate.constant >= 0)
    return nullptr;
  return std::make_shared<const MaskPredicate>(std::move(predicate));
}

/// The greatest of several values is less than a number where all of them are,
/// and more where one of them is.
Ref Prover::less(const Extreme &a, const Extreme &b, bool orEqual) {
  auto combine = [](bool isAll, const auto &list, auto &&each) {
    Ref result;
    for (const auto &[number, item] : llvm::enumerate(list)) {
      Ref own = each(item);
      result = number == 0 ? own
               : isAll     ? allOf(result, own)
                           : anyOf(result, own);
    }
    return result;
  };
  Linear one;
  one.constant = 1;
  return combine(a.isGreatest, a.of, [&](const Linear &left) {
    return combine(!b.isGreatest, b.of, [&](const Linear &right) {
      Linear difference = left.plus(right, -1);
      return negative(orEqual ? difference.plus(one, -1) : difference);
    });
  });
}

Ref Prover::lessUnsigned(const Extreme &a, const Extreme &b, bool orEqual) {
  const Extreme zero{true, {Linear()}};
  Ref isLess = less(a, b, orEqual);
  bool isPositive = isNonNegative(a), isLimitPositive = isNonNegative(b);
  if (isPositive && isLimitPositive)
    return isLess;
  if (isLimitPositive)
    return allOf(less(zero, a, /*orEqual=*/true), isLess);
  if (isPositive)
    return anyOf(less(b, zero, /*orEqual=*/false), isLess);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Ref Prover::proveComparison(unsigned op, arith::CmpIOp comparison,
                            bool isTrue) {
  std::optional<Extreme> a = extreme(op, comparison.getLhs()),
                         b = extreme(op, comparison.getRhs());
  if (!a || !b)
    return nullptr;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = comparison.getPredicate();
  if (!isTrue)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case Predicate::eq:
    return allOf(less(*a, *b, /*orEqual=*/true), less(*b, *a, true));
  case Predicate::ne:
    return anyOf(less(*a, *b, false), less(*b, *a, false));
  case Predicate::slt:
    return less(*a, *b, false);
  case Predicate::sle:
    return less(*a, *b, true);
  case Predicate::sgt:
    return less(*b, *a, false);
  case Predicate::sge:
    return less(*b, *a, true);
  case Predicate::ult:
    return lessUnsigned(*a, *b, false);
  case Predicate::ule:
    return lessUnsigned(*a, *b, true);
  case Predicate::ugt:
    return lessUnsigned(*b, *a, false);
  case Predicate::uge:
    return lessUnsigned(*b, *a, true);
  }
  llvm_unreachable("covered switch");
}

/// The constant that the negative of the value has.
static Constant negated(Constant wanted) {
  switch (wanted) {
  case Constant::NegativeInfinity:
    return Constant::Infinity;
  case Constant::Infinity:
    return Constant::NegativeInfinity;
  default:
    return wanted;
  }
}

static bool isConstant(Attribute attribute, Constant wanted) {
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    APFloat value = number.getValue();
    if (wanted == Constant::Zero)
      return value.isZero();
    return value.isInfinity() &&
           value.isNegative() == (wanted == Constant::NegativeInfinity);
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return false;
  bool isZero = number.getValue().isZero();
  if (number.getType().isInteger(1))
    return wanted == (isZero ? Constant::False : Constant::True);
  return isZero && wanted == Constant::Zero;
}

Ref Prover::proveArgument(unsigned op, BlockArgument argument,
                          Constant wanted) {
  linalg::LinalgOp reader = group.operators[op];
  if (argument.getOwner() != reader.getBlock())
    return nullptr;
  return proveValue(reader->getOperand(argument.getArgNumber()), wanted);
}

Ref Prover::proveValue(Value value, Constant wanted) {
  auto made = elementwise(value);
  return made ? prove(made->first, made->second, wanted) : nullptr;
}

Ref Prover::prove(unsigned op, Value scalar, Constant wanted) {
  Attribute attribute;
  if (matchPattern(scalar, m_Constant(&attribute)))
    return isConstant(attribute, wanted) ? always() : nullptr;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return proveArgument(op, argument, wanted);
  auto key = std::make_tuple(op, scalar, static_cast<unsigned>(wanted));
  if (auto known = proofs.find(key); known != proofs.end())
    return known->second;
  Ref result = proveOperation(op, scalar.getDefiningOp(), wanted);
  proofs[key] = result;
  return result;
}

Ref Prover::proveOperation(unsigned op, Operation *inner, Constant wanted) {
  auto operand = [&](unsigned number, Constant constant) {
    return prove(op, inner->getOperand(number), constant);
  };
  auto either = [&](Constant constant) {
    return anyOf(operand(0, constant), operand(1, constant));
  };
  auto both = [&](Constant constant) {
    return allOf(operand(0, constant), operand(1, constant));
  };
  bool isInfinite =
      wanted == Constant::NegativeInfinity || wanted == Constant::Infinity;
  bool isTrue = wanted == Constant::True;
  bool isBool = isTrue || wanted == Constant::False;
  bool isZero = wanted == Constant::Zero;
  /// The sign of a factor that is a number of the program.
  auto signOf = [&](unsigned number) {
    FloatAttr factor;
    if (!matchPattern(inner->getOperand(number), m_Constant(&factor)) ||
        !factor.getValue().isFiniteNonZero())
      return 0;
    return factor.getValue().isNegative() ? -1 : 1;
  };
  auto scaled = [&](unsigned number, int sign) -> Ref {
    if (sign == 0)
      return nullptr;
    return operand(number, sign < 0 ? negated(wanted) : wanted);
  };
  return llvm::TypeSwitch<Operation *, Ref>(inner)
      .Case<arith::CmpIOp>([&](arith::CmpIOp comparison) -> Ref {
        return isBool ? proveComparison(op, comparison, isTrue) : nullptr;
      })
      .Case<arith::SelectOp>([&](arith::SelectOp) {
        Ref first = operand(1, wanted), second = operand(2, wanted);
        return anyOf(allOf(first, second),
                     anyOf(allOf(operand(0, Constant::True), first),
                           allOf(operand(0, Constant::False), second)));
      })
      .Case<arith::AndIOp>([&](auto) -> Ref {
        if (!isBool)
          return isZero ? either(wanted) : nullptr;
        return isTrue ? both(wanted) : either(wanted);
      })
      .Case<arith::OrIOp>([&](auto) -> Ref {
        if (!isBool)
          return isZero ? both(wanted) : nullptr;
        return isTrue ? either(wanted) : both(wanted);
      })
      .Case<arith::XOrIOp>([&](auto) -> Ref {
        if (!isBool)
          return nullptr;
        Constant same = isTrue ? Constant::False : Constant::True;
        return anyOf(allOf(operand(0, Constant::True), operand(1, same)),
                     allOf(operand(0, Constant::False), operand(1, wanted)));
      })
      .Case<arith::ExtUIOp, arith::ExtSIOp, arith::UIToFPOp, arith::SIToFPOp>(
          [&](auto) -> Ref {
            if (!isZero)
              return nullptr;
            bool fromBool = inner->getOperand(0).getType().isInteger(1);
            return operand(0, fromBool ? Constant::False : Constant::Zero);
          })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return operand(0, wanted); })
      .Case<arith::NegFOp>([&](auto) { return operand(0, negated(wanted)); })
      .Case<arith::AddFOp>([&](auto) -> Ref {
        return isInfinite ? either(wanted) : isZero ? both(wanted) : nullptr;
      })
      .Case<arith::SubFOp>([&](auto) -> Ref {
        if (isInfinite)
          return anyOf(operand(0, wanted), operand(1, negated(wanted)));
        return isZero ? both(wanted) : nullptr;
      })
      .Case<arith::MulFOp>([&](auto) -> Ref {
        if (isZero)
          return either(wanted);
        if (!isInfinite)
          return nullptr;
        return anyOf(scaled(0, signOf(1)), scaled(1, signOf(0)));
      })
      .Case<arith::DivFOp>([&](auto) -> Ref {
        if (isInfinite)
          return scaled(0, signOf(1));
        if (!isZero)
          return nullptr;
        return anyOf(operand(0, Constant::Zero),
                     anyOf(operand(1, Constant::Infinity),
                           operand(1, Constant::NegativeInfinity)));
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) -> Ref {
        return wanted == Constant::Infinity ? either(wanted)
               : isInfinite || isZero       ? both(wanted)
                                            : nullptr;
      })
      .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) -> Ref {
        return wanted == Constant::NegativeInfinity ? either(wanted)
               : isInfinite || isZero               ? both(wanted)
                                                    : nullptr;
      })
      .Case<math::ExpOp, math::Exp2Op>([&](auto) -> Ref {
        return isZero ? operand(0, Constant::NegativeInfinity)
               : wanted == Constant::Infinity ? operand(0, wanted)
                                              : nullptr;
      })
      .Case<math::SqrtOp, math::AbsFOp, math::TanhOp, math::SinOp, math::ErfOp,
            math::ExpM1Op, math::Log1pOp>(
          [&](auto) -> Ref { return isZero ? operand(0, wanted) : nullptr; })
      .Default([](Operation *) { return Ref(); });
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

Ref Prover::excluded(unsigned axis) {
  const GroupModel &model = group.model;
  for (const GroupTensor &tensor : model.tensors)
    if ((tensor.role == TensorRole::Result ||
         tensor.role == TensorRole::Statistic) &&
        llvm::is_contained(tensor.axes, axis))
      return nullptr;
  Ref result = always();
  for (unsigned op = 0; op < group.operators.size() && result; ++op) {
    if (std::optional<unsigned> number = group.reductionOf[op]) {
      if (!llvm::is_contained(model.reductions[*number].reduced, axis))
        continue;
      using Kind = arith::AtomicRMWKind;
      ReductionBody body = *matchReduction(group.operators[op]);
      std::optional<Constant> identity;
      if (body.kind == Kind::maximumf || body.kind == Kind::maxnumf)
        identity = Constant::NegativeInfinity;
      else if (body.kind == Kind::minimumf || body.kind == Kind::minnumf)
        identity = Constant::Infinity;
      else if (body.kind == Kind::addf || body.kind == Kind::addi)
        identity = Constant::Zero;
      result = identity ? allOf(result, prove(op, body.combined, *identity))
                        : nullptr;
    } else if (std::optional<unsigned> number = group.contractionOf[op]) {
      if (llvm::is_contained(model.contractions[*number].reduction, axis))
        result =
            allOf(result, anyOf(proveValue(group.operators[op]->getOperand(0),
                                           Constant::Zero),
                                proveValue(group.operators[op]->getOperand(1),
                                           Constant::Zero)));
    }
  }
  return isAlways(result) ? nullptr : result;
}

/// Returns the share of points between the first and the last point of their
/// row that is not excluded. A row is a single point of the other axes.
static double minShare(const GroupModel &group, const MaskedAxis &masked) {
  // With more rows the share is a bound that is not tight.
  constexpr int64_t maxRows = 1 << 17;
  SmallVector<TiledAxis, 2> others;
  int64_t rows = 1;
  for (unsigned other : otherAxes(masked)) {
    int64_t extent = group.axes[other].extent;
    if (rows > maxRows / extent)
      return 0;
    rows *= extent;
    others.push_back({other, /*tile=*/1, /*range=*/1});
  }
  double covered = 0;
  forEachUnmaskedTiles(
      group, masked, /*tile=*/1, others,
      [&](const UnmaskedTiles &visited) { covered += visited.covered; });
  return covered / (static_cast<double>(rows) * group.axes[masked.axis].extent);
}

/// Returns the static axes that some contraction sums over.
static SmallVector<unsigned, 2> listSummedAxes(const GroupModel &model) {
  SmallVector<unsigned, 2> axes;
  for (unsigned axis = 0; axis < model.axes.size(); ++axis)
    if (!model.axes[axis].isDynamic &&
        llvm::any_of(model.contractions, [&](const Contraction &contraction) {
          return llvm::is_contained(contraction.reduction, axis);
        }))
      axes.push_back(axis);
  return axes;
}

/// Returns the axes that contractions sum over and of which points are
/// excluded.
static SmallVector<MaskedAxis, 1> proveMasks(const GroupAxes &group) {
  SmallVector<MaskedAxis, 1> result;
  Prover prover(group);
  for (unsigned axis : listSummedAxes(group.model)) {
    Ref where = prover.excluded(axis);
    if (where)
      where = solve(where, axis);
    if (!where)
      continue;
    MaskedAxis masked{axis, where};
    masked.minShare = minShare(group.model, masked);
    result.push_back(std::move(masked));
  }
  return result;
}

SmallVector<MaskedAxis, 1> fusion::deriveMaskedAxes(const GroupAxes &group) {
  SmallVector<MaskedAxis, 1> masks = proveMasks(group);
  llvm::erase_if(masks,
                 [](const MaskedAxis &masked) { return masked.minShare == 1; });
  return masks;
}

/// Whether a comparison follows from the axis's index, and from no value of the
/// tensors that are multiplied or added. Comparisons of such values are no
/// masks.
static bool comparesIndex(Operation *comparison, const GroupAxes &group,
                          size_t op, unsigned axis) {
  bool readsIndex = false;
  SmallVector<Value> open(comparison->getOperands());
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *source = value.getDefiningOp();
    if (!source) {
      if (isa<FloatType>(value.getType()))
        return false;
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(source))
      readsIndex |= group.loops[op][index.getDim()] == axis;
    llvm::append_range(open, source->getOperands());
  }
  return readsIndex;
}

SmallVector<MaskedAxis, 1> fusion::listUnusedMasks(const GroupAxes &group) {
  auto compares = [&](unsigned axis) {
    return llvm::any_of(llvm::enumerate(group.operators), [&](auto each) {
      linalg::LinalgOp op = each.value();
      return llvm::any_of(*op.getBlock(), [&](Operation &inner) {
        return isa<arith::CmpIOp, arith::CmpFOp>(inner) &&
               comparesIndex(&inner, group, each.index(), axis);
      });
    });
  };
  SmallVector<MaskedAxis, 1> proven = proveMasks(group), result;
  for (unsigned axis : listSummedAxes(group.model)) {
    auto known = llvm::find_if(
        proven, [&](const MaskedAxis &masked) { return masked.axis == axis; });
    if (known == proven.end() ? compares(axis) : known->minShare == 1)
      result.push_back(known == proven.end() ? MaskedAxis{axis, nullptr}
                                             : *known);
  }
  return result;
}
