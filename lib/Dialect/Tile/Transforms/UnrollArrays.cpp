//===- UnrollArrays.cpp - tile-unroll-arrays ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers cannot be indexed. The loops whose induction variables select tiles
// of an array are unrolled, and each tile becomes a value. Pipelined loops are
// among them: the slots that pipelining passes have noted relative to an
// iteration then become constant stages.
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace fusion {
#define GEN_PASS_DEF_TILEUNROLLARRAYS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

//===----------------------------------------------------------------------===//
// Unrolling
//===----------------------------------------------------------------------===//

/// The index of an access to an array, or null.
static Value arrayIndex(Operation *op) {
  if (auto get = dyn_cast<ArrayGetOp>(op))
    return get.getIndex();
  if (auto set = dyn_cast<ArraySetOp>(op))
    return set.getIndex();
  return {};
}

/// Adds the loops on whose induction variables an index depends.
static void collectLoops(Value index, llvm::SetVector<Operation *> &loops) {
  SmallVector<Value> open{index};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument == loop.getInductionVar())
        loops.insert(loop);
      continue;
    }
    llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
}

/// Drops the notes on a loop's pipelined buffers, which count its iterations.
static void dropSlots(scf::ForOp loop) {
  for (Value buffer : pipelinedBuffers(loop))
    for (Operation *user : buffer.getUsers())
      user->removeAttr("slot");
}

static LogicalResult unroll(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return loop.emitOpError("indexes an array of tiles in registers, but its "
                            "bounds are no constants");
  dropSlots(loop);
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (APInt at = lower; at.slt(upper); at += step) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(),
                arith::ConstantIndexOp::create(rewriter, loop.getLoc(),
                                               at.getSExtValue()));
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      rewriter.clone(op, mapping);
    carried.clear();
    for (Value value : loop.getYieldedValues())
      carried.push_back(mapping.lookupOrDefault(value));
  }
  rewriter.replaceOp(loop, carried);
  return success();
}

/// Erases copies that the end of a pipeline has predicated off.
static void dropPredicates(KernelOp kernel) {
  SmallVector<Operation *> dead;
  kernel.walk([&](Operation *op) {
    auto decide = [&](auto access, Operation *whole) {
      APInt holds;
      if (!access.getPredicate() ||
          !matchPattern(access.getPredicate(), m_ConstantInt(&holds)))
        return;
      if (holds.isZero())
        dead.push_back(whole);
      else
        access.getPredicateMutable().clear();
    };
    if (auto await = dyn_cast<AwaitOp>(op)) {
      decide(await, op);
    } else if (std::optional<Fill> fill = Fill::get(op)) {
      if (fill->isAsync())
        decide(cast<CopyAsyncOp>(op), op);
      else
        decide(fill->load(), op);
    }
  });
  for (Operation *op : dead)
    op->erase();
}

//===----------------------------------------------------------------------===//
// Tiles instead of arrays
//===----------------------------------------------------------------------===//

namespace {

class Dissolver {
public:
  explicit Dissolver(MLIRContext *context) : rewriter(context) {}

  LogicalResult run(Block &block);

private:
  /// The number of the tile that an access reads or writes; failure if it is
  /// not constant.
  FailureOr<int64_t> number(Operation *op, Value index, ArrayType type);
  LogicalResult runLoop(scf::ForOp loop);

  IRRewriter rewriter;
  llvm::DenseMap<Value, SmallVector<Value>> tiles; ///< by array
};

} // namespace

FailureOr<int64_t> Dissolver::number(Operation *op, Value index,
                                     ArrayType type) {
  std::optional<int64_t> value = getConstantIntValue(index);
  if (!value)
    return op->emitOpError("has an index that unrolling makes no constant");
  if (*value < 0 || *value >= type.getCount())
    return op->emitOpError("is of tile ")
           << *value << " of an array of " << type.getCount();
  return *value;
}

/// Replaces the arrays that a loop carries by their tiles, one value each.
LogicalResult Dissolver::runLoop(scf::ForOp loop) {
  if (llvm::none_of(loop.getResultTypes(), llvm::IsaPred<ArrayType>))
    return run(*loop.getBody());
  auto flatten = [&](ValueRange values) {
    SmallVector<Value> flat;
    for (Value value : values) {
      if (isa<ArrayType>(value.getType()))
        llvm::append_range(flat, tiles[value]);
      else
        flat.push_back(value);
    }
    return flat;
  };
  rewriter.setInsertionPoint(loop);
  auto flat = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(),
                                 flatten(loop.getInitArgs()));
  flat->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  auto unflatten = [&](ValueRange values, ValueRange given) {
    size_t next = 0;
    for (Value value : values) {
      auto array = dyn_cast<ArrayType>(value.getType());
      if (!array) {
        value.replaceAllUsesWith(given[next++]);
        continue;
      }
      ValueRange elements = given.slice(next, array.getCount());
      tiles[value].assign(elements.begin(), elements.end());
      next += array.getCount();
    }
  };
  loop.getInductionVar().replaceAllUsesWith(flat.getInductionVar());
  unflatten(loop.getRegionIterArgs(), flat.getRegionIterArgs());
  Block *body = flat.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  if (failed(run(*body)))
    return failure();
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, flatten(yield.getResults()));
  unflatten(loop.getResults(), flat.getResults());
  return success();
}

LogicalResult Dissolver::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto make = dyn_cast<MakeArrayOp>(op)) {
      tiles[make].assign(make.getType().getCount(), make.getInit());
    } else if (auto get = dyn_cast<ArrayGetOp>(op)) {
      FailureOr<int64_t> at =
          number(get, get.getIndex(), get.getArray().getType());
      if (failed(at))
        return failure();
      get.getResult().replaceAllUsesWith(tiles[get.getArray()][*at]);
    } else if (auto set = dyn_cast<ArraySetOp>(op)) {
      FailureOr<int64_t> at = number(set, set.getIndex(), set.getType());
      if (failed(at))
        return failure();
      SmallVector<Value> changed = tiles[set.getArray()];
      changed[*at] = set.getValue();
      tiles[set] = std::move(changed);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(runLoop(loop)))
        return failure();
    } else if (llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ArrayType>) &&
               !isa<scf::YieldOp>(op)) {
      return op.emitOpError("cannot take an array of tiles");
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(run(inner)))
            return failure();
    }
  }
  return success();
}

/// Removes the values that a loop yields unchanged: users read the initial
/// values.
static void dropUnchanged(scf::ForOp loop, RewriterBase &rewriter) {
  SmallVector<Value> inits;
  SmallVector<std::pair<Value, Value>> kept; ///< arguments and results
  SmallVector<bool> isRetained;
  for (auto [argument, init, result, value] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(),
                       loop.getResults(), loop.getYieldedValues())) {
    isRetained.push_back(value != argument);
    if (value == argument) {
      rewriter.replaceAllUsesWith(argument, init);
      rewriter.replaceAllUsesWith(result, init);
      continue;
    }
    kept.push_back({argument, result});
    inits.push_back(init);
  }
  if (inits.size() == loop.getInitArgs().size())
    return;
  rewriter.setInsertionPoint(loop);
  auto less = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  less->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = less.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.replaceAllUsesWith(loop.getInductionVar(), less.getInductionVar());
  for (auto [old, argument, result] :
       llvm::zip_equal(kept, less.getRegionIterArgs(), less.getResults())) {
    rewriter.replaceAllUsesWith(old.first, argument);
    rewriter.replaceAllUsesWith(old.second, result);
  }
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  rewriter.setInsertionPoint(yield);
  SmallVector<Value> rest;
  for (auto [number, value] : llvm::enumerate(yield.getResults()))
    if (isRetained[number])
      rest.push_back(value);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, rest);
  rewriter.eraseOp(loop);
}

namespace {

struct UnrollArraysPass : fusion::impl::TileUnrollArraysBase<UnrollArraysPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    llvm::SetVector<Operation *> indexing;
    bool hasArrays = false;
    kernel.walk([&](Operation *op) {
      hasArrays |= isa<MakeArrayOp>(op);
      if (Value index = arrayIndex(op))
        collectLoops(index, indexing);
    });
    if (!hasArrays)
      return;
    // Inner loops come first.
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (indexing.contains(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(unroll(loop)))
        return signalPassFailure();
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(kernel, RewritePatternSet(&getContext()),
                                     config)))
      return signalPassFailure();
    dropPredicates(kernel);
    if (failed(Dissolver(&getContext()).run(kernel.getBody().front())))
      return signalPassFailure();
    // Accesses and the loops that carried arrays, users first.
    SmallVector<Operation *> dead;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool carries =
          isa<scf::ForOp>(op) &&
          llvm::any_of(op->getResultTypes(), llvm::IsaPred<ArrayType>);
      if (carries || isa<MakeArrayOp, ArrayGetOp, ArraySetOp>(op)) {
        dead.push_back(op);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    for (Operation *op : dead)
      op->dropAllReferences();
    for (Operation *op : dead) {
      op->dropAllUses();
      op->erase();
    }
    // A loop may change only some tiles of an array.
    SmallVector<scf::ForOp> left;
    kernel.walk([&](scf::ForOp loop) { left.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : left)
      dropUnchanged(loop, rewriter);
  }
};

} // namespace
