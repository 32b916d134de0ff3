//===- LoopTraffic.h - What loops move and compute with any warps ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_LOOPTRAFFIC_H
#define FUSION_LIB_ANALYSIS_LOOPTRAFFIC_H

#include "fusion/Analysis/Footprint.h"

namespace fusion {

class UnmaskedTilesMemo;

/// Of a footprint what loops, tiles and the places of operands and results
/// decide, and how often the rest is done.
struct LoopTraffic {
  Footprint loops; ///< what no warps change
  struct Load {
    unsigned tensor;
    int64_t bytes;
  };
  /// To registers: bytes for each thread that holds an element.
  llvm::SmallVector<Load, 4> registerLoads;
  /// To shared memory in clusters: bytes for each block that copies them.
  llvm::SmallVector<Load, 4> clusterLoads;
  struct PerContraction {
    int64_t computed = 0;         ///< tiles, of all blocks
    int64_t completed = 0;        ///< tiles of values, of all blocks
    int64_t completedByBlock = 0; ///< of one
    bool isPartial = false;       ///< another launch completes it
    ScalarWork scalar; ///< of each tile of its value, but for that of rows
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

/// `memo` remembers sums over what masks leave; may be null.
LoopTraffic countLoopTraffic(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained,
                             UnmaskedTilesMemo *memo = nullptr);

/// All of a footprint but what a block holds.
Footprint countTraffic(const GroupModel &group, const Schedule &schedule,
                       const LoopTraffic &traffic);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_LOOPTRAFFIC_H
