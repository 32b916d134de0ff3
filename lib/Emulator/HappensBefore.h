//===- HappensBefore.h - What threads know of one another -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks (Clocks.h), compressed. All lanes of a warp share a clock,
// which advances whenever any of them synchronises; a *context* is a warp at
// one value of its clock, numbered in the order of appearance. What a thread
// knows is mostly what its whole warp knows of whole warps; only where lanes
// synchronise alone (bar.warp.sync with a partial mask, an elected lane that
// stores a flag) are there entries for single lanes, on either side. So order
// is exact per thread and costs per warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_HAPPENSBEFORE_H
#define FUSION_LIB_EMULATOR_HAPPENSBEFORE_H

#include "Clocks.h"

#include "fusion/Target/Hardware.h"
#include <unordered_map>

namespace fusion::emulator {

/// What has a clock besides the warps of a CTA, in the numbering of warps.
namespace slots {
constexpr uint32_t kWarps = kMaxWarps; ///< the most that a CTA has
/// The clock of warp w is repeated here by proxy fences: at w + kSharedProxy
/// for the async proxy in shared memory, at w + kGlobalProxy in global memory,
/// at w + kInit by fence.mbarrier_init, at w + kTensorMap by the releasing
/// fence.proxy.tensormap.
constexpr uint32_t kSharedProxy = 32, kGlobalProxy = 64, kInit = 96,
                   kTensorMap = 128;
/// Asynchronous operations are agents of their own: whoever waited for one
/// knows its clock. First the wgmma of every warp, then what bulk copies have,
/// in turns of four: two for agents, one for the cp.async that arrive at an
/// mbarrier, and one where proxy fences repeat the clock of these.
constexpr uint32_t kProducts = 160;
constexpr uint32_t kStarted = 192; ///< 1: the CTA runs
constexpr uint32_t kAgents = 193;
/// What the cp.async of warp w read, at w + kCopies, has no clock but an index:
/// once somebody has waited, it counts as read then (CopyReads).
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
/// Whether its writes are of the generic proxy.
inline bool isGeneric(uint32_t slot) {
  return !isAgent(slot) || isDelivery(slot);
}
/// Where a proxy fence of `by` (kSharedProxy, ...) repeats the slot's clock.
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

/// Clocks that are known, of threads of one block and of others: accesses at
/// earlier clocks come before. `lanes` and `foreign` mean the same in every
/// block.
struct Knowledge {
  WarpClocks warps; ///< of this block, all their lanes
  Clocks lanes;     ///< by threadKey
  Clocks foreign;   ///< warps of other blocks, by warpKey

  static uint64_t warpKey(uint64_t block, uint32_t warp) {
    return block << 16 | warp;
  }
  static uint64_t threadKey(uint64_t block, uint32_t warp, unsigned lane) {
    return warpKey(block, warp) << 5 | lane;
  }

  /// Whether any of it is new.
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
  /// Of all lanes of a context's warp.
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
  /// Adds what is known of warps of any block, `block` being the one whose
  /// knowledge this is: its warps may be among them.
  void joinForeign(const Clocks &known, uint64_t block);
  /// Of these, what is known of the block's own warps.
  void hearOwn(const Clocks &known, uint64_t block);
  /// Adds `warps` of that block to what is in the form of `foreign`.
  static void addForeignForm(Clocks &foreign, const WarpClocks &warps,
                             uint64_t block);
  /// A proxy fence: what is known of warps is known of the slots `by` on, and
  /// what is of deliveries likewise (slots::fencedSlot).
  void repeatAt(uint32_t by);
};

/// Something for some lanes of a warp.
template <class T> class LaneMap {
public:
  uint32_t lanes() const { return present; }
  bool empty() const { return !present; }
  /// Null where there is none.
  const T *find(unsigned lane) const {
    return present >> lane & 1 ? &values[lane] : nullptr;
  }
  T &operator[](unsigned lane) {
    if (values.empty())
      values.resize(32);
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

/// Visits what these lanes know; what lanes that follow one another share,
/// once.
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

/// Adds to what lanes know, by `add`; those that know the same come to know the
/// same.
template <class Add>
void addToLanes(LaneMap<Knowledge> &known, uint32_t mask, Add add) {
  // Nobody else sees that lane's, so that it is changed where it is.
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

/// Who wrote at addresses by strong accesses, fence or not, and how far these
/// threads were.
class LooselyReleased {
public:
  struct Entry {
    Clocks threads;
    uint64_t version = 0; ///< no other state of any entry has it
  };
  /// Null where nobody did; the pointer stays valid.
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

/// Which lanes have seen what is somewhere, so that lanes that poll do not
/// learn the same again and again. Nothing is ever forgotten by a lane.
class SeenVersions {
public:
  /// What these lanes have all seen of `what`, by version; from now on they
  /// have seen it up to `version`. `form` tells apart who looks how.
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

#endif // FUSION_LIB_EMULATOR_HAPPENSBEFORE_H
