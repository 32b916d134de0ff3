//===- SanitizerAccess.cpp - Sanitizers: accesses of whole warps ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to do the same, fastest first: by rows of global memory
// (SanitizerRows.cpp), by the words of all lanes at once (Isa/Shadow.cpp), and
// lane by lane. Only the last
// one finds anything; the others leave to it what they cannot settle, before
// they change a record.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "SanitizerReach.h"

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
void Sanitizer::access(Reach &reach, uint32_t mask, const uint64_t *offset,
                       unsigned bytes, bool contiguous) {
  // Strong stores do not race with one another.
  if (reach.stored && !contiguous && !reach.atomic())
    mask = distinctStores(reach.warp, *reach.stored, mask, offset);
  if (reach.loose) {
    for (uint32_t left = mask; left; left &= left - 1)
      reach.shadow.expandBytes(offset[__builtin_ctz(left)], bytes);
    return accessByLane(reach, mask, offset, bytes);
  }
  if (accessUniform(reach, mask, offset, bytes, contiguous))
    return;
  if (reach.shadow.rowCount) {
    uint32_t left = accessRows(reach, mask, offset, bytes, contiguous);
    if (!left)
      return;
    contiguous &= left == mask;
    mask = left;
  }
  if (bytes < 4 && !reach.hides()) {
    mask = accessNarrow(reach, mask, offset, bytes);
    if (!mask)
      return;
  }
  if (!accessAtOnce(reach, mask, offset, bytes, contiguous))
    accessByLane(reach, mask, offset, bytes);
}

//===----------------------------------------------------------------------===//
// Words of all lanes
//===----------------------------------------------------------------------===//

bool Sanitizer::orderedForOwner(Record other, Record owner,
                                const Warp &warp) const {
  if (orderedForAll(other, warp))
    return true;
  const Context &context =
      grid.contexts[contextOf(completed(other, patternOf(other)))];
  return context.block == warp.cta->linear && context.warp == warp.index &&
         !(other & kSeveral) && patternOf(other) == patternOf(owner) &&
         (laneOf(other) == laneOf(owner) || (other & kUnknownLane));
}

/// Whether the access comes after what the words' records say.
bool Sanitizer::allOrdered(const Reach &reach, const Record *records) {
  uint32_t known = 0; // a context that comes before all lanes
  uint32_t own = 0;   // and one of the warp itself
  Record set = 0;     // and such a set
  for (unsigned j = 0; j < words.count; ++j) {
    Record other = records[j], mine = words.owner[j];
    if (other < reach.limit || ((other ^ mine) & kOwner) == 0)
      continue;
    if (other & kSpecial) {
      if ((words.stores && other == kUninitialized) ||
          (isKind(other, kHiding) && withoutHiding(other) < reach.forgotten))
        continue;
      return false;
    }
    if (other & kSet) {
      if (other == set)
        continue;
      for (Record member : sets[lineOf(other)])
        if (!(member & mine & kAtomic) && !orderedForAll(member, reach.warp))
          return false;
      set = other;
      continue;
    }
    if ((other & mine & kAtomic) || (known && contextOf(other) == known))
      continue;
    if (((other ^ mine) & Record(31) << 7) == 0 &&
        !(other & (kSeveral | kUnknownLane))) {
      if (contextOf(other) != own && isOwn(contextOf(other), reach.warp))
        own = contextOf(other);
      if (own && contextOf(other) == own)
        continue;
    }
    if (orderedForAll(other, reach.warp))
      known = contextOf(other);
    else if (!orderedForOwner(other, mine, reach.warp))
      return false;
  }
  return true;
}

/// `before` becomes the context of `front` if that comes before all lanes.
void Sanitizer::askFront(const Reach &reach, Record front,
                         Record &before) const {
  if (front >= reach.limit && !(front & (kSpecial | kSet)) &&
      ((front ^ before) & kContext) && ((front ^ reach.mine) & kContext) &&
      orderedForAll(front, reach.warp))
    before = front & kContext;
}

bool Sanitizer::accessAtOnce(Reach &reach, uint32_t mask,
                             const uint64_t *offset, unsigned bytes,
                             bool contiguous) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return false;
  words.offset = offset;
  words.mask = mask;
  words.perLane = bytes / 4;
  words.contiguous = contiguous && !reach.shadow.rowCount;
  words.interleaved = reach.shadow.interleaving();
  words.stores = reach.kind == SanitizeKind::Store;
  words.loads = reach.kind == SanitizeKind::Load;
  words.mine = reach.mine;
  words.limit =
      reach.hides() ? std::min(reach.limit, reach.settled) : reach.limit;
  // What holds for the first word mostly does for all.
  WarpState &state = reach.warp.sanitizer->states[reach.warp.index];
  uint64_t first = reach.shadow.wordOf(offset[__builtin_ctz(mask)]);
  if (!reach.hides())
    askFront(reach, reach.shadow.writes[first], state.writesBefore);
  if (!reach.atomic())
    askFront(reach, reach.shadow.reads[first], state.readsBefore);
  auto ownContext = [&](Record front) {
    bool isOwnBefore = front >= reach.limit && !(front & (kSpecial | kSet)) &&
                       ((front ^ reach.mine) & kContext) &&
                       isOwn(contextOf(front), reach.warp);
    return isOwnBefore ? front & kContext : 0;
  };
  words.ownWrites = ownContext(reach.shadow.writes[first]);
  words.ownReads = reach.kind == SanitizeKind::Load
                       ? 0
                       : ownContext(reach.shadow.reads[first]);
  // What comes before this may have to come before others, too.
  words.writesBefore = reach.hides() ? 0 : state.writesBefore;
  words.readsBefore = reach.atomic() ? 0 : state.readsBefore;
  if (!handlerTable().shadowGather(words, reach.shadow.writes,
                                   reach.shadow.reads))
    return false;
  if (reach.hides() && !(words.writesFine && words.readsFine))
    return storeStrongly(reach);
  if (!words.writesFine && !allOrdered(reach, words.write))
    return false;
  return reach.kind == SanitizeKind::Load ? loadAtOnce(reach)
                                          : storeAtOnce(reach);
}

/// Lanes at the same words, as those are that poll or take a lock.
bool Sanitizer::accessUniform(Reach &reach, uint32_t mask,
                              const uint64_t *offset, unsigned bytes,
                              bool contiguous) {
  unsigned first = unsigned(__builtin_ctz(mask)),
           final = 31 - unsigned(__builtin_clz(mask));
  uint64_t at = offset[first];
  bool several = mask & (mask - 1), loads = reach.kind == SanitizeKind::Load;
  if (contiguous || bytes % 4 || bytes > 4 * kLineWords || at % 4 ||
      offset[final] != at || reach.inFlight ||
      (!loads && several && !reach.atomic()))
    return false;
  uint64_t different = 0;
  if (mask == kFullMask)
    for (unsigned i = 0; i < 32; ++i)
      different |= offset[i] ^ at;
  else
    for (uint32_t left = mask; left; left &= left - 1)
      different |= offset[__builtin_ctz(left)] ^ at;
  if (different)
    return false;
  reach.shadow.expandBytes(at, bytes);
  Record *writes = reach.shadow.writes + reach.shadow.wordOf(at),
         *reads = reach.shadow.reads + reach.shadow.wordOf(at);
  if (!loads) {
    if (reach.hides()) {
      for (unsigned k = 0; k < bytes / 4; ++k)
        if (!writeStrongly(reach, writes[k], reads[k], at + 4 * k, mask))
          return false;
      return true;
    }
    // The last lane's access stands for all.
    Record mine = reach.mine | Record(final) << 7;
    Record asked = several ? mine | kUnknownLane : mine;
    bool stores = reach.kind == SanitizeKind::Store;
    for (unsigned k = 0; k < bytes / 4; ++k)
      if ((!isAfter(reach, writes[k], asked) &&
           !(stores && writes[k] == kUninitialized)) ||
          !isAfter(reach, reads[k], asked))
        return false;
    for (unsigned k = 0; k < bytes / 4; ++k) {
      writes[k] = mine;
      reads[k] = 0;
    }
    return true;
  }
  Record mine = reach.mine | (several ? kSeveral : Record(first) << 7);
  for (unsigned k = 0; k < bytes / 4; ++k) {
    // What one of several lanes wrote is not their own.
    Record asked = several ? mine | kUnknownLane : mine;
    bool isHidden = reach.atomic() && reach.hasHistory(writes[k]);
    if (!isAfter(reach, isHidden ? withoutHiding(writes[k]) : writes[k],
                 asked) ||
        (isHidden && !readsHiddenFine(reach, at + 4 * k, asked)) ||
        (patternOf(reads[k]) && actionOn(reach, reads[k]) == Action::Join))
      return false;
  }
  for (unsigned k = 0; k < bytes / 4; ++k) {
    Record &read = reads[k];
    bool isAmong = contextOf(read) == contextOf(mine) && !(read & kSet) &&
                   ((read & kSeveral) || ((read ^ mine) & kOwner) == 0);
    if (isAmong && !(read & ~mine & kAtomic))
      continue;
    switch (actionOn(reach, read)) {
    case Action::Replace:
      read = mine;
      break;
    case Action::Keep:
      break;
    case Action::Join:
      read = addReader(reach, read, mine);
      break;
    }
  }
  return true;
}

bool Sanitizer::loadAtOnce(Reach &reach) {
  if (words.readsKept)
    return true;
  Action action = Action::Replace;
  Record *to = reach.shadow.reads, reads = words.read[0];
  if (!words.readsFree) {
    auto isOfContext = [&](Record read) {
      return !(read & kSet) && contextOf(read) == contextOf(reach.mine);
    };
    if (!words.readsAlike || isOfContext(reads)) {
      // Of which bytes lanes have read, the words must tell.
      for (unsigned j = 0; j < words.count; ++j)
        if (isOfContext(words.read[j]) &&
            (patternOf(words.read[j]) ||
             ((words.read[j] ^ reach.mine) & kAtomic)))
          return false;
      for (unsigned j = 0; j < words.count; ++j)
        if (words.read[j] >= reach.limit && !isOfContext(words.read[j]))
          return loadScattered(reach);
      // A lane may come upon what another one has just read.
      for (unsigned j = 0; j < words.count; ++j) {
        Record &read = to[words.place[j]];
        read = read < reach.limit ? words.owner[j]
                                  : joinedReader(read, words.owner[j]);
      }
      return true;
    }
    action = actionOn(reach, reads);
  }
  if (action == Action::Join) {
    Record joined = addReader(reach, reads, words.owner[0]);
    if (isMixedUnion)
      return false;
    if (joined != reads)
      handlerTable().shadowFill(words, joined, to);
  }
  if (action == Action::Replace &&
      !handlerTable().shadowScatter(words, words.owner, to))
    // Where the record is another lane's, there are several.
    for (unsigned j = 0; j < words.count; ++j)
      if (Record &read = to[words.place[j]]; read != words.owner[j])
        read = reach.mine | kSeveral;
  return true;
}

/// Words of global memory that were read by various warps.
bool Sanitizer::loadScatteredGlobal(Reach &reach) {
  uint32_t context = contextOf(reach.mine);
  Record *to = reach.shadow.reads;
  if (grid.copies.empty()) {
    WarpState &state = states[reach.warp.index];
    auto replace = [&] {
      return handlerTable().shadowReplace(words, askedBy(state),
                                          grid.keepsFirstReader, to);
    };
    if (replace())
      return true;
    for (unsigned j = 0; j < words.count; ++j)
      if (words.read[j] >= reach.limit)
        isAfterForAll(reach, words.read[j]);
    if (replace())
      return true;
  }
  for (unsigned j = 0; j < words.count; ++j) {
    Record &read = to[words.place[j]];
    if (read < reach.limit)
      read = words.owner[j];
    else if (contextOf(read) == context)
      read = addReader(reach, read, words.owner[j]);
    else if (actionOn(reach, read) == Action::Replace)
      read = words.owner[j];
  }
  return true;
}

/// Words that were read by various warps. In shared memory all readers are
/// kept, so that after a while each word has a set that the warp is among: what
/// it has found there is remembered, for as long as its context lasts.
bool Sanitizer::loadScattered(Reach &reach) {
  if (reach.allocation)
    return loadScatteredGlobal(reach);
  if (reach.atomic())
    return false;
  uint32_t context = contextOf(reach.mine);
  Record *to = reach.shadow.reads;
  for (unsigned j = 0; j < words.count; ++j) {
    Record &read = to[words.place[j]];
    if (read & kSet) {
      GridSanitizer::Joined &joined = grid.joinedAt(context, read);
      if (joined.is(context, read, reach.shadow))
        continue;
      Record before = read;
      read = addReader(reach, read, words.owner[j]);
      if (read == before && !isMixedUnion)
        joined = {context, read, &reach.shadow};
    } else if (actionOn(reach, read) == Action::Replace) {
      read = words.owner[j];
    } else {
      read = addReader(reach, read, words.owner[j]);
    }
  }
  return true;
}

bool Sanitizer::storeAtOnce(Reach &reach) {
  if (!words.readsFine && !allOrdered(reach, words.read))
    return false;
  if (reach.inFlight)
    for (unsigned j = 0; j < words.count; ++j)
      words.owner[j] |= kInFlight;
  Record *writes = reach.shadow.writes, *reads = reach.shadow.reads;
  if (!handlerTable().shadowScatter(words, words.owner, writes) &&
      !reach.atomic()) {
    // Lanes race with one another.
    for (unsigned j = 0; j < words.count; ++j)
      writes[words.place[j]] = words.write[j];
    return false;
  }
  handlerTable().shadowFill(words, 0, reads);
  return true;
}

//===----------------------------------------------------------------------===//
// Lane by lane
//===----------------------------------------------------------------------===//

/// Whether the access, whose owner is `mine`, comes after `other`. Asks what is
/// known of a context once, mostly.
bool Sanitizer::isAfter(const Reach &reach, Record other, Record mine) const {
  if (other < reach.limit || ((other ^ mine) & kOwner) == 0)
    return true;
  if (other & (kSpecial | kSet))
    return isKind(other, kHiding) && withoutHiding(other) < reach.forgotten;
  if (other & mine & kAtomic)
    return true;
  return isAfterForAll(reach, other);
}

const uint32_t *Sanitizer::askedBy(WarpState &state) {
  if (!state.common.isShared(state.askedOf)) {
    state.askedOf = state.common;
    std::fill(std::begin(state.asked), std::end(state.asked), 0);
  }
  return state.asked;
}

bool Sanitizer::isAfterForAll(const Reach &reach, Record other) const {
  WarpState &state = reach.warp.sanitizer->states[reach.warp.index];
  askedBy(state);
  uint32_t context = contextOf(other), &slot = state.asked[context % kAsked];
  if (slot >> 1 == context)
    return slot & 1;
  bool answer = orderedForAll(other, reach.warp);
  // Copies complete without anybody knowing more.
  if (answer || !slots::isCopy(grid.contexts[context].warp))
    slot = context << 1 | answer;
  return answer;
}

/// Where nothing is found; false where somebody must look closer.
bool Sanitizer::accessQuickly(Reach &reach, Record &write, Record &reads,
                              uint64_t offset, unsigned lane) {
  if (reach.hides())
    return writeStrongly(reach, write, reads, offset, 1u << lane);
  Record mine = reach.mine | Record(lane) << 7;
  if (reach.kind != SanitizeKind::Load) {
    bool fine = isAfter(reach, write, mine) ||
                (write == kUninitialized && reach.kind == SanitizeKind::Store);
    if (!fine || !isAfter(reach, reads, mine))
      return false;
    write = mine | (reach.inFlight ? kInFlight : 0);
    reads = 0;
    return true;
  }
  bool isHidden = reach.atomic() && reach.hasHistory(write);
  if (!isAfter(reach, isHidden ? withoutHiding(write) : write, mine) ||
      (isHidden && !readsHiddenFine(reach, offset, mine)))
    return false;
  if (reads < reach.limit)
    reads = mine;
  else if (((reads ^ mine) & (kOwner | kAtomic)) == 0)
    return true;
  else if ((reads & kSet ? reads : reads & ~kPlace) != reach.lastReads)
    return false;
  else if (reach.action == Action::Replace)
    reads = mine;
  else if (reach.action == Action::Join)
    reads = reach.nextReads;
  return true;
}

void Sanitizer::accessByLane(Reach &reach, uint32_t mask,
                             const uint64_t *offset, unsigned bytes) {
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
       alike = !reach.loose &&
               reach.warp.sanitizer->states[reach.warp.index].lanes.empty();
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
      if (count == 4 && shadow.isWhole(word)) {
        visit(shadow.writes[word], shadow.reads[word], at, lane);
      } else {
        Shadow::Parts &parts = shadow.split(word);
        unsigned first = unsigned(at % 4), last = first + count;
        Record w = 0, r = 0; // of the byte before, until now
        if (settle(parts, first, last, lane))
          first = last;
        for (unsigned i = first; i < last; ++i) {
          Record &write = parts.writes[i], &reads = parts.reads[i];
          bool same = i > first && write == w && reads == r && !reach.hides() &&
                      !isKind(write, kHiding);
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
