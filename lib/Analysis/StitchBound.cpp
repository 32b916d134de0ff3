//===- StitchBound.cpp - What a stitched group takes at least -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchBound.h"
#include "StitchThreads.h"
#include "fusion/Analysis/StitchCluster.h"
#include "fusion/Analysis/StitchSplit.h"
#include "fusion/Target/RegisterFile.h"

using namespace mlir;
using namespace fusion;

StitchBound::StitchBound(const StitchGroup &group, const StitchWork &work,
                         const ChipInfo &chip, bool mayWalk)
    : group(group), work(work), chip(chip) {
  shapes.resize(work.shapes.size());
  for (auto [space, shape] :
       llvm::zip_equal(work.inputSpaces, work.inputShapes))
    shapes[shape].space = space;
  for (auto [space, shape] :
       llvm::zip_equal(work.resultSpaces, work.resultShapes)) {
    shapes[shape].space = space;
    ++shapes[shape].stores;
  }
  if (!mayWalk || !work.walked)
    forms.push_back(describe(work.once));
  else
    forms.push_back(describe(*work.walked));
  if (mayWalk && work.online)
    forms.push_back(describe(*work.online));
  if (mayWalk && work.costly)
    forms.push_back(describe(*work.costly));
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
    weights[op.space].plain += std::max<int64_t>(1, op.work.plain);
    weights[op.space].special += op.work.special;
    weights[op.resultSpace].isComputed = true;
  }
  for (unsigned input : inputs)
    weights[work.inputSpaces[input]].loadedBytes +=
        group.inputs[input].elementBytes;
  return weights;
}

StitchBound::Form StitchBound::describe(const StitchPasses &passes) const {
  Form form;
  form.passes = passes.count;
  SmallVector<unsigned> operators, inputs;
  for (unsigned op = 0; op < work.operators.size(); ++op)
    if (!passes.isWalked[op])
      operators.push_back(op);
  for (unsigned input = 0; input < group.inputs.size(); ++input)
    if (!passes.isWalkedInput[input])
      inputs.push_back(input);
  form.outside = weigh(operators, inputs);
  form.loads.assign(shapes.size(), 0);
  form.loadsInSteps = form.loads;
  for (unsigned input : inputs)
    ++form.loads[work.inputShapes[input]];
  if (!passes.axis)
    return form;
  for (unsigned op = 0; op < work.operators.size(); ++op)
    if (passes.reducesAxis(op))
      ++form.outside[work.operators[op].space].accumulators;
  Weights kept(work.spaces.size()), again(work.spaces.size());
  auto add = [](Weights &sum, const Weights &part) {
    for (auto [all, own] : llvm::zip_equal(sum, part)) {
      all.plain += own.plain;
      all.special += own.special;
    }
  };
  for (const StitchPasses::Step &step : passes.steps) {
    form.ofPass.push_back(weigh(step.operators, step.inputs));
    add(kept, form.ofPass.back());
  }
  for (const StitchPasses::Step &step : passes.stepsAgain)
    add(again, weigh(step.operators, {}));
  // Every input of the walk is loaded in a step at least once.
  SmallVector<bool> isLoaded(group.inputs.size());
  for (const StitchPasses::Step &step : passes.steps)
    for (unsigned input : step.inputs)
      isLoaded[input] = true;
  for (auto [input, loaded] : llvm::enumerate(isLoaded))
    form.loadsInSteps[work.inputShapes[input]] += loaded;
  for (auto [ofKept, ofAgain] : llvm::zip_equal(kept, again)) {
    Weight &least = form.inSteps.emplace_back();
    least.plain = std::min(ofKept.plain, ofAgain.plain);
    least.special = std::min(ofKept.special, ofAgain.special);
  }
  return form;
}

std::optional<double>
StitchBound::boundOf(const Form &form, const StitchSchedule &schedule,
                     ArrayRef<int64_t> elements, ArrayRef<TileAccess> loads,
                     const TileAccess &stores, int64_t blocks) const {
  constexpr int64_t registerBytes = 4;
  ThreadWork total;
  total.lines = stores.lines;
  total.instructions = stores.moves;
  int64_t walks = schedule.countWalks();
  for (auto [shape, access] : llvm::enumerate(loads)) {
    int64_t times = walks * (form.loads[shape] +
                             form.loadsInSteps[shape] * schedule.countSteps());
    total.loads += times * access.count;
    total.lines += times * access.lines;
    total.instructions += times * access.moves;
  }
  auto add = [&](const Weights &weights, int64_t times) {
    for (auto [weight, count] : llvm::zip_equal(weights, elements)) {
      total.instructions += times * weight.plain * count;
      total.special += times * weight.special * count;
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
  if (schedule.walk) {
    add(form.inSteps, schedule.countSteps() * walks);
    llvm::for_each(form.ofPass, addLive);
  }
  int64_t clusterExchanges = 0;
  std::optional<unsigned> clusterAxis = clusterAxisOf(schedule);
  for (const Exchange &exchange : exchanges) {
    int64_t rows = elements[exchange.resultSpace], parts = 1, each = 0;
    for (unsigned axis : exchange.axes) {
      const AxisSpread &spread = schedule.spread[axis];
      each += 2 * rows * llvm::Log2_64_Ceil(spread.lanes);
      total.exchanges += walks * exchange.times * (spread.warps > 1);
      parts *= spread.warps;
    }
    if (parts > 1)
      each += rows * parts * 2;
    total.instructions += walks * exchange.times * each;
    if (clusterAxis && llvm::is_contained(exchange.axes, *clusterAxis))
      clusterExchanges += walks * exchange.times;
  }
  int64_t registers = live + accumulators + kOwnRegisters;
  if (registers > registersByWarps(schedule.warps, chip))
    return std::nullopt;
  int64_t mostBlocks = blocksByThreads(registers, schedule.warps, chip);
  if (mostBlocks == 0)
    return std::nullopt;
  double latency = double(llvm::divideCeil(blocks, chip.numSMs * mostBlocks)) *
                   secondsOfWarp(schedule, form.passes, total, clusterExchanges,
                                 countChained(group, work, schedule), chip);
  double issue = secondsOfIssue(total, blocks, schedule.warps, chip);
  return secondsOfKernel(work.compulsoryBytes / chip.dramBytesPerSecond,
                         /*port=*/0, issue, latency, mostBlocks, chip);
}

double StitchBound::ofClusters() const {
  unsigned passes = forms.front().passes;
  for (const Form &form : forms)
    passes = std::min(passes, form.passes);
  int64_t shared = 0;
  for (const Exchange &exchange : exchanges)
    if (llvm::is_contained(exchange.axes, *work.walked->axis))
      shared += exchange.times;
  double warp = secondsOfWarp(StitchSchedule(), passes, ThreadWork(), shared,
                              work.chained, chip);
  return secondsOfKernel(work.compulsoryBytes / chip.dramBytesPerSecond,
                         /*port=*/0, /*issue=*/0, /*latency=*/warp,
                         chip.maxBlocksPerSM, chip);
}

std::optional<double> StitchBound::boundOf(const StitchSchedule &schedule,
                                           int64_t blocks,
                                           bool isCloser) const {
  SmallVector<int64_t, 8> ofAxis, elements;
  for (unsigned axis = 0; axis < schedule.spread.size(); ++axis)
    ofAxis.push_back(elementsOf(schedule, axis));
  for (ArrayRef<unsigned> axes : work.spaces) {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= ofAxis[axis];
    elements.push_back(count);
  }
  SmallVector<TileAccess, 8> loads;
  TileAccess stores;
  if (isCloser)
    for (auto [shape, tensor] : llvm::zip_equal(shapes, work.shapes)) {
      int64_t own = elements[shape.space], steps = 1;
      loads.push_back(TileAccess::of(group, schedule, *tensor, own));
      if (shape.stores == 0)
        continue;
      if (schedule.walk &&
          llvm::is_contained(tensor->axes, schedule.walk->axis))
        steps = schedule.countSteps();
      if (schedule.rows &&
          llvm::is_contained(tensor->axes, schedule.rows->axis))
        steps *= schedule.countWalks();
      if (countTurned(group, schedule, *tensor)) {
        stores.moves += shape.stores * steps * 4 * own;
        continue;
      }
      stores.lines += shape.stores * steps * loads.back().lines;
      stores.moves += shape.stores * steps * loads.back().moves;
    }
  std::optional<double> least;
  for (const Form &form : forms)
    if (std::optional<double> bound =
            boundOf(form, schedule, elements, loads, stores, blocks);
        bound && (!least || *bound < *least))
      least = bound;
  if (least && StitchSplit::axisOf(group, schedule))
    *least += secondsOfParts(/*steps=*/1, chip);
  return least;
}

double fusion::leastOfKernel(const ChipInfo &chip) {
  return secondsOfKernel(/*memory=*/0, /*port=*/0, /*issue=*/0,
                         /*latency=*/chip.dramLatency, chip.maxBlocksPerSM,
                         chip);
}
