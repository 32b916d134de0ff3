//===- GuardIndices.cpp - reference-guard-indices -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"
#include "fusion/Reference/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEGUARDINDICES
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

/// Whether an index depends on data, not on loops and sizes alone.
bool dependsOnData(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = index.getDefiningOp();
  if (isa<memref::DimOp>(op))
    return false;
  return isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(), dependsOnData);
}

struct GuardIndices : fusion::impl::ReferenceGuardIndicesBase<GuardIndices> {
  void runOnOperation() override {
    SmallVector<memref::LoadOp> gathers;
    getOperation().walk([&](memref::LoadOp load) {
      if (llvm::any_of(load.getIndices(), dependsOnData))
        gathers.push_back(load);
    });
    for (memref::LoadOp load : gathers)
      guard(load);
  }

private:
  /// An index outside of the tensor becomes zero.
  void guard(memref::LoadOp load) {
    OpBuilder b(load);
    Location loc = load.getLoc();
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), isOutside;
    SmallVector<Value> indices;
    for (auto [d, index] : llvm::enumerate(load.getIndices())) {
      if (!dependsOnData(index)) {
        indices.push_back(index);
        continue;
      }
      // Negative ones are large numbers without a sign.
      Value size = memref::DimOp::create(b, loc, load.getMemRef(), d);
      Value leaves =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, index, size);
      indices.push_back(arith::SelectOp::create(b, loc, leaves, zero, index));
      isOutside =
          isOutside ? arith::OrIOp::create(b, loc, isOutside, leaves) : leaves;
    }
    scf::IfOp::create(b, loc, isOutside, [&](OpBuilder &inner, Location l) {
      func::CallOp::create(inner, l, undefinedCallee(getOperation()),
                           ValueRange());
      scf::YieldOp::create(inner, l);
    });
    load.getIndicesMutable().assign(indices);
  }
};

} // namespace
