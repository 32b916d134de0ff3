//===- AssignLayouts.cpp - tile-assign-layouts ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are assigned in two directions. Forwards, fixed layouts spread from
// contractions through element-wise operations and loops. Backwards, every
// other value is made in the layout that its user requires.
//
//===----------------------------------------------------------------------===//

#include "AssignLayouts.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace fusion {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

LogicalResult Assigner::checkContraction(Operation *op, StringRef name,
                                         RankedTensorType sum, int64_t depth,
                                         Type element,
                                         ArrayRef<int64_t> warps) {
  const Intrinsic *intrinsic = lookupIntrinsic(name);
  if (!intrinsic)
    return op->emitOpError("unknown intrinsic '") << name << "'";
  if (intrinsic->readsShared() != isa<SharedDotOp>(op))
    return op->emitOpError("'")
           << name << "' multiplies operands in "
           << (isa<SharedDotOp>(op) ? "registers"
                                    : "shared memory; run "
                                      "tile-use-shared-operands");
  if (element.getIntOrFloatBitWidth() != intrinsic->operandBits)
    return op->emitOpError("'") << name << "' does not multiply " << element;
  if (!intrinsic->divides(sum.getDimSize(0), sum.getDimSize(1), depth, warps))
    return op->emitOpError("tile ")
           << sum << " is no multiple of the intrinsic over [" << warps
           << "] warps";
  if (warps[0] * warps[1] != static_cast<int64_t>(kernel.getWarps()))
    return op->emitOpError("arranges other warps than the kernel has");
  return success();
}

LogicalResult Assigner::checkInput() {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (getLayout(type))
        return op->emitOpError("already has a layout");
    if (auto reduce = dyn_cast<ReduceOp>(op); reduce && reduce.getIntrinsic()) {
      const Intrinsic *intrinsic = lookupIntrinsic(*reduce.getIntrinsic());
      if (!intrinsic)
        return op->emitOpError("unknown intrinsic '")
               << *reduce.getIntrinsic() << "'";
      RankedTensorType type = reduce.getValue().getType();
      bool isOperandA = reduce.getDimension() == 1;
      ArrayRef<int64_t> warps = *reduce.getWarps();
      if (warps[0] * warps[1] !=
          static_cast<int64_t>(op->getParentOfType<KernelOp>().getWarps()))
        return op->emitOpError("arranges other warps than the kernel has");
      int64_t parallel = type.getDimSize(isOperandA ? 0 : 1),
              reduced = type.getDimSize(isOperandA ? 1 : 0);
      bool divides = isOperandA ? intrinsic->dividesRows(parallel, warps[0])
                                : intrinsic->dividesColumns(parallel, warps[1]);
      if (!divides || !intrinsic->dividesReduced(reduced))
        return op->emitOpError("tile ")
               << type << " is no multiple of the intrinsic over [" << warps
               << "] warps";
    }
    if (auto dot = dyn_cast<DotOp>(op)) {
      RankedTensorType lhs = dot.getLhs().getType();
      return checkContraction(op, dot.getIntrinsic(), dot.getType(),
                              lhs.getDimSize(1), lhs.getElementType(),
                              dot.getWarps());
    }
    if (auto dot = dyn_cast<SharedDotOp>(op))
      return checkContraction(
          op, dot.getIntrinsic(), dot.getType(), dot.getDepth(),
          dot.getRhsBuffer().getType().getElementType(), dot.getWarps());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether every tile of the kernel has a layout before the pass.
static bool isAssigned(KernelOp kernel) {
  bool hasTiles = false;
  WalkResult all = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type)) {
        hasTiles = true;
        if (!getLayout(type))
          return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return hasTiles && !all.wasInterrupted();
}

LogicalResult Assigner::run() {
  if (isAssigned(kernel))
    return success();
  if (failed(checkInput()))
    return failure();
  do {
    while (propagate()) {
    }
  } while (fixReduced());
  SmallVector<Operation *> operations;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != kernel)
      operations.push_back(op);
  });
  for (auto [value, layout] : fixed) {
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    value.setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
  }
  for (Operation *op : operations)
    if (failed(rewrite(op)))
      return failure();
  // The operations without a layout have been replaced by copies that have one.
  for (Operation *op : llvm::reverse(operations)) {
    bool isReplaced = op->getNumResults() != 0 && op->use_empty() &&
                      (!isa<scf::ForOp>(op) || isMemoryEffectFree(op)) &&
                      llvm::all_of(op->getResultTypes(), [](Type type) {
                        return isa<RankedTensorType>(type) && !getLayout(type);
                      });
    if (isReplaced)
      op->erase();
  }
  WalkResult complete = kernel.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && !getLayout(type))
        return op->emitOpError("has a result that no layout reaches");
    return WalkResult::advance();
  });
  return failure(complete.wasInterrupted());
}

namespace {
struct AssignLayoutsPass
    : fusion::impl::TileAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    if (failed(Assigner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
