//===- CpuTraffic.h - Bytes that loops move between caches ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chimera, algorithm 1, once for each level of cache: a nest of loops moves a
// tile (DM) again in each iteration of a loop, unless the loop does not index
// it and what one iteration touches (MU) fits in the level. The nest of a
// contraction is, from the outside:
//
//   the grid's loops, the loops of the block, column panels of the tile, rows
//
// In the innermost loop are the operands of one micro-kernel: i1 rows of the
// LHS, i2 columns of the RHS, and the accumulators. Operands that are read in
// place touch whole lines. Rows whose distance is a multiple of many sets lie
// in few sets of a cache, so that they fit in a part of it only.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_CPUTRAFFIC_H
#define FUSION_ANALYSIS_COST_CPUTRAFFIC_H

#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Target/Chips/CpuInfo.h"

namespace fusion {

/// How a contraction reads its LHS or RHS on a CPU.
struct CpuOperand {
  /// The tensors in memory that it is computed from.
  llvm::SmallVector<unsigned, 2> tensors;
  std::optional<unsigned> producer; ///< the contraction in scratch
  /// Whether micro-kernels read a copy in scratch, of the accumulator's type.
  bool isCopied = false;
  /// Whether the copy is made where the contraction is computed, and not by the
  /// load of the tensor.
  bool isCopiedLate = false;
  /// Whether the copy visits elements across the rows of their memory.
  bool isTransposed = false;
  /// Whether an RHS is multiplied in place, row by row (RowBlocks.h).
  bool isOfRows = false;
};

/// Returns how the LHS (`isLhs`) or the RHS of contraction `number` is read.
/// The LHS is that of the intrinsic.
CpuOperand cpuOperand(const GroupModel &group, const Schedule &schedule,
                      unsigned number, bool isLhs);

/// Returns whether the tensor is dense along `axis`: neighbours in memory.
bool isDenseAlong(const GroupTensor &tensor, unsigned axis);

/// Returns the part of a tensor of `bytes` that a launch finds in DRAM, and not
/// in L3 where the launch that made it or read it last has left it. It grows
/// with the tensor, up to half of L3. It depends on the tensor alone, so that
/// it favours neither few launches nor many.
double shareInDram(double bytes, const CpuInfo &cpu);

/// The bytes that all blocks together move.
struct CpuTraffic {
  double intoL1 = 0, intoL2 = 0; ///< of the cores
  double intoL3 = 0;             ///< from and to DRAM
};

/// Counts the bytes of a schedule with `retained`, the result of
/// `analyzeRetainedTiles`. `trips` are the iterations of loops by axis, on
/// average.
CpuTraffic countCpuTraffic(const GroupModel &group, const Schedule &schedule,
                           const RetainedTiles &retained,
                           llvm::ArrayRef<double> trips, const CpuInfo &cpu);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_CPUTRAFFIC_H
