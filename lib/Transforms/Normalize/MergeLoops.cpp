//===- MergeLoops.cpp - Loops that are one --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeLoops.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Support/LinearLayout.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusion;

/// Whether loops of an operator can be merged at all.
static bool isFlexible(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !op.hasDynamicShape() &&
         !isContractionBody(op) && !linalg::isaConvolutionOpInterface(op) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

namespace {

/// Operators that hand each other values.
class LoopMerger {
public:
  explicit LoopMerger(ArrayRef<linalg::LinalgOp> operators)
      : operators(operators) {}

  void run(RewriterBase &rewriter) {
    for (bool changes = true; changes;) {
      changes = false;
      for (linalg::LinalgOp op : operators)
        for (OpOperand &operand : op->getOpOperands())
          changes |= narrow(op, operand);
    }
    // Tensors are known by the operators that are replaced.
    SmallVector<SmallVector<ReassociationIndices>> sequences;
    for (linalg::LinalgOp op : operators)
      sequences.push_back(findSequences(op));
    for (auto [constOp, loops] : llvm::zip_equal(operators, sequences)) {
      linalg::LinalgOp op = constOp;
      if (loops.empty())
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::CollapseResult> collapsed =
          linalg::collapseOpIterationDims(op, loops, rewriter);
      if (succeeded(collapsed))
        rewriter.replaceOp(op, collapsed->results);
    }
  }

private:
  /// Whether two dimensions of a tensor, the second one behind the first, may
  /// be one.
  bool &isOne(Value tensor, unsigned dimension) {
    auto [it, isNew] = merged.try_emplace(tensor);
    if (isNew) {
      // What is read by index, or by products, keeps its shape.
      bool isFree = llvm::all_of(tensor.getUsers(), [](Operation *user) {
        auto op = dyn_cast<linalg::LinalgOp>(user);
        return op ? isFlexible(op) : !isa<tensor::ExtractOp>(user);
      });
      Operation *maker = tensor.getDefiningOp();
      if (auto op = dyn_cast_or_null<linalg::LinalgOp>(maker))
        isFree &= isFlexible(op);
      it->second.assign(cast<RankedTensorType>(tensor.getType()).getRank(),
                        isFree);
    }
    return it->second[dimension];
  }

  /// Whether `second` follows `first` wherever one of them is.
  bool follows(linalg::LinalgOp op, unsigned first, unsigned second) {
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    auto isNumbered = [&](linalg::IndexOp index) {
      return index.getDim() == first || index.getDim() == second;
    };
    if (kinds[first] != kinds[second] ||
        llvm::any_of(op.getBlock()->getOps<linalg::IndexOp>(), isNumbered))
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      auto placeOf = [&](unsigned loop) {
        return map.getResultPosition(getAffineDimExpr(loop, op->getContext()));
      };
      std::optional<unsigned> place = placeOf(first), next = placeOf(second);
      return place || next ? place && next && *next == *place + 1 &&
                                 isOne(operand.get(), *place)
                           : true;
    });
  }

  /// Keeps dimensions apart whose loops are; returns whether some were not.
  bool narrow(linalg::LinalgOp op, OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool changes = false;
    auto keep = [&](Value tensor, unsigned d, bool isFollowed) {
      bool &flag = isOne(tensor, d);
      changes |= flag && !isFollowed;
      flag &= isFollowed;
      return flag;
    };
    for (unsigned d = 0; d + 1 < map.getNumResults(); ++d) {
      bool isFollowed =
          follows(op, map.getDimPosition(d), map.getDimPosition(d + 1));
      isFollowed = keep(operand.get(), d, isFollowed);
      // A result has the shape of the tensor that it starts from.
      if (op.isDpsInit(&operand)) {
        isFollowed = keep(op.getTiedOpResult(&operand), d, isFollowed);
        keep(operand.get(), d, isFollowed);
      }
    }
    return changes;
  }

  /// Loops that are one, in their order.
  SmallVector<ReassociationIndices> findSequences(linalg::LinalgOp op) {
    SmallVector<std::optional<unsigned>> next(op.getNumLoops());
    SmallVector<bool> isFirst(op.getNumLoops(), true);
    for (AffineMap map : op.getIndexingMapsArray())
      for (unsigned d = 0; d + 1 < map.getNumResults(); ++d) {
        unsigned first = map.getDimPosition(d),
                 second = map.getDimPosition(d + 1);
        if (!follows(op, first, second))
          continue;
        next[first] = second;
        isFirst[second] = false;
      }
    SmallVector<ReassociationIndices> sequences;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (!isFirst[loop] || !next[loop])
        continue;
      ReassociationIndices &sequence = sequences.emplace_back();
      for (std::optional<unsigned> at = loop; at; at = next[*at])
        sequence.push_back(*at);
    }
    return sequences;
  }

  ArrayRef<linalg::LinalgOp> operators;
  /// By tensor and dimension: it and the next are one.
  llvm::DenseMap<Value, SmallVector<bool>> merged;
};

} // namespace

void fusion::mergeLoops(func::FuncOp function, RewriterBase &rewriter) {
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::SmallPtrSet<Operation *, 4> large;
  SmallVector<linalg::LinalgOp> all;
  for (auto op : function.getBody().getOps<linalg::LinalgOp>()) {
    if (isa<linalg::FillOp>(op) || !isFlexible(op))
      continue;
    all.push_back(op);
    classes.insert(op);
    for (Value operand : op->getOperands())
      if (auto maker = operand.getDefiningOp<linalg::LinalgOp>();
          maker && !isa<linalg::FillOp>(maker) && isFlexible(maker))
        classes.unionSets(op, maker);
  }
  for (linalg::LinalgOp op : all)
    if (op.getNumLoops() > kMaxTileRank)
      large.insert(classes.getLeaderValue(op));
  llvm::MapVector<Operation *, SmallVector<linalg::LinalgOp>> components;
  for (linalg::LinalgOp op : all)
    if (Operation *leader = classes.getLeaderValue(op); large.contains(leader))
      components[leader].push_back(op);
  for (auto &[leader, operators] : components) {
    // Named operators are of the ranks that they are of.
    for (linalg::LinalgOp &op : operators) {
      rewriter.setInsertionPoint(op);
      if (!isa<linalg::GenericOp>(op))
        if (FailureOr<linalg::GenericOp> generic =
                linalg::generalizeNamedOp(rewriter, op);
            succeeded(generic))
          op = *generic;
    }
    LoopMerger(operators).run(rewriter);
  }
}
