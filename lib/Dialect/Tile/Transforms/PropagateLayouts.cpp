//===- PropagateLayouts.cpp - Layouts that contractions fix ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forwards: layouts spread from contractions, whose instructions fix the
// layouts of their operands and results, through element-wise operations and
// loops.
//
//===----------------------------------------------------------------------===//

#include "AssignLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

bool Assigner::fix(Value value, LayoutAttr layout) {
  if (!layout || fixed.contains(value))
    return false;
  fixed[value] = layout;
  return true;
}

/// Returns the order in which the elements of an RHS are loaded fastest. That
/// is the order of the buffer from which the RHS is loaded, in this iteration
/// or an earlier one, directly or through element-wise operations.
static OperandOrder orderInMemory(Value value) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        if (OpOperand *init = loop.getTiedLoopInit(argument))
          work.push_back(init->get());
      continue;
    }
    Operation *definer = next.getDefiningOp();
    if (auto load = dyn_cast<LocalLoadOp>(definer))
      return load.getTransposed() ? OperandOrder::AlongReduced
                                  : OperandOrder::AlongColumns;
    if (isElementwiseOp(definer) || isa<ConvertLayoutOp>(definer))
      llvm::append_range(work, llvm::reverse(definer->getOperands()));
  }
  return OperandOrder::AlongReduced;
}

/// The layouts of a contraction's LHS and RHS.
std::pair<LayoutAttr, LayoutAttr> Assigner::operandLayouts(DotOp dot) {
  RankedTensorType lhs = dot.getLhs().getType(), type = dot.getType();
  int64_t m = type.getDimSize(0), n = type.getDimSize(1), k = lhs.getDimSize(1);
  const Intrinsic &intrinsic = *lookupIntrinsic(dot.getIntrinsic());
  ArrayRef<int64_t> warps = dot.getWarps();
  return {
      attr(operandATile(intrinsic, m, k, warps)),
      attr(operandBTile(intrinsic, k, n, warps, orderInMemory(dot.getRhs())))};
}

template <typename Product> LayoutAttr Assigner::sumLayout(Product product) {
  RankedTensorType type = product.getType();
  return attr(accumulatorTile(*lookupIntrinsic(product.getIntrinsic()),
                              type.getDimSize(0), type.getDimSize(1),
                              product.getWarps()));
}

/// The layout of an LHS in registers.
LayoutAttr Assigner::firstLayout(SharedDotOp dot) {
  return attr(operandATile(*lookupIntrinsic(dot.getIntrinsic()),
                           dot.getType().getDimSize(0), dot.getDepth(),
                           dot.getWarps()));
}

/// The layout of a reduction's operand that is also a fragment of a
/// contraction, or null.
LayoutAttr Assigner::fragmentLayout(ReduceOp reduce) {
  if (!reduce.getIntrinsic())
    return {};
  const Intrinsic &intrinsic = *lookupIntrinsic(*reduce.getIntrinsic());
  ArrayRef<int64_t> shape = reduce.getValue().getType().getShape();
  ArrayRef<int64_t> warps = *reduce.getWarps();
  return attr(reduce.getDimension() == 1
                  ? operandATile(intrinsic, shape[0], shape[1], warps)
                  : operandBTile(intrinsic, shape[0], shape[1], warps,
                                 orderInMemory(reduce.getValue())));
}

/// The layout that a contraction, or a reduction of its operand, requires of a
/// value: directly, through element-wise operations or in an inner loop. The
/// last is the layout of fragments that a loop carries.
LayoutAttr Assigner::wantedLayout(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (auto dot = dyn_cast<DotOp>(use.getOwner())) {
      if (use.get() == dot.getLhs())
        return operandLayouts(dot).first;
      if (use.get() == dot.getRhs())
        return operandLayouts(dot).second;
    } else if (auto dot = dyn_cast<SharedDotOp>(use.getOwner())) {
      if (use.get() == dot.getLhs())
        return firstLayout(dot);
    } else if (auto reduce = dyn_cast<ReduceOp>(use.getOwner())) {
      if (LayoutAttr layout = fragmentLayout(reduce))
        return layout;
    } else if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
      // An inner loop carries the value.
      if (BlockArgument inner = loop.getTiedLoopRegionIterArg(&use))
        if (LayoutAttr layout = wantedLayout(inner))
          return layout;
    } else if (isElementwiseOp(use.getOwner()) &&
               use.getOwner()->getNumResults() == 1) {
      if (LayoutAttr layout = wantedLayout(use.getOwner()->getResult(0)))
        return layout;
    }
  }
  return {};
}

/// One round of spreading; returns true if it fixed a layout.
bool Assigner::propagate() {
  bool changed = false;
  kernel.walk([&](Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      changed |= fix(dot, sumLayout(dot));
    } else if (auto dot = dyn_cast<SharedDotOp>(op)) {
      changed |= fix(dot.getResult(), sumLayout(dot));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues())) {
        LayoutAttr layout = fixedLayout(yielded);
        if (!layout)
          layout = wantedLayout(loop.getRegionIterArg(index));
        changed |= fix(loop.getRegionIterArg(index), layout);
        changed |= fix(loop.getResult(index), layout);
      }
    } else if (keepsLayout(op) && op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType())) {
      for (Value operand : op->getOperands())
        if (LayoutAttr layout = fixedLayout(operand)) {
          changed |= fix(op->getResult(0), layout);
          break;
        }
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      if (LayoutAttr layout = fixedLayout(transpose.getValue()))
        changed |=
            fix(transpose, attr(layout.getValue().transposeOuts({1, 0})));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      changed |= fix(reduce.getValue(), fragmentLayout(reduce));
      if (LayoutAttr layout = fixedLayout(reduce.getValue()))
        changed |= fix(
            reduce, attr(layout.getValue().reduceOut(reduce.getDimension())));
    }
  });
  return changed;
}

/// Fixes the layout of the first reduced tile that is connected to no
/// contraction: the one in which it is loaded fastest. Returns false if there
/// is no such tile.
bool Assigner::fixReduced() {
  WalkResult result = kernel.walk([&](ReduceOp reduce) {
    Value value = reduce.getValue();
    if (fixedLayout(value))
      return WalkResult::advance();
    fix(value, loadLayout(value));
    return WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// Returns the layout of the widest loads on which a value depends. Where
/// nothing is loaded, columns are contiguous.
LayoutAttr Assigner::loadLayout(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t unit = type.getRank() - 1, width = 1;
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Operation *definer = work.pop_back_val().getDefiningOp();
    if (!definer || !seen.insert(definer).second)
      continue;
    auto load = dyn_cast<LoadOp>(definer);
    if (load && load.getType().getShape() == type.getShape() &&
        load.getView().getType().getUnit() >= 0) {
      unit = load.getView().getType().getUnit();
      width = vectorWidth(load.getView().getType());
      break;
    }
    if (isElementwiseOp(definer))
      llvm::append_range(work, definer->getOperands());
  }
  return storeLayout(type, unit, width);
}
