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

#include <cstddef>
#include <cstdint>
#include <memory>
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
/// knows its clock. First the wgmma of every warp, then what bulk copies have.
constexpr uint32_t kProducts = 128;
constexpr uint32_t kStarted = 160; ///< 1: the CTA runs
constexpr uint32_t kAgents = 161;
inline bool isAgent(uint32_t slot) {
  return slot >= kProducts && slot != kStarted;
}
} // namespace slots

/// A warp, or another slot, at one value of its clock.
struct Context {
  uint64_t block;
  uint32_t warp;
  uint32_t clock;
};

/// Clocks by key, sorted: joined all the time, so that a tree would cost more
/// than what it holds.
class Clocks {
public:
  using Entry = std::pair<uint64_t, uint32_t>;
  using Iterator = std::vector<Entry>::const_iterator;

  Iterator begin() const { return entries.begin(); }
  Iterator end() const { return entries.end(); }
  bool empty() const { return entries.empty(); }
  /// The first whose key is not below.
  Iterator lowerBound(uint64_t key) const;
  Iterator find(uint64_t key) const;
  /// The next one. Iterators behind it are invalid.
  Iterator erase(Iterator it) { return entries.erase(it); }
  void join(uint64_t key, uint32_t clock);
  void join(const Clocks &other) { join(other.begin(), other.end()); }
  void join(Iterator first, Iterator last);
  /// A key that is above all.
  void append(uint64_t key, uint32_t clock) {
    entries.emplace_back(key, clock);
  }

private:
  std::vector<Entry> entries;
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

  void join(const Knowledge &other);
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
  /// A proxy fence: what is known of warps is known of the slots `by` on.
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
    /// Those who have seen it keep it as it was then.
    std::shared_ptr<Told> told = std::make_shared<Told>();
    uint64_t version = 0; ///< no other state of any entry has it
  };
  bool empty() const { return entries.empty(); }
  /// Null where nothing was; the pointer stays valid.
  const Entry *find(uint64_t key) const {
    auto it = entries.find(key);
    return it == entries.end() ? nullptr : &it->second;
  }
  /// To add to what is there.
  Told &change(uint64_t key) {
    Entry &entry = entries[key];
    entry.version = ++versions;
    if (entry.told.use_count() > 1)
      entry.told = std::make_shared<Told>(*entry.told);
    return *entry.told;
  }

private:
  std::unordered_map<uint64_t, Entry> entries;
  uint64_t versions = 0;
};

/// What a lane has seen at addresses; entries only grow, so that the last look
/// at each is enough.
template <class Told> class SeenAt {
public:
  void see(const typename ReleasedAt<Told>::Entry &entry) {
    for (auto &[place, told] : looks)
      if (place == &entry) {
        told = entry.told;
        return;
      }
    if (looks.size() == kLooks) {
      rest.join(*looks.front().second);
      looks.erase(looks.begin());
    }
    looks.emplace_back(&entry, entry.told);
  }
  template <class Visit> void forEach(Visit visit) const {
    visit(rest);
    for (const auto &look : looks)
      visit(std::as_const(*look.second));
  }
  Told rest; ///< of other places

private:
  static constexpr size_t kLooks = 4;
  std::vector<std::pair<const void *, std::shared_ptr<Told>>> looks;
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
