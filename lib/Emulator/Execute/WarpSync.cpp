//===- WarpSync.cpp - Runs the warps of a CTA: .sync with a membermask ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes that a membermask names wait for one another, and for no other
// lane. Lanes that execute an instruction together may belong to several masks
// (a block divided into tiles). All lanes of a mask must name the same mask
// (PTX ISA, "bar.warp.sync", "shfl.sync"); lanes that have ended do not count.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/WarpSync.h"

#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/WarpStart.h"
#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

namespace {

/// Lanes at an instruction, and the lanes that each waits for.
struct Arrivals {
  uint32_t lanes = 0;
  uint32_t members[kLanes];

  /// Returns the lanes whose members are all here and name the same mask.
  uint32_t complete() const {
    uint32_t ready = 0;
    for (uint32_t left = lanes; left;) {
      uint32_t wanted = members[__builtin_ctz(left)], same = 0;
      for (uint32_t l = wanted & lanes; l; l &= l - 1)
        same |= uint32_t(members[__builtin_ctz(l)] == wanted)
                << __builtin_ctz(l);
      if (same == wanted)
        ready |= wanted;
      left &= ~same;
    }
    return ready;
  }
};

} // namespace

uint32_t fusion::emulator::synchronizeLanes(Warp &warp, const Inst &inst,
                                            uint32_t mask) {
  const Code &code = *warp.cta->code;
  const uint32_t *members = warp.reg<uint32_t>(inst.op[inst.count - 1]);
  Arrivals here;
  uint32_t all = 0, any = kFullMask;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (!(members[lane] >> lane & 1)) {
      raiseFault(warp, inst, lane,
                 "the membermask does not name the lane that executes the "
                 "instruction",
                 "bad-membermask");
      return mask;
    }
    all |= members[lane];
    any &= members[lane];
    here.members[lane] = members[lane] & warp.live;
  }
  here.lanes = mask;
  uint32_t ready = 0;
  if (all != any)
    ready = here.complete();
  else if (!(all & warp.live & ~mask))
    ready = mask;
  // Among instructions with a membermask only bar.warp.sync orders memory.
  bool isBarrier = inst.run == nothingHandler();
  if (!isBarrier) {
    if (warp.sanitizer && code.hasInvalidation)
      for (uint32_t left = ready; left;) {
        uint32_t tile = here.members[__builtin_ctz(left)];
        warp.sanitizer->phases.meet(warp, tile);
        left &= ~tile;
      }
    return ready;
  }
  uint32_t released = ready;
  if (ready != mask) {
    // It joins lanes that arrive at different places as well.
    uint32_t frame = warp.current.frame;
    for (const Group &group : warp.others) {
      const Inst &at = code.insts[group.pc];
      if (group.state != Group::State::WaitWarp || at.flow != Flow::WarpSync ||
          at.run != inst.run)
        continue;
      enterFrame(warp, group.frame);
      uint32_t lanes = group.mask;
      if (at.guard != kNone)
        lanes &= warp.predicate(at.guard) ^ at.guardFlip;
      const uint32_t *theirs = warp.reg<uint32_t>(at.op[at.count - 1]);
      for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = unsigned(__builtin_ctz(left));
        here.members[lane] = theirs[lane] & warp.live;
      }
      here.lanes |= lanes;
    }
    enterFrame(warp, frame);
    released = here.complete();
    for (size_t i = 0, count = warp.others.size(); i < count; ++i) {
      Group &group = warp.others[i];
      uint32_t lanes = group.mask & released;
      if (group.state != Group::State::WaitWarp || !lanes)
        continue;
      Group waiting = group;
      group.state = Group::State::Ready;
      ++group.pc;
      // Lanes that do not execute the instruction stay in the group of the
      // executing lanes.
      waiting.mask &= here.lanes & ~released;
      group.mask &= ~waiting.mask;
      if (waiting.mask)
        warp.others.push_back(waiting);
    }
    ready = mask & released;
  }
  if (warp.sanitizer)
    for (uint32_t left = released; left;) {
      uint32_t tile = here.members[__builtin_ctz(left)];
      warp.sanitizer->order.warpBarrier(warp, tile);
      left &= ~tile;
    }
  return ready;
}
