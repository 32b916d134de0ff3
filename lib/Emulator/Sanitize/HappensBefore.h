//===- HappensBefore.h - What threads know of one another -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks (Clocks.h), compressed. All lanes of a warp share a clock,
// which advances whenever any of them synchronises. A *context* is a warp at
// one value of its clock; contexts are numbered in the order of appearance.
//
// What a thread knows is mostly what its whole warp knows of whole warps.
// Single lanes have entries, on either side, only where lanes synchronise
// alone: bar.warp.sync with a partial mask, or an elected lane that stores a
// flag. So order is exact per thread and costs per warp.
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_HAPPENSBEFORE_H
#define FUSION_LIB_EMULATOR_SANITIZE_HAPPENSBEFORE_H

#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Sanitize/Clocks.h"

#include "fusion/Target/Chips/Hardware.h"
#include <unordered_map>

namespace fusion::emulator {

/// Slots of clocks: the warps of a CTA, and other things that have a clock.
namespace slots {
constexpr uint32_t kWarps = kMaxWarps; ///< the most warps of a CTA
/// Proxy fences repeat the clock of warp w in other slots. At w + kSharedProxy
/// it is for the async proxy in shared memory, at w + kGlobalProxy in global
/// memory. fence.mbarrier_init repeats it at w + kInit, the releasing
/// fence.proxy.tensormap at w + kTensorMap.
constexpr uint32_t kSharedProxy = 32, kGlobalProxy = 64, kInit = 96,
                   kTensorMap = 128;
/// Asynchronous operations are agents of their own: a thread that has waited
/// for one knows its clock. The wgmma of every warp come first. The slots of
/// bulk copies follow in fours. Two are for agents, one is for the cp.async
/// that arrive at an mbarrier, and in one proxy fences repeat the clock of the
/// third.
constexpr uint32_t kProducts = 160;
constexpr uint32_t kStarted = 192; ///< 1: the CTA runs
constexpr uint32_t kAgents = 193;
/// The reads of warp w's cp.async, at w + kCopies, have an index in place of a
/// clock. Once a thread has waited, they count as reads of that time
/// (CopyReads).
constexpr uint32_t kCopies = 1 << 16;
inline bool isCopy(uint32_t slot) { return slot >= kCopies; }
inline bool isAgent(uint32_t slot) {
  return slot >= kProducts && slot != kStarted;
}
inline uint32_t agent(uint32_t index) {
  return kAgents + index / 2 * 4 + index % 2;
}
inline uint32_t delivery(uint32_t index) { return kAgents + index * 4 + 2; }
inline bool isDelivery(uint32_t slot) {
  return slot >= kAgents && (slot - kAgents) % 4 == 2;
}
/// Whether the slot's writes are of the generic proxy.
inline bool isGeneric(uint32_t slot) {
  return !isAgent(slot) || isDelivery(slot);
}
/// Returns the slot where a proxy fence of `by` (kSharedProxy, ...) repeats the
/// clock.
inline uint32_t fencedSlot(uint32_t slot, uint32_t by) {
  return isDelivery(slot) ? slot + 1 : slot + by;
}
inline bool isRepeated(uint32_t slot, uint32_t by) {
  return slot < kWarps || (by == kSharedProxy && isDelivery(slot));
}
} // namespace slots

/// A warp, or another slot, at one value of its clock.
struct Context {
  uint64_t block;
  uint32_t warp;
  uint32_t clock;
};

/// The clocks that threads of a block know, of this block and of others.
/// Accesses at earlier clocks come before. `lanes` and `foreign` mean the same
/// in every block.
struct Knowledge {
  WarpClocks warps; ///< of this block, for all their lanes
  Clocks lanes;     ///< by threadKey
  Clocks foreign;   ///< warps of other blocks, by warpKey

  static uint64_t warpKey(uint64_t block, uint32_t warp) {
    return block << 16 | warp;
  }
  static uint64_t threadKey(uint64_t block, uint32_t warp, unsigned lane) {
    return warpKey(block, warp) << 5 | lane;
  }

  /// Joins `other`. Returns whether that adds anything.
  bool join(const Knowledge &other);
  void joinLanes(uint64_t block, uint32_t warp, uint32_t mask, uint32_t clock) {
    lanes.joinLeaf(threadKey(block, warp, 0), mask, clock);
  }
  bool isShared(const Knowledge &other) const {
    return warps.isShared(other.warps) && lanes.isShared(other.lanes) &&
           foreign.isShared(other.foreign);
  }
  bool empty() const {
    return warps.empty() && lanes.empty() && foreign.empty();
  }
  /// Whether all lanes of the context's warp are known.
  bool knowsWarp(const Context &context, uint64_t block) const {
    if (context.block == block)
      return warps.at(context.warp) > context.clock;
    return !foreign.empty() &&
           foreign.at(warpKey(context.block, context.warp)) > context.clock;
  }
  bool knowsLane(const Context &context, unsigned lane) const {
    return !lanes.empty() && lanes.at(threadKey(context.block, context.warp,
                                                lane)) > context.clock;
  }
  bool knowsAnyLane(const Context &context) const;
  /// Adds clocks `known` of warps of any block. `block` is the block of this
  /// knowledge: its own warps may be among them.
  void joinForeign(const Clocks &known, uint64_t block);
  /// Adds the clocks of the block's own warps from `known`.
  void hearOwn(const Clocks &known, uint64_t block);
  /// Adds the clocks `warps` of `block` to `foreign`, in the form of the
  /// latter.
  static void addForeignForm(Clocks &foreign, const WarpClocks &warps,
                             uint64_t block);
  /// Applies a proxy fence: repeats the clocks of warps at the slots from `by`
  /// on, and the clocks of deliveries likewise (slots::fencedSlot).
  void repeatAt(uint32_t by);
};

/// Values for some lanes of a warp.
template <class T> class LaneMap {
public:
  uint32_t lanes() const { return present; }
  bool empty() const { return !present; }
  /// Returns the value of `lane`, or null if it has none.
  const T *find(unsigned lane) const {
    return present >> lane & 1 ? &values[lane] : nullptr;
  }
  T &operator[](unsigned lane) {
    if (values.empty())
      values.resize(kLanes);
    present |= 1u << lane;
    return values[lane];
  }
  void erase(uint32_t lanes) {
    for (uint32_t left = lanes & present; left; left &= left - 1)
      values[unsigned(__builtin_ctz(left))] = T();
    present &= ~lanes;
  }
  template <class Visit> void forEach(Visit visit) {
    for (uint32_t left = present; left; left &= left - 1)
      visit(values[unsigned(__builtin_ctz(left))]);
  }
  template <class Visit> void forEach(Visit visit) const {
    for (uint32_t left = present; left; left &= left - 1)
      visit(values[unsigned(__builtin_ctz(left))]);
  }

private:
  uint32_t present = 0;
  std::vector<T> values;
};

/// Visits the knowledge of these lanes. Consecutive lanes that share it are
/// visited once.
template <class Visit>
void forDistinct(const LaneMap<Knowledge> &known, uint32_t mask, Visit visit) {
  const Knowledge *last = nullptr;
  for (mask &= known.lanes(); mask; mask &= mask - 1) {
    const Knowledge *own = known.find(unsigned(__builtin_ctz(mask)));
    if (last && own->isShared(*last))
      continue;
    visit(*own);
    last = own;
  }
}

/// Adds to the knowledge of lanes by `add`. Lanes with equal knowledge share
/// the result.
template <class Add>
void addToLanes(LaneMap<Knowledge> &known, uint32_t mask, Add add) {
  // A single lane's knowledge is changed in place.
  if (!(mask & (mask - 1))) {
    if (mask)
      add(known[unsigned(__builtin_ctz(mask))]);
    return;
  }
  Knowledge before, after;
  bool isFirst = true;
  for (; mask; mask &= mask - 1) {
    Knowledge &own = known[unsigned(__builtin_ctz(mask))];
    if (!isFirst && own.isShared(before)) {
      own = after;
      continue;
    }
    isFirst = false;
    before = own;
    add(own);
    after = own;
  }
}

/// The threads that wrote at addresses by strong accesses, with or without a
/// fence, and their clocks at that time.
class LooselyReleased {
public:
  struct Entry {
    Clocks threads;
    uint64_t version = 0; ///< unique over all states of all entries
  };
  /// Returns the entry of `address`, or null; the pointer stays valid.
  const Entry *find(uint64_t address) const {
    auto it = entries.find(address);
    return it == entries.end() ? nullptr : &it->second;
  }
  void join(uint64_t address, uint64_t threadKey, uint32_t lanes,
            uint32_t clock) {
    Entry &entry = entries[address];
    if (entry.threads.joinLeaf(threadKey, lanes, clock))
      entry.version = ++versions;
  }

private:
  std::unordered_map<uint64_t, Entry> entries;
  uint64_t versions = 0;
};

/// The versions of objects that lanes have seen, so that polling lanes do not
/// learn the same repeatedly. Lanes never forget.
class SeenVersions {
public:
  /// Returns the version of `what` that these lanes have all seen, and records
  /// that they have now seen `version`. `form` tells ways of looking apart.
  uint64_t look(const void *what, uint64_t form, uint64_t version,
                uint32_t lanes) {
    Place &place =
        places[(reinterpret_cast<uintptr_t>(what) >> 4 ^ form) % kPlaces];
    uint64_t seen = 0;
    if (place.what != what || place.form != form)
      place = {what, form, version, lanes};
    else if (!(lanes & ~place.lanes))
      seen = place.version;
    if (place.version == version)
      place.lanes |= lanes;
    else
      place = {what, form, version, lanes};
    return seen;
  }

private:
  static constexpr size_t kPlaces = 8;
  struct Place {
    const void *what = nullptr;
    uint64_t form = 0, version = 0;
    uint32_t lanes = 0;
  };
  Place places[kPlaces];
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_HAPPENSBEFORE_H
