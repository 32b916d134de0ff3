//===- FoldReshapes.cpp - fuse-fold-reshapes ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeLoops.h"
#include "SplitLoops.h"
#include "StartingValues.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace fusion {
#define GEN_PASS_DEF_FUSEFOLDRESHAPES
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

bool isReshape(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// Returns whether an operator may change its shape. Contractions keep theirs,
/// as their loops are tiled.
bool isFlexible(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
         !isContractionBody(linalgOp) &&
         !linalg::isaConvolutionOpInterface(linalgOp);
}

/// Returns the operators that can lose loops of one iteration. Contractions,
/// and operators that read elements by index, keep such loops, and so must all
/// operators that are connected to them without a reshape between.
SmallVector<linalg::GenericOp> collectCutOff(func::FuncOp function) {
  llvm::EquivalenceClasses<Operation *> components;
  SmallVector<linalg::GenericOp> generics;
  llvm::SmallPtrSet<Operation *, 8> fixed;
  function.walk([&](linalg::LinalgOp op) {
    components.insert(op);
    // Also operators that the body reads.
    op->walk([&](Operation *reader) {
      for (Value operand : reader->getOperands())
        if (auto producer = operand.getDefiningOp<linalg::LinalgOp>())
          if (!isa<linalg::FillOp>(producer))
            components.unionSets(op, producer);
    });
  });
  function.walk([&](linalg::LinalgOp op) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!isFlexible(op) || (generic && generic.hasIndexSemantics()))
      fixed.insert(components.getLeaderValue(op));
    else if (generic)
      generics.push_back(generic);
  });
  llvm::erase_if(generics, [&](linalg::GenericOp op) {
    return fixed.contains(components.getLeaderValue(op));
  });
  return generics;
}

using Sequences = SmallVector<ReassociationIndices>;

/// Returns the loops that index each group of dimensions of a tensor.
Sequences loopsOf(AffineMap map, ArrayRef<ReassociationIndices> reassociation) {
  Sequences loops;
  for (const ReassociationIndices &dimensions : reassociation) {
    ReassociationIndices group;
    for (int64_t dimension : dimensions)
      group.push_back(map.getDimPosition(dimension));
    loops.push_back(std::move(group));
  }
  return loops;
}

/// Returns the groups of dimensions of a tensor that sequences of loops index.
Sequences dimensionsOf(AffineMap map, ArrayRef<ReassociationIndices> loops) {
  Sequences dimensions;
  for (unsigned d = 0; d < map.getNumResults();) {
    int64_t loop = map.getDimPosition(d);
    const auto *sequence =
        llvm::find_if(loops, [&](const ReassociationIndices &sequence) {
          return sequence.front() == loop;
        });
    unsigned size = sequence == loops.end() ? 1 : sequence->size();
    dimensions.emplace_back(llvm::to_vector(llvm::seq<int64_t>(d, d + size)));
    d += size;
  }
  return dimensions;
}

/// Returns whether the loops of each group of an operand's dimensions can
/// become one.
bool canCollapse(linalg::GenericOp op, OpOperand &operand,
                 ArrayRef<ReassociationIndices> reassociation) {
  if (!isFlexible(op) || op.hasIndexSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  Sequences loops = loopsOf(op.getMatchingIndexingMap(&operand), reassociation);
  return linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), loops);
}

/// Returns whether all readers of `value` can collapse its dimensions, too:
/// otherwise the reshape would only move.
bool readersCollapse(Value value,
                     ArrayRef<ReassociationIndices> reassociation) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(use.getOwner()))
      return llvm::equal(collapse.getReassociationIndices(), reassociation);
    if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner()))
      return canCollapse(generic, use, reassociation);
    return !isa<linalg::LinalgOp>(use.getOwner());
  });
}

/// Returns whether the operator that computes `value` can collapse its
/// dimensions, too. A tensor from outside is reshaped at no cost.
bool makerCollapses(Value value, ArrayRef<ReassociationIndices> reassociation) {
  Operation *maker = value.getDefiningOp();
  if (!isa_and_present<linalg::LinalgOp>(maker) || isa<linalg::FillOp>(maker))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(maker);
  return generic && canCollapse(generic,
                                *generic.getDpsInitOperand(
                                    cast<OpResult>(value).getResultNumber()),
                                reassociation);
}

/// Returns whether loops of an operator can become one in all neighbours, too.
bool neighboursCollapse(linalg::GenericOp op,
                        ArrayRef<ReassociationIndices> loops) {
  auto dimensions = [&](OpOperand &operand) {
    return dimensionsOf(op.getMatchingIndexingMap(&operand), loops);
  };
  return llvm::all_of(
             op->getOpOperands(),
             [&](OpOperand &operand) {
               return !isa<RankedTensorType>(operand.get().getType()) ||
                      makerCollapses(operand.get(), dimensions(operand));
             }) &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return readersCollapse(result, dimensions(*op.getDpsInitOperand(
                                              result.getResultNumber())));
         });
}

/// Returns whether an operator and a reshape that meet at `operand` should
/// change places, so that the operator has fewer loops.
bool shouldCollapse(OpOperand *operand) {
  linalg::GenericOp op;
  Sequences reassociation;
  if (auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>()) {
    // The reshape of an argument costs nothing where it is.
    if (!expand.getSrc().getDefiningOp<linalg::LinalgOp>())
      return false;
    op = dyn_cast<linalg::GenericOp>(operand->getOwner());
    reassociation = expand.getReassociationIndices();
  } else if (auto collapse =
                 dyn_cast<tensor::CollapseShapeOp>(operand->getOwner())) {
    if (llvm::none_of(collapse->getUsers(), llvm::IsaPred<linalg::LinalgOp>))
      return false;
    op = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
    reassociation = collapse.getReassociationIndices();
    if (op)
      operand = op.getDpsInitOperand(
          cast<OpResult>(collapse.getSrc()).getResultNumber());
  }
  return op && canCollapse(op, *operand, reassociation) &&
         neighboursCollapse(
             op, loopsOf(op.getMatchingIndexingMap(operand), reassociation));
}

struct FoldReshapes : fusion::impl::FuseFoldReshapesBase<FoldReshapes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    generalize(function);

    dropUnitLoops(function);
    IRRewriter rewriter(&getContext());
    mergeLoops(function, rewriter);

    RewritePatternSet collapsing(&getContext());
    linalg::populateFoldReshapeOpsByCollapsingPatterns(collapsing,
                                                       shouldCollapse);
    populateCleanUp(collapsing);
    // A reduction of one element is element-wise now.
    populateStartingValuePatterns(collapsing);
    if (failed(applyPatternsGreedily(function, std::move(collapsing))))
      return signalPassFailure();

    splitLoops(function, rewriter, isFlexible);
    RewritePatternSet undoing(&getContext());
    populateCleanUp(undoing);
    if (failed(applyPatternsGreedily(function, std::move(undoing))))
      return signalPassFailure();
  }

private:
  /// Folds reshapes that meet their inverse, or a tensor of one value.
  static void populateCleanUp(RewritePatternSet &patterns) {
    MLIRContext *context = patterns.getContext();
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  }

  static void dropUnitLoops(func::FuncOp function) {
    IRRewriter rewriter(function.getContext());
    for (linalg::GenericOp op : collectCutOff(function)) {
      rewriter.setInsertionPoint(op);
      auto dropped =
          linalg::dropUnitDims(rewriter, op, linalg::ControlDropUnitDims());
      if (succeeded(dropped))
        rewriter.replaceOp(op, dropped->replacements);
    }
  }

  /// Generalizes named operators, since the patterns match generic ones only.
  static void generalize(func::FuncOp function) {
    IRRewriter rewriter(function.getContext());
    SmallVector<linalg::LinalgOp> named;
    function.walk([&](linalg::LinalgOp op) {
      auto isMet = [](Operation *other) { return isReshape(other); };
      if (isFlexible(op) && !isa<linalg::GenericOp, linalg::FillOp>(op) &&
          (llvm::any_of(op->getUsers(), isMet) ||
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return isReshape(operand.getDefiningOp());
           })))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  }
};

} // namespace
