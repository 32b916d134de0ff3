//===- NarrowAccesses.cpp - Sanitizers: lanes with parts of words ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that follow one another and have a word together, in bytes or halves:
// one record stands for all of them (Shadow.h), and the word is not split.
// Like the other quick ways, this one finds nothing.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/WholeAccesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

/// Parts of words that are split already, where only what is over or the lane
/// itself has been before: halves or bytes at a stride. With `Splits`, whole
/// words get parts where all of them is over. Returns the other lanes.
template <unsigned Bytes, bool Splits>
uint32_t WholeAccesses::accessSplit(Reach &reach, uint32_t mask,
                                    const uint64_t *offset) {
  Shadow &shadow = reach.shadow;
  bool loads = reach.kind == SanitizeKind::Load;
  Record limit = reach.limit;
  uint32_t left = mask;
  // Of many places, no line of the host's cache is at hand.
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    __builtin_prefetch(shadow.writes +
                       shadow.wordOf(offset[__builtin_ctz(rest)]));
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    shadow.prefetchParts(
        shadow.writes[shadow.wordOf(offset[__builtin_ctz(rest)])]);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctz(rest)), part = offset[lane] % 4;
    uint64_t at = shadow.wordOf(offset[lane]);
    Record word = shadow.writes[at];
    if (part + Bytes > 4)
      continue;
    if (!isKind(word, kSplit) &&
        (!Splits || word >= limit || shadow.reads[at] >= limit))
      continue;
    Shadow::Parts &parts = Splits ? shadow.split(at) : shadow.partsOf(word);
    Record *writes = parts.writes.data() + part,
           *reads = parts.reads.data() + part;
    Record mine = reach.mine | Record(lane) << 7;
    bool isOver = true;
    for (unsigned i = 0; i < Bytes; ++i)
      isOver &=
          ((writes[i] < limit) | (((writes[i] ^ mine) & kOwner) == 0)) &
          ((reads[i] < limit) | (!loads & (((reads[i] ^ mine) & kOwner) == 0)));
    if (!isOver)
      continue;
    for (unsigned i = 0; i < Bytes; ++i) {
      reads[i] = loads ? mine : 0;
      writes[i] = loads ? writes[i] : mine;
    }
    left &= ~(1u << lane);
  }
  return left;
}

/// Whether no two lanes that follow one another have bytes that do.
static bool isScattered(uint32_t mask, const uint64_t *offset, unsigned bytes) {
  for (uint32_t pairs = mask & mask >> 1; pairs; pairs &= pairs - 1) {
    unsigned lane = unsigned(__builtin_ctz(pairs));
    if (offset[lane + 1] - offset[lane] == bytes)
      return false;
  }
  return true;
}

/// Returns the lanes that must be looked at one by one.
uint32_t WholeAccesses::accessNarrow(Reach &reach, uint32_t mask,
                                     const uint64_t *offset, unsigned bytes) {
  if (reach.inFlight)
    return mask;
  if (isScattered(mask, offset, bytes))
    return bytes == 1 ? accessSplit<1, true>(reach, mask, offset)
                      : accessSplit<2, true>(reach, mask, offset);
  // Where the first word is split, others mostly are too.
  Shadow &shadow = reach.shadow;
  if (isKind(shadow.writes[shadow.wordOf(offset[__builtin_ctz(mask)])],
             kSplit)) {
    mask = bytes == 1 ? accessSplit<1, false>(reach, mask, offset)
                      : accessSplit<2, false>(reach, mask, offset);
    if (!mask)
      return 0;
  }
  unsigned lanes = 4 / bytes;
  uint32_t ofWord = (1u << lanes) - 1, left = mask;
  Record pattern = bytes == 1 ? 1 : 2;
  for (unsigned first = 0; first + lanes <= kLanes;) {
    bool together = !(ofWord & ~(mask >> first)) && offset[first] % 4 == 0;
    for (unsigned i = 1; together && i < lanes; ++i)
      together = offset[first + i] == offset[first] + i * bytes;
    if (!together) {
      ++first;
      continue;
    }
    if (accessTogether(reach, shadow.wordOf(offset[first]),
                       reach.mine | Record(first) << 7 | pattern))
      left &= ~(ofWord << first);
    first += lanes;
  }
  return left;
}

/// `mine` is of the word's lanes.
bool WholeAccesses::accessTogether(Reach &reach, uint64_t word, Record mine) {
  Record &write = reach.shadow.writes[word], &reads = reach.shadow.reads[word];
  bool stores = reach.kind == SanitizeKind::Store;
  auto isOrdered = [&](Record other) {
    if (other < reach.limit || ((other ^ mine) & kOwner) == 0)
      return true;
    if (other & (kSpecial | kSet))
      return stores && other == kUninitialized;
    return (other & mine & kAtomic) ||
           accessOrder.orderedForOwner(other, mine, reach.warp);
  };
  if (isKind(write, kSplit)) {
    if (!stores)
      return false;
    const Shadow::Parts &parts = reach.shadow.split(word);
    for (unsigned i = 0; i < 4; ++i)
      for (Record other : {parts.writes[i], parts.reads[i]})
        if (other >= reach.limit &&
            ((other & (kSpecial | kSet)) ||
             !accessOrder.orderedForOwner(other, ofByte(mine, i), reach.warp)))
          return false;
    reach.shadow.unite(word, mine);
    return true;
  }
  if (!isOrdered(write))
    return false;
  if (reach.kind != SanitizeKind::Load) {
    if (!isOrdered(reads))
      return false;
    write = mine;
    reads = 0;
    return true;
  }
  if (((reads ^ mine) & kOwner) == 0)
    return ((reads ^ mine) & kAtomic) == 0;
  switch (accessOrder.actionOn(reach, reads)) {
  case ReadAction::Replace:
    reads = mine;
    return true;
  case ReadAction::Keep:
    return true;
  case ReadAction::Join:
    break;
  }
  // By the same lanes in other words, every byte was read by several.
  bool ofContext = !(reads & kSet) && contextOf(reads) == contextOf(mine);
  if (ofContext && !(reads & kSeveral) && patternOf(reads) != patternOf(mine))
    return false;
  reads = readers.addReader(reach, reads, mine);
  return true;
}
