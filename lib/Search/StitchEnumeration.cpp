//===- StitchEnumeration.cpp - Ways to keep a walk, rated -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchEnumeration.h"
#include "fusion/Analysis/StitchSplit.h"

using namespace fusion;

bool StitchEnumeration::hasWide() const {
  auto isWide = [](const StitchTensor &tensor) {
    return !tensor.axes.empty() && tensor.unit == tensor.axes.back() &&
           widestRealigned(tensor, kWidestAccess / tensor.elementBytes) >
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

std::optional<double> StitchEnumeration::leastOfSpread(bool isCloser) {
  bool isPossible = false;
  auto leastOf = [&]() -> std::optional<double> {
    if (!isCloser)
      return (*bound)(current);
    // Nothing of a walk is asked about but whether all of it is kept.
    if (!isPossible &&
        checkStitching(group, current, chip, &work.passesOf(current)))
      return std::nullopt;
    std::optional<double> least =
        split ? bound->ofRows(current) : bound->closer(current);
    isPossible |= least.has_value();
    return least;
  };
  if (!isInParts())
    return leastOfWalk(leastOf);
  // The last one has the fewest steps, the first one the fewest blocks.
  StitchSchedule first, last;
  forEachPart([&] {
    if (first.spread.empty())
      first = current;
    last = current;
  });
  if (first.spread.empty() || (isCloser && checkStitching(group, first, chip)))
    return std::nullopt;
  return bound->ofMoreSteps(last, isCloser);
}

std::optional<double> StitchEnumeration::leastOfWalk(
    llvm::function_ref<std::optional<double>()> leastOf) {
  if (!walked)
    return leastOf();
  unsigned axis = *walked->axis;
  AxisSpread saved = current.spread[axis];
  int64_t step = saved.tile, steps = countSteps(axis),
          registers = std::min(steps, kMostUnrolled);
  spreadWalk(axis, step, steps);
  current.walk = {axis, step, registers, 0};
  std::optional<double> least = leastOf();
  if (registers < steps) {
    current.walk->shared = steps - registers;
    if (hasCopies())
      current.walk->stages = kMostStitchStages;
    std::optional<double> other = leastOf();
    if (other && (!least || *other < *least))
      least = other;
  }
  current.walk.reset();
  current.spread[axis] = saved;
  return least;
}

bool StitchEnumeration::keepsRows(unsigned axis, int64_t rows) const {
  if (!walked || walked->count == 1 || split || axis == *walked->axis)
    return true;
  StitchSchedule whole;
  whole.spread.assign(group.axes.size(), {});
  whole.spread[axis] = {rows, rows};
  int64_t extent = llvm::divideCeil(group.axes[*walked->axis].extent, cluster);
  whole.spread[*walked->axis].tile = extent;
  whole.walk = {*walked->axis, /*step=*/1, 0, /*shared=*/extent};
  // A block of one thread, of the stash's warps.
  return countStash(group, whole, *walked) / kWarpSize <=
         static_cast<int64_t>(chip.sharedMemoryPerBlock);
}

void StitchEnumeration::keepSpread() {
  std::optional<double> least = leastOfSpread(/*isCloser=*/false);
  if (!least) {
    ++refused;
    return;
  }
  if (isBeyond(*least))
    return;
  spreads.push_back({*least, current.warps});
  llvm::append_range(spreadAxes, current.spread);
}

void StitchEnumeration::judgeSpreads() {
  llvm::SmallVector<unsigned> byBound =
      llvm::to_vector(llvm::seq<unsigned>(0, spreads.size()));
  llvm::sort(byBound, [&](unsigned a, unsigned b) {
    return std::make_pair(spreads[a].least, a) <
           std::make_pair(spreads[b].least, b);
  });
  auto isFastEnough = [&] {
    return !mostSeconds || (best && weighed(best->cost) < *mostSeconds);
  };
  auto take = [&](unsigned at) {
    number = at;
    current.warps = spreads[at].warps;
    const AxisSpread *first = &spreadAxes[at * group.axes.size()];
    current.spread.assign(first, first + group.axes.size());
  };
  // What is not fast enough may be the best by other measures if others are.
  llvm::SmallVector<unsigned> postponed;
  for (unsigned at : byBound) {
    if (isBeyond(spreads[at].least) || (isFirst && best))
      break;
    if (!isFastEnough() && spreads[at].least >= *mostSeconds) {
      hasStopped = true;
      break;
    }
    take(at);
    std::optional<double> closer = leastOfSpread(/*isCloser=*/true);
    refused += !closer;
    if (!closer || isBeyond(*closer))
      continue;
    if (!isFastEnough() && *closer >= *mostSeconds)
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
  if (!walked) {
    rate();
    return;
  }
  unsigned axis = *walked->axis;
  AxisSpread saved = current.spread[axis];
  int64_t step = saved.tile, steps = countSteps(axis);
  if (isInParts()) {
    forEachPart([&] { rateIfBetter(); });
    return;
  }
  bool isWorthIt = true;
  if (bound && split) {
    std::optional<double> least =
        leastOfWalk([&] { return bound->closer(current); });
    isWorthIt = least && !isBeyond(*least);
  }
  spreadWalk(axis, step, steps);
  // What is kept whole is read once in either form, and the running form
  // computes more.
  if (isWorthIt) {
    if (!judgeKept(*work.walked, step, steps) && work.online)
      judgeKept(*work.online, step, steps);
    if (work.costly)
      judgeKept(*work.costly, step, steps);
  }
  if (split)
    judgeRows(step, steps);
  current.walk.reset();
  current.spread[axis] = saved;
}

llvm::SmallVector<int64_t>
StitchEnumeration::countsOfParts(int64_t others) const {
  llvm::SmallVector<int64_t> counts;
  // Where one for each SM would be more than the L2 has room for, as many as
  // leave memory little of them.
  if (split) {
    int64_t bytes = StitchSplit::bytesOfPart(group, *split),
            ofSMs = llvm::divideCeil(chip.numSMs, others), room = ofSMs;
    double most = (kMostMoved - 1) * work.compulsoryBytes;
    while (room > 0 &&
           StitchSplit::bytesBeyond(room * bytes, chip.l2Bytes) > most)
      --room;
    if (room > 1 && room < ofSMs)
      counts.push_back(room);
  }
  for (int64_t each = 1; each <= kMostOfSM; each *= isCoarse ? 4 : 2)
    counts.push_back(llvm::divideCeil(each * chip.numSMs, others));
  return counts;
}

void StitchEnumeration::judgeRows(int64_t step, int64_t steps) {
  unsigned axis = *walked->axis;
  AxisSpread saved = current.spread[*split];
  int64_t all = llvm::divideCeil(group.axes[*split].extent, saved.tile),
          others = countBlocks(group, current) / all, last = 0;
  for (int64_t parts : countsOfParts(others)) {
    int64_t own = llvm::divideCeil(all, std::min(parts, all));
    if (own == last || own == all || own == 1)
      continue;
    last = own;
    current.spread[*split].tile = saved.tile * own;
    current.rows = {*split, saved.tile};
    current.walk = {axis, step, 0, 1};
    int64_t bytes = countStash(group, current, *work.walked);
    auto attempt = [&](int64_t shared) {
      if (steps - shared > kMostUnrolled)
        return;
      current.walk = {axis, step, steps - shared, shared};
      rateIfBetter();
      if (shared > 1)
        judgeStages(*work.walked, std::min(shared, kMostStitchStages));
    };
    attempt(0);
    // As much as shared memory has room for where an SM has so many blocks, or
    // less of it: registers need no instructions.
    for (int64_t blocks = 1; blocks <= kMostOfSM && bytes > 0; blocks *= 2) {
      int64_t most = std::min<int64_t>(chip.sharedMemoryPerBlock,
                                       chip.sharedMemoryPerSM / blocks -
                                           chip.sharedMemoryReserved),
              room = std::min(steps, most / bytes);
      // Beside it there are exchanges.
      for (int64_t less = 0; less < 2 && room > less; ++less)
        attempt(room - less);
    }
  }
  current.rows.reset();
  current.spread[*split] = saved;
}

void StitchEnumeration::forEachPart(llvm::function_ref<void()> visit) {
  unsigned axis = *walked->axis;
  AxisSpread saved = current.spread[axis];
  int64_t step = saved.tile, steps = countSteps(axis);
  current.spread[axis].tile = step * steps;
  int64_t others = countBlocks(group, current), last = 0;
  for (int64_t parts : countsOfParts(others)) {
    int64_t own = llvm::divideCeil(steps, std::min(parts, steps));
    bool isPersistent = split != axis;
    if (own == last || own == steps || (isPersistent && own == 1))
      continue;
    last = own;
    current.spread[axis].tile = step * own;
    current.walk = {axis, step, 0, 0};
    visit();
    for (int64_t stages : kStages) {
      current.walk->stages = stages;
      visit();
    }
    current.walk->stages = 1;
    if (isPersistent)
      continue;
    if (own <= kMostUnrolled) {
      current.walk->registers = own;
      visit();
    }
  }
  current.walk.reset();
  current.spread[axis] = saved;
}

void StitchEnumeration::judgeStages(const StitchPasses &passes,
                                    int64_t stages) {
  current.walk->stages = stages;
  if (!checkStages(group, current, passes))
    rateIfBetter();
}

bool StitchEnumeration::hasCopies() const {
  return llvm::any_of(group.inputs, [&](const StitchTensor &tensor) {
    return bytesOfCopies(group, current, tensor).has_value();
  });
}

bool StitchEnumeration::judgeKept(const StitchPasses &passes, int64_t step,
                                  int64_t steps) {
  bool keepsCostly = work.costly && &passes == &*work.costly;
  auto walkOf = [&](int64_t registers, int64_t shared) {
    return StitchWalk{*passes.axis,      step,       registers, shared,
                      passes.isOnline(), keepsCostly};
  };
  auto attempt = [&](int64_t registers, int64_t shared) {
    if (registers > kMostUnrolled)
      return false;
    current.walk = walkOf(registers, shared);
    bool fits = rate();
    if (fits && shared > 1 && passes.count > 1)
      judgeStages(passes, std::min(shared, kMostStitchStages));
    return fits;
  };
  bool isKept = passes.count > 1, isWhole = false;
  bool fits = attempt(steps, 0);
  if (isKept) {
    // As much as shared memory has room for, beside registers or alone.
    current.walk = walkOf(0, 1);
    int64_t bytes = countStash(group, current, passes);
    int64_t room =
        bytes ? std::min<int64_t>(steps, chip.sharedMemoryPerBlock / bytes) : 0;
    if (room > 0) {
      bool hasRoom = attempt(0, room);
      isWhole = hasRoom && room == steps;
      if (!hasRoom)
        attempt(0, --room);
    }
    // Then as many in registers as there are.
    int64_t low = 0, high = std::min(steps - room, kMostUnrolled);
    while (!fits && low < high) {
      int64_t middle = (low + high + 1) / 2;
      if (attempt(middle, room)) {
        low = middle;
        isWhole |= middle + room == steps;
      } else {
        high = middle - 1;
      }
    }
    // Room for what is copied by way of stages, too.
    current.walk = walkOf(0, 1);
    for (int64_t stages : {2, 4}) {
      current.walk->stages = stages;
      int64_t ring = countStages(group, current, passes);
      if (ring == 0 || bytes == 0)
        break;
      int64_t shared = std::clamp<int64_t>(
          (int64_t(chip.sharedMemoryPerBlock) - ring) / bytes, 0, steps);
      // Beside it there are exchanges.
      for (int64_t less : {0, 1}) {
        int64_t registers = steps - shared + less;
        if (shared - less < stages || registers > kMostUnrolled)
          continue;
        current.walk = walkOf(registers, shared - less);
        judgeStages(passes, stages);
      }
      current.walk = walkOf(0, 1);
    }
    // All but one: one less is (checkKept).
    if (!fits && !isWhole && low + room + 1 == steps && low + room > 0)
      attempt(low - (low > 0), room - (low == 0));
  }
  if (!keepsCostly && (!isKept || !fits)) {
    current.walk = walkOf(0, 0);
    rateIfBetter();
  }
  return isWhole || (isKept && fits);
}

void StitchEnumeration::rateIfBetter() {
  if (bound) {
    std::optional<double> least = bound->closer(current);
    if (!least || isBeyond(*least))
      return;
  }
  rate();
}

void StitchEnumeration::chooseRounds() {
  current.combine = 0;
  if (!StitchSplit::axisOf(group, current))
    return;
  int64_t parts = StitchSplit(group, current).parts, chosen = 0;
  double least = secondsOfRounds(group, current, chip);
  for (int64_t most = 2; most < parts; most *= 2) {
    current.combine = most;
    double seconds = secondsOfRounds(group, current, chip);
    if (seconds < least) {
      least = seconds;
      chosen = most;
    }
  }
  current.combine = chosen;
}

bool StitchEnumeration::rate() {
  ++candidates;
  if (checkStitching(group, current, chip, &work.passesOf(current)))
    return false;
  if (split)
    chooseRounds();
  std::optional<StitchCost> cost =
      predictStitching(group, work, current, chip, &memo);
  if (!cost)
    return false;
  // There is room, but one step more or less is kept.
  if (checkKept(group, current, work.passesOf(current)))
    return true;
  ++legal;
  StitchResult rated{current, *cost};
  record(rated);
  if (isBetter(rated)) {
    best = rated;
    bestNumber = number;
  }
  return true;
}
