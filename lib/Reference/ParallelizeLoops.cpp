//===- ParallelizeLoops.cpp - reference-parallelize-loops -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEPARALLELIZELOOPS
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

/// Returns how many leading loops may run in any order: parallel loops with
/// disjoint elements of every output. If there are several, the innermost one
/// is left out, for vectors.
unsigned numParallelLoops(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  // With a size of zero nothing is computed, and no index may be divided by it.
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return 0;
  unsigned count = 0;
  for (; count < iterators.size(); ++count) {
    if (iterators[count] != utils::IteratorType::parallel)
      break;
    if (!llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
          return op.getMatchingIndexingMap(&init).isFunctionOfDim(count);
        }))
      break;
  }
  if (count == iterators.size() && count > 1)
    --count;
  return count;
}

struct ParallelizeLoops
    : fusion::impl::ReferenceParallelizeLoopsBase<ParallelizeLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Copies are loops like any other (upstream's lowering of strided ones
    // calls into a runtime library).
    getOperation().walk([&](memref::CopyOp copy) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    });
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (failed(lower(rewriter, op)))
        return signalPassFailure();
  }

private:
  LogicalResult lower(RewriterBase &rewriter, linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics())
      return op->emitError("expected an operation on memrefs");
    bool isTopLevel = isa<func::FuncOp>(op->getParentOp());
    unsigned parallel = isTopLevel ? numParallelLoops(op) : 0;
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops))
      return op->emitError("the operation cannot be lowered to loops");
    SmallVector<scf::ForOp> outer;
    for (unsigned i = 0; i < parallel; ++i)
      outer.push_back(cast<scf::ForOp>((*loops)[i]));
    rewriter.eraseOp(op);
    if (outer.empty())
      return success();
    if (outer.size() > 1 && failed(coalesceLoops(rewriter, outer)))
      return outer.front()->emitError("the parallel loops cannot be collapsed");
    outline(rewriter, outer.front());
    return success();
  }

  /// Moves the loop into a function of its range and calls it.
  void outline(RewriterBase &rewriter, scf::ForOp loop) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(loop.getRegion(), captured);
    SmallVector<Value> arguments;
    SmallVector<Operation *> constants;
    for (Value value : captured) {
      Operation *def = value.getDefiningOp();
      if (def && def->hasTrait<OpTrait::ConstantLike>())
        constants.push_back(def);
      else
        arguments.push_back(value);
    }
    Location loc = loop.getLoc();
    auto index = IndexType::get(&getContext());
    SmallVector<Type> types{index, index};
    llvm::append_range(types, ValueRange(arguments).getTypes());

    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(getOperation().getBody());
    auto body = func::FuncOp::create(
        rewriter, loc, "fusion_parallel_body_" + std::to_string(counter++),
        FunctionType::get(&getContext(), types, {}));
    body.setPrivate();
    Block *entry = body.addEntryBlock();
    rewriter.setInsertionPointToStart(entry);
    IRMapping mapping;
    for (auto [value, argument] :
         llvm::zip_equal(arguments, entry->getArguments().drop_front(2)))
      mapping.map(value, argument);
    for (Operation *constant : constants)
      rewriter.clone(*constant, mapping);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    auto ranged = scf::ForOp::create(rewriter, loc, entry->getArgument(0),
                                     entry->getArgument(1), one);
    func::ReturnOp::create(rewriter, loc);

    rewriter.setInsertionPoint(loop);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    // linalg's loops start at 0 with step 1.
    assert(matchPattern(loop.getLowerBound(), m_Zero()) &&
           matchPattern(loop.getStep(), m_One()));
    SmallVector<Value> operands{zero, loop.getUpperBound()};
    llvm::append_range(operands, arguments);
    func::CallOp::create(rewriter, loc, body, operands);

    rewriter.setInsertionPointToStart(ranged.getBody());
    mapping.map(loop.getInductionVar(), ranged.getInductionVar());
    for (Operation &op : loop.getBody()->without_terminator())
      rewriter.clone(op, mapping);
    rewriter.eraseOp(loop);
  }

  unsigned counter = 0;
};

} // namespace
