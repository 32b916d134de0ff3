//===- SplitLoops.cpp - Loops that reshapes cut ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fusion;

namespace {

/// The sizes into which a loop, or a dimension, is split; one size if it stays.
using Sizes = SmallVector<int64_t, 2>;

/// The operators that have to be split together.
class Split {
public:
  explicit Split(llvm::function_ref<bool(Operation *)> isFlexible)
      : isFlexible(isFlexible) {}

  /// Adds the operator that computes `value`, or reads it at `operand`, with
  /// dimensions of these sizes. Returns false if one of its neighbours cannot
  /// be split.
  bool includeMaker(OpResult value, ArrayRef<Sizes> dimensions);
  bool includeReader(OpOperand &operand, ArrayRef<Sizes> dimensions);

  void rewrite(RewriterBase &rewriter);

private:
  bool require(linalg::LinalgOp op, AffineMap map, ArrayRef<Sizes> dimensions);
  bool follow();
  bool follow(linalg::LinalgOp op);
  bool canExpand(Value operand, ArrayRef<Sizes> dimensions);
  bool canCollapse(OpResult result, ArrayRef<Sizes> dimensions);

  llvm::function_ref<bool(Operation *)> isFlexible;
  /// By operator: the sizes of each of its loops.
  llvm::MapVector<Operation *, SmallVector<Sizes>> loops;
  SmallVector<linalg::LinalgOp> open; ///< whose neighbours have to be visited
};

} // namespace

static bool isSplit(ArrayRef<Sizes> dimensions) {
  return llvm::any_of(dimensions,
                      [](const Sizes &sizes) { return sizes.size() > 1; });
}

static SmallVector<ReassociationIndices>
reassociationOf(ArrayRef<Sizes> dimensions) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (const Sizes &sizes : dimensions) {
    ReassociationIndices &group = groups.emplace_back();
    for (unsigned i = 0; i < sizes.size(); ++i)
      group.push_back(next++);
  }
  return groups;
}

/// Returns the sizes that each dimension of the lower rank of a reshape
/// consists of.
static SmallVector<Sizes> sizesOf(ArrayRef<ReassociationIndices> groups,
                                  RankedTensorType expanded) {
  SmallVector<Sizes> dimensions;
  for (const ReassociationIndices &group : groups) {
    Sizes &sizes = dimensions.emplace_back();
    for (int64_t dimension : group)
      sizes.push_back(expanded.getDimSize(dimension));
  }
  return dimensions;
}

static SmallVector<Sizes> sizesOf(ArrayRef<Sizes> loops, AffineMap map) {
  SmallVector<Sizes> dimensions;
  for (AffineExpr expression : map.getResults())
    dimensions.push_back(loops[cast<AffineDimExpr>(expression).getPosition()]);
  return dimensions;
}

static bool isMadeByOperator(Value value) {
  Operation *maker = value.getDefiningOp();
  return isa_and_present<linalg::LinalgOp>(maker) &&
         !isa<linalg::FillOp>(maker);
}

/// Adds an operator over dimensions whose indices it does not compute with.
bool Split::require(linalg::LinalgOp op, AffineMap map,
                    ArrayRef<Sizes> dimensions) {
  if (!isFlexible(op) || op.hasIndexSemantics() || op.hasDynamicShape() ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap each) {
        return each.isProjectedPermutation();
      }))
    return false;
  auto [known, isNew] = loops.insert({op, {}});
  SmallVector<Sizes> &own = known->second;
  if (isNew)
    for (int64_t size : op.getStaticLoopRanges())
      own.push_back({size});
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isChanged = isNew;
  for (auto [dimension, sizes] : llvm::enumerate(dimensions)) {
    unsigned loop = map.getDimPosition(dimension);
    if (sizes.size() == 1 || own[loop] == sizes)
      continue;
    if (own[loop].size() > 1 ||
        iterators[loop] != utils::IteratorType::parallel)
      return false;
    own[loop] = sizes;
    isChanged = true;
  }
  if (isChanged)
    open.push_back(op);
  return true;
}

/// Returns whether an input can be expanded: together with the operator that
/// computes it, or at no cost.
bool Split::canExpand(Value operand, ArrayRef<Sizes> dimensions) {
  if (!isa<RankedTensorType>(operand.getType()) || !isSplit(dimensions))
    return true;
  if (isMadeByOperator(operand)) {
    auto result = cast<OpResult>(operand);
    auto maker = cast<linalg::LinalgOp>(result.getOwner());
    return require(maker,
                   maker.getMatchingIndexingMap(
                       maker.getDpsInitOperand(result.getResultNumber())),
                   dimensions);
  }
  Operation *maker = operand.getDefiningOp();
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(maker))
    return !isMadeByOperator(collapse.getSrc()) ||
           ArrayRef(sizesOf(collapse.getReassociationIndices(),
                            collapse.getSrcType())) == dimensions;
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(maker))
    return !isMadeByOperator(expand.getSrc());
  return !maker ||
         isa<linalg::FillOp, tensor::EmptyOp, arith::ConstantOp>(maker);
}

/// Returns whether a result can be collapsed for its readers, together with
/// them or at no cost.
bool Split::canCollapse(OpResult result, ArrayRef<Sizes> dimensions) {
  if (!isSplit(dimensions))
    return true;
  return llvm::all_of(result.getUses(), [&](OpOperand &use) {
    Operation *reader = use.getOwner();
    if (auto op = dyn_cast<linalg::LinalgOp>(reader))
      return require(op, op.getMatchingIndexingMap(&use), dimensions);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reader);
        expand && ArrayRef(sizesOf(expand.getReassociationIndices(),
                                   expand.getResultType())) == dimensions)
      return true;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reader))
      return llvm::none_of(reader->getUsers(), llvm::IsaPred<linalg::LinalgOp>);
    return reader->hasTrait<OpTrait::IsTerminator>() &&
           isa<func::FuncOp>(reader->getParentOp());
  });
}

bool Split::follow(linalg::LinalgOp op) {
  SmallVector<Sizes> own = loops.lookup(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!canExpand(operand.get(),
                   sizesOf(own, op.getMatchingIndexingMap(&operand))))
      return false;
  for (OpResult result : op->getResults())
    if (!canCollapse(
            result, sizesOf(own, op.getMatchingIndexingMap(op.getDpsInitOperand(
                                     result.getResultNumber())))))
      return false;
  return true;
}

bool Split::follow() {
  while (!open.empty())
    if (!follow(open.pop_back_val()))
      return false;
  return true;
}

bool Split::includeMaker(OpResult value, ArrayRef<Sizes> dimensions) {
  return canExpand(value, dimensions) && follow();
}

bool Split::includeReader(OpOperand &operand, ArrayRef<Sizes> dimensions) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  return require(op, op.getMatchingIndexingMap(&operand), dimensions) &&
         follow();
}

/// Expands a tensor to dimensions of these sizes.
static Value expand(OpBuilder &b, Location loc, Value value,
                    ArrayRef<Sizes> dimensions) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isSplit(dimensions))
    return value;
  SmallVector<int64_t> shape;
  for (const Sizes &sizes : dimensions)
    llvm::append_range(shape, sizes);
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      reassociationOf(dimensions));
}

void Split::rewrite(RewriterBase &rewriter) {
  for (auto &[constOp, own] : loops) {
    auto op = cast<linalg::LinalgOp>(constOp);
    rewriter.setInsertionPoint(op);
    if (!isa<linalg::GenericOp>(constOp))
      op = cast<linalg::LinalgOp>(
          linalg::generalizeNamedOp(rewriter, op)->getOperation());
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    SmallVector<SmallVector<AffineExpr, 2>> apart;
    SmallVector<utils::IteratorType> iterators;
    for (auto [sizes, iterator] :
         llvm::zip_equal(own, op.getIteratorTypesArray())) {
      SmallVector<AffineExpr, 2> &dimensions = apart.emplace_back();
      for (unsigned i = 0; i < sizes.size(); ++i) {
        dimensions.push_back(rewriter.getAffineDimExpr(iterators.size()));
        iterators.push_back(iterator);
      }
    }
    SmallVector<AffineMap> maps;
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<AffineExpr> results;
      for (unsigned d = 0; d < map.getNumResults(); ++d)
        llvm::append_range(results, apart[map.getDimPosition(d)]);
      maps.push_back(
          AffineMap::get(iterators.size(), 0, results, rewriter.getContext()));
      operands.push_back(
          expand(rewriter, loc, operand.get(), sizesOf(own, map)));
    }
    unsigned inputs = op.getNumDpsInputs();
    auto split = linalg::GenericOp::create(
        rewriter, loc, TypeRange(ArrayRef(operands).drop_front(inputs)),
        ArrayRef(operands).take_front(inputs),
        ArrayRef(operands).drop_front(inputs), maps, iterators);
    rewriter.inlineRegionBefore(op->getRegion(0), split.getRegion(),
                                split.getRegion().begin());
    SmallVector<Value> results;
    for (auto [result, operand] :
         llvm::zip_equal(split.getResults(), op.getDpsInitsMutable())) {
      SmallVector<Sizes> dimensions =
          sizesOf(own, op.getMatchingIndexingMap(&operand));
      Value whole = result;
      if (isSplit(dimensions))
        whole = tensor::CollapseShapeOp::create(rewriter, loc,
                                                operand.get().getType(), result,
                                                reassociationOf(dimensions));
      results.push_back(whole);
    }
    rewriter.replaceOp(op, results);
  }
}

/// Returns whether a dimension is split into several with more than one
/// element.
static bool tellsApart(ArrayRef<Sizes> dimensions) {
  return llvm::any_of(dimensions, [](const Sizes &sizes) {
    return llvm::count_if(sizes, [](int64_t size) { return size != 1; }) > 1;
  });
}

void fusion::splitLoops(func::FuncOp function, RewriterBase &rewriter,
                        llvm::function_ref<bool(Operation *)> isFlexible) {
  SmallVector<Operation *> reshapes;
  function.walk([&](Operation *op) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      reshapes.push_back(op);
  });
  for (Operation *op : reshapes) {
    if (!isMadeByOperator(op->getOperand(0)))
      continue;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      SmallVector<Sizes> sizes =
          sizesOf(expand.getReassociationIndices(), expand.getResultType());
      Split split(isFlexible);
      if (tellsApart(sizes) &&
          llvm::any_of(op->getUsers(), llvm::IsaPred<linalg::LinalgOp>) &&
          split.includeMaker(cast<OpResult>(expand.getSrc()), sizes))
        split.rewrite(rewriter);
      continue;
    }
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    SmallVector<Sizes> sizes =
        sizesOf(collapse.getReassociationIndices(), collapse.getSrcType());
    if (!tellsApart(sizes))
      continue;
    // Readers that cannot be split are left alone. A split reader does not read
    // the value any more.
    auto splitReader = [&] {
      for (OpOperand &use : op->getUses()) {
        Split split(isFlexible);
        if (!isa<linalg::LinalgOp>(use.getOwner()) ||
            !split.includeReader(use, sizes))
          continue;
        split.rewrite(rewriter);
        return true;
      }
      return false;
    };
    while (splitReader())
      ;
  }
}
