//===- LostUpdates.cpp - Sanitizers: locks without fences -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strong accesses do not race with one another, but without fences those to
// different places have no order (PTX ISA, "Memory Consistency Model").
//
// That is a mistake if a thread loads a value, changes it and stores it:
// another thread's update gets lost if the load does not see it. Other strong
// accesses, to the lock, show whether the program expects the load to see it:
// they would order it if each had its fence. Threads that poll a place and then
// store something else there make no update. Hence only stores of values made
// of a loaded value count.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Races.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

/// Records the threads that strong accesses would order if each had its fence.
void ThreadOrder::synchronizeLoosely(Warp &warp, uint32_t mask,
                                     const uint64_t *address, SanitizeKind kind,
                                     LooselyReleased &released) {
  WarpState &state = states[warp.index];
  uint64_t threads = Knowledge::threadKey(cta.linear, warp.index, 0);
  Places::forEach(mask, address, [&](const Places &places) {
    for (uint32_t left = places.lanes; left;) {
      uint64_t at = places.of(unsigned(__builtin_ctz(left)));
      uint32_t lanes = places.stride ? left & ~(left - 1) : left;
      left &= ~lanes;
      const LooselyReleased::Entry *entry =
          kind == SanitizeKind::Store ? nullptr : released.find(at);
      if (entry && state.seenLoosely.look(entry, at, entry->version, lanes) !=
                       entry->version)
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
          state.loose[unsigned(__builtin_ctz(rest))].join(entry->threads);
      // Excludes this write itself: a thread that reads it sees it.
      if (kind != SanitizeKind::Load)
        released.join(at, threads, lanes, state.clock);
    }
  });
  if (kind == SanitizeKind::Store)
    advance(state);
}

/// Records a strong read by the lane as suspicious.
void Races::suspect(Reach &reach, Record write, uint64_t offset,
                    unsigned lane) {
  constexpr size_t kMost = 128;
  // The state is in the accessing warp's CTA, wherever the memory is.
  WarpState &state = reach.warp.sanitizer->order.states[reach.warp.index];
  std::vector<Suspect> &suspects = state.suspects;
  suspects.erase(std::remove_if(suspects.begin(), suspects.end(),
                                [&](const Suspect &s) {
                                  return s.lane == lane &&
                                         s.memory == &reach.shadow &&
                                         s.offset == offset;
                                }),
                 suspects.end());
  const Clocks *loose = state.loose.find(lane);
  if (!loose || !contextOf(write) || (write & kSpecial) ||
      order.ordered(write, reach.warp, int(lane)))
    return;
  const Context &context = grid.contexts[contextOf(write)];
  uint64_t writer =
      Knowledge::threadKey(context.block, context.warp, laneOf(write));
  if (loose->at(writer) <= context.clock)
    return;
  if (suspects.size() == kMost)
    suspects.erase(suspects.begin());
  suspects.push_back({lane, &reach.shadow, offset, write});
}

/// Whether the lane overwrites a value that it has read too early.
bool Races::isLostUpdate(const Reach &reach, Record write, uint64_t offset,
                         unsigned lane) const {
  const std::vector<Suspect> &suspects =
      reach.warp.sanitizer->order.states[reach.warp.index].suspects;
  return std::any_of(suspects.begin(), suspects.end(), [&](const Suspect &s) {
    return s.lane == lane && s.memory == &reach.shadow && s.offset == offset &&
           s.write == write;
  });
}
