//===- PipelineRegisters.cpp - tile-pipeline-registers --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Support/Remark.h"
#include "fusion/Target/Chips/Intrinsics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include <deque>

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEREGISTERS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// A contraction and the loads from shared memory that no contraction before it
/// needs.
struct Step {
  DotOp dot;
  SmallVector<LocalLoadOp> loads;
};

/// Adds the loads of `block` on which `value` depends.
void collectLoads(Value value, Block *block,
                  llvm::SmallPtrSetImpl<Operation *> &seen,
                  SmallVectorImpl<LocalLoadOp> &loads) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || isa<DotOp>(op) ||
      !seen.insert(op).second)
    return;
  if (auto load = dyn_cast<LocalLoadOp>(op)) {
    loads.push_back(load);
    return;
  }
  for (Value operand : op->getOperands())
    collectLoads(operand, block, seen, loads);
}

SmallVector<Step> collectSteps(Block &block) {
  SmallVector<Step> steps;
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (auto dot : block.getOps<DotOp>()) {
    // Operands that the MMA reads in shared memory are not loaded.
    const Intrinsic *intrinsic = lookupIntrinsic(dot.getIntrinsic());
    if (intrinsic && intrinsic->readsShared())
      continue;
    Step &step = steps.emplace_back();
    step.dot = dot;
    collectLoads(dot.getLhs(), &block, seen, step.loads);
    collectLoads(dot.getRhs(), &block, seen, step.loads);
    llvm::sort(step.loads, [](LocalLoadOp a, LocalLoadOp b) {
      return a->isBeforeInBlock(b);
    });
  }
  return steps;
}

/// Whether shared memory may change between two operations of a block.
bool changesBetween(Operation *from, Operation *to) {
  for (Operation *op = from->getNextNode(); op && op != to;
       op = op->getNextNode()) {
    if (isa<CopyAsyncOp, CommitOp, WaitOp, AwaitOp, ProducerCommitOp,
            ConsumerWaitOp, ProducerAcquireOp, BarrierOp, LocalStoreOp, FreeOp,
            AllocOp>(op))
      return true;
    if (op->getNumRegions() != 0)
      return true;
  }
  return false;
}

/// Whether a load has two register stages, by its buffer or by the kernel.
bool hasStages(LocalLoadOp load) {
  auto alloc = load.getBuffer().getDefiningOp<AllocOp>();
  std::optional<uint64_t> own =
      alloc ? alloc.getRegisterStages() : std::nullopt;
  return own.value_or(
             load->getParentOfType<KernelOp>().getRegisterStages().value_or(
                 1)) > 1;
}

/// Prefetches within a block: the loads of a step that have two stages move
/// before the contraction of the step before.
void prefetchLoad(Block &block) {
  SmallVector<Step> steps = collectSteps(block);
  for (size_t i = 0; i + 1 < steps.size(); ++i)
    for (LocalLoadOp load : steps[i + 1].loads) {
      if (!hasStages(load) || load->isBeforeInBlock(steps[i].dot) ||
          changesBetween(steps[i].dot, load))
        continue;
      // The operands of the load are scalar and defined before it.
      bool available = llvm::all_of(load->getOperands(), [&](Value operand) {
        Operation *definer = operand.getDefiningOp();
        return !definer || definer->getBlock() != &block ||
               definer->isBeforeInBlock(steps[i].dot);
      });
      if (available)
        load->moveBefore(steps[i].dot);
    }
}

/// Prefetching across the iterations of a pipelined loop.
class Rotation {
public:
  /// Looks at the loop's own pipeline. Construct the rotations of all loops
  /// before any runs: the rotation of an inner loop puts a wait before it,
  /// which does not belong to the outer loop.
  explicit Rotation(scf::ForOp loop)
      : loop(loop), rewriter(loop.getContext()), loc(loop.getLoc()) {
    auto acquires = loop.getBody()->getOps<ProducerAcquireOp>();
    if (!acquires.empty())
      acquire = *acquires.begin();
    auto waits = loop.getBody()->getOps<ConsumerWaitOp>();
    if (!waits.empty())
      wait = *waits.begin();
  }

  void run();

private:
  /// Finds the loads of the loop's first step that can be made an iteration
  /// early, their waits, and what their stages are computed from. Returns false
  /// if there are none, or if the loop reads data after `last`, its last
  /// contraction.
  bool collectFirst(const Step &step, DotOp last);
  /// Returns whether the data of the first step has arrived in the iteration
  /// before. Emits a remark if it has not.
  bool hasDataEarly(const Step &step);
  /// Waits for the data of an iteration, as the loop does.
  void emitWait();
  /// Waits for the first iteration before the loop and loads its first
  /// fragments.
  SmallVector<Value> loadBeforeLoop();
  /// Moves the wait before the last contraction, for the next iteration, and
  /// loads the first fragments of that. After the last iteration the loads read
  /// the previous stage once more, without effect.
  SmallVector<Value> loadNext(DotOp last);
  /// Makes the loop carry the fragments instead of loading them.
  void carry(ValueRange inits, ValueRange next);

  /// Copies the first step's loads. They read the stages to which `stages` maps
  /// the counters, as data of iteration `slot`.
  SmallVector<Value> cloneLoads(IRMapping &stages, int64_t slot);

  /// Copies the waits for the first step's data, at the stages of `mapping` and
  /// for iteration `slot`. If `predicate` is given, they wait only if it is
  /// true.
  void cloneAwaits(IRMapping &mapping, Value predicate, int64_t slot);

  /// Adds the operations of the body that compute a stage. Returns false if it
  /// depends on more than the induction variable and the counters that the loop
  /// carries.
  bool collectStage(Value stage);

  scf::ForOp loop;
  ProducerAcquireOp acquire;
  ConsumerWaitOp wait; ///< absent where everything passes through registers
  IRRewriter rewriter;
  Location loc;
  SmallVector<LocalLoadOp> first;
  SmallVector<AwaitOp> awaits; ///< for TMA copies that `first` loads
  /// The counters that determine the stages of the first loads, and how. Other
  /// stages are the same in every iteration.
  SmallVector<BlockArgument> counters;
  llvm::SetVector<Operation *> stages; ///< definitions before their users
};

} // namespace

SmallVector<Value> Rotation::cloneLoads(IRMapping &stages, int64_t slot) {
  SmallVector<Value> results;
  for (LocalLoadOp load : first) {
    auto copy = cast<LocalLoadOp>(rewriter.clone(*load, stages));
    if (copy.getSlot())
      copy.setSlot(slot);
    results.push_back(copy);
  }
  return results;
}

void Rotation::cloneAwaits(IRMapping &mapping, Value predicate, int64_t slot) {
  for (AwaitOp await : awaits) {
    auto copy = cast<AwaitOp>(rewriter.clone(*await, mapping));
    copy.setSlot(slot);
    if (predicate)
      copy.getPredicateMutable().assign(predicate);
  }
}

bool Rotation::collectStage(Value stage) {
  if (auto argument = dyn_cast<BlockArgument>(stage)) {
    bool isCarried = argument.getOwner() == loop.getBody() &&
                     argument != loop.getInductionVar();
    if (isCarried && !argument.getType().isInteger())
      return false;
    if (isCarried && !llvm::is_contained(counters, argument))
      counters.push_back(argument);
    return true;
  }
  Operation *op = stage.getDefiningOp();
  if (op->getBlock() != loop.getBody())
    return true;
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return collectStage(operand); }))
    return false;
  stages.insert(op);
  return true;
}

bool Rotation::collectFirst(const Step &step, DotOp last) {
  for (LocalLoadOp load : step.loads)
    if (hasStages(load))
      first.push_back(load);
  if (first.empty())
    return false;
  // Nothing may read this iteration's data after the last contraction, before
  // which the wait moves.
  Block *body = loop.getBody();
  for (auto load : body->getOps<LocalLoadOp>())
    if (!load->isBeforeInBlock(last))
      return false;
  for (LocalLoadOp load : first)
    if (!collectStage(load.getStage()))
      return false;
  for (auto await : body->getOps<AwaitOp>())
    if (llvm::any_of(first, [&](LocalLoadOp load) {
          return load.getBuffer() == await.getBuffer();
        })) {
      awaits.push_back(await);
      if (!collectStage(await.getStage()))
        return false;
    }
  return true;
}

bool Rotation::hasDataEarly(const Step &step) {
  // Data that an iteration stores for itself has not arrived when the iteration
  // before waits for the next one. Nor has the data of an inner loop's
  // pipeline, which restarts in each iteration.
  for (LocalLoadOp load : step.loads)
    for (Operation *user : load.getBuffer().getUsers()) {
      std::optional<Fill> fill = Fill::get(user);
      bool isStore = isa<LocalStoreOp>(user);
      if ((fill || isStore) && loop->isProperAncestor(user) &&
          !(fill && fill->slot() &&
            user->getParentOfType<scf::ForOp>() == loop)) {
        remarkMissed(
            loop, "pipeline", "not-rotated",
            "fragments are not loaded across iterations: the loop's leading "
            "contraction reads a buffer that has one stage and is filled in "
            "the loop, or that an inner loop fills");
        return false;
      }
    }

  if (!runsAtLeastOnce(loop)) {
    remarkMissed(
        loop, "pipeline", "not-rotated",
        "fragments are not loaded across iterations: the loop may have no "
        "iterations, and then nothing to load before it");
    return false;
  }
  return true;
}

void Rotation::emitWait() {
  if (wait)
    ConsumerWaitOp::create(rewriter, loc, wait.getPending());
  ProducerAcquireOp::create(rewriter, loc);
}

SmallVector<Value> Rotation::loadBeforeLoop() {
  rewriter.setInsertionPoint(loop);
  emitWait();
  IRMapping initial;
  initial.map(loop.getInductionVar(), loop.getLowerBound());
  for (BlockArgument counter : counters)
    initial.map(counter, loop.getInitArgs()[counter.getArgNumber() - 1]);
  for (Operation *stage : stages)
    rewriter.clone(*stage, initial);
  cloneAwaits(initial, /*predicate=*/Value(), 0);
  return cloneLoads(initial, 0);
}

/// Moves what `value` is computed from in the block of `place` before it.
static void hoistBefore(Operation *place, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    hoistBefore(place, operand);
  op->moveBefore(place);
}

SmallVector<Value> Rotation::loadNext(DotOp last) {
  rewriter.setInsertionPoint(last);
  emitWait();
  rewriter.eraseOp(acquire);
  if (wait)
    rewriter.eraseOp(wait);
  Value following = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(),
                                          loop.getStep());
  Value exists = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       following, loop.getUpperBound());
  IRMapping next;
  if (llvm::any_of(stages, [&](Operation *stage) {
        return llvm::is_contained(stage->getOperands(), loop.getInductionVar());
      }))
    next.map(loop.getInductionVar(),
             arith::SelectOp::create(rewriter, loc, exists, following,
                                     loop.getInductionVar()));
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (BlockArgument counter : counters) {
    // The counter's advance is computed at the end of the body; it depends on
    // the counter alone.
    Value advanced = yield.getOperand(counter.getArgNumber() - 1);
    hoistBefore(last, advanced);
    next.map(counter,
             arith::SelectOp::create(rewriter, loc, exists, advanced, counter));
  }
  for (Operation *stage : stages)
    rewriter.clone(*stage, next);
  // After the last iteration no copy is in flight, so the waits are predicated.
  cloneAwaits(next, exists, 1);
  for (AwaitOp await : awaits)
    rewriter.eraseOp(await);
  return cloneLoads(next, 1);
}

void Rotation::carry(ValueRange inits, ValueRange next) {
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return llvm::to_vector(next);
      });
  auto rotated = cast<scf::ForOp>(replaced->getOperation());
  unsigned carried = rotated.getNumResults() - inits.size();
  for (auto [index, load] : llvm::enumerate(first))
    rewriter.replaceOp(load, rotated.getRegionIterArg(carried + index));
  loop = rotated;
}

void Rotation::run() {
  if (!acquire)
    return;
  SmallVector<Step> steps = collectSteps(*loop.getBody());
  if (steps.empty())
    return;
  DotOp last = steps.back().dot;
  if (!collectFirst(steps.front(), last) || !hasDataEarly(steps.front()))
    return;
  SmallVector<Value> inits = loadBeforeLoop();
  SmallVector<Value> next = loadNext(last);
  carry(inits, next);
}

namespace {

struct RegistersPass : fusion::impl::TilePipelineRegistersBase<RegistersPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t stages = kernel.getRegisterStages().value_or(1);
    if (stages > 2) {
      kernel.emitOpError("asks for ")
          << stages << " register stages; there are one or two";
      return signalPassFailure();
    }
    WalkResult expanded = kernel.walk([](Operation *op) -> WalkResult {
      if (std::optional<Fill> fill = Fill::get(op); fill && fill->stages())
        return op->emitOpError("has stages that are not expanded; run "
                               "tile-pipeline-expand");
      return WalkResult::advance();
    });
    if (expanded.wasInterrupted())
      return signalPassFailure();
    bool hasOwn = false;
    kernel.walk([&](AllocOp alloc) {
      hasOwn |= alloc.getRegisterStages().value_or(1) > 1;
    });
    if (stages < 2 && !hasOwn)
      return;
    std::deque<Rotation> rotations; // a deque never moves its elements
    kernel.walk([&](scf::ForOp loop) { rotations.emplace_back(loop); });
    for (Rotation &rotation : rotations)
      rotation.run();
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      prefetchLoad(*block);
    kernel.removeRegisterStagesAttr();
    kernel.walk([](AllocOp alloc) { alloc.removeRegisterStagesAttr(); });
  }
};

} // namespace
