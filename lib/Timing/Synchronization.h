//===- Synchronization.h - What warps wait for one another at ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, mbarriers, warpgroups and groups of copies in time. The event that
// completes one has the time, which may lie in the future: a copy's arrival is
// known when it is issued.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_SYNCHRONIZATION_H
#define FUSION_LIB_TIMING_SYNCHRONIZATION_H

#include "fusion/Timing/Simulation.h"
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace fusion::timing {

struct Warp;

/// A time, and the issue that decided on it.
struct Moment {
  Cycles time = 0;
  uint32_t cause = Issue::kNone;
};
inline const Moment &later(const Moment &a, const Moment &b) {
  return a.time < b.time ? b : a;
}

/// Groups of asynchronous operations, which complete in their order.
class AsyncGroups {
public:
  /// Adds an operation that is complete at `done` to the group that is open.
  void add(const Moment &done) { open = later(open, done); }
  /// Closes the open group.
  void commit() {
    if (!groups.empty())
      open = later(open, groups.back());
    groups.push_back(open);
  }
  /// Returns when at most `left` groups are in flight.
  Moment completion(uint32_t left) const {
    return groups.size() > left ? groups[groups.size() - 1 - left] : Moment();
  }
  /// Returns when all operations are complete, of the open group as well.
  Moment completionOfAll() const { return open; }

private:
  std::vector<Moment> groups;
  Moment open;
};

/// A barrier of a block or cluster, which many warps complete again and again.
struct Barrier {
  uint32_t arrived = 0; ///< warps
  Moment last;          ///< the last arrival
  std::vector<Warp *> waiting;
  std::vector<Moment> completed; ///< by phase: when it completed
};

/// What the warps of a warpgroup do together. All execute the same wgmma, in
/// the same order (PTX ISA, "Asynchronous Warpgroup Level Matrix
/// Instructions"). They wait for one another at WARPGROUP.ARRIVE, and for the
/// wgmma of all of them at WARPGROUP.DEPBAR
/// (forums.developer.nvidia.com/t/318492).
class Warpgroup {
public:
  struct Waiter {
    Warp *warp;
    size_t count; ///< of its first wgmma, which must be complete
  };

  /// Notes that one of `warps` warps has issued its wgmma of a number. Returns
  /// whether all have.
  bool issue(size_t number, size_t warps) {
    if (number - done.size() == issued.size())
      issued.push_back(0);
    if (++issued[number - done.size()] < warps)
      return false;
    issued.pop_front();
    return true;
  }
  /// Notes when the first wgmma is complete that was not. They complete in
  /// their order.
  void complete(const Moment &at) {
    done.push_back(done.empty() ? at : later(at, done.back()));
  }
  /// Returns when the first `count` wgmma are complete, or nullopt if not all
  /// warps have issued them.
  std::optional<Moment> completion(size_t count) const {
    if (count > done.size())
      return std::nullopt;
    return count ? done[count - 1] : Moment();
  }

  Barrier arrivals; ///< at WARPGROUP.ARRIVE
  std::vector<Waiter> waiting;

private:
  std::vector<Moment> done;    ///< by wgmma: when it is complete
  std::deque<unsigned> issued; ///< by wgmma after these: by how many warps
};

/// An mbarrier (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier").
class Mbarrier {
public:
  struct Waiter {
    Warp *warp;
    std::optional<unsigned> scoreboard; ///< that is clear at the end
    uint32_t parity;
  };

  void initialize(uint32_t count) {
    expected = pending = count;
    bytes = 0;
    phase = 0;
    last = completedAt = Moment();
  }
  void expect(uint32_t more) { bytes += more; }
  /// Arrivals, and bytes that copies have written, at a time.
  void arrive(const Moment &time, uint32_t count) {
    pending -= count;
    last = later(last, time);
  }
  void complete(const Moment &time, uint32_t written) {
    bytes -= written;
    last = later(last, time);
  }

  /// Ends the phase if nothing is missing. Returns whether it did.
  bool advance() {
    if (pending > 0 || bytes != 0)
      return false;
    completedAt = last;
    last = Moment();
    pending += expected;
    ++phase;
    return true;
  }
  /// Returns when the phase of a parity ended, or nullopt if it has not.
  std::optional<Moment> completion(uint32_t parity) const {
    if ((phase & 1) == parity)
      return std::nullopt;
    return completedAt;
  }

  std::vector<Waiter> waiting;

private:
  int64_t expected = 0, pending = 0, bytes = 0;
  uint64_t phase = 0;
  Moment last, completedAt;
};

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_SYNCHRONIZATION_H
