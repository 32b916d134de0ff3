//===- StitchSplitLoop.cpp - The loop around the serial loop --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some groups reduce rows and also columns of many rows, as gradients of a
// layer norm do. A block then runs over its rows, a few at a time, and over the
// columns of each. Its column sums stay in the registers of the threads that
// have these columns, or at their places in shared memory.
//
//===----------------------------------------------------------------------===//

#include "StitchLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

/// Adds a step's values to the sums of its columns.
void StitchLowering::addPart(unsigned number, Value tile, const Scope &scope) {
  arith::AtomicRMWKind kind = group.reductions[number]->kind;
  if (!scope.slot) {
    Value &sum = partSums[scope.number][number];
    sum = arith::getReductionOp(kind, b, loc, sum, tile);
    return;
  }
  Value buffer = partStashes[number];
  Value before =
      tile::PrivateLoadOp::create(b, loc, tile.getType(), buffer, scope.slot,
                                  /*slot=*/IntegerAttr());
  Value sum = arith::getReductionOp(kind, b, loc, before, tile);
  tile::PrivateStoreOp::create(b, loc, sum, buffer, scope.slot);
}

void StitchLowering::emitRowSteps() {
  unsigned axis = schedule.splitLoop->axis;
  const StitchSerialLoop &walk = *schedule.serialLoop;
  SmallVector<unsigned> parts;
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (passes.isPart[op])
      parts.push_back(op);
  auto identity = [&](unsigned op) -> Value {
    const ReductionBody &reduction = *group.reductions[op];
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            tileType(sorted(group.loops[op]), reduction.combined.getType()),
            reductionIdentity(b, loc, reduction)));
  };
  /// Runs over the steps of the serial loop whose sums are in shared memory.
  auto forEachSlot = [&](llvm::function_ref<void(Value slot)> act) {
    if (walk.sharedSteps == 0)
      return;
    auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                   kernel.constant(walk.sharedSteps),
                                   kernel.constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    act(loop.getInductionVar());
  };
  if (walk.sharedSteps > 0)
    for (unsigned op : parts)
      partStashes[op] =
          reserve(group.loops[op], group.reductions[op]->combined.getType(),
                  walk.sharedSteps);
  forEachSlot([&](Value slot) {
    for (unsigned op : parts)
      tile::PrivateStoreOp::create(b, loc, identity(op), partStashes[op], slot);
  });
  SmallVector<Value> starts;
  for (int64_t k = 0; k < walk.registerSteps; ++k)
    for (unsigned op : parts)
      starts.push_back(identity(op));

  auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                 kernel.constant(schedule.countSerialPasses()),
                                 kernel.constant(1), starts);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    rowStep = loop.getInductionVar();
    Value origin = origins[axis];
    Scope ofAllSteps = rows;
    origins[axis] = arith::AddIOp::create(
        b, loc, origin,
        arith::MulIOp::create(b, loc, loop.getInductionVar(),
                              kernel.constant(schedule.splitLoop->step)));
    partSums.assign(walk.registerSteps, Accumulators());
    auto sums = loop.getRegionIterArgs().begin();
    for (Accumulators &ofStep : partSums)
      for (unsigned op : parts)
        ofStep[op] = *sums++;
    loadRows(/*ofAllSteps=*/false);
    emitSerialLoop();
    SmallVector<Value> yielded;
    for (Accumulators &ofStep : partSums)
      for (unsigned op : parts)
        yielded.push_back(ofStep[op]);
    if (!loop.getBody()->empty() &&
        loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      loop.getBody()->back().erase();
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, yielded);
    origins[axis] = origin;
    rowStep = Value();
    rows = ofAllSteps;
  }

  int64_t firstWhole, behindWhole;
  std::tie(firstWhole, behindWhole) = wholeSteps(group, schedule);
  auto share = [&](unsigned op, Value sum, Scope &scope) {
    scope.operators[op] = reduce(op, sum, sorted(group.loops[op]));
    storePartial(op, /*round=*/0, digits[axis], scope);
  };
  auto sums = loop.getResults().begin();
  for (int64_t k = 0; k < walk.registerSteps; ++k) {
    Scope scope;
    scope.origin = originOfStep(kernel.constant(k));
    scope.isInside = k >= firstWhole && k < behindWhole;
    for (unsigned op : parts)
      share(op, *sums++, scope);
  }
  forEachSlot([&](Value slot) {
    Scope scope;
    scope.origin = originOfStep(arith::AddIOp::create(
        b, loc, slot, kernel.constant(walk.registerSteps)));
    scope.isInside = behindWhole == schedule.countSteps();
    for (unsigned op : parts) {
      Type element = group.reductions[op]->combined.getType();
      share(op,
            tile::PrivateLoadOp::create(
                b, loc, tileType(sorted(group.loops[op]), element),
                partStashes[op], slot,
                /*slot=*/IntegerAttr()),
            scope);
    }
  });
}
