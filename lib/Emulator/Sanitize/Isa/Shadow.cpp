//===- Shadow.cpp - Records of the words that a warp accesses -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a whole access at once. The sanitizer checks lane by lane what the
// answers leave open (Accesses.cpp).
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/Lanes.h"

#include "Emulator/Sanitize/Shadow.h"
#include "Emulator/Sanitize/ShadowTable.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

/// Fills in places, owners and copies of the records. Returns false if an
/// address is not that of a word.
template <unsigned PerLane>
inline bool collect(ShadowWords &x, const Record *writes, const Record *reads) {
  uint64_t first[kLanes], bits = 0;
  alignas(64) Record owner[kLanes];
  unsigned lanes = kLanes;
  if (x.mask == kFullMask) {
    for (unsigned i = 0; i < kLanes; ++i) {
      bits |= x.offset[i];
      first[i] = x.offset[i] / 4;
      first[i] += first[i] & x.interleaved;
      owner[i] = x.mine | Record(i) << 7;
    }
  } else {
    lanes = 0;
    for (uint32_t left = x.mask; left; left &= left - 1) {
      unsigned i = unsigned(__builtin_ctz(left));
      bits |= x.offset[i];
      first[lanes] = x.offset[i] / 4;
      first[lanes] += first[lanes] & x.interleaved;
      owner[lanes++] = x.mine | Record(i) << 7;
    }
  }
  if (bits & 3)
    return false;
  x.count = lanes * PerLane;
  for (unsigned i = 0; i < lanes; ++i)
    for (unsigned k = 0; k < PerLane; ++k) {
      x.place[i * PerLane + k] = first[i] + k;
      x.owner[i * PerLane + k] = owner[i];
    }
  if (x.contiguous) {
    x.write = writes + first[0];
    x.read = reads + first[0];
    return true;
  }
  x.write = x.writeCopy;
  x.read = x.readCopy;
  if (PerLane == 1 && lanes == kLanes) {
    FUSION_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
      x.writeCopy[i] = writes[first[i]];
      x.readCopy[i] = reads[first[i]];
    }
    return true;
  }
  for (unsigned i = 0; i < lanes; ++i) {
    __builtin_memcpy(x.writeCopy + i * PerLane, writes + first[i], 8 * PerLane);
    __builtin_memcpy(x.readCopy + i * PerLane, reads + first[i], 8 * PerLane);
  }
  return true;
}

/// Whether the answers follow from the first word's records: the writes need no
/// check, and the reads are alike.
inline bool examineFront(ShadowWords &x) {
  const Record *write = x.write, *read = x.read;
  Record limit = x.limit, front = read[0], different = 0;
  Record alike = front & kSet ? ~Record(0) : ~kPlace;
  for (unsigned j = 0; j < x.count; ++j)
    different |= Record(write[j] >= limit) | ((read[j] ^ front) & alike);
  bool own = (front ^ x.mine) >> 32 == 0;
  if (different || (own && (front & (kSeveral | kSet)) != kSeveral))
    return false;
  x.writesFine = x.readsAlike = true;
  x.readsFree = x.readsFine = front < limit;
  x.readsKept = own && !(front & ~x.mine & kAtomic);
  return true;
}

/// Checks all records without branches, so that the loop vectorises.
inline void examine(ShadowWords &x) {
  const Record *write = x.write, *read = x.read, *owner = x.owner;
  Record limit = x.limit, atomic = x.mine & kAtomic;
  Record uninitialized = x.stores ? kUninitialized : 0;
  Record front = read[0];
  // A strong write may hide the lane's own weak ones, and others (Shadow.h).
  Record owned = kOwner | (x.loads ? 0 : atomic);
  Record alikes = x.loads ? atomic : 0;
  // Readers of several contexts are alike if they are the same set.
  Record alike = front & kSet ? ~Record(0) : ~kPlace;
  Record badWrites = 0, badReads = 0, taken = 0, changed = 0, different = 0;
  for (unsigned j = 0; j < x.count; ++j) {
    Record w = write[j], r = read[j], m = owner[j];
    // Records of an earlier context of the warp count if they are of the lane
    // itself.
    bool written = (((w ^ x.writesBefore) & kContext) != 0) &
                   (((w ^ x.ownWrites) & kContext) != 0 ||
                    (((w ^ m) & owned & ~kContext) != 0));
    bool wasRead =
        ((((r ^ x.readsBefore) & kContext) != 0) | ((r & kSet) != 0)) &
        (((r ^ x.ownReads) & kContext) != 0 ||
         (((r ^ m) & owned & ~kContext) != 0));
    badWrites |= Record((w >= limit) & written & (((w ^ m) & owned) != 0) &
                        (w != uninitialized) & ((w & alikes) == 0));
    bool above = (r >= limit) & wasRead;
    bool other = ((r ^ m) & kOwner) != 0;
    bool weaker = (r & ~m & kAtomic) != 0;
    bool among =
        (((r ^ m) & kContext) == 0) & ((r & (kSeveral | kSet)) == kSeveral);
    taken |= Record(above);
    badReads |= Record(above & (((r ^ m) & owned) != 0));
    changed |= Record(!above | (other & !among) | weaker);
    different |= (r ^ front) & alike;
  }
  x.writesFine = !badWrites;
  x.readsFree = !taken;
  x.readsFine = !badReads;
  x.readsKept = !changed;
  x.readsAlike = !different;
}

template <unsigned PerLane>
inline bool scatter(const ShadowWords &x, const Record *from, Record *to) {
  if (x.contiguous) {
    __builtin_memcpy(to + x.place[0], from, 8 * kLanes * PerLane);
    return true;
  }
  Record lost = 0;
  if (PerLane == 1 && x.count == kLanes) {
    // The last lane wins.
    for (unsigned j = 0; j < kLanes; ++j)
      to[x.place[j]] = from[j];
    FUSION_LANES
    for (unsigned j = 0; j < kLanes; ++j)
      lost |= to[x.place[j]] ^ from[j];
    return !lost;
  }
  for (unsigned j = 0; j < x.count; j += PerLane)
    __builtin_memcpy(to + x.place[j], from + j, 8 * PerLane);
  for (unsigned j = 0; j < x.count; j += PerLane)
    lost |= to[x.place[j]] ^ from[j];
  return !lost;
}

template <unsigned PerLane>
inline void fill(const ShadowWords &x, Record record, Record *to) {
  for (unsigned j = 0; j < x.count; j += PerLane)
    for (unsigned k = 0; k < PerLane; ++k)
      to[x.place[j] + k] = record;
}

} // namespace

bool gather(ShadowWords &x, const Record *writes, const Record *reads) {
  bool whole = x.perLane == 1   ? collect<1>(x, writes, reads)
               : x.perLane == 2 ? collect<2>(x, writes, reads)
                                : collect<4>(x, writes, reads);
  if (whole && !examineFront(x))
    examine(x);
  return whole;
}

bool scatter(const ShadowWords &x, const Record *from, Record *to) {
  return x.perLane == 1   ? scatter<1>(x, from, to)
         : x.perLane == 2 ? scatter<2>(x, from, to)
                          : scatter<4>(x, from, to);
}

void fill(const ShadowWords &x, Record record, Record *to) {
  x.perLane == 1   ? fill<1>(x, record, to)
  : x.perLane == 2 ? fill<2>(x, record, to)
                   : fill<4>(x, record, to);
}

bool replace(const ShadowWords &x, const uint32_t *asked, bool keepsFirst,
             Record *to) {
  const Record *read = x.read;
  Record limit = x.limit, unknown = 0, any = 0;
  uint32_t mine = contextOf(x.mine);
  Record replaced[ShadowWords::kMax];
  FUSION_LANES
  for (unsigned j = 0; j < x.count; ++j) {
    Record r = read[j];
    uint32_t number = contextOf(r), slot = asked[number % kAsked];
    bool isFree = r < limit, isOwn = number == mine;
    bool isKnown = (slot >> 1 == number) & !isOwn;
    bool isSettled =
        isOwn & (((r & kSeveral) != 0) | (((r ^ x.owner[j]) & kOwner) == 0)) &
        ((r & ~x.mine & kAtomic) == 0);
    bool isSpecial = (r & (kSpecial | kSet)) != 0;
    bool replaces = isFree | (isKnown & (!keepsFirst | ((slot & 1) != 0)));
    replaced[j] = replaces;
    any |= Record(replaces);
    unknown |= Record((!isFree & !isKnown & !isSettled) | isSpecial);
  }
  if (unknown || !any)
    return !unknown;
  for (unsigned j = 0; j < x.count; ++j)
    if (replaced[j])
      to[x.place[j]] = x.owner[j];
  for (unsigned j = 0; j < x.count; ++j)
    // If the record is another lane's, several lanes read the word.
    if (replaced[j] && to[x.place[j]] != x.owner[j])
      to[x.place[j]] = x.mine | kSeveral;
  return true;
}

extern const ShadowTable shadows;
const ShadowTable shadows = {gather, scatter, fill, replace};

} // namespace fusion::emulator::FUSION_ISA
