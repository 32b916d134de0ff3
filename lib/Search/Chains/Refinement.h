//===- Refinement.h - Choices anew in the best schedules --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refines the best schedules that any search method has found: changes one
// choice after the other.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_REFINEMENT_H
#define FUSION_LIB_SEARCH_CHAINS_REFINEMENT_H

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

  /// Candidates of different trees, best first, and the ends of other descents.
  struct Trees {
    std::vector<ScheduleCandidate> best, others;
  };
  /// A list of tiles of each axis.
  using Tiles = llvm::ArrayRef<int64_t> (ScheduleSpace::*)(unsigned) const;
  /// Tries the given tiles of one axis after the other, with the other axes as
  /// in the best schedule, until none is faster.
  void tryTiles(Tiles tiles);
  /// Tries every choice again in the best schedule, until none is faster.
  void run();
  /// Tries clusters of the best schedules, refined by themselves: blocks that
  /// share copies need other tiles than blocks without clusters, and maybe
  /// other loops. Descents start from the best candidates of other trees, too.
  /// Intrinsics of each unit are tried as well.
  void tryClusters(Trees trees);
  /// Tries to split the last contraction's reduction over the blocks of a
  /// cluster. Such a cross-block reduction needs no second launch, so it may be
  /// faster where split-K with a second launch is not.
  void trySplitsInClusters(const Trees &trees);
  /// Chooses among schedules of equal predicted time, such as all that are
  /// bound by one resource: the one that waits least, then the one that moves
  /// the fewest bytes, and so on (`isBetter`).
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

#endif // FUSION_LIB_SEARCH_CHAINS_REFINEMENT_H
