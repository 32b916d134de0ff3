//===- MaskedTiles.cpp - Tiles that masks leave out -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::SmallVector;

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
    return "tiles are retained for all iterations of '" + name + "'";
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

/// Returns the other axes of the loop with their tiles and ranges.
static SmallVector<TiledAxis, 2> tiledAxes(const Schedule &schedule,
                                           const ShortenedLoop &loop) {
  SmallVector<TiledAxis, 2> axes;
  for (unsigned other : loop.others)
    axes.push_back(
        {other, schedule.tiles[other], rangeOfCluster(schedule, other)});
  return axes;
}

std::vector<UnmaskedTiles>
fusion::listUnmaskedTiles(const GroupModel &group, const Schedule &schedule,
                          const ShortenedLoop &loop) {
  std::vector<UnmaskedTiles> result;
  forEachUnmaskedTiles(
      group, *loop.masked, schedule.tiles[loop.masked->axis],
      tiledAxes(schedule, loop),
      [&](const UnmaskedTiles &visited) { result.push_back(visited); });
  return result;
}

UnmaskedSums fusion::sumUnmaskedTiles(const GroupModel &group,
                                      const Schedule &schedule,
                                      const ShortenedLoop &loop) {
  UnmaskedSums result;
  unsigned sets = 2u << loop.others.size();
  result.points.assign(sets, 0);
  forEachUnmaskedTiles(
      group, *loop.masked, schedule.tiles[loop.masked->axis],
      tiledAxes(schedule, loop), [&](const UnmaskedTiles &visited) {
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
