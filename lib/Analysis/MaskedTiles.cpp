//===- MaskedTiles.cpp - Tiles that masks leave out -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/MaskedTiles.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::SmallVector;

std::string fusion::print(const GroupModel &group,
                          const MaskPredicateRef &predicate) {
  std::string text;
  if (predicate->kind != MaskPredicate::Kind::Linear) {
    const char *joint =
        predicate->kind == MaskPredicate::Kind::AnyOf ? " or " : " and ";
    for (const MaskPredicateRef &operand : predicate->operands) {
      bool isNested = operand->kind != MaskPredicate::Kind::Linear;
      std::string inner = print(group, operand);
      text +=
          (text.empty() ? "" : joint) + (isNested ? "(" + inner + ")" : inner);
    }
    return text;
  }
  auto addTerm = [&](int64_t coefficient, const std::string &what) {
    if (text.empty())
      text = coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    uint64_t size = llvm::AbsoluteValue(coefficient);
    if (what.empty())
      text += std::to_string(size);
    else
      text += (size == 1 ? "" : std::to_string(size) + " * ") + what;
  };
  auto addTerms = [&](bool arePositive) {
    for (auto [index, coefficient] : predicate->terms) {
      if ((coefficient > 0) != arePositive)
        continue;
      std::string name = group.axes[index.axis].name;
      if (index.divisor != 1)
        name += " / " + std::to_string(index.divisor);
      if (index.period != 0)
        name += " mod " + std::to_string(index.period);
      addTerm(coefficient, index.isPlain() ? name : "(" + name + ")");
    }
  };
  addTerms(/*arePositive=*/true);
  addTerms(/*arePositive=*/false);
  if (predicate->constant != 0 || predicate->terms.empty())
    addTerm(predicate->constant, "");
  return text + " < 0";
}

static void collectAxes(const MaskPredicate &predicate, unsigned except,
                        SmallVector<unsigned, 2> &axes) {
  for (auto [index, coefficient] : predicate.terms)
    if (index.axis != except && !llvm::is_contained(axes, index.axis))
      axes.push_back(index.axis);
  for (const MaskPredicateRef &operand : predicate.operands)
    collectAxes(*operand, except, axes);
}

SmallVector<unsigned, 2> fusion::otherAxes(const MaskedAxis &masked) {
  SmallVector<unsigned, 2> axes;
  collectAxes(*masked.where, masked.axis, axes);
  return axes;
}

/// Whether each loop over `axis` in the tree lies inside of loops over `others`
/// or blocks that are bound to them.
static bool isInsideOf(const TilingTree &items, const Schedule &schedule,
                       unsigned axis, llvm::ArrayRef<unsigned> others,
                       SmallVector<unsigned, 8> &path) {
  for (const TilingNode &node : items) {
    if (!node.isLoop())
      continue;
    if (node.index == axis && !llvm::all_of(others, [&](unsigned other) {
          return llvm::is_contained(path, other) || schedule.isBlockAxis(other);
        }))
      return false;
    path.push_back(node.index);
    bool isInside = isInsideOf(node.children, schedule, axis, others, path);
    path.pop_back();
    if (!isInside)
      return false;
  }
  return true;
}

static const MaskedAxis *findMasked(const GroupModel &group, unsigned axis) {
  for (const MaskedAxis &masked : group.masked)
    if (masked.axis == axis)
      return &masked;
  return nullptr;
}

std::optional<std::string> fusion::whyNotSkipped(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const RetainedTiles &retained,
                                                 unsigned axis) {
  const std::string &name = group.axisName(axis);
  const MaskedAxis *masked = findMasked(group, axis);
  if (!masked)
    return "no mask provably excludes points along '" + name + "'";
  if (schedule.isBlockAxis(axis))
    return "'" + name + "' is spread over blocks";
  if (sequentialTrips(group, schedule, axis) == 1)
    return "one tile takes all that a block has of '" + name + "'";
  auto numbers = [&](const TileSlots &slots) {
    return slots.isRetained() && llvm::is_contained(slots.axes, axis);
  };
  if (llvm::any_of(retained.values, numbers) ||
      llvm::any_of(retained.accumulators, numbers))
    return "tiles are kept for all iterations of '" + name + "'";
  ShortenedLoop loop{masked, {}};
  for (unsigned other : otherAxes(*masked)) {
    if (schedule.splitOf(other) > 1)
      return "'" + group.axisName(other) + "', with which masks compare '" +
             name + "', is split over blocks";
    if (tripCount(group.axes[other], schedule.tiles[other]) > 1)
      loop.others.push_back(other);
  }
  SmallVector<unsigned, 8> path;
  if (!isInsideOf(schedule.tree, schedule, axis, loop.others, path))
    return "a loop over '" + name +
           "' stands outside of those over the axes that masks compare it with";
  return std::nullopt;
}

std::optional<unsigned> fusion::skippableAxis(const GroupModel &group,
                                              const Schedule &schedule) {
  if (group.masked.empty())
    return std::nullopt;
  RetainedTiles retained;
  if (analyzeRetainedTiles(group, schedule, retained))
    return std::nullopt;
  for (const MaskedAxis &masked : group.masked)
    if (!whyNotSkipped(group, schedule, retained, masked.axis))
      return masked.axis;
  return std::nullopt;
}

std::optional<ShortenedLoop> fusion::shortenedLoop(const GroupModel &group,
                                                   const Schedule &schedule) {
  if (!schedule.maskedAxis)
    return std::nullopt;
  ShortenedLoop loop{findMasked(group, *schedule.maskedAxis), {}};
  for (unsigned other : otherAxes(*loop.masked))
    if (tripCount(group.axes[other], schedule.tiles[other]) > 1)
      loop.others.push_back(other);
  return loop;
}

int64_t fusion::rangeOfCluster(const Schedule &schedule, unsigned axis) {
  bool isAlong = !schedule.blocks.empty() && schedule.blocks.back() == axis;
  return schedule.tiles[axis] * (isAlong ? schedule.cluster : 1);
}

namespace {

/// Plain numbers for one tile of the other axes.
struct TileNumbers {
  using Value = int64_t;
  const GroupModel &group;
  const Schedule &schedule;
  llvm::ArrayRef<unsigned> others;
  llvm::ArrayRef<int64_t> origins; ///< of the others

  Value first(unsigned axis) const {
    const unsigned *found = llvm::find(others, axis);
    if (found == others.end())
      return 0;
    int64_t origin = origins[found - others.begin()];
    return origin - origin % rangeOfCluster(schedule, axis);
  }
  Value last(unsigned axis) const {
    return std::min(first(axis) + rangeOfCluster(schedule, axis),
                    group.axes[axis].extent) -
           1;
  }
  Value constant(int64_t value) const { return value; }
  Value add(Value a, Value b) const { return a + b; }
  Value scale(Value a, int64_t factor) const { return a * factor; }
  Value floorDiv(Value a, int64_t divisor) const {
    return llvm::divideFloorSigned(a, divisor);
  }
  Value min(Value a, Value b) const { return std::min(a, b); }
  Value max(Value a, Value b) const { return std::max(a, b); }
};

} // namespace

/// Calls `visit` with the tiles of the others in order; the object is the same.
template <typename Visit>
static void forEachVisited(const GroupModel &group, const Schedule &schedule,
                           const ShortenedLoop &loop, Visit visit) {
  unsigned axis = loop.masked->axis;
  int64_t extent = group.axes[axis].extent, tile = schedule.tiles[axis];
  UnmaskedTiles visited{{}, 0, 0};
  SmallVector<int64_t, 2> origins(loop.others.size(), 0);
  while (true) {
    TileNumbers numbers{group, schedule, loop.others, origins};
    int64_t begin =
        maskBound(*loop.masked->where, axis, extent, /*after=*/false, numbers);
    int64_t end =
        maskBound(*loop.masked->where, axis, extent, /*after=*/true, numbers);
    begin -= begin % tile;
    visited.extents.clear();
    for (auto [other, origin] : llvm::zip_equal(loop.others, origins))
      visited.extents.push_back(
          std::min(schedule.tiles[other], group.axes[other].extent - origin));
    visited.iterations = end > begin ? llvm::divideCeil(end - begin, tile) : 0;
    visited.covered = std::min(visited.iterations * tile, extent - begin);
    visit(visited);
    // The next tile.
    unsigned digit = loop.others.size();
    for (; digit > 0; --digit) {
      unsigned other = loop.others[digit - 1];
      origins[digit - 1] += schedule.tiles[other];
      if (origins[digit - 1] < group.axes[other].extent)
        break;
      origins[digit - 1] = 0;
    }
    if (digit == 0)
      return;
  }
}

std::vector<UnmaskedTiles>
fusion::listUnmaskedTiles(const GroupModel &group, const Schedule &schedule,
                          const ShortenedLoop &loop) {
  std::vector<UnmaskedTiles> result;
  forEachVisited(group, schedule, loop, [&](const UnmaskedTiles &visited) {
    result.push_back(visited);
  });
  return result;
}

UnmaskedSums fusion::sumUnmaskedTiles(const GroupModel &group,
                                      const Schedule &schedule,
                                      const ShortenedLoop &loop) {
  UnmaskedSums result;
  unsigned sets = 2u << loop.others.size();
  result.points.assign(sets, 0);
  forEachVisited(group, schedule, loop, [&](const UnmaskedTiles &visited) {
    ++result.tiles;
    result.iterations += visited.iterations;
    result.most = std::max(result.most, visited.iterations);
    for (unsigned set = 0; set < sets; ++set) {
      int64_t points = set & 1 ? visited.covered : visited.iterations;
      for (auto [number, extent] : llvm::enumerate(visited.extents))
        if (set >> (number + 1) & 1)
          points *= extent;
      result.points[set] += points;
    }
  });
  return result;
}

const UnmaskedSums &UnmaskedTilesMemo::get(const GroupModel &group,
                                           const Schedule &schedule,
                                           const ShortenedLoop &loop) {
  unsigned axis = loop.masked->axis;
  Key key = {axis, schedule.tiles[axis]};
  for (unsigned other : otherAxes(*loop.masked)) {
    key.push_back(schedule.tiles[other]);
    key.push_back(rangeOfCluster(schedule, other));
  }
  {
    std::shared_lock lock(mutex);
    auto found = known.find(key);
    if (found != known.end())
      return found->second;
  }
  UnmaskedSums sums = sumUnmaskedTiles(group, schedule, loop);
  std::unique_lock lock(mutex);
  return known.try_emplace(std::move(key), std::move(sums)).first->second;
}

size_t UnmaskedTilesMemo::size() const {
  std::shared_lock lock(mutex);
  return known.size();
}
