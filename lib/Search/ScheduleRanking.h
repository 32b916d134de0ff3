//===- ScheduleRanking.h - Candidates judged, the best kept ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_SCHEDULERANKING_H
#define FUSION_LIB_SEARCH_SCHEDULERANKING_H

#include "fusion/Search/ScheduleSpace.h"
#include <limits>

namespace fusion {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Judges the candidates of our space by the model that the options ask for,
/// and keeps the best ones. Which candidates there are to judge is the methods'
/// to say.
class ScheduleRanking {
public:
  struct Entry {
    RatedSchedule rated;
    ScheduleCandidate candidate;
  };

  ScheduleRanking(const GroupModel &group, const ChipInfo &chip,
                  const SearchOptions &options, const ScheduleSpace &space)
      : group(group), chip(chip), options(options), space(space),
        checker(group, chip) {}

  bool empty() const { return entries.empty(); }
  /// Best first.
  llvm::ArrayRef<Entry> ranked() const { return entries; }
  const ScheduleCandidate &bestCandidate() const {
    return entries.front().candidate;
  }
  /// Seconds of the best one by the model; kNever where there is none.
  double best() const {
    return entries.empty() ? kNever : entries.front().rated.modelSeconds;
  }
  /// Whether CostBound.h bounds what the model says.
  bool hasBounds() const { return options.model == ModelKind::Default; }

  /// Looks at a complete schedule.
  void judge(const Schedule &schedule, const ScheduleCandidate &candidate);

  /// Looks at the candidate's loops and tiles with these arrangements of warps
  /// (`ScheduleSpace::arrangements()`), and of each at all stages.
  void judgeAll(const ScheduleCandidate &candidate,
                llvm::ArrayRef<unsigned> arrangements);
  /// The same with the usual arrangements.
  void judgeUsual(const ScheduleCandidate &candidate) {
    judgeAll(candidate, space.usualArrangements());
  }

  /// What the model says; kNever where the candidate is not legal. Judges
  /// nothing, and may be called by several threads.
  double estimate(const ScheduleCandidate &candidate) const;

  int64_t candidates = 0; ///< looked at
  std::string lastReason; ///< why one was passed over

  /// Moves the entries and counts into a result.
  void finish(SearchResult &result);

private:
  bool isLegal(const Schedule &schedule, bool isMoreStages = false);
  std::optional<Cost> consider(const Schedule &schedule,
                               const ScheduleCandidate &candidate);
  void pipeline(Schedule &schedule, ScheduleCandidate candidate);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  std::vector<Entry> entries;
  ScheduleChecker checker;
  Refusals refusals;
  int64_t legal = 0, bounded = 0;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_SCHEDULERANKING_H
