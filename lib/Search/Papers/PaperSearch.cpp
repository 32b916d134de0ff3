//===- PaperSearch.cpp - Schedules out of the papers' spaces --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/PaperSearch.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Search/Papers/ChimeraSearch.h"
#include "fusion/Search/Papers/PaperOrder.h"
#include "fusion/Search/Space/CandidateEvaluator.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <shared_mutex>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class PaperSearch {
public:
  PaperSearch(const GroupModel &group, const ChipInfo &chip,
              const SearchOptions &options, const PaperSpace &space,
              std::optional<double> paddingLoss)
      : group(group), chip(chip), options(options), space(space),
        paddingLoss(paddingLoss), builder(group, chip),
        arrangements(builder.allArrangements()) {}

  std::optional<SearchResult> run(std::string &reason);

  // As Evolution.h asks for it.
  using Candidate = PaperCandidate;
  Candidate random(Random &numbers) const { return space.random(numbers); }
  Candidate mutate(const Candidate &candidate, Random &numbers) const {
    return options.convergence == Convergence::Printed
               ? space.mutate(candidate, numbers)
               : space.mutateAll(candidate, numbers);
  }
  double estimate(const Candidate &candidate) const;

private:
  void searchAll(SearchResult &result);
  bool searchByTiles(SearchResult &result, size_t maxBranches);
  double minSeconds(unsigned expression, ArrayRef<int64_t> least,
                    ArrayRef<int64_t> most);
  double minMovement(unsigned expression, ArrayRef<int64_t> least,
                     ArrayRef<int64_t> most);
  Schedule outline(const PaperCandidate &candidate) const;
  std::optional<CostedSchedule> complete(const PaperCandidate &candidate,
                                         std::string &reason) const;
  std::optional<CostedSchedule>
  countAndComplete(const PaperCandidate &candidate);
  void take(CostedSchedule costed, SearchResult &result) const;
  unsigned wanted() const { return std::max(1u, options.ranked); }
  std::vector<PaperCandidate> closedForm() const;
  bool evolveAll(SearchResult &result, std::string &reason);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const PaperSpace &space;
  std::optional<double> paddingLoss;
  ScheduleBuilder builder;
  std::vector<WarpArrangement> arrangements;
  std::map<uint64_t, DataMovement> movements; ///< by expression and live loops
  mutable std::shared_mutex mutex;            ///< guards what follows
  mutable LookedAt looked;
  mutable std::map<PaperCandidate, double> estimates; ///< of the evolution
};

/// Measures the schedules that candidates stand for.
class CandidateMeasurement : public Measurement<PaperCandidate> {
public:
  using Complete = std::function<std::optional<CostedSchedule>(
      const PaperCandidate &candidate)>;
  CandidateMeasurement(Measurement<Schedule> &device, Complete complete)
      : device(device), complete(std::move(complete)) {}

  llvm::StringRef name() const override { return device.name(); }
  std::optional<double> measure(const PaperCandidate &candidate) override {
    std::optional<CostedSchedule> costed = complete(candidate);
    return costed ? device.measure(costed->schedule) : std::nullopt;
  }

private:
  Measurement<Schedule> &device;
  Complete complete;
};

} // namespace

/// Returns the schedule with tree, tiles and grid; its contractions are not
/// mapped to warps yet.
Schedule PaperSearch::outline(const PaperCandidate &candidate) const {
  Schedule schedule = builder.base();
  ArrayRef<int64_t> tiles = space.tilesOf(candidate);
  schedule.tiles.assign(tiles.begin(), tiles.end());
  builder.setLoops(schedule, space.expressions()[candidate.expression],
                   options.rules.removeDeadLoops);
  builder.placeTensors(schedule);
  return schedule;
}

/// Returns the fastest legal schedule of the candidate, or nullopt if lowering
/// rejects all. Thread-safe.
std::optional<CostedSchedule>
PaperSearch::complete(const PaperCandidate &candidate,
                      std::string &reason) const {
  Schedule schedule = outline(candidate);
  std::optional<CostedSchedule> best;
  std::string why, ofModel;
  unsigned stages = options.model == ModelKind::Alcop ? options.maxStages : 1;
  unsigned registerStages =
      options.model == ModelKind::Alcop ? options.maxRegisterStages : 1;
  auto isTaken = [&](const CostedSchedule &costed) {
    if (!best)
      return true;
    if (!seesTilesOnly(options.model))
      return isBetter(costed, *best);
    return costed.cost.total < best->cost.total;
  };
  for (const WarpArrangement &arrangement : arrangements) {
    builder.arrange(schedule, arrangement);
    auto loads = listPipelinedLoads(schedule);
    for (unsigned fragments = 1; fragments <= registerStages; ++fragments)
      for (unsigned depth = 1; depth <= (loads.empty() ? 1 : stages); ++depth) {
        builder.setRegisterStages(schedule, fragments);
        builder.setStages(schedule, depth, loads);
        if (auto illegal = checkSchedule(group, schedule, chip)) {
          if (why.empty())
            why = *illegal;
          break;
        }
        Footprint footprint = computeFootprint(group, schedule);
        if (!hasRegisterRoom(schedule, footprint, chip)) {
          if (why.empty())
            why = kNoRegisterRoom;
          break;
        }
        Cost cost = predictCost(group, schedule, footprint, chip);
        CostedSchedule costed{schedule, footprint, cost, cost.total, {}};
        if (options.model != ModelKind::Default) {
          std::optional<double> seconds =
              predictSeconds(options.model, group, schedule, chip, ofModel);
          if (!seconds) {
            if (why.empty())
              why = ofModel;
            break;
          }
          costed.modelSeconds = *seconds;
        }
        if (isTaken(costed))
          best = std::move(costed);
      }
  }
  if (!best)
    reason = std::move(why);
  return best;
}

/// Counts and completes a candidate that is looked at for the first time.
std::optional<CostedSchedule>
PaperSearch::countAndComplete(const PaperCandidate &candidate) {
  std::string reason;
  std::optional<CostedSchedule> costed = complete(candidate, reason);
  looked.count(costed.has_value(), reason);
  return costed;
}

/// Returns the predicted seconds of a candidate by the chosen model. Results
/// are cached, as a population has equal candidates many times.
double PaperSearch::estimate(const Candidate &candidate) const {
  {
    std::shared_lock lock(mutex);
    auto known = estimates.find(candidate);
    if (known != estimates.end())
      return known->second;
  }
  std::string reason;
  std::optional<CostedSchedule> costed = complete(candidate, reason);
  double seconds = costed ? costed->modelSeconds : kNever;
  std::unique_lock lock(mutex);
  if (estimates.try_emplace(candidate, seconds).second)
    looked.count(costed.has_value(), reason);
  return seconds;
}

//===----------------------------------------------------------------------===//
// Exhaustive search
//===----------------------------------------------------------------------===//

/// Returns a lower bound of Chimera's data movement volume DV for tiles between
/// two bounds.
double PaperSearch::minMovement(unsigned expression, ArrayRef<int64_t> least,
                                ArrayRef<int64_t> most) {
  uint64_t key = expression;
  for (auto [index, axis] : llvm::enumerate(group.axes))
    key = key << 1 | (axis.extent > least[index]);
  auto found = movements.find(key);
  if (found == movements.end()) {
    PaperCandidate candidate;
    candidate.expression = expression;
    llvm::copy(least, candidate.tiles.begin());
    MovementReading reading = options.model == ModelKind::ChimeraPrinted
                                  ? MovementReading::Printed
                                  : MovementReading::Observation2;
    found =
        movements
            .emplace(key,
                     analyzeDataMovement(
                         group, executionOrder(group, outline(candidate).tree),
                         reading))
            .first;
  }
  double bytes = 0;
  for (const TensorMovement &entry : found->second.tensors)
    if (entry.volume)
      bytes +=
          static_cast<double>(entry.volume->minClipped(group, least, most)) *
          group.tensors[entry.tensor].elementBytes;
  return bytes / chip.dramBytesPerSecond;
}

double PaperSearch::minSeconds(unsigned expression, ArrayRef<int64_t> least,
                               ArrayRef<int64_t> most) {
  if (options.model != ModelKind::McFuser)
    return minMovement(expression, least, most);
  return space.model(expression, least).predictAtLeast(least, most).total;
}

/// Takes a schedule into the result. Among equal ones, models that see tiles
/// alone take the first, as the papers do.
void PaperSearch::take(CostedSchedule costed, SearchResult &result) const {
  auto isBefore = [&](const CostedSchedule &a, const CostedSchedule &b) {
    return seesTilesOnly(options.model) ? a.modelSeconds < b.modelSeconds
                                        : isBetter(a, b);
  };
  auto place = llvm::upper_bound(result.ranking, costed, isBefore);
  result.ranking.insert(place, std::move(costed));
  if (result.ranking.size() > wanted())
    result.ranking.pop_back();
}

/// Evaluates candidates in ascending order of predicted time until enough of
/// them can be lowered. Returns whether that took at most the allowed branches.
bool PaperSearch::searchByTiles(SearchResult &result, size_t maxBranches) {
  PaperOrder order(
      group, space,
      [&](unsigned expression, ArrayRef<int64_t> least,
          ArrayRef<int64_t> most) {
        return minSeconds(expression, least, most);
      },
      maxBranches);
  int64_t tried = 0;
  while (result.ranking.size() < wanted()) {
    std::optional<PaperOrder::Costed> next = order.next();
    if (!next)
      break;
    ++tried;
    if (std::optional<CostedSchedule> costed =
            countAndComplete(next->candidate))
      take(std::move(*costed), result);
  }
  looked.bounded += order.candidates() - tried;
  return !order.hasGivenUp();
}

/// Evaluates every candidate, for models that see more than tiles.
void PaperSearch::searchAll(SearchResult &result) {
  space.forEachTiles([&](ArrayRef<int64_t> tiles) {
    PaperCandidate candidate;
    llvm::copy(tiles, candidate.tiles.begin());
    for (unsigned each = 0; each < space.expressions().size(); ++each) {
      candidate.expression = each;
      if (std::optional<CostedSchedule> costed = countAndComplete(candidate))
        take(std::move(*costed), result);
    }
  });
}

//===----------------------------------------------------------------------===//
// Evolutionary search
//===----------------------------------------------------------------------===//

/// Returns Chimera's closed-form tiles for the chain of two contractions, in
/// every expression. Returns no candidates for other groups, or if the tiles
/// are not in the search space.
std::vector<PaperCandidate> PaperSearch::closedForm() const {
  std::vector<PaperCandidate> seeds;
  auto tiles = closedFormTiles(
      group, chip, [&](unsigned axis) { return space.tileChoices(axis); });
  if (!tiles || !space.admits(*tiles))
    return seeds;
  PaperCandidate candidate;
  llvm::copy(*tiles, candidate.tiles.begin());
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    candidate.expression = each;
    seeds.push_back(candidate);
  }
  return seeds;
}

bool PaperSearch::evolveAll(SearchResult &result, std::string &reason) {
  EvolutionOptions evolution;
  evolution.convergence = options.convergence;
  evolution.seed = options.seed;
  evolution.threads = options.threads;
  std::optional<CandidateMeasurement> device;
  std::string why; // a candidate that was drawn is of no use
  if (options.measurement)
    device.emplace(*options.measurement, [&](const PaperCandidate &candidate) {
      return complete(candidate, why);
    });
  // The algorithm as printed starts from nothing but draws.
  std::vector<PaperCandidate> seeds;
  if (options.convergence != Convergence::Printed)
    seeds = closedForm();
  auto found = evolve(*this, evolution, device ? &*device : nullptr, seeds);
  if (!found) {
    reason = "no candidate that was drawn can be lowered";
    return false;
  }
  result.measuredBy = found->measuredBy;
  result.ranking.push_back(*complete(found->best, why));
  if (options.measurement)
    result.ranking.front().measuredSeconds = found->seconds;
  for (const PaperCandidate &candidate : found->others)
    if (result.ranking.size() < options.ranked)
      if (std::optional<CostedSchedule> costed = complete(candidate, why))
        result.ranking.push_back(std::move(*costed));
  return true;
}

std::optional<SearchResult> PaperSearch::run(std::string &reason) {
  SearchResult result;
  SpaceCounts counts;
  static_cast<PaperSpaceCounts &>(counts) = space.count();
  PaperSpaceOptions other = options.rules;
  other.flat = options.space == SpaceKind::Paper;
  other.unit = FootprintUnit::Elements;
  if (auto inElements = PaperSpace::create(group, chip, other, reason))
    counts.afterRule4InElements = inElements->count().candidates[4];
  counts.padding = options.rules.padding;
  counts.paddingLoss = paddingLoss;
  result.counts = counts;

  // A branch takes tens of nanoseconds and bytes; a candidate whose warps have
  // to be arranged some microseconds.
  constexpr size_t branches = 1 << 18, candidates = 1 << 13, patience = 1 << 6;
  bool isLimited = options.method == SearchMethod::Auto;
  result.method = SearchMethod::Exhaustive;
  if (options.method == SearchMethod::Evolutionary) {
    result.method = SearchMethod::Evolutionary;
  } else if (options.method == SearchMethod::Descents) {
    reason = "descents are a search of space 'default'";
    return std::nullopt;
  } else if (seesTilesOnly(options.model)) {
    size_t most = isLimited ? branches : branches * patience;
    if (!searchByTiles(result, most)) {
      if (!isLimited) {
        reason = "the best of " + toText(counts.candidates[4]) +
                 " candidates is not found with " + std::to_string(most) +
                 " branches; use the evolutionary search";
        return std::nullopt;
      }
      result.method = SearchMethod::Evolutionary;
    }
  } else if (counts.candidates[4] <=
             (isLimited ? candidates : candidates * patience)) {
    searchAll(result);
  } else if (isLimited) {
    result.method = SearchMethod::Evolutionary;
  } else {
    reason = toText(counts.candidates[4]) +
             " candidates are too many to list; use the evolutionary search";
    return std::nullopt;
  }
  if (result.method == SearchMethod::Evolutionary) {
    result.ranking.clear();
    looked = {}; // without the unfinished exhaustive search's counts
    if (!evolveAll(result, reason))
      return std::nullopt;
  } else {
    result.isProven = true;
    if (options.measurement &&
        measureRanking(result.ranking, *options.measurement))
      result.measuredBy = options.measurement->name();
  }
  looked.finish(result);
  if (result.ranking.empty()) {
    reason = "none of " + std::to_string(result.candidates) +
             " candidates can be lowered";
    if (!result.rejections.empty())
      reason += "; of most: " + result.rejections.front().first;
    return std::nullopt;
  }
  if (result.ranking.size() > wanted())
    result.ranking.resize(wanted());
  static_cast<CostedSchedule &>(result) = result.ranking.front();
  return result;
}

std::optional<SearchResult>
fusion::searchPaperSpace(const GroupModel &group, const ChipInfo &chip,
                         std::string &reason, const SearchOptions &options) {
  SearchOptions own = options;
  own.rules.flat = options.space == SpaceKind::Paper;
  PaddingRule &padding = own.rules.padding;
  std::optional<double> loss;
  if (padding == PaddingRule::Auto || padding == PaddingRule::Printed)
    loss = lossByPadding(group, chip, own.rules);
  if (padding == PaddingRule::Auto)
    padding = loss && *loss <= kAllowedLoss ? PaddingRule::Printed
                                            : PaddingRule::LeastOfTrips;
  std::optional<PaperSpace> space =
      PaperSpace::create(group, chip, own.rules, reason);
  if (!space)
    return std::nullopt;
  return PaperSearch(group, chip, own, *space, loss).run(reason);
}
