//===- Synchronization.h - What warps wait for one another at ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, mbarriers and groups of copies in time. The event that completes
// one has the time, which may lie in the future: a copy's arrival is known when
// it is issued.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_SYNCHRONIZATION_H
#define FUSION_LIB_TIMING_SYNCHRONIZATION_H

#include "fusion/Timing/Queues.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace fusion::timing {

struct Warp;

/// Groups of asynchronous operations, which complete in their order.
class AsyncGroups {
public:
  /// Adds an operation that is complete at `done` to the group that is open.
  void add(Cycles done) { open = std::max(open, done); }
  /// Closes the open group.
  void commit() {
    open = std::max(open, groups.empty() ? 0 : groups.back());
    groups.push_back(open);
  }
  /// Returns when at most `left` groups are in flight.
  Cycles completion(uint32_t left) const {
    return groups.size() > left ? groups[groups.size() - 1 - left] : 0;
  }
  /// Returns when all operations are complete, of the open group as well.
  Cycles completionOfAll() const { return open; }

private:
  std::vector<Cycles> groups;
  Cycles open = 0;
};

/// A barrier of a block or cluster, which many warps complete again and again.
struct Barrier {
  uint32_t arrived = 0; ///< warps
  Cycles last = 0;      ///< the last arrival
  std::vector<Warp *> waiting;
  std::vector<Cycles> completed; ///< by phase: when it completed
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
    last = completedAt = 0;
  }
  void expect(uint32_t more) { bytes += more; }
  /// Arrivals, and bytes that copies have written, at a time.
  void arrive(Cycles time, uint32_t count) {
    pending -= count;
    last = std::max(last, time);
  }
  void complete(Cycles time, uint32_t written) {
    bytes -= written;
    last = std::max(last, time);
  }
  /// The phase does not end before `time`.
  void delay(Cycles time) { last = std::max(last, time); }

  /// Ends the phase if nothing is missing. Returns whether it did.
  bool advance() {
    if (pending > 0 || bytes != 0)
      return false;
    completedAt = last;
    last = 0;
    pending += expected;
    ++phase;
    return true;
  }
  /// Returns when the phase of a parity ended, or nullopt if it has not.
  std::optional<Cycles> completion(uint32_t parity) const {
    if ((phase & 1) == parity)
      return std::nullopt;
    return completedAt;
  }

  std::vector<Waiter> waiting;

private:
  int64_t expected = 0, pending = 0, bytes = 0;
  uint64_t phase = 0;
  Cycles last = 0, completedAt = 0;
};

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_SYNCHRONIZATION_H
