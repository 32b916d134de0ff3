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
// memory, two tiles at a time.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_DESCENT_H
#define FUSION_LIB_SEARCH_DESCENT_H

#include "CandidateRater.h"

namespace fusion {

class Descent {
public:
  struct Point {
    ScheduleCandidate candidate;
    double seconds = kNever; ///< with the best usual warps and stages
  };

  Descent(const GroupModel &group, const ChipInfo &chip,
          const SearchOptions &options, const ScheduleSpace &space)
      : group(group), space(space), rater(group, chip, options, space) {}

  /// The candidate with its time, if that is less than `limit`.
  Point rate(const ScheduleCandidate &candidate, double limit = kNever);

  /// Changes tiles, the number of parts, intrinsics and what is kept one by one
  /// until nothing is better.
  void improve(Point &point);
  /// The same with every two axes' tiles.
  void improvePairs(Point &point);

  int64_t candidates() const { return rater.candidates; }

private:
  bool tryCandidate(const ScheduleCandidate &candidate, Point &point);
  bool tryTiles(Point &point, unsigned axis);
  bool tryParts(Point &point);
  bool tryMoves(Point &point);
  bool tryIntrinsics(Point &point);

  const GroupModel &group;
  const ScheduleSpace &space;
  CandidateRater rater;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_DESCENT_H
