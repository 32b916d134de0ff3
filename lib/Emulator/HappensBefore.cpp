//===- HappensBefore.cpp - What threads know of one another ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HappensBefore.h"

#include <algorithm>

using namespace fusion::emulator;

static bool isBelow(const Clocks::Entry &entry, uint64_t key) {
  return entry.first < key;
}

Clocks::Iterator Clocks::lowerBound(uint64_t key) const {
  return std::lower_bound(entries.begin(), entries.end(), key, isBelow);
}

Clocks::Iterator Clocks::find(uint64_t key) const {
  auto it = lowerBound(key);
  return it != end() && it->first == key ? it : end();
}

void Clocks::join(uint64_t key, uint32_t clock) {
  auto it = std::lower_bound(entries.begin(), entries.end(), key, isBelow);
  if (it == entries.end() || it->first != key)
    entries.insert(it, {key, clock});
  else if (it->second < clock)
    it->second = clock;
}

void Clocks::join(Iterator first, Iterator last) {
  if (first == last)
    return;
  if (entries.empty()) {
    entries.assign(first, last);
    return;
  }
  size_t at = 0, missing = 0;
  for (auto it = first; it != last; ++it) {
    const Entry &entry = *it;
    while (at < entries.size() && entries[at].first < entry.first)
      ++at;
    if (at == entries.size() || entries[at].first != entry.first)
      ++missing;
    else if (entries[at].second < entry.second)
      entries[at].second = entry.second;
  }
  // The largest first, into the space at the end.
  size_t mine = entries.size(), theirs = size_t(last - first),
         to = mine + missing;
  entries.resize(to);
  while (to != mine) {
    const Entry &entry = first[ptrdiff_t(theirs) - 1];
    if (mine && entries[mine - 1].first >= entry.first) {
      theirs -= entries[mine - 1].first == entry.first;
      entries[--to] = entries[--mine];
    } else {
      entries[--to] = entry;
      --theirs;
    }
  }
}

void Knowledge::join(const Knowledge &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size(), 0);
  for (uint32_t warp = 0; warp < other.warps.size(); ++warp)
    warps[warp] = std::max(warps[warp], other.warps[warp]);
  lanes.join(other.lanes);
  foreign.join(other.foreign);
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
  for (uint32_t w = 0; w < slots::kWarps && w < warps.size(); ++w)
    if (warps[w])
      joinWarp(w + by, warps[w]);
  auto repeat = [&](Clocks &clocks, unsigned laneBits) {
    Clocks repeated;
    for (const auto &[key, clock] : clocks)
      if (((key >> laneBits) & 0xffff) < slots::kWarps)
        repeated.join(key + (uint64_t(by) << laneBits), clock);
    clocks.join(repeated);
  };
  repeat(lanes, 5);
  repeat(foreign, 0);
}
