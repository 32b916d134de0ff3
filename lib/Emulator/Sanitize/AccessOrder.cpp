//===- AccessOrder.cpp - Whether an access comes after others -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/AccessOrder.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

/// Whether the access, whose owner is `mine`, comes after `other`. Asks what is
/// known of a context once, mostly.
bool AccessOrder::isAfter(const Reach &reach, Record other, Record mine) const {
  if (other < reach.limit || ((other ^ mine) & kOwner) == 0)
    return true;
  if (other & (kSpecial | kSet))
    return isKind(other, kHiding) && withoutHiding(other) < reach.forgotten;
  if (other & mine & kAtomic)
    return true;
  return isAfterForAll(reach, other);
}

const uint32_t *AccessOrder::askedBy(WarpState &state) {
  if (!state.common.isShared(state.askedOf)) {
    state.askedOf = state.common;
    std::fill(std::begin(state.asked), std::end(state.asked), 0);
  }
  return state.asked;
}

bool AccessOrder::isAfterForAll(const Reach &reach, Record other) const {
  WarpState &state = reach.warp.sanitizer->order.states[reach.warp.index];
  askedBy(state);
  uint32_t context = contextOf(other), &slot = state.asked[context % kAsked];
  if (slot >> 1 == context)
    return slot & 1;
  bool answer = order.orderedForAll(other, reach.warp);
  // Copies complete without anybody knowing more.
  if (answer || !slots::isCopy(grid.contexts[context].warp))
    slot = context << 1 | answer;
  return answer;
}

bool AccessOrder::orderedForOwner(Record other, Record owner,
                                  const Warp &warp) const {
  if (order.orderedForAll(other, warp))
    return true;
  const Context &context =
      grid.contexts[contextOf(order.completed(other, patternOf(other)))];
  return context.block == warp.cta->linear && context.warp == warp.index &&
         !(other & kSeveral) && patternOf(other) == patternOf(owner) &&
         (laneOf(other) == laneOf(owner) || (other & kUnknownLane));
}

/// Of global memory it is the readers' context that counts, of which there are
/// many records.
ReadAction AccessOrder::actionOn(Reach &reach, Record reads) const {
  if (!reach.allocation || !contextOf(reads))
    return findAction(reach, reads);
  if (contextOf(reads) != reach.actionContext) {
    reach.actionContext = contextOf(reads);
    reach.contextAction = findAction(reach, reads);
  }
  return reach.contextAction;
}

ReadAction AccessOrder::findAction(const Reach &reach, Record reads) const {
  // What a strong read comes after, a strong write need not come after.
  bool isWeaker = reach.atomic() && !(reads & (kAtomic | kSet));
  if (reads < reach.limit || readers.isGone(reads) ||
      (!(reads & kSet) && !isWeaker && isAfterForAll(reach, reads)))
    return ReadAction::Replace;
  // Of global memory one reader is kept, whose turn the schedule draws. What
  // waits for a cp.async comes after what its warp read before.
  if (reach.allocation && contextOf(reads) != contextOf(reach.mine)) {
    const Context &before = grid.contexts[contextOf(reads)],
                  &now = grid.contexts[contextOf(reach.mine)];
    if (!grid.copies.empty() && before.block == now.block) {
      if (slots::isCopy(now.warp) && before.warp == now.warp - slots::kCopies)
        return ReadAction::Replace;
      if (before.warp == now.warp + slots::kCopies && order.isCopying(reads))
        return ReadAction::Keep;
    }
    return grid.keepsFirstReader ? ReadAction::Keep : ReadAction::Replace;
  }
  return ReadAction::Join;
}
