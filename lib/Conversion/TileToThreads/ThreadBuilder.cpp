//===- ThreadBuilder.cpp - Arithmetic of one thread -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

void ThreadBuilder::setThread(Value thread) {
  ThreadBuilder &b = *this;
  Value narrow = arith::IndexCastUIOp::create(b, getI32Type(), thread);
  Value lanes = i32(kWarpSize);
  laneIndex = arith::RemUIOp::create(b, narrow, lanes);
  warpIndex = arith::DivUIOp::create(b, narrow, lanes);
}

void ThreadBuilder::endEntry() { entryEnd = index(0).getDefiningOp(); }

Value ThreadBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value ThreadBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, value, 32);
}

Value ThreadBuilder::add(Value x, Value y) {
  if (matchPattern(x, m_Zero()))
    return y;
  if (matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(*this, x, y,
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

Value ThreadBuilder::addSigned(Value x, Value y) {
  if (matchPattern(x, m_Zero()))
    return y;
  if (matchPattern(y, m_Zero()))
    return x;
  return arith::AddIOp::create(*this, x, y, arith::IntegerOverflowFlags::nsw);
}

Value ThreadBuilder::addConstant(Value x, int64_t constant) {
  return constant == 0 ? x : add(x, index(constant));
}

Value ThreadBuilder::mul(Value x, Value y) {
  if (matchPattern(x, m_One()))
    return y;
  if (matchPattern(y, m_One()))
    return x;
  return arith::MulIOp::create(*this, x, y,
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

Value ThreadBuilder::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(*this, x, y);
}

void ThreadBuilder::enterIf(Value condition) {
  if (condition)
    setInsertionPointToStart(
        scf::IfOp::create(*this, condition, /*withElseRegion=*/false)
            .thenBlock());
}

Value ThreadBuilder::ifElse(Type type, Value condition,
                            llvm::function_ref<Value()> then,
                            llvm::function_ref<Value()> otherwise) {
  auto branch =
      scf::IfOp::create(*this, type, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, then());
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, otherwise());
  return branch.getResult(0);
}

Value ThreadBuilder::threadDigit(LayoutDim input, int64_t weight,
                                 std::optional<int64_t> radix) {
  Value digit = input == LayoutDim::Lane ? laneIndex : warpIndex;
  if (weight != 1)
    digit = arith::DivUIOp::create(*this, digit, i32(weight));
  if (radix)
    digit = arith::RemUIOp::create(*this, digit, i32(*radix));
  return digit;
}

Value ThreadBuilder::threadOffset(const AddressPlan &plan, int64_t xorPart) {
  ThreadBuilder &b = *this;
  return atEntry([&]() -> Value {
    Value xored, added;
    for (const AddressPlan::Term &term : plan.terms) {
      Value digit = threadDigit(term.input, term.weight,
                                term.last ? std::nullopt
                                          : std::optional<int64_t>(term.radix));
      if (term.step != 1)
        digit = arith::MulIOp::create(b, digit, i32(term.step));
      Value &sum = term.isXor ? xored : added;
      if (!sum)
        sum = digit;
      else if (term.isXor)
        sum = arith::XOrIOp::create(b, sum, digit);
      else
        sum = arith::AddIOp::create(b, sum, digit);
    }
    if (xorPart != 0)
      xored = xored ? arith::XOrIOp::create(b, xored, i32(xorPart)).getResult()
                    : i32(xorPart);
    Value sum = xored && added
                    ? arith::AddIOp::create(b, xored, added).getResult()
                : xored ? xored
                : added ? added
                        : i32(0);
    return arith::IndexCastUIOp::create(b, getIndexType(), sum);
  });
}

Value ThreadBuilder::address(const AddressPlan &plan, int64_t reg) {
  const AddressPlan::Constant &constant = plan.registers[reg];
  return addConstant(threadOffset(plan, constant.ofThread()), constant.added());
}

Value ThreadBuilder::isFirstHolder(const LinearLayout &ofLanes,
                                   const LinearLayout &ofWarps) {
  return atEntry([&]() -> Value {
    Value result;
    for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp}) {
      Value id = input == LayoutDim::Lane ? laneIndex : warpIndex;
      const LinearLayout &layout = input == LayoutDim::Lane ? ofLanes : ofWarps;
      auto require = [&](Value value, arith::CmpIPredicate predicate,
                         int64_t against) {
        Value holds =
            arith::CmpIOp::create(*this, predicate, value, i32(against));
        result = both(result, holds);
      };
      for (const LinearLayout::Digit &digit : layout.freeDigits(input))
        require(threadDigit(input, digit.weight, digit.radix),
                arith::CmpIPredicate::eq, 0);
      // An index counts modulo the size of its input in the layout: threads
      // beyond that size are replicas.
      int64_t threads = input == LayoutDim::Lane ? kWarpSize : warps;
      if (layout.inSize(input) < threads)
        require(id, arith::CmpIPredicate::ult, layout.inSize(input));
    }
    return result;
  });
}

bool fusion::areThreadsAlike(const LinearLayout &a, const LinearLayout &b) {
  LayoutDim threads[] = {LayoutDim::Lane, LayoutDim::Warp};
  return a.sublayout(threads, a.outDims()) == b.sublayout(threads, b.outDims());
}
