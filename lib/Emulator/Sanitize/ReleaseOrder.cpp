//===- ReleaseOrder.cpp - Sanitizers: fences and strong accesses ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strong accesses meet at their addresses (Releases.h): a fence and then a
// strong write release, a strong read and then a fence acquire.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/ThreadOrder.h"

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// Adds a telling to the knowledge of lanes that do not know it.
void ThreadOrder::learnTold(Warp &warp, uint32_t lanes, const Telling &telling,
                            uint32_t who) {
  WarpState &state = states[warp.index];
  if (telling.isKnown(who, state.common, cta.linear))
    return;
  if (!(warp.live & ~lanes))
    telling.tell(who, state.common, cta.linear);
  else
    addToLanes(state.lanes, lanes, [&](Knowledge &own) {
      if (!telling.isKnown(who, own, cta.linear))
        telling.tell(who, own, cta.linear);
    });
}

/// Handles strong reads: releases at their addresses are acquired, or wait for
/// the lanes' fence.
void ThreadOrder::hear(Warp &warp, const Places &places,
                       const Released &released, Pending *pending) {
  constexpr size_t kMost = 64;
  WarpState &state = states[warp.index];
  released.hear(Knowledge::warpKey(cta.linear, warp.index), places,
                pending ? state.read : state.acquired,
                [&](uint32_t lanes, const Telling &telling, uint32_t who) {
                  if (telling.order == Telling::Order::Crossed)
                    awaitSequentially(warp, lanes, *telling.told);
                  else if (pending)
                    pending->see(telling, lanes, who);
                  else
                    learnTold(warp, lanes, telling, who);
                });
  if (!pending || pending->seen.size() <= kMost)
    return;
  std::vector<Pending::Seen> &all = pending->seen;
  auto isKnown = [&](const Pending::Seen &seen) {
    return seen.telling.isKnown(seen.who, state.common, cta.linear);
  };
  all.erase(std::remove_if(all.begin(), all.end(), isKnown), all.end());
  // Adds tellings that the same lanes have seen in one step.
  for (size_t i = 0, end; i < all.size(); i = end) {
    uint32_t lanes = all[i].lanes;
    for (end = i + 1; end < all.size() && all[end].lanes == lanes;)
      ++end;
    auto add = [&](Knowledge &known) {
      for (size_t j = i; j < end; ++j)
        if (!all[j].telling.isKnown(all[j].who, known, cta.linear))
          all[j].telling.tell(all[j].who, known, cta.linear);
    };
    if (!(warp.live & ~lanes))
      add(pending->all);
    else
      addToLanes(pending->lanes, lanes, add);
  }
  pending->seen.clear();
}

/// From here on lanes know what their strong reads have observed.
void ThreadOrder::acquire(Warp &warp, uint32_t mask, Pending &pending) {
  if (pending.empty())
    return;
  WarpState &state = states[warp.index];
  bool isWarp = !(warp.live & ~mask);
  // The last telling may include all others.
  for (size_t i = pending.seen.size(); i-- > 0;)
    if (uint32_t lanes = pending.seen[i].lanes & mask)
      learnTold(warp, lanes, pending.seen[i].telling, pending.seen[i].who);
  size_t kept = 0;
  for (size_t i = 0; i < pending.seen.size(); ++i) {
    Pending::Seen &seen = pending.seen[i];
    seen.lanes &= ~mask;
    if (!seen.lanes)
      continue;
    if (kept != i)
      pending.seen[kept] = std::move(seen);
    ++kept;
  }
  pending.seen.resize(kept);
  if (!pending.all.empty()) {
    if (isWarp) {
      state.common.join(pending.all);
      pending.all = Knowledge();
    } else {
      addToLanes(state.lanes, mask,
                 [&](Knowledge &own) { own.join(pending.all); });
    }
  }
  uint32_t single = mask & pending.lanes.lanes();
  forLanes(single, [&](unsigned lane) {
    state.lanes[lane].join(*pending.lanes.find(lane));
  });
  pending.lanes.erase(single);
}

/// Handles releases and acquires of strong accesses. Those in scope .cta use
/// `narrow`, which other CTAs do not see. Releases in a wider scope use it as
/// well, for threads that acquire in scope .cta.
void ThreadOrder::synchronize(Warp &warp, uint32_t mask,
                              const uint64_t *address, const Inst &inst,
                              SanitizeKind kind, Released &wide,
                              Released *narrow) {
  WarpState &state = states[warp.index];
  bool isNarrow = inst.order & OrderCta, acquires = inst.order & OrderAcquire;
  if (!cta.code->hasCtaScope)
    narrow = nullptr;
  bool hears = kind != SanitizeKind::Store,
       hearsWide = hears && !wide.empty() && !isNarrow,
       hearsNarrow = hears && narrow && !narrow->empty();
  if (hearsWide || hearsNarrow)
    Places::forEach(mask, address, [&](const Places &places) {
      if (hearsWide)
        hear(warp, places, wide, acquires ? nullptr : &state.pending);
      if (hearsNarrow)
        hear(warp, places, *narrow, acquires ? nullptr : &state.narrowPending);
    });
  if (kind == SanitizeKind::Load)
    return;
  uint64_t key = Knowledge::warpKey(cta.linear, warp.index);
  auto tell = [&](Released &released, const ToldRef &told, uint32_t clock,
                  uint32_t lanes, const Places &places,
                  Telling::Order order = Telling::Order::Release) {
    released.tell(told, key, clock, !(warp.live & ~lanes), places.only(lanes),
                  order);
  };
  if (inst.order & OrderRelease) {
    forTold(warp, mask, [&](const ToldRef &told, uint32_t lanes) {
      Places::forEach(lanes, address, [&](const Places &places) {
        if (narrow)
          tell(*narrow, told, state.clock + 1, places.lanes, places);
        if (!isNarrow)
          tell(wide, told, state.clock + 1, places.lanes, places);
      });
    });
    advance(state);
    return;
  }
  auto tellFenced = [&](const Fences &fences, Released &released) {
    for (const Fenced &fenced : fences)
      if (uint32_t lanes = mask & fenced.lanes)
        Places::forEach(lanes, address, [&](const Places &places) {
          tell(released, fenced.told, fenced.clock, places.lanes, places,
               fenced.order);
        });
  };
  if (!isNarrow)
    tellFenced(state.fenced, wide);
  if (narrow)
    tellFenced(state.narrowFenced, *narrow);
}

void ThreadOrder::fence(Warp &warp, uint32_t mask, bool narrow,
                        bool sequential) {
  WarpState &state = states[warp.index];
  acquire(warp, mask, state.narrowPending);
  if (!narrow)
    acquire(warp, mask, state.pending);
  if (!narrow && sequential)
    acquireSequentially(warp, mask);
  auto put = [&](Fences &fences, const ToldRef &told, uint32_t lanes) {
    size_t kept = 0;
    for (size_t i = 0; i < fences.size(); ++i) {
      fences[i].lanes &= ~lanes;
      if (!fences[i].lanes)
        continue;
      if (kept != i)
        fences[kept] = std::move(fences[i]);
      ++kept;
    }
    fences.resize(kept);
    fences.push_back({told, state.clock + 1, lanes,
                      sequential && !narrow ? Telling::Order::Sequential
                                            : Telling::Order::Release});
  };
  forTold(warp, mask, [&](const ToldRef &told, uint32_t lanes) {
    if (cta.code->hasCtaScope)
      put(state.narrowFenced, told, lanes);
    if (!narrow)
      put(state.fenced, told, lanes);
  });
  advance(state);
}
