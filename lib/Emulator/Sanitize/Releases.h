//===- Releases.h - What threads release at addresses -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence makes a picture of the knowledge of its lanes (Told). A strong store
// after it leaves a Telling of the picture where it stores: one for all lanes
// that store at one place, or side by side. A thread that reads there learns
// from the Tellings that it has not seen yet. A Telling that a later one
// includes is dropped, so that the owners of a lock, one after another, leave
// one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_RELEASES_H
#define FUSION_LIB_EMULATOR_SANITIZE_RELEASES_H

#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Sanitize/HappensBefore.h"

#include <memory>

namespace fusion::emulator {

/// The knowledge of threads of a block at some time, which never changes.
/// ToldRef owns it.
struct Told {
  uint64_t block = 0;
  Knowledge known;

  /// Returns `known.foreign` and `known.warps` in the form that other blocks
  /// use.
  const Clocks &foreignForm() const {
    if (!hasForeign) {
      hasForeign = true;
      foreign = known.foreign;
      Knowledge::addForeignForm(foreign, known.warps, block);
    }
    return foreign;
  }
  /// Adds this knowledge to that of a thread of block `reader`.
  void tell(Knowledge &into, uint64_t reader) const {
    into.lanes.join(known.lanes);
    if (block == reader) {
      into.warps.join(known.warps);
      into.foreign.join(known.foreign);
    } else {
      into.joinForeign(foreignForm(), reader);
    }
  }

private:
  friend class ToldRef;
  uint32_t uses = 0;
  mutable bool hasForeign = false;
  mutable Clocks foreign;
};

class ToldRef {
public:
  ToldRef() = default;
  explicit ToldRef(Told *told) : told(told) { ++told->uses; }
  ToldRef(const ToldRef &other) : told(other.told) {
    if (told)
      ++told->uses;
  }
  ToldRef(ToldRef &&other) noexcept
      : told(std::exchange(other.told, nullptr)) {}
  ToldRef &operator=(ToldRef other) {
    std::swap(told, other.told);
    return *this;
  }
  ~ToldRef() {
    if (told && !--told->uses)
      delete told;
  }
  explicit operator bool() const { return told; }
  const Told &operator*() const { return *told; }
  const Told *operator->() const { return told; }

private:
  Told *told = nullptr;
};

/// The addresses of lanes, of words of 4 bytes: one address (stride 0), or lane
/// l at base + l * stride.
struct Places {
  uint64_t base;
  uint64_t stride;
  uint32_t lanes;

  uint64_t of(unsigned lane) const { return base + lane * stride; }
  /// Returns the lanes at `address`.
  uint32_t at(uint64_t address) const {
    if (!stride)
      return address == base ? lanes : 0;
    uint64_t distance = address - base;
    if (distance % stride || distance / stride >= kLanes)
      return 0;
    return lanes & 1u << distance / stride;
  }
  bool isAlike(const Places &other) const {
    return base == other.base && stride == other.stride;
  }
  Places only(uint32_t mask) const { return {base, stride, lanes & mask}; }
  /// Visits the addresses of lanes in as few `Places` as possible.
  template <class Visit>
  static void forEach(uint32_t mask, const uint64_t *address, Visit visit);
};

struct Telling {
  /// Sequential: by a fence.sc. Crossed: by a fence.sc of another thread,
  /// before a barrier; `clock` is kNever, and only a fence.sc acquires it.
  enum class Order : uint8_t { Release, Sequential, Crossed };
  static constexpr uint32_t kNever = UINT32_MAX;
  ToldRef told;
  uint64_t warp;  ///< Knowledge::warpKey
  uint32_t clock; ///< the lanes' accesses before it are told
  bool isWarp;    ///< the lanes are the whole warp
  Places places;  ///< no lanes: of several warps, in `told`
  uint64_t version;
  /// Order of fence.sc (SequentialOrder.cpp).
  Order order = Order::Release;

  /// Adds what `lanes` told to the knowledge of a thread of block `reader`.
  void tell(uint32_t lanes, Knowledge &into, uint64_t reader) const;
  /// Whether `known`, of a thread of block `reader`, includes all of it.
  /// Knowledge of a thread at a clock includes what that thread knew then.
  bool isKnown(uint32_t lanes, const Knowledge &known, uint64_t reader) const;
};

/// Tellings that lanes of a warp have seen, which a fence will add to their
/// knowledge.
struct Pending {
  struct Seen {
    Telling telling;
    uint32_t lanes, who; ///< lanes that saw it, lanes that told it
  };
  std::vector<Seen> seen;
  Knowledge all; ///< for all lanes; `lanes` adds to it
  LaneMap<Knowledge> lanes;

  bool empty() const { return seen.empty() && all.empty() && lanes.empty(); }
  void see(const Telling &telling, uint32_t lanes, uint32_t who);
};

/// The Tellings at addresses of a memory.
class Released {
public:
  bool empty() const { return lines.empty(); }
  void tell(const ToldRef &told, uint64_t warp, uint32_t clock, bool isWarp,
            const Places &places,
            Telling::Order order = Telling::Order::Release);
  /// Visits (lanes that read, telling, lanes that told) for the Tellings that
  /// the lanes of `warp` at `places` have not seen.
  template <class Visit>
  void hear(uint64_t warp, const Places &places, SeenVersions &seen,
            Visit visit) const;

private:
  static constexpr uint64_t kBytes = 128; ///< of a line
  static constexpr size_t kFew = 12;      ///< tellings
  struct Line {
    std::vector<Telling> tellings; ///< by version
    size_t limit = kFew;           ///< size from which tellings are dropped
  };
  template <class Visit>
  static void forLines(const Places &places, Visit visit);
  static void add(Line &line, Telling telling);
  static void prune(Line &line);

  std::unordered_map<uint64_t, Line> lines;
  uint64_t versions = 0;
};

template <class Visit>
void Places::forEach(uint32_t mask, const uint64_t *address, Visit visit) {
  constexpr uint64_t kWord = ~uint64_t(3);
  while (mask) {
    unsigned first = unsigned(__builtin_ctz(mask));
    uint64_t at = address[first] & kWord;
    uint32_t others = mask & (mask - 1);
    if (!others)
      return visit(Places{at, 0, mask});
    unsigned next = unsigned(__builtin_ctz(others));
    uint64_t stride = ((address[next] & kWord) - at) / (next - first);
    uint64_t base = at - first * stride, different = 0;
    if (mask == ~uint32_t(0))
      for (unsigned i = 0; i < kLanes; ++i)
        different |= (address[i] & kWord) ^ (base + i * stride);
    else
      for (uint32_t left = mask; left; left &= left - 1) {
        unsigned i = unsigned(__builtin_ctz(left));
        different |= (address[i] & kWord) ^ (base + i * stride);
      }
    if (!different && stride % 4 == 0 && stride < (1u << 16))
      return visit(Places{base, stride, mask});
    uint32_t same = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
      unsigned i = unsigned(__builtin_ctz(left));
      same |= uint32_t((address[i] & kWord) == at) << i;
    }
    visit(Places{at, 0, same});
    mask &= ~same;
  }
}

template <class Visit>
void Released::forLines(const Places &places, Visit visit) {
  unsigned least = unsigned(__builtin_ctz(places.lanes)),
           most = 31 - unsigned(__builtin_clz(places.lanes));
  if (places.of(least) / kBytes == places.of(most) / kBytes)
    return visit(places.of(least) / kBytes, places);
  for (uint32_t left = places.lanes; left;) {
    uint64_t line = places.of(unsigned(__builtin_ctz(left))) / kBytes;
    uint32_t lanes = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      unsigned lane = unsigned(__builtin_ctz(rest));
      if (places.of(lane) / kBytes != line)
        break;
      lanes |= 1u << lane;
    }
    visit(line, places.only(lanes));
    left &= ~lanes;
  }
}

template <class Visit>
void Released::hear(uint64_t warp, const Places &places, SeenVersions &seen,
                    Visit visit) const {
  forLines(places, [&](uint64_t number, const Places &here) {
    auto it = lines.find(number);
    if (it == lines.end())
      return;
    const std::vector<Telling> &tellings = it->second.tellings;
    uint64_t before = seen.look(&it->second, here.base * 64 + here.stride,
                                tellings.back().version, here.lanes);
    size_t first = tellings.size();
    while (first && tellings[first - 1].version > before)
      --first;
    for (size_t i = first; i < tellings.size(); ++i) {
      const Telling &telling = tellings[i];
      const Places &there = telling.places;
      bool isJoint = !there.lanes;
      if (!here.stride) {
        uint32_t who = isJoint ? there.base == here.base : there.at(here.base);
        if (who)
          visit(here.lanes, telling, isJoint ? 0 : who);
      } else if (!there.stride) {
        if (uint32_t who = here.at(there.base))
          visit(who, telling, there.lanes);
      } else if (telling.warp != warp || !there.isAlike(here)) {
        // Lanes of the same warp at the same places would learn of themselves
        // only.
        for (uint32_t left = here.lanes; left; left &= left - 1) {
          uint32_t lane = left & ~(left - 1);
          if (uint32_t who = there.at(here.of(unsigned(__builtin_ctz(left)))))
            visit(lane, telling, who);
        }
      }
    }
  });
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_RELEASES_H
