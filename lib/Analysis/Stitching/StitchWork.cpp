//===- StitchWork.cpp - The work of a stitched group ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchSectors.h"
#include "fusion/Analysis/Stitching/StitchCost.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"

using namespace mlir;
using namespace fusion;

int64_t fusion::bytesOf(const StitchTensor &tensor) {
  int64_t bytes = tensor.elementBytes;
  for (auto [first, beyond] : tensor.inside)
    bytes *= beyond - first;
  return bytes;
}

unsigned StitchWork::spaceOf(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> ascending(axes);
  llvm::sort(ascending);
  auto *known = llvm::find(spaces, ascending);
  if (known == spaces.end())
    known = spaces.insert(known, ascending);
  return known - spaces.begin();
}

unsigned StitchWork::shapeOf(const StitchTensor &tensor) {
  auto typeOf = [](const StitchTensor &each) {
    return getElementTypeOrSelf(each.value);
  };
  auto *known = llvm::find_if(shapes, [&](const StitchTensor *other) {
    return other->axes == tensor.axes && other->strides == tensor.strides &&
           other->component == tensor.component && other->unit == tensor.unit &&
           other->alignment == tensor.alignment &&
           other->isGathered == tensor.isGathered &&
           other->gatheredRun == tensor.gatheredRun &&
           other->isInPhase == tensor.isInPhase &&
           typeOf(*other) == typeOf(tensor);
  });
  if (known == shapes.end())
    known = shapes.insert(known, &tensor);
  return known - shapes.begin();
}

StitchWork StitchWork::of(const StitchGroup &group,
                          const StitchSchedule &schedule) {
  if (!schedule.serialLoop)
    return StitchWork(group);
  return StitchWork(group, schedule.serialLoop->axis,
                    StitchSplit::besideSerialLoop(group, schedule));
}

StitchWork::StitchWork(const StitchGroup &group, std::optional<unsigned> walk,
                       std::optional<unsigned> split, bool hasOtherForms)
    : once(group, std::nullopt) {
  lastRead.assign(group.inputs.size(), 0);
  SmallVector<unsigned> depths;
  for (auto [number, constOp] : llvm::enumerate(group.operators())) {
    linalg::LinalgOp op = constOp;
    Operator &entry = operators.emplace_back();
    entry.axes.assign(group.loops[number].begin(), group.loops[number].end());
    entry.resultAxes = group.resultAxes(number);
    entry.space = spaceOf(entry.axes);
    entry.resultSpace = spaceOf(entry.resultAxes);
    entry.work = group.about(number).work;
    hasPolynomials |= group.about(number).hasPolynomials;
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    entry.bytes = element.isIntOrFloat()
                      ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
                      : 8;
    entry.lastUse = number;
    unsigned depth = 0;
    const StitchGroup::Sources &sources = group.sources[number];
    for (unsigned maker : sources.operators) {
      operators[maker].lastUse = number;
      depth = std::max(depth, depths[maker]);
    }
    for (unsigned input : sources.inputs)
      lastRead[input] = number;
    depths.push_back(depth + group.reductions[number].has_value());
    chained = std::max(chained, depths.back());
  }
  for (const StitchTensor &tensor : group.inputs) {
    inputSpaces.push_back(spaceOf(tensor.axes));
    inputShapes.push_back(shapeOf(tensor));
  }
  for (const StitchTensor &tensor : group.results) {
    resultSpaces.push_back(spaceOf(tensor.axes));
    resultShapes.push_back(shapeOf(tensor));
  }
  SmallVector<int64_t> along(group.axes.size(), 0);
  for (const StitchTensor &tensor : group.inputs) {
    compulsoryBytes += bytesOf(tensor);
    for (unsigned axis : tensor.axes)
      along[axis] += bytesOf(tensor);
  }
  inputBytes = compulsoryBytes;
  for (const StitchTensor &tensor : group.results)
    compulsoryBytes += bytesOf(tensor);
  std::optional<unsigned> longest = walk;
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (!walk && axis.isReduced &&
        (!longest || along[number] > along[*longest]))
      longest = number;
  if (!longest)
    return;
  serialAxis.emplace(group, longest, /*isOnline=*/false, split);
  if (serialAxis->count == 1 || !hasOtherForms)
    return;
  online.emplace(group, longest, /*isOnline=*/true, split);
  whyNotOnline = online->whyNotOnline;
  if (!online->isOnline())
    online.reset();
  // Without expensive operators both retain the same values.
  if (!hasPolynomials && llvm::none_of(operators, [](const Operator &op) {
        return op.work.special > 0;
      }))
    return;
  expensive.emplace(group, longest, /*isOnline=*/false, split,
                    /*retainsExpensive=*/true);
  if (expensive->isRetained == serialAxis->isRetained &&
      expensive->isRetainedInput == serialAxis->isRetainedInput)
    expensive.reset();
}
