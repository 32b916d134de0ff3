//===- StitchSplit.cpp - Reductions over the blocks of a kernel -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Support/CacheLine.h"

using namespace mlir;
using namespace fusion;

void StitchGroup::findShared() {
  bool isOne = llvm::all_equal(components);
  shared.assign(axes.size(), std::nullopt);
  for (unsigned axis = 0; axis < axes.size(); ++axis) {
    if (!axes[axis].isReduced)
      continue;
    Shared &entry = shared[axis].emplace();
    entry.isPossible = isOne;
    for (unsigned op = 0; op < members.size(); ++op) {
      bool isPartial = reduces(op, axis),
           isLate = llvm::any_of(sources[op].operators, [&](unsigned source) {
             return entry.isPartial[source] || entry.isLate[source];
           });
      entry.isPartial.push_back(isPartial);
      entry.isLate.push_back(isLate);
      if ((isLate && llvm::is_contained(loops[op], axis)) ||
          (isPartial && !reductions[op]->combined.getType().isIntOrFloat()))
        entry.isPossible = false;
    }
  }
}

/// The blocks of a cluster have all of an axis together: it is not split.
static bool isSplit(const StitchAxis &axis, const AxisThreadMapping &mapping) {
  return axis.isReduced && mapping.cluster == 1 && mapping.tile < axis.extent;
}

std::optional<unsigned> StitchSplit::axisOf(const StitchGroup &group,
                                            const StitchSchedule &schedule) {
  for (auto [number, entry] : llvm::enumerate(group.axes))
    if (isSplit(entry, schedule.threadMapping[number]))
      return number;
  return std::nullopt;
}

std::optional<unsigned>
StitchSplit::besideSerialLoop(const StitchGroup &group,
                              const StitchSchedule &schedule) {
  std::optional<unsigned> axis = axisOf(group, schedule);
  if (!schedule.serialLoop || axis == schedule.serialLoop->axis)
    return std::nullopt;
  return axis;
}

/// By input: only operators that depend on a split reduction read it.
static SmallVector<bool> findLateInputs(const StitchGroup &group,
                                        ArrayRef<bool> isLate) {
  SmallVector<bool> isLateInput(group.inputs.size(), true);
  for (auto [op, sources] : llvm::enumerate(group.sources))
    if (!isLate[op])
      for (unsigned input : sources.inputs)
        isLateInput[input] = false;
  return isLateInput;
}

SmallVector<bool> StitchSplit::lateInputs(const StitchGroup &group,
                                          unsigned axis) {
  return findLateInputs(group, group.shared[axis]->isLate);
}

StitchSplit::StitchSplit(const StitchGroup &group,
                         const StitchSchedule &schedule)
    : axis(axisOf(group, schedule)) {
  isLateInput.assign(group.inputs.size(), false);
  isReadAgain = isLateInput;
  isLateSource.assign(group.operators().size(), false);
  if (!axis) {
    isPartial.assign(group.operators().size(), false);
    isLate = isPartial;
    return;
  }
  const AxisThreadMapping &mapping = schedule.threadMapping[*axis];
  splits = llvm::divideCeil(group.axes[*axis].extent, mapping.tile);
  counters = countBlocks(group, schedule) / splits;
  isPartial = group.shared[*axis]->isPartial;
  isLate = group.shared[*axis]->isLate;
  isLateInput = findLateInputs(group, isLate);
  if (besideSerialLoop(group, schedule)) {
    unsigned walk = schedule.serialLoop->axis;
    auto isInSteps = [&](ArrayRef<unsigned> axes) {
      return llvm::is_contained(axes, walk);
    };
    for (unsigned op = group.operators().size(); op-- > 0;) {
      if (!isLate[op] && !isLateSource[op])
        continue;
      for (unsigned source : group.sources[op].operators)
        if (!isPartial[source] && !isLate[source])
          isLateSource[source] = true;
      bool isComputed = isInSteps(group.loops[op]) && !group.reduces(op, walk);
      for (unsigned input : group.sources[op].inputs) {
        const StitchTensor &tensor = group.inputs[input];
        isReadAgain[input] |=
            !isLateInput[input] && isComputed && isInSteps(tensor.axes);
        isReadAgain[input] |=
            !isLateInput[input] && schedule.splitLoop && tensor.isGathered;
      }
    }
  }
  AxisThreadMapping step = schedule.stepOf(*axis);
  for (const RoundSizes &sizes : sizesOfRounds(schedule, schedule.fanIn)) {
    Round &round = rounds.emplace_back(Round{sizes, schedule, axis});
    round.ofParts.splitLoop.reset();
    // No thread of a last block evaluates an operator for others.
    round.ofParts.compositions.clear();
    if (schedule.serialLoop && schedule.serialLoop->axis == *axis)
      round.ofParts.serialLoop.reset();
    round.ofParts.threadMapping[*axis] = {sizes.step, /*vector=*/1, step.lanes,
                                          step.warps};
  }
}

SmallVector<StitchSplit::RoundSizes, 4>
StitchSplit::sizesOfRounds(const StitchSchedule &schedule,
                           int64_t fanIn) const {
  AxisThreadMapping step = schedule.stepOf(*axis);
  int64_t threads = step.lanes * step.warps;
  SmallVector<RoundSizes, 4> list;
  for (int64_t left = splits; list.empty() || left > 1;) {
    int64_t most = fanIn ? std::min(fanIn, left) : left;
    int64_t registers = std::min<int64_t>(llvm::divideCeil(most, threads),
                                          step.vector * step.registers());
    list.push_back({left, most, int64_t(llvm::divideCeil(left, most)),
                    threads * registers});
    left = list.back().groups;
  }
  return list;
}

int64_t StitchSplit::countElements(const StitchGroup &group, unsigned op) {
  int64_t count = 1;
  for (unsigned axis : group.resultAxes(op))
    count *= group.axes[axis].extent;
  return count;
}

unsigned StitchSplit::elementBytes(const StitchGroup &group, unsigned op) {
  return std::max(
      1u, group.reductions[op]->combined.getType().getIntOrFloatBitWidth() / 8);
}

int64_t StitchSplit::bytesOfPartial(const StitchGroup &group, unsigned axis) {
  int64_t bytes = 0;
  for (auto [op, isPartial] : llvm::enumerate(group.shared[axis]->isPartial))
    if (isPartial)
      bytes += countElements(group, op) * elementBytes(group, op);
  return bytes;
}

std::optional<unsigned> StitchSplit::nearestAxis(const StitchGroup &group,
                                                 unsigned op) const {
  SmallVector<unsigned, 4> axes = group.resultAxes(op);
  if (axes.empty())
    return std::nullopt;
  return *llvm::max_element(axes);
}

int64_t StitchSplit::countPrivateLines(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       unsigned op) const {
  std::optional<unsigned> nearest = nearestAxis(group, op);
  if (!nearest)
    return 0;
  int64_t lines = 1;
  for (unsigned axis : group.resultAxes(op)) {
    int64_t tile =
        std::min(schedule.threadMapping[axis].tile, group.axes[axis].extent);
    if (axis != *nearest) {
      lines *= tile;
      continue;
    }
    // The last line of a whole row ends behind the row.
    int64_t bytes = tile * elementBytes(group, op);
    if (tile < group.axes[axis].extent && bytes % kLineBytes != 0)
      return 0;
    lines *= llvm::divideCeil(bytes, kLineBytes);
  }
  return lines;
}

int64_t StitchSplit::bytesBeyond(int64_t ofRound, int64_t l2Bytes) {
  // Data that blocks read meanwhile passes through half of the L2. Blocks end
  // together: lines that are replaced first are read first. If there are as
  // many partial results as there is room for, hardly any of them stays.
  double half = l2Bytes / 2.0;
  return 2 * ofRound * std::clamp((ofRound - half) / half, 0.0, 1.0);
}

int64_t StitchSplit::bytesBeyond(const StitchGroup &group,
                                 int64_t l2Bytes) const {
  // Partial results of a round replace the ones that have been reduced.
  int64_t bytes = 0;
  for (const Round &round : rounds)
    bytes += bytesBeyond(round.splits * bytesOfPartial(group), l2Bytes);
  return bytes;
}

int64_t StitchSplit::bytesWrittenBack(const StitchGroup &group,
                                      const StitchSchedule &schedule) const {
  int64_t splits = 0, bytes = 0;
  for (const Round &round : rounds)
    splits += round.splits;
  for (auto [op, partial] : llvm::enumerate(isPartial))
    if (partial && countPrivateLines(group, schedule, op) == 0)
      bytes += splits * countElements(group, op) * elementBytes(group, op);
  return bytes;
}

bool fusion::canSplit(const StitchGroup &group, unsigned axis) {
  return group.shared[axis] && group.shared[axis]->isPossible;
}

bool fusion::canSplitBeside(const StitchGroup &group, unsigned axis,
                            unsigned walk) {
  if (!canSplit(group, axis) || axis == walk)
    return false;
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (group.shared[axis]->isLate[op] && group.reduces(op, walk))
      return false;
  return true;
}

std::optional<std::string> fusion::checkSplit(const StitchGroup &group,
                                              const StitchSchedule &schedule) {
  if (!StitchSplit::axisOf(group, schedule))
    return std::nullopt;
  SmallVector<unsigned> split;
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (isSplit(axis, schedule.threadMapping[number]))
      split.push_back(number);
  std::string name = "axis '" + group.axes[split.front()].name + "'";
  if (split.size() > 1)
    return name + " and '" + group.axes[split[1]].name +
           "' are both reduced over blocks";
  if (!canSplit(group, split.front()))
    return name + " is reduced: a block has all of it, or no operator of the "
                  "block can use the result";
  bool isBeside =
      schedule.serialLoop && schedule.serialLoop->axis != split.front();
  if (isBeside &&
      !canSplitBeside(group, split.front(), schedule.serialLoop->axis))
    return name + " is reduced over blocks with a serial loop over axis '" +
           group.axes[schedule.serialLoop->axis].name +
           "', along which its results are reduced";
  if (!isBeside && schedule.serialLoop && schedule.serialLoop->sharedSteps > 0)
    return name + " is reduced over blocks: no step of it is retained in "
                  "shared memory";
  if (schedule.splitLoop) {
    if (schedule.retainedSteps() < schedule.countSteps())
      return name +
             " is reduced over blocks in steps, and each step of the serial "
             "loop must retain its partial results";
    for (unsigned op = 0; op < group.operators().size(); ++op)
      if (group.reduces(op, split.front()) &&
          !llvm::is_contained(group.resultAxes(op), schedule.serialLoop->axis))
        return name + " is reduced over blocks in steps, and a result is the "
                      "same in all steps of the serial loop";
    StitchSplit shared(group, schedule);
    for (unsigned op = 0; op < group.operators().size(); ++op)
      if (shared.isLateSource[op] &&
          group.reduces(op, schedule.serialLoop->axis))
        return name +
               " is reduced over blocks in steps, and the last block needs "
               "the result of a reduction along the serial loop";
    constexpr unsigned byteBits = 8;
    for (unsigned op = 0; op < group.operators().size(); ++op)
      if (group.reduces(op, split.front()) &&
          group.reductions[op]->combined.getType().getIntOrFloatBitWidth() <
              byteBits)
        return name + " is reduced over blocks in steps, and the elements of "
                      "its partial results are no whole bytes";
  }
  // Each partial result is written by one block.
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    if (!group.reduces(op, split.front()))
      continue;
    SmallVector<unsigned, 4> indexing = group.resultAxes(op);
    for (auto [number, other] : llvm::enumerate(group.axes))
      if (number != split.front() &&
          schedule.threadMapping[number].tile < other.extent &&
          !llvm::is_contained(indexing, number))
        return name + " is reduced over blocks, and blocks along axis '" +
               other.name + "' would all write the same partial results";
  }
  return std::nullopt;
}
