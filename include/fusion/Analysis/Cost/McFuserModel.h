//===- McFuserModel.h - MCFuser's time and memory models ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser, equations 1 to 5. Time is bytes over bandwidth plus flops over
// throughput, of the whole chip, times a factor for small grids:
//
//   t = (t_mem + t_comp)·α,   α = (N_block + N_SM)/N_block
//
// where a statement's tile counts once for every iteration of all loops around
// it, those bound to the grid included. Element-wise operators cost nothing
// there, nor do overlap, waves or the shape of a tile matter.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_MCFUSERMODEL_H
#define FUSION_ANALYSIS_COST_MCFUSERMODEL_H

#include "fusion/Analysis/Schedules/TilingTree.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Predicted seconds with what they are made of (equation 2).
struct McFuserCost {
  double total = 0;
  double memory = 0;   ///< t_mem, equation 3
  double compute = 0;  ///< t_comp, equation 4
  double slowdown = 1; ///< α, equation 5
};

/// What equation 1 counts in. The "40 %" of section III-C is in elements.
enum class FootprintUnit : uint8_t { Bytes, Elements };

/// Equation 1 as printed: one tile of every tensor of the group.
int64_t sumOfTiles(const GroupModel &group, llvm::ArrayRef<int64_t> tiles,
                   FootprintUnit unit);

/// MCFuser's model of one tree, for any tiles with the same dead loops. It
/// refers to nothing that must outlive it.
class McFuserModel {
public:
  /// The most axes of a group that the model takes.
  static constexpr unsigned kMaxAxes = 16;

  /// Returns nullopt with `reason` where the chip has no rate for a product.
  /// `blocks` are the axes bound to the grid.
  static std::optional<McFuserModel> create(const GroupModel &group,
                                            const TilingTree &tree,
                                            llvm::ArrayRef<unsigned> blocks,
                                            const ChipInfo &chip,
                                            std::string &reason);

  McFuserCost predict(llvm::ArrayRef<int64_t> tiles) const {
    return predictAtLeast(tiles, tiles);
  }
  /// What any tiles from `least` to `most` take at least, each part by itself.
  /// Loops are dead in both or in neither.
  McFuserCost predictAtLeast(llvm::ArrayRef<int64_t> least,
                             llvm::ArrayRef<int64_t> most) const;

  /// Equation 1 with what it leaves out (ours): a value that a reduction loop
  /// carries keeps a tile for each iteration of its own loops inside of it;
  /// `kn` keeps all tiles of C, `n(k,h)` all of E. Several tiles of sums in
  /// progress take four bytes an element, as products accumulate in f32.
  int64_t sharedMemory(llvm::ArrayRef<int64_t> tiles, FootprintUnit unit) const;

private:
  /// Sets of axes are bit masks.
  struct Statement {
    bool isCompute;
    uint32_t tile;  ///< axes of the tile
    uint32_t loops; ///< loops around it
    double seconds; ///< of one element, or of one multiply-add
  };
  struct Kept {
    uint32_t tile, copies; ///< axes of the tile; loops that multiply it
    unsigned elementBytes;
  };
  llvm::SmallVector<int64_t, 8> extents;
  llvm::SmallVector<Statement, 8> statements;
  llvm::SmallVector<Kept, 8> retained;
  uint32_t blocks = 0;
  double numSMs = 0;
};

/// Equations 2 to 5 of one candidate.
std::optional<McFuserCost>
predictMcFuser(const GroupModel &group, const TilingTree &tree,
               llvm::ArrayRef<int64_t> tiles, llvm::ArrayRef<unsigned> blocks,
               const ChipInfo &chip, std::string &reason);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_MCFUSERMODEL_H
