//===- SanitizerCluster.cpp - Sanitizers: memory of other CTAs ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to the shared memory of other CTAs of the cluster. `this` is the
// sanitizer of the CTA that holds the memory; who accesses it has
// `warp.sanitizer`.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/SanitizerReach.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// The contexts before which everything is ordered before all threads of the
/// cluster. Looked for where somebody has waited for barrier.cluster since.
Record Sanitizer::settledInCluster() {
  Sanitizer &first = *cta.cluster->ctas.front()->sanitizer;
  if (first.settledAfter == first.clusterWaits)
    return first.settled;
  first.settledAfter = first.clusterWaits;
  const std::vector<Cta *> &ctas = cta.cluster->ctas;
  const Phase &phase = grid.clusterPhases[cta.cluster];
  // Who waits for a phase that has ended is going to know what it told.
  uint32_t now = cta.cluster->parity ? kFullMask : 0;
  auto isWaking = [&](const Warp &warp) {
    return !(warp.live & ~(warp.clusterWaiting & (warp.clusterParity ^ now)));
  };
  auto isSettled = [&](const Context &context) {
    if (std::none_of(ctas.begin(), ctas.end(), [&](const Cta *of) {
          return of->linear == context.block;
        }))
      return true;
    for (const Cta *of : ctas) {
      const Knowledge *last = nullptr;
      for (const Warp &warp : of->warps) {
        const Knowledge &known = of->sanitizer->states[warp.index].common;
        if (!warp.live || (last && last->isShared(known)))
          continue;
        if (known.knowsWarp(context, of->linear))
          last = &known;
        else if (!isWaking(warp) ||
                 phase.done.foreign.at(Knowledge::warpKey(
                     context.block, context.warp)) <= context.clock)
          return false;
      }
    }
    return true;
  };
  size_t number = size_t(first.settled >> 32);
  while (number < grid.contexts.size() && isSettled(grid.contexts[number]))
    ++number;
  return first.settled = Record(number) << 32;
}

/// The CTA must have begun, which only what came from it tells, and must not
/// end before the access (PTX ISA, "Shared State Space").
void Sanitizer::noteRemote(Warp &warp, uint32_t mask, unsigned line,
                           bool accesses) {
  Sanitizer &who = *warp.sanitizer;
  WarpState &state = who.states[warp.index];
  if (!(state.begun >> cta.rank & 1)) {
    Context begun{cta.linear, slots::kStarted, 0};
    // Who knows of any of its threads knows that it runs.
    auto isKnown = [&](const Knowledge &known) {
      bool any = who.in(known, begun, 0);
      auto look = [&](uint64_t, const uint32_t (&)[32]) { any = true; };
      known.foreign.forLeaves(Knowledge::warpKey(cta.linear, 0),
                              Knowledge::warpKey(cta.linear, slots::kWarps - 1),
                              look);
      known.lanes.forLeaves(
          Knowledge::threadKey(cta.linear, 0, 0),
          Knowledge::threadKey(cta.linear, slots::kWarps - 1, 31), look);
      return any;
    };
    if (isKnown(state.common))
      state.begun |= 1u << cta.rank;
    else
      forLanes(mask, [&](unsigned lane) {
        const Knowledge *own = state.lanes.find(lane);
        if (!own || !isKnown(*own))
          who.reportText(
              "cluster-lifetime", warp, lane, line, 0,
              "access to the shared memory of block " +
                  std::to_string(cta.rank) +
                  " of the cluster, which may not have begun: nothing "
                  "orders it after an arrival of that block");
      });
  }
  if (!accesses)
    return;
  Record mine = who.contextRecord(warp) | Record(line & 0xfffff) << 12;
  // Some come lane by lane, mostly of one access.
  if (state.remote == mine && state.remoteRank == cta.rank &&
      !(mask & ~state.remoteLanes))
    return;
  if (state.remote != mine || state.remoteRank != cta.rank ||
      async.remote.empty() || async.remote.back().first != mine) {
    state.remote = mine;
    state.remoteRank = cta.rank;
    state.remoteLanes = 0;
    async.remote.push_back({mine, 0});
  }
  state.remoteLanes |= mask;
  async.remote.back().second |= mask;
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
    forDistinct(state.lanes, kFullMask,
                [&](const Knowledge &own) { all.join(own); });
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

void Sanitizer::clusterAccess(Warp &warp, const Inst &inst, uint32_t mask,
                              const uint64_t *offset, unsigned bytes,
                              SanitizeKind kind) {
  if (warp.cta == &cta)
    return sharedAccess(warp, inst, mask, offset, bytes, kind);
  noteRemote(warp, mask, inst.line, true);
  Sanitizer &who = *warp.sanitizer;
  bool strong = isStrong(inst, kind);
  Record mine = who.contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  Reach reach{shared, warp, inst.line, kind, mine, Record(1) << 32};
  if (reach.hides())
    reach.settled = settledInCluster();
  reach.loose = strong && kind != SanitizeKind::Atomic && hasLocks();
  reach.update = reach.loose && (inst.order & OrderUpdate);
  if (kind == SanitizeKind::Store && inst.imm2 == kStoresOperands)
    reach.stored = &inst;
  access(reach, mask, offset, bytes, false);
  if (strong && cta.code->hasNarrowAccess)
    checkScopes(reach, inst, mask, offset, bytes);
  if (strong)
    who.synchronize(warp, mask, offset, inst, kind, released, nullptr);
  if (strong && hasLocks())
    who.synchronizeLoosely(warp, mask, offset, kind, looseShared);
}
