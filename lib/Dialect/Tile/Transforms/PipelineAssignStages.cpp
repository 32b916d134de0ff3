//===- PipelineAssignStages.cpp - tile-pipeline-assign-stages -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace fusion {
#define GEN_PASS_DEF_TILEPIPELINEASSIGNSTAGES
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

struct AssignStagesPass
    : fusion::impl::TilePipelineAssignStagesBase<AssignStagesPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
        if (copy.getStages() || copy.getSlot())
          return copy.emitOpError("already belongs to a pipeline");
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        if (alloc.getPipelined())
          return assign(alloc);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](AllocOp alloc) {
      if (!alloc.getPipelined())
        return;
      for (Operation *user : alloc->getUsers())
        if (auto copy = dyn_cast<CopyAsyncOp>(user))
          copy.setStages(alloc.getPipelineStages());
    });
  }

  static LogicalResult assign(AllocOp alloc) {
    if (!alloc.getPipelineStages())
      return alloc.emitOpError("is marked as pipelined but asks for no stages");
    if (alloc.getType().getStages() != 1)
      return alloc.emitOpError("has ")
             << alloc.getType().getStages() << " stages already";
    return success();
  }
};

} // namespace
