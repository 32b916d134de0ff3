//===- TreeCache.h - Trees of candidates, each made once --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate's tree follows from its expression, the loops that live, and what
// is moved; many candidates have the same. Equal trees over equal grids have
// one number, wherever they come from: candidates of the same number, tiles,
// parts, raster, cluster, stores in bulk and intrinsics are one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_TREECACHE_H
#define FUSION_LIB_SEARCH_TREECACHE_H

#include "fusion/Search/ScheduleSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace fusion {

/// Equality and hashes of keys that are nothing but their bytes.
template <typename Key> struct KeyBytes {
  static_assert(std::has_unique_object_representations_v<Key>);
  bool operator()(const Key &one, const Key &other) const {
    return std::memcmp(&one, &other, sizeof(Key)) == 0;
  }
  size_t operator()(const Key &key) const {
    return llvm::xxh3_64bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&key), sizeof(Key)));
  }
};
template <typename Key, typename Value>
using KeyMap = std::unordered_map<Key, Value, KeyBytes<Key>, KeyBytes<Key>>;

template <typename Key>
using KeySet = std::unordered_set<Key, KeyBytes<Key>, KeyBytes<Key>>;

/// All that a tree follows from.
struct TreeKey {
  uint64_t loops = 0; ///< the expression and, a bit of each axis, which live
  decltype(ScheduleCandidate::hoisted) hoisted{};
  decltype(ScheduleCandidate::kept) kept{};
};

/// Any number of threads may ask.
class TreeCache {
public:
  /// The number of a tree that is known; into `schedule`, where there is one,
  /// it is copied with its grid.
  std::optional<unsigned> find(const TreeKey &key,
                               Schedule *schedule = nullptr) const {
    std::shared_lock lock(mutex);
    auto found = trees.find(key);
    if (found == trees.end())
      return std::nullopt;
    if (schedule) {
      schedule->tree = found->second.loops;
      schedule->blocks = found->second.blocks;
    }
    return found->second.number;
  }
  /// Remembers a schedule's tree and grid; returns its number.
  unsigned add(const TreeKey &key, const Schedule &schedule,
               const GroupModel &group) {
    constexpr size_t most = 1 << 14; // some 2 KB each
    std::string text = printTiling(schedule.tree, group) + "|";
    for (unsigned axis : schedule.blocks)
      text += group.axes[axis].name;
    std::unique_lock lock(mutex);
    if (trees.size() >= most)
      trees.clear();
    unsigned number = numbers.try_emplace(text, numbers.size()).first->second;
    trees.try_emplace(key, Tree{{schedule.blocks, schedule.tree}, number});
    return number;
  }

  /// The same for out of how many loops values are kept (`keepOutside`): the
  /// key has the values that are asked for, not levels.
  template <typename Find>
  decltype(TreeKey::kept) findKept(const TreeKey &key, Find find) {
    {
      std::shared_lock lock(mutex);
      if (auto found = kept.find(key); found != kept.end())
        return found->second;
    }
    decltype(TreeKey::kept) levels = find();
    std::unique_lock lock(mutex);
    kept.try_emplace(key, levels);
    return levels;
  }

private:
  struct Tree : BoundExpression {
    unsigned number;
  };

  mutable std::shared_mutex mutex;
  KeyMap<TreeKey, Tree> trees;
  llvm::StringMap<unsigned> numbers; ///< of all there ever were
  KeyMap<TreeKey, decltype(TreeKey::kept)> kept;
};

/// What a candidate is before warps, stages and how operands are copied are
/// chosen.
struct CandidateKey {
  CandidateKey(const ScheduleSpace &space, const ScheduleCandidate &candidate)
      : stored(candidate.movement.inBulk & space.storeTransports().back()),
        tree(space.treeOf(candidate)), parts(candidate.parts),
        raster(candidate.raster), cluster(candidate.cluster),
        intrinsics(candidate.intrinsics) {
    llvm::copy(candidate.tiles, tiles.begin());
  }

  TensorSet stored; ///< in bulk
  uint32_t tree, parts, raster, cluster;
  std::array<uint32_t, CostBound::kMaxAxes> tiles;
  decltype(ScheduleCandidate::intrinsics) intrinsics;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_TREECACHE_H
