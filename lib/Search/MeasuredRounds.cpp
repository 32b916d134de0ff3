//===- MeasuredRounds.cpp - Local search by measurement -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasuredRounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fusion;
using Entries = std::vector<ScheduleRanking::Entry>;

static double secondsOf(const ScheduleRanking::Entry &entry) {
  return entry.rated.measuredSeconds.value_or(kNever);
}

/// Measures what is next and sorts it in. Returns whether it has a faster one.
bool MeasuredRounds::measure(Entries &ranking, Entries next) {
  double before = ranking.empty() ? kNever : secondsOf(ranking.front());
  for (ScheduleRanking::Entry &entry : next) {
    entry.rated.measuredSeconds =
        options.measurement->measure(entry.rated.schedule);
    auto place = llvm::upper_bound(
        ranking, secondsOf(entry),
        [](double seconds, const ScheduleRanking::Entry &other) {
          return seconds < secondsOf(other);
        });
    ranking.insert(place, std::move(entry));
  }
  return !ranking.empty() && secondsOf(ranking.front()) < before;
}

/// Other ways to move its tiles, each with one choice changed.
llvm::SmallVector<Movement, 8>
MeasuredRounds::listMovements(const ScheduleCandidate &candidate) const {
  llvm::SmallVector<Movement, 8> movements;
  const Movement &own = candidate.movement;
  auto add = [&](auto member, auto value) {
    Movement other = own;
    other.*member = value;
    other.isPersistent &= ScheduleSpace::mayPersist(other.producers);
    other.takesTurns &= space.mayTakeTurns(other.producers);
    if (!(other == own))
      movements.push_back(other);
  };
  TensorSet operands = space.transports().back(),
            results = space.storeTransports().back();
  for (TensorSet copied : space.transports())
    add(&Movement::inBulk, (own.inBulk & ~operands) | copied);
  for (TensorSet stored : space.storeTransports())
    add(&Movement::inBulk, (own.inBulk & ~results) | stored);
  for (unsigned producers : space.producers())
    add(&Movement::producers, producers);
  if (ScheduleSpace::mayPersist(own.producers))
    add(&Movement::isPersistent, !own.isPersistent);
  if (space.mayOverlap())
    add(&Movement::overlaps, !own.overlaps);
  if (space.mayTakeTurns(own.producers))
    add(&Movement::takesTurns, !own.takesTurns);
  return movements;
}

/// What differs from the candidate in one choice, best first by the model: the
/// next smaller or larger tile of an axis, warps, parts, raster, cluster,
/// intrinsic, how tiles are moved and by whom. Of each the rest, such as
/// stages, is what the model takes.
Entries MeasuredRounds::listNeighbours(const ScheduleCandidate &candidate) {
  Entries neighbours;
  auto add = [&](const ScheduleCandidate &other,
                 llvm::ArrayRef<unsigned> arrangements,
                 const Movement *only = nullptr) {
    ScheduleRanking one(group, chip, options, space);
    one.judgeAll(other, arrangements, only);
    seen.add(one.looked());
    if (one.empty())
      return;
    const ScheduleRanking::Entry &best = one.starts().front();
    neighbours.insert(llvm::upper_bound(neighbours, best,
                                        [](const auto &a, const auto &b) {
                                          return isBetter(a.rated, b.rated);
                                        }),
                      best);
  };
  auto addBeside = [&](auto list, auto chosen, auto &&set) {
    auto at = llvm::lower_bound(list, chosen);
    ScheduleCandidate other = candidate;
    if (at != list.begin()) {
      set(other, *std::prev(at));
      add(other, space.usualArrangements());
    }
    if (at != list.end() && *at == chosen)
      ++at;
    if (at != list.end()) {
      set(other, *at);
      add(other, space.usualArrangements());
    }
  };
  for (unsigned each = 0; each < space.arrangements().size(); ++each)
    add(candidate, each);
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    addBeside(space.leastTiles(axis), candidate.tiles[axis],
              [axis](ScheduleCandidate &other, int64_t tile) {
                other.tiles[axis] = tile;
              });
  addBeside(
      space.parts(), candidate.parts,
      [](ScheduleCandidate &other, int64_t parts) { other.parts = parts; });
  addBeside(
      space.rasters(), candidate.raster,
      [](ScheduleCandidate &other, int64_t raster) { other.raster = raster; });
  addBeside(space.clusters(), candidate.cluster,
            [](ScheduleCandidate &other, int64_t cluster) {
              other.cluster = cluster;
            });
  for (auto [product, list] : llvm::enumerate(space.intrinsics()))
    addBeside(llvm::seq<unsigned>(0, list.size()),
              unsigned(candidate.intrinsics[product]),
              [product = product](ScheduleCandidate &other, unsigned number) {
                other.intrinsics[product] = number;
              });
  for (const Movement &movement : listMovements(candidate)) {
    ScheduleCandidate other = candidate;
    other.movement = movement;
    add(other, candidate.arrangement, &movement);
  }
  return neighbours;
}

bool MeasuredRounds::run(Entries &ranking, unsigned mostRounds) {
  size_t perRound = std::max(1u, options.ranked);
  Entries next = std::move(ranking);
  ranking.clear();
  for (unsigned round = 0; round < mostRounds; ++round) {
    if (!measure(ranking, std::move(next)) || round + 1 == mostRounds)
      break;
    next = listNeighbours(ranking.front().candidate);
    llvm::erase_if(next, [&](const ScheduleRanking::Entry &entry) {
      return llvm::any_of(ranking, [&](const ScheduleRanking::Entry &known) {
        return known.candidate == entry.candidate;
      });
    });
    if (next.size() > perRound)
      next.erase(next.begin() + perRound, next.end());
  }
  return !ranking.empty() && secondsOf(ranking.front()) < kNever;
}
