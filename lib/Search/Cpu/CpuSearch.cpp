//===- CpuSearch.cpp - Chooses the schedule of a chain on a CPU -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Cpu/CpuSearch.h"
#include "fusion/Analysis/Cost/CpuModel.h"
#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <limits>
#include <unordered_map>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Candidates that descents start from: usually, and in a rough search.
constexpr unsigned kDescents = 8, kRoughDescents = 2;
/// Candidates that all descents together may evaluate.
constexpr int64_t kEvaluations = 6000, kRoughEvaluations = 1200;
/// The part of the time that packing, retained tiles and the like have to gain:
/// less is within the error of the model.
constexpr double kLeastGain = 0.003;
/// Points of a space that is searched exhaustively.
constexpr double kMostExhaustive = 2e6;

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Evaluated {
  CpuCandidate candidate;
  double seconds;
  std::string schedule; ///< as text: candidates may have the same
};

struct HashOfCandidate {
  size_t operator()(const CpuCandidate &candidate) const {
    return llvm::hash_combine(candidate.expression,
                              llvm::hash_combine_range(candidate.tiles.begin(),
                                                       candidate.tiles.end()),
                              candidate.exchanged, candidate.packed,
                              llvm::hash_combine_range(candidate.moved.begin(),
                                                       candidate.moved.end()),
                              static_cast<unsigned>(candidate.statistics));
  }
};

class Search {
public:
  Search(const GroupModel &group, const ChipInfo &chip,
         const SearchOptions &options)
      : group(group), options(options), chip(chip), space(group, chip),
        checker(group, chip, &unmasked) {}

  std::optional<SearchResult> run(std::string &reason);

private:
  double evaluate(const CpuCandidate &candidate);
  void keep(const CpuCandidate &candidate, const Schedule &schedule,
            double seconds);
  std::string print(const Schedule &schedule) const;
  void draw();
  void startAll();
  void startFrom(ArrayRef<int64_t> tiles);
  void descend(CpuCandidate candidate);
  bool improveTiles(CpuCandidate &candidate, double &seconds);
  bool improvePairs(CpuCandidate &candidate, double &seconds);
  bool improveOthers(CpuCandidate &candidate, double &seconds);
  bool attempt(const CpuCandidate &next, CpuCandidate &candidate,
               double &seconds, double gain = 0);
  void enumerate(CpuCandidate &candidate, unsigned axis);
  bool searchAll(std::string &reason);
  CostedSchedule complete(const CpuCandidate &candidate);

  const GroupModel &group;
  const SearchOptions &options;
  const ChipInfo &chip;
  CpuSpace space;
  UnmaskedTilesMemo unmasked;
  ScheduleChecker checker;
  std::unordered_map<CpuCandidate, double, HashOfCandidate> known;
  std::vector<Evaluated> starts; ///< of each expression, the best
  std::vector<Evaluated> best;   ///< in order, as many as are to be ranked
  int64_t evaluations = 0, legal = 0, most = 0;
  std::string lastReason;
  Refusals rejections;
};

} // namespace

/// Returns the predicted seconds by the model that was asked for.
double Search::evaluate(const CpuCandidate &candidate) {
  auto [place, isNew] = known.try_emplace(candidate, kNever);
  if (!isNew)
    return place->second;
  ++evaluations;
  std::optional<Schedule> schedule = space.build(candidate);
  std::optional<std::string> illegal =
      schedule ? checker.checkPossible(*schedule)
               : std::optional<std::string>("a statement is in fewer loops");
  double seconds = kNever;
  if (!illegal && options.model != ModelKind::Default) {
    std::string why;
    if (auto predicted =
            predictSeconds(options.model, group, *schedule, chip, why))
      seconds = *predicted;
    else
      illegal = why;
  } else if (!illegal) {
    seconds = predictCpu(group, *schedule, checker.footprint(), chip).total;
  }
  if (illegal) {
    if (options.ranked > 1)
      countRejection(rejections, *illegal);
    lastReason = std::move(*illegal);
    return kNever;
  }
  ++legal;
  place->second = seconds;
  keep(candidate, *schedule, seconds);
  return seconds;
}

/// Returns what a schedule for a CPU has, without names of intrinsics.
std::string Search::print(const Schedule &schedule) const {
  std::string text = printTiling(schedule.tree, group);
  auto add = [&](int64_t number) { text += " " + std::to_string(number); };
  for (auto [axis, tile] : llvm::zip_equal(group.axes, schedule.tiles))
    add(std::min(tile, axis.extent));
  for (unsigned axis : schedule.blocks)
    add(axis);
  for (const ContractionMapping &mapping : schedule.contractions)
    add(mapping.swapped);
  for (const Placement &place : schedule.places)
    add(static_cast<int>(place.space));
  return text;
}

void Search::keep(const CpuCandidate &candidate, const Schedule &schedule,
                  double seconds) {
  size_t most = std::max(1u, options.ranked);
  if (best.size() == most && seconds >= best.back().seconds)
    return;
  std::string text = print(schedule);
  if (llvm::any_of(
          best, [&](const Evaluated &other) { return other.schedule == text; }))
    return;
  auto place = llvm::upper_bound(best, seconds,
                                 [](double value, const Evaluated &other) {
                                   return value < other.seconds;
                                 });
  best.insert(place, {candidate, seconds, std::move(text)});
  if (best.size() > most)
    best.pop_back();
}

/// Draws candidates with any choices until one is legal. What lowering accepts
/// must be right even if no model would choose it.
void Search::draw() {
  constexpr unsigned mostDraws = 10000;
  Random random(*options.randomSeed);
  for (unsigned tries = 0; tries < mostDraws && best.empty(); ++tries)
    evaluate(space.draw(random));
}

//===----------------------------------------------------------------------===//
// First answers
//===----------------------------------------------------------------------===//

void Search::startFrom(ArrayRef<int64_t> tiles) {
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    if (options.isStopped())
      return;
    for (uint32_t exchanged : {space.inOrder(), uint32_t(0)}) {
      CpuCandidate candidate = space.start(each, tiles, exchanged);
      double seconds = evaluate(candidate);
      if (seconds < starts[each].seconds)
        starts[each] = {candidate, seconds, {}};
    }
  }
}

void Search::startAll() {
  starts.assign(space.expressions().size(), {{}, kNever, {}});
  const CpuInfo &cpu = *chip.cpu;
  // Tiles that fill a part of a cache, and blocks for all cores.
  for (int64_t size : {24, 64, 128, 256, 1 << 20}) {
    SmallVector<int64_t, 8> tiles;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      tiles.push_back(space.nearestTile(axis, size));
    startFrom(tiles);
  }
  for (uint64_t bytes : {cpu.l1Bytes, cpu.l2Bytes}) {
    std::string reason;
    constexpr int64_t granularity = 16, least = 64;
    std::optional<ChimeraClosedForm> form =
        solveChimera(group, bytes / sizeof(float), least, granularity, reason);
    if (!form)
      continue;
    SmallVector<int64_t, 8> tiles;
    for (auto [axis, tile] : llvm::enumerate(form->seed))
      tiles.push_back(space.nearestTile(axis, tile));
    startFrom(tiles);
  }
}

//===----------------------------------------------------------------------===//
// Descents
//===----------------------------------------------------------------------===//

bool Search::attempt(const CpuCandidate &next, CpuCandidate &candidate,
                     double &seconds, double gain) {
  if (evaluations >= most || options.isStopped())
    return false;
  double own = evaluate(next);
  if (own >= seconds * (1 - gain))
    return false;
  seconds = own;
  candidate = next;
  return true;
}

bool Search::improveTiles(CpuCandidate &candidate, double &seconds) {
  bool isBetter = false;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    CpuCandidate next = candidate;
    for (int64_t size : space.tiles(axis)) {
      next.tiles[axis] = size;
      isBetter |= attempt(next, candidate, seconds);
    }
  }
  return isBetter;
}

/// Makes the tile of one axis larger and that of another smaller.
bool Search::improvePairs(CpuCandidate &candidate, double &seconds) {
  bool isBetter = false;
  auto step = [&](CpuCandidate &next, unsigned axis, int distance) {
    ArrayRef<int64_t> list = space.tiles(axis);
    int64_t place = llvm::find(list, next.tiles[axis]) - list.begin();
    place += distance;
    if (place < 0 || place >= int64_t(list.size()))
      return false;
    next.tiles[axis] = list[place];
    return true;
  };
  for (unsigned larger = 0; larger < group.axes.size(); ++larger)
    for (unsigned smaller = 0; smaller < group.axes.size(); ++smaller)
      for (int distance : {1, 3}) {
        CpuCandidate next = candidate;
        if (larger != smaller && step(next, larger, distance) &&
            step(next, smaller, -distance))
          isBetter |= attempt(next, candidate, seconds);
      }
  return isBetter;
}

/// Changes packed operands, LHS and RHS, retained tiles, and where row
/// statistics are computed.
bool Search::improveOthers(CpuCandidate &candidate, double &seconds) {
  bool isBetter = false;
  for (unsigned tensor : space.operands()) {
    CpuCandidate next = candidate;
    next.packed ^= TensorSet(1) << tensor;
    isBetter |= attempt(next, candidate, seconds, kLeastGain);
  }
  for (unsigned number = 0; number < group.contractions.size() && number < 32;
       ++number) {
    CpuCandidate next = candidate;
    next.exchanged ^= space.exchangedWith(number);
    isBetter |= attempt(next, candidate, seconds, kLeastGain);
  }
  for (unsigned tensor :
       llvm::concat<const unsigned>(space.operands(), space.intermediates()))
    for (unsigned levels = 0; levels <= CpuSpace::kMostMoved; ++levels) {
      CpuCandidate next = candidate;
      bool isOperand = group.tensors[tensor].role == TensorRole::Operand;
      if (next.moved.empty() && levels == 0)
        continue;
      next.moved.resize(group.tensors.size(), 0);
      next.moved[tensor] = levels;
      // Only a copy is worth being made earlier.
      if (isOperand && levels > 0)
        next.packed |= TensorSet(1) << tensor;
      isBetter |= attempt(next, candidate, seconds, kLeastGain);
    }
  if (!group.rowStatistics.empty())
    for (StatisticsPlacement place :
         {StatisticsPlacement::Together, StatisticsPlacement::Ahead,
          StatisticsPlacement::Resident}) {
      CpuCandidate next = candidate;
      next.statistics = place;
      isBetter |= attempt(next, candidate, seconds, kLeastGain);
    }
  return isBetter;
}

void Search::descend(CpuCandidate candidate) {
  double seconds = evaluate(candidate);
  bool isBetter = true;
  while (isBetter) {
    isBetter = improveTiles(candidate, seconds);
    isBetter |= improveOthers(candidate, seconds);
    if (!isBetter)
      isBetter = improvePairs(candidate, seconds);
  }
}

//===----------------------------------------------------------------------===//
// All candidates
//===----------------------------------------------------------------------===//

void Search::enumerate(CpuCandidate &candidate, unsigned axis) {
  if (options.isStopped())
    return;
  if (axis < group.axes.size()) {
    for (int64_t size : space.tiles(axis)) {
      candidate.tiles[axis] = size;
      enumerate(candidate, axis + 1);
    }
    return;
  }
  for (uint32_t exchanged : {space.inOrder(), uint32_t(0)}) {
    candidate.exchanged = exchanged;
    for (uint64_t set = 0; set < uint64_t(1) << space.operands().size();
         ++set) {
      candidate.packed = 0;
      for (auto [bit, tensor] : llvm::enumerate(space.operands()))
        candidate.packed |= TensorSet(set >> bit & 1) << tensor;
      evaluate(candidate);
    }
  }
}

/// Evaluates all loops, tiles and packed operands, without retained tiles.
bool Search::searchAll(std::string &reason) {
  double points = 2.0 * space.expressions().size() *
                  double(uint64_t(1) << space.operands().size());
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    points *= space.tiles(axis).size();
  if (points > kMostExhaustive) {
    reason = "an exhaustive search would visit " +
             std::to_string(int64_t(points)) + " candidates";
    return false;
  }
  for (unsigned each = 0; each < space.expressions().size(); ++each) {
    CpuCandidate candidate = space.start(
        each, SmallVector<int64_t, 8>(group.axes.size(), 1), /*exchanged=*/0);
    enumerate(candidate, 0);
  }
  return true;
}

CostedSchedule Search::complete(const CpuCandidate &candidate) {
  CostedSchedule costed;
  costed.schedule = *space.build(candidate);
  checker.checkPossible(costed.schedule);
  costed.footprint = checker.footprint();
  costed.cost = predictCpu(group, costed.schedule, costed.footprint, chip);
  costed.modelSeconds = known[candidate];
  return costed;
}

std::optional<SearchResult> Search::run(std::string &reason) {
  SearchResult result;
  result.method = SearchMethod::Descents;
  if (options.randomSeed) {
    draw();
  } else if (options.method == SearchMethod::Exhaustive) {
    if (!searchAll(reason))
      return std::nullopt;
    result.method = SearchMethod::Exhaustive;
    result.isProven = true;
  } else {
    startAll();
    // As they are found, so that loops of equal time keep their order.
    llvm::stable_sort(starts, [](const Evaluated &a, const Evaluated &b) {
      return a.seconds < b.seconds;
    });
    int64_t allowed =
        options.isRough ? kRoughEvaluations : kEvaluations * options.effort;
    unsigned count =
        options.isRough ? kRoughDescents : kDescents * options.effort;
    for (auto [number, start] : llvm::enumerate(starts)) {
      if (number >= count || start.seconds == kNever)
        break;
      most = evaluations + allowed / count;
      descend(start.candidate);
    }
    // What suits a packed operand may not suit one in place, and the reverse.
    if (!best.empty()) {
      CpuCandidate fastest = best.front().candidate;
      for (unsigned tensor : space.operands()) {
        CpuCandidate other = fastest;
        other.packed ^= TensorSet(1) << tensor;
        most = evaluations + allowed / count;
        descend(other);
      }
    }
  }
  if (best.empty()) {
    reason = "none of " + std::to_string(evaluations) +
             " candidates is legal; the last one: " + lastReason;
    return std::nullopt;
  }
  result.candidates = evaluations;
  result.legal = legal;
  result.rejected = evaluations - legal;
  result.rankedFrom = legal;
  sortRejections(rejections);
  result.rejections = std::move(rejections);
  for (const Evaluated &each : best)
    result.ranking.push_back(complete(each.candidate));
  if (options.measurement &&
      measureRanking(result.ranking, *options.measurement))
    result.measuredBy = options.measurement->name();
  static_cast<CostedSchedule &>(result) = result.ranking.front();
  return result;
}

std::optional<SearchResult> fusion::searchCpu(const GroupModel &group,
                                              const ChipInfo &chip,
                                              std::string &reason,
                                              const SearchOptions &options) {
  if (options.space != SpaceKind::Default) {
    reason = "space '" + name(options.space).str() + "' is not offered for " +
             chip.name.str() + ", which is a CPU";
    return std::nullopt;
  }
  if (options.method == SearchMethod::Evolutionary) {
    reason = "the evolutionary search is not offered for " + chip.name.str() +
             ", which is a CPU";
    return std::nullopt;
  }
  return Search(group, chip, options).run(reason);
}
