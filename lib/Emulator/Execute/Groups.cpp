//===- Groups.cpp - Runs the warps of a CTA: divergence -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Executor.h"
#include "Emulator/Execute/HandlersAtomic.h"
#include "Emulator/Execute/WarpStart.h"

#include <algorithm>
#include <utility>

using namespace fusion::emulator;

// Lanes that jump back while others of their warp stand by may be waiting for
// them (PTX ISA: threads of a warp go on independently). They do where they
// come back to a place with the same registers. That is looked for during the
// last kLookedAt of every kSpinLimit jumps: most loops end before, and lanes
// that leave a loop are to meet behind it. A loop that counts what it waits, or
// looks at a clock, has other registers each time: where it polls, others get a
// turn as soon, else after kMostJumps.
static constexpr uint32_t kSpinLimit = 4096, kLookedAt = 64,
                          kMostJumps = 1 << 18;

/// The running group stops before the first place where another one waits.
uint32_t Executor::limitOf(const Warp &warp) const {
  uint32_t limit = kNone;
  for (const Group &group : warp.others)
    if (!group.isParked() && group.frame == warp.current.frame &&
        group.pc >= warp.current.pc)
      limit = std::min(limit, group.pc);
  return limit;
}

/// Puts the running group among the others and picks the next; false where
/// none can run.
bool Executor::select(Warp &warp) {
  if (warp.current.mask)
    warp.others.push_back(warp.current);
  warp.current.mask = 0;
  return mergeAndPick(warp);
}

bool Executor::mergeAndPick(Warp &warp) {
  auto &groups = warp.others;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = groups.size(); --j > i;) {
      Group &a = groups[i], &b = groups[j];
      if (a.pc != b.pc || a.frame != b.frame || a.isParked() || b.isParked())
        continue;
      a.mask |= b.mask;
      a.state = Group::State::Ready; // more lanes: look again
      a.deferred = a.deferred && b.deferred;
      a.held = false;
      a.isAlone = false;
      a.awaited |= b.awaited;
      groups.erase(groups.begin() + ptrdiff_t(j));
    }
  // As long as some wait for what others do, nobody goes to a barrier without
  // them.
  bool anyWaits = std::any_of(groups.begin(), groups.end(), [](const Group &g) {
    return g.state == Group::State::WaitEvent;
  });
  size_t best = groups.size();
  for (int pass = 0; pass < (anyWaits ? 2 : 3) && best == groups.size();
       ++pass) {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].state != Group::State::Ready ||
          (groups[i].deferred && pass == 0) || (groups[i].held && pass < 2))
        continue;
      if (best == groups.size()) {
        best = i;
        continue;
      }
      uint32_t depth = warp.frames[groups[i].frame].depth;
      uint32_t bestDepth = warp.frames[groups[best].frame].depth;
      if (depth != bestDepth ? depth > bestDepth
                             : groups[i].pc < groups[best].pc)
        best = i;
    }
    // Everybody was deferred: another round.
    if (pass == 0 && best == groups.size())
      for (Group &group : groups)
        group.deferred = false;
  }
  if (best == groups.size())
    return false;
  warp.current = groups[best];
  warp.current.held = false;
  groups.erase(groups.begin() + ptrdiff_t(best));
  if (groups.empty())
    spun[warp.index].jumps = 0;
  enterFrame(warp, warp.current.frame);
  return true;
}

/// The group is at a barrier for whole warps, which waits for all threads of
/// the warp that have not exited (PTX ISA, "bar, barrier"). Others are on their
/// way, or wait for an mbarrier, say: they may come there too.
bool Executor::holds(Warp &warp) {
  auto goesOn = [](const Group &group) {
    return group.state == Group::State::WaitEvent ||
           (group.state == Group::State::Ready && !group.held);
  };
  warp.current.awaited |= warp.live;
  if (std::exchange(warp.current.isAlone, false) ||
      std::none_of(warp.others.begin(), warp.others.end(), goesOn))
    return false;
  warp.current.held = true;
  warp.others.push_back(warp.current);
  warp.current.mask = 0;
  return true;
}

/// Nobody goes on any more: those who were held go to their barriers without
/// the others. False where nobody was.
bool Executor::letHeldGo() {
  bool any = false;
  for (Warp &warp : cta.warps)
    for (Group &group : warp.others)
      if (group.held) {
        group.held = false;
        group.isAlone = any = true;
        warp.blocked = false;
      }
  return any;
}

void Executor::suspend(Warp &warp, Group::State state) {
  warp.current.state = state;
  warp.others.push_back(warp.current);
  warp.current.mask = 0;
}

/// The lanes wait where they are; the others of the group go on.
void Executor::leaveWaiting(Warp &warp, uint32_t mask) {
  Group group = warp.current;
  group.mask = mask;
  group.state = Group::State::WaitWarp;
  warp.others.push_back(group);
  warp.current.mask &= ~mask;
}

/// Whether a loop that has these instructions looks at what others write: by
/// strong loads, or atomics with results.
bool Executor::polls(uint32_t first, uint32_t last) const {
  auto begin = code.insts.begin();
  return std::any_of(begin + first, begin + last + 1, [](const Inst &inst) {
    return (inst.order & (OrderStrong | OrderAcquire)) &&
           inst.imm2 != kStoresOperands &&
           !(inst.run == atomicHandler() && inst.e);
  });
}

/// Called at each jump back from `last` to `first`: whether others of the warp
/// should go first.
bool Executor::isSpinning(Warp &warp, uint32_t first, uint32_t last) {
  Spun &at = spun[warp.index];
  uint32_t round = ++at.jumps % kSpinLimit;
  if (round < kSpinLimit - kLookedAt)
    return false;
  const Frame &frame = warp.frames[warp.current.frame];
  uint32_t bytes = code.functions[frame.function].registerBytes;
  bool isSpinning = at.jumps >= kMostJumps;
  if (round == kSpinLimit - kLookedAt) {
    at.pc = warp.current.pc;
    at.mask = warp.current.mask;
    at.frame = warp.current.frame;
    at.registers.assign(frame.registers.data(), frame.registers.data() + bytes);
  } else if (at.pc == warp.current.pc && at.mask == warp.current.mask &&
             at.frame == warp.current.frame && at.registers.size() == bytes) {
    isSpinning |= std::equal(at.registers.begin(), at.registers.end(),
                             frame.registers.data());
  }
  // As long as there may be the same registers once more.
  isSpinning |= round >= kSpinLimit - kLookedAt / 2 && polls(first, last);
  if (isSpinning)
    at.jumps = 0;
  return isSpinning;
}

void Executor::jumpedBack(Warp &warp, uint32_t from) {
  if (!warp.others.empty() && isSpinning(warp, warp.current.pc, from))
    warp.current.deferred = true;
}

void Executor::branch(Warp &warp, const Inst &inst, uint32_t taken) {
  uint32_t mask = warp.current.mask;
  if (inst.target <= warp.current.pc && taken &&
      (!warp.others.empty() || taken != mask) &&
      isSpinning(warp, inst.target, warp.current.pc))
    warp.current.deferred = true;
  if (taken == mask) {
    warp.current.pc = inst.target;
    return;
  }
  if (taken) {
    Group other = warp.current;
    other.mask = taken;
    other.pc = inst.target;
    warp.others.push_back(other);
  }
  warp.current.mask = mask & ~taken;
  ++warp.current.pc;
}

bool Executor::branchTable(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *index = warp.reg<uint32_t>(inst.op[0]);
  uint32_t rest = warp.current.mask & ~mask;
  uint32_t pc = warp.current.pc;
  for (uint32_t left = mask; left;) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (index[lane] >= uint64_t(inst.imm)) {
      raiseFault(warp, inst, lane, "brx.idx beyond its list of targets");
      return false;
    }
    uint32_t target = code.targets[inst.target + index[lane]];
    uint32_t same = 0;
    for (uint32_t l = left; l; l &= l - 1) {
      unsigned other = unsigned(__builtin_ctz(l));
      if (index[other] == index[lane])
        same |= 1u << other;
    }
    left &= ~same;
    Group group = warp.current;
    group.mask = same;
    group.pc = target;
    if (target <= pc && isSpinning(warp, target, pc))
      group.deferred = true;
    warp.others.push_back(group);
  }
  warp.current.mask = rest;
  ++warp.current.pc;
  return true;
}
