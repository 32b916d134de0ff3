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

/// Returns whether two schedules have the same tiles and warps: searches
/// continue from the better one only.
static bool sameTiles(const Schedule &a, const Schedule &b) {
  return a.tiles == b.tiles && a.warps == b.warps &&
         llvm::equal(
             a.contractions, b.contractions,
             [](const ContractionMapping &x, const ContractionMapping &y) {
               return x.warps[0] == y.warps[0];
             });
}

static bool sameLoops(const TilingTree &a, const TilingTree &b) {
  return llvm::equal(a, b, [](const TilingNode &x, const TilingNode &y) {
    return x.kind == y.kind && x.index == y.index &&
           sameLoops(x.children, y.children);
  });
}

/// Returns whether two schedules differ at most in stages, mainloop policy and
/// the order of blocks. Among such schedules only the best one is reported.
static bool sameChoices(const Schedule &a, const Schedule &b) {
  return sameTiles(a, b) && a.splits == b.splits &&
         llvm::equal(
             a.contractions, b.contractions,
             [](const ContractionMapping &x, const ContractionMapping &y) {
               return x.intrinsic == y.intrinsic;
             }) &&
         sameLoops(a.tree, b.tree);
}

void ScheduleRanking::insert(std::vector<Entry> &list, size_t most,
                             const CandidateEvaluator::Costed &costed,
                             SameChoices isSame) {
  if (costed.seconds == kNever ||
      (list.size() == most && costed.seconds > list.back().costed.modelSeconds))
    return;
  CostedSchedule own{costed.schedule, costed.footprint, costed.cost,
                     costed.seconds, std::nullopt};
  auto known = llvm::find_if(list, [&](const Entry &other) {
    return isSame(other.costed.schedule, costed.schedule);
  });
  if (known != list.end()) {
    if (!isBetter(own, known->costed))
      return;
    list.erase(known);
  }
  auto place =
      llvm::upper_bound(list, own, [](const CostedSchedule &a, const Entry &b) {
        return isBetter(a, b.costed);
      });
  list.insert(place, Entry{std::move(own), costed.candidate});
  ++changed;
  if (list.size() > most)
    list.pop_back();
}

/// Compares a legal schedule with the best ones.
void ScheduleRanking::consider(const CandidateEvaluator::Costed &costed) {
  if (!isChosen)
    insert(entries, kStarts, costed, sameTiles);
  if (options.ranked > 1)
    insert(runners, maxRunners(), costed, sameChoices);
}

void ScheduleRanking::evaluateAll(const ScheduleCandidate &candidate,
                                  ArrayRef<unsigned> arrangements,
                                  const MainloopPolicy *only) {
  if (cluster && candidate.cluster != *cluster)
    return;
  evaluator.evaluateAll(
      candidate, arrangements, [&] { return limit(); },
      [&](const CandidateEvaluator::Costed &costed) { consider(costed); },
      only);
}

void ScheduleRanking::judge(const Schedule &schedule,
                            const ScheduleCandidate &candidate) {
  evaluator.rate(
      schedule, candidate,
      [&](const CandidateEvaluator::Costed &costed) { consider(costed); });
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
  const Schedule chosen = best.front().costed.schedule;
  for (Entry &runner : runners)
    if (best.size() < options.ranked &&
        !sameChoices(runner.costed.schedule, chosen))
      best.push_back(std::move(runner));
  return best;
}
