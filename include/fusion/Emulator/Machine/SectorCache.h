//===- SectorCache.h - A cache of lines with sectors ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model, not a chip: lines of 128 bytes in 4 sectors of 32, sets of 16 lines,
// the least recently used line of a set is replaced.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_MACHINE_SECTORCACHE_H
#define FUSION_EMULATOR_MACHINE_SECTORCACHE_H

#include <cstdint>
#include <vector>

namespace fusion::emulator {

class SectorCache {
public:
  /// An empty cache with room for `bytes`, at least one set.
  explicit SectorCache(uint64_t bytes);

  struct Outcome {
    bool wasPresent = false;
    unsigned replaced = 0; ///< sectors that were stored and are replaced now
  };
  /// Accesses a recorded sector (Recording.h), which is present afterwards. A
  /// discarded line has no sectors afterwards, stored ones are not replaced.
  Outcome access(uint64_t sector);
  /// Fills the cache with stored sectors, which no launch accesses.
  void fillWithStored();
  /// Forgets which sectors were stored; returns how many there were.
  uint64_t clean();

private:
  struct Line {
    uint64_t tag = ~uint64_t(0);
    uint64_t used = 0;              ///< time of the last use
    uint8_t present = 0, dirty = 0; ///< sectors
  };
  static constexpr unsigned kWays = 16;

  uint64_t setOf(uint64_t tag) const;

  uint64_t sets;
  uint64_t time = 0;
  std::vector<Line> lines;
};

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_MACHINE_SECTORCACHE_H
