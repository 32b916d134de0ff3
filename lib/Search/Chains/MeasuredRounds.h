//===- MeasuredRounds.h - Local search by measurement -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MCFuser's algorithm 1 does with its populations, for our space: the best
// few by the model are measured, then in rounds the best few by the model of
// what differs from the fastest in one choice, until a round is no faster.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_MEASUREDROUNDS_H
#define FUSION_LIB_SEARCH_CHAINS_MEASUREDROUNDS_H

#include "ScheduleRanking.h"

namespace fusion {

class MeasuredRounds {
public:
  /// Measures with `options.measurement`, `options.ranked` schedules a round.
  MeasuredRounds(const GroupModel &group, const ChipInfo &chip,
                 const SearchOptions &options, const ScheduleSpace &space)
      : group(group), chip(chip), options(options), space(space) {}

  /// Starts with `ranking`, best first by the model, and leaves in it all that
  /// was measured, fastest first, what does not run last. One round measures
  /// what is ranked only. Returns whether any ran.
  bool run(std::vector<ScheduleRanking::Entry> &ranking, unsigned maxRounds);

  const LookedAt &looked() const { return seen; }

private:
  bool measure(std::vector<ScheduleRanking::Entry> &ranking,
               std::vector<ScheduleRanking::Entry> next);
  llvm::SmallVector<MainloopPolicy, 8>
  listPolicies(const ScheduleCandidate &candidate) const;
  std::vector<ScheduleRanking::Entry>
  listNeighbours(const ScheduleCandidate &candidate);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  LookedAt seen;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_MEASUREDROUNDS_H
