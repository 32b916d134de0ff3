//===- PipelineFill.cpp - What fills a pipelined buffer -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineFill.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

std::optional<std::string> fusion::tile::whyNotAhead(const Fill &fill,
                                                     scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex())
    return "is in a loop that does not count in index";
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  options.omitBlockArguments = true;
  options.inclusive = true;
  (void)getBackwardSlice(fill.operation(), &slice, options);
  for (Operation *op : slice) {
    if (op->getNumRegions() != 0)
      return "has an address that an operation with regions computes";
    for (Value operand : op->getOperands())
      if (llvm::is_contained(loop.getRegionIterArgs(), operand))
        return "depends on a value that the loop carries";
  }
  return std::nullopt;
}

bool Fill::hasOwnPlaces(scf::ForOp loop) const {
  Value place = stage().get();
  if (auto less = place.getDefiningOp<arith::SubIOp>())
    if (APInt constant; matchPattern(less.getRhs(), m_ConstantInt(&constant)))
      place = less.getLhs();
  return place == loop.getInductionVar();
}

LogicalResult fusion::tile::verifyStagedFill(const Fill &fill,
                                             scf::ForOp loop) {
  Operation *op = fill.operation();
  AllocOp alloc = fill.alloc();
  int64_t stages = *fill.stages();
  if (!alloc || !alloc.getPipelined())
    return op->emitOpError("has stages but its buffer is not pipelined; run "
                           "tile-pipeline-identify");
  if (fill.isRetained() && !fill.hasOwnPlaces(loop))
    return op->emitOpError("fills places of which the loop's iterations do not "
                           "each have their own");
  if (!fill.isRetained() && (alloc.getType().getStages() != 1 ||
                             !matchPattern(fill.stage().get(), m_Zero())))
    return op->emitOpError("fills another stage than the first and only one");
  if (stages < 2)
    return op->emitOpError("needs at least two stages to be pipelined");
  if (!fill.isAsync() && stages != 2)
    return op->emitOpError(
               "goes through registers, which makes two stages, but "
               "has ")
           << stages;
  if (alloc.getPipelineStages() != fill.stages())
    return op->emitOpError("has ")
           << stages << " stages but its buffer asks for "
           << alloc.getPipelineStages().value_or(1);
  if (fill.slot())
    return op->emitOpError("already belongs to a pipeline");
  if (llvm::count_if(alloc->getUsers(),
                     llvm::IsaPred<CopyAsyncOp, LocalStoreOp>) != 1)
    return op->emitOpError("is not the only one that fills its buffer");
  if (std::optional<std::string> why = whyNotAhead(fill, loop))
    return fill.source()->emitOpError(*why);
  return success();
}

bool fusion::tile::runsAtLeastOnce(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         lower.slt(upper);
}

llvm::SmallPtrSet<Value, 4> fusion::tile::pipelinedBuffers(scf::ForOp loop) {
  auto isFilledInside = [&](Value buffer) {
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      std::optional<Fill> fill = Fill::get(user);
      return fill && fill->slot() && user->getBlock() != loop.getBody() &&
             loop->isProperAncestor(user);
    });
  };
  llvm::SmallPtrSet<Value, 4> buffers;
  for (Operation &op : *loop.getBody())
    if (std::optional<Fill> fill = Fill::get(&op);
        fill && fill->slot() && !isFilledInside(fill->buffer()))
      buffers.insert(fill->buffer());
  return buffers;
}

SmallVector<scf::ForOp> fusion::tile::loopsThatFill(Value buffer) {
  SmallVector<scf::ForOp> loops;
  for (Operation *user : buffer.getUsers())
    if (std::optional<Fill> fill = Fill::get(user); fill && fill->slot())
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
          loop && !llvm::is_contained(loops, loop) &&
          pipelinedBuffers(loop).contains(buffer))
        loops.push_back(loop);
  return loops;
}

void fusion::tile::shiftSlots(Operation *op, int64_t shift) {
  op->walk([&](Operation *inner) {
    for (StringRef name : {"slot", "lhs_slot", "rhs_slot"})
      if (auto slot = inner->getAttrOfType<IntegerAttr>(name))
        inner->setAttr(name,
                       IntegerAttr::get(slot.getType(), slot.getInt() + shift));
  });
}

bool fusion::tile::fillsPlacesOnce(scf::ForOp loop, AllocOp alloc) {
  int64_t ahead = 0;
  for (Operation *user : alloc->getUsers())
    if (auto store = dyn_cast<LocalStoreOp>(user);
        store && loop->isProperAncestor(store))
      ahead = std::max<int64_t>(ahead, store.getSlot().value_or(0));
  std::optional<APInt> iterations = loop.getStaticTripCount();
  return iterations && iterations->getSExtValue() + ahead <=
                           int64_t(alloc.getType().getStages());
}

SmallVector<Fill> fusion::tile::stagedFills(Block &block) {
  SmallVector<Fill> fills;
  for (Operation &op : block)
    if (std::optional<Fill> fill = Fill::get(&op); fill && fill->stages())
      fills.push_back(*fill);
  return fills;
}
