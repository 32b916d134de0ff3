//===- Coordinates.cpp - Coordinates of what a thread holds ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <cstdlib>
#include <limits>

using namespace mlir;
using namespace fusion;

using Narrow = std::numeric_limits<int32_t>;

SplitCoordinate fusion::splitCoordinate(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue()};
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (sum &&
      bitEnumContainsAll(sum.getOverflowFlags(),
                         arith::IntegerOverflowFlags::nsw) &&
      matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
    return {sum.getLhs(), constant.getSExtValue()};
  return {value, 0};
}

std::optional<AddressPlan> fusion::planCoordinate(const LinearLayout &layout,
                                                  int64_t dimension) {
  return planAddresses(
      layout.sublayout({LayoutDim::Register, LayoutDim::Lane, LayoutDim::Warp},
                       {tileDim(dimension)}));
}

Value fusion::coordinate(ThreadBuilder &b, const LinearLayout &layout,
                         int64_t dimension, int64_t reg) {
  std::optional<AddressPlan> plan = planCoordinate(layout, dimension);
  return plan ? b.address(*plan, plan->registers.size() == 1 ? 0 : reg)
              : Value();
}

Values fusion::coordinates(ThreadBuilder &b, const LinearLayout &layout,
                           int64_t dimension) {
  std::optional<AddressPlan> plan = planCoordinate(layout, dimension);
  if (!plan)
    return {};
  // What is the same is one value.
  llvm::DenseMap<int64_t, Value> ofThread;
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> known;
  Values result;
  int64_t count = layout.inSize(LayoutDim::Register);
  for (int64_t reg = 0; reg < count; ++reg) {
    const AddressPlan::Constant &constant =
        plan->registers[plan->registers.size() == 1 ? 0 : reg];
    Value &shared = ofThread[constant.ofThread()];
    if (!shared)
      shared = b.threadOffset(*plan, constant.ofThread());
    Value &own = known[{constant.ofThread(), constant.added()}];
    if (!own)
      own = b.addConstant(shared, constant.added());
    result.push_back(own);
  }
  return result;
}

Values fusion::compareCoordinates(ThreadBuilder &b, ThreadTarget &target,
                                  arith::CmpIPredicate predicate,
                                  ValueRange lhs, ValueRange rhs) {
  llvm::SmallVector<std::pair<SplitCoordinate, SplitCoordinate>> pairs;
  llvm::MapVector<std::pair<Value, Value>, Value> differences;
  bool isSigned = predicate <= arith::CmpIPredicate::sge;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    auto &[x, y] =
        pairs.emplace_back(splitCoordinate(left), splitCoordinate(right));
    differences[{x.shared, y.shared}];
    isSigned &= std::abs(y.constant - x.constant) < Narrow::max();
  }
  // A difference takes a few instructions.
  constexpr size_t few = 2;
  bool isShared = isSigned && differences.size() * few < pairs.size();
  if (isShared)
    for (auto &[shared, difference] : differences) {
      auto [left, right] = shared;
      if (!left)
        left = b.index(0);
      difference = right ? arith::SubIOp::create(
                               b, left, right, arith::IntegerOverflowFlags::nsw)
                               .getResult()
                         : left;
      // What lies further away is as far away for every constant.
      difference =
          arith::MaxSIOp::create(b, difference, b.index(Narrow::min()));
      difference =
          arith::MinSIOp::create(b, difference, b.index(Narrow::max()));
      // LLVM would compare in 64 bits, two instructions, what it knows to fit.
      difference = target.opaque(
          b, arith::IndexCastOp::create(b, b.getI32Type(), difference),
          /*isInOrder=*/false);
    }
  // Registers that hold the same compare it once.
  llvm::DenseMap<std::pair<Value, Value>, Value> known;
  Values results;
  for (auto [left, right, pair] : llvm::zip_equal(lhs, rhs, pairs)) {
    Value &holds = known[{left, right}];
    if (!holds && isShared)
      holds = arith::CmpIOp::create(
          b, predicate, differences[{pair.first.shared, pair.second.shared}],
          b.i32(pair.second.constant - pair.first.constant));
    else if (!holds)
      holds = arith::CmpIOp::create(b, predicate, left, right);
    results.push_back(holds);
  }
  return results;
}
