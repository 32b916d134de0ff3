//===- Clocks.h - Clocks by key, shared between copies ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks whose copies share what they have in common. `Clocks` is a
// radix tree that is never changed where somebody else sees it: 32 clocks in a
// leaf, 16 children in a node, no node with a single child. Joining two trees
// passes over what they share, so that it costs what they differ in: those who
// take a lock in turn know nearly the same (the aim of tree clocks: Mathur,
// Pavlogiannis, Tunc and Viswanathan, "A Tree Clock Data Structure for Causal
// Orderings in Concurrent Executions", ASPLOS 2022). `WarpClocks` is a plain
// array, for the few slots of a block.
//
// A launch with sanitizers runs on one thread, so that uses are plainly
// counted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_CLOCKS_H
#define FUSION_LIB_EMULATOR_CLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fusion::emulator {

class Clocks {
public:
  /// Keys that have their leaf in common; a mask tells of some of them.
  static constexpr unsigned kLeaf = 32;

  Clocks() = default;
  Clocks(const Clocks &other) : root(retain(other.root)) {}
  Clocks(Clocks &&other) noexcept : root(std::exchange(other.root, nullptr)) {}
  Clocks &operator=(Clocks other) {
    std::swap(root, other.root);
    return *this;
  }
  ~Clocks() { release(root); }

  bool empty() const { return !root; }
  /// Whether they are the same object; others may still be equal.
  bool isShared(const Clocks &other) const { return root == other.root; }
  /// 0 where there is none.
  uint32_t at(uint64_t key) const {
    const uint32_t *leaf = leafOf(key);
    return leaf ? leaf[key % kLeaf] : 0;
  }
  /// The clocks of the keys that have `key`'s leaf; null where all are 0.
  const uint32_t *leafOf(uint64_t key) const;
  /// The larger clock of each key; whether that is anything new.
  bool join(uint64_t key, uint32_t clock) {
    return joinLeaf(key, 1u << key % kLeaf, clock);
  }
  /// Of several keys of a leaf.
  bool joinLeaf(uint64_t key, uint32_t keys, uint32_t clock);
  /// And with several clocks.
  bool joinLeaf(uint64_t key, const uint32_t (&clocks)[kLeaf]);
  bool join(const Clocks &other) {
    if (root == other.root || !other.root)
      return false;
    return root ? joinInto(root, other.root) : adopt(retain(other.root));
  }
  /// Visits (key of the leaf's first clock, clocks), of leaves where that key
  /// is in the range.
  template <class Visit>
  void forLeaves(uint64_t first, uint64_t last, Visit visit) const {
    visitLeaves(root, first, last, visit);
  }
  template <class Visit> void forLeaves(Visit visit) const {
    visitLeaves(root, 0, ~uint64_t(0), visit);
  }
  /// Those whose leaf has its first key in this range.
  void eraseLeaves(uint64_t first, uint64_t last) {
    if (root)
      adopt(without(root, first, last));
  }

private:
  static constexpr unsigned kBits = 4, kChildren = 1 << kBits;
  struct Node {
    uint32_t uses;
    uint32_t level; ///< 0: a leaf
    uint64_t base;  ///< number of the first leaf that it may hold
    union {
      uint32_t clocks[kLeaf];
      Node *children[kChildren];
    };
    /// Of a leaf's number, where it lies below.
    unsigned place(uint64_t leaf) const {
      return (leaf >> (level - 1) * kBits) % kChildren;
    }
    /// Of the last leaf that it may hold, its first key.
    uint64_t lastKey() const {
      return (base + ((uint64_t(1) << level * kBits) - 1)) * kLeaf;
    }
    bool holds(uint64_t leaf) const {
      return (leaf ^ base) >> level * kBits == 0;
    }
  };

  static Node *retain(Node *node) {
    if (node)
      ++node->uses;
    return node;
  }
  static void release(Node *node) {
    if (node && !--node->uses)
      destroy(node);
  }
  static void destroy(Node *node);
  static Node *allocate(uint32_t level, uint64_t base);
  static Node *copied(const Node *node);
  // What follows returns a use of a node: of one of the arguments, where it is
  // that.
  static Node *joined(Node *a, Node *b);
  /// The same in place of the first, where nobody else sees that; whether it is
  /// another now.
  static bool joinInto(Node *&a, Node *b);
  static Node *branch(Node *a, Node *b);
  static Node *withChild(Node *node, unsigned place, Node *child);
  static Node *without(Node *node, uint64_t first, uint64_t last);
  /// Whether the root changes.
  bool adopt(Node *node) {
    bool isNew = node != root;
    release(root);
    root = node;
    return isNew;
  }
  /// The leaf, to be changed.
  Node *own(uint64_t leaf);
  template <class Visit>
  static void visitLeaves(const Node *node, uint64_t first, uint64_t last,
                          Visit &visit) {
    if (!node || node->lastKey() < first || node->base * kLeaf > last)
      return;
    if (!node->level)
      return visit(node->base * kLeaf, node->clocks);
    unsigned begin = 0, end = kChildren - 1;
    if (first > node->base * kLeaf)
      begin = node->place(first / kLeaf);
    if (last < node->lastKey())
      end = node->place(last / kLeaf);
    for (; begin <= end; ++begin)
      visitLeaves(node->children[begin], first, last, visit);
  }

  Node *root = nullptr;
};

/// Clocks by slot (namespace slots); those that are not there are 0.
class WarpClocks {
public:
  WarpClocks() = default;
  WarpClocks(const WarpClocks &other) : shared(other.shared) {
    if (shared)
      ++shared->uses;
  }
  WarpClocks(WarpClocks &&other) noexcept
      : shared(std::exchange(other.shared, nullptr)) {}
  WarpClocks &operator=(WarpClocks other) {
    std::swap(shared, other.shared);
    return *this;
  }
  ~WarpClocks() { release(); }

  uint32_t size() const { return shared ? uint32_t(shared->clocks.size()) : 0; }
  bool empty() const { return !size(); }
  const uint32_t *data() const {
    return shared ? shared->clocks.data() : nullptr;
  }
  uint32_t at(uint32_t slot) const {
    return slot < size() ? shared->clocks[slot] : 0;
  }
  bool isShared(const WarpClocks &other) const {
    return shared == other.shared;
  }
  bool join(uint32_t slot, uint32_t clock) {
    if (at(slot) >= clock)
      return false;
    own(slot + 1)[slot] = clock;
    return true;
  }
  bool join(const WarpClocks &other);

private:
  struct Shared {
    uint32_t uses = 1;
    std::vector<uint32_t> clocks;
  };
  void release() {
    if (shared && !--shared->uses)
      destroy(shared);
  }
  static void destroy(Shared *shared);
  /// To be changed, of that size at least.
  uint32_t *own(uint32_t size);

  Shared *shared = nullptr;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_CLOCKS_H
