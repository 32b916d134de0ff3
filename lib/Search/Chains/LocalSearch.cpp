//===- LocalSearch.cpp - Descents from many different candidates ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalSearch.h"
#include "fusion/Search/Space/TreeBounds.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace fusion;
using llvm::ArrayRef;

/// Beyond this many times the best time, other tiles alone do not make a
/// candidate the best.
static constexpr double kHopeless = 4;
/// Beyond this many times the best time, other tiles do not make a candidate
/// the best whose tiles were improved once.
static constexpr double kFar = 2;

/// Returns the largest tile of an axis that is at most `tile`, or the axis's
/// least one.
int64_t LocalSearch::tileBelow(unsigned axis, int64_t tile) const {
  ArrayRef<int64_t> list = space.minTiles(axis);
  return *std::prev(llvm::upper_bound(list, std::max(tile, list.front())));
}

/// Returns the least tile of an axis that has the lowest trip count.
int64_t LocalSearch::wholeTile(unsigned axis) const {
  auto trips = [&](int64_t tile) { return tripCount(group.axes[axis], tile); };
  ArrayRef<int64_t> list = space.minTiles(axis);
  return *llvm::find_if(
      list, [&](int64_t tile) { return trips(tile) == trips(list.back()); });
}

/// Keeps the best points, since descents meet.
void LocalSearch::keepBest(size_t most) {
  llvm::stable_sort(points,
                    [](const Descent::Point &a, const Descent::Point &b) {
                      return a.seconds < b.seconds;
                    });
  // Keep the best point of each tree and split: otherwise a few trees would
  // take all places.
  llvm::DenseSet<std::pair<unsigned, int64_t>> known;
  llvm::erase_if(points, [&](const Descent::Point &point) {
    const ScheduleCandidate &candidate = point.candidate;
    return !known.insert({space.treeOf(candidate), candidate.splits}).second;
  });
  llvm::erase_if(points, [best = points.empty() ? 0 : points.front().seconds](
                             const Descent::Point &point) {
    return point.seconds > kHopeless * best;
  });
  if (points.size() > most)
    points.resize(most);
}

/// Draws tiles. The axes of `whole` are whole in one tile. All grid axes have
/// one drawn size and other axes have size `others`, or each axis has a drawn
/// size of its own.
void LocalSearch::drawTiles(ScheduleCandidate &candidate, uint64_t whole,
                            int64_t others) {
  auto draw = [&] { return int64_t(16) << numbers.below(4); };
  ArrayRef<unsigned> grid = space.expressions()[candidate.expression].blocks;
  int64_t ofGrid = draw();
  bool isMixed = numbers.below(2);
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    int64_t size = isMixed                          ? draw()
                   : llvm::is_contained(grid, axis) ? ofGrid
                                                    : others;
    candidate.tiles[axis] =
        whole >> axis & 1 ? wholeTile(axis) : tileBelow(axis, size);
  }
}

namespace {
/// The best times of distinct trees and splits, `most` of them, as points are
/// added: a point that is not below the limit is not among the best in the end.
class Leaders {
public:
  using Key = std::pair<unsigned, int64_t>;

  explicit Leaders(size_t most) : most(most) {}

  double limit() const {
    if (best.empty())
      return kNever;
    double hopeless = kHopeless * best.front().second;
    return best.size() < most ? hopeless
                              : std::min(hopeless, best.back().second);
  }
  void add(Key key, double seconds) {
    auto known = llvm::find_if(
        best, [&](const auto &each) { return each.first == key; });
    if (known != best.end()) {
      if (known->second <= seconds)
        return;
      best.erase(known);
    }
    auto place = llvm::partition_point(
        best, [&](const auto &each) { return each.second <= seconds; });
    best.insert(place, {key, seconds});
    if (best.size() > most)
      best.pop_back();
  }

private:
  size_t most;
  std::vector<std::pair<Key, double>> best; ///< best first
};
} // namespace

/// Draws candidates that descents start from. Which loops live and which values
/// are retained instead of recomputed matters as much as the order of loops. So
/// every expression is combined with each set of axes that are whole in one
/// tile, the others having smaller and larger tiles. Each of these is combined
/// with each set of retained values. At most `most` sets of either kind are
/// drawn where there are more. A rough search splits into single tiles only.
void LocalSearch::drawStarts(
    uint64_t most, bool isRough,
    llvm::function_ref<void(const ScheduleCandidate &)> take) {
  // Consecutive draws are tried on different units, and so are equal sizes with
  // the next set.
  unsigned draws = 0;
  auto addUnits = [&](ScheduleCandidate candidate, bool isDrawn) {
    ArrayRef units = space.units();
    if (isDrawn)
      units = units.slice(draws % units.size(), 1);
    for (const auto &choice : units) {
      candidate.intrinsics = choice;
      take(candidate);
    }
  };
  auto addSets = [&](uint64_t number, bool isDrawn) {
    auto choose = [&](uint64_t choices) {
      uint64_t chosen = number % choices;
      number /= choices;
      return chosen;
    };
    uint64_t whole = choose(uint64_t(1) << group.axes.size());
    unsigned expression = choose(space.expressions().size());
    uint64_t retained = number;
    ScheduleCandidate candidate;
    candidate.expression = expression;
    candidate.cluster = cluster;
    ++draws;
    for (int64_t others : {16, 32, 64, 128}) {
      ++draws;
      double blocks = 1;
      drawTiles(candidate, whole, others);
      candidate.splits = 1;
      space.retainOutside(candidate, retained);
      addUnits(candidate, isDrawn);
      for (unsigned axis : space.expressions()[expression].blocks)
        blocks *= tripCount(group.axes[axis], candidate.tiles[axis]);
      // Adds the candidate with `parts` partial results of several tiles each,
      // and with partial results of one tile each.
      auto addPartials = [&](int64_t parts) {
        ScheduleCandidate split = candidate;
        split.splits = parts;
        if (!isRough && space.fillsSplits(split)) {
          space.retainOutside(split, retained);
          addUnits(split, isDrawn);
        }
        if (space.splitIntoTiles(split, parts)) {
          space.retainOutside(split, retained);
          addUnits(split, isDrawn);
        }
      };
      // As many as the chip has room for at once, or in some waves, or any.
      int64_t last = 1;
      for (int64_t waves : {1, 4}) {
        auto most = llvm::partition_point(space.splits(), [&](int64_t parts) {
          return parts * blocks <= waves * chip.numSMs;
        });
        if (most == space.splits().begin() || *std::prev(most) == last)
          continue;
        last = *std::prev(most);
        addPartials(last);
      }
      if (isRough)
        continue;
      int64_t any = space.splits()[numbers.below(space.splits().size())];
      if (any > 1 && any != last)
        addPartials(any);
    }
  };
  auto addAll = [&](uint64_t first, uint64_t end) {
    uint64_t count = end - first;
    for (uint64_t i = 0; i < std::min(count, most) && !options.isStopped();
         ++i) {
      bool isDrawn = count > most;
      addSets(first + (isDrawn ? numbers.below(count) : i), isDrawn);
    }
  };
  uint64_t retained = space.expressions().size() << group.axes.size();
  addAll(0, retained);
  addAll(retained, retained << space.intermediates().size());
}

/// Lists two candidates for each tree, with and without a split, and unit of
/// its intrinsics, in ascending order of their lower bounds. Candidates that
/// are not among the `wanted` best in the end are not evaluated fully, most not
/// at all.
void LocalSearch::listStarts(ArrayRef<ScheduleCandidate> seeds, uint64_t most,
                             size_t wanted, bool isRough) {
  TreeBounds bounds(group, chip, space);
  std::map<std::tuple<unsigned, bool, decltype(ScheduleCandidate::intrinsics)>,
           std::array<Descent::Point, 2>>
      trees;
  Leaders leaders(wanted);
  // With clusters the lower bound is an estimate only.
  auto mayBeat = [&](double bound, double limit) {
    return cluster > 0 || bound < limit;
  };
  auto rate = [&](double bound, const ScheduleCandidate &candidate) {
    unsigned tree = space.treeOf(candidate);
    auto &[best, next] =
        trees[{tree, candidate.splits > 1, candidate.intrinsics}];
    // Several expressions make the same tree.
    if (candidate.tiles == best.candidate.tiles)
      return;
    double limit = std::min(next.seconds, leaders.limit());
    if (!mayBeat(bound, limit))
      return;
    Descent::Point point = descent.rate(candidate, limit);
    if (point.seconds >= limit)
      return;
    leaders.add({tree, candidate.splits}, point.seconds);
    next = point;
    if (next.seconds < best.seconds)
      std::swap(best, next);
  };
  // In batches: each lets most candidates of the next one be skipped.
  constexpr size_t atOnce = 1 << 14;
  std::vector<ScheduleCandidate> drawn;
  std::vector<std::pair<double, unsigned>> order; ///< bounds, and which
  auto evaluateSampled = [&] {
    llvm::sort(order);
    for (auto [bound, each] : order) {
      if (!mayBeat(bound, leaders.limit()) || options.isStopped())
        break;
      rate(bound, drawn[each]);
    }
    drawn.clear();
    order.clear();
  };
  auto add = [&](const ScheduleCandidate &candidate) {
    if (!space.mayFit(space.tilesOf(candidate)) ||
        !space.fillsSplits(candidate))
      return;
    double bound = descent.hasBounds() ? bounds.seconds(candidate) : 0;
    if (!mayBeat(bound, leaders.limit()))
      return;
    order.emplace_back(bound, drawn.size());
    drawn.push_back(candidate);
    if (drawn.size() == atOnce)
      evaluateSampled();
  };
  llvm::for_each(seeds, add);
  drawStarts(most, isRough, add);
  evaluateSampled();
  for (const auto &[tree, own] : trees)
    for (const Descent::Point &point : own)
      if (point.seconds < kNever)
        points.push_back(point);
}

void LocalSearch::descend(ArrayRef<ScheduleCandidate> seeds, size_t descents,
                          const DescentEffort &effort, bool isRough) {
  // How good a tree is shows once its tiles are near the best ones for it.
  size_t wanted = 3 * descents;
  listStarts(seeds, effort.starts, wanted, isRough);
  keepBest(wanted);
  descent.allow(effort.tiles);
  for (Descent::Point &point : points)
    descent.improveRoughly(point);
  keepBest(descents);
  descent.allow(effort.choices);
  for (Descent::Point &point : points)
    descent.improve(point);
  ends = points;
  keepBest(std::max(kPoints, descents / 2));
  descent.allow(effort.exchanges);
  for (Descent::Point &point : points)
    descent.improveExchanges(point, /*changesLoops=*/!isRough);
  keepBest(kPoints);
}

void LocalSearch::start(ArrayRef<ScheduleCandidate> seeds) {
  constexpr size_t descents = 32;
  descend(seeds, descents, effort.full, /*isRough=*/false);
}

void LocalSearch::startRoughly(ArrayRef<ScheduleCandidate> seeds) {
  descend(seeds, kPoints, effort.rough, /*isRough=*/true);
}

void LocalSearch::startInClusters() {
  descend({}, kPoints, effort.drawnInClusters, /*isRough=*/true);
}

/// Draws up to three choices again, and makes other tiles smaller until all
/// fit. Returns false if they do not fit, or take longer than the limit.
bool LocalSearch::change(Descent::Point &point, double limit) {
  unsigned axes = group.axes.size(), changed = 0;
  ScheduleCandidate &candidate = point.candidate;
  auto draw = [&](const auto &list) {
    return list[numbers.below(list.size())];
  };
  auto move = [&](auto &levels, ArrayRef<unsigned> list) {
    if (!list.empty())
      levels[draw(list)] = numbers.below(ScheduleSpace::kMaxLevels + 1);
  };
  // Tiles are changed as often as all other choices together.
  enum Choice { Expression, Kept, Hoisted, PartsOrUnit, Tile };
  constexpr unsigned others = Tile;
  for (unsigned i = 0, count = 1 + numbers.below(3); i < count; ++i) {
    switch (std::min<unsigned>(numbers.below(2 * others), Tile)) {
    case Expression:
      candidate.expression = numbers.below(space.expressions().size());
      break;
    case Kept:
      move(candidate.retained, space.intermediates());
      break;
    case Hoisted:
      move(candidate.hoisted, space.operands());
      break;
    case PartsOrUnit:
      if (space.units().size() > 1 && numbers.below(2))
        candidate.intrinsics = draw(space.units());
      else
        candidate.splits = draw(space.splits());
      break;
    case Tile:
      unsigned axis = numbers.below(axes);
      candidate.tiles[axis] = draw(space.minTiles(axis));
      changed |= 1u << axis;
    }
  }
  constexpr unsigned tries = 8;
  for (unsigned i = 0; i < tries; ++i) {
    point = descent.rate(point.candidate, limit);
    if (point.seconds < kNever)
      return true;
    unsigned axis = numbers.below(axes);
    if (!(changed >> axis & 1))
      point.candidate.tiles[axis] =
          tileBelow(axis, point.candidate.tiles[axis] * 2 / 3);
  }
  return false;
}

void LocalSearch::restart(int64_t candidates) {
  if (points.empty())
    return;
  constexpr unsigned most = 4096; // where nothing is looked at
  int64_t end = looked().checked() + candidates;
  descent.allow(candidates);
  for (unsigned i = 0; i < most && looked().checked() < end; ++i) {
    Descent::Point point = points[i % points.size()];
    if (!change(point, kHopeless * points.front().seconds))
      continue;
    descent.improveTiles(point);
    if (point.seconds > kFar * points.front().seconds)
      continue;
    descent.improve(point);
    if (point.seconds < points.back().seconds)
      descent.improveExchanges(point);
    points.push_back(point);
    keepBest(kPoints);
  }
}

void LocalSearch::finish() {
  // The number of changes of a point grows with its contractions, and so does
  // the cost of each candidate: with long chains only the best point continues.
  size_t most = std::clamp<size_t>(9 / group.contractions.size(), 1, 3);
  descent.allow(effort.together);
  for (Descent::Point &point :
       llvm::MutableArrayRef(points).take_front(std::min(most, points.size())))
    descent.improveTogether(point);
  keepBest(kPoints);
}
