//===- StitchPasses.cpp - Passes of a block over a long axis --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchPasses.h"
#include <algorithm>

using namespace mlir;
using namespace fusion;

StitchPasses::StitchPasses(const StitchGroup &group,
                           std::optional<unsigned> axis, bool isOnline)
    : axis(axis) {
  factors.resize(group.operators.size());
  isReference.assign(group.operators.size(), false);
  for (unsigned op = 0; op < group.operators.size(); ++op) {
    isWalked.push_back(axis && llvm::is_contained(group.loops[op], *axis));
    reduces.push_back(isWalked[op] &&
                      llvm::none_of(group.resultLoops[op], [&](unsigned loop) {
                        return group.loops[op][loop] == *axis;
                      }));
    unsigned least = 0;
    for (unsigned source : group.sources[op].operators)
      least = std::max(least, level[source] + reducesAxis(source));
    if (isOnline && least > 0 && reducesAxis(op) && join(group, op, least - 1))
      --least;
    level.push_back(least);
  }
  for (const StitchTensor &tensor : group.inputs)
    isWalkedInput.push_back(axis && llvm::is_contained(tensor.axes, *axis));
  isKept.assign(group.operators.size(), false);
  isKeptInput.assign(group.inputs.size(), false);
  // What a pass is made for; all else is on the way to that.
  for (unsigned op = 0; op < group.operators.size(); ++op)
    if (!axis || reducesAxis(op))
      count = std::max(count, level[op] + 1);
  for (const StitchTensor &tensor : group.results)
    if (unsigned op = *group.definer(tensor.value);
        isWalked[op] && !reducesAxis(op))
      count = std::max(count, level[op] + 1);
  stepsAgain = walk(group);
  if (count > 1)
    choose(group);
  steps = walk(group);
}

SmallVector<StitchPasses::Step>
StitchPasses::walk(const StitchGroup &group) const {
  SmallVector<Step> result(count);
  SmallVector<bool> known(group.operators.size()),
      knownInput(group.inputs.size());
  for (unsigned pass = 0; pass < count; ++pass) {
    SmallVector<bool> needed(group.operators.size()),
        loaded(group.inputs.size());
    for (unsigned op = 0; op < group.operators.size(); ++op)
      if (isWalked[op] && level[op] == pass)
        needed[op] = reducesAxis(op);
    for (const StitchTensor &tensor : group.results) {
      unsigned op = *group.definer(tensor.value);
      needed[op] =
          needed[op] || (isWalked[op] && level[op] == pass && !reducesAxis(op));
    }
    Step &step = result[pass];
    for (unsigned op = group.operators.size(); op-- > 0;) {
      if (!needed[op])
        continue;
      if (isKept[op] && known[op]) {
        step.kept.push_back(op);
        continue;
      }
      step.operators.push_back(op);
      const StitchGroup::Sources &sources = group.sources[op];
      // Of rows, those that follow from values so far.
      for (unsigned source : sources.operators)
        if (!reducesAxis(source) &&
            (isWalked[source] || isRunning(source, pass)))
          needed[source] = true;
      for (unsigned input : sources.inputs)
        if (isWalkedInput[input])
          loaded[input] = true;
    }
    std::reverse(step.kept.begin(), step.kept.end());
    std::reverse(step.operators.begin(), step.operators.end());
    for (unsigned input = 0; input < loaded.size(); ++input) {
      if (!loaded[input])
        continue;
      bool isHere = isKeptInput[input] && knownInput[input];
      (isHere ? step.keptInputs : step.inputs).push_back(input);
    }
    for (unsigned op : step.operators)
      known[op] = !isRunning(op, pass);
    for (unsigned input : step.inputs)
      knownInput[input] = true;
  }
  return result;
}

/// Inputs that several passes load are kept; then, one after the other,
/// whatever operator's value saves most bytes.
void StitchPasses::choose(const StitchGroup &group) {
  SmallVector<unsigned> loads(group.inputs.size());
  for (const Step &step : stepsAgain)
    for (unsigned input : step.inputs)
      isKeptInput[input] = ++loads[input] > 1;
  auto points = [&](ArrayRef<unsigned> axes) {
    double count = 1;
    for (unsigned other : axes)
      count *= group.axes[other].extent;
    return count;
  };
  /// Of an operator: what keeping its values takes, none where they cannot be,
  /// and what computing them takes.
  struct Operator {
    std::optional<double> bits;
    double special, plain;
  };
  SmallVector<Operator> costs;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    ScalarWork work = countScalarWork(op);
    double all = points(group.loops[index]);
    Operator &own = costs.emplace_back(
        Operator{std::nullopt, work.special * all, work.plain * all});
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (isWalked[index] && !reducesAxis(index) && type.isIntOrFloat())
      own.bits = points(group.resultAxes(index)) *
                 std::max(8u, type.getIntOrFloatBitWidth());
  }
  auto price = [&](ArrayRef<Step> walked) {
    SmallVector<bool> used(group.operators.size()),
        usedInput(group.inputs.size());
    double bits = 0, special = 0, plain = 0;
    for (const Step &step : walked) {
      for (unsigned op : step.kept)
        used[op] = true;
      for (unsigned input : step.keptInputs)
        usedInput[input] = true;
      for (unsigned op : step.operators) {
        special += costs[op].special;
        plain += costs[op].plain;
      }
    }
    for (auto [op, isUsed] : llvm::enumerate(used))
      if (isUsed)
        bits += *costs[op].bits;
    for (auto [input, isUsed] : llvm::enumerate(usedInput))
      if (isUsed)
        bits += points(group.inputs[input].axes) * 8.0 *
                group.inputs[input].elementBytes;
    return std::make_tuple(bits, special, plain);
  };
  SmallVector<Step> walked = walk(group);
  auto best = price(walked);
  while (true) {
    // Keeping what one pass alone computes saves nothing.
    SmallVector<unsigned> computed(group.operators.size());
    for (const Step &step : walked)
      for (unsigned op : step.operators)
        ++computed[op];
    std::optional<unsigned> chosen;
    for (unsigned op = 0; op < group.operators.size(); ++op) {
      if (isKept[op] || !costs[op].bits || computed[op] < 2)
        continue;
      isKept[op] = true;
      auto with = price(walk(group));
      isKept[op] = false;
      if (with < best) {
        best = with;
        chosen = op;
      }
    }
    if (!chosen)
      return;
    isKept[*chosen] = true;
    walked = walk(group);
  }
}
