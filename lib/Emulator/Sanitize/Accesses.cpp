//===- Accesses.cpp - Sanitizers: accesses of whole warps -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to do the same, fastest first: by rows of global memory
// (WholeRows.cpp), by the words of all lanes at once (WholeAccesses.cpp),
// and lane by lane. Only the last one finds anything; the others leave to it
// what they cannot settle, before they change a record.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Accesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <cstring>

using namespace fusion::emulator;

/// Without the lanes that store the same to the same place as one before: one
/// of such stores of an instruction takes place, whichever (CUDA C++
/// Programming Guide, "SIMT Architecture").
static uint32_t distinctStores(const Warp &warp, const Inst &inst,
                               uint32_t mask, const uint64_t *offset) {
  auto isAlike = [&](unsigned lane, unsigned other) {
    for (unsigned i = 0; i < inst.b; ++i) {
      const uint8_t *values = warp.reg<uint8_t>(inst.op[i]);
      if (std::memcmp(values + lane * inst.e, values + other * inst.e, inst.a))
        return false;
    }
    return true;
  };
  bool ascending = true;
  uint64_t least = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t at = offset[__builtin_ctz(left)];
    ascending &= at >= least;
    least = at + 1;
  }
  if (ascending)
    return mask;
  constexpr unsigned kSlots = 64;
  uint8_t first[kSlots]; // lane at a place, and one more
  std::memset(first, 0, sizeof(first));
  uint32_t distinct = mask;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    unsigned slot = unsigned(offset[lane] * 0x9e3779b97f4a7c15u >> 58);
    while (first[slot] && offset[first[slot] - 1] != offset[lane])
      slot = (slot + 1) % kSlots;
    if (!first[slot])
      first[slot] = uint8_t(lane + 1);
    else if (isAlike(lane, first[slot] - 1u))
      distinct &= ~(1u << lane);
  }
  return distinct;
}

/// The lanes' accesses to `bytes` at their offsets.
void Accesses::access(Reach &reach, uint32_t mask, const uint64_t *offset,
                      unsigned bytes, bool contiguous) {
  // Strong stores do not race with one another.
  if (reach.stored && !contiguous && !reach.atomic())
    mask = distinctStores(reach.warp, *reach.stored, mask, offset);
  reach.mask = mask;
  reach.offset = offset;
  if (reach.loose) {
    for (uint32_t left = mask; left; left &= left - 1)
      reach.shadow.expandBytes(offset[__builtin_ctz(left)], bytes);
    return accessByLane(reach, mask, offset, bytes);
  }
  if (whole.accessUniform(reach, mask, offset, bytes, contiguous))
    return;
  if (reach.shadow.rowCount) {
    uint32_t left = whole.accessRows(reach, mask, offset, bytes, contiguous);
    if (!left)
      return;
    contiguous &= left == mask;
    mask = left;
  }
  if (bytes < 4 && !reach.hides()) {
    mask = whole.accessNarrow(reach, mask, offset, bytes);
    if (!mask)
      return;
  }
  if (!whole.accessAtOnce(reach, mask, offset, bytes, contiguous))
    accessByLane(reach, mask, offset, bytes);
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

/// Where nothing is found; false where somebody must look closer.
bool Accesses::accessQuickly(Reach &reach, Record &write, Record &reads,
                             uint64_t offset, unsigned lane) {
  if (reach.hides())
    return histories.writeStrongly(reach, write, reads, offset, 1u << lane);
  Record mine = reach.mine | Record(lane) << 7;
  if (reach.kind != SanitizeKind::Load) {
    bool fine = accessOrder.isAfter(reach, write, mine) ||
                (write == kUninitialized && reach.kind == SanitizeKind::Store);
    if (!fine || !accessOrder.isAfter(reach, reads, mine))
      return false;
    write = mine | (reach.inFlight ? kInFlight : 0);
    reads = 0;
    return true;
  }
  bool isHidden = reach.atomic() && reach.hasHistory(write);
  if (!accessOrder.isAfter(reach, isHidden ? withoutHiding(write) : write,
                           mine) ||
      (isHidden && !histories.readsHiddenFine(reach, offset, mine)))
    return false;
  if (reads < reach.limit)
    reads = mine;
  else if (((reads ^ mine) & (kOwner | kAtomic)) == 0)
    return true;
  else if ((reads & kSet ? reads : reads & ~kPlace) != reach.lastReads)
    return false;
  else if (reach.action == ReadAction::Replace)
    reads = mine;
  else if (reach.action == ReadAction::Join)
    reads = reach.nextReads;
  return true;
}

void Accesses::accessByLane(Reach &reach, uint32_t mask, const uint64_t *offset,
                            unsigned bytes) {
  Shadow &shadow = reach.shadow;
  auto visit = [&](Record &write, Record &reads, uint64_t at, unsigned lane) {
    if (!reach.loose && accessQuickly(reach, write, reads, at, lane))
      return;
    if (reach.kind != SanitizeKind::Store)
      read(reach, write, reads, at, lane);
    if (reach.kind != SanitizeKind::Load)
      this->write(reach, write, reads, at, lane);
  };
  bool loads = reach.kind == SanitizeKind::Load;
  // Bytes of a word where only what is over, or the lane itself, has been.
  auto settle = [&](Shadow::Parts &parts, unsigned begin, unsigned end,
                    unsigned lane) {
    Record mine = reach.mine | Record(lane) << 7;
    bool isOver = !reach.loose && !reach.hides();
    for (unsigned i = begin; i < end; ++i) {
      Record write = parts.writes[i], reads = parts.reads[i];
      bool isOwn = ((reads ^ mine) & kOwner) == 0;
      isOver &= (write < reach.limit || ((write ^ mine) & kOwner) == 0) &&
                (reads < reach.limit || (!loads && isOwn));
    }
    if (!isOver)
      return false;
    for (unsigned i = begin; i < end; ++i) {
      if (loads) {
        parts.reads[i] = mine;
        continue;
      }
      parts.writes[i] = mine | (reach.inFlight ? kInFlight : 0);
      parts.reads[i] = 0;
    }
    return true;
  };
  auto isStrongWrite = [&](Record write) {
    return isKind(write, kHiding) || isKind(write, kSplit) ||
           ((write & kAtomic) && write >= reach.limit);
  };
  uint64_t last = ~uint64_t(0);
  bool repeated = false,
       alike =
           !reach.loose &&
           reach.warp.sanitizer->order.states[reach.warp.index].lanes.empty();
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t at = offset[lane], end = at + bytes;
    // A third lane that reads the same changes nothing, unless it has not
    // observed what others have of strong writes.
    if (loads && at == last && alike &&
        (reach.atomic() || !isStrongWrite(shadow.writes[shadow.wordOf(at)]))) {
      if (repeated)
        continue;
      repeated = true;
    } else {
      last = at;
      repeated = false;
    }
    while (at < end) {
      uint64_t word = shadow.wordOf(at), begin = at & ~uint64_t(3);
      unsigned count = unsigned(std::min<uint64_t>(4 - at % 4, end - at));
      reach.span = count == 4 && shadow.isWhole(word) ? 4 : 1;
      if (reach.span == 4) {
        visit(shadow.writes[word], shadow.reads[word], at, lane);
      } else {
        Shadow::Parts &parts = shadow.split(word);
        unsigned first = unsigned(at % 4), last = first + count;
        Record w = 0, r = 0; // of the byte before, until now
        if (settle(parts, first, last, lane))
          first = last;
        for (unsigned i = first; i < last; ++i) {
          Record &write = parts.writes[i], &reads = parts.reads[i];
          // Values of bytes with the same writer may differ.
          bool same = i > first && write == w && reads == r && !reach.hides() &&
                      !isKind(write, kHiding) && !reach.redundant;
          reach.redundant = false;
          w = write;
          r = reads;
          if (same) {
            write = parts.writes[i - 1];
            reads = parts.reads[i - 1];
          } else {
            visit(write, reads, begin + i, lane);
          }
        }
        bool hides = false; // not the same, maybe
        for (Record write : parts.writes)
          hides |= isKind(write, kHiding);
        if (count == 4 && !loads && !hides)
          shadow.unite(word, Record(parts.writes[0]));
      }
      at += count;
    }
  }
}

void Accesses::read(Reach &reach, Record &last, Record &reads, uint64_t offset,
                    unsigned lane) {
  Record write = withoutHiding(last);
  if (write != last && reach.kind == SanitizeKind::Load) {
    // What everybody comes after has nothing to hide.
    bool isKept = reach.hasHistory(last);
    if (isKept && (write >= reach.limit || order.hasCluster()))
      histories.checkHidden(reach, last, reads, offset, lane);
    else if (isKept)
      reach.shadow.dropHistory(offset);
    if (write < reach.limit && !order.hasCluster())
      last = write;
  }
  Record mine = reach.mine | Record(lane) << 7;
  if (isKind(write, kInFlight)) {
    reports.report("async-read-in-flight", reach.warp, lane, reach.line,
                   lineOf(write), [&] {
                     return "read of " + reach.place(offset) +
                            " before the asynchronous copy of " +
                            reports.threadName(write) +
                            " into it was waited for";
                   });
  } else if (isKind(write, kUninitialized)) {
    reports.report(
        "uninitialized-shared", reach.warp, lane, reach.line, 0, [&] {
          return "read of shared memory at offset " + std::to_string(offset) +
                 " that has not been written";
        });
  } else if (contextOf(write) && !(write & mine & kAtomic)) {
    if (!order.ordered(write, reach.warp, lane) &&
        !((write & kAtomic) && histories.hasObserved(reach, reads, lane)))
      races.race(reach, "read-after-write", write, offset, lane);
  } else if (reach.loose) {
    races.suspect(reach, write, offset, lane);
  }
  if (reach.kind != SanitizeKind::Load)
    return; // the write that follows stands for both
  Record before = reads;
  reach.lastReads = before & ~kPlace;
  if (reads & kSet)
    reach.lastReads = before;
  reach.action = accessOrder.actionOn(reach, reads);
  if (reach.action == ReadAction::Replace)
    reads = mine;
  if (reach.action == ReadAction::Join) {
    reads = readers.addReader(reach, reads, mine);
    reach.nextReads = reads;
    if (((before ^ mine) & kOwner) == 0 || readers.isMixedUnion)
      reach.lastReads = ~Record(0);
  }
}

void Accesses::write(Reach &reach, Record &last, Record &reads, uint64_t offset,
                     unsigned lane) {
  Record write = withoutHiding(last);
  if (isKind(write, kInFlight))
    reports.report(
        "async-overwrite", reach.warp, lane, reach.line, lineOf(write), [&] {
          return "write to " + reach.place(offset) +
                 " that an asynchronous copy of " + reports.threadName(write) +
                 " is still going to fill";
        });
  else if (!(write & kSpecial) && contextOf(write) &&
           !(write & reach.mine & kAtomic) &&
           !order.ordered(write, reach.warp, lane) &&
           !((write & kAtomic) && histories.hasObserved(reach, reads, lane)))
    races.raceOfWrites(reach, write, offset, lane);
  else if (reach.update && races.isLostUpdate(reach, write, offset, lane))
    races.race(reach, "lost-update", write, offset, lane);
  histories.checkHidden(reach, last, reads, offset, lane);
  races.checkReaders(reach, reads, offset, lane);
  if (reach.hides())
    return histories.hide(reach, last, reads, offset, 1u << lane);
  if (reach.hasHistory(last))
    reach.shadow.dropHistory(offset);
  last = reach.mine | Record(lane) << 7 | (reach.inFlight ? kInFlight : 0);
  reads = 0;
}
