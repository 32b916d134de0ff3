//===- ScheduleRanking.cpp - Candidates judged, the best kept -------------===//
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

/// `isMoreStages`: the schedule looked at last with other stages.
bool ScheduleRanking::isLegal(const Schedule &schedule, bool isMoreStages) {
  ++candidates;
  if (std::optional<std::string> why = isMoreStages
                                           ? checker.checkStages(schedule)
                                           : checker.check(schedule)) {
    if (options.ranked > 1)
      countRefusal(refusals, *why);
    lastReason = std::move(*why);
    return false;
  }
  ++legal;
  return true;
}

/// Whether two candidates differ in their stages at most.
static bool sameTiles(const Schedule &a, const Schedule &b) {
  return a.tiles == b.tiles && a.warps == b.warps &&
         llvm::equal(a.products, b.products,
                     [](const ProductMapping &x, const ProductMapping &y) {
                       return x.warps[0] == y.warps[0];
                     });
}

/// Compares a legal schedule with the best ones; nullopt where it may spill.
std::optional<Cost>
ScheduleRanking::consider(const Schedule &schedule,
                          const ScheduleCandidate &candidate) {
  // Some more than asked for are where the evolutionary search starts.
  constexpr size_t kept = 8;
  RatedSchedule rated;
  rated.footprint = checker.footprint();
  // What is drawn to test lowering may use all there are.
  if (!options.randomSeed &&
      !hasRegisterRoom(schedule, rated.footprint, chip)) {
    lastReason = kNoRegisterRoom;
    if (options.ranked > 1)
      countRefusal(refusals, lastReason);
    return std::nullopt;
  }
  rated.cost = predictCost(group, schedule, rated.footprint, chip);
  rated.modelSeconds = rated.cost.total;
  if (options.model != ModelKind::Default) {
    std::optional<double> seconds =
        predictSeconds(options.model, group, schedule, chip, lastReason);
    rated.modelSeconds = seconds.value_or(kNever);
  }
  size_t most = std::max<size_t>(kept, options.ranked);
  if (rated.modelSeconds == kNever ||
      (entries.size() == most &&
       rated.modelSeconds > entries.back().rated.modelSeconds))
    return rated.cost;
  rated.schedule = schedule;
  // Of the candidates that differ in their stages the best one is ranked.
  auto known = llvm::find_if(entries, [&](const Entry &other) {
    return sameTiles(other.rated.schedule, schedule);
  });
  if (known != entries.end()) {
    if (!isBetter(rated, known->rated))
      return rated.cost;
    entries.erase(known);
  }
  Cost cost = rated.cost;
  auto place = llvm::upper_bound(entries, rated,
                                 [](const RatedSchedule &a, const Entry &b) {
                                   return isBetter(a, b.rated);
                                 });
  entries.insert(place, Entry{std::move(rated), candidate});
  if (entries.size() > most)
    entries.pop_back();
  return cost;
}

/// The same schedule with more stages, as far as they can make it faster than
/// the best one: stages change nothing about the bytes that blocks move and the
/// work.
void ScheduleRanking::pipeline(Schedule &schedule,
                               ScheduleCandidate candidate) {
  candidate.stages = candidate.registerStages = 1;
  std::optional<Cost> considered = consider(schedule, candidate);
  if (!considered)
    return;
  const Cost &one = *considered;
  double compulsory = entries.empty()
                          ? 0
                          : entries.front().rated.footprint.compulsoryBytes /
                                chip.dramBytesPerSecond;
  double leastTime = one.launch + one.combine +
                     std::max({compulsory, one.l2, one.shared, one.compute});
  if (hasBounds() && leastTime >= best()) {
    ++bounded;
    return;
  }
  if (seesTilesOnly(options.model))
    return;
  bool hasLoads = !listPipelinedLoads(schedule).empty();
  for (unsigned registers = 1; registers <= options.mostRegisterStages;
       ++registers)
    for (unsigned stages : space.stages()) {
      if (stages > 1 && !hasLoads)
        break;
      if (stages == 1 && registers == 1)
        continue;
      space.build().setStages(schedule, stages, registers);
      if (!isLegal(schedule, /*isMoreStages=*/true))
        break; // more would not fit either
      candidate.stages = stages;
      candidate.registerStages = registers;
      consider(schedule, candidate);
    }
}

/// The candidate's loops and tiles with these arrangements of warps, and
/// stages.
void ScheduleRanking::judgeAll(const ScheduleCandidate &candidate,
                               ArrayRef<unsigned> arrangements) {
  if (!space.fillsParts(candidate))
    return;
  Schedule schedule = space.outline(candidate);
  ScheduleCandidate own = candidate;
  for (unsigned number : arrangements) {
    const Arrangement &arrangement = space.arrangements()[number];
    if (!space.divides(arrangement, schedule.tiles))
      continue;
    space.build().arrange(schedule, arrangement);
    own.arrangement = number;
    if (isLegal(schedule))
      pipeline(schedule, own);
  }
}

double ScheduleRanking::estimate(const ScheduleCandidate &candidate) const {
  if (!space.mayFit(space.tilesOf(candidate)) || !space.fillsParts(candidate) ||
      !space.divides(space.arrangements()[candidate.arrangement],
                     space.tilesOf(candidate)))
    return kNever;
  Schedule schedule = space.complete(candidate);
  Footprint own;
  if (checkSchedule(group, schedule, chip, &own) ||
      !hasRegisterRoom(schedule, own, chip))
    return kNever;
  if (options.model == ModelKind::Default)
    return predictCost(group, schedule, own, chip).total;
  std::string reason;
  return predictSeconds(options.model, group, schedule, chip, reason)
      .value_or(kNever);
}

void ScheduleRanking::judge(const Schedule &schedule,
                            const ScheduleCandidate &candidate) {
  if (isLegal(schedule))
    consider(schedule, candidate);
}

void ScheduleRanking::finish(SearchResult &result) {
  for (Entry &entry : entries)
    result.ranking.push_back(std::move(entry.rated));
  entries.clear();
  result.candidates = candidates;
  result.legal = legal;
  result.bounded = bounded;
  sortRefusals(refusals);
  result.refusals = std::move(refusals);
}
