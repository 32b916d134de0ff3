//===- EmitControlFlow.cpp - Loops, branches and barriers -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether no value of a loop's induction variable, nor the first one beyond
/// the end, needs more than 31 bits.
static bool countsIn32Bits(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  return lower.isNonNegative() && lower.isSignedIntN(32) &&
         !upper.isNegative() && !step.isNegative() &&
         (upper + step).isSignedIntN(32);
}

namespace {

/// How a loop carries what a thread holds: elements narrower than a register in
/// the 32-bit registers that hold them.
class LoopValues {
public:
  LoopValues(scf::ForOp loop, KernelEmitter &e)
      : loop(loop), e(e), b(e.builder()) {}

  /// What the thread holds of `values`, in one list.
  Values flatten(ValueRange values);
  /// Sets what the thread holds of `values`, of the types of the loop's initial
  /// values, by a list as `flatten` makes it.
  void unflatten(ValueRange flat, ValueRange values);

private:
  /// Elements of a carried value: 2 of 16 bits, 4 of 8 bits, and otherwise 1.
  static size_t perCarried(Type type, size_t count) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getElementType().isIntOrFloat())
      return 1;
    unsigned bits = tensor.getElementTypeBitWidth();
    size_t together = bits == 16 ? 2 : bits == 8 ? 4 : 1;
    return count % together == 0 ? together : 1;
  }

  scf::ForOp loop;
  KernelEmitter &e;
  ThreadBuilder &b;
};

} // namespace

Values LoopValues::flatten(ValueRange values) {
  Values flat;
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType())) {
      flat.push_back(e.scalar(value));
      continue;
    }
    const Values &elements = e.registers(value);
    size_t together = perCarried(value.getType(), elements.size());
    if (together == 1) {
      llvm::append_range(flat, elements);
      continue;
    }
    for (size_t i = 0; i < elements.size(); i += together) {
      ValueRange own = ValueRange(elements).slice(i, together);
      // Pairs keep their type.
      flat.push_back(
          together == 4
              ? packWord(b, own)
              : vector::FromElementsOp::create(
                    b, VectorType::get({2}, own.front().getType()), own));
    }
  }
  return flat;
}

void LoopValues::unflatten(ValueRange flat, ValueRange values) {
  unsigned next = 0;
  for (auto [value, init] : llvm::zip_equal(values, loop.getInitArgs())) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor) {
      e.setScalar(value, flat[next++]);
      continue;
    }
    size_t count = e.registers(init).size(),
           together = perCarried(tensor, count);
    Values elements;
    for (size_t i = 0; i < count; i += together) {
      Value carried = flat[next++];
      if (together == 4)
        llvm::append_range(elements,
                           unpackWord(b, carried, tensor.getElementType()));
      else if (together == 1)
        elements.push_back(carried);
      else
        for (int64_t part : {0, 1})
          elements.push_back(vector::ExtractOp::create(b, carried, part));
    }
    e.setRegisters(value, std::move(elements));
  }
}

/// Whether tiles are multiplied in a loop.
static bool hasDot(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        return isa<DotOp, SharedDotOp>(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult emitFor(scf::ForOp loop, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  LoopValues values(loop, e);
  Values inits = values.flatten(loop.getInitArgs());
  // The target's own values are carried last.
  Values state = e.target().loopState(loop);
  llvm::append_range(inits, state);
  // The machine's integers have 32 bits; addresses only need more.
  bool isNarrow = countsIn32Bits(loop);
  auto bound = [&](Value value) -> Value {
    Value index = e.scalar(value);
    return isNarrow ? arith::IndexCastUIOp::create(b, b.getI32Type(), index)
                          .getResult()
                    : index;
  };
  auto lowered = scf::ForOp::create(b, bound(loop.getLowerBound()),
                                    bound(loop.getUpperBound()),
                                    bound(loop.getStep()), inits);
  // A loop over tiles has the overlap that its stages give; copies of its body
  // would push one another out of the instruction cache, and hold addresses and
  // fragments that the schedule's registers do not count.
  if (hasDot(loop))
    e.target().keepRolled(lowered);
  auto setState = [&](ValueRange carried) {
    if (!state.empty())
      e.target().setLoopState(carried.take_back(state.size()));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lowered.getBody());
    Value induction = lowered.getInductionVar();
    if (isNarrow)
      induction = arith::IndexCastUIOp::create(b, b.getIndexType(), induction);
    e.setScalar(loop.getInductionVar(), induction);
    values.unflatten(lowered.getRegionIterArgs(), loop.getRegionIterArgs());
    setState(lowered.getRegionIterArgs());
    if (failed(e.emitBlock(*loop.getBody())))
      return failure();
    Values results = values.flatten(loop.getYieldedValues());
    llvm::append_range(results, e.target().loopState(loop));
    b.setInsertionPointToEnd(lowered.getBody());
    if (!results.empty() || lowered.getBody()->empty() ||
        !lowered.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(b, results);
  }
  values.unflatten(lowered.getResults(), loop.getResults());
  setState(lowered.getResults());
  return success();
}

/// Emits the same branches: their results are scalars.
static LogicalResult emitIf(scf::IfOp conditional, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto lowered = scf::IfOp::create(b, conditional.getResultTypes(),
                                   e.scalar(conditional.getCondition()),
                                   !conditional.getElseRegion().empty());
  auto emitBranch = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty() && to->back().hasTrait<OpTrait::IsTerminator>())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    if (failed(e.emitBlock(*from)))
      return failure();
    scf::YieldOp::create(b, e.scalarsOf(from->getTerminator()->getOperands()));
    return success();
  };
  if (failed(emitBranch(conditional.thenBlock(), lowered.thenBlock())))
    return failure();
  if (!conditional.getElseRegion().empty() &&
      failed(emitBranch(conditional.elseBlock(), lowered.elseBlock())))
    return failure();
  for (auto [from, to] :
       llvm::zip_equal(conditional.getResults(), lowered.getResults()))
    e.setScalar(from, to);
  return success();
}

static LogicalResult emitBarrier(BarrierOp op, KernelEmitter &e) {
  bool hasProducers = e.kernel().getProducers().value_or(0) > 0;
  BarrierScope scope = BarrierScope::Block;
  if (op.getCluster())
    scope = BarrierScope::Cluster;
  else if (op.getWithProducers() && hasProducers)
    scope = BarrierScope::BlockAndProducers;
  else if (op.getWarp())
    scope = BarrierScope::Warp;
  return e.target().barrier(e.builder(), scope);
}

void fusion::addControlFlowEmitters(EmitterRegistry &registry) {
  registry.add<scf::ForOp>(emitFor);
  registry.add<scf::IfOp>(emitIf);
  registry.add<BarrierOp>(emitBarrier);
}
