//===- SanitizerOrder.cpp - What orders the accesses of threads -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// The number of the warp's context, in the place that it has in a record.
Record Sanitizer::contextRecord(Warp &warp) {
  WarpState &state = states[warp.index];
  if (!state.context) {
    state.context = uint32_t(grid.contexts.size());
    grid.contexts.push_back({cta.linear, warp.index, state.clock});
  }
  return Record(state.context) << 32;
}

/// Whether every thread of the warp comes after all that `other` may be.
bool Sanitizer::orderedForAll(Record other, const Warp &warp) const {
  if (!contextOf(other))
    return false;
  return states[warp.index].common.knowsWarp(grid.contexts[contextOf(other)],
                                             cta.linear);
}

bool Sanitizer::ordered(Record other, const Warp &warp, unsigned lane,
                        bool strongRead) const {
  const Context &context = grid.contexts[contextOf(other)];
  const WarpState &state = states[warp.index];
  bool own = context.block == cta.linear && context.warp == warp.index;
  if (own && !(other & kSeveral) &&
      (laneOf(other) == lane || (other & kUnknownLane)))
    return true;
  auto knows = [&](const Knowledge &knowledge) {
    return knowledge.knowsWarp(context, cta.linear) ||
           (other & (kSeveral | kUnknownLane)
                ? knowledge.knowsAnyLane(context)
                : knowledge.knowsLane(context, laneOf(other)));
  };
  if (knows(state.common))
    return true;
  if (strongRead && !state.pending.empty()) {
    // Strong reads come after strong reads before them, fence or not.
    auto it = state.pending.find(lane);
    if (it != state.pending.end() && knows(it->second))
      return true;
  }
  if (state.lanes.empty())
    return false;
  auto it = state.lanes.find(lane);
  return it != state.lanes.end() && knows(it->second);
}

//===----------------------------------------------------------------------===//
// What a warp learns and tells
//===----------------------------------------------------------------------===//

void Sanitizer::learn(Warp &warp, uint32_t mask, const Knowledge &knowledge) {
  WarpState &state = states[warp.index];
  if (!(warp.live & ~mask)) {
    state.common.join(knowledge);
    return;
  }
  forLanes(mask, [&](unsigned lane) { state.lanes[lane].join(knowledge); });
}

Knowledge Sanitizer::knowledgeOf(const Warp &warp, unsigned lane) const {
  const WarpState &state = states[warp.index];
  Knowledge result = state.common;
  auto it = state.lanes.find(lane);
  if (it != state.lanes.end())
    result.join(it->second);
  return result;
}

/// In the form of `Released`, with the thread's own accesses up to a clock.
Knowledge Sanitizer::exported(const Warp &warp, unsigned lane,
                              const Knowledge &knowledge,
                              uint32_t ownClock) const {
  Knowledge result;
  result.lanes = knowledge.lanes;
  result.foreign = knowledge.foreign;
  for (uint32_t w = 0; w < knowledge.warps.size(); ++w)
    if (knowledge.warps[w])
      joinEntry(result.foreign, Knowledge::warpKey(cta.linear, w),
                knowledge.warps[w]);
  joinEntry(result.lanes, Knowledge::threadKey(cta.linear, warp.index, lane),
            ownClock);
  return result;
}

void Sanitizer::import(Knowledge &into, const Knowledge &exported) const {
  for (const auto &[key, clock] : exported.lanes)
    joinEntry(into.lanes, key, clock);
  for (const auto &[key, clock] : exported.foreign)
    if (key >> 16 == cta.linear)
      into.joinWarp(uint32_t(key & 0xffff), clock);
    else
      joinEntry(into.foreign, key, clock);
}

/// What strong reads saw counts from here.
void Sanitizer::acquirePending(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  if (state.pending.empty())
    return;
  forLanes(mask, [&](unsigned lane) {
    auto it = state.pending.find(lane);
    if (it == state.pending.end())
      return;
    state.lanes[lane].join(it->second);
    state.pending.erase(it);
  });
}

/// Strong accesses meet at their addresses.
void Sanitizer::synchronize(Warp &warp, uint32_t mask, const uint64_t *address,
                            const Inst &inst, SanitizeKind kind,
                            Released &released) {
  WarpState &state = states[warp.index];
  Knowledge seen;
  uint64_t lastKey = ~uint64_t(0);
  bool found = false;
  if (kind != SanitizeKind::Store && !released.empty())
    forLanes(mask, [&](unsigned lane) {
      // Lanes mostly look at the same place.
      uint64_t key = address[lane] & ~uint64_t(3);
      if (key != lastKey) {
        auto it = released.find(lastKey = key);
        found = it != released.end();
        seen = Knowledge();
        if (found)
          import(seen, it->second);
      }
      if (!found)
        return;
      if (inst.order & OrderAcquire)
        state.lanes[lane].join(seen);
      else
        state.pending[lane].join(seen);
    });
  if (kind == SanitizeKind::Load)
    return;
  if (inst.order & OrderRelease) {
    forLanes(mask, [&](unsigned lane) {
      released[address[lane] & ~uint64_t(3)].join(
          exported(warp, lane, knowledgeOf(warp, lane), state.clock + 1));
    });
    advance(state);
    return;
  }
  if (state.fenced.empty())
    return;
  forLanes(mask, [&](unsigned lane) {
    auto it = state.fenced.find(lane);
    if (it != state.fenced.end())
      released[address[lane] & ~uint64_t(3)].join(it->second);
  });
}

void Sanitizer::fence(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  acquirePending(warp, mask);
  forLanes(mask, [&](unsigned lane) {
    state.fenced[lane] =
        exported(warp, lane, knowledgeOf(warp, lane), state.clock + 1);
  });
  advance(state);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Sanitizer::warpBarrier(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  ++state.clock;
  state.context = 0;
  if (!(warp.live & ~mask)) {
    // Of the whole warp: single lanes know nothing more than the others.
    for (const auto &entry : state.lanes)
      state.common.join(entry.second);
    state.lanes.clear();
    state.common.joinWarp(warp.index, state.clock);
    return;
  }
  Knowledge together;
  forLanes(mask, [&](unsigned lane) {
    auto it = state.lanes.find(lane);
    if (it != state.lanes.end())
      together.join(it->second);
    joinEntry(together.lanes,
              Knowledge::threadKey(cta.linear, warp.index, lane), state.clock);
  });
  forLanes(mask, [&](unsigned lane) { state.lanes[lane] = together; });
}

void Sanitizer::barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                              uint32_t barrier) {
  bool aligned = inst.c;
  if (aligned && mask != warp.live) {
    Finding finding;
    if (known.emplace("divergent-barrier", inst.line, 0).second) {
      unsigned lane = unsigned(__builtin_ctz(mask));
      finding.kind = "divergent-barrier";
      finding.kernel = std::string(cta.code->source->name);
      finding.block = cta.id;
      finding.thread = threadOfLane(warp, lane);
      finding.line = inst.line;
      finding.message =
          "only some lanes of a warp reach an aligned barrier together";
      findings.push_back(std::move(finding));
    }
  }
  WarpState &state = states[warp.index];
  Knowledge &join = joins[barrier];
  join.join(state.common);
  if (!state.lanes.empty())
    forLanes(mask, [&](unsigned lane) {
      auto it = state.lanes.find(lane);
      if (it != state.lanes.end())
        join.join(it->second);
    });
  if (!(warp.live & ~mask))
    join.joinWarp(warp.index, state.clock + 1);
  else
    forLanes(mask, [&](unsigned lane) {
      joinEntry(join.lanes, Knowledge::threadKey(cta.linear, warp.index, lane),
                state.clock + 1);
    });
  advance(state);
}

void Sanitizer::barrierComplete(uint32_t barrier,
                                const std::vector<uint32_t> &waited) {
  Knowledge join = std::move(joins[barrier]);
  joins[barrier] = Knowledge();
  // Warps that have ended count where all that they did is known.
  bool everybody = true;
  for (const Warp &warp : cta.warps) {
    const WarpState &state = states[warp.index];
    uint32_t last = state.context ? state.clock : state.clock - 1;
    bool known = !last || (warp.index < join.warps.size() &&
                           join.warps[warp.index] > last);
    everybody &= warp.live ? !(warp.live & ~waited[warp.index]) : known;
  }
  if (everybody) {
    // Nobody does anything between arrival and here; single lanes need no
    // mention.
    for (const Warp &warp : cta.warps)
      join.joinWarp(warp.index, states[warp.index].clock);
    for (auto it = join.lanes.begin(); it != join.lanes.end();)
      it = it->first >> 21 == cta.linear ? join.lanes.erase(it) : std::next(it);
    Record limit = Record(grid.contexts.size()) << 32;
    for (WarpState &state : states) {
      state.common = join;
      state.lanes.clear();
      state.limit = limit;
    }
    // No record that is still looked at names a set.
    setCount = 0;
    unions.fill(Union());
    return;
  }
  for (Warp &warp : cta.warps)
    if (waited[warp.index])
      learn(warp, waited[warp.index], join);
}
