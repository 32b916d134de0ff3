//===- StitchColumnSums.cpp - Sums of columns over rows -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchColumnSums.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

StitchLowering::ColumnSums::ColumnSums(StitchLowering &lowering)
    : lowering(lowering), group(lowering.group), schedule(lowering.schedule),
      b(lowering.b), loc(lowering.loc),
      carried(schedule.serialLoop->registerSteps) {
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (lowering.passes.isPart[op])
      operators.push_back(op);
}

Value StitchLowering::ColumnSums::identity(unsigned op) {
  const ReductionBody &reduction = *group.reductions[op];
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(lowering.tileType(sorted(group.loops[op]),
                                               reduction.combined.getType()),
                             reductionIdentity(b, loc, reduction)));
}

void StitchLowering::ColumnSums::forEachSlot(
    llvm::function_ref<void(Value slot)> act) {
  int64_t slots = schedule.serialLoop->sharedSteps;
  if (slots == 0)
    return;
  auto loop = scf::ForOp::create(b, loc, lowering.kernel.constant(0),
                                 lowering.kernel.constant(slots),
                                 lowering.kernel.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  act(loop.getInductionVar());
}

SmallVector<Value> StitchLowering::ColumnSums::start() {
  int64_t slots = schedule.serialLoop->sharedSteps;
  if (slots > 0)
    for (unsigned op : operators)
      buffers[op] = lowering.reserve(
          group.loops[op], group.reductions[op]->combined.getType(), slots);
  forEachSlot([&](Value slot) {
    for (unsigned op : operators)
      tile::PrivateStoreOp::create(b, loc, identity(op), buffers[op], slot);
  });
  SmallVector<Value> starts;
  for (size_t step = 0; step < carried.size(); ++step)
    for (unsigned op : operators)
      starts.push_back(identity(op));
  return starts;
}

void StitchLowering::ColumnSums::setCarried(ValueRange values) {
  auto value = values.begin();
  for (Accumulators &ofStep : carried)
    for (unsigned op : operators)
      ofStep[op] = *value++;
}

SmallVector<Value> StitchLowering::ColumnSums::getCarried() const {
  SmallVector<Value> values;
  for (const Accumulators &ofStep : carried)
    for (unsigned op : operators)
      values.push_back(ofStep.lookup(op));
  return values;
}

void StitchLowering::ColumnSums::add(unsigned op, Value tile,
                                     const Scope &scope) {
  arith::AtomicRMWKind kind = group.reductions[op]->kind;
  if (!scope.slot) {
    Value &sum = carried[scope.number][op];
    sum = arith::getReductionOp(kind, b, loc, sum, tile);
    return;
  }
  Value before = tile::PrivateLoadOp::create(b, loc, tile.getType(),
                                             buffers[op], scope.slot,
                                             /*slot=*/IntegerAttr());
  Value sum = arith::getReductionOp(kind, b, loc, before, tile);
  tile::PrivateStoreOp::create(b, loc, sum, buffers[op], scope.slot);
}

void StitchLowering::ColumnSums::store(unsigned op, Value sum, Scope &scope) {
  scope.operators[op] = lowering.reduce(op, sum, sorted(group.loops[op]));
  lowering.storePartial(op, /*round=*/0,
                        lowering.digits[schedule.splitLoop->axis], scope);
}

void StitchLowering::ColumnSums::store() {
  int64_t firstWhole, behindWhole;
  std::tie(firstWhole, behindWhole) = wholeSteps(group, schedule);
  for (auto [step, sums] : llvm::enumerate(carried)) {
    Scope scope;
    scope.origin = lowering.originOfStep(lowering.kernel.constant(step));
    scope.isInside = int64_t(step) >= firstWhole && int64_t(step) < behindWhole;
    for (unsigned op : operators)
      store(op, sums[op], scope);
  }
  forEachSlot([&](Value slot) {
    Scope scope;
    scope.origin = lowering.originOfStep(arith::AddIOp::create(
        b, loc, slot,
        lowering.kernel.constant(schedule.serialLoop->registerSteps)));
    scope.isInside = behindWhole == schedule.countSteps();
    for (unsigned op : operators) {
      Type element = group.reductions[op]->combined.getType();
      store(op,
            tile::PrivateLoadOp::create(
                b, loc, lowering.tileType(sorted(group.loops[op]), element),
                buffers[op], slot,
                /*slot=*/IntegerAttr()),
            scope);
    }
  });
}
