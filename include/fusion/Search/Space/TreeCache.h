//===- TreeCache.h - Trees of candidates, each made once --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate's tree follows from its expression, the loops that live, and the
// moved statements; many candidates have equal trees. Equal trees over equal
// grids have one number, whatever candidate they come from. Two candidates are
// the same if their trees have the same number and all other fields are equal,
// except fields that the evaluator chooses (`DimensionInfo::isEvaluated`).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_TREECACHE_H
#define FUSION_SEARCH_SPACE_TREECACHE_H

#include "fusion/Search/Space/ScheduleSpace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <memory>
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

/// The choices that a tree follows from.
struct TreeKey {
  uint64_t loops = 0; ///< the expression and, a bit of each axis, which live
  decltype(ScheduleCandidate::hoisted) hoisted{};
  decltype(ScheduleCandidate::retained) retained{};
};

/// A move of one statement in a tree (`ScheduleCandidate::retained` and
/// `hoisted`).
struct TreeMove {
  uint32_t tree = 0; ///< its number
  uint16_t isLoad = 0, index = 0;
  uint64_t levels = 0;
};

/// A tree over its grid, with its number.
struct NumberedTree : BoundExpression {
  unsigned number;
};

/// A thread-safe cache of trees. Trees that differ in few moves share most
/// steps of their construction, which are cached, too.
class TreeCache {
public:
  using Tree = std::shared_ptr<const NumberedTree>;

  std::optional<unsigned> findNumber(const TreeKey &key) const {
    std::shared_lock lock(mutex);
    auto found = trees.find(key);
    if (found == trees.end())
      return std::nullopt;
    return found->second->number;
  }
  Tree find(const TreeKey &key) const { return findIn(trees, key); }
  void add(const TreeKey &key, Tree tree) {
    addTo(trees, key, std::move(tree));
  }
  Tree find(const TreeMove &move) const { return findIn(steps, move); }
  void add(const TreeMove &move, Tree tree) {
    addTo(steps, move, std::move(tree));
  }

  /// Returns the numbered tree of an expression over its grid, created on first
  /// use.
  Tree number(BoundExpression expression, const GroupModel &group) {
    std::string text = printTiling(expression.loops, group) + "|";
    for (unsigned axis : expression.blocks)
      text += group.axes[axis].name;
    std::unique_lock lock(mutex);
    unsigned number = numbers.try_emplace(text, numbers.size()).first->second;
    Tree &tree = numbered[number];
    if (!tree)
      tree = std::make_shared<const NumberedTree>(
          NumberedTree{std::move(expression), number});
    return tree;
  }

  /// Returns out of how many loops values are retained (`retainOutside`),
  /// computed by `find` on first use. The key's `retained` has the requested
  /// values instead of levels.
  template <typename Find>
  decltype(TreeKey::retained) findRetained(const TreeKey &key, Find find) {
    {
      std::shared_lock lock(mutex);
      if (auto found = retained.find(key); found != retained.end())
        return found->second;
    }
    decltype(TreeKey::retained) levels = find();
    std::unique_lock lock(mutex);
    retained.try_emplace(key, levels);
    return levels;
  }

private:
  template <typename Key>
  Tree findIn(const KeyMap<Key, Tree> &map, const Key &key) const {
    std::shared_lock lock(mutex);
    auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }
  template <typename Key>
  void addTo(KeyMap<Key, Tree> &map, const Key &key, Tree tree) {
    constexpr size_t maxTrees = 1 << 14; // some 2 KB each
    constexpr size_t maxKeys = 1 << 18;
    std::unique_lock lock(mutex);
    if (numbered.size() >= maxTrees || trees.size() + steps.size() >= maxKeys) {
      trees.clear();
      steps.clear();
      numbered.clear();
    }
    map.try_emplace(key, std::move(tree));
  }

  mutable std::shared_mutex mutex;
  KeyMap<TreeKey, Tree> trees;
  KeyMap<TreeMove, Tree> steps;
  llvm::DenseMap<unsigned, Tree> numbered;
  llvm::StringMap<unsigned> numbers; ///< of all there ever were
  KeyMap<TreeKey, decltype(TreeKey::retained)> retained;
};

/// The identity of a candidate before the evaluator's choices: the number of
/// its tree, and the fields that neither the tree nor the evaluator has.
struct CandidateKey {
  CandidateKey(const ScheduleSpace &space, const ScheduleCandidate &candidate)
      : tree(space.treeOf(candidate)) {
    auto *next = words.begin();
    auto add = [&](uint64_t value, unsigned count) {
      assert(next + count <= words.end() && "more values: enlarge kMostWords");
      for (; count > 0; --count, value >>= 16)
        *next++ = static_cast<uint16_t>(value);
      assert(value == 0 && "a value of a dimension has more than 16 bits");
    };
    for (const ScheduleDimension &dimension : space.dimensions())
      if (!dimension.isEvaluated && !dimension.isInTree)
        for (unsigned index = 0; index < dimension.elements.size(); ++index)
          add(dimension.get(candidate, index), dimension.isTensorSet ? 4 : 1);
  }

  static constexpr unsigned kMaxWords =
      CostBound::kMaxAxes + kMaxContractions + 16;
  uint32_t tree;
  std::array<uint16_t, kMaxWords> words{};
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_TREECACHE_H
