//===- PipelineExpand.cpp - tile-pipeline-expand ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEEXPAND
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Expands one loop.
class Expander {
public:
  explicit Expander(scf::ForOp loop)
      : loop(loop), rewriter(loop.getContext()), loc(loop.getLoc()) {
    for (auto copy : loop.getBody()->getOps<CopyAsyncOp>())
      if (copy.getStages())
        copies.push_back(copy);
  }

  LogicalResult run();

private:
  LogicalResult check();
  void enlarge(CopyAsyncOp copy);
  void dropSynchronisation();
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  /// The lower bound plus `iterations` steps.
  Value inductionAfter(Value start, int64_t iterations);
  /// Whether an iteration exists: null where it is known to.
  Value exists(Value induction, int64_t iteration);
  void emitCopy(CopyAsyncOp copy, Value induction, Value stage,
                Value predicate, int64_t slot);
  void emitPrologue();
  void emitLoop();

  scf::ForOp loop;
  IRRewriter rewriter;
  Location loc;
  SmallVector<CopyAsyncOp> copies;
  int64_t most = 0, fewest = 0; ///< stages
};

} // namespace

LogicalResult Expander::check() {
  for (CopyAsyncOp copy : copies) {
    int64_t stages = *copy.getStages();
    most = std::max(most, stages);
    fewest = fewest == 0 ? stages : std::min(fewest, stages);
    auto alloc = copy.getBuffer().getDefiningOp<AllocOp>();
    if (!alloc || !alloc.getPipelined())
      return copy.emitOpError("has stages but its buffer is not pipelined; run "
                              "tile-pipeline-identify");
    if (!matchPattern(copy.getStage(), m_Zero()))
      return copy.emitOpError("fills another stage than the first");
    if (stages < 2)
      return copy.emitOpError("needs at least two stages to be pipelined");
    // What the copy is computed from must not come from other iterations.
    for (Value carried : loop.getRegionIterArgs()) {
      SetVector<Operation *> slice;
      getForwardSlice(carried, &slice);
      if (slice.contains(copy))
        return copy.emitOpError("depends on a value that the loop carries");
    }
  }
  return success();
}

void Expander::enlarge(CopyAsyncOp copy) {
  auto alloc = copy.getBuffer().getDefiningOp<AllocOp>();
  BufferType type = alloc.getType();
  alloc.getResult().setType(BufferType::get(
      type.getContext(), *copy.getStages(), type.getRows(), type.getColumns(),
      type.getElementType(), type.getLayout()));
  alloc.setPipelined(false);
  alloc.removePipelineStagesAttr();
}

/// Removes the commits and waits of the loop that were for pipelined copies only.
/// Copies before the loop that no commit has closed join the prologue's group.
void Expander::dropSynchronisation() {
  bool others = false, uncommitted = false;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      if (!copy.getStages())
        uncommitted = true;
    } else if (isa<CommitOp>(op)) {
      if (!uncommitted)
        rewriter.eraseOp(&op);
      others |= uncommitted;
      uncommitted = false;
    } else if (isa<WaitOp>(op)) {
      if (!others)
        rewriter.eraseOp(&op);
      others = false;
    }
  }
}

Value Expander::inductionAfter(Value start, int64_t iterations) {
  if (iterations == 0)
    return start;
  APInt first, step;
  if (matchPattern(start, m_ConstantInt(&first)) &&
      matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return constant(first.getSExtValue() + iterations * step.getSExtValue());
  Value distance =
      arith::MulIOp::create(rewriter, loc, loop.getStep(), constant(iterations));
  return arith::AddIOp::create(rewriter, loc, start, distance);
}

Value Expander::exists(Value induction, int64_t iteration) {
  APInt value, bound;
  if (matchPattern(induction, m_ConstantInt(&value)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)) &&
      value.slt(bound))
    return {};
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                               induction, loop.getUpperBound());
}

/// Copies a copy, with what it is computed from, for another iteration.
void Expander::emitCopy(CopyAsyncOp copy, Value induction, Value stage,
                        Value predicate, int64_t slot) {
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    return op->getBlock() == copy->getBlock();
  };
  options.omitBlockArguments = true;
  SetVector<Operation *> slice;
  (void)getBackwardSlice(copy.getOperation(), &slice, options);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), induction);
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  auto moved = cast<CopyAsyncOp>(rewriter.clone(*copy, mapping));
  moved.getStageMutable().assign(stage);
  if (predicate) {
    if (Value own = moved.getPredicate())
      predicate = arith::AndIOp::create(rewriter, loc, own, predicate);
    rewriter.moveOpBefore(moved, rewriter.getInsertionBlock(),
                          rewriter.getInsertionPoint());
    moved.getPredicateMutable().assign(predicate);
  }
  moved.removeStagesAttr();
  moved.setSlot(slot);
}

void Expander::emitPrologue() {
  rewriter.setInsertionPoint(loop);
  for (int64_t group = 0; group + 1 < most; ++group) {
    for (CopyAsyncOp copy : copies) {
      // Buffers with fewer stages start later.
      int64_t iteration = group - (most - *copy.getStages());
      if (iteration < 0)
        continue;
      Value induction = inductionAfter(loop.getLowerBound(), iteration);
      emitCopy(copy, induction, constant(iteration),
               exists(induction, iteration), iteration);
    }
    ProducerCommitOp::create(rewriter, loc);
  }
}

void Expander::emitLoop() {
  // Stages advance as counters that wrap around, one pair for each number of
  // stages.
  llvm::MapVector<int64_t, std::pair<Value, Value>> counters;
  SmallVector<Value> inits;
  rewriter.setInsertionPoint(loop);
  for (CopyAsyncOp copy : copies)
    if (counters.insert({static_cast<int64_t>(*copy.getStages()), {}}).second) {
      inits.push_back(constant(0));
      inits.push_back(constant(*copy.getStages() - 1));
    }
  unsigned carried = loop.getNumResults();
  SmallVector<int64_t> numbers;
  for (auto &entry : counters)
    numbers.push_back(entry.first);
  auto advance = [&](OpBuilder &, Location,
                     ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
    SmallVector<Value> next;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      Value one = constant(1), stages = constant(numbers[index / 2]);
      Value following = arith::AddIOp::create(rewriter, loc, argument, one);
      Value wraps = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, following, stages);
      next.push_back(arith::SelectOp::create(rewriter, loc, wraps, constant(0),
                                             following));
    }
    return next;
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location l, ArrayRef<BlockArgument> arguments) {
        OpBuilder::InsertionGuard guard(rewriter);
        rewriter.setInsertionPoint(builder.getInsertionBlock(),
                                   builder.getInsertionPoint());
        return advance(builder, l, arguments);
      });
  loop = cast<scf::ForOp>(replaced->getOperation());
  for (auto [index, number] : llvm::enumerate(numbers))
    counters[number] = {loop.getRegionIterArg(carried + 2 * index),
                        loop.getRegionIterArg(carried + 2 * index + 1)};

  copies.clear();
  for (auto copy : loop.getBody()->getOps<CopyAsyncOp>())
    if (copy.getStages())
      copies.push_back(copy);
  rewriter.setInsertionPointToStart(loop.getBody());
  ConsumerWaitOp::create(rewriter, loc, fewest - 2);
  ProducerAcquireOp::create(rewriter, loc);
  for (CopyAsyncOp copy : copies) {
    int64_t ahead = *copy.getStages() - 1;
    Value induction = inductionAfter(loop.getInductionVar(), ahead);
    Value inside = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::slt, induction,
        loop.getUpperBound());
    emitCopy(copy, induction, counters[*copy.getStages()].second, inside, ahead);
  }
  ProducerCommitOp::create(rewriter, loc);
  // Reads are of the oldest stage.
  Operation *lastRead = nullptr;
  for (CopyAsyncOp copy : copies) {
    for (Operation *user : copy.getBuffer().getUsers())
      if (auto load = dyn_cast<LocalLoadOp>(user)) {
        load.getStageMutable().assign(counters[*copy.getStages()].first);
        load.setSlot(0);
        Operation *inBody = loop.getBody()->findAncestorOpInBlock(*load);
        if (!lastRead || lastRead->isBeforeInBlock(inBody))
          lastRead = inBody;
      }
    enlarge(copy);
    rewriter.eraseOp(copy);
  }
  if (lastRead) {
    rewriter.setInsertionPointAfter(lastRead);
    ConsumerReleaseOp::create(rewriter, loc);
  }
}

LogicalResult Expander::run() {
  if (copies.empty())
    return success();
  if (failed(check()))
    return failure();
  dropSynchronisation();
  emitPrologue();
  emitLoop();
  return success();
}

namespace {

struct ExpandPass : fusion::impl::TilePipelineExpandBase<ExpandPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(Expander(loop).run()))
        return signalPassFailure();
  }
};

} // namespace
