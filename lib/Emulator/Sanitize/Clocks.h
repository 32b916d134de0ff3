//===- Clocks.h - Clocks by key, shared between copies ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks whose copies share common subtrees. `Clocks` is a radix tree
// with 32 clocks in a leaf, 16 children in a node, and no node with a single
// child. A node with several users is never changed.
//
// A join of two trees skips common subtrees, so that its cost is that of their
// differences: threads that take a lock one after another know nearly the same.
// (Tree clocks have the same aim: Mathur, Pavlogiannis, Tunc and Viswanathan,
// "A Tree Clock Data Structure for Causal Orderings in Concurrent Executions",
// ASPLOS 2022.) `WarpClocks` is a plain array, for the few slots of a block.
//
// A launch with sanitizers runs on one thread, so that uses are counted without
// atomics.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_CLOCKS_H
#define FUSION_LIB_EMULATOR_SANITIZE_CLOCKS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fusion::emulator {

class Clocks {
public:
  /// The number of keys in a leaf; a mask names some of them.
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
  /// Whether both are the same tree. Different trees may still be equal.
  bool isShared(const Clocks &other) const { return root == other.root; }
  /// Returns the clock of `key`, or 0 if it has none.
  uint32_t at(uint64_t key) const {
    const uint32_t *leaf = leafOf(key);
    return leaf ? leaf[key % kLeaf] : 0;
  }
  /// Returns the clocks of all keys in `key`'s leaf, or null if all are 0.
  const uint32_t *leafOf(uint64_t key) const;
  /// Raises the clock of `key` to `clock`. Returns whether that changes
  /// anything.
  bool join(uint64_t key, uint32_t clock) {
    return joinLeaf(key, 1u << key % kLeaf, clock);
  }
  /// Raises the clocks of several keys of a leaf, the bits of `keys`, to
  /// `clock`.
  bool joinLeaf(uint64_t key, uint32_t keys, uint32_t clock);
  /// Raises the clocks of all keys of a leaf to `clocks`.
  bool joinLeaf(uint64_t key, const uint32_t (&clocks)[kLeaf]);
  bool join(const Clocks &other) {
    if (root == other.root || !other.root)
      return false;
    return root ? joinInto(root, other.root) : adopt(retain(other.root));
  }
  /// Visits leaves as (key of the first clock, clocks), if that key is in the
  /// range.
  template <class Visit>
  void forLeaves(uint64_t first, uint64_t last, Visit visit) const {
    visitLeaves(root, first, last, visit);
  }
  template <class Visit> void forLeaves(Visit visit) const {
    visitLeaves(root, 0, ~uint64_t(0), visit);
  }
  /// Erases the leaves whose first key is in the range.
  void eraseLeaves(uint64_t first, uint64_t last) {
    if (root)
      adopt(without(root, first, last));
  }

private:
  static constexpr unsigned kBits = 4, kChildren = 1 << kBits;
  struct Node {
    uint32_t uses;
    uint32_t level; ///< 0 for a leaf
    uint64_t base;  ///< number of the first leaf that it may hold
    union {
      uint32_t clocks[kLeaf];
      Node *children[kChildren];
    };
    /// Returns the child of this node below which a leaf, given by number, is.
    unsigned place(uint64_t leaf) const {
      return (leaf >> (level - 1) * kBits) % kChildren;
    }
    /// Returns the first key of the last leaf that the node may contain.
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
  // The functions below return a node with one use counted for the caller. It
  // may be one of their arguments.
  static Node *joined(Node *a, Node *b);
  /// Joins `b` into `a`, in place if `a` has a single use. Returns whether that
  /// changes anything.
  static bool joinInto(Node *&a, Node *b);
  static Node *branch(Node *a, Node *b);
  static Node *withChild(Node *node, unsigned place, Node *child);
  static Node *without(Node *node, uint64_t first, uint64_t last);
  /// Replaces the root. Returns whether it is another node.
  bool adopt(Node *node) {
    bool isNew = node != root;
    release(root);
    root = node;
    return isNew;
  }
  /// Returns a leaf that may be changed.
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

/// Clocks by slot (namespace slots). A slot without an entry has clock 0.
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
  /// Returns at least `size` clocks that may be changed.
  uint32_t *own(uint32_t size);

  Shared *shared = nullptr;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_CLOCKS_H
