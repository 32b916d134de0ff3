//===- Races.cpp - Races of an access with recorded ones ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Races.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

void Races::race(Reach &reach, const char *what, Record other, uint64_t offset,
                 unsigned lane) {
  reports.report(kindOfRace(reach, other), reach.warp, lane, reach.line,
                 lineOf(other), [&] {
                   return std::string(what) + " race at " +
                          reach.place(offset) + " with " +
                          reports.threadName(other);
                 });
}

/// What an agent that has not been waited for does is not ordered.
const char *Races::kindOfRace(const Reach &reach, Record other) const {
  bool agent =
      slots::isAgent(grid.contexts[contextOf(order.completed(other))].warp) ||
      order.isCopying(other);
  if (agent && reach.kind == SanitizeKind::Load)
    return "async-read-in-flight";
  if (agent)
    return "async-overwrite";
  return reach.allocation ? "global-race" : "shared-race";
}

void Races::checkReaders(Reach &reach, Record reads, uint64_t offset,
                         unsigned lane) {
  auto check = [&](Record other) {
    if ((other & reach.mine & kAtomic) ||
        order.ordered(other, reach.warp, lane) ||
        order.hasTakenPlace(other, reach.warp, int(lane)))
      return;
    if (order.isCopying(other))
      reports.report(
          "async-overwrite", reach.warp, lane, reach.line, lineOf(other), [&] {
            return "write to " + reach.place(offset) + ", which " +
                   reports.threadName(other) + " is still going to read";
          });
    else
      race(reach, "write-after-read", other, offset, lane);
  };
  if (reads < reach.limit || readers.isGone(reads))
    return;
  if (reads & kSet)
    for (Record other : readers.sets[lineOf(reads)])
      check(other);
  else
    check(reads);
}
