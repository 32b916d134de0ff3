//===- ArrangeLoops.cpp - reference-arrange-loops -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEARRANGELOOPS
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

/// Copies `source` into the order of `permutation` (result dimension i is
/// source dimension permutation[i]) with elements made by `convert`.
Value copyTensor(OpBuilder &builder, Location loc, Value source,
                 ArrayRef<unsigned> permutation, Type element,
                 function_ref<Value(OpBuilder &, Location, Value)> convert) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, source);
  SmallVector<OpFoldResult> permuted;
  for (unsigned dim : permutation)
    permuted.push_back(sizes[dim]);
  Value empty = tensor::EmptyOp::create(builder, loc, permuted, element);
  AffineMap inverse = inversePermutation(
      AffineMap::getPermutationMap(permutation, builder.getContext()));
  // Loops run over the copy; the source is read at the permuted place.
  AffineMap maps[] = {inverse, builder.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), source, empty, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               linalg::YieldOp::create(nested, loc,
                                       convert(nested, loc, args[0]));
             })
      .getResult(0);
}

/// Whether some loop reads the same element again.
bool isReused(AffineMap map) {
  for (unsigned d = 0; d < map.getNumDims(); ++d)
    if (!map.isFunctionOfDim(d))
      return true;
  return false;
}

/// The extension that is the only use of a block argument.
Operation *onlyExtension(BlockArgument argument) {
  if (!argument.hasOneUse())
    return nullptr;
  Operation *user = *argument.user_begin();
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(user) ? user
                                                                  : nullptr;
}

/// What happens to one input.
struct InputPlan {
  AffineMap map;
  SmallVector<unsigned> permutation; ///< empty: not transposed
  Operation *extension = nullptr;    ///< done beforehand
};

struct LoopPlan {
  SmallVector<unsigned> order; ///< order[i]: the old loop at place i
  SmallVector<InputPlan> inputs;
};

/// Brings `dim` to the last place of a projected permutation.
SmallVector<unsigned> permutationWithLast(AffineMap map, unsigned dim) {
  SmallVector<unsigned> permutation;
  unsigned last = 0;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    if (map.getDimPosition(i) == dim)
      last = i;
    else
      permutation.push_back(i);
  }
  permutation.push_back(last);
  return permutation;
}

/// The loop along which all outputs are contiguous.
std::optional<unsigned> contiguousLoop(linalg::GenericOp op) {
  std::optional<unsigned> result;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() == 0)
      return std::nullopt;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!dim || (result && *result != dim.getPosition()))
      return std::nullopt;
    result = dim.getPosition();
  }
  if (!result ||
      op.getIteratorTypesArray()[*result] != utils::IteratorType::parallel)
    return std::nullopt;
  return result;
}

std::optional<LoopPlan> planLoops(linalg::GenericOp op) {
  std::optional<unsigned> inner = contiguousLoop(op);
  if (!inner)
    return std::nullopt;
  LoopPlan plan;
  for (OpOperand *input : op.getDpsInputOperands()) {
    InputPlan entry;
    entry.map = op.getMatchingIndexingMap(input);
    if (isReused(entry.map) && isa<RankedTensorType>(input->get().getType()))
      entry.extension = onlyExtension(op.getMatchingBlockArgument(input));
    ArrayRef<AffineExpr> results = entry.map.getResults();
    bool inPlace = llvm::none_of(
        results.drop_back(results.empty() ? 0 : 1),
        [&](AffineExpr expr) { return expr.isFunctionOfDim(*inner); });
    if (!inPlace) {
      if (!isReused(entry.map) || !entry.map.isProjectedPermutation())
        return std::nullopt;
      entry.permutation = permutationWithLast(entry.map, *inner);
    }
    plan.inputs.push_back(std::move(entry));
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (bool parallel : {true, false})
    for (unsigned d = 0; d < iterators.size(); ++d)
      if (d != *inner &&
          (iterators[d] == utils::IteratorType::parallel) == parallel)
        plan.order.push_back(d);
  plan.order.push_back(*inner);
  return plan;
}

/// Applies the parts of the plan that concern the inputs.
void rewriteInputs(RewriterBase &rewriter, linalg::GenericOp op,
                   const LoopPlan &plan) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (size_t index = 0; index < plan.inputs.size(); ++index) {
    const InputPlan &entry = plan.inputs[index];
    if (entry.permutation.empty() && !entry.extension)
      continue;
    rewriter.setInsertionPoint(op);
    Value source = op.getInputs()[index];
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<unsigned> permutation = entry.permutation;
    if (permutation.empty())
      llvm::append_range(permutation, llvm::seq<unsigned>(0, type.getRank()));
    Type element = entry.extension ? entry.extension->getResult(0).getType()
                                   : type.getElementType();
    Value copy = copyTensor(
        rewriter, op.getLoc(), source, permutation, element,
        [&](OpBuilder &builder, Location loc, Value value) -> Value {
          if (!entry.extension)
            return value;
          IRMapping mapping;
          mapping.map(entry.extension->getOperand(0), value);
          return builder.clone(*entry.extension, mapping)->getResult(0);
        });
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(index, copy);
      SmallVector<AffineExpr> results;
      for (unsigned dim : permutation)
        results.push_back(entry.map.getResult(dim));
      maps[index] = AffineMap::get(entry.map.getNumDims(), 0, results,
                                   rewriter.getContext());
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    if (entry.extension) {
      BlockArgument argument = op.getRegionInputArgs()[index];
      rewriter.replaceOp(entry.extension, argument);
      argument.setType(element);
    }
  }
}

struct ArrangeLoops : fusion::impl::ReferenceArrangeLoopsBase<ArrangeLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(lowerRelayouts(rewriter)))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> reductions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() > 0)
        reductions.push_back(op);
    });
    SmallVector<linalg::GenericOp> ops;
    for (linalg::LinalgOp op : reductions) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(made))
          continue; // its own loops will do
        generic = *made;
      }
      ops.push_back(generic);
    }
    for (linalg::GenericOp op : ops) {
      std::optional<LoopPlan> plan = planLoops(op);
      if (!plan)
        continue;
      rewriteInputs(rewriter, op, *plan);
      rewriter.setInsertionPoint(op);
      if (failed(linalg::interchangeGenericOp(rewriter, op, plan->order))) {
        op->emitError("the loops cannot be interchanged");
        return signalPassFailure();
      }
    }
  }

private:
  /// Packing has no loops of its own: it becomes padding, reshaping and
  /// transposing.
  LogicalResult lowerRelayouts(RewriterBase &rewriter) {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      auto pack = dyn_cast<linalg::PackOp>(op);
      bool isLowered = pack ? succeeded(linalg::lowerPack(rewriter, pack))
                            : succeeded(linalg::lowerUnPack(
                                  rewriter, cast<linalg::UnPackOp>(op)));
      if (!isLowered)
        return op->emitError("cannot be lowered to padding, reshaping and "
                             "transposing");
    }
    return success();
  }
};

} // namespace
