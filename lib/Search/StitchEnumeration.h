//===- StitchEnumeration.h - Ways to spread a stitched group ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the spreads of the axes of a group of one component, what a walk
// keeps of each, and the blocks that share an axis, and rates them by the
// latency evaluator.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHENUMERATION_H
#define FUSION_LIB_SEARCH_STITCHENUMERATION_H

#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchBound.h"
#include "fusion/Analysis/StitchCluster.h"
#include "fusion/Analysis/StitchStages.h"
#include "fusion/Search/StitchSearch.h"
#include "fusion/Target/Hardware.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <cmath>
#include <limits>

namespace fusion {

/// Seconds by which schedules are compared. Bytes are counted, and seconds are
/// predicted: what moves more than a few bytes twice has to be faster by more
/// than the evaluator is off.
constexpr double kMaxMoved = 1.02;
inline double weighed(const StitchCost &cost) {
  constexpr double margin = 1.06;
  return cost.total * (cost.moved > kMaxMoved * cost.compulsory ? margin : 1);
}

class StitchEnumeration {
public:
  /// `bound`: skips what is no better than what is known. Effort `First` stops
  /// at the most promising that is possible. `split`: the reduced
  /// axis that blocks have a part of, which `work` walks through, or beside
  /// which it walks through another one. `cluster`:
  /// blocks that share the walked axis. `ranking` gets what is rated.
  StitchEnumeration(const StitchGroup &group, const StitchWork &work,
                    const ChipInfo &chip, StitchEffort effort,
                    const StitchBound *bound, bool mayBeSerial = true,
                    std::optional<unsigned> split = std::nullopt,
                    int64_t cluster = 1, StitchRanking *ranking = nullptr)
      : group(group), chip(chip), work(work),
        serialAxis(mayBeSerial && work.serialAxis ? &*work.serialAxis
                                                  : nullptr),
        bound(bound), isCoarse(effort != StitchEffort::Full),
        isOperandA(effort == StitchEffort::First), split(split),
        cluster(cluster), ranking(ranking) {}

  /// The best one where it takes less than `limit` seconds; what takes longer
  /// may be returned or not.
  std::optional<StitchResult> runBelow(std::optional<double> limit) {
    std::string ignored;
    if (!limit || !bound)
      return run(ignored);
    maxSeconds = limit;
    std::optional<StitchResult> found = run(ignored);
    if (!found || weighed(found->cost) >= *limit || !hasStopped)
      return found;
    // What was skipped may be ahead of what is faster only past the caches, or
    // may leave no need for narrow accesses.
    maxSeconds.reset();
    best.reset();
    mayBeNarrow = hasSkipped = false;
    return run(ignored);
  }

  /// `warps`: of the block, 0 for any number.
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
      reason = "blocks would all write the same parts";
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
    if (best && !onlyWarps && !isOperandA) {
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

  /// Predictions of one level are nearer to one another than the evaluator is
  /// to the truth.
  static double level(double seconds) {
    constexpr double levels = 64; // up to twice as much: about 1 %
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

  /// Of predictions of one level those of the fewest sectors are the best.
  static auto key(const StitchResult &result) {
    double seconds = weighed(result.cost);
    return std::make_tuple(level(seconds), level(result.cost.sectors), seconds,
                           result.cost.traffic, result.cost.latency,
                           result.cost.issue, result.cost.registers);
  }

  /// All ways to spread a block of so many warps; where they are too many, the
  /// coarse ones, and around their best what pairs of axes can exchange.
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

  /// From the best on: lanes, warps and registers of two axes anew, as long as
  /// that is faster.
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

  /// The spread with a single step of the serial axis, as the enumeration has
  /// it.
  static llvm::SmallVector<AxisThreadMapping>
  unwalked(const StitchSchedule &schedule) {
    llvm::SmallVector<AxisThreadMapping> spread(schedule.threadMapping);
    if (schedule.serialLoop)
      spread[schedule.serialLoop->axis].tile = schedule.serialLoop->step;
    return spread;
  }

  /// Threads go over the axis that is nearest in memory and over the others
  /// from the longest on.
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
      // Where lanes hand on what others need of aligned pieces, accesses of few
      // bytes are for want of registers alone.
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

  /// Whether lanes may hand on what others need of wider pieces.
  bool hasWide() const;

  /// Of an axis that does not index what blocks share they have all, as they
  /// would write the same parts otherwise (checkSplit).
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
    // Of axes that tell where an aligned one begins a block has one element.
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

  /// The same with tiles that begin at a multiple of `align` elements.
  void spreadAligned(unsigned position, int64_t lanes, int64_t warps,
                     int64_t align) {
    unsigned axis = order[position];
    AxisThreadMapping &spread = current.threadMapping[axis];
    bool isLast = position + 1 == order.size();
    // A reduced axis is in the block whole, or in a cluster; one that is walked
    // through has some of it at a time.
    bool isSerial = serialAxis && serialAxis->axis == axis;
    int64_t extent = llvm::divideCeil(group.axes[axis].extent + align - 1,
                                      isSerial ? cluster : 1);
    // Coarsely an axis takes all lanes and warps that it has use for, or none.
    auto isSkipped = [&](int64_t count, int64_t most, int64_t rest) {
      return isCoarse && count > 1 && count < most &&
             count < static_cast<int64_t>(llvm::PowerOf2Ceil(rest));
    };
    // The widest accesses that a warp has use for. Narrower ones have as many
    // bytes under way in more requests.
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
          // Of an axis that blocks share, and do not go through, they have
          // what they combine at once.
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

  /// Whether shared memory alone has room for so many rows of the walked axis,
  /// `axis` being another one: of results that are turned, a vector's elements.
  bool keepsRows(unsigned axis, int64_t rows) const;

  /// Whether an axis has elements for further lanes.
  bool hasRoom() const {
    for (auto [axis, spread] :
         llvm::zip_equal(group.axes, current.threadMapping))
      if (spread.vector * spread.lanes < axis.extent)
        return true;
    return false;
  }

  /// The bound of a spread, whatever of the walk is kept. nullopt where it is
  /// not possible.
  std::optional<double> minOfSpread(bool isCloser);
  /// The least of what a walk that is kept whole has, and of none.
  std::optional<double>
  minOfWalk(llvm::function_ref<std::optional<double>()> minOf);

  /// Of a search with bounds: puts a spread aside with its own.
  void keepSpread();

  /// Judges those, the most promising first.
  void evaluateSpreads();

  /// Whether what takes so long at least cannot be the best, or of any use.
  bool isBeyond(double least) {
    bool isOfNoUse = maxSeconds && level(least) > level(*maxSeconds);
    hasSkipped |= isOfNoUse;
    return isOfNoUse || (best && level(least) > level(weighed(best->cost)));
  }

  /// The steps of a block through an axis of which `current` has one.
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

  /// Along the walked axis what is kept, and where, is one more choice.
  void judge();

  /// Whether blocks go through the axis that they share, or through one that
  /// others have other tiles of.
  bool isInParts() const {
    return serialAxis && (split == *serialAxis->axis ||
                          !group.axes[*serialAxis->axis].isReduced);
  }

  /// How many parts an axis may have where blocks have so many tiles of the
  /// others: so many blocks for each SM, ascending.
  llvm::SmallVector<int64_t> countsOfParts(int64_t others) const;

  /// Along the split axis so many parts, in a loop or straight on.
  void forEachPart(llvm::function_ref<void()> visit);

  /// Steps through what a block has of the shared axis beside the walk, all of
  /// which is kept.
  void evaluateRows(int64_t step, int64_t steps);

  /// The current walk with so many stages.
  void evaluateStages(const StitchPasses &passes, int64_t stages);

  /// Whether an input of the current walk can be copied ahead.
  bool hasCopies() const;

  /// Returns whether the whole walk can be kept.
  bool evaluateKept(const StitchPasses &passes, int64_t step, int64_t steps);

  /// Of equals the first one of the enumeration is the best.
  bool isBetter(const StitchResult &costed) const {
    if (!best)
      return true;
    auto own = key(costed), other = key(*best);
    return own < other || (own == other && number < bestNumber);
  }

  /// How many parts of shared reductions a block combines.
  void chooseRounds();

  /// Where nobody asks whether it fits.
  void evaluateIfBetter();

  bool rate();

  static constexpr int64_t kMaxSpreads = 1 << 14; // that are all looked at
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kMaxOfStep = 4;     // registers, in units of vectors
  static constexpr int64_t kMaxUnrolled = 32;  // steps
  static constexpr int64_t kMaxRegisters = 32; // of an axis, in vectors
  static constexpr int64_t kCoarseStep = 16;
  static constexpr int64_t kMaxOfSM = 32; // blocks that share reductions
  static constexpr std::array<int64_t, 3> kStages = {2, 3, 4};

  const StitchGroup &group;
  const ChipInfo &chip;
  const StitchWork &work;
  const StitchPasses *serialAxis; ///< null: no walk
  const StitchBound *bound;
  bool isCoarse;
  bool isOperandA;
  bool mayBeNarrow = false; ///< accesses of rows that begin anywhere
  std::optional<unsigned> split;
  int64_t cluster;
  StitchRanking *ranking;
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<int64_t>
      vectors; ///< elements of the widest accesses, by axis
  llvm::SmallVector<int64_t> aligned;   ///< the same where tiles begin aligned
  llvm::SmallVector<int64_t> narrowest; ///< of those that some tensor allows
  StitchSchedule current;
  StitchMemo memo;
  int64_t room = kAll; ///< for further ways to spread
  std::optional<llvm::SmallVector<AxisThreadMapping>>
      base; ///< of the axes but the open ones
  std::array<unsigned, 2> open;
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  int64_t rejected =
      0; ///< ways to spread for whose values there are no registers
  /// Of a search with bounds: ways to spread the axes that are to be judged,
  /// by their places in the enumeration.
  struct Spread {
    double least;
    int64_t warps;
  };
  std::vector<Spread> spreads;
  std::vector<AxisThreadMapping> spreadAxes; ///< of each of them
  unsigned number = 0, bestNumber = 0;
  std::optional<double> maxSeconds; ///< that are of any use
  bool hasStopped = false;          ///< since nothing was below
  bool hasSkipped = false;          ///< what is of no use if something is
  llvm::SmallVector<bool> whole;    ///< axes that blocks have all of
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHENUMERATION_H
