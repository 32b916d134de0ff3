//===- HappensBefore.h - What threads know of one another -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks, compressed. All lanes of a warp share a clock, which advances
// whenever any of them synchronises; a *context* is a warp at one value of its
// clock, numbered in the order of appearance. What a thread knows is mostly
// what its whole warp knows of whole warps; only where lanes synchronise alone
// (bar.warp.sync with a partial mask, an elected lane that stores a flag) are
// there entries for single lanes, on either side. So order is exact per thread
// and costs per warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_HAPPENSBEFORE_H
#define FUSION_LIB_EMULATOR_HAPPENSBEFORE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fusion::emulator {

/// What has a clock besides the warps of a CTA, in the numbering of warps.
namespace slots {
constexpr uint32_t kWarps = 32; ///< the most that a CTA has
/// The clock of warp w is repeated here by proxy fences: at w + kSharedProxy
/// for the async proxy in shared memory, at w + kGlobalProxy in global memory,
/// at w + kInit by fence.mbarrier_init.
constexpr uint32_t kSharedProxy = 32, kGlobalProxy = 64, kInit = 96;
/// Asynchronous operations are agents of their own: whoever waited for one
/// knows its clock. First the wgmma of every warp, then what bulk copies have,
/// in turns of four: two for agents, one for the cp.async that arrive at an
/// mbarrier, and one where proxy fences repeat the clock of these.
constexpr uint32_t kProducts = 128;
constexpr uint32_t kStarted = 160; ///< 1: the CTA runs
constexpr uint32_t kAgents = 161;
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

/// Clocks by key, sorted: joined all the time, so that a tree would cost more
/// than what it holds. Copies share their entries until one changes; a launch
/// with sanitizers runs on one thread, so that uses are plainly counted.
class Clocks {
public:
  using Entry = std::pair<uint64_t, uint32_t>;
  using Iterator = const Entry *;

  Clocks() = default;
  Clocks(const Clocks &other) : shared(other.shared) {
    if (shared)
      ++shared->uses;
  }
  Clocks(Clocks &&other) noexcept
      : shared(std::exchange(other.shared, nullptr)) {}
  Clocks &operator=(Clocks other) {
    std::swap(shared, other.shared);
    return *this;
  }
  ~Clocks() {
    if (shared)
      release();
  }

  Iterator begin() const { return shared ? shared->entries.data() : nullptr; }
  Iterator end() const { return begin() + size(); }
  size_t size() const { return shared ? shared->entries.size() : 0; }
  bool empty() const { return !size(); }
  /// The first whose key is not below.
  Iterator lowerBound(uint64_t key) const;
  Iterator find(uint64_t key) const;
  /// The larger clock of each key; whether that is anything new.
  bool join(uint64_t key, uint32_t clock);
  bool join(const Clocks &other);
  bool join(Iterator first, Iterator last);
  template <class Predicate> void eraseIf(Predicate isErased) {
    if (std::none_of(begin(), end(), isErased))
      return;
    std::vector<Entry> &entries = own();
    entries.erase(std::remove_if(entries.begin(), entries.end(), isErased),
                  entries.end());
  }
  /// A key that is above all.
  void append(uint64_t key, uint32_t clock) { own().emplace_back(key, clock); }

private:
  struct Shared {
    size_t uses = 1;
    std::vector<Entry> entries;
  };
  void release();
  /// To be changed, with room for `more`.
  std::vector<Entry> &own(size_t more = 0);

  Shared *shared = nullptr;
};

/// Clocks that are known, of threads of one block and of others: accesses at
/// earlier clocks come before.
struct Knowledge {
  std::vector<uint32_t> warps; ///< of this block, all their lanes
  Clocks lanes;                ///< by threadKey
  Clocks foreign;              ///< warps of other blocks, by warpKey

  static uint64_t warpKey(uint64_t block, uint32_t warp) {
    return block << 16 | warp;
  }
  static uint64_t threadKey(uint64_t block, uint32_t warp, unsigned lane) {
    return warpKey(block, warp) << 5 | lane;
  }

  /// Whether any of it is new.
  bool join(const Knowledge &other);
  /// And a single lane's.
  bool join(const Knowledge &other, uint64_t threadKey, uint32_t clock) {
    bool isNew = join(other);
    return lanes.join(threadKey, clock) || isNew;
  }
  void joinWarp(uint32_t warp, uint32_t clock) {
    if (warps.size() <= warp)
      warps.resize(warp + 1, 0);
    if (warps[warp] < clock)
      warps[warp] = clock;
  }
  bool empty() const {
    return warps.empty() && lanes.empty() && foreign.empty();
  }
  /// Of all lanes of a context's warp.
  bool knowsWarp(const Context &context, uint64_t block) const;
  bool knowsLane(const Context &context, unsigned lane) const;
  bool knowsAnyLane(const Context &context) const;
  /// A proxy fence: what is known of warps is known of the slots `by` on, and
  /// what is of deliveries likewise (slots::fencedSlot).
  void repeatAt(uint32_t by);
};

inline void joinEntry(Clocks &clocks, uint64_t key, uint32_t clock) {
  clocks.join(key, clock);
}

/// What was released at addresses, in a form that means the same in every
/// block (`Knowledge::warps` is empty); or, with Clocks, the threads that wrote
/// there by strong accesses, fence or not, and how far they were.
template <class Told> class ReleasedAt {
public:
  struct Entry {
    Told told;
    uint64_t version = 0; ///< no other state of any entry has it
  };
  bool empty() const { return entries.empty(); }
  /// Null where nothing was; the pointer stays valid.
  const Entry *find(uint64_t key) const {
    auto it = entries.find(key);
    return it == entries.end() ? nullptr : &it->second;
  }
  /// Adds to what is there; the arguments are those of Told::join.
  template <class... Added> void join(uint64_t key, const Added &...added) {
    Entry &entry = entries[key];
    if (entry.told.join(added...))
      entry.version = ++versions;
  }

private:
  std::unordered_map<uint64_t, Entry> entries;
  uint64_t versions = 0;
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

/// What the lanes of a warp have seen at addresses. Entries only grow, so that
/// the last look of a lane at each is enough; lanes that poll together look
/// together.
template <class Told> class SeenAt {
public:
  using Entry = typename ReleasedAt<Told>::Entry;

  bool empty() const { return looks.empty() && rest.empty(); }
  void see(const Entry &entry, uint32_t lanes) {
    bool isKnown = false;
    size_t kept = 0;
    for (size_t i = 0; i < looks.size(); ++i) {
      Look &look = looks[i];
      if (look.place == &entry && look.version == entry.version) {
        look.lanes |= lanes;
        isKnown = true;
      } else if (look.place == &entry) {
        look.lanes &= ~lanes;
      }
      if (!look.lanes)
        continue;
      if (kept != i)
        looks[kept] = std::move(look);
      ++kept;
    }
    looks.resize(kept);
    if (isKnown)
      return;
    if (looks.size() == kLooks) {
      for (uint32_t left = looks[0].lanes; left; left &= left - 1)
        rest[unsigned(__builtin_ctz(left))].join(looks[0].told);
      looks.erase(looks.begin());
    }
    looks.push_back({&entry, entry.version, lanes, entry.told});
  }
  /// What was seen elsewhere.
  void add(unsigned lane, const Told &told) { rest[lane].join(told); }
  template <class Visit> void forEach(unsigned lane, Visit visit) const {
    if (const Told *told = rest.find(lane))
      visit(*told);
    for (const Look &look : looks)
      if (look.lanes >> lane & 1)
        visit(look.told);
  }
  /// Of all these lanes.
  template <class Visit> void forCommon(uint32_t lanes, Visit visit) const {
    for (const Look &look : looks)
      if (!(lanes & ~look.lanes))
        visit(look.told);
  }
  void forgetCommon(uint32_t lanes) {
    for (Look &look : looks)
      if (!(lanes & ~look.lanes))
        look.lanes &= ~lanes;
    forget(0);
  }
  /// Those who have seen anything.
  uint32_t lanes() const {
    uint32_t lanes = rest.lanes();
    for (const Look &look : looks)
      lanes |= look.lanes;
    return lanes;
  }
  void forget(uint32_t lanes) {
    rest.erase(lanes);
    for (Look &look : looks)
      look.lanes &= ~lanes;
    looks.erase(std::remove_if(looks.begin(), looks.end(),
                               [](const Look &look) { return !look.lanes; }),
                looks.end());
  }

private:
  static constexpr size_t kLooks = 16;
  struct Look {
    const Entry *place;
    uint64_t version;
    uint32_t lanes;
    Told told;
  };
  std::vector<Look> looks;
  LaneMap<Told> rest; ///< of other places
};
using Released = ReleasedAt<Knowledge>;
using LooselyReleased = ReleasedAt<Clocks>;

/// Which lanes have seen what is at an address, so that lanes that poll do not
/// learn the same again and again. Nothing is ever forgotten by a lane.
class SeenReleases {
public:
  /// Of `lanes` those that have not; from now on they have.
  uint32_t unseen(const void *entry, uint64_t version, uint32_t lanes) {
    Place &place = places[(reinterpret_cast<uintptr_t>(entry) >> 4) % kPlaces];
    if (place.entry != entry || place.version != version)
      place = {entry, version, 0};
    uint32_t missing = lanes & ~place.lanes;
    place.lanes |= lanes;
    return missing;
  }

private:
  static constexpr size_t kPlaces = 8;
  struct Place {
    const void *entry = nullptr;
    uint64_t version = 0;
    uint32_t lanes = 0;
  };
  Place places[kPlaces];
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_HAPPENSBEFORE_H
