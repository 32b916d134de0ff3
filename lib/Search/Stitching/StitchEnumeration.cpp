//===- StitchEnumeration.cpp - Ways to keep a walk, rated -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchEnumeration.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"

using namespace fusion;

bool StitchEnumeration::hasWide() const {
  auto isWide = [](const StitchTensor &tensor) {
    return !tensor.axes.empty() && tensor.unit == tensor.axes.back() &&
           widestMisalignedAccess(tensor, kWidestAccess / tensor.elementBytes) >
               int64_t(tensor.alignment / tensor.elementBytes);
  };
  return llvm::any_of(group.inputs, isWide) ||
         llvm::any_of(group.results, isWide);
}

void StitchEnumeration::findWhole() {
  whole.assign(group.axes.size(), false);
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (group.reduces(op, *split))
      for (unsigned axis = 0; axis < group.axes.size(); ++axis)
        whole[axis] |=
            axis != split && !llvm::is_contained(group.resultAxes(op), axis);
}

std::optional<double> StitchEnumeration::minOfSpread(bool isCloser) {
  bool isPossible = false;
  auto minOf = [&]() -> std::optional<double> {
    if (!isCloser)
      return (*bound)(current);
    // The calls differ only in where a serial loop retains its whole axis: it
    // suffices that one of these schedules is legal.
    if (!isPossible &&
        checkStitching(group, current, chip, &work.passesOf(current)))
      return std::nullopt;
    std::optional<double> least =
        split ? bound->ofSplitLoop(current) : bound->closer(current);
    isPossible |= least.has_value();
    return least;
  };
  if (!isInParts())
    return minOfWalk(minOf);
  // The last one has the fewest steps, the first one the fewest blocks.
  StitchSchedule first, last;
  forEachPart([&] {
    if (first.threadMapping.empty())
      first = current;
    last = current;
  });
  if (first.threadMapping.empty() ||
      (isCloser && checkStitching(group, first, chip)))
    return std::nullopt;
  return bound->ofMoreSteps(last, isCloser);
}

std::optional<double> StitchEnumeration::minOfWalk(
    llvm::function_ref<std::optional<double>()> minOf) {
  if (!serialAxis)
    return minOf();
  unsigned axis = *serialAxis->axis;
  AxisThreadMapping saved = current.threadMapping[axis];
  int64_t step = saved.tile, steps = countSteps(axis),
          registers = std::min(steps, kMaxUnrolled);
  mapSerialLoop(axis, step, steps);
  current.serialLoop = {axis, step, registers, 0};
  std::optional<double> least = minOf();
  if (registers < steps) {
    current.serialLoop->sharedSteps = steps - registers;
    if (hasCopies())
      current.serialLoop->stages = kMaxStitchStages;
    std::optional<double> other = minOf();
    if (other && (!least || *other < *least))
      least = other;
  }
  current.serialLoop.reset();
  current.threadMapping[axis] = saved;
  return least;
}

bool StitchEnumeration::keepsRows(unsigned axis, int64_t rows) const {
  if (!serialAxis || serialAxis->count == 1 || split ||
      axis == *serialAxis->axis)
    return true;
  StitchSchedule whole;
  whole.threadMapping.assign(group.axes.size(), {});
  whole.threadMapping[axis] = {rows, rows};
  int64_t extent =
      llvm::divideCeil(group.axes[*serialAxis->axis].extent, cluster);
  whole.threadMapping[*serialAxis->axis].tile = extent;
  whole.serialLoop = {*serialAxis->axis, /*step=*/1, 0, /*shared=*/extent};
  // The bytes are counted for a warp, while this block has one thread.
  return countPrivateBytes(group, whole, *serialAxis) / kWarpSize <=
         static_cast<int64_t>(chip.sharedMemoryPerBlock);
}

void StitchEnumeration::keepSpread() {
  std::optional<double> least = minOfSpread(/*isCloser=*/false);
  if (!least) {
    ++rejected;
    return;
  }
  if (isBeyond(*least))
    return;
  spreads.push_back({*least, current.warps});
  llvm::append_range(spreadAxes, current.threadMapping);
}

void StitchEnumeration::evaluateSpreads() {
  llvm::SmallVector<unsigned> byBound =
      llvm::to_vector(llvm::seq<unsigned>(0, spreads.size()));
  llvm::sort(byBound, [&](unsigned a, unsigned b) {
    return std::make_pair(spreads[a].least, a) <
           std::make_pair(spreads[b].least, b);
  });
  auto isFastEnough = [&] {
    return !maxSeconds || (best && weighed(best->cost) < *maxSeconds);
  };
  auto take = [&](unsigned at) {
    number = at;
    current.warps = spreads[at].warps;
    const AxisThreadMapping *first = &spreadAxes[at * group.axes.size()];
    current.threadMapping.assign(first, first + group.axes.size());
  };
  // Schedules that are not fast enough may be the best by other measures if
  // others are fast enough.
  llvm::SmallVector<unsigned> postponed;
  for (unsigned at : byBound) {
    if (isBeyond(spreads[at].least) || (isOperandA && best))
      break;
    if (!isFastEnough() && spreads[at].least >= *maxSeconds) {
      hasStopped = true;
      break;
    }
    take(at);
    std::optional<double> closer = minOfSpread(/*isCloser=*/true);
    rejected += !closer;
    if (!closer || isBeyond(*closer))
      continue;
    if (!isFastEnough() && *closer >= *maxSeconds)
      postponed.push_back(at);
    else
      judge();
  }
  hasStopped |= (!postponed.empty() || hasSkipped) && !isFastEnough();
  if (isFastEnough())
    for (unsigned at : postponed) {
      take(at);
      judge();
    }
  spreads.clear();
  spreadAxes.clear();
}

void StitchEnumeration::judge() {
  if (!serialAxis) {
    rate();
    return;
  }
  unsigned axis = *serialAxis->axis;
  AxisThreadMapping saved = current.threadMapping[axis];
  int64_t step = saved.tile, steps = countSteps(axis);
  if (isInParts()) {
    forEachPart([&] { evaluateIfBetter(); });
    return;
  }
  bool isWorthIt = true;
  if (bound && split) {
    std::optional<double> least =
        minOfWalk([&] { return bound->closer(current); });
    isWorthIt = least && !isBeyond(*least);
  }
  mapSerialLoop(axis, step, steps);
  // A tile that is retained whole is read once with either form of the
  // reduction, and the online form computes more.
  if (isWorthIt) {
    if (!evaluateKept(*work.serialAxis, step, steps) && work.online)
      evaluateKept(*work.online, step, steps);
    if (work.expensive)
      evaluateKept(*work.expensive, step, steps);
  }
  if (split)
    evaluateRows(step, steps);
  current.serialLoop.reset();
  current.threadMapping[axis] = saved;
}

llvm::SmallVector<int64_t>
StitchEnumeration::countsOfParts(int64_t others) const {
  llvm::SmallVector<int64_t> counts;
  // Where one partial result for each SM would be more than the L2 has room
  // for, use only as many as cause little traffic to memory.
  if (split) {
    int64_t bytes = StitchSplit::bytesOfPartial(group, *split),
            ofSMs = llvm::divideCeil(chip.numSMs, others), room = ofSMs;
    double most = (kMaxMoved - 1) * work.compulsoryBytes;
    while (room > 0 &&
           StitchSplit::bytesBeyond(room * bytes, chip.l2Bytes) > most)
      --room;
    if (room > 1 && room < ofSMs)
      counts.push_back(room);
  }
  for (int64_t each = 1; each <= kMaxOfSM; each *= isCoarse ? 4 : 2)
    counts.push_back(llvm::divideCeil(each * chip.numSMs, others));
  return counts;
}

void StitchEnumeration::evaluateRows(int64_t step, int64_t steps) {
  unsigned axis = *serialAxis->axis;
  AxisThreadMapping saved = current.threadMapping[*split];
  int64_t all = llvm::divideCeil(group.axes[*split].extent, saved.tile),
          others = countBlocks(group, current) / all, last = 0;
  for (int64_t parts : countsOfParts(others)) {
    int64_t own = llvm::divideCeil(all, std::min(parts, all));
    if (own == last || own == all || own == 1)
      continue;
    last = own;
    current.threadMapping[*split].tile = saved.tile * own;
    current.splitLoop = {*split, saved.tile};
    current.serialLoop = {axis, step, 0, 1};
    int64_t bytes = countPrivateBytes(group, current, *work.serialAxis);
    auto attempt = [&](int64_t shared) {
      if (steps - shared > kMaxUnrolled)
        return;
      current.serialLoop = {axis, step, steps - shared, shared};
      evaluateIfBetter();
      if (shared > 1)
        evaluateStages(*work.serialAxis, std::min(shared, kMaxStitchStages));
    };
    attempt(0);
    // As much as shared memory has room for with `blocks` blocks in an SM, or
    // less: registers need no instructions.
    for (int64_t blocks = 1; blocks <= kMaxOfSM && bytes > 0; blocks *= 2) {
      int64_t most = std::min<int64_t>(chip.sharedMemoryPerBlock,
                                       chip.sharedMemoryPerSM / blocks -
                                           chip.sharedMemoryReserved),
              room = std::min(steps, most / bytes);
      // Exchanges between warps need room, too.
      for (int64_t less = 0; less < 2 && room > less; ++less)
        attempt(room - less);
    }
  }
  current.splitLoop.reset();
  current.threadMapping[*split] = saved;
}

void StitchEnumeration::forEachPart(llvm::function_ref<void()> visit) {
  unsigned axis = *serialAxis->axis;
  AxisThreadMapping saved = current.threadMapping[axis];
  int64_t step = saved.tile, steps = countSteps(axis);
  current.threadMapping[axis].tile = step * steps;
  int64_t others = countBlocks(group, current), last = 0;
  for (int64_t parts : countsOfParts(others)) {
    int64_t own = llvm::divideCeil(steps, std::min(parts, steps));
    bool isPersistent = split != axis;
    if (own == last || own == steps || (isPersistent && own == 1))
      continue;
    last = own;
    current.threadMapping[axis].tile = step * own;
    current.serialLoop = {axis, step, 0, 0};
    visit();
    for (int64_t stages : kStages) {
      current.serialLoop->stages = stages;
      visit();
    }
    current.serialLoop->stages = 1;
    if (isPersistent)
      continue;
    if (own <= kMaxUnrolled) {
      current.serialLoop->registerSteps = own;
      visit();
    }
  }
  current.serialLoop.reset();
  current.threadMapping[axis] = saved;
}

void StitchEnumeration::evaluateStages(const StitchPasses &passes,
                                       int64_t stages) {
  if (isPrinted())
    return;
  current.serialLoop->stages = stages;
  if (!checkStages(group, current, passes))
    evaluateIfBetter();
}

bool StitchEnumeration::hasCopies() const {
  return llvm::any_of(group.inputs, [&](const StitchTensor &tensor) {
    return bytesOfCopies(group, current, tensor).has_value();
  });
}

bool StitchEnumeration::evaluateKept(const StitchPasses &passes, int64_t step,
                                     int64_t steps) {
  bool retainsExpensive = work.expensive && &passes == &*work.expensive;
  auto serialLoopOf = [&](int64_t registers, int64_t shared) {
    return StitchSerialLoop{*passes.axis,      step,
                            registers,         shared,
                            passes.isOnline(), retainsExpensive};
  };
  auto attempt = [&](int64_t registers, int64_t shared) {
    if (registers > kMaxUnrolled)
      return false;
    current.serialLoop = serialLoopOf(registers, shared);
    bool fits = rate();
    if (fits && shared > 1 && passes.count > 1)
      evaluateStages(passes, std::min(shared, kMaxStitchStages));
    return fits;
  };
  bool isRetained = passes.count > 1, isWhole = false;
  bool fits = attempt(steps, 0);
  if (isRetained) {
    // As much as shared memory has room for, beside registers or alone.
    current.serialLoop = serialLoopOf(0, 1);
    int64_t bytes = countPrivateBytes(group, current, passes);
    int64_t room =
        bytes ? std::min<int64_t>(steps, chip.sharedMemoryPerBlock / bytes) : 0;
    if (room > 0) {
      bool hasRoom = attempt(0, room);
      isWhole = hasRoom && room == steps;
      if (!hasRoom)
        attempt(0, --room);
    }
    // Then as many in registers as there are.
    int64_t low = 0, high = std::min(steps - room, kMaxUnrolled);
    while (!fits && low < high) {
      int64_t middle = (low + high + 1) / 2;
      if (attempt(middle, room)) {
        low = middle;
        isWhole |= middle + room == steps;
      } else {
        high = middle - 1;
      }
    }
    // Leave room for stages of inputs that are copied ahead, too.
    current.serialLoop = serialLoopOf(0, 1);
    for (int64_t stages : {2, 4}) {
      current.serialLoop->stages = stages;
      int64_t ring = countStages(group, current, passes);
      if (ring == 0 || bytes == 0)
        break;
      int64_t shared = std::clamp<int64_t>(
          (int64_t(chip.sharedMemoryPerBlock) - ring) / bytes, 0, steps);
      // Exchanges between warps need room, too.
      for (int64_t less : {0, 1}) {
        int64_t registers = steps - shared + less;
        if (shared - less < stages || registers > kMaxUnrolled)
          continue;
        current.serialLoop = serialLoopOf(registers, shared - less);
        evaluateStages(passes, stages);
      }
      current.serialLoop = serialLoopOf(0, 1);
    }
    // All but one: one less is (checkKept).
    if (!fits && !isWhole && low + room + 1 == steps && low + room > 0)
      attempt(low - (low > 0), room - (low == 0));
  }
  if (!retainsExpensive && (!isRetained || !fits)) {
    current.serialLoop = serialLoopOf(0, 0);
    evaluateIfBetter();
  }
  return isWhole || (isRetained && fits);
}

void StitchEnumeration::evaluateIfBetter() {
  if (bound) {
    std::optional<double> least = bound->closer(current);
    if (!least || isBeyond(*least))
      return;
  }
  rate();
}

void StitchEnumeration::chooseRounds() {
  current.fanIn = 0;
  if (!StitchSplit::axisOf(group, current))
    return;
  StitchSplit split(group, current);
  RoundCosts rounds(group, current, split, chip);
  int64_t chosen = 0;
  double least = rounds.seconds(0);
  for (int64_t most = 2; most < split.splits; most *= 2) {
    double seconds = rounds.seconds(most);
    if (seconds < least) {
      least = seconds;
      chosen = most;
    }
  }
  current.fanIn = chosen;
}

bool StitchEnumeration::rate() {
  ++candidates;
  if (checkStitching(group, current, chip, &work.passesOf(current)))
    return false;
  if (split)
    chooseRounds();
  std::optional<StitchCost> cost =
      isPrinted() ? predictPrinted(group, work, current, chip, &memo)
                  : predictStitching(group, work, current, chip, &memo);
  if (!cost)
    return false;
  // There is room, but one step more or less has to be retained.
  if (checkRetained(group, current, work.passesOf(current)))
    return true;
  ++legal;
  StitchResult costed{current, *cost};
  tryCompositions(costed);
  record(costed);
  if (isBetter(costed)) {
    best = costed;
    bestNumber = number;
  }
  return true;
}
