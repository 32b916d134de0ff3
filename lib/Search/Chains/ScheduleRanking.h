//===- ScheduleRanking.h - The best candidates ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_SCHEDULERANKING_H
#define FUSION_LIB_SEARCH_CHAINS_SCHEDULERANKING_H

#include "fusion/Search/Space/CandidateEvaluator.h"
#include "fusion/Search/Space/TreeCache.h"
#include <cmath>

namespace fusion {

/// Evaluates candidates of the default search space and keeps the best ones.
/// Search methods choose which candidates to evaluate.
///
/// There are two lists. The first one has the candidates that search methods
/// continue from, and does not depend on how many schedules are to be reported.
/// The second one has the schedules to report, which differ in more choices. It
/// is filled once the best schedule is chosen (RunnersUp.h): until then only
/// candidates that may be the best are evaluated.
class ScheduleRanking {
public:
  struct Entry {
    CostedSchedule costed;
    ScheduleCandidate candidate;
  };
  /// The most candidates that methods continue from.
  static constexpr size_t kStarts = 8;
  /// Runners-up that are kept beyond the reported ones: the stages of each
  /// buffer are chosen last, and may put a later one ahead.
  static constexpr size_t kReserve = kStarts;

  ScheduleRanking(const GroupModel &group, const ChipInfo &chip,
                  const SearchOptions &options, const ScheduleSpace &space)
      : options(options), space(space), evaluator(group, chip, options, space) {
  }

  bool empty() const { return entries.empty(); }
  /// Returns the schedules to continue from, best first: at most `kStarts`, or
  /// all that may be reported once the best one is chosen.
  llvm::ArrayRef<Entry> starts() const { return isChosen ? runners : entries; }
  std::vector<ScheduleCandidate> candidates() const; ///< those of `starts()`
  const ScheduleCandidate &bestCandidate() const {
    return entries.front().candidate;
  }
  /// Returns the predicted seconds of the best schedule by the chosen model, or
  /// kNever if the ranking is empty.
  double best() const {
    return entries.empty() ? kNever : entries.front().costed.modelSeconds;
  }
  /// Returns the predicted seconds from which on a candidate is of no interest.
  /// Until the best schedule is chosen, that is its time, or the next larger
  /// number if ties are of interest (`seeTies`). Afterwards it is the time of
  /// the worst schedule that may be reported.
  double limit() const {
    if (!isChosen)
      return seesTies ? std::nextafter(best(), kNever) : best();
    return runners.size() < maxRunners() ? kNever
                                         : runners.back().costed.modelSeconds;
  }
  bool hasBounds() const { return evaluator.hasBounds(); }

  /// Makes schedules that take as long as the best one count as interesting,
  /// too.
  void seeTies() {
    seesTies = true;
    judged.clear();
  }

  /// Restricts the ranking to schedules with this cluster size, an index into
  /// `ScheduleSpace::clusters`.
  void setCluster(unsigned number) { cluster = number; }

  /// Evaluates a complete schedule.
  void judge(const Schedule &schedule, const ScheduleCandidate &candidate);

  /// Evaluates the candidate's loops and tiles with the given warp
  /// arrangements, each with all transports, producers and stages that may be
  /// faster than the best, or with `only` one policy
  /// (`CandidateEvaluator::evaluateAll`).
  void evaluateAll(const ScheduleCandidate &candidate,
                   llvm::ArrayRef<unsigned> arrangements,
                   const MainloopPolicy *only = nullptr);
  /// Evaluates the candidate's loops and tiles with the usual warp
  /// arrangements, once.
  void evaluateUsual(const ScheduleCandidate &candidate) {
    // A candidate that was not worth keeping once is worth less next to better
    // ones.
    if (space.fillsSplits(candidate) &&
        judged.insert(CandidateKey(space, candidate)).second)
      evaluateAll(candidate, space.usualArrangements());
  }

  /// Returns the counts of candidates that this ranking has looked at.
  const LookedAt &looked() const { return evaluator.looked; }
  /// Adds the counts of candidates that other evaluators have looked at.
  void addLooked(const LookedAt &of) { others.add(of); }
  /// Returns the counts of candidates that this ranking and others have looked
  /// at.
  LookedAt allLooked() const {
    LookedAt all = evaluator.looked;
    all.add(others);
    return all;
  }

  /// Returns why the last rejected candidate was rejected.
  std::string lastReason() const { return evaluator.lastReason; }

  /// Fixes the best schedule. Schedules that are evaluated from now on may only
  /// become runners-up.
  void choose();
  /// Returns how often a list has changed.
  uint64_t changes() const { return changed; }
  /// Returns the chosen schedule and, where more are to be reported, the
  /// runners-up, best first.
  std::vector<Entry> take();

private:
  using SameChoices = bool (*)(const Schedule &, const Schedule &);
  void consider(const CandidateEvaluator::Costed &costed);
  void insert(std::vector<Entry> &list, size_t most,
              const CandidateEvaluator::Costed &costed, SameChoices isSame);
  size_t maxRunners() const { return options.ranked + kReserve; }

  const SearchOptions &options;
  const ScheduleSpace &space;
  std::vector<Entry> entries, runners;
  bool isChosen = false, seesTies = false;
  std::optional<unsigned> cluster; ///< the only one of interest
  uint64_t changed = 0;
  KeySet<CandidateKey> judged; ///< by `evaluateUsual`
  CandidateEvaluator evaluator;
  LookedAt others;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_SCHEDULERANKING_H
