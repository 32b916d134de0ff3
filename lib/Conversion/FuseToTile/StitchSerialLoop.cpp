//===- StitchSerialLoop.cpp - Steps of the serial loop --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the steps that a block retains in registers as straight-line code and
// the others as loops, with prefetched copies if the schedule has stages.
//
//===----------------------------------------------------------------------===//

#include "StitchColumnSums.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

void StitchLowering::loadInputs(const StitchPasses::Step &step, Scope &scope) {
  for (unsigned input : step.inputs)
    if (!group.inputs[input].isGathered && !scope.inputs.contains(input))
      inputOf(input, scope);
}

/// Emits the operators of a step of a pass, and the stores that it can do.
void StitchLowering::compute(unsigned pass, const StitchPasses::Step &step,
                             Scope &scope, Accumulators &accumulators) {
  for (unsigned number : step.operators) {
    linalg::LinalgOp linalgOp = group.operators()[number];
    loc = linalgOp.getLoc();
    if (!passes.isSerial[number]) {
      if (!scope.running.contains(number))
        emitRunningRow(number, scope);
      continue;
    }
    if (schedule.schemeOf(number) != Composition::Thread) {
      scope.operators[number] = emitShared(number, scope);
      continue;
    }
    SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
    const std::optional<ReductionBody> &reduction = group.reductions[number];
    if (!reduction) {
      scope.operators[number] = emitScalar(
          number, linalgOp.getBlock()->getTerminator()->getOperand(0), scope);
      continue;
    }
    Value tile = mask(number, emitScalar(number, reduction->combined, scope),
                      axes, scope);
    if (passes.isPart[number] && schedule.splitLoop) {
      columnSums->add(number, tile, scope);
      continue;
    }
    if (!passes.reducesAxis(number)) {
      scope.operators[number] = reduce(number, tile, axes);
      continue;
    }
    Value before = accumulators[number], sum = before;
    if (before && passes.factors[number])
      sum = correct(number, before, axes, /*isLimited=*/true, scope);
    else if (before && passes.centres[number])
      sum = recentre(number, before, scope);
    sum =
        sum ? arith::getReductionOp(reduction->kind, b, loc, sum, tile) : tile;
    accumulators[number] = sum;
    if (passes.isCentre[number])
      moveCentre(number, tile, axes, accumulators, scope);
    else if (passes.isReference[number])
      scope.running[number] = {{before ? guard(number, before) : Value(), axes},
                               {guard(number, sum), axes}};
  }
  scope.running.clear();
  scope.moved.clear();
  for (const StitchTensor &tensor : group.results) {
    unsigned maker = *group.definer(tensor.value);
    if (passes.isSerial[maker] && passes.level[maker] == pass &&
        !passes.reducesAxis(maker) && isOf(component, maker) && !isLate(tensor))
      store(tensor, scope);
  }
  for (unsigned number : step.operators)
    if (passes.isPart[number] && passes.level[number] == pass &&
        !schedule.splitLoop)
      storePartial(number, /*round=*/0, digits[*split.axis], scope);
}

SmallVector<unsigned> StitchLowering::keptOf(unsigned pass,
                                             bool ofInputs) const {
  // Values that this pass computes first and later passes reuse.
  const StitchPasses::Step &step = passes.steps[pass];
  SmallVector<unsigned> result;
  for (unsigned number : ofInputs ? step.inputs : step.operators) {
    if (!ofInputs && passes.isRunning(number, pass))
      continue;
    for (unsigned later = pass + 1; later < passes.count; ++later)
      if (llvm::is_contained(ofInputs ? passes.steps[later].retainedInputs
                                      : passes.steps[later].retained,
                             number)) {
        result.push_back(number);
        break;
      }
  }
  return result;
}

void StitchLowering::emitRegisterSteps(unsigned pass,
                                       Accumulators &accumulators) {
  const StitchPasses::Step &step = passes.steps[pass];
  auto [firstWhole, behindWhole] = wholeSteps(group, schedule);
  for (int64_t k = 0; k < schedule.serialLoop->registerSteps; ++k) {
    Scope &scope = steps[k];
    scope.origin = originOfStep(kernel.constant(k));
    scope.number = k;
    scope.step = kernel.constant(k);
    scope.isInside = k >= firstWhole && k < behindWhole;
    // Values of earlier passes that are not retained are recomputed.
    auto drop = [](llvm::DenseMap<unsigned, Value> &known, auto &retained) {
      SmallVector<unsigned> gone;
      for (auto &entry : known)
        if (!llvm::is_contained(retained, entry.first))
          gone.push_back(entry.first);
      for (unsigned number : gone)
        known.erase(number);
    };
    SmallVector<unsigned> retained, retainedInputs;
    for (unsigned later = pass; later < passes.count; ++later) {
      llvm::append_range(retained, passes.steps[later].retained);
      llvm::append_range(retainedInputs, passes.steps[later].retainedInputs);
    }
    drop(scope.operators, retained);
    drop(scope.inputs, retainedInputs);
    scope.sharedOperators.clear();
    scope.sharedInputs.clear();
  }
  // The loads of the next step are in flight while a step is computed.
  if (!steps.empty())
    loadInputs(step, steps.front());
  for (int64_t k = 0; k < schedule.serialLoop->registerSteps; ++k) {
    if (k + 1 < schedule.serialLoop->registerSteps)
      loadInputs(step, steps[k + 1]);
    compute(pass, step, steps[k], accumulators);
    auto hold = [&](Value &value) {
      value =
          tile::OptimizationBarrierOp::create(b, loc, value.getType(), value);
    };
    for (unsigned number : keptOf(pass, /*ofInputs=*/false))
      hold(steps[k].operators[number]);
    for (unsigned number : keptOf(pass, /*ofInputs=*/true))
      hold(steps[k].inputs[number]);
  }
}

/// Converts elements smaller than a byte to bytes, as which they are retained.
static Value asBytes(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementTypeBitWidth() >= 8)
    return tile;
  return arith::ExtUIOp::create(b, loc, type.clone(b.getI8Type()), tile);
}

static Value fromBytes(OpBuilder &b, Location loc, Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == element)
    return tile;
  return arith::TruncIOp::create(b, loc, type.clone(element), tile);
}

void StitchLowering::takeBack(unsigned pass, Scope &scope, Value slot) {
  auto take = [&](Value buffer, AxisList axes, Type element) -> Value {
    auto stored = cast<tile::BufferType>(buffer.getType()).getElementType();
    Value tile =
        tile::PrivateLoadOp::create(b, loc, tileType(sorted(axes), stored),
                                    buffer, slot, /*slot=*/IntegerAttr());
    return fromBytes(b, loc, tile, element);
  };
  for (unsigned number : passes.steps[pass].retained)
    scope.operators[number] =
        take(privateBuffers[number], group.resultAxes(number),
             getElementTypeOrSelf(group.operators()[number]->getResult(0)));
  for (unsigned number : passes.steps[pass].retainedInputs)
    scope.inputs[number] =
        take(inputPrivateBuffers[number], group.inputs[number].axes,
             getElementTypeOrSelf(group.inputs[number].value));
}

void StitchLowering::putAside(unsigned pass, const Scope &scope, Value slot) {
  for (unsigned number : keptOf(pass, /*ofInputs=*/false))
    tile::PrivateStoreOp::create(
        b, loc, asBytes(b, loc, scope.operators.lookup(number)),
        privateBuffers[number], slot);
  for (unsigned number : keptOf(pass, /*ofInputs=*/true))
    if (!stages.contains(number))
      tile::PrivateStoreOp::create(b, loc,
                                   asBytes(b, loc, scope.inputs.lookup(number)),
                                   inputPrivateBuffers[number], slot);
}

/// Returns the first element of a step of the block along the serial axis.
Value StitchLowering::originOfStep(Value number) {
  Value place = arith::MulIOp::create(
      b, loc, number, kernel.constant(schedule.serialLoop->step));
  const AxisThreadMapping &mapping = schedule.threadMapping[*passes.axis];
  if (!split.axis && mapping.align == 1 && mapping.cluster == 1 &&
      !isPersistent(group, schedule))
    return place;
  return arith::AddIOp::create(b, loc, origins[*passes.axis], place);
}

/// Returns the end of the loop over `steps` steps. A persistent block at the
/// end of the axis has fewer steps than its tile.
Value StitchLowering::endOf(int64_t steps) {
  Value end = kernel.constant(steps);
  unsigned axis = *passes.axis;
  const AxisThreadMapping &mapping = schedule.threadMapping[axis];
  int64_t extent = group.axes[axis].extent;
  if (!isPersistent(group, schedule) || extent % mapping.tile == 0)
    return end;
  int64_t step = schedule.serialLoop->step;
  Value left = arith::SubIOp::create(
      b, loc, kernel.constant(llvm::divideCeil(extent, step)),
      arith::DivUIOp::create(b, loc, origins[axis], kernel.constant(step)));
  return arith::MinUIOp::create(b, loc, end, left);
}

/// Reserves buffers for the copies that the first pass's loop prefetches: the
/// retained tiles, or as many steps as there are stages.
void StitchLowering::reserveStages() {
  if (schedule.serialLoop->stages == 1)
    return;
  IntegerAttr ahead = b.getI64IntegerAttr(schedule.serialLoop->stages);
  const StitchPasses::Step &step =
      passes.count > 1 ? passes.steps[0] : passes.stepsAgain[0];
  for (unsigned input : step.inputs) {
    const StitchTensor &tensor = group.inputs[input];
    if (!bytesOfCopies(group, schedule, tensor))
      continue;
    if (!passes.isRetainedInput[input]) {
      reservedStages[input] =
          reserve(tensor.axes, getElementTypeOrSelf(tensor.value),
                  /*slots=*/1, ahead);
      continue;
    }
    reservedStages[input] = inputPrivateBuffers[input];
    inputPrivateBuffers[input]
        .getDefiningOp<tile::AllocOp>()
        .setPipelineStagesAttr(ahead);
  }
}

/// Starts the copies of a step and loads their data. The pipelining passes move
/// the copies to earlier iterations.
void StitchLowering::prefetchCopy(const StitchPasses::Step &step, Value slot,
                                  Scope &scope) {
  if (stages.empty())
    return;
  auto tileOf = [&](unsigned input) {
    const StitchTensor &tensor = group.inputs[input];
    return tileType(sorted(tensor.axes), getElementTypeOrSelf(tensor.value));
  };
  auto placeOf = [&](unsigned input) {
    return passes.isRetainedInput[input] ? slot : kernel.constant(0);
  };
  bool inGroups = false;
  SmallVector<std::pair<Value, Value>> awaited;
  for (unsigned input : step.inputs)
    if (Value buffer = stages.lookup(input)) {
      const StitchTensor &tensor = group.inputs[input];
      Value place = placeOf(input);
      copyPrivate(tensor, tileOf(input), buffer, place, scope);
      if (isCopiedByTMA(group, schedule, tensor))
        awaited.push_back({buffer, place});
      else
        inGroups = true;
    }
  if (inGroups) {
    tile::CommitOp::create(b, loc);
    tile::WaitOp::create(b, loc, 0);
  }
  for (auto [buffer, place] : awaited)
    tile::AwaitOp::create(b, loc, buffer, place, /*predicate=*/Value(),
                          /*slot=*/IntegerAttr());
  for (unsigned input : step.inputs)
    if (Value buffer = stages.lookup(input))
      scope.inputs[input] = tile::PrivateLoadOp::create(b, loc, tileOf(input),
                                                        buffer, placeOf(input),
                                                        /*slot=*/IntegerAttr());
}

/// Emits steps `first` to `beyond` - 1 of a pass: one loop over the steps that
/// are within the extent, and the others. Without a split axis there is at most
/// one other step on either side.
void StitchLowering::emitLoop(unsigned pass, int64_t first, int64_t beyond,
                              bool isShared, Accumulators &accumulators) {
  const StitchSerialLoop &walk = *schedule.serialLoop;
  const StitchPasses::Step &step =
      isShared ? passes.steps[pass] : passes.stepsAgain[pass];
  auto emitStep = [&](Value number, bool isInside, Accumulators &sums) {
    Scope scope;
    scope.origin = originOfStep(number);
    scope.step = number;
    scope.isInside = isInside;
    Value slot;
    if (isShared) {
      slot = arith::SubIOp::create(b, loc, number,
                                   kernel.constant(walk.registerSteps));
      takeBack(pass, scope, slot);
      scope.slot = slot;
    }
    prefetchCopy(step, slot, scope);
    loadInputs(step, scope);
    compute(pass, step, scope, sums);
    if (isShared)
      putAside(pass, scope, slot);
  };
  auto emitSteps = [&](int64_t first, int64_t end, bool isInside) {
    // Accumulators start from the identity.
    SmallVector<Value> starts;
    SmallVector<unsigned> numbers;
    for (unsigned number : step.operators) {
      if (!passes.reducesAxis(number))
        continue;
      Value &sum = accumulators[number];
      if (!sum) {
        const ReductionBody &reduction = *group.reductions[number];
        SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
        sum = arith::ConstantOp::create(
            b, loc,
            DenseElementsAttr::get(tileType(axes, reduction.combined.getType()),
                                   reductionIdentity(b, loc, reduction)));
      }
      numbers.push_back(number);
      starts.push_back(sum);
      if (!passes.isCentre[number])
        continue;
      Value mean = accumulators.lookup(meanOf(number));
      numbers.push_back(meanOf(number));
      starts.push_back(mean ? mean : splatOf(sum, 0));
    }
    if (walk.stages > 1 && pass == 0 && isShared == (passes.count > 1) &&
        std::make_pair(first, end) == stagedSteps(group, schedule, passes))
      stages = reservedStages;
    auto loop = scf::ForOp::create(b, loc, kernel.constant(first), endOf(end),
                                   kernel.constant(1), starts);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Accumulators sums;
    for (auto [number, sum] :
         llvm::zip_equal(numbers, loop.getRegionIterArgs()))
      sums[number] = sum;
    emitStep(loop.getInductionVar(), isInside, sums);
    SmallVector<Value> yielded;
    for (unsigned number : numbers)
      yielded.push_back(sums[number]);
    if (!loop.getBody()->empty() &&
        loop.getBody()->back().hasTrait<OpTrait::IsTerminator>())
      loop.getBody()->back().erase();
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, yielded);
    for (auto [number, result] : llvm::zip_equal(numbers, loop.getResults()))
      accumulators[number] = result;
    stages.clear();
  };
  auto [firstWhole, behindWhole] = wholeSteps(group, schedule);
  auto emitBorder = [&](int64_t first, int64_t end) {
    if (end == first + 1)
      emitStep(kernel.constant(first), /*isInside=*/false, accumulators);
    else if (end > first)
      emitSteps(first, end, /*isInside=*/false);
  };
  int64_t start = std::clamp(firstWhole, first, std::max(first, beyond));
  int64_t end = std::clamp(behindWhole, start, std::max(start, beyond));
  emitBorder(first, start);
  if (end > start)
    emitSteps(start, end, /*isInside=*/true);
  emitBorder(end, beyond);
}
