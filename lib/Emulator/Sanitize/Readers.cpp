//===- Readers.cpp - Sanitizers: several readers of a place ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those since the last write (ReaderSets.h).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Readers.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

static Record withoutLane(Record record) {
  return (record & ~(Record(31) << 7 | kPattern)) |
         (record & kSeveral ? Record(0) : kUnknownLane);
}

/// Whether some of these readers are strong, and others not.
bool Readers::areMixed(Record reads, Record mine) {
  if (!(reads & kSet))
    return (reads ^ mine) & kAtomic;
  const ReaderSets::Set &set = sets[lineOf(reads)];
  return std::any_of(set.begin(), set.end(),
                     [&](Record member) { return (member ^ mine) & kAtomic; });
}

/// Such readers: a strong write asks for the weak ones, whose lanes are not to
/// be taken for those of the strong ones.
Record Readers::addMixedReader(Record reads, Record mine, const Warp &warp) {
  ReaderSets::Set all{reads};
  if (reads & kSet)
    all = sets[lineOf(reads)];
  bool isAmong = false, isChanged = !(reads & kSet);
  ReaderSets::Set united;
  for (Record member : all) {
    bool isAlike = !((member ^ mine) & (kContext | kAtomic));
    if (isAlike && !isAmong) {
      isAmong = true;
      if (!(member & (kSeveral | kUnknownLane)) && ((member ^ mine) & kOwner)) {
        member = joinedReader(member, mine);
        isChanged = true;
      }
    } else if (!isAlike && (member & kAtomic || !(mine & kAtomic)) &&
               contextOf(member) != contextOf(mine) &&
               order.orderedForAll(member, warp)) {
      isChanged = true;
      continue;
    }
    united.push_back(member);
  }
  if (!isAmong)
    united.push_back(mine);
  else if (!isChanged)
    return reads;
  if (united.size() == 1)
    return united.front();
  ReaderSets::Set *fresh = sets.fresh();
  if (!fresh)
    return mine;
  uint32_t most = 0;
  for (Record record : united)
    most = std::max(most, contextOf(record));
  *fresh = std::move(united);
  return Record(most) << 32 | Record(sets.take()) << 12 | kSet;
}

/// The readers `reads` and the thread of `mine`; of readers that come before
/// all that its warp will do nothing need be known.
Record Readers::addReader(const Reach &reach, Record reads, Record mine) {
  const Warp &warp = reach.warp;
  // What was united before was not mixed, nor of one context.
  Record among = reads & kSet ? reads : withoutLane(reads),
         alone = withoutLane(mine);
  GridSanitizer::Union &memo = grid.unionOf(among, alone);
  if (memo.is(among, alone, epoch)) {
    isMixedUnion = false;
    return memo.result;
  }
  isMixedUnion = contextOf(reads) && areMixed(reads, mine);
  if (isMixedUnion &&
      ((reads & kSet) || ((reads ^ mine) & kOwner) || (reads & kSeveral))) {
    // Of global memory one is kept: the weak one, which races with more.
    if (reach.allocation)
      return mine & kAtomic ? reads : mine;
    return addMixedReader(reads, mine, warp);
  }
  if (!(reads & kSet) && contextOf(reads) == contextOf(mine))
    return joinedReader(reads, mine);
  mine = alone;
  reads = among;
  memo = {reads, mine, 0, epoch};
  if (reads & kSet) {
    // Another read of a context that is among them changes nothing.
    for (Record member : sets[lineOf(reads)])
      if (contextOf(member) == contextOf(mine) && !(member & ~mine & kAtomic))
        return memo.result = reads;
  }
  ReaderSets::Set *fresh = sets.fresh();
  if (!fresh)
    return memo.result = mine;
  ReaderSets::Set &set = *fresh;
  auto keep = [&](Record record) {
    if (!order.orderedForAll(record, warp) &&
        contextOf(record) != contextOf(mine))
      set.push_back(record);
  };
  if (reads & kSet)
    for (Record record : sets[lineOf(reads)])
      keep(record);
  else
    keep(reads);
  if (set.empty())
    return memo.result = mine;
  set.push_back(mine);
  uint32_t most = 0;
  for (Record record : set)
    most = std::max(most, contextOf(record));
  return memo.result = Record(most) << 32 | Record(sets.take()) << 12 | kSet;
}
