//===- Barriers.cpp - Runs the warps of a CTA: barriers and deadlock ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier counts threads (PTX ISA, "bar, barrier"). Lanes that do not exist
// or have ended count with the first arrival of their warp. So partial warps
// can reach an explicit count, which is a multiple of the warp size.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Executor.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersRegisters.h"
#include "Emulator/Execute/HandlersWgmma.h"
#include "Emulator/Execute/Waits.h"
#include "Emulator/Execute/WarpStart.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>
#include <cstdio>

using namespace fusion::emulator;

uint32_t Executor::liveThreads() const {
  uint32_t live = 0;
  for (const Warp &warp : cta.warps)
    live += uint32_t(__builtin_popcount(warp.live));
  return live;
}

/// Lanes of the running group arrive. Afterwards `current` holds the lanes that
/// continue.
void Executor::arrive(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *ids = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *counts = warp.reg<uint32_t>(inst.op[2]);
  uint32_t predicate = warp.predicate(inst.op[3]);
  unsigned lane = unsigned(__builtin_ctz(mask));
  uint32_t id = ids[lane], threads = counts[lane];
  bool onlyArrives = inst.b == 1;
  // The other lanes of the group continue separately.
  uint32_t rest = warp.current.mask & ~mask;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned other = unsigned(__builtin_ctz(left));
    if (ids[other] != id || counts[other] != threads)
      return raiseFault(warp, inst, other,
                        "lanes of a warp name different barriers",
                        "bad-barrier");
  }
  if (id >= kBarriers)
    return raiseFault(warp, inst, lane,
                      "barrier " + std::to_string(id) + " of " +
                          std::to_string(kBarriers),
                      "bad-barrier");
  if (inst.d && (!threads || threads % fusion::kWarpSize))
    return raiseFault(warp, inst, lane,
                      "a barrier for " + std::to_string(threads) +
                          " threads, no multiple of the warp size",
                      "bad-barrier");
  Barrier &barrier = cta.barriers[id];
  if (barrier.arrived == 0 && barrier.warps.empty()) {
    barrier.warps.assign(cta.warps.size(), false);
    barrier.counted = inst.d;
    barrier.expected = threads;
    barrier.line = inst.line;
    barrier.votes = barrier.voters = 0;
  } else if (barrier.counted != bool(inst.d) ||
             (inst.d && barrier.expected != threads)) {
    return raiseFault(warp, inst, lane,
                      "barrier " + std::to_string(id) +
                          " with another number of threads than at line " +
                          std::to_string(barrier.line),
                      "bad-barrier");
  }
  // Lanes that were alive when the first of them arrived, and that are not
  // here.
  uint32_t missing = inst.c ? (warp.live | warp.current.awaited) & ~mask : 0;
  warp.current.awaited = 0;
  if (warp.sanitizer)
    warp.sanitizer->barriers.arrive(warp, inst, mask, id, missing,
                                    lineOfOthers(warp, mask));
  if (warp.step) {
    warp.step->action =
        onlyArrives ? StepAction::Arrive : StepAction::ArriveWait;
    warp.step->place = id;
    warp.step->value = inst.d ? threads : 0;
  }
  uint32_t lanes = uint32_t(__builtin_popcount(mask));
  ++warp.counters->barriers;
  barrier.lastLine = inst.line;
  barrier.lastWarp = warp.index;
  barrier.arrived += lanes;
  barrier.voters += lanes;
  barrier.votes += uint32_t(__builtin_popcount(mask & predicate));
  if (!barrier.warps[warp.index]) {
    barrier.warps[warp.index] = true;
    if (barrier.counted)
      barrier.arrived +=
          uint32_t(fusion::kWarpSize) - uint32_t(__builtin_popcount(warp.live));
  }
  if (rest) {
    Group group = warp.current;
    group.mask = rest;
    ++group.pc;
    warp.others.push_back(group);
    warp.current.mask = mask;
  }
  if (onlyArrives) {
    ++warp.current.pc;
  } else {
    warp.current.barrier = id;
    suspend(warp, Group::State::WaitBarrier);
  }
  uint32_t expected = barrier.counted ? barrier.expected : liveThreads();
  if (barrier.arrived > expected)
    return raiseFault(warp, inst, lane,
                      "more threads arrive at barrier " + std::to_string(id) +
                          " than it expects",
                      "bad-barrier");
  if (barrier.arrived == expected)
    release(id);
}

/// Completes barriers of all threads whose missing threads have ended.
void Executor::checkBarriers() {
  uint32_t live = liveThreads();
  for (uint32_t id = 0; id < kBarriers; ++id) {
    Barrier &barrier = cta.barriers[id];
    if (barrier.arrived && !barrier.counted && barrier.arrived >= live)
      release(id);
  }
}

void Executor::release(uint32_t id) {
  Barrier &barrier = cta.barriers[id];
  std::vector<uint32_t> waited(cta.warps.size(), 0); // lanes of every warp
  for (Warp &warp : cta.warps) {
    Group running = warp.current;
    bool any = false;
    for (Group &group : warp.others) {
      if (group.state != Group::State::WaitBarrier || group.barrier != id)
        continue;
      any = true;
      const Inst &inst = code.insts[group.pc];
      if (inst.run) {
        warp.current = group;
        enterFrame(warp, group.frame);
        inst.run(warp, inst, group.mask);
      }
      waited[warp.index] |= group.mask;
      group.state = Group::State::Ready;
      ++group.pc;
    }
    if (!any)
      continue;
    warp.current = running;
    enterFrame(warp, running.frame);
    warp.blocked = false;
  }
  if (sanitizer)
    sanitizer->barriers.complete(id, waited);
  barrier = Barrier();
}

void Executor::wakeWaiting() {
  seenEvents = cta.async.events;
  for (Warp &warp : cta.warps)
    for (Group &group : warp.others)
      if (group.state == Group::State::WaitEvent) {
        group.state = Group::State::Ready;
        warp.blocked = false;
      }
}

bool Executor::timeOut() {
  bool any = false;
  for (Warp &warp : cta.warps)
    for (Group &group : warp.others) {
      const Inst &inst = code.insts[group.pc];
      if (group.state != Group::State::WaitEvent || !mayTimeOut(inst))
        continue;
      group.state = Group::State::Ready;
      group.timedOut = true;
      warp.blocked = false;
      any = true;
    }
  return any;
}

/// Returns " wait at …, line l (…)".
std::string Executor::describeGroup(const Warp &warp,
                                    const Group &group) const {
  const Inst &inst = code.insts[group.pc];
  std::string line = ", line " + std::to_string(inst.line);
  if (group.state == Group::State::WaitEvent)
    return describeWait(warp, inst, group);
  if (group.state != Group::State::WaitBarrier)
    return " wait for lanes of their warp" + line;
  const Barrier &barrier = cta.barriers[group.barrier];
  uint32_t expected = barrier.counted ? barrier.expected : liveThreads();
  return " wait at barrier " + std::to_string(group.barrier) + line + " (" +
         std::to_string(barrier.arrived) + " of " + std::to_string(expected) +
         " threads arrived)";
}

/// Returns "warp w lanes m".
static std::string nameOfGroup(const Warp &warp, const Group &group) {
  char lanes[32];
  std::snprintf(lanes, sizeof(lanes), "0x%x", group.mask);
  return "warp " + std::to_string(warp.index) + " lanes " + lanes;
}

/// Returns " warp w lanes m wait at …; …". `line` is set to the line of the
/// first.
std::string Executor::describeWaits(unsigned &line) const {
  std::string message;
  size_t listed = 0;
  for (const Warp &warp : cta.warps)
    for (const Group &group : warp.others) {
      if (!line)
        line = code.insts[group.pc].line;
      if (++listed > 8)
        continue;
      message += (listed > 1 ? "; " : " ") + nameOfGroup(warp, group) +
                 describeGroup(warp, group);
    }
  if (listed > 8)
    message += "; and " + std::to_string(listed - 8) + " more";
  return message;
}

/// Returns the line where the other lanes of the warp are: they wait there, are
/// about to execute it, or ended there. 0 if there are no others.
unsigned Executor::lineOfOthers(const Warp &warp, uint32_t mask) const {
  if (warp.current.mask & ~mask)
    return code
        .insts[std::min<size_t>(warp.current.pc + 1, code.insts.size() - 1)]
        .line;
  for (const Group &group : warp.others)
    if (group.mask & ~mask)
      return code.insts[group.pc].line;
  return warp.exists & ~mask ? warp.exitLine : 0;
}

/// Returns the line that keeps a group waiting for ever: where other lanes
/// wait, or else the last arrival at the same barrier.
unsigned Executor::lineOfOther(const Warp &warp, const Group &group) const {
  bool ofWarp = group.state == Group::State::WaitWarp;
  const Inst &inst = code.insts[group.pc];
  if (ofWarp)
    if (unsigned line = lineOfOthers(warp, group.mask))
      return line;
  if (sanitizer && group.state == Group::State::WaitEvent && mayTimeOut(inst))
    if (unsigned line =
            sanitizer->phases.lastArrival(mbarrierOf(warp, inst, group)))
      return line;
  if (inst.run == wgmmaWaitHandler())
    if (const Warp *late = lateProducts(warp, inst))
      return lineOfOthers(*late, 0);
  for (const Cta *other : cta.cluster->ctas)
    for (const Warp &w : other->warps) {
      // Lanes that spin.
      if (w.current.mask && other == &cta)
        return w.index < pollLines.size() && pollLines[w.index]
                   ? pollLines[w.index]
                   : code.insts[w.current.pc].line;
      for (const Group &g : w.others)
        if (g.pc != group.pc && (&w != &warp || g.mask != group.mask) &&
            (other == &cta || group.state == Group::State::WaitEvent))
          return code.insts[g.pc].line;
    }
  if (group.state == Group::State::WaitBarrier) {
    const Barrier &barrier = cta.barriers[group.barrier];
    if (barrier.lastWarp != warp.index)
      return barrier.lastLine;
    return barrier.line != inst.line ? barrier.line : 0;
  }
  if (inst.run == setRegistersHandler())
    return cta.registerLine;
  return group.state == Group::State::WaitEvent && !mayTimeOut(inst)
             ? cta.cluster->line
             : 0;
}

void Executor::listParties(std::vector<Finding> &parties) const {
  constexpr size_t kMost = 100;
  for (const Warp &warp : cta.warps)
    for (const Group &group : warp.others) {
      if (parties.size() >= kMost)
        return;
      Finding party;
      party.kind = "deadlock";
      party.kernel = std::string(code.source->name);
      party.block = cta.id;
      party.thread = threadOfLane(warp, unsigned(__builtin_ctz(group.mask)));
      party.line = code.insts[group.pc].line;
      party.otherLine = lineOfOther(warp, group);
      party.message = nameOfGroup(warp, group) + describeGroup(warp, group);
      parties.push_back(std::move(party));
      // Missing lanes of a warp are a finding of their own.
      if (sanitizer && group.state == Group::State::WaitWarp &&
          code.insts[group.pc].flow == Flow::WarpAligned &&
          (warp.exists & ~group.mask))
        sanitizer->barriers.divergence(warp, code.insts[group.pc], group.mask,
                                       lineOfOthers(warp, group.mask));
    }
}

static std::string nameOfBlock(const Cta &cta) {
  const auto &id = cta.id;
  return "block (" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
         std::to_string(id[2]) + ")";
}

/// Reports a deadlock: which lanes wait where, in other CTAs of the cluster as
/// well.
void Executor::deadlock(const std::vector<const Executor *> &others) {
  unsigned line = 0, otherLine = 0;
  std::string message = "deadlock:" + describeWaits(line);
  for (const Executor *other : others) {
    std::string waits = other->describeWaits(otherLine);
    message += "; in " + nameOfBlock(other->cta) + waits;
  }
  listParties(cta.fault.parties);
  for (const Executor *other : others)
    other->listParties(cta.fault.parties);
  if (!cta.fault.parties.empty())
    cta.fault.thread = cta.fault.parties[0].thread;
  cta.fault.set = true;
  cta.fault.kind = "deadlock";
  cta.fault.line = line;
  cta.fault.otherLine = otherLine == line ? 0 : otherLine;
  cta.fault.message = message + " (kernel '" + std::string(code.source->name) +
                      "', " + nameOfBlock(cta) + ")";
}
