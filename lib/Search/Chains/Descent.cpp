//===- Descent.cpp - From one candidate to the next better one ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descent.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

/// Beyond this many times a point's time, other tiles do not make a change
/// faster than the point.
static constexpr double kHopeless = 4;
/// Up to this many times a point's time, other tiles of two axes are tried,
/// too.
static constexpr double kNearlyAsGood = 1.1;

Descent::Point Descent::rate(const ScheduleCandidate &candidate, double limit) {
  Point point{candidate, kNever};
  if (!space.mayFit(space.tilesOf(candidate)) || !space.fillsSplits(candidate))
    return point;
  auto [place, isNew] =
      visited.try_emplace(CandidateKey(space, candidate), Known{0, true});
  Known &known = place->second;
  if (!isNew && (!known.isLeast || known.seconds >= limit)) {
    if (known.seconds < limit)
      point.seconds = known.seconds;
    return point;
  }
  evaluator.evaluateAll(
      candidate, space.fittingArrangements(candidate),
      [&] { return std::min(limit, point.seconds); },
      [&](const CandidateEvaluator::Costed &costed) {
        if (costed.seconds < std::min(limit, point.seconds))
          point.seconds = costed.seconds;
      },
      /*only=*/nullptr, /*takesTimes=*/true);
  known =
      point.seconds < kNever ? Known{point.seconds, false} : Known{limit, true};
  return point;
}

/// Moves `point` to the candidate if it is faster. Returns whether it is.
bool Descent::tryCandidate(const ScheduleCandidate &candidate, Point &point) {
  if (isSpent())
    return false;
  Point other = rate(candidate, point.seconds);
  if (other.seconds >= point.seconds)
    return false;
  point = other;
  return true;
}

bool Descent::tryTiles(Point &point, unsigned axis, ArrayRef<int64_t> tiles,
                       std::optional<unsigned> tree) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (int64_t tile : tiles) {
    candidate.tiles[axis] = tile;
    if (tree && space.treeOf(candidate) != *tree)
      continue;
    isBetter |= tryCandidate(candidate, point);
  }
  return isBetter;
}

bool Descent::trySplitForms(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (int64_t parts : space.splits()) {
    candidate.splits = parts;
    isBetter |= tryCandidate(candidate, point);
    ScheduleCandidate single = candidate;
    if (parts > 1 && space.splitIntoTiles(single, parts))
      isBetter |= tryCandidate(single, point);
  }
  return isBetter;
}

/// Tries to retain values, and to hoist loads, out of other numbers of loops.
/// Tiles that are good for a value that is recomputed for each tile of a later
/// contraction seldom are good for a retained value. So this cannot wait until
/// tiles are chosen.
bool Descent::tryMoves(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  auto tryLevels = [&](uint8_t &levels) {
    uint8_t best = levels;
    for (levels = 0; levels <= ScheduleSpace::kMaxLevels; ++levels)
      if (levels != best && tryCandidate(candidate, point)) {
        best = levels;
        isBetter = true;
      }
    levels = best;
  };
  for (unsigned contraction : space.intermediates())
    tryLevels(candidate.retained[contraction]);
  // Hoist all loads: while one load is left inside of a loop, its latency hides
  // the gains of the others.
  for (uint8_t levels = 1; levels <= ScheduleSpace::kMaxLevels; ++levels) {
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

/// Tries intrinsics of one contraction at a time, and other units for all:
/// where contractions forward accumulators in registers, one alone cannot
/// change.
bool Descent::tryIntrinsics(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (const auto &choice : space.units()) {
    candidate.intrinsics = choice;
    if (!(candidate == point.candidate))
      isBetter |= tryCandidate(candidate, point);
  }
  for (auto [contraction, list] : llvm::enumerate(space.intrinsics())) {
    candidate = point.candidate;
    uint8_t &own = candidate.intrinsics[contraction], chosen = own;
    for (own = 0; own < list.size(); ++own)
      if (own != chosen)
        isBetter |= tryCandidate(candidate, point);
  }
  return isBetter;
}

bool Descent::tryExpressions(Point &point) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    candidate.expression = each;
    isBetter |= tryCandidate(candidate, point);
  }
  return isBetter;
}

void Descent::improveTiles(Point &point) {
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    tryTiles(point, axis, space.minTiles(axis));
}

void Descent::improveRoughly(Point &point) {
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    tryTiles(point, axis, space.coarseTiles(axis));
  tryMoves(point);
}

void Descent::improve(Point &point) {
  bool isBetter = true;
  while (isBetter) {
    isBetter = trySplitForms(point) | tryMoves(point) | tryIntrinsics(point);
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      isBetter |= tryTiles(point, axis, space.minTiles(axis));
  }
}

/// Returns the next tile of an axis, twice or half of it, and the largest or
/// the smallest one.
llvm::SmallVector<int64_t, 3> Descent::tilesBeside(unsigned axis, int64_t tile,
                                                   bool isLarger) const {
  ArrayRef<int64_t> list = space.minTiles(axis);
  auto atLeast = [&](int64_t wanted) {
    const int64_t *found = llvm::lower_bound(list, wanted);
    return found == list.end() ? list.back() : *found;
  };
  const int64_t *own = llvm::lower_bound(list, tile);
  llvm::SmallVector<int64_t, 3> tiles;
  auto add = [&](int64_t other) {
    if (other != tile && !llvm::is_contained(tiles, other))
      tiles.push_back(other);
  };
  if (isLarger) {
    add(atLeast(tile + 1));
    add(atLeast(2 * tile));
    add(list.back());
  } else {
    if (own != list.begin())
      add(*std::prev(own));
    add(atLeast(tile / 2));
  }
  return tiles;
}

bool Descent::tryExchange(Point &point, unsigned more, unsigned less) {
  bool isBetter = false;
  ScheduleCandidate candidate = point.candidate;
  auto larger = tilesBeside(more, candidate.tiles[more], /*isLarger=*/true),
       smaller = tilesBeside(less, candidate.tiles[less], /*isLarger=*/false);
  for (int64_t one : larger)
    for (int64_t other : smaller) {
      candidate.tiles[more] = one;
      candidate.tiles[less] = other;
      isBetter |= tryCandidate(candidate, point);
    }
  return isBetter;
}

void Descent::improveExchanges(Point &point, bool changesLoops) {
  bool isBetter = true;
  while (isBetter) {
    isBetter = false;
    for (unsigned more = 0; more < group.axes.size(); ++more)
      for (unsigned less = 0; less < group.axes.size(); ++less)
        isBetter |= more != less && tryExchange(point, more, less);
    if (changesLoops)
      isBetter |= tryExpressions(point);
    if (isBetter)
      improve(point);
  }
}

bool Descent::improvePairs(Point &point) {
  bool isBetter = false;
  for (unsigned a = 0; a < group.axes.size(); ++a)
    for (unsigned b = a + 1; b < group.axes.size(); ++b) {
      ScheduleCandidate candidate = point.candidate;
      for (int64_t one : space.minTiles(a))
        for (int64_t other : space.minTiles(b)) {
          candidate.tiles[a] = one;
          candidate.tiles[b] = other;
          isBetter |= tryCandidate(candidate, point);
        }
    }
  if (isBetter)
    improve(point);
  return isBetter;
}

/// Makes tiles of other axes than `fixed` smaller until all fit and take less
/// than the limit: each time the one with which the candidate is fastest, or
/// the largest. Where `tree` is given, only tiles are taken that make the tree
/// of this number.
bool Descent::shrink(Point &point, unsigned fixed, double limit,
                     std::optional<unsigned> tree) {
  unsigned axes = group.axes.size();
  while (true) {
    ScheduleCandidate smaller = point.candidate;
    Point best{smaller, limit};
    int64_t largest = 0;
    for (unsigned axis = 0; axis < axes; ++axis) {
      int64_t tile = point.candidate.tiles[axis];
      if (axis == fixed || tile == space.minTiles(axis).front())
        continue;
      ScheduleCandidate candidate = point.candidate;
      bool isLargest = tile > largest;
      for (int64_t other : tilesBeside(axis, tile, /*isLarger=*/false)) {
        candidate.tiles[axis] = other;
        if (tree && space.treeOf(candidate) != *tree)
          continue;
        tryCandidate(candidate, best);
        if (isLargest) {
          largest = tile;
          smaller = candidate;
        }
      }
    }
    if (best.seconds < limit) {
      point = best;
      return true;
    }
    if (largest == 0)
      return false;
    point.candidate = smaller;
  }
}

/// Tries a change after which the tiles of all axes but `fixed` are chosen
/// again. A change that does not fit is tried with smaller tiles. These keep
/// its tree if they can: a smaller tile of an axis without a loop would split
/// the work among more blocks, each of which loads the same operands.
bool Descent::tryWithTiles(Point &point, const ScheduleCandidate &changed,
                           unsigned fixed) {
  if (isSpent())
    return false;
  double limit = kHopeless * point.seconds;
  Point other = rate(changed, limit);
  std::optional<unsigned> tree; // that the tiles keep
  if (other.seconds >= limit) {
    tree = space.treeOf(changed);
    if (!shrink(other, fixed, limit, tree)) {
      other.candidate = changed;
      tree = std::nullopt;
      if (!shrink(other, fixed, limit))
        return false;
    }
  }
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    if (axis != fixed)
      tryTiles(other, axis, space.minTiles(axis), tree);
  // A candidate that is nearly as good may be better with two other tiles.
  if (other.seconds >= point.seconds &&
      other.seconds < kNearlyAsGood * point.seconds)
    improveExchanges(other, /*changesLoops=*/false);
  if (other.seconds >= point.seconds)
    return false;
  point = other;
  return true;
}

/// Tries another tile of an axis whose loop has one iteration now. The current
/// tree does not say where such a loop lies among the others, nor which values
/// are retained once it repeats a computation.
bool Descent::tryLoopsThatLive(Point &point, unsigned axis, int64_t tile) {
  bool isBetter = false;
  ScheduleCandidate start = point.candidate, candidate = start;
  candidate.tiles[axis] = tile;
  unsigned tree = space.treeOf(start);
  llvm::SmallDenseSet<unsigned> trees{tree, space.treeOf(candidate)};
  if (trees.size() == 1)
    return false;
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    start.expression = candidate.expression = each;
    if (space.treeOf(start) != tree)
      continue;
    for (uint64_t retained = 0; retained >> space.intermediates().size() == 0;
         ++retained) {
      space.retainOutside(candidate, retained);
      if (trees.insert(space.treeOf(candidate)).second)
        isBetter |= tryWithTiles(point, candidate, axis);
    }
  }
  return isBetter;
}

/// Tries changes together with other tiles. Each change alone may not fit, or
/// lose what other tiles win back.
bool Descent::tryChanges(Point &point) {
  bool isBetter = false;
  unsigned axes = group.axes.size();
  auto change = [&](unsigned fixed, auto &&apply) {
    ScheduleCandidate candidate = point.candidate;
    apply(candidate);
    if (!(candidate == point.candidate))
      isBetter |= tryWithTiles(point, candidate, fixed);
  };
  for (unsigned axis = 0; axis < axes; ++axis)
    for (int64_t tile : space.minTiles(axis)) {
      change(axis, [&](auto &candidate) { candidate.tiles[axis] = tile; });
      isBetter |= tryLoopsThatLive(point, axis, tile);
    }
  llvm::SmallDenseSet<unsigned> trees;
  trees.insert(space.treeOf(point.candidate));
  auto tryTree = [&](auto &&apply) {
    ScheduleCandidate candidate = point.candidate;
    apply(candidate);
    if (trees.insert(space.treeOf(candidate)).second)
      isBetter |= tryWithTiles(point, candidate, axes);
  };
  for (unsigned each = 0; each < space.expressions().size(); ++each)
    tryTree([&](auto &candidate) { candidate.expression = each; });
  auto tryLevels = [&](auto levels, unsigned index) {
    for (uint8_t each = 0; each <= ScheduleSpace::kMaxLevels; ++each)
      tryTree([&](auto &candidate) { (candidate.*levels)[index] = each; });
  };
  for (unsigned contraction : space.intermediates())
    tryLevels(&ScheduleCandidate::retained, contraction);
  for (unsigned tensor : space.operands())
    tryLevels(&ScheduleCandidate::hoisted, tensor);
  for (int64_t parts : space.splits())
    change(axes, [&](auto &candidate) { candidate.splits = parts; });
  for (const auto &choice : space.units())
    change(axes, [&](auto &candidate) { candidate.intrinsics = choice; });
  if (isBetter)
    improve(point);
  return isBetter;
}

void Descent::improveTogether(Point &point) {
  while (improvePairs(point) | tryChanges(point))
    ;
}
