//===- DataMovement.h - Chimera's data movement volume --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chimera, algorithm 1: what a loop order moves between global and shared
// memory (DV) and what a block holds (MU), in elements. Of each operator's
// tensors that enter or leave the chain, the loops are walked from the
// innermost one; a loop that indexes the tensor ends its reuse, and it and all
// further ones multiply the tile. For C[m,l] = A[m,k]·B[k,l], E[m,n] =
// C[m,l]·D[l,n] and order mlkn (table III):
//
//   DM_A = MK⌈L/T_L⌉   DM_B = KL⌈M/T_M⌉   DM_D = LN⌈M/T_M⌉   DM_E = MN⌈L/T_L⌉
//
// E counts as written only; reading partial sums again is extra.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_DATAMOVEMENT_H
#define FUSION_ANALYSIS_DATAMOVEMENT_H

#include "fusion/Analysis/GroupModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace fusion {

/// Which loops multiply. The two differ where a consumer's loop is outside of a
/// producer's: mnlk moves A MK⌈L/T_L⌉ or MK⌈L/T_L⌉⌈N/T_N⌉ elements.
enum class MovementReading : uint8_t {
  Printed,      ///< `chimera-printed`: algorithm 1, loops of the operator only
  Observation2, ///< `chimera-obs2`: the text, every outer loop. What moves when
                ///< the producer is computed again
};

/// A product of tile sizes T_X and trip counts ⌈X/T_X⌉.
struct MovementTerm {
  llvm::SmallVector<unsigned, 4> tiles; ///< axes, in the tensor's order
  llvm::SmallVector<unsigned, 6> trips; ///< axes, innermost first

  /// T_X·⌈X/T_X⌉ prints as X: `MK⌈L/T_L⌉`.
  std::string print(const GroupModel &group) const;

  /// Tiles at the borders count in full, as algorithm 1 has it.
  int64_t evaluate(const GroupModel &group,
                   llvm::ArrayRef<int64_t> tileSizes) const;

  /// With T_X·⌈X/T_X⌉ = X, as table III has it: borders are clipped.
  int64_t evaluateClipped(const GroupModel &group,
                          llvm::ArrayRef<int64_t> tileSizes) const {
    return minClipped(group, tileSizes, tileSizes);
  }
  /// The same at least, of any tiles from `least` to `most`.
  int64_t minClipped(const GroupModel &group, llvm::ArrayRef<int64_t> least,
                     llvm::ArrayRef<int64_t> most) const;
};

/// A tensor of an operator.
struct TensorMovement {
  unsigned contraction, tensor;
  MovementTerm footprint;             ///< DF
  std::optional<MovementTerm> volume; ///< DM; nullopt where it stays inside: 0
};

/// What algorithm 1 says of an order.
struct DataMovement {
  llvm::SmallVector<TensorMovement, 8> tensors; ///< by product

  /// DM of a tensor that moves once, or null.
  const MovementTerm *volumeOf(unsigned tensor) const;
  /// DV, with whole border tiles or with clipped ones.
  int64_t volume(const GroupModel &group, llvm::ArrayRef<int64_t> tileSizes,
                 bool clipped = false) const;
  /// MU.
  int64_t memoryUsage(const GroupModel &group,
                      llvm::ArrayRef<int64_t> tileSizes) const;
  /// `MK⌈L/T_L⌉ + ...`, and `max{T_MT_K + ..., ...}`.
  std::string printVolume(const GroupModel &group) const;
  std::string printMemoryUsage(const GroupModel &group) const;
};

/// Where sums in progress go that a reduction loop outside of their own loops
/// carries (E of mlkn, C of mkln).
enum class PartialSums : uint8_t {
  Moved, ///< algorithm 1: one tile is held, E is written in each iteration
  Kept,  ///< ours: all tiles are held, E is written once
};

/// `order` has the loops of the group, outermost first.
DataMovement analyzeDataMovement(const GroupModel &group,
                                 llvm::ArrayRef<unsigned> order,
                                 MovementReading reading,
                                 PartialSums sums = PartialSums::Moved);

/// Chimera's closed form: of order mlkn with T_N = T_K = α, the tile that
/// minimises DV under MU ≤ MC.
struct ChimeraClosedForm {
  unsigned rows, shared;              ///< the axes m and l
  double tile;                        ///< T_M* = T_L* = −α + √(α² + MC)
  double volume;                      ///< DV* = 2ML(K+N)/T_M*, over all batches
  llvm::SmallVector<int64_t, 8> seed; ///< tiles: min{⌊T*⌋, X} in multiples of g

  /// The most that DV of the seed is of DV*: max over X in {M, L} of
  /// 1 + T*/X + g/T_X. (Printed with 1/T_X, which does not hold for g = 16.)
  double bound(const GroupModel &group) const;
  int64_t granularity; ///< g
};

/// `capacity` is MC in elements, `alpha` the least tile of the other axes.
/// Returns nullopt with `reason` where the group is not a chain of two
/// products, each with one axis of a kind, or the capacity does not hold the
/// least tiles.
std::optional<ChimeraClosedForm> solveChimera(const GroupModel &group,
                                              int64_t capacity, int64_t alpha,
                                              int64_t granularity,
                                              std::string &reason);

} // namespace fusion

#endif // FUSION_ANALYSIS_DATAMOVEMENT_H
