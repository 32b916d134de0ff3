//===- OverlapIterations.cpp - tile-overlap-iterations --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction whose factors are both in shared memory stays in flight while
// the next iteration's begins (AccumulateInFlight.cpp).
//
// Of others, the loop's operations are divided into two stages. Late are the
// contraction that asks for the overlap and the operations that need its
// result. Late are also the fills, waits and releases of the buffer that it
// reads, and operations that are cheaper to recompute than to carry. All others
// are early. The new loop executes the early stage of one iteration together
// with the late stage of the iteration before.
//
//===----------------------------------------------------------------------===//

#include "AccumulateInFlight.h"
#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/Remark.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fusion {
#define GEN_PASS_DEF_TILEOVERLAPITERATIONS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether the loop has at least one iteration for every value of its operands.
static bool surelyIterates(scf::ForOp loop, KernelOp kernel) {
  if (runsAtLeastOnce(loop))
    return true;
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(kernel)))
    return false;
  auto rangeOf = [&](Value value) -> std::optional<ConstantIntRanges> {
    const auto *state =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!state || state->getValue().isUninitialized())
      return std::nullopt;
    return state->getValue().getValue();
  };
  auto lower = rangeOf(loop.getLowerBound()),
       upper = rangeOf(loop.getUpperBound());
  return lower && upper && lower->smax().slt(upper->smin());
}

/// Bits of a tile; 0 for scalars, which need few registers.
static int64_t bitsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() * type.getElementTypeBitWidth() : 0;
}

/// Whether loops can carry a value of this type.
static bool isCarried(Type type) {
  return isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat();
}

namespace {

/// The early and the late stage of a loop around a contraction.
class Stages {
public:
  Stages(scf::ForOp loop, SharedDotOp late) : loop(loop), late(late) {}

  /// Divides the operations into early and late. Returns the reason why the
  /// contraction cannot be late, or nullopt.
  std::optional<std::string> divide();
  /// Replaces the loop by one that executes the early stage of an iteration
  /// together with the late stage of the iteration before.
  void expand();

private:
  Value buffer() { return late.getRhsBuffer(); }
  bool touchesBuffer(Operation *op) {
    return llvm::is_contained(op->getOperands(), buffer());
  }
  /// Makes the operations late that depend on late ones.
  void closeForward();
  bool shouldSink(Operation *op);
  /// Finds the operations that make the fragments of the LHS. ptxas serializes
  /// MMAs if such registers are written while one is in flight (its warning
  /// C7513). These operations are therefore emitted after both have ended.
  LogicalResult findPacking();
  void findCarried();
  void emit(OpBuilder &b, ArrayRef<Operation *> ops, IRMapping &mapping,
            int64_t shift);
  /// Emits the contraction as an asynchronous one, which is in flight
  /// afterwards.
  Operation *emitAsync(OpBuilder &b, SharedDotOp dot, IRMapping &mapping,
                       int64_t shift);
  void await(OpBuilder &b, SharedDotOp dot, Operation *emitted, int64_t pending,
             ValueRange computed, IRMapping &mapping);

  /// Emits the early stage of the first iteration, and the new loop, without a
  /// body. It carries the next values of early arguments, the values from the
  /// early to the late stage, and the late arguments.
  void createLoop();
  /// Emits the body of the new loop.
  void emitIteration();
  /// Emits the late stage of the last iteration, and replaces the results of
  /// the loop.
  void emitLast();
  /// Maps what late operations read to what the new loop carries: the values of
  /// the early stage and the late arguments.
  void mapLate(IRMapping &mapping, ValueRange carried);
  /// Returns the tiles that an iteration of the new loop computes for the next
  /// one before it emits `packed`.
  SmallVector<Value> listComputed(ArrayRef<Operation *> packed,
                                  const IRMapping &next);

  bool isLateArg(unsigned number) { return lateArgs.contains(number); }
  /// The value of loop argument `number` in the next iteration.
  Value yielded(unsigned number) {
    return loop.getBody()->getTerminator()->getOperand(number);
  }

  scf::ForOp loop;
  SharedDotOp late;
  SharedDotOp beside; ///< last early contraction, runs with `late`
  llvm::SmallPtrSet<Operation *, 32> lateOps;
  llvm::SmallDenseSet<unsigned> lateArgs;
  SmallVector<Operation *> early, behind;    ///< the two stages, in order
  llvm::SmallPtrSet<Operation *, 4> packing; ///< of the early ones
  SmallVector<Value> crossing; ///< from the early to the late stage
  SmallVector<unsigned> earlyArgs, lateNumbers; ///< arguments, ascending
  scf::ForOp rotated;                           ///< the new loop
};

} // namespace

void Stages::closeForward() {
  SmallVector<Value> values;
  auto addUsers = [&](Value value) {
    for (Operation *user : value.getUsers()) {
      Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
      if (inBody && !isa<scf::YieldOp>(inBody) && lateOps.insert(inBody).second)
        llvm::append_range(values, inBody->getResults());
    }
  };
  for (Operation *op : lateOps)
    llvm::append_range(values, op->getResults());
  for (bool changed = true; changed;) {
    changed = false;
    while (!values.empty())
      addUsers(values.pop_back_val());
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number) {
      Operation *def = yielded(number).getDefiningOp();
      if (def && lateOps.contains(def) && lateArgs.insert(number).second) {
        values.push_back(loop.getRegionIterArg(number));
        changed = true;
      }
    }
  }
}

bool Stages::shouldSink(Operation *op) {
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      op->getNumResults() == 0 || isa<SharedDotOp, DotOp>(op))
    return false;
  bool isNeededEarly = llvm::any_of(op->getUsers(), [&](Operation *user) {
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
    return !inBody || !lateOps.contains(inBody);
  });
  if (isNeededEarly)
    return false;
  int64_t given = 0, made = 0;
  for (Value operand : op->getOperands())
    given += bitsOf(operand);
  for (Value result : op->getResults()) {
    if (!isCarried(result.getType()))
      return true;
    made += bitsOf(result);
  }
  // Scalars are recomputed, and results larger than the operands (broadcasts).
  return made == 0 || made > given;
}

/// Whether the result of `op` is in the registers of its operand.
static bool isRenaming(Operation *op) {
  return isa<SliceOp>(op) || (isa<ConvertLayoutOp>(op) &&
                              !needsSharedMemory(cast<ConvertLayoutOp>(op)));
}

LogicalResult Stages::findPacking() {
  Operation *op = late.getLhs().getDefiningOp();
  while (op && op->getBlock() == loop.getBody()) {
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
        isa<SharedDotOp, DotOp>(op))
      return failure();
    packing.insert(op);
    if (!isRenaming(op))
      break;
    op = op->getOperand(0).getDefiningOp();
  }
  return success(!packing.empty() &&
                 llvm::all_of(packing, [&](Operation *each) {
                   return llvm::all_of(each->getUsers(), [&](Operation *user) {
                     return user == late || packing.contains(user);
                   });
                 }));
}

void Stages::findCarried() {
  llvm::SmallPtrSet<Value, 16> seen;
  for (Operation *op : behind)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        bool isEarly;
        if (auto argument = dyn_cast<BlockArgument>(operand))
          isEarly = argument.getOwner() == loop.getBody() &&
                    (argument.getArgNumber() == 0 ||
                     !isLateArg(argument.getArgNumber() - 1));
        else
          isEarly = operand.getDefiningOp()->getBlock() == loop.getBody() &&
                    !lateOps.contains(operand.getDefiningOp());
        if (isEarly && seen.insert(operand).second)
          crossing.push_back(operand);
      }
    });
}

std::optional<std::string> Stages::divide() {
  if (!late.getLhs())
    return "its LHS is not a value of the loop in registers";
  bool isReleased = false;
  for (Operation *user : buffer().getUsers()) {
    if (isa<FreeOp>(user) || !loop->isProperAncestor(user))
      continue;
    if (user->getBlock() != loop.getBody())
      return "its RHS is used in a nested loop";
    if (isa<CopyAsyncOp>(user) && !isTMA(user))
      return "its RHS is copied by threads, whose groups of copies are waited "
             "for in order";
    if (user != late && !isa<CopyAsyncOp, AcquireOp, AwaitOp, ReleaseOp>(user))
      return "another operation reads its RHS in the loop";
    isReleased |= isa<ReleaseOp>(user);
    lateOps.insert(user);
  }
  if (!isReleased)
    return "its RHS is not released by an mbarrier in the loop";
  lateOps.insert(late);
  closeForward();
  if (llvm::any_of(lateOps, [](Operation *op) { return op->getNumRegions(); }))
    return "a loop or branch needs its result";
  if (failed(findPacking()))
    return "its LHS is not computed for it alone in the loop";
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator()))
    if (!lateOps.contains(&op) && !packing.contains(&op) && shouldSink(&op))
      lateOps.insert(&op);
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto dot = dyn_cast<SharedDotOp>(op);
    if (lateOps.contains(&op)) {
      if (dot && dot != late)
        return "another contraction needs its result";
      behind.push_back(&op);
      continue;
    }
    early.push_back(&op);
    if (dot)
      beside = dot;
  }
  if (!beside)
    return "there is no contraction before it in its loop";
  findCarried();
  for (Value value : crossing)
    if (!isCarried(value.getType()))
      return "it needs a value that no loop carries";
  return std::nullopt;
}

void Stages::emit(OpBuilder &b, ArrayRef<Operation *> ops, IRMapping &mapping,
                  int64_t shift) {
  for (Operation *op : ops)
    shiftSlots(b.clone(*op, mapping), shift);
}

Operation *Stages::emitAsync(OpBuilder &b, SharedDotOp dot, IRMapping &mapping,
                             int64_t shift) {
  Operation *emitted = b.clone(*dot, mapping);
  shiftSlots(emitted, shift);
  cast<SharedDotOp>(emitted).setAsync(true);
  return emitted;
}

void Stages::await(OpBuilder &b, SharedDotOp dot, Operation *emitted,
                   int64_t pending, ValueRange computed, IRMapping &mapping) {
  mapping.map(dot.getResult(),
              AwaitDotOp::create(b, dot.getLoc(), dot.getType(),
                                 emitted->getResult(0),
                                 b.getI64IntegerAttr(pending), computed)
                  .getResult());
}

void Stages::createLoop() {
  OpBuilder b(loop);
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  for (auto [argument, init] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    first.map(argument, init);
  emit(b, early, first, /*shift=*/0);

  SmallVector<Value> inits;
  for (unsigned number : earlyArgs)
    inits.push_back(first.lookupOrDefault(yielded(number)));
  for (Value value : crossing)
    inits.push_back(first.lookup(value));
  for (unsigned number : lateNumbers)
    inits.push_back(loop.getInitArgs()[number]);
  Value start = arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                      loop.getStep());
  rotated = scf::ForOp::create(b, loop.getLoc(), start, loop.getUpperBound(),
                               loop.getStep(), inits);
  rotated->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
}

void Stages::mapLate(IRMapping &mapping, ValueRange carried) {
  carried = carried.drop_front(earlyArgs.size());
  for (auto [value, own] :
       llvm::zip(crossing, carried.take_front(crossing.size())))
    mapping.map(value, own);
  for (auto [number, own] :
       llvm::zip_equal(lateNumbers, carried.drop_front(crossing.size())))
    mapping.map(loop.getRegionIterArg(number), own);
}

SmallVector<Value> Stages::listComputed(ArrayRef<Operation *> packed,
                                        const IRMapping &next) {
  SmallVector<Value> computed;
  auto add = [&](Value value) {
    Value own = next.lookupOrDefault(value);
    if (bitsOf(own) != 0 && own.getParentBlock() == rotated.getBody() &&
        own.getDefiningOp() && !llvm::is_contained(computed, own))
      computed.push_back(own);
  };
  for (Value value : crossing)
    if (!packing.contains(value.getDefiningOp()))
      add(value);
  for (Operation *op : packed)
    for (Value operand : op->getOperands())
      if (!packing.contains(operand.getDefiningOp()))
        add(operand);
  for (unsigned number : earlyArgs)
    add(yielded(number));
  return computed;
}

void Stages::emitIteration() {
  OpBuilder inside = OpBuilder::atBlockEnd(rotated.getBody());
  if (!rotated.getBody()->empty())
    inside.setInsertionPoint(rotated.getBody()->getTerminator());
  IRMapping next, before;
  next.map(loop.getInductionVar(), rotated.getInductionVar());
  for (auto [position, number] : llvm::enumerate(earlyArgs))
    next.map(loop.getRegionIterArg(number), rotated.getRegionIterArg(position));
  mapLate(before, rotated.getRegionIterArgs());
  auto behindOf = [](ArrayRef<Operation *> ops, Operation *op) {
    return llvm::find(ops, op) - ops.begin();
  };
  ArrayRef<Operation *> earlyRef(early), lateRef(behind);
  size_t cut = behindOf(earlyRef, beside), lateCut = behindOf(lateRef, late);
  // Buffers of the early stage are those of the next iteration.
  emit(inside, earlyRef.take_front(cut), next, /*shift=*/1);
  Operation *besideCopy = emitAsync(inside, beside, next, /*shift=*/1);
  emit(inside, lateRef.take_front(lateCut), before, /*shift=*/0);
  Operation *lateCopy = emitAsync(inside, late, before, /*shift=*/0);
  await(inside, beside, besideCopy, /*pending=*/1, /*computed=*/{}, next);
  SmallVector<Operation *> rest, packed;
  for (Operation *op : earlyRef.drop_front(cut + 1))
    (packing.contains(op) ? packed : rest).push_back(op);
  emit(inside, rest, next, /*shift=*/1);
  await(inside, late, lateCopy, /*pending=*/0, listComputed(packed, next),
        before);
  emit(inside, packed, next, /*shift=*/1);
  emit(inside, lateRef.drop_front(lateCut + 1), before, /*shift=*/0);
  SmallVector<Value> yields;
  for (unsigned number : earlyArgs)
    yields.push_back(next.lookupOrDefault(yielded(number)));
  for (Value value : crossing)
    yields.push_back(next.lookup(value));
  for (unsigned number : lateNumbers)
    yields.push_back(before.lookupOrDefault(yielded(number)));
  if (inside.getInsertionPoint() != rotated.getBody()->end())
    rotated.getBody()->getTerminator()->erase();
  inside.setInsertionPointToEnd(rotated.getBody());
  scf::YieldOp::create(inside, loop.getLoc(), yields);
}

void Stages::emitLast() {
  OpBuilder b(loop);
  IRMapping last;
  mapLate(last, rotated.getResults());
  b.setInsertionPointAfter(rotated);
  // The buffer stage depends on the trip count.
  for (Operation *op : behind) {
    Operation *copy = b.clone(*op, last);
    for (StringRef name : {"slot", "lhs_slot", "rhs_slot"})
      copy->removeAttr(name);
  }
  for (auto [position, number] : llvm::enumerate(earlyArgs))
    loop.getResult(number).replaceAllUsesWith(rotated.getResult(position));
  for (unsigned number : lateNumbers)
    loop.getResult(number).replaceAllUsesWith(
        last.lookupOrDefault(yielded(number)));
}

void Stages::expand() {
  late.removeStagesAttr();
  for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
    (isLateArg(number) ? lateNumbers : earlyArgs).push_back(number);
  createLoop();
  emitIteration();
  emitLast();
  loop.erase();
}

namespace {

struct OverlapIterationsPass
    : fusion::impl::TileOverlapIterationsBase<OverlapIterationsPass> {
  void runOnOperation() override {
    SmallVector<SharedDotOp> dots;
    getOperation().walk([&](SharedDotOp dot) {
      if (dot.getStages().value_or(1) > 1)
        dots.push_back(dot);
    });
    llvm::MapVector<scf::ForOp, SmallVector<SharedDotOp>> sums;
    for (SharedDotOp dot : dots) {
      auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
      if (loop && dot.getLhsBuffer()) {
        sums[loop].push_back(dot);
        continue;
      }
      count(dot, overlap(dot, loop));
    }
    for (auto &[loop, ofLoop] : sums)
      accumulate(loop, ofLoop);
  }

  /// Says why a contraction does not overlap, or counts it.
  void count(SharedDotOp dot, const std::optional<std::string> &why) {
    if (!why) {
      ++numOverlapped;
      return;
    }
    remarkMissed(dot, "pipeline", "not-overlapped",
                 "the contraction does not overlap with the next "
                 "iteration's: " +
                     *why);
    dot.removeStagesAttr();
  }

  /// Leaves the MMAs of all contractions of a loop in flight, or of none.
  void accumulate(scf::ForOp loop, ArrayRef<SharedDotOp> dots) {
    std::optional<std::string> why;
    for (SharedDotOp dot : dots)
      if (!why)
        why = whyNotInFlight(dot, loop);
    if (!why && llvm::any_of(loop.getOps<SharedDotOp>(), [&](SharedDotOp dot) {
          return !llvm::is_contained(dots, dot);
        }))
      why = "the loop has another contraction";
    if (!why && !surelyIterates(loop, getOperation()))
      why = "its loop may have no iterations";
    for (SharedDotOp dot : dots)
      count(dot, why);
    if (!why)
      accumulateInFlight(dots, loop);
  }

  std::optional<std::string> overlap(SharedDotOp dot, scf::ForOp loop) {
    if (!loop)
      return "it is in no loop";
    Stages stages(loop, dot);
    if (std::optional<std::string> why = stages.divide())
      return why;
    if (!surelyIterates(loop, getOperation()))
      return "its loop may have no iterations";
    stages.expand();
    return std::nullopt;
  }
};

} // namespace
