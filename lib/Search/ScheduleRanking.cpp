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

/// Whether tiles and warps are the same, as far as searches go on from both.
static bool sameTiles(const Schedule &a, const Schedule &b) {
  return a.tiles == b.tiles && a.warps == b.warps &&
         llvm::equal(a.products, b.products,
                     [](const ProductMapping &x, const ProductMapping &y) {
                       return x.warps[0] == y.warps[0];
                     });
}

static bool sameLoops(const TilingTree &a, const TilingTree &b) {
  return llvm::equal(a, b, [](const TilingNode &x, const TilingNode &y) {
    return x.kind == y.kind && x.index == y.index &&
           sameLoops(x.children, y.children);
  });
}

/// Whether two candidates differ in stages, movement and the order of blocks at
/// most: of these the best one is reported.
static bool sameChoices(const Schedule &a, const Schedule &b) {
  return sameTiles(a, b) && a.splits == b.splits &&
         llvm::equal(a.products, b.products,
                     [](const ProductMapping &x, const ProductMapping &y) {
                       return x.intrinsic == y.intrinsic;
                     }) &&
         sameLoops(a.tree, b.tree);
}

void ScheduleRanking::insert(std::vector<Entry> &list, size_t most,
                             const CandidateRater::Rated &rated,
                             SameChoices isSame) {
  if (rated.seconds == kNever ||
      (list.size() == most && rated.seconds > list.back().rated.modelSeconds))
    return;
  RatedSchedule own{rated.schedule, rated.footprint, rated.cost, rated.seconds,
                    std::nullopt};
  auto known = llvm::find_if(list, [&](const Entry &other) {
    return isSame(other.rated.schedule, rated.schedule);
  });
  if (known != list.end()) {
    if (!isBetter(own, known->rated))
      return;
    list.erase(known);
  }
  auto place =
      llvm::upper_bound(list, own, [](const RatedSchedule &a, const Entry &b) {
        return isBetter(a, b.rated);
      });
  list.insert(place, Entry{std::move(own), rated.candidate});
  ++changed;
  if (list.size() > most)
    list.pop_back();
}

/// Compares a legal schedule with the best ones.
void ScheduleRanking::consider(const CandidateRater::Rated &rated) {
  if (!isChosen)
    insert(entries, kStarts, rated, sameTiles);
  if (options.ranked > 1)
    insert(runners, mostRunners(), rated, sameChoices);
}

void ScheduleRanking::judgeAll(const ScheduleCandidate &candidate,
                               ArrayRef<unsigned> arrangements,
                               const Movement *only) {
  if (cluster && candidate.cluster != *cluster)
    return;
  rater.rateAll(
      candidate, arrangements, [&] { return limit(); },
      [&](const CandidateRater::Rated &rated) { consider(rated); }, only);
}

void ScheduleRanking::judge(const Schedule &schedule,
                            const ScheduleCandidate &candidate) {
  rater.rate(schedule, candidate,
             [&](const CandidateRater::Rated &rated) { consider(rated); });
}

std::vector<ScheduleCandidate> ScheduleRanking::candidates() const {
  std::vector<ScheduleCandidate> list;
  for (const Entry &entry : starts())
    list.push_back(entry.candidate);
  return list;
}

void ScheduleRanking::choose() {
  isChosen = true;
  judged.clear();
}

std::vector<ScheduleRanking::Entry> ScheduleRanking::take() {
  std::vector<Entry> best;
  if (entries.empty())
    return best;
  best.push_back(std::move(entries.front()));
  const Schedule chosen = best.front().rated.schedule;
  for (Entry &runner : runners)
    if (best.size() < options.ranked &&
        !sameChoices(runner.rated.schedule, chosen))
      best.push_back(std::move(runner));
  return best;
}
