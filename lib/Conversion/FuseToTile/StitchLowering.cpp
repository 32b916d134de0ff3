//===- StitchLowering.cpp - Block programs of stitched groups -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits passes. A block runs over the serial axis once for each pass;
// StitchSerialLoop.cpp emits a step.
//
//===----------------------------------------------------------------------===//

#include "StitchColumnSums.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Legality/CodegenLegality.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

StitchLowering::StitchLowering(fuse::FusedGroupOpInterface op,
                               StitchGroup group, StitchSchedule schedule,
                               StringRef name)
    : op(op), group(std::move(group)), schedule(std::move(schedule)),
      passes(passesOf(this->group, this->schedule)),
      split(this->group, this->schedule),
      kernel(op, name, this->schedule.warps), b(kernel.builder()),
      loc(op.getLoc()) {}

/// Emits the operators outside of the steps that can be computed before the
/// pass.
void StitchLowering::emitRows(unsigned pass) {
  for (unsigned number = 0; number < group.operators().size(); ++number)
    if (!passes.isSerial[number] && passes.level[number] == pass &&
        !split.isLate[number] && isOf(component, number))
      emitRow(number, rows);
}

void StitchLowering::emitRow(unsigned number, Scope &scope) {
  linalg::LinalgOp linalgOp = group.operators()[number];
  loc = linalgOp.getLoc();
  if (schedule.schemeOf(number) != Composition::Thread) {
    scope.operators[number] = emitShared(number, scope);
    return;
  }
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  const std::optional<ReductionBody> &reduction = group.reductions[number];
  Value tile = emitScalar(
      number,
      reduction ? reduction->combined
                : linalgOp.getBlock()->getTerminator()->getOperand(0),
      scope);
  scope.operators[number] =
      reduction ? reduce(number, mask(number, tile, axes, scope), axes) : tile;
}

void StitchLowering::finish(unsigned number, const Accumulators &accumulators) {
  loc = group.operators()[number]->getLoc();
  Value accumulator = accumulators.lookup(number);
  if (passes.factors[number])
    accumulator = correctPlaces(number, accumulator, accumulators);
  else if (passes.centres[number])
    accumulator = recentrePlaces(number, accumulator, accumulators);
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  Value result = reduce(number, accumulator, axes);
  if (passes.factors[number])
    result = correctRows(number, result);
  for (const DeferredFactor &factor : passes.deferred[number]) {
    Value own = emitScalar(factor.op, factor.scalar,
                           sorted(group.resultAxes(number)), rows);
    result = factor.divides
                 ? arith::DivFOp::create(b, loc, result, own).getResult()
                 : arith::MulFOp::create(b, loc, result, own).getResult();
  }
  rows.operators[number] = result;
}

void StitchLowering::emitPass(unsigned pass) {
  const StitchSerialLoop &walk = *schedule.serialLoop;
  int64_t count = schedule.countSteps();
  Accumulators accumulators;
  emitRegisterSteps(pass, accumulators);
  int64_t shared = std::min(count, walk.registerSteps + walk.sharedSteps);
  emitLoop(pass, walk.registerSteps, shared, /*isShared=*/true, accumulators);
  emitLoop(pass, shared, count, /*isShared=*/false, accumulators);
  for (auto &[number, accumulator] : accumulators)
    if (number < group.operators().size())
      finish(number, accumulators);
}

void StitchLowering::emitComponent(unsigned number, Value block) {
  component = number;
  rows = Scope();
  emitCoordinates(block);
  bool isSerial = passes.axis && group.components[*passes.axis] == component;
  reserveClusterParts();
  loadRows(/*ofAllSteps=*/true);
  if (isSerial) {
    steps.assign(schedule.serialLoop->registerSteps, Scope());
    if (schedule.serialLoop->sharedSteps > 0)
      for (unsigned pass = 0; pass < passes.count; ++pass) {
        for (unsigned op : keptOf(pass, /*ofInputs=*/false))
          privateBuffers[op] =
              reserve(group.resultAxes(op),
                      getElementTypeOrSelf(group.operators()[op]->getResult(0)),
                      schedule.serialLoop->sharedSteps);
        for (unsigned input : keptOf(pass, /*ofInputs=*/true))
          inputPrivateBuffers[input] =
              reserve(group.inputs[input].axes,
                      getElementTypeOrSelf(group.inputs[input].value),
                      schedule.serialLoop->sharedSteps);
      }
    reserveStages();
  }
  if (schedule.splitLoop)
    emitRowSteps();
  else
    emitSerialLoop();
  if (split.axis)
    emitLastBlock();
}

/// Reserves shared memory in which each thread has a private place for its
/// elements of `slots` steps.
Value StitchLowering::reserve(AxisList axes, Type element, int64_t slots,
                              IntegerAttr ahead) {
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    element = b.getI8Type();
  return kernel.plainBuffer(loc, element, slots, schedule.warps * kWarpSize,
                            elementsOf(schedule, axes),
                            tile::BufferSpace::Shared, ahead);
}

/// Loads inputs before anything else, as all operators wait for them.
/// `ofAllSteps`: inputs that are the same in all steps over rows, or else all
/// others.
void StitchLowering::loadRows(bool ofAllSteps) {
  auto isInSteps = [&](unsigned input) {
    return schedule.splitLoop && llvm::is_contained(group.inputs[input].axes,
                                                    schedule.splitLoop->axis);
  };
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (isOf(component, op))
      for (unsigned input : group.sources[op].inputs)
        if (!passes.isSerialInput[input] && !group.inputs[input].isGathered &&
            !split.isLateInput[input] && isInSteps(input) != ofAllSteps)
          inputOf(input, rows);
}

/// Emits all passes, and the stores of their results.
void StitchLowering::emitSerialLoop() {
  bool isSerial = passes.axis && group.components[*passes.axis] == component;
  unsigned last = passes.count;
  for (unsigned op = 0; op < group.operators().size(); ++op)
    last = std::max(last, passes.level[op]);
  for (unsigned pass = 0; pass <= last; ++pass) {
    emitRows(pass);
    if (isSerial && pass < passes.count)
      emitPass(pass);
  }
  for (const StitchTensor &tensor : group.results) {
    unsigned maker = *group.definer(tensor.value);
    if (isOf(component, maker) && !isLate(tensor) &&
        (!passes.isSerial[maker] || passes.reducesAxis(maker)))
      store(tensor, rows);
  }
}

/// Emits the loop over the rows of the block, around the serial loop.
void StitchLowering::emitRowSteps() {
  unsigned axis = schedule.splitLoop->axis;
  ColumnSums sums(*this);
  SmallVector<Value> starts = sums.start();
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
    sums.setCarried(loop.getRegionIterArgs());
    columnSums = &sums;
    loadRows(/*ofAllSteps=*/false);
    emitSerialLoop();
    columnSums = nullptr;
    if (!loop.getBody()->empty() &&
        loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      loop.getBody()->back().erase();
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, sums.getCarried());
    origins[axis] = origin;
    rowStep = Value();
    rows = ofAllSteps;
  }
  sums.setCarried(loop.getResults());
  sums.store();
}

void StitchLowering::run(RewriterBase &rewriter) {
  Block *body = b.getInsertionBlock();
  // The last block has its own schedule.
  int64_t blocks = countBlocks(group, schedule);
  kernel.setCodegen(schedule.codegen);
  if (int64_t cluster = clusterSize(schedule); cluster > 1)
    kernel.kernel().setCluster(cluster);
  if (schedule.producers > 0)
    kernel.kernel().setProducers(schedule.producers);
  origins.assign(group.axes.size(), Value());
  emitComponents();
  // Branches of components are nested; the kernel continues after them.
  b.setInsertionPointToEnd(body);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value grid = arith::ConstantIndexOp::create(rewriter, op.getLoc(), blocks);
  kernel.finish(rewriter, grid);
}

LogicalResult fusion::lowerStitch(RewriterBase &rewriter,
                                  fuse::FusedGroupOpInterface op,
                                  StringRef name) {
  std::string reason;
  auto explain = [&](const Twine &why) { reason = why.str(); };
  FailureOr<StitchGroup> group =
      StitchGroup::compute(op.getOperators(), op.getYieldedValues(), explain);
  if (failed(group))
    return op.emitError("cannot be stitched: ") << reason;
  std::optional<StitchSchedule> schedule =
      importStitching(op.getGroupSchedule(), *group, explain);
  if (!schedule)
    return op.emitError("schedule does not fit the group: ") << reason;
  auto chip = op->getParentOfType<ModuleOp>()->getAttrOfType<fuse::ChipAttr>(
      fuse::kChipAttrName);
  if (chip && schedule->codegen)
    if (auto illegal =
            checkCodegen(*schedule->codegen, schedule->warps,
                         schedule->producers, *lookupChip(chip.getName())))
      return op.emitError("schedule cannot be lowered: ") << *illegal;
  StitchLowering(op, std::move(*group), std::move(*schedule), name)
      .run(rewriter);
  return success();
}
