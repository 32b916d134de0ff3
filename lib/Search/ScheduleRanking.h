//===- ScheduleRanking.h - The best candidates ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_SCHEDULERANKING_H
#define FUSION_LIB_SEARCH_SCHEDULERANKING_H

#include "CandidateRater.h"
#include "TreeCache.h"
#include <unordered_set>

namespace fusion {

/// Judges candidates of our space and keeps the best ones. Which candidates
/// there are to judge is the methods' to say.
class ScheduleRanking {
public:
  struct Entry {
    RatedSchedule rated;
    ScheduleCandidate candidate;
  };
  /// What methods may go on from, and measurements choose from. More are kept
  /// where more are to be reported, which must not change the choice.
  static constexpr size_t kStarts = 8;

  ScheduleRanking(const GroupModel &group, const ChipInfo &chip,
                  const SearchOptions &options, const ScheduleSpace &space)
      : options(options), space(space), rater(group, chip, options, space) {}

  bool empty() const { return entries.empty(); }
  /// At most `kStarts`, best first.
  llvm::ArrayRef<Entry> starts() const {
    return llvm::ArrayRef(entries).take_front(kStarts);
  }
  const ScheduleCandidate &bestCandidate() const {
    return entries.front().candidate;
  }
  /// Seconds of the best one by the model; kNever where there is none.
  double best() const {
    return entries.empty() ? kNever : entries.front().rated.modelSeconds;
  }
  bool hasBounds() const { return rater.hasBounds(); }

  /// Looks at a complete schedule.
  void judge(const Schedule &schedule, const ScheduleCandidate &candidate);

  /// Looks at the candidate's loops and tiles with these arrangements of warps,
  /// and of each at all stages that may be faster than the best.
  void judgeAll(const ScheduleCandidate &candidate,
                llvm::ArrayRef<unsigned> arrangements);
  /// The same with the usual arrangements.
  void judgeUsual(const ScheduleCandidate &candidate) {
    // What was not worth keeping is worth less beside better ones.
    if (space.fillsParts(candidate) &&
        judged.insert(CandidateKey(space, candidate)).second)
      judgeAll(candidate, space.usualArrangements());
  }

  int64_t candidates() const { return rater.candidates + others; }
  /// Candidates that others have looked at.
  void addCandidates(int64_t number) { others += number; }

  /// Why one was passed over.
  std::string lastReason() const { return rater.lastReason; }

  /// Moves the entries out, best first.
  std::vector<Entry> take() { return std::move(entries); }
  /// Copies the counts into a result.
  void finish(SearchResult &result);

private:
  void consider(const CandidateRater::Rated &rated);

  const SearchOptions &options;
  const ScheduleSpace &space;
  std::vector<Entry> entries;
  std::unordered_set<CandidateKey, CandidateKey::Hash> judged; ///< as usual
  CandidateRater rater;
  int64_t others = 0;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_SCHEDULERANKING_H
