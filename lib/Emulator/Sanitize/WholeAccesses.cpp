//===- WholeAccesses.cpp - Sanitizers: words of all lanes -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of one access at once (Isa/Shadow.cpp). They return false if the lanes
// must be checked one by one (Accesses.cpp).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/WholeAccesses.h"

#include "Emulator/Sanitize/Sanitizer.h"
#include "Emulator/Sanitize/ShadowTable.h"

#include <algorithm>

using namespace fusion::emulator;

/// Whether the access comes after all accesses of the words' records.
bool WholeAccesses::allOrdered(const Reach &reach, const Record *records) {
  uint32_t known = 0; // context that comes before all lanes
  uint32_t own = 0;   // context of the warp itself
  Record set = 0;     // set that comes before all lanes
  const Sanitizer &sanitizer = *reach.warp.sanitizer;
  const WarpClocks &clocks =
      sanitizer.order.states[reach.warp.index].common.warps;
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
      if (other == set || sanitizer.readers.isGone(other))
        continue;
      for (Record member : readers.sets[lineOf(other)])
        if (!(member & mine & kAtomic) &&
            !order.orderedForAll(member, reach.warp))
          return false;
      set = other;
      continue;
    }
    uint32_t context = contextOf(other);
    if ((other & mine & kAtomic) || (known && context == known))
      continue;
    const Context &of = grid.contexts[context];
    if (of.block == sanitizer.cta.linear && clocks.at(of.warp) > of.clock)
      continue;
    if (((other ^ mine) & Record(31) << 7) == 0 &&
        !(other & (kSeveral | kUnknownLane))) {
      if (contextOf(other) != own && order.isOwn(contextOf(other), reach.warp))
        own = contextOf(other);
      if (own && contextOf(other) == own)
        continue;
    }
    if (accessOrder.isAfterForAll(reach, other))
      known = contextOf(other);
    else if (!accessOrder.orderedForOwner(other, mine, reach.warp))
      return false;
  }
  return true;
}

/// Sets `before` to the context of `front` if that comes before all lanes.
void WholeAccesses::askFront(const Reach &reach, Record front,
                             Record &before) const {
  if (front >= reach.limit && !(front & (kSpecial | kSet)) &&
      ((front ^ before) & kContext) && ((front ^ reach.mine) & kContext) &&
      order.orderedForAll(front, reach.warp))
    before = front & kContext;
}

bool WholeAccesses::accessAtOnce(Reach &reach, uint32_t mask,
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
  // The answer for the first word mostly is the answer for all.
  WarpState &state = reach.warp.sanitizer->order.states[reach.warp.index];
  uint64_t first = reach.shadow.wordOf(offset[__builtin_ctz(mask)]);
  if (!reach.hides())
    askFront(reach, reach.shadow.writes[first], state.writesBefore);
  if (!reach.atomic())
    askFront(reach, reach.shadow.reads[first], state.readsBefore);
  auto ownContext = [&](Record front) {
    bool isOwnBefore = front >= reach.limit && !(front & (kSpecial | kSet)) &&
                       ((front ^ reach.mine) & kContext) &&
                       order.isOwn(contextOf(front), reach.warp);
    return isOwnBefore ? front & kContext : 0;
  };
  words.ownWrites = ownContext(reach.shadow.writes[first]);
  words.ownReads = reach.kind == SanitizeKind::Load
                       ? 0
                       : ownContext(reach.shadow.reads[first]);
  // Accesses that come before this one may have to come before others as well.
  words.writesBefore = reach.hides() ? 0 : state.writesBefore;
  words.readsBefore = reach.atomic() ? 0 : state.readsBefore;
  if (!shadowTable().gather(words, reach.shadow.writes, reach.shadow.reads))
    return false;
  if (reach.hides() && !(words.writesFine && words.readsFine))
    return histories.storeStrongly(reach, words);
  if (!words.writesFine && !allOrdered(reach, words.write))
    return false;
  return reach.kind == SanitizeKind::Load ? loadAtOnce(reach)
                                          : storeAtOnce(reach);
}

/// Handles lanes that access the same words, as when they poll or take a lock.
bool WholeAccesses::accessUniform(Reach &reach, uint32_t mask,
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
    for (unsigned i = 0; i < kLanes; ++i)
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
        if (!histories.writeStrongly(reach, writes[k], reads[k], at + 4 * k,
                                     mask))
          return false;
      return true;
    }
    // The last lane's access stands for all.
    Record mine = reach.mine | Record(final) << 7;
    Record asked = several ? mine | kUnknownLane : mine;
    bool stores = reach.kind == SanitizeKind::Store;
    for (unsigned k = 0; k < bytes / 4; ++k)
      if ((!accessOrder.isAfter(reach, writes[k], asked) &&
           !(stores && writes[k] == kUninitialized)) ||
          !accessOrder.isAfter(reach, reads[k], asked))
        return false;
    for (unsigned k = 0; k < bytes / 4; ++k) {
      writes[k] = mine;
      reads[k] = 0;
    }
    return true;
  }
  Record mine = reach.mine | (several ? kSeveral : Record(first) << 7);
  for (unsigned k = 0; k < bytes / 4; ++k) {
    // A write by one of several lanes is not every lane's own.
    Record asked = several ? mine | kUnknownLane : mine;
    bool isHidden = reach.atomic() && reach.hasHistory(writes[k]);
    if (!accessOrder.isAfter(
            reach, isHidden ? withoutHiding(writes[k]) : writes[k], asked) ||
        (isHidden && !histories.readsHiddenFine(reach, at + 4 * k, asked)) ||
        (patternOf(reads[k]) &&
         accessOrder.actionOn(reach, reads[k]) == ReadAction::Join))
      return false;
  }
  for (unsigned k = 0; k < bytes / 4; ++k) {
    Record &read = reads[k];
    bool isAmong = contextOf(read) == contextOf(mine) && !(read & kSet) &&
                   ((read & kSeveral) || ((read ^ mine) & kOwner) == 0);
    if (isAmong && !(read & ~mine & kAtomic))
      continue;
    switch (accessOrder.actionOn(reach, read)) {
    case ReadAction::Replace:
      read = mine;
      break;
    case ReadAction::Keep:
      break;
    case ReadAction::Join:
      read = readers.addReader(reach, read, mine);
      break;
    }
  }
  return true;
}

bool WholeAccesses::loadAtOnce(Reach &reach) {
  if (words.readsKept)
    return true;
  ReadAction action = ReadAction::Replace;
  Record *to = reach.shadow.reads, reads = words.read[0];
  if (!words.readsFree) {
    auto isOfContext = [&](Record read) {
      return !(read & kSet) && contextOf(read) == contextOf(reach.mine);
    };
    if (!words.readsAlike || isOfContext(reads)) {
      // The words tell which bytes lanes have read.
      for (unsigned j = 0; j < words.count; ++j)
        if (isOfContext(words.read[j]) &&
            (patternOf(words.read[j]) ||
             ((words.read[j] ^ reach.mine) & kAtomic)))
          return false;
      for (unsigned j = 0; j < words.count; ++j)
        if (words.read[j] >= reach.limit && !isOfContext(words.read[j]))
          return loadScattered(reach);
      // A lane may find the record of a lane that has just read.
      for (unsigned j = 0; j < words.count; ++j) {
        Record &read = to[words.place[j]];
        read = read < reach.limit ? words.owner[j]
                                  : joinedReader(read, words.owner[j]);
      }
      return true;
    }
    action = accessOrder.actionOn(reach, reads);
  }
  if (action == ReadAction::Join) {
    Record joined = readers.addReader(reach, reads, words.owner[0]);
    if (readers.isMixedUnion)
      return false;
    if (joined != reads)
      shadowTable().fill(words, joined, to);
  }
  if (action == ReadAction::Replace &&
      !shadowTable().scatter(words, words.owner, to))
    // If the record is another lane's, several lanes read the word.
    for (unsigned j = 0; j < words.count; ++j)
      if (Record &read = to[words.place[j]]; read != words.owner[j])
        read = reach.mine | kSeveral;
  return true;
}

/// Handles loads of words of global memory that various warps have read.
bool WholeAccesses::loadScatteredGlobal(Reach &reach) {
  uint32_t context = contextOf(reach.mine);
  Record *to = reach.shadow.reads;
  if (grid.copies.empty()) {
    WarpState &state = order.states[reach.warp.index];
    auto replace = [&] {
      return shadowTable().replace(words, AccessOrder::askedBy(state),
                                   grid.keepsFirstReader, to);
    };
    if (replace())
      return true;
    for (unsigned j = 0; j < words.count; ++j)
      if (words.read[j] >= reach.limit)
        accessOrder.isAfterForAll(reach, words.read[j]);
    if (replace())
      return true;
  }
  for (unsigned j = 0; j < words.count; ++j) {
    Record &read = to[words.place[j]];
    if (read < reach.limit)
      read = words.owner[j];
    else if (contextOf(read) == context)
      read = readers.addReader(reach, read, words.owner[j]);
    else if (accessOrder.actionOn(reach, read) == ReadAction::Replace)
      read = words.owner[j];
  }
  return true;
}

/// Handles loads of words that various warps have read. In shared memory all
/// readers are kept, so that in time each word has a set that contains the
/// warp. Such sets are remembered as long as the warp's context lasts.
bool WholeAccesses::loadScattered(Reach &reach) {
  if (reach.allocation)
    return loadScatteredGlobal(reach);
  if (reach.atomic())
    return false;
  uint32_t context = contextOf(reach.mine);
  Record *to = reach.shadow.reads;
  // The new record for a set, or for readers that differ in the lane only.
  struct Change {
    Record from = 0, with = 0;
  };
  constexpr unsigned kChanges = 16;
  Change changes[kChanges];
  for (unsigned j = 0; j < words.count; ++j) {
    Record &read = to[words.place[j]];
    bool isSet = read & kSet;
    Record before = isSet ? read : read & ~(Record(31) << 7 | kPattern);
    Change &change = changes[lineOf(before) % kChanges];
    if (change.from == before && before) {
      read = change.with;
      continue;
    }
    if (isSet) {
      GridSanitizer::Joined &joined = grid.joinedAt(context, read);
      if (!joined.is(context, read, reach.shadow)) {
        read = readers.addReader(reach, read, words.owner[j]);
        if (readers.isMixedUnion)
          continue;
        if (read == before)
          joined = {context, read, &reach.shadow};
      }
    } else if (accessOrder.actionOn(reach, read) == ReadAction::Replace) {
      read = words.owner[j];
      continue;
    } else {
      bool isOwnContext = contextOf(read) == context;
      read = readers.addReader(reach, read, words.owner[j]);
      if (readers.isMixedUnion || isOwnContext)
        continue;
    }
    change = {before, read};
    if (read & kSet)
      changes[lineOf(read) % kChanges] = {read, read};
  }
  return true;
}

bool WholeAccesses::storeAtOnce(Reach &reach) {
  if (!words.readsFine && !allOrdered(reach, words.read))
    return false;
  if (reach.inFlight)
    for (unsigned j = 0; j < words.count; ++j)
      words.owner[j] |= kInFlight;
  Record *writes = reach.shadow.writes, *reads = reach.shadow.reads;
  if (!shadowTable().scatter(words, words.owner, writes) && !reach.atomic()) {
    // The lanes of the access race with one another.
    for (unsigned j = 0; j < words.count; ++j)
      writes[words.place[j]] = words.write[j];
    return false;
  }
  shadowTable().fill(words, 0, reads);
  return true;
}
