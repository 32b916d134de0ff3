//===- EmitCoordinates.cpp - Where elements lie -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coordinates of what a thread holds differ by constants. Comparisons of
// them are of the constants with a difference that registers share, in 32 bits:
// an instruction each, and no register holds a coordinate.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <cstdlib>
#include <limits>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

using Narrow = std::numeric_limits<int32_t>;

namespace {
/// A coordinate: what registers share, null for nothing, and a constant.
struct Displaced {
  Value shared;
  int64_t constant = 0;
};
} // namespace

static Displaced split(Value value) {
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

std::optional<AddressPlan> KernelEmitter::planOf(const LinearLayout &layout,
                                                 int64_t dimension) {
  return planAddresses(layout.sublayout(
      {LayoutDim::Register, LayoutDim::Lane, LayoutDim::Warp},
      {tileDim(dimension)}));
}

Value KernelEmitter::coordinate(const LinearLayout &layout, int64_t dimension,
                                int64_t reg) {
  std::optional<AddressPlan> plan = planOf(layout, dimension);
  return plan ? address(*plan, plan->registers.size() == 1 ? 0 : reg) : Value();
}

KernelEmitter::Values KernelEmitter::coordinates(const LinearLayout &layout,
                                                 int64_t dimension) {
  std::optional<AddressPlan> plan = planOf(layout, dimension);
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
      shared = threadOffset(*plan, constant.ofThread());
    Value &own = known[{constant.ofThread(), constant.added()}];
    if (!own)
      own = addConstant(shared, constant.added());
    result.push_back(own);
  }
  return result;
}

LogicalResult KernelEmitter::emitIota(IotaOp op) {
  Values result =
      coordinates(getLayout(op.getType()).getValue(), op.getDimension());
  if (result.empty())
    return op.emitOpError("has a layout without plain coordinates");
  Value start = scalar(op.getStart());
  llvm::DenseMap<Value, Value> first, known;
  for (Value &at : result) {
    auto [shared, constant] = split(at);
    Value &base = first[shared];
    if (!base)
      base = shared ? addSigned(start, shared) : start;
    Value &own = known[at];
    if (!own)
      own = addSigned(base, index(constant));
    at = own;
  }
  registers[op] = std::move(result);
  return success();
}

KernelEmitter::Values KernelEmitter::compare(arith::CmpIPredicate predicate,
                                             ValueRange lhs, ValueRange rhs) {
  llvm::SmallVector<std::pair<Displaced, Displaced>> pairs;
  llvm::MapVector<std::pair<Value, Value>, Value> differences;
  bool isSigned = predicate <= arith::CmpIPredicate::sge;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    auto &[a, b] = pairs.emplace_back(split(left), split(right));
    differences[{a.shared, b.shared}];
    isSigned &= std::abs(b.constant - a.constant) < Narrow::max();
  }
  // A difference takes a few instructions.
  constexpr size_t few = 2;
  bool isShared = isSigned && differences.size() * few < pairs.size();
  if (isShared)
    for (auto &[shared, difference] : differences) {
      auto [left, right] = shared;
      if (!left)
        left = index(0);
      difference = right ? arith::SubIOp::create(
                               b, loc, left, right,
                               arith::IntegerOverflowFlags::nsw)
                               .getResult()
                         : left;
      // What lies further away is as far away for every constant.
      difference = arith::MaxSIOp::create(b, loc, difference,
                                          index(Narrow::min()));
      difference = arith::MinSIOp::create(b, loc, difference,
                                          index(Narrow::max()));
      // LLVM would compare in 64 bits, two instructions, what it knows to fit.
      difference = opaque(
          arith::IndexCastOp::create(b, loc, b.getI32Type(), difference),
          /*isInOrder=*/false);
    }
  // Registers that hold the same compare it once.
  llvm::DenseMap<std::pair<Value, Value>, Value> known;
  Values results;
  for (auto [left, right, pair] : llvm::zip_equal(lhs, rhs, pairs)) {
    Value &holds = known[{left, right}];
    if (!holds && isShared)
      holds = arith::CmpIOp::create(
          b, loc, predicate,
          differences[{pair.first.shared, pair.second.shared}],
          i32(pair.second.constant - pair.first.constant));
    else if (!holds)
      holds = arith::CmpIOp::create(b, loc, predicate, left, right);
    results.push_back(holds);
  }
  return results;
}

LogicalResult KernelEmitter::emitMask(MaskOp op) {
  Values at =
      coordinates(getLayout(op.getType()).getValue(), op.getDimension());
  if (at.empty())
    return op.emitOpError("has a layout without plain coordinates");
  const Values values = registers.lookup(op.getValue());
  Value bound = scalar(op.getBound()), fill = scalar(op.getFill());
  Values isInside = compare(arith::CmpIPredicate::slt, at,
                            Values(at.size(), bound));
  Values result;
  for (auto [value, inside] : llvm::zip_equal(values, isInside))
    result.push_back(arith::SelectOp::create(b, loc, inside, value, fill));
  registers[op] = std::move(result);
  return success();
}
