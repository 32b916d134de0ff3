//===- CacheLevels.h - Where sectors are found ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of the sectors that blocks access are in L1 and L2. All blocks of the
// launch take part, the resident ones of all SMs a little at a time each, since
// they share L2. No times are needed: a timing model of some SMs asks for the
// levels of their blocks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_CACHELEVELS_H
#define FUSION_TIMING_CACHELEVELS_H

#include "fusion/Emulator/Machine/Recording.h"
#include "fusion/Emulator/Machine/SectorCache.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace fusion::timing {

/// Sectors of 32 bytes, by where they are found. Stored ones go to L2.
struct SectorCounts {
  uint32_t l1 = 0, l2 = 0, dram = 0;
  uint32_t replaced = 0; ///< stored sectors that went to DRAM instead of these
};

/// The levels of one block's sectors.
class BlockLevels {
public:
  /// Counts sectors of BlockRecording::sectors.
  SectorCounts count(uint32_t first, uint32_t number) const;

private:
  friend class LevelFinder;
  /// By sector: bits 0 and 1 the level, bits 2 to 4 the replaced sectors.
  std::vector<uint8_t> levels;
};

struct CacheShape {
  uint64_t l1Bytes = 0;    ///< of an SM, beside its shared memory
  unsigned processors = 1; ///< SMs that have blocks
  unsigned resident = 1;   ///< blocks of an SM at a time
  /// Whether the same launch has run before.
  bool isWarm = false;
};

/// Returns the levels by block of the launch, in the order of `blocks`. `l2` is
/// what launches before have left in L2, and has afterwards what this one
/// leaves.
std::vector<BlockLevels>
findLevels(llvm::ArrayRef<emulator::BlockRecording> blocks,
           const CacheShape &shape, emulator::SectorCache &l2);

} // namespace fusion::timing

#endif // FUSION_TIMING_CACHELEVELS_H
