//===- ScheduleSearch.cpp - Chooses the schedule of a chain ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default space. Powers of two in the nest of reductions give a first
// answer within milliseconds. Branch and bound then takes all loops and tiles
// in the order of what they cost at least, until that exceeds the best;
// where there are too many of them, or the bounds are too weak to end it, the
// evolutionary algorithm goes on from the best so far and from Chimera's closed
// form. At last one choice after the other is tried anew in the best schedule.
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/ScheduleSearch.h"
#include "fusion/Analysis/DataMovement.h"
#include "fusion/Search/ScheduleSpace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Search {
public:
  Search(const GroupModel &group, const ChipInfo &chip,
         const SearchOptions &options)
      : group(group), chip(chip), options(options),
        space(group, chip, options) {}

  std::optional<SearchResult> run(std::string &reason);

  // As Evolution.h asks for it.
  using Candidate = ScheduleCandidate;
  Candidate random(Random &numbers) const { return space.random(numbers); }
  Candidate mutate(const Candidate &candidate, Random &numbers) const {
    return space.mutate(candidate, numbers);
  }
  double estimate(const Candidate &candidate) const;

private:
  struct Entry {
    RatedSchedule rated;
    ScheduleCandidate candidate;
  };
  /// Loops and tiles with what they cost at least.
  struct Leaf {
    double bound;
    uint64_t tiles; ///< mixed-radix number
    unsigned expression;
    int64_t parts;
  };

  double best() const {
    return ranking.empty() ? kNever : ranking.front().rated.modelSeconds;
  }
  bool hasBounds() const { return options.model == ModelKind::Default; }

  void draw();
  bool isLegal(const Schedule &schedule);
  std::optional<Cost> consider(const Schedule &schedule,
                               const ScheduleCandidate &candidate);
  void pipeline(const Schedule &schedule, ScheduleCandidate candidate);
  void arrangeAll(const ScheduleCandidate &candidate,
                  ArrayRef<unsigned> arrangements);
  void enumerate(ScheduleCandidate &candidate, unsigned axis);
  void tryTiles(ArrayRef<int64_t> (ScheduleSpace::*tiles)(unsigned) const);
  void startSimply();
  void startFromClosedForm();
  bool listLeaves(std::vector<Leaf> &leaves, uint64_t mostVisits);
  void branch(std::vector<Leaf> &leaves, bool isLimited);
  void evolveAll();
  void tryMoves();
  void refine();

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  ScheduleSpace space;
  std::vector<Entry> ranking; ///< best first
  std::string lastReason;
  Refusals refusals;
  int64_t candidates = 0, legal = 0, bounded = 0;
  bool isProven = false;
  SearchMethod method = SearchMethod::Exhaustive;
};

} // namespace

//===----------------------------------------------------------------------===//
// One candidate
//===----------------------------------------------------------------------===//

bool Search::isLegal(const Schedule &schedule) {
  ++candidates;
  if (std::optional<std::string> why = checkSchedule(group, schedule, chip)) {
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
std::optional<Cost> Search::consider(const Schedule &schedule,
                                     const ScheduleCandidate &candidate) {
  // Some more than asked for are where the evolutionary search starts.
  constexpr size_t kept = 8;
  RatedSchedule rated;
  rated.footprint = computeFootprint(group, schedule);
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
      (ranking.size() == most &&
       rated.modelSeconds > ranking.back().rated.modelSeconds))
    return rated.cost;
  rated.schedule = schedule;
  // Of the candidates that differ in their stages the best one is ranked.
  auto known = llvm::find_if(ranking, [&](const Entry &other) {
    return sameTiles(other.rated.schedule, schedule);
  });
  if (known != ranking.end()) {
    if (!isBetter(rated, known->rated))
      return rated.cost;
    ranking.erase(known);
  }
  Cost cost = rated.cost;
  auto place = llvm::upper_bound(ranking, rated,
                                 [](const RatedSchedule &a, const Entry &b) {
                                   return isBetter(a, b.rated);
                                 });
  ranking.insert(place, Entry{std::move(rated), candidate});
  if (ranking.size() > most)
    ranking.pop_back();
  return cost;
}

/// The same schedule with more stages, as far as they can make it faster than
/// the best one: stages change nothing about the bytes that blocks move and the
/// work.
void Search::pipeline(const Schedule &schedule, ScheduleCandidate candidate) {
  candidate.stages = candidate.registerStages = 1;
  std::optional<Cost> considered = consider(schedule, candidate);
  if (!considered)
    return;
  const Cost &one = *considered;
  double compulsory = ranking.empty()
                          ? 0
                          : ranking.front().rated.footprint.compulsoryBytes /
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
  Schedule more = schedule;
  for (unsigned registers = 1; registers <= options.mostRegisterStages;
       ++registers)
    for (unsigned stages : space.stages()) {
      if (stages > 1 && !hasLoads)
        break;
      if (stages == 1 && registers == 1)
        continue;
      space.build().setStages(more, stages, registers);
      if (!isLegal(more))
        break; // more would not fit either
      candidate.stages = stages;
      candidate.registerStages = registers;
      consider(more, candidate);
    }
}

/// The candidate's loops and tiles with these arrangements of warps, and
/// stages.
void Search::arrangeAll(const ScheduleCandidate &candidate,
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

double Search::estimate(const Candidate &candidate) const {
  if (!space.mayFit(space.tilesOf(candidate)) || !space.fillsParts(candidate) ||
      !space.divides(space.arrangements()[candidate.arrangement],
                     space.tilesOf(candidate)))
    return kNever;
  Schedule schedule = space.complete(candidate);
  if (checkSchedule(group, schedule, chip) ||
      !hasRegisterRoom(schedule, computeFootprint(group, schedule), chip))
    return kNever;
  std::string reason;
  return predictSeconds(options.model, group, schedule, chip, reason)
      .value_or(kNever);
}

/// Candidates with any choices, until one is legal: what lowering accepts must
/// be right, also where nobody would choose it.
void Search::draw() {
  constexpr unsigned most = 10000;
  Random random(*options.randomSeed);
  for (unsigned tries = 0; tries < most && ranking.empty(); ++tries) {
    ScheduleCandidate candidate = space.random(random);
    if (!space.divides(space.arrangements()[candidate.arrangement],
                       space.tilesOf(candidate)))
      continue;
    Schedule schedule = space.complete(candidate);
    for (unsigned tensor : listPipelinedLoads(schedule)) {
      bool isAsync = schedule.places[tensor].transport != fuse::Transport::Sync;
      schedule.places[tensor].stages =
          1 + random.below(std::min(options.mostStages, isAsync ? 8u : 2u));
    }
    if (isLegal(schedule))
      consider(schedule, candidate);
  }
}

//===----------------------------------------------------------------------===//
// First answers
//===----------------------------------------------------------------------===//

void Search::enumerate(ScheduleCandidate &candidate, unsigned axis) {
  if (axis == group.axes.size())
    return arrangeAll(candidate, space.usualArrangements());
  for (int64_t tile : space.fewTiles(axis)) {
    candidate.tiles[axis] = tile;
    enumerate(candidate, axis + 1);
  }
}

/// One axis after the other, with the others as in the best schedule so far,
/// until nothing gets better.
void Search::tryTiles(ArrayRef<int64_t> (ScheduleSpace::*tiles)(unsigned)
                          const) {
  if (ranking.empty())
    return;
  double before;
  do {
    before = best();
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      ScheduleCandidate candidate = ranking.front().candidate;
      for (int64_t tile : (space.*tiles)(axis)) {
        candidate.tiles[axis] = tile;
        arrangeAll(candidate, space.usualArrangements());
      }
    }
  } while (best() < before);
}

void Search::startSimply() {
  constexpr double affordable = 1024;
  double combinations = 1;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    combinations *= space.fewTiles(axis).size();
  ScheduleCandidate candidate;
  if (combinations <= affordable)
    return enumerate(candidate, 0);
  // Long chains have too many axes to try all tiles together: from small and
  // from middling tiles to the next best.
  constexpr int64_t starts[] = {16, 64};
  for (int64_t start : starts) {
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      ArrayRef<int64_t> list = space.fewTiles(axis);
      candidate.tiles[axis] =
          *std::prev(llvm::upper_bound(list, std::max(start, list.front())));
    }
    arrangeAll(candidate, space.usualArrangements());
    tryTiles(&ScheduleSpace::fewTiles);
  }
}

/// Chimera's tiles for the chain of two products, in every expression.
void Search::startFromClosedForm() {
  unsigned elementBytes = 1;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Operand)
      elementBytes = std::max(elementBytes, tensor.elementBytes);
  constexpr int64_t granularity = 16;
  std::string reason;
  auto solution = solveChimera(group, chip.sharedMemoryPerBlock / elementBytes,
                               granularity, granularity, reason);
  if (!solution)
    return;
  ScheduleCandidate candidate;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    ArrayRef<int64_t> list = space.allTiles(axis);
    int64_t wanted = std::max(solution->seed[axis], list.front());
    candidate.tiles[axis] = *std::prev(llvm::upper_bound(list, wanted));
  }
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    candidate.expression = each;
    arrangeAll(candidate, space.usualArrangements());
  }
}

//===----------------------------------------------------------------------===//
// Branch and bound
//===----------------------------------------------------------------------===//

/// All loops and tiles that may beat the best so far, by their bounds. Returns
/// false where looking for them visits too many.
bool Search::listLeaves(std::vector<Leaf> &leaves, uint64_t mostVisits) {
  uint64_t visits = 0;
  unsigned count = group.axes.size();
  ScheduleCandidate candidate;
  auto listOf = [&](unsigned each, int64_t parts) {
    candidate.expression = each;
    candidate.parts = parts;
    candidate.tiles.fill(0);
    llvm::DenseMap<unsigned, std::unique_ptr<CostBound>> bounds;
    // The tree, and with it the bound, depends on which loops live.
    auto boundOf = [&](unsigned live) -> double {
      std::unique_ptr<CostBound> &slot = bounds[live];
      if (!slot) {
        ScheduleCandidate shape = candidate;
        shape.parts = 1;
        for (unsigned axis = 0; axis < count; ++axis)
          shape.tiles[axis] =
              live >> axis & 1 ? 1
                               : std::max<int64_t>(1, group.axes[axis].extent);
        slot = std::make_unique<CostBound>(group, space.outline(shape).tree,
                                           space.expressions()[each].blocks,
                                           chip, parts);
      }
      return slot->seconds(space.tilesOf(candidate));
    };
    auto choose = [&](auto &&self, unsigned axis, unsigned live,
                      uint64_t number) -> bool {
      if (++visits > mostVisits)
        return false;
      double least = hasBounds() ? boundOf(live) : 0;
      if (least >= best() || !space.mayFit(space.tilesOf(candidate)))
        return true;
      if (axis == count) {
        // Models of loops and tiles are their own bounds.
        if (seesTilesOnly(options.model))
          least = predictSeconds(options.model, group, space.outline(candidate),
                                 chip, lastReason)
                      .value_or(kNever);
        if (least < best())
          leaves.push_back({least, number, each, parts});
        return true;
      }
      ArrayRef<int64_t> list = space.leastTiles(axis);
      for (auto [index, tile] : llvm::enumerate(list)) {
        candidate.tiles[axis] = tile;
        if (!space.fillsParts(candidate, axis))
          break; // larger tiles are fewer
        bool isLive = space.sequentialTrips(candidate, axis) > 1;
        if (!self(self, axis + 1, live | unsigned(isLive) << axis,
                  number * list.size() + index))
          return false;
      }
      candidate.tiles[axis] = 0;
      return true;
    };
    return choose(choose, 0, 0, 0);
  };
  for (int64_t parts : space.parts())
    for (unsigned each = 0; each < space.expressions().size(); ++each)
      if (!listOf(each, parts))
        return false;
  llvm::sort(leaves, [](const Leaf &a, const Leaf &b) {
    return std::tie(a.bound, a.parts, a.expression, a.tiles) <
           std::tie(b.bound, b.parts, b.expression, b.tiles);
  });
  return true;
}

/// From the least bound on, until no leaf can be better than the best.
void Search::branch(std::vector<Leaf> &leaves, bool isLimited) {
  constexpr int64_t affordable = 60000;
  int64_t start = candidates;
  auto all =
      llvm::to_vector(llvm::seq<unsigned>(0, space.arrangements().size()));
  for (const Leaf &leaf : leaves) {
    if (leaf.bound >= best())
      break;
    if (isLimited && candidates - start > affordable)
      return;
    ScheduleCandidate candidate;
    candidate.expression = leaf.expression;
    candidate.parts = leaf.parts;
    uint64_t number = leaf.tiles;
    for (unsigned axis = group.axes.size(); axis-- > 0;) {
      ArrayRef<int64_t> list = space.leastTiles(axis);
      candidate.tiles[axis] = list[number % list.size()];
      number /= list.size();
    }
    arrangeAll(candidate, isLimited ? space.usualArrangements() : all);
  }
  isProven = true;
}

//===----------------------------------------------------------------------===//
// Evolution and refinement
//===----------------------------------------------------------------------===//

void Search::evolveAll() {
  EvolutionOptions evolution;
  evolution.convergence = options.convergence;
  evolution.seed = options.seed;
  evolution.threads = options.threads;
  evolution.maxRounds = 64;
  std::vector<ScheduleCandidate> seeds;
  for (const Entry &entry : ranking)
    seeds.push_back(entry.candidate);
  auto found = evolve(*this, evolution, nullptr, seeds);
  if (!found)
    return;
  candidates += found->estimates;
  Schedule schedule = space.complete(found->best);
  if (isLegal(schedule))
    consider(schedule, found->best);
}

/// Keeping tiles instead of loading or computing them again, in each of the
/// best schedules: what keeping frees elsewhere may put another one first.
void Search::tryMoves() {
  std::vector<ScheduleCandidate> starts;
  for (const Entry &entry : ranking)
    starts.push_back(entry.candidate);
  auto tryLevels = [&](const ScheduleCandidate &start, auto &&change) {
    ScheduleCandidate candidate = start;
    for (uint8_t levels = 0; levels <= ScheduleSpace::kMostLevels; ++levels)
      if (change(candidate, levels))
        arrangeAll(candidate, space.usualArrangements());
  };
  auto moveIn = [&](const ScheduleCandidate &start) {
    for (unsigned tensor : space.operands())
      tryLevels(start, [&](ScheduleCandidate &candidate, uint8_t levels) {
        candidate.hoisted[tensor] = levels;
        return levels != start.hoisted[tensor];
      });
    for (unsigned product : space.intermediates())
      tryLevels(start, [&](ScheduleCandidate &candidate, uint8_t levels) {
        candidate.kept[product] = levels;
        return levels != start.kept[product];
      });
  };
  for (const ScheduleCandidate &start : starts)
    moveIn(start);
  double before;
  do { // one further tensor after the other
    before = best();
    moveIn(ScheduleCandidate(ranking.front().candidate));
  } while (best() < before);
}

/// Every choice anew in the best schedule, until nothing gets better.
void Search::refine() {
  if (ranking.empty())
    return;
  auto all =
      llvm::to_vector(llvm::seq<unsigned>(0, space.arrangements().size()));
  double before;
  auto retry = [&](auto &&values, auto member) {
    ScheduleCandidate candidate = ranking.front().candidate;
    auto chosen = candidate.*member;
    for (auto value : values)
      if (value != chosen) {
        candidate.*member = value;
        arrangeAll(candidate, space.usualArrangements());
      }
  };
  tryMoves();
  do {
    before = best();
    retry(llvm::seq<unsigned>(0, space.expressions().size()),
          &ScheduleCandidate::expression);
    retry(space.parts(), &ScheduleCandidate::parts);
    retry(space.rasters(), &ScheduleCandidate::raster);
    retry(llvm::seq<unsigned>(0, space.numIntrinsics()),
          &ScheduleCandidate::intrinsic);
    tryTiles(&ScheduleSpace::allTiles);
    arrangeAll(ScheduleCandidate(ranking.front().candidate), all);
  } while (best() < before);
}

std::optional<SearchResult> Search::run(std::string &reason) {
  if (options.randomSeed) {
    draw();
  } else {
    startSimply();
    startFromClosedForm();
    bool isAuto = options.method == SearchMethod::Auto;
    constexpr uint64_t affordable = 1 << 18, possible = uint64_t(1) << 32;
    if (options.method != SearchMethod::Evolutionary) {
      std::vector<Leaf> leaves;
      if (listLeaves(leaves, isAuto ? affordable : possible))
        branch(leaves, isAuto);
    }
    if (!isProven) {
      method = SearchMethod::Evolutionary;
      evolveAll();
    }
    refine();
  }
  if (ranking.empty()) {
    reason = "none of " + std::to_string(candidates) +
             " candidates is legal; the last one: " + lastReason;
    return std::nullopt;
  }
  SearchResult result;
  for (Entry &entry : ranking)
    result.ranking.push_back(std::move(entry.rated));
  if (options.measurement &&
      measureRanking(result.ranking, *options.measurement))
    result.measuredBy = options.measurement->name();
  if (result.ranking.size() > std::max(1u, options.ranked))
    result.ranking.resize(std::max(1u, options.ranked));
  static_cast<RatedSchedule &>(result) = result.ranking.front();
  result.candidates = candidates;
  result.legal = legal;
  result.bounded = bounded;
  result.method = method;
  result.isProven = isProven;
  sortRefusals(refusals);
  result.refusals = std::move(refusals);
  return result;
}

std::optional<SearchResult>
fusion::searchSchedule(const GroupModel &group, const ChipInfo &chip,
                       std::string &reason, const SearchOptions &options) {
  if (group.products.size() > kMostProducts) {
    reason = "a kernel of more than " + std::to_string(kMostProducts) +
             " products is not searched for";
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
  if (options.space != SpaceKind::Default && !options.randomSeed)
    return searchPaperSpace(group, chip, reason, options);
  return Search(group, chip, options).run(reason);
}
