//===- StitchEnumeration.h - Ways to spread a stitched group ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates the thread mappings of a group of one component, what a serial
// loop retains with each, and how many blocks split an axis. Evaluates each
// schedule by the latency evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_STITCHENUMERATION_H
#define FUSION_LIB_SEARCH_STITCHING_STITCHENUMERATION_H

#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchBound.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Search/Stitching/StitchSearch.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cmath>
#include <limits>

namespace fusion {

/// Returns the seconds by which schedules are compared. Bytes are counted while
/// seconds are predicted: a schedule that moves more than a few bytes twice has
/// to be faster by more than the evaluator's error.
constexpr double kMaxMoved = 1.02;
inline double weighed(const StitchCost &cost) {
  constexpr double margin = 1.06;
  return cost.total * (cost.moved > kMaxMoved * cost.compulsory ? margin : 1);
}

class StitchEnumeration {
public:
  /// `bound`: skips schedules that are no better than the best known one.
  /// Effort `First` stops at the most promising schedule that is legal.
  /// `split`: the reduced axis that is split over blocks. The serial loop of
  /// `work` runs over this axis, or over another one beside it. `cluster`: the
  /// blocks that share the axis of the serial loop. `ranking` gets every
  /// evaluated schedule. `evaluator` predicts the times.
  StitchEnumeration(const StitchGroup &group, const StitchWork &work,
                    const ChipInfo &chip, StitchEffort effort,
                    const StitchBound *bound, bool mayBeSerial = true,
                    std::optional<unsigned> split = std::nullopt,
                    int64_t cluster = 1, StitchRanking *ranking = nullptr,
                    EvaluatorForm evaluator = EvaluatorForm::Default)
      : group(group), chip(chip), work(work),
        serialAxis(mayBeSerial && work.serialAxis ? &*work.serialAxis
                                                  : nullptr),
        bound(bound), isCoarse(effort != StitchEffort::Full),
        isOperandA(effort == StitchEffort::First), split(split),
        cluster(cluster), ranking(ranking), evaluator(evaluator) {
    if (!isPrinted() && !isOperandA)
      shareable = findShareable(group);
    composedMemo.withoutCompositions = &memo;
    if (!shareable.empty() && !bound)
      ofShared.emplace(group, work, chip, mayBeSerial, split);
  }

  /// Returns the best schedule if it takes less than `limit` seconds. A
  /// schedule that takes longer may be returned or not.
  std::optional<StitchResult> runBelow(std::optional<double> limit) {
    std::string ignored;
    if (!limit || !bound)
      return run(ignored);
    maxSeconds = limit;
    std::optional<StitchResult> found = run(ignored);
    if (!found || weighed(found->cost) >= *limit || !hasStopped)
      return found;
    // Skipped schedules may be faster than ones that need evict-first accesses,
    // or may make narrow accesses needless.
    maxSeconds.reset();
    best.reset();
    mayBeNarrow = hasSkipped = false;
    return run(ignored);
  }

  /// Runs the enumeration. `onlyWarps`: warps of a block, or 0 for any number.
  std::optional<StitchResult> run(std::string &reason, int64_t onlyWarps = 0) {
    if (group.axes.size() > kMaxTileRank) {
      reason = "a tile has at most " + std::to_string(kMaxTileRank) +
               " dimensions, the group has " +
               std::to_string(group.axes.size()) + " axes";
      return std::nullopt;
    }
    if (bound && split)
      findWhole();
    if (cluster > 1 && serialAxis && isWhole(*serialAxis->axis)) {
      reason = "blocks would all write the same partial results";
      return std::nullopt;
    }
    current = {}; // of an earlier run
    auto searchAll = [&] {
      chooseAxes();
      for (int64_t warps = 1; warps <= kMaxWarps; warps *= 2)
        if (!onlyWarps || warps == onlyWarps)
          searchWarps(warps);
      evaluateSpreads();
    };
    searchAll();
    if (!best && (!bound || hasWide())) {
      mayBeNarrow = true;
      searchAll();
    }
    if (best && !onlyWarps && !isOperandA && !isPrinted()) {
      tryStages();
      tryBulk();
      tryEvictFirst();
    }
    if (!best)
      reason = "no block has room for the rows: none of " +
               std::to_string(candidates + rejected) +
               " ways to spread them fits";
    else
      best->candidates = candidates, best->legal = legal;
    return best;
  }

  /// Returns the level of a predicted time. Predictions of one level are nearer
  /// to one another than to the true time.
  static double level(double seconds) {
    constexpr double levels = 32; // up to twice as much: about 2 %
    return std::floor(std::log2(seconds) * levels);
  }

private:
  void record(const StitchResult &costed) {
    if (ranking)
      ranking->add(costed);
  }

  // Further forms of the best (StitchFinish.cpp), each where it is faster.
  void tryEvictFirst();
  void tryStages();
  void tryBulk();
  void tryProducers();

  /// The order of results: among predictions of one level, one without
  /// compositions is the best, then the one with the fewest sectors, then the
  /// one with the least work of an SM and the shortest wait of a warp, which
  /// memory hides in part only.
  static auto key(const StitchResult &result) {
    double seconds = weighed(result.cost);
    return std::make_tuple(level(seconds),
                           !result.schedule.compositions.empty(),
                           level(result.cost.sectors),
                           level(result.cost.issue + result.cost.latency),
                           seconds, result.cost.traffic, result.cost.latency,
                           result.cost.issue, result.cost.registers);
  }

  /// Tries all thread mappings of a block of `warps` warps. Where they are too
  /// many, tries coarse ones, and around the best of them exchanges between
  /// pairs of axes.
  void searchWarps(int64_t warps) {
    if (bound) {
      current.warps = warps;
      current.threadMapping.assign(group.axes.size(), {});
      room = kAll;
      mapOver(0, kWarpSize, warps);
      return;
    }
    std::optional<StitchResult> others = std::exchange(best, std::nullopt);
    auto spreadAll = [&](int64_t most) {
      current.warps = warps;
      current.threadMapping.assign(group.axes.size(), {});
      room = most;
      mapOver(0, kWarpSize, warps);
      return room > 0;
    };
    if (!spreadAll(isCoarse ? kAll : kMaxSpreads) && !isCoarse) {
      isCoarse = true;
      spreadAll(kAll);
      isCoarse = false;
      exchange();
    }
    if (others && (!best || key(*others) <= key(*best)))
      best = others;
  }

  /// Starting from the best mapping, chooses lanes, warps and registers of two
  /// axes again, as long as that is faster.
  void exchange() {
    for (bool isFaster = best.has_value(); isFaster;) {
      auto before = key(*best);
      for (unsigned a = 0; a < order.size(); ++a)
        for (unsigned b = a + 1; b < order.size(); ++b) {
          base = unwalked(best->schedule);
          open = {order[a], order[b]};
          room = kMaxSpreads;
          current.threadMapping.assign(group.axes.size(), {});
          mapOver(0, kWarpSize, current.warps);
        }
      base.reset();
      isFaster = key(*best) < before;
    }
  }

  /// Returns the thread mapping with a single step of the serial axis, as the
  /// enumeration has it.
  static llvm::SmallVector<AxisThreadMapping>
  unwalked(const StitchSchedule &schedule) {
    llvm::SmallVector<AxisThreadMapping> spread(schedule.threadMapping);
    if (schedule.serialLoop)
      spread[schedule.serialLoop->axis].tile = schedule.serialLoop->step;
    return spread;
  }

  /// Orders the axes for the mapping of threads: the axis that is contiguous in
  /// memory first, then the others from the longest to the shortest.
  void chooseAxes() {
    llvm::SmallVector<int64_t> bytes(group.axes.size(), 0);
    vectors.assign(group.axes.size(), 1);
    aligned.assign(group.axes.size(), 1);
    narrowest.assign(group.axes.size(), 0);
    auto add = [&](const StitchTensor &tensor) {
      if (tensor.axes.empty())
        return;
      int64_t size = tensor.elementBytes;
      for (unsigned axis : tensor.axes)
        size *= group.axes[axis].extent;
      bytes[tensor.axes.back()] += size;
      int64_t width = tensor.alignment / tensor.elementBytes;
      int64_t &widest = vectors[tensor.axes.back()],
              &least = narrowest[tensor.axes.back()];
      // Where lanes load aligned vectors of misaligned rows and pass one
      // another the elements, narrow accesses only help to save registers.
      int64_t wide = tensor.unit == tensor.axes.back() && !mayBeNarrow
                         ? widestMisalignedAccess(
                               tensor, kWidestAccess / tensor.elementBytes)
                         : 1;
      widest = std::max({widest, width, wide});
      width = std::max(width, wide / 2);
      if (tensor.isInPhase)
        aligned[*tensor.unit] = std::max<int64_t>(
            aligned[*tensor.unit], kWidestAccess / tensor.elementBytes);
      least = least == 0 ? width : std::min(least, width);
    };
    llvm::for_each(group.inputs, add);
    llvm::for_each(group.results, add);
    order = llvm::to_vector(llvm::seq<unsigned>(0, group.axes.size()));
    unsigned unit =
        std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      if ((a == unit) != (b == unit))
        return a == unit;
      return group.axes[a].extent > group.axes[b].extent;
    });
    for (unsigned axis = 0; axis < vectors.size(); ++axis)
      if (axis != unit)
        vectors[axis] = aligned[axis] = 1;
  }

  /// Returns whether some tensor with misaligned rows allows aligned accesses
  /// that are wider than its alignment, whose elements lanes then exchange.
  bool hasWide() const;

  /// Finds the axes that each block of a split reduction must hold whole: they
  /// index no result of the split reduction, so blocks with different tiles
  /// would write the same partial results (checkSplit).
  void findWhole();
  bool isWhole(unsigned axis) const { return !whole.empty() && whole[axis]; }

  void mapOver(unsigned position, int64_t lanes, int64_t warps) {
    if (room <= 0)
      return;
    if (position == order.size()) {
      --room;
      if (warps != 1 || (lanes != 1 && hasRoom()))
        return;
      if (bound)
        keepSpread();
      else
        judge();
      return;
    }
    unsigned axis = order[position];
    AxisThreadMapping &spread = current.threadMapping[axis];
    if (base && !llvm::is_contained(open, axis)) {
      spread = (*base)[axis];
      if (lanes % spread.lanes == 0 && warps % spread.warps == 0)
        mapOver(position + 1, lanes / spread.lanes, warps / spread.warps);
      spread = {};
      return;
    }
    bool isLast = position + 1 == order.size();
    // Along axes whose index decides where an aligned row begins, a block has
    // one element.
    if (beginsRows(group, current, axis)) {
      spread = {1};
      if (!isLast || warps == 1)
        mapOver(position + 1, lanes, warps);
      spread = {};
      return;
    }
    spreadAligned(position, lanes, warps, 1);
    if (position == 0 && group.axes[axis].align > 1 && !split)
      spreadAligned(position, lanes, warps, group.axes[axis].align);
    spread = {};
  }

  /// Adds the mappings of an axis whose tiles begin at a multiple of `align`
  /// elements.
  void spreadAligned(unsigned position, int64_t lanes, int64_t warps,
                     int64_t align) {
    unsigned axis = order[position];
    AxisThreadMapping &spread = current.threadMapping[axis];
    bool isLast = position + 1 == order.size();
    // A block, or a cluster, holds a reduced axis whole; of a serial axis it
    // holds one step at a time.
    bool isSerial = serialAxis && serialAxis->axis == axis;
    int64_t extent = llvm::divideCeil(group.axes[axis].extent + align - 1,
                                      isSerial ? cluster : 1);
    // Coarsely an axis takes all lanes and warps that it has use for, or none.
    auto isSkipped = [&](int64_t count, int64_t most, int64_t rest) {
      return isCoarse && count > 1 && count < most &&
             count < static_cast<int64_t>(llvm::PowerOf2Ceil(rest));
    };
    // The widest accesses that a warp has use for. Narrower ones have as many
    // bytes in flight with more requests.
    llvm::SmallVector<int64_t, 4> widths = {align > 1 ? aligned[axis]
                                                      : vectors[axis]};
    auto isTooWide = [&](int64_t width) {
      return width > narrowest[axis] || !keepsRows(axis, width);
    };
    while (widths.back() > 1 &&
           (widths.back() * kWarpSize > extent || isTooWide(widths.back())))
      widths.push_back(
          isCoarse && !isTooWide(widths.back()) ? 1 : widths.back() / 2);
    for (int64_t vector : widths)
      for (int64_t l = 1; l <= lanes; l *= 2) {
        if (l > 1 && vector * l / 2 >= extent)
          break;
        if (isSkipped(l, lanes, llvm::divideCeil(extent, vector)))
          continue;
        for (int64_t w = isLast ? warps : 1; w <= warps; w *= 2) {
          if (w > 1 && vector * l * w / 2 >= extent && !isLast)
            break;
          if (isSkipped(w, warps, llvm::divideCeil(extent, vector * l)))
            continue;
          int64_t step = vector * l * w;
          int64_t most = llvm::divideCeil(extent, step);
          // If the axis is split over blocks and has no serial loop, a block
          // holds all elements that it reduces at once.
          bool isShared = split == axis && !isSerial;
          bool isInOne = group.axes[axis].isReduced && !isSerial && !isShared;
          for (int64_t r = isInOne ? most : 1;
               r <=
               std::min<int64_t>(most, isSerial ? kMaxOfStep : kMaxRegisters);
               r *= isCoarse && !isSerial && !isShared ? kCoarseStep : 2) {
            if (isShared && step * r >= extent)
              break;
            if (isWhole(axis) && !isSerial && step * r < extent)
              continue;
            spread = {step * r, vector, l, w, align};
            mapOver(position + 1, lanes / l, warps / w);
          }
        }
      }
  }

  /// Returns whether shared memory has room for `rows` elements of `axis` along
  /// the whole axis of the serial loop. `axis` is another axis; for transposed
  /// results `rows` is a vector's elements.
  bool keepsRows(unsigned axis, int64_t rows) const;

  /// Returns whether an axis has elements for further lanes.
  bool hasRoom() const {
    for (auto [axis, spread] :
         llvm::zip_equal(group.axes, current.threadMapping))
      if (spread.vector * spread.lanes < axis.extent)
        return true;
    return false;
  }

  /// Returns the lower bound in seconds of the current thread mapping, whatever
  /// its serial loop retains, or nullopt if it is infeasible. `isCloser`: uses
  /// the closer bound.
  std::optional<double> minOfSpread(bool isCloser);
  /// Returns the minimum of `minOf` over the current mapping with a serial loop
  /// that retains the whole axis, in registers or also in shared memory; or of
  /// the mapping alone where there is no serial loop.
  std::optional<double>
  minOfWalk(llvm::function_ref<std::optional<double>()> minOf);

  /// In a search with bounds, records the current thread mapping with its lower
  /// bound, to be evaluated later.
  void keepSpread();

  /// Evaluates the recorded thread mappings, in ascending order of their lower
  /// bounds.
  void evaluateSpreads();

  /// Returns whether a schedule with the lower bound `least` cannot be the
  /// best, or cannot be of any use.
  bool isBeyond(double least) {
    bool isOfNoUse = maxSeconds && level(least) > level(*maxSeconds);
    hasSkipped |= isOfNoUse;
    return isOfNoUse || (best && level(least) > level(weighed(best->cost)));
  }

  /// Returns the steps of a block along an axis of which `current` maps one.
  int64_t countSteps(unsigned axis) const {
    const AxisThreadMapping &spread = current.threadMapping[axis];
    return llvm::divideCeil(
        llvm::divideCeil(spanOf(group.axes[axis], spread), spread.tile),
        cluster);
  }

  void mapSerialLoop(unsigned axis, int64_t step, int64_t steps) {
    current.threadMapping[axis].tile = step * steps;
    current.threadMapping[axis].cluster = cluster;
  }

  /// Evaluates the current thread mapping. With a serial loop, also chooses
  /// which steps are retained, and where.
  void judge();

  /// Returns whether the serial loop runs over the split axis, or over a
  /// parallel axis of which other blocks have other tiles.
  bool isInParts() const {
    return serialAxis && (split == *serialAxis->axis ||
                          !group.axes[*serialAxis->axis].isReduced);
  }

  /// Returns the candidate numbers of partial results along the split axis,
  /// ascending, where blocks have `others` tiles of the other axes: from
  /// numbers of blocks for each SM.
  llvm::SmallVector<int64_t> countsOfParts(int64_t others) const;

  /// Calls `visit` for each number of partial results along the split axis,
  /// with and without a loop.
  void forEachPart(llvm::function_ref<void()> visit);

  /// Evaluates loops over the tiles of the split axis that a block has, beside
  /// a serial loop that retains all of its steps.
  void evaluateRows(int64_t step, int64_t steps);

  /// Evaluates the current serial loop with `stages` stages.
  void evaluateStages(const StitchPasses &passes, int64_t stages);

  /// Returns whether an input of the current serial loop can be copied ahead.
  bool hasCopies() const;

  /// Evaluates retained tiles. Returns whether the whole axis of the serial
  /// loop can be retained.
  bool evaluateKept(const StitchPasses &passes, int64_t step, int64_t steps);

  /// Returns whether a result is the best; among equals the first one of the
  /// enumeration is.
  bool isBetter(const StitchResult &costed) const {
    if (!best)
      return true;
    auto own = key(costed), other = key(*best);
    return own < other || (own == other && number < bestNumber);
  }

  /// Chooses `fanIn`: how many partial results of a split reduction a block
  /// combines in one round.
  void chooseRounds();

  bool isPrinted() const { return evaluator == EvaluatorForm::Printed; }

  /// Evaluates the current schedule unless its lower bound says that it is no
  /// better than the best one, or infeasible.
  void evaluateIfBetter();

  bool rate();

  /// Gives expensive operators of a schedule compositions where that is
  /// predicted to be faster by more than the evaluator's resolution
  /// (StitchFinish.cpp).
  void tryCompositions(StitchResult &costed);
  /// Returns whether the composition of an operator saves a thread more
  /// instructions of this operator than it takes to exchange the elements.
  bool savesWork(const StitchSchedule &schedule, unsigned op) const;

  static constexpr int64_t kMaxSpreads = 1 << 14; // that are all looked at
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kMaxOfStep = 4;     // registers, in units of vectors
  static constexpr int64_t kMaxUnrolled = 32;  // steps
  static constexpr int64_t kMaxRegisters = 32; // of an axis, in vectors
  static constexpr int64_t kCoarseStep = 16;
  static constexpr int64_t kMaxOfSM = 32; // blocks of a split reduction
  static constexpr std::array<int64_t, 3> kStages = {2, 3, 4};

  const StitchGroup &group;
  const ChipInfo &chip;
  const StitchWork &work;
  const StitchPasses *serialAxis; ///< null: no serial loop
  const StitchBound *bound;
  bool isCoarse;
  bool isOperandA;
  bool mayBeNarrow = false; ///< narrow accesses of misaligned rows
  std::optional<unsigned> split;
  int64_t cluster;
  StitchRanking *ranking;
  EvaluatorForm evaluator;
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<int64_t>
      vectors; ///< elements of the widest accesses, by axis
  llvm::SmallVector<int64_t> aligned;   ///< as `vectors`, with aligned tiles
  llvm::SmallVector<int64_t> narrowest; ///< least over tensors
  StitchSchedule current;
  StitchMemo memo, composedMemo;
  llvm::SmallVector<unsigned> shareable; ///< operators
  /// Where the search has no bounds: those of schedules with compositions.
  std::optional<StitchBound> ofShared;
  int64_t room = kAll; ///< for further thread mappings
  std::optional<llvm::SmallVector<AxisThreadMapping>>
      base; ///< of the axes but the open ones
  std::array<unsigned, 2> open;
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  int64_t rejected =
      0; ///< thread mappings for whose values there are no registers
  /// A thread mapping that a search with bounds is to evaluate, with its lower
  /// bound in seconds.
  struct Spread {
    double least;
    int64_t warps;
  };
  std::vector<Spread> spreads;
  std::vector<AxisThreadMapping> spreadAxes; ///< of each of them
  unsigned number = 0, bestNumber = 0;
  std::optional<double> maxSeconds; ///< that are of any use
  bool hasStopped = false;          ///< since all lower bounds were too high
  bool hasSkipped = false;          ///< schedules slower than `maxSeconds`
  llvm::SmallVector<bool> whole;    ///< axes that each block holds whole
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_STITCHENUMERATION_H
