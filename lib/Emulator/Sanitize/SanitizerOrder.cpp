//===- SanitizerOrder.cpp - What orders the accesses of threads -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/SanitizerReach.h"

#include <algorithm>
#include <cstdio>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// Returns the number of the warp's context, at its place in a record.
Record Sanitizer::contextRecord(Warp &warp) {
  WarpState &state = states[warp.index];
  if (!state.context) {
    state.context = uint32_t(grid.contexts.size());
    grid.contexts.push_back({cta.linear, warp.index, state.clock});
  }
  return Record(state.context) << 32;
}

/// Returns a record for the later reads of cp.async issued by these lanes.
Record Sanitizer::copyRecord(Warp &warp, uint32_t mask) {
  uint32_t &number = states[warp.index].copyReads;
  if (!number) {
    number = uint32_t(grid.contexts.size());
    grid.contexts.push_back({cta.linear, slots::kCopies + warp.index,
                             uint32_t(grid.copies.size())});
    grid.copies.emplace_back();
  }
  grid.copies[grid.contexts[number].clock].issued |= mask;
  return Record(number) << 32;
}

/// Counts the reads of a copy as done at `context`, for these lanes.
void Sanitizer::completeReads(const AsyncCopy &copy, uint32_t mask,
                              uint32_t context) {
  if (!copy.reads)
    return;
  CopyReads &reads = grid.copies[grid.contexts[copy.reads].clock];
  if (!reads.done && !reads.each)
    reads.context = context;
  if (!reads.each && reads.context != context) {
    reads.each = std::make_unique<std::array<uint32_t, 32>>();
    reads.each->fill(reads.context);
  }
  // Copies of a group complete together; the first one records the lane.
  if (reads.each)
    forLanes(mask & ~reads.done,
             [&](unsigned lane) { (*reads.each)[lane] = context; });
  reads.done |= mask;
}

Record Sanitizer::completed(Record other, bool forAll) const {
  const Context &context = grid.contexts[contextOf(other)];
  if (!slots::isCopy(context.warp))
    return other;
  const CopyReads &reads = grid.copies[context.clock];
  uint32_t lanes =
      other & (kSeveral | kUnknownLane) ? reads.done : 1u << laneOf(other);
  if (forAll ? reads.each || (reads.issued & ~reads.done)
             : !(lanes & reads.done))
    return 0;
  uint32_t number =
      reads.each ? (*reads.each)[__builtin_ctz(lanes)] : reads.context;
  return (other & ~(kContext & ~kSpecial)) | Record(number) << 32;
}

/// Whether every thread of the warp comes after every access that `other` may
/// be.
bool Sanitizer::orderedForAll(Record other, const Warp &warp) const {
  if (!contextOf(other))
    return false;
  if (warp.sanitizer != this)
    return warp.sanitizer->orderedForAll(other, warp);
  const Context *context = &grid.contexts[contextOf(other)];
  if (slots::isCopy(context->warp)) {
    other = completed(other, true);
    if (!other)
      return false;
    context = &grid.contexts[contextOf(other)];
  }
  return states[warp.index].common.knowsWarp(*context, cta.linear);
}

bool Sanitizer::in(const Knowledge &knowledge, const Context &context,
                   Record other) const {
  return knowledge.knowsWarp(context, cta.linear) ||
         (other & (kSeveral | kUnknownLane)
              ? knowledge.knowsAnyLane(context)
              : knowledge.knowsLane(context, laneOf(other)));
}

/// Whether the lane (with -1, any lane) knows this context of the thread of
/// `other`.
bool Sanitizer::knows(const WarpState &state, const Context &context,
                      Record other, int lane) const {
  if (in(state.common, context, other))
    return true;
  if (state.lanes.empty())
    return false;
  if (lane < 0) {
    bool isKnown = false;
    state.lanes.forEach([&](const Knowledge &own) {
      isKnown = isKnown || in(own, context, other);
    });
    return isKnown;
  }
  const Knowledge *own = state.lanes.find(unsigned(lane));
  return own && in(*own, context, other);
}

bool Sanitizer::ordered(Record other, const Warp &warp, int lane) const {
  if (warp.sanitizer != this)
    return warp.sanitizer->ordered(other, warp, lane);
  other = completed(other);
  if (!other)
    return false;
  const Context &context = grid.contexts[contextOf(other)];
  const WarpState &state = states[warp.index];
  bool own = context.block == cta.linear && context.warp == warp.index;
  if (own &&
      (lane < 0 || (!(other & kSeveral) && (laneOf(other) == unsigned(lane) ||
                                            (other & kUnknownLane)))))
    return true;
  return knows(state, context, other, lane);
}

/// Whether a proxy fence is between `other` and the lane's current access.
bool Sanitizer::fenced(Record other, const Warp &warp, int lane,
                       uint32_t slot) const {
  if (warp.sanitizer != this)
    return warp.sanitizer->fenced(other, warp, lane, slot);
  Context context = grid.contexts[contextOf(other)];
  context.warp = slots::fencedSlot(context.warp, slot);
  return knows(states[warp.index], context, other, lane);
}

//===----------------------------------------------------------------------===//
// What warps learn and tell
//===----------------------------------------------------------------------===//

void Sanitizer::learn(Warp &warp, uint32_t mask, const Knowledge &knowledge) {
  WarpState &state = states[warp.index];
  if (!(warp.live & ~mask)) {
    learnTogether(state.common, knowledge);
    return;
  }
  addToLanes(state.lanes, mask, [&](Knowledge &own) { own.join(knowledge); });
}

/// Joins `exported`, which may contain warps of this CTA in the form for other
/// CTAs.
void Sanitizer::import(Knowledge &into, const Knowledge &exported) const {
  into.warps.join(exported.warps);
  into.lanes.join(exported.lanes);
  into.joinForeign(exported.foreign, cta.linear);
}

void Sanitizer::learnTogether(Knowledge &into, const Knowledge &known,
                              bool isTold) {
  for (const Learned &last : learned)
    if (into.isShared(last.before) && known.isShared(last.known)) {
      into = last.after;
      return;
    }
  Learned &last = learned[learnedNext++ % std::size(learned)];
  last.before = into;
  last.known = known;
  if (isTold) {
    into.warps.join(known.warps);
    into.lanes = known.lanes;
    into.foreign = known.foreign;
    into.hearOwn(known.foreign, cta.linear);
  } else {
    import(into, known);
  }
  last.after = into;
}

Knowledge Sanitizer::knowledgeOf(const Warp &warp, unsigned lane) const {
  const WarpState &state = states[warp.index];
  Knowledge result = state.common;
  if (const Knowledge *own = state.lanes.find(lane))
    result.join(*own);
  return result;
}

/// Executes a proxy fence: the knowledge of the lanes, with their own accesses,
/// counts as fenced wherever they tell it later (SanitizerAsync.h).
void Sanitizer::proxyFence(Warp &warp, uint32_t mask, unsigned kinds) {
  WarpState &state = states[warp.index];
  auto repeat = [&](Knowledge &knowledge) {
    if (kinds & FenceSharedProxy)
      knowledge.repeatAt(slots::kSharedProxy);
    if (kinds & FenceGlobalProxy)
      knowledge.repeatAt(slots::kGlobalProxy);
    if (kinds & FenceInit)
      knowledge.repeatAt(slots::kInit);
    if (kinds & FenceTensorMap)
      knowledge.repeatAt(slots::kTensorMap);
  };
  auto own = [&](auto tell) {
    if (kinds & FenceSharedProxy)
      tell(warp.index + slots::kSharedProxy);
    if (kinds & FenceGlobalProxy)
      tell(warp.index + slots::kGlobalProxy);
    if (kinds & FenceInit)
      tell(warp.index + slots::kInit);
    if (kinds & FenceTensorMap)
      tell(warp.index + slots::kTensorMap);
  };
  if (!(warp.live & ~mask)) {
    repeat(state.common);
    state.lanes.forEach(repeat);
    own([&](uint32_t slot) { state.common.warps.join(slot, state.clock + 1); });
  } else {
    forLanes(mask, [&](unsigned lane) {
      Knowledge all = knowledgeOf(warp, lane);
      repeat(all);
      own([&](uint32_t slot) {
        all.joinLanes(cta.linear, slot, 1u << lane, state.clock + 1);
      });
      state.lanes[lane] = std::move(all);
    });
  }
  advance(state);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static std::string lanesText(uint32_t mask) {
  char text[32];
  std::snprintf(text, sizeof(text), "lanes 0x%x", mask);
  return text;
}

void Sanitizer::divergence(const Warp &warp, const Inst &inst, uint32_t mask,
                           unsigned otherLine) {
  reportText("divergent-warp", warp, unsigned(__builtin_ctz(mask)), inst.line,
             otherLine,
             "an instruction for whole warps (.aligned) is executed by " +
                 lanesText(mask) + " without " +
                 lanesText(warp.exists & ~mask));
}

void Sanitizer::warpBarrier(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  Crossing met;
  arriveSequentially(warp, mask, met);
  if (!met.empty())
    meetSequentially(warp, mask, met, toldOf(met));
  ++state.clock;
  state.context = 0;
  if (!(warp.live & ~mask)) {
    // The whole warp synchronises: single lanes have no additional knowledge
    // left.
    forDistinct(state.lanes, kFullMask,
                [&](const Knowledge &own) { state.common.join(own); });
    state.lanes.erase(kFullMask);
    state.common.warps.join(warp.index, state.clock);
    return;
  }
  // Lanes that have met share their knowledge.
  Knowledge together;
  forDistinct(state.lanes, mask,
              [&](const Knowledge &own) { together.join(own); });
  together.joinLanes(cta.linear, warp.index, mask, state.clock);
  forLanes(mask, [&](unsigned lane) { state.lanes[lane] = together; });
}

void Sanitizer::barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                              uint32_t barrier, uint32_t missing,
                              unsigned otherLine) {
  if (missing)
    reportText("divergent-barrier", warp, unsigned(__builtin_ctz(mask)),
               inst.line, otherLine,
               "only some lanes of a warp reach an aligned barrier together: " +
                   lanesText(mask) + " without " + lanesText(missing));
  WarpState &state = states[warp.index];
  arriveSequentially(warp, mask, crossings[barrier]);
  Knowledge &join = joins[barrier];
  join.join(state.common);
  forDistinct(state.lanes, mask, [&](const Knowledge &own) { join.join(own); });
  if (!(warp.live & ~mask))
    join.warps.join(warp.index, state.clock + 1);
  else
    join.joinLanes(cta.linear, warp.index, mask, state.clock + 1);
  advance(state);
}

/// Returns the limit below which records come before all threads once all know
/// `join`: the first asynchronous operation, or access by another CTA, that no
/// thread has waited for.
Record Sanitizer::limitAfter(const Knowledge &join) {
  size_t first = grid.contexts.size(), kept = 0;
  for (uint32_t number : async.outstanding) {
    const Context &context = grid.contexts[number];
    if (join.knowsWarp(context, cta.linear))
      continue;
    async.outstanding[kept++] = number;
    first = std::min<size_t>(first, number);
  }
  async.outstanding.resize(kept);
  return Record(first) << 32;
}

void Sanitizer::barrierComplete(uint32_t barrier,
                                const std::vector<uint32_t> &waited) {
  Knowledge join = std::move(joins[barrier]);
  joins[barrier] = Knowledge();
  if (!crossings[barrier].empty()) {
    Crossing met = std::exchange(crossings[barrier], Crossing());
    ToldRef told = toldOf(met);
    for (Warp &warp : cta.warps)
      if (waited[warp.index])
        meetSequentially(warp, waited[warp.index], met, told);
  }
  // Warps that have ended count if all their accesses are known.
  bool everybody = true;
  for (const Warp &warp : cta.warps) {
    const WarpState &state = states[warp.index];
    uint32_t last = state.context ? state.clock : state.clock - 1;
    bool known = !last || join.warps.at(warp.index) > last;
    everybody &= warp.live ? !(warp.live & ~waited[warp.index]) : known;
  }
  if (everybody) {
    // No warp accesses memory between arrival and here, so that single lanes
    // need no entries.
    for (const Warp &warp : cta.warps)
      join.warps.join(warp.index, states[warp.index].clock);
    join.lanes.eraseLeaves(
        Knowledge::threadKey(cta.linear, 0, 0),
        Knowledge::threadKey(cta.linear, slots::kWarps - 1, 31));
    Record limit = limitAfter(join);
    for (WarpState &state : states) {
      state.common = join;
      state.lanes.erase(kFullMask);
      state.limit = limit;
    }
    sets.settle(size_t(limit >> 32), grid.contexts.size());
    oldestSets = std::max(oldestSets, limit);
    if (!hasCluster() && size_t(limit >> 32) == grid.contexts.size()) {
      shared.dropHistories();
      forgotten = limit;
    }
    epoch = ++grid.epochs;
    return;
  }
  for (Warp &warp : cta.warps)
    if (waited[warp.index])
      learn(warp, waited[warp.index], join);
}
