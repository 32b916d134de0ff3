//===- BlockBarriers.cpp - Barriers of a block ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/BlockBarriers.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

static std::string lanesText(uint32_t mask) {
  char text[32];
  std::snprintf(text, sizeof(text), "lanes 0x%x", mask);
  return text;
}

void BlockBarriers::divergence(const Warp &warp, const Inst &inst,
                               uint32_t mask, unsigned otherLine) {
  reports.reportText(
      "divergent-warp", warp, unsigned(__builtin_ctz(mask)), inst.line,
      otherLine,
      "an instruction for whole warps (.aligned) is executed by " +
          lanesText(mask) + " without " + lanesText(warp.exists & ~mask));
}

void BlockBarriers::arrive(Warp &warp, const Inst &inst, uint32_t mask,
                           uint32_t barrier, uint32_t missing,
                           unsigned otherLine) {
  if (missing)
    reports.reportText(
        "divergent-barrier", warp, unsigned(__builtin_ctz(mask)), inst.line,
        otherLine,
        "only some lanes of a warp reach an aligned barrier together: " +
            lanesText(mask) + " without " + lanesText(missing));
  WarpState &state = order.states[warp.index];
  order.arriveSequentially(warp, mask, crossings[barrier]);
  Knowledge &join = joins[barrier];
  join.join(state.common);
  forDistinct(state.lanes, mask, [&](const Knowledge &own) { join.join(own); });
  if (!(warp.live & ~mask))
    join.warps.join(warp.index, state.clock + 1);
  else
    join.joinLanes(cta.linear, warp.index, mask, state.clock + 1);
  order.advance(state);
}

void BlockBarriers::complete(uint32_t barrier,
                             const std::vector<uint32_t> &waited) {
  Knowledge join = std::move(joins[barrier]);
  joins[barrier] = Knowledge();
  if (!crossings[barrier].empty()) {
    Crossing met = std::exchange(crossings[barrier], Crossing());
    ToldRef told = order.toldOf(met);
    for (Warp &warp : cta.warps)
      if (waited[warp.index])
        order.meetSequentially(warp, waited[warp.index], met, told);
  }
  // Warps that have ended count if all their accesses are known.
  bool everybody = true;
  for (const Warp &warp : cta.warps) {
    const WarpState &state = order.states[warp.index];
    uint32_t last = state.context ? state.clock : state.clock - 1;
    bool known = !last || join.warps.at(warp.index) > last;
    everybody &= warp.live ? !(warp.live & ~waited[warp.index]) : known;
  }
  if (everybody) {
    // No warp accesses memory between arrival and here, so that single lanes
    // need no entries.
    for (const Warp &warp : cta.warps)
      join.warps.join(warp.index, order.states[warp.index].clock);
    join.lanes.eraseLeaves(
        Knowledge::threadKey(cta.linear, 0, 0),
        Knowledge::threadKey(cta.linear, slots::kWarps - 1, 31));
    Record limit = memory.limitAfter(join);
    for (WarpState &state : order.states) {
      state.common = join;
      state.lanes.erase(kFullMask);
      state.limit = limit;
    }
    readers.settle(limit);
    if (!order.hasCluster() && size_t(limit >> 32) == grid.contexts.size()) {
      memory.shared.dropHistories();
      memory.forgotten = limit;
    }
    readers.beginEpoch();
    return;
  }
  for (Warp &warp : cta.warps)
    if (waited[warp.index])
      order.learn(warp, waited[warp.index], join);
}
