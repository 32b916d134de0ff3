//===- StitchBound.cpp - What a stitched group takes at least -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchBound.h"
#include "StitchSectors.h"
#include "StitchThreads.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace fusion;

struct StitchBound::Accesses {
  SmallVector<TileAccess, 8> loads;
  TileAccess stores; ///< of all shapes
  /// Threads that load the same elements; 0 where they are not counted.
  /// `ofParts` counts them for all parts of a split axis, without the loads of
  /// the last blocks.
  SmallVector<int64_t, 8> replicas, ofParts;
};

StitchBound::StitchBound(const StitchGroup &group, const StitchWork &work,
                         const ChipInfo &chip, bool mayBeSerial,
                         std::optional<unsigned> split)
    : group(group), work(work), chip(chip.withData(work.compulsoryBytes)),
      split(split),
      isLateInput(split ? StitchSplit::lateInputs(group, *split)
                        : SmallVector<bool>(group.inputs.size(), false)) {
  mayBeShared.assign(work.operators.size(), false);
  isSharedInput.assign(group.inputs.size(), false);
  StitchSchedule shared;
  for (unsigned op : findShareable(group))
    addComposition(group, shared, op, Composition::Block);
  for (const StitchComposition &entry : shared.compositions) {
    mayBeShared[entry.op] = true;
    for (unsigned input : group.sources[entry.op].inputs)
      isSharedInput[input] = true;
  }
  for (auto [op, sources] : llvm::enumerate(group.sources))
    if (!mayBeShared[op])
      for (unsigned input : sources.inputs)
        isSharedInput[input] = false;
  shapes.resize(work.shapes.size());
  for (auto [space, shape] :
       llvm::zip_equal(work.inputSpaces, work.inputShapes))
    shapes[shape].space = space;
  for (auto [space, shape] :
       llvm::zip_equal(work.resultSpaces, work.resultShapes)) {
    shapes[shape].space = space;
    ++shapes[shape].stores;
  }
  for (auto [tensor, shape] : llvm::zip_equal(group.inputs, work.inputShapes)) {
    shapes[shape].isRepeated = tensor.isRepeated;
    if (tensor.isRepeated)
      repeatedBytes += bytesOf(tensor);
  }
  for (const StitchTensor &tensor : group.results)
    storedBytes += bytesOf(tensor);
  if (!mayBeSerial || !work.serialAxis)
    forms.push_back(describe(work.once));
  else
    forms.push_back(describe(*work.serialAxis));
  if (mayBeSerial && work.online)
    forms.push_back(describe(*work.online));
  if (mayBeSerial && work.expensive)
    forms.push_back(describe(*work.expensive));
  for (unsigned number = 0; number < work.operators.size(); ++number) {
    if (!group.reductions[number])
      continue;
    const StitchWork::Operator &op = work.operators[number];
    SmallVector<unsigned, 4> reduced;
    for (unsigned axis : op.axes)
      if (!llvm::is_contained(op.resultAxes, axis))
        reduced.push_back(axis);
    auto *same = llvm::find_if(exchanges, [&](const Exchange &other) {
      return other.resultSpace == op.resultSpace && other.axes == reduced;
    });
    if (same == exchanges.end())
      exchanges.push_back({op.resultSpace, std::move(reduced), 1});
    else
      ++same->times;
  }
}

StitchBound::Weights StitchBound::weigh(ArrayRef<unsigned> operators,
                                        ArrayRef<unsigned> inputs) const {
  Weights weights(work.spaces.size());
  for (unsigned number : operators) {
    const StitchWork::Operator &op = work.operators[number];
    Weight &weight = weights[op.space];
    (mayBeShared[number] ? weight.sharedPlain : weight.plain) +=
        std::max<int64_t>(1, op.work.plain);
    (mayBeShared[number] ? weight.sharedSpecial : weight.special) +=
        op.work.special;
    weights[op.resultSpace].isComputed = true;
  }
  for (unsigned input : inputs)
    if (!isSharedInput[input])
      weights[work.inputSpaces[input]].loadedBytes +=
          group.inputs[input].elementBytes;
  return weights;
}

StitchBound::Form StitchBound::describe(const StitchPasses &passes) const {
  Form form;
  form.passes = passes.count;
  SmallVector<unsigned> operators, inputs;
  for (unsigned op = 0; op < work.operators.size(); ++op)
    if (!passes.isSerial[op])
      operators.push_back(op);
  for (unsigned input = 0; input < group.inputs.size(); ++input)
    if (!passes.isSerialInput[input])
      inputs.push_back(input);
  form.outside = weigh(operators, inputs);
  form.loads.assign(shapes.size(), 0);
  form.loadsInSteps = form.loads;
  for (unsigned input : inputs)
    form.loads[work.inputShapes[input]] += !isSharedInput[input];
  form.bytes.assign(shapes.size(), 0);
  form.bytesOfLast = form.bytes;
  auto loadsOf = [](ArrayRef<StitchPasses::Step> steps, unsigned input) {
    return llvm::count_if(steps, [&](const StitchPasses::Step &step) {
      return llvm::is_contained(step.inputs, input);
    });
  };
  for (auto [input, tensor] : llvm::enumerate(group.inputs)) {
    if (isSharedInput[input])
      continue;
    int64_t times = 1;
    if (passes.isSerialInput[input] && !isLateInput[input])
      times = std::max<int64_t>(1, std::min(loadsOf(passes.steps, input),
                                            loadsOf(passes.stepsAgain, input)));
    (isLateInput[input] ? form.bytesOfLast
                        : form.bytes)[work.inputShapes[input]] +=
        bytesOf(tensor) * times;
  }
  if (!passes.axis)
    return form;
  for (unsigned op = 0; op < work.operators.size(); ++op)
    if (passes.reducesAxis(op))
      ++form.outside[work.operators[op].space].accumulators;
  Weights retained(work.spaces.size()), again(work.spaces.size());
  auto add = [](Weights &sum, const Weights &part) {
    for (auto [all, own] : llvm::zip_equal(sum, part)) {
      all.plain += own.plain;
      all.special += own.special;
      all.sharedPlain += own.sharedPlain;
      all.sharedSpecial += own.sharedSpecial;
    }
  };
  // Steps that registers retain compute each operator once.
  llvm::SmallSet<unsigned, 32> computed;
  for (const StitchPasses::Step &step : passes.steps) {
    form.ofPass.push_back(weigh(step.operators, step.inputs));
    SmallVector<unsigned> first;
    for (unsigned op : step.operators)
      if (computed.insert(op).second)
        first.push_back(op);
    add(retained, weigh(first, {}));
  }
  for (const StitchPasses::Step &step : passes.stepsAgain)
    add(again, weigh(step.operators, {}));
  // Every input of the serial loop is loaded in a step at least once.
  SmallVector<bool> isLoaded(group.inputs.size());
  for (const StitchPasses::Step &step : passes.steps)
    for (unsigned input : step.inputs)
      isLoaded[input] = true;
  for (auto [input, loaded] : llvm::enumerate(isLoaded))
    form.loadsInSteps[work.inputShapes[input]] +=
        loaded && !isSharedInput[input];
  for (auto [ofKept, ofAgain] : llvm::zip_equal(retained, again)) {
    Weight &least = form.inSteps.emplace_back();
    least.plain = std::min(ofKept.plain, ofAgain.plain);
    least.special = std::min(ofKept.special, ofAgain.special);
    least.sharedPlain = std::min(ofKept.sharedPlain, ofAgain.sharedPlain);
    least.sharedSpecial = std::min(ofKept.sharedSpecial, ofAgain.sharedSpecial);
  }
  return form;
}

/// Returns how many threads load the same elements, as countTraffic has it, or
/// 0 unless rows begin where tiles do.
int64_t StitchBound::replicasOf(const StitchSchedule &schedule,
                                const StitchTensor &tensor) const {
  if (isShifted(schedule, tensor) ||
      misalignedAccessWidth(group, schedule, tensor) > 1)
    return 0;
  int64_t replicas = 1, lanes = 1;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (group.components[axis] != tensor.component)
      continue;
    const AxisThreadMapping &mapping = schedule.threadMapping[axis];
    lanes *= mapping.lanes;
    if (llvm::is_contained(tensor.axes, axis))
      continue;
    replicas *= mapping.lanes * mapping.warps;
    bool isInParts = axis == split || (schedule.serialLoop &&
                                       schedule.serialLoop->axis == axis &&
                                       !group.axes[axis].isReduced);
    if (!isInParts)
      replicas *= countTiles(group, schedule, axis);
  }
  return replicas * (kWarpSize / lanes);
}

double StitchBound::trafficOf(const Form &form, const Accesses &accesses,
                              const StitchSchedule &schedule,
                              int64_t blocks) const {
  double once = storedBytes, repeated = 0;
  for (unsigned shape = 0; shape < shapes.size(); ++shape)
    (shapes[shape].isRepeated ? repeated : once) +=
        double(form.bytes[shape]) * accesses.ofParts[shape] +
        double(form.bytesOfLast[shape]) * accesses.replicas[shape];
  // With evict-first accesses, an SM that has a block loads inputs that fit
  // into its L1 once.
  if (repeatedBytes <= chip.sharedMemoryPerSM - chip.sharedMemoryReserved) {
    if (split)
      blocks /= countTiles(group, schedule, *split);
    repeated = std::min<double>(
        repeated,
        double(repeatedBytes) * std::clamp<int64_t>(blocks, 1, chip.numSMs));
  }
  return once + repeated;
}

std::optional<double>
StitchBound::boundOf(const Form &form, const StitchSchedule &schedule,
                     ArrayRef<int64_t> elements, ArrayRef<int64_t> shares,
                     const Accesses &accesses, int64_t blocks) const {
  constexpr int64_t registerBytes = 4;
  ThreadWork total;
  total.lines = accesses.stores.lines;
  total.instructions = kOwnInstructions + accesses.stores.moves;
  int64_t walks = schedule.countSerialPasses();
  for (auto [shape, access] : llvm::enumerate(accesses.loads)) {
    int64_t times = walks * (form.loads[shape] +
                             form.loadsInSteps[shape] * schedule.countSteps());
    total.loads += times * access.count;
    total.lines += times * access.lines;
    total.instructions += times * access.moves;
  }
  auto add = [&](const Weights &weights, int64_t times) {
    for (auto [weight, count, share] :
         llvm::zip_equal(weights, elements, shares)) {
      total.instructions +=
          times * (weight.plain * count + weight.sharedPlain * share);
      total.special +=
          times * (weight.special * count + weight.sharedSpecial * share);
    }
  };
  // All inputs are loaded before the first operator.
  int64_t live = 0, accumulators = 0;
  auto addLive = [&](const Weights &weights) {
    int64_t bytes = 0;
    for (auto [weight, count] : llvm::zip_equal(weights, elements)) {
      bytes += weight.loadedBytes * count;
      accumulators += weight.accumulators * count;
      if (weight.isComputed)
        live = std::max(live, count);
    }
    live = std::max<int64_t>(live, llvm::divideCeil(bytes, registerBytes));
  };
  add(form.outside, walks);
  addLive(form.outside);
  if (schedule.serialLoop) {
    add(form.inSteps, schedule.countSteps() * walks);
    llvm::for_each(form.ofPass, addLive);
  }
  int64_t clusterExchanges = 0;
  std::optional<unsigned> clusterAxis = clusterAxisOf(schedule);
  for (const Exchange &exchange : exchanges) {
    int64_t rows = elements[exchange.resultSpace], parts = 1, each = 0;
    for (unsigned axis : exchange.axes) {
      const AxisThreadMapping &mapping = schedule.threadMapping[axis];
      each += 2 * rows * llvm::Log2_64_Ceil(mapping.lanes);
      total.exchanges += walks * exchange.times * (mapping.warps > 1);
      parts *= mapping.warps;
    }
    if (parts > 1)
      each += rows * instructionsOfParts(parts);
    total.instructions += walks * exchange.times * each;
    if (clusterAxis && llvm::is_contained(exchange.axes, *clusterAxis))
      clusterExchanges += walks * exchange.times;
  }
  int64_t values = live + accumulators,
          most = registersByWarps(schedule.warps, chip);
  if (values + minOwnRegisters(group) > most)
    return std::nullopt;
  int64_t registers = std::min(values + ownRegisters(split.has_value()), most);
  int64_t maxBlocks = blocksByThreads(registers, schedule.warps, chip);
  if (maxBlocks == 0)
    return std::nullopt;
  WarpSeconds warp = secondsOfWarp(
      schedule, form.passes, /*loadingPasses=*/0, total, clusterExchanges,
      countChained(group, work, schedule), schedule.warps, chip);
  // Schedules with stages, or with more steps, have the same bound.
  warp.ofStep = 0;
  if (schedule.serialLoop && warp.hiding == 0 &&
      (schedule.countSteps() > 1 || split ||
       !group.axes[schedule.serialLoop->axis].isReduced)) {
    warp.hiding = warp.busy / form.passes;
    warp.alone -= warp.hiding;
  }
  double latency = double(llvm::divideCeil(blocks, chip.numSMs * maxBlocks)) *
                   warp.with(/*transfer=*/0);
  double issue = secondsOfIssue(total, llvm::divideCeil(blocks, chip.numSMs),
                                schedule.warps, chip),
         memory = work.compulsoryBytes / chip.dramBytesPerSecond, port = 0;
  if (!accesses.replicas.empty()) {
    double traffic = trafficOf(form, accesses, schedule, blocks);
    memory = std::max(memory, traffic / chip.l2BytesPerSecond);
    // The busiest SM moves its part of all traffic, rounded as the evaluator
    // does.
    port =
        traffic / chip.numSMs * (1 / chip.clockHz) / chip.l2BytesPerClockPerSM;
  }
  double loads = work.inputBytes / chip.dramBytesPerSecond;
  return secondsOfKernel(
      {memory, port, issue, latency, loads, /*apart=*/0, warp}, chip);
}

double StitchBound::ofClusters() const {
  int64_t shared = 0;
  for (const Exchange &exchange : exchanges)
    if (llvm::is_contained(exchange.axes, *work.serialAxis->axis))
      shared += exchange.times;
  // Stages may hide what a warp computes, and every load but one.
  KernelLimits limits;
  limits.memory = work.compulsoryBytes / chip.dramBytesPerSecond;
  limits.latency =
      secondsOfWarp(StitchSchedule(), /*passes=*/1, /*loadingPasses=*/0,
                    ThreadWork(), shared, work.chained, /*warps=*/1, chip)
          .alone;
  return secondsOfKernel(limits, chip);
}

StitchBound::Accesses StitchBound::accessesOf(const StitchSchedule &schedule,
                                              ArrayRef<int64_t> elements,
                                              Closeness closeness) const {
  Accesses accesses;
  int64_t parts = closeness == Closeness::Traffic && split
                      ? countTiles(group, schedule, *split)
                      : 1;
  for (auto [shape, tensor] : llvm::zip_equal(shapes, work.shapes)) {
    int64_t own = elements[shape.space], steps = 1;
    const TileAccess &access = accesses.loads.emplace_back(
        TileAccess::of(group, schedule, *tensor, own));
    int64_t replicas = replicasOf(schedule, *tensor);
    bool isInParts = split && llvm::is_contained(tensor->axes, *split);
    accesses.replicas.push_back(replicas);
    accesses.ofParts.push_back(replicas * (isInParts ? 1 : parts));
    if (shape.stores == 0)
      continue;
    if (schedule.serialLoop &&
        llvm::is_contained(tensor->axes, schedule.serialLoop->axis))
      steps = schedule.countSteps();
    if (schedule.splitLoop &&
        llvm::is_contained(tensor->axes, schedule.splitLoop->axis))
      steps *= schedule.countSerialPasses();
    if (countTransposed(group, schedule, *tensor)) {
      accesses.stores.moves += shape.stores * steps * 4 * own;
      continue;
    }
    accesses.stores.lines += shape.stores * steps * access.lines;
    accesses.stores.moves += shape.stores * steps * access.moves;
  }
  return accesses;
}

std::optional<double> StitchBound::boundOf(const StitchSchedule &schedule,
                                           int64_t blocks,
                                           Closeness closeness) const {
  SmallVector<int64_t, 8> ofAxis, elements, shares;
  for (unsigned axis = 0; axis < schedule.threadMapping.size(); ++axis)
    ofAxis.push_back(elementsOf(schedule, axis));
  for (ArrayRef<unsigned> axes : work.spaces) {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= ofAxis[axis];
    elements.push_back(count);
    // The elements of a tile, shared out over all threads.
    shares.push_back(llvm::divideCeil(tileBytes(schedule, axes, 1),
                                      schedule.warps * kWarpSize));
  }
  Accesses accesses;
  if (closeness != Closeness::Work)
    accesses = accessesOf(schedule, elements, closeness);
  std::optional<double> least;
  for (const Form &form : forms)
    if (std::optional<double> bound =
            boundOf(form, schedule, elements, shares, accesses, blocks);
        bound && (!least || *bound < *least))
      least = bound;
  // Beside a serial loop the last blocks reduce partial results of each of its
  // steps.
  if (least && StitchSplit::axisOf(group, schedule))
    *least += secondsOfParts(StitchSplit::besideSerialLoop(group, schedule)
                                 ? schedule.countSteps()
                                 : 1,
                             chip);
  return least;
}

double fusion::minOfKernel(const ChipInfo &chip) {
  KernelLimits limits;
  limits.latency = chip.l2Latency;
  return secondsOfKernel(limits, chip.withData(/*bytes=*/0));
}
