//===- DataMovement.h - Chimera's data movement volume --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chimera, algorithm 1: what a loop order moves between global and shared
// memory (DV) and what a block holds (MU), in elements. The algorithm visits
// the loops from the innermost one, for each tensor of an operator that enters
// or leaves the chain. A loop that indexes the tensor ends its reuse: this loop
// and all outer ones multiply the tile. For C[m,l] = A[m,k]·B[k,l], E[m,n] =
// C[m,l]·D[l,n] and order mlkn (table III):
//
//   DM_A = MK⌈L/T_L⌉   DM_B = KL⌈M/T_M⌉   DM_D = LN⌈M/T_M⌉   DM_E = MN⌈L/T_L⌉
//
// E counts as written only; reading partial sums again is extra.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_DATAMOVEMENT_H
#define FUSION_ANALYSIS_COST_DATAMOVEMENT_H

#include "fusion/Analysis/Groups/GroupModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace fusion {

/// Which loops multiply the tile. The two readings differ where a consumer's
/// loop is outside of a producer's: mnlk moves A MK⌈L/T_L⌉ or MK⌈L/T_L⌉⌈N/T_N⌉
/// elements.
enum class MovementReading : uint8_t {
  Printed,      ///< `chimera-printed`: algorithm 1, loops of the operator only
  Observation2, ///< `chimera-obs2`: the text, every outer loop. What moves when
                ///< the producer is recomputed
};

/// A product of tile sizes T_X and trip counts ⌈X/T_X⌉.
struct MovementTerm {
  llvm::SmallVector<unsigned, 4> tiles; ///< axes, in the tensor's order
  llvm::SmallVector<unsigned, 6> trips; ///< axes, innermost first

  /// Prints the term, with T_X·⌈X/T_X⌉ as X: `MK⌈L/T_L⌉`.
  std::string print(const GroupModel &group) const;

  /// Returns the elements, with full tiles at the borders (algorithm 1).
  int64_t evaluate(const GroupModel &group,
                   llvm::ArrayRef<int64_t> tileSizes) const;

  /// Returns the elements, with tiles clipped at the borders: T_X·⌈X/T_X⌉ = X
  /// (table III).
  int64_t evaluateClipped(const GroupModel &group,
                          llvm::ArrayRef<int64_t> tileSizes) const {
    return minClipped(group, tileSizes, tileSizes);
  }
  /// Returns the least value of `evaluateClipped` for tile sizes from `least`
  /// to `most`.
  int64_t minClipped(const GroupModel &group, llvm::ArrayRef<int64_t> least,
                     llvm::ArrayRef<int64_t> most) const;
};

/// What one tensor of an operator moves and holds.
struct TensorMovement {
  unsigned contraction, tensor;
  MovementTerm footprint;             ///< DF
  std::optional<MovementTerm> volume; ///< DM; nullopt for intermediates: 0
};

/// The result of algorithm 1 for one loop order.
struct DataMovement {
  llvm::SmallVector<TensorMovement, 8> tensors; ///< by contraction

  /// Returns DM of a tensor that moves once, or null.
  const MovementTerm *volumeOf(unsigned tensor) const;
  /// Returns DV, with full border tiles or with clipped ones.
  int64_t volume(const GroupModel &group, llvm::ArrayRef<int64_t> tileSizes,
                 bool clipped = false) const;
  /// Returns MU.
  int64_t memoryUsage(const GroupModel &group,
                      llvm::ArrayRef<int64_t> tileSizes) const;
  /// Return the terms as text: `MK⌈L/T_L⌉ + ...` and `max{T_MT_K + ..., ...}`.
  std::string printVolume(const GroupModel &group) const;
  std::string printMemoryUsage(const GroupModel &group) const;
};

/// What happens to accumulators that are carried by a reduction loop outside of
/// their own loops (E of mlkn, C of mkln).
enum class PartialSums : uint8_t {
  Moved, ///< algorithm 1: one tile is held, E is written in each iteration
  Kept,  ///< Fusion: all tiles are held, E is written once
};

/// Runs algorithm 1. `order` has the loops of the group, outermost first.
DataMovement analyzeDataMovement(const GroupModel &group,
                                 llvm::ArrayRef<unsigned> order,
                                 MovementReading reading,
                                 PartialSums sums = PartialSums::Moved);

/// Chimera's closed form: the tile that minimises DV under MU ≤ MC, for order
/// mlkn with T_N = T_K = α.
struct ChimeraClosedForm {
  unsigned rows, shared;              ///< the axes m and l
  double tile;                        ///< T_M* = T_L* = −α + √(α² + MC)
  double volume;                      ///< DV* = 2ML(K+N)/T_M*, over all batches
  llvm::SmallVector<int64_t, 8> seed; ///< tiles: min{⌊T*⌋, X} in multiples of g

  /// Returns an upper bound of DV(seed) / DV*: the maximum over X in {M, L} of
  /// 1 + T*/X + g/T_X. (Printed with 1/T_X, which does not hold for g = 16.)
  double bound(const GroupModel &group) const;
  int64_t granularity; ///< g
};

/// Solves the closed form. `capacity` is MC in elements, `alpha` the least tile
/// size of the other axes in elements. Returns nullopt with `reason` where the
/// group is no chain of two contractions with one axis of each kind, or where
/// the least tiles exceed the capacity.
std::optional<ChimeraClosedForm> solveChimera(const GroupModel &group,
                                              int64_t capacity, int64_t alpha,
                                              int64_t granularity,
                                              std::string &reason);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_DATAMOVEMENT_H
