//===- Readers.h - Several readers of a place -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_READERS_H
#define FUSION_LIB_EMULATOR_SANITIZE_READERS_H

#include "Emulator/Sanitize/Reach.h"
#include "Emulator/Sanitize/ThreadOrder.h"

namespace fusion::emulator {

/// The sets of readers that records of a block's memory name.
class Readers {
public:
  Readers(GridSanitizer &grid, const ThreadOrder &order)
      : grid(grid), order(order), epoch(++grid.epochs) {}

  Record addReader(const Reach &reach, Record reads, Record mine);
  /// Whether the readers are a set that has been dropped.
  bool isGone(Record reads) const {
    return (reads & kSet) && reads < oldestSets;
  }
  /// A barrier of all threads orders what is below `limit`.
  void settle(Record limit) {
    sets.settle(size_t(limit >> 32), grid.contexts.size());
    oldestSets = std::max(oldestSets, limit);
  }
  void beginEpoch() { epoch = ++grid.epochs; }

  ReaderSets sets;
  /// Whether the last union distinguishes strong readers from weak ones, by
  /// their lanes.
  bool isMixedUnion = false;

private:
  bool areMixed(Record reads, Record mine);
  Record addMixedReader(Record reads, Record mine, const Warp &warp);

  GridSanitizer &grid;
  const ThreadOrder &order;
  /// Sets of contexts below this record have been dropped. Barriers of all
  /// threads raise it. A late access by another CTA, at an early context,
  /// lowers limits but not this.
  Record oldestSets = 0;
  uint64_t epoch; ///< of GridSanitizer::Union
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_READERS_H
