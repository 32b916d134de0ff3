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

#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

// Enough to understand what is wrong; the first findings matter.
static constexpr size_t kMaxFindings = 100;
// What the bits of a record can name.
static constexpr size_t kMaxSets = 1 << 20;
static constexpr Record kPlace = Record(0xfffff) << 12 | Record(31) << 7;

Sanitizer::Sanitizer(Cta &cta, GridSanitizer &grid)
    : cta(cta), grid(grid), warps(uint32_t(cta.warps.size())), states(warps),
      joins(kBarriers), shared(cta.sharedBytes, false) {
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
  if (slots::isAgent(warp)) {
    name = warp < slots::kStarted ? "the wgmma of " : "the copy of ";
    warp = grid.issuers[contextOf(record)];
  }
  if (record & (kSeveral | kUnknownLane))
    name += "threads of warp " + std::to_string(warp);
  else
    name += "thread " + tuple(warp * 32 + laneOf(record), cta.launch->block);
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

static Record withoutLane(Record record) {
  return (record & ~(Record(31) << 7)) |
         (record & kSeveral ? Record(0) : kUnknownLane);
}

/// The readers `reads` and the thread of `mine`; of readers that come before
/// all that its warp will do nothing need be known.
Record Sanitizer::addReader(Record reads, Record mine, const Warp &warp) {
  if (!(reads & kSet) && contextOf(reads) == contextOf(mine)) {
    Record atomic = reads & mine & kAtomic;
    if (((reads ^ mine) & kOwner) == 0)
      return (reads & ~kAtomic) | atomic;
    return (reads & ~(kAtomic | kUnknownLane | Record(31) << 7)) | atomic |
           kSeveral;
  }
  mine = withoutLane(mine);
  if (!(reads & kSet))
    reads = withoutLane(reads);
  Union &memo =
      unions[(reads * 0x9e3779b97f4a7c15u ^ mine * 0xd6e8feb86659fd93u) >> 56];
  if (memo.reads == reads && memo.mine == mine)
    return memo.result;
  memo.reads = reads;
  memo.mine = mine;
  std::vector<Record> set;
  auto keep = [&](Record record) {
    if (!orderedForAll(record, warp) && contextOf(record) != contextOf(mine))
      set.push_back(record);
  };
  if (reads & kSet)
    for (Record record : sets[lineOf(reads)])
      keep(record);
  else
    keep(reads);
  if (set.empty() || sets.size() >= kMaxSets)
    return memo.result = mine;
  set.push_back(mine);
  uint32_t most = 0;
  for (Record record : set)
    most = std::max(most, contextOf(record));
  sets.push_back(std::move(set));
  return memo.result =
             Record(most) << 32 | Record(sets.size() - 1) << 12 | kSet;
}

void Sanitizer::read(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, unsigned lane) {
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
             " that nobody has written";
    });
  } else if (contextOf(write) && !(write & mine & kAtomic) &&
             !ordered(write, reach.warp, lane, reach.atomic())) {
    race(reach, "read-after-write", write, offset, lane);
  }
  if (reach.kind != SanitizeKind::Load)
    return; // the write that follows stands for both
  Record before = reads;
  reach.lastReads = before & ~kPlace;
  if (reads & kSet)
    reach.lastReads = before;
  if (reads < reach.limit ||
      (!(reads & kSet) && orderedForAll(reads, reach.warp))) {
    reads = mine;
    reach.action = Reach::Replace;
  } else if (reach.allocation && contextOf(reads) != contextOf(mine)) {
    // One reader is kept, whose turn the schedule draws.
    reach.action = grid.keepsFirstReader ? Reach::Keep : Reach::Replace;
    if (!grid.keepsFirstReader)
      reads = mine;
  } else {
    reads = addReader(reads, mine, reach.warp);
    reach.action = Reach::Become;
    reach.nextReads = reads;
    if (((before ^ mine) & kOwner) == 0)
      reach.lastReads = ~Record(0);
  }
}

void Sanitizer::checkReaders(Reach &reach, Record reads, uint64_t offset,
                             unsigned lane) {
  auto check = [&](Record other) {
    if (!(other & reach.mine & kAtomic) && !ordered(other, reach.warp, lane))
      race(reach, "write-after-read", other, offset, lane);
  };
  if (reads < reach.limit)
    return;
  if (reads & kSet)
    for (Record other : sets[lineOf(reads)])
      check(other);
  else
    check(reads);
}

void Sanitizer::write(Reach &reach, Record &write, Record &reads,
                      uint64_t offset, unsigned lane) {
  if (isKind(write, kInFlight))
    report("async-overwrite", reach.warp, lane, reach.line, lineOf(write), [&] {
      return "write to " + reach.place(offset) +
             " that an asynchronous copy of " + threadName(write) +
             " is still going to fill";
    });
  else if (!(write & kSpecial) && contextOf(write) &&
           !(write & reach.mine & kAtomic) && !ordered(write, reach.warp, lane))
    race(reach, "write-after-write", write, offset, lane);
  checkReaders(reach, reads, offset, lane);
  write = reach.mine | Record(lane) << 7 | (reach.inFlight ? kInFlight : 0);
  reads = 0;
}

/// The lanes' accesses to `bytes` at their offsets.
void Sanitizer::access(Reach &reach, uint32_t mask, const uint64_t *offset,
                       unsigned bytes) {
  Shadow &shadow = reach.shadow;
  Record limit = reach.limit;
  auto slowly = [&](Record &write, Record &reads, uint64_t at, unsigned lane) {
    if (reach.kind != SanitizeKind::Store)
      read(reach, write, reads, at, lane);
    if (reach.kind != SanitizeKind::Load)
      this->write(reach, write, reads, at, lane);
  };
  auto inParts = [&](uint64_t at, unsigned count, unsigned lane) {
    Shadow::Parts &parts = shadow.split(at / 4);
    for (unsigned i = 0; i < count; ++i)
      slowly(parts.writes[at % 4 + i], parts.reads[at % 4 + i], at + i, lane);
    if (count == 4 && reach.kind != SanitizeKind::Load)
      shadow.unite(at / 4, Record(parts.writes[0]));
  };
  unsigned words = bytes / 4;
  // All lanes read the same: once for all, where nobody writes nearby.
  if (reach.kind == SanitizeKind::Load && words && mask == kFullMask) {
    uint64_t different = 0;
    for (unsigned i = 1; i < 32; ++i)
      different |= offset[i] ^ offset[0];
    bool simple = !different && offset[0] % 4 == 0;
    uint64_t word = offset[0] / 4;
    Record several = reach.mine | kSeveral;
    for (unsigned k = 0; k < words && simple; ++k) {
      Record reads = shadow.reads[word + k];
      simple = shadow.writes[word + k] < limit &&
               (reads < limit || ((reads ^ several) & kOwner) == 0);
    }
    if (simple) {
      for (unsigned k = 0; k < words; ++k)
        shadow.reads[word + k] = several;
      return;
    }
  }
  uint64_t last = ~uint64_t(0);
  bool repeated = false, alike = states[reach.warp.index].lanes.empty();
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t at = offset[lane], word = at / 4;
    // A third lane that reads the same changes nothing.
    if (reach.kind == SanitizeKind::Load && at == last && alike) {
      if (repeated)
        continue;
      repeated = true;
    } else {
      last = at;
      repeated = false;
    }
    Record mine = reach.mine | Record(lane) << 7;
    if (bytes % 4 || at % 4) {
      for (unsigned done = 0; done < bytes;) {
        unsigned count =
            unsigned(std::min<uint64_t>(4 - (at + done) % 4, bytes - done));
        inParts(at + done, count, lane);
        done += count;
      }
      continue;
    }
    for (unsigned k = 0; k < words; ++k) {
      Record &write = shadow.writes[word + k], &reads = shadow.reads[word + k];
      Record w = write, r = reads;
      if (reach.kind == SanitizeKind::Load) {
        if (w < limit || ((w ^ mine) & kOwner) == 0) {
          if (r < limit) {
            reads = mine;
            continue;
          }
          if (((r ^ mine) & (kOwner | kAtomic)) == 0)
            continue;
          if ((r & kSet ? r : r & ~kPlace) == reach.lastReads) {
            if (reach.action == Reach::Replace)
              reads = mine;
            else if (reach.action == Reach::Become)
              reads = reach.nextReads;
            continue;
          }
        }
      } else if ((w < limit || ((w ^ mine) & kOwner) == 0 ||
                  (w == kUninitialized && reach.kind == SanitizeKind::Store)) &&
                 (r < limit || ((r ^ mine) & kOwner) == 0)) {
        write = mine | (reach.inFlight ? kInFlight : 0);
        reads = 0;
        continue;
      }
      if (isKind(w, kSplit))
        inParts(at + 4 * k, 4, lane);
      else
        slowly(write, reads, at + 4 * k, lane);
    }
  }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void Sanitizer::sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind) {
  bool strong = kind == SanitizeKind::Atomic || inst.order;
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong ? kAtomic : 0);
  Reach reach{shared, warp, inst.line, kind, mine, states[warp.index].limit};
  access(reach, mask, address, bytes);
  if (strong)
    synchronize(warp, mask, address, inst, kind, released, &narrowShared);
}

void Sanitizer::asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                           const uint64_t *address, unsigned bytes) {
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Reach reach{shared,    warp,
              inst.line, SanitizeKind::Store,
              mine,      states[warp.index].limit};
  reach.inFlight = true;
  access(reach, mask, address, bytes);
}

void Sanitizer::asyncComplete(Warp &warp, const AsyncCopy &copy,
                              uint32_t mask) {
  Record mine = contextRecord(warp);
  auto arrive = [&](Record &write, unsigned lane) {
    // As if written now: before the thread's next barrier.
    if (isKind(write, kInFlight) && laneOf(write) == lane &&
        grid.contexts[contextOf(write)].warp == warp.index)
      write = mine | Record(copy.line & 0xfffff) << 12 | Record(lane) << 7;
  };
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t word = copy.destination[lane] / 4;
    for (unsigned k = 0; k < copy.bytes / 4; ++k)
      if (!isKind(shared.writes[word + k], kSplit))
        arrive(shared.writes[word + k], lane);
      else
        for (Record &write : shared.split(word + k).writes)
          arrive(write, lane);
  }
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Shadow &Sanitizer::shadowOf(const Allocation &allocation) {
  auto &shadow = grid.shadows[&allocation];
  if (!shadow)
    shadow = std::make_unique<Shadow>(allocation.bytes, true);
  return *shadow;
}

void Sanitizer::globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind) {
  bool strong = kind == SanitizeKind::Atomic || inst.order;
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
                (strong ? kAtomic : 0);
  for (uint32_t rest = mask; rest;) {
    uint64_t first = address[__builtin_ctz(rest)];
    Allocation *allocation = lastAllocation;
    if (!allocation || first - allocation->begin >= allocation->bytes) {
      allocation = lastAllocation = cta.memory->find(first);
      lastShadow = allocation ? &shadowOf(*allocation) : nullptr;
    }
    if (!allocation) {
      rest &= rest - 1;
      continue;
    }
    uint64_t offset[32];
    uint32_t inside = 0;
    for (unsigned i = 0; i < 32; ++i) {
      offset[i] = address[i] - allocation->begin;
      inside |= uint32_t(offset[i] < allocation->bytes) << i;
    }
    inside &= rest;
    rest &= ~inside;
    if (!allocation->initialized) {
      for (uint32_t left = inside; left; left &= left - 1) {
        unsigned lane = unsigned(__builtin_ctz(left));
        if (kind != SanitizeKind::Store) {
          bool all = allocation->shadow != nullptr;
          for (unsigned i = 0; i < bytes && all; ++i)
            all = allocation->shadow[offset[lane] + i];
          if (!all)
            report("uninitialized-global", warp, lane, inst.line, 0, [&] {
              return "read of global memory that nobody has written, " +
                     std::to_string(offset[lane]) +
                     " bytes into an allocation of " +
                     std::to_string(allocation->bytes) + " bytes";
            });
        }
        if (kind != SanitizeKind::Load)
          allocation->markWritten(offset[lane], bytes);
      }
    }
    Reach reach{*lastShadow,     warp,      inst.line, kind, mine,
                Record(1) << 32, allocation};
    access(reach, inside, offset, bytes);
  }
  if (strong)
    synchronize(warp, mask, address, inst, kind, grid.released, &narrowGlobal);
}
