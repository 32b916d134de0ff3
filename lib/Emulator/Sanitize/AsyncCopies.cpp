//===- AsyncCopies.cpp - Sanitizers: bulk copies and wgmma ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of the async proxy, when they are issued and when they are waited
// for. Agents.h says how they are ordered.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/AsyncCopies.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

/// The thread's number in its CTA.
static uint32_t threadOf(const Warp &warp, unsigned lane) {
  return warp.index * uint32_t(fusion::kWarpSize) + lane;
}

/// An access of the async proxy. Neighbouring words have mostly the same
/// history: what was found of the last one is kept.
struct fusion::emulator::AsyncReach {
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

//===----------------------------------------------------------------------===//
// Accesses to shared memory
//===----------------------------------------------------------------------===//

AsyncReach AsyncCopies::asyncReach(const Warp &warp, const Inst &inst, int lane,
                                   uint32_t context, bool reduces) {
  if (memory.outstanding.empty() || memory.outstanding.back() != context)
    memory.outstanding.push_back(context);
  Record mine = Record(context) << 32 | Record(inst.line & 0xfffff) << 12 |
                (reduces ? kAtomic : 0) | Record(lane < 0 ? 0 : lane) << 7;
  AsyncReach reach{Reach{memory.shared, warp, inst.line, SanitizeKind::Store,
                         mine,
                         warp.cta == &cta ? order.states[warp.index].limit
                                          : Record(1) << 32},
                   lane};
  reach.reach.forgotten = memory.forgotten;
  return reach;
}

/// The last write comes before the access, and the async proxy sees it.
void AsyncCopies::checkWriter(AsyncReach &a, Record write, uint64_t offset) {
  Reach &reach = a.reach;
  if (reach.hasHistory(write) && !reach.atomic())
    histories.checkStrong(reach, reach.shadow.historyAt(offset), 0, offset,
                          a.lane < 0 ? 0 : unsigned(a.lane));
  write = withoutHiding(write);
  const Warp &warp = reach.warp;
  unsigned lane = a.lane < 0 ? 0 : unsigned(a.lane);
  bool reads = reach.kind == SanitizeKind::Load;
  if (isKind(write, kInFlight)) {
    reports.reportText(reads ? "async-read-in-flight" : "async-overwrite", warp,
                       lane, reach.line, lineOf(write),
                       std::string(reads ? "read of " : "write to ") +
                           reach.place(offset) + " before the cp.async of " +
                           reports.threadName(write) +
                           " into it was waited for");
    return;
  }
  if (isKind(write, kUninitialized)) {
    if (reads)
      reports.reportText("uninitialized-shared", warp, lane, reach.line, 0,
                         "asynchronous read of " + reach.place(offset) +
                             ", which has not been written");
    return;
  }
  uint32_t number = contextOf(write);
  if (!number || (write & reach.mine & kAtomic))
    return;
  bool isCopy = !slots::isGeneric(grid.contexts[number].warp);
  if (!(write < reach.limit) && !order.ordered(write, warp, a.lane) &&
      (reads || !isCopy || !order.hasTakenPlace(write, warp, a.lane))) {
    races.race(reach, reads ? "read-after-write" : "write-after-write", write,
               offset, lane);
    return;
  }
  const Context &context = grid.contexts[number];
  uint32_t proxy = reach.allocation ? slots::kGlobalProxy : slots::kSharedProxy;
  bool generic = slots::isGeneric(context.warp);
  if (generic && !order.fenced(write, warp, a.lane, proxy)) {
    reports.reportText(
        "missing-proxy-fence", warp, lane, reach.line, lineOf(write),
        std::string("the async proxy ") + (reads ? "reads " : "overwrites ") +
            reach.place(offset) + " that " + reports.threadName(write) +
            " wrote through the generic proxy, without "
            "fence.proxy.async in between");
    return;
  }
  a.fineWrite = write;
  Context fence = context;
  fence.warp = slots::fencedSlot(context.warp, proxy);
  const Sanitizer &who = *warp.sanitizer;
  const Knowledge &common = who.order.states[warp.index].common;
  if (common.knowsWarp(context, who.cta.linear) &&
      (!generic || common.knowsWarp(fence, who.cta.linear)))
    a.fineContext = number;
}

void AsyncCopies::asyncRead(AsyncReach &a, uint32_t offset, uint32_t bytes) {
  a.reach.kind = SanitizeKind::Load;
  auto visit = [&](Record &write, Record &reads, uint64_t at) {
    if (write != a.fineWrite &&
        ((write & kSpecial) || contextOf(write) != a.fineContext))
      checkWriter(a, write, at);
    if (reads != a.lastReads) {
      a.lastReads = reads;
      bool before =
          reads < a.reach.limit || readers.isGone(reads) ||
          (!(reads & kSet) && order.orderedForAll(reads, a.reach.warp));
      a.nextReads = before ? a.reach.mine
                           : readers.addReader(a.reach, reads, a.reach.mine);
    }
    reads = a.nextReads;
  };
  constexpr uint32_t kPiece = 16; // of which there are many
  if (bytes != kPiece || offset % 4)
    return forRecords(memory.shared, offset, bytes, visit);
  Record *writes = memory.shared.writes + offset / 4,
         *reads = memory.shared.reads + offset / 4;
  Record written = 0, read = 0, fine = Record(a.fineContext) << 32;
  for (unsigned k = 0; k < kPiece / 4; ++k) {
    written |= (writes[k] ^ fine) >> 32;
    read |= reads[k] ^ a.lastReads;
  }
  if (written || read)
    return forRecords(memory.shared, offset, bytes, visit);
  for (unsigned k = 0; k < kPiece / 4; ++k)
    reads[k] = a.nextReads;
}

void AsyncCopies::asyncWrite(AsyncReach &a, uint32_t offset, uint32_t bytes) {
  a.reach.kind = SanitizeKind::Store;
  auto check = [&](Record write, Record reads, uint64_t at) {
    if (write != a.fineWrite &&
        ((write & kSpecial) || contextOf(write) != a.fineContext))
      checkWriter(a, write, at);
    bool isBefore = !(reads & kSet) && contextOf(reads) == a.readersBefore;
    if (!reads || isBefore || a.areFine(reads))
      return;
    races.checkReaders(a.reach, reads, at, unsigned(a.lane));
    a.fineReads[a.fineNext++ % AsyncReach::kFine] = reads;
    if (!(reads & kSet) && order.orderedForAll(reads, a.reach.warp))
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
    Record *writes = memory.shared.writes + at / 4,
           *reads = memory.shared.reads + at / 4;
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
        !memory.shared.isWhole(at / 4)) {
      forRecords(memory.shared, at, 4 * kPiece, visit);
      continue;
    }
    check(write, read, at);
    std::fill_n(writes, kPiece, a.reach.mine);
    std::fill_n(reads, kPiece, Record(0));
  }
  if (at < end)
    forRecords(memory.shared, at, end - at, visit);
}

void AsyncCopies::bulkIssue(Warp &warp, const Inst &inst, unsigned lane,
                            BulkCopy &copy, uint32_t barrier) {
  phases.touch(warp, inst, 1u << lane, barrier, true);
  // Where nobody arrives, it is who brings bytes that is to be named.
  if (Phase &phase = phases.phaseAt(barrier); !phase.arrivalLine)
    phase.arrivalLine = inst.line;
  AsyncAgent &agent = agents.agentOf(AsyncAgent::Mbarrier, barrier);
  copy.context = agents.newContext(warp, agent.slot, ++agent.clock);
  AsyncReach to = asyncReach(warp, inst, int(lane), copy.context, copy.reduces);
  asyncWrite(to, copy.shared, copy.bytes);
  if (copy.kind == BulkCopy::Kind::GlobalToShared && !copy.sourceSeen) {
    Sanitizer &who = *warp.sanitizer;
    if (!copy.box)
      who.copies.bulkGlobal(warp, inst, lane, copy.context, copy.global,
                            copy.bytes, SanitizeKind::Load);
    else
      copy.box->forRows(
          [&](uint64_t global, uint32_t, uint32_t, uint32_t count) {
            if (count)
              who.copies.bulkGlobal(warp, inst, lane, copy.context, global,
                                    count, SanitizeKind::Load);
          });
  }
  if (copy.kind != BulkCopy::Kind::SharedToShared)
    return;
  Sanitizer &source = *copy.sourceCta->sanitizer;
  AsyncReach from =
      source.copies.asyncReach(warp, inst, int(lane), copy.context, false);
  source.copies.asyncRead(from, copy.source, copy.bytes);
}

void AsyncCopies::storeIssue(Warp &warp, const Inst &inst, unsigned lane,
                             const BulkCopy &copy) {
  AsyncAgent &agent =
      agents.agentOf(AsyncAgent::GroupReads, threadOf(warp, lane));
  uint32_t context =
      agents.contextOfGroup(warp, agent, warp.bulkCommitted[lane]);
  AsyncReach from = asyncReach(warp, inst, int(lane), context, false);
  asyncRead(from, copy.shared, copy.bytes);
}

void AsyncCopies::storeGlobal(Warp &warp, const Inst &inst, unsigned lane,
                              uint64_t address, uint64_t bytes, bool reduces) {
  AsyncAgent &agent =
      agents.agentOf(AsyncAgent::GroupWrites, threadOf(warp, lane));
  bulkGlobal(warp, inst, lane,
             agents.contextOfGroup(warp, agent, warp.bulkCommitted[lane]),
             address, bytes,
             reduces ? SanitizeKind::Atomic : SanitizeKind::Store);
}

void AsyncCopies::storeWait(Warp &warp, uint32_t mask, int64_t pending,
                            bool onlyRead) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    int64_t clock = int64_t(warp.bulkCommitted[lane]) - pending + 1;
    Knowledge done;
    for (auto kind : {AsyncAgent::GroupReads, AsyncAgent::GroupWrites})
      if (const AsyncAgent *agent =
              agents.findAgent(kind, threadOf(warp, lane)))
        if (clock > 1 && (kind == AsyncAgent::GroupReads || !onlyRead))
          done.warps.join(agent->slot, uint32_t(clock));
    if (!done.empty())
      order.learn(warp, 1u << lane, done);
  }
}

void AsyncCopies::productRead(Warp &warp, const Inst &inst,
                              const uint32_t *pieces, size_t count) {
  AsyncAgent &agent = agents.agentOf(AsyncAgent::Products, warp.index);
  uint32_t context = agents.contextOfGroup(warp, agent, warp.productGroup);
  AsyncReach from = asyncReach(warp, inst, -1, context, false);
  for (size_t i = 0; i < count; ++i)
    asyncRead(from, pieces[i], 16);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// By rows, as long as they have one history, else by words.
void AsyncCopies::bulkGlobal(Warp &warp, const Inst &inst, unsigned lane,
                             uint32_t context, uint64_t address, uint64_t bytes,
                             SanitizeKind kind) {
  Allocation *allocation = cta.memory->find(address);
  if (!allocation)
    return;
  if (allocation->isPending)
    grids.check(warp, inst, 1u << lane, *allocation);
  uint64_t offset = address - allocation->begin, end = offset + bytes;
  Shadow &shadow = memory.recentShadow(*allocation);
  Record mine = Record(context) << 32 | Record(inst.line & 0xfffff) << 12 |
                (kind == SanitizeKind::Atomic ? kAtomic : 0) |
                Record(lane) << 7;
  AsyncReach a{
      Reach{shadow, warp, inst.line, kind, mine, Record(1) << 32, allocation},
      int(lane)};
  if (!allocation->initialized) {
    uint64_t offsets[kLanes] = {};
    offsets[lane] = offset;
    memory.checkInitialized(a.reach, *allocation, 1u << lane, offsets,
                            unsigned(bytes), false);
  }
  // The write that follows stands for a reduction.
  if (kind == SanitizeKind::Atomic)
    a.reach.kind = SanitizeKind::Store;
  bool loads = kind == SanitizeKind::Load;
  const Knowledge &common = order.states[warp.index].common;
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
      wasFree = order.orderedForAll(reads, warp);
    }
    return wasFree;
  };
  auto visit = [&](Record &write, Record &reads, uint64_t at) {
    if (!loads)
      return accesses.write(a.reach, write, reads, at, lane);
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

void AsyncCopies::deliver(uint32_t barrier, const BulkCopy &arrival) {
  AsyncAgent &agent = agents.agentOf(AsyncAgent::Deliveries, barrier);
  memory.delivery = agents.newContext(arrival.issuer->warps[arrival.warp],
                                      agent.slot, ++agent.clock);
  memory.outstanding.push_back(memory.delivery);
  phases.hear(barrier, agent.slot, agent.clock);
}

/// Ordered by the mbarrier, not by what the thread does now.
void AsyncCopies::delivered(const AsyncCopy &copy, unsigned lane) {
  forRecords(memory.shared, copy.destination[lane], copy.bytes,
             [&](Record &write, Record &, uint64_t) {
               write = (write & (Record(0xfffff) << 12 | Record(31) << 7)) |
                       Record(memory.delivery) << 32;
             });
}
