//===- HappensBefore.cpp - What threads know of one another ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/HappensBefore.h"

using namespace fusion::emulator;

bool Knowledge::join(const Knowledge &other) {
  bool isNew = warps.join(other.warps);
  isNew |= lanes.join(other.lanes);
  isNew |= foreign.join(other.foreign);
  return isNew;
}

bool Knowledge::knowsAnyLane(const Context &context) const {
  const uint32_t *clocks =
      lanes.leafOf(threadKey(context.block, context.warp, 0));
  uint32_t most = 0;
  for (unsigned lane = 0; clocks && lane < kLanes; ++lane)
    most = std::max(most, clocks[lane]);
  return most > context.clock;
}

void Knowledge::joinForeign(const Clocks &known, uint64_t block) {
  if (foreign.join(known))
    hearOwn(known, block);
}

void Knowledge::hearOwn(const Clocks &known, uint64_t block) {
  known.forLeaves(warpKey(block, 0), warpKey(block, 0xffff),
                  [&](uint64_t key, const uint32_t (&clocks)[Clocks::kLeaf]) {
                    uint32_t first = uint32_t(key & 0xffff);
                    for (uint32_t i = 0; i < Clocks::kLeaf; ++i)
                      if (clocks[i])
                        warps.join(first + i, clocks[i]);
                  });
}

void Knowledge::addForeignForm(Clocks &foreign, const WarpClocks &warps,
                               uint64_t block) {
  uint32_t clocks[Clocks::kLeaf];
  const uint32_t *known = warps.data();
  for (uint32_t first = 0; first < warps.size(); first += Clocks::kLeaf) {
    uint32_t count = std::min(Clocks::kLeaf, warps.size() - first), any = 0;
    for (uint32_t i = 0; i < Clocks::kLeaf; ++i) {
      clocks[i] = i < count ? known[first + i] : 0;
      any |= clocks[i];
    }
    if (any)
      foreign.joinLeaf(warpKey(block, first), clocks);
  }
}

void Knowledge::repeatAt(uint32_t by) {
  for (uint32_t w = 0, count = warps.size(); w < count; ++w) {
    if (w == slots::kWarps)
      w = slots::kAgents;
    if (w < count && warps.at(w) && slots::isRepeated(w, by))
      warps.join(slots::fencedSlot(w, by), warps.at(w));
  }
  Clocks repeated;
  lanes.forLeaves([&](uint64_t key, const uint32_t (&clocks)[Clocks::kLeaf]) {
    uint32_t slot = uint32_t(key >> 5) & 0xffff;
    if (slots::isRepeated(slot, by))
      repeated.joinLeaf(
          key + (uint64_t(slots::fencedSlot(slot, by) - slot) << 5), clocks);
  });
  lanes.join(repeated);
  repeated = Clocks();
  foreign.forLeaves([&](uint64_t key, const uint32_t (&clocks)[Clocks::kLeaf]) {
    for (uint32_t i = 0; i < Clocks::kLeaf; ++i) {
      uint32_t slot = uint32_t(key & 0xffff) + i;
      if (clocks[i] && slots::isRepeated(slot, by))
        repeated.join(key + i + slots::fencedSlot(slot, by) - slot, clocks[i]);
    }
  });
  foreign.join(repeated);
}
