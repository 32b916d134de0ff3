//===- ThreadOrder.cpp - What orders the accesses of threads --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/ThreadOrder.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <cstdio>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// Returns the number of the warp's context, at its place in a record.
ThreadOrder::ThreadOrder(Cta &cta, GridSanitizer &grid)
    : states(cta.warps.size()), cta(cta), grid(grid),
      settled(Record(grid.contexts.size()) << 32) {}

Record ThreadOrder::contextRecord(Warp &warp) {
  WarpState &state = states[warp.index];
  if (!state.context) {
    state.context = uint32_t(grid.contexts.size());
    grid.contexts.push_back({cta.linear, warp.index, state.clock});
  }
  return Record(state.context) << 32;
}

/// Returns a record for the later reads of cp.async issued by these lanes.
Record ThreadOrder::copyRecord(Warp &warp, uint32_t mask) {
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
void ThreadOrder::completeReads(const AsyncCopy &copy, uint32_t mask,
                                uint32_t context) {
  if (!copy.reads)
    return;
  CopyReads &reads = grid.copies[grid.contexts[copy.reads].clock];
  if (!reads.done && !reads.each)
    reads.context = context;
  if (!reads.each && reads.context != context) {
    reads.each = std::make_unique<std::array<uint32_t, kLanes>>();
    reads.each->fill(reads.context);
  }
  // Copies of a group complete together; the first one records the lane.
  if (reads.each)
    forLanes(mask & ~reads.done,
             [&](unsigned lane) { (*reads.each)[lane] = context; });
  reads.done |= mask;
}

Record ThreadOrder::completed(Record other, bool forAll) const {
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
bool ThreadOrder::orderedForAll(Record other, const Warp &warp) const {
  if (!contextOf(other))
    return false;
  if (&warp.sanitizer->order != this)
    return warp.sanitizer->order.orderedForAll(other, warp);
  const Context *context = &grid.contexts[contextOf(other)];
  if (slots::isCopy(context->warp)) {
    other = completed(other, true);
    if (!other)
      return false;
    context = &grid.contexts[contextOf(other)];
  }
  return states[warp.index].common.knowsWarp(*context, cta.linear);
}

bool ThreadOrder::in(const Knowledge &knowledge, const Context &context,
                     Record other) const {
  return knowledge.knowsWarp(context, cta.linear) ||
         (other & (kSeveral | kUnknownLane)
              ? knowledge.knowsAnyLane(context)
              : knowledge.knowsLane(context, laneOf(other)));
}

/// Whether the lane (with -1, any lane) knows this context of the thread of
/// `other`.
bool ThreadOrder::knows(const WarpState &state, const Context &context,
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

bool ThreadOrder::ordered(Record other, const Warp &warp, int lane) const {
  if (&warp.sanitizer->order != this)
    return warp.sanitizer->order.ordered(other, warp, lane);
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
bool ThreadOrder::fenced(Record other, const Warp &warp, int lane,
                         uint32_t slot) const {
  if (&warp.sanitizer->order != this)
    return warp.sanitizer->order.fenced(other, warp, lane, slot);
  Context context = grid.contexts[contextOf(other)];
  context.warp = slots::fencedSlot(context.warp, slot);
  return knows(states[warp.index], context, other, lane);
}

//===----------------------------------------------------------------------===//
// What warps learn and tell
//===----------------------------------------------------------------------===//

void ThreadOrder::learn(Warp &warp, uint32_t mask, const Knowledge &knowledge) {
  WarpState &state = states[warp.index];
  if (!(warp.live & ~mask)) {
    learnTogether(state.common, knowledge);
    return;
  }
  addToLanes(state.lanes, mask, [&](Knowledge &own) { own.join(knowledge); });
}

/// Joins `exported`, which may contain warps of this CTA in the form for other
/// CTAs.
void ThreadOrder::import(Knowledge &into, const Knowledge &exported) const {
  into.warps.join(exported.warps);
  into.lanes.join(exported.lanes);
  into.joinForeign(exported.foreign, cta.linear);
}

void ThreadOrder::learnTogether(Knowledge &into, const Knowledge &known,
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

Knowledge ThreadOrder::knowledgeOf(const Warp &warp, unsigned lane) const {
  const WarpState &state = states[warp.index];
  Knowledge result = state.common;
  if (const Knowledge *own = state.lanes.find(lane))
    result.join(*own);
  return result;
}

/// Executes a proxy fence: the knowledge of the lanes, with their own accesses,
/// counts as fenced wherever they tell it later (Agents.h).
void ThreadOrder::proxyFence(Warp &warp, uint32_t mask, unsigned kinds) {
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

void ThreadOrder::warpBarrier(Warp &warp, uint32_t mask) {
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

/// Returns what a relaxed arrival tells: the knowledge that fences released
/// before it, and initialisations before fence.mbarrier_init, which need no
/// release (PTX ISA, "membar, fence").
Knowledge ThreadOrder::toldRelaxed(const Warp &warp, uint32_t mask,
                                   bool local) const {
  const WarpState &state = states[warp.index];
  Knowledge told;
  auto release = [&](const Fences &fences) {
    for (const Fenced &fenced : fences)
      if (uint32_t lanes = fenced.order == Telling::Order::Crossed
                               ? 0
                               : mask & fenced.lanes) {
        fenced.told->tell(told, cta.linear);
        told.joinLanes(cta.linear, warp.index, lanes, fenced.clock);
      }
  };
  release(state.fenced);
  if (local)
    release(state.narrowFenced);
  auto initialized = [&](const Knowledge &known) {
    for (uint32_t w = slots::kInit;
         w < std::min(slots::kInit + slots::kWarps, known.warps.size()); ++w)
      if (uint32_t clock = known.warps.at(w))
        told.warps.join(w, clock);
    known.lanes.forLeaves(
        [&](uint64_t key, const uint32_t (&clocks)[Clocks::kLeaf]) {
          if (((key >> 5) & 0xffff) - slots::kInit < slots::kWarps)
            told.lanes.joinLeaf(key, clocks);
        });
  };
  initialized(state.common);
  forLanes(mask & state.lanes.lanes(),
           [&](unsigned lane) { initialized(*state.lanes.find(lane)); });
  return told;
}

/// Whether an access took place before another CTA's thread arrived, if its
/// arrival or the lane's wait has scope .cta. Scopes determine which threads
/// see earlier writes.
///
/// But accesses after the wait are "not performed and not visible to memory
/// accesses performed prior to mbarrier.arrive having release semantics by
/// other threads participating in the mbarrier" (PTX ISA, "mbarrier.test_wait,
/// mbarrier.try_wait"). So memory that was read by then may be overwritten, and
/// so may a copy that its reader has waited for. This holds for the waiting
/// thread only, which does not pass it on.
bool ThreadOrder::hasTakenPlace(Record other, const Warp &warp,
                                int lane) const {
  if (&warp.sanitizer->order != this)
    return warp.sanitizer->order.hasTakenPlace(other, warp, lane);
  const Knowledge *past =
      lane < 0 ? nullptr : states[warp.index].past.find(unsigned(lane));
  other = past ? completed(other) : 0;
  return other && in(*past, grid.contexts[contextOf(other)], other);
}

/// The contexts before which everything is ordered before all threads of the
/// cluster. Looked for where somebody has waited for barrier.cluster since.
Record ThreadOrder::settledInCluster() {
  Sanitizer &first = *cta.cluster->ctas.front()->sanitizer;
  if (first.order.settledAfter == first.order.clusterWaits)
    return first.order.settled;
  first.order.settledAfter = first.order.clusterWaits;
  const std::vector<Cta *> &ctas = cta.cluster->ctas;
  const Phase &phase = grid.clusterPhases[cta.cluster];
  // Who waits for a phase that has ended is going to know what it told.
  uint32_t now = cta.cluster->parity ? kFullMask : 0;
  auto isWaking = [&](const Warp &warp) {
    return !(warp.live & ~(warp.clusterWaiting & (warp.clusterParity ^ now)));
  };
  auto isSettled = [&](const Context &context) {
    if (std::none_of(ctas.begin(), ctas.end(), [&](const Cta *of) {
          return of->linear == context.block;
        }))
      return true;
    for (const Cta *of : ctas) {
      const Knowledge *last = nullptr;
      for (const Warp &warp : of->warps) {
        const Knowledge &known = of->sanitizer->order.states[warp.index].common;
        if (!warp.live || (last && last->isShared(known)))
          continue;
        if (known.knowsWarp(context, of->linear))
          last = &known;
        else if (!isWaking(warp) ||
                 phase.done.foreign.at(Knowledge::warpKey(
                     context.block, context.warp)) <= context.clock)
          return false;
      }
    }
    return true;
  };
  size_t number = size_t(first.order.settled >> 32);
  while (number < grid.contexts.size() && isSettled(grid.contexts[number]))
    ++number;
  return first.order.settled = Record(number) << 32;
}
