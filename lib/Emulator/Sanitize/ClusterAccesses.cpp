//===- ClusterAccesses.cpp - Sanitizers: memory of other CTAs -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to the shared memory of other CTAs of the cluster. `this` is of the
// CTA that holds the memory; `warp.sanitizer` is of the CTA that accesses it.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/MemoryAccesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

template <class Visit> static void forLanes(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(__builtin_ctz(mask)));
}

/// The CTA must have begun, which only what came from it tells, and must not
/// end before the access (PTX ISA, "Shared State Space").
void MemoryAccesses::noteRemote(Warp &warp, uint32_t mask, unsigned line,
                                bool accesses) {
  Sanitizer &who = *warp.sanitizer;
  WarpState &state = who.order.states[warp.index];
  if (!(state.begun >> cta.rank & 1)) {
    Context begun{cta.linear, slots::kStarted, 0};
    // Who knows of any of its threads knows that it runs.
    auto isKnown = [&](const Knowledge &known) {
      bool any = who.order.in(known, begun, 0);
      auto look = [&](uint64_t, const uint32_t (&)[Clocks::kLeaf]) {
        any = true;
      };
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
          who.reports.reportText(
              "cluster-lifetime", warp, lane, line, 0,
              "access to the shared memory of block " +
                  std::to_string(cta.rank) +
                  " of the cluster, which may not have begun: nothing "
                  "orders it after an arrival of that block");
      });
  }
  if (!accesses)
    return;
  Record mine = who.order.contextRecord(warp) | Record(line & 0xfffff) << 12;
  // Some come lane by lane, mostly of one access.
  if (state.remote == mine && state.remoteRank == cta.rank &&
      !(mask & ~state.remoteLanes))
    return;
  if (state.remote != mine || state.remoteRank != cta.rank ||
      remoteAccesses.empty() || remoteAccesses.back().first != mine) {
    state.remote = mine;
    state.remoteRank = cta.rank;
    state.remoteLanes = 0;
    remoteAccesses.push_back({mine, 0});
  }
  state.remoteLanes |= mask;
  remoteAccesses.back().second |= mask;
  if (outstanding.empty() || outstanding.back() != contextOf(mine))
    outstanding.push_back(contextOf(mine));
}

/// The CTA has ended: some thread of it knew of every access from outside.
void MemoryAccesses::checkLifetime(const Warp &) {
  if (remoteAccesses.empty())
    return;
  Knowledge all;
  for (const WarpState &state : order.states) {
    all.join(state.common);
    forDistinct(state.lanes, kFullMask,
                [&](const Knowledge &own) { all.join(own); });
  }
  for (const auto &[record, lanes] : remoteAccesses) {
    const Context &context = grid.contexts[contextOf(record)];
    if (all.knowsWarp(context, cta.linear))
      continue;
    uint32_t unknown = 0;
    forLanes(lanes, [&](unsigned lane) {
      unknown |= uint32_t(!all.knowsLane(context, lane)) << lane;
    });
    for (Cta *other : cta.cluster->ctas)
      if (unknown && other->linear == context.block)
        other->sanitizer->reports.reportText(
            "cluster-lifetime", other->warps[context.warp],
            unsigned(__builtin_ctz(unknown)), lineOf(record), 0,
            "access to the shared memory of block " + std::to_string(cta.rank) +
                " of the cluster, which does not wait for it before it ends");
  }
}

void MemoryAccesses::clusterAccess(Warp &warp, const Inst &inst, uint32_t mask,
                                   const uint64_t *offset, unsigned bytes,
                                   SanitizeKind kind) {
  if (warp.cta == &cta)
    return sharedAccess(warp, inst, mask, offset, bytes, kind);
  noteRemote(warp, mask, inst.line, true);
  Sanitizer &who = *warp.sanitizer;
  bool strong = isStrong(inst, kind);
  Record mine = who.order.contextRecord(warp) |
                Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  Reach reach{shared, warp, inst.line, kind, mine, Record(1) << 32};
  if (reach.hides())
    reach.settled = order.settledInCluster();
  reach.loose = strong && kind != SanitizeKind::Atomic && hasLocks();
  reach.update = reach.loose && (inst.order & OrderUpdate);
  if (kind == SanitizeKind::Store && inst.imm2 == kStoresOperands)
    reach.stored = &inst;
  accesses.access(reach, mask, offset, bytes, false);
  if (strong && cta.code->hasNarrowAccess)
    accesses.checkScopes(reach, inst, mask, offset, bytes);
  if (strong)
    who.order.synchronize(warp, mask, offset, inst, kind, released, nullptr);
  if (strong && hasLocks())
    who.order.synchronizeLoosely(warp, mask, offset, kind, looseShared);
}
