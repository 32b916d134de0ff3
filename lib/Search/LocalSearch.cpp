//===- LocalSearch.cpp - Descents from many different candidates ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocalSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace fusion;
using llvm::ArrayRef;

/// Beyond this many times the best time, tiles alone do not make a candidate
/// the best.
static constexpr double kHopeless = 4;

/// The largest tile of an axis that is not larger, or its least one.
int64_t LocalSearch::tileBelow(unsigned axis, int64_t tile) const {
  ArrayRef<int64_t> list = space.leastTiles(axis);
  return *std::prev(llvm::upper_bound(list, std::max(tile, list.front())));
}

/// The least of the tiles that make the fewest.
int64_t LocalSearch::wholeTile(unsigned axis) const {
  auto trips = [&](int64_t tile) { return tripCount(group.axes[axis], tile); };
  ArrayRef<int64_t> list = space.leastTiles(axis);
  return *llvm::find_if(
      list, [&](int64_t tile) { return trips(tile) == trips(list.back()); });
}

/// Leaves the best points, each once, since descents meet.
void LocalSearch::keepBest(size_t most) {
  llvm::stable_sort(points,
                    [](const Descent::Point &a, const Descent::Point &b) {
                      return a.seconds < b.seconds;
                    });
  auto isSame = [](const Descent::Point &a, const Descent::Point &b) {
    return a.seconds == b.seconds && a.candidate.tiles == b.candidate.tiles;
  };
  points.erase(std::unique(points.begin(), points.end(), isSame), points.end());
  llvm::erase_if(points, [best = points.empty() ? 0 : points.front().seconds](
                             const Descent::Point &point) {
    return point.seconds > kHopeless * best;
  });
  if (points.size() > most)
    points.resize(most);
}

/// Two candidates for each tree, split or not, and unit of its intrinsics.
/// Which loops live decides as much as their order, so every expression is
/// tried with each set of axes whole in one tile, as far as these are not too
/// many, and the others in smaller and larger ones.
void LocalSearch::listStarts(ArrayRef<ScheduleCandidate> seeds) {
  std::map<
      std::tuple<std::string, bool, decltype(ScheduleCandidate::intrinsics)>,
      std::array<Descent::Point, 2>>
      trees;
  auto add = [&](const ScheduleCandidate &candidate) {
    if (!space.mayFit(space.tilesOf(candidate)))
      return;
    auto &[best, next] =
        trees[{printTiling(space.outline(candidate).tree, group),
               candidate.parts > 1, candidate.intrinsics}];
    // Several expressions make the same tree.
    if (candidate.tiles == best.candidate.tiles)
      return;
    Descent::Point point = descent.rate(candidate, next.seconds);
    if (point.seconds >= next.seconds)
      return;
    next = point;
    if (next.seconds < best.seconds)
      std::swap(best, next);
  };
  auto addUnits = [&](ScheduleCandidate candidate) {
    for (const auto &choice : space.units()) {
      candidate.intrinsics = choice;
      add(candidate);
    }
  };
  auto addSets = [&](unsigned expression, uint64_t whole) {
    ScheduleCandidate candidate;
    candidate.expression = expression;
    for (int64_t others : {32, 64, 128}) {
      double blocks = 1;
      for (unsigned axis = 0; axis < group.axes.size(); ++axis)
        candidate.tiles[axis] =
            whole >> axis & 1 ? wholeTile(axis) : tileBelow(axis, others);
      candidate.parts = 1;
      addUnits(candidate);
      // The same with as many parts of one tile as the chip has room for.
      for (unsigned axis : space.expressions()[expression].blocks)
        blocks *= tripCount(group.axes[axis], candidate.tiles[axis]);
      for (int64_t parts : llvm::reverse(space.parts()))
        if (parts > 1 && parts * blocks <= chip.numSMs) {
          if (space.splitIntoTiles(candidate, parts))
            addUnits(candidate);
          break;
        }
    }
  };
  llvm::for_each(seeds, add);
  constexpr uint64_t affordable = 1024;
  uint64_t sets = uint64_t(1) << group.axes.size();
  uint64_t all = sets * space.expressions().size();
  for (uint64_t i = 0; i < std::min(all, affordable); ++i) {
    uint64_t number = all <= affordable ? i : numbers.below(all);
    addSets(number / sets, number % sets);
  }
  for (const auto &[tree, own] : trees)
    for (const Descent::Point &point : own)
      if (point.seconds < kNever)
        points.push_back(point);
}

void LocalSearch::descend(ArrayRef<ScheduleCandidate> seeds, size_t descents) {
  listStarts(seeds);
  keepBest(descents);
  for (Descent::Point &point : points)
    descent.improve(point);
  keepBest(kPoints);
}

void LocalSearch::startRoughly(ArrayRef<ScheduleCandidate> seeds) {
  descend(seeds, kPoints);
}

void LocalSearch::start(ArrayRef<ScheduleCandidate> seeds) {
  constexpr size_t descents = 32;
  descend(seeds, descents);
  for (Descent::Point &point : points)
    descent.improvePairs(point);
  keepBest(kPoints);
}

/// Some tiles anew, maybe other loops, and others smaller until all fit.
/// Returns false where they do not, or take longer than the limit.
bool LocalSearch::change(Descent::Point &point, double limit) {
  unsigned axes = group.axes.size(), changed = 0;
  for (unsigned i = 0, count = 1 + numbers.below(3); i < count; ++i) {
    unsigned axis = numbers.below(axes);
    ArrayRef<int64_t> list = space.leastTiles(axis);
    point.candidate.tiles[axis] = list[numbers.below(list.size())];
    changed |= 1u << axis;
  }
  if (numbers.below(4) == 0)
    point.candidate.expression = numbers.below(space.expressions().size());
  if (space.units().size() > 1 && numbers.below(4) == 0)
    point.candidate.intrinsics =
        space.units()[numbers.below(space.units().size())];
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
  int64_t end = descent.candidates() + candidates;
  for (unsigned i = 0; i < most && descent.candidates() < end; ++i) {
    Descent::Point point = points[i % points.size()];
    if (!change(point, kHopeless * points.front().seconds))
      continue;
    descent.improve(point);
    points.push_back(point);
    keepBest(kPoints);
  }
}
