//===- Sanitizer.cpp - Finds races and uses of data that are not there ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses; SanitizerOrder.cpp has what orders them.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/SanitizerReach.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace fusion::emulator;

// Enough to understand what is wrong; the first findings matter.
static constexpr size_t kMaxFindings = 100;

Sanitizer::Sanitizer(Cta &cta, GridSanitizer &grid)
    : cta(cta), grid(grid), warps(uint32_t(cta.warps.size())), states(warps),
      joins(kBarriers), crossings(kBarriers) {
  // Memory that the host has mapped already is faster.
  if (grid.spares.empty()) {
    shared = Shadow(cta.sharedBytes, false);
  } else {
    std::tie(shared, sets) = std::move(grid.spares.back());
    grid.spares.pop_back();
    shared.clear();
    sets.settle(0, 0);
  }
  settled = Record(grid.contexts.size()) << 32;
  shared.setPlaces(warps * cta.cluster->ctas.size());
  grid.clusterPhases.erase(cta.cluster); // of another cluster, before
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

template <class Message>
void Sanitizer::report(const char *kind, const Warp &warp, unsigned lane,
                       unsigned line, unsigned otherLine, Message message) {
  if (findings.size() >= kMaxFindings ||
      !known.emplace(kind, line, otherLine).second)
    return;
  Finding finding;
  finding.kind = kind;
  finding.kernel = std::string(cta.code->source->name);
  finding.block = warp.cta->id;
  finding.thread = threadOfLane(warp, lane);
  finding.line = line;
  finding.otherLine = otherLine;
  finding.message = message();
  findings.push_back(std::move(finding));
}

void Sanitizer::reportText(const char *kind, const Warp &warp, unsigned lane,
                           unsigned line, unsigned otherLine,
                           std::string message) {
  report(kind, warp, lane, line, otherLine, [&] { return std::move(message); });
}

static std::string tuple(uint64_t linear, const std::array<uint32_t, 3> &size) {
  return "(" + std::to_string(linear % size[0]) + "," +
         std::to_string(linear / size[0] % size[1]) + "," +
         std::to_string(linear / size[0] / size[1]) + ")";
}

std::string Sanitizer::threadName(Record record) const {
  const Context &context = grid.contexts[contextOf(record)];
  std::string name;
  uint32_t warp = context.warp;
  if (slots::isCopy(warp)) {
    name = "the cp.async of ";
    warp -= slots::kCopies;
  } else if (slots::isAgent(warp)) {
    name = warp < slots::kStarted ? "the wgmma of " : "the copy of ";
    warp = grid.issuers[contextOf(record)];
  }
  if (record & (kSeveral | kUnknownLane))
    name += "threads of warp " + std::to_string(warp);
  else
    name += "thread " + tuple(uint32_t(warp * kWarpSize) + laneOf(record),
                              cta.launch->block);
  if (context.block != cta.linear)
    name += " of block " + tuple(context.block, cta.launch->grid);
  return name;
}

void Sanitizer::race(Reach &reach, const char *what, Record other,
                     uint64_t offset, unsigned lane) {
  report(kindOfRace(reach, other), reach.warp, lane, reach.line, lineOf(other),
         [&] {
           return std::string(what) + " race at " + reach.place(offset) +
                  " with " + threadName(other);
         });
}

//===----------------------------------------------------------------------===//
// Words and bytes
//===----------------------------------------------------------------------===//

void Sanitizer::read(Reach &reach, Record &last, Record &reads, uint64_t offset,
                     unsigned lane) {
  Record write = withoutHiding(last);
  if (write != last && reach.kind == SanitizeKind::Load) {
    // What everybody comes after has nothing to hide.
    bool isKept = reach.hasHistory(last);
    if (isKept && (write >= reach.limit || hasCluster()))
      checkHidden(reach, last, reads, offset, lane);
    else if (isKept)
      reach.shadow.dropHistory(offset);
    if (write < reach.limit && !hasCluster())
      last = write;
  }
  Record mine = reach.mine | Record(lane) << 7;
  if (isKind(write, kInFlight)) {
    report("async-read-in-flight", reach.warp, lane, reach.line, lineOf(write),
           [&] {
             return "read of " + reach.place(offset) +
                    " before the asynchronous copy of " + threadName(write) +
                    " into it was waited for";
           });
  } else if (isKind(write, kUninitialized)) {
    report("uninitialized-shared", reach.warp, lane, reach.line, 0, [&] {
      return "read of shared memory at offset " + std::to_string(offset) +
             " that has not been written";
    });
  } else if (contextOf(write) && !(write & mine & kAtomic)) {
    if (!ordered(write, reach.warp, lane) &&
        !((write & kAtomic) && hasObserved(reach, reads, lane)))
      race(reach, "read-after-write", write, offset, lane);
  } else if (reach.loose) {
    suspect(reach, write, offset, lane);
  }
  if (reach.kind != SanitizeKind::Load)
    return; // the write that follows stands for both
  Record before = reads;
  reach.lastReads = before & ~kPlace;
  if (reads & kSet)
    reach.lastReads = before;
  reach.action = actionOn(reach, reads);
  if (reach.action == Action::Replace)
    reads = mine;
  if (reach.action == Action::Join) {
    reads = addReader(reach, reads, mine);
    reach.nextReads = reads;
    if (((before ^ mine) & kOwner) == 0 || isMixedUnion)
      reach.lastReads = ~Record(0);
  }
}

/// Of global memory it is the readers' context that counts, of which there are
/// many records.
Sanitizer::Action Sanitizer::actionOn(Reach &reach, Record reads) const {
  if (!reach.allocation || !contextOf(reads))
    return findAction(reach, reads);
  if (contextOf(reads) != reach.actionContext) {
    reach.actionContext = contextOf(reads);
    reach.contextAction = findAction(reach, reads);
  }
  return reach.contextAction;
}

Sanitizer::Action Sanitizer::findAction(const Reach &reach,
                                        Record reads) const {
  // What a strong read comes after, a strong write need not come after.
  bool isWeaker = reach.atomic() && !(reads & (kAtomic | kSet));
  if (reads < reach.limit || isGone(reads) ||
      (!(reads & kSet) && !isWeaker && isAfterForAll(reach, reads)))
    return Action::Replace;
  // Of global memory one reader is kept, whose turn the schedule draws. What
  // waits for a cp.async comes after what its warp read before.
  if (reach.allocation && contextOf(reads) != contextOf(reach.mine)) {
    const Context &before = grid.contexts[contextOf(reads)],
                  &now = grid.contexts[contextOf(reach.mine)];
    if (!grid.copies.empty() && before.block == now.block) {
      if (slots::isCopy(now.warp) && before.warp == now.warp - slots::kCopies)
        return Action::Replace;
      if (before.warp == now.warp + slots::kCopies && isCopying(reads))
        return Action::Keep;
    }
    return grid.keepsFirstReader ? Action::Keep : Action::Replace;
  }
  return Action::Join;
}

void Sanitizer::checkReaders(Reach &reach, Record reads, uint64_t offset,
                             unsigned lane) {
  auto check = [&](Record other) {
    if ((other & reach.mine & kAtomic) || ordered(other, reach.warp, lane) ||
        hasTakenPlace(other, reach.warp, int(lane)))
      return;
    if (isCopying(other))
      report("async-overwrite", reach.warp, lane, reach.line, lineOf(other),
             [&] {
               return "write to " + reach.place(offset) + ", which " +
                      threadName(other) + " is still going to read";
             });
    else
      race(reach, "write-after-read", other, offset, lane);
  };
  if (reads < reach.limit || isGone(reads))
    return;
  if (reads & kSet)
    for (Record other : sets[lineOf(reads)])
      check(other);
  else
    check(reads);
}

void Sanitizer::write(Reach &reach, Record &last, Record &reads,
                      uint64_t offset, unsigned lane) {
  Record write = withoutHiding(last);
  if (isKind(write, kInFlight))
    report("async-overwrite", reach.warp, lane, reach.line, lineOf(write), [&] {
      return "write to " + reach.place(offset) +
             " that an asynchronous copy of " + threadName(write) +
             " is still going to fill";
    });
  else if (!(write & kSpecial) && contextOf(write) &&
           !(write & reach.mine & kAtomic) &&
           !ordered(write, reach.warp, lane) &&
           !((write & kAtomic) && hasObserved(reach, reads, lane)))
    raceOfWrites(reach, write, offset, lane);
  else if (reach.update && isLostUpdate(reach, write, offset, lane))
    race(reach, "lost-update", write, offset, lane);
  checkHidden(reach, last, reads, offset, lane);
  checkReaders(reach, reads, offset, lane);
  if (reach.hides())
    return hide(reach, last, reads, offset, 1u << lane);
  if (reach.hasHistory(last))
    reach.shadow.dropHistory(offset);
  last = reach.mine | Record(lane) << 7 | (reach.inFlight ? kInFlight : 0);
  reads = 0;
}

/// For Spinning.cpp.
void Sanitizer::noteWatched(const Inst &inst, SanitizeKind kind,
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

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void Sanitizer::initialize(uint32_t offset, uint32_t bytes) {
  std::fill_n(shared.writes + offset / 4, bytes / 4, Record(0));
}

void Sanitizer::sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind, bool contiguous) {
  bool strong = isStrong(inst, kind);
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  Reach reach{shared, warp, inst.line, kind, mine, states[warp.index].limit};
  if (hasCluster() && reach.hides())
    reach.settled = settledInCluster();
  reach.forgotten = forgotten;
  reach.loose = strong && kind != SanitizeKind::Atomic && hasLocks();
  reach.update = reach.loose && (inst.order & OrderUpdate);
  if (kind == SanitizeKind::Store && inst.imm2 == kStoresOperands)
    reach.stored = &inst;
  if (watch)
    noteWatched(inst, kind, 0, nullptr, shared, address[__builtin_ctz(mask)]);
  access(reach, mask, address, bytes, contiguous);
  if (strong && hasCluster() && cta.code->hasNarrowAccess)
    checkScopes(reach, inst, mask, address, bytes);
  if (strong)
    synchronize(warp, mask, address, inst, kind, released, &narrowShared);
  if (strong && hasLocks())
    synchronizeLoosely(warp, mask, address, kind, looseShared);
}

void Sanitizer::asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                           const uint64_t *address, unsigned bytes,
                           AsyncCopy &copy) {
  copy.reads = states[warp.index].copyReads;
  copy.written = contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Reach reach{shared,    warp,
              inst.line, SanitizeKind::Store,
              mine,      states[warp.index].limit};
  reach.inFlight = true;
  reach.forgotten = forgotten;
  bool contiguous = mask == kFullMask;
  for (unsigned i = 0; i < 32; ++i)
    contiguous &= address[i] == address[0] + uint64_t(i) * bytes;
  access(reach, mask, address, bytes, contiguous);
}

void Sanitizer::asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask,
                              bool atMbarrier) {
  Record mine = contextRecord(warp) | Record(copy.line & 0xfffff) << 12;
  completeReads(copy, mask, atMbarrier ? async.delivery : contextOf(mine));
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

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Shadow &Sanitizer::shadowOf(const Allocation &allocation) {
  auto &shadow = grid.shadows[&allocation];
  if (!shadow) {
    shadow = std::make_unique<Shadow>(allocation.bytes, true);
    shadow->setPlaces(2); // for the last write and another one
  }
  return *shadow;
}

/// Looks whether what is read was ever written, and notes what is.
void Sanitizer::checkInitialized(const Reach &reach, Allocation &allocation,
                                 uint32_t mask, const uint64_t *offset,
                                 unsigned bytes, bool contiguous) {
  auto isWritten = [&](uint64_t begin, uint64_t count) {
    return allocation.shadow &&
           !std::memchr(allocation.shadow.get() + begin, 0, count);
  };
  bool reads = reach.kind != SanitizeKind::Store;
  bool writes = reach.kind != SanitizeKind::Load;
  if (contiguous && (!reads || isWritten(offset[0], uint64_t(32) * bytes))) {
    if (writes)
      allocation.markWritten(offset[0], uint64_t(32) * bytes);
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (reads && !isWritten(offset[lane], bytes))
      report("uninitialized-global", reach.warp, lane, reach.line, 0, [&] {
        return "read of global memory that has not been written, or not since "
               "it was discarded, " +
               std::to_string(offset[lane]) + " bytes into an allocation of " +
               std::to_string(allocation.bytes) + " bytes";
      });
    if (writes)
      allocation.markWritten(offset[lane], bytes);
  }
}

Shadow &Sanitizer::recentShadow(Allocation &allocation) {
  for (const Recent &r : recent)
    if (r.allocation == &allocation)
      return *r.shadow;
  Recent &oldest = recent[recentNext++ % 4];
  oldest = {&allocation, &shadowOf(allocation)};
  return *oldest.shadow;
}

void Sanitizer::release(Warp &warp, const Inst &inst, unsigned lane,
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
    uint64_t addresses[32] = {};
    addresses[lane] = address + at;
    globalAccess(warp, inst, 1u << lane, addresses,
                 unsigned(std::min<uint64_t>(piece, bytes - at)),
                 SanitizeKind::Store);
  }
}

void Sanitizer::discard(Warp &warp, const Inst &inst, uint32_t mask,
                        const uint64_t *address) {
  constexpr unsigned piece = 16;
  for (unsigned at = 0; at < kLineBytes; at += piece) {
    uint64_t addresses[32] = {};
    for (unsigned lane = 0; lane < 32; ++lane)
      addresses[lane] = address[lane] + at;
    globalAccess(warp, inst, mask, addresses, piece, SanitizeKind::Store);
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t line = address[__builtin_ctz(left)];
    if (Allocation *allocation = cta.memory->find(line))
      allocation->markDiscarded(line - allocation->begin, kLineBytes);
  }
}

void Sanitizer::globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind, bool contiguous,
                             Allocation *all) {
  bool strong = isStrong(inst, kind);
  Record mine =
      (inst.order & OrderCopy ? copyRecord(warp, mask) : contextRecord(warp)) |
      Record(inst.line & 0xfffff) << 12 |
      (strong || (inst.order & OrderGuess) ? kAtomic : 0);
  for (uint32_t rest = mask; rest;) {
    Allocation *allocation =
        all ? all : cta.memory->find(address[__builtin_ctz(rest)]);
    if (!allocation) {
      rest &= rest - 1;
      continue;
    }
    uint64_t offset[32];
    uint32_t inside = rest;
    for (unsigned i = 0; i < 32; ++i)
      offset[i] = address[i] - allocation->begin;
    for (unsigned i = 0; i < 32 && !all; ++i)
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
      checkGridWait(warp, inst, inside, *allocation);
    if (!allocation->initialized)
      checkInitialized(reach, *allocation, inside, offset, bytes, row);
    access(reach, inside, offset, bytes, row);
    if (strong && cta.code->hasNarrowAccess)
      checkScopes(reach, inst, inside, offset, bytes);
  }
  if (strong)
    synchronize(warp, mask, address, inst, kind, grid.released, &narrowGlobal);
  if (strong && hasLocks())
    synchronizeLoosely(warp, mask, address, kind, grid.looselyReleased);
}
