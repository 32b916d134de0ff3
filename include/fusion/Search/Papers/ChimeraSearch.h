//===- ChimeraSearch.h - Chimera's choice of a block execution order ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chimera: min DV over all orders of the loops and all tile sizes, with MU
// within the memory's capacity (its equation 1).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_PAPERS_CHIMERASEARCH_H
#define FUSION_SEARCH_PAPERS_CHIMERASEARCH_H

#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fusion {

struct ChimeraOptimum {
  llvm::SmallVector<unsigned, 8> order; ///< axes, outermost first
  llvm::SmallVector<int64_t, 8> tiles;  ///< by axis
  int64_t volume = 0;                   ///< DV, in elements, borders clipped
  int64_t memoryUsage = 0;              ///< MU, in elements
  uint64_t orders = 0; ///< with different DV or MU; the others were left out
};

/// The order and tiles of least DV, of equals those of least MU, then the
/// first. Axes that no intrinsic of the chip takes (batches, the places of a
/// filter) are outermost with tile 1. Tiles are multiples of 16 in which no
/// smaller one has as few trips: it would move and hold less. Returns nullopt
/// with `reason` where no tiles fit, the chip cannot multiply the operands, or
/// more than seven other axes would be permuted.
std::optional<ChimeraOptimum>
searchChimera(const GroupModel &group, const ChipInfo &chip, int64_t capacity,
              MovementReading reading, PartialSums sums, std::string &reason);

/// The closed form's tiles, by axis, for a block of the chip with all operands
/// in its shared memory and tiles of 16 at least: where searches may start. Of
/// `choices(axis)`, ascending, the largest that is not larger, or the least.
/// nullopt where the group is not a chain of two contractions.
std::optional<llvm::SmallVector<int64_t, 8>>
closedFormTiles(const GroupModel &group, const ChipInfo &chip,
                llvm::function_ref<llvm::ArrayRef<int64_t>(unsigned)> choices);

} // namespace fusion

#endif // FUSION_SEARCH_PAPERS_CHIMERASEARCH_H
