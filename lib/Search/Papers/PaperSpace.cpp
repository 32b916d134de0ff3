//===- PaperSpace.cpp - MCFuser's and Chimera's search spaces -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/PaperSpace.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <mutex>
#include <shared_mutex>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

/// Models by expression and by the set of live loops, which decides the tree.
struct PaperSpace::ModelCache {
  std::shared_mutex mutex;
  llvm::DenseMap<uint64_t, std::unique_ptr<McFuserModel>> models;
};

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

SmallVector<int64_t> fusion::applyPaddingRule(ArrayRef<int64_t> tiles,
                                              int64_t extent,
                                              PaddingRule rule) {
  assert(rule != PaddingRule::Auto && "the search decides");
  SmallVector<int64_t> retained;
  if (rule == PaddingRule::None)
    return SmallVector<int64_t>(tiles);
  if (rule == PaddingRule::LeastOfTrips) {
    int64_t trips = 0;
    for (int64_t tile : tiles) {
      int64_t own = llvm::divideCeil(extent, tile);
      if (own != trips)
        retained.push_back(tile);
      trips = own;
    }
    return retained;
  }
  constexpr double most = 0.05;
  auto padding = [&](int64_t tile) -> int64_t {
    return llvm::alignTo(extent, tile) - extent;
  };
  for (int64_t tile : tiles)
    if (padding(tile) == 0 ||
        (!llvm::isPowerOf2_64(extent) && padding(tile) < most * extent))
      retained.push_back(tile);
  if (!retained.empty())
    return retained;
  int64_t least = padding(tiles.front());
  for (int64_t tile : tiles)
    least = std::min(least, padding(tile));
  for (int64_t tile : tiles)
    if (padding(tile) == least)
      retained.push_back(tile);
  return retained;
}

SmallVector<int64_t> fusion::listTileSizes(int64_t extent) {
  constexpr int64_t unit = 16; // the least tile of tensor cores
  SmallVector<int64_t> tiles;
  for (int64_t tile = unit; tile < extent + unit; tile += unit)
    tiles.push_back(tile);
  return tiles;
}

void PaperSpace::listTiles() {
  // The papers do not say which axes an intrinsic takes; what none takes is
  // walked one by one.
  ScheduleBuilder builder(*group, *chip);
  for (auto [index, axis] : llvm::enumerate(group->axes)) {
    bool isTiled = builder.isMapped(index);
    SmallVector<int64_t> &all = allTiles.emplace_back(
        isTiled ? listTileSizes(axis.extent) : SmallVector<int64_t>{1});
    choices.push_back(
        isTiled ? applyPaddingRule(all, axis.extent, options.padding) : all);
  }
}

std::optional<PaperSpace> PaperSpace::create(const GroupModel &group,
                                             const ChipInfo &chip,
                                             const PaperSpaceOptions &options,
                                             std::string &reason) {
  auto reject = [&](const std::string &why) {
    reason = why;
    return std::nullopt;
  };
  if (group.axes.size() > McFuserModel::kMaxAxes)
    return reject("more than " + std::to_string(McFuserModel::kMaxAxes) +
                  " axes");
  for (const Axis &axis : group.axes)
    if (axis.extent < 1)
      return reject("axis '" + axis.name + "' is empty");
  for (const Contraction &contraction : group.contractions)
    if (!contraction.type || chip.peakFlops(*contraction.type) == 0)
      return reject(chip.name.str() +
                    " has no tensor core rate for contraction '" +
                    group.tensors[contraction.result].name + "'");
  PaperSpace space;
  space.group = &group;
  space.chip = &chip;
  space.options = options;
  space.cache = std::make_shared<ModelCache>();
  space.listTiles();

  ExpressionOptions listed;
  listed.flat = options.flat;
  listed.limit = options.expressionLimit;
  auto tooMany = [&] {
    return reject("more than " + std::to_string(options.expressionLimit) +
                  " tiling expressions");
  };
  auto &[all, afterRule1, afterRule2] = space.expressionCounts.expressions;
  auto axes = llvm::to_vector(llvm::seq<unsigned>(group.axes.size()));
  all = countExpressions(group, axes, listed);
  if (group.axes.size() <= kMaxExpressionAxes) {
    if (all > options.expressionLimit)
      return tooMany();
    if (!options.deduplicate) {
      auto trees = listExpressions(group, axes, listed);
      if (!trees)
        return tooMany();
      for (const TilingTree &tree : *trees)
        space.bound.push_back(bindBlocks(group, tree));
    }
  } else if (!options.deduplicate) {
    return reject("above " + std::to_string(kMaxExpressionAxes) +
                  " axes expressions are listed after rule 1 only");
  }
  if (options.deduplicate) {
    // Above kMostAxes the list before rule 2 may be too long to make.
    bool prunes =
        options.completeIntermediates && group.axes.size() > kMaxExpressionAxes;
    listed.completeIntermediates = prunes;
    auto expressions = listBoundExpressions(group, listed);
    if (!expressions)
      return tooMany();
    space.bound = std::move(*expressions);
    afterRule1 = prunes ? countBoundExpressions(group, options.flat)
                        : space.bound.size();
  } else {
    afterRule1 = all;
  }
  if (options.completeIntermediates)
    llvm::erase_if(space.bound, [&](const BoundExpression &expression) {
      return retainsIntermediates(group, expression.loops);
    });
  afterRule2 = space.bound.size();

  return space;
}

//===----------------------------------------------------------------------===//
// Counting and visiting
//===----------------------------------------------------------------------===//

int64_t PaperSpace::sharedMemoryLimit() const {
  if (!options.limitSharedMemory)
    return std::numeric_limits<int64_t>::max();
  return options.slack * chip->sharedMemoryPerBlock;
}

bool PaperSpace::admits(ArrayRef<int64_t> tiles) const {
  return sumOfTiles(*group, tiles, options.unit) <= sharedMemoryLimit();
}

/// Chooses tiles from `axis` on; the axes after it hold their least ones. The
/// sum of tiles grows with each of them, so the first that is too large ends an
/// axis. With `countsLast` the last axis is not visited: `visit` gets the
/// number of its tiles that are admitted.
template <typename Visit>
void PaperSpace::descend(SmallVectorImpl<int64_t> &tiles, unsigned axis,
                         bool countsLast, Visit visit) const {
  if (axis == group->axes.size())
    return visit(1);
  ArrayRef<int64_t> list = choices[axis];
  if (countsLast && axis + 1 == group->axes.size()) {
    const int64_t *end = llvm::partition_point(list, [&](int64_t tile) {
      tiles[axis] = tile;
      return admits(tiles);
    });
    tiles[axis] = list.front();
    return visit(end - list.begin());
  }
  for (int64_t tile : list) {
    tiles[axis] = tile;
    if (!admits(tiles))
      break;
    descend(tiles, axis + 1, countsLast, visit);
  }
  tiles[axis] = list.front();
}

WideCount PaperSpace::countAdmitted() const {
  SmallVector<int64_t> tiles;
  for (const auto &list : choices)
    tiles.push_back(list.front());
  WideCount sum = 0; // of as many as are visited
  descend(tiles, 0, /*countsLast=*/true,
          [&](uint64_t number) { sum += number; });
  return sum;
}

void PaperSpace::forEachTiles(
    llvm::function_ref<void(ArrayRef<int64_t>)> visit) const {
  SmallVector<int64_t> tiles;
  for (const auto &list : choices)
    tiles.push_back(list.front());
  descend(tiles, 0, /*countsLast=*/false, [&](uint64_t) { visit(tiles); });
}

PaperSpaceCounts PaperSpace::count() const {
  PaperSpaceCounts counts = expressionCounts;
  constexpr WideCount most = ~WideCount(0);
  auto times = [&](WideCount a, WideCount b) {
    if (b == 0 || a <= most / b)
      return a * b;
    counts.isExact = false;
    return most;
  };
  for (uint64_t number : counts.expressions)
    counts.isExact &= number != std::numeric_limits<uint64_t>::max();
  auto points = [&](const auto &lists) {
    WideCount number = 1;
    for (const auto &list : lists)
      number = times(number, list.size());
    return number;
  };
  WideCount all = points(allTiles), unpadded = points(choices);
  for (unsigned rule : {0, 1, 2})
    counts.candidates[rule] = times(counts.expressions[rule], all);
  uint64_t expressions = counts.expressions[2];
  counts.candidates[3] = times(expressions, unpadded);
  counts.candidates[4] = times(
      expressions, options.limitSharedMemory ? countAdmitted() : unpadded);
  return counts;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

TilingTree PaperSpace::tree(const PaperCandidate &candidate) const {
  const BoundExpression &expression = bound[candidate.expression];
  TilingTree loops = makeNest(expression.blocks);
  TilingTree *body = &loops;
  while (!body->empty())
    body = &body->front().children;
  *body = expression.loops;
  return placeStatements(*group, loops, tilesOf(candidate), expression.blocks,
                         options.removeDeadLoops);
}

const McFuserModel &PaperSpace::model(unsigned expression,
                                      ArrayRef<int64_t> tiles) const {
  uint64_t key = 0;
  for (auto [index, axis] : llvm::enumerate(group->axes))
    key |= static_cast<uint64_t>(axis.extent > tiles[index]) << index;
  key |= static_cast<uint64_t>(expression) << McFuserModel::kMaxAxes;
  {
    std::shared_lock lock(cache->mutex);
    auto found = cache->models.find(key);
    if (found != cache->models.end())
      return *found->second;
  }
  PaperCandidate candidate;
  candidate.expression = expression;
  llvm::copy(tiles, candidate.tiles.begin());
  std::string reason;
  auto made = McFuserModel::create(*group, tree(candidate),
                                   bound[expression].blocks, *chip, reason);
  assert(made && "the rates were there when the space was made");
  std::unique_lock lock(cache->mutex);
  std::unique_ptr<McFuserModel> &slot = cache->models[key];
  if (!slot)
    slot = std::make_unique<McFuserModel>(std::move(*made));
  return *slot;
}

PaperCandidate PaperSpace::random(Random &numbers) const {
  PaperCandidate candidate;
  candidate.expression = numbers.below(bound.size());
  // Large tiles are seldom admitted together; after some tries one axis after
  // the other goes down.
  constexpr unsigned tries = 64;
  for (unsigned attempt = 0; attempt < tries; ++attempt) {
    for (auto [axis, list] : llvm::enumerate(choices))
      candidate.tiles[axis] = list[numbers.below(list.size())];
    if (admits(tilesOf(candidate)))
      return candidate;
  }
  for (auto [axis, list] : llvm::enumerate(choices)) {
    if (admits(tilesOf(candidate)))
      break;
    candidate.tiles[axis] = list.front();
  }
  return candidate;
}

PaperCandidate PaperSpace::mutate(const PaperCandidate &candidate,
                                  Random &numbers) const {
  SmallVector<unsigned> free;
  for (auto [axis, list] : llvm::enumerate(choices))
    if (list.size() > 1)
      free.push_back(axis);
  constexpr unsigned tries = 16;
  for (unsigned attempt = 0; !free.empty() && attempt < tries; ++attempt) {
    PaperCandidate changed = candidate;
    unsigned axis = free[numbers.below(free.size())];
    ArrayRef<int64_t> list = choices[axis];
    changed.tiles[axis] = list[numbers.below(list.size())];
    if (changed != candidate && admits(tilesOf(changed)))
      return changed;
  }
  return candidate;
}

PaperCandidate PaperSpace::mutateAll(const PaperCandidate &candidate,
                                     Random &numbers) const {
  // The expression is one choice among those of the axes.
  if (bound.size() > 1 && numbers.below(group->axes.size() + 1) == 0) {
    PaperCandidate changed = candidate;
    changed.expression = numbers.below(bound.size() - 1);
    changed.expression += changed.expression >= candidate.expression;
    return changed;
  }
  return mutate(candidate, numbers);
}

std::optional<PaperSpace::Best>
PaperSpace::searchExhaustively(Filter isTaken) const {
  std::optional<Best> best;
  uint64_t visited = 0;
  forEachTiles([&](ArrayRef<int64_t> tiles) {
    PaperCandidate candidate;
    llvm::copy(tiles, candidate.tiles.begin());
    for (unsigned number = 0; number < bound.size(); ++number) {
      candidate.expression = number;
      const McFuserModel &own = model(candidate);
      if (isTaken && !isTaken(own, tiles))
        continue;
      ++visited;
      double seconds = own.predict(tiles).total;
      if (!best || seconds < best->seconds)
        best = Best{candidate, seconds, 0};
    }
  });
  if (best)
    best->visited = visited;
  return best;
}
