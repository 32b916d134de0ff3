//===- Queues.h - Resources that serve one after the other ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timing asks for resources in the order of time. Each answers at once when
// it will be done, so that no event is needed for a request on its way.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_QUEUES_H
#define FUSION_TIMING_QUEUES_H

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

namespace fusion::timing {

/// Cycles of the SM's clock since the launch.
using Cycles = double;
constexpr Cycles kNever = std::numeric_limits<double>::infinity();

/// Serves requests in their order, at a rate.
class Queue {
public:
  /// `cost`: cycles per unit.
  explicit Queue(double cost = 1) : cost(cost) {}

  /// Returns when `amount` units that are asked for now are done.
  Cycles take(Cycles now, double amount) {
    Cycles cycles = amount * cost;
    free = std::max(now, free) + cycles;
    busy += cycles;
    return free;
  }
  /// Returns when the next request can begin.
  Cycles begin(Cycles now) const { return std::max(now, free); }
  /// Returns the cycles that were spent on requests.
  Cycles busyCycles() const { return busy; }

private:
  double cost;
  Cycles free = 0, busy = 0;
};

/// The next time of each of many actors, and the first of all.
class Agenda {
public:
  explicit Agenda(unsigned actors) : leaves(1) {
    while (leaves < actors)
      leaves *= 2;
    times.assign(size_t(2) * leaves, kNever);
  }

  Cycles timeOf(unsigned actor) const { return times[leaves + actor]; }
  void set(unsigned actor, Cycles time) {
    unsigned node = leaves + actor;
    times[node] = time;
    for (node /= 2; node; node /= 2)
      times[node] = std::min(times[2 * node], times[2 * node + 1]);
  }
  Cycles first() const { return times[1]; }
  /// Returns an actor whose time is the first; of several the one with the
  /// least number.
  unsigned firstActor() const {
    unsigned node = 1;
    while (node < leaves)
      node = times[2 * node] == times[node] ? 2 * node : 2 * node + 1;
    return node - leaves;
  }

private:
  unsigned leaves;
  std::vector<Cycles> times; ///< a tree; nodes have the least of their children
};

} // namespace fusion::timing

#endif // FUSION_TIMING_QUEUES_H
