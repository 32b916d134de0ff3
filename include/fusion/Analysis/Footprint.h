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
// the same tree that lowering walks.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_FOOTPRINT_H
#define FUSION_ANALYSIS_FOOTPRINT_H

#include "fusion/Analysis/RetainedTiles.h"
#include <array>

namespace fusion {

/// What one launch does and what one of its blocks holds.
struct Footprint {
  int64_t blocks = 1; ///< of the grid
  /// By active lanes, extents clipped at the borders; of what the blocks of a
  /// cluster load for one another, each its part.
  int64_t globalLoadBytes = 0;
  int64_t globalStoreBytes = 0;
  int64_t multicastBytes = 0;  ///< that other blocks of a cluster load for one
  int64_t compulsoryBytes = 0; ///< every tensor once
  int64_t mmaFlops = 0;        ///< 2 × multiply-adds, padding included
  /// Of these, those of the products that each unit executes.
  std::array<int64_t, kNumIntrinsicUnits> unitFlops{};
  ScalarWork scalar; ///< of element-wise operators and reductions
  /// Of these two, what is done at the same time: the multiply-adds of a
  /// product that runs beside those of the next iteration, and what is computed
  /// of these; or, where groups of warps take turns, all products of which
  /// values are handed over in a loop, and what is computed of these. `waits`
  /// is how often tensor cores stand still between turns.
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
  int64_t atLaunch = 0;    ///< of these, what it has to be launched with
  int64_t serialLoads = 0; ///< dependent load-then-compute steps of a block
  int64_t barriers = 0;    ///< of a block
  /// The loop that leaves out tiles (MaskedTiles.h): its axis, and its
  /// iterations in all blocks on average and at most.
  struct Shortened {
    unsigned axis;
    double average;
    int64_t most;
  };
  std::optional<Shortened> shortened;
};

/// The footprint of a schedule that `checkSchedule` accepts so far as it does
/// not speak of resources.
Footprint computeFootprint(const GroupModel &group, const Schedule &schedule);

/// The same where the schedule's tree has been analysed already.
Footprint computeFootprint(const GroupModel &group, const Schedule &schedule,
                           const RetainedTiles &retained);

/// Whether all blocks of a row, along the fastest grid axis, load the same
/// tiles of the tensor: what a cluster can fetch once (`isMulticast`).
bool isSharedByNeighbours(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor);

/// Whether an intermediate has a buffer of its own in shared memory, from which
/// its consumer loads one step after the other: where several tiles wait there,
/// where the consumer's lanes hold replicas of its operand, so that a whole
/// tile would be too much for them, or where it multiplies in place. Otherwise
/// one in shared memory passes through the scratch of a conversion.
bool hasOwnBuffer(const GroupModel &group, const Schedule &schedule,
                  const RetainedTiles &retained, unsigned tensor);

/// Room for what ptxas needs to spill nothing beyond `Footprint::registers`: a
/// few drawn schedules of a thousand need more, none that is chosen does
/// (registers.py). Who chooses freely leaves that much, as a spill costs more
/// than registers gain, and so does who counts the blocks of an SM.
constexpr double kRegisterMargin = 1.15;

/// The registers of a thread with that room, as far as it can have as many.
int64_t registersWithRoom(const Footprint &footprint, const ChipInfo &chip);

/// Whether the registers fit with that room.
bool hasRegisterRoom(const Schedule &schedule, const Footprint &footprint,
                     const ChipInfo &chip);

/// Rows and columns of an operand's or a result's tile in memory order: `axes`
/// are the two axes of the tile, `columns` is the later one in the tensor.
struct MemoryTile {
  unsigned rowAxis, columnAxis;
  bool isDense; ///< the column axis is the tensor's last dimension
};
MemoryTile getMemoryTile(const GroupTensor &tensor, unsigned axis0,
                         unsigned axis1);

} // namespace fusion

#endif // FUSION_ANALYSIS_FOOTPRINT_H
