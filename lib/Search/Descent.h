//===- Descent.h - From one candidate to the next better one --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops decide which tiles are good and what may be kept, so that there is a
// best candidate for each expression, often far from the others'. A descent
// changes tiles, splits, intrinsics and the tensors that are kept of one
// expression, each candidate with the best warps and stages: one choice after
// the other with the others fixed, then, since tiles compete for the same
// memory, two tiles at a time, and other loops with the same tiles. At last any
// two tiles, and changes that pay only with other tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_DESCENT_H
#define FUSION_LIB_SEARCH_DESCENT_H

#include "CandidateEvaluator.h"
#include "TreeCache.h"
#include <limits>

namespace fusion {

class Descent {
public:
  struct Point {
    ScheduleCandidate candidate;
    double seconds = kNever; ///< with the best usual warps and stages
  };

  Descent(const GroupModel &group, const ChipInfo &chip,
          const SearchOptions &options, const ScheduleSpace &space)
      : group(group), space(space), evaluator(group, chip, options, space) {}

  /// The candidate with its time, if that is less than `limit`.
  Point rate(const ScheduleCandidate &candidate, double limit = kNever);

  /// From now on no more than so many candidates are looked at: changes stop
  /// where they are.
  void allow(int64_t candidates) { end = looked().checked() + candidates; }

  /// Changes tiles, one axis after the other, once.
  void improveTiles(Point &point);
  /// The same to powers of two alone, and what is kept, once.
  void improveRoughly(Point &point);
  /// Changes tiles, the number of parts, intrinsics and what is kept one by one
  /// until nothing is better.
  void improve(Point &point);
  /// The same with one axis's tile larger and another one's smaller at a time,
  /// as what is held in a block is shared out, and, on request, with other
  /// loops.
  void improveExchanges(Point &point, bool changesLoops = true);
  /// The same with any tiles of two axes at a time, and with each change after
  /// which the tiles of all axes are chosen anew.
  void improveTogether(Point &point);

  const LookedAt &looked() const { return evaluator.looked; }
  /// Whether no candidate is faster than its bound.
  bool hasBounds() const { return evaluator.hasBounds(); }

private:
  llvm::SmallVector<int64_t, 3> tilesBeside(unsigned axis, int64_t tile,
                                            bool isLarger) const;
  bool tryCandidate(const ScheduleCandidate &candidate, Point &point);
  bool tryTiles(Point &point, unsigned axis, llvm::ArrayRef<int64_t> tiles);
  bool tryExchange(Point &point, unsigned more, unsigned less);
  bool trySplitForms(Point &point);
  bool tryMoves(Point &point);
  bool tryIntrinsics(Point &point);
  bool tryExpressions(Point &point);
  bool improvePairs(Point &point);
  bool shrink(Point &point, unsigned fixed, double limit);
  bool tryWithTiles(Point &point, const ScheduleCandidate &changed,
                    unsigned fixed);
  bool tryLoopsThatLive(Point &point, unsigned axis, int64_t tile);
  bool tryChanges(Point &point);

  bool isSpent() const { return looked().checked() >= end; }

  const GroupModel &group;
  const ScheduleSpace &space;
  CandidateEvaluator evaluator;
  int64_t end = std::numeric_limits<int64_t>::max(); ///< of what is looked at
  /// Descents come by the same candidates again and again: what one takes, or
  /// at least takes.
  struct Known {
    double seconds;
    bool isLeast;
  };
  KeyMap<CandidateKey, Known> visited;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_DESCENT_H
