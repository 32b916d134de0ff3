//===- PipelineAssignStages.cpp - tile-pipeline-assign-stages -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
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
      if (std::optional<Fill> fill = Fill::get(op)) {
        if (fill->stages() || fill->slot())
          return op->emitOpError("already belongs to a pipeline");
      } else if (auto alloc = dyn_cast<AllocOp>(op)) {
        if (alloc.getPipelined())
          return check(alloc);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](AllocOp alloc) {
      if (alloc.getPipelined())
        fillOf(alloc)->operation()->setAttr("stages",
                                            alloc.getPipelineStagesAttr());
    });
  }

  /// What fills a buffer, if it is one thing.
  static std::optional<Fill> fillOf(AllocOp alloc) {
    std::optional<Fill> result;
    for (Operation *user : alloc->getUsers()) {
      if (!isa<CopyAsyncOp, LocalStoreOp>(user))
        continue;
      std::optional<Fill> fill = Fill::get(user);
      if (!fill || result)
        return std::nullopt;
      result = fill;
    }
    return result;
  }

  static LogicalResult check(AllocOp alloc) {
    if (!alloc.getPipelineStages())
      return alloc.emitOpError("is marked as pipelined but asks for no stages");
    std::optional<Fill> fill = fillOf(alloc);
    if (!(fill && fill->isRetained()) && alloc.getType().getStages() != 1)
      return alloc.emitOpError("has ")
             << alloc.getType().getStages() << " stages already";
    if (!fill)
      return alloc.emitOpError("is marked as pipelined but not filled by one "
                               "copy; run tile-pipeline-identify");
    if (!fill->isAsync() && *alloc.getPipelineStages() > 2)
      return alloc.emitOpError("is filled through registers, which hold one "
                               "tile ahead, but asks for ")
             << *alloc.getPipelineStages() << " stages";
    return success();
  }
};

} // namespace
