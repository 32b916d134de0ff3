//===- WholeRows.cpp - Sanitizers: rows of global memory ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that follow one another and have a row of 32 bytes together: two
// records stand for all of it (Shadow.h).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/WholeAccesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

/// Returns the lanes that must be looked at by word.
uint32_t WholeAccesses::accessRows(Reach &reach, uint32_t mask,
                                   const uint64_t *offset, unsigned bytes,
                                   bool contiguous) {
  Shadow &shadow = reach.shadow;
  uint32_t left = mask;
  // After a while all rows are looked at by word.
  if (mask == kFullMask && !contiguous && bytes <= kRowBytes) {
    bool isExpanded = true;
    for (unsigned i = 0; i < kLanes; ++i)
      isExpanded &= shadow.isExpanded(offset[i] / kRowBytes);
    if (isExpanded)
      return mask;
  }
  if (bytes <= 16 && !(bytes & (bytes - 1))) {
    unsigned lanes = kRowBytes / bytes;
    uint32_t ofRow = lanes == kLanes ? kFullMask : (1u << lanes) - 1;
    Record pattern = Record(__builtin_ctz(bytes)) + 1;
    bool loads = reach.kind == SanitizeKind::Load;
    for (unsigned first = 0; first < kLanes; first += lanes) {
      uint64_t begin = offset[first];
      bool whole = !(ofRow & ~(mask >> first)) && begin % kRowBytes == 0;
      if (whole && !contiguous)
        for (unsigned i = 1; i < lanes; ++i)
          whole &= offset[first + i] == begin + i * bytes;
      if (!whole || shadow.isExpanded(begin / kRowBytes))
        continue;
      Shadow::Row &row = shadow.rows[begin / kRowBytes];
      Record mine = reach.mine | Record(first) << 7 | pattern;
      bool isOver = (row.write < reach.limit) & (row.reads < reach.limit);
      if (isOver && loads)
        row.reads = mine;
      else if (isOver)
        row = {mine, 0};
      if (isOver || accessRow(reach, row, mine))
        left &= ~(ofRow << first);
    }
  }
  uint64_t last = ~uint64_t(0);
  for (uint32_t rest = left; rest; rest &= rest - 1) {
    uint64_t begin = offset[__builtin_ctz(rest)], end = begin + bytes;
    for (uint64_t row = begin / kRowBytes; row * kRowBytes < end; ++row)
      if (row != last && !shadow.isExpanded(row)) {
        shadow.expand(row);
        last = row;
      }
  }
  return left;
}

bool WholeAccesses::accessRow(Reach &reach, Shadow::Row &row, Record mine) {
  if (row.write == kByWord)
    return false;
  // Rows have no history.
  constexpr Record kThread =
      kSpecial | 31 << 7 | kSeveral | kSet | kUnknownLane | kPattern;
  auto isHidden = [&](Record other) {
    if (!contextOf(other) || !(other & kAtomic))
      return contextOf(other) != 0;
    bool isOwnEarlier = !((other ^ mine) & kThread) &&
                        order.isOwn(contextOf(other), reach.warp);
    return !isOwnEarlier && !accessOrder.isAfterForAll(reach, other);
  };
  if (reach.hides() && (isHidden(row.write) || isHidden(row.reads)))
    return false;
  auto isOwn = [&](Record other) { return ((other ^ mine) & kOwner) == 0; };
  auto isOrdered = [&](Record other) {
    return other < reach.limit || isOwn(other) || (other & mine & kAtomic) ||
           accessOrder.isAfterForAll(reach, other) ||
           // Its own lanes, earlier.
           accessOrder.orderedForOwner(other, mine, reach.warp);
  };
  if (!isOrdered(row.write))
    return false;
  if (reach.kind != SanitizeKind::Load) {
    if (!isOrdered(row.reads))
      return false;
    row = {mine, 0};
    return true;
  }
  if (isOwn(row.reads))
    return !((row.reads ^ mine) & kAtomic);
  switch (accessOrder.actionOn(reach, row.reads)) {
  case ReadAction::Replace:
    row.reads = mine;
    return true;
  case ReadAction::Keep:
    return true;
  case ReadAction::Join:
    return false;
  }
  return false;
}
