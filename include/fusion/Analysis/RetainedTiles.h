//===- RetainedTiles.h - Tiles that live on beyond one iteration ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many tiles of each tensor a block holds at a time follows from the tree
// alone. A tile is made under one path of loops (loaded, or complete after the
// outermost reduction) and used under another. Beyond the common part of the
// two paths an axis that indexes the tensor is opened twice, once to make its
// tiles and once to use them, so all of them are kept in between: each such
// axis is a digit of the number of a *slot*. Accumulators are kept for the
// parallel loops inside of their outermost reduction.
//
//   k(LA),n(k(LB,CC),LD,CE),SE     all tiles of A along k are resident
//   k(LA,n(LB,CC)),n(LD,CE),SE     accumulators of C along n, then its values
//   n(k(LA,LB,CC),h(LD,CE)),h(SE)  accumulators of E along h
//
// Between a product's completion and its use stand the element-wise operators
// after it: its *hand-over*. They are computed as soon as the sum is complete
// and the last of their other operands is loaded; where accumulators of several
// tiles are complete at once, lowering opens loops of its own for them.
//
// Legality, footprints, models and lowering all read the same result.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RETAINEDTILES_H
#define FUSION_ANALYSIS_RETAINEDTILES_H

#include "fusion/Analysis/Schedule.h"

namespace fusion {

/// A statement's place in a tree.
struct TreePosition {
  llvm::SmallVector<const TilingNode *, 8>
      loops;      ///< around it, outermost first
  unsigned order; ///< among all statements
};

/// The tiles of a tensor that are kept at a time.
struct TileSlots {
  llvm::SmallVector<unsigned, 4>
      axes; ///< digits of a slot's number, slowest first
  int64_t count = 1;

  bool isRetained() const { return count > 1; }
};

/// Where a product's value becomes what is handed on.
struct IntermediateEpilogue {
  llvm::SmallVector<const TilingNode *, 8> loops; ///< around it, of the tree
  llvm::SmallVector<unsigned, 4>
      opened; ///< axes of loops that lowering opens inside
  /// The operand of the element-wise operators that is loaded last, or none
  /// where the sum is complete later.
  std::optional<unsigned> after;
  unsigned order = 0; ///< of the statement that it follows
};

/// What a tree keeps. The nodes are those of the schedule's tree.
struct RetainedTiles {
  /// By axis: iterations of its loop in one block (`sequentialTrips`).
  llvm::SmallVector<int64_t, 8> trips;

  /// By tensor: a load for operands, a computation for products, a store for
  /// the result.
  llvm::SmallVector<std::optional<TreePosition>, 8> loads, computes, stores;

  /// By product: tiles of the accumulator, from the outermost reduction on.
  llvm::SmallVector<TileSlots, 4> accumulators;
  /// By product: the outermost reduction loop, or null where none is live.
  llvm::SmallVector<const TilingNode *, 4> reductions;
  llvm::SmallVector<IntermediateEpilogue, 4>
      intermediateEpilogues; ///< by product
  /// By pass over rows: the loop over its axis, null where that is dead, and
  /// whether its product sums up in the same one.
  llvm::SmallVector<const TilingNode *, 1> statisticsLoops;
  llvm::SmallVector<bool, 1> runsWithContraction;

  /// By tensor: tiles between load and use, or between hand-over and use.
  llvm::SmallVector<TileSlots, 8> values;
  /// By tensor: the outermost loop that makes kept tiles; null where nothing is
  /// kept and where lowering opens it.
  llvm::SmallVector<const TilingNode *, 8> makers;
  /// By tensor: the last statement, by order, up to which its tiles are needed.
  llvm::SmallVector<unsigned, 8> lastUses;
};

/// Analyses the tree of a schedule: each statement there once and in the loops
/// that it needs, every tile made before it is used, what is kept in between.
/// Returns the reason why lowering cannot follow the tree, or nullopt and the
/// result in `kept`. Refers to nodes of `schedule.tree`.
std::optional<std::string> analyzeRetainedTiles(const GroupModel &group,
                                                const Schedule &schedule,
                                                RetainedTiles &retained);

/// Whether the reductions along an axis of `group.online` run online: their
/// loop also consumes them.
bool runsOnline(const GroupModel &group, const RetainedTiles &retained,
                unsigned axis);

/// The first of the outermost items of a block's body from which on nothing is
/// computed or loaded into shared memory, and something is stored: from there
/// on operands' buffers are free. None where the last item computes. `items`
/// are those inside of the loops that are bound to the grid.
std::optional<size_t> findFinalStores(const TilingTree &items,
                                      const Schedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_RETAINEDTILES_H
