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

static void joinMap(std::map<uint64_t, uint32_t> &into,
                    const std::map<uint64_t, uint32_t> &from) {
  if (from.size() * 8 < into.size()) {
    for (const auto &[key, clock] : from)
      joinEntry(into, key, clock);
    return;
  }
  // Both are sorted.
  auto it = into.begin();
  for (const auto &[key, clock] : from) {
    while (it != into.end() && it->first < key)
      ++it;
    if (it == into.end() || it->first != key)
      it = into.emplace_hint(it, key, clock);
    else if (it->second < clock)
      it->second = clock;
  }
}

void Knowledge::join(const Knowledge &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size(), 0);
  for (uint32_t warp = 0; warp < other.warps.size(); ++warp)
    warps[warp] = std::max(warps[warp], other.warps[warp]);
  joinMap(lanes, other.lanes);
  joinMap(foreign, other.foreign);
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
  auto it = lanes.lower_bound(threadKey(context.block, context.warp, 0));
  auto end = lanes.upper_bound(threadKey(context.block, context.warp, 31));
  for (; it != end; ++it)
    if (it->second > context.clock)
      return true;
  return false;
}

void Knowledge::repeatAt(uint32_t by) {
  for (uint32_t w = 0; w < slots::kWarps && w < warps.size(); ++w)
    if (warps[w])
      joinWarp(w + by, warps[w]);
  auto repeat = [&](std::map<uint64_t, uint32_t> &map, unsigned laneBits) {
    // What is inserted has another slot and is passed over.
    for (const auto &[key, clock] : map)
      if (((key >> laneBits) & 0xffff) < slots::kWarps)
        joinEntry(map, key + (uint64_t(by) << laneBits), clock);
  };
  repeat(lanes, 5);
  repeat(foreign, 0);
}
