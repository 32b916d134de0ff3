//===- PipelineExpand.cpp - tile-pipeline-expand --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
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

// Upstream's scf::pipelineForLoop carries values between iterations and peels
// an epilogue. Here memory carries the data, groups are counted exactly, and
// nothing is peeled, so that code does not grow with the stages.

namespace {

/// The primitives of a placed loop.
struct Primitives {
  ProducerAcquireOp acquire;
  ProducerCommitOp commit;
  ConsumerWaitOp wait;
  ConsumerReleaseOp release;

  /// The primitives of `loop`; all null if it has none. Fails unless there is
  /// one of each, in order.
  static FailureOr<Primitives> find(scf::ForOp loop);
  void erase(RewriterBase &rewriter) {
    rewriter.eraseOp(acquire);
    rewriter.eraseOp(commit);
    rewriter.eraseOp(wait);
    rewriter.eraseOp(release);
  }
};

/// Expands one loop.
class Expander {
public:
  Expander(scf::ForOp loop, Primitives primitives)
      : loop(loop), primitives(primitives), rewriter(loop.getContext()),
        loc(loop.getLoc()), fills(stagedFills(*loop.getBody())) {}

  LogicalResult run();

private:
  LogicalResult check();
  void enlarge(const Fill &fill);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }
  Value counter(int64_t value) {
    return arith::ConstantIntOp::create(rewriter, loc, value, 32);
  }
  /// The induction variable `iterations` steps after `start`.
  Value inductionAfter(Value start, int64_t iterations);
  /// Whether the iteration with this induction variable exists; null if it
  /// surely does.
  Value exists(Value induction);
  /// Copies a fill and the operations that compute its operands for another
  /// iteration. Returns the copy of its last operation.
  Operation *emitFill(const Fill &fill, Value induction, Value stage,
                      Value predicate, int64_t slot);
  void sortFills();
  /// Whether a fill is the last one with its number of stages, and some fill
  /// with that number is copied in groups.
  bool endsGroup(unsigned index) const;
  void closeGroup(unsigned index);
  void emitPrologue();
  void addCounters();
  void emitLoadRegion();
  void emitAwaits();

  scf::ForOp loop;
  Primitives primitives;
  IRRewriter rewriter;
  Location loc;
  SmallVector<Fill> fills;
  /// The stage that is read and the one that is filled, by number of stages.
  llvm::MapVector<int64_t, std::pair<Value, Value>> counters;
  int64_t most = 0;              ///< stages of a buffer
  std::optional<int64_t> fewest; ///< stages of one that is copied to in groups
  int64_t groups = 0;            ///< of copies in an iteration
};

} // namespace

FailureOr<Primitives> Primitives::find(scf::ForOp loop) {
  Primitives found;
  Operation *last = nullptr;
  auto take = [&](auto &slot, auto op, const char *name) -> LogicalResult {
    if (slot)
      return op.emitOpError("is the second one of its loop");
    if (!last && !isa<ProducerAcquireOp>(op))
      return op.emitOpError("stands before the loop's ") << name;
    slot = op;
    last = op;
    return success();
  };
  for (Operation &op : *loop.getBody()) {
    LogicalResult result = success();
    if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
      result = take(found.acquire, acquire, "");
    else if (auto commit = dyn_cast<ProducerCommitOp>(op))
      result = take(found.commit, commit, "tile.producer_acquire");
    else if (auto wait = dyn_cast<ConsumerWaitOp>(op))
      result = take(found.wait, wait, "tile.producer_acquire");
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      result = take(found.release, release, "tile.producer_acquire");
    if (failed(result))
      return failure();
  }
  if (!found.acquire)
    return found;
  if (!found.commit || !found.wait || !found.release ||
      !found.commit->isBeforeInBlock(found.wait) ||
      !found.wait->isBeforeInBlock(found.release))
    return found.acquire.emitOpError(
        "is not followed by commit, wait and release in this order; run "
        "tile-pipeline-place");
  if (found.wait.getPending() != 0)
    return found.wait.emitOpError(
        "of a loop that is not expanded yet must leave "
        "nothing in flight");
  return found;
}

LogicalResult Expander::check() {
  for (const Fill &fill : fills) {
    int64_t stages = *fill.stages();
    most = std::max(most, stages);
    if (fill.isGrouped())
      fewest = std::min(fewest.value_or(stages), stages);
    Operation *op = fill.operation();
    if (!primitives.acquire)
      return op->emitOpError("has stages but its loop has no primitives; run "
                             "tile-pipeline-place");
    if (failed(verifyStagedFill(fill, loop)))
      return failure();
    if (!primitives.acquire->isBeforeInBlock(fill.source()) ||
        !op->isBeforeInBlock(primitives.commit))
      return op->emitOpError(
          "stands outside of the load region, between acquire and commit");
    for (Operation *user : fill.buffer().getUsers()) {
      if (!readsStage(user) || readsLater(user, fill, loop))
        continue;
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
      if (!inBody || !primitives.wait->isBeforeInBlock(inBody) ||
          !inBody->isBeforeInBlock(primitives.release))
        return user->emitOpError(
            "stands outside of the use region, between wait and release");
    }
  }
  return success();
}

/// Sorts fills into their order of issue: fills through registers first, then
/// copies by number of stages.
void Expander::sortFills() {
  auto key = [](const Fill &fill) {
    return fill.isAsync() ? *fill.stages() : 0;
  };
  llvm::sort(fills, [&](const Fill &a, const Fill &b) {
    if (key(a) != key(b))
      return key(a) < key(b);
    return a.operation()->isBeforeInBlock(b.operation());
  });
  for (unsigned index = 0; index < fills.size(); ++index)
    groups += endsGroup(index);
}

bool Expander::endsGroup(unsigned index) const {
  int64_t stages = *fills[index].stages();
  bool isLast =
      index + 1 == fills.size() || *fills[index + 1].stages() != stages;
  return isLast && fills[index].isAsync() &&
         llvm::any_of(fills, [&](const Fill &fill) {
           return fill.isGrouped() && *fill.stages() == stages;
         });
}

void Expander::enlarge(const Fill &fill) {
  AllocOp alloc = fill.alloc();
  BufferType type = alloc.getType();
  if (!fill.isRetained())
    alloc.getResult().setType(BufferType::get(
        type.getContext(), *fill.stages(), type.getRows(), type.getColumns(),
        type.getElementType(), type.getLayout(), type.getSpace()));
  alloc.setPipelined(false);
  alloc.removePipelineStagesAttr();
}

Value Expander::inductionAfter(Value start, int64_t iterations) {
  if (iterations == 0)
    return start;
  APInt first, step;
  if (matchPattern(start, m_ConstantInt(&first)) &&
      matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return constant(first.getSExtValue() + iterations * step.getSExtValue());
  Value distance = arith::MulIOp::create(rewriter, loc, loop.getStep(),
                                         constant(iterations));
  return arith::AddIOp::create(rewriter, loc, start, distance);
}

Value Expander::exists(Value induction) {
  APInt value, bound;
  if (matchPattern(induction, m_ConstantInt(&value)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)) &&
      value.slt(bound))
    return {};
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                               induction, loop.getUpperBound());
}

Operation *Expander::emitFill(const Fill &fill, Value induction, Value stage,
                              Value predicate, int64_t slot) {
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  options.omitBlockArguments = true;
  SetVector<Operation *> slice;
  (void)getBackwardSlice(fill.operation(), &slice, options);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), induction);
  Operation *source = nullptr;
  auto emit = [&](Operation *op) {
    bool isSource = op == fill.source();
    Value both = predicate;
    if (isSource && predicate) {
      Value own = fill.isAsync() ? cast<CopyAsyncOp>(op).getPredicate()
                                 : fill.load().getPredicate();
      if (own)
        both = arith::AndIOp::create(rewriter, loc,
                                     mapping.lookupOrDefault(own), predicate);
    }
    Operation *copy = rewriter.clone(*op, mapping);
    if (!isSource)
      return copy;
    source = copy;
    if (predicate && fill.isAsync())
      cast<CopyAsyncOp>(copy).getPredicateMutable().assign(both);
    else if (predicate)
      cast<LoadOp>(copy).getPredicateMutable().assign(both);
    return copy;
  };
  for (Operation *op : slice)
    emit(op);
  Fill moved = *Fill::get(emit(fill.operation()));
  if (stage)
    moved.stage().set(stage);
  moved.operation()->removeAttr("stages");
  moved.operation()->setAttr("slot", rewriter.getI64IntegerAttr(slot));
  return moved.operation();
}

/// Closes a group after fill `index` if it ends one. Copies to buffers with the
/// same number of stages are one group of an iteration. Groups with fewer
/// stages, which are waited for earlier, come before groups with more.
void Expander::closeGroup(unsigned index) {
  if (endsGroup(index))
    ProducerCommitOp::create(rewriter, loc);
}

/// Emits the copies of the first iterations; buffers with fewer stages start
/// later. Waits for TMA copies that stand before the loop move after these
/// copies.
void Expander::emitPrologue() {
  SmallVector<AwaitOp> awaits;
  for (Operation *op = loop->getPrevNode();
       op && (isa<AwaitOp>(op) || isMemoryEffectFree(op));
       op = op->getPrevNode())
    if (auto await = dyn_cast<AwaitOp>(op))
      awaits.push_back(await);
  rewriter.setInsertionPoint(loop);
  for (int64_t step = 0; step + 1 < most; ++step)
    for (auto [index, fill] : llvm::enumerate(fills)) {
      int64_t iteration = step - (most - *fill.stages());
      if (iteration < 0)
        continue;
      Value induction = inductionAfter(loop.getLowerBound(), iteration);
      emitFill(fill, induction,
               fill.isRetained() ? Value() : constant(iteration),
               exists(induction), iteration);
      closeGroup(index);
    }
  for (AwaitOp await : llvm::reverse(awaits))
    await->moveBefore(loop);
}

/// Adds 32-bit counters of stages that wrap around, a pair for each number of
/// stages. Reads are of the oldest stage.
void Expander::addCounters() {
  SmallVector<Value> inits;
  SmallVector<int64_t> numbers;
  rewriter.setInsertionPoint(loop);
  for (const Fill &fill : fills)
    if (!fill.isRetained() && counters.insert({*fill.stages(), {}}).second) {
      numbers.push_back(*fill.stages());
      inits.push_back(counter(0));
      inits.push_back(counter(*fill.stages() - 1));
    }
  auto advance = [&](OpBuilder &builder, Location,
                     ArrayRef<BlockArgument> arguments) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(builder.getInsertionBlock(),
                               builder.getInsertionPoint());
    SmallVector<Value> next;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      Value one = counter(1), stages = counter(numbers[index / 2]);
      Value following = arith::AddIOp::create(rewriter, loc, argument, one);
      Value wraps = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, following, stages);
      next.push_back(
          arith::SelectOp::create(rewriter, loc, wraps, counter(0), following));
    }
    return next;
  };
  unsigned carried = loop.getNumResults();
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, advance);
  loop = cast<scf::ForOp>(replaced->getOperation());
  rewriter.setInsertionPointToStart(loop.getBody());
  auto stage = [&](unsigned argument) -> Value {
    return arith::IndexCastUIOp::create(rewriter, loc, rewriter.getIndexType(),
                                        loop.getRegionIterArg(argument));
  };
  for (auto [index, number] : llvm::enumerate(numbers)) {
    Value read = stage(carried + 2 * index);
    counters[number] = {read, stage(carried + 2 * index + 1)};
  }
  for (const Fill &fill : fills)
    for (Operation *user : fill.buffer().getUsers()) {
      if (!readsStage(user) || readsLater(user, fill, loop))
        continue;
      Value read = counters.lookup(*fill.stages()).first;
      if (auto load = dyn_cast<LocalLoadOp>(user)) {
        load.getStageMutable().assign(read);
        load.setSlot(0);
      } else if (auto own = dyn_cast<PrivateLoadOp>(user)) {
        // For retained places the iteration is known.
        if (!fill.isRetained())
          own.getStageMutable().assign(read);
        own.setSlot(0);
      }
    }
}

/// Emits the wait for the oldest group at the top of the loop, so that one
/// barrier serves this wait and the stage that is filled next. Fills through
/// registers are loaded there, too, and stored when this iteration's data has
/// been read.
void Expander::emitLoadRegion() {
  if (counters.empty())
    rewriter.setInsertionPointToStart(loop.getBody());
  else
    rewriter.setInsertionPointAfterValue(counters.back().second.second);
  // The last group needed now is that of the buffers with the fewest stages.
  // The remaining groups of its iteration and all groups of later iterations
  // may stay in flight.
  if (fewest)
    ConsumerWaitOp::create(rewriter, loc, groups - 1 + (*fewest - 2) * groups);
  ProducerAcquireOp::create(rewriter, loc);
  SmallVector<Operation *> stores;
  for (auto [index, fill] : llvm::enumerate(fills)) {
    int64_t ahead = *fill.stages() - 1;
    Value induction = inductionAfter(loop.getInductionVar(), ahead);
    Value inside =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              induction, loop.getUpperBound());
    Operation *op =
        emitFill(fill, induction,
                 fill.isRetained() ? Value() : counters[*fill.stages()].second,
                 inside, ahead);
    if (!fill.isAsync())
      stores.push_back(op);
    closeGroup(index);
  }
  for (Operation *store : stores)
    store->moveBefore(primitives.release);
  rewriter.setInsertionPoint(primitives.release);
  ConsumerReleaseOp::create(rewriter, loc);
}

/// Emits waits for TMA copies: one for each buffer, before its first reader in
/// the body. Retained data needs no wait after that.
void Expander::emitAwaits() {
  for (const Fill &fill : fills) {
    if (!fill.isTMA())
      continue;
    Operation *first = primitives.release;
    for (Operation *user : fill.buffer().getUsers())
      if (readsStage(user) && !readsLater(user, fill, loop)) {
        Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
        if (inBody && inBody->isBeforeInBlock(first))
          first = inBody;
      }
    rewriter.setInsertionPoint(first);
    AwaitOp::create(rewriter, loc, fill.buffer(),
                    fill.isRetained() ? fill.stage().get()
                                      : counters.lookup(*fill.stages()).first,
                    /*predicate=*/Value(), rewriter.getI64IntegerAttr(0));
  }
}

LogicalResult Expander::run() {
  if (failed(check()))
    return failure();
  if (fills.empty())
    return success();
  sortFills();
  emitPrologue();
  addCounters();
  emitLoadRegion();
  emitAwaits();
  primitives.erase(rewriter);
  for (const Fill &fill : fills) {
    enlarge(fill);
    LoadOp load = fill.load();
    rewriter.eraseOp(fill.operation());
    if (load)
      rewriter.eraseOp(load);
  }
  return success();
}

namespace {

struct ExpandPass : fusion::impl::TilePipelineExpandBase<ExpandPass> {
  void runOnOperation() override {
    // All loops are collected before any is changed: a prologue leaves
    // primitives in the surrounding loop.
    SmallVector<std::pair<scf::ForOp, Primitives>> loops;
    WalkResult found = getOperation().walk([&](scf::ForOp loop) -> WalkResult {
      FailureOr<Primitives> primitives = Primitives::find(loop);
      if (succeeded(primitives))
        loops.push_back({loop, *primitives});
      return LogicalResult(primitives);
    });
    if (found.wasInterrupted())
      return signalPassFailure();
    for (auto &[loop, primitives] : loops)
      if (failed(Expander(loop, primitives).run()))
        return signalPassFailure();
  }
};

} // namespace
