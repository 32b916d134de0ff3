//===- LoopTraffic.h - What loops move and compute with any warps ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_LOOPTRAFFIC_H
#define FUSION_ANALYSIS_RESOURCES_LOOPTRAFFIC_H

#include "fusion/Analysis/Resources/Footprint.h"

namespace fusion {

class UnmaskedTilesMemo;

/// The part of a footprint that loops, tiles and the places of operands and
/// results decide, and how often everything else is done.
struct LoopTraffic {
  Footprint loops; ///< the part that does not depend on warps
  struct Load {
    unsigned tensor;
    int64_t bytes;
  };
  /// Loads to registers: bytes for each thread that holds an element.
  llvm::SmallVector<Load, 4> registerLoads;
  /// Loads to shared memory in clusters: bytes for each block that copies them.
  llvm::SmallVector<Load, 4> clusterLoads;
  struct PerContraction {
    int64_t computed = 0;         ///< tiles, of all blocks
    int64_t completed = 0;        ///< tiles of values, of all blocks
    int64_t completedByBlock = 0; ///< of one
    bool isPartial = false;       ///< another launch completes it
    ScalarWork scalar; ///< of each tile of its value, but for that of rows
    ScalarWork rescaled; ///< of each computed tile: rescaled accumulators
  };
  llvm::SmallVector<PerContraction, 4> contractions;
  struct PerPass {
    unsigned pass;
    int64_t combined;  ///< tiles, of all blocks
    int64_t completed; ///< tiles of rows, of all blocks
    bool loadsFragments;
  };
  llvm::SmallVector<PerPass, 2> passes; ///< over rows
};

/// Counts what the loops of a schedule move and compute. `memo` caches sums
/// over unmasked tiles and may be null.
LoopTraffic countLoopTraffic(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained,
                             UnmaskedTilesMemo *memo = nullptr);

/// Returns the footprint without the shared memory and registers of a block.
Footprint countTraffic(const GroupModel &group, const Schedule &schedule,
                       const LoopTraffic &traffic);

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_LOOPTRAFFIC_H
