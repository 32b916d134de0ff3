//===- Histories.cpp - Sanitizers: what strong writes hide ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a place whose last write is a strong one: the accesses that are recorded
// besides it (Shadow.h).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Histories.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <utility>

using namespace fusion::emulator;

// The most accesses of a kind that are kept if not every warp has its place;
// the latest ones are kept.
static constexpr size_t kMostKept = 64;

/// Whether the access, or one of several, comes before the lane's access.
bool Histories::isKnown(const Reach &reach, Record access,
                        unsigned lane) const {
  return access < reach.limit || accessOrder.isAfterForAll(reach, access) ||
         order.ordered(access, reach.warp, int(lane)) ||
         (access & (kSeveral | kUnknownLane) &&
          order.isOwn(contextOf(access), reach.warp));
}

/// Whether a thread has read what strong writes left, since the last one, and
/// the lane's access comes after that read. It then comes after these writes as
/// well (PTX ISA, "Causality Order").
bool Histories::hasObserved(const Reach &reach, Record reads,
                            unsigned lane) const {
  if (!contextOf(reads) || reach.atomic())
    return false;
  if (!(reads & kSet))
    return (reads & kAtomic) && isKnown(reach, reads, lane);
  if (readers.isGone(reads))
    return false;
  const ReaderSets::Set &set = readers.sets[lineOf(reads)];
  return std::any_of(set.begin(), set.end(), [&](Record reader) {
    return (reader & kAtomic) && isKnown(reach, reader, lane);
  });
}

/// Checks a weak access against the strong writes that the last one hides.
void Histories::checkStrong(Reach &reach, const History &history, Record reads,
                            uint64_t offset, unsigned lane) {
  bool writes = reach.kind != SanitizeKind::Load;
  Record limit = reach.limit;
  if (!reach.allocation && order.hasCluster())
    limit = std::max(limit, order.settledInCluster());
  auto isOwnIn = [&](const History::Strong &strong) {
    return (strong.lanes >> lane & 1) &&
           order.isOwn(strong.context, reach.warp);
  };
  // When the writes were last observed, and when the writes before the last
  // store were.
  uint32_t seen = hasObserved(reach, reads, lane) ? UINT32_MAX : 0, before = 0;
  auto see = [&](uint32_t time) {
    seen = std::max(seen, time);
    if (time <= history.stored)
      before = std::max(before, time);
  };
  bool isLooked = false;
  auto look = [&] {
    isLooked = true;
    forStrong(reach, history, [&](const History::Strong &strong) {
      if (!strong.observes)
        return;
      Record access = strongRecord(strong);
      bool isBefore =
          access < limit || accessOrder.isAfterForAll(reach, access);
      for (uint32_t left = strong.lanes; left && !isBefore; left &= left - 1)
        isBefore = order.ordered(access | Record(__builtin_ctz(left)) << 7,
                                 reach.warp, int(lane));
      if (isBefore)
        see(strong.time);
      if (isBefore && strong.again)
        before = history.stored;
    });
    if (history.more)
      for (const History::Reader &reader : history.more->readers)
        if (isKnown(reach, reader.access, lane))
          see(reader.time);
  };
  forStrong(reach, history, [&](const History::Strong &strong) {
    Record access = strongRecord(strong);
    if (access < limit || accessOrder.isAfterForAll(reach, access))
      return;
    for (uint32_t left = strong.lanes; left; left &= left - 1) {
      unsigned other = unsigned(__builtin_ctz(left));
      Record one = access | Record(other) << 7;
      if (order.ordered(one, reach.warp, int(lane)))
        continue;
      if (!isLooked)
        look();
      // After stores by several lanes the last one's value remains.
      bool isStored = !strong.observes && strong.lanes >> other > 1;
      uint32_t until = isStored || strong.time < history.stored ? before : seen;
      bool isSeen = strong.time < until;
      // Lanes of an atomic are ordered one after another.
      if (strong.time == until && strong.observes && isOwnIn(strong))
        isSeen = strong.merged || other < lane;
      if (isSeen)
        continue;
      races.race(reach, writes ? "write-after-write" : "read-after-write", one,
                 offset, lane);
      return;
    }
  });
}

/// Checks any access against what the last write hides. `reads` are the reads
/// since that write.
void Histories::checkHidden(Reach &reach, Record write, Record reads,
                            uint64_t offset, unsigned lane) {
  if (!reach.hasHistory(write))
    return;
  bool writes = reach.kind != SanitizeKind::Load;
  const History &history = reach.shadow.historyAt(offset);
  if (!reach.atomic()) {
    checkStrong(reach, history, reads, offset, lane);
    if (writes && history.more)
      for (const History::Reader &reader : history.more->readers)
        races.checkReaders(reach, reader.access, offset, lane);
    return;
  }
  if (!history.more)
    return;
  for (const History::Weak &older : history.more->weak) {
    if (older.access < reach.limit)
      continue;
    if (!older.writes && writes)
      races.checkReaders(reach, older.access, offset, lane);
    else if (older.writes &&
             !order.ordered(older.access, reach.warp, int(lane)))
      races.race(reach, writes ? "write-after-write" : "read-after-write",
                 older.access, offset, lane);
  }
}

bool Histories::isOfSameThread(Record one, Record other) const {
  constexpr Record kThread =
      kSpecial | 31 << 7 | kSeveral | kSet | kUnknownLane | kPattern;
  if (((one ^ other) & kThread) || (one & kSet))
    return false;
  if (contextOf(one) == contextOf(other))
    return true;
  const Context &a = grid.contexts[contextOf(one)],
                &b = grid.contexts[contextOf(other)];
  return !(one & (kSeveral | kUnknownLane)) && a.block == b.block &&
         a.warp == b.warp && !slots::isCopy(a.warp);
}

void Histories::keepWeak(History::More &more, Record access, bool writes) {
  std::vector<History::Weak> &weak = more.weak;
  // The thread's own earlier accesses come before this one.
  weak.erase(std::remove_if(weak.begin(), weak.end(),
                            [&](const History::Weak &other) {
                              return other.writes == writes &&
                                     isOfSameThread(other.access, access);
                            }),
             weak.end());
  if (weak.size() == kMostKept)
    weak.erase(weak.begin());
  weak.push_back({access, writes});
}

void Histories::keepStrongReader(const Reach &reach, History::More &more,
                                 Record access) {
  std::vector<History::Reader> &readers = more.readers;
  for (History::Reader &reader : readers) {
    bool isSame = contextOf(reader.access) == contextOf(access);
    if (!isSame && !isOfSameThread(reader.access, access))
      continue;
    reader.access = isSame ? joinedReader(reader.access, access) : access;
    reader.time = reach.time;
    return;
  }
  if (readers.size() == (reach.allocation ? 1 : kMostKept))
    readers.erase(readers.begin());
  readers.push_back({access, reach.time});
}

/// Returns the place of a warp in histories of shared memory.
size_t Histories::placeOf(const Reach &reach, Record access) const {
  const Context &context = grid.contexts[contextOf(access)];
  return (context.block * warps + context.warp) % reach.shadow.placeCount();
}

/// Whether `fresh`, a later write of the same warp, makes `before` redundant.
bool Histories::isCovered(const Reach &reach, const History::Strong &before,
                          const History::Strong &fresh) {
  return !(before.lanes & ~fresh.lanes) ||
         accessOrder.isAfterForAll(reach, strongRecord(before));
}

/// Returns a record as a strong write of a history. For a record without
/// history it is unknown whether it is an atomic.
History::Strong Histories::strongWrite(const Reach &reach, Record access,
                                       uint32_t lanes) {
  bool isMine = contextOf(access) == contextOf(reach.mine);
  bool observes = !isMine || reach.kind == SanitizeKind::Atomic;
  return {contextOf(access), lineOf(access), observes, 0, 0, lanes, reach.time};
}

/// Returns `fresh`, united with `last` if both are of the same context.
History::Strong Histories::united(const History::Strong &last,
                                  History::Strong fresh) {
  if (last.context != fresh.context)
    return fresh;
  bool isOther = last.time != fresh.time;
  fresh.merged = last.merged || isOther;
  fresh.again |= last.again || (last.observes && isOther);
  fresh.observes |= last.observes;
  fresh.lanes |= last.lanes;
  return fresh;
}

void Histories::keepStrongWrite(const Reach &reach, History &history,
                                Record access, uint32_t lanes) {
  History::Strong fresh = strongWrite(reach, access, lanes);
  size_t index = reach.allocation ? 0 : placeOf(reach, access);
  History::Strong last = history.strong[index];
  // A thread that observes a store does not observe earlier writes.
  bool isStored =
      reach.kind == SanitizeKind::Store && (last.lanes & ~lanes) != 0;
  history.strong[index] = isStored ? fresh : united(last, fresh);
  if (!last.context || (last.context == fresh.context && !isStored))
    return;
  const Context &context = grid.contexts[fresh.context],
                &before = grid.contexts[last.context];
  bool isOfWarp = before.block == context.block && before.warp == context.warp;
  if (isOfWarp && last.observes) {
    // These lanes still have observed what they observed before.
    history.strong[index].observes = 1;
    history.strong[index].merged = 1;
    history.strong[index].again = 1;
  }
  if (isOfWarp ? isCovered(reach, last, fresh)
               : accessOrder.isAfterForAll(reach, strongRecord(last)))
    return;
  if (reach.allocation) {
    // As with readers, one write is kept; the seed decides which.
    History::Strong &other = history.strong[1];
    if (!other.context || !grid.keepsFirstReader ||
        accessOrder.isAfterForAll(reach, strongRecord(other)))
      other = last;
    return;
  }
  if (isOfWarp)
    last.lanes &= ~lanes;
  History::More &more = reach.shadow.moreOf(history);
  for (History::Strong &other : more.earlier)
    if (other.context == last.context && last.time < history.stored) {
      other = united(other, last);
      return;
    }
  if (more.earlier.size() < kMostKept)
    more.earlier.push_back(last);
  else
    more.earlier[more.oldest++ % kMostKept] = last;
}

/// Replaces earlier accesses by a strong write of these lanes, which hides
/// them.
void Histories::hide(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, uint32_t lanes) {
  Record mine = reach.mine | Record(31 - unsigned(__builtin_clz(lanes))) << 7;
  History *history =
      reach.hasHistory(write) ? &reach.shadow.historyAt(offset) : nullptr;
  // A thread that comes after this write comes after an earlier strong access
  // as well.
  auto isKept = [&](Record other) {
    if (!contextOf(other) || (other & kSpecial))
      return false;
    if (!(other & kAtomic))
      return other >= reach.settled;
    return other >= reach.limit && !accessOrder.isAfterForAll(reach, other);
  };
  Record before = withoutHiding(write);
  bool keepsWrite = !history && isKept(before) &&
                    !(before & kAtomic && isOfSameThread(before, mine));
  bool keepsReads = contextOf(reads);
  if (reads & kSet)
    keepsReads = !readers.isGone(reads);
  else
    keepsReads =
        isKept(reads) && !(reads & kAtomic && isOfSameThread(reads, mine));
  bool isSeveral = lanes & (lanes - 1);
  if (!history && (isSeveral || keepsWrite || keepsReads))
    history = &reach.shadow.addHistory(offset);
  Record read = std::exchange(reads, 0);
  if (!history) {
    write = mine;
    return;
  }
  write = (mine & ~kAtomic) | kHiding;
  // The accesses that it hides have earlier times.
  reach.time = reach.shadow.nextTime();
  if (history->more) {
    std::vector<History::Weak> &weak = history->more->weak;
    weak.erase(std::remove_if(weak.begin(), weak.end(),
                              [&](const History::Weak &older) {
                                return older.access < reach.settled;
                              }),
               weak.end());
    reach.shadow.dropEmpty(*history);
  }
  if (keepsWrite && (before & kAtomic))
    keepStrongWrite(reach, *history, before, 1u << laneOf(before));
  else if (keepsWrite)
    keepWeak(reach.shadow.moreOf(*history), before, true);
  auto keepReader = [&](Record reader) {
    if (!isKept(reader))
      return;
    History::More &more = reach.shadow.moreOf(*history);
    if (reader & kAtomic)
      keepStrongReader(reach, more, reader);
    else
      keepWeak(more, reader, false);
  };
  if (keepsReads && (read & kSet))
    for (Record reader : readers.sets[lineOf(read)])
      keepReader(reader);
  else if (keepsReads)
    keepReader(read);
  reach.time = reach.shadow.nextTime();
  keepStrongWrite(reach, *history, mine, lanes);
  if (reach.kind == SanitizeKind::Store)
    history->stored = reach.time;
}

/// Does what writeStrongly does for the most frequent case: no hidden weak
/// access and no reader. Returns false in other cases. `mine` is the record of
/// the last lane.
inline bool Histories::writeOften(Reach &reach, Record &write, uint64_t offset,
                                  Record mine, uint32_t lanes) {
  if (reach.own == Reach::kNoPlace)
    reach.own = reach.allocation ? 0 : placeOf(reach, mine);
  if (reach.hasHistory(write)) {
    History &history = reach.shadow.historyAt(offset);
    if (history.more)
      return false;
    History::Strong &place = history.strong[reach.own];
    bool isSame = place.context == contextOf(mine);
    if (isSame && reach.kind == SanitizeKind::Store && (place.lanes & ~lanes))
      return false;
    if (reach.allocation && !isSame) {
      // As with readers, one write is kept; the seed decides which.
      History::Strong &other = history.strong[1];
      bool isCovered =
          !(place.lanes & ~lanes) && order.isOwn(place.context, reach.warp);
      if (!isCovered && (!other.context || reach.keepsLast ||
                         accessOrder.isAfterForAll(reach, strongRecord(other))))
        other = place;
    } else if (!isSame && place.context) {
      return false;
    }
    if (!reach.time)
      reach.time = reach.shadow.nextTime();
    place = united(place, strongWrite(reach, mine, lanes));
    if (reach.kind == SanitizeKind::Store)
      history.stored = reach.time;
    write = (mine & ~kAtomic) | kHiding;
    return true;
  }
  Record before = write;
  if ((before & kSpecial) || !(before & kAtomic) || patternOf(before) ||
      (lanes & (lanes - 1)))
    return false;
  if (before < reach.limit || ((before ^ mine) & kOwner) == 0 ||
      isOfSameThread(before, mine) ||
      accessOrder.isAfterForAll(reach, before)) {
    write = mine;
    return true;
  }
  size_t place = reach.allocation ? 1 : placeOf(reach, before);
  if (place == reach.own)
    return false;
  History &history = reach.shadow.addHistory(offset);
  reach.time = reach.shadow.nextTime();
  history.strong[place] = strongWrite(reach, before, 1u << laneOf(before));
  reach.time = reach.shadow.nextTime();
  history.strong[reach.own] = strongWrite(reach, mine, lanes);
  if (reach.kind == SanitizeKind::Store)
    history.stored = reach.time;
  write = (mine & ~kAtomic) | kHiding;
  return true;
}

/// Handles strong writes to the words of all lanes.
bool Histories::storeStrongly(Reach &reach, ShadowWords &words) {
  if (reach.allocation)
    for (unsigned j = 0; j < words.count; j += words.perLane)
      reach.shadow.prefetchHistory(words.offset[laneOf(words.owner[j])]);
  for (unsigned j = 0; j < words.count; ++j) {
    unsigned lane = laneOf(words.owner[j]);
    uint64_t place = words.place[j],
             offset = words.offset[lane] + 4 * (j % words.perLane);
    Record &write = reach.shadow.writes[place],
           &reads = reach.shadow.reads[place];
    if ((reads ||
         !writeOften(reach, write, offset, words.owner[j], 1u << lane)) &&
        !writeStrongly(reach, write, reads, offset, 1u << lane))
      return false;
  }
  return true;
}

/// Records a strong write of these lanes if no check can fail. Returns false if
/// the access needs the full check.
bool Histories::writeStrongly(Reach &reach, Record &write, Record &reads,
                              uint64_t offset, uint32_t lanes) {
  Record mine = reach.mine | Record(31 - unsigned(__builtin_clz(lanes))) << 7;
  bool isSeveral = lanes & (lanes - 1);
  if (!reads && writeOften(reach, write, offset, mine, lanes))
    return true;
  History *history =
      reach.hasHistory(write) ? &reach.shadow.historyAt(offset) : nullptr;
  auto isFine = [&](Record other) {
    if (patternOf(other) && other >= reach.settled)
      return false;
    return other < reach.limit || (other & kAtomic) ||
           (!isSeveral && ((other ^ mine) & kOwner) == 0) ||
           accessOrder.isAfterForAll(reach, other);
  };
  if (history) {
    if (history->more)
      for (const History::Weak &older : history->more->weak)
        if (!isFine(older.access))
          return false;
  } else {
    Record before = withoutHiding(write);
    if (before & kSpecial) {
      if (before != kUninitialized || reach.kind != SanitizeKind::Store)
        return false;
    } else if (!isFine(before)) {
      return false;
    }
  }
  if ((reads & (kSpecial | kSet)) || (reads && !isFine(reads)))
    return false;
  hide(reach, write, reads, offset, lanes);
  return true;
}

/// Whether a strong read of a word is no race with anything that its last write
/// hides.
bool Histories::readsHiddenFine(const Reach &reach, uint64_t offset,
                                Record mine) const {
  const History::More *more = reach.shadow.historyAt(offset).more;
  if (!more)
    return true;
  for (const History::Weak &older : more->weak)
    if (older.writes && older.access >= reach.limit &&
        ((older.access ^ mine) & kOwner) != 0 &&
        !accessOrder.isAfterForAll(reach, older.access))
      return false;
  return true;
}
