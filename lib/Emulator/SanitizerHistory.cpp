//===- SanitizerHistory.cpp - Sanitizers: readers, and what writes hide ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a place besides its last write (Shadow.h): several readers,
// and weak accesses behind a strong write.
//
//===----------------------------------------------------------------------===//

#include "SanitizerReach.h"

#include <algorithm>

using namespace fusion::emulator;

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

static Record withoutLane(Record record) {
  return (record & ~(Record(31) << 7 | kPattern)) |
         (record & kSeveral ? Record(0) : kUnknownLane);
}

/// Whether some of these readers are strong, and others not.
bool Sanitizer::areMixed(Record reads, Record mine) {
  if (!(reads & kSet))
    return (reads ^ mine) & kAtomic;
  const ReaderSets::Set &set = sets[lineOf(reads)];
  return std::any_of(set.begin(), set.end(),
                     [&](Record member) { return (member ^ mine) & kAtomic; });
}

/// Such readers: a strong write asks for the weak ones, whose lanes are not to
/// be taken for those of the strong ones.
Record Sanitizer::addMixedReader(Record reads, Record mine, const Warp &warp) {
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
               orderedForAll(member, warp)) {
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
Record Sanitizer::addReader(Record reads, Record mine, const Warp &warp) {
  isMixedUnion = contextOf(reads) && areMixed(reads, mine);
  if (isMixedUnion &&
      ((reads & kSet) || ((reads ^ mine) & kOwner) || (reads & kSeveral)))
    return addMixedReader(reads, mine, warp);
  if (!(reads & kSet) && contextOf(reads) == contextOf(mine))
    return joinedReader(reads, mine);
  mine = withoutLane(mine);
  if (!(reads & kSet))
    reads = withoutLane(reads);
  Union &memo =
      unions[(reads * 0x9e3779b97f4a7c15u ^ mine * 0xd6e8feb86659fd93u) >> 56];
  if (memo.reads == reads && memo.mine == mine)
    return memo.result;
  memo.reads = reads;
  memo.mine = mine;
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
    if (!orderedForAll(record, warp) && contextOf(record) != contextOf(mine))
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

//===----------------------------------------------------------------------===//
// Weak accesses behind a strong write
//===----------------------------------------------------------------------===//

/// Weak accesses that the last write hides, for a strong one.
void Sanitizer::checkOlder(Reach &reach, uint64_t offset, unsigned lane) {
  auto found = reach.shadow.older.find(offset);
  if (found == reach.shadow.older.end())
    return;
  bool writes = reach.kind != SanitizeKind::Load;
  for (const Shadow::Older &older : found->second) {
    if (older.access < reach.limit)
      continue;
    if (!older.writes && writes)
      checkReaders(reach, older.access, offset, lane);
    else if (older.writes && !ordered(older.access, reach.warp, int(lane)))
      race(reach, writes ? "write-after-write" : "read-after-write",
           older.access, offset, lane);
  }
}

bool Sanitizer::isOfSameThread(Record one, Record other) const {
  constexpr Record kLanes =
      kSpecial | 31 << 7 | kSeveral | kSet | kUnknownLane | kPattern;
  if (((one ^ other) & kLanes) || (one & kSet))
    return false;
  if (contextOf(one) == contextOf(other))
    return true;
  const Context &a = grid.contexts[contextOf(one)],
                &b = grid.contexts[contextOf(other)];
  return !(one & (kSeveral | kUnknownLane)) && a.block == b.block &&
         a.warp == b.warp && !slots::isCopy(a.warp);
}

/// Of a strong write over these records: whether there are weak accesses that
/// somebody may not come after.
bool Sanitizer::keepOlder(Reach &reach, Record write, Record reads,
                          uint64_t offset) {
  constexpr size_t kMost = 64; // the last ones matter
  bool isHiding = isKind(write, kHiding);
  bool keepsWrite = contextOf(write) && reach.hides(write);
  bool keepsReads = contextOf(reads) && reach.hides(reads);
  if (keepsReads && (reads & kSet)) {
    keepsReads = reads >= states.front().limit;
    if (keepsReads) {
      const ReaderSets::Set &set = sets[lineOf(reads)];
      keepsReads = std::any_of(set.begin(), set.end(), [](Record member) {
        return !(member & kAtomic);
      });
    }
  }
  if (!isHiding && !keepsWrite && !keepsReads)
    return false;
  std::vector<Shadow::Older> &older = reach.shadow.older[offset];
  if (!isHiding)
    older.clear();
  auto keep = [&](Record access, bool writes) {
    // What the thread did before comes before this.
    older.erase(std::remove_if(older.begin(), older.end(),
                               [&](const Shadow::Older &other) {
                                 return other.writes == writes &&
                                        isOfSameThread(other.access, access);
                               }),
                older.end());
    if (older.size() == kMost)
      older.erase(older.begin());
    older.push_back({access, writes});
  };
  older.erase(std::remove_if(older.begin(), older.end(),
                             [&](const Shadow::Older &other) {
                               return other.access < reach.limit;
                             }),
              older.end());
  if (keepsWrite)
    keep(write, true);
  if (keepsReads)
    keep(reads, false);
  return !older.empty();
}
