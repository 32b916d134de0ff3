//===- MemoryAccesses.cpp - Accesses to the memories of a block -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/MemoryAccesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace fusion::emulator;

MemoryAccesses::MemoryAccesses(Cta &cta, GridSanitizer &grid, Reports &reports,
                               ThreadOrder &order, Readers &readers,
                               Accesses &accesses, EarlierGrids &grids)
    : cta(cta), grid(grid), reports(reports), order(order), readers(readers),
      accesses(accesses), grids(grids) {
  // Memory that the host has mapped already is faster.
  if (grid.spares.empty()) {
    shared = Shadow(cta.sharedBytes, false);
  } else {
    std::tie(shared, readers.sets) = std::move(grid.spares.back());
    grid.spares.pop_back();
    shared.clear();
    readers.sets.settle(0, 0);
  }
  shared.setPlaces(cta.warps.size() * cta.cluster->ctas.size());
}

MemoryAccesses::~MemoryAccesses() {
  grid.spares.emplace_back(std::move(shared), std::move(readers.sets));
}

/// For Spinning.cpp.
void MemoryAccesses::noteWatched(const Inst &inst, SanitizeKind kind,
                                 uint64_t address, const Allocation *allocation,
                                 Shadow &shadow, uint64_t offset) {
  // An atomic whose result is the same every time changes nothing.
  bool writes = kind == SanitizeKind::Store ||
                (kind == SanitizeKind::Atomic && (inst.e & 1));
  bool strong = isStrong(inst, kind);
  watch->stores |= writes;
  if (writes || (!watch->poll.empty() && (watch->isStrong || !strong)))
    return;
  watch->isStrong = strong;
  watch->line = inst.line;
  char text[96];
  if (allocation)
    std::snprintf(text, sizeof(text),
                  "global address 0x%llx, byte %llu of an "
                  "allocation of %llu bytes",
                  static_cast<unsigned long long>(address),
                  static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(allocation->bytes));
  else
    std::snprintf(text, sizeof(text), "shared offset %llu",
                  static_cast<unsigned long long>(offset));
  watch->poll = text;
  watch->otherLine = 0;
  forRecords(
      shadow, offset & ~uint64_t(3), 4, [&](Record &write, Record &, uint64_t) {
        Record last = withoutHiding(write);
        if (!(last & kSpecial) && contextOf(last) && lineOf(last) != inst.line)
          watch->otherLine = lineOf(last);
      });
}

void MemoryAccesses::initialize(uint32_t offset, uint32_t bytes) {
  std::fill_n(shared.writes + offset / 4, bytes / 4, Record(0));
}

void MemoryAccesses::sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                                  const uint64_t *address, unsigned bytes,
                                  SanitizeKind kind, bool contiguous) {
  bool strong = isStrong(inst, kind);
  Record mine = order.contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  Reach reach{shared, warp, inst.line,
              kind,   mine, order.states[warp.index].limit};
  if (order.hasCluster() && reach.hides())
    reach.settled = order.settledInCluster();
  reach.forgotten = forgotten;
  reach.loose = strong && kind != SanitizeKind::Atomic && hasLocks();
  reach.update = reach.loose && (inst.order & OrderUpdate);
  if (kind == SanitizeKind::Store && inst.imm2 == kStoresOperands)
    reach.stored = &inst;
  if (watch)
    noteWatched(inst, kind, 0, nullptr, shared, address[__builtin_ctz(mask)]);
  accesses.access(reach, mask, address, bytes, contiguous);
  if (strong && order.hasCluster() && cta.code->hasNarrowAccess)
    accesses.checkScopes(reach, inst, mask, address, bytes);
  if (strong)
    order.synchronize(warp, mask, address, inst, kind, released, &narrowShared);
  if (strong && hasLocks())
    order.synchronizeLoosely(warp, mask, address, kind, looseShared);
}

void MemoryAccesses::asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                                const uint64_t *address, unsigned bytes,
                                AsyncCopy &copy) {
  copy.reads = order.states[warp.index].copyReads;
  copy.written = order.contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Record mine = order.contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Reach reach{shared,    warp,
              inst.line, SanitizeKind::Store,
              mine,      order.states[warp.index].limit};
  reach.inFlight = true;
  reach.forgotten = forgotten;
  bool contiguous = mask == kFullMask;
  for (unsigned i = 0; i < kLanes; ++i)
    contiguous &= address[i] == address[0] + uint64_t(i) * bytes;
  accesses.access(reach, mask, address, bytes, contiguous);
}

void MemoryAccesses::asyncComplete(Warp &warp, const AsyncCopy &copy,
                                   uint32_t mask, bool atMbarrier) {
  Record mine = order.contextRecord(warp) | Record(copy.line & 0xfffff) << 12;
  order.completeReads(copy, mask, atMbarrier ? delivery : contextOf(mine));
  // Another copy may be on its way to the same place.
  auto arrives = [&](Record write, unsigned lane) {
    return write == (copy.written | kInFlight | Record(lane) << 7);
  };
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    // As if written now: before the thread's next barrier.
    Record written = mine | Record(lane) << 7;
    uint64_t word = copy.destination[lane] / 4;
    Record *writes = shared.writes + word;
    Record front = writes[0];
    bool alike = !isKind(front, kSplit);
    for (unsigned k = 1; k < copy.bytes / 4; ++k)
      alike &= writes[k] == front;
    if (alike) {
      if (arrives(front, lane))
        std::fill(writes, writes + copy.bytes / 4, written);
      continue;
    }
    for (unsigned k = 0; k < copy.bytes / 4; ++k) {
      if (!isKind(writes[k], kSplit)) {
        if (arrives(writes[k], lane))
          writes[k] = written;
        continue;
      }
      for (Record &write : shared.split(word + k).writes)
        if (arrives(write, lane))
          write = written;
    }
  }
}

Shadow &MemoryAccesses::shadowOf(const Allocation &allocation) {
  auto &shadow = grid.shadows[&allocation];
  if (!shadow) {
    shadow = std::make_unique<Shadow>(allocation.bytes, true);
    shadow->setPlaces(2); // for the last write and another one
  }
  return *shadow;
}

/// Looks whether what is read was ever written, and notes what is.
void MemoryAccesses::checkInitialized(const Reach &reach,
                                      Allocation &allocation, uint32_t mask,
                                      const uint64_t *offset, unsigned bytes,
                                      bool contiguous) {
  auto isWritten = [&](uint64_t begin, uint64_t count) {
    return allocation.shadow &&
           !std::memchr(allocation.shadow.get() + begin, 0, count);
  };
  bool reads = reach.kind != SanitizeKind::Store;
  bool writes = reach.kind != SanitizeKind::Load;
  if (contiguous &&
      (!reads || isWritten(offset[0], uint64_t(kLanes) * bytes))) {
    if (writes)
      allocation.markWritten(offset[0], uint64_t(kLanes) * bytes);
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (reads && !isWritten(offset[lane], bytes))
      reports.report("uninitialized-global", reach.warp, lane, reach.line, 0,
                     [&] {
                       return "read of global memory that has not been "
                              "written, or not since it was discarded, " +
                              std::to_string(offset[lane]) +
                              " bytes into an allocation of " +
                              std::to_string(allocation.bytes) + " bytes";
                     });
    if (writes)
      allocation.markWritten(offset[lane], bytes);
  }
}

Shadow &MemoryAccesses::recentShadow(Allocation &allocation) {
  for (const Recent &r : recent)
    if (r.allocation == &allocation)
      return *r.shadow;
  Recent &oldest = recent[recentNext++ % 4];
  oldest = {&allocation, &shadowOf(allocation)};
  return *oldest.shadow;
}

void MemoryAccesses::release(Warp &warp, const Inst &inst, unsigned lane,
                             uint64_t address, uint64_t bytes) {
  const Allocation *allocation = bytes ? cta.memory->find(address) : nullptr;
  if (!allocation || !grid.shadows.count(allocation))
    return;
  Shadow &shadow = *grid.shadows[allocation];
  constexpr uint64_t piece = 16;
  for (uint64_t at = 0; at < bytes; at += piece) {
    if (at % kRowBytes == 0)
      while (at + kRowBytes <= bytes && !shadow.isTouched(at / kRowBytes))
        at += kRowBytes;
    if (at >= bytes)
      return;
    uint64_t addresses[kLanes] = {};
    addresses[lane] = address + at;
    globalAccess(warp, inst, 1u << lane, addresses,
                 unsigned(std::min<uint64_t>(piece, bytes - at)),
                 SanitizeKind::Store);
  }
}

void MemoryAccesses::discard(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address) {
  constexpr unsigned piece = 16;
  for (unsigned at = 0; at < kLineBytes; at += piece) {
    uint64_t addresses[kLanes] = {};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      addresses[lane] = address[lane] + at;
    globalAccess(warp, inst, mask, addresses, piece, SanitizeKind::Store);
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t line = address[__builtin_ctz(left)];
    if (Allocation *allocation = cta.memory->find(line))
      allocation->markDiscarded(line - allocation->begin, kLineBytes);
  }
}

void MemoryAccesses::globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                                  const uint64_t *address, unsigned bytes,
                                  SanitizeKind kind, bool contiguous,
                                  Allocation *all) {
  bool strong = isStrong(inst, kind);
  Record mine = (inst.order & OrderCopy ? order.copyRecord(warp, mask)
                                        : order.contextRecord(warp)) |
                Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  for (uint32_t rest = mask; rest;) {
    Allocation *allocation =
        all ? all : cta.memory->find(address[__builtin_ctz(rest)]);
    if (!allocation) {
      rest &= rest - 1;
      continue;
    }
    uint64_t offset[kLanes];
    uint32_t inside = rest;
    for (unsigned i = 0; i < kLanes; ++i)
      offset[i] = address[i] - allocation->begin;
    for (unsigned i = 0; i < kLanes && !all; ++i)
      inside &= ~(uint32_t(offset[i] >= allocation->bytes) << i);
    rest &= ~inside;
    bool row = contiguous && inside == kFullMask;
    Reach reach{recentShadow(*allocation), warp,      inst.line, kind, mine,
                Record(1) << 32,           allocation};
    reach.keepsLast = !grid.keepsFirstReader;
    reach.loose = strong && kind != SanitizeKind::Atomic && hasLocks();
    reach.update = reach.loose && (inst.order & OrderUpdate);
    if (kind == SanitizeKind::Store && inst.imm2 == kStoresOperands)
      reach.stored = &inst;
    if (watch) {
      unsigned lane = unsigned(__builtin_ctz(inside));
      noteWatched(inst, kind, address[lane], allocation, reach.shadow,
                  offset[lane]);
    }
    if (allocation->isPending)
      grids.check(warp, inst, inside, *allocation);
    if (!allocation->initialized)
      checkInitialized(reach, *allocation, inside, offset, bytes, row);
    accesses.access(reach, inside, offset, bytes, row);
    if (strong && cta.code->hasNarrowAccess)
      accesses.checkScopes(reach, inst, inside, offset, bytes);
  }
  if (strong)
    order.synchronize(warp, mask, address, inst, kind, grid.released,
                      &narrowGlobal);
  if (strong && hasLocks())
    order.synchronizeLoosely(warp, mask, address, kind, grid.looselyReleased);
}

/// Returns the limit below which records come before all threads once all know
/// `join`: the first asynchronous operation, or access by another CTA, that no
/// thread has waited for.
Record MemoryAccesses::limitAfter(const Knowledge &join) {
  size_t first = grid.contexts.size(), kept = 0;
  for (uint32_t number : outstanding) {
    const Context &context = grid.contexts[number];
    if (join.knowsWarp(context, cta.linear))
      continue;
    outstanding[kept++] = number;
    first = std::min<size_t>(first, number);
  }
  outstanding.resize(kept);
  return Record(first) << 32;
}
