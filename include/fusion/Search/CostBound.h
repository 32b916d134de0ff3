//===- CostBound.h - Times that no schedule of given loops can beat -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For branch and bound. Of our model's terms those are taken that depend on
// loops and tiles alone: bytes and flops, which warps, stages and places can
// only add to, at the rates of the chip. They fall as tiles grow, so an axis
// whose tile is not chosen yet counts as one whole tile without padding, and
// the bound of a part of the choices holds for all that complete it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_COSTBOUND_H
#define FUSION_SEARCH_COSTBOUND_H

#include "fusion/Analysis/TilingTree.h"

namespace fusion {

class CostBound {
public:
  /// The most axes of a group that has a bound.
  static constexpr unsigned kMaxAxes = 16;

  /// `tree` has the loops of the live axes; `blocks` are those bound to the
  /// grid; `parts` blocks share a reduction.
  CostBound(const GroupModel &group, const TilingTree &tree,
            llvm::ArrayRef<unsigned> blocks, const ChipInfo &chip,
            int64_t parts = 1);

  /// Seconds that a launch takes at least. `tiles` by axis; 0 where not chosen,
  /// which must not be a live axis of the tree.
  double seconds(llvm::ArrayRef<int64_t> tiles) const;

private:
  /// Sets of axes are bit masks.
  struct Move {
    double bytes;   ///< of the whole tensor
    uint32_t again; ///< loops that repeat it
  };
  struct Work {
    uint32_t axes;  ///< of the product
    uint32_t again; ///< other loops around it
    double secondsPerPoint;
  };
  llvm::SmallVector<int64_t, 8> extents;
  llvm::SmallVector<Move, 8> moves;
  llvm::SmallVector<Work, 4> works;
  uint32_t blocks = 0;
  double compulsory = 0; ///< seconds of every tensor once, from DRAM
  double fixed = 0, l2BytesPerSecond, numSMs, parts;
};

} // namespace fusion

#endif // FUSION_SEARCH_COSTBOUND_H
