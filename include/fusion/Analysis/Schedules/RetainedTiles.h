//===- RetainedTiles.h - Tiles that stay on chip between uses -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of tiles of a tensor that a block retains follows from the tiling
// expression alone. A tile is made under one path of loops (loaded, or complete
// after the outermost reduction) and used under another. Suppose that both
// paths, beyond their common part, open an axis that indexes the tensor: one
// loop makes the tiles, another uses them. Then all tiles along the axis are
// retained, and the axis is a digit of the number of a tile's *slot*.
// Accumulators are retained for the parallel loops inside of their outermost
// reduction.
//
//   k(LA),n(k(LB,CC),LD,CE),SE     all tiles of A along k are retained
//   k(LA,n(LB,CC)),n(LD,CE),SE     accumulators of C along n, then its values
//   n(k(LA,LB,CC),h(LD,CE)),h(SE)  accumulators of E along h
//
// Between a contraction's completion and its use, its *intermediate epilogue*
// runs: the element-wise operators after it. It runs as soon as the accumulator
// is complete and the last of the other operands is loaded. If accumulators of
// several tiles are complete at once, lowering opens loops for it.
//
// Legality, footprints, models and lowering all read the same result.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_RETAINEDTILES_H
#define FUSION_ANALYSIS_SCHEDULES_RETAINEDTILES_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

/// A statement's place in a tiling expression.
struct TreePosition {
  llvm::SmallVector<const TilingNode *, 8>
      loops;      ///< around it, outermost first
  unsigned order; ///< among all statements
};

/// The tiles of a tensor that a block retains at a time.
struct TileSlots {
  llvm::SmallVector<unsigned, 4>
      axes; ///< digits of a slot's number, slowest first
  int64_t count = 1;

  bool isRetained() const { return count > 1; }
};

/// Where the intermediate epilogue of a contraction runs.
struct IntermediateEpilogue {
  llvm::SmallVector<const TilingNode *, 8> loops; ///< around it, of the tree
  llvm::SmallVector<unsigned, 4>
      opened; ///< axes of loops that lowering opens inside
  /// The operand of the element-wise operators that is loaded last; nullopt if
  /// the accumulator is complete later.
  std::optional<unsigned> after;
  unsigned order = 0; ///< of the statement that it follows
};

/// The tiles that a tiling expression retains. The nodes are those of the
/// schedule's tree.
struct RetainedTiles {
  /// By axis: trip count of its loop in one block (`sequentialTrips`).
  llvm::SmallVector<int64_t, 8> trips;

  /// By tensor: the load of an operand, the computation of a contraction's
  /// result, the store of a result.
  llvm::SmallVector<std::optional<TreePosition>, 8> loads, computes, stores;

  /// By contraction: tiles of the accumulator, from the outermost reduction on.
  llvm::SmallVector<TileSlots, 4> accumulators;
  /// By contraction: the outermost reduction loop, or null if none is live.
  llvm::SmallVector<const TilingNode *, 4> reductions;
  llvm::SmallVector<IntermediateEpilogue, 4>
      intermediateEpilogues; ///< by contraction
  /// By row statistics: the loop over their axis, null if that is dead, and
  /// whether it is the loop in which their contraction accumulates.
  llvm::SmallVector<const TilingNode *, 1> statisticsLoops;
  llvm::SmallVector<bool, 1> runsWithContraction;

  /// By tensor: tiles between load and use, or between intermediate epilogue
  /// and use.
  llvm::SmallVector<TileSlots, 8> values;
  /// By tensor: the outermost loop that makes its retained tiles; null if no
  /// tile is retained, or if lowering opens the loop.
  llvm::SmallVector<const TilingNode *, 8> makers;
  /// By tensor: the last statement, by order, up to which its tiles are needed.
  llvm::SmallVector<unsigned, 8> lastUses;
};

/// Analyses the tree of a schedule: each statement occurs once, in the loops
/// that it needs, and each tile is made before its use. Returns the reason why
/// lowering cannot follow the tree, or nullopt with the result in `retained`.
/// The result refers to nodes of `schedule.tree`.
std::optional<std::string> analyzeRetainedTiles(const GroupModel &group,
                                                const Schedule &schedule,
                                                RetainedTiles &retained);

/// Returns whether the reductions along an axis of `group.online` run online:
/// their loop also consumes their results.
bool runsOnline(const GroupModel &group, const RetainedTiles &retained,
                unsigned axis);

/// Returns the first of the outermost items of a block's body from which on
/// nothing is computed or loaded into shared memory, and something is stored.
/// From this item on the operands' buffers are free. Returns nullopt if the
/// last item computes. `items` are inside of the loops that are bound to the
/// grid.
std::optional<size_t> findFinalStores(const TilingTree &items,
                                      const Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_RETAINEDTILES_H
