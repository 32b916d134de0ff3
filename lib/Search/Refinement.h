//===- Refinement.h - Choices anew in the best schedules --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever has found the best schedules so far, one choice after the other is
// tried anew in them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_REFINEMENT_H
#define FUSION_LIB_SEARCH_REFINEMENT_H

#include "Descent.h"
#include "ScheduleRanking.h"

namespace fusion {

class Refinement {
public:
  Refinement(const GroupModel &group, const ChipInfo &chip,
             const SearchOptions &options, const ScheduleSpace &space,
             ScheduleRanking &ranking)
      : group(group), chip(chip), options(options), space(space),
        ranking(ranking) {}

  /// Candidates of different trees, best first, and what other descents ended
  /// at.
  struct Trees {
    std::vector<ScheduleCandidate> best, others;
  };
  /// A list of tiles of each axis.
  using Tiles = llvm::ArrayRef<int64_t> (ScheduleSpace::*)(unsigned) const;
  /// One axis after the other, with the others as in the best schedule so far,
  /// until nothing gets better.
  void tryTiles(Tiles tiles);
  /// Every choice anew in the best schedule, until nothing gets better.
  void run();
  /// Clusters of the best schedules, refined by themselves: blocks that share
  /// what they copy want other tiles than blocks alone, and maybe other loops:
  /// descents start from the best of other trees, too. So do intrinsics of each
  /// unit.
  void tryClusters(Trees trees);
  /// Parts of the last product's reduction that a cluster combines, likewise:
  /// what costs no launch pays where parts for another launch do not.
  void trySplitsInClusters(const Trees &trees);
  /// Of those that take equally long, such as all that a resource keeps at its
  /// limit, the one that waits least, moves the fewest bytes, and so on
  /// (`isBetter`).
  void settleTies();

private:
  void tryMoves();
  void trySplits();
  void drawInClusters(unsigned cluster, Trees &trees);
  void descendInClusters(unsigned cluster, const Trees &trees,
                         ScheduleRanking &own);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  ScheduleRanking &ranking;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_REFINEMENT_H
