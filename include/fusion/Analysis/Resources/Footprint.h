//===- Footprint.h - What a schedule moves and occupies -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions of (group, schedule): bytes between global memory and the
// chip, shared memory and registers of a block, flops with padding. They follow
// the tiling expression that lowering follows.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_FOOTPRINT_H
#define FUSION_ANALYSIS_RESOURCES_FOOTPRINT_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include <array>

namespace fusion {

/// The work of one launch and the resources of one of its blocks.
struct Footprint {
  int64_t blocks = 1; ///< of the grid
  /// Bytes of active lanes, with extents clipped at the borders. Each
  /// block of a cluster counts the part of a multicast tile that it loads.
  int64_t globalLoadBytes = 0;
  int64_t globalStoreBytes = 0;
  int64_t multicastBytes = 0;  ///< that a block gets from loads of its cluster
  int64_t compulsoryBytes = 0; ///< every tensor once
  int64_t mmaFlops = 0;        ///< 2 × multiply-adds, padding included
  /// The part of `mmaFlops` by the kind of unit that executes it.
  std::array<int64_t, kNumIntrinsicUnits> unitFlops{};
  ScalarWork scalar; ///< of element-wise operators and reductions
  /// The part of `scalar` of one tile of a contraction: when its value is
  /// complete, and each time that it is computed.
  struct TileWork {
    ScalarWork completed, computed;
  };
  llvm::SmallVector<TileWork, 4> tileWork; ///< by contraction
  /// Work that overlaps with MMAs, included in `mmaFlops` and `scalar`. With
  /// cross-iteration overlap: the flops of the contraction whose MMAs overlap
  /// with the next iteration, and the scalar work that they overlap with. With
  /// ping-pong scheduling: the flops of all contractions that make or read an
  /// intermediate in a loop, and the scalar work of its intermediate epilogue.
  /// `waits` counts how often the tensor cores are idle when warpgroups
  /// alternate.
  struct Overlap {
    unsigned contraction; ///< whose unit it is
    double flops;
    ScalarWork scalar;
    double waits = 0;
  };
  llvm::SmallVector<Overlap, 1> overlaps;
  int64_t sharedMemory = 0; ///< bytes of a block
  int64_t sharedTraffic =
      0; ///< bytes between shared memory and registers, all blocks
  int64_t registers = 0;   ///< per thread, estimated
  int64_t atLaunch = 0;    ///< of `registers`: what a launch needs
  int64_t serialLoads = 0; ///< dependent load-then-compute steps of a block
  int64_t barriers = 0;    ///< of a block
  /// The loop that skips masked tiles (MaskedTiles.h): its axis, and the
  /// average and the largest trip count over all blocks.
  struct Shortened {
    unsigned axis;
    double average;
    int64_t most;
  };
  std::optional<Shortened> shortened;
};

/// Computes the footprint of a schedule that is legal but for its use of
/// resources (`checkSchedule`).
Footprint computeFootprint(const GroupModel &group, const Schedule &schedule);

/// Computes the footprint from `retained`, the result of
/// `analyzeRetainedTiles`.
Footprint computeFootprint(const GroupModel &group, const Schedule &schedule,
                           const RetainedTiles &retained);

/// Returns whether an intermediate has its own buffer in shared memory, from
/// which its consumer loads step by step. It has one in three cases:
///
/// * several of its tiles are retained there;
/// * the consumer's lanes hold replicas of the operand, so that a whole tile
///   would need too many registers;
/// * the consumer's MMA reads the operand from shared memory.
///
/// Any other intermediate in shared memory passes through the scratch buffer of
/// a layout conversion.
bool hasOwnBuffer(const GroupModel &group, const Schedule &schedule,
                  const RetainedTiles &retained, unsigned tensor);

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_FOOTPRINT_H
