//===- HappensBefore.cpp - What threads know of one another ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

using namespace fusion::emulator;

static bool isBelow(const Clocks::Entry &entry, uint64_t key) {
  return entry.first < key;
}

Clocks::Iterator Clocks::lowerBound(uint64_t key) const {
  return std::lower_bound(begin(), end(), key, isBelow);
}

Clocks::Iterator Clocks::find(uint64_t key) const {
  auto it = lowerBound(key);
  return it != end() && it->first == key ? it : end();
}

namespace {
/// Entries that are not used any more, with their room: clocks come and go at
/// every barrier.
template <class T> struct Spares {
  ~Spares() {
    for (T *spare : list)
      delete spare;
  }
  static constexpr size_t kMost = 256;
  std::vector<T *> list;
};
} // namespace

template <class T> static Spares<T> &spares() {
  static thread_local Spares<T> spares;
  return spares;
}

void Clocks::release() {
  if (!shared || --shared->uses)
    return;
  std::vector<Shared *> &list = spares<Shared>().list;
  if (list.size() == Spares<Shared>::kMost) {
    delete shared;
    return;
  }
  shared->entries.clear();
  list.push_back(shared);
}

std::vector<Clocks::Entry> &Clocks::own(size_t more) {
  if (shared && shared->uses == 1)
    return shared->entries;
  std::vector<Shared *> &list = spares<Shared>().list;
  Shared *fresh;
  if (list.empty()) {
    fresh = new Shared;
  } else {
    fresh = list.back();
    list.pop_back();
    fresh->uses = 1;
  }
  fresh->entries.reserve(size() + more);
  fresh->entries.assign(begin(), end());
  if (shared)
    --shared->uses;
  shared = fresh;
  return fresh->entries;
}

bool Clocks::join(uint64_t key, uint32_t clock) {
  Iterator place = lowerBound(key);
  ptrdiff_t at = place - begin();
  bool isThere = place != end() && place->first == key;
  if (isThere && place->second >= clock)
    return false;
  std::vector<Entry> &entries = own(!isThere);
  if (isThere)
    entries[size_t(at)].second = clock;
  else
    entries.insert(entries.begin() + at, {key, clock});
  return true;
}

bool Clocks::join(const Clocks &other) {
  if (shared == other.shared || other.empty())
    return false;
  bool isMore = false; // than there is in the other one
  if (size() <= other.size()) {
    Iterator at = other.begin(), last = other.end();
    for (const Entry &entry : *this) {
      while (at != last && at->first < entry.first)
        ++at;
      isMore =
          at == last || at->first != entry.first || at->second < entry.second;
      if (isMore)
        break;
    }
    if (!isMore) {
      if (size() == other.size() && std::equal(begin(), end(), other.begin()))
        return false;
      *this = other;
      return true;
    }
  }
  return join(other.begin(), other.end());
}

bool Clocks::join(Iterator first, Iterator last) {
  if (first == last)
    return false;
  if (empty()) {
    own().assign(first, last);
    return true;
  }
  bool isNew = false;
  size_t missing = 0;
  Iterator at = lowerBound(first->first), mineEnd = end();
  size_t begun = size_t(at - begin());
  for (Iterator it = first; it != last; ++it) {
    while (at != mineEnd && at->first < it->first)
      ++at;
    if (at == mineEnd || at->first != it->first)
      ++missing;
    else
      isNew |= at->second < it->second;
  }
  if (!missing && !isNew)
    return false;
  if (!missing) {
    Entry *mine = own().data() + begun;
    for (Iterator it = first; it != last; ++it) {
      while (mine->first < it->first)
        ++mine;
      mine->second = std::max(mine->second, it->second);
    }
    return true;
  }
  // The largest first, into the space at the end.
  std::vector<Entry> &entries = own(missing);
  size_t mine = entries.size(), theirs = size_t(last - first),
         to = mine + missing;
  entries.resize(to);
  while (theirs) {
    const Entry &entry = first[theirs - 1];
    if (mine && entries[mine - 1].first >= entry.first) {
      --mine;
      Entry joined = entries[mine];
      if (joined.first == entry.first) {
        joined.second = std::max(joined.second, entry.second);
        --theirs;
      }
      entries[--to] = joined;
    } else {
      entries[--to] = entry;
      --theirs;
    }
  }
  return true;
}

bool Knowledge::join(const Knowledge &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size(), 0);
  uint32_t isNew = 0;
  for (uint32_t warp = 0; warp < other.warps.size(); ++warp) {
    isNew |= uint32_t(warps[warp] < other.warps[warp]);
    warps[warp] = std::max(warps[warp], other.warps[warp]);
  }
  isNew |= uint32_t(lanes.join(other.lanes));
  isNew |= uint32_t(foreign.join(other.foreign));
  return isNew;
}

bool Knowledge::knowsWarp(const Context &context, uint64_t block) const {
  if (context.block == block)
    return context.warp < warps.size() && warps[context.warp] > context.clock;
  if (foreign.empty())
    return false;
  auto it = foreign.find(warpKey(context.block, context.warp));
  return it != foreign.end() && it->second > context.clock;
}

bool Knowledge::knowsLane(const Context &context, unsigned lane) const {
  if (lanes.empty())
    return false;
  auto it = lanes.find(threadKey(context.block, context.warp, lane));
  return it != lanes.end() && it->second > context.clock;
}

bool Knowledge::knowsAnyLane(const Context &context) const {
  auto it = lanes.lowerBound(threadKey(context.block, context.warp, 0));
  uint64_t last = threadKey(context.block, context.warp, 31);
  for (; it != lanes.end() && it->first <= last; ++it)
    if (it->second > context.clock)
      return true;
  return false;
}

void Knowledge::repeatAt(uint32_t by) {
  for (uint32_t w = 0, count = uint32_t(warps.size()); w < count; ++w) {
    if (w == slots::kWarps)
      w = slots::kAgents;
    if (w < count && warps[w] && slots::isRepeated(w, by))
      joinWarp(slots::fencedSlot(w, by), warps[w]);
  }
  auto repeat = [&](Clocks &clocks, unsigned laneBits) {
    Clocks repeated;
    for (const auto &[key, clock] : clocks) {
      uint32_t slot = uint32_t(key >> laneBits) & 0xffff;
      if (slots::isRepeated(slot, by))
        repeated.join(
            key + (uint64_t(slots::fencedSlot(slot, by) - slot) << laneBits),
            clock);
    }
    clocks.join(repeated);
  };
  repeat(lanes, 5);
  repeat(foreign, 0);
}
