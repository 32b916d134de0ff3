//===- SequentialOrder.cpp - Sanitizers: fence.sc and barriers ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence.sc synchronises with later ones in Fence-SC order (PTX ISA, "Memory
// Consistency Model", "Fence-SC order"; membar is one). Suppose that one fence
// comes before a strong write in causality order, and that a strong read which
// observes the write comes before another fence. Then the fences have that
// order: in the other one the read would come before the write that it
// observes. So a barrier may be between a fence and its access:
//
//   all: fence; barrier; thread 0: write
//   thread 0: read; barrier; all: fence
//
// Without a barrier these are release and acquire (ReleaseOrder.cpp).
// Barriers and bar.warp.sync pass the knowledge at a fence.sc from arriving
// threads to waiting ones, whose writes tell it (Telling::Crossed). They pass
// observations that wait for a fence.sc likewise.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/ThreadOrder.h"

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// Adds what these lanes bring to a barrier.
void ThreadOrder::arriveSequentially(const Warp &warp, uint32_t mask,
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
  // The last telling may include all others.
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

ToldRef ThreadOrder::toldOf(const Crossing &met) const {
  if (met.released.empty())
    return ToldRef();
  Told *told = new Told;
  told->block = cta.linear;
  told->known = met.released;
  return ToldRef(told);
}

/// Adds to the knowledge that these lanes will have after a fence.sc.
template <class Add>
void ThreadOrder::addSequentially(const Warp &warp, uint32_t lanes, Add add) {
  WarpState &state = states[warp.index];
  if (!(warp.live & ~lanes))
    add(state.sequentialOfAll);
  else
    addToLanes(state.sequential, lanes, add);
}

void ThreadOrder::awaitSequentially(const Warp &warp, uint32_t lanes,
                                    const Told &told) {
  addSequentially(warp, lanes,
                  [&](Knowledge &own) { told.tell(own, cta.linear); });
}

/// Gives these lanes what they learn at a barrier; `told` is the picture of
/// `met`.
void ThreadOrder::meetSequentially(Warp &warp, uint32_t mask,
                                   const Crossing &met, const ToldRef &told) {
  WarpState &state = states[warp.index];
  if (!met.pending.empty())
    addSequentially(warp, mask, [&](Knowledge &own) { own.join(met.pending); });
  if (!told)
    return;
  // Entries of earlier barriers are included in this one.
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

/// Executes the acquiring half of a fence.sc.
void ThreadOrder::acquireSequentially(Warp &warp, uint32_t mask) {
  WarpState &state = states[warp.index];
  bool isWarp = !(warp.live & ~mask);
  if (Knowledge &all = state.sequentialOfAll; !all.empty()) {
    // Other lanes may still need it; hearing it again has no effect.
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
