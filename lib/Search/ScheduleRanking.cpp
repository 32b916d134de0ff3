//===- ScheduleRanking.cpp - The best candidates --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRanking.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

/// Whether two candidates differ in their stages at most.
static bool sameTiles(const Schedule &a, const Schedule &b) {
  return a.tiles == b.tiles && a.warps == b.warps &&
         llvm::equal(a.products, b.products,
                     [](const ProductMapping &x, const ProductMapping &y) {
                       return x.warps[0] == y.warps[0];
                     });
}

/// Compares a legal schedule with the best ones.
void ScheduleRanking::consider(const CandidateRater::Rated &rated) {
  size_t most = std::max<size_t>(kStarts, options.ranked);
  if (rated.seconds == kNever ||
      (entries.size() == most &&
       rated.seconds > entries.back().rated.modelSeconds))
    return;
  RatedSchedule own{rated.schedule, rated.footprint, rated.cost, rated.seconds,
                    std::nullopt};
  // Of the candidates that differ in their stages the best one is ranked.
  auto known = llvm::find_if(entries, [&](const Entry &other) {
    return sameTiles(other.rated.schedule, rated.schedule);
  });
  if (known != entries.end()) {
    if (!isBetter(own, known->rated))
      return;
    entries.erase(known);
  }
  auto place = llvm::upper_bound(entries, own,
                                 [](const RatedSchedule &a, const Entry &b) {
                                   return isBetter(a, b.rated);
                                 });
  entries.insert(place, Entry{std::move(own), rated.candidate});
  if (entries.size() > most)
    entries.pop_back();
}

void ScheduleRanking::judgeAll(const ScheduleCandidate &candidate,
                               ArrayRef<unsigned> arrangements) {
  rater.rateAll(
      candidate, arrangements, [&] { return best(); },
      [&](const CandidateRater::Rated &rated) { consider(rated); });
}

void ScheduleRanking::judge(const Schedule &schedule,
                            const ScheduleCandidate &candidate) {
  rater.rate(schedule, candidate,
             [&](const CandidateRater::Rated &rated) { consider(rated); });
}

void ScheduleRanking::finish(SearchResult &result) {
  result.candidates = candidates();
  result.legal = rater.legal;
  result.bounded = rater.bounded;
  sortRefusals(rater.refusals);
  result.refusals = std::move(rater.refusals);
}
