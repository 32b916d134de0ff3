//===- Refinement.cpp - Choices anew in the best schedules ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Refinement.h"
#include "LocalSearch.h"
#include "PlaceRefinement.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

void Refinement::tryTiles(Tiles tiles) {
  if (ranking.empty())
    return;
  double before;
  do {
    before = ranking.best();
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      ScheduleCandidate candidate = ranking.bestCandidate();
      for (int64_t tile : (space.*tiles)(axis)) {
        candidate.tiles[axis] = tile;
        ranking.evaluateUsual(candidate);
      }
    }
  } while (ranking.best() < before);
}

/// Tries to retain tiles instead of reloading or recomputing them, in each of
/// the best schedules: what this frees elsewhere may put another schedule
/// first. Also tries two tensors at a time: either alone may lose what both
/// together win.
void Refinement::tryMoves() {
  struct Move {
    const ScheduleDimension *dimension;
    unsigned index;
  };
  std::vector<Move> moves;
  for (const ScheduleDimension &dimension : space.dimensions())
    if (dimension.isMove)
      for (unsigned index = 0; index < dimension.elements.size(); ++index)
        moves.push_back({&dimension, index});
  // Calls with each other choice of the tensors from `first` on.
  auto moveOne = [&](const ScheduleCandidate &start, size_t first,
                     auto &&visit) {
    for (size_t number = first; number < moves.size(); ++number) {
      auto [dimension, index] = moves[number];
      int64_t own = dimension->get(start, index);
      for (int64_t levels : dimension->domain(index)) {
        if (levels == own)
          continue;
        ScheduleCandidate candidate = start;
        dimension->set(candidate, levels, index);
        visit(candidate, number);
      }
    }
  };
  auto judge = [&](const ScheduleCandidate &candidate, size_t) {
    ranking.evaluateUsual(candidate);
  };
  for (const ScheduleCandidate &start : ranking.candidates()) {
    moveOne(start, 0, judge);
    moveOne(start, 0, [&](const ScheduleCandidate &moved, size_t number) {
      moveOne(moved, number + 1, judge);
    });
  }
  double before;
  do { // one further tensor after the other
    before = ranking.best();
    moveOne(ScheduleCandidate(ranking.bestCandidate()), 0, judge);
  } while (ranking.best() < before);
}

/// Tries partial results of one tile each, together with the tiles of another
/// axis: where tiles of the split axis grow, others have to shrink.
void Refinement::trySplits() {
  ScheduleCandidate start = ranking.bestCandidate();
  for (int64_t parts : space.splits()) {
    ScheduleCandidate single = start;
    if (parts == 1 || !space.splitIntoTiles(single, parts))
      continue;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      ScheduleCandidate candidate = single;
      if (single.tiles[axis] != start.tiles[axis])
        continue;
      for (int64_t tile : space.allTiles(axis)) {
        candidate.tiles[axis] = tile;
        ranking.evaluateUsual(candidate);
      }
    }
  }
}

void Refinement::run() {
  if (ranking.empty())
    return;
  auto judge = [&](const ScheduleCandidate &candidate) {
    ranking.evaluateUsual(candidate);
  };
  // Other intrinsics of each contraction, and another unit for all, in each of
  // the best schedules.
  for (const ScheduleCandidate &start : ranking.candidates())
    for (const ScheduleDimension &dimension : space.dimensions())
      if (!dimension.together.empty())
        dimension.forEachStep(start, judge);
  tryMoves();
  trySplits();
  double before;
  do {
    before = ranking.best();
    for (const ScheduleDimension &dimension : space.dimensions())
      if (!dimension.isEvaluated && !dimension.isMove &&
          dimension.scope != DimensionInfo::Scope::Axis)
        dimension.forEachStep(ScheduleCandidate(ranking.bestCandidate()),
                              judge);
    tryTiles(&ScheduleSpace::allTiles);
    ranking.evaluateAll(ScheduleCandidate(ranking.bestCandidate()),
                        space.everyArrangement());
  } while (ranking.best() < before);
}

/// Beyond this many times the best time, changing single choices does not make
/// a schedule the best.
static constexpr double kWorthRefining = 1.1;

/// Descends from the best candidate of each tree that has clusters of this size
/// with some tile of the grid's fastest axis.
void Refinement::descendInClusters(unsigned cluster, const Trees &trees,
                                   ScheduleRanking &own) {
  // Beyond this many times the best time, other tiles of one tree are not
  // faster than tiles of another tree.
  constexpr double far = 2;
  Descent descent(group, chip, options, space);
  auto isNear = [&](const Descent::Point &point) {
    return point.seconds < kNever && point.seconds <= far * own.best();
  };
  auto tileInClusters = [&](ScheduleCandidate candidate) {
    Descent::Point best{candidate};
    Schedule outline = space.outline(candidate);
    if (outline.blocks.empty())
      return best;
    candidate.cluster = cluster;
    unsigned along = outline.blocks.back();
    for (int64_t tile : space.minTiles(along)) {
      candidate.tiles[along] = tile;
      if (Descent::Point point = descent.rate(candidate, best.seconds);
          point.seconds < best.seconds)
        best = point;
    }
    return best;
  };
  Descent::Point best;
  auto descend = [&](Descent::Point point) {
    if (!isNear(point))
      return;
    descent.improve(point);
    descent.improveExchanges(point);
    own.evaluateAll(point.candidate, space.everyArrangement());
    if (point.seconds < best.seconds)
      best = point;
  };
  const SearchEffort effort(group, space, options);
  descent.allow(effort.inClusters);
  for (const ScheduleCandidate &candidate : trees.best)
    descend(tileInClusters(candidate));
  // From the other trees, the candidates that are the fastest with clusters.
  constexpr size_t others = 4;
  std::vector<Descent::Point> points;
  for (const ScheduleCandidate &candidate : trees.others)
    if (Descent::Point point = tileInClusters(candidate); isNear(point))
      points.push_back(point);
  llvm::stable_sort(points,
                    [](const Descent::Point &a, const Descent::Point &b) {
                      return a.seconds < b.seconds;
                    });
  descent.allow(effort.inClusters);
  for (const Descent::Point &point :
       ArrayRef(points).take_front(std::min(others, points.size())))
    descend(point);
  if (best.seconds < kNever &&
      best.seconds <= kWorthRefining * ranking.best()) {
    descent.allow(effort.togetherInClusters);
    descent.improveTogether(best);
    own.evaluateAll(best.candidate, space.everyArrangement());
  }
  own.addLooked(descent.looked());
}

/// Adds the best candidates that are drawn with clusters: some trees are good
/// only there.
void Refinement::drawInClusters(unsigned cluster, Trees &trees) {
  LocalSearch drawn(group, chip, options, space, cluster);
  drawn.startInClusters();
  for (const Descent::Point &point : drawn.best()) {
    ranking.evaluateAll(point.candidate, space.everyArrangement());
    trees.best.push_back(point.candidate);
  }
  ranking.addLooked(drawn.looked());
}

void Refinement::tryClusters(Trees trees) {
  auto clusters = space.copyingClusters();
  if (!clusters.empty() && !options.isRough)
    drawInClusters(*(clusters.begin() + clusters.size() / 2), trees);
  for (unsigned cluster : clusters)
    for (const auto &unit : space.units()) {
      ScheduleRanking own(group, chip, options, space);
      own.setCluster(cluster);
      for (const ScheduleRanking::Entry &start : ranking.starts()) {
        ScheduleCandidate candidate = start.candidate;
        candidate.cluster = cluster;
        candidate.intrinsics = unit;
        if (start.costed.schedule.blocks.empty())
          continue;
        // Not every tile makes blocks that are divided into clusters.
        unsigned along = start.costed.schedule.blocks.back();
        for (int64_t tile : space.allTiles(along)) {
          candidate.tiles[along] = tile;
          own.evaluateUsual(candidate);
        }
      }
      if (!options.isRough) {
        // Descents try each unit themselves.
        if (unit == space.units().front())
          descendInClusters(cluster, trees, own);
        if (own.best() <= kWorthRefining * ranking.best())
          Refinement(group, chip, options, space, own).run();
      }
      for (const ScheduleRanking::Entry &entry : own.starts())
        ranking.judge(entry.costed.schedule, entry.candidate);
      ranking.addLooked(own.allLooked());
    }
}

void Refinement::trySplitsInClusters(const Trees &trees) {
  std::optional<unsigned> cluster = space.clusterOfPartials();
  if (!cluster)
    return;
  const SearchEffort effort(group, space, options);
  // Each split needs tiles of its own.
  for (int64_t parts : space.clusterSplits()) {
    ScheduleRanking own(group, chip, options, space);
    own.setCluster(*cluster);
    auto judge = [&](ScheduleCandidate candidate) {
      candidate.cluster = *cluster;
      candidate.splits = parts;
      own.evaluateUsual(candidate);
      if (space.splitIntoTiles(candidate, parts))
        own.evaluateUsual(candidate);
    };
    for (const ScheduleRanking::Entry &start : ranking.starts())
      judge(start.candidate);
    llvm::for_each(trees.best, judge);
    llvm::for_each(trees.others, judge);
    if (!options.isRough && !own.empty() &&
        own.best() <= kWorthRefining * ranking.best()) {
      // Tiles of several axes change together: partial results take room.
      Descent descent(group, chip, options, space);
      descent.allow(effort.togetherInClusters);
      Descent::Point best = descent.rate(own.bestCandidate(), kNever);
      descent.improve(best);
      descent.improveTogether(best);
      own.evaluateAll(best.candidate, space.everyArrangement());
      own.addLooked(descent.looked());
      Refinement(group, chip, options, space, own).run();
    }
    for (const ScheduleRanking::Entry &entry : own.starts())
      ranking.judge(entry.costed.schedule, entry.candidate);
    ranking.addLooked(own.allLooked());
  }
}

void Refinement::settleTies() {
  if (ranking.empty())
    return;
  ranking.seeTies();
  CostedSchedule before;
  do {
    before = ranking.starts().front().costed;
    run();
    refineTiles(group, options, space, ranking);
  } while (isBetter(ranking.starts().front().costed, before));
}
