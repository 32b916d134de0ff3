//===- ScheduleSearch.cpp - Chooses the schedule of a chain ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search of the default space has these steps:
// * Tiles that are powers of two, in the nest of reductions, give a first
//   answer within milliseconds.
// * Descents from many trees give a good one.
// * Branch and bound takes all loops and tiles in ascending order of their
//   lower bounds, until these exceed the best time.
// * Where there are too many of them, restarts of descents and the tiles of the
//   best loops and splits follow.
// * The evolutionary algorithm, if it is asked for, replaces descents and
//   branch and bound, and starts from the first answers.
// * At last one choice after the other is tried again in the best schedules.
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/ScheduleSearch.h"
#include "BranchAndBound.h"
#include "LocalSearch.h"
#include "MeasuredRounds.h"
#include "PlaceRefinement.h"
#include "Refinement.h"
#include "RunnersUp.h"
#include "SearchEffort.h"
#include "fusion/Search/Cpu/CpuSearch.h"
#include "fusion/Search/Papers/ChimeraSearch.h"
#include "fusion/Search/Papers/PaperSearch.h"
#include "fusion/Search/Space/Eviction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <mutex>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Rounds of measurement: a device is slow.
constexpr unsigned kRounds = 16;

class Search {
public:
  Search(const GroupModel &group, const ChipInfo &chip,
         const SearchOptions &options)
      : group(group), chip(chip), options(options), space(group, chip, options),
        effort(group, space, options), ranking(group, chip, options, space),
        refinement(group, chip, options, space, ranking) {}

  std::optional<SearchResult> run(std::string &reason);

  // As Evolution.h asks for it.
  using Candidate = ScheduleCandidate;
  Candidate random(Random &numbers) const {
    return space.randomOutline(numbers);
  }
  Candidate mutate(const Candidate &candidate, Random &numbers) const {
    return space.mutateOutline(candidate, numbers);
  }
  double estimate(const Candidate &candidate) const;

private:
  void draw();
  void move(Schedule &schedule, ScheduleCandidate &candidate,
            const ScheduleCandidate &moved);
  void enumerate(ScheduleCandidate &candidate, unsigned axis);
  bool canEnumerate() const;
  void startSimply();
  void startSimply(ScheduleCandidate &candidate);
  void startFromClosedForm();
  void judge(ArrayRef<Descent::Point> points);
  void descend();
  bool searchAll();
  void evolveAll(const std::vector<ScheduleCandidate> &starts);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  ScheduleSpace space;
  SearchEffort effort;
  ScheduleRanking ranking;
  Refinement refinement;
  Refinement::Trees trees;    ///< in blocks alone
  mutable std::mutex mutex;   ///< guards what follows
  mutable LookedAt estimated; ///< by `estimate`
};

} // namespace

/// Draws candidates with any choices until one is legal. What lowering accepts
/// must be right even if no model would choose it.
void Search::draw() {
  constexpr unsigned most = 10000;
  // Clusters and mainloop policies are drawn from a generator of their own, so
  // that the same seed draws equal values of all other fields on every chip.
  Random random(*options.randomSeed), apart(~*options.randomSeed);
  for (unsigned tries = 0; tries < most && ranking.empty(); ++tries) {
    ScheduleCandidate candidate = space.random(random);
    if (!space.divides(space.arrangements()[candidate.arrangement], candidate))
      continue;
    // At first without TMA copies; cp.async has as many stages.
    Schedule schedule = space.complete(candidate);
    for (unsigned tensor : listPipelinedLoads(schedule)) {
      bool isAsync = schedule.places[tensor].transport != fuse::Transport::Sync;
      schedule.places[tensor].stages =
          1 + random.below(std::min(options.maxStages, isAsync ? 8u : 2u));
    }
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (hasFragments(group, schedule, tensor))
        schedule.places[tensor].registerStages =
            1 + random.below(std::max(1u, options.maxRegisterStages));
    ScheduleCandidate moved = candidate;
    space.drawPolicy(moved, apart);
    move(schedule, candidate, moved);
    ranking.judge(schedule, candidate);
  }
}

/// Gives the schedule the clusters and the mainloop policy of `moved`, one
/// change at a time, and keeps each change that is legal. `candidate` then
/// describes the result.
void Search::move(Schedule &schedule, ScheduleCandidate &candidate,
                  const ScheduleCandidate &moved) {
  auto attempt = [&](auto &&change) {
    ScheduleCandidate next = candidate;
    change(next);
    if (next == candidate)
      return;
    // Keeps the stages that were drawn.
    Schedule other = space.complete(next);
    for (auto [place, drawn] : llvm::zip_equal(other.places, schedule.places)) {
      place.stages = drawn.stages;
      place.registerStages = drawn.registerStages;
    }
    if (checkSchedule(group, other, chip))
      return;
    schedule = std::move(other);
    candidate = next;
  };
  const MainloopPolicy &policy = moved.policy;
  // Each tensor by itself, and before clusters, which need TMA copies.
  for (TensorSet left = policy.copied | policy.stored; left; left &= left - 1)
    attempt([&](ScheduleCandidate &next) {
      TensorSet one = left & -left;
      next.policy.copied |= policy.copied & one;
      next.policy.stored |= policy.stored & one;
    });
  for (const ScheduleDimension &dimension : space.dimensions())
    if (!dimension.isDrawnWithLoops && !dimension.isTensorSet)
      attempt([&](ScheduleCandidate &next) {
        for (unsigned index = 0; index < dimension.elements.size(); ++index)
          dimension.set(next, dimension.get(moved, index), index);
      });
}

//===----------------------------------------------------------------------===//
// First answers
//===----------------------------------------------------------------------===//

void Search::enumerate(ScheduleCandidate &candidate, unsigned axis) {
  if (axis == group.axes.size())
    return ranking.evaluateUsual(candidate);
  for (int64_t tile : space.coarseTiles(axis)) {
    candidate.tiles[axis] = tile;
    enumerate(candidate, axis + 1);
  }
}

/// Returns whether all simple tiles can be tried together.
bool Search::canEnumerate() const {
  constexpr double affordable = 1024;
  double combinations = 1;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    combinations *= space.coarseTiles(axis).size();
  return combinations <= affordable;
}

/// Starts with simple tiles for the intrinsics of each unit, which needs tiles
/// of its own.
void Search::startSimply() {
  for (const auto &choice : space.units()) {
    ScheduleCandidate candidate;
    candidate.intrinsics = choice;
    startSimply(candidate);
  }
}

void Search::startSimply(ScheduleCandidate &candidate) {
  if (canEnumerate())
    return enumerate(candidate, 0);
  // Long chains have too many axes to try all tiles together: start with small
  // and with middling tiles, and improve one axis after the other.
  constexpr int64_t starts[] = {16, 64};
  for (int64_t start : starts) {
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      ArrayRef<int64_t> list = space.coarseTiles(axis);
      candidate.tiles[axis] =
          *std::prev(llvm::upper_bound(list, std::max(start, list.front())));
    }
    ranking.evaluateUsual(candidate);
    refinement.tryTiles(&ScheduleSpace::coarseTiles);
  }
}

/// Evaluates Chimera's tiles for the chain of two contractions, in every
/// expression.
void Search::startFromClosedForm() {
  auto tiles = closedFormTiles(
      group, chip, [&](unsigned axis) { return space.allTiles(axis); });
  if (!tiles)
    return;
  ScheduleCandidate candidate;
  llvm::copy(*tiles, candidate.tiles.begin());
  for (const auto &choice : space.units())
    for (unsigned each = 0; each < space.expressions().size(); ++each) {
      candidate.intrinsics = choice;
      candidate.expression = each;
      ranking.evaluateUsual(candidate);
    }
}

//===----------------------------------------------------------------------===//
// Evolution and refinement
//===----------------------------------------------------------------------===//

void Search::judge(ArrayRef<Descent::Point> points) {
  for (const Descent::Point &point : points)
    ranking.evaluateAll(point.candidate, space.everyArrangement());
}

/// Runs the rest of a rough search after the first answers.
void Search::descend() {
  LocalSearch local(group, chip, options, space);
  local.startRoughly(ranking.candidates());
  judge(local.best());
  ranking.addLooked(local.looked());
}

/// Searches all loops, splits, tiles, warps and common stages. Returns whether
/// none of them is better than the best schedule. Where that cannot be proven,
/// restarts and the tiles of the best loops and splits follow.
bool Search::searchAll() {
  LocalSearch local(group, chip, options, space);
  local.start(ranking.candidates());
  judge(local.best());
  auto bound = [&](ArrayRef<BranchRoot> roots, const BranchEffort &effort) {
    return branchAndBound(group, chip, options, space, ranking, roots, effort);
  };
  bool isProven = false;
  if (options.method != SearchMethod::Descents)
    isProven = bound(listRoots(space), options.method == SearchMethod::Auto
                                           ? effort.all
                                           : BranchEffort());
  // No bound covers retained tiles. With one contraction these are operands
  // alone, which the best schedules below try.
  if (!isProven || !space.intermediates().empty())
    local.restart(isProven ? effort.restarts.ofRetained
                           : effort.restarts.ofAll);
  local.finish();
  judge(local.best());
  for (const Descent::Point &point : local.best())
    trees.best.push_back(point.candidate);
  for (const Descent::Point &point : local.descended())
    if (!llvm::is_contained(trees.best, point.candidate))
      trees.others.push_back(point.candidate);
  if (!isProven) {
    // The tiles of the best loops and splits, if not all.
    SmallVector<BranchRoot, 8> roots;
    for (const ScheduleRanking::Entry &entry : ranking.starts()) {
      BranchRoot root{entry.candidate.expression, entry.candidate.splits};
      if (!llvm::is_contained(roots, root))
        roots.push_back(root);
    }
    constexpr size_t most = 3;
    if (roots.size() > most)
      roots.resize(most);
    for (const BranchRoot &root : roots)
      bound(root, effort.root);
  }
  ranking.addLooked(local.looked());
  return isProven;
}

/// Returns the best predicted time with any usual warps and stages, in seconds.
double Search::estimate(const Candidate &candidate) const {
  CandidateEvaluator evaluator(group, chip, options, space);
  double best = kNever;
  evaluator.evaluateAll(
      candidate, space.usualArrangements(), [&] { return best; },
      [&](const CandidateEvaluator::Costed &costed) {
        best = std::min(best, costed.seconds);
      });
  std::lock_guard lock(mutex);
  estimated.add(evaluator.looked);
  return best;
}

/// Runs the evolutionary algorithm twice, with all rounds each: from the first
/// answers, and from draws alone. The first answers lie in one valley, which
/// may not be the best.
void Search::evolveAll(const std::vector<ScheduleCandidate> &starts) {
  EvolutionOptions evolution;
  evolution.convergence = options.convergence;
  evolution.seed = options.seed;
  evolution.threads = options.threads;
  // It takes many rounds until a draw from another valley is better.
  evolution.maxRounds = 64;
  evolution.patience = 24;
  for (ArrayRef<ScheduleCandidate> seeds :
       {ArrayRef(starts), ArrayRef<ScheduleCandidate>()}) {
    auto found = evolve(*this, evolution, nullptr, seeds);
    if (!found)
      continue;
    ranking.evaluateUsual(found->best);
    for (const ScheduleCandidate &other : found->others)
      ranking.evaluateUsual(other);
  }
  ranking.addLooked(estimated);
}

std::optional<SearchResult> Search::run(std::string &reason) {
  SearchResult result;
  if (options.randomSeed) {
    draw();
  } else {
    startSimply();
    startFromClosedForm();
    if (options.method == SearchMethod::Evolutionary)
      evolveAll(ranking.candidates());
    else if (options.isRough)
      descend();
    else
      result.isProven = searchAll();
    if (!result.isProven)
      result.method = options.method == SearchMethod::Evolutionary
                          ? SearchMethod::Evolutionary
                          : SearchMethod::Descents;
    refinement.run();
    refineStages(group, options, space, ranking);
    if (!options.isRough)
      refineTiles(group, options, space, ranking);
    refinement.tryClusters(trees);
    refinement.trySplitsInClusters(trees);
    if (!options.isRough)
      refinement.settleTies();
  }
  if (ranking.empty()) {
    reason = "none of " + std::to_string(ranking.allLooked().all()) +
             " candidates is legal; the last one: " + ranking.lastReason();
    return std::nullopt;
  }
  LookedAt looked = ranking.allLooked();
  // A schedule that is drawn at random has no runners-up.
  if (options.ranked > 1 && !options.randomSeed) {
    ranking.choose();
    rankRunnersUp(group, chip, options, space, ranking, result.isProven,
                  effort.runnersUp);
    result.rankedFrom = ranking.allLooked().all() - looked.all();
  }
  std::vector<ScheduleRanking::Entry> best = ranking.take();
  if (options.measurement) {
    MeasuredRounds rounds(group, chip, options, space);
    if (rounds.run(best, /*maxRounds=*/options.randomSeed ? 1 : kRounds))
      result.measuredBy = options.measurement->name();
    looked.add(rounds.looked());
    if (size_t most = std::max(1u, options.ranked); best.size() > most)
      best.erase(best.begin() + most, best.end());
  }
  for (ScheduleRanking::Entry &entry : best) {
    chooseEvictions(group, chip, entry.costed.schedule);
    result.ranking.push_back(std::move(entry.costed));
  }
  looked.finish(result);
  result.choices = space.count();
  static_cast<CostedSchedule &>(result) = result.ranking.front();
  return result;
}

std::optional<SearchResult>
fusion::searchSchedule(const GroupModel &group, const ChipInfo &chip,
                       std::string &reason, const SearchOptions &options) {
  if (!options.skipMasked && !group.masked.empty()) {
    GroupModel unmasked = group;
    unmasked.masked.clear();
    return searchSchedule(unmasked, chip, reason, options);
  }
  if (group.contractions.size() > kMaxContractions) {
    reason = "a kernel of more than " + std::to_string(kMaxContractions) +
             " contractions is not searched for";
    return std::nullopt;
  }
  if (group.axes.size() > CostBound::kMaxAxes) {
    reason = "a group of more than " + std::to_string(CostBound::kMaxAxes) +
             " axes is not searched for";
    return std::nullopt;
  }
  if (std::optional<std::string> impossible = checkGroup(group, chip)) {
    reason = *impossible;
    return std::nullopt;
  }
  if (chip.isCpu())
    return searchCpu(group, chip, reason, options);
  if (options.space != SpaceKind::Default && !options.randomSeed)
    return searchPaperSpace(group, chip, reason, options);
  return Search(group, chip, options).run(reason);
}
