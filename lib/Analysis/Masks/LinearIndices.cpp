//===- LinearIndices.cpp - Scalars that are linear in indices -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearIndices.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

std::optional<std::pair<unsigned, Value>>
LinearIndices::elementwise(Value value) const {
  auto *producer =
      llvm::find(group.operators, value.getDefiningOp<linalg::LinalgOp>());
  unsigned index = producer - group.operators.begin();
  // The result of a contraction or a reduction is an unknown number.
  if (producer == group.operators.end() || group.contractionOf[index] ||
      group.reductionOf[index])
    return std::nullopt;
  linalg::LinalgOp op = *producer;
  return std::make_pair(index, op.getBlock()->getTerminator()->getOperand(0));
}

std::pair<int64_t, int64_t> LinearIndices::range(const Linear &value) const {
  int64_t low = value.constant, high = value.constant;
  for (auto [index, coefficient] : value.terms) {
    int64_t digit = (group.model.axes[index.axis].extent - 1) / index.divisor;
    if (index.period != 0)
      digit = std::min(digit, index.period - 1);
    int64_t most = coefficient * digit;
    (most < 0 ? low : high) += most;
  }
  return {low, high};
}

bool LinearIndices::isNonNegative(const Extreme &value) const {
  if (!value.isGreatest)
    return llvm::all_of(
        value.of, [&](const Linear &each) { return range(each).first >= 0; });
  // Two values whose sum is not negative are not both negative.
  return llvm::any_of(value.of, [&](const Linear &a) {
    return llvm::any_of(value.of, [&](const Linear &b) {
      return range(a.plus(b, 1)).first >= 0;
    });
  });
}

/// Whether all values fit into a type. Wrapping would change their order.
bool LinearIndices::fits(const Linear &value, Type type) const {
  auto [low, high] = range(value);
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return llvm::isIntN(std::min(bits, 48u), low) &&
         llvm::isIntN(std::min(bits, 48u), high);
}

std::optional<Linear> LinearIndices::linear(unsigned op, Value scalar) {
  if (auto known = linears.find({op, scalar}); known != linears.end())
    return known->second;
  std::optional<Linear> result = deriveLinear(op, scalar);
  linears[{op, scalar}] = result;
  return result;
}

/// Returns the quotient or the remainder of an index, or of a digit of one, by
/// a positive constant.
std::optional<Linear> LinearIndices::digit(unsigned op, Operation *inner,
                                           bool isQuotient) {
  std::optional<Linear> value = linear(op, inner->getOperand(0)),
                        by = linear(op, inner->getOperand(1));
  if (!value || !by || !by->terms.empty() || by->constant < 1 ||
      value->constant != 0 || value->terms.size() != 1 ||
      value->terms.front().second != 1)
    return std::nullopt;
  int64_t divisor = by->constant;
  MaskIndex &index = value->terms.front().first;
  if (range(*value).second < divisor) {
    if (isQuotient)
      value->terms.clear();
    return value;
  }
  // Digits of digits, where the periods fit into each other.
  if (index.period != 0 && index.period % divisor != 0)
    return std::nullopt;
  if (isQuotient) {
    index.divisor *= divisor;
    index.period /= divisor;
  } else {
    index.period = divisor;
  }
  return value;
}

std::optional<Linear> LinearIndices::deriveLinear(unsigned op, Value scalar) {
  APInt constant;
  Linear result;
  if (matchPattern(scalar, m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() > 48)
      return std::nullopt;
    result.constant = constant.getSExtValue();
    return result;
  }
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp reader = group.operators[op];
    if (argument.getOwner() != reader.getBlock())
      return std::nullopt;
    auto made = elementwise(reader->getOperand(argument.getArgNumber()));
    return made ? linear(made->first, made->second) : std::nullopt;
  }
  Operation *inner = scalar.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    unsigned axis = group.loops[op][index.getDim()];
    if (group.model.axes[axis].isDynamic)
      return std::nullopt;
    result.terms.push_back({MaskIndex{axis}, 1});
    return result;
  }
  auto combine = [&](int64_t factor) -> std::optional<Linear> {
    std::optional<Linear> a = linear(op, inner->getOperand(0)),
                          b = linear(op, inner->getOperand(1));
    if (!a || !b)
      return std::nullopt;
    return a->plus(*b, factor);
  };
  std::optional<Linear> value =
      llvm::TypeSwitch<Operation *, std::optional<Linear>>(inner)
          .Case<arith::AddIOp>([&](auto) { return combine(1); })
          .Case<arith::SubIOp>([&](auto) { return combine(-1); })
          .Case<arith::MulIOp>([&](auto) -> std::optional<Linear> {
            std::optional<Linear> a = linear(op, inner->getOperand(0)),
                                  b = linear(op, inner->getOperand(1));
            if (!a || !b)
              return std::nullopt;
            if (!a->terms.empty())
              std::swap(a, b);
            if (!a->terms.empty() ||
                llvm::AbsoluteValue(a->constant) > (1 << 20))
              return std::nullopt;
            return Linear().plus(*b, a->constant);
          })
          .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
              [&](auto) { return digit(op, inner, /*isQuotient=*/true); })
          .Case<arith::RemUIOp, arith::RemSIOp>(
              [&](auto) { return digit(op, inner, /*isQuotient=*/false); })
          .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
              [&](auto) { return linear(op, inner->getOperand(0)); })
          .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
              [&](auto) -> std::optional<Linear> {
                std::optional<Linear> a = linear(op, inner->getOperand(0));
                if (!a || range(*a).first < 0)
                  return std::nullopt;
                return a;
              })
          .Default([](Operation *) { return std::nullopt; });
  if (value && !fits(*value, scalar.getType()))
    return std::nullopt;
  return value;
}

std::optional<Extreme> LinearIndices::extreme(unsigned op, Value scalar) {
  if (std::optional<Linear> value = linear(op, scalar))
    return Extreme{true, {*value}};
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    linalg::LinalgOp reader = group.operators[op];
    if (argument.getOwner() != reader.getBlock())
      return std::nullopt;
    auto made = elementwise(reader->getOperand(argument.getArgNumber()));
    return made ? extreme(made->first, made->second) : std::nullopt;
  }
  std::optional<Extreme> value = deriveExtreme(op, scalar.getDefiningOp());
  if (value && !llvm::all_of(value->of, [&](const Linear &each) {
        return fits(each, scalar.getType());
      }))
    return std::nullopt;
  return value;
}

std::optional<Extreme> LinearIndices::deriveExtreme(unsigned op,
                                                    Operation *inner) {
  auto operand = [&](unsigned number) {
    return extreme(op, inner->getOperand(number));
  };
  // The sum of each function on the left and `right` times each function on the
  // right. One of the sides is linear.
  auto sum = [&](int64_t right) -> std::optional<Extreme> {
    std::optional<Extreme> a = operand(0), b = operand(1);
    if (!a || !b || (a->of.size() > 1 && b->of.size() > 1))
      return std::nullopt;
    Extreme result;
    result.isGreatest =
        b->of.size() > 1 ? b->isGreatest == (right > 0) : a->isGreatest;
    for (const Linear &one : a->of)
      for (const Linear &other : b->of)
        result.of.push_back(one.plus(other, right));
    return result;
  };
  auto pick = [&](bool isGreatest) -> std::optional<Extreme> {
    Extreme result{isGreatest, {}};
    for (unsigned number : {0, 1}) {
      std::optional<Extreme> each = operand(number);
      if (!each || (each->of.size() > 1 && each->isGreatest != isGreatest))
        return std::nullopt;
      result.of.append(each->of);
    }
    return result;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Extreme>>(inner)
      .Case<math::AbsIOp>([&](auto) -> std::optional<Extreme> {
        std::optional<Linear> value = linear(op, inner->getOperand(0));
        if (!value)
          return std::nullopt;
        return Extreme{true, {*value, Linear().plus(*value, -1)}};
      })
      .Case<arith::MaxSIOp>([&](auto) { return pick(/*isGreatest=*/true); })
      .Case<arith::MinSIOp>([&](auto) { return pick(/*isGreatest=*/false); })
      .Case<arith::AddIOp>([&](auto) { return sum(1); })
      .Case<arith::SubIOp>([&](auto) { return sum(-1); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return operand(0); })
      .Default([](Operation *) { return std::nullopt; });
}
