//===- SanitizerPhases.cpp - Sanitizers: mbarriers and clusters -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mbarriers and barrier.cluster order, thread by thread, and accesses to
// the shared memory of other CTAs. `this` is the sanitizer of the CTA that
// holds the memory; who accesses it has `warp.sanitizer`.
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

//===----------------------------------------------------------------------===//
// Shared memory of other CTAs
//===----------------------------------------------------------------------===//

/// The CTA must have begun, which only what came from it tells, and must not
/// end before the access (PTX ISA, "Shared State Space").
void Sanitizer::noteRemote(Warp &warp, unsigned lane, unsigned line,
                           bool accesses) {
  Sanitizer &who = *warp.sanitizer;
  WarpState &state = who.states[warp.index];
  if (!(state.begun >> cta.rank & 1)) {
    Context begun{cta.linear, slots::kStarted, 0};
    if (who.in(state.common, begun, 0))
      state.begun |= 1u << cta.rank;
    else if (!who.knows(state, begun, 0, int(lane)))
      who.reportText("cluster-lifetime", warp, lane, line, 0,
                     "access to the shared memory of block " +
                         std::to_string(cta.rank) +
                         " of the cluster, which may not have begun: nothing "
                         "orders it after an arrival of that block");
  }
  if (!accesses)
    return;
  Record mine = who.contextRecord(warp) | Record(line & 0xfffff) << 12;
  // Lanes come one by one, mostly of one access.
  if (state.remote == mine && state.remoteRank == cta.rank &&
      (state.remoteLanes >> lane & 1))
    return;
  if (state.remote != mine || state.remoteRank != cta.rank ||
      async.remote.empty() || async.remote.back().first != mine) {
    state.remote = mine;
    state.remoteRank = cta.rank;
    state.remoteLanes = 0;
    async.remote.push_back({mine, 0});
  }
  state.remoteLanes |= 1u << lane;
  async.remote.back().second |= 1u << lane;
  if (async.outstanding.empty() || async.outstanding.back() != contextOf(mine))
    async.outstanding.push_back(contextOf(mine));
}

/// The CTA has ended: some thread of it knew of every access from outside.
void Sanitizer::checkLifetime(const Warp &) {
  if (async.remote.empty())
    return;
  Knowledge all;
  for (const WarpState &state : states) {
    all.join(state.common);
    state.lanes.forEach([&](const Knowledge &own) { all.join(own); });
  }
  for (const auto &[record, lanes] : async.remote) {
    const Context &context = grid.contexts[contextOf(record)];
    if (all.knowsWarp(context, cta.linear))
      continue;
    uint32_t unknown = 0;
    forLanes(lanes, [&](unsigned lane) {
      unknown |= uint32_t(!all.knowsLane(context, lane)) << lane;
    });
    for (Cta *other : cta.cluster->ctas)
      if (unknown && other->linear == context.block)
        other->sanitizer->reportText(
            "cluster-lifetime", other->warps[context.warp],
            unsigned(__builtin_ctz(unknown)), lineOf(record), 0,
            "access to the shared memory of block " + std::to_string(cta.rank) +
                " of the cluster, which does not wait for it before it ends");
  }
}

void Sanitizer::clusterAccess(Warp &warp, const Inst &inst, unsigned lane,
                              uint32_t offset, uint32_t bytes,
                              SanitizeKind kind) {
  uint64_t addresses[32]; // only the lane's counts
  addresses[lane] = offset;
  if (warp.cta == &cta) {
    std::fill_n(addresses, 32, offset);
    return sharedAccess(warp, inst, 1u << lane, addresses, bytes, kind);
  }
  noteRemote(warp, lane, inst.line, true);
  Sanitizer &who = *warp.sanitizer;
  bool strong = isStrong(inst, kind);
  Record mine = who.contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  Reach reach{shared, warp, inst.line, kind, mine, Record(1) << 32};
  forRecords(shared, offset, bytes,
             [&](Record &write, Record &reads, uint64_t at) {
               if (kind != SanitizeKind::Store)
                 read(reach, write, reads, at, lane);
               if (kind != SanitizeKind::Load)
                 this->write(reach, write, reads, at, lane);
             });
  if (strong)
    who.synchronize(warp, 1u << lane, addresses, inst, kind, released, nullptr);
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void Sanitizer::phaseInit(Warp &warp, const Inst &inst, unsigned lane,
                          uint32_t offset, bool live) {
  auto it = async.phases.find(offset);
  // Where something else was written since, there is no mbarrier any more.
  if (live && it != async.phases.end() && it->second.initialized &&
      it->second.initialized == shared.writes[offset / 4])
    reportText("mbarrier-misuse", warp, lane, inst.line,
               lineOf(it->second.initialized),
               "mbarrier.init at shared offset " + std::to_string(offset) +
                   ", where there is an mbarrier already, without "
                   "mbarrier.inval");
  uint64_t addresses[32] = {};
  addresses[lane] = offset;
  sharedAccess(warp, inst, 1u << lane, addresses, 8, SanitizeKind::Store);
  Phase &phase = async.phaseAt(offset);
  phase = Phase();
  phase.initialized = live ? shared.writes[offset / 4] : 0;
}

/// An operation on an mbarrier comes after its initialisation; the async proxy
/// sees that by a fence only.
void Sanitizer::phaseTouch(Warp &warp, const Inst &inst, unsigned lane,
                           uint32_t offset, bool asyncProxy) {
  if (warp.cta != &cta)
    noteRemote(warp, lane, inst.line, !asyncProxy);
  Phase &phase = async.phaseAt(offset);
  Record write = shared.writes[offset / 4];
  auto place = [&] {
    return "the mbarrier at shared offset " + std::to_string(offset);
  };
  if (!phase.initialized || write != phase.initialized) {
    reportText("mbarrier-misuse", warp, lane, inst.line,
               write & kSpecial ? 0 : lineOf(write),
               place() + " was overwritten since its initialisation");
    return;
  }
  if (!asyncProxy && orderedForAll(write, warp))
    return;
  bool byFence = fenced(write, warp, int(lane), slots::kInit);
  if (!byFence && !ordered(write, warp, int(lane)))
    reportText("shared-race", warp, lane, inst.line, lineOf(write),
               "use of " + place() + " races with its initialisation by " +
                   threadName(write));
  else if (asyncProxy && !byFence &&
           !fenced(write, warp, int(lane), slots::kSharedProxy))
    reportText("missing-proxy-fence", warp, lane, inst.line, lineOf(write),
               "a copy that completes at " + place() +
                   ", whose initialisation is followed neither by "
                   "fence.mbarrier_init nor by fence.proxy.async");
}

/// In the form that means the same in every CTA.
Knowledge Sanitizer::exportedForm(const Knowledge &knowledge) const {
  Knowledge result;
  result.lanes = knowledge.lanes;
  result.foreign = knowledge.foreign;
  result.foreign.join(
      foreignForm(knowledge.warps, cta.cluster->ctas.size() > 1));
  return result;
}

/// Warps of this CTA as others know them, and perhaps that it runs.
Clocks Sanitizer::foreignForm(const std::vector<uint32_t> &known,
                              bool started) const {
  Clocks clocks;
  auto append = [&](uint32_t w, uint32_t clock) {
    if (started && w == slots::kStarted)
      clock = std::max(clock, 1u);
    if (clock)
      clocks.append(Knowledge::warpKey(cta.linear, w), clock);
  };
  // Most slots are nobody's: eight at a time.
  constexpr uint32_t kStep = 8;
  uint32_t count = uint32_t(known.size());
  for (uint32_t first = 0; first < count; first += kStep) {
    uint32_t last = std::min(first + kStep, count), any = 0;
    for (uint32_t w = first; w < last; ++w)
      any |= known[w];
    bool holdsStart = first <= slots::kStarted && slots::kStarted < last;
    if (any || (started && holdsStart))
      for (uint32_t w = first; w < last; ++w)
        append(w, known[w]);
  }
  if (count <= slots::kStarted)
    append(slots::kStarted, 0);
  return clocks;
}

/// What a thread of another CTA of the cluster tells.
void Sanitizer::importFrom(Knowledge &into, const Knowledge &told,
                           const Sanitizer &who) const {
  into.foreign.join(who.foreignForm(told.warps, true));
  into.lanes.join(told.lanes);
  importForeign(into, told.foreign);
}

/// What a relaxed arrival tells: what fences released before, and what was
/// initialised before fence.mbarrier_init, which needs no release (PTX ISA,
/// "membar, fence").
Knowledge Sanitizer::toldRelaxed(const Warp &warp, uint32_t mask,
                                 bool local) const {
  const WarpState &state = states[warp.index];
  Knowledge told;
  auto release = [&](const LaneMap<Fenced> &fenced) {
    forLanes(mask & fenced.lanes(), [&](unsigned lane) {
      import(told, fenced.find(lane)->known);
      joinEntry(told.lanes, Knowledge::threadKey(cta.linear, warp.index, lane),
                fenced.find(lane)->clock);
    });
  };
  release(state.fenced);
  if (local)
    release(state.narrowFenced);
  auto initialized = [&](const Knowledge &known) {
    for (uint32_t w = slots::kInit;
         w < slots::kInit + slots::kWarps && w < known.warps.size(); ++w)
      if (known.warps[w])
        told.joinWarp(w, known.warps[w]);
    for (const auto &[key, clock] : known.lanes)
      if (((key >> 5) & 0xffff) - slots::kInit < slots::kWarps)
        joinEntry(told.lanes, key, clock);
  };
  initialized(state.common);
  forLanes(mask & state.lanes.lanes(),
           [&](unsigned lane) { initialized(*state.lanes.find(lane)); });
  return told;
}

/// Arrivals release.
void Sanitizer::phaseArrive(Warp &warp, const Inst &inst, uint32_t mask,
                            uint32_t offset) {
  Sanitizer &who = *warp.sanitizer;
  WarpState &state = who.states[warp.index];
  bool ofCluster = offset == kClusterPhase;
  Knowledge &open =
      (ofCluster ? grid.clusterPhases[cta.cluster] : async.phaseAt(offset))
          .open;
  auto tell = [&](const Knowledge &told) {
    if (ofCluster)
      open.join(who.exportedForm(told));
    else if (&who == this)
      open.join(told);
    else
      importFrom(open, told, who);
  };
  if (inst.order & OrderStrong) {
    tell(who.toldRelaxed(warp, mask, &who == this && !ofCluster));
  } else {
    tell(state.common);
    bool isLocal = &who == this && !ofCluster;
    forLanes(mask, [&](unsigned lane) {
      if (const Knowledge *known = state.lanes.find(lane))
        tell(*known);
      if (warp.live & ~mask)
        joinEntry(open.lanes,
                  Knowledge::threadKey(who.cta.linear, warp.index, lane),
                  state.clock + 1);
    });
    if (!(warp.live & ~mask) && isLocal)
      open.joinWarp(warp.index, state.clock + 1);
    else if (!(warp.live & ~mask))
      open.foreign.join(Knowledge::warpKey(who.cta.linear, warp.index),
                        state.clock + 1);
  }
  who.advance(state);
}

void Sanitizer::phaseDeliver(uint32_t offset, const BulkCopy &copy) {
  if (!copy.context)
    return;
  const Context &context = grid.contexts[copy.context];
  async.phaseAt(offset).open.joinWarp(context.warp, context.clock + 1);
}

void Sanitizer::phaseComplete(uint32_t offset) {
  Phase &phase = offset == kClusterPhase ? grid.clusterPhases[cta.cluster]
                                         : async.phaseAt(offset);
  phase.done.join(phase.open);
}

void Sanitizer::phaseObserve(Warp &warp, const Inst &inst, uint32_t mask,
                             uint32_t offset) {
  WarpState &state = states[warp.index];
  bool isStrong = inst.order & OrderStrong;
  if (offset == kClusterPhase && !isStrong && !(warp.live & ~mask))
    return import(state.common, grid.clusterPhases[cta.cluster].done);
  Knowledge seen;
  if (offset == kClusterPhase)
    import(seen, grid.clusterPhases[cta.cluster].done);
  const Knowledge &done =
      offset == kClusterPhase ? seen : async.phaseAt(offset).done;
  if (!isStrong)
    return learn(warp, mask, done);
  // .relaxed: a fence acquires it.
  forLanes(mask, [&](unsigned lane) { state.pending.add(lane, done); });
}
