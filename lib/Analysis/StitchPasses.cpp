//===- StitchPasses.cpp - Passes of a block over a long axis --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchPasses.h"

using namespace mlir;
using namespace fusion;

bool StitchPasses::reducesAxis(const StitchGroup &group, unsigned op) const {
  return axis && isWalked[op] &&
         llvm::none_of(group.resultLoops[op], [&](unsigned loop) {
           return group.loops[op][loop] == *axis;
         });
}

StitchPasses::StitchPasses(const StitchGroup &group,
                           std::optional<unsigned> axis, bool isOnline)
    : axis(axis) {
  factors.resize(group.operators.size());
  isReference.assign(group.operators.size(), false);
  for (unsigned op = 0; op < group.operators.size(); ++op) {
    isWalked.push_back(axis && llvm::is_contained(group.loops[op], *axis));
    unsigned least = 0;
    for (unsigned source : group.sources[op].operators)
      least = std::max(least, level[source] + reducesAxis(group, source));
    if (isOnline && least > 0 && reducesAxis(group, op) &&
        join(group, op, least - 1))
      --least;
    level.push_back(least);
  }
  for (const StitchTensor &tensor : group.inputs)
    isWalkedInput.push_back(axis && llvm::is_contained(tensor.axes, *axis));
  isKept.assign(group.operators.size(), false);
  isKeptInput.assign(group.inputs.size(), false);
  // What a pass is made for; all else is on the way to that.
  for (unsigned op = 0; op < group.operators.size(); ++op)
    if (!axis || reducesAxis(group, op))
      count = std::max(count, level[op] + 1);
  for (const StitchTensor &tensor : group.results)
    if (unsigned op = *group.definer(tensor.value);
        isWalked[op] && !reducesAxis(group, op))
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
        needed[op] = reducesAxis(group, op);
    for (const StitchTensor &tensor : group.results) {
      unsigned op = *group.definer(tensor.value);
      needed[op] = needed[op] || (isWalked[op] && level[op] == pass &&
                                  !reducesAxis(group, op));
    }
    Step &step = result[pass];
    for (unsigned op = group.operators.size(); op-- > 0;) {
      if (!needed[op])
        continue;
      if (isKept[op] && known[op]) {
        step.kept.insert(step.kept.begin(), op);
        continue;
      }
      step.operators.insert(step.operators.begin(), op);
      const StitchGroup::Sources &sources = group.sources[op];
      // Of rows, those that follow from values so far.
      for (unsigned source : sources.operators)
        if (!reducesAxis(group, source) &&
            (isWalked[source] || isRunning(source, pass)))
          needed[source] = true;
      for (unsigned input : sources.inputs)
        if (isWalkedInput[input])
          loaded[input] = true;
    }
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
  auto price = [&] {
    SmallVector<bool> used(group.operators.size()),
        usedInput(group.inputs.size());
    double bytes = 0, special = 0, plain = 0;
    for (const Step &step : walk(group)) {
      for (unsigned op : step.kept)
        used[op] = true;
      for (unsigned input : step.keptInputs)
        usedInput[input] = true;
      for (unsigned op : step.operators) {
        ScalarWork work = countScalarWork(group.operators[op]);
        special += work.special * points(group.loops[op]);
        plain += work.plain * points(group.loops[op]);
      }
    }
    for (auto [op, isUsed] : llvm::enumerate(used))
      if (isUsed)
        bytes += points(group.resultAxes(op)) *
                 std::max(8u, getElementTypeOrSelf(
                                  group.operators[op]->getResult(0).getType())
                                  .getIntOrFloatBitWidth());
    for (auto [input, isUsed] : llvm::enumerate(usedInput))
      if (isUsed)
        bytes += points(group.inputs[input].axes) * 8.0 *
                 group.inputs[input].elementBytes;
    return std::make_tuple(bytes, special, plain);
  };
  auto best = price();
  while (true) {
    std::optional<unsigned> chosen;
    for (unsigned op = 0; op < group.operators.size(); ++op) {
      if (isKept[op] || !isWalked[op] || reducesAxis(group, op) ||
          !getElementTypeOrSelf(group.operators[op]->getResult(0).getType())
               .isIntOrFloat())
        continue;
      isKept[op] = true;
      auto with = price();
      isKept[op] = false;
      if (with < best) {
        best = with;
        chosen = op;
      }
    }
    if (!chosen)
      return;
    isKept[*chosen] = true;
  }
}
