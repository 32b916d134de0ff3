//===- PaperSearch.cpp - Schedules out of the papers' spaces --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/DataMovement.h"
#include "fusion/Search/ScheduleBuilder.h"
#include "fusion/Search/ScheduleSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <mutex>
#include <shared_mutex>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class PaperSearch {
public:
  PaperSearch(const GroupModel &group, const ChipInfo &chip,
              const SearchOptions &options, const PaperSpace &space)
      : group(group), chip(chip), options(options), space(space),
        builder(group, chip), arrangements(builder.allArrangements()) {}

  std::optional<SearchResult> run(std::string &reason);

  // As Evolution.h asks for it.
  using Candidate = PaperCandidate;
  Candidate random(Random &numbers) const { return space.random(numbers); }
  Candidate mutate(const Candidate &candidate, Random &numbers) const {
    return options.convergence == Convergence::Printed
               ? space.mutate(candidate, numbers)
               : space.mutateAll(candidate, numbers);
  }
  double estimate(const Candidate &candidate) const {
    std::optional<RatedSchedule> rated = complete(candidate);
    return rated ? rated->modelSeconds : kNever;
  }

private:
  /// A candidate in few bytes: its expression and the mixed-radix number of its
  /// tiles.
  struct Listed {
    double seconds;
    uint64_t tiles;
    unsigned expression;
  };

  std::vector<Listed> listAll();
  PaperCandidate decode(const Listed &listed) const;
  double rate(const PaperCandidate &candidate);
  double rateChimera(const PaperCandidate &candidate);
  Schedule outline(const PaperCandidate &candidate) const;
  std::optional<RatedSchedule> complete(const PaperCandidate &candidate) const;
  void takeBest(ArrayRef<Listed> listed, SearchResult &result) const;
  bool evolveAll(SearchResult &result, std::string &reason);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const PaperSpace &space;
  ScheduleBuilder builder;
  std::vector<Arrangement> arrangements;
  std::map<uint64_t, DataMovement> movements; ///< by expression and live loops
  mutable std::mutex mutex;                   ///< guards what follows
  mutable Refusals refusals;
  mutable int64_t completed = 0, accepted = 0;
};

/// Measures the schedules that candidates stand for.
class CandidateMeasurement : public Measurement<PaperCandidate> {
public:
  using Complete = std::function<std::optional<RatedSchedule>(
      const PaperCandidate &candidate)>;
  CandidateMeasurement(Measurement<Schedule> &device, Complete complete)
      : device(device), complete(std::move(complete)) {}

  llvm::StringRef name() const override { return device.name(); }
  std::optional<double> measure(const PaperCandidate &candidate) override {
    std::optional<RatedSchedule> rated = complete(candidate);
    return rated ? device.measure(rated->schedule) : std::nullopt;
  }

private:
  Measurement<Schedule> &device;
  Complete complete;
};

} // namespace

/// Tree, tiles and grid; the products are not arranged yet.
Schedule PaperSearch::outline(const PaperCandidate &candidate) const {
  Schedule schedule = builder.base();
  ArrayRef<int64_t> tiles = space.tilesOf(candidate);
  schedule.tiles.assign(tiles.begin(), tiles.end());
  // The papers do not say which axes an intrinsic takes; what none takes is
  // walked one by one.
  for (unsigned axis = 0; axis < tiles.size(); ++axis)
    if (!builder.isMapped(axis))
      schedule.tiles[axis] = 1;
  builder.setLoops(schedule, space.expressions()[candidate.expression],
                   options.rules.removeDeadLoops);
  builder.placeTensors(schedule);
  return schedule;
}

/// The best way to run the candidate, or nullopt where lowering refuses all;
/// any number of threads may ask.
std::optional<RatedSchedule>
PaperSearch::complete(const PaperCandidate &candidate) const {
  Schedule schedule = outline(candidate);
  std::optional<RatedSchedule> best;
  std::string why, reason;
  unsigned stages = options.model == ModelKind::Alcop ? options.mostStages : 1;
  unsigned registerStages =
      options.model == ModelKind::Alcop ? options.mostRegisterStages : 1;
  auto isTaken = [&](const RatedSchedule &rated) {
    if (!best)
      return true;
    if (!seesTilesOnly(options.model))
      return isBetter(rated, *best);
    return rated.cost.total < best->cost.total;
  };
  for (const Arrangement &arrangement : arrangements) {
    builder.arrange(schedule, arrangement);
    auto loads = listPipelinedLoads(schedule);
    for (unsigned fragments = 1; fragments <= registerStages; ++fragments)
      for (unsigned depth = 1; depth <= (loads.empty() ? 1 : stages); ++depth) {
        builder.setStages(schedule, depth, fragments, loads);
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
        RatedSchedule rated{schedule, footprint, cost, cost.total, {}};
        if (options.model != ModelKind::Default) {
          std::optional<double> seconds =
              predictSeconds(options.model, group, schedule, chip, reason);
          if (!seconds) {
            if (why.empty())
              why = reason;
            break;
          }
          rated.modelSeconds = *seconds;
        }
        if (isTaken(rated))
          best = std::move(rated);
      }
  }
  std::lock_guard lock(mutex);
  ++completed;
  if (best)
    ++accepted;
  else
    countRefusal(refusals, why);
  return best;
}

double PaperSearch::rateChimera(const PaperCandidate &candidate) {
  uint64_t key = candidate.expression;
  for (auto [index, axis] : llvm::enumerate(group.axes))
    key = key << 1 | (axis.extent > candidate.tiles[index]);
  auto found = movements.find(key);
  if (found == movements.end()) {
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
  ArrayRef<int64_t> tiles = space.tilesOf(candidate);
  double bytes = 0;
  for (const TensorMovement &entry : found->second.tensors)
    if (entry.volume)
      bytes +=
          static_cast<double>(entry.volume->evaluateClipped(group, tiles)) *
          group.tensors[entry.tensor].elementBytes;
  return bytes / chip.dramBytesPerSecond;
}

/// The order in which candidates are completed. Models that need to know more
/// than tiles complete them at once.
double PaperSearch::rate(const PaperCandidate &candidate) {
  switch (options.model) {
  case ModelKind::McFuser:
    return space.estimate(candidate);
  case ModelKind::ChimeraPrinted:
  case ModelKind::ChimeraObs2:
    return rateChimera(candidate);
  case ModelKind::Default:
  case ModelKind::Alcop:
    return estimate(candidate);
  }
  llvm_unreachable("covered switch");
}

/// All candidates that the model takes, best first.
std::vector<PaperSearch::Listed> PaperSearch::listAll() {
  std::vector<Listed> listed;
  space.forEachTiles([&](ArrayRef<int64_t> tiles) {
    PaperCandidate candidate;
    llvm::copy(tiles, candidate.tiles.begin());
    uint64_t number = 0;
    for (auto [axis, tile] : llvm::enumerate(tiles)) {
      ArrayRef<int64_t> list = space.tileChoices(axis);
      number = number * list.size() + (llvm::find(list, tile) - list.begin());
    }
    for (unsigned each = 0; each < space.expressions().size(); ++each) {
      candidate.expression = each;
      double seconds = rate(candidate);
      if (seconds != kNever)
        listed.push_back({seconds, number, each});
    }
  });
  llvm::sort(listed, [](const Listed &a, const Listed &b) {
    return std::tie(a.seconds, a.tiles, a.expression) <
           std::tie(b.seconds, b.tiles, b.expression);
  });
  return listed;
}

PaperCandidate PaperSearch::decode(const Listed &listed) const {
  PaperCandidate candidate;
  candidate.expression = listed.expression;
  uint64_t number = listed.tiles;
  for (unsigned axis = group.axes.size(); axis-- > 0;) {
    ArrayRef<int64_t> list = space.tileChoices(axis);
    candidate.tiles[axis] = list[number % list.size()];
    number /= list.size();
  }
  return candidate;
}

/// From the best on. Of equals, models that see tiles alone take the first, as
/// the papers do; for the others all equals are looked at.
void PaperSearch::takeBest(ArrayRef<Listed> listed,
                           SearchResult &result) const {
  unsigned wanted = std::max(1u, options.ranked);
  for (const Listed &each : listed) {
    if (result.ranking.size() >= wanted &&
        (each.seconds > result.ranking.back().modelSeconds ||
         seesTilesOnly(options.model)))
      break;
    std::optional<RatedSchedule> rated = complete(decode(each));
    if (!rated)
      continue;
    auto place =
        llvm::upper_bound(result.ranking, *rated,
                          [&](const RatedSchedule &a, const RatedSchedule &b) {
                            return seesTilesOnly(options.model)
                                       ? a.modelSeconds < b.modelSeconds
                                       : isBetter(a, b);
                          });
    result.ranking.insert(place, std::move(*rated));
    if (result.ranking.size() > wanted)
      result.ranking.pop_back();
  }
}

bool PaperSearch::evolveAll(SearchResult &result, std::string &reason) {
  EvolutionOptions evolution;
  evolution.convergence = options.convergence;
  evolution.seed = options.seed;
  evolution.threads = options.threads;
  std::optional<CandidateMeasurement> device;
  if (options.measurement)
    device.emplace(*options.measurement, [&](const PaperCandidate &candidate) {
      return complete(candidate);
    });
  auto found = evolve(*this, evolution, device ? &*device : nullptr);
  if (!found) {
    reason = "no candidate that was drawn can be lowered";
    return false;
  }
  result.measuredBy = found->measuredBy;
  result.candidates = found->estimates;
  result.ranking.push_back(*complete(found->best));
  if (options.measurement)
    result.ranking.front().measuredSeconds = found->seconds;
  for (const PaperCandidate &candidate : found->others)
    if (result.ranking.size() < options.ranked)
      if (std::optional<RatedSchedule> rated = complete(candidate))
        result.ranking.push_back(std::move(*rated));
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
  result.counts = counts;

  // Each takes tens of nanoseconds by tiles alone, some microseconds where
  // warps have to be arranged, and 24 bytes in the list.
  const uint64_t affordable = seesTilesOnly(options.model) ? 1 << 20 : 1 << 13;
  const uint64_t most = affordable << 6;
  result.method = options.method;
  if (result.method == SearchMethod::Auto)
    result.method = counts.candidates[4] <= affordable
                        ? SearchMethod::Exhaustive
                        : SearchMethod::Evolutionary;
  if (result.method == SearchMethod::Evolutionary) {
    if (!evolveAll(result, reason))
      return std::nullopt;
  } else {
    if (counts.candidates[4] > most) {
      reason = toText(counts.candidates[4]) +
               " candidates are too many to list; use the evolutionary search";
      return std::nullopt;
    }
    result.candidates = static_cast<int64_t>(counts.candidates[4]);
    takeBest(listAll(), result);
    result.isProven = true;
    if (options.measurement &&
        measureRanking(result.ranking, *options.measurement))
      result.measuredBy = options.measurement->name();
  }
  sortRefusals(refusals);
  if (result.ranking.empty()) {
    reason = "none of " + std::to_string(result.candidates) +
             " candidates can be lowered";
    if (!refusals.empty())
      reason += "; of most: " + refusals.front().first;
    return std::nullopt;
  }
  if (result.ranking.size() > std::max(1u, options.ranked))
    result.ranking.resize(std::max(1u, options.ranked));
  static_cast<RatedSchedule &>(result) = result.ranking.front();
  result.legal = accepted;
  result.refusals = std::move(refusals);
  return result;
}

std::optional<SearchResult>
fusion::searchPaperSpace(const GroupModel &group, const ChipInfo &chip,
                         std::string &reason, const SearchOptions &options) {
  PaperSpaceOptions rules = options.rules;
  rules.flat = options.space == SpaceKind::Paper;
  std::optional<PaperSpace> space =
      PaperSpace::create(group, chip, rules, reason);
  if (!space)
    return std::nullopt;
  return PaperSearch(group, chip, options, *space).run(reason);
}
