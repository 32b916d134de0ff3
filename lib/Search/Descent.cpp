//===- Descent.cpp - From one candidate to the next better one ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descent.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

Descent::Point Descent::rate(const ScheduleCandidate &candidate, double limit) {
  Point point{candidate, kNever};
  if (!space.mayFit(space.tilesOf(candidate)))
    return point;
  rater.rateAll(
      candidate, space.usualArrangements(),
      [&] { return std::min(limit, point.seconds); },
      [&](const CandidateRater::Rated &rated) {
        if (rated.seconds < std::min(limit, point.seconds))
          point.seconds = rated.seconds;
      });
  return point;
}

/// Takes the candidate where it is better.
bool Descent::tryCandidate(const ScheduleCandidate &candidate, Point &point) {
  Point other = rate(candidate, point.seconds);
  if (other.seconds >= point.seconds)
    return false;
  point = other;
  return true;
}

bool Descent::tryTiles(Point &point, unsigned axis) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (int64_t tile : space.leastTiles(axis)) {
    candidate.tiles[axis] = tile;
    isBetter |= tryCandidate(candidate, point);
  }
  return isBetter;
}

bool Descent::tryParts(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (int64_t parts : space.parts()) {
    candidate.parts = parts;
    isBetter |= tryCandidate(candidate, point);
    ScheduleCandidate single = candidate;
    if (parts > 1 && space.splitIntoTiles(single, parts))
      isBetter |= tryCandidate(single, point);
  }
  return isBetter;
}

/// Tiles that are good for a value that is computed again for each tile of a
/// later product seldom are where it is kept, so this cannot wait until tiles
/// are chosen.
bool Descent::tryMoves(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  auto tryLevels = [&](uint8_t &levels) {
    uint8_t best = levels;
    for (levels = 0; levels <= ScheduleSpace::kMostLevels; ++levels)
      if (levels != best && tryCandidate(candidate, point)) {
        best = levels;
        isBetter = true;
      }
    levels = best;
  };
  for (unsigned product : space.intermediates())
    tryLevels(candidate.kept[product]);
  // All loads ahead of their loops: while one is left inside, its latency hides
  // what the others gain.
  for (uint8_t levels = 1; levels <= ScheduleSpace::kMostLevels; ++levels) {
    ScheduleCandidate ahead = candidate;
    for (unsigned tensor : space.operands())
      ahead.hoisted[tensor] = levels;
    isBetter |= tryCandidate(ahead, point);
  }
  candidate = point.candidate;
  for (unsigned tensor : space.operands())
    tryLevels(candidate.hoisted[tensor]);
  return isBetter;
}

/// Of one product, and the unit of all: where they pass values in registers,
/// one alone does not change.
bool Descent::tryIntrinsics(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (const auto &choice : space.units()) {
    candidate.intrinsics = choice;
    if (!(candidate == point.candidate))
      isBetter |= tryCandidate(candidate, point);
  }
  for (auto [product, list] : llvm::enumerate(space.intrinsics())) {
    candidate = point.candidate;
    uint8_t &own = candidate.intrinsics[product], chosen = own;
    for (own = 0; own < list.size(); ++own)
      if (own != chosen)
        isBetter |= tryCandidate(candidate, point);
  }
  return isBetter;
}

void Descent::improve(Point &point) {
  bool isBetter = true;
  while (isBetter) {
    isBetter = tryParts(point) | tryMoves(point) | tryIntrinsics(point);
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      isBetter |= tryTiles(point, axis);
  }
}

void Descent::improvePairs(Point &point) {
  bool isBetter = true;
  while (isBetter) {
    isBetter = false;
    for (unsigned first = 0; first < group.axes.size(); ++first)
      for (unsigned second = 0; second < first; ++second) {
        ScheduleCandidate candidate = point.candidate;
        for (int64_t one : space.leastTiles(first))
          for (int64_t other : space.leastTiles(second)) {
            candidate.tiles[first] = one;
            candidate.tiles[second] = other;
            isBetter |= tryCandidate(candidate, point);
          }
      }
    if (isBetter)
      improve(point);
  }
}
