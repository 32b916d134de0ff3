//===- Clocks.cpp - Clocks by key, shared between copies ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Clocks.h"

#include <cstring>

using namespace fusion::emulator;

namespace {
/// What is not used any more: clocks come and go at every barrier.
template <class T> struct Spares {
  ~Spares() {
    for (T *spare : list)
      delete spare;
  }
  T *take() {
    if (list.empty())
      return new T;
    T *spare = list.back();
    list.pop_back();
    return spare;
  }
  void give(T *spare) {
    if (list.size() < kMost)
      list.push_back(spare);
    else
      delete spare;
  }
  static constexpr size_t kMost = 4096;
  std::vector<T *> list;
};
} // namespace

template <class T> static Spares<T> &spares() {
  static thread_local Spares<T> spares;
  return spares;
}

/// Which of the two have clocks that are larger: no clock reaches 2^31, and
/// baseline vector instructions compare signed numbers.
static inline void compare(const uint32_t *a, const uint32_t *b, uint32_t count,
                           int32_t &isA, int32_t &isB) {
  int32_t less = 0, more = 0;
  for (uint32_t i = 0; i < count; ++i) {
    less |= int32_t(b[i]) - int32_t(a[i]);
    more |= int32_t(a[i]) - int32_t(b[i]);
  }
  // The sign of a difference.
  isA = less < 0;
  isB = more < 0;
}

static inline void takeLarger(uint32_t *to, const uint32_t *from,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    to[i] = int32_t(to[i]) < int32_t(from[i]) ? from[i] : to[i];
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

Clocks::Node *Clocks::allocate(uint32_t level, uint64_t base) {
  Node *node = spares<Node>().take();
  node->uses = 1;
  node->level = level;
  node->base = base;
  std::memset(node->children, 0, sizeof(node->children));
  return node;
}

void Clocks::destroy(Node *node) {
  if (node->level)
    for (Node *child : node->children)
      release(child);
  spares<Node>().give(node);
}

Clocks::Node *Clocks::copied(const Node *node) {
  Node *copy = spares<Node>().take();
  *copy = *node;
  copy->uses = 1;
  if (copy->level)
    for (Node *child : copy->children)
      retain(child);
  return copy;
}

const uint32_t *Clocks::leafOf(uint64_t key) const {
  uint64_t leaf = key / kLeaf;
  const Node *node = root;
  while (node && node->level)
    node = node->holds(leaf) ? node->children[node->place(leaf)] : nullptr;
  return node && node->base == leaf ? node->clocks : nullptr;
}

/// The two have no leaf in common, nor is one above the other.
Clocks::Node *Clocks::branch(Node *a, Node *b) {
  uint64_t different = a->base ^ b->base;
  uint32_t level = uint32_t(63 - __builtin_clzll(different)) / kBits + 1;
  // Two nodes may begin at the same leaf only where one holds the other.
  uint64_t below = (uint64_t(1) << level * kBits) - 1;
  Node *node = allocate(level, level * kBits < 64 ? a->base & ~below : 0);
  node->children[node->place(a->base)] = retain(a);
  node->children[node->place(b->base)] = retain(b);
  return node;
}

/// Consumes the child.
Clocks::Node *Clocks::withChild(Node *node, unsigned place, Node *child) {
  if (node->children[place] == child) {
    release(child);
    return retain(node);
  }
  Node *copy = copied(node);
  release(copy->children[place]);
  copy->children[place] = child;
  return copy;
}

/// Where the children of two nodes are not the same. Mostly few are: to look
/// for those alone is what joining costs.
template <class Node>
static inline uint32_t differences(Node *const *a, Node *const *b,
                                   unsigned count) {
  uint32_t different = 0;
  for (unsigned i = count; i--;)
    different = different << 1 | uint32_t(a[i] != b[i]);
  return different;
}

Clocks::Node *Clocks::joined(Node *a, Node *b) {
  if (a == b || !b)
    return retain(a);
  if (!a)
    return retain(b);
  if (a->level != b->level) {
    Node *high = a->level > b->level ? a : b, *low = high == a ? b : a;
    if (!high->holds(low->base))
      return branch(a, b);
    unsigned place = high->place(low->base);
    Node *child = high->children[place];
    return withChild(high, place,
                     high == a ? joined(child, low) : joined(low, child));
  }
  if (a->base != b->base)
    return branch(a, b);
  if (!a->level) {
    int32_t isA, isB;
    compare(a->clocks, b->clocks, kLeaf, isA, isB);
    if (!isB)
      return retain(a);
    if (!isA)
      return retain(b);
    Node *leaf = copied(a);
    takeLarger(leaf->clocks, b->clocks, kLeaf);
    return leaf;
  }
  uint32_t both = 0, onlyA = 0, onlyB = 0;
  for (uint32_t left = differences(a->children, b->children, kChildren); left;
       left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    uint32_t &kind = !a->children[i] ? onlyB : !b->children[i] ? onlyA : both;
    kind |= left & -left;
  }
  Node *children[kChildren];
  bool isA = !onlyB, isB = !onlyA;
  for (uint32_t left = both; left; left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    children[i] = joined(a->children[i], b->children[i]);
    isA &= children[i] == a->children[i];
    isB &= children[i] == b->children[i];
  }
  Node *node = isA ? retain(a) : isB ? retain(b) : nullptr;
  if (node) {
    for (; both; both &= both - 1)
      release(children[__builtin_ctz(both)]);
    return node;
  }
  node = copied(a);
  for (; onlyB; onlyB &= onlyB - 1) {
    unsigned i = unsigned(__builtin_ctz(onlyB));
    node->children[i] = retain(b->children[i]);
  }
  for (; both; both &= both - 1) {
    unsigned i = unsigned(__builtin_ctz(both));
    release(node->children[i]);
    node->children[i] = children[i];
  }
  return node;
}

bool Clocks::joinInto(Node *&a, Node *b) {
  if (a == b)
    return false;
  if (a->uses > 1 || a->level < b->level || !a->holds(b->base)) {
    Node *node = joined(a, b);
    bool isNew = node != a;
    release(a);
    a = node;
    return isNew;
  }
  auto put = [](Node *&child, Node *other) {
    if (child)
      return joinInto(child, other);
    child = retain(other);
    return true;
  };
  if (a->level > b->level)
    return put(a->children[a->place(b->base)], b);
  if (!a->level) {
    int32_t isA, isB;
    compare(a->clocks, b->clocks, kLeaf, isA, isB);
    if (!isB)
      return false;
    if (isA) {
      takeLarger(a->clocks, b->clocks, kLeaf);
    } else {
      release(a);
      a = retain(b);
    }
    return true;
  }
  uint32_t different = differences(a->children, b->children, kChildren);
  bool isNew = false;
  for (; different; different &= different - 1) {
    unsigned i = unsigned(__builtin_ctz(different));
    if (b->children[i])
      isNew |= put(a->children[i], b->children[i]);
  }
  // What is equal is to be shared.
  if (isNew && std::equal(a->children, a->children + kChildren, b->children)) {
    release(a);
    a = retain(b);
  }
  return isNew;
}

Clocks::Node *Clocks::without(Node *node, uint64_t first, uint64_t last) {
  uint64_t begin = node->base * kLeaf;
  if (!node->level)
    return begin >= first && begin <= last ? nullptr : retain(node);
  if (node->lastKey() < first || begin > last)
    return retain(node);
  Node *copy = copied(node), *only = nullptr;
  unsigned count = 0;
  for (Node *&child : copy->children) {
    if (!child)
      continue;
    Node *rest = without(child, first, last);
    release(child);
    child = rest;
    if (rest) {
      ++count;
      only = rest;
    }
  }
  if (count > 1)
    return copy;
  retain(only);
  release(copy);
  return only;
}

Clocks::Node *Clocks::own(uint64_t leaf) {
  Node **at = &root;
  while (true) {
    Node *node = *at;
    if (!node)
      return *at = allocate(0, leaf);
    if (node->level ? !node->holds(leaf) : node->base != leaf) {
      Node *fresh = allocate(0, leaf);
      *at = branch(node, fresh);
      release(node);
      release(fresh);
      continue;
    }
    if (node->uses > 1) {
      *at = copied(node);
      release(node);
      node = *at;
    }
    if (!node->level)
      return node;
    at = &node->children[node->place(leaf)];
  }
}

bool Clocks::joinLeaf(uint64_t key, uint32_t keys, uint32_t clock) {
  const uint32_t *known = leafOf(key);
  uint32_t missing = 0;
  for (uint32_t left = keys; left; left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    missing |= uint32_t((known ? known[i] : 0) < clock) << i;
  }
  if (!missing)
    return false;
  Node *leaf = own(key / kLeaf);
  for (; missing; missing &= missing - 1)
    leaf->clocks[__builtin_ctz(missing)] = clock;
  return true;
}

bool Clocks::joinLeaf(uint64_t key, const uint32_t (&clocks)[kLeaf]) {
  const uint32_t *known = leafOf(key);
  uint32_t isNew = 0;
  for (unsigned i = 0; i < kLeaf; ++i)
    isNew |= uint32_t((known ? known[i] : 0) < clocks[i]);
  if (!isNew)
    return false;
  Node *leaf = own(key / kLeaf);
  for (unsigned i = 0; i < kLeaf; ++i)
    leaf->clocks[i] = std::max(leaf->clocks[i], clocks[i]);
  return true;
}

//===----------------------------------------------------------------------===//
// WarpClocks
//===----------------------------------------------------------------------===//

void WarpClocks::destroy(Shared *shared) { spares<Shared>().give(shared); }

uint32_t *WarpClocks::own(uint32_t size) {
  if (!shared || shared->uses > 1) {
    Shared *fresh = spares<Shared>().take();
    fresh->uses = 1;
    if (shared)
      fresh->clocks = shared->clocks;
    else
      fresh->clocks.clear();
    release();
    shared = fresh;
  }
  if (shared->clocks.size() < size)
    shared->clocks.resize(size, 0);
  return shared->clocks.data();
}

bool WarpClocks::join(const WarpClocks &other) {
  if (shared == other.shared || !other.shared)
    return false;
  uint32_t count = std::min(size(), other.size());
  const uint32_t *b = other.data();
  int32_t isMine, isTheirs;
  compare(data(), b, count, isMine, isTheirs);
  for (uint32_t w = count; w < other.size(); ++w)
    isTheirs |= int32_t(b[w]);
  if (!isTheirs)
    return false;
  if (!isMine && size() == count) {
    *this = other;
    return true;
  }
  takeLarger(own(other.size()), b, other.size());
  return true;
}
