//===- TensorMapUses.cpp - Sanitizers: tensor maps in memory --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies read tensor maps through a proxy of their own. Between a write of the
// generic proxy and such a read lie a fence.proxy.tensormap::generic.release
// (or tensormap.cp_fenceproxy) after the write and then the .acquire of the
// map, of the copy's thread or of one that it comes after (PTX ISA, "membar,
// fence"; "tensormap.cp_fenceproxy").
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/TensorMapUses.h"
#include "Emulator/Machine/Addresses.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

static constexpr unsigned kMapBytes = 128;

/// A load or store of the map by the lanes together.
void TensorMapUses::access(Warp &warp, const Inst &inst, uint32_t mask,
                           uint64_t address, SanitizeKind kind) {
  uint64_t addresses[kLanes];
  std::fill_n(addresses, kLanes, address);
  if (sharedLanes(addresses, mask)) {
    std::fill_n(addresses, kLanes, address - kSharedWindow);
    memory.sharedAccess(warp, inst, mask, addresses, kMapBytes, kind);
  } else if (!clusterLanes(addresses, mask)) {
    memory.globalAccess(warp, inst, mask, addresses, kMapBytes, kind);
  }
}

/// One of the lanes has written it, whichever.
void TensorMapUses::publish(Warp &warp, uint32_t mask, uint64_t address) {
  if (Allocation *allocation = cta.memory->find(address))
    forRecords(memory.recentShadow(*allocation), address - allocation->begin,
               kMapBytes, [&](Record &write, Record &, uint64_t) {
                 write |= kUnknownLane;
               });
  order.proxyFence(warp, mask, FenceTensorMap);
}

void TensorMapUses::acquire(Warp &warp, uint32_t mask,
                            const uint64_t *address) {
  order.contextRecord(warp);
  uint32_t clock = order.states[warp.index].clock;
  while (mask) {
    uint64_t map = address[__builtin_ctz(mask)];
    uint32_t together = 0;
    for (unsigned i = 0; i < kLanes; ++i)
      together |= uint32_t(address[i] == map) << i;
    together &= mask;
    mask &= ~together;
    if (!cta.memory->find(map))
      continue;
    auto &acquired = grid.mapAcquires[map];
    auto isOver = [&](const MapAcquire &a) {
      return a.told->block == cta.linear && a.warp == warp.index &&
             !(a.lanes & ~together);
    };
    acquired.erase(std::remove_if(acquired.begin(), acquired.end(), isOver),
                   acquired.end());
    order.forTold(warp, together, [&](const ToldRef &told, uint32_t lanes) {
      acquired.push_back({told, warp.index, lanes, clock});
    });
  }
}

/// A copy reads the map.
void TensorMapUses::use(Warp &warp, const Inst &inst, unsigned lane,
                        uint64_t address) {
  Allocation *allocation = cta.memory->find(address);
  if (!allocation)
    return;
  access(warp, inst, 1u << lane, address, SanitizeKind::Load);
  auto it = grid.mapAcquires.find(address);
  const WarpState &state = order.states[warp.index];
  auto isHeard = [&](const MapAcquire &a, const Context &fence, Record write) {
    const Knowledge &known = a.told->known;
    bool isTold = known.knowsWarp(fence, a.told->block) ||
                  (write & (kSeveral | kUnknownLane)
                       ? known.knowsAnyLane(fence)
                       : known.knowsLane(fence, laneOf(write)));
    bool isOwn = a.told->block == cta.linear && a.warp == warp.index &&
                 (a.lanes >> lane & 1);
    return isTold &&
           (isOwn || order.knows(state, {a.told->block, a.warp, a.clock},
                                 kSeveral, int(lane)));
  };
  forRecords(memory.recentShadow(*allocation), address - allocation->begin,
             kMapBytes, [&](Record &last, Record &, uint64_t) {
               Record write = withoutHiding(last);
               uint32_t number = contextOf(write);
               if (!number || (write & kSpecial) ||
                   !order.ordered(write, warp, int(lane)))
                 return;
               Context fence = grid.contexts[number];
               if (slots::isAgent(fence.warp))
                 return;
               fence.warp = slots::fencedSlot(fence.warp, slots::kTensorMap);
               if (it != grid.mapAcquires.end())
                 for (const MapAcquire &acquire : it->second)
                   if (isHeard(acquire, fence, write))
                     return;
               reports.reportText(
                   "missing-proxy-fence", warp, lane, inst.line, lineOf(write),
                   "a copy uses the tensor map that " +
                       reports.threadName(write) +
                       " wrote, without fence.proxy.tensormap::generic"
                       ".release (or tensormap.cp_fenceproxy) after the "
                       "write and .acquire of the map before the copy");
             });
}
