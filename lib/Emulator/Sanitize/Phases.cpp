//===- Phases.cpp - Sanitizers: mbarriers and barrier.cluster -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order that mbarriers and barrier.cluster make, thread by thread. `this`
// is of the CTA that contains the mbarrier; `warp.sanitizer` is of the CTA
// whose thread uses it.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Phases.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void Phases::initialize(Warp &warp, const Inst &inst, unsigned lane,
                        uint32_t offset, bool live) {
  auto it = byOffset.find(offset);
  // If other data was written there since, there is no mbarrier any more.
  if (live && it != byOffset.end() && it->second.initialized &&
      it->second.initialized == memory.shared.writes[offset / 4])
    reports.reportText("mbarrier-misuse", warp, lane, inst.line,
                       lineOf(it->second.initialized),
                       "mbarrier.init at shared offset " +
                           std::to_string(offset) +
                           ", where there is an mbarrier already, without "
                           "mbarrier.inval");
  if (!live && it != byOffset.end())
    checkUses(warp, inst, lane, offset, it->second);
  uint64_t addresses[kLanes] = {};
  addresses[lane] = offset;
  memory.sharedAccess(warp, inst, 1u << lane, addresses, 8,
                      SanitizeKind::Store);
  Phase &phase = phaseAt(offset);
  phase = Phase();
  phase.initialized = live ? memory.shared.writes[offset / 4] : 0;
}

/// Checks that an operation on an mbarrier comes after its initialisation. The
/// async proxy needs a fence for that.
void Phases::touch(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset,
                   bool asyncProxy) {
  if (warp.cta != &cta)
    memory.noteRemote(warp, mask, inst.line, !asyncProxy);
  Phase &phase = phaseAt(offset);
  if (cta.code->hasInvalidation)
    noteUse(warp, inst, mask, phase);
  Record write = memory.shared.writes[offset / 4];
  WarpState &state = warp.sanitizer->order.states[warp.index];
  bool isThere = phase.initialized && write == phase.initialized;
  if (isThere && !asyncProxy && state.touched == &phase &&
      state.touchedWrite == write)
    return;
  auto place = [&] {
    return "the mbarrier at shared offset " + std::to_string(offset);
  };
  if (!isThere) {
    reports.reportText("mbarrier-misuse", warp, unsigned(__builtin_ctz(mask)),
                       inst.line, memory.lastWrite(offset),
                       place() + " was overwritten since its initialisation");
    return;
  }
  if (!asyncProxy && order.orderedForAll(write, warp)) {
    state.touched = &phase;
    state.touchedWrite = write;
    return;
  }
  forLanes(mask, [&](unsigned lane) {
    bool byFence = order.fenced(write, warp, int(lane), slots::kInit);
    if (!byFence && !order.ordered(write, warp, int(lane)))
      reports.reportText("shared-race", warp, lane, inst.line, lineOf(write),
                         "use of " + place() +
                             " races with its initialisation by " +
                             reports.threadName(write));
    else if (asyncProxy && !byFence &&
             !order.fenced(write, warp, int(lane), slots::kSharedProxy))
      reports.reportText("missing-proxy-fence", warp, lane, inst.line,
                         lineOf(write),
                         "a copy that completes at " + place() +
                             ", whose initialisation is followed neither by "
                             "fence.mbarrier_init nor by fence.proxy.async");
  });
}

void Phases::noteUse(const Warp &warp, const Inst &inst, uint32_t mask,
                     Phase &phase) {
  const Sanitizer &who = *warp.sanitizer;
  auto isIts = [&](const Phase::Uses &uses) {
    return uses.block == who.cta.linear && uses.warp == warp.index;
  };
  auto own = std::find_if(phase.uses.begin(), phase.uses.end(), isIts);
  if (own == phase.uses.end())
    own = phase.uses.insert(own, {who.cta.linear, warp.index, {}, {}});
  warp.sanitizer->phases.meetings.resize(who.cta.warps.size());
  Meetings &met = warp.sanitizer->phases.meetings[warp.index];
  forLanes(mask, [&](unsigned lane) {
    own->clock[lane] = who.order.states[warp.index].clock;
    own->line[lane] = inst.line;
    met.reached[lane] = 1u << lane;
    met.meetings[lane].clear();
  });
}

/// Records that lanes execute shfl, vote, match and the like with one
/// membermask.
void Phases::meet(const Warp &warp, uint32_t lanes) {
  if (meetings.size() <= warp.index)
    return;
  Meetings &met = meetings[warp.index];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((met.reached[lane] & lanes) && (lanes & ~met.reached[lane])) {
      met.reached[lane] |= lanes;
      met.meetings[lane].push_back({lanes, order.states[warp.index].clock});
    }
}

/// Whether `lane` comes after a meeting that is after the last use by lane
/// `other` of the CTA's warp `index`.
bool Phases::comesAfterMeeting(const Warp &warp, unsigned lane, uint32_t index,
                               unsigned other) const {
  for (const auto &meeting : meetings[index].meetings[other]) {
    if (index == warp.index && (meeting.lanes >> lane & 1))
      return true;
    Context context{cta.linear, index, meeting.clock};
    for (uint32_t left = meeting.lanes; left; left &= left - 1)
      if (order.knows(order.states[warp.index], context,
                      Record(__builtin_ctz(left)) << 7, int(lane)))
        return true;
  }
  return false;
}

/// Checks that mbarrier.inval comes after every use and after every copy that
/// completes there.
void Phases::checkUses(const Warp &warp, const Inst &inst, unsigned lane,
                       uint32_t offset, const Phase &phase) {
  const WarpState &state = order.states[warp.index];
  std::string place =
      "mbarrier.inval at shared offset " + std::to_string(offset);
  for (const Phase::Uses &uses : phase.uses) {
    bool own = uses.block == cta.linear && uses.warp == warp.index;
    for (unsigned other = 0; other < kLanes; ++other) {
      Context context{uses.block, uses.warp, uses.clock[other]};
      Record record = Record(other) << 7;
      if (!context.clock || (own && other == lane) ||
          order.knows(state, context, record, int(lane)) ||
          (uses.block == cta.linear &&
           comesAfterMeeting(warp, lane, uses.warp, other)))
        continue;
      record |= Record(grid.contexts.size()) << 32;
      grid.contexts.push_back(context);
      reports.reportText("shared-race", warp, lane, inst.line, uses.line[other],
                         place + " races with the use of the mbarrier by " +
                             reports.threadName(record));
      break;
    }
  }
  for (auto kind : {AsyncAgent::Mbarrier, AsyncAgent::Deliveries}) {
    const AsyncAgent *agent = agents.findAgent(kind, offset);
    auto queue = cta.async.queues.find(offset);
    bool isThere = queue != cta.async.queues.end() && !queue->second.empty();
    if (agent && agent->clock &&
        !order.knows(state, {cta.linear, agent->slot, agent->clock}, 0,
                     int(lane)))
      reports.reportText(
          "mbarrier-misuse", warp, lane, inst.line,
          isThere ? queue->second.back().line : 0,
          place + " before the copies that complete there were waited "
                  "for");
  }
}

/// Adds the knowledge of arriving lanes, since arrivals release. A release in
/// scope .cta by a thread of another CTA does not reach the waiting threads.
void Phases::arrive(Warp &warp, const Inst &inst, uint32_t mask,
                    uint32_t offset) {
  Sanitizer &who = *warp.sanitizer;
  WarpState &state = who.order.states[warp.index];
  bool ofCluster = offset == kCluster;
  bool isLocal = &who.phases == this && !ofCluster;
  Phase &phase = ofCluster ? grid.clusterPhases[cta.cluster] : phaseAt(offset);
  phase.arrivalLine = inst.line;
  auto arrive = [&](Knowledge &open, Phase::Last &last) {
    auto tell = [&](const Told &told) {
      // Warps that met before have the same knowledge.
      if (last.block == told.block && last.known.isShared(told.known))
        return;
      last = {told.known, told.block};
      if (ofCluster) {
        open.lanes.join(told.known.lanes);
        open.foreign.join(told.foreignForm());
      } else {
        told.tell(open, cta.linear);
      }
    };
    if (inst.order & OrderStrong) {
      Told told;
      told.block = who.cta.linear;
      told.known = who.order.toldRelaxed(warp, mask, isLocal);
      tell(told);
      // A relaxed arrival tells as well that the block runs.
      if (!isLocal && order.hasCluster())
        open.foreign.join(Knowledge::warpKey(who.cta.linear, slots::kStarted),
                          1);
      return;
    }
    who.order.forTold(warp, mask,
                      [&](const ToldRef &told, uint32_t) { tell(*told); });
    if (warp.live & ~mask)
      open.joinLanes(who.cta.linear, warp.index, mask, state.clock + 1);
    else if (isLocal)
      open.warps.join(warp.index, state.clock + 1);
    else
      open.foreign.join(Knowledge::warpKey(who.cta.linear, warp.index),
                        state.clock + 1);
  };
  if (&who.phases != this && !ofCluster && hasNarrowWaits() &&
      !phase.hasOthers) {
    phase.hasOthers = true;
    phase.ownOpen = phase.open;
    phase.ownDone = phase.done;
  }
  if (&who.phases == this || !(inst.order & OrderCta))
    arrive(phase.open, phase.last);
  else if (!(inst.order & OrderStrong))
    arrive(phase.pastOpen, phase.pastLast);
  if (isLocal && phase.hasOthers)
    arrive(phase.ownOpen, phase.ownLast);
  if (ofCluster)
    state.arrivedWith = inst.order & OrderStrong ? Knowledge() : state.common;
  who.order.advance(state);
}

void Phases::reportTooEarly(const Warp &warp, const Inst &inst, unsigned lane,
                            uint32_t offset, unsigned copyLine) {
  reports.reportText(
      "mbarrier-misuse", warp, lane, inst.line, copyLine,
      "use of the mbarrier at shared offset " + std::to_string(offset) +
          " for its next phase, while this one awaits copies that "
          "no thread has waited for: it may count for either");
}

/// Adds an agent's clock to the mbarrier.
void Phases::hear(uint32_t offset, uint32_t slot, uint32_t clock) {
  Phase &phase = phaseAt(offset);
  phase.open.warps.join(slot, clock + 1);
  if (phase.hasOthers)
    phase.ownOpen.warps.join(slot, clock + 1);
}

void Phases::deliver(uint32_t offset, const BulkCopy &copy) {
  if (!copy.context)
    return;
  const Context &context = grid.contexts[copy.context];
  hear(offset, context.warp, context.clock);
}

void Phases::complete(uint32_t offset) {
  Phase &phase =
      offset == kCluster ? grid.clusterPhases[cta.cluster] : phaseAt(offset);
  // `open` still contains the arrivals of earlier phases.
  phase.done = phase.open;
  if (phase.hasOthers)
    phase.ownDone = phase.ownOpen;
  phase.pastDone = phase.pastOpen;
}

void Phases::observe(Warp &warp, const Inst &inst, uint32_t mask,
                     uint32_t offset) {
  WarpState &state = order.states[warp.index];
  bool isStrong = inst.order & OrderStrong;
  if (offset == kCluster)
    ++cta.cluster->ctas.front()->sanitizer->order.clusterWaits;
  if (offset == kCluster && !isStrong && !(warp.live & ~mask))
    return order.learnTogether(
        state.common, grid.clusterPhases[cta.cluster].done,
        state.common.isShared(state.arrivedWith) && !state.common.empty());
  Knowledge seen;
  if (offset == kCluster)
    order.import(seen, grid.clusterPhases[cta.cluster].done);
  Phase *phase = offset == kCluster ? nullptr : &phaseAt(offset);
  const Knowledge &done = !phase ? seen
                          : phase->hasOthers && (inst.order & OrderCta)
                              ? phase->ownDone
                              : phase->done;
  if (!isStrong) {
    if (phase && (&done == &phase->ownDone || !phase->pastDone.empty()))
      addToLanes(state.past, mask, [&](Knowledge &past) {
        past.join(phase->done);
        past.join(phase->pastDone);
      });
    return order.learn(warp, mask, done);
  }
  // .relaxed: the next fence acquires it.
  if (warp.live & ~mask)
    addToLanes(state.pending.lanes, mask,
               [&](Knowledge &seen) { seen.join(done); });
  else
    state.pending.all.join(done);
}
