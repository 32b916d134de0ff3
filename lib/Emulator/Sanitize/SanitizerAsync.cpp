//===- SanitizerAsync.cpp - Sanitizers: bulk copies and wgmma -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of the async proxy, when they are issued and when they are waited
// for. SanitizerAsync.h says how they are ordered.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/SanitizerReach.h"

#include <algorithm>

using namespace fusion::emulator;

/// The thread's number in its CTA.
static uint32_t threadOf(const Warp &warp, unsigned lane) {
  return warp.index * uint32_t(fusion::kWarpSize) + lane;
}

/// An access of the async proxy. Neighbouring words have mostly the same
/// history: what was found of the last one is kept.
struct Sanitizer::AsyncReach {
  Reach reach;
  int lane; ///< that issues it; -1: the warp as one
  uint32_t fineContext = 0;
  Record fineWrite = 0;
  /// The instructions that read a tile in turn leave each their own record.
  static constexpr unsigned kFine = 8;
  Record fineReads[kFine] = {};
  unsigned fineNext = 0;
  uint32_t readersBefore = 0; ///< a context of readers that come before
  bool areFine(Record reads) const {
    bool is = false;
    for (Record fine : fineReads)
      is |= reads == fine;
    return is;
  }
  Record lastReads = ~Record(0), nextReads = 0;
};

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

/// Numbered under the CTA whose memory the agent's completion is told in.
uint32_t Sanitizer::newContext(const Warp &warp, uint32_t slot,
                               uint32_t clock) {
  uint32_t context = uint32_t(grid.contexts.size());
  grid.contexts.push_back({cta.linear, slot, clock});
  grid.issuers.resize(grid.contexts.size());
  grid.issuers[context] = warp.index;
  return context;
}

static uint64_t agentKey(AsyncAgent::Kind kind, uint32_t id) {
  return uint64_t(kind) << 32 | id;
}

AsyncAgent &Sanitizer::agentOf(AsyncAgent::Kind kind, uint32_t id) {
  AsyncAgent &agent = async.agents[agentKey(kind, id)];
  if (!agent.slot)
    agent.slot = kind == AsyncAgent::Products ? slots::kProducts + id
                 : kind == AsyncAgent::Deliveries
                     ? slots::delivery(async.deliveryCount++)
                     : slots::agent(async.agentCount++);
  return agent;
}

AsyncAgent *Sanitizer::findAgent(AsyncAgent::Kind kind, uint32_t id) {
  auto it = async.agents.find(agentKey(kind, id));
  return it == async.agents.end() ? nullptr : &it->second;
}

/// Groups count from 0, clocks from 1.
uint32_t Sanitizer::contextOfGroup(const Warp &warp, AsyncAgent &agent,
                                   uint32_t group) {
  if (agent.clock != group + 1) {
    agent.clock = group + 1;
    agent.context = newContext(warp, agent.slot, agent.clock);
  }
  return agent.context;
}

//===----------------------------------------------------------------------===//
// Accesses to shared memory
//===----------------------------------------------------------------------===//

Sanitizer::AsyncReach Sanitizer::asyncReach(const Warp &warp, const Inst &inst,
                                            int lane, uint32_t context,
                                            bool reduces) {
  if (async.outstanding.empty() || async.outstanding.back() != context)
    async.outstanding.push_back(context);
  Record mine = Record(context) << 32 | Record(inst.line & 0xfffff) << 12 |
                (reduces ? kAtomic : 0) | Record(lane < 0 ? 0 : lane) << 7;
  AsyncReach reach{
      Reach{shared, warp, inst.line, SanitizeKind::Store, mine,
            warp.cta == &cta ? states[warp.index].limit : Record(1) << 32},
      lane};
  reach.reach.forgotten = forgotten;
  return reach;
}

/// What an agent that has not been waited for does is not ordered.
const char *Sanitizer::kindOfRace(const Reach &reach, Record other) const {
  bool agent =
      slots::isAgent(grid.contexts[contextOf(completed(other))].warp) ||
      isCopying(other);
  if (agent && reach.kind == SanitizeKind::Load)
    return "async-read-in-flight";
  if (agent)
    return "async-overwrite";
  return reach.allocation ? "global-race" : "shared-race";
}

/// The last write comes before the access, and the async proxy sees it.
void Sanitizer::checkWriter(AsyncReach &a, Record write, uint64_t offset) {
  Reach &reach = a.reach;
  if (reach.hasHistory(write) && !reach.atomic())
    checkStrong(reach, reach.shadow.historyAt(offset), 0, offset,
                a.lane < 0 ? 0 : unsigned(a.lane));
  write = withoutHiding(write);
  const Warp &warp = reach.warp;
  unsigned lane = a.lane < 0 ? 0 : unsigned(a.lane);
  bool reads = reach.kind == SanitizeKind::Load;
  if (isKind(write, kInFlight)) {
    reportText(reads ? "async-read-in-flight" : "async-overwrite", warp, lane,
               reach.line, lineOf(write),
               std::string(reads ? "read of " : "write to ") +
                   reach.place(offset) + " before the cp.async of " +
                   threadName(write) + " into it was waited for");
    return;
  }
  if (isKind(write, kUninitialized)) {
    if (reads)
      reportText("uninitialized-shared", warp, lane, reach.line, 0,
                 "asynchronous read of " + reach.place(offset) +
                     ", which has not been written");
    return;
  }
  uint32_t number = contextOf(write);
  if (!number || (write & reach.mine & kAtomic))
    return;
  bool isCopy = !slots::isGeneric(grid.contexts[number].warp);
  if (!(write < reach.limit) && !ordered(write, warp, a.lane) &&
      (reads || !isCopy || !hasTakenPlace(write, warp, a.lane))) {
    race(reach, reads ? "read-after-write" : "write-after-write", write, offset,
         lane);
    return;
  }
  const Context &context = grid.contexts[number];
  uint32_t proxy = reach.allocation ? slots::kGlobalProxy : slots::kSharedProxy;
  bool generic = slots::isGeneric(context.warp);
  if (generic && !fenced(write, warp, a.lane, proxy)) {
    reportText("missing-proxy-fence", warp, lane, reach.line, lineOf(write),
               std::string("the async proxy ") +
                   (reads ? "reads " : "overwrites ") + reach.place(offset) +
                   " that " + threadName(write) +
                   " wrote through the generic proxy, without "
                   "fence.proxy.async in between");
    return;
  }
  a.fineWrite = write;
  Context fence = context;
  fence.warp = slots::fencedSlot(context.warp, proxy);
  const Sanitizer &who = *warp.sanitizer;
  const Knowledge &common = who.states[warp.index].common;
  if (common.knowsWarp(context, who.cta.linear) &&
      (!generic || common.knowsWarp(fence, who.cta.linear)))
    a.fineContext = number;
}

void Sanitizer::asyncRead(AsyncReach &a, uint32_t offset, uint32_t bytes) {
  a.reach.kind = SanitizeKind::Load;
  auto visit = [&](Record &write, Record &reads, uint64_t at) {
    if (write != a.fineWrite &&
        ((write & kSpecial) || contextOf(write) != a.fineContext))
      checkWriter(a, write, at);
    if (reads != a.lastReads) {
      a.lastReads = reads;
      bool before = reads < a.reach.limit || isGone(reads) ||
                    (!(reads & kSet) && orderedForAll(reads, a.reach.warp));
      a.nextReads =
          before ? a.reach.mine : addReader(a.reach, reads, a.reach.mine);
    }
    reads = a.nextReads;
  };
  constexpr uint32_t kPiece = 16; // of which there are many
  if (bytes != kPiece || offset % 4)
    return forRecords(shared, offset, bytes, visit);
  Record *writes = shared.writes + offset / 4,
         *reads = shared.reads + offset / 4;
  Record written = 0, read = 0, fine = Record(a.fineContext) << 32;
  for (unsigned k = 0; k < kPiece / 4; ++k) {
    written |= (writes[k] ^ fine) >> 32;
    read |= reads[k] ^ a.lastReads;
  }
  if (written || read)
    return forRecords(shared, offset, bytes, visit);
  for (unsigned k = 0; k < kPiece / 4; ++k)
    reads[k] = a.nextReads;
}

void Sanitizer::asyncWrite(AsyncReach &a, uint32_t offset, uint32_t bytes) {
  a.reach.kind = SanitizeKind::Store;
  auto check = [&](Record write, Record reads, uint64_t at) {
    if (write != a.fineWrite &&
        ((write & kSpecial) || contextOf(write) != a.fineContext))
      checkWriter(a, write, at);
    bool isBefore = !(reads & kSet) && contextOf(reads) == a.readersBefore;
    if (!reads || isBefore || a.areFine(reads))
      return;
    checkReaders(a.reach, reads, at, unsigned(a.lane));
    a.fineReads[a.fineNext++ % AsyncReach::kFine] = reads;
    if (!(reads & kSet) && orderedForAll(reads, a.reach.warp))
      a.readersBefore = contextOf(reads);
  };
  auto visit = [&](Record &write, Record &reads, uint64_t at) {
    check(write, reads, at);
    if (a.reach.hasHistory(write))
      a.reach.shadow.dropHistory(at);
    write = a.reach.mine;
    reads = 0;
  };
  // Pieces whose words are alike are settled at once.
  constexpr unsigned kPiece = 8;
  uint32_t at = offset, end = offset + bytes;
  for (; at % 4 == 0 && end - at >= 4 * kPiece; at += 4 * kPiece) {
    Record *writes = shared.writes + at / 4, *reads = shared.reads + at / 4;
    Record write = writes[0], read = reads[0], written = 0, wasRead = 0;
    for (unsigned k = 0; k < kPiece; ++k) {
      written |= writes[k] ^ write;
      wasRead |= reads[k] ^ read;
    }
    // All that a context wrote is fine, or was read before, of whichever line.
    bool isFine = contextOf(write) == a.fineContext && !(write & kSpecial) &&
                  !(written & (kContext | kPattern));
    bool isBefore = contextOf(read) == a.readersBefore &&
                    !(wasRead & (kContext | kSet | kPattern));
    if ((written && !isFine) || (wasRead && !isBefore) ||
        !shared.isWhole(at / 4)) {
      forRecords(shared, at, 4 * kPiece, visit);
      continue;
    }
    check(write, read, at);
    std::fill_n(writes, kPiece, a.reach.mine);
    std::fill_n(reads, kPiece, Record(0));
  }
  if (at < end)
    forRecords(shared, at, end - at, visit);
}

void Sanitizer::bulkIssue(Warp &warp, const Inst &inst, unsigned lane,
                          BulkCopy &copy, uint32_t barrier) {
  phaseTouch(warp, inst, 1u << lane, barrier, true);
  // Where nobody arrives, it is who brings bytes that is to be named.
  if (Phase &phase = async.phaseAt(barrier); !phase.arrivalLine)
    phase.arrivalLine = inst.line;
  AsyncAgent &agent = agentOf(AsyncAgent::Mbarrier, barrier);
  copy.context = newContext(warp, agent.slot, ++agent.clock);
  AsyncReach to = asyncReach(warp, inst, int(lane), copy.context, copy.reduces);
  asyncWrite(to, copy.shared, copy.bytes);
  if (copy.kind == BulkCopy::Kind::GlobalToShared && !copy.sourceSeen) {
    Sanitizer &who = *warp.sanitizer;
    if (!copy.box)
      who.bulkGlobal(warp, inst, lane, copy.context, copy.global, copy.bytes,
                     SanitizeKind::Load);
    else
      copy.box->forRows(
          [&](uint64_t global, uint32_t, uint32_t, uint32_t count) {
            if (count)
              who.bulkGlobal(warp, inst, lane, copy.context, global, count,
                             SanitizeKind::Load);
          });
  }
  if (copy.kind != BulkCopy::Kind::SharedToShared)
    return;
  Sanitizer &source = *copy.sourceCta->sanitizer;
  AsyncReach from =
      source.asyncReach(warp, inst, int(lane), copy.context, false);
  source.asyncRead(from, copy.source, copy.bytes);
}

void Sanitizer::storeIssue(Warp &warp, const Inst &inst, unsigned lane,
                           const BulkCopy &copy) {
  AsyncAgent &agent = agentOf(AsyncAgent::GroupReads, threadOf(warp, lane));
  uint32_t context = contextOfGroup(warp, agent, warp.bulkCommitted[lane]);
  AsyncReach from = asyncReach(warp, inst, int(lane), context, false);
  asyncRead(from, copy.shared, copy.bytes);
}

void Sanitizer::storeGlobal(Warp &warp, const Inst &inst, unsigned lane,
                            uint64_t address, uint64_t bytes, bool reduces) {
  AsyncAgent &agent = agentOf(AsyncAgent::GroupWrites, threadOf(warp, lane));
  bulkGlobal(warp, inst, lane,
             contextOfGroup(warp, agent, warp.bulkCommitted[lane]), address,
             bytes, reduces ? SanitizeKind::Atomic : SanitizeKind::Store);
}

void Sanitizer::storeWait(Warp &warp, uint32_t mask, int64_t pending,
                          bool onlyRead) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    int64_t clock = int64_t(warp.bulkCommitted[lane]) - pending + 1;
    Knowledge done;
    for (auto kind : {AsyncAgent::GroupReads, AsyncAgent::GroupWrites})
      if (const AsyncAgent *agent = findAgent(kind, threadOf(warp, lane)))
        if (clock > 1 && (kind == AsyncAgent::GroupReads || !onlyRead))
          done.warps.join(agent->slot, uint32_t(clock));
    if (!done.empty())
      learn(warp, 1u << lane, done);
  }
}

void Sanitizer::productRead(Warp &warp, const Inst &inst,
                            const uint32_t *pieces, size_t count) {
  AsyncAgent &agent = agentOf(AsyncAgent::Products, warp.index);
  uint32_t context = contextOfGroup(warp, agent, warp.productGroup);
  AsyncReach from = asyncReach(warp, inst, -1, context, false);
  for (size_t i = 0; i < count; ++i)
    asyncRead(from, pieces[i], 16);
}

/// What the whole warpgroup's wgmma read was read before; the registers are the
/// warp's own.
void Sanitizer::productWait(Warp &warp, int64_t pending) {
  int64_t waited = int64_t(warp.productGroup) - pending, clock = waited + 1;
  if (warp.index < async.products.size()) {
    int64_t &known = async.products[warp.index].waited;
    known = std::max(known, waited);
  }
  uint32_t first = warp.index & ~3u;
  for (uint32_t w = first; clock > 1 && w < std::min(first + 4, warps); ++w)
    states[warp.index].common.warps.join(slots::kProducts + w, uint32_t(clock));
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// By rows, as long as they have one history, else by words.
void Sanitizer::bulkGlobal(Warp &warp, const Inst &inst, unsigned lane,
                           uint32_t context, uint64_t address, uint64_t bytes,
                           SanitizeKind kind) {
  Allocation *allocation = cta.memory->find(address);
  if (!allocation)
    return;
  if (allocation->isPending)
    checkGridWait(warp, inst, 1u << lane, *allocation);
  uint64_t offset = address - allocation->begin, end = offset + bytes;
  Shadow &shadow = recentShadow(*allocation);
  Record mine = Record(context) << 32 | Record(inst.line & 0xfffff) << 12 |
                (kind == SanitizeKind::Atomic ? kAtomic : 0) |
                Record(lane) << 7;
  AsyncReach a{
      Reach{shadow, warp, inst.line, kind, mine, Record(1) << 32, allocation},
      int(lane)};
  if (!allocation->initialized) {
    uint64_t offsets[32] = {};
    offsets[lane] = offset;
    checkInitialized(a.reach, *allocation, 1u << lane, offsets, unsigned(bytes),
                     false);
  }
  // The write that follows stands for a reduction.
  if (kind == SanitizeKind::Atomic)
    a.reach.kind = SanitizeKind::Store;
  bool loads = kind == SanitizeKind::Load;
  const Knowledge &common = states[warp.index].common;
  auto settled = [&](Record record) {
    uint32_t number = contextOf(record);
    if (!number || number == a.fineContext)
      return true;
    const Context &before = grid.contexts[number];
    Context fence = before;
    fence.warp += slots::kGlobalProxy;
    if (!common.knowsWarp(before, cta.linear) ||
        (loads && !slots::isAgent(before.warp) &&
         !common.knowsWarp(fence, cta.linear)))
      return false;
    a.fineContext = number;
    return true;
  };
  uint32_t asked = 0;
  bool wasFree = true;
  auto isFree = [&](Record reads) {
    if (contextOf(reads) != asked) {
      asked = contextOf(reads);
      wasFree = orderedForAll(reads, warp);
    }
    return wasFree;
  };
  auto visit = [&](Record &write, Record &reads, uint64_t at) {
    if (!loads)
      return this->write(a.reach, write, reads, at, lane);
    if (write != a.fineWrite &&
        ((write & kSpecial) || contextOf(write) != a.fineContext))
      checkWriter(a, write, at);
    // One reader is kept, whose turn the schedule draws.
    if (isFree(reads) || !grid.keepsFirstReader)
      reads = mine;
  };
  for (uint64_t at = offset; at < end;) {
    Shadow::Row &row = shadow.rows[at / kRowBytes];
    uint64_t next = std::min(end, (at / kRowBytes + 1) * kRowBytes);
    bool whole =
        next - at == kRowBytes && row.write != kByWord && settled(row.write);
    if (whole && loads) {
      if (isFree(row.reads) || !grid.keepsFirstReader)
        row.reads = mine;
    } else if (whole && isFree(row.reads)) {
      row = {mine, 0};
    } else {
      forRecords(shadow, at, next - at, visit);
    }
    at = next;
  }
}

//===----------------------------------------------------------------------===//
// cp.async that an mbarrier waits for, and the end
//===----------------------------------------------------------------------===//

void Sanitizer::deliver(uint32_t barrier, const BulkCopy &arrival) {
  AsyncAgent &agent = agentOf(AsyncAgent::Deliveries, barrier);
  async.delivery = newContext(arrival.issuer->warps[arrival.warp], agent.slot,
                              ++agent.clock);
  async.outstanding.push_back(async.delivery);
  phaseHear(barrier, agent.slot, agent.clock);
}

/// Ordered by the mbarrier, not by what the thread does now.
void Sanitizer::delivered(const AsyncCopy &copy, unsigned lane) {
  forRecords(shared, copy.destination[lane], copy.bytes,
             [&](Record &write, Record &, uint64_t) {
               write = (write & (Record(0xfffff) << 12 | Record(31) << 7)) |
                       Record(async.delivery) << 32;
             });
}

void Sanitizer::exit(Warp &warp, uint32_t mask, bool last) {
  auto unfinished = [&](const BulkCopy &copy, const char *what) {
    const Warp &issuer = copy.issuer->warps[copy.warp];
    reportText("async-unfinished", issuer, copy.lane, copy.line, 0, what);
  };
  for (const BulkCopy &copy : cta.async.stores)
    if (copy.warp == warp.index && (mask >> copy.lane & 1) && !copy.waited)
      unfinished(copy, "the thread ends before the copy has read its shared "
                       "memory: it did not wait for its bulk group");
  if (!last)
    return;
  for (const auto &[offset, queue] : cta.async.queues)
    for (const BulkCopy &copy : queue)
      if (copy.kind != BulkCopy::Kind::Arrive)
        unfinished(copy, "the block ends before the copy into its shared "
                         "memory was waited for");
  checkLifetime(warp);
  checkRegisters();
  checkProducts();
}
