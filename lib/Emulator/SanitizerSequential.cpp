//===- SanitizerSequential.cpp - Sanitizers: fence.sc and barriers --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence.sc synchronises with those that follow it in Fence-SC order (PTX ISA,
// "Memory Consistency Model", "Fence-SC order"; membar is one). Where the first
// comes before a strong write in causality order, and a strong read that
// observes the write before the second, that is their order: with the other the
// read would come before the write that it observes. Between a fence and its
// access there may so be a barrier:
//
//   all: fence; barrier; thread 0: write     thread 0: read; barrier; all:
//   fence
//
// Without a barrier these are release and acquire (SanitizerReleases.cpp). What
// was known at fence.sc goes with barriers and bar.warp.sync from those who
// arrive to those who wait, who tell it when they write (Telling::Crossed); so
// does what was observed and waits for a fence.sc.
//
//===----------------------------------------------------------------------===//

#include "SanitizerReach.h"

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// What these lanes take to a barrier.
void Sanitizer::arriveSequentially(const Warp &warp, uint32_t mask,
                                   Crossing &into) {
  const WarpState &state = states[warp.index];
  for (const Fenced &fenced : state.fenced) {
    uint32_t lanes = fenced.lanes & mask;
    if (!lanes || fenced.order == Telling::Order::Release)
      continue;
    into.released.join(fenced.told->known);
    if (fenced.order == Telling::Order::Sequential)
      into.released.joinLanes(cta.linear, warp.index, lanes, fenced.clock);
  }
  // The last one may know of all others.
  const std::vector<Pending::Seen> &all = state.pending.seen;
  for (size_t i = all.size(); i-- > 0;)
    if ((all[i].lanes & mask) &&
        all[i].telling.order == Telling::Order::Sequential &&
        !all[i].telling.isKnown(all[i].who, into.pending, cta.linear))
      all[i].telling.tell(all[i].who, into.pending, cta.linear);
  into.pending.join(state.sequentialOfAll);
  forDistinct(state.sequential, mask,
              [&](const Knowledge &own) { into.pending.join(own); });
}

ToldRef Sanitizer::toldOf(const Crossing &met) const {
  if (met.released.empty())
    return ToldRef();
  Told *told = new Told;
  told->block = cta.linear;
  told->known = met.released;
  return ToldRef(told);
}

/// What these lanes are going to know after a fence.sc.
template <class Add>
void Sanitizer::addSequentially(const Warp &warp, uint32_t lanes, Add add) {
  WarpState &state = states[warp.index];
  if (!(warp.live & ~lanes))
    add(state.sequentialOfAll);
  else
    addToLanes(state.sequential, lanes, add);
}

void Sanitizer::awaitSequentially(const Warp &warp, uint32_t lanes,
                                  const Told &told) {
  addSequentially(warp, lanes,
                  [&](Knowledge &own) { told.tell(own, cta.linear); });
}

/// What these lanes take from there; `told` is that of `met`.
void Sanitizer::meetSequentially(Warp &warp, uint32_t mask, const Crossing &met,
                                 const ToldRef &told) {
  WarpState &state = states[warp.index];
  if (!met.pending.empty())
    addSequentially(warp, mask, [&](Knowledge &own) { own.join(met.pending); });
  if (!told)
    return;
  // What they had from an earlier barrier is part of this.
  Fences kept;
  for (Fenced &fenced : state.fenced) {
    if (fenced.order == Telling::Order::Crossed)
      fenced.lanes &= ~mask;
    if (fenced.lanes)
      kept.push_back(std::move(fenced));
  }
  state.fenced = std::move(kept);
  state.fenced.push_back(
      {told, Telling::kNever, mask, Telling::Order::Crossed});
}

/// A fence.sc.
void Sanitizer::acquireSequentially(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  bool isWarp = !(warp.live & ~mask);
  if (Knowledge &all = state.sequentialOfAll; !all.empty()) {
    // Where others are left, it stays: to hear it again tells nothing new.
    if (isWarp)
      state.common.join(std::exchange(all, Knowledge()));
    else
      addToLanes(state.lanes, mask, [&](Knowledge &own) { own.join(all); });
  }
  uint32_t lanes = mask & state.sequential.lanes();
  if (!lanes)
    return;
  const Knowledge first =
      *state.sequential.find(unsigned(__builtin_ctz(lanes)));
  bool isAlike = !(warp.live & ~lanes);
  forLanes(lanes, [&](unsigned lane) {
    isAlike = isAlike && state.sequential.find(lane)->isShared(first);
  });
  if (isAlike)
    state.common.join(first);
  else
    forLanes(lanes, [&](unsigned lane) {
      state.lanes[lane].join(*state.sequential.find(lane));
    });
  state.sequential.erase(lanes);
}
