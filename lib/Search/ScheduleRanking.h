//===- ScheduleRanking.h - The best candidates ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_SCHEDULERANKING_H
#define FUSION_LIB_SEARCH_SCHEDULERANKING_H

#include "CandidateEvaluator.h"
#include "TreeCache.h"
#include <cmath>

namespace fusion {

/// Judges candidates of our space and keeps the best ones. Which candidates
/// there are to judge is the methods' to say.
///
/// There are two lists. What methods go on from does not depend on how many are
/// to be reported. Those that are to be reported differ in more, and are filled
/// once the choice is made (RunnersUp.h): until then only what may be the best
/// is rated.
class ScheduleRanking {
public:
  struct Entry {
    CostedSchedule costed;
    ScheduleCandidate candidate;
  };
  /// What methods may go on from.
  static constexpr size_t kStarts = 8;
  /// Kept beside those that are to be reported: stages of each buffer, which
  /// are chosen last, may put them before others.
  static constexpr size_t kReserve = kStarts;

  ScheduleRanking(const GroupModel &group, const ChipInfo &chip,
                  const SearchOptions &options, const ScheduleSpace &space)
      : options(options), space(space), evaluator(group, chip, options, space) {
  }

  bool empty() const { return entries.empty(); }
  /// What to go on from, best first: at most `kStarts`, and once the choice is
  /// made all that may be reported.
  llvm::ArrayRef<Entry> starts() const { return isChosen ? runners : entries; }
  std::vector<ScheduleCandidate> candidates() const; ///< of them
  const ScheduleCandidate &bestCandidate() const {
    return entries.front().candidate;
  }
  /// Seconds of the best one by the model; kNever where there is none.
  double best() const {
    return entries.empty() ? kNever : entries.front().costed.modelSeconds;
  }
  /// Seconds from which on a candidate is of no interest: of the best, and what
  /// takes longer than that where ties are looked at, or of the worst that may
  /// be reported.
  double limit() const {
    if (!isChosen)
      return seesTies ? std::nextafter(best(), kNever) : best();
    return runners.size() < maxRunners() ? kNever
                                         : runners.back().costed.modelSeconds;
  }
  bool hasBounds() const { return evaluator.hasBounds(); }

  /// From now on what takes as long as the best is of interest, too.
  void seeTies() {
    seesTies = true;
    judged.clear();
  }

  /// From now on nothing but this one of `ScheduleSpace::clusters` is of
  /// interest.
  void setCluster(unsigned number) { cluster = number; }

  /// Looks at a complete schedule.
  void judge(const Schedule &schedule, const ScheduleCandidate &candidate);

  /// Looks at the candidate's loops and tiles with these arrangements of warps,
  /// and of each at all transports, producers and stages that may be faster
  /// than the best, or `only` at some (`CandidateEvaluator::evaluateAll`).
  void evaluateAll(const ScheduleCandidate &candidate,
                   llvm::ArrayRef<unsigned> arrangements,
                   const MainloopPolicy *only = nullptr);
  /// The same with the usual arrangements.
  void evaluateUsual(const ScheduleCandidate &candidate) {
    // What was not worth keeping is worth less beside better ones.
    if (space.fillsSplits(candidate) &&
        judged.insert(CandidateKey(space, candidate)).second)
      evaluateAll(candidate, space.usualArrangements());
  }

  /// Candidates that were looked at here.
  const LookedAt &looked() const { return evaluator.looked; }
  /// Adds candidates that others have looked at.
  void addLooked(const LookedAt &of) { others.add(of); }
  /// All of them.
  LookedAt allLooked() const {
    LookedAt all = evaluator.looked;
    all.add(others);
    return all;
  }

  /// Why one was passed over.
  std::string lastReason() const { return evaluator.lastReason; }

  /// From now on the best one stays what it is, and what is judged may be
  /// reported beside it.
  void choose();
  /// How often a list has changed.
  uint64_t changes() const { return changed; }
  /// The chosen one and, where more are to be reported, the others; best first.
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
  KeySet<CandidateKey> judged; ///< as usual
  CandidateEvaluator evaluator;
  LookedAt others;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_SCHEDULERANKING_H
