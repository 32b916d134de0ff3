//===- ChainReader.cpp - Axes of a chain, from its operators --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainReader.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Unification of loops
//===----------------------------------------------------------------------===//

ChainReader::ChainReader(ArrayRef<linalg::LinalgOp> operators,
                         ValueRange results, Explain explain)
    : results(results), explain(explain) {
  // A padding that only contractions read belongs to how they read its input.
  auto isPartOfReads = [](linalg::LinalgOp op) {
    return matchPadding(op) &&
           llvm::all_of(op->getUsers(), [](Operation *user) {
             auto reader = dyn_cast<linalg::LinalgOp>(user);
             return reader && isContraction(reader);
           });
  };
  for (linalg::LinalgOp op : operators)
    if (!isa<linalg::FillOp>(op) && !isPartOfReads(op))
      group.operators.push_back(op);
  orderProducts();
}

/// Orders the contractions. Where operators join several of them, the ones that
/// more contractions precede come last: the epilogue of the last contraction
/// then finds all values complete. Contractions of one chain are in this order
/// already.
void ChainReader::orderProducts() {
  llvm::DenseMap<Operation *, unsigned> depths;
  unsigned last = 0;
  bool isOrdered = true;
  for (linalg::LinalgOp op : group.operators) {
    unsigned depth = 0;
    for (Value input : op.getDpsInputs())
      if (auto it = depths.find(input.getDefiningOp()); it != depths.end())
        depth = std::max(depth, it->second);
    if (isContraction(op)) {
      ++depth;
      isOrdered &= depth >= last;
      last = depth;
    }
    depths[op] = depth;
  }
  if (!isOrdered)
    llvm::stable_sort(group.operators,
                      [&](linalg::LinalgOp a, linalg::LinalgOp b) {
                        return depths.lookup(a) < depths.lookup(b);
                      });
}

LogicalResult ChainReader::classify() {
  unsigned numContractions = 0, numReductions = 0;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (op->getNumResults() != 1)
      return decline("an operator has more than one result");
    group.contractionOf.push_back(std::nullopt);
    group.reductionOf.push_back(std::nullopt);
    if (isContraction(op)) {
      if (!accumulatesFromZero(op))
        return decline(
            "the accumulator of a contraction is not filled with zero");
      group.contractionOf.back() = numContractions++;
    } else if (matchReduction(op)) {
      group.reductionOf.back() = numReductions++;
    } else if (readsByIndex(op)) {
      return decline(op->getName().getStringRef() +
                     " reads elements of a tensor at computed indices "
                     "(tensor.extract), which no chain does");
    } else if (!isElementwise(op)) {
      return decline(
          op->getName().getStringRef() +
          " is neither a contraction nor element-wise nor a reduction by "
          "one operation");
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.getMatchingIndexingMap(&operand).isProjectedPermutation())
        continue;
      if (!isConvolution(op))
        return decline("an operand is indexed by more than plain loops");
      if (definer(operand.get()))
        return decline("a convolution reads a value of the chain through its "
                       "window: tiles of that value would overlap");
    }
    definers[op->getResult(0)] = index;
  }
  if (numContractions == 0)
    return decline("there is no contraction");
  return success();
}

LogicalResult ChainReader::unifyLoops() {
  // Loops of all operators, numbered through; a consumer's loop joins the
  // producer's loop that indexes the same dimension of the value between them.
  SmallVector<unsigned> first;
  unsigned count = 0;
  for (linalg::LinalgOp op : group.operators) {
    first.push_back(count);
    count += op.getNumLoops();
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned loop = 0; loop < count; ++loop)
    classes.insert(loop);
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      std::optional<unsigned> producer = definer(operand->get());
      if (!producer)
        continue;
      linalg::LinalgOp producerOp = group.operators[*producer];
      AffineMap made =
          producerOp.getMatchingIndexingMap(producerOp.getDpsInitOperand(0));
      AffineMap read = op.getMatchingIndexingMap(operand);
      for (auto [madeExpr, readExpr] :
           llvm::zip_equal(made.getResults(), read.getResults()))
        classes.unionSets(
            first[*producer] + cast<AffineDimExpr>(madeExpr).getPosition(),
            first[index] + cast<AffineDimExpr>(readExpr).getPosition());
    }
  }
  shareLoops(first, classes);
  shareFrontLoops(first, classes);
  // Number the classes in order of first appearance.
  llvm::MapVector<unsigned, unsigned> axisOfLeader;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<unsigned> &loops = group.loops.emplace_back();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      unsigned leader = classes.getLeaderValue(first[index] + loop);
      auto [it, isNew] = axisOfLeader.insert({leader, group.model.axes.size()});
      if (isNew)
        group.model.axes.push_back({"", ShapedType::kDynamic, true});
      Axis &axis = group.model.axes[it->second];
      if (!ShapedType::isDynamic(ranges[loop])) {
        axis.extent = ranges[loop];
        axis.isDynamic = false;
      }
      if (llvm::is_contained(loops, it->second))
        return decline("two loops of one operator would be one axis");
      loops.push_back(it->second);
    }
  }
  return success();
}

LogicalResult ChainReader::nameAxes() {
  static constexpr StringLiteral later[] = {"h", "p", "q", "r", "s",
                                            "t", "u", "v", "w"};
  unsigned nextLater = 0;
  bool isOperandA = true;
  auto name = [&](unsigned op, ArrayRef<unsigned> loops, StringRef letter) {
    for (unsigned loop : loops) {
      Axis &axis = group.model.axes[group.loops[op][loop]];
      if (!axis.name.empty())
        continue;
      StringRef chosen = letter;
      if (!isOperandA && letter != "b")
        chosen = later[nextLater++ % std::size(later)];
      axis.name = nextName(chosen);
    }
  };
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (!group.contractionOf[index])
      continue;
    std::optional<ContractionLoops> dims = inferContractionLoops(op);
    name(index, dims->batch, "b");
    name(index, dims->m, "m");
    name(index, dims->n, "n");
    name(index, dims->k, "k");
    isOperandA = false;
  }
  // Loops of element-wise operators that no contraction has, such as those of a
  // result that is broadcast along a new dimension.
  for (Axis &axis : group.model.axes)
    if (axis.name.empty())
      axis.name = nextName("x");
  return success();
}
