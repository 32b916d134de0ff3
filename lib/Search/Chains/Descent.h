//===- Descent.h - From one candidate to the next better one --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of an expression decide which tiles are good and which tiles can be
// retained, so each expression has a best candidate of its own, often far from
// those of others. A descent starts from one candidate of an expression and
// changes tiles, splits, intrinsics and retained tensors, each time with the
// best warps and stages. First one choice changes at a time. Then two tiles
// change at a time, since tiles compete for the same memory, and other loops
// are tried with the same tiles. Last come any two tiles, and changes that are
// faster only with other tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_DESCENT_H
#define FUSION_LIB_SEARCH_CHAINS_DESCENT_H

#include "fusion/Search/Space/CandidateEvaluator.h"
#include "fusion/Search/Space/TreeCache.h"
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

  /// Returns the candidate with its predicted time in seconds, which is valid
  /// only if it is less than `limit`.
  Point rate(const ScheduleCandidate &candidate, double limit = kNever);

  /// Limits further changes to `candidates` more checked candidates; a descent
  /// stops at its current point once they are used up.
  void allow(int64_t candidates) { end = looked().checked() + candidates; }

  /// Changes tiles, one axis after the other, once.
  void improveTiles(Point &point);
  /// Changes tiles, one axis after the other, to powers of two only, and the
  /// retained tensors, each once.
  void improveRoughly(Point &point);
  /// Changes tiles, the split, intrinsics and retained tensors, one at a time,
  /// until no change is faster.
  void improve(Point &point);
  /// Improves as `improve` does, and also makes one axis's tile larger and
  /// another one's smaller at a time, as the tiles of a block share its memory.
  /// `changesLoops`: tries other loops, too.
  void improveExchanges(Point &point, bool changesLoops = true);
  /// Improves as `improve` does, and also tries any tiles of two axes at a
  /// time, and each change after which the tiles of all axes are chosen again.
  void improveTogether(Point &point);

  const LookedAt &looked() const { return evaluator.looked; }
  /// Returns whether no candidate is faster than its lower bound.
  bool hasBounds() const { return evaluator.hasBounds(); }

private:
  llvm::SmallVector<int64_t, 3> tilesBeside(unsigned axis, int64_t tile,
                                            bool isLarger) const;
  bool tryCandidate(const ScheduleCandidate &candidate, Point &point);
  bool tryTiles(Point &point, unsigned axis, llvm::ArrayRef<int64_t> tiles,
                std::optional<unsigned> tree = std::nullopt);
  bool tryExchange(Point &point, unsigned more, unsigned less);
  bool trySplitForms(Point &point);
  bool tryMoves(Point &point);
  bool tryIntrinsics(Point &point);
  bool tryExpressions(Point &point);
  bool improvePairs(Point &point);
  bool shrink(Point &point, unsigned fixed, double limit,
              std::optional<unsigned> tree = std::nullopt);
  bool tryWithTiles(Point &point, const ScheduleCandidate &changed,
                    unsigned fixed);
  bool tryLoopsThatLive(Point &point, unsigned axis, int64_t tile);
  bool tryChanges(Point &point);

  bool isSpent() const { return looked().checked() >= end; }

  const GroupModel &group;
  const ScheduleSpace &space;
  CandidateEvaluator evaluator;
  int64_t end = std::numeric_limits<int64_t>::max(); ///< of checked candidates
  /// Predicted times, or lower bounds of them, of candidates that were visited:
  /// descents reach the same candidates many times.
  struct Known {
    double seconds;
    bool isLeast;
  };
  KeyMap<CandidateKey, Known> visited;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_DESCENT_H
