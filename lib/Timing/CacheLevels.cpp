//===- CacheLevels.cpp - Where sectors are found --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/CacheLevels.h"
#include <algorithm>

using namespace fusion;
using namespace fusion::timing;
using emulator::BlockRecording;
using emulator::SectorCache;

/// What a resident block accesses before the next one's turn.
static constexpr size_t kTurn = 64;

static constexpr uint8_t kL1 = 0, kL2 = 1, kDram = 2, kNone = 3;

SectorCounts BlockLevels::count(uint32_t first, uint32_t number) const {
  SectorCounts counts;
  size_t end = std::min<size_t>(levels.size(), size_t(first) + number);
  for (size_t i = first; i < end; ++i) {
    uint8_t level = levels[i] & 3;
    counts.l1 += level == kL1;
    counts.l2 += level == kL2;
    counts.dram += level == kDram;
    counts.replaced += levels[i] >> 2;
  }
  return counts;
}

namespace fusion::timing {

class LevelFinder {
public:
  LevelFinder(llvm::ArrayRef<BlockRecording> blocks, const CacheShape &shape,
              SectorCache &l2)
      : blocks(blocks), shape(shape), l2(l2),
        l1(std::max(shape.processors, 1u), SectorCache(shape.l1Bytes)),
        found(blocks.size()) {}

  std::vector<BlockLevels> run() {
    if (shape.isWarm)
      pass();
    for (SectorCache &cache : l1)
      cache = SectorCache(shape.l1Bytes);
    pass();
    return std::move(found);
  }

private:
  struct Resident {
    size_t block;
    size_t next = 0; ///< of its sectors
  };

  /// Lets all blocks access their sectors.
  void pass() {
    size_t places = size_t(l1.size()) * std::max(shape.resident, 1u);
    std::vector<Resident> active;
    size_t waiting = 0;
    for (; waiting < std::min(places, blocks.size()); ++waiting)
      active.push_back({waiting});
    // Each round begins with another block, so that none always pays for what
    // all read.
    for (uint64_t round = 0; !active.empty(); ++round) {
      // Fibonacci hashing spreads the beginnings evenly.
      constexpr uint64_t golden = 0x9E3779B97F4A7C15;
      size_t start = (round * golden >> 32) % active.size();
      bool hasEnded = false;
      for (size_t i = 0; i < active.size(); ++i) {
        Resident &one = active[(start + i) % active.size()];
        turn(one);
        hasEnded |= one.next >= blocks[one.block].sectors.size();
      }
      if (!hasEnded)
        continue;
      // A block that waits takes the place of one that has ended.
      std::vector<Resident> next;
      for (Resident &one : active) {
        if (one.next < blocks[one.block].sectors.size())
          next.push_back(one);
        else if (waiting < blocks.size())
          next.push_back({waiting++});
      }
      active = std::move(next);
    }
  }

  void turn(Resident &one) {
    const std::vector<uint64_t> &sectors = blocks[one.block].sectors;
    std::vector<uint8_t> &levels = found[one.block].levels;
    levels.resize(sectors.size());
    SectorCache &own = l1[one.block % l1.size()];
    size_t end = std::min(sectors.size(), one.next + kTurn);
    for (; one.next < end; ++one.next)
      levels[one.next] = access(own, sectors[one.next]);
  }

  uint8_t access(SectorCache &own, uint64_t sector) {
    if (sector & emulator::kSectorDiscarded) {
      l2.access(sector);
      return kNone;
    }
    // L1 keeps no stored sectors; it is written through.
    bool isStored = sector & emulator::kSectorWritten;
    if (!isStored && !(sector & emulator::kSectorPastL1) &&
        own.access(sector & ~emulator::kSectorFlags).wasPresent)
      return kL1;
    SectorCache::Outcome outcome = l2.access(sector);
    uint8_t level = isStored || outcome.wasPresent ? kL2 : kDram;
    return level | uint8_t(outcome.replaced << 2);
  }

  llvm::ArrayRef<BlockRecording> blocks;
  CacheShape shape;
  SectorCache &l2;
  std::vector<SectorCache> l1;
  std::vector<BlockLevels> found;
};

} // namespace fusion::timing

std::vector<BlockLevels>
fusion::timing::findLevels(llvm::ArrayRef<BlockRecording> blocks,
                           const CacheShape &shape, SectorCache &l2) {
  return LevelFinder(blocks, shape, l2).run();
}
